/* SPDX-License-Identifier: Apache-2.0 */
#include "policies/clamp_rules.h"

/* "flashinfer@fb28d7242" is FlashInfer main of 2026-08-22 (0.6.18), paths below its csrc/ and flashinfer/. */

#define WHEN(device_set, value_set) { .device = (device_set), .values = (value_set) }
#define ACTS(set) WHEN(DEVICE_ANY, ONLY(ACTIVATION, set))
#define SWIGLU_FORMS (ACT(SILU) | ACT(SWIGLUOAI) | ACT(SWIGLUOAI_UNINTERLEAVE))

#define FLASHINFER_SINCE(a, b, c) .library = NVFP4_LIBRARY_FLASHINFER, .since = VERSION(a, b, c)
#define B12X_SINCE(a, b, c) .library = NVFP4_LIBRARY_B12X, .since = VERSION(a, b, c)
/* alpha and beta of plain SiLU and of SwiGLU-OAI, where a kernel has them built in */
#define PLAIN_CONSTANTS .alpha_constant = 1.0, .beta_constant = 0.0
#define OAI_CONSTANTS .limit_constant = 7.0, .alpha_constant = 1.702, .beta_constant = 1.0

const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_trtllm[] = {
    {
        .when = { .device = DEVICE_ANY, .values = ANY_VALUE, .with = FLAG_PER_TOKEN_SCALE },
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR,
        .note = "the limit is divided by a scale per expert, which cannot carry a scale per token",
        .source = "flashinfer@fb28d7242 tests/moe/test_trtllm_gen_per_token_moe.py:307 passes no clamp",
    },
    {
        .when = ACTS(ACT(SILU) | ACT(SWIGLUOAI_UNINTERLEAVE)), FLASHINFER_SINCE(0, 2, 10),
        .limit = LIMIT_TAKEN, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR,
        .note = "clamps the accumulator before the scales: pass limit and beta divided by the GEMM1 "
                "dequantisation scale, alpha as it is",
        .source = "flashinfer v0.4.0 BatchedGemmInterface.h:268-300, GemmGatedActOptions.h:53-72; "
                  "flashinfer@fb28d7242 csrc/trtllm_fused_moe_runner.cu:548-557; clamp since 0.2.10 "
                  "(65e9092a9)",
    },
    {
        .when = ACTS(ACT(SILU) | ACT(SWIGLUOAI_UNINTERLEAVE)),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR, PLAIN_CONSTANTS,
        .note = "has no parameter for limit, alpha or beta before FlashInfer 0.2.10",
        .source = "flashinfer 65e9092a9 brought them",
    },
    {
        .when = ACTS(ACT(SITU)), FLASHINFER_SINCE(0, 6, 16),
        .limit = LIMIT_TAKEN, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR,
        .source = "flashinfer@fb28d7242 tests/moe/trtllm_gen_fused_moe_utils.py:807-816,2758-2761",
    },
    {
        .when = ACTS(ACT(GELU) | ACT(GELU_TANH)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR,
        .note = "the launcher accepts a limit here, whether the closed kernel applies it is unproven",
        .source = "flashinfer@fb28d7242 csrc/trtllm_fused_moe_kernel_launcher.cu:3034-3060",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR,
        .source = "flashinfer@fb28d7242 csrc/trtllm_fused_moe_runner.cu:41-69",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutlass[] = {
    {
        .when = ACTS(SWIGLU_FORMS), FLASHINFER_SINCE(0, 2, 13),
        .limit = LIMIT_TAKEN, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "pass activation type Swiglu with swiglu_limit: the library turns it into SwigluBias",
        .source = "flashinfer@fb28d7242 flashinfer_cutlass_fused_moe_binding.cu:412-424, "
                  "cutlass_fused_moe_kernels.cuh:2215-2228; since 0.2.13 (dd9a33341)",
    },
    {
        .when = ACTS(SWIGLU_FORMS),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "has no parameter for limit, alpha or beta before FlashInfer 0.2.13",
        .source = "flashinfer dd9a33341 brought them",
    },
    {
        .when = ACTS(ACT(SWIGLUSTEP)), FLASHINFER_SINCE(0, 6, 13),
        .limit = LIMIT_TAKEN, .after_activation = 1, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "clamps behind the SiLU, at 7.0 where no limit is passed",
        .source = "flashinfer@fb28d7242 cutlass_fused_moe_kernels.cuh:2233-2246",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "a limit passed with this activation is accepted and not applied",
        .source = "flashinfer@fb28d7242 cutlass_fused_moe_kernels.cuh:2186-2213,2252-2268",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutedsl[] = {
    {
        .when = WHEN(SM(107), ONLY(ACTIVATION, SWIGLU_FORMS)),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "raises NotImplementedError on SM107 for any limit, alpha or beta",
        .source = "flashinfer@fb28d7242 fused_moe/cute_dsl/blackwell/"
                  "blockscaled_contiguous_gather_grouped_gemm_act_fusion.py:320-345",
    },
    {
        .when = ACTS(SWIGLU_FORMS), FLASHINFER_SINCE(0, 6, 15),
        .limit = LIMIT_TAKEN, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "one scalar for all experts",
        .source = "flashinfer@fb28d7242 fused_moe/cute_dsl/fused_moe.py:1004,1027-1030; since 0.6.15 "
                  "(b5ac097e7)",
    },
    {
        .when = ACTS(SWIGLU_FORMS),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "has no parameter for limit, alpha or beta before FlashInfer 0.6.15",
        .source = "flashinfer v0.6.14 fused_moe/cute_dsl/fused_moe.py: no swiglu_limit",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "a limit passed with this activation is accepted and not applied",
        .source = "flashinfer@fb28d7242 act_fusion.py:2804-2950",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutedsl_batched[] = {
    {
        .when = ACTS(ACT(SILU)),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "SiLU is fused with the FP4 quantisation and has no limit parameter",
        .source = "flashinfer@fb28d7242 quantization/fp4_quantization.py:559-624, "
                  "quantization.cuh:692-695",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_b12x[] = {
    {
        .when = WHEN(DEVICE_ANY, ONLY(ACTIVATION, ACT(SWIGLUOAI_UNINTERLEAVE)) &
                                     ONLY(SCHEME, SCHEME(W4A16))),
        .limit = LIMIT_CONSTANT, .absent = ABSENT_CLAMPS, .space = NVFP4_LIMIT_SPACE_FIXED,
        OAI_CONSTANTS,
        .note = "drops what the caller passes and uses 1.702, 1.0 and 7.0",
        .source = "flashinfer@fb28d7242 moe_dispatch.py:2738-2758, moe_w4a16_activations.py:13-15,36-42",
    },
    {
        .when = ACTS(ACT(SWIGLUOAI_UNINTERLEAVE)), FLASHINFER_SINCE(0, 6, 15),
        .limit = LIMIT_TAKEN, .absent = ABSENT_REFUSED, .takes_alpha_beta = 1,
        .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "without a limit some of its kernels clamp at 7.0 and some do not, by batch size",
        .source = "flashinfer@fb28d7242 moe_activation.py:36-42,114-120, "
                  "moe_direct_micro_kernel.py:361; since 0.6.15 (c22b65b9f)",
    },
    {
        .when = ACTS(ACT(SILU)),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "takes a limit and does not apply it; at W4A4 the same function is to be had as "
                "swigluoai_uninterleave with alpha 1 and beta 0",
        .source = "flashinfer@fb28d7242 moe_activation.py:114-134, _moe_dynamic/gated.py:73-78, "
                  "moe_dispatch.py:1370-1376,2738-2758",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "a limit passed with this activation is accepted and not applied",
        .source = "flashinfer@fb28d7242 moe_activation.py:121-127, tests/moe/test_b12x_fused_moe.py:2942",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_b12x[] = {
    {
        .when = WHEN(DEVICE_ANY, ONLY(ACTIVATION, ACT(SILU)) & ONLY(SCHEME, SCHEME(W4A16))),
        B12X_SINCE(0, 15, 0),
        .limit = LIMIT_TAKEN, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .source = "b12x@36bce2c1 activations.py:37-51; W4A16 clamp since 0.15 (2026-05)",
    },
    {
        .when = WHEN(DEVICE_ANY, ONLY(ACTIVATION, ACT(SILU)) &
                                     ONLY(SCHEME, ALL(SCHEME) & ~SCHEME(W4A16))),
        B12X_SINCE(0, 23, 0),
        .limit = LIMIT_TAKEN, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .source = "b12x@36bce2c1 moe/_shared/kernels/dynamic.py:1468-1497, micro.py:5228-5247; since "
                  "0.22/0.23 (69ad7557, cfab83b0, 2026-06)",
    },
    {
        .when = ACTS(ACT(SILU)),
        .limit = LIMIT_IGNORED, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .note = "older releases do not clamp SiLU in this scheme",
        .source = "b12x@36bce2c1 history: 69ad7557, cfab83b0",
    },
    {
        .when = ACTS(ACT(SWIGLUOAI_UNINTERLEAVE)), B12X_SINCE(0, 22, 0),
        .limit = LIMIT_TAKEN, .absent = ABSENT_CLAMPS, .takes_alpha_beta = 1,
        .space = NVFP4_LIMIT_SPACE_REAL, .limit_constant = 7.0,
        .note = "without a limit it clamps at 7.0",
        .source = "b12x@36bce2c1 activations.py:42-43",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "raises ValueError for a limit with SiTU and relu2",
        .source = "b12x@36bce2c1 activations.py:44-47",
    },
};

const struct nvfp4_clamp_rule nvfp4_clamp_vllm_activation[] = {
    {
        .when = ACTS(ACT(SILU)),
        .limit = LIMIT_TAKEN, .space = NVFP4_LIMIT_SPACE_REAL, PLAIN_CONSTANTS,
        .source = "vLLM fused_moe/utils.py swiglu_limit_func, csrc activation_kernels.cu",
    },
    {
        .when = ACTS(ACT(SWIGLUOAI_UNINTERLEAVE)),
        .limit = LIMIT_TAKEN, .absent = ABSENT_REFUSED, .takes_alpha_beta = 1,
        .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "asserts at run time that there is a limit",
        .source = "vLLM fused_moe/activation.py apply_moe_activation",
    },
    {
        .when = ACTS(ACT(SWIGLUOAI)),
        .limit = LIMIT_CONSTANT, .space = NVFP4_LIMIT_SPACE_FIXED, OAI_CONSTANTS,
        .note = "the activation op runs with its defaults 1.702, 1 and 7.0 whatever is configured",
        .source = "vLLM fused_moe/activation.py apply_moe_activation: swigluoai op called without values",
    },
    {
        .when = ACTS(ACT(SWIGLUSTEP)),
        .limit = LIMIT_CONSTANT, .after_activation = 1, .space = NVFP4_LIMIT_SPACE_FIXED,
        .limit_constant = 7.0, PLAIN_CONSTANTS,
        .note = "the limit of its step is always 7.0",
        .source = "vLLM fused_moe/activation.py apply_moe_activation: swiglustep",
    },
    {
        .when = ACTS(ALL(ACTIVATION)),
        .limit = LIMIT_IGNORED, .takes_alpha_beta = 1, .space = NVFP4_LIMIT_SPACE_REAL,
        .note = "gelu, SiTU and layers without a gate never clamp in vLLM's activation code",
        .source = "vLLM fused_moe/activation.py apply_moe_activation",
    },
};
