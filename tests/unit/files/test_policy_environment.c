/* SPDX-License-Identifier: Apache-2.0 */
/* NVFP4_POLICY and NVFP4_BACKEND, and that no selection looks at them. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

static const struct row {
    const char *name;
    const char *policy, *backend; /* the variables; NULL: unset */
    nvfp4_status status;
    const char *found; /* the policy's name; NULL: none */
    nvfp4_backend asked;
    const char *variable; /* that the error is about */
    const char *message;
} rows[] = {
    { "nothing", NULL, NULL, NVFP4_OK, NULL, NVFP4_BACKEND_NONE, "", "" },
    { "empty", "", "", NVFP4_OK, NULL, NVFP4_BACKEND_NONE, "", "" },
    { "policy", "vllm", NULL, NVFP4_OK, "vllm-52018", NVFP4_BACKEND_NONE, "", "" },
    { "file", NVFP4_TEST_DATA "/policies/engine.yaml", "fused", NVFP4_OK, "my-engine",
      (nvfp4_backend)50, "", "" },
    { "backend", NULL, "marlin", NVFP4_OK, NULL, NVFP4_BACKEND_MARLIN, "", "" },
    { "auto", "vllm", "auto", NVFP4_OK, "vllm-52018", NVFP4_BACKEND_NONE, "", "" },
    { "unknown policy", "vlm", "marlin", NVFP4_EUNKNOWN, NULL, NVFP4_BACKEND_NONE, "NVFP4_POLICY",
      "did you mean 'vllm'" },
    { "unknown backend", NULL, "merlin", NVFP4_EUNKNOWN, NULL, NVFP4_BACKEND_NONE, "NVFP4_BACKEND",
      "did you mean 'marlin'" },
    { "backend of a later state", "vllm-44992", "humming", NVFP4_EUNKNOWN, NULL, NVFP4_BACKEND_NONE,
      "NVFP4_BACKEND", "vllm-44992 knows no backend 'humming'" },
    { "backend unknown to a file", NVFP4_TEST_DATA "/policies/engine.yaml", "b12x", NVFP4_EUNKNOWN,
      NULL, NVFP4_BACKEND_NONE, "NVFP4_BACKEND", "my-engine" },
    { "broken file", NVFP4_TEST_DATA "/policies/base/broken.yaml", NULL, NVFP4_ESCHEMA, NULL,
      NVFP4_BACKEND_NONE, "broken.yaml", "merlin" },
};

static void set(const char *variable, const char *value)
{
    if (value == NULL)
        unsetenv(variable);
    else
        setenv(variable, value, 1);
}

static void reads(void **state)
{
    const struct row *const row = *state;
    const nvfp4_policy *policy = nvfp4_policy_builtin("vllm-44992");
    const nvfp4_policy *const untouched = policy;
    nvfp4_backend backend = NVFP4_BACKEND_EMULATION;
    nvfp4_error error = { .status = NVFP4_OK };
    set("NVFP4_POLICY", row->policy);
    set("NVFP4_BACKEND", row->backend);
    assert_int_equal(nvfp4_policy_from_environment(&policy, &backend, &error), row->status);
    if (row->status != NVFP4_OK) {
        assert_ptr_equal(policy, untouched);
        assert_int_equal(backend, NVFP4_BACKEND_EMULATION);
        assert_non_null(strstr(error.file, row->variable));
        assert_non_null(strstr(error.message, row->message));
        assert_int_equal(nvfp4_policy_from_environment(&policy, &backend, NULL), row->status);
        return;
    }
    if (row->found == NULL)
        assert_null(policy);
    else
        assert_string_equal(nvfp4_policy_name(policy), row->found);
    assert_int_equal(backend, row->asked);
    nvfp4_policy_free(policy);
}

static void selects_without_it(void **state)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_selection selection;
    (void)state;
    set("NVFP4_POLICY", "vllm-44992");
    set("NVFP4_BACKEND", "marlin");
    deployment.device.sm = 120;
    assert_int_equal(nvfp4_select_backend(&layer, &deployment, NULL, &selection), NVFP4_OK);
    assert_int_equal(selection.backend, NVFP4_BACKEND_FLASHINFER_CUTLASS);
    assert_int_equal(nvfp4_policy_from_environment(NULL, NULL, NULL), NVFP4_EINVAL);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS + 1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = reads,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    tests[ROWS] = (struct CMUnitTest){ .name = "selection", .test_func = selects_without_it };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
