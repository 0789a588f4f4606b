/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"
#include "files/nearest.h"

static int unknown_option(const nvfp4_cli_args *args, const char *text, size_t length)
{
    char word[64];
    nvfp4_nearest search;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), text);
    nvfp4_nearest_begin(&search, word);
    nvfp4_nearest_offer(&search, "--help");
    for (const nvfp4_cli_option *o = args->usage->options; o != NULL && o->name != NULL; o++)
        nvfp4_nearest_offer(&search, o->name);
    if (search.best != NULL)
        nvfp4_cli_complain("%s: unknown option '%s'; did you mean '%s'?", args->argv[0], word,
                           search.best);
    else
        nvfp4_cli_complain("%s: unknown option '%s'; see nvfp4-select %s --help", args->argv[0],
                           word, args->argv[0]);
    return NVFP4_ARG_ERROR;
}

/* Of an option with a value a second one would silently take the first one's place. */
static int is_repeated(nvfp4_cli_args *args, int i)
{
    const nvfp4_cli_option *const o = &args->usage->options[i];
    const uint64_t bit = i < 64 ? (uint64_t)1 << i : 0;
    const int again = (args->seen & bit) != 0;
    args->seen |= bit;
    return again && o->value != NULL && strcmp(o->name, "--set") != 0 &&
           (args->repeats == NULL || strcmp(o->name, args->repeats) != 0);
}

static int needs_value(const nvfp4_cli_args *args, const nvfp4_cli_option *o)
{
    nvfp4_cli_complain("%s: %s needs a value: %s", args->argv[0], o->name, o->value);
    return NVFP4_ARG_ERROR;
}

/* "--tp 4" and "--tp=4" */
static int option(nvfp4_cli_args *args, const char *text)
{
    const char *const equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const nvfp4_cli_option *const options = args->usage->options;
    for (int i = 0; options != NULL && options[i].name != NULL; i++) {
        if (strlen(options[i].name) != length || memcmp(options[i].name, text, length) != 0)
            continue;
        args->value = equals != NULL ? equals + 1 : NULL;
        if (options[i].value == NULL && equals != NULL) {
            nvfp4_cli_complain("%s: %s takes no value", args->argv[0], options[i].name);
            return NVFP4_ARG_ERROR;
        }
        if (options[i].value != NULL && equals == NULL) {
            if (args->at >= args->argc)
                return needs_value(args, &options[i]);
            args->value = args->argv[args->at++];
        }
        if (options[i].value != NULL && *args->value == '\0')
            return needs_value(args, &options[i]);
        if (is_repeated(args, i)) {
            nvfp4_cli_complain("%s: %s is given twice", args->argv[0], options[i].name);
            return NVFP4_ARG_ERROR;
        }
        return i;
    }
    return unknown_option(args, text, length);
}

int nvfp4_cli_next(nvfp4_cli_args *args)
{
    for (;;) {
        if (args->at >= args->argc)
            return NVFP4_ARG_END;
        const char *const text = args->argv[args->at++];
        if (args->only_words || text[0] != '-' || text[1] == '\0') {
            if (*text == '\0') {
                nvfp4_cli_complain("%s: an empty word is given", args->argv[0]);
                return NVFP4_ARG_ERROR;
            }
            args->value = text;
            return NVFP4_ARG_WORD;
        }
        if (strcmp(text, "--") == 0) {
            args->only_words = 1;
            continue;
        }
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            nvfp4_cli_help(args->usage);
            return NVFP4_ARG_HELP;
        }
        if (strcmp(text, "--version") == 0) {
            nvfp4_cli_version();
            return NVFP4_ARG_HELP;
        }
        return option(args, text);
    }
}

static void option_line(const char *name, const char *value, const char *text)
{
    char left[48];
    snprintf(left, sizeof left, "%s%s%s", name, value != NULL ? " " : "",
             value != NULL ? value : "");
    printf("  %-22s %s\n", left, text);
}

void nvfp4_cli_help(const nvfp4_cli_usage *usage)
{
    for (int i = 0; usage->synopsis[i] != NULL; i++) {
        const int goes_on = usage->synopsis[i][0] == ' '; /* the line before */
        printf("%s %s %s\n", i == 0 ? "usage:" : "      ", goes_on ? "            " : "nvfp4-select",
               usage->synopsis[i]);
    }
    printf("\n%s\n\noptions\n", usage->text);
    for (const nvfp4_cli_option *o = usage->options; o != NULL && o->name != NULL; o++)
        option_line(o->name, o->value, o->text);
    option_line("--help", NULL, "print this");
    option_line("--version", NULL, "print the version");
    if (usage->more != NULL)
        printf("\n%s\n", usage->more);
}

int nvfp4_cli_choice(const char *name, const char *value, const char *const *words)
{
    char list[128] = "";
    for (int i = 0; words[i] != NULL; i++) {
        const size_t length = strlen(list);
        if (strcmp(value, words[i]) == 0)
            return i;
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    nvfp4_cli_complain("%s %s: expected one of %s", name, value, list);
    return -1;
}
