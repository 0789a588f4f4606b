/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/matrix.h"
#include "cli/rules.h"

enum {
    OPTION_MODEL,
    OPTION_GPU,
    OPTION_POLICY,
    OPTION_BACKEND,
    OPTION_TP,
    OPTION_DP,
    OPTION_EP,
    OPTION_ALL2ALL,
    OPTION_SET,
    OPTION_TITLE,
    OPTION_FORMAT
};

static const nvfp4_cli_option options[] = {
    [OPTION_MODEL] = { "--model", "PATH",
                       "a row for it; may be given again. None: the activations" },
    [OPTION_GPU] = { "--gpu", "LIST|all",
                     "columns: names, SMs, separated by commas; all is usual" },
    [OPTION_POLICY] = { "--policy", "LIST",
                        "whose rules; several, separated by commas, are compared" },
    [OPTION_BACKEND] = { "--backend", "NAME", "insist on a backend" },
    [OPTION_TP] = { "--tp", "N", "tensor-parallel ranks" },
    [OPTION_DP] = { "--dp", "N", "data-parallel ranks" },
    [OPTION_EP] = { "--ep", NULL, "spread the experts over all ranks" },
    [OPTION_ALL2ALL] = { "--all2all", "NAME", "kernels that move tokens between expert ranks" },
    [OPTION_SET] = { "--set", "KEY=VALUE", "any key of a request: layer.scheme=w4a16" },
    [OPTION_TITLE] = { "--title", "TEXT", "a heading" },
    [OPTION_FORMAT] = { "--format", "FORM", "text (default), markdown, csv, json or html" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = {
    "matrix [--model PATH]... [--gpu LIST|all] [--policy LIST] [--backend NAME]",
    "       [--tp N] [--dp N] [--ep] [--all2all NAME] [--set KEY=VALUE]... [--title TEXT]",
    "       [--format text|markdown|csv|json|html]",
    NULL,
};

static const nvfp4_cli_usage usage = {
    synopsis,
    "Models by GPUs, or activations by GPUs, with the backend that is chosen in each place. GPUs\n"
    "of one compute capability are one column. html makes one page, to be opened in a browser,\n"
    "that tells the reasons behind every cell.",
    options,
    NULL,
};

/* Options that stand for a key of the request, as of explain. */
static const struct {
    int option;
    const char *before;
} shorts[] = {
    { OPTION_BACKEND, "backend=" },
    { OPTION_TP, "deployment.tensor_parallel=" },
    { OPTION_DP, "deployment.data_parallel=" },
    { OPTION_EP, "deployment.expert_parallel=true" },
    { OPTION_ALL2ALL, "deployment.all2all=" },
    { OPTION_SET, "" },
};

enum { MODELS_MAX = 4096 };

struct command {
    nvfp4_cli_question question;
    const char **models;
    size_t model_count;
    const char *gpus, *policies, *title;
    int format;
    nvfp4_cli_rules rules;
    nvfp4_matrix matrix;
    nvfp4_cli_columns columns;
    nvfp4_cli_rows rows;
};

static int add_model(struct command *c, const char *path)
{
    if (c->models == NULL)
        c->models = calloc(MODELS_MAX, sizeof *c->models);
    if (c->models == NULL || c->model_count == MODELS_MAX) {
        nvfp4_cli_complain(c->models == NULL ? "out of memory" : "matrix: too many models");
        return 0;
    }
    c->models[c->model_count++] = path;
    return 1;
}

static int take_option(struct command *c, int option, const char *value)
{
    static const char *const formats[] = {
#define X(name, value, word) word,
        NVFP4_MATRIX_OUTPUT_MAP(X)
#undef X
            NULL
    };
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++)
        if (shorts[i].option == option)
            return nvfp4_cli_question_set(&c->question, shorts[i].before, options[option].name,
                                          options[option].value != NULL ? value : NULL, "");
    switch (option) {
    case OPTION_MODEL:
    case NVFP4_ARG_WORD:
        return add_model(c, value);
    case OPTION_GPU:
        c->gpus = value;
        return 1;
    case OPTION_POLICY:
        c->policies = value;
        return 1;
    case OPTION_TITLE:
        c->title = value;
        return 1;
    case OPTION_FORMAT:
        c->format = nvfp4_cli_choice("--format", value, formats);
        return c->format >= 0;
    default:
        return 0;
    }
}

static int make_matrix(struct command *c)
{
    const int page = c->format == NVFP4_MATRIX_HTML;
    const int named = page || c->format == NVFP4_MATRIX_JSON || c->gpus != NULL;
    nvfp4_error error;
    /* Every request needs a device; each column then puts in its own. */
    if (!nvfp4_cli_question_set(&c->question, "device={sm: 100}", "--gpu", NULL, ""))
        return 0;
    if (nvfp4_cli_rules_make(&c->rules, &c->question, NULL, c->policies, &error) != NVFP4_OK) {
        nvfp4_cli_complain_error(&error);
        return 0;
    }
    if (!nvfp4_cli_columns_make(&c->columns, c->gpus, named, page))
        return 0;
    c->matrix.policies = c->rules.policies;
    c->matrix.policy_count = c->rules.count;
    c->matrix.columns = c->columns.columns;
    c->matrix.column_count = c->columns.count;
    for (size_t i = 0; i < c->model_count; i++)
        if (!nvfp4_cli_rows_add_model(&c->rows, &c->question, c->models[i]))
            return 0;
    if (c->model_count == 0 && !nvfp4_cli_rows_add_activations(&c->rows, &c->question, &c->matrix))
        return 0;
    c->matrix.rows = c->rows.rows;
    c->matrix.row_count = c->rows.count;
    c->matrix.title = c->title;
    c->matrix.color = nvfp4_cli_color();
    c->matrix.boards = c->gpus != NULL && strcmp(c->gpus, "all") != 0;
    return 1;
}

static int print(const struct command *c)
{
    nvfp4_cli_text text = { NULL, 0, 0 };
    nvfp4_status status = NVFP4_ENOMEM;
    void *memory = NULL;
    /* Room for the page to be made in; very large ones need more. */
    for (size_t size = NVFP4_MATRIX_MEMORY;
         status == NVFP4_ENOMEM && size <= NVFP4_MATRIX_MEMORY * 64; size *= 4) {
        free(memory);
        memory = c->format == NVFP4_MATRIX_HTML ? malloc(size) : NULL;
        for (int again = 0; again < 2; again++) {
            status = nvfp4_matrix_write(&c->matrix, (nvfp4_matrix_output)c->format, memory, size,
                                        text.text, text.room, &text.length);
            if (status != NVFP4_OK || text.length < text.room)
                break;
            if (!nvfp4_cli_text_reserve(&text, text.length))
                status = NVFP4_EINVAL;
        }
    }
    free(memory);
    if (status == NVFP4_OK)
        fwrite(text.text, 1, text.length, stdout);
    else
        nvfp4_cli_complain("matrix: %s", nvfp4_status_text(status));
    if (status == NVFP4_OK && c->format == NVFP4_MATRIX_JSON)
        putchar('\n');
    nvfp4_cli_text_free(&text);
    return status == NVFP4_OK ? NVFP4_EXIT_OK : NVFP4_EXIT_USAGE;
}

static int run(struct command *c)
{
    nvfp4_error error;
    const int code = nvfp4_cli_question_prepare(&c->question, &error);
    if (code != NVFP4_EXIT_OK)
        return code;
    return make_matrix(c) ? print(c) : NVFP4_EXIT_USAGE;
}

int nvfp4_cmd_matrix(int argc, char **argv)
{
    static const nvfp4_matrix initial = NVFP4_MATRIX_INIT;
    nvfp4_cli_args args = {
        .argc = argc, .argv = argv, .at = 1, .usage = &usage, .repeats = "--model"
    };
    struct command c;
    memset(&c, 0, sizeof c);
    c.matrix = initial;
    int code = -1;
    while (code < 0) {
        const int option = nvfp4_cli_next(&args);
        if (option == NVFP4_ARG_END)
            code = run(&c);
        else if (option == NVFP4_ARG_HELP)
            code = NVFP4_EXIT_OK;
        else if (option == NVFP4_ARG_ERROR || !take_option(&c, option, args.value))
            code = NVFP4_EXIT_USAGE;
    }
    nvfp4_cli_rules_free(&c.rules);
    nvfp4_cli_columns_free(&c.columns);
    nvfp4_cli_rows_free(&c.rows);
    nvfp4_cli_question_free(&c.question);
    free((void *)c.models);
    return code;
}
