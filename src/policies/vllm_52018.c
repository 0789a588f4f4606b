/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vLLM's rules as of August 2026. Rows read off the hooks of every kernel class, each called with
 * every value ("predicates"), at the commit the policy's source names.
 */
#include "policies/builtin.h"
#include "policies/compiled/vllm-52018.inc"
#include "policies/clamp_rules.h"
#include "policies/rows.h"

static const struct nvfp4_condition needs_flashinfer[] = { NEEDS(FLASHINFER) };
static const struct nvfp4_condition needs_humming[] = { NEEDS(HUMMING) };

static const struct nvfp4_condition cutlass_conditions[] = {
    NEEDS(FLASHINFER),
    {
        .when = { .device = SM(90), .values = ONLY(SCHEME, SCHEME(W4A4)) },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_SCHEME,
        .note = "runs on SM90, but not with NVFP4",
        .source = "FlashInferExperts._supports_quant_scheme: NVFP4 from SM100 on",
    },
};

static const struct nvfp4_condition emulation_conditions[] = {
    {
        .when = ALWAYS, .kind = CONDITION_EXPERTS_BELOW, .reason = NVFP4_REASON_EXPERT_COUNT,
        .number = 1024, .note = "its alignment kernel takes fewer than 1024 experts, rounded up to 32",
        .source = "experts/triton_moe.py TritonExperts.is_supported_config",
    },
};

static const struct nvfp4_condition b12x_conditions[] = {
    NEEDS(B12X),
    {
        .when = { .device = DEVICE_ANY, .values = ONLY(ACTIVATION, ACT(SITU)) },
        .kind = CONDITION_SITU_BETAS, .reason = NVFP4_REASON_ACTIVATION_PARAMS, .number = 1,
        .note = "its SiTU constants are built in",
        .source = "fused_moe/b12x.py@d70bf883 B12xExperts.is_supported_config",
    },
    {
        .when = { .device = DEVICE_ANY,
                  .values = ONLY(ACTIVATION, ACT(SWIGLUOAI_UNINTERLEAVE)) &
                            ONLY(SCHEME, ALL(SCHEME) & ~SCHEME(W4A16)) },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_ACTIVATION,
        .note = "vLLM takes this activation only with 16-bit activations",
        .source = "fused_moe/b12x.py@d70bf883 B12xExperts.is_supported_config",
    },
};

#define TRTLLM_ACTS                                                                                \
    (ACT(SILU) | ACT(GELU) | ACT(GELU_TANH) | ACT(SITU) | ACT(SWIGLUOAI_UNINTERLEAVE) |            \
     ACT(RELU2_NO_MUL))
#define SHARED_ACTS (ALL(ACTIVATION) & ~ACT(RELU2))

static const struct nvfp4_row rows[] = {
    {
        .backend = NVFP4_BACKEND_FLASHINFER_TRTLLM, .kernel = "monolithic",
        .device = SM_RANGE(100, 109),
        .values = SCHEME(W4A4) | TRTLLM_ACTS | STANDARD | TRTLLM_ROUTER | ALL2ALL(NONE) | ANY_DTYPE |
                  ANY_OPTION,
        .cannot = FLAG_EPLB | FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 64, 128, 256 },
        CONDITIONS(needs_flashinfer), CLAMP(flashinfer_trtllm),
        .source = "experts/trtllm_nvfp4_moe.py TrtLlmNvFp4ExpertsMonolithic",
    },
    {
        .backend = NVFP4_BACKEND_FLASHINFER_TRTLLM, .kernel = "modular",
        .device = SM_RANGE(100, 109),
        .values = SCHEME(W4A4) | TRTLLM_ACTS | STANDARD | ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE |
                  ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 64, 128, 256 },
        CONDITIONS(needs_flashinfer), CLAMP(flashinfer_trtllm),
        .source = "experts/trtllm_nvfp4_moe.py TrtLlmNvFp4ExpertsModular",
    },
    {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTEDSL, .kernel = "",
        .device = SM_RANGE(100, 109),
        .values = SCHEME(W4A4) | ACT(SILU) | ACT(SWIGLUOAI) | ACT(SWIGLUOAI_UNINTERLEAVE) |
                  ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE_BY_64,
        CONDITIONS(needs_flashinfer), CLAMP(flashinfer_cutedsl),
        .source = "experts/flashinfer_cutedsl_moe.py FlashInferCuteDSLExperts",
    },
    {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED, .kernel = "",
        .device = SM_RANGE(100, 109),
        .values = SCHEME(W4A4) | ACT(SILU) | BATCHED | ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE |
                  ANY_OPTION,
        .cannot = FLAG_NON_GATED | FLAG_LIMIT | FLAG_LORA | FLAG_BATCH_INVARIANT |
                  FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(needs_flashinfer), CLAMP(flashinfer_cutedsl_batched),
        .source = "experts/flashinfer_cutedsl_batched_moe.py FlashInferCuteDSLBatchedExperts",
    },
    {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTLASS, .kernel = "",
        .device = SM(90) | SM_RANGE(100, 109) | SM_RANGE(120, 129),
        .values = SCHEME(W4A4) | ACT(SILU) | ACT(GELU_TANH) | ACT(SWIGLUOAI) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER |
                  ANY_ALL2ALL | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 0, 128, 0 },
        CONDITIONS(cutlass_conditions), CLAMP(flashinfer_cutlass),
        .source = "experts/flashinfer_cutlass_moe.py FlashInferExperts",
    },
    {
        .backend = NVFP4_BACKEND_VLLM_CUTLASS, .kernel = "", .engine_built = 1,
        .device = SM_RANGE(100, 129),
        .values = SCHEME(W4A4) | SHARED_ACTS | STANDARD | ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE |
                  ANY_OPTION,
        .cannot = FLAG_EP | FLAG_LORA | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP, .padding = { 0, 128, 0 },
        CLAMP(vllm_activation),
        .source = "experts/cutlass_moe.py CutlassExpertsFp4",
    },
    {
        .backend = NVFP4_BACKEND_MARLIN, .kernel = "", .engine_built = 1, .runs_w4a16 = 1,
        .device = SM_FROM(75),
        .values = ALL(SCHEME) | SHARED_ACTS | STANDARD | ANY_ROUTER |
                  (ANY_ALL2ALL & ~ALL2ALL(FLASHINFER_NVLINK_TWO_SIDED)) | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_BATCH_INVARIANT,
        .halves = NVFP4_HALVES_GATE_UP, .padding = { 64, 64, 0 },
        CLAMP(vllm_activation),
        .source = "experts/marlin_moe.py MarlinExperts",
    },
#define HUMMING_ROW(name, format, gemm, class_name)                                                \
    {                                                                                              \
        .backend = NVFP4_BACKEND_HUMMING, .kernel = name,                                          \
        .device = SM_FROM(75),                                                                     \
        .values = SCHEME(W4A4) | SCHEME(W4A16) | SCHEME(W4A8_FP8) | SHARED_ACTS | (format) |       \
                  ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE | (gemm),                                   \
        .cannot = FLAG_LORA | FLAG_PER_TOKEN_SCALE,                                                \
        .halves = NVFP4_HALVES_GATE_UP,                                                            \
        CONDITIONS(needs_humming), CLAMP(vllm_activation),                                         \
        .source = "experts/humming_moe.py " class_name,                                            \
    }
    HUMMING_ROW("batched_grouped", BATCHED, 0, "BatchedHummingGroupedExperts"),
    HUMMING_ROW("grouped", STANDARD, GEMM(GROUPED), "HummingGroupedExperts"),
    HUMMING_ROW("indexed", STANDARD, GEMM(INDEXED), "HummingIndexedExperts"),
    {
        .backend = NVFP4_BACKEND_EMULATION, .kernel = "",
        .device = DEVICE_ANY,
        .values = SCHEME(W4A4) | SHARED_ACTS | STANDARD | ANY_ROUTER |
                  (ANY_ALL2ALL & ~FLASHINFER_NVLINK) | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BIAS | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(emulation_conditions), CLAMP(vllm_activation),
        .source = "experts/nvfp4_emulation_moe.py Nvfp4QuantizationEmulationTritonExperts",
    },
    {
        .backend = NVFP4_BACKEND_B12X, .kernel = "", .opt_in = 1,
        .device = SM_RANGE(120, 129),
        .values = SCHEME(W4A4) | SCHEME(W4A16) | SCHEME(W4A8_MXFP8) | ACT(SILU) | ACT(SITU) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER |
                  ALL2ALL(NONE) | DTYPE(BF16) | DTYPE(FP16) | ANY_OPTION,
        .cannot = FLAG_EP | FLAG_EPLB | FLAG_LORA | FLAG_BIAS | FLAG_BATCH_INVARIANT |
                  FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(b12x_conditions), CLAMP(b12x),
        .source = "fused_moe/b12x.py@d70bf883 B12xExperts (PR 52018)",
    },
    {
        .backend = NVFP4_BACKEND_FLASHINFER_B12X, .kernel = "", .opt_in = 1,
        .device = SM_RANGE(120, 129),
        .values = SCHEME(W4A4) | SCHEME(W4A16) | ACT(SILU) | ACT(GELU_TANH) | ACT(RELU2_NO_MUL) |
                  STANDARD | ANY_ROUTER | ANY_ALL2ALL | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_EP | FLAG_LIMIT | FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 128, 128, 0 },
        CONDITIONS(needs_flashinfer), CLAMP(flashinfer_b12x),
        .source = "experts/flashinfer_b12x_moe.py FlashInferB12xExperts",
    },
};

static const struct nvfp4_user_word words[] = {
    { "flashinfer_trtllm", NVFP4_BACKEND_FLASHINFER_TRTLLM, 0 },
    { "flashinfer_cutlass", NVFP4_BACKEND_FLASHINFER_CUTLASS, 0 },
    { "flashinfer_cutedsl", NVFP4_BACKEND_FLASHINFER_CUTEDSL, NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED },
    { "flashinfer_b12x", NVFP4_BACKEND_FLASHINFER_B12X, 0 },
    { "cutlass", NVFP4_BACKEND_VLLM_CUTLASS, 0 },
    { "marlin", NVFP4_BACKEND_MARLIN, 0 },
    { "humming", NVFP4_BACKEND_HUMMING, 0 },
    { "emulation", NVFP4_BACKEND_EMULATION, 0 },
    { "b12x", NVFP4_BACKEND_B12X, 0 },
};

const nvfp4_policy nvfp4_policy_vllm_52018 = {
    .name = "vllm-52018",
    .summary = "vLLM's newest rules on record",
    .source = "vLLM 7cfb97e3 (2026-08-20) with PR 52018 (oracle/nvfp4.py@01362014), "
              "fused_moe/oracle/nvfp4.py",
    .rows = rows,
    .compiled = &compiled,
    .row_count = COUNT_OF(rows),
    .auto_count = 11,
    .hash = UINT64_C(0x35962e819406632e),
    .words = words,
    .word_count = COUNT_OF(words),
    .clamp_by_set = 1,
};
