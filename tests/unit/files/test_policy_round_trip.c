/* SPDX-License-Identifier: Apache-2.0 */
/* What nvfp4_policy_print() writes, nvfp4_policy_parse() reads back as the same policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rule.h"
#include "golden.h"
#include "policy_sweep.h"

/* Of so many, every DEEP-th is compared reason by reason. */
enum { RANDOM_REQUESTS = 80000, DEEP = 8 };

static void same_on_random_requests(const nvfp4_policy *a, const nvfp4_policy *b)
{
    for (uint64_t seed = 1; seed <= RANDOM_REQUESTS; seed++) {
        struct sweep_request r;
        sweep_make(&r, seed);
        if (!(seed % DEEP == 0 ? sweep_same : sweep_same_choice)(&r.layer, &r.deployment, a, b))
            fail_msg("random request %llu", (unsigned long long)seed);
    }
}

/* The policy as text and back, both to be freed. */
static const nvfp4_policy *again(const nvfp4_policy *policy, uint32_t flags, char **text)
{
    const nvfp4_policy *read = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    size_t length = 0, second = 0;
    assert_int_equal(nvfp4_policy_print(policy, flags, NULL, 0, &length), NVFP4_OK);
    *text = malloc(length + 1);
    assert_non_null(*text);
    assert_int_equal(nvfp4_policy_print(policy, flags, *text, length + 1, &second), NVFP4_OK);
    assert_int_equal(length, second);
    assert_int_equal(strlen(*text), length);
    const nvfp4_status status = nvfp4_policy_parse(*text, length, "printed", &read, &error);
    if (status != NVFP4_OK)
        print_error("%d:%d: %s\n", error.line, error.column, error.message);
    assert_int_equal(status, NVFP4_OK);
    return read;
}

static void same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

/* Texts decide nothing, so the hash does not see them. */
static void same_texts(const nvfp4_policy *a, const nvfp4_policy *b)
{
    same_text(a->name, b->name);
    same_text(a->summary, b->summary);
    same_text(a->source, b->source);
    for (int i = 0; i < a->row_count; i++) {
        const struct nvfp4_row *const x = &a->rows[i], *const y = &b->rows[i];
        same_text(x->source, y->source);
        for (int k = 0; k < x->condition_count; k++) {
            same_text(x->conditions[k].note, y->conditions[k].note);
            same_text(x->conditions[k].source, y->conditions[k].source);
        }
        for (int k = 0; k < x->clamp_count; k++) {
            same_text(x->clamp[k].note, y->clamp[k].note);
            same_text(x->clamp[k].source, y->clamp[k].source);
        }
    }
    for (int i = 0; i < a->erratum_count; i++) {
        same_text(a->errata[i].name, b->errata[i].name);
        same_text(a->errata[i].text, b->errata[i].text);
        same_text(a->errata[i].source, b->errata[i].source);
    }
}

static void keeps_everything(void **state)
{
    const nvfp4_policy *const policy = *state;
    char *text, *twice;
    const nvfp4_policy *const read = again(policy, NVFP4_PRINT_EVIDENCE, &text);
    const nvfp4_policy *const reread = again(read, NVFP4_PRINT_EVIDENCE, &twice);
    assert_true(nvfp4_policy_hash(policy) == nvfp4_policy_hash(read));
    same_texts(policy, read);
    assert_string_equal(text, twice);
    free(text);
    free(twice);
    nvfp4_policy_free(read);
    nvfp4_policy_free(reread);
}

static void keeps_the_hash_without_evidence(void **state)
{
    const nvfp4_policy *const policy = *state;
    char *text, *twice;
    const nvfp4_policy *const read = again(policy, 0, &text);
    const nvfp4_policy *const reread = again(read, 0, &twice);
    assert_null(strstr(text, "source:"));
    assert_true(nvfp4_policy_hash(policy) == nvfp4_policy_hash(read));
    assert_string_equal(text, twice);
    free(text);
    free(twice);
    nvfp4_policy_free(read);
    nvfp4_policy_free(reread);
}

/* The requests of all golden tables, whichever policy they were made for, and random ones. */
static void decides_the_same(void **state)
{
    static const char *const tables[] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018" };
    const nvfp4_policy *const policy = *state;
    char *text;
    const nvfp4_policy *const read = again(policy, 0, &text);
    for (size_t t = 0; t < 4; t++) {
        struct golden_table table = golden_read(tables[t]);
        for (size_t i = 0; i < table.count; i++)
            if (!sweep_same(&table.rows[i].layer, &table.rows[i].deployment, policy, read))
                fail_msg("%s line %d", tables[t], table.rows[i].line);
        golden_free(&table);
    }
    same_on_random_requests(policy, read);
    free(text);
    nvfp4_policy_free(read);
}

/* A policy with everything in it that the built-in ones do without. */
static void keeps_a_policy_of_its_own(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    char *text;
    if (nvfp4_policy_load(NVFP4_TEST_DATA "/policies/engine.yaml", &policy, &error) != NVFP4_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    const nvfp4_policy *const read = again(policy, NVFP4_PRINT_EVIDENCE, &text);
    assert_true(nvfp4_policy_hash(policy) == nvfp4_policy_hash(read));
    same_texts(policy, read);
    same_on_random_requests(policy, read);
    free(text);
    nvfp4_policy_free(read);
    nvfp4_policy_free(policy);
}

static void cuts_and_counts(void **state)
{
    (void)state;
    char small[16] = "###############";
    size_t length = 0, whole = 0;
    assert_int_equal(nvfp4_policy_print(NULL, 0, NULL, 0, &whole), NVFP4_OK);
    assert_int_equal(nvfp4_policy_print(NULL, 0, small, sizeof small, &length), NVFP4_OK);
    assert_int_equal(length, whole);
    assert_string_equal(small, "format: nvfp4mo");
    assert_int_equal(nvfp4_policy_print(NULL, 0, NULL, 1, &length), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_print(NULL, 0, small, sizeof small, NULL), NVFP4_EINVAL);
}

int main(void)
{
    static const struct {
        const char *what;
        CMUnitTestFunction test;
    } kinds[] = {
        { "everything", keeps_everything },
        { "hash", keeps_the_hash_without_evidence },
        { "decisions", decides_the_same },
    };
    static char names[64][48];
    struct CMUnitTest tests[64 + 2] = { cmocka_unit_test(cuts_and_counts),
                                        cmocka_unit_test(keeps_a_policy_of_its_own) };
    size_t count = 2;
    const nvfp4_policy *policy;
    for (size_t i = 0; (policy = nvfp4_policy_builtin_at(i)) != NULL; i++)
        for (size_t k = 0; k < 3 && count < 64; k++) {
            snprintf(names[count], sizeof names[0], "%s %s", nvfp4_policy_name(policy),
                     kinds[k].what);
            tests[count] = (struct CMUnitTest){ .name = names[count],
                                                .test_func = kinds[k].test,
                                                .initial_state = (void *)(uintptr_t)policy };
            count++;
        }
    return _cmocka_run_group_tests("policy round trip", tests, count, NULL, NULL);
}
