/* SPDX-License-Identifier: Apache-2.0 */
/* Policies by name, from files that name others, and their bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

static void finds(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    assert_int_equal(nvfp4_policy_find("vllm", &policy, &error), NVFP4_OK);
    assert_ptr_equal(policy, nvfp4_policy_builtin("vllm-52018"));
    nvfp4_policy_free(policy); /* nothing happens */
    assert_int_equal(nvfp4_policy_find(NULL, &policy, &error), NVFP4_OK);
    assert_ptr_equal(policy, nvfp4_policy_builtin(NULL));
    assert_int_equal(nvfp4_policy_find("vlm", &policy, &error), NVFP4_EUNKNOWN);
    assert_non_null(strstr(error.message, "did you mean 'vllm'"));
    assert_int_equal(nvfp4_policy_find("quite another", &policy, &error), NVFP4_EUNKNOWN);
    assert_non_null(strstr(error.message, "no file"));
    assert_int_equal(nvfp4_policy_find("./vllm", &policy, &error), NVFP4_EIO);
    assert_int_equal(nvfp4_policy_find("vllm", NULL, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_find(NVFP4_TEST_DATA "/policies/chain-3.yaml", &policy, &error),
                     NVFP4_OK);
    assert_string_equal(nvfp4_policy_name(policy), "chain-3");
    nvfp4_policy_free(policy);
    nvfp4_policy_free(NULL);
}

/* chain-3 extends chain-2 extends chain-1 extends default, each from its own folder. */
static void extends_files(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    nvfp4_kernel_info info;
    if (nvfp4_policy_load(NVFP4_TEST_DATA "/policies/chain-3.yaml", &policy, &error) != NVFP4_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    assert_int_equal(nvfp4_policy_kernel(policy, 0, &info), NVFP4_OK);
    assert_string_equal(info.backend_name, "SECOND");
    assert_int_equal(nvfp4_policy_kernel(policy, 1, &info), NVFP4_OK);
    assert_string_equal(info.backend_name, "FIRST");
    assert_string_equal(nvfp4_policy_summary(policy), "chain-2 with changes");
    assert_string_equal(nvfp4_policy_source(policy), "three files");
    nvfp4_policy_free(policy);
}

static void refuses_files(void **state)
{
    static const struct {
        const char *file;
        nvfp4_status status;
        int line;
        const char *at, *message;
    } rows[] = {
        { "circle.yaml", NVFP4_ELIMIT, 2, "circle.yaml", "in a circle" },
        { "broken-base.yaml", NVFP4_ESCHEMA, 3, "broken.yaml", "did you mean 'marlin'" },
        { "no-base.yaml", NVFP4_EIO, 2, "no-base.yaml", "'nowhere.yaml'" },
        { "no-record.yaml", NVFP4_EIO, 3, "no-record.yaml", "'nowhere.yaml'" },
        { "bad-record.yaml", NVFP4_ESCHEMA, 3, "bad-record.yaml", "needs 'device'" },
        { "absent.yaml", NVFP4_EIO, 0, "absent.yaml", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        const nvfp4_policy *policy = NULL;
        nvfp4_error error = { .status = NVFP4_OK };
        snprintf(path, sizeof path, "%s/policies/%s", NVFP4_TEST_DATA, rows[i].file);
        assert_int_equal(nvfp4_policy_load(path, &policy, &error), rows[i].status);
        if (strstr(error.message, rows[i].message) == NULL)
            print_error("%s: %s\n", rows[i].file, error.message);
        assert_int_equal(error.line, rows[i].line);
        assert_non_null(strstr(error.file, rows[i].at));
        assert_non_null(strstr(error.message, rows[i].message));
    }
}

static void reads_records_from_files(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    const nvfp4_moe_layer initial = NVFP4_MOE_LAYER_INIT;
    nvfp4_moe_layer layer = initial;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_finding finding[4];
    nvfp4_kernel_set set = 0;
    int32_t marlin = 0;
    size_t count = 0;
    if (nvfp4_policy_load(NVFP4_TEST_DATA "/policies/evidence.yaml", &policy, &error) != NVFP4_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    assert_int_equal(nvfp4_policy_find_kernels(policy, "MARLIN", &set), NVFP4_OK);
    while (!(set >> marlin & 1))
        marlin++;
    deployment.device.sm = 90;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10;
    assert_int_equal(nvfp4_list_findings(&layer, &deployment, policy, marlin,
                                         finding, 4, &count),
                     NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(finding[0].reason, NVFP4_REASON_CLAMP);
    assert_string_equal(finding[0].note,
                        "verified: ignores_limit on NVIDIA H200 (sm 90) with vllm 0.24.0");
    assert_non_null(strstr(finding[0].source, "record.yaml"));
    nvfp4_policy_free(policy);
}

static void refuses_bad_arguments(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_policy_load(NULL, &policy, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_load("x", NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_parse(NULL, 1, NULL, &policy, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_parse(NULL, 0, NULL, &policy, &error), NVFP4_ESYNTAX);
    assert_int_equal(nvfp4_policy_parse("name: x", 7, NULL, NULL, &error), NVFP4_EINVAL);
}

static void bounds_kernels(void **state)
{
    (void)state;
    static char text[16384];
    size_t length = (size_t)snprintf(text, sizeof text, "name: x\nkernels:\n");
    for (int i = 0; i < 65; i++) {
        const nvfp4_policy *policy = NULL;
        nvfp4_error error;
        length += (size_t)snprintf(
            text + length, sizeof text - length,
            "- {kernel: MARLIN/k%d, devices: any, scheme: any, activation: any}\n", i);
        const nvfp4_status status = nvfp4_policy_parse(text, length, NULL, &policy, &error);
        assert_int_equal(status, i < 64 ? NVFP4_OK : NVFP4_ELIMIT);
        if (i == 63)
            assert_int_equal(nvfp4_policy_kernel_count(policy), 64);
        nvfp4_policy_free(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),
        cmocka_unit_test(extends_files),
        cmocka_unit_test(refuses_files),
        cmocka_unit_test(reads_records_from_files),
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(bounds_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
