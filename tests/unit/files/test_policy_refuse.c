/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about policy files that mean nothing. */
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
#define NEW                                                                                        \
    "name: x\nkernels:\n- kernel: MARLIN\n  devices: 90\n  scheme: w4a4\n  activation: silu\n"

/* ---- refusals ---- */

static const struct refusal {
    const char *name, *text;
    nvfp4_status status;
    int line, column;
    const char *message; /* a part of it */
} refusals[] = {
    { "no mapping", "[1]", NVFP4_ESCHEMA, 1, 1, "must be a mapping" },
    { "no name", "extends: default\n", NVFP4_ESCHEMA, 1, 1, "needs 'name'" },
    { "no kernels", "name: x\n", NVFP4_ESCHEMA, 1, 1, "needs 'kernels'" },
    { "not well-formed", "name: [x\n", NVFP4_ESYNTAX, 0, 0, "" },
    { "key twice", "name: x\nname: y\n", NVFP4_ESCHEMA, 2, 1, "name" },
    { "other format", "format: nvfp4moe-policy/2\n" BASE, NVFP4_ESCHEMA, 1, 9,
      "nvfp4moe-policy/1" },
    { "unknown key", "name: x\nextend: default\n", NVFP4_ESCHEMA, 2, 1, "did you mean 'extends'" },
    { "unknown base", "name: x\nextends: defalt\n", NVFP4_EUNKNOWN, 2, 10,
      "did you mean 'default'" },
    { "file from memory", "name: x\nextends: other.yaml\n", NVFP4_ESCHEMA, 2, 10,
      "no file itself" },
    { "name with blank", "name: a b\nextends: default\n", NVFP4_ESCHEMA, 1, 7, "letters, digits" },
    { "control in text", BASE "summary: \"a\\eb\"\n", NVFP4_ESCHEMA, 3, 10, "control" },
    { "C1 control in text", BASE "summary: \"a\\u009bb\"\n", NVFP4_ESCHEMA, 3, 10, "control" },
    { "flag is a word", BASE "all2all_needs_data_parallel: 1\n", NVFP4_ESCHEMA, 3, 30,
      "true or false" },
    { "NUL in a key", "{\"name\\u0000x\": \"x\", \"extends\": \"default\"}", NVFP4_ESCHEMA, 1, 2,
      "NUL" },

    { "kernels no list", BASE "kernels: {}\n", NVFP4_ESCHEMA, 3, 10, "list of kernels" },
    { "kernel without name", BASE "kernels:\n- devices: 90\n", NVFP4_ESCHEMA, 4, 3,
      "needs 'kernel'" },
    { "kernel twice", NEW "- kernel: MARLIN\n  devices: 80\n", NVFP4_ESCHEMA, 7, 11, "twice" },
    { "change twice",
      BASE "kernels:\n- {kernel: MARLIN, opt_in: true}\n- {kernel: marlin, devices: 90}\n",
      NVFP4_ESCHEMA, 5, 12, "first on line 4" },
    { "backend not declared",
      "name: x\nkernels:\n- {kernel: MARLON, devices: any, scheme: any, activation: any}\n",
      NVFP4_ESCHEMA, 3, 12, "declared under 'backends'" },
    { "new without devices",
      BASE "kernels:\n- {kernel: MARLIN/two, scheme: any, activation: any}\n", NVFP4_ESCHEMA, 4, 3,
      "needs 'devices'" },
    { "unknown word", BASE "kernels:\n- kernel: MARLIN\n  activation: [silu, swiglu_oai]\n",
      NVFP4_ESCHEMA, 5, 22, "did you mean 'swigluoai'" },
    { "any in a list", BASE "kernels:\n- kernel: MARLIN\n  dtype: [any]\n", NVFP4_ESCHEMA, 5, 11,
      "stands alone" },
    { "except and more", BASE "kernels:\n- kernel: MARLIN\n  dtype: {except: bf16, fp16: 1}\n",
      NVFP4_ESCHEMA, 5, 10, "except" },
    { "list in a list", BASE "kernels:\n- kernel: MARLIN\n  dtype: [[bf16]]\n", NVFP4_ESCHEMA, 5,
      11, "a word" },
    { "null for a set", BASE "kernels:\n- kernel: MARLIN\n  dtype: null\n", NVFP4_ESCHEMA, 5, 10,
      "a word" },
    { "SM of a group", BASE "kernels:\n- kernel: MARLIN\n  devices: 70\n", NVFP4_ESCHEMA, 5, 12,
      "write 70-74" },
    { "SM of the newest", BASE "kernels:\n- kernel: MARLIN\n  devices: 90-150\n", NVFP4_ESCHEMA, 5,
      12, "write 90+" },
    { "range backwards", BASE "kernels:\n- kernel: MARLIN\n  devices: 120-100\n", NVFP4_ESCHEMA, 5,
      12, "an SM" },
    { "SM too large", BASE "kernels:\n- kernel: MARLIN\n  devices: 1000\n", NVFP4_ESCHEMA, 5, 12,
      "an SM" },
    { "no device", BASE "kernels:\n- kernel: MARLIN\n  devices: hopper\n", NVFP4_ESCHEMA, 5, 12,
      "an SM" },
    { "can and cannot", BASE "kernels:\n- kernel: MARLIN\n  can: lora\n  cannot: eplb\n",
      NVFP4_ESCHEMA, 6, 3, "one of them" },
    { "unknown ability", BASE "kernels:\n- kernel: MARLIN\n  can: loras\n", NVFP4_ESCHEMA, 5, 8,
      "did you mean 'lora'" },
    { "before and after", BASE "kernels:\n- kernel: MARLIN\n  before: HUMMING\n  after: HUMMING\n",
      NVFP4_ESCHEMA, 6, 3, "not both" },
    { "before itself", BASE "kernels:\n- kernel: MARLIN\n  before: marlin\n", NVFP4_ESCHEMA, 5, 11,
      "itself" },
    { "before nothing", BASE "kernels:\n- kernel: MARLIN\n  before: humm\n", NVFP4_ESCHEMA, 5, 11,
      "unknown kernel" },
    { "halves unknown", BASE "kernels:\n- kernel: MARLIN\n  halves: gateup\n", NVFP4_ESCHEMA, 5, 11,
      "did you mean 'gate_up'" },
    { "padding too large", BASE "kernels:\n- kernel: MARLIN\n  padding: {gated: 40000}\n",
      NVFP4_ESCHEMA, 5, 20, "32767" },
    { "padding to 96", BASE "kernels:\n- kernel: MARLIN\n  padding: {gated: 96}\n", NVFP4_ESCHEMA,
      5, 20, "power of two" },
    { "remove conditions", BASE "kernels:\n- kernel: MARLIN\n  remove: {conditions: []}\n",
      NVFP4_ESCHEMA, 5, 12, "unknown key" },
    { "needs no mapping", BASE "kernels:\n- kernel: MARLIN\n  needs: flashinfer\n", NVFP4_ESCHEMA,
      5, 10, "mapping" },
    { "needs unknown", BASE "kernels:\n- kernel: MARLIN\n  needs: {flashinfr: any}\n",
      NVFP4_ESCHEMA, 5, 11, "did you mean 'flashinfer'" },
    { "needs no version", BASE "kernels:\n- kernel: MARLIN\n  needs: {cuda: new}\n", NVFP4_ESCHEMA,
      5, 17, "a version" },

    { "condition of no kind",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - when: {dtype: bf16}\n", NVFP4_ESCHEMA, 6,
      5, "rules_out" },
    { "condition of two kinds",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    top_k_at_most: 1\n",
      NVFP4_ESCHEMA, 7, 5, "make two" },
    { "reason unknown", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: clmap\n",
      NVFP4_ESCHEMA, 6, 16, "did you mean 'clamp'" },
    { "reason of the library's",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: peer\n", NVFP4_ESCHEMA, 6, 16,
      "unknown word 'peer'" },
    { "reason missing", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - top_k_at_most: 1\n",
      NVFP4_ESCHEMA, 6, 5, "needs a reason" },
    { "reason twice",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    reason: bias\n",
      NVFP4_ESCHEMA, 7, 5, "no reason beside" },
    { "multiple of 0", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - width_multiple_of: 0\n",
      NVFP4_ESCHEMA, 6, 24, "from 1" },
    { "version of what",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    from: 1.0\n",
      NVFP4_ESCHEMA, 7, 5, "which library" },
    { "two libraries",
      BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - needs: {cuda: 12.9}\n    library: "
           "vllm\n    below: 1.0\n",
      NVFP4_ESCHEMA, 6, 13, "one library" },
    { "unknown key of when",
      BASE
      "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    when: {device: 90}\n",
      NVFP4_ESCHEMA, 7, 12, "did you mean 'devices'" },
    { "flag of when",
      BASE
      "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    when: {lora: yes}\n",
      NVFP4_ESCHEMA, 7, 18, "true or false" },

    { "clamp without limit", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - alpha: 1.0\n",
      NVFP4_ESCHEMA, 6, 5, "needs 'limit'" },
    { "limit not above 0", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: 0\n",
      NVFP4_ESCHEMA, 6, 12, "above 0" },
    { "limit infinite", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: .inf\n",
      NVFP4_ESCHEMA, 6, 12, "finite" },
    { "no limit below zero",
      BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: taken\n    without_limit: -1\n",
      NVFP4_ESCHEMA, 7, 20, "without_limit must be fine, refused, clamps, or a number above 0" },
    { "two constants",
      BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: 7\n    without_limit: 8\n",
      NVFP4_ESCHEMA, 7, 20, "one constant" },
    { "alpha alone",
      BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: taken\n    alpha: taken\n",
      NVFP4_ESCHEMA, 7, 12, "both, or neither" },
    { "below in a clamp rule",
      BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: taken\n    below: 1.0\n",
      NVFP4_ESCHEMA, 7, 5, "unknown key" },

    { "erratum without text", BASE "errata:\n- {erratum: a, kernels: MARLIN}\n", NVFP4_ESCHEMA, 4,
      3, "needs 'text'" },
    { "erratum twice",
      BASE "errata:\n- {erratum: a, kernels: MARLIN, text: t}\n- {erratum: a, kernels: MARLIN, "
           "text: t}\n",
      NVFP4_ESCHEMA, 5, 3, "twice" },
    { "erratum of a stranger", BASE "errata:\n- {erratum: a, kernels: MERLIN, text: t}\n",
      NVFP4_ESCHEMA, 4, 25, "did you mean 'marlin'" },
    { "erratum not there", BASE "errata_off: b12x-512-expert\n", NVFP4_ESCHEMA, 3, 13,
      "did you mean 'b12x-512-experts'" },

    { "backend taken", BASE "backends: [Marlin]\n", NVFP4_ESCHEMA, 3, 12, "taken" },
    { "backend called auto", BASE "backends: [AUTO]\n", NVFP4_ESCHEMA, 3, 12, "taken" },
    { "id not free", BASE "backends: {A: 50, B: 50}\n", NVFP4_ESCHEMA, 3, 22, "id 50 is taken" },
    { "id of ours", BASE "backends: {A: 8}\n", NVFP4_ESCHEMA, 3, 15, "48 to 63" },
    { "17 backends",
      BASE "backends: [A1, A2, A3, A4, A5, A6, A7, A8, B1, B2, B3, B4, B5, B6, B7, B8, C1]\n",
      NVFP4_ELIMIT, 3, 76, "16" },
    { "key of nothing", BASE "keys: {runner: [a, b]}\n", NVFP4_ESCHEMA, 3, 8, "layer.NAME" },
    { "key that is there", BASE "keys: {layer.activation: [a, b]}\n", NVFP4_ESCHEMA, 3, 8,
      "already" },
    { "key that requests have", BASE "keys: {deployment.top_k: [a, b]}\n", NVFP4_ESCHEMA, 3, 8,
      "already" },
    { "key of one word", BASE "keys: {layer.arch: [a]}\n", NVFP4_ESCHEMA, 3, 20, "two words" },
    { "key with a word twice", BASE "keys: {layer.arch: [a, b, a]}\n", NVFP4_ESCHEMA, 3, 27,
      "twice" },
    { "name auto", BASE "names: {auto: MARLIN}\n", NVFP4_ESCHEMA, 3, 9, "auto" },
    { "name of nothing", BASE "names: {fast: MARLN}\n", NVFP4_ESCHEMA, 3, 15, "unknown backend" },
    { "name never there", BASE "names: {fast: null}\n", NVFP4_ESCHEMA, 3, 9, "take back" },
    { "batched alone", BASE "names: {fast: {batched: MARLIN}}\n", NVFP4_ESCHEMA, 3, 15,
      "standard" },

    { "prefer a stranger", BASE "prefer: [marlin, cutlas]\n", NVFP4_ESCHEMA, 3, 18,
      "did you mean 'cutlass'" },
    { "disable a stranger", BASE "disable: HUMMING/grouped_\n", NVFP4_ESCHEMA, 3, 10,
      "did you mean 'HUMMING/grouped'" },
    { "clamp set of strangers", BASE "clamp_set: [x]\n", NVFP4_ESCHEMA, 3, 13, "unknown kernel" },

    { "record without device", BASE "verified: [{kernel: MARLIN, verdict: honours}]\n",
      NVFP4_ESCHEMA, 3, 12, "needs 'device'" },
    { "record without SM", BASE "verified: [{device: H200, kernel: MARLIN, verdict: honours}]\n",
      NVFP4_ESCHEMA, 3, 21, "with its SM" },
    { "record with another verdict",
      BASE "verified: [{device: sm 90, kernel: MARLIN, verdict: honors}]\n", NVFP4_ESCHEMA, 3, 53,
      "did you mean 'honours'" },
    { "record of no version",
      BASE "verified: [{device: sm 90, kernel: MARLIN, version: 1.0, verdict: other}]\n",
      NVFP4_ESCHEMA, 3, 53, "flashinfer 0.6.18" },
    { "record file from memory", BASE "verified: record.yaml\n", NVFP4_ESCHEMA, 3, 11,
      "no file itself" },
};

static void refuses(void **state)
{
    const struct refusal *const r = *state;
    const nvfp4_policy *policy = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    const nvfp4_status status = nvfp4_policy_parse(r->text, strlen(r->text), NULL, &policy, &error);
    if (strstr(error.message, r->message) == NULL || (r->line != 0 && error.line != r->line) ||
        (r->column != 0 && error.column != r->column))
        print_error("%d:%d: %s\n", error.line, error.column, error.message);
    assert_int_equal(status, r->status);
    assert_int_equal(error.status, r->status);
    assert_null(policy);
    if (r->line != 0) {
        assert_int_equal(error.line, r->line);
        assert_int_equal(error.column, r->column);
    }
    assert_non_null(strstr(error.message, r->message));
    assert_int_equal(nvfp4_policy_parse(r->text, strlen(r->text), NULL, &policy, NULL), r->status);
}

int main(void)
{
    enum { ROWS = sizeof refusals / sizeof refusals[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = refusals[i].name,
                                        .test_func = refuses,
                                        .initial_state = (void *)(uintptr_t)&refusals[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
