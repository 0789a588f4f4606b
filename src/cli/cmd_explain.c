/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/explain.h"
#include "cli/rules.h"

enum {
    OPTION_MODEL,
    OPTION_GPU,
    OPTION_SM,
    OPTION_PROBE,
    OPTION_MACHINE,
    OPTION_POLICY,
    OPTION_BACKEND,
    OPTION_TP,
    OPTION_DP,
    OPTION_EP,
    OPTION_ALL2ALL,
    OPTION_SET,
    OPTION_FORMAT,
    OPTION_EVIDENCE,
    OPTION_KEYS
};

static const nvfp4_cli_option options[] = {
    [OPTION_MODEL] = { "--model", "PATH", "ask for every MoE layer of a checkpoint" },
    [OPTION_GPU] = { "--gpu", "NAME", "the device: a name, a PCI id, a compute capability" },
    [OPTION_SM] = { "--sm", "N", "the device by its compute capability: 120" },
    [OPTION_PROBE] = { "--probe", NULL, "the devices of this machine" },
    [OPTION_MACHINE] = { "--machine", "FILE", "the devices of a recorded machine" },
    [OPTION_POLICY] = { "--policy", "NAME", "whose rules decide: a policy of policy list, or a file; A,B compares" },
    [OPTION_BACKEND] = { "--backend", "NAME", "insist on a backend" },
    [OPTION_TP] = { "--tp", "N", "tensor-parallel ranks" },
    [OPTION_DP] = { "--dp", "N", "data-parallel ranks" },
    [OPTION_EP] = { "--ep", NULL, "spread the experts over all ranks" },
    [OPTION_ALL2ALL] = { "--all2all", "NAME", "kernels that move tokens between expert ranks" },
    [OPTION_SET] = { "--set", "KEY=VALUE", "any key of a request: layer.swiglu_limit=10" },
    [OPTION_FORMAT] = { "--format", "FORM", "text (default) or json" },
    [OPTION_EVIDENCE] = { "--evidence", NULL, "each reason with the source of its rule" },
    [OPTION_KEYS] = { "--keys", NULL, "list the keys that a request may have" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = {
    "explain [REQUEST] [--model PATH] [--gpu NAME | --sm N | --probe | --machine FILE]",
    "        [--policy NAME] [--backend NAME] [--tp N] [--dp N] [--ep] [--all2all NAME]",
    "        [--set KEY=VALUE]... [--format text|json]",
    NULL,
};

static const nvfp4_cli_usage usage = {
    synopsis,
    "Says which backend runs the layer, what to pass to its kernel, what else could run it, and\n"
    "for every other kernel all reasons that rule it out. REQUEST is a YAML or JSON file, - for\n"
    "standard input; a folder with a config.json is taken for --model. Options are laid over the\n"
    "file in their order, the file over the model.",
    options,
    "environment\n"
    "  NVFP4_POLICY           the policy where neither REQUEST nor --policy says one\n"
    "  NVFP4_BACKEND          likewise the backend\n"
    "  NO_COLOR               no colours, also on a terminal",
};

/* Options that stand for a key of the request, with the value between `before` and `after`. */
static const struct {
    int option;
    const char *before, *after;
} shorts[] = {
    { OPTION_GPU, "device.gpu=", "" },
    { OPTION_SM, "device={sm: ", "}" },
    { OPTION_POLICY, "policy=", "" },
    { OPTION_BACKEND, "backend=", "" },
    { OPTION_TP, "deployment.tensor_parallel=", "" },
    { OPTION_DP, "deployment.data_parallel=", "" },
    { OPTION_EP, "deployment.expert_parallel=true", "" },
    { OPTION_ALL2ALL, "deployment.all2all=", "" },
    { OPTION_SET, "", "" },
};

struct explain {
    nvfp4_cli_question question;
    const char *model;
    const char *policies; /* several, to be compared */
    const char *device_option; /* the one of --gpu, --sm and so on that was given */
    int form;
    nvfp4_explain_options options;
};

static int list_keys(void)
{
    nvfp4_request_key key;
    const char *section = NULL;
    for (size_t i = 0; nvfp4_request_key_at(i, &key) == NVFP4_OK; i++) {
        if (section == NULL || strcmp(section, key.section) != 0) {
            section = key.section;
            printf("%s%s\n", i > 0 ? "\n" : "", *section != '\0' ? section : "at the top");
        }
        printf("  %-26s %s", key.name, key.text);
        printf(*key.initial != '\0' ? " [%s]\n" : "\n", key.initial);
        if (key.word_count == 0) {
            printf("  %-26s   %s\n", "", key.value);
            continue;
        }
        size_t column = 0;
        for (size_t w = 0; w < key.word_count; w++) {
            const char *const word = nvfp4_request_key_word(i, w);
            if (column == 0 || column + strlen(word) + 1 > 98)
                column = (size_t)printf("%s%-26s  ", column == 0 ? "  " : "\n  ", "");
            column += (size_t)printf(" %s", word);
        }
        putchar('\n');
    }
    return NVFP4_EXIT_OK;
}

/* One way of naming the device at a time. */
static int take_device(struct explain *e, const char *option)
{
    if (e->device_option != NULL && strcmp(e->device_option, option) != 0) {
        nvfp4_cli_complain("explain: %s and %s name the device twice", e->device_option, option);
        return 0;
    }
    e->device_option = option;
    return 1;
}

/* Is there a GPU of it? 101 is an older number of 110. */
static int is_known_sm(long sm)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    for (size_t i = 0; i < nvfp4_gpu_count(); i++)
        if (nvfp4_gpu_at(i, &gpu) == NVFP4_OK && gpu.key.vendor == NVFP4_VENDOR_NVIDIA &&
            gpu.key.sm == sm && sm != 0)
            return 1;
    return sm == 101;
}

/* It goes between braces, so it must be nothing but a number. */
static int take_sm(const char *value)
{
    const size_t length = strlen(value);
    const int is_number = length >= 1 && length <= 3 && strspn(value, "0123456789") == length;
    const long sm = is_number ? strtol(value, NULL, 10) : 0;
    if (is_number && !is_known_sm(sm) && is_known_sm(sm * 10)) {
        nvfp4_cli_complain("--sm %s: did you mean %ld?", value, sm * 10);
        return 0;
    }
    if (!is_number || sm < 10) {
        nvfp4_cli_complain("--sm %s: expected a compute capability such as 120 (for 12.0)", value);
        return 0;
    }
    return 1;
}

static int take_word(struct explain *e, const char *word)
{
    const int is_model = strcmp(word, "-") != 0 && nvfp4_cli_is_model(word);
    const char **const place = is_model ? &e->model : &e->question.request;
    if (*place != NULL) {
        nvfp4_cli_complain("explain: both %s and %s are given; expected one %s", *place, word,
                           is_model ? "model" : "request");
        return 0;
    }
    *place = word;
    return 1;
}

static int take_option(struct explain *e, int option, const char *value)
{
    static const char *const forms[] = { "text", "json", NULL };
    if (option >= OPTION_GPU && option <= OPTION_MACHINE)
        if (!take_device(e, options[option].name))
            return 0;
    if (option == OPTION_SM && !take_sm(value))
        return 0;
    if (option == OPTION_POLICY && strchr(value, ',') != NULL) {
        e->policies = value;
        return 1;
    }
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++)
        if (shorts[i].option == option)
            return nvfp4_cli_question_set(&e->question, shorts[i].before, options[option].name,
                                          options[option].value != NULL ? value : NULL,
                                          shorts[i].after);
    switch (option) {
    case OPTION_MODEL:
        e->model = value;
        return 1;
    case OPTION_PROBE:
        e->question.probe = 1;
        return 1;
    case OPTION_MACHINE:
        e->question.probe = 1;
        e->question.machine = value;
        return 1;
    case OPTION_FORMAT:
        e->form = nvfp4_cli_choice("--format", value, forms);
        return e->form >= 0;
    default:
        e->options.evidence = 1;
        return 1;
    }
}

static int explain_one(struct explain *e, nvfp4_request *request)
{
    nvfp4_error error;
    nvfp4_cli_text text = { NULL, 0, 0 };
    nvfp4_status status = nvfp4_cli_question_build(&e->question, NULL, request, &error);
    if (status != NVFP4_OK)
        return nvfp4_cli_invalid(&error, e->form);
    const char *const name = nvfp4_request_device_name(request);
    e->options.title = *name != '\0' ? name : NULL;
    int code = NVFP4_EXIT_USAGE;
    if (nvfp4_cli_answer(request, e->form, &e->options, &text, &status)) {
        fwrite(text.text, 1, text.length, stdout);
        if (e->form == NVFP4_CLI_JSON)
            putchar('\n');
        code = status == NVFP4_OK ? NVFP4_EXIT_OK : NVFP4_EXIT_NO;
    }
    nvfp4_cli_text_free(&text);
    return code;
}

static int explain(struct explain *e)
{
    nvfp4_error error;
    nvfp4_request *request;
    int code = nvfp4_cli_question_prepare(&e->question, &error);
    if (code == NVFP4_EXIT_USAGE)
        return nvfp4_cli_invalid(&error, e->form);
    if (code != NVFP4_EXIT_OK)
        return code;
    e->options.color = e->form == NVFP4_CLI_TEXT && nvfp4_cli_color();
    e->options.remarks = e->question.remarks;
    e->options.remark_count = e->question.remark_count;
    if (e->policies != NULL)
        return nvfp4_cli_compare(&e->question, e->model, e->policies, e->form);
    if (e->model != NULL)
        return nvfp4_cli_explain_model(&e->question, e->model, e->form, &e->options);
    if (nvfp4_request_new(&request) != NVFP4_OK) {
        nvfp4_cli_complain("out of memory");
        return NVFP4_EXIT_USAGE;
    }
    code = explain_one(e, request);
    nvfp4_request_destroy(request);
    return code;
}

int nvfp4_cmd_explain(int argc, char **argv)
{
    static const nvfp4_explain_options initial = NVFP4_EXPLAIN_OPTIONS_INIT;
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    struct explain e;
    memset(&e, 0, sizeof e);
    e.options = initial;
    int code = -1;
    while (code < 0) {
        const int option = nvfp4_cli_next(&args);
        if (option == NVFP4_ARG_END)
            code = explain(&e);
        else if (option == NVFP4_ARG_HELP)
            code = NVFP4_EXIT_OK;
        else if (option == OPTION_KEYS)
            code = list_keys();
        else if (option == NVFP4_ARG_ERROR ||
                 !(option == NVFP4_ARG_WORD ? take_word(&e, args.value)
                                            : take_option(&e, option, args.value)))
            code = NVFP4_EXIT_USAGE;
    }
    nvfp4_cli_question_free(&e.question);
    return code;
}
