/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/terminal.h"
#include "files/nearest.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *text;
} commands[] = {
    { "explain", nvfp4_cmd_explain, "which backend, what to pass to it, and why not the others" },
    { "batch", nvfp4_cmd_batch, "answer a stream of requests, JSON Lines in and out" },
    { "model", nvfp4_cmd_model, "what a checkpoint says of its MoE layers" },
    { "devices", nvfp4_cmd_devices, "which GPUs these are, and under which number" },
    { "matrix", nvfp4_cmd_matrix, "models or activations by GPUs: text, Markdown, CSV, JSON, a page" },
    { "policy", nvfp4_cmd_policy, "list, show, check and compare policies" },
    { "verify", nvfp4_cmd_verify, "does a kernel clamp as it claims?" },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void help(void)
{
    fputs("usage: nvfp4-select COMMAND ...\n"
          "       nvfp4-select MODEL ...     as nvfp4-select explain --model MODEL ...\n\n"
          "Tells which fused-MoE kernel may run this NVFP4 model on this GPU, and why not the "
          "others.\n\ncommands\n",
          stdout);
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].text);
    fputs("\nnvfp4-select COMMAND --help tells more.\n\n"
          "exit codes\n"
          "  0  a backend was selected, or the command did its work\n"
          "  1  a reasoned no: nothing fits, or what was asked for does not\n"
          "  2  bad input or usage\n"
          "  3  the machine cannot answer: no driver, no device\n"
          "141  nobody reads the output any more\n",
          stdout);
}

static int unknown_command(const char *word)
{
    nvfp4_nearest search;
    if (*word == '\0') {
        nvfp4_cli_complain("the command is an empty word; see nvfp4-select --help");
        return NVFP4_EXIT_USAGE;
    }
    nvfp4_nearest_begin(&search, word);
    for (int i = 0; i < COMMAND_COUNT; i++)
        nvfp4_nearest_offer(&search, commands[i].name);
    nvfp4_nearest_offer(&search, "--help");
    nvfp4_nearest_offer(&search, "--version");
    if (search.best != NULL)
        nvfp4_cli_complain("unknown %s '%.60s'; did you mean '%s'?",
                           *word == '-' ? "option" : "command", word, search.best);
    else
        nvfp4_cli_complain("'%.200s' is neither a command nor a model (a folder with a "
                           "config.json); see nvfp4-select --help",
                           word);
    return NVFP4_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        nvfp4_cli_complain("a command is missing; see nvfp4-select --help");
        return NVFP4_EXIT_USAGE;
    }
    const char *const word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        help();
        return NVFP4_EXIT_OK;
    }
    if (strcmp(word, "--version") == 0) {
        nvfp4_cli_version();
        return NVFP4_EXIT_OK;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(word, commands[i].name) != 0)
            continue;
        if (argc == 3 && strcmp(argv[2], "--version") == 0) {
            nvfp4_cli_version();
            return NVFP4_EXIT_OK;
        }
        return commands[i].run(argc - 1, argv + 1);
    }
    /* explain takes a model as its first word. */
    if (nvfp4_cli_is_model(word))
        return nvfp4_cmd_explain(argc, argv);
    return unknown_command(word);
}

int main(int argc, char **argv)
{
    nvfp4_cli_begin_process();
    const int code = run(argc, argv);
    return nvfp4_cli_flush() ? code : NVFP4_EXIT_USAGE;
}
