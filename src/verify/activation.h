/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_ACTIVATION_H
#define NVFP4MOE_VERIFY_ACTIVATION_H

#include <nvfp4moe/verify.h>

#include "verify/range.h"

/* Which values the clamp touches. */
enum nvfp4_clamp {
    NVFP4_CLAMP_GATE = 1,     /* gate from above */
    NVFP4_CLAMP_UP = 2,       /* up from both sides */
    NVFP4_CLAMP_GATE_LOW = 4, /* gate from below: no form does it, some kernels do */
    NVFP4_CLAMP_AFTER = 8     /* the gate behind its function instead of before it */
};

/* An activation with all its numbers, and how freely it may be computed. */
struct nvfp4_act {
    int32_t kind; /* an nvfp4_activation */
    uint32_t clamp;
    double limit, alpha, beta;
    double situ_beta, situ_linear_beta; /* the latter 0: up is not capped */
    int32_t dtype;
    uint32_t points;      /* where to round to dtype; not looked at when loose */
    int32_t loose;        /* 1: ranges over all roundings and errors; 0: one exact course */
    double exp_error;     /* relative, loose only */
    double sigmoid_error; /* absolute, loose only */
};

/* Whether the form has a gate and an up half. */
int nvfp4_is_gated(int32_t activation);

/* Whether alpha and beta mean anything to it. */
int nvfp4_uses_alpha(int32_t activation);
int nvfp4_uses_beta(int32_t activation);

/* Whether the numbers of a layer that an activation uses are in range. */
int nvfp4_layer_numbers_ok(const nvfp4_moe_layer *layer);

/* The activation that the layer asks for, exact and without rounding. */
struct nvfp4_act nvfp4_act_of(const nvfp4_moe_layer *layer);

/* The layout that AUTO stands for. */
int32_t nvfp4_halves_of(int32_t halves, int32_t activation);

/* The activation's value for one gate and one up (forms without a gate: gate is the input). */
struct nvfp4_range nvfp4_act_apply(const struct nvfp4_act *act, double gate, double up);

#endif
