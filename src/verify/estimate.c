/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <stdlib.h>

/*
 * First the limit that leaves the least relative error on the average: that has one valley, however
 * sharp the tolerances are. Then, close by, the one with the smallest deviation in tolerances,
 * which must be 1 or less. Both at some tokens first. A guess that is known to be worse than
 * another is not followed to the end.
 */
struct search {
    const nvfp4_verification *plan;
    const float *const *outputs;
    int small;
    size_t setting; /* runs 2 * setting (large) and 2 * setting + 1 (small) */
    size_t most_tokens;
    int in_tolerances; /* 1: largest deviation; 0: sum of relative errors */
    struct nvfp4_scratch scratch;
    float *bounds; /* [columns, 2] */
};

enum { SOME_TOKENS = 4, STEPS_BELOW = 40, STEPS_ABOVE = 24, STEPS_PER_OCTAVE = 8 };

static double error_of_token(struct search *s, size_t r, size_t token,
                             const struct nvfp4_model *model, double error)
{
    const nvfp4_verification *plan = s->plan;
    const float *out = s->outputs[r] + token * plan->columns;
    nvfp4_predict(plan, &plan->run[r], token, model, &s->scratch, s->bounds);
    for (size_t k = 0; k < plan->columns; k++) {
        const float *bounds = s->bounds + 2 * k;
        double got = out[k], beyond = 1;
        if (s->in_tolerances) {
            (void)nvfp4_exceeds(&error, got, bounds, plan->floor);
        } else if (nvfp4_exceeds(&beyond, got, bounds, plan->floor)) {
            double expected = ((double)bounds[0] + (double)bounds[1]) / 2;
            double share = fabs(got - expected) / (fabs(got) + fabs(expected));
            error += share <= 1 ? share : 1;
        }
    }
    return error;
}

/* How far the outputs are from what a limit predicts, or a number above `enough` that they exceed.
 */
static double error_at(struct search *s, double limit, double enough)
{
    struct nvfp4_model model = s->plan->model[0];
    double error = 0;
    model.limit = limit;
    for (size_t r = 2 * s->setting; r < 2 * s->setting + 2; r++) {
        const struct nvfp4_plan_run *run = &s->plan->run[r];
        if (s->small >= 0 && run->small != s->small)
            continue;
        for (size_t t = 0; t < run->tokens && t < s->most_tokens && error <= enough; t++)
            error = error_of_token(s, r, t, &model, error);
    }
    return error;
}

/* The limit between two others with the least error. */
static double golden(struct search *s, double low, double high, double *least)
{
    const double ratio = 0.61803398874989484820;
    double a = high - (high - low) * ratio, b = low + (high - low) * ratio;
    double at_a = error_at(s, a, HUGE_VAL), at_b = error_at(s, b, at_a);
    for (int i = 0; i < 40; i++) {
        if (at_a < at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - (high - low) * ratio;
            at_a = error_at(s, a, at_b);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + (high - low) * ratio;
            at_b = error_at(s, b, at_a);
        }
    }
    *least = at_a < at_b ? at_a : at_b;
    return at_a < at_b ? a : b;
}

/*
 * How far one can go from a limit that fits towards one that does not. Behind a clamp in float32
 * only a few 2^-22 of a limit fit, and one that fits some tokens may lie at the very end of them:
 * the steps end well below that, or there is no room left to look for one that fits all.
 */
static double edge(struct search *s, double fits, double not )
{
    while (fabs(not -fits) > fits * 0x1p-28) {
        double middle = (fits + not ) / 2;
        if (error_at(s, middle, 1) <= 1)
            fits = middle;
        else
            not = middle;
    }
    return fits;
}

static double coarse(struct search *s, double start)
{
    double best = start, least = HUGE_VAL;
    for (int i = -STEPS_BELOW; i <= STEPS_ABOVE; i++) {
        double limit = start * exp2((double)i / STEPS_PER_OCTAVE);
        double d = error_at(s, limit, least);
        if (d < least) {
            least = d;
            best = limit;
        }
    }
    return best;
}

/* From a limit that fits some tokens to one that fits all of them, and how far it can be moved. */
static double settle(struct search *s, double limit, struct nvfp4_estimate *e)
{
    const double share = 0.125;
    double low = edge(s, limit, limit * (1 - share)), high = edge(s, limit, limit * (1 + share));
    s->most_tokens = SIZE_MAX;
    double least = error_at(s, limit, 1);
    if (least > 1)
        limit = golden(s, low, high, &least);
    if (s->setting == 0 && least <= 1) {
        e->low = edge(s, limit, low);
        e->high = edge(s, limit, high);
        e->limit = (e->low + e->high) / 2;
    }
    return least;
}

static double search_setting(struct search *s, struct nvfp4_estimate *e)
{
    const nvfp4_moe_layer *layer = &s->plan->run[2 * s->setting].layer;
    double start = layer->has & NVFP4_HAS_SWIGLU_LIMIT ? layer->swiglu_limit : 8;
    double least, step = exp2(1.0 / STEPS_PER_OCTAVE);
    s->most_tokens = SOME_TOKENS;
    s->in_tolerances = 0;
    double near = coarse(s, start), limit = golden(s, near / step, near * step, &least);
    s->in_tolerances = 1;
    least = error_at(s, limit, 1);
    if (least > 1)
        limit = golden(s, limit * 0.95, limit * 1.05, &least);
    return least > 1 ? least : settle(s, limit, e);
}

nvfp4_status nvfp4_estimate_limit(const nvfp4_verification *plan, const float *const *outputs,
                                  int small, struct nvfp4_estimate *estimate)
{
    struct search s = {.plan = plan, .outputs = outputs, .small = small};
    nvfp4_status status = nvfp4_scratch_init(plan, &s.scratch);
    if (status != NVFP4_OK)
        return status;
    s.bounds = malloc(plan->columns * 2 * sizeof *s.bounds);
    if (s.bounds == NULL) {
        nvfp4_scratch_clean_up(&s.scratch);
        return NVFP4_ENOMEM;
    }
    *estimate = (struct nvfp4_estimate){0};
    for (s.setting = 0; 2 * s.setting + 1 < plan->run_count; s.setting++) {
        double d = search_setting(&s, estimate);
        estimate->distance = d > estimate->distance ? d : estimate->distance;
        if (d > 1) /* no limit explains this setting */
            break;
    }
    free(s.bounds);
    nvfp4_scratch_clean_up(&s.scratch);
    return NVFP4_OK;
}
