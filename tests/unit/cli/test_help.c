/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts, man pages and completion say the same: every word that the tool knows is in each. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/request.h>

#include "tool.h"

static char *read_file(const char *path)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    char *const text = calloc(1, 65536);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

/* Is the word there, and does it end there? A page writes its dashes as \-. */
static int page_has(const char *page, const char *word)
{
    char escaped[128];
    size_t length = 0;
    for (; *word != '\0'; word++) {
        if (*word == '-')
            escaped[length++] = '\\';
        escaped[length++] = *word;
    }
    escaped[length] = '\0';
    for (const char *at = page; (at = strstr(at, escaped)) != NULL; at++)
        if (strchr("\n \\\"),]", at[length]) != NULL)
            return 1;
    return 0;
}

/* The next word of a help text that begins a line behind two blanks. */
static const char *next_word(const char *text, char word[64])
{
    while ((text = strstr(text, "\n  ")) != NULL) {
        text += 3;
        const size_t length = strcspn(text, ", \n");
        if (length > 0 && length < 64) {
            memcpy(word, text, length);
            word[length] = '\0';
            return text;
        }
    }
    return NULL;
}

/* Every option in the help text of a command. */
static int check_options(const char *page, const char *const *args)
{
    struct run run;
    char option[64];
    int options = 0;
    run_tool(&run, args, NULL, NULL, 0);
    assert_int_equal(run.exit_code, 0);
    for (const char *o = run.out; (o = next_word(o, option)) != NULL;) {
        if (strncmp(option, "--", 2) != 0)
            continue;
        options++;
        if (!page_has(page, option))
            fail_msg("the page says nothing of %s %s", args[0], option);
    }
    free_run(&run);
    return options;
}

static void pages_have_every_option(void **state)
{
    static const char *const help[] = { "--help", NULL };
    static const char *const diff[] = { "policy", "diff", "--help", NULL };
    char *const page = read_file(NVFP4_MAN "/nvfp4-select.1");
    struct run all;
    char command[64];
    int commands = 0, options = check_options(page, diff);
    (void)state;
    run_tool(&all, help, NULL, NULL, 0);
    const char *at = strstr(all.out, "\ncommands\n");
    const char *const end = strstr(all.out, "\nexit codes\n");
    assert_true(at != NULL && end != NULL);
    while ((at = next_word(at, command)) != NULL && at < end) {
        const char *const args[] = { command, "--help", NULL };
        commands++;
        if (!page_has(page, command))
            fail_msg("the page says nothing of %s", command);
        options += check_options(page, args);
    }
    assert_true(commands >= 7 && options > 40);
    free_run(&all);
    free(page);
}

static void page_has_every_key(void **state)
{
    char *const page = read_file(NVFP4_MAN "/nvfp4-request.5");
    nvfp4_request_key key;
    (void)state;
    for (size_t i = 0; nvfp4_request_key_at(i, &key) == NVFP4_OK; i++)
        if (!page_has(page, key.name))
            fail_msg("the page says nothing of %s.%s", key.section, key.name);
    free(page);
}

/* What is typed, and a word that must be offered; "" that nothing is. */
struct row {
    const char *name, *words, *offered;
};

static const struct row rows[] = {
    { "commands", "ex", "explain" },
    { "all commands", "''", "devices" },
    { "options", "explain --pol", "--policy" },
    { "options of a model", NVFP4_TEST_DATA "/cli/clamped --g", "--gpu" },
    { "policies", "explain --policy vllm-46", "vllm-46492" },
    { "aliases", "explain --policy de", "default" },
    { "backends", "explain --backend mar", "marlin" },
    { "backends that the policy has not", "explain --policy vllm-46492 --backend humm", "" },
    { "all2all", "explain --all2all nix", "nixl_ep" },
    { "keys", "explain --set layer.swiglu_l", "layer.swiglu_limit=" },
    { "keys of libraries", "explain --set deployment.libraries.fl",
      "deployment.libraries.flashinfer=" },
    { "formats", "model --format j", "json" },
    { "formats of a matrix", "matrix --format m", "markdown" },
    { "a page of a matrix", "matrix --gpu all --format h", "html" },
    { "no page elsewhere", "explain --format h", "" },
    { "sources", "devices --source n", "nvml" },
    { "subcommands", "policy sh", "show" },
    { "names of policies", "policy show kern", "kernels-2026-11" },
    { "policy files", "policy check " NVFP4_TEST_DATA "/policies/eng",
      NVFP4_TEST_DATA "/policies/engine.yaml" },
    { "policy files as a value", "explain --policy " NVFP4_TEST_DATA "/policies/eng",
      NVFP4_TEST_DATA "/policies/engine.yaml" },
    { "subcommands that differ", "policy di", "diff" },
    { "nothing for a number", "explain --tp ''", "" },
};

static void completes(void **state)
{
    const struct row *const row = *state;
    static const char script[] = "source " NVFP4_COMPLETION
        "/nvfp4-select.bash; COMP_WORDS=(%s %s);"
                                 "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nvfp4_select;"
                                 "printf '%%s\\n' \"${COMPREPLY[@]}\"";
    char command[2048], line[256];
    int offered = 0, other = 0;
    if (system("bash -c 'type mapfile awk sed' >/dev/null 2>&1") != 0)
        skip();
    snprintf(command, sizeof command, script, NVFP4_TOOL, row->words);
    setenv("NVFP4_COMMAND", command, 1);
    FILE *const pipe = popen("bash -c \"$NVFP4_COMMAND\"", "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        offered |= strcmp(line, row->offered) == 0;
        other |= *line != '\0';
    }
    assert_int_equal(pclose(pipe), 0);
    if (*row->offered != '\0')
        assert_true(offered);
    else
        assert_false(other);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = completes,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(pages_have_every_option),
        cmocka_unit_test(page_has_every_key),
    };
    const int failed = cmocka_run_group_tests_name("completion", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("pages", more, NULL, NULL);
}
