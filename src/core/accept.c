/* SPDX-License-Identifier: Apache-2.0 */
/* The hot path: everything that nvfp4_select_backend() runs through. */
#include "core/accept.h"

#include "core/clamp.h"
#include "core/peers.h"
#include "core/question_ask.h"

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

static enum condition_result situ_check(const struct question *q, uint64_t absent_fails)
{
    const nvfp4_moe_layer *l = q->layer;
    const uint32_t both = NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA;
    if (((l->has & NVFP4_HAS_SITU_BETA) && l->situ_beta != SITU_BETA) ||
        ((l->has & NVFP4_HAS_SITU_LINEAR_BETA) && l->situ_linear_beta != SITU_LINEAR_BETA))
        return CONDITION_FAILS;
    if ((l->has & both) == both)
        return CONDITION_HOLDS;
    return absent_fails ? CONDITION_FAILS : CONDITION_ABSTAINS;
}

int nvfp4_condition_applies(const struct question *q, const struct nvfp4_condition *c)
{
    return question_matches(q, &c->when) &&
           (c->until == 0 || question_older(q, c->library, c->until)) &&
           (c->since == 0 || !question_older(q, c->library, c->since));
}

enum condition_result nvfp4_condition_check(const struct question *q, const struct nvfp4_condition *c)
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

/* An erratum about one shape needs that shape; what an unknown size (0) may be is the caller's choice. */
static int erratum_shape(const struct question *q, const struct nvfp4_erratum *e, int unknown_fits)
{
    const int64_t of[] = { e->experts, e->hidden, e->width, e->top_k };
    const int64_t have[] = { q->layer->num_experts, q->layer->hidden_size, q->width, q->layer->top_k };
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (of[i] != 0 && of[i] != have[i] && !(unknown_fits && have[i] == 0))
            return 0;
    return 1;
}

static int erratum_is_about(const struct question *q, int index)
{
    const struct nvfp4_erratum *e = &q->policy->errata[index];
    return !(q->deployment->errata_off >> index & 1) && question_matches(q, &e->when) &&
           erratum_version(q, e);
}

int nvfp4_erratum_holds(const struct question *q, int index)
{
    return erratum_is_about(q, index) && erratum_shape(q, &q->policy->errata[index], 0);
}

int nvfp4_erratum_abstains(const struct question *q, int index)
{
    return erratum_is_about(q, index) && !erratum_shape(q, &q->policy->errata[index], 0) &&
           erratum_shape(q, &q->policy->errata[index], 1);
}

int nvfp4_targets_cover(const struct question *q)
{
    const nvfp4_deployment *d = q->deployment;
    if (d->target_count == 0 || !(q->device & DEVICE_NVIDIA))
        return 1;
    for (size_t i = 0; i < d->target_count; i++)
        if (nvfp4_target_runs_on(&d->targets[i], q->sm))
            return 1;
    return 0;
}

static int any_condition_fails(const struct question *q, const struct nvfp4_row *row)
{
    for (int i = 0; i < row->condition_count; i++) {
        const struct nvfp4_condition *c = &row->conditions[i];
        /* Most conditions are about versions, and most versions are not given. */
        if (c->kind == CONDITION_LIBRARY &&
            q->deployment->libraries[c->library] == NVFP4_LIBRARY_UNKNOWN)
            continue;
        if (nvfp4_condition_applies(q, c) && nvfp4_condition_check(q, c) == CONDITION_FAILS)
            return 1;
    }
    return 0;
}

static int any_erratum_holds(const struct question *q, int index)
{
    for (int i = 0; i < q->policy->erratum_count; i++)
        if ((q->policy->errata[i].kernels >> index & 1) && nvfp4_erratum_holds(q, i))
            return 1;
    return 0;
}

static int clamp_accepts(const struct question *q, const struct nvfp4_row *row)
{
    if (q->policy->clamp_by_set) /* FLAG_LIMIT has decided */
        return 1;
    const struct nvfp4_clamp_rule *rule = nvfp4_clamp_rule(q, row);
    return !nvfp4_clamp_fails(q, rule) && !nvfp4_constants_fail(q, rule);
}

/* The words alone: nearly every kernel that does not fit falls here. */
static inline int words_fit(const struct question *q, const struct nvfp4_row *row)
{
    return ((q->device & ~row->device) | (q->values & ~row->values) | (q->flags & row->cannot) |
            (q->custom & row->not_custom)) == 0;
}

/* What depends on more than one column, on the build or the user; not the peers. */
static int details_fit(const struct question *q, int index)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    return !(q->deployment->not_built >> row->backend & 1) &&
           !(q->deployment->disabled >> index & 1) &&
           !(row->engine_built && !nvfp4_targets_cover(q)) && !any_condition_fails(q, row) &&
           clamp_accepts(q, row) && !any_erratum_holds(q, index);
}

/* The row's words fit already. */
static int rest_fits(const struct question *q, int index)
{
    return details_fit(q, index) && !(q->mixed_peers && nvfp4_peers_rule_out(q, index));
}

int nvfp4_row_accepts(const struct question *q, int index)
{
    return q->rules_out_all == 0 && words_fit(q, &q->policy->rows[index]) && rest_fits(q, index);
}

int nvfp4_first_accepting(const struct question *q)
{
    for (nvfp4_kernel_set left = q->rules_out_all == 0 ? q->fits : 0; left != 0; left &= left - 1)
        if (rest_fits(q, first_bit(left)))
            return first_bit(left);
    return -1;
}

nvfp4_kernel_set nvfp4_all_accepting(const struct question *q)
{
    nvfp4_kernel_set set = 0;
    for (nvfp4_kernel_set left = q->rules_out_all == 0 ? q->fits : 0; left != 0; left &= left - 1)
        if (rest_fits(q, first_bit(left)))
            set |= (nvfp4_kernel_set)1 << first_bit(left);
    return set;
}

nvfp4_status nvfp4_select_backend(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                  const nvfp4_policy *policy, nvfp4_selection *selection)
{
    struct question q;
    if (selection == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = question_begin(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    if (q.fits == 0) /* about half of all requests */
        return question_no(&q);
    const int usual = question_is_usual(&q);
    int finished = 0;
    for (nvfp4_kernel_set left = q.fits; left != 0; left &= left - 1) {
        const int kernel = first_bit(left);
        const int plain = usual && question_is_plain(&q, kernel);
        if (!plain || !question_clamp_is_served(&q, kernel)) {
            if (!finished)
                nvfp4_question_complete(&q);
            finished = 1;
            if (plain ? !clamp_accepts(&q, &q.policy->rows[kernel])
                      : q.rules_out_all != 0 || !rest_fits(&q, kernel))
                continue;
        }
        question_decide(&q, kernel, selection);
        return NVFP4_OK;
    }
    return question_no(&q);
}
