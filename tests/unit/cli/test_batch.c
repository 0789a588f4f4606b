/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/document.h"
#include "tool.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED
#endif

#define GOOD "{\"policy\":\"vllm\",\"device\":{\"sm\":120}}"

static const char *const batch[] = { "batch", "-", NULL };

/* A stream and its answers: of each line the status, with line and column where it is "invalid". */
struct row {
    const char *name;
    const char *in;
    size_t in_length;
    const char *answers;
};

#define ROW(name, in, answers) { name, in, sizeof(in) - 1, answers }

static const struct row rows[] = {
    ROW("nothing", "", ""),
    ROW("one", GOOD "\n", "ok\n"),
    ROW("no newline at the end", GOOD, "ok\n"),
    ROW("CRLF", GOOD "\r\n" GOOD "\r\n", "ok\nok\n"),
    ROW("blank lines are counted", "\n  \n\t\r\n" GOOD "\n\n{\n", "ok\ninvalid 6:2\n"),
    ROW("byte order mark", "\xEF\xBB\xBF" GOOD "\n", "ok\n"),
    ROW("in order", GOOD
        "\n{\"policy\":\"vllm-44992\",\"device\":{\"sm\":120},\"layer\":{\"swiglu_limit\":10}}\n"
        "{\"device\":{\"sm\":90},\"backend\":\"flashinfer_trtllm\"}\n" GOOD "\n",
        "ok\nno_backend\nrefused\nok\n"),
    ROW("a bad one among good ones", GOOD "\nnonsense\n" GOOD "\n", "ok\ninvalid 2:1\nok\n"),
    ROW("an unknown key", GOOD "\n{\"device\":{\"sm\":120},\"layr\":{}}\n", "ok\ninvalid 2:22\n"),
    ROW("an unknown word", "{\"device\":{\"sm\":120},\"layer\":{\"scheme\":\"w4\"}}",
        "invalid 1:40\n"),
    ROW("a name that is unknown", GOOD "\n{\"device\":{\"sm\":120},\"backend\":\"triton\"}\n",
        "ok\ninvalid 2:32\n"),
    ROW("no device", "{}\n[]\n1\n", "invalid 1:1\ninvalid 2:1\ninvalid 3:1\n"),
    ROW("YAML is not JSON", "device: {sm: 120}\n{device: {sm: 120}}\n",
        "invalid 1:1\ninvalid 2:2\n"),
    ROW("two requests on a line", GOOD GOOD "\n" GOOD "\n", "invalid 1:38\nok\n"),
    ROW("a request on two lines", "{\"device\":\n{\"sm\":120}}\n" GOOD "\n",
        "invalid 1:11\ninvalid 2:11\nok\n"),
    ROW("a NUL", "{\"device\":{\"sm\":1\0" "20}}\n" GOOD "\n", "invalid 1:18\nok\n"),
    ROW("a NUL alone", "\0\n" GOOD "\n", "invalid 1:1\nok\n"),
    ROW("invalid UTF-8", "{\"device\":{\"gpu\":\"\xff\"}}\n" GOOD "\n", "invalid 1:19\nok\n"),
    ROW("a duplicate key", "{\"device\":{\"sm\":120,\"sm\":90}}\n" GOOD "\n", "invalid 1:21\nok\n"),
    ROW("a policy of no name", "{\"policy\":\"vlm\",\"device\":{\"sm\":120}}\n" GOOD "\n",
        "invalid 1:11\nok\n"),
    ROW("a file is no policy here", "{\"device\":{\"sm\":120},\"policy\":\"/etc/passwd\"}\n"
        "\xEF\xBB\xBF { \"a\":[{\"policy\":\"x\"}]}\n"
        " { \"\\u0070olicy\" : \"\\/etc\\/hosts\", \"device\":{\"sm\":120}}\n"
        "{\"layer\":{\"activation\":\"silu\"},\"policy\":\"vllm\\u002d52018\",\"device\":{\"sm\":120}}\n",
        "invalid 1:31\ninvalid 2:4\ninvalid 3:20\nok\n"),
    ROW("one answer leaves nothing behind",
        "{\"device\":{\"sm\":120},\"backend\":\"marlin\",\"layer\":{\"swiglu_limit\":1},\"deployment\":{\"disable\":[\"MARLIN\"]}}\n"
        GOOD "\n{\"backend\":\"auto\"}\n",
        "refused\nok\ninvalid 3:1\n"),
};

/* Puts "status" or "invalid line:column" of every line of answers into `text`. */
static void summarise(const char *answers, char *text, size_t room)
{
    size_t length = 0;
    text[0] = '\0';
    while (*answers != '\0') {
        const size_t size = strcspn(answers, "\n");
        const nvfp4_document_options options = { .syntax = NVFP4_SYNTAX_JSON, .unique_keys = 1 };
        nvfp4_document *document;
        assert_int_equal(nvfp4_document_parse(answers, size, &options, &document, NULL), NVFP4_OK);
        const nvfp4_node *const root = nvfp4_document_root(document);
        const nvfp4_node *const error = nvfp4_node_get(root, "error");
        length += (size_t)snprintf(text + length, room - length, "%s",
                                   nvfp4_node_get(root, "status")->text);
        if (error != NULL)
            length += (size_t)snprintf(text + length, room - length, " %s:%s",
                                       nvfp4_node_get(error, "line")->text,
                                       nvfp4_node_get(error, "column")->text);
        length += (size_t)snprintf(text + length, room - length, "\n");
        nvfp4_document_free(document);
        assert_int_equal(answers[size], '\n');
        answers += size + 1;
    }
}

static void run_row(void **state)
{
    const struct row *const row = *state;
    struct run run;
    char text[1024];
    run_tool(&run, batch, NULL, row->in, row->in_length);
    assert_int_equal(run.exit_code, 0);
    assert_string_equal(run.err, "");
    summarise(run.out, text, sizeof text);
    assert_string_equal(text, row->answers);
    free_run(&run);
}

/* A good line, `times` times `piece` in one line, a good line. */
static void run_long(const char *head, const char *piece, size_t times, const char *tail,
                     const char *answers)
{
    const size_t size = strlen(piece);
    char *const in = malloc(2 * sizeof GOOD + strlen(head) + size * times + strlen(tail) + 4);
    struct run run;
    char text[1024];
    size_t length = (size_t)sprintf(in, "%s\n%s", GOOD, head);
    for (size_t i = 0; i < times; i++, length += size)
        memcpy(in + length, piece, size);
    length += (size_t)sprintf(in + length, "%s\n%s\n", tail, GOOD);
    run_tool(&run, batch, NULL, in, length);
    assert_int_equal(run.exit_code, 0);
    summarise(run.out, text, sizeof text);
    assert_string_equal(text, answers);
    free_run(&run);
    free(in);
}

static void goes_on_behind_long_lines(void **state)
{
    (void)state;
    run_long("", "x", (size_t)1 << 20, "", "ok\ninvalid 2:1\nok\n");
    run_long("", "x", ((size_t)1 << 20) - 1, "", "ok\ninvalid 2:1\nok\n");
    run_long("", "x", (size_t)3 << 20, "", "ok\ninvalid 2:1\nok\n");
    run_long("{\"device\":{\"gpu\":\"", "x", 500000, "\"}}", "ok\ninvalid 2:18\nok\n");
    run_long("{\"device\":", "[", 100000, "", "ok\ninvalid 2:266\nok\n");
    run_long("", "{\"a\":", 100000, "", "ok\ninvalid 2:1281\nok\n");
    run_long("{\"device\":{\"sm\":120}", " ", 500000, "}", "ok\nok\nok\n");
    run_long("{\"device\":{\"sm\":120},\"deployment\":{\"devices\":[{\"sm\":120}", ",{\"sm\":120}",
        50000, "]}}",
             "ok\nok\nok\n");
}

static void needs_no_more_memory_for_more_lines(void **state)
{
    (void)state;
#ifdef SANITIZED
    skip();
#else
    struct rusage usage;
    long before = 0;
    for (int round = 0; round < 2; round++) {
        const size_t lines = round == 0 ? 100 : 30000;
        char *const in = malloc(lines * sizeof GOOD + 1);
        struct run run;
        for (size_t i = 0; i < lines; i++)
            memcpy(in + i * sizeof GOOD, GOOD "\n", sizeof GOOD);
        run_tool(&run, batch, NULL, in, lines * sizeof GOOD);
        assert_int_equal(run.exit_code, 0);
        free_run(&run);
        free(in);
        assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
        if (round == 0)
            before = usage.ru_maxrss;
    }
    assert_true(usage.ru_maxrss - before < 1024); /* KiB */
#endif
}

static void is_silent_about_a_closed_pipe(void **state)
{
    static const char *const args[] = { "batch", NVFP4_TEST_DATA
        "/requests/two-lines.jsonl", NULL };
    struct run run;
    (void)state;
    run_tool_into(&run, args, NULL);
    assert_int_equal(run.exit_code, 141);
    assert_string_equal(run.err, "");
    free_run(&run);
}

static void tells_about_a_full_disk(void **state)
{
    static const char *const args[] = { "batch", NVFP4_TEST_DATA
        "/requests/two-lines.jsonl", NULL };
    static const char full[] = "/dev/full";
    struct run run;
    FILE *const there = fopen(full, "rb");
    (void)state;
    if (there == NULL)
        skip();
    fclose(there);
    run_tool_into(&run, args, full);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "standard output cannot be written: No space left"));
    free_run(&run);
}

/* Policy files are opened only where that was allowed, pipes never; nothing of them is told. */
static void opens_policy_files_when_told(void **state)
{
    static const char *const with[] = { "batch", "--policy-files", "-", NULL };
    static const char in[] = "{\"policy\":\"" NVFP4_TEST_DATA
        "/policies/engine.yaml\",\"device\":{\"sm\":120}}\n";
    char fifo[] = "/tmp/nvfp4-batch-XXXXXX", line[256];
    struct run run;
    (void)state;
    run_tool(&run, with, NULL, in, sizeof in - 1);
    assert_non_null(strstr(run.out, "\"policy\":\"my-engine\""));
    free_run(&run);
    run_tool(&run, batch, NULL, in, sizeof in - 1);
    assert_non_null(strstr(run.out, "files are read with --policy-files"));
    free_run(&run);
    assert_non_null(mkdtemp(fifo));
    char pipe_name[64];
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe.yaml", fifo);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    const int length = snprintf(line, sizeof line,
                                "{\"policy\":\"%s\",\"device\":{\"sm\":120}}\n", pipe_name);
    run_tool(&run, with, NULL, line, (size_t)length);
    assert_non_null(strstr(run.out, "nor a regular file"));
    free_run(&run);
    unlink(pipe_name);
    rmdir(fifo);
}

static void reads_files(void **state)
{
    static const char *const args[] = { "batch", NVFP4_TEST_DATA
        "/requests/two-lines.jsonl", NULL };
    static const char *const none[] = { "batch", "/no/such/file", NULL };
    static const char *const folder[] = { "batch", NVFP4_TEST_DATA, NULL };
    static const char *const nothing[] = { "batch", NULL };
    struct run run;
    char text[256];
    (void)state;
    run_tool(&run, args, NULL, NULL, 0);
    summarise(run.out, text, sizeof text);
    assert_string_equal(text, "ok\ninvalid 2:22\n");
    free_run(&run);
    run_tool(&run, none, NULL, NULL, 0);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "/no/such/file: "));
    free_run(&run);
    run_tool(&run, folder, NULL, NULL, 0);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, NVFP4_TEST_DATA ": "));
    free_run(&run);
    run_tool(&run, nothing, NULL, NULL, 0);
    assert_int_equal(run.exit_code, 2);
    free_run(&run);
}

/* Who sends one request and waits for its answer is not kept waiting for the next request. */
static void answers_before_it_waits(void **state)
{
    static char tool[] = NVFP4_TOOL, command[] = "batch", from[] = "-";
    char *argv[] = { tool, command, from, NULL };
    char *environment[] = { NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int to_tool[2], from_tool[2], status;
    (void)state;
    assert_int_equal(pipe(to_tool), 0);
    assert_int_equal(pipe(from_tool), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_tool[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from_tool[1], 1);
    posix_spawn_file_actions_addclose(&actions, to_tool[1]);
    posix_spawn_file_actions_addclose(&actions, from_tool[0]);
    assert_int_equal(posix_spawn(&child, tool, &actions, NULL, argv, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i < 3; i++) {
        struct pollfd answer = { from_tool[0], POLLIN, 0 };
        char text[16384];
        size_t length = 0;
        assert_int_equal(write(to_tool[1], GOOD "\n", sizeof GOOD), sizeof GOOD);
        while (length == 0 || text[length - 1] != '\n') {
            assert_int_equal(poll(&answer, 1, 20000), 1);
            const ssize_t got = read(from_tool[0], text + length, sizeof text - length);
            assert_true(got > 0);
            length += (size_t)got;
        }
        assert_memory_equal(text, "{\"status\":\"ok\"", 14);
    }
    close(to_tool[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(to_tool[0]);
    close(from_tool[0]);
    close(from_tool[1]);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(goes_on_behind_long_lines),
        cmocka_unit_test(needs_no_more_memory_for_more_lines),
        cmocka_unit_test(is_silent_about_a_closed_pipe),
        cmocka_unit_test(tells_about_a_full_disk),
        cmocka_unit_test(opens_policy_files_when_told),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(answers_before_it_waits),
    };
    const int failed = cmocka_run_group_tests_name("streams", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("batch", more, NULL, NULL);
}
