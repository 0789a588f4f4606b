/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FP16_MAX = 65504;

nvfp4_status nvfp4_scratch_init(const nvfp4_verification *plan, struct nvfp4_scratch *scratch)
{
    size_t n = plan->inter;
    scratch->rows = calloc(2 * n, sizeof *scratch->rows);
    scratch->h = calloc(n, sizeof *scratch->h);
    scratch->y = calloc(2 * n, sizeof *scratch->y);
    if (scratch->rows == NULL || scratch->h == NULL || scratch->y == NULL) {
        nvfp4_scratch_clean_up(scratch);
        return NVFP4_ENOMEM;
    }
    return NVFP4_OK;
}

void nvfp4_scratch_clean_up(struct nvfp4_scratch *scratch)
{
    free(scratch->rows);
    free(scratch->h);
    free(scratch->y);
}

/* By how much a model's first GEMM is off, because of a global scale taken for its reciprocal. */
static double input_factor(const nvfp4_verification *plan, const struct nvfp4_model *model,
                           size_t e)
{
    double factor = 1, w13 = plan->expert[e].w13_global, x = plan->x_multiplier;
    if (model->reciprocal & NVFP4_RECIPROCAL_W13)
        factor /= w13 * w13;
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_ACTIVATION) {
        double dequant = nvfp4_plan_dequant(plan, e);
        return model->reciprocal & NVFP4_RECIPROCAL_W13 ? 1 / (dequant * dequant) : 1;
    }
    if (plan->quantised && model->reciprocal & NVFP4_RECIPROCAL_X)
        factor /= x * x;
    if (plan->quantised && model->reciprocal & NVFP4_RECIPROCAL_X_BACK)
        factor *= x * x;
    return factor;
}

/* By how much its output is off. */
static double output_factor(const nvfp4_verification *plan, const struct nvfp4_plan_run *run,
                            const struct nvfp4_model *model, size_t e)
{
    double factor = 1, w2 = plan->expert[e].w2_global, h = run->h_multiplier;
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_MOE && model->reciprocal & NVFP4_RECIPROCAL_W2)
        factor /= w2 * w2;
    if (plan->quantised && model->reciprocal & NVFP4_RECIPROCAL_H)
        factor /= h * h;
    if (plan->quantised && model->reciprocal & NVFP4_RECIPROCAL_H_BACK)
        factor *= h * h;
    return factor;
}

/* Whether gate, up and what comes of them stay finite in the 16-bit type. */
static int fits(const struct nvfp4_act *act, double g, double u, struct nvfp4_range h)
{
    if (act->dtype != NVFP4_DTYPE_FP16)
        return 1;
    return fabs(g) <= FP16_MAX && fabs(u) <= FP16_MAX && h.lo >= -FP16_MAX && h.hi <= FP16_MAX;
}

/*
 * Fills scratch->h; 0 when the 16-bit type overflows on the way, so that nothing can be said. The
 * channels of a block are of two kinds, so the last two results are kept.
 */
static int predict_h(const nvfp4_verification *plan, const struct nvfp4_act *act,
                     const struct nvfp4_model *model, double factor, struct nvfp4_scratch *scratch)
{
    struct {
        double g, u;
        struct nvfp4_range h;
    } last = {NAN, NAN, {0, 0}}, other = last, swap;
    const uint32_t *map = plan->map + (size_t)model->halves * 2 * plan->inter;
    for (size_t n = 0; n < plan->inter; n++) {
        double g = scratch->rows[plan->gated ? map[n] : n] * factor;
        double u = plan->gated ? scratch->rows[map[plan->inter + n]] * factor : 0;
        if (g != last.g || u != last.u) {
            swap = other;
            other = last;
            last = swap;
            if (g != last.g || u != last.u) {
                last.g = g;
                last.u = u;
                last.h = nvfp4_act_apply(act, g, u);
            }
            if (!fits(act, g, u, last.h))
                return 0;
        }
        scratch->h[n] = last.h;
    }
    return 1;
}

/* Rounds outwards to float. */
static void store(struct nvfp4_range r, float *bounds)
{
    bounds[0] = (float)r.lo;
    bounds[1] = (float)r.hi;
    if ((double)bounds[0] > r.lo)
        bounds[0] = nextafterf(bounds[0], -HUGE_VALF);
    if ((double)bounds[1] < r.hi)
        bounds[1] = nextafterf(bounds[1], HUGE_VALF);
}

/* What becomes of a channel behind the activation: second GEMM, routing weight, and two roundings.
 */
static struct nvfp4_range finish(const nvfp4_verification *plan, struct nvfp4_range h,
                                 double factor, double weight)
{
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_ACTIVATION)
        return nvfp4_range_scale(h, factor);
    struct nvfp4_range y = nvfp4_range_scale(h, factor * plan->out_factor);
    y = nvfp4_range_maybe_round(nvfp4_range_widen(y, 0x1p-22, 0), plan->layer.dtype);
    y = nvfp4_range_scale(y, weight);
    return nvfp4_range_maybe_round(nvfp4_range_widen(y, 0x1p-22, 0), plan->layer.dtype);
}

/* Fills scratch->y with the bounds of what each channel contributes to an output. */
static void predict_channels(const nvfp4_verification *plan, const struct nvfp4_plan_run *run,
                             size_t token, size_t route, const struct nvfp4_model *model,
                             struct nvfp4_scratch *scratch)
{
    size_t e = (size_t)run->ids[token * plan->routes + route];
    struct nvfp4_act act = nvfp4_model_act(plan, run, model, e);
    double factor = output_factor(plan, run, model, e);
    double weight = run->weights[token * plan->routes + route];
    nvfp4_plan_rows(plan, run, token, route, scratch->rows);
    int known = predict_h(plan, &act, model, input_factor(plan, model, e), scratch);
    for (size_t n = 0; known && plan->quantised && n < plan->inter; n += NVFP4_BLOCK)
        nvfp4_range_through_nvfp4(scratch->h + n, run->h_multiplier);
    struct nvfp4_range last = {NAN, NAN};
    size_t done = 0;
    for (size_t n = 0; n < plan->inter; n++) {
        struct nvfp4_range h = known ? scratch->h[n] : NVFP4_RANGE_ANY;
        if (h.lo == last.lo && h.hi == last.hi) {
            memcpy(scratch->y + 2 * n, scratch->y + 2 * done, 2 * sizeof *scratch->y);
            continue;
        }
        store(known ? finish(plan, h, factor, weight) : h, scratch->y + 2 * n);
        last = h;
        done = n;
    }
}

static void predict_route(const nvfp4_verification *plan, const struct nvfp4_plan_run *run,
                          size_t token, size_t route, const struct nvfp4_model *model,
                          struct nvfp4_scratch *scratch, float *bounds)
{
    const struct nvfp4_expert *expert = &plan->expert[run->ids[token * plan->routes + route]];
    const float *y = scratch->y;
    predict_channels(plan, run, token, route, model, scratch);
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_ACTIVATION) {
        memcpy(bounds, y, 2 * plan->columns * sizeof *bounds);
        return;
    }
    for (size_t k = route; k < plan->columns; k += plan->routes) {
        size_t n = expert->channel[k];
        bounds[2 * k] = expert->sign[k] > 0 ? y[2 * n] : -y[2 * n + 1];
        bounds[2 * k + 1] = expert->sign[k] > 0 ? y[2 * n + 1] : -y[2 * n];
        if (expert->sign[k] == 0) /* past the last whole group of columns */
            bounds[2 * k] = bounds[2 * k + 1] = 0;
    }
}

void nvfp4_predict(const nvfp4_verification *plan, const struct nvfp4_plan_run *run, size_t token,
                   const struct nvfp4_model *model, struct nvfp4_scratch *scratch, float *bounds)
{
    for (size_t route = 0; route < plan->routes; route++)
        predict_route(plan, run, token, route, model, scratch, bounds);
}

double nvfp4_deviation(double value, const float *bounds, double floor)
{
    double lo = bounds[0], hi = bounds[1];
    if (lo == -HUGE_VAL && hi == HUGE_VAL)
        return 0;
    if (isnan(value))
        return NVFP4_FAR;
    if (hi == HUGE_VAL || lo == -HUGE_VAL) { /* the type may overflow here */
        double end = hi == HUGE_VAL ? lo : hi;
        int within = hi == HUGE_VAL ? value >= lo : value <= hi;
        double d = fabs(value - end) / (fabs(end) * 0x1p-8 + floor);
        return within ? 0 : d < NVFP4_FAR ? 1 + d : NVFP4_FAR;
    }
    double middle = (lo + hi) / 2, half = (hi - lo) / 2 + floor;
    double d = fabs(value - middle) / half;
    return d < NVFP4_FAR ? d : NVFP4_FAR;
}

static float *bounds_of(const nvfp4_verification *plan, size_t model)
{
    return plan->bounds + model * plan->elements * 2;
}

static void predict_model(const nvfp4_verification *plan, size_t model,
                          struct nvfp4_scratch *scratch)
{
    for (size_t r = 0; r < plan->run_count; r++) {
        const struct nvfp4_plan_run *run = &plan->run[r];
        for (size_t t = 0; !run->has_nan && t < run->tokens; t++)
            nvfp4_predict(plan, run, t, &plan->model[model], scratch,
                          bounds_of(plan, model) + (run->first + t * plan->columns) * 2);
    }
}

/*
 * Drops a model that predicts what the right one does: it makes no difference. So does one of the
 * same verdict. Two faults that predict the same stay, to be named both.
 */
static void drop_twins(nvfp4_verification *plan)
{
    size_t kept = 0, bytes = plan->elements * 2 * sizeof(float);
    for (size_t m = 0; m < plan->model_count; m++) {
        int twin = 0;
        for (size_t k = 0; k < kept && !twin; k++)
            if (k == 0 || plan->model[k].verdict == plan->model[m].verdict)
                twin = memcmp(bounds_of(plan, k), bounds_of(plan, m), bytes) == 0;
        if (twin)
            continue;
        if (kept != m) {
            memcpy(bounds_of(plan, kept), bounds_of(plan, m), bytes);
            plan->model[kept] = plan->model[m];
        }
        kept++;
    }
    plan->model_count = kept;
}

static int tell_apart(const nvfp4_verification *plan, size_t a, size_t b)
{
    const float *x = bounds_of(plan, a), *y = bounds_of(plan, b);
    for (size_t i = 0; i < plan->elements; i++, x += 2, y += 2)
        if (x[0] - plan->floor > y[1] + plan->floor || y[0] - plan->floor > x[1] + plan->floor)
            return 1;
    return 0;
}

nvfp4_status nvfp4_plan_predict(nvfp4_verification *plan)
{
    struct nvfp4_scratch scratch;
    nvfp4_status status = nvfp4_scratch_init(plan, &scratch);
    if (status != NVFP4_OK)
        return status;
    for (size_t m = 0; m < plan->model_count; m++)
        predict_model(plan, m, &scratch);
    nvfp4_scratch_clean_up(&scratch);
    double most = 0;
    for (size_t i = 0; i < 2 * plan->elements; i++)
        most = fmax(most, fabs((double)plan->bounds[i]));
    plan->floor = most * 0x1p-40;
    drop_twins(plan);
    for (size_t a = 0; a < plan->model_count; a++)
        for (size_t b = 0; b < a; b++)
            plan->apart[a][b] = plan->apart[b][a] = (uint8_t)tell_apart(plan, a, b);
    return NVFP4_OK;
}
