/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <nvfp4moe/device.h>

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

/* Answers with the options, and one remark more. */
struct remarked {
    nvfp4_explain_options options;
    nvfp4_remark remarks[NVFP4_CLI_REMARKS + 1];
    char text[96];
};

/* Does no GPU have it? Kepler to Volta are none of the catalogue's, and there were GPUs of theirs. */
static int is_unseen(const nvfp4_device_key *device)
{
    static const nvfp4_sm older[] = { 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72 };
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    char name[24];
    if (device->vendor != NVFP4_VENDOR_NVIDIA)
        return 0;
    for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
        if (device->sm == older[i])
            return 0;
    snprintf(name, sizeof name, "sm_%d", (int)device->sm);
    return nvfp4_gpu_find(name, &gpu, NULL) != NVFP4_OK
           || gpu.confidence < NVFP4_CONFIDENCE_MEDIUM;
}

static const nvfp4_explain_options *add_unseen(const nvfp4_explain_options *options,
                                               const nvfp4_device_key *device,
                                               struct remarked *more)
{
    static const nvfp4_explain_options initial = NVFP4_EXPLAIN_OPTIONS_INIT;
    if (!is_unseen(device))
        return options;
    more->options = options != NULL ? *options : initial;
    size_t count = more->options.remark_count;
    if (count > NVFP4_CLI_REMARKS)
        count = NVFP4_CLI_REMARKS;
    for (size_t i = 0; i < count; i++)
        more->remarks[i] = more->options.remarks[i];
    snprintf(more->text, sizeof more->text, "no GPU that is known has sm %d: is it right?",
             (int)device->sm);
    more->remarks[count].warning = NVFP4_WARNING_LOW_CONFIDENCE;
    more->remarks[count].text = more->text;
    more->options.remarks = more->remarks;
    more->options.remark_count = count + 1;
    return &more->options;
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
    struct remarked more;
    options = add_unseen(options, &deployment->device, &more);
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
