/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a load, a check and a print fails once: an error, nothing kept, nothing
 * changed. */
#define _POSIX_C_SOURCE 200809L /* setenv() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#include "files/alloc.h"

/* ---- the library's allocator, in place of its own ---- */

static long until_failure = -1; /* allocations that still succeed; negative: all do */
static long in_use, calls;

static int may_go_on(void)
{
    calls++;
    if (until_failure == 0)
        return 0;
    if (until_failure > 0)
        until_failure--;
    return 1;
}

void *nvfp4_files_malloc(size_t size)
{
    void *const block = may_go_on() ? malloc(size) : NULL;
    in_use += block != NULL;
    return block;
}

void *nvfp4_files_realloc(void *block, size_t size)
{
    void *const larger = may_go_on() ? realloc(block, size) : NULL;
    in_use += block == NULL && larger != NULL;
    return larger;
}

void nvfp4_files_free(void *block)
{
    in_use -= block != NULL;
    free(block);
}

/* ---- what is done with it ---- */

static char *read_whole(const char *path)
{
    FILE *const file = fopen(path, "rb");
    char *const text = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static nvfp4_status load(const char *path, nvfp4_error *error)
{
    const nvfp4_policy *policy = NULL;
    const nvfp4_status status = nvfp4_policy_load(path, &policy, error);
    assert_true((status == NVFP4_OK) == (policy != NULL));
    nvfp4_policy_free(policy);
    return status;
}

static nvfp4_status find(const char *path, nvfp4_error *error)
{
    const nvfp4_policy *policy = NULL;
    const nvfp4_status status = nvfp4_policy_find(path, &policy, error);
    nvfp4_policy_free(policy);
    return status;
}

static nvfp4_status parse(const char *path, nvfp4_error *error)
{
    const nvfp4_policy *policy = NULL;
    char *const text = read_whole(path);
    const nvfp4_status status = nvfp4_policy_parse(text, strlen(text), path, &policy, error);
    nvfp4_policy_free(policy);
    free(text);
    return status;
}

static nvfp4_status check(const char *path, nvfp4_error *error)
{
    nvfp4_policy_remark remarks[8];
    size_t count = 77;
    const nvfp4_status status = nvfp4_policy_check(path, remarks, 8, &count, error);
    assert_true((status == NVFP4_OK) == (count != 77));
    return status;
}

/* A policy from the environment, with a backend that it does not know. */
static nvfp4_status environment(const char *path, nvfp4_error *error)
{
    const nvfp4_policy *policy = NULL;
    nvfp4_backend backend;
    setenv("NVFP4_POLICY", path, 1);
    setenv("NVFP4_BACKEND", "b12x", 1);
    return nvfp4_policy_from_environment(&policy, &backend, error);
}

static const struct row {
    const char *name, *file;
    nvfp4_status (*run)(const char *path, nvfp4_error *error);
    nvfp4_status status; /* with memory */
} rows[] = {
    { "load", "engine.yaml", load, NVFP4_OK },
    { "load three files", "chain-3.yaml", load, NVFP4_OK },
    { "load a record", "evidence.yaml", load, NVFP4_OK },
    { "find", "engine.yaml", find, NVFP4_OK },
    { "parse", "engine.yaml", parse, NVFP4_OK },
    { "refuse a base", "broken-base.yaml", load, NVFP4_ESCHEMA },
    { "refuse a record", "bad-record.yaml", load, NVFP4_ESCHEMA },
    { "environment", "engine.yaml", environment, NVFP4_EUNKNOWN },
    { "check", "engine.yaml", check, NVFP4_OK },
    { "check three files", "chain-3.yaml", check, NVFP4_OK },
    { "check a broken base", "broken-base.yaml", check, NVFP4_OK },
};

static void survives(void **state)
{
    const struct row *const row = *state;
    char path[512];
    nvfp4_error error;
    snprintf(path, sizeof path, "%s/policies/%s", NVFP4_TEST_DATA, row->file);
    calls = in_use = 0;
    until_failure = -1;
    assert_int_equal(row->run(path, &error), row->status);
    assert_int_equal(in_use, 0);
    const long all = calls;
    assert_true(all > 3);
    for (long i = 0; i < all; i++) {
        memset(&error, 0, sizeof error);
        until_failure = i;
        assert_int_equal(row->run(path, &error), NVFP4_ENOMEM);
        assert_int_equal(in_use, 0);
        assert_int_equal(error.status, NVFP4_ENOMEM);
        assert_string_equal(error.message, "out of memory");
    }
    until_failure = all;
    assert_int_equal(row->run(path, &error), row->status);
}

static void prints_without_memory(void **state)
{
    size_t length = 0;
    (void)state;
    until_failure = 0;
    assert_int_equal(nvfp4_policy_print(NULL, NVFP4_PRINT_EVIDENCE, NULL, 0, &length), NVFP4_OK);
    assert_true(length > 10000);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = survives,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest){ .name = "print", .test_func = prints_without_memory };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
