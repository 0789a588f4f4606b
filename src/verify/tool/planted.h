/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_PLANTED_H
#define NVFP4MOE_VERIFY_PLANTED_H

#include <nvfp4moe/verify.h>

/*
 * Kernels of our own, right ones and wrong ones, to show that the kit tells them apart. Plain
 * float32 code that shares no formula with the kit.
 */

/* What is planted in a kernel: name, the verdict it deserves. */
#define NVFP4_PLANT_MAP(X)                                                                         \
    X(RIGHT, HONOURS)                                                                              \
    X(RIGHT_ROUNDS_ENDS, HONOURS)  /* 16 bits between GEMM and activation, and behind it */        \
    X(RIGHT_ROUNDS_STEPS, HONOURS) /* 16 bits at every step, the limit included */                 \
    X(RIGHT_APPROXIMATE, HONOURS)  /* exponentials off by up to 1e-3 */                            \
    X(IGNORES_LIMIT, IGNORES_LIMIT)                                                                \
    X(GATE_ONLY, GATE_ONLY)                                                                        \
    X(UP_ONLY, UP_ONLY)                                                                            \
    X(GATE_TWO_SIDED, GATE_TWO_SIDED)                                                              \
    X(AFTER_ACTIVATION, AFTER_ACTIVATION)                                                          \
    X(BEFORE_ACTIVATION, BEFORE_ACTIVATION)                                                        \
    X(LIMIT_7, WRONG_LIMIT)     /* 7.0 whatever was asked */                                       \
    X(LIMIT_SHARE, WRONG_LIMIT) /* 0.7 of what was asked */                                        \
    X(LIMIT_NOT_SCALED, LIMIT_NOT_SCALED)                                                          \
    X(ALPHA_IGNORED, ALPHA_IGNORED)                                                                \
    X(BETA_IGNORED, BETA_IGNORED)                                                                  \
    X(HALVES_SWAPPED, HALVES_SWAPPED)                                                              \
    X(INTERLEAVING_WRONG, INTERLEAVING_WRONG)                                                      \
    X(SCALE_RECIPROCAL_W13, SCALE_RECIPROCAL)                                                      \
    X(SCALE_RECIPROCAL_W2, SCALE_RECIPROCAL)                                                       \
    X(NAN_HIDDEN, NAN_HIDDEN) /* fmin and fmax, which drop a NaN */                                \
    X(SMALL_IGNORES_LIMIT, VARIES_WITH_BATCH)                                                      \
    X(SMALL_LIMIT_7, VARIES_WITH_BATCH)                                                            \
    X(OTHER_FUNCTION, OTHER) /* another function of the gate */                                    \
    X(OTHER_SCALE, OTHER)    /* output a quarter too large */

typedef enum nvfp4_plant {
#define X(name, verdict) NVFP4_PLANT_##name,
    NVFP4_PLANT_MAP(X)
#undef X
        NVFP4_PLANT_COUNT
} nvfp4_plant;

const char *nvfp4_plant_name(nvfp4_plant plant);

/* The verdict that a kernel with this plant deserves. */
nvfp4_verdict nvfp4_plant_verdict(nvfp4_plant plant);

/* Whether the plant makes a difference under a plan; where it makes none, the kernel is right. */
int nvfp4_plant_matters(nvfp4_plant plant, const nvfp4_verify_claim *claim,
                        const nvfp4_verification *plan);

/* What the kernels share under one plan: first GEMM's outputs and the weights of the second. */
typedef struct nvfp4_bench nvfp4_bench;

nvfp4_status nvfp4_bench_new(const nvfp4_verify_claim *claim, const nvfp4_verification *plan,
                             nvfp4_bench **bench);
void nvfp4_bench_destroy(nvfp4_bench *bench);

/* Runs a kernel on the whole plan; the outputs are the bench's, and are overwritten by the next
 * call. */
const float *const *nvfp4_bench_run(nvfp4_bench *bench, nvfp4_plant plant);

#endif
