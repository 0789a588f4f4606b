/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails once: ENOMEM, outputs untouched, nothing leaked (a count tells). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "verify/tool/planted.h"

/* The linker sends the library's allocations here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

static int armed;
static long until_failure, live;

static int fails(void)
{
    return armed && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
    void *memory = fails() ? NULL : __real_malloc(size);
    live += armed && memory != NULL;
    return memory;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *memory = fails() ? NULL : __real_calloc(count, size);
    live += armed && memory != NULL;
    return memory;
}

void __wrap_free(void *memory)
{
    live -= armed && memory != NULL;
    __real_free(memory);
}

static nvfp4_moe_layer layer;
static nvfp4_verify_claim claim;

static int set_up(void **state)
{
    (void)state;
    layer = (nvfp4_moe_layer)NVFP4_MOE_LAYER_INIT;
    claim = (nvfp4_verify_claim)NVFP4_VERIFY_CLAIM_INIT;
    claim.layer = &layer;
    claim.tokens = 8;
    claim.free_params = 0;
    layer.hidden_size = 256;
    layer.intermediate_size = 128;
    layer.num_experts = 2;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10;
    return 0;
}

static void plan(void **state)
{
    (void)state;
    nvfp4_status status = NVFP4_ENOMEM;
    long n = 0;
    for (int level = 0; level < 2; level++) {
        claim.level = level;
        status = NVFP4_ENOMEM;
        for (n = 0; status != NVFP4_OK; n++) {
            nvfp4_verification *made = NULL;
            until_failure = n;
            live = 0;
            armed = 1;
            status = nvfp4_verify_plan(&claim, &made);
            if (status != NVFP4_OK) {
                armed = 0;
                assert_int_equal(status, NVFP4_ENOMEM);
                assert_null(made);
            }
            nvfp4_verification_destroy(made);
            armed = 0;
            assert_int_equal(live, 0);
        }
        assert_true(n > 20);
    }
}

static void judge(void **state)
{
    (void)state;
    nvfp4_verification *made = NULL;
    nvfp4_bench *bench = NULL;
    nvfp4_status status = NVFP4_ENOMEM;
    assert_int_equal(nvfp4_verify_plan(&claim, &made), NVFP4_OK);
    assert_int_equal(nvfp4_bench_new(&claim, made, &bench), NVFP4_OK);
    const float *const *outputs = nvfp4_bench_run(bench, NVFP4_PLANT_LIMIT_SHARE);
    for (long n = 0; status != NVFP4_OK; n++) {
        nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
        result.verdict = -7;
        until_failure = n;
        live = 0;
        armed = 1;
        status = nvfp4_verify_judge(made, outputs, nvfp4_verify_run_count(made), &result);
        armed = 0;
        assert_int_equal(live, 0);
        assert_int_equal(result.verdict, status == NVFP4_OK ? NVFP4_VERDICT_WRONG_LIMIT : -7);
        assert_true(status == NVFP4_OK || status == NVFP4_ENOMEM);
    }
    nvfp4_bench_destroy(bench);
    nvfp4_verification_destroy(made);
}

static void reference(void **state)
{
    (void)state;
    nvfp4_verification *made = NULL;
    nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
    nvfp4_status status = NVFP4_ENOMEM;
    double *out = malloc(8 * 256 * sizeof *out);
    assert_int_equal(nvfp4_verify_plan(&claim, &made), NVFP4_OK);
    assert_int_equal(nvfp4_verify_get_run(made, 0, &run), NVFP4_OK);
    for (long n = 0; status != NVFP4_OK; n++) {
        until_failure = n;
        live = 0;
        armed = 1;
        status = nvfp4_moe_reference(run.problem, out);
        armed = 0;
        assert_int_equal(live, 0);
        assert_true(status == NVFP4_OK || status == NVFP4_ENOMEM);
    }
    nvfp4_verification_destroy(made);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plan), cmocka_unit_test(judge),
                                       cmocka_unit_test(reference)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
