/* SPDX-License-Identifier: Apache-2.0 */
#include "core/accept.h"

#include "core/clamp.h"

static enum condition_result library_check(const struct question *q,
                                           const struct nvfp4_condition *c)
{
    const nvfp4_library_version have = q->deployment->libraries[c->library];
    if (have == NVFP4_LIBRARY_UNKNOWN)
        return CONDITION_HOLDS; /* assumed present and new enough */
    if (have == NVFP4_LIBRARY_ABSENT) /* only "it is missing" says so, not "it is too old for ..." */
        return c->reason == NVFP4_REASON_DEPENDENCY ? CONDITION_FAILS : CONDITION_HOLDS;
    return have < c->number ? CONDITION_FAILS : CONDITION_HOLDS;
}

static enum condition_result multiple_check(int64_t n, uint64_t of)
{
    if (n == 0)
        return CONDITION_ABSTAINS;
    return n % (int64_t)of == 0 ? CONDITION_HOLDS : CONDITION_FAILS;
}

/* The betas that b12x has built in. */
static enum condition_result situ_check(const struct question *q, uint64_t absent_fails)
{
    const nvfp4_moe_layer *l = q->layer;
    const uint32_t both = NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA;
    if (((l->has & NVFP4_HAS_SITU_BETA) && l->situ_beta != 4.0) ||
        ((l->has & NVFP4_HAS_SITU_LINEAR_BETA) && l->situ_linear_beta != 25.0))
        return CONDITION_FAILS;
    if ((l->has & both) == both)
        return CONDITION_HOLDS;
    return absent_fails ? CONDITION_FAILS : CONDITION_ABSTAINS;
}

int condition_applies(const struct question *q, const struct nvfp4_condition *c)
{
    return question_matches(q, &c->when) &&
           (c->until == 0 || question_older(q, c->library, c->until)) &&
           (c->since == 0 || !question_older(q, c->library, c->since));
}

enum condition_result condition_check(const struct question *q, const struct nvfp4_condition *c)
{
    const nvfp4_moe_layer *l = q->layer;
    switch (c->kind) {
    case CONDITION_RULES_OUT:
        return CONDITION_FAILS;
    case CONDITION_LIBRARY:
        return library_check(q, c);
    case CONDITION_ROWS_MULTIPLE:
        return multiple_check(q->flags & FLAG_NON_GATED ? q->width : 2 * q->width, c->number);
    case CONDITION_WIDTH_MULTIPLE:
        return multiple_check(q->width, c->number);
    case CONDITION_EXPERTS_BELOW:
        return l->num_experts == 0                                      ? CONDITION_ABSTAINS
               : (l->num_experts + 31) / 32 * 32 < (int64_t)c->number ? CONDITION_HOLDS
                                                                        : CONDITION_FAILS;
    case CONDITION_TOP_K_AT_MOST:
        return l->top_k == 0                     ? CONDITION_ABSTAINS
               : l->top_k <= (int64_t)c->number ? CONDITION_HOLDS
                                                 : CONDITION_FAILS;
    case CONDITION_SITU_BETAS:
        return situ_check(q, c->number);
    default:
        return CONDITION_HOLDS;
    }
}

/* Is the version inside the erratum's range? */
static int erratum_version(const struct question *q, const struct nvfp4_erratum *e)
{
    if (e->library == LIBRARY_NONE)
        return 1;
    const nvfp4_library_version have = q->deployment->libraries[e->library];
    if (have == NVFP4_LIBRARY_ABSENT)
        return 0;
    if (have == NVFP4_LIBRARY_UNKNOWN)
        return e->below == 0; /* unknown counts as new enough */
    return have >= e->from && (e->below == 0 || have < e->below);
}

/* An erratum about one shape needs that shape: a size that is unknown is not it. */
static int erratum_shape(const struct question *q, const struct nvfp4_erratum *e)
{
    return (e->experts == 0 || e->experts == q->layer->num_experts) &&
           (e->hidden == 0 || e->hidden == q->layer->hidden_size) &&
           (e->width == 0 || e->width == q->width) &&
           (e->top_k == 0 || e->top_k == q->layer->top_k);
}

int erratum_holds(const struct question *q, int index)
{
    const struct nvfp4_erratum *e = &q->policy->errata[index];
    return !(q->deployment->errata_off >> index & 1) && question_matches(q, &e->when) &&
           erratum_version(q, e) && erratum_shape(q, e);
}

int targets_cover(const struct question *q)
{
    const nvfp4_deployment *d = q->deployment;
    if (d->target_count == 0 || d->device.vendor != NVFP4_VENDOR_NVIDIA)
        return 1;
    for (size_t i = 0; i < d->target_count; i++)
        if (nvfp4_target_runs_on(&d->targets[i], q->sm))
            return 1;
    return 0;
}

int row_offered(const struct question *q, int index)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    return !(q->deployment->not_built & NVFP4_BACKEND_BIT(row->backend)) &&
           !(q->deployment->disabled >> index & 1) &&
           !(row->opt_in && row->backend != q->requested) &&
           !(row->engine_built && !targets_cover(q));
}

static int any_condition_fails(const struct question *q, const struct nvfp4_row *row)
{
    for (int i = 0; i < row->condition_count; i++)
        if (condition_applies(q, &row->conditions[i]) &&
            condition_check(q, &row->conditions[i]) == CONDITION_FAILS)
            return 1;
    return 0;
}

static int any_erratum_holds(const struct question *q, int index)
{
    for (int i = 0; i < q->policy->erratum_count; i++)
        if ((q->policy->errata[i].kernels >> index & 1) && erratum_holds(q, i))
            return 1;
    return 0;
}

static int clamp_accepts(const struct question *q, const struct nvfp4_row *row)
{
    if (q->policy->clamp_by_set) /* FLAG_LIMIT has decided */
        return 1;
    const struct nvfp4_clamp_rule *rule = clamp_rule(q, row);
    return !clamp_fails(q, rule) && !constants_fail(q, rule);
}

/* Everything but the peers. */
static int accepts_alone(const struct question *q, int index)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    const uint64_t misses = (q->device & ~row->device) | (q->values & ~row->values) |
                            (q->flags & row->cannot) | (q->custom & row->not_custom);
    return misses == 0 && row_offered(q, index) && !any_condition_fails(q, row) &&
           clamp_accepts(q, row) && !any_erratum_holds(q, index);
}

int peer_rules_out(const struct question *q, int index, const nvfp4_device_key *peer)
{
    nvfp4_deployment there = *q->deployment;
    there.device = *peer;
    struct question asked = *q;
    asked.deployment = &there;
    asked.device = question_device_bit(peer);
    asked.sm = peer->sm == 101 ? 110 : peer->sm;
    return !accepts_alone(&asked, index);
}

static int any_peer_rules_out(const struct question *q, int index)
{
    for (size_t i = 0; i < q->deployment->peer_count; i++)
        if (peer_rules_out(q, index, &q->deployment->peers[i]))
            return 1;
    return 0;
}

int row_accepts(const struct question *q, int index)
{
    return q->rules_out_all == 0 && accepts_alone(q, index) &&
           !(q->mixed_peers && any_peer_rules_out(q, index));
}

int first_accepting(const struct question *q)
{
    if (q->rules_out_all != 0)
        return -1;
    for (int i = 0; i < q->policy->row_count; i++)
        if ((q->requested == NVFP4_BACKEND_NONE || q->policy->rows[i].backend == q->requested) &&
            row_accepts(q, i))
            return i;
    return -1;
}
