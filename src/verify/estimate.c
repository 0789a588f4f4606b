/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <stdlib.h>

/*
 * Every output is monotone in the limit (but for few with a beta), so the largest deviation falls
 * and then rises as a guess passes the kernel's limit: a coarse look at some tokens, then a golden
 * section.
 */
struct search {
    const nvfp4_verification *plan;
    const float *const *outputs;
    int small;
    size_t setting; /* runs 2 * setting (large) and 2 * setting + 1 (small) */
    size_t most_tokens;
    struct nvfp4_scratch scratch;
    float *bounds; /* [columns, 2] */
};

enum { COARSE_TOKENS = 8, STEPS_BELOW = 40, STEPS_ABOVE = 24, STEPS_PER_OCTAVE = 8 };

static double deviation_at(struct search *s, double limit)
{
    const nvfp4_verification *plan = s->plan;
    struct nvfp4_model model = plan->model[0];
    model.limit = limit;
    double worst = 0;
    for (size_t r = 2 * s->setting; r < 2 * s->setting + 2; r++) {
        const struct nvfp4_plan_run *run = &plan->run[r];
        if (s->small >= 0 && run->small != s->small)
            continue;
        for (size_t t = 0; t < run->tokens && t < s->most_tokens; t++) {
            nvfp4_predict(plan, run, t, &model, &s->scratch, s->bounds);
            const float *out = s->outputs[r] + t * plan->columns;
            for (size_t k = 0; k < plan->columns; k++) {
                double d = nvfp4_deviation(out[k], s->bounds + 2 * k, plan->floor);
                worst = d > worst ? d : worst;
            }
        }
    }
    return worst;
}

/* The limit between two others with the least deviation. */
static double golden(struct search *s, double low, double high, double *least)
{
    const double ratio = 0.61803398874989484820;
    double a = high - (high - low) * ratio, b = low + (high - low) * ratio;
    double at_a = deviation_at(s, a), at_b = deviation_at(s, b);
    for (int i = 0; i < 24; i++) {
        if (at_a < at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - (high - low) * ratio;
            at_a = deviation_at(s, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + (high - low) * ratio;
            at_b = deviation_at(s, b);
        }
    }
    *least = at_a < at_b ? at_a : at_b;
    return at_a < at_b ? a : b;
}

/* How far one can go from a limit that fits towards one that does not. */
static double edge(struct search *s, double fits, double not )
{
    for (int i = 0; i < 16; i++) {
        double middle = (fits + not ) / 2;
        if (deviation_at(s, middle) <= 1)
            fits = middle;
        else
            not = middle;
    }
    return fits;
}

static double search_setting(struct search *s, struct nvfp4_estimate *e)
{
    const nvfp4_moe_layer *layer = &s->plan->run[2 * s->setting].layer;
    double start = layer->has & NVFP4_HAS_SWIGLU_LIMIT ? layer->swiglu_limit : 8;
    double best = start, least = HUGE_VAL, step = exp2(1.0 / STEPS_PER_OCTAVE);
    s->most_tokens = COARSE_TOKENS;
    for (int i = -STEPS_BELOW; i <= STEPS_ABOVE; i++) {
        double limit = start * exp2((double)i / STEPS_PER_OCTAVE), d = deviation_at(s, limit);
        if (d < least) {
            least = d;
            best = limit;
        }
    }
    s->most_tokens = SIZE_MAX;
    double limit = golden(s, best / step, best * step, &least);
    if (s->setting == 0 && least <= 1) {
        e->limit = limit;
        e->low = edge(s, limit, limit / step);
        e->high = edge(s, limit, limit * step);
    }
    return least;
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
