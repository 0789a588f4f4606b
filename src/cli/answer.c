/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/explain.h"

const char *nvfp4_cli_status_word(nvfp4_status status)
{
    switch (status) {
    case NVFP4_OK:
        return "ok";
    case NVFP4_ENOBACKEND:
        return "no_backend";
    case NVFP4_EREFUSED:
        return "refused";
    default:
        return "invalid";
    }
}

int nvfp4_cli_answer(const nvfp4_request *request, int form, const nvfp4_explain_options *options,
                     nvfp4_cli_text *text, nvfp4_status *status)
{
    nvfp4_status (*const explain)(const nvfp4_moe_layer *, const nvfp4_deployment *,
                                  const nvfp4_policy *, const nvfp4_explain_options *, char *,
                                  size_t, size_t *) =
        form == NVFP4_CLI_JSON ? nvfp4_explain_json : nvfp4_explain_text;
    const nvfp4_moe_layer *const layer = nvfp4_request_layer(request);
    const nvfp4_deployment *const deployment = nvfp4_request_deployment(request);
    const nvfp4_policy *const policy = nvfp4_request_policy(request);
    nvfp4_selection selection;
    *status = nvfp4_select_backend(layer, deployment, policy, &selection);
    if (!nvfp4_cli_text_reserve(text, 8192))
        return 0;
    for (;;) {
        const nvfp4_status done = explain(layer, deployment, policy, options, text->text,
                                          text->room, &text->length);
        if (done != NVFP4_OK) {
            nvfp4_cli_complain("the answer cannot be written: %s", nvfp4_status_text(done));
            return 0;
        }
        if (text->length < text->room)
            return 1;
        if (!nvfp4_cli_text_reserve(text, text->length))
            return 0;
    }
}

int nvfp4_cli_invalid(const nvfp4_error *error, int form)
{
    char text[1024];
    if (form == NVFP4_CLI_JSON) {
        nvfp4_explain_invalid_json(error, text, sizeof text);
        puts(text);
    }
    nvfp4_cli_complain_error(error);
    return NVFP4_EXIT_USAGE;
}
