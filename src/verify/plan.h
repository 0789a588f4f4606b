/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_PLAN_H
#define NVFP4MOE_VERIFY_PLAN_H

#include <math.h>

#include <nvfp4moe/verify.h>

#include "verify/activation.h"

enum {
    NVFP4_RUNS_MAX = 7,    /* claimed and two own settings, each large and small, and NaN */
    NVFP4_MODELS_MAX = 48, /* hypotheses, see models.c */
    NVFP4_TOP_K_MAX = 8
};

/* splitmix64: the plan's only source of chance. */
struct nvfp4_rng {
    uint64_t state;
};

uint64_t nvfp4_rng_next(struct nvfp4_rng *rng);
size_t nvfp4_rng_below(struct nvfp4_rng *rng, size_t n); /* n > 0 */
void nvfp4_rng_permutation(struct nvfp4_rng *rng, uint32_t *out, size_t n);

/*
 * One expert. A block of 16 channels has one gate and one up value per token: its gate rows read
 * slot 2 * gate_pair of x, its up rows slot 2 * up_pair + 1. Channels that are not active have a
 * gate of 0.
 */
struct nvfp4_expert {
    double w13_global, w2_global;  /* multipliers */
    uint32_t *gate_pair, *up_pair; /* [blocks] */
    uint8_t *active;               /* [inter] */
    uint32_t *channel;             /* [columns]: what output column shows; level MOE */
    int8_t *sign;                  /* [columns]: 1 or -1; 0: not a column of this expert */
};

struct nvfp4_plan_run {
    nvfp4_moe_layer layer;
    size_t tokens;
    int32_t small, has_nan;
    double h_multiplier;
    double *gates, *ups; /* [tokens, pairs] */
    int32_t *ids;        /* [tokens, routes] */
    float *weights;      /* [tokens, routes] */
    float *x;            /* level MOE */
    uint8_t *x_codes, *x_scales;
    float *gate_up, *accumulator, *dequant; /* level ACTIVATION */
    nvfp4_moe_problem problem;              /* level MOE */
    size_t first;                           /* index of its first element among all predictions */
};

/* One way in which a kernel may be wrong, or right; made from a row of the table in models.c. */
struct nvfp4_model {
    int32_t verdict;
    nvfp4_verdict_set faults;
    uint32_t clamp_keep, clamp_add; /* nvfp4_clamp bits */
    double limit;                   /* 0: the one asked for */
    double limit_factor;            /* 0: 1 */
    int32_t alpha, beta;            /* an nvfp4_source */
    uint32_t raw;                   /* an nvfp4_raw */
    int32_t halves;                 /* how it reads the rows */
    uint32_t reciprocal;            /* nvfp4_reciprocal bits */
};

enum nvfp4_source { NVFP4_SOURCE_CLAIM, NVFP4_SOURCE_PLAIN, NVFP4_SOURCE_OAI };
enum nvfp4_raw { NVFP4_RAW_LIMIT = 1, NVFP4_RAW_BETA = 2 };
enum nvfp4_reciprocal {
    NVFP4_RECIPROCAL_W13 = 1,
    NVFP4_RECIPROCAL_W2 = 2,
    NVFP4_RECIPROCAL_X = 4,      /* on the way in: values grow by 1 / global^2 */
    NVFP4_RECIPROCAL_X_BACK = 8, /* the other way round */
    NVFP4_RECIPROCAL_H = 16,
    NVFP4_RECIPROCAL_H_BACK = 32
};

struct nvfp4_verification {
    nvfp4_verify_claim claim; /* its layer points to the next field */
    nvfp4_moe_layer layer;    /* sizes filled in */
    int32_t halves;           /* resolved */
    int32_t gated, quantised; /* quantised: W4A4 */
    size_t hidden, inter, experts, routes, pairs, blocks, columns;
    double x_multiplier, out_factor;
    uint32_t *slot;  /* [2 * pairs]: where a pair's gate (2p) and up (2p + 1) values lie in x */
    int8_t *pattern; /* [2 * pairs, 16]: twice the E2M1 values of a slot of x */
    int8_t *partner; /* [2 * pairs, 16]: element that cancels this one; -1 anchor, -2 spare */
    uint32_t *map;   /* [layouts, 2 * inter]: rows of all gates, then of all ups */
    struct nvfp4_expert *expert;
    uint8_t *w13, *w13_scales, *w2, *w2_scales;
    float *w13_global, *w2_global; /* in the claim's convention */
    size_t run_count;
    struct nvfp4_plan_run run[NVFP4_RUNS_MAX];
    size_t model_count;
    struct nvfp4_model model[NVFP4_MODELS_MAX];
    size_t elements; /* predictions of one model */
    float *bounds;   /* [models, elements, 2]: least and largest value */
    double floor;    /* deviations up to this count as none */
    uint8_t apart[NVFP4_MODELS_MAX][NVFP4_MODELS_MAX]; /* 1: some element tells the two apart */
};

/* inputs.c: weights and the inputs of the runs; plan->run[i].layer, tokens, small and has_nan are
 * set. */
nvfp4_status nvfp4_plan_inputs(nvfp4_verification *plan);

/* Largest magnitude that the activation of a run can reach, clamped or not. */
double nvfp4_plan_largest(const nvfp4_moe_layer *layer);

/* models.c: the hypotheses that the claim admits, twins among them still. */
void nvfp4_plan_models(nvfp4_verification *plan);

/* The activation that a model computes in one run for one expert. */
struct nvfp4_act nvfp4_model_act(const nvfp4_verification *plan, const struct nvfp4_plan_run *run,
                                 const struct nvfp4_model *model, size_t expert);

/* The multiplier that turns an expert's raw accumulator into real values. */
double nvfp4_plan_dequant(const nvfp4_verification *plan, size_t expert);

/* Value of each of the first GEMM's rows for one token and route: rows [2 * inter], or [inter]. */
void nvfp4_plan_rows(const nvfp4_verification *plan, const struct nvfp4_plan_run *run, size_t token,
                     size_t route, double *rows);

/* predict.c: what a model predicts for one token: bounds of all columns, [columns, 2]. */
struct nvfp4_scratch {
    double *rows;          /* [2 * inter] */
    struct nvfp4_range *h; /* [inter] */
    float *y;              /* [inter, 2] */
};

nvfp4_status nvfp4_scratch_init(const nvfp4_verification *plan, struct nvfp4_scratch *scratch);
void nvfp4_scratch_clean_up(struct nvfp4_scratch *scratch);
void nvfp4_predict(const nvfp4_verification *plan, const struct nvfp4_plan_run *run, size_t token,
                   const struct nvfp4_model *model, struct nvfp4_scratch *scratch, float *bounds);

/* Fills bounds, drops models that predict what an earlier one does, finds which are apart. */
nvfp4_status nvfp4_plan_predict(nvfp4_verification *plan);

/* Deviation of a value from its bounds, in tolerances: up to 1 lies within; NaN is far away. */
#define NVFP4_FAR 1e30
double nvfp4_deviation(double value, const float *bounds, double floor);

/* Whether a value deviates by more than `worst`, which then becomes its deviation. */
static inline int nvfp4_exceeds(double *worst, double value, const float *bounds, double floor)
{
    double lo = bounds[0], hi = bounds[1];
    double off = fabs(value - (lo + hi) / 2), half = (hi - lo) / 2 + floor;
    if (half < NVFP4_FAR &&
        off <= *worst * half) /* the usual case, without a division; false where something is NaN */
        return 0;
    double d = nvfp4_deviation(value, bounds, floor);
    if (d <= *worst)
        return 0;
    *worst = d;
    return 1;
}

/* estimate.c: the limit that explains the runs of one batch size best (small: 0, 1, or -1 for
 * both). */
struct nvfp4_estimate {
    double limit, low, high; /* of the run with the claim's own limit */
    double distance;
};

nvfp4_status nvfp4_estimate_limit(const nvfp4_verification *plan, const float *const *outputs,
                                  int small, struct nvfp4_estimate *estimate);

#endif
