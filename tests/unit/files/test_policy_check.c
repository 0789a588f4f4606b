/* SPDX-License-Identifier: Apache-2.0 */
/* What a check finds in policy files that load, and in those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define BASE "name: x\nextends: default\nsource: s\n"
#define N    NVFP4_SEVERITY_NOTE
#define W    NVFP4_SEVERITY_WARNING
#define E    NVFP4_SEVERITY_ERROR

enum { MOST = 4 };

static const struct row {
    const char *name, *text;
    struct expected {
        nvfp4_severity severity; /* 0: no more */
        int line, column;
        const char *message; /* a part of it */
    } remarks[MOST];
} rows[] = {
    { "clean", BASE, { { 0 } } },
    { "no source", "name: x\nextends: default\n", { { W, 1, 1, "the policy has no 'source'" } } },
    { "name of another",
      "name: default\nextends: vllm\nsource: s\n",
      { { W, 1, 1, "'default' is the name of a built-in policy" } } },

    /* what does not load: all of it, not the first only */
    { "several errors",
      "name: x\nextends: default\nsource: s\npreferr: []\nkernels:\n- kernel: MARLIN\n  "
      "activation: [silo, gelu, swiglu]\n  devices: 70\n",
      { { E, 4, 1, "did you mean 'prefer'" },
        { E, 7, 16, "did you mean 'silu'" },
        { E, 7, 28, "'swiglu'" },
        { E, 8, 12, "70-74" } } },
    { "error beside a contradiction",
      BASE "prefer: merlin\nkernels:\n- {kernel: MARLIN, devices: []}\n",
      { { E, 4, 9, "did you mean" } } },
    { "no policy at all", "- 1\n", { { E, 1, 1, "the document must be a mapping" } } },
    { "unknown base, told once",
      "name: x\nextends: defalt\nsource: s\n",
      { { E, 2, 10, "did you mean 'default'" } } },

    /* contradictions */
    { "automatic and only when asked for",
      BASE "auto: [b12x]\nopt_in: [humming, b12x]\n",
      { { W, 5, 19, "b12x stands under 'auto' too, but 'opt_in' decides" } } },
    { "preferred and disabled",
      BASE "disable: MARLIN\nprefer: [marlin, humming]\n",
      { { W, 4, 10, "MARLIN stands under 'prefer' too, but 'disable' decides" } } },
    { "condition contradicts itself",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    conditions:\n    - {rules_out: "
           "bias, when: {gated: true, activation: silu_no_mul}, source: s}\n",
      { { W, 9, 7, "never matches: see 'gated'" } } },
    { "condition on no device",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  source: s\n  add:\n    conditions:\n    - "
           "{rules_out: bias, when: {devices: 90}, source: s}\n",
      { { W, 9, 7, "never matches what FLASHINFER_CUTLASS takes: see 'devices'" } } },
    { "condition on what it cannot",
      BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  source: s\n  add:\n    conditions:\n    - "
           "{rules_out: bias, when: {lora: true}, source: s}\n",
      { { W, 9, 7, "see 'lora'" } } },
    { "condition without versions",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    conditions:\n    - {rules_out: "
           "bias, library: vllm, from: 0.24, below: 0.23, source: s}\n",
      { { W, 9, 7, "no version" } } },
    { "condition always",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    conditions:\n    - {rules_out: "
           "bias, when: {devices: 75+}, source: s}\n",
      { { W, 9, 7, "rules MARLIN out in every case" } } },
    { "SiTU constants of all",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    conditions:\n    - {situ_betas: "
           "may_be_absent, source: s}\n",
      { { W, 9, 7, "situ_betas would also hold" } } },
    { "clamp rule behind all",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  clamp:\n  - {limit: taken, source: s}\n  - "
           "{limit: ignored, when: {activation: silu}, source: s}\n",
      { { W, 9, 5, "on line 8" } } },
    { "clamp rule behind an older version",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  clamp:\n  - {limit: taken, library: vllm, "
           "from: 0.2, source: s}\n  - {limit: ignored, when: {activation: silu}, source: s}\n",
      { { 0 } } },
    { "clamp rule in front of all",
      BASE
      "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    clamp: [{limit: taken, source: s}]\n",
      { { W, 8, 13, "takes the place" } } },
    { "clamp rule never",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    clamp: [{limit: taken, when: "
           "{dtype: []}, source: s}]\n",
      { { W, 8, 13, "never matches: see 'dtype'" } } },
    { "limit taken and not",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  add:\n    cannot: swiglu_limit\n    clamp: "
           "[{limit: taken, when: {activation: situ}, source: s}]\n",
      { { W, 9, 13, "'cannot' lists swiglu_limit" } } },
    { "erratum about none",
      BASE "errata:\n- {erratum: e, kernels: [], text: t, source: s}\n",
      { { W, 5, 3, "about no kernel" } } },
    { "erratum never",
      BASE "errata:\n- {erratum: e, kernels: MARLIN, when: {devices: 70-74}, text: t, source: s}\n",
      { { W, 5, 3, "matches nothing that its kernels take" } } },
    { "erratum of itself never",
      BASE "errata:\n- {erratum: e, kernels: MARLIN, when: {scheme: []}, text: t, source: s}\n",
      { { W, 5, 3, "see 'scheme'" } } },
    { "erratum without versions",
      BASE "errata:\n- {erratum: e, kernels: MARLIN, library: vllm, from: 1.0, below: 1.0, text: "
           "t, source: s}\n",
      { { W, 5, 3, "no version" } } },
    { "records disagree",
      BASE "verified:\n- {device: sm 90, kernel: MARLIN, version: vllm 1.0, verdict: honours}\n- "
           "{device: sm 90, kernel: MARLIN, version: vllm 1.0, verdict: up_only}\n",
      { { W, 6, 3, "contradicts the record on line 5" } } },

    /* never chosen */
    { "no device",
      BASE "kernels:\n- {kernel: MARLIN, devices: [], source: s}\n",
      { { W, 5, 3, "MARLIN is never chosen: it takes no 'devices'" } } },
    { "no word on purpose",
      BASE "kernels:\n- {kernel: MARLIN, dtype: [], source: s}\n",
      { { N, 5, 3, "takes no 'dtype'" } } },
    { "all words removed",
      BASE "kernels:\n- {kernel: MARLIN, remove: {dtype: any}, source: s}\n",
      { { W, 5, 3, "takes no 'dtype'" } } },
    { "only ungated, and not those",
      BASE "kernels:\n- {kernel: MARLIN, activation: relu2_no_mul, add: {cannot: non_gated}, "
           "source: s}\n",
      { { W, 5, 3, "takes no 'activation'" } } },
    { "behind a better one",
      BASE "kernels:\n- {kernel: MARLIN/old, devices: 90, scheme: w4a4, activation: silu, "
           "engine_built: true, dtype: [bf16, fp16], cannot: [batch_invariant], clamp: [{limit: "
           "taken, source: s}], source: s}\n"
           "- {kernel: MARLIN/older, devices: 90, scheme: w4a4, activation: silu, engine_built: "
           "true, dtype: bf16, cannot: [batch_invariant, lora], clamp: [{limit: taken, source: "
           "s}], source: s}\n",
      { { W, 6, 3,
          "MARLIN/older is never chosen: MARLIN/old, which comes before it, takes all that it "
          "takes" } } },
    { "behind another backend",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90-100, "
           "scheme: any, activation: any, source: s}\n- {kernel: B, devices: 90, scheme: w4a4, "
           "activation: silu, source: s}\n",
      { { W, 8, 3, "B is chosen only when asked for: A" } } },
    { "pushed behind",
      BASE "backends: [A]\nnames: {a: A}\nkernels:\n- {kernel: A, before: EMULATION, devices: any, "
           "scheme: any, activation: any, activation_format: any, can: [expert_parallel, eplb, "
           "lora, batch_invariant, bias, router_weight_on_input, per_token_activation_scale], "
           "clamp: [{limit: taken, alpha: taken, beta: taken, source: s}], source: s}\n",
      { { 0 } } }, /* another clamp: not known to take all */
    { "needs more",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90, scheme: "
           "any, activation: any, needs: {cuda: 13}, source: s}\n- {kernel: B, devices: 90, "
           "scheme: w4a4, activation: silu, source: s}\n",
      { { 0 } } },
    { "needs the same",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90, scheme: "
           "any, activation: any, needs: {cuda: 13}, source: s}\n- {kernel: B, devices: 90, "
           "scheme: w4a4, activation: silu, needs: {cuda: 13}, source: s}\n",
      { { W, 8, 3, "chosen only when asked" } } },
    { "wrong sometimes",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90, scheme: "
           "any, activation: any, source: s}\n- {kernel: B, devices: 90, scheme: w4a4, activation: "
           "silu, source: s}\n"
           "errata: [{erratum: e, kernels: A, text: t, source: s}]\n",
      { { 0 } } },
    { "built with the engine",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90, scheme: "
           "any, activation: any, engine_built: true, source: s}\n- {kernel: B, devices: 90, scheme: "
           "w4a4, activation: silu, source: s}\n",
      { { 0 } } },
    { "switched off",
      BASE "backends: [A, B]\nnames: {a: A, b: B}\nkernels:\n- {kernel: A, devices: 90, scheme: "
           "any, activation: any, source: s}\n- {kernel: B, devices: 90, scheme: w4a4, activation: "
           "silu, source: s}\ndisable: A\n",
      { { 0 } } },

    /* names and sources */
    { "backend without kernel",
      BASE "backends: [A]\n",
      { { W, 4, 12, "the backend A has no kernel" } } },
    { "backend without name",
      BASE "backends: [A]\nkernels:\n- {kernel: A, devices: 90, scheme: w4a4, activation: situ, "
           "source: s}\n",
      { { N, 4, 12, "nobody can ask for A" } } },
    { "name without kernel",
      "name: x\nextends: vllm-44992\nsource: s\nnames: {humming: HUMMING}\n",
      { { W, 4, 9, "'humming' names a backend" } } },
    { "kernel without source",
      BASE "kernels:\n- {kernel: MARLIN/new, before: MARLIN, devices: 90, scheme: w4a4, "
           "activation: silu}\n",
      { { W, 5, 3, "MARLIN/new has no 'source'" } } },
    { "change without source",
      BASE "kernels:\n- {kernel: MARLIN, devices: 90}\n",
      { { W, 5, 3, "what is changed of MARLIN" } } },
    { "move without source",
      BASE "kernels:\n- {kernel: MARLIN, before: FLASHINFER_CUTLASS, opt_in: true}\n",
      { { 0 } } },
    { "rules without source",
      BASE "kernels:\n- kernel: MARLIN\n  source: s\n  needs: {cuda: 12}\n  add:\n    conditions: "
           "[{rules_out: bias, when: {lora: true}}]\n    clamp: [{limit: taken, when: {activation: "
           "situ}}]\n",
      { { W, 9, 18, "the condition has no 'source'" },
        { W, 10, 13, "the clamp rule has no 'source'" } } },
    { "erratum without source",
      BASE "errata: [{erratum: e, kernels: MARLIN, text: t}]\n",
      { { W, 4, 10, "'e' has no 'source'" } } },
};

static void finds(void **state)
{
    const struct row *const row = *state;
    nvfp4_policy_remark remarks[16];
    nvfp4_error error = { .status = NVFP4_OK };
    size_t count = 0, expected = 0;
    assert_int_equal(
        nvfp4_policy_check_text(row->text, strlen(row->text), NULL, remarks, 16, &count, &error),
        NVFP4_OK);
    while (expected < MOST && row->remarks[expected].severity != 0)
        expected++;
    for (size_t i = 0; i < count && i < 16; i++)
        if (count != expected || remarks[i].line != row->remarks[i].line ||
            remarks[i].column != row->remarks[i].column ||
            strstr(remarks[i].message, row->remarks[i].message) == NULL)
            print_error("%d:%d: %s: %s\n", remarks[i].line, remarks[i].column,
                        nvfp4_severity_name((nvfp4_severity)remarks[i].severity),
                        remarks[i].message);
    assert_int_equal(count, expected);
    for (size_t i = 0; i < expected; i++) {
        assert_int_equal(remarks[i].severity, row->remarks[i].severity);
        assert_int_equal(remarks[i].line, row->remarks[i].line);
        assert_int_equal(remarks[i].column, row->remarks[i].column);
        assert_non_null(strstr(remarks[i].message, row->remarks[i].message));
    }
}

/* A built-in policy as a file has nothing worse than a note in it, and all its sources. */
static void passes_the_built_in_ones(void **state)
{
    static char text[1 << 17];
    const nvfp4_policy *policy;
    (void)state;
    for (size_t i = 0; (policy = nvfp4_policy_builtin_at(i)) != NULL; i++) {
        nvfp4_policy_remark remarks[64];
        size_t length = 0, count = 0;
        assert_int_equal(
            nvfp4_policy_print(policy, NVFP4_PRINT_EVIDENCE, text, sizeof text, &length), NVFP4_OK);
        assert_true(length < sizeof text);
        assert_int_equal(nvfp4_policy_check_text(text, length, NULL, remarks, 64, &count, NULL),
                         NVFP4_OK);
        for (size_t k = 0; k < count; k++)
            if (remarks[k].severity != NVFP4_SEVERITY_NOTE)
                fail_msg("%s:%d: %s", nvfp4_policy_name(policy), remarks[k].line,
                         remarks[k].message);
    }
}

static void counts_beyond_the_array(void **state)
{
    static const char text[] = BASE "prefer: [a, b, c, d, e]\n";
    nvfp4_policy_remark remarks[2] = { { 0 }, { 0 } };
    size_t count = 0;
    (void)state;
    assert_int_equal(nvfp4_policy_check_text(text, strlen(text), NULL, remarks, 1, &count, NULL),
                     NVFP4_OK);
    assert_int_equal(count, 5);
    assert_int_equal(remarks[0].column, 10);
    assert_int_equal(remarks[1].line, 0);
    assert_int_equal(nvfp4_policy_check_text(text, strlen(text), NULL, NULL, 0, &count, NULL),
                     NVFP4_OK);
    assert_int_equal(count, 5);
}

static void gives_up_after_many(void **state)
{
    static char text[8192];
    size_t length, count = 0;
    (void)state;
    length = (size_t)snprintf(text, sizeof text, BASE "prefer: [");
    for (int i = 0; i < 1000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "x%d,", i);
    length += (size_t)snprintf(text + length, sizeof text - length, "]\n");
    assert_int_equal(nvfp4_policy_check_text(text, length, NULL, NULL, 0, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 200);
}

static void checks_files(void **state)
{
    nvfp4_policy_remark remarks[8];
    nvfp4_error error = { .status = NVFP4_OK };
    size_t count = 0;
    (void)state;
    assert_int_equal(
        nvfp4_policy_check(NVFP4_TEST_DATA "/policies/chain-3.yaml", remarks, 8, &count, &error),
        NVFP4_OK);
    assert_int_equal(count, 2); /* SECOND has no name, and stands in front of FIRST */
    assert_int_equal(nvfp4_policy_check(NVFP4_TEST_DATA "/policies/broken-base.yaml", remarks, 8,
                                        &count, &error),
                     NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(remarks[0].line, 2);
    assert_non_null(strstr(remarks[0].message, "did you mean 'marlin'"));
    assert_int_equal(
        nvfp4_policy_check(NVFP4_TEST_DATA "/policies/absent.yaml", remarks, 8, &count, &error),
        NVFP4_EIO);
    assert_int_equal(nvfp4_policy_check(NULL, remarks, 8, &count, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_check_text("[", 1, NULL, remarks, 8, &count, &error),
                     NVFP4_ESYNTAX);
    assert_int_equal(nvfp4_policy_check_text("[", 1, NULL, NULL, 8, &count, &error), NVFP4_EINVAL);
}

static void names_severities(void **state)
{
    (void)state;
    assert_string_equal(nvfp4_severity_name(NVFP4_SEVERITY_NOTE), "note");
    assert_string_equal(nvfp4_severity_name(NVFP4_SEVERITY_WARNING), "warning");
    assert_string_equal(nvfp4_severity_name(NVFP4_SEVERITY_ERROR), "error");
    assert_string_equal(nvfp4_severity_name((nvfp4_severity)0), "unknown");
    assert_string_equal(nvfp4_severity_name(NVFP4_SEVERITY_COUNT), "unknown");
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static const struct CMUnitTest singles[] = {
        cmocka_unit_test(passes_the_built_in_ones), cmocka_unit_test(counts_beyond_the_array),
        cmocka_unit_test(gives_up_after_many),      cmocka_unit_test(checks_files),
        cmocka_unit_test(names_severities),
    };
    static struct CMUnitTest tests[ROWS + sizeof singles / sizeof singles[0]];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = finds,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    memcpy(tests + ROWS, singles, sizeof singles);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
