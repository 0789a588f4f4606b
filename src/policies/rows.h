/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_POLICIES_ROWS_H
#define NVFP4_POLICIES_ROWS_H

#include "core/rule.h"

/* Sets and conditions that rows of several policies are written with. */

#define ANY_ROUTER (ALL(ROUTING) | ALL(ROUTER_DTYPE))
#define ANY_ALL2ALL ALL(ALL2ALL)
/* columns that few kernels look at */
#define ANY_DTYPE ALL(DTYPE)
#define ANY_OPTION ALL(HUMMING_GEMM)

#define NO_MUL (ACT(SILU_NO_MUL) | ACT(GELU_NO_MUL) | ACT(GELU_TANH_NO_MUL) | ACT(RELU2_NO_MUL))

#define FLASHINFER_NVLINK                                                                          \
    (ALL2ALL(FLASHINFER_NVLINK_TWO_SIDED) | ALL2ALL(FLASHINFER_NVLINK_ONE_SIDED))

/* What trtllm-gen's own router can do (vLLM experts/trtllm_nvfp4_moe.py). */
#define TRTLLM_ROUTER                                                                              \
    (ROUTING(DEEPSEEK_V3) | ROUTING(RENORMALIZE) | ROUTING(RENORMALIZE_NAIVE) | ROUTING(LLAMA4) |  \
     ROUTING(SIGMOID_RENORM) | ROUTING(SIGMOID) | ROUTING(MINIMAX2) | ROUTING(SIMULATED) |         \
     ROUTER(BF16) | ROUTER(FP32))

#define ALWAYS { .device = DEVICE_ANY, .values = ANY_VALUE }
#define NEEDS(library_name)                                                                        \
    {                                                                                              \
        .when = ALWAYS, .kind = CONDITION_LIBRARY, .reason = NVFP4_REASON_DEPENDENCY,              \
        .library = NVFP4_LIBRARY_##library_name                                                    \
    }
#define CONDITIONS(list) .conditions = list, .condition_count = COUNT_OF(list)

#endif
