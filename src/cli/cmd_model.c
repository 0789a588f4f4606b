/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

static const char usage[] =
    "usage: nvfp4-select model PATH [--format text|json]\n"
    "\n"
    "Show what a checkpoint says of its MoE layers. PATH is a folder with a config.json, or the\n"
    "config.json itself; hf_quant_config.json beside it is read, too.\n"
    "\n"
    "  --format text|json   for people (the default), or one line of JSON\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0 the checkpoint was read, be it NVFP4 or not; 2 it could not be read.\n";

static int complain(const char *what, const char *word)
{
    fprintf(stderr, "nvfp4-select model: %s%s\n%s", what, word, usage);
    return 2;
}

static int report(const nvfp4_error *error)
{
    fputs("nvfp4-select: ", stderr);
    if (error->file[0] != '\0')
        fprintf(stderr, "%s:", error->file);
    if (error->line > 0)
        fprintf(stderr, "%d:%d:", (int)error->line, (int)error->column);
    fprintf(stderr, "%s%s\n", error->file[0] != '\0' ? " " : "", error->message);
    return 2;
}

typedef size_t writer(const nvfp4_model *model, char *buffer, size_t capacity);

static int print(const nvfp4_model *model, writer *write, const char *end)
{
    const size_t length = write(model, NULL, 0);
    char *const text = malloc(length + 1);
    if (text == NULL) {
        fputs("nvfp4-select: out of memory\n", stderr);
        return 2;
    }
    write(model, text, length + 1);
    const int failed =
        fwrite(text, 1, length, stdout) != length || fputs(end, stdout) < 0 || fflush(stdout) != 0;
    free(text);
    if (failed) {
        fputs("nvfp4-select: the output could not be written\n", stderr);
        return 2;
    }
    return 0;
}

int nvfp4_cmd_model(int argc, char **argv)
{
    const char *path = NULL, *format = "text";
    int options = 1;
    for (int i = 1; i < argc; i++) {
        const char *const word = argv[i];
        if (options && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            fputs(usage, stdout);
            return 0;
        } else if (options && strcmp(word, "--") == 0) {
            options = 0;
        } else if (options && strncmp(word, "--format=", 9) == 0) {
            format = word + 9;
        } else if (options && strcmp(word, "--format") == 0) {
            if (++i == argc)
                return complain("--format needs a word behind it", "");
            format = argv[i];
        } else if (options && word[0] == '-' && word[1] != '\0') {
            return complain("unknown option ", word);
        } else if (path != NULL) {
            return complain("one PATH only, not also ", word);
        } else {
            path = word;
        }
    }
    if (path == NULL)
        return complain("a PATH is missing", "");
    const int json = strcmp(format, "json") == 0;
    if (!json && strcmp(format, "text") != 0)
        return complain("--format is text or json, not ", format);
    nvfp4_model *model;
    nvfp4_error error = { 0 };
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK)
        return report(&error);
    const int status = json ? print(model, nvfp4_model_to_json, "\n")
                            : print(model, nvfp4_model_to_text, "");
    nvfp4_model_free(model);
    return status;
}
