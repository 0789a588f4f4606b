/* SPDX-License-Identifier: Apache-2.0 */
#include "core/clamp.h"

static const struct nvfp4_clamp_rule takes_nothing = {
    .when = { .device = DEVICE_ANY, .values = ANY_VALUE },
    .limit = LIMIT_IGNORED,
    .space = NVFP4_LIMIT_SPACE_REAL,
    .takes_alpha_beta = 1, /* alpha and beta are no part of such activations */
};

const struct nvfp4_clamp_rule *nvfp4_clamp_rule(const struct question *q, const struct nvfp4_row *row)
{
    for (int i = 0; i < row->clamp_count; i++) {
        const struct nvfp4_clamp_rule *rule = &row->clamp[i];
        if (question_matches(q, &rule->when) &&
            !(rule->since != 0 && question_older(q, rule->library, rule->since)))
            return rule;
    }
    return &takes_nothing;
}

int nvfp4_clamp_fails(const struct question *q, const struct nvfp4_clamp_rule *rule)
{
    if (!(q->flags & FLAG_LIMIT))
        return rule->absent != ABSENT_FINE;
    return rule->limit == LIMIT_IGNORED ||
           (rule->limit == LIMIT_CONSTANT && q->limit != rule->limit_constant);
}

int nvfp4_constants_fail(const struct question *q, const struct nvfp4_clamp_rule *rule)
{
    return !rule->takes_alpha_beta &&
           (q->alpha != rule->alpha_constant || q->beta != rule->beta_constant);
}

/* The next multiple of a power of two, or n itself where there is nothing to pad to. */
static int64_t padded(int64_t n, int64_t multiple)
{
    return multiple == 0 ? n : (n + multiple - 1) & -multiple;
}

/*
 * vLLM's activation between the GEMMs takes SwiGLU-OAI as the checkpoints hold it, column by column; a
 * kernel with the activation inside has one order for all.
 */
static int32_t halves_of(const struct question *q, const struct nvfp4_row *row)
{
    if (q->flags & FLAG_NON_GATED)
        return NVFP4_HALVES_AUTO;
    return row->halves == NVFP4_HALVES_GATE_UP && q->layer->activation == NVFP4_ACTIVATION_SWIGLUOAI
               ? NVFP4_HALVES_GATE_UP_BY_1
               : row->halves;
}

void nvfp4_clamp_forward(const struct question *q, const struct nvfp4_row *row, nvfp4_forward *forward)
{
    const struct nvfp4_clamp_rule *rule = nvfp4_clamp_rule(q, row);
    const int gated = !(q->flags & FLAG_NON_GATED);
    const int fixed = rule->space == NVFP4_LIMIT_SPACE_FIXED;
    forward->has_limit = (q->flags & FLAG_LIMIT) != 0 || (fixed && rule->limit == LIMIT_CONSTANT);
    forward->limit_space = rule->space;
    forward->after_activation = rule->after_activation;
    forward->halves = halves_of(q, row);
    forward->limit = fixed ? rule->limit_constant : forward->has_limit ? q->limit : 0;
    forward->alpha = fixed ? rule->alpha_constant : q->alpha;
    forward->beta = fixed ? rule->beta_constant : q->beta;
    forward->intermediate = q->width;
    forward->intermediate_padded =
        padded(q->width, gated ? row->padding.gated : row->padding.non_gated);
    forward->hidden_padded = padded(q->layer->hidden_size, row->padding.hidden);
}
