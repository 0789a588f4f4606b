/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>

#include <nvfp4moe/model.h>

#include "cli/args.h"
#include "cli/explain.h"

enum { OPTION_FORMAT };

static const nvfp4_cli_option options[] = {
    [OPTION_FORMAT] = { "--format", "FORM", "text (default) or json" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "model PATH [--format text|json]", NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "Shows what a checkpoint says of its MoE layers. PATH is a folder with a config.json, or the\n"
    "config.json itself; a hf_quant_config.json beside it is read, too.",
    options,
    NULL,
};

typedef size_t writer(const nvfp4_model *model, char *buffer, size_t capacity);

static int print(const nvfp4_model *model, int form)
{
    writer *const write = form == NVFP4_CLI_JSON ? nvfp4_model_to_json : nvfp4_model_to_text;
    nvfp4_cli_text text = { NULL, 0, 0 };
    text.length = write(model, NULL, 0);
    if (!nvfp4_cli_text_reserve(&text, text.length))
        return NVFP4_EXIT_USAGE;
    write(model, text.text, text.room);
    fwrite(text.text, 1, text.length, stdout);
    if (form == NVFP4_CLI_JSON)
        putchar('\n');
    nvfp4_cli_text_free(&text);
    return NVFP4_EXIT_OK;
}

static int show(const char *path, int form)
{
    nvfp4_model *model;
    nvfp4_error error;
    if (path == NULL) {
        nvfp4_cli_complain("model: a PATH is missing");
        return NVFP4_EXIT_USAGE;
    }
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK)
        return nvfp4_cli_invalid(&error, form);
    const int code = print(model, form);
    nvfp4_model_free(model);
    return code;
}

int nvfp4_cmd_model(int argc, char **argv)
{
    static const char *const forms[] = { "text", "json", NULL };
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    const char *path = NULL;
    int form = NVFP4_CLI_TEXT;
    for (;;) {
        switch (nvfp4_cli_next(&args)) {
        case NVFP4_ARG_END:
            return show(path, form);
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        case NVFP4_ARG_WORD:
            if (path != NULL) {
                nvfp4_cli_complain("model: both %s and %s are given; expected one PATH", path,
                                   args.value);
                return NVFP4_EXIT_USAGE;
            }
            path = args.value;
            break;
        case OPTION_FORMAT:
            form = nvfp4_cli_choice("--format", args.value, forms);
            if (form < 0)
                return NVFP4_EXIT_USAGE;
            break;
        default:
            return NVFP4_EXIT_USAGE;
        }
    }
}
