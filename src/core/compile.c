/* SPDX-License-Identifier: Apache-2.0 */
#include "core/compile.h"

#include <string.h>

/* A question that matches has at least one of what this adds to the trigger. */
static void trigger_on(struct nvfp4_trigger *trigger, const struct nvfp4_when *when)
{
    static const uint64_t columns[] = {
#define X(name, shift, bits) ALL(name),
        VALUE_COLUMN_MAP(X)
#undef X
    };
    if (when->with != 0) {
        trigger->flags |= when->with;
        return;
    }
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        if ((when->values & columns[i]) != columns[i]) {
            trigger->values |= when->values & columns[i];
            return;
        }
    trigger->device |= when->device;
}

/* Activations whose own alpha and beta are not the rule's constants. */
static uint64_t other_constants(const struct nvfp4_clamp_rule *rule)
{
    const uint64_t oai = ACT(SWIGLUOAI) | ACT(SWIGLUOAI_UNINTERLEAVE);
    if (rule->takes_alpha_beta)
        return 0;
    if (rule->alpha_constant == 1.0 && rule->beta_constant == 0.0)
        return oai;
    if (rule->alpha_constant == 1.702 && rule->beta_constant == 1.0)
        return ALL(ACTIVATION) & ~oai;
    return ALL(ACTIVATION);
}

static void compile_trigger(const nvfp4_policy *policy, int kernel, struct nvfp4_trigger *trigger)
{
    const struct nvfp4_row *row = &policy->rows[kernel];
    for (int i = 0; i < row->condition_count; i++) {
        const struct nvfp4_condition *c = &row->conditions[i];
        if (c->kind != CONDITION_LIBRARY && c->kind != CONDITION_DOUBT && c->until == 0)
            trigger_on(trigger, &c->when);
    }
    for (int i = 0; i < policy->erratum_count; i++) /* one with an upper bound needs a version */
        if ((policy->errata[i].kernels >> kernel & 1) && policy->errata[i].below == 0)
            trigger_on(trigger, &policy->errata[i].when);
    if (policy->clamp_by_set)
        return;
    for (int i = 0; i < row->clamp_count; i++) {
        const struct nvfp4_clamp_rule *rule = &row->clamp[i];
        trigger->clamp |= rule->when.values & (rule->absent != ABSENT_FINE ? ALL(ACTIVATION)
                                                                           : other_constants(rule));
    }
}

/* Does the rule hold for every question with this activation that does not meet the trigger? */
static int holds_for_all(const struct nvfp4_clamp_rule *rule, const struct nvfp4_row *row)
{
    return (row->device & ~rule->when.device) == 0 &&
           (row->values & ~ALL(ACTIVATION) & ~rule->when.values) == 0 && rule->when.with == 0 &&
           rule->when.without == 0 && rule->when.not_custom == 0;
}

/* The limit with one activation: dropped by every rule there is, or taken by the one that counts. */
static void compile_limit(const nvfp4_policy *policy, int kernel, int activation,
                          struct nvfp4_compiled *compiled)
{
    const struct nvfp4_row *row = &policy->rows[kernel];
    const nvfp4_kernel_set bit = (nvfp4_kernel_set)1 << kernel;
    const uint64_t value = VALUE(ACTIVATION, activation);
    int dropped = 1, unsettled = 1;
    for (int i = 0; i < row->clamp_count; i++) {
        const struct nvfp4_clamp_rule *rule = &row->clamp[i];
        if (!(rule->when.values & value))
            continue;
        dropped &= rule->limit == LIMIT_IGNORED;
        if (unsettled && holds_for_all(rule, row)) {
            if (rule->limit == LIMIT_TAKEN && !(other_constants(rule) & value))
                compiled->takes[activation] |= bit;
            unsettled = 0;
        }
        /* An earlier rule for some questions only must be one that the trigger keeps away. */
        if (unsettled && !(rule->when.with & compiled->trigger[kernel].flags))
            unsettled = 0;
    }
    if (dropped)
        compiled->drops[activation] |= bit;
}

void nvfp4_policy_compile(const nvfp4_policy *policy, struct nvfp4_compiled *compiled)
{
    memset(compiled, 0, sizeof *compiled);
    for (int i = 0; i < policy->row_count; i++) {
        const struct nvfp4_row *row = &policy->rows[i];
        const nvfp4_kernel_set bit = (nvfp4_kernel_set)1 << i;
        for (int n = 0; n < 64; n++) {
            compiled->device[n] |= row->device >> n & 1 ? bit : 0;
            compiled->value[n] |= row->values >> n & 1 ? bit : 0;
        }
        for (uint32_t set = 0; set < 1u << FLAGS_LOW_BITS; set++)
            compiled->flags_low[set] |= row->cannot & set ? 0 : bit;
        for (uint32_t set = 0; set < 1u << (FLAG_COUNT - FLAGS_LOW_BITS); set++)
            compiled->flags_high[set] |= row->cannot & set << FLAGS_LOW_BITS ? 0 : bit;
        compiled->backend[row->backend] |= bit;
        compiled->backend[NVFP4_BACKEND_NONE] |= row->opt_in ? 0 : bit;
    }
    compiled->device[SM_INDEX(101)] = compiled->device[SM_INDEX(110)]; /* one chip, two names */
    for (int i = 0; i < policy->row_count; i++) {
        struct nvfp4_trigger *t = &compiled->trigger[i];
        compile_trigger(policy, i, t);
        t->device = (t->device & ~SM(101)) | (t->device & SM(110) ? SM(101) : 0);
        for (int a = 0; a < NVFP4_ACTIVATION_COUNT && !policy->clamp_by_set; a++)
            compile_limit(policy, i, a, compiled);
    }
}
