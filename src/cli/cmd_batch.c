/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/explain.h"
#include "cli/json_member.h"
#include "cli/lines.h"
#include "files/nearest.h"

enum { OPTION_POLICY_FILES };

static const nvfp4_cli_option options[] = {
    [OPTION_POLICY_FILES] = { "--policy-files", NULL,
                              "a line may name a policy file, beside FILE; else only built-in ones" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "batch FILE|- [--policy-files]", NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "Reads one request a line as JSON and writes one answer a line as JSON, in the same order.\n"
    "A line that is no request is answered with status \"invalid\", its line and column; the rest\n"
    "goes on. Blank lines are counted but not answered. Memory does not grow with the stream, and\n"
    "an answer is not held back while the next request is awaited.",
    options,
    NULL,
};

struct batch {
    nvfp4_request *request;
    nvfp4_cli_text answer;
    int policy_files; /* 1: lines may name them */
};

static int is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return 0;
    return 1;
}

static int write_line(const struct batch *b)
{
    b->answer.text[b->answer.length] = '\n';
    if (fwrite(b->answer.text, 1, b->answer.length + 1, stdout) == b->answer.length + 1)
        return 1;
    nvfp4_cli_output_failed();
    return 0;
}

static int answer_invalid(struct batch *b, const nvfp4_error *error)
{
    if (!nvfp4_cli_text_reserve(&b->answer, 4096))
        return 0;
    b->answer.length = nvfp4_explain_invalid_json(error, b->answer.text, b->answer.room);
    return write_line(b);
}

static const char *nearest_policy(const char *name)
{
    nvfp4_nearest search;
    const char *known;
    nvfp4_nearest_begin(&search, name);
    for (size_t i = 0; (known = nvfp4_policy_alias_at(i, NULL)) != NULL; i++)
        nvfp4_nearest_offer(&search, known);
    for (size_t i = 0; nvfp4_policy_builtin_at(i) != NULL; i++)
        nvfp4_nearest_offer(&search, nvfp4_policy_name(nvfp4_policy_builtin_at(i)));
    return search.best;
}

/* A path as a line of the file means it: beside that file. */
static int is_policy_file(const char *file, const char *name)
{
    char path[4096];
    const char *const slash = *name != '/' ? strrchr(file, '/') : NULL;
    const int folder = slash != NULL ? (int)(slash - file) + 1 : 0;
    const int length = snprintf(path, sizeof path, "%.*s%s", folder, file, name);
    return length > 0 && (size_t)length < sizeof path && nvfp4_cli_is_file(path);
}

/* Who sends the lines is not always who may read this machine's files, or wait for its pipes. */
static nvfp4_status check_policy(const struct batch *b, const nvfp4_cli_line *line,
                                 const char *file, nvfp4_error *error)
{
    char name[1024];
    size_t offset;
    if (!nvfp4_cli_json_member(line->text, line->length, "policy", name, sizeof name, &offset) ||
        nvfp4_policy_builtin(name) != NULL || (b->policy_files && is_policy_file(file, name)))
        return NVFP4_OK;
    const char *const near = nearest_policy(name);
    error->status = NVFP4_EUNKNOWN;
    error->line = (int32_t)line->number;
    error->column = (int32_t)offset + 1;
    snprintf(error->file, sizeof error->file, "%s", file);
    if (near != NULL)
        snprintf(error->message, sizeof error->message,
                 "unknown policy '%.60s'; did you mean '%s'?", name, near);
    else
        snprintf(error->message, sizeof error->message, "'%.60s' is no %s", name,
                 b->policy_files ? "policy, nor a regular file"
                                 : "built-in policy; files are read with --policy-files");
    return NVFP4_EUNKNOWN;
}

/* 0: the stream must end here, for want of memory or of somebody who reads. */
static int answer_line(struct batch *b, const nvfp4_cli_line *line, const char *file)
{
    nvfp4_request_text text = NVFP4_REQUEST_TEXT_INIT;
    nvfp4_error error;
    nvfp4_status status;
    memset(&error, 0, sizeof error);
    if (line->too_long) {
        error.status = NVFP4_ELIMIT;
        error.line = (int32_t)line->number;
        error.column = 1;
        snprintf(error.message, sizeof error.message, "a line longer than %lu KiB",
                 (unsigned long)(NVFP4_CLI_LINE_BYTES >> 10));
        return answer_invalid(b, &error);
    }
    if (is_blank(line->text, line->length))
        return 1;
    text.text = line->text;
    text.length = line->length;
    text.file = file;
    text.first_line = line->number;
    text.json = 1;
    nvfp4_request_reset(b->request);
    status = nvfp4_request_parse(b->request, &text, &error);
    if (status == NVFP4_OK)
        status = check_policy(b, line, file, &error);
    if (status == NVFP4_OK)
        status = nvfp4_request_resolve(b->request, &error);
    if (status != NVFP4_OK)
        return answer_invalid(b, &error);
    return nvfp4_cli_answer(b->request, NVFP4_CLI_JSON, NULL, &b->answer, &status) &&
           write_line(b);
}

static int run(struct batch *b, nvfp4_cli_lines *lines, const char *file)
{
    nvfp4_cli_line line;
    int got;
    while ((got = nvfp4_cli_next_line(lines, &line)) > 0)
        if (!answer_line(b, &line, file) || ferror(stdout))
            return NVFP4_EXIT_USAGE;
    if (got < 0) {
        nvfp4_cli_complain("%s: %s", file, errno != 0 ? strerror(errno) : "it cannot be read");
        return NVFP4_EXIT_USAGE;
    }
    return NVFP4_EXIT_OK;
}

static int batch(const char *path, int policy_files)
{
    const int from_stdin = strcmp(path, "-") == 0;
    struct batch b;
    nvfp4_cli_lines lines;
    memset(&b, 0, sizeof b);
    b.policy_files = policy_files;
    FILE *const stream = from_stdin ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        nvfp4_cli_complain("%s: %s", path, strerror(errno));
        return NVFP4_EXIT_USAGE;
    }
    int code = NVFP4_EXIT_USAGE;
    if (nvfp4_cli_lines_begin(&lines, stream) && nvfp4_request_new(&b.request) == NVFP4_OK)
        code = run(&b, &lines, from_stdin ? "<stdin>" : path);
    else
        nvfp4_cli_complain("out of memory");
    nvfp4_cli_lines_end(&lines);
    nvfp4_request_destroy(b.request);
    nvfp4_cli_text_free(&b.answer);
    if (!from_stdin)
        fclose(stream);
    return code;
}

int nvfp4_cmd_batch(int argc, char **argv)
{
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    const char *path = NULL;
    int policy_files = 0;
    for (;;) {
        switch (nvfp4_cli_next(&args)) {
        case NVFP4_ARG_END:
            if (path != NULL)
                return batch(path, policy_files);
            nvfp4_cli_complain("batch: a file is missing; - is standard input");
            return NVFP4_EXIT_USAGE;
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        case OPTION_POLICY_FILES:
            policy_files = 1;
            break;
        case NVFP4_ARG_WORD:
            if (path == NULL) {
                path = args.value;
                break;
            }
            nvfp4_cli_complain("batch: both %s and %s are given; expected one file", path,
                               args.value);
            return NVFP4_EXIT_USAGE;
        default:
            return NVFP4_EXIT_USAGE;
        }
    }
}
