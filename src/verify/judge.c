/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <string.h>

/* Which runs a deviation was found in. SHARED: those rows of the large batch that the small one has
 * too. */
enum part { SMALL, LARGE, SHARED, PARTS };

/* Largest deviation from each model, in each part. */
struct tally {
    double of[NVFP4_MODELS_MAX][PARTS];
};

static void note_worst(nvfp4_verify_result *result, size_t run, size_t row, size_t column,
                       const float *bounds, double got)
{
    result->worst_run = (int32_t)run;
    result->worst_row = (int64_t)row;
    result->worst_column = (int64_t)column;
    result->worst_expected = ((double)bounds[0] + (double)bounds[1]) / 2;
    result->worst_got = got;
}

static void tally_run(const nvfp4_verification *plan, size_t r, const float *out, size_t model,
                      double of[PARTS], nvfp4_verify_result *result)
{
    const struct nvfp4_plan_run *run = &plan->run[r];
    const float *bounds = plan->bounds + (model * plan->elements + run->first) * 2;
    enum part part = run->small ? SMALL : LARGE;
    for (size_t t = 0; t < run->tokens; t++) {
        int shared = part == LARGE && t < (size_t)plan->claim.small_tokens;
        for (size_t k = 0; k < plan->columns; k++, bounds += 2) {
            double got = out[t * plan->columns + k];
            if (nvfp4_exceeds(&of[part], got, bounds, plan->floor) && model == 0 &&
                of[part] >= fmax(of[SMALL], of[LARGE]))
                note_worst(result, r, t, k, bounds, got);
            if (shared)
                (void)nvfp4_exceeds(&of[SHARED], got, bounds, plan->floor);
        }
    }
}

static void count_up(const nvfp4_verification *plan, const float *const *outputs,
                     struct tally *tally, nvfp4_verify_result *result)
{
    for (size_t m = 0; m < plan->model_count; m++) {
        for (int part = 0; part < PARTS; part++)
            tally->of[m][part] = 0;
        for (size_t r = 0; r < plan->run_count; r++)
            if (!plan->run[r].has_nan)
                tally_run(plan, r, outputs[r], m, tally->of[m], result);
    }
}

static double both(const struct tally *tally, size_t m)
{
    return fmax(tally->of[m][SMALL], tally->of[m][LARGE]);
}

/* The verdicts whose models explain a part (PARTS: small and large together). */
static nvfp4_verdict_set explain(const nvfp4_verification *plan, const struct tally *tally,
                                 enum part part)
{
    nvfp4_verdict_set set = 0;
    for (size_t m = 0; m < plan->model_count; m++)
        if ((part == PARTS ? both(tally, m) : tally->of[m][part]) <= 1)
            set |= NVFP4_VERDICT_BIT(plan->model[m].verdict);
    return set;
}

/* The one member of a set, or 0. */
static int32_t only(nvfp4_verdict_set set)
{
    for (int32_t v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (set == NVFP4_VERDICT_BIT(v))
            return v;
    return 0;
}

/* What one batch size alone says. */
static int32_t verdict_of(nvfp4_verdict_set set)
{
    return set == 0 ? NVFP4_VERDICT_OTHER : only(set) != 0 ? only(set) : NVFP4_VERDICT_UNDECIDED;
}

/* Whether a kernel that clamps right makes a number of a NaN. */
static int hides_nan(const nvfp4_verification *plan, const float *const *outputs)
{
    for (size_t r = 0; r < plan->run_count; r++) {
        const struct nvfp4_plan_run *run = &plan->run[r];
        if (!run->has_nan)
            continue;
        for (size_t k = 0; k < plan->columns; k++) {
            if (plan->claim.level == NVFP4_VERIFY_LEVEL_MOE) {
                if (isfinite(outputs[r][plan->columns + k])) /* x of token 1 holds NaN */
                    return 1;
                continue;
            }
            for (size_t t = 0; k % 11 == 0 && t < run->tokens; t++)
                if (isfinite(outputs[r][t * plan->columns + k]))
                    return 1;
        }
    }
    return 0;
}

static void fill_distances(const nvfp4_verification *plan, const struct tally *tally,
                           nvfp4_verify_result *result)
{
    for (size_t v = 0; v < sizeof result->distance / sizeof result->distance[0]; v++)
        result->distance[v] = -1;
    for (size_t m = 0; m < plan->model_count; m++) {
        double *d = &result->distance[plan->model[m].verdict];
        if (*d < 0 || both(tally, m) < *d)
            *d = both(tally, m);
    }
}

/*
 * The faults of the first model of a verdict that explains the outputs (faults that come together
 * are last in the table), and its limit where that is what is wrong.
 */
static void fill_faults(const nvfp4_verification *plan, const struct tally *tally,
                        nvfp4_verify_result *result)
{
    size_t m = 0;
    while (plan->model[m].verdict != result->verdict || both(tally, m) > 1)
        m++;
    const struct nvfp4_model *model = &plan->model[m];
    result->faults = model->faults;
    if (model->faults & NVFP4_VERDICT_BIT(NVFP4_VERDICT_WRONG_LIMIT)) {
        result->limit = nvfp4_model_act(plan, &plan->run[0], model, 0).limit;
        result->limit_low = result->limit_high = result->limit;
    }
}

/* 1 - distance of the verdict / distance of the nearest other one. */
static void fill_confidence(nvfp4_verify_result *result, double own)
{
    double next = HUGE_VAL;
    for (int32_t v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (v != result->verdict && result->distance[v] >= 0 && result->distance[v] < next)
            next = result->distance[v];
    result->confidence = next > own ? 1 - own / next : 0;
}

/* No model explains both batch sizes: a limit of its own, a change with the size, or something
 * else. */
static nvfp4_status look_further(const nvfp4_verification *plan, const float *const *outputs,
                                 const struct tally *tally, nvfp4_verify_result *result)
{
    struct nvfp4_estimate e = {0};
    nvfp4_status status = nvfp4_estimate_limit(plan, outputs, -1, &e);
    if (status != NVFP4_OK)
        return status;
    double *wrong = &result->distance[NVFP4_VERDICT_WRONG_LIMIT];
    if (e.distance <= 1 && e.limit > 0) {
        result->verdict = NVFP4_VERDICT_WRONG_LIMIT;
        result->faults = NVFP4_VERDICT_BIT(NVFP4_VERDICT_WRONG_LIMIT);
        result->limit = e.limit;
        result->limit_low = e.low;
        result->limit_high = e.high;
        *wrong = e.distance;
        fill_confidence(result, e.distance);
        return NVFP4_OK;
    }
    nvfp4_verdict_set small = explain(plan, tally, SMALL), large = explain(plan, tally, LARGE);
    int same_rows_agree = 0;
    for (size_t m = 0; m < plan->model_count; m++)
        if (tally->of[m][SMALL] <= 1 && tally->of[m][SHARED] <= 1)
            same_rows_agree = 1;
    result->verdict = NVFP4_VERDICT_OTHER;
    if ((small != 0 || large != 0) && !same_rows_agree) {
        result->verdict = NVFP4_VERDICT_VARIES_WITH_BATCH;
        result->small_verdict = verdict_of(small);
        result->large_verdict = verdict_of(large);
        result->faults = (small | large) & ~NVFP4_VERDICT_BIT(NVFP4_VERDICT_HONOURS);
        result->faults |= NVFP4_VERDICT_BIT(NVFP4_VERDICT_VARIES_WITH_BATCH);
    }
    fill_confidence(result, 1);
    return NVFP4_OK;
}

nvfp4_status nvfp4_verify_judge(const nvfp4_verification *plan, const float *const *outputs,
                                size_t count, nvfp4_verify_result *out)
{
    if (plan == NULL || outputs == NULL || out == NULL || count != plan->run_count)
        return NVFP4_EINVAL;
    for (size_t r = 0; r < count; r++)
        if (outputs[r] == NULL)
            return NVFP4_EINVAL;
    size_t size = out->struct_size;
    if (size < offsetof(nvfp4_verify_result, distance) + sizeof out->distance)
        return NVFP4_EABI;
    nvfp4_verify_result result = {.struct_size = size, .worst_run = -1};
    struct tally tally;
    count_up(plan, outputs, &tally, &result);
    fill_distances(plan, &tally, &result);
    nvfp4_verdict_set left = explain(plan, &tally, PARTS);
    int hidden = hides_nan(plan, outputs);
    if (left == 0) {
        nvfp4_status status = look_further(plan, outputs, &tally, &result);
        if (status != NVFP4_OK)
            return status;
    } else if (only(left) == 0) {
        result.verdict = NVFP4_VERDICT_UNDECIDED;
        result.remaining = left;
    } else {
        result.verdict = only(left);
        fill_faults(plan, &tally, &result);
        fill_confidence(&result, result.distance[result.verdict]);
    }
    if (hidden)
        result.faults |= NVFP4_VERDICT_BIT(NVFP4_VERDICT_NAN_HIDDEN);
    if (hidden && result.verdict == NVFP4_VERDICT_HONOURS)
        result.verdict = NVFP4_VERDICT_NAN_HIDDEN;
    if (hidden && result.remaining & NVFP4_VERDICT_BIT(NVFP4_VERDICT_HONOURS))
        result.remaining ^=
            NVFP4_VERDICT_BIT(NVFP4_VERDICT_HONOURS) | NVFP4_VERDICT_BIT(NVFP4_VERDICT_NAN_HIDDEN);
    if (result.remaining == 0)
        result.remaining = NVFP4_VERDICT_BIT(result.verdict);
    memcpy(out, &result, size < sizeof result ? size : sizeof result);
    return NVFP4_OK;
}

/* Verdicts that come not from a model but from comparing runs. */
static nvfp4_verdict_set from_runs(const nvfp4_verification *plan)
{
    nvfp4_verdict_set set = NVFP4_VERDICT_BIT(NVFP4_VERDICT_VARIES_WITH_BATCH);
    for (size_t r = 0; r < plan->run_count; r++)
        if (plan->run[r].has_nan)
            set |= NVFP4_VERDICT_BIT(NVFP4_VERDICT_NAN_HIDDEN);
    return set;
}

nvfp4_verdict_set nvfp4_verify_tested(const nvfp4_verification *plan)
{
    if (plan == NULL)
        return 0;
    nvfp4_verdict_set set = from_runs(plan);
    for (size_t m = 0; m < plan->model_count; m++)
        set |= NVFP4_VERDICT_BIT(plan->model[m].verdict);
    return set;
}

nvfp4_verdict_set nvfp4_verify_confusable(const nvfp4_verification *plan, nvfp4_verdict verdict)
{
    nvfp4_verdict_set set = 0;
    if (plan == NULL)
        return 0;
    if (verdict == NVFP4_VERDICT_NAN_HIDDEN) { /* as a right kernel, but for the NaN */
        if (!(from_runs(plan) & NVFP4_VERDICT_BIT(NVFP4_VERDICT_NAN_HIDDEN)))
            return 0;
        verdict = NVFP4_VERDICT_HONOURS;
    }
    for (size_t a = 0; a < plan->model_count; a++)
        for (size_t b = 0; b < plan->model_count; b++)
            if (plan->model[a].verdict == (int32_t)verdict &&
                plan->model[b].verdict != (int32_t)verdict && !plan->apart[a][b])
                set |= NVFP4_VERDICT_BIT(plan->model[b].verdict);
    return set;
}
