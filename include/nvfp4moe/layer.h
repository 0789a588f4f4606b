/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_LAYER_H
#define NVFP4MOE_LAYER_H

/**
 * @file layer.h
 * @brief What one mixture-of-experts layer computes.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Quantisation of an NVFP4 layer, weights x activations: name, value, word. */
#define NVFP4_SCHEME_MAP(X)                                                                        \
    X(W4A4, 0, "w4a4")             /* NVFP4 x NVFP4 */                                             \
    X(W4A16, 1, "w4a16")           /* NVFP4 x 16-bit */                                            \
    X(W4A8_MXFP8, 2, "w4a8_mxfp8") /* NVFP4 x MXFP8 */                                             \
    X(W4A8_FP8, 3, "w4a8_fp8")     /* NVFP4 x FP8 per token */

typedef enum nvfp4_scheme {
#define X(name, value, word) NVFP4_SCHEME_##name = (value),
    NVFP4_SCHEME_MAP(X)
#undef X
        NVFP4_SCHEME_COUNT
} nvfp4_scheme;

/**
 * Activation between the two GEMMs: name, value, word.
 *
 * With gate g, up u, limit L, alpha a, beta b (absent: no limit, a = 1, b = 0):
 * - SILU: `g = min(g,L); u = max(min(u,L),-L); g*sigmoid(a*g) * (u+b)`
 * - GELU, GELU_TANH: `gelu(g) * u`, exact and tanh-approximated
 * - RELU2: `max(g,0)^2 * u`
 * - SWIGLUOAI: as SILU with a = 1.702, b = 1, gate and up interleaved by element (gpt-oss)
 * - SWIGLUOAI_UNINTERLEAVE: the same with gate and up as two halves (MiniMax-M3)
 * - SWIGLUSTEP: `min(silu(g),L) * max(min(u,L),-L)`, the clamp behind the SiLU
 * - SITU: both halves soft-capped by tanh (Kimi-K3)
 * - `*_NO_MUL`: no gate, one projection: `f(x)`
 */
#define NVFP4_ACTIVATION_MAP(X)                                                                    \
    X(SILU, 0, "silu")                                                                             \
    X(GELU, 1, "gelu")                                                                             \
    X(GELU_TANH, 2, "gelu_tanh")                                                                   \
    X(RELU2, 3, "relu2")                                                                           \
    X(SWIGLUOAI, 4, "swigluoai")                                                                   \
    X(SWIGLUOAI_UNINTERLEAVE, 5, "swigluoai_uninterleave")                                         \
    X(SWIGLUSTEP, 6, "swiglustep")                                                                 \
    X(SITU, 7, "situ")                                                                             \
    X(SILU_NO_MUL, 8, "silu_no_mul")                                                               \
    X(GELU_NO_MUL, 9, "gelu_no_mul")                                                               \
    X(GELU_TANH_NO_MUL, 10, "gelu_tanh_no_mul")                                                    \
    X(RELU2_NO_MUL, 11, "relu2_no_mul")

typedef enum nvfp4_activation {
#define X(name, value, word) NVFP4_ACTIVATION_##name = (value),
    NVFP4_ACTIVATION_MAP(X)
#undef X
        NVFP4_ACTIVATION_COUNT
} nvfp4_activation;

/** How router logits become expert weights: name, value, word. */
#define NVFP4_ROUTING_MAP(X)                                                                       \
    X(DEFAULT, 0, "default")                                                                       \
    X(RENORMALIZE, 1, "renormalize")                                                               \
    X(DEEPSEEK_V3, 2, "deepseek_v3")                                                               \
    X(DEEPSEEK_V4, 3, "deepseek_v4")                                                               \
    X(LLAMA4, 4, "llama4")                                                                         \
    X(RENORMALIZE_NAIVE, 5, "renormalize_naive")                                                   \
    X(TOPK, 6, "topk")                                                                             \
    X(SIGMOID, 7, "sigmoid")                                                                       \
    X(SIGMOID_RENORM, 8, "sigmoid_renorm")                                                         \
    X(MINIMAX2, 9, "minimax2")                                                                     \
    X(CUSTOM, 10, "custom")                                                                        \
    X(SIMULATED, 11, "simulated")                                                                  \
    X(UNSPECIFIED, 12, "unspecified")

typedef enum nvfp4_routing {
#define X(name, value, word) NVFP4_ROUTING_##name = (value),
    NVFP4_ROUTING_MAP(X)
#undef X
        NVFP4_ROUTING_COUNT
} nvfp4_routing;

/** Type of the router logits that reach the kernel: name, value, word. NONE: no logits reach it. */
#define NVFP4_ROUTER_DTYPE_MAP(X)                                                                  \
    X(BF16, 0, "bf16")                                                                             \
    X(FP16, 1, "fp16")                                                                             \
    X(FP32, 2, "fp32")                                                                             \
    X(FP8, 3, "fp8")                                                                               \
    X(NONE, 4, "none")

typedef enum nvfp4_router_dtype {
#define X(name, value, word) NVFP4_ROUTER_DTYPE_##name = (value),
    NVFP4_ROUTER_DTYPE_MAP(X)
#undef X
        NVFP4_ROUTER_DTYPE_COUNT
} nvfp4_router_dtype;

/** Type of the hidden states in and out of the layer: name, value, word. */
#define NVFP4_DTYPE_MAP(X)                                                                         \
    X(BF16, 0, "bf16")                                                                             \
    X(FP16, 1, "fp16")                                                                             \
    X(FP32, 2, "fp32")

typedef enum nvfp4_dtype {
#define X(name, value, word) NVFP4_DTYPE_##name = (value),
    NVFP4_DTYPE_MAP(X)
#undef X
        NVFP4_DTYPE_COUNT
} nvfp4_dtype;

/** How gate and up share the 2N rows (or columns) of the first GEMM: name, value, word. */
#define NVFP4_HALVES_MAP(X)                                                                        \
    X(AUTO, 0, "auto")                 /* GATE_UP_BY_1 for swigluoai, else GATE_UP */              \
    X(GATE_UP, 1, "gate_up")           /* N gate, then N up (w1 then w3) */                        \
    X(UP_GATE, 2, "up_gate")           /* N up, then N gate */                                     \
    X(GATE_UP_BY_1, 3, "gate_up_by_1") /* gate, up, gate, up, ...: gpt-oss */                      \
    X(UP_GATE_BY_1, 4, "up_gate_by_1")                                                             \
    X(GATE_UP_BY_64, 5, "gate_up_by_64") /* 64 gate, 64 up, ... */                                 \
    X(UP_GATE_BY_64, 6, "up_gate_by_64") /* 64 up, 64 gate, ...: CuTe DSL */

typedef enum nvfp4_halves {
#define X(name, value, word) NVFP4_HALVES_##name = (value),
    NVFP4_HALVES_MAP(X)
#undef X
        NVFP4_HALVES_COUNT
} nvfp4_halves;

/** Which optional numbers of an ::nvfp4_moe_layer are given (bits of `has`). */
enum {
    NVFP4_HAS_SWIGLU_LIMIT = 1u << 0,
    NVFP4_HAS_SWIGLU_ALPHA = 1u << 1,
    NVFP4_HAS_SWIGLU_BETA = 1u << 2,
    NVFP4_HAS_SITU_BETA = 1u << 3,
    NVFP4_HAS_SITU_LINEAR_BETA = 1u << 4
};

/** The largest size; larger ones are refused as invalid. */
#define NVFP4_SIZE_MAX (((int64_t)1 << 40) - 1)

/**
 * One MoE layer. Set up with #NVFP4_MOE_LAYER_INIT, then change what differs.
 *
 * A size of 0 is unknown: checks that need it abstain. A number whose bit in `has` is clear is absent
 * and not looked at: no limit; alpha and beta of the activation's own (1 and 0, for SWIGLUOAI and
 * SWIGLUOAI_UNINTERLEAVE 1.702 and 1).
 */
typedef struct nvfp4_moe_layer {
    size_t struct_size;
    int32_t scheme;                     /**< an ::nvfp4_scheme */
    int32_t activation;                 /**< an ::nvfp4_activation */
    int32_t routing;                    /**< an ::nvfp4_routing */
    int32_t router_dtype;               /**< an ::nvfp4_router_dtype */
    int32_t dtype;                      /**< an ::nvfp4_dtype */
    uint32_t has;                       /**< NVFP4_HAS_* bits */
    double swiglu_limit;                /**< clamp limit L; finite, > 0 */
    double swiglu_alpha;                /**< finite */
    double swiglu_beta;                 /**< finite */
    double situ_beta;                   /**< finite; soft cap of the gate half */
    double situ_linear_beta;            /**< finite; soft cap of the up half */
    int64_t hidden_size;                /**< K as the experts see it, elements */
    int64_t intermediate_size;          /**< width of one expert before tensor parallelism, elements */
    int64_t num_experts;                /**< routed experts of the whole layer */
    int64_t top_k;                      /**< experts per token; at most num_experts */
    uint8_t bias;                       /**< 0 or 1: the expert GEMMs add a bias */
    uint8_t router_weight_on_input;     /**< 0 or 1: the routing weight scales the input, not the output */
    uint8_t per_token_activation_scale; /**< 0 or 1: activations carry one global scale per token */
    uint8_t reserved[5];                /**< 0 */
} nvfp4_moe_layer;

/** A W4A4 SiLU layer without clamp, renormalising router, bf16 throughout, all sizes unknown. */
#define NVFP4_MOE_LAYER_INIT                                                                       \
    {                                                                                              \
        sizeof(nvfp4_moe_layer), NVFP4_SCHEME_W4A4, NVFP4_ACTIVATION_SILU,                          \
            NVFP4_ROUTING_RENORMALIZE, NVFP4_ROUTER_DTYPE_BF16, NVFP4_DTYPE_BF16, 0, 0, 0, 0, 0,   \
            0, 0, 0, 0, 0, 0, 0, 0,                                                                \
            { 0, 0, 0, 0, 0 }                                                                      \
    }

/** @name Words of the enums
 * @{ */
/**
 * @brief The word that requests, policies and answers use for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_scheme_name(nvfp4_scheme scheme);
NVFP4_API const char *nvfp4_activation_name(nvfp4_activation activation);
NVFP4_API const char *nvfp4_routing_name(nvfp4_routing routing);
NVFP4_API const char *nvfp4_router_dtype_name(nvfp4_router_dtype dtype);
NVFP4_API const char *nvfp4_dtype_name(nvfp4_dtype dtype);
NVFP4_API const char *nvfp4_halves_name(nvfp4_halves halves);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
