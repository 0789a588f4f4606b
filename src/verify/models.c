/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#define BIT(name) NVFP4_VERDICT_BIT(NVFP4_VERDICT_##name)
#define KEEP_ALL  (~(uint32_t)0)

/* Change of the layout: how many rows lie together, and which half comes first. */
enum grain { GRAIN_KEEP, GRAIN_WHOLE, GRAIN_1, GRAIN_64 };

/*
 * One way to compute an activation and its surroundings; what a row leaves out is as claimed. Rows
 * that predict what an earlier row does are dropped when a plan is made, so a row need not say when
 * it makes a difference.
 */
static const struct row {
    int32_t verdict;
    nvfp4_verdict_set with; /* faults that come along */
    uint32_t clamp_drop, clamp_add;
    double limit, limit_factor;
    int32_t alpha, beta;
    uint32_t raw;
    int32_t grain, swap;
    uint32_t reciprocal;
} rows[] = {
    {.verdict = NVFP4_VERDICT_HONOURS},
    {.verdict = NVFP4_VERDICT_IGNORES_LIMIT, .clamp_drop = KEEP_ALL},
    {.verdict = NVFP4_VERDICT_GATE_ONLY, .clamp_drop = NVFP4_CLAMP_UP},
    {.verdict = NVFP4_VERDICT_UP_ONLY, .clamp_drop = NVFP4_CLAMP_GATE},
    {.verdict = NVFP4_VERDICT_GATE_TWO_SIDED, .clamp_add = NVFP4_CLAMP_GATE_LOW},
    {.verdict = NVFP4_VERDICT_AFTER_ACTIVATION, .clamp_add = NVFP4_CLAMP_AFTER},
    {.verdict = NVFP4_VERDICT_BEFORE_ACTIVATION, .clamp_drop = NVFP4_CLAMP_AFTER},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT, .limit = 7},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT, .limit_factor = 2},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT, .limit_factor = 0.5},
    {.verdict = NVFP4_VERDICT_LIMIT_NOT_SCALED, .raw = NVFP4_RAW_LIMIT | NVFP4_RAW_BETA},
    {.verdict = NVFP4_VERDICT_LIMIT_NOT_SCALED, .raw = NVFP4_RAW_LIMIT},
    {.verdict = NVFP4_VERDICT_ALPHA_IGNORED, .alpha = NVFP4_SOURCE_PLAIN},
    {.verdict = NVFP4_VERDICT_ALPHA_IGNORED, .alpha = NVFP4_SOURCE_OAI},
    {.verdict = NVFP4_VERDICT_BETA_IGNORED, .beta = NVFP4_SOURCE_PLAIN},
    {.verdict = NVFP4_VERDICT_BETA_IGNORED, .beta = NVFP4_SOURCE_OAI},
    {.verdict = NVFP4_VERDICT_HALVES_SWAPPED, .swap = 1},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_WHOLE},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_WHOLE, .swap = 1},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_1},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_1, .swap = 1},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_64},
    {.verdict = NVFP4_VERDICT_INTERLEAVING_WRONG, .grain = GRAIN_64, .swap = 1},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_W13},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_W2},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL,
     .reciprocal = NVFP4_RECIPROCAL_W13 | NVFP4_RECIPROCAL_W2},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_X},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_X_BACK},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_H},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL, .reciprocal = NVFP4_RECIPROCAL_H_BACK},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL,
     .reciprocal = NVFP4_RECIPROCAL_W13 | NVFP4_RECIPROCAL_X},
    {.verdict = NVFP4_VERDICT_SCALE_RECIPROCAL,
     .reciprocal =
         NVFP4_RECIPROCAL_W13 | NVFP4_RECIPROCAL_W2 | NVFP4_RECIPROCAL_X | NVFP4_RECIPROCAL_H},
    /* Faults met together: constants of the kernel's own in place of all that was asked for. */
    {.verdict = NVFP4_VERDICT_ALPHA_IGNORED,
     .with = BIT(BETA_IGNORED),
     .alpha = NVFP4_SOURCE_PLAIN,
     .beta = NVFP4_SOURCE_PLAIN},
    {.verdict = NVFP4_VERDICT_ALPHA_IGNORED,
     .with = BIT(BETA_IGNORED),
     .alpha = NVFP4_SOURCE_OAI,
     .beta = NVFP4_SOURCE_OAI},
    {.verdict = NVFP4_VERDICT_IGNORES_LIMIT,
     .with = BIT(ALPHA_IGNORED) | BIT(BETA_IGNORED),
     .clamp_drop = KEEP_ALL,
     .alpha = NVFP4_SOURCE_PLAIN,
     .beta = NVFP4_SOURCE_PLAIN},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT,
     .with = BIT(ALPHA_IGNORED) | BIT(BETA_IGNORED),
     .limit = 7,
     .alpha = NVFP4_SOURCE_OAI,
     .beta = NVFP4_SOURCE_OAI},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT,
     .with = BIT(AFTER_ACTIVATION),
     .clamp_add = NVFP4_CLAMP_AFTER,
     .limit = 7},
    {.verdict = NVFP4_VERDICT_AFTER_ACTIVATION,
     .with = BIT(ALPHA_IGNORED) | BIT(BETA_IGNORED),
     .clamp_add = NVFP4_CLAMP_AFTER,
     .alpha = NVFP4_SOURCE_PLAIN,
     .beta = NVFP4_SOURCE_PLAIN},
    {.verdict = NVFP4_VERDICT_WRONG_LIMIT,
     .with = BIT(AFTER_ACTIVATION) | BIT(ALPHA_IGNORED) | BIT(BETA_IGNORED),
     .limit = 7,
     .clamp_add = NVFP4_CLAMP_AFTER,
     .alpha = NVFP4_SOURCE_PLAIN,
     .beta = NVFP4_SOURCE_PLAIN},
};

_Static_assert(sizeof rows / sizeof rows[0] <= NVFP4_MODELS_MAX, "a model for each row");

/* The layout that a kernel reads, which differs from the weights' own by grain and order. */
static int32_t read_as(int32_t halves, int32_t grain, int32_t swap)
{
    int32_t index = halves - NVFP4_HALVES_GATE_UP; /* 2 * grain + order */
    int32_t g = grain == GRAIN_KEEP ? index / 2 : grain - GRAIN_WHOLE;
    return NVFP4_HALVES_GATE_UP + 2 * g + ((index % 2) ^ swap);
}

/* Whether a source of alpha or beta gives another number than the claim's in some run. */
static int differs(const nvfp4_verification *plan, int32_t source, int beta)
{
    for (size_t r = 0; source != NVFP4_SOURCE_CLAIM && r < plan->run_count; r++) {
        struct nvfp4_act act = nvfp4_act_of(&plan->run[r].layer);
        double own = beta ? (source == NVFP4_SOURCE_OAI ? 1.0 : 0.0)
                          : (source == NVFP4_SOURCE_OAI ? 1.702 : 1.0);
        if ((beta ? act.beta : act.alpha) != own)
            return 1;
    }
    return 0;
}

/* Whether two models plainly compute the same; twins that only outputs show are found later. */
static int same(const nvfp4_verification *plan, const struct nvfp4_model *a,
                const struct nvfp4_model *b)
{
    uint32_t matter = ~(uint32_t)0;
    if (!plan->quantised)
        matter &= NVFP4_RECIPROCAL_W13 | NVFP4_RECIPROCAL_W2;
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_ACTIVATION)
        matter &= ~(uint32_t)(NVFP4_RECIPROCAL_W2 | NVFP4_RECIPROCAL_X | NVFP4_RECIPROCAL_X_BACK);
    if (a->halves != b->halves || (a->reciprocal & matter) != (b->reciprocal & matter))
        return 0;
    for (size_t r = 0; r < plan->run_count; r++) {
        struct nvfp4_act x = nvfp4_model_act(plan, &plan->run[r], a, 0);
        struct nvfp4_act y = nvfp4_model_act(plan, &plan->run[r], b, 0);
        int clamps_alike = x.clamp == y.clamp && (x.clamp == 0 || x.limit == y.limit);
        if (!clamps_alike || x.alpha != y.alpha || x.beta != y.beta)
            return 0;
    }
    return 1;
}

void nvfp4_plan_models(nvfp4_verification *plan)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct nvfp4_model *m = &plan->model[plan->model_count];
        *m = (struct nvfp4_model){.verdict = row->verdict,
                                  .clamp_keep = ~row->clamp_drop,
                                  .clamp_add = row->clamp_add,
                                  .limit = row->limit,
                                  .limit_factor = row->limit_factor,
                                  .alpha = row->alpha,
                                  .beta = row->beta,
                                  .raw = row->raw,
                                  .reciprocal = row->reciprocal};
        m->halves = plan->gated ? read_as(plan->halves, row->grain, row->swap) : plan->halves;
        m->faults = row->with | NVFP4_VERDICT_BIT(row->verdict);
        if (row->with & BIT(ALPHA_IGNORED) && !differs(plan, row->alpha, 0))
            m->faults &= ~BIT(ALPHA_IGNORED);
        if (row->with & BIT(BETA_IGNORED) && !differs(plan, row->beta, 1))
            m->faults &= ~BIT(BETA_IGNORED);
        if (m->verdict == NVFP4_VERDICT_HONOURS)
            m->faults = 0;
        size_t twin = 0;
        while (twin < plan->model_count && !same(plan, &plan->model[twin], m))
            twin++;
        if (twin == plan->model_count)
            plan->model_count++;
    }
}

static double from_source(int32_t source, double claim, double plain, double oai)
{
    return source == NVFP4_SOURCE_PLAIN ? plain : source == NVFP4_SOURCE_OAI ? oai : claim;
}

struct nvfp4_act nvfp4_model_act(const nvfp4_verification *plan, const struct nvfp4_plan_run *run,
                                 const struct nvfp4_model *model, size_t expert)
{
    struct nvfp4_act act = nvfp4_act_of(&run->layer);
    double dequant = nvfp4_plan_dequant(plan, expert);
    act.loose = 1;
    act.exp_error = plan->claim.exp_error;
    act.sigmoid_error = plan->claim.sigmoid_error;
    if (act.clamp == 0 && model->limit > 0) { /* clamps although nothing was asked */
        act.clamp = NVFP4_CLAMP_GATE | (plan->gated ? NVFP4_CLAMP_UP : 0u);
        if (act.kind == NVFP4_ACTIVATION_SWIGLUSTEP)
            act.clamp |= NVFP4_CLAMP_AFTER;
    }
    if (act.clamp != 0)
        act.clamp = (act.clamp & model->clamp_keep) | model->clamp_add;
    if (model->limit > 0)
        act.limit = model->limit;
    if (model->limit_factor > 0)
        act.limit *= model->limit_factor;
    if (model->raw & NVFP4_RAW_LIMIT)
        act.limit *= dequant;
    if (nvfp4_uses_alpha(act.kind))
        act.alpha = from_source(model->alpha, act.alpha, 1, 1.702);
    if (nvfp4_uses_beta(act.kind))
        act.beta = from_source(model->beta, act.beta, 0, 1);
    if (model->raw & NVFP4_RAW_BETA)
        act.beta *= dequant;
    return act;
}
