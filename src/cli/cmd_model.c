/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>

#include <nvfp4moe/model.h>

#include "cli/args.h"
#include "cli/terminal.h"

static const nvfp4_cli_option options[] = {
    { "--format", "text|json", "for people (the default), or one line of JSON" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "model PATH [--format text|json]", NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "Show what a checkpoint says of its MoE layers. PATH is a folder with a config.json, or the\n"
    "config.json itself; hf_quant_config.json beside it is read, too.",
    options,
    "Exit codes: 0 the checkpoint was read, be it NVFP4 or not; 2 it could not be read.",
};

typedef size_t writer(const nvfp4_model *model, char *buffer, size_t capacity);

static int print(const char *path, writer *write, const char *end)
{
    nvfp4_model *model;
    nvfp4_error error;
    nvfp4_cli_text text = { NULL, 0, 0 };
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK) {
        nvfp4_cli_complain_error(&error);
        return NVFP4_EXIT_USAGE;
    }
    const int room = nvfp4_cli_text_reserve(&text, write(model, NULL, 0));
    if (room) {
        write(model, text.text, text.room);
        fputs(text.text, stdout);
        fputs(end, stdout);
    }
    nvfp4_cli_text_free(&text);
    nvfp4_model_free(model);
    return room ? NVFP4_EXIT_OK : NVFP4_EXIT_USAGE;
}

int nvfp4_cmd_model(int argc, char **argv)
{
    static const char *const forms[] = { "text", "json", NULL };
    nvfp4_cli_args args = { argc, argv, 1, 0, &usage, NULL };
    const char *path = NULL;
    int form = 0;
    for (;;) {
        switch (nvfp4_cli_next(&args)) {
        case NVFP4_ARG_END:
            if (path == NULL) {
                nvfp4_cli_complain("model: PATH is missing; see nvfp4-select model --help");
                return NVFP4_EXIT_USAGE;
            }
            return form == 0 ? print(path, nvfp4_model_to_text, "")
                             : print(path, nvfp4_model_to_json, "\n");
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        case 0:
            form = nvfp4_cli_choice("--format", args.value, forms);
            if (form < 0)
                return NVFP4_EXIT_USAGE;
            break;
        case NVFP4_ARG_WORD:
            if (path != NULL) {
                nvfp4_cli_complain("model: one PATH only, not also '%.60s'", args.value);
                return NVFP4_EXIT_USAGE;
            }
            path = args.value;
            break;
        default:
            return NVFP4_EXIT_USAGE;
        }
    }
}
