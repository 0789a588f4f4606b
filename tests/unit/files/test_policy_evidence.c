/* SPDX-License-Identifier: Apache-2.0 */
/* What the verification kit writes down is what a policy reads: every verdict, and what it rules out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

enum effect { NOTHING, WITH_LIMIT, ALWAYS };

static const struct row {
    nvfp4_verdict verdict;
    enum effect effect;
} rows[] = {
    { NVFP4_VERDICT_HONOURS, NOTHING },
    { NVFP4_VERDICT_IGNORES_LIMIT, WITH_LIMIT },
    { NVFP4_VERDICT_GATE_ONLY, WITH_LIMIT },
    { NVFP4_VERDICT_UP_ONLY, WITH_LIMIT },
    { NVFP4_VERDICT_GATE_TWO_SIDED, WITH_LIMIT },
    { NVFP4_VERDICT_AFTER_ACTIVATION, WITH_LIMIT },
    { NVFP4_VERDICT_BEFORE_ACTIVATION, WITH_LIMIT },
    { NVFP4_VERDICT_WRONG_LIMIT, WITH_LIMIT },
    { NVFP4_VERDICT_LIMIT_NOT_SCALED, WITH_LIMIT },
    { NVFP4_VERDICT_ALPHA_IGNORED, ALWAYS },
    { NVFP4_VERDICT_BETA_IGNORED, ALWAYS },
    { NVFP4_VERDICT_HALVES_SWAPPED, ALWAYS },
    { NVFP4_VERDICT_INTERLEAVING_WRONG, ALWAYS },
    { NVFP4_VERDICT_SCALE_RECIPROCAL, ALWAYS },
    { NVFP4_VERDICT_NAN_HIDDEN, NOTHING },
    { NVFP4_VERDICT_VARIES_WITH_BATCH, ALWAYS },
    { NVFP4_VERDICT_OTHER, ALWAYS },
    { NVFP4_VERDICT_UNDECIDED, NOTHING },
};

/* A record of this verdict, as the kit prints it, as the one item of a policy's list. */
static void write_policy(nvfp4_verdict verdict, char *text, size_t capacity)
{
    static const nvfp4_verify_subject subject = { sizeof subject, "NVIDIA RTX PRO 6000 (sm 120)",
                                                  "FLASHINFER_CUTLASS", "flashinfer 0.6.18" };
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_verify_claim claim = NVFP4_VERIFY_CLAIM_INIT;
    nvfp4_verification *plan = NULL;
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    char record[4096];
    size_t length = 0;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10;
    claim.layer = &layer;
    claim.level = NVFP4_VERIFY_LEVEL_ACTIVATION;
    claim.tokens = 8;
    result.verdict = (int32_t)verdict;
    result.remaining = NVFP4_VERDICT_BIT(verdict);
    result.worst_run = -1;
    assert_int_equal(nvfp4_verify_plan(&claim, &plan), NVFP4_OK);
    assert_int_equal(
        nvfp4_verify_record_print(plan, &result, &subject, record, sizeof record, NULL), NVFP4_OK);
    nvfp4_verification_destroy(plan);
    length = (size_t)snprintf(text, capacity, "name: x\nextends: default\nverified:\n");
    for (char *line = strtok(record, "\n"); line != NULL; line = strtok(NULL, "\n"))
        length += (size_t)snprintf(text + length, capacity - length, "%s%s\n",
                                   line == record ? "- " : "  ", line);
}

static nvfp4_reason_set reasons(const nvfp4_policy *policy, double limit, int scheme)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    nvfp4_kernel_set set = 0;
    int kernel = 0;
    layer.scheme = scheme;
    layer.has = limit > 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    layer.swiglu_limit = limit;
    deployment.device.sm = 120;
    assert_int_equal(nvfp4_policy_find_kernels(policy, "FLASHINFER_CUTLASS", &set), NVFP4_OK);
    while (!(set >> kernel & 1))
        kernel++;
    assert_int_equal(nvfp4_judge(&layer, &deployment, policy, &verdicts), NVFP4_OK);
    return verdicts.reasons[kernel];
}

static void is_read_as_written(void **state)
{
    const struct row *const row = *state;
    const nvfp4_reason_set clamp = NVFP4_REASON_BIT(NVFP4_REASON_CLAMP);
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    char text[8192];
    write_policy(row->verdict, text, sizeof text);
    if (nvfp4_policy_parse(text, strlen(text), NULL, &policy, &error) != NVFP4_OK)
        fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.message, text);
    assert_int_equal(reasons(policy, 10, NVFP4_SCHEME_W4A4), row->effect == NOTHING ? 0 : clamp);
    assert_int_equal(reasons(policy, 0, NVFP4_SCHEME_W4A4), row->effect == ALWAYS ? clamp : 0);
    /* nothing was claimed of another scheme */
    assert_int_equal(reasons(policy, 10, NVFP4_SCHEME_W4A16) & clamp, 0);
    nvfp4_policy_free(policy);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    _Static_assert(ROWS == NVFP4_VERDICT_COUNT - NVFP4_VERDICT_HONOURS, "a row for each verdict");
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = nvfp4_verdict_name(rows[i].verdict),
                                        .test_func = is_read_as_written,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
