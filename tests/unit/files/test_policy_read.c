/* SPDX-License-Identifier: Apache-2.0 */
/* What policy files mean, and what is said about those that mean nothing. */
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
#define NEW "name: x\nkernels:\n- kernel: MARLIN\n  devices: 90\n  scheme: w4a4\n  activation: silu\n"

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
    { "other format", "format: nvfp4moe-policy/2\n" BASE, NVFP4_ESCHEMA, 1, 9, "nvfp4moe-policy/1" },
    { "unknown key", "name: x\nextend: default\n", NVFP4_ESCHEMA, 2, 1, "did you mean 'extends'" },
    { "unknown base", "name: x\nextends: defalt\n", NVFP4_EUNKNOWN, 2, 10, "did you mean 'default'" },
    { "file from memory", "name: x\nextends: other.yaml\n", NVFP4_ESCHEMA, 2, 10, "no file itself" },
    { "name with blank", "name: a b\nextends: default\n", NVFP4_ESCHEMA, 1, 7, "letters, digits" },
    { "control in text", BASE "summary: \"a\\eb\"\n", NVFP4_ESCHEMA, 3, 10, "control" },
    { "C1 control in text", BASE "summary: \"a\\u009bb\"\n", NVFP4_ESCHEMA, 3, 10, "control" },
    { "flag is a word", BASE "all2all_needs_data_parallel: 1\n", NVFP4_ESCHEMA, 3, 30, "true or false" },
    { "NUL in a key", "{\"name\\u0000x\": \"x\", \"extends\": \"default\"}", NVFP4_ESCHEMA, 1, 2, "NUL" },

    { "kernels no list", BASE "kernels: {}\n", NVFP4_ESCHEMA, 3, 10, "list of kernels" },
    { "kernel without name", BASE "kernels:\n- devices: 90\n", NVFP4_ESCHEMA, 4, 3, "needs 'kernel'" },
    { "kernel twice", NEW "- kernel: MARLIN\n  devices: 80\n", NVFP4_ESCHEMA, 7, 11, "twice" },
    { "change twice", BASE "kernels:\n- {kernel: MARLIN, opt_in: true}\n- {kernel: marlin, devices: 90}\n",
      NVFP4_ESCHEMA, 5, 12, "first on line 4" },
    { "backend not declared", "name: x\nkernels:\n- {kernel: MARLON, devices: any, scheme: any, activation: any}\n",
      NVFP4_ESCHEMA, 3, 12, "declared under 'backends'" },
    { "new without devices", BASE "kernels:\n- {kernel: MARLIN/two, scheme: any, activation: any}\n",
      NVFP4_ESCHEMA, 4, 3, "needs 'devices'" },
    { "unknown word", BASE "kernels:\n- kernel: MARLIN\n  activation: [silu, swiglu_oai]\n", NVFP4_ESCHEMA, 5,
      22, "did you mean 'swigluoai'" },
    { "any in a list", BASE "kernels:\n- kernel: MARLIN\n  dtype: [any]\n", NVFP4_ESCHEMA, 5, 11, "stands alone" },
    { "except and more", BASE "kernels:\n- kernel: MARLIN\n  dtype: {except: bf16, fp16: 1}\n", NVFP4_ESCHEMA, 5,
      10, "except" },
    { "list in a list", BASE "kernels:\n- kernel: MARLIN\n  dtype: [[bf16]]\n", NVFP4_ESCHEMA, 5, 11, "a word" },
    { "null for a set", BASE "kernels:\n- kernel: MARLIN\n  dtype: null\n", NVFP4_ESCHEMA, 5, 10, "a word" },
    { "SM of a group", BASE "kernels:\n- kernel: MARLIN\n  devices: 70\n", NVFP4_ESCHEMA, 5, 12, "write 70-74" },
    { "SM of the newest", BASE "kernels:\n- kernel: MARLIN\n  devices: 90-150\n", NVFP4_ESCHEMA, 5, 12, "write 90+" },
    { "range backwards", BASE "kernels:\n- kernel: MARLIN\n  devices: 120-100\n", NVFP4_ESCHEMA, 5, 12, "an SM" },
    { "SM too large", BASE "kernels:\n- kernel: MARLIN\n  devices: 1000\n", NVFP4_ESCHEMA, 5, 12, "an SM" },
    { "no device", BASE "kernels:\n- kernel: MARLIN\n  devices: hopper\n", NVFP4_ESCHEMA, 5, 12, "an SM" },
    { "can and cannot", BASE "kernels:\n- kernel: MARLIN\n  can: lora\n  cannot: eplb\n", NVFP4_ESCHEMA, 6, 3, "one of them" },
    { "unknown ability", BASE "kernels:\n- kernel: MARLIN\n  can: loras\n", NVFP4_ESCHEMA, 5, 8, "did you mean 'lora'" },
    { "before and after", BASE "kernels:\n- kernel: MARLIN\n  before: HUMMING\n  after: HUMMING\n", NVFP4_ESCHEMA, 6, 3, "not both" },
    { "before itself", BASE "kernels:\n- kernel: MARLIN\n  before: marlin\n", NVFP4_ESCHEMA, 5, 11, "itself" },
    { "before nothing", BASE "kernels:\n- kernel: MARLIN\n  before: humm\n", NVFP4_ESCHEMA, 5, 11, "unknown kernel" },
    { "halves unknown", BASE "kernels:\n- kernel: MARLIN\n  halves: gateup\n", NVFP4_ESCHEMA, 5, 11, "did you mean 'gate_up'" },
    { "padding too large", BASE "kernels:\n- kernel: MARLIN\n  padding: {gated: 40000}\n", NVFP4_ESCHEMA, 5, 20, "32767" },
    { "padding to 96", BASE "kernels:\n- kernel: MARLIN\n  padding: {gated: 96}\n", NVFP4_ESCHEMA, 5, 20, "power of two" },
    { "remove conditions", BASE "kernels:\n- kernel: MARLIN\n  remove: {conditions: []}\n", NVFP4_ESCHEMA, 5, 12, "unknown key" },
    { "needs no mapping", BASE "kernels:\n- kernel: MARLIN\n  needs: flashinfer\n", NVFP4_ESCHEMA, 5, 10, "mapping" },
    { "needs unknown", BASE "kernels:\n- kernel: MARLIN\n  needs: {flashinfr: any}\n", NVFP4_ESCHEMA, 5, 11, "did you mean 'flashinfer'" },
    { "needs no version", BASE "kernels:\n- kernel: MARLIN\n  needs: {cuda: new}\n", NVFP4_ESCHEMA, 5, 17, "a version" },

    { "condition of no kind", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - when: {dtype: bf16}\n", NVFP4_ESCHEMA, 6, 5, "rules_out" },
    { "condition of two kinds", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    top_k_at_most: 1\n", NVFP4_ESCHEMA, 7, 5, "make two" },
    { "reason unknown", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: clmap\n", NVFP4_ESCHEMA, 6, 16, "did you mean 'clamp'" },
    { "reason of the library's", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: peer\n", NVFP4_ESCHEMA, 6, 16, "unknown word 'peer'" },
    { "reason missing", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - top_k_at_most: 1\n", NVFP4_ESCHEMA, 6, 5, "needs a reason" },
    { "reason twice", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    reason: bias\n", NVFP4_ESCHEMA, 7, 5, "no reason beside" },
    { "multiple of 0", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - width_multiple_of: 0\n", NVFP4_ESCHEMA, 6, 24, "from 1" },
    { "version of what", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    from: 1.0\n", NVFP4_ESCHEMA, 7, 5, "which library" },
    { "two libraries", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - needs: {cuda: 12.9}\n    library: vllm\n    below: 1.0\n", NVFP4_ESCHEMA, 6, 13, "one library" },
    { "unknown key of when", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    when: {device: 90}\n", NVFP4_ESCHEMA, 7, 12, "did you mean 'devices'" },
    { "flag of when", BASE "kernels:\n- kernel: MARLIN\n  conditions:\n  - rules_out: bias\n    when: {lora: yes}\n", NVFP4_ESCHEMA, 7, 18, "true or false" },

    { "clamp without limit", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - alpha: 1.0\n", NVFP4_ESCHEMA, 6, 5, "needs 'limit'" },
    { "limit not above 0", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: 0\n", NVFP4_ESCHEMA, 6, 12, "above 0" },
    { "limit infinite", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: .inf\n", NVFP4_ESCHEMA, 6, 12, "finite" },
    { "two constants", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: 7\n    without_limit: 8\n", NVFP4_ESCHEMA, 7, 20, "one constant" },
    { "alpha alone", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: taken\n    alpha: taken\n", NVFP4_ESCHEMA, 7, 12, "both, or neither" },
    { "below in a clamp rule", BASE "kernels:\n- kernel: MARLIN\n  clamp:\n  - limit: taken\n    below: 1.0\n", NVFP4_ESCHEMA, 7, 5, "unknown key" },

    { "erratum without text", BASE "errata:\n- {erratum: a, kernels: MARLIN}\n", NVFP4_ESCHEMA, 4, 3, "needs 'text'" },
    { "erratum twice", BASE "errata:\n- {erratum: a, kernels: MARLIN, text: t}\n- {erratum: a, kernels: MARLIN, text: t}\n", NVFP4_ESCHEMA, 5, 3, "twice" },
    { "erratum of a stranger", BASE "errata:\n- {erratum: a, kernels: MERLIN, text: t}\n", NVFP4_ESCHEMA, 4, 25, "did you mean 'marlin'" },
    { "erratum not there", BASE "errata_off: b12x-512-expert\n", NVFP4_ESCHEMA, 3, 13, "did you mean 'b12x-512-experts'" },

    { "backend taken", BASE "backends: [Marlin]\n", NVFP4_ESCHEMA, 3, 12, "taken" },
    { "backend called auto", BASE "backends: [AUTO]\n", NVFP4_ESCHEMA, 3, 12, "taken" },
    { "id not free", BASE "backends: {A: 50, B: 50}\n", NVFP4_ESCHEMA, 3, 22, "id 50 is taken" },
    { "id of ours", BASE "backends: {A: 8}\n", NVFP4_ESCHEMA, 3, 15, "48 to 63" },
    { "17 backends", BASE "backends: [A1, A2, A3, A4, A5, A6, A7, A8, B1, B2, B3, B4, B5, B6, B7, B8, C1]\n", NVFP4_ELIMIT, 3, 76, "16" },
    { "key of nothing", BASE "keys: {runner: [a, b]}\n", NVFP4_ESCHEMA, 3, 8, "layer.NAME" },
    { "key that is there", BASE "keys: {layer.activation: [a, b]}\n", NVFP4_ESCHEMA, 3, 8, "already" },
    { "key of one word", BASE "keys: {layer.arch: [a]}\n", NVFP4_ESCHEMA, 3, 20, "two words" },
    { "key with a word twice", BASE "keys: {layer.arch: [a, b, a]}\n", NVFP4_ESCHEMA, 3, 27, "twice" },
    { "name auto", BASE "names: {auto: MARLIN}\n", NVFP4_ESCHEMA, 3, 9, "auto" },
    { "name of nothing", BASE "names: {fast: MARLN}\n", NVFP4_ESCHEMA, 3, 15, "unknown backend" },
    { "name never there", BASE "names: {fast: null}\n", NVFP4_ESCHEMA, 3, 9, "take back" },
    { "batched alone", BASE "names: {fast: {batched: MARLIN}}\n", NVFP4_ESCHEMA, 3, 15, "standard" },

    { "prefer a stranger", BASE "prefer: [marlin, cutlas]\n", NVFP4_ESCHEMA, 3, 18, "did you mean 'cutlass'" },
    { "disable a stranger", BASE "disable: HUMMING/grouped_\n", NVFP4_ESCHEMA, 3, 10, "did you mean 'HUMMING/grouped'" },
    { "clamp set of strangers", BASE "clamp_set: [x]\n", NVFP4_ESCHEMA, 3, 13, "unknown kernel" },

    { "record without device", BASE "verified: [{kernel: MARLIN, verdict: honours}]\n", NVFP4_ESCHEMA, 3, 12, "needs 'device'" },
    { "record without SM", BASE "verified: [{device: H200, kernel: MARLIN, verdict: honours}]\n", NVFP4_ESCHEMA, 3, 21, "with its SM" },
    { "record with another verdict", BASE "verified: [{device: sm 90, kernel: MARLIN, verdict: honors}]\n", NVFP4_ESCHEMA, 3, 53, "did you mean 'honours'" },
    { "record of no version", BASE "verified: [{device: sm 90, kernel: MARLIN, version: 1.0, verdict: other}]\n", NVFP4_ESCHEMA, 3, 53, "flashinfer 0.6.18" },
    { "record file from memory", BASE "verified: record.yaml\n", NVFP4_ESCHEMA, 3, 11, "no file itself" },
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

/* ---- meanings ---- */

struct ask {
    int sm;
    nvfp4_activation activation;
    double limit; /* 0: none */
    const char *backend; /* NULL: auto */
    const char *flashinfer; /* NULL: unknown */
};

static const struct meaning {
    const char *name, *text;
    struct ask ask;
    const char *kernel; /* chosen; NULL: none */
    const char *loser;  /* a kernel that is ruled out, or NULL, */
    nvfp4_reason_set reasons; /* by exactly these */
} meanings[] = {
#define SILU NVFP4_ACTIVATION_SILU
#define BIT(name) NVFP4_REASON_BIT(NVFP4_REASON_##name)
    { "as the base", BASE, { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", "B12X", BIT(OPT_IN) },
    { "JSON", "{\"name\": \"x\", \"extends\": \"default\", \"prefer\": [\"marlin\"]}",
      { 120, SILU, 10, NULL, NULL }, "MARLIN", NULL, 0 },
    { "base by its name", "name: x\nextends: vllm-44992\n", { 120, SILU, 10, NULL, NULL }, NULL, "MARLIN", BIT(CLAMP) },
    { "prefer", BASE "prefer: [marlin]\n", { 120, SILU, 10, NULL, NULL }, "MARLIN", NULL, 0 },
    { "prefer a kernel", BASE "prefer: FLASHINFER_TRTLLM/modular\n", { 100, SILU, 10, NULL, NULL }, "FLASHINFER_TRTLLM/modular", NULL, 0 },
    { "prefer keeps opt-in last", BASE "prefer: [b12x, emulation]\n", { 120, SILU, 0, NULL, NULL }, "EMULATION", "B12X", BIT(OPT_IN) },
    { "disable", BASE "disable: [flashinfer_cutlass]\n", { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(DISABLED) },
    { "disable twice", BASE "disable: [cutlass, VLLM_CUTLASS]\n", { 120, SILU, 10, "cutlass", NULL }, NULL, "VLLM_CUTLASS", BIT(DISABLED) },
    { "opt_in", BASE "opt_in: FLASHINFER_CUTLASS\n", { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(OPT_IN) },
    { "opt_in when asked", BASE "opt_in: FLASHINFER_CUTLASS\n", { 120, SILU, 10, "flashinfer_cutlass", NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "auto goes behind", BASE "auto: b12x\n", { 120, SILU, 0, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "auto and prefer", BASE "auto: b12x\nprefer: b12x\n", { 120, SILU, 0, NULL, NULL }, "B12X", NULL, 0 },
    { "new kernel", BASE "kernels:\n- {kernel: MARLIN/new, before: marlin, devices: 90, scheme: w4a4, activation: silu}\n",
      { 90, SILU, 0, NULL, NULL }, "MARLIN/new", NULL, 0 },
    { "new kernel cannot clamp", BASE "kernels:\n- {kernel: MARLIN/new, before: marlin, devices: 90, scheme: w4a4, activation: silu}\n",
      { 90, SILU, 7, NULL, NULL }, "MARLIN/", "MARLIN/new", BIT(CLAMP) },
    { "new kernel without a place", BASE "kernels:\n- {kernel: MARLIN/new, devices: 75-90, scheme: w4a4, activation: silu}\n",
      { 90, SILU, 0, NULL, NULL }, "MARLIN/", NULL, 0 },
    { "new kernel behind", BASE "kernels:\n- {kernel: MARLIN/new, after: marlin, devices: 90, scheme: w4a4, activation: silu}\ndisable: MARLIN/\n",
      { 90, SILU, 0, NULL, NULL }, "MARLIN/new", NULL, 0 },
    { "backend of one's own", BASE "backends: [MINE]\nnames: {mine: MINE}\nkernels:\n- {kernel: MINE, devices: any, scheme: any, activation: any}\n",
      { 90, SILU, 0, "mine", NULL }, "MINE", "MARLIN", 0 },
    { "column replaced", BASE "kernels:\n- {kernel: MARLIN, activation: gelu}\n", { 90, SILU, 0, "marlin", NULL }, NULL, "MARLIN", BIT(ACTIVATION) },
    { "add", BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, add: {devices: 90}}\n", { 90, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "remove", BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, remove: {devices: 120f}}\n", { 121, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(DEVICE) },
    { "both kernels of a backend", BASE "kernels:\n- {kernel: flashinfer_trtllm, remove: {devices: 100}}\n", { 100, SILU, 10, NULL, NULL }, "FLASHINFER_CUTEDSL", "FLASHINFER_TRTLLM/modular", BIT(DEVICE) },
    { "needs raised", BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: 0.6.18}}\n", { 120, SILU, 10, NULL, "0.6.17" }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(DEPENDENCY) },
    { "needs met", BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: 0.6.18}}\n", { 120, SILU, 10, NULL, "0.6.18" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "needs dropped", BASE "kernels:\n- {kernel: FLASHINFER_CUTLASS, needs: {flashinfer: null}}\n", { 120, SILU, 10, NULL, "absent" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "condition added", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, when: {devices: 120, swiglu_limit: true}}]\n",
      { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(BIAS) },
    { "condition not met", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, when: {devices: 120, swiglu_limit: false}}]\n",
      { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "condition from a version on", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, library: flashinfer, from: 0.6.18}]\n",
      { 120, SILU, 10, NULL, "0.6.18" }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(BIAS) },
    { "condition before that version", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add:\n    conditions: [{rules_out: bias, library: flashinfer, from: 0.6.18}]\n",
      { 120, SILU, 10, NULL, "0.6.17" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "clamp replaced", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: 7}]\n", { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(CLAMP) },
    { "clamp constant met", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: 7}]\n", { 120, SILU, 7, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "clamp added in front", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  add: {clamp: [{limit: ignored, when: {devices: 121}}]}\n", { 121, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(CLAMP) },
    { "clamp needs one", BASE "kernels:\n- kernel: FLASHINFER_CUTLASS\n  clamp: [{limit: taken, without_limit: refused}]\n", { 120, SILU, 0, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(CLAMP) },
    { "clamp set", "name: x\nextends: vllm-45836\nclamp_set: [FLASHINFER_TRTLLM, MARLIN, FLASHINFER_CUTLASS]\n", { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", "EMULATION", BIT(CLAMP) },
    { "clamp set by can", "name: x\nextends: vllm-45836\nkernels:\n- {kernel: FLASHINFER_CUTLASS, add: {can: swiglu_limit}}\n", { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "clamp set kept by cannot", "name: x\nextends: vllm-45836\nkernels:\n- {kernel: MARLIN, cannot: lora}\n", { 120, SILU, 10, NULL, NULL }, "MARLIN", NULL, 0 },
    { "no clamp set any more", "name: x\nextends: vllm-44992\nclamp_set: null\n", { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "erratum added", BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, when: {devices: 120}, text: t}\n", { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(ERRATUM) },
    { "erratum of no library", BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, text: t}\n", { 120, SILU, 10, NULL, "absent" }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(ERRATUM) | BIT(DEPENDENCY) },
    { "erratum bounded", BASE "errata:\n- {erratum: e, kernels: FLASHINFER_CUTLASS, library: flashinfer, from: 0.6.17, below: 0.6.18, text: t}\n", { 120, SILU, 10, NULL, "0.6.18" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "erratum moves along", BASE "errata:\n- {erratum: e, kernels: MARLIN, text: t}\nprefer: [marlin]\n", { 90, SILU, 10, NULL, NULL }, "HUMMING/indexed", "MARLIN", BIT(ERRATUM) },
    { "errata_off", BASE "errata_off: cutlass-sm110-tiles\n", { 110, SILU, 10, NULL, "0.6.8" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "fault verified", BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer 0.6.18, verdict: gate_only, claim: {scheme: w4a4, activation: silu}}\n",
      { 120, SILU, 10, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(CLAMP) },
    { "fault of an older version", BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer 0.6.18, verdict: gate_only}\n",
      { 120, SILU, 10, NULL, "0.6.17" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "fault of another device", BASE "verified:\n- {device: X SM_121, kernel: FLASHINFER_CUTLASS, version: flashinfer 0.6.18, verdict: gate_only}\n",
      { 120, SILU, 10, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "fault without a limit", BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, verdict: gate_only}\n",
      { 120, SILU, 0, NULL, NULL }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "fault of the halves", BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, verdict: halves_swapped}\n",
      { 120, SILU, 0, NULL, NULL }, "VLLM_CUTLASS", "FLASHINFER_CUTLASS", BIT(CLAMP) },
    { "fault repaired", BASE "verified:\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer 0.6.17, verdict: gate_only}\n- {device: X (sm 120), kernel: FLASHINFER_CUTLASS, version: flashinfer 0.6.18, verdict: honours}\n",
      { 120, SILU, 10, NULL, "0.6.18" }, "FLASHINFER_CUTLASS", NULL, 0 },
    { "honours changes nothing", BASE "verified:\n- {device: X (sm 90), kernel: FLASHINFER_CUTLASS, verdict: honours}\n",
      { 90, SILU, 10, NULL, NULL }, "MARLIN", "FLASHINFER_CUTLASS", BIT(DEVICE) },
    { "Thor's other name", BASE "kernels:\n- {kernel: MARLIN, devices: 101}\n", { 110, SILU, 10, "marlin", NULL }, "MARLIN", NULL, 0 },
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
    layer.activation = m->ask.activation;
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

/* ---- files, finding, freeing ---- */

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
    size_t count = 0;
    if (nvfp4_policy_load(NVFP4_TEST_DATA "/policies/evidence.yaml", &policy, &error) != NVFP4_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    deployment.device.sm = 90;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10;
    assert_int_equal(nvfp4_list_findings(&layer, &deployment, policy, find(policy, "MARLIN"),
                                         finding, 4, &count),
                     NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(finding[0].reason, NVFP4_REASON_CLAMP);
    assert_string_equal(finding[0].note, "verified: ignores_limit on NVIDIA H200 (sm 90) with vllm 0.24.0");
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
        length += (size_t)snprintf(text + length, sizeof text - length,
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
    enum { REFUSALS = sizeof refusals / sizeof refusals[0], MEANINGS = sizeof meanings / sizeof meanings[0] };
    static const struct CMUnitTest singles[] = {
        cmocka_unit_test(has_keys_of_its_own),   cmocka_unit_test(explains_keys_of_its_own),
        cmocka_unit_test(finds),                 cmocka_unit_test(extends_files),
        cmocka_unit_test(refuses_files),         cmocka_unit_test(reads_records_from_files),
        cmocka_unit_test(refuses_bad_arguments), cmocka_unit_test(bounds_kernels),
    };
    enum { SINGLES = sizeof singles / sizeof singles[0] };
    static struct CMUnitTest tests[REFUSALS + MEANINGS + SINGLES];
    for (size_t i = 0; i < REFUSALS; i++)
        tests[i] = (struct CMUnitTest){ .name = refusals[i].name,
                                        .test_func = refuses,
                                        .initial_state = (void *)(uintptr_t)&refusals[i] };
    for (size_t i = 0; i < MEANINGS; i++)
        tests[REFUSALS + i] = (struct CMUnitTest){ .name = meanings[i].name,
                                                   .test_func = means,
                                                   .initial_state = (void *)(uintptr_t)&meanings[i] };
    memcpy(tests + REFUSALS + MEANINGS, singles, sizeof singles);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
