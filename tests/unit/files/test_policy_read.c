/* SPDX-License-Identifier: Apache-2.0 */
/* What policy files mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

/* A head for texts that are about something else. */
#define BASE "name: x\nextends: default\n"

/* ---- meanings ---- */

struct ask {
    int sm;
    nvfp4_activation activation;
    double limit;           /* 0: none */
    const char *backend;    /* NULL: auto */
    const char *flashinfer; /* NULL: unknown */
};

static const struct meaning {
    const char *name, *text;
    struct ask ask;
    const char *kernel;       /* chosen; NULL: none */
    const char *loser;        /* a kernel that is ruled out, or NULL, */
    nvfp4_reason_set reasons; /* by exactly these */
} meanings[] = {
#define SILU      NVFP4_ACTIVATION_SILU
#define BIT(name) NVFP4_REASON_BIT(NVFP4_REASON_##name)
    { "as the base",
      BASE,
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      "B12X",
      BIT(OPT_IN) },
    { "JSON",
      "{\"name\": \"x\", \"extends\": \"default\", \"prefer\": [\"marlin\"]}",
      { 120, SILU, 10, NULL, NULL },
      "MARLIN",
      NULL,
      0 },
    { "base by its name",
      "name: x\nextends: vllm-44992\n",
      { 120, SILU, 10, NULL, NULL },
      NULL,
      "MARLIN",
      BIT(CLAMP) },
    { "prefer", BASE "prefer: [marlin]\n", { 120, SILU, 10, NULL, NULL }, "MARLIN", NULL, 0 },
    { "prefer a kernel",
      BASE "prefer: FLASHINFER_TRTLLM/modular\n",
      { 100, SILU, 10, NULL, NULL },
      "FLASHINFER_TRTLLM/modular",
      NULL,
      0 },
    { "prefer keeps opt-in last",
      BASE "prefer: [b12x, emulation]\n",
      { 120, SILU, 0, NULL, NULL },
      "EMULATION",
      "B12X",
      BIT(OPT_IN) },
    { "disable",
      BASE "disable: [flashinfer_cutlass]\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(DISABLED) },
    { "disable twice",
      BASE "disable: [cutlass, VLLM_CUTLASS]\n",
      { 120, SILU, 10, "cutlass", NULL },
      NULL,
      "VLLM_CUTLASS",
      BIT(DISABLED) },
    { "disable behind a condition of that reason",
      BASE
      "kernels:\n- {kernel: VLLM_CUTLASS, add: {conditions: [{rules_out: disabled, when: {devices: "
      "90}}]}}\ndisable: VLLM_CUTLASS\n",
      { 120, SILU, 10, "cutlass", NULL },
      NULL,
      "VLLM_CUTLASS",
      BIT(DISABLED) },
    { "enable",
      BASE "kernels:\n- {kernel: MARLIN, add: {conditions: [{rules_out: disabled}, {rules_out: "
           "bias}]}}\n"
           "enable: marlin\n",
      { 90, SILU, 10, "marlin", NULL },
      NULL,
      "MARLIN",
      BIT(BIAS) },
    { "enable, then disable",
      BASE "disable: marlin\nenable: marlin\n",
      { 90, SILU, 10, "marlin", NULL },
      NULL,
      "MARLIN",
      BIT(DISABLED) },
    { "opt_in",
      BASE "opt_in: FLASHINFER_CUTLASS\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(OPT_IN) },
    { "opt_in when asked",
      BASE "opt_in: FLASHINFER_CUTLASS\n",
      { 120, SILU, 10, "flashinfer_cutlass", NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "auto goes behind",
      BASE "auto: b12x\n",
      { 120, SILU, 0, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "auto and prefer",
      BASE "auto: b12x\nprefer: b12x\n",
      { 120, SILU, 0, NULL, NULL },
      "B12X",
      NULL,
      0 },
    { "new kernel",
      BASE "kernels:\n- {kernel: MARLIN/new, before: marlin, devices: 90, scheme: w4a4, "
           "activation: silu}\n",
      { 90, SILU, 0, NULL, NULL },
      "MARLIN/new",
      NULL,
      0 },
    { "new kernel cannot clamp",
      BASE "kernels:\n- {kernel: MARLIN/new, before: marlin, devices: 90, scheme: w4a4, "
           "activation: silu}\n",
      { 90, SILU, 7, NULL, NULL },
      "MARLIN/",
      "MARLIN/new",
      BIT(CLAMP) },
    { "new kernel without a place",
      BASE "kernels:\n- {kernel: MARLIN/new, devices: 75-90, scheme: w4a4, activation: silu}\n",
      { 90, SILU, 0, NULL, NULL },
      "MARLIN/",
      NULL,
      0 },
    { "new kernel behind",
      BASE "kernels:\n- {kernel: MARLIN/new, after: marlin, devices: 90, scheme: w4a4, activation: "
           "silu}\ndisable: MARLIN/\n",
      { 90, SILU, 0, NULL, NULL },
      "MARLIN/new",
      NULL,
      0 },
    { "backend of one's own",
      BASE "backends: [MINE]\nnames: {mine: MINE}\nkernels:\n- {kernel: MINE, devices: any, "
           "scheme: any, activation: any}\n",
      { 90, SILU, 0, "mine", NULL },
      "MINE",
      "MARLIN",
      0 },
    { "column replaced",
      BASE "kernels:\n- {kernel: MARLIN, activation: gelu}\n",
      { 90, SILU, 0, "marlin", NULL },
      NULL,
      "MARLIN",
      BIT(ACTIVATION) },
    { "add",
      BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, add: {devices: 90}}\n",
      { 90, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "remove",
      BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, remove: {devices: 120f}}\n",
      { 121, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(DEVICE) },
    { "both kernels of a backend",
      BASE "kernels:\n- {kernel: flashinfer_trtllm, remove: {devices: 100}}\n",
      { 100, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTEDSL",
      "FLASHINFER_TRTLLM/modular",
      BIT(DEVICE) },
    { "needs raised",
      BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: 0.6.18}}\n",
      { 120, SILU, 10, NULL, "0.6.17" },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(DEPENDENCY) },
    { "needs met",
      BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: 0.6.18}}\n",
      { 120, SILU, 10, NULL, "0.6.18" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "needs dropped",
      BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: null}}\n",
      { 120, SILU, 10, NULL, "absent" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "condition added",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, "
           "when: {devices: 120, swiglu_limit: true}}]\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(BIAS) },
    { "condition not met",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, "
           "when: {devices: 120, swiglu_limit: false}}]\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "condition from a version on",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, "
           "library: flashinfer, from: 0.6.18}]\n",
      { 120, SILU, 10, NULL, "0.6.18" },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(BIAS) },
    { "condition before that version",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, "
           "library: flashinfer, from: 0.6.18}]\n",
      { 120, SILU, 10, NULL, "0.6.17" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "clamp replaced",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: 7}]\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "clamp constant met",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: 7}]\n",
      { 120, SILU, 7, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "clamp added in front",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add: {clamp: [{limit: ignored, when: "
           "{devices: 121}}]}\n",
      { 121, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "clamp needs one",
      BASE
      "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: taken, without_limit: refused}]\n",
      { 120, SILU, 0, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "clamp set",
      "name: x\nextends: vllm-45836\nclamp_set: [FLASHINFER_TRTLLM, MARLIN, FLASHINFER_CUTLASS]\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      "EMULATION",
      BIT(CLAMP) },
    { "clamp set by can",
      "name: x\nextends: vllm-45836\nkernels:\n- {kernel: FLASHINFER_CUTLASS, add: {can: "
      "swiglu_limit}}\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "clamp set kept by cannot",
      "name: x\nextends: vllm-45836\nkernels:\n- {kernel: MARLIN, cannot: lora}\n",
      { 120, SILU, 10, NULL, NULL },
      "MARLIN",
      NULL,
      0 },
    { "clamp set without a new kernel",
      "name: x\nextends: vllm\nkernels:\n- {kernel: MARLIN/new, before: FLASHINFER_TRTLLM, "
      "devices: "
      "120, scheme: w4a4, activation: silu, clamp: [{limit: taken}]}\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      "MARLIN/new",
      BIT(CLAMP) },
    { "smaller clamp set",
      "name: x\nextends: vllm-46492\nclamp_set: MARLIN\n",
      { 120, SILU, 10, NULL, NULL },
      "MARLIN",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "no clamp set any more",
      "name: x\nextends: vllm-44992\nclamp_set: null\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "erratum added",
      BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, when: {devices: 120}, text: t}\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(ERRATUM) },
    { "erratum of no library",
      BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, text: t}\n",
      { 120, SILU, 10, NULL, "absent" },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(ERRATUM) | BIT(DEPENDENCY) },
    { "erratum bounded",
      BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, library: flashinfer, from: "
           "0.6.17, below: 0.6.18, text: t}\n",
      { 120, SILU, 10, NULL, "0.6.18" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "erratum moves along",
      BASE "errata:\n- {erratum: e, kernels: MARLIN, text: t}\nprefer: [marlin]\n",
      { 90, SILU, 10, NULL, NULL },
      "HUMMING/indexed",
      "MARLIN",
      BIT(ERRATUM) },
    { "errata_off",
      BASE "errata_off: cutlass-sm110-tiles\n",
      { 110, SILU, 10, NULL, "0.6.8" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "fault verified",
      BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer "
           "0.6.18, verdict: gate_only, claim: {scheme: w4a4, activation: silu}}\n",
      { 120, SILU, 10, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "fault of an older version",
      BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer "
           "0.6.18, verdict: gate_only}\n",
      { 120, SILU, 10, NULL, "0.6.17" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "fault of another device",
      BASE "verified:\n- {device: X SM_121, kernel: FLASHINFER_CUTLASS, version: flashinfer "
           "0.6.18, verdict: gate_only}\n",
      { 120, SILU, 10, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "fault without a limit",
      BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, verdict: gate_only}\n",
      { 120, SILU, 0, NULL, NULL },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "fault of the halves",
      BASE
      "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, verdict: halves_swapped}\n",
      { 120, SILU, 0, NULL, NULL },
      "VLLM_CUTLASS",
      "FLASHINFER_CUTLASS",
      BIT(CLAMP) },
    { "fault repaired",
      BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer "
           "0.6.17, verdict: gate_only}\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, "
           "version: flashinfer 0.6.18, verdict: honours}\n",
      { 120, SILU, 10, NULL, "0.6.18" },
      "FLASHINFER_CUTLASS",
      NULL,
      0 },
    { "honours changes nothing",
      BASE "verified:\n- {device: X (sm 90), kernel: FLASHINFER_CUTLASS, verdict: honours}\n",
      { 90, SILU, 10, NULL, NULL },
      "MARLIN",
      "FLASHINFER_CUTLASS",
      BIT(DEVICE) },
    { "Thor's other name",
      BASE "kernels:\n- {kernel: MARLIN, devices: 101}\n",
      { 110, SILU, 10, "marlin", NULL },
      "MARLIN",
      NULL,
      0 },
};

/* The kernel's number by its name; -1: none. */
static int find(const nvfp4_policy *policy, const char *name)
{
    nvfp4_kernel_set set;
    if (name == NULL)
        return -1;
    assert_int_equal(nvfp4_policy_find_kernels(policy, name, &set), NVFP4_OK);
    for (int i = 0; i < NVFP4_KERNELS_MAX; i++)
        if (set >> i & 1)
            return i;
    return -1;
}

static void means(void **state)
{
    const struct meaning *const m = *state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    nvfp4_backend backend = NVFP4_BACKEND_NONE;
    if (nvfp4_policy_parse(m->text, strlen(m->text), NULL, &policy, &error) != NVFP4_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    layer.activation = (int32_t)m->ask.activation;
    layer.has = m->ask.limit != 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    layer.swiglu_limit = m->ask.limit;
    deployment.device.sm = m->ask.sm;
    if (m->ask.backend != NULL)
        assert_int_equal(nvfp4_policy_find_backend(policy, m->ask.backend, &backend), NVFP4_OK);
    deployment.requested = (int32_t)backend;
    if (m->ask.flashinfer != NULL && strcmp(m->ask.flashinfer, "absent") == 0)
        deployment.libraries[NVFP4_LIBRARY_FLASHINFER] = NVFP4_LIBRARY_ABSENT;
    else if (m->ask.flashinfer != NULL)
        nvfp4_version_parse(m->ask.flashinfer, &deployment.libraries[NVFP4_LIBRARY_FLASHINFER]);
    assert_int_equal(nvfp4_judge(&layer, &deployment, policy, &verdicts), NVFP4_OK);
    assert_int_equal(verdicts.selection.kernel, find(policy, m->kernel));
    if (m->loser != NULL)
        assert_int_equal(verdicts.reasons[find(policy, m->loser)], m->reasons);
    nvfp4_policy_free(policy);
}

/* ---- request keys of a policy's own ---- */

static const char keyed[] =
    "name: x\nextends: default\n"
    "keys: {deployment.runner: [auto, fused, loop], layer.arch: [other, nemotron]}\n"
    "kernels:\n"
    "- {kernel: FLASHINFER_CUTLASS, runner: [auto, fused]}\n"
    "- kernel: VLLM_CUTLASS\n"
    "  add: {conditions: [{rules_out: kernel_option, when: {runner: loop, arch: nemotron}}]}\n";

static nvfp4_kernel_set eligible(const nvfp4_policy *policy, uint64_t custom, nvfp4_status want)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_kernel_set set = 0;
    deployment.device.sm = 120;
    deployment.custom = custom;
    assert_int_equal(nvfp4_eligible_kernels(&layer, &deployment, policy, &set), want);
    return set;
}

static void has_keys_of_its_own(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    nvfp4_policy_key_info info;
    uint64_t loop = 0, both;
    assert_int_equal(nvfp4_policy_parse(keyed, strlen(keyed), NULL, &policy, NULL), NVFP4_OK);
    assert_int_equal(nvfp4_policy_key(policy, 1, &info), NVFP4_OK);
    assert_string_equal(info.section, "layer");
    assert_string_equal(info.name, "arch");
    assert_int_equal(info.word_count, 2);
    assert_int_equal(info.bits, 3 << 3);
    assert_int_equal(nvfp4_policy_key(policy, 2, &info), NVFP4_EINVAL);
    assert_string_equal(nvfp4_policy_custom_word(policy, 4), "nemotron");
    assert_null(nvfp4_policy_custom_word(policy, 5));
    assert_null(nvfp4_policy_custom_word(NULL, 0));

    assert_int_equal(nvfp4_policy_set_key(policy, "runner", "loop", &loop), NVFP4_OK);
    assert_int_equal(loop, 4);
    assert_int_equal(nvfp4_policy_set_key(policy, "deployment.runner", "fused", &loop), NVFP4_OK);
    assert_int_equal(loop, 2);
    assert_int_equal(nvfp4_policy_set_key(policy, "layer.runner", "loop", &loop), NVFP4_EUNKNOWN);
    assert_int_equal(nvfp4_policy_set_key(policy, "runner", "lop", &loop), NVFP4_EUNKNOWN);
    assert_int_equal(nvfp4_policy_set_key(policy, "runner", "loop", &loop), NVFP4_OK);
    both = loop;
    assert_int_equal(nvfp4_policy_set_key(policy, "arch", "nemotron", &both), NVFP4_OK);

    const nvfp4_kernel_set cutlass = (nvfp4_kernel_set)1 << find(policy, "FLASHINFER_CUTLASS");
    const nvfp4_kernel_set own = (nvfp4_kernel_set)1 << find(policy, "VLLM_CUTLASS");
    assert_true((eligible(policy, 0, NVFP4_OK) & cutlass) != 0);
    assert_true((eligible(policy, loop, NVFP4_OK) & (cutlass | own)) == own);
    assert_true((eligible(policy, both, NVFP4_OK) & (cutlass | own)) == 0);
    assert_true(eligible(policy, UINT64_C(1) << 60, NVFP4_OK) == eligible(policy, 0, NVFP4_OK));
    eligible(policy, 1 | 2, NVFP4_EINVAL); /* two words of one key */
    nvfp4_policy_free(policy);
}

static void explains_keys_of_its_own(void **state)
{
    (void)state;
    const nvfp4_policy *policy = NULL;
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_finding findings[8];
    char text[256];
    size_t count = 0;
    assert_int_equal(nvfp4_policy_parse(keyed, strlen(keyed), NULL, &policy, NULL), NVFP4_OK);
    deployment.device.sm = 120;
    assert_int_equal(nvfp4_policy_set_key(policy, "runner", "loop", &deployment.custom), NVFP4_OK);
    assert_int_equal(nvfp4_list_findings(&layer, &deployment, policy,
                                         find(policy, "FLASHINFER_CUTLASS"), findings, 8, &count),
                     NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(findings[0].reason, NVFP4_REASON_KERNEL_OPTION);
    nvfp4_finding_print(policy, &findings[0], text, sizeof text);
    assert_non_null(strstr(text, "runner: needs auto, fused; has loop"));
    nvfp4_policy_free(policy);
}

int main(void)
{
    enum { MEANINGS = sizeof meanings / sizeof meanings[0] };
    static const struct CMUnitTest singles[] = {
        cmocka_unit_test(has_keys_of_its_own),
        cmocka_unit_test(explains_keys_of_its_own),
    };
    enum { SINGLES = sizeof singles / sizeof singles[0] };
    static struct CMUnitTest tests[MEANINGS + SINGLES];
    for (size_t i = 0; i < MEANINGS; i++)
        tests[i] = (struct CMUnitTest){ .name = meanings[i].name,
                                        .test_func = means,
                                        .initial_state = (void *)(uintptr_t)&meanings[i] };
    memcpy(tests + MEANINGS, singles, sizeof singles);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
