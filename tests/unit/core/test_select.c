/* SPDX-License-Identifier: Apache-2.0 */
/* Single decisions, each with the reason for every kernel that was not chosen; and bad input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define R(name) NVFP4_REASON_BIT(NVFP4_REASON_##name)

/* A request in short, and its whole answer. */
struct row {
    const char *name, *policy, *backend;
    nvfp4_sm sm;
    int activation;
    double limit; /* 0: none */
    int status;
    int chosen, scheme, space;
    nvfp4_reason_set reasons[13]; /* in the policy's order */
};

enum { SILU = NVFP4_ACTIVATION_SILU, W4A4 = NVFP4_SCHEME_W4A4, W4A16 = NVFP4_SCHEME_W4A16 };
enum { REAL = NVFP4_LIMIT_SPACE_REAL, RAW = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR };
#define B(name) NVFP4_BACKEND_##name

/* Nine kernels: TRTLLM monolithic, modular, CUTEDSL, _BATCHED, FI CUTLASS, vLLM CUTLASS, MARLIN, EMULATION,
 * and the opt-in FLASHINFER_B12X; the newest rules have HUMMING's three before EMULATION and B12X. */
static const struct row rows[] = {
    { "the seed: nothing clamps on SM120", "vllm-44992", "auto", 120, SILU, 10, NVFP4_ENOBACKEND, 0, 0, 0,
      { R(DEVICE), R(DEVICE), R(DEVICE) | R(CLAMP), R(DEVICE) | R(FORMAT) | R(CLAMP), R(CLAMP), R(CLAMP),
        R(CLAMP), R(CLAMP), R(OPT_IN) | R(CLAMP) } },
    { "with 45836 MARLIN does", "vllm-45836", "auto", 120, SILU, 10, NVFP4_OK, B(MARLIN), W4A16, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE) | R(CLAMP), R(DEVICE) | R(FORMAT) | R(CLAMP), R(CLAMP), R(CLAMP), 0,
        R(CLAMP), R(OPT_IN) | R(CLAMP) } },
    { "with 46492 FLASHINFER_CUTLASS does", "vllm-46492", "auto", 120, SILU, 10, NVFP4_OK,
      B(FLASHINFER_CUTLASS), W4A4, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE) | R(CLAMP), R(DEVICE) | R(FORMAT) | R(CLAMP), 0, R(CLAMP), 0,
        R(CLAMP), R(OPT_IN) | R(CLAMP) } },
    { "SM121 as SM120", "vllm-46492", "auto", 121, SILU, 10, NVFP4_OK, B(FLASHINFER_CUTLASS), W4A4, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE) | R(CLAMP), R(DEVICE) | R(FORMAT) | R(CLAMP), 0, R(CLAMP), 0,
        R(CLAMP), R(OPT_IN) | R(CLAMP) } },
    { "SM100 prefers TRTLLM in all of them", "vllm-44992", "auto", 100, SILU, 10, NVFP4_OK,
      B(FLASHINFER_TRTLLM), W4A4, RAW,
      { 0, 0, R(CLAMP), R(FORMAT) | R(CLAMP), R(CLAMP), R(CLAMP), R(CLAMP), R(CLAMP),
        R(DEVICE) | R(OPT_IN) | R(CLAMP) } },
    { "the newest rules on SM120", "vllm", "auto", 120, SILU, 10, NVFP4_OK, B(FLASHINFER_CUTLASS), W4A4, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE), R(DEVICE) | R(FORMAT) | R(CLAMP), 0, 0, 0,
        R(FORMAT) | R(KERNEL_OPTION), R(KERNEL_OPTION), 0, 0, R(OPT_IN), R(OPT_IN) | R(CLAMP) } },
    { "vLLM lets gelu through unclamped", "vllm", "auto", 90, NVFP4_ACTIVATION_GELU, 7, NVFP4_OK, B(MARLIN),
      W4A16, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE) | R(ACTIVATION), R(DEVICE) | R(ACTIVATION) | R(FORMAT) | R(CLAMP),
        R(SCHEME) | R(ACTIVATION), R(DEVICE), 0, R(FORMAT) | R(KERNEL_OPTION), R(KERNEL_OPTION), 0, 0,
        R(DEVICE) | R(OPT_IN) | R(ACTIVATION), R(DEVICE) | R(OPT_IN) | R(ACTIVATION) | R(CLAMP) } },
    { "the kernels' truth does not", "default", "auto", 90, NVFP4_ACTIVATION_GELU, 7, NVFP4_ENOBACKEND, 0, 0,
      0,
      { R(DEVICE) | R(CLAMP), R(DEVICE) | R(CLAMP), R(DEVICE) | R(ACTIVATION) | R(CLAMP),
        R(DEVICE) | R(ACTIVATION) | R(FORMAT) | R(CLAMP), R(DEVICE) | R(CLAMP), R(DEVICE) | R(CLAMP),
        R(CLAMP), R(FORMAT) | R(KERNEL_OPTION) | R(CLAMP), R(KERNEL_OPTION) | R(CLAMP), R(CLAMP), R(CLAMP),
        R(DEVICE) | R(OPT_IN) | R(ACTIVATION) | R(CLAMP),
        R(DEVICE) | R(OPT_IN) | R(ACTIVATION) | R(CLAMP) } },
    { "asked for and refused", "default", "flashinfer_b12x", 120, SILU, 10, NVFP4_EREFUSED, 0, 0, 0,
      { R(DEVICE), R(DEVICE), R(DEVICE), R(DEVICE) | R(FORMAT) | R(CLAMP), 0, 0, 0,
        R(FORMAT) | R(KERNEL_OPTION), R(KERNEL_OPTION), 0, 0, R(OPT_IN), R(CLAMP) } },
    { "interleaved SwiGLU-OAI with another limit", "default", "marlin", 90, NVFP4_ACTIVATION_SWIGLUOAI, 10,
      NVFP4_EREFUSED, 0, 0, 0,
      { R(DEVICE) | R(ACTIVATION) | R(CLAMP), R(DEVICE) | R(ACTIVATION) | R(CLAMP), R(DEVICE),
        R(DEVICE) | R(ACTIVATION) | R(FORMAT) | R(CLAMP), R(DEVICE), R(DEVICE) | R(CLAMP), R(CLAMP),
        R(FORMAT) | R(KERNEL_OPTION) | R(CLAMP), R(KERNEL_OPTION) | R(CLAMP), R(CLAMP), R(CLAMP),
        R(DEVICE) | R(OPT_IN) | R(ACTIVATION) | R(CLAMP),
        R(DEVICE) | R(OPT_IN) | R(ACTIVATION) | R(CLAMP) } },
    { "Thor reports 101 under CUDA 12", "vllm", "auto", 101, SILU, 0, NVFP4_OK, B(VLLM_CUTLASS), W4A4, REAL,
      { R(DEVICE), R(DEVICE), R(DEVICE), R(DEVICE) | R(FORMAT), R(DEVICE), 0, 0,
        R(FORMAT) | R(KERNEL_OPTION), R(KERNEL_OPTION), 0, 0, R(DEVICE) | R(OPT_IN),
        R(DEVICE) | R(OPT_IN) } },
};

static void run_row(void **state)
{
    const struct row *row = *state;
    const nvfp4_policy *p = nvfp4_policy_builtin(row->policy);
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    nvfp4_selection chosen;
    nvfp4_forward forward;
    nvfp4_backend asked;
    layer.activation = row->activation;
    layer.has = row->limit > 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    layer.swiglu_limit = row->limit;
    deployment.device.sm = row->sm;
    assert_int_equal(nvfp4_policy_find_backend(p, row->backend, &asked), NVFP4_OK);
    deployment.requested = (int32_t)asked;
    assert_int_equal(nvfp4_judge(&layer, &deployment, p, &verdicts), NVFP4_OK);
    for (int i = 0; i < verdicts.kernel_count; i++)
        if (verdicts.reasons[i] != row->reasons[i]) {
            print_error("kernel %d: reasons %#x, want %#x\n", i, (unsigned)verdicts.reasons[i],
                        (unsigned)row->reasons[i]);
            fail();
        }
    const nvfp4_status status = nvfp4_select_backend(&layer, &deployment, p, &chosen);
    assert_int_equal(status, row->status);
    if (status != NVFP4_OK)
        return;
    assert_int_equal(chosen.backend, row->chosen);
    assert_int_equal(chosen.scheme, row->scheme);
    assert_int_equal(nvfp4_forward_to(&layer, &deployment, p, chosen.kernel, &forward), NVFP4_OK);
    assert_int_equal(forward.limit_space, row->space);
    assert_int_equal(forward.has_limit, row->limit > 0);
    assert_true(forward.limit == row->limit && forward.alpha == 1.0 && forward.beta == 0.0);
}

/* ---- bad input ---- */

#define BAD(member, value)                                                                         \
    do {                                                                                           \
        nvfp4_moe_layer layer = good_layer;                                                        \
        nvfp4_deployment deployment = good_deployment;                                             \
        layer.has = 31;                                                                            \
        layer.swiglu_limit = layer.swiglu_alpha = layer.situ_beta = 1;                             \
        member = (value);                                                                          \
        refuses_unchanged(&layer, &deployment, NVFP4_EINVAL);                                      \
    } while (0)

static void refuses_unchanged(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment, int want)
{
    nvfp4_selection selection, before;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT, verdicts_before;
    nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
    nvfp4_kernel_set set = 77;
    nvfp4_forward forward = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    uint64_t fingerprint = 99;
    size_t count = 55;
    char buffer[64] = "untouched";
    memset(&selection, 0xab, sizeof selection);
    before = selection;
    verdicts.eligible = 123;
    verdicts_before = verdicts;
    assert_int_equal(nvfp4_select_backend(layer, deployment, NULL, &selection), want);
    assert_memory_equal(&selection, &before, sizeof before);
    assert_int_equal(nvfp4_judge(layer, deployment, NULL, &verdicts), want);
    assert_memory_equal(&verdicts, &verdicts_before, sizeof verdicts);
    assert_int_equal(nvfp4_list_findings(layer, deployment, NULL, -1, NULL, 0, &count), want);
    assert_int_equal(nvfp4_find_remedies(layer, deployment, NULL, remedies, &count), want);
    assert_int_equal(nvfp4_explain_json(layer, deployment, NULL, NULL, buffer, sizeof buffer, &count), want);
    assert_int_equal(nvfp4_explain_text(layer, deployment, NULL, NULL, buffer, sizeof buffer, &count), want);
    assert_int_equal(count, 55);
    assert_string_equal(buffer, "untouched");
    assert_int_equal(nvfp4_eligible_kernels(layer, deployment, NULL, &set), want);
    assert_int_equal(set, 77);
    assert_int_equal(nvfp4_fingerprint(layer, deployment, NULL, &fingerprint), want);
    assert_int_equal(fingerprint, 99);
    assert_int_equal(nvfp4_forward_to(layer, deployment, NULL, 0, &forward), want);
    assert_int_equal(forward.has_limit, 1);
}

static void bad_input_is_refused(void **state)
{
    const nvfp4_moe_layer good_layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment good_deployment = NVFP4_DEPLOYMENT_INIT;
    const double bad_limits[] = { 0, -0.0, -1, NAN, INFINITY, -INFINITY };
    const nvfp4_device_key no_device = { NVFP4_VENDOR_NVIDIA, 0, "" };
    (void)state;
    good_deployment.device.sm = 100;
    for (size_t i = 0; i < sizeof bad_limits / sizeof bad_limits[0]; i++)
        BAD(layer.swiglu_limit, bad_limits[i]);
    BAD(layer.swiglu_alpha, NAN);
    BAD(layer.swiglu_beta, INFINITY);
    BAD(layer.situ_beta, -INFINITY);
    BAD(layer.situ_linear_beta, NAN);
    BAD(layer.scheme, NVFP4_SCHEME_COUNT);
    BAD(layer.scheme, -1);
    BAD(layer.activation, NVFP4_ACTIVATION_COUNT);
    BAD(layer.routing, NVFP4_ROUTING_COUNT);
    BAD(layer.router_dtype, NVFP4_ROUTER_DTYPE_COUNT);
    BAD(layer.dtype, INT32_MIN);
    BAD(layer.hidden_size, -1);
    BAD(layer.intermediate_size, NVFP4_SIZE_MAX + 1);
    BAD(layer.num_experts, INT64_MIN);
    BAD(layer.top_k, INT64_MAX);
    BAD(layer.bias, 2);
    BAD(layer.router_weight_on_input, 255);
    BAD(layer.per_token_activation_scale, 128);
    BAD(deployment.device.sm, 0);
    BAD(deployment.device.sm, -120);
    BAD(deployment.device.sm, 1000);
    BAD(deployment.device.vendor, NVFP4_VENDOR_COUNT);
    BAD(deployment.device.vendor, -1);
    BAD(deployment.requested, NVFP4_BACKEND_COUNT);
    BAD(deployment.requested, NVFP4_BACKEND_CUSTOM_FIRST);
    BAD(deployment.requested, 64);
    BAD(deployment.requested, -1);
    BAD(deployment.tensor_parallel, 0);
    BAD(deployment.data_parallel, -1);
    BAD(deployment.context_parallel, INT32_MIN);
    BAD(deployment.sequence_parallel, (1 << 20) + 1);
    BAD(deployment.all2all, NVFP4_ALL2ALL_COUNT);
    BAD(deployment.format, NVFP4_FORMAT_COUNT);
    BAD(deployment.humming_gemm, NVFP4_HUMMING_GEMM_COUNT);
    BAD(deployment.expert_parallel, 2);
    BAD(deployment.lora, 3);
    BAD(deployment.target_count, 1);
    BAD(deployment.peer_count, 1);
    do {
        nvfp4_deployment deployment = good_deployment;
        deployment.peers = &no_device;
        deployment.peer_count = 1;
        refuses_unchanged(&good_layer, &deployment, NVFP4_EINVAL);
        deployment = good_deployment;
        deployment.tensor_parallel = deployment.data_parallel = 1 << 20; /* their product overflows */
        refuses_unchanged(&good_layer, &deployment, NVFP4_EINVAL);
        refuses_unchanged(NULL, &good_deployment, NVFP4_EINVAL);
        refuses_unchanged(&good_layer, NULL, NVFP4_EINVAL);
    } while (0);
}

static void old_structs_are_told_apart(void **state)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_selection selection;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    (void)state;
    deployment.device.sm = 100;
    layer.struct_size--;
    refuses_unchanged(&layer, &deployment, NVFP4_EABI);
    layer.struct_size = 0;
    refuses_unchanged(&layer, &deployment, NVFP4_EABI);
    layer.struct_size = sizeof layer + 64; /* a caller compiled against a later release */
    assert_int_equal(nvfp4_select_backend(&layer, &deployment, NULL, &selection), NVFP4_OK);
    deployment.struct_size = 8;
    refuses_unchanged(&layer, &deployment, NVFP4_EABI);
    deployment.struct_size = sizeof deployment;
    verdicts.struct_size = 4;
    assert_int_equal(nvfp4_judge(&layer, &deployment, NULL, &verdicts), NVFP4_EABI);
}

static void null_outputs_are_refused(void **state)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    size_t count;
    (void)state;
    d.device.sm = 100;
    assert_int_equal(nvfp4_select_backend(&layer, &d, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_judge(&layer, &d, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, -1, NULL, 1, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, 13, NULL, 0, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, -2, NULL, 0, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, -1, NULL, 0, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_find_remedies(&layer, &d, NULL, NULL, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_forward_to(&layer, &d, NULL, 0, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_fingerprint(&layer, &d, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_eligible_kernels(&layer, &d, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_explain_json(&layer, &d, NULL, NULL, NULL, 1, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_explain_json(&layer, &d, NULL, NULL, NULL, 0, NULL), NVFP4_EINVAL);
}

/* Findings, sets and buffers that are too small: counted on, never overrun. */
static void small_buffers_are_safe(void **state)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    nvfp4_finding findings[64];
    char whole[16384], part[16384];
    size_t count, few, length, needed;
    (void)state;
    d.device.sm = 120;
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, -1, findings, 64, &count), NVFP4_OK);
    assert_true(count > 8 && count < 64);
    memset(findings, 0x77, sizeof findings);
    assert_int_equal(nvfp4_list_findings(&layer, &d, NULL, -1, findings, 2, &few), NVFP4_OK);
    assert_int_equal(few, count);
    assert_int_equal(findings[2].kernel, 0x77777777);
    assert_int_equal(nvfp4_explain_json(&layer, &d, NULL, NULL, whole, sizeof whole, &length), NVFP4_OK);
    assert_int_equal(strlen(whole), length);
    for (size_t capacity = 0; capacity < length + 2; capacity += capacity < 40 ? 1 : 37) {
        memset(part, 0x5a, sizeof part);
        assert_int_equal(nvfp4_explain_json(&layer, &d, NULL, NULL, part, capacity, &needed), NVFP4_OK);
        assert_int_equal(needed, length);
        assert_int_equal((unsigned char)part[capacity], 0x5a);
        if (capacity != 0) {
            const size_t n = capacity - 1 < length ? capacity - 1 : length;
            assert_memory_equal(part, whole, n);
            assert_int_equal(part[n], '\0');
        }
    }
}

int main(void)
{
    enum { N = sizeof rows / sizeof rows[0] };
    struct CMUnitTest tests[N + 5];
    size_t n = 0;
    for (; n < N; n++)
        tests[n] = (struct CMUnitTest){ .name = rows[n].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[n] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(bad_input_is_refused);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(old_structs_are_told_apart);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(null_outputs_are_refused);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(small_buffers_are_safe);
    return _cmocka_run_group_tests("select", tests, n, NULL, NULL);
}
