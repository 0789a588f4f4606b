/* SPDX-License-Identifier: Apache-2.0 */
/* The command: exit codes, and a plan taken out, run and judged. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "verify/tool/npy.h"
#include "verify/tool/planfile.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { WORDS_MAX = 16 };

static char folder[] = "/tmp/nvfp4-verify-XXXXXX";

static int run(const char *const *words)
{
    char *argv[WORDS_MAX + 1] = {NULL};
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        argv[argc] = malloc(strlen(words[argc]) + 1);
        strcpy(argv[argc], words[argc]);
    }
    int code = nvfp4_cmd_verify(argc, argv);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return code;
}

struct call {
    const char *name;
    int code;
    const char *words[WORDS_MAX];
};

static const struct call calls[] = {
    {"help", 0, {"verify", "--help"}},
    {"help of a part", 0, {"verify", "plan", "--help"}},
    {"nothing", 2, {"verify"}},
    {"unknown command", 2, {"verify", "prove"}},
    {"plan without a folder", 2, {"verify", "plan"}},
    {"plan with an unknown option", 2, {"verify", "plan", "--out", "/tmp/x", "--colour", "red"}},
    {"plan with a bad word", 2, {"verify", "plan", "--out", "/tmp/x", "--scheme", "w4"}},
    {"plan with a bad number", 2, {"verify", "plan", "--out", "/tmp/x", "--limit", "ten"}},
    {"plan without a value", 2, {"verify", "plan", "--out", "/tmp/x", "--limit"}},
    {"plan with a stray word", 2, {"verify", "plan", "--out", "/tmp/x", "stray"}},
    {"plan of what cannot be tested",
     2,
     {"verify", "plan", "--out", "/tmp/x", "--scheme", "w4a8_fp8"}},
    {"plan with a limit of zero", 2, {"verify", "plan", "--out", "/tmp/x", "--limit", "0"}},
    {"plan where nothing can be written", 2, {"verify", "plan", "--out", "/nonexistent/x"}},
    {"judge without a folder", 2, {"verify", "judge"}},
    {"judge where nothing is", 2, {"verify", "judge", "--in", "/nonexistent"}},
    {"judge in an unknown format", 2, {"verify", "judge", "--in", "/tmp", "--format", "xml"}},
    {"judge with an unknown option", 2, {"verify", "judge", "--on", "/tmp"}},
    {"self-test with a bad number", 2, {"verify", "--self-test", "--seeds", "0"}},
    {"self-test with a word", 2, {"verify", "--self-test", "now"}},
};

static void call(void **state)
{
    const struct call *c = *state;
    assert_int_equal(run(c->words), c->code);
}

/* Writes what an engine would, from the reference layer; with or without its limit. */
static void play_engine(int clamps)
{
    nvfp4_verification *plan = NULL;
    struct nvfp4_complaint complaint;
    assert_int_equal(nvfp4_plan_load(folder, &plan, &complaint), NVFP4_OK);
    for (size_t r = 0; r < nvfp4_verify_run_count(plan); r++) {
        nvfp4_verify_run now = NVFP4_VERIFY_RUN_INIT;
        char path[64];
        (void)nvfp4_verify_get_run(plan, r, &now);
        nvfp4_moe_layer layer = *now.layer;
        const size_t shape[2] = {(size_t)now.tokens, (size_t)now.columns};
        double *out = malloc(shape[0] * shape[1] * sizeof *out);
        layer.has = clamps ? layer.has : 0;
        nvfp4_moe_problem problem = *now.problem;
        problem.layer = &layer;
        assert_int_equal(nvfp4_moe_reference(&problem, out), NVFP4_OK);
        (void)snprintf(path, sizeof path, "%s/run%zu_out.npy", folder, r);
        assert_int_equal(nvfp4_npy_write(path, NVFP4_NPY_FLOAT64, 2, shape, out), NVFP4_OK);
        free(out);
    }
    nvfp4_verification_destroy(plan);
}

static void there_and_back(void **state)
{
    (void)state;
    const char *const make[] = {"verify",     "plan",
                                "--out",      folder,
                                "--limit=10", "--scheme",
                                "w4a16",      "--hidden-size",
                                "256",        "--intermediate-size=128",
                                "--tokens",   "8",
                                NULL};
    char record[64];
    (void)snprintf(record, sizeof record, "%s/record.yaml", folder);
    const char *const judge[] = {"verify",   "judge", "--in",     folder, "--record", record,
                                 "--kernel", "ours",  "--device", "none", NULL};
    const char *const json[] = {"verify", "judge", "--in", folder, "--format", "json", NULL};
    uint8_t *text = NULL;
    size_t size = 0;
    assert_int_equal(run(make), NVFP4_EXIT_OK);
    assert_int_equal(run(judge), NVFP4_EXIT_USAGE); /* no outputs yet */
    play_engine(1);
    assert_int_equal(run(judge), NVFP4_EXIT_OK);
    assert_int_equal(nvfp4_npy_file_read(record, &text, &size), NVFP4_OK);
    assert_non_null(strstr((const char *)text, "\nkernel: \"ours\"\n"));
    assert_non_null(strstr((const char *)text, "\nverified: honours\n"));
    free(text);
    play_engine(0);
    assert_int_equal(run(json), NVFP4_EXIT_NO);
    assert_int_equal(run(judge), NVFP4_EXIT_NO);
    assert_int_equal(nvfp4_npy_file_read(record, &text, &size), NVFP4_OK);
    assert_non_null(strstr((const char *)text, "\nverdict: ignores_limit\nrule_out: clamp\n"));
    free(text);
}

/* What the command prints is not looked at here. */
static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || freopen("/dev/null", "w", stdout) == NULL;
}

static int clean_up(void **state)
{
    (void)state;
    char path[600];
    DIR *dir = opendir(folder);
    for (struct dirent *d = dir != NULL ? readdir(dir) : NULL; d != NULL; d = readdir(dir)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        (void)unlink(path);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return rmdir(folder);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(calls) + 1] = {cmocka_unit_test(there_and_back)};
    for (size_t i = 0; i < COUNT(calls); i++)
        tests[1 + i] =
            (struct CMUnitTest){calls[i].name, call, NULL, NULL, (void *)(uintptr_t)&calls[i]};
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
