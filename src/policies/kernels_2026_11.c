/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels themselves do, as of November 2026. The order of preference is vLLM's
 * (vllm-52018); each place where a row departs from vLLM's is the kernel's own truth, with its
 * evidence. "flashinfer@fb28d7242" is FlashInfer main of 2026-08-22 (0.6.18).
 */
#include "policies/builtin.h"
#include "policies/compiled/kernels-2026-11.inc"
#include "policies/clamp_rules.h"
#include "policies/rows.h"

/* ---- conditions ---- */

#define FLASHINFER_FLOOR(condition_when, condition_reason, a, b, c, text, evidence)                \
    {                                                                                              \
        .when = condition_when, .kind = CONDITION_LIBRARY, .reason = NVFP4_REASON_##condition_reason, \
        .library = NVFP4_LIBRARY_FLASHINFER, .number = VERSION(a, b, c), .note = text,             \
        .source = evidence                                                                         \
    }
#define CUDA_FLOOR(device_set, a, b, evidence)                                                     \
    {                                                                                              \
        .when = { .device = (device_set), .values = ANY_VALUE }, .kind = CONDITION_LIBRARY,        \
        .reason = NVFP4_REASON_DEPENDENCY, .library = NVFP4_LIBRARY_CUDA,                          \
        .number = VERSION(a, b, 0), .source = evidence                                             \
    }
#define WHEN_VALUES(set) { .device = DEVICE_ANY, .values = (set) }
#define WHEN_DEVICE(set) { .device = (set), .values = ANY_VALUE }
#define WHEN_FLAG(flag) { .device = DEVICE_ANY, .values = ANY_VALUE, .with = (flag) }

/* First toolkit with a target for the SM; FlashInfer compiles SM12x from 12.9 on. */
#define FLASHINFER_CUDA_SM10X                                                                      \
    CUDA_FLOOR(SM(100), 12, 8, "flashinfer@fb28d7242 aot.py:1094-1134; nvcc target sm_100"),       \
    CUDA_FLOOR(SM(103) | SM(107), 12, 9, "flashinfer@fb28d7242 aot.py:1094-1134, utils.py:634-683")
#define FLASHINFER_CUDA                                                                            \
    FLASHINFER_CUDA_SM10X,                                                                         \
    CUDA_FLOOR(SM(110), 12, 8, "flashinfer@fb28d7242 aot.py; sm_101 under CUDA 12, sm_110 under 13"), \
    CUDA_FLOOR(SM(120) | SM(121), 12, 9, "flashinfer@fb28d7242 compilation_context.py refuses SM12x " \
                                         "below CUDA 12.9")

/* Gated FC1 rows of a rank come in scale tiles of 128. */
#define ROWS_OF_128(evidence)                                                                      \
    {                                                                                              \
        .when = { .device = DEVICE_ANY, .values = ANY_VALUE, .without = FLAG_NON_GATED },          \
        .kind = CONDITION_ROWS_MULTIPLE, .reason = NVFP4_REASON_SHAPE, .number = 128,              \
        .note = "gate and up rows of a rank are not padded", .source = evidence                    \
    }

/* The kernel weights the output; for one expert per token the caller may scale the input instead. */
#define INPUT_WEIGHT_TOP_1                                                                         \
    {                                                                                              \
        .when = WHEN_FLAG(FLAG_ROUTER_WEIGHT_ON_INPUT), .kind = CONDITION_TOP_K_AT_MOST,           \
        .reason = NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT, .number = 1,                                \
        .note = "weights only the output; with top_k 1 scale the input outside and pass unit weights", \
        .source = "SGLang PR 35504; kernels weight the FC2 output only"                            \
    }

#define TRTLLM_CONDITIONS                                                                          \
    NEEDS(FLASHINFER), FLASHINFER_CUDA_SM10X,                                                      \
    FLASHINFER_FLOOR(WHEN_DEVICE(SM(107)), DEPENDENCY, 0, 6, 16, "the Rubin kernels came with it", \
                     "flashinfer@fb28d7242 csrc/trtllm_batched_gemm_runner.cu:48-67 (107a)"),      \
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(SITU))), ACTIVATION, 0, 6, 16,               \
                     "SiTU came with it", "flashinfer@fb28d7242 csrc/trtllm_fused_moe_runner.cu:41-69"), \
    FLASHINFER_FLOOR(WHEN_FLAG(FLAG_PER_TOKEN_SCALE), KERNEL_OPTION, 0, 6, 16,                     \
                     "per-token scales came with it",                                              \
                     "flashinfer@fb28d7242 tests/moe/test_trtllm_gen_per_token_moe.py"),           \
    {                                                                                              \
        .when = { .device = DEVICE_ANY, .values = ANY_VALUE,                                       \
                  .with = FLAG_PER_TOKEN_SCALE | FLAG_NON_GATED },                                 \
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_KERNEL_OPTION,                         \
        .note = "per-token scales work for gated layers only",                                     \
        .source = "vLLM experts/trtllm_nvfp4_moe.py@01f6dc6a",                                     \
    },                                                                                             \
    {                                                                                              \
        .when = WHEN_VALUES(ONLY(ACTIVATION, ACT(GELU_TANH))), .kind = CONDITION_DOUBT,            \
        .note = "gelu_tanh runs the kernel's Geglu",                                               \
        .source = "flashinfer@fb28d7242 csrc/trtllm_fused_moe_runner.cu:41-54",                    \
    },                                                                                             \
    {                                                                                              \
        .when = WHEN_FLAG(FLAG_PER_TOKEN_SCALE), .kind = CONDITION_DOUBT,                          \
        .note = "per-token scales fall back to an untuned kernel from 6144 tokens on",             \
        .source = "FlashInfer #4588, open",                                                        \
    }

static const struct nvfp4_condition trtllm_monolithic[] = {
    TRTLLM_CONDITIONS,
    {
        .when = { .device = DEVICE_ANY, .values = ONLY(ROUTING, ALL(ROUTING) & ~ROUTING(LLAMA4)),
                  .with = FLAG_ROUTER_WEIGHT_ON_INPUT },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT,
        .note = "scales the input exactly with llama4 routing",
        .source = "vLLM experts/trtllm_nvfp4_moe.py: asserted both ways",
    },
    {
        .when = { .device = DEVICE_ANY, .values = ONLY(ROUTING, ROUTING(LLAMA4)),
                  .without = FLAG_ROUTER_WEIGHT_ON_INPUT },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT,
        .note = "its llama4 routing always scales the input",
        .source = "vLLM experts/trtllm_nvfp4_moe.py: asserted both ways",
    },
};

static const struct nvfp4_condition trtllm_modular[] = { TRTLLM_CONDITIONS, INPUT_WEIGHT_TOP_1 };

static const struct nvfp4_condition cutedsl[] = {
    NEEDS(FLASHINFER),
    FLASHINFER_FLOOR(ALWAYS, DEPENDENCY, 0, 6, 4, "cute_dsl_fused_moe_nvfp4 came with it",
                     "flashinfer v0.6.4 fused_moe/cute_dsl/fused_moe.py"),
    FLASHINFER_FLOOR(WHEN_DEVICE(SM(107)), DEPENDENCY, 0, 6, 18, "SM107 came with it",
                     "flashinfer@fb28d7242 fused_moe/cute_dsl/fused_moe.py:485,1004"),
    {
        .when = WHEN_DEVICE(SM(107)), .kind = CONDITION_LIBRARY, .reason = NVFP4_REASON_DEPENDENCY,
        .library = NVFP4_LIBRARY_CUTLASS_DSL, .number = VERSION(4, 8, 0),
        .source = "flashinfer@fb28d7242 blockscaled_contiguous_gather_grouped_gemm_act_fusion.py:320-345",
    },
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(RELU2_NO_MUL))), ACTIVATION, 0, 6, 14,
                     "relu2 came with it", "flashinfer@fb28d7242 act_fusion.py:2804-2950"),
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(GELU_TANH) | ACT(SITU))), ACTIVATION, 0, 6, 18,
                     "this activation came with it", "flashinfer@fb28d7242 act_fusion.py:2804-2950"),
    {
        .when = ALWAYS, .kind = CONDITION_ROWS_MULTIPLE, .reason = NVFP4_REASON_SHAPE, .number = 128,
        .note = "GEMM1 rows of a rank come in tiles of 128",
        .source = "flashinfer@fb28d7242 fused_moe/cute_dsl/fused_moe.py:609",
    },
    INPUT_WEIGHT_TOP_1,
};

static const struct nvfp4_condition cutedsl_batched[] = {
    NEEDS(FLASHINFER),
    FLASHINFER_FLOOR(ALWAYS, DEPENDENCY, 0, 2, 12, "grouped_gemm_nt_masked came with it",
                     "flashinfer v0.2.12 cute_dsl"),
    ROWS_OF_128("flashinfer@fb28d7242 gemm/kernels/grouped_gemm_masked_blackwell.py"),
    INPUT_WEIGHT_TOP_1,
};

static const struct nvfp4_condition flashinfer_cutlass[] = {
    NEEDS(FLASHINFER),
    FLASHINFER_CUDA,
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(SWIGLUSTEP))), ACTIVATION, 0, 6, 13,
                     "SwigluStep came with it", "flashinfer PR 3492, v0.6.13"),
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(SITU))), ACTIVATION, 0, 6, 18,
                     "SiTU came with it", "flashinfer@fb28d7242: merged 2026-08-21, after 0.6.18rc7"),
    ROWS_OF_128("flashinfer@fb28d7242 moe_gemm_kernels.h:109-118; NVIDIA/TensorRT-LLM "
                "fused_moe_cutlass.py: 2*inter/tp % 128"),
    {
        .when = WHEN_DEVICE(SM(110)), .kind = CONDITION_DOUBT,
        .note = "NVFP4 on SM110 is routed by FlashInfer but proven by no one on record",
        .source = "flashinfer@fb28d7242 cutlass_heuristic.cpp get_candidate_configs_sm110; vLLM PR 40808",
    },
    INPUT_WEIGHT_TOP_1,
};

static const struct nvfp4_condition vllm_cutlass[] = {
    CUDA_FLOOR(SM(100) | SM(110) | SM(120), 12, 8, "first CUDA toolkit with the target"),
    CUDA_FLOOR(SM(103) | SM(107) | SM(121), 12, 9, "first CUDA toolkit with the target or family"),
    {
        .when = { .device = SM_RANGE(120, 129),
                  .values = ONLY(DTYPE, DTYPE(FP16)) },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_DTYPE,
        .note = "the SM120 build writes bf16 only",
        .source = "vLLM csrc nvfp4_blockwise_moe_kernel.cu@1c04eb1e",
    },
    ROWS_OF_128("vLLM csrc nvfp4_blockwise_moe_kernel.cu@1c04eb1e: scale tiles of 128 rows"),
    INPUT_WEIGHT_TOP_1,
};

static const struct nvfp4_condition humming[] = {
    NEEDS(HUMMING),
    {
        .when = ALWAYS, .kind = CONDITION_DOUBT,
        .note = "its kernels were not read: what is told of them is vLLM's word",
        .source = "vLLM experts/humming_moe.py",
    },
};

static const struct nvfp4_condition emulation[] = {
    {
        .when = ALWAYS, .kind = CONDITION_EXPERTS_BELOW, .reason = NVFP4_REASON_EXPERT_COUNT,
        .number = 1024, .note = "its alignment kernel takes fewer than 1024 experts, rounded up to 32",
        .source = "vLLM experts/triton_moe.py TritonExperts.is_supported_config",
    },
};

static const struct nvfp4_condition b12x[] = {
    NEEDS(B12X),
    {
        .when = ALWAYS, .kind = CONDITION_LIBRARY, .reason = NVFP4_REASON_DEPENDENCY,
        .library = NVFP4_LIBRARY_CUTLASS_DSL, .number = VERSION(4, 6, 0),
        .source = "b12x@36bce2c1 _lib/gating.py:15-45",
    },
    {
        .when = WHEN_VALUES(ONLY(ACTIVATION, ACT(SITU))), .kind = CONDITION_SITU_BETAS,
        .reason = NVFP4_REASON_ACTIVATION_PARAMS, .note = "its SiTU constants are built in",
        .source = "vLLM fused_moe/b12x.py@d70bf883",
    },
    {
        .when = WHEN_VALUES(ONLY(ACTIVATION, ACT(SWIGLUOAI_UNINTERLEAVE))), .kind = CONDITION_LIBRARY,
        .reason = NVFP4_REASON_ACTIVATION, .library = NVFP4_LIBRARY_B12X, .number = VERSION(0, 22, 0),
        .note = "this activation came with it", .source = "b12x@36bce2c1 activations.py:42-43",
    },
    {
        .when = { .device = DEVICE_ANY, .values = ONLY(SCHEME, ALL(SCHEME) & ~SCHEME(W4A16)),
                  .with = FLAG_ROUTER_WEIGHT_ON_INPUT },
        .kind = CONDITION_RULES_OUT, .reason = NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT,
        .note = "scales the input in its weight-only mode alone",
        .source = "b12x@36bce2c1 moe/fused_moe/_impl.py",
    },
};

static const struct nvfp4_condition flashinfer_b12x[] = {
    NEEDS(FLASHINFER),
    FLASHINFER_FLOOR(ALWAYS, DEPENDENCY, 0, 6, 9, "b12x_fused_moe came with it",
                     "flashinfer v0.6.9 fused_moe/cute_dsl/b12x_moe.py"),
    CUDA_FLOOR(DEVICE_ANY, 13, 0, "flashinfer@fb28d7242 fused_moe/cute_dsl/b12x_moe.py:163-200"),
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(GELU_TANH) | ACT(SWIGLUOAI_UNINTERLEAVE)) &
                                 ONLY(SCHEME, SCHEME(W4A4))),
                     ACTIVATION, 0, 6, 15, "this activation came with it",
                     "flashinfer@fb28d7242 moe_activation.py; c22b65b9f"),
    FLASHINFER_FLOOR(WHEN_VALUES(ONLY(ACTIVATION, ACT(SWIGLUOAI_UNINTERLEAVE)) &
                                 ONLY(SCHEME, SCHEME(W4A16))),
                     ACTIVATION, 0, 6, 17, "this activation came with it in W4A16",
                     "flashinfer@fb28d7242 moe_w4a16_activations.py"),
    {
        .when = ALWAYS, .kind = CONDITION_WIDTH_MULTIPLE, .reason = NVFP4_REASON_SHAPE,
        .library = NVFP4_LIBRARY_FLASHINFER, .until = VERSION(0, 6, 15), .number = 128,
        .note = "its loader pads the width from FlashInfer 0.6.15 on",
        .source = "flashinfer@fb28d7242 blackwell_sm12x: padded to the 128 tile since 0.6.15",
    },
    INPUT_WEIGHT_TOP_1,
};

/* ---- rows ---- */

#define TRTLLM_ACTS                                                                                \
    (ACT(SILU) | ACT(GELU) | ACT(GELU_TANH) | ACT(SITU) | ACT(SWIGLUOAI_UNINTERLEAVE) |            \
     ACT(RELU2_NO_MUL))
#define SHARED_ACTS (ALL(ACTIVATION) & ~ACT(RELU2))
#define BF16_FP16 (DTYPE(BF16) | DTYPE(FP16))

static const struct nvfp4_row rows[] = {
    [0] = {
        .backend = NVFP4_BACKEND_FLASHINFER_TRTLLM, .kernel = "monolithic",
        .device = SM(100) | SM(103) | SM(107),
        .values = SCHEME(W4A4) | TRTLLM_ACTS | STANDARD | TRTLLM_ROUTER | ALL2ALL(NONE) | DTYPE(BF16) |
                  ANY_OPTION,
        .cannot = FLAG_EPLB | FLAG_LORA | FLAG_BATCH_INVARIANT,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 64, 128, 256 },
        CONDITIONS(trtllm_monolithic), CLAMP(flashinfer_trtllm),
        .source = "flashinfer@fb28d7242 csrc/trtllm_batched_gemm_runner.cu:48-67 (cubins for 100, 103, "
                  "107 only), fused_moe/api.py:280-284; router: vLLM experts/trtllm_nvfp4_moe.py",
    },
    [1] = {
        .backend = NVFP4_BACKEND_FLASHINFER_TRTLLM, .kernel = "modular",
        .device = SM(100) | SM(103) | SM(107),
        .values = SCHEME(W4A4) | TRTLLM_ACTS | STANDARD | ANY_ROUTER | ANY_ALL2ALL | DTYPE(BF16) |
                  ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BATCH_INVARIANT,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 64, 128, 256 },
        CONDITIONS(trtllm_modular), CLAMP(flashinfer_trtllm),
        .source = "flashinfer@fb28d7242 csrc/trtllm_batched_gemm_runner.cu:48-67, "
                  "trtllm_fp4_block_scale_routed_moe",
    },
    [2] = {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTEDSL, .kernel = "",
        .device = SM(100) | SM(103) | SM(107),
        .values = SCHEME(W4A4) | ACT(SILU) | ACT(GELU_TANH) | ACT(SWIGLUOAI) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(SITU) | ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER |
                  ANY_ALL2ALL | DTYPE(BF16) | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BIAS | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE_BY_64,
        CONDITIONS(cutedsl), CLAMP(flashinfer_cutedsl),
        .source = "flashinfer@fb28d7242 fused_moe/cute_dsl/fused_moe.py:485,1004",
    },
    [3] = {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED, .kernel = "",
        .device = SM(100) | SM(103) | SM(107),
        .values = SCHEME(W4A4) | ACT(SILU) | BATCHED | ANY_ROUTER | ANY_ALL2ALL | BF16_FP16 |
                  ANY_OPTION,
        .cannot = FLAG_NON_GATED | FLAG_LIMIT | FLAG_LORA | FLAG_BIAS | FLAG_BATCH_INVARIANT |
                  FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(cutedsl_batched), CLAMP(flashinfer_cutedsl_batched),
        .source = "flashinfer@fb28d7242 gemm/kernels/grouped_gemm_masked_blackwell.py:659",
    },
    [4] = {
        .backend = NVFP4_BACKEND_FLASHINFER_CUTLASS, .kernel = "",
        .device = SM(100) | SM(103) | SM(107) | SM(110) | SM(120) | SM(121),
        .values = SCHEME(W4A4) | ACT(SILU) | ACT(GELU) | ACT(GELU_TANH) | ACT(SWIGLUOAI) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(SWIGLUSTEP) | ACT(SITU) | ACT(RELU2_NO_MUL) |
                  STANDARD | ANY_ROUTER | ANY_ALL2ALL | BF16_FP16 | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 0, 128, 0 },
        CONDITIONS(flashinfer_cutlass), CLAMP(flashinfer_cutlass),
        .source = "flashinfer@fb28d7242 fused_moe/core.py:567-579, moe_gemm_template_dispatch.h:713-722",
    },
    [5] = {
        .backend = NVFP4_BACKEND_VLLM_CUTLASS, .kernel = "", .engine_built = 1,
        .device = SM_RANGE(100, 129),
        .values = SCHEME(W4A4) | SHARED_ACTS | STANDARD | ANY_ROUTER | ANY_ALL2ALL | BF16_FP16 |
                  ANY_OPTION,
        .cannot = FLAG_EP | FLAG_LORA | FLAG_BIAS | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP, .padding = { 0, 128, 0 },
        CONDITIONS(vllm_cutlass), CLAMP(vllm_activation),
        .source = "vLLM csrc nvfp4_blockwise_moe_kernel.cu@1c04eb1e (100 <= sm < 130), "
                  "experts/cutlass_moe.py@00606a9b",
    },
    [6] = {
        .backend = NVFP4_BACKEND_MARLIN, .kernel = "", .engine_built = 1, .runs_w4a16 = 1,
        .device = SM_FROM(75),
        .values = ALL(SCHEME) | SHARED_ACTS | STANDARD | ANY_ROUTER |
                  (ANY_ALL2ALL & ~ALL2ALL(FLASHINFER_NVLINK_TWO_SIDED)) | BF16_FP16 | ANY_OPTION,
        .cannot = FLAG_BATCH_INVARIANT,
        .halves = NVFP4_HALVES_GATE_UP, .padding = { 64, 64, 0 },
        CLAMP(vllm_activation),
        .source = "vLLM marlin_utils_fp4.py@00d52e93 (capability >= 75), experts/marlin_moe.py@00da71c9",
    },
#define HUMMING_ROW(name, format, gemm, class_name)                                                \
    {                                                                                              \
        .backend = NVFP4_BACKEND_HUMMING, .kernel = name,                                          \
        .device = SM_FROM(75),                                                                     \
        .values = SCHEME(W4A4) | SCHEME(W4A16) | SCHEME(W4A8_FP8) | SHARED_ACTS | (format) |       \
                  ANY_ROUTER | ANY_ALL2ALL | BF16_FP16 | (gemm),                                   \
        .cannot = FLAG_LORA | FLAG_ROUTER_WEIGHT_ON_INPUT | FLAG_PER_TOKEN_SCALE,                  \
        .halves = NVFP4_HALVES_GATE_UP,                                                            \
        CONDITIONS(humming), CLAMP(vllm_activation),                                               \
        .source = "vLLM experts/humming_moe.py " class_name,                                       \
    }
    [7] = HUMMING_ROW("batched_grouped", BATCHED, 0, "BatchedHummingGroupedExperts"),
    [8] = HUMMING_ROW("grouped", STANDARD, GEMM(GROUPED), "HummingGroupedExperts"),
    [9] = HUMMING_ROW("indexed", STANDARD, GEMM(INDEXED), "HummingIndexedExperts"),
    [10] = {
        .backend = NVFP4_BACKEND_EMULATION, .kernel = "",
        .device = DEVICE_ANY,
        .values = SCHEME(W4A4) | SHARED_ACTS | STANDARD | ANY_ROUTER |
                  (ANY_ALL2ALL & ~FLASHINFER_NVLINK) | ANY_DTYPE | ANY_OPTION,
        .cannot = FLAG_LORA | FLAG_BIAS | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(emulation), CLAMP(vllm_activation),
        .source = "vLLM experts/nvfp4_emulation_moe.py Nvfp4QuantizationEmulationTritonExperts",
    },
    [11] = {
        .backend = NVFP4_BACKEND_B12X, .kernel = "", .opt_in = 1,
        .device = SM(120) | SM(121),
        .values = SCHEME(W4A4) | SCHEME(W4A16) | SCHEME(W4A8_MXFP8) | ACT(SILU) | ACT(SITU) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER |
                  ALL2ALL(NONE) | BF16_FP16 | ANY_OPTION,
        .cannot = FLAG_EP | FLAG_EPLB | FLAG_LORA | FLAG_BIAS | FLAG_BATCH_INVARIANT |
                  FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_GATE_UP,
        CONDITIONS(b12x), CLAMP(b12x),
        .source = "b12x@36bce2c1 (1.2.6) _lib/gating.py:15-45; vLLM fused_moe/b12x.py@d70bf883",
    },
    [12] = {
        .backend = NVFP4_BACKEND_FLASHINFER_B12X, .kernel = "", .opt_in = 1,
        .device = SM(120) | SM(121),
        .values = SCHEME(W4A4) | SCHEME(W4A16) | ACT(SILU) | ACT(GELU_TANH) |
                  ACT(SWIGLUOAI_UNINTERLEAVE) | ACT(RELU2_NO_MUL) | STANDARD | ANY_ROUTER |
                  ANY_ALL2ALL | DTYPE(BF16) | ANY_OPTION,
        .cannot = FLAG_EP | FLAG_LORA | FLAG_BIAS | FLAG_BATCH_INVARIANT | FLAG_PER_TOKEN_SCALE,
        .halves = NVFP4_HALVES_UP_GATE, .padding = { 128, 128, 0 },
        CONDITIONS(flashinfer_b12x), CLAMP(flashinfer_b12x),
        .source = "flashinfer@fb28d7242 fused_moe/cute_dsl/b12x_moe.py:56,163-200",
    },
};

/* ---- errata ---- */

#define KERNEL(index) ((nvfp4_kernel_set)1 << (index))

static const struct nvfp4_erratum errata[] = {
    {
        .name = "trtllm-monolithic-relu2", .kernels = KERNEL(0),
        .when = { .device = SM(100) | SM(103), .values = ANY_VALUE, .with = FLAG_NON_GATED },
        .library = NVFP4_LIBRARY_FLASHINFER,
        .text = "fluent but wrong output for non-gated layers; the modular kernel and FLASHINFER_CUTLASS "
                "are right on the same card",
        .source = "vLLM #52308 (FlashInfer 0.6.16.post3, SM100; SM103 by family), PR 52316 closed unmerged",
    },
    {
        .name = "trtllm-per-token-nan", .kernels = KERNEL(0) | KERNEL(1),
        .when = { .device = SM(100) | SM(103), .values = ANY_VALUE, .with = FLAG_PER_TOKEN_SCALE },
        .library = NVFP4_LIBRARY_FLASHINFER, .from = VERSION_RC(0, 6, 16, 5), .below = VERSION(0, 6, 18),
        .text = "NaN from tile 192 with per-token activation scales",
        .source = "FlashInfer #4486, PR 4563; measured with 0.6.16.post4 and 0.6.17",
    },
    {
        .name = "cutlass-sm110-tiles", .kernels = KERNEL(4),
        .when = WHEN_DEVICE(SM(110)),
        .library = NVFP4_LIBRARY_FLASHINFER, .below = VERSION_POST(0, 6, 8, 2),
        .text = "tile 256x256x128 has no SM100 registration and crashes",
        .source = "FlashInfer #3134 (seen with BF16 up to 0.6.8.post1, taken over to NVFP4)",
    },
    {
        .name = "b12x-subnormal-scales", .kernels = KERNEL(12),
        .when = WHEN_VALUES(ONLY(SCHEME, SCHEME(W4A4))),
        .library = NVFP4_LIBRARY_FLASHINFER, .below = VERSION(0, 6, 17),
        .text = "decodes subnormal block scales wrongly, up to 4.5 times too large",
        .source = "FlashInfer PR 3932 (39f2ce476)",
    },
    {
        .name = "b12x-512-experts", .kernels = KERNEL(12),
        .when = WHEN_DEVICE(SM(120) | SM(121)),
        .library = NVFP4_LIBRARY_FLASHINFER,
        .experts = 512, .hidden = 2560, .width = 640, .top_k = 10,
        .text = "illegal memory access for 512 experts of 2560 x 640, top 10",
        .source = "FlashInfer #5446, #3170 (0.6.18.post1 and 0.7.0), no fix known",
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

const nvfp4_policy nvfp4_policy_kernels_2026_11 = {
    .name = "kernels-2026-11",
    .summary = "What the kernels themselves do, by activation, scheme, library version and SM",
    .source = "FlashInfer fb28d7242 (0.6.18), b12x 36bce2c1 (1.2.6), vLLM copies named in the rows; "
              "order of preference: vllm-52018",
    .rows = rows,
    .compiled = &compiled,
    .row_count = COUNT_OF(rows),
    .auto_count = 11,
    .hash = UINT64_C(0xb654a76aee60b610),
    .words = words,
    .word_count = COUNT_OF(words),
    .errata = errata,
    .erratum_count = COUNT_OF(errata),
};
