/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_BACKEND_H
#define NVFP4MOE_BACKEND_H

/**
 * @file backend.h
 * @brief Backends (families of fused-MoE kernels) and sets of them.
 */

#include <stdint.h>

#include <nvfp4moe/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Backends: name, value. The order is the numbering, never a preference: that is the policy's.
 *
 * A backend may have several kernels (FLASHINFER_TRTLLM: monolithic and modular; HUMMING:
 * batched_grouped, grouped, indexed); which ones, a policy says.
 */
#define NVFP4_BACKEND_MAP(X)                                                                       \
    X(B12X, 1)                       /* the b12x package */                                        \
    X(FLASHINFER_TRTLLM, 2)          /* FlashInfer, trtllm-gen kernels */                          \
    X(FLASHINFER_CUTLASS, 3)         /* FlashInfer, CUTLASS kernels */                             \
    X(FLASHINFER_CUTEDSL, 4)         /* FlashInfer, CuTe DSL kernels, standard format */           \
    X(FLASHINFER_CUTEDSL_BATCHED, 5) /* FlashInfer, CuTe DSL masked grouped GEMM, batched format */\
    X(FLASHINFER_B12X, 6)            /* FlashInfer's own port of b12x */                           \
    X(VLLM_CUTLASS, 7)               /* vLLM's own CUTLASS kernels */                              \
    X(MARLIN, 8)                     /* weight-only Marlin */                                      \
    X(HUMMING, 9)                    /* the humming package */                                     \
    X(EMULATION, 10)                 /* dequantise, then Triton GEMMs in 16 bits */

typedef enum nvfp4_backend {
    NVFP4_BACKEND_NONE = 0, /**< no backend; in a request: let the policy choose */
#define X(name, value) NVFP4_BACKEND_##name = (value),
    NVFP4_BACKEND_MAP(X)
#undef X
        NVFP4_BACKEND_COUNT,
    /** First and last id that an embedder's own kernels may use; their names come from a policy. */
    NVFP4_BACKEND_CUSTOM_FIRST = 48,
    NVFP4_BACKEND_CUSTOM_LAST = 63
} nvfp4_backend;

/** A set of backends: bit b is set when the ::nvfp4_backend b is a member. Bit 0 is never set. */
typedef uint64_t nvfp4_backend_set;

/** The set that holds the one backend @p b. */
#define NVFP4_BACKEND_BIT(b) ((nvfp4_backend_set)1 << (b))

/**
 * @brief Name of a built-in backend: "FLASHINFER_CUTLASS".
 * @param backend Any number.
 * @return Never NULL; "none" for ::NVFP4_BACKEND_NONE, "custom" in the range of custom ids (the
 *         policy knows their names: nvfp4_policy_backend_name()), "unknown" for all else.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_backend_name(nvfp4_backend backend);

/**
 * @brief The built-in backend of that name, upper case as nvfp4_backend_name() gives it.
 * @param name May be NULL.
 * @return ::NVFP4_BACKEND_NONE when there is none.
 * @since 0.1
 */
NVFP4_API nvfp4_backend nvfp4_backend_from_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
