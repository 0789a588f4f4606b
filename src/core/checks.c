/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict path: every check on every kernel, with the two values compared. It shares the rows and
 * the single comparisons with the hot path (accept.c) but walks them in its own way; a test holds the
 * two against each other over the whole input space.
 */
#include "core/checks.h"

#include "core/accept.h"
#include "core/clamp.h"
#include "core/peers.h"

static const nvfp4_fact no_fact = { NVFP4_FACT_NONE, 0, 0, 0, NULL };

static nvfp4_fact fact(int kind, int column, uint64_t bits)
{
    return (nvfp4_fact){ kind, column, bits, 0, NULL };
}

static nvfp4_fact real_fact(double real)
{
    return (nvfp4_fact){ NVFP4_FACT_REAL, 0, 0, real, NULL };
}

static nvfp4_fact text_fact(const char *text)
{
    return (nvfp4_fact){ NVFP4_FACT_TEXT, 0, 0, 0, text };
}

static nvfp4_fact device_fact(const nvfp4_device_key *device, nvfp4_sm sm)
{
    nvfp4_fact f = fact(NVFP4_FACT_DEVICE, 0, (uint64_t)(uint32_t)device->vendor << 32 | (uint32_t)sm);
    f.text = device->arch;
    return f;
}

static void report(struct sink *sink, int index, int reason, const char *subject, nvfp4_fact need,
                   nvfp4_fact have, const char *note, const char *source)
{
    sink->reasons |= NVFP4_REASON_BIT(reason);
    if (sink->count < sink->capacity)
        sink->findings[sink->count] =
            (nvfp4_finding){ index, reason, subject, need, have, note, source };
    sink->count++;
}

/* One column of values and the reason it gives. */
static const struct column_check {
    uint8_t column, shift, reason;
    uint64_t all;
} column_checks[] = {
#define CHECK(column, reason)                                                                      \
    { NVFP4_COLUMN_##column, SHIFT_##column, NVFP4_REASON_##reason, ALL(column) }
    CHECK(SCHEME, SCHEME),
    CHECK(ACTIVATION, ACTIVATION),
    CHECK(FORMAT, FORMAT),
    CHECK(ROUTING, ROUTING),
    CHECK(ROUTER_DTYPE, ROUTER_DTYPE),
    CHECK(DTYPE, DTYPE),
    CHECK(ALL2ALL, PARALLEL),
    CHECK(HUMMING_GEMM, KERNEL_OPTION),
#undef CHECK
};
_Static_assert(COUNT_OF(column_checks) == NVFP4_COLUMN_COUNT - 1,
               "one check for each column, CUSTOM is checked key by key");

/* One flag, the reason it gives, and the request's key it comes from. */
static const struct flag_check {
    uint32_t flag;
    uint8_t reason;
    const char *subject;
} flag_checks[] = {
    { FLAG_NON_GATED, NVFP4_REASON_GATING, "" },
    { FLAG_LIMIT, NVFP4_REASON_CLAMP, "swiglu_limit" },
    { FLAG_EP, NVFP4_REASON_PARALLEL, "expert_parallel" },
    { FLAG_EPLB, NVFP4_REASON_PARALLEL, "eplb" },
    { FLAG_LORA, NVFP4_REASON_LORA, "" },
    { FLAG_BATCH_INVARIANT, NVFP4_REASON_BATCH_INVARIANT, "" },
    { FLAG_BIAS, NVFP4_REASON_BIAS, "" },
    { FLAG_ROUTER_WEIGHT_ON_INPUT, NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT, "" },
    { FLAG_PER_TOKEN_SCALE, NVFP4_REASON_KERNEL_OPTION, "per_token_activation_scale" },
};

static void judge_device(const struct question *q, int index, struct sink *sink)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    if ((q->device & row->device) == 0)
        report(sink, index, NVFP4_REASON_DEVICE, "", fact(NVFP4_FACT_DEVICES, 0, row->device),
               device_fact(&q->deployment->device, q->sm), NULL, NULL);
}

static void judge_columns(const struct question *q, int index, struct sink *sink)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    for (size_t i = 0; i < COUNT_OF(column_checks); i++) {
        const struct column_check *c = &column_checks[i];
        const uint64_t have = q->values & c->all;
        if (have & ~row->values)
            report(sink, index, c->reason, nvfp4_column_name((nvfp4_column)c->column),
                   fact(NVFP4_FACT_WORDS, c->column, (row->values & c->all) >> c->shift),
                   fact(NVFP4_FACT_WORDS, c->column, have >> c->shift), NULL, NULL);
    }
}

/* The policy's own keys: each may have its own reason to be refused. */
static void judge_custom(const struct question *q, int index, struct sink *sink)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    for (int i = 0; i < q->policy->custom_key_count; i++) {
        const struct nvfp4_custom_key *key = &q->policy->custom_keys[i];
        const uint64_t all = custom_key_bits(key), have = q->custom & all;
        if (have & row->not_custom)
            report(sink, index, NVFP4_REASON_KERNEL_OPTION, key->key,
                   fact(NVFP4_FACT_WORDS, NVFP4_COLUMN_CUSTOM, all & ~row->not_custom),
                   fact(NVFP4_FACT_WORDS, NVFP4_COLUMN_CUSTOM, have), NULL, NULL);
    }
}

static void judge_flags(const struct question *q, int index, struct sink *sink)
{
    const uint32_t misses = q->flags & q->policy->rows[index].cannot;
    if (misses == 0)
        return;
    for (size_t i = 0; i < COUNT_OF(flag_checks); i++) {
        const struct flag_check *c = &flag_checks[i];
        if (misses & c->flag)
            report(sink, index, c->reason, c->subject, fact(NVFP4_FACT_NOT, 0, 0),
                   c->flag == FLAG_LIMIT ? real_fact(q->limit) : fact(NVFP4_FACT_NOT, 0, 1), NULL,
                   NULL);
    }
}

static void judge_offer(const struct question *q, int index, struct sink *sink)
{
    const nvfp4_deployment *d = q->deployment;
    const struct nvfp4_row *row = &q->policy->rows[index];
    if (d->not_built & NVFP4_BACKEND_BIT(row->backend)) {
        report(sink, index, NVFP4_REASON_NOT_BUILT, "built", text_fact("compiled in"),
               text_fact("not compiled in"), NULL, NULL);
    } else if (row->engine_built && !nvfp4_targets_cover(q)) {
        report(sink, index, NVFP4_REASON_NOT_BUILT, "built_archs", device_fact(&d->device, q->sm),
               text_fact("no target that runs on it"), NULL, NULL);
    }
    if (d->disabled >> index & 1)
        report(sink, index, NVFP4_REASON_DISABLED, "disable", no_fact, no_fact, NULL, NULL);
    if (row->opt_in && row->backend != q->requested)
        report(sink, index, NVFP4_REASON_OPT_IN, "", no_fact, no_fact, NULL, NULL);
}

static nvfp4_fact shape_need(const struct nvfp4_condition *c)
{
    return fact(NVFP4_FACT_MULTIPLE, 0, c->number);
}

/* What a failed condition needed and what was there. */
static void report_condition(const struct question *q, int index, const struct nvfp4_condition *c,
                             struct sink *sink)
{
    const nvfp4_moe_layer *l = q->layer;
    nvfp4_fact need = no_fact, have = no_fact;
    const char *subject = "";
    switch (c->kind) {
    case CONDITION_LIBRARY:
        subject = nvfp4_library_name((nvfp4_library)c->library);
        need = fact(NVFP4_FACT_VERSION, c->library, c->number);
        have = fact(NVFP4_FACT_VERSION, c->library, q->deployment->libraries[c->library]);
        break;
    case CONDITION_ROWS_MULTIPLE:
        subject = "FC1 rows per rank";
        need = shape_need(c);
        have = fact(NVFP4_FACT_NUMBER, 0,
                    (uint64_t)(q->flags & FLAG_NON_GATED ? q->width : 2 * q->width));
        break;
    case CONDITION_WIDTH_MULTIPLE:
        subject = "intermediate size per rank";
        need = shape_need(c);
        have = fact(NVFP4_FACT_NUMBER, 0, (uint64_t)q->width);
        break;
    case CONDITION_EXPERTS_BELOW:
        subject = "num_experts";
        need = fact(NVFP4_FACT_AT_MOST, 0, c->number - 32);
        have = fact(NVFP4_FACT_NUMBER, 0, (uint64_t)l->num_experts);
        break;
    case CONDITION_TOP_K_AT_MOST:
        subject = "top_k";
        need = fact(NVFP4_FACT_AT_MOST, 0, c->number);
        have = fact(NVFP4_FACT_NUMBER, 0, (uint64_t)l->top_k);
        break;
    case CONDITION_SITU_BETAS: { /* the first that is not as needed */
        const int beta = !(l->has & NVFP4_HAS_SITU_BETA) || l->situ_beta != SITU_BETA;
        subject = beta ? "situ_beta" : "situ_linear_beta";
        need = real_fact(beta ? SITU_BETA : SITU_LINEAR_BETA);
        have = l->has & (beta ? NVFP4_HAS_SITU_BETA : NVFP4_HAS_SITU_LINEAR_BETA)
                   ? real_fact(beta ? l->situ_beta : l->situ_linear_beta)
                   : text_fact("none");
        break;
    }
    default: /* the match itself rules out: say what matched */
        if (c->reason == NVFP4_REASON_SCHEME || c->reason == NVFP4_REASON_DTYPE) {
            const int scheme = c->reason == NVFP4_REASON_SCHEME;
            const int column = scheme ? NVFP4_COLUMN_SCHEME : NVFP4_COLUMN_DTYPE;
            const int shift = scheme ? SHIFT_SCHEME : SHIFT_DTYPE;
            const uint64_t all = scheme ? ALL(SCHEME) : ALL(DTYPE);
            subject = nvfp4_column_name((nvfp4_column)column);
            need = fact(NVFP4_FACT_WORDS, column,
                        (q->policy->rows[index].values & all & ~c->when.values) >> shift);
            have = fact(NVFP4_FACT_WORDS, column, (q->values & all) >> shift);
        }
        break;
    }
    report(sink, index, c->reason, subject, need, have, c->note, c->source);
}

static void judge_conditions(const struct question *q, int index, struct sink *sink)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    for (int i = 0; i < row->condition_count; i++) {
        const struct nvfp4_condition *c = &row->conditions[i];
        if (!nvfp4_condition_applies(q, c))
            continue;
        switch (nvfp4_condition_check(q, c)) {
        case CONDITION_FAILS:
            report_condition(q, index, c, sink);
            break;
        case CONDITION_ABSTAINS:
            /* A width that the ranks cannot share is no unknown one. */
            if (!(q->rules_out_all & NVFP4_REASON_BIT(c->reason)))
                sink->unchecked |= NVFP4_REASON_BIT(c->reason);
            break;
        default:
            break;
        }
    }
}

/* A limit that needs a newer library has its version in `need`; else the constant or nothing. */
static nvfp4_fact limit_need(const struct question *q, const struct nvfp4_row *row,
                             const struct nvfp4_clamp_rule *rule)
{
    for (int i = 0; i < row->clamp_count; i++) {
        const struct nvfp4_clamp_rule *newer = &row->clamp[i];
        if (newer == rule)
            break;
        if (newer->since != 0 && question_matches(q, &newer->when) &&
            !nvfp4_clamp_fails(q, newer) && !nvfp4_constants_fail(q, newer))
            return fact(NVFP4_FACT_VERSION, newer->library, newer->since);
    }
    if (rule->limit == LIMIT_CONSTANT)
        return real_fact(rule->limit_constant);
    return rule->absent == ABSENT_REFUSED ? text_fact("a limit") : fact(NVFP4_FACT_NOT, 0, 0);
}

static void judge_clamp(const struct question *q, int index, struct sink *sink)
{
    const struct nvfp4_row *row = &q->policy->rows[index];
    if (q->policy->clamp_by_set)
        return;
    const struct nvfp4_clamp_rule *rule = nvfp4_clamp_rule(q, row);
    if (nvfp4_clamp_fails(q, rule) && !(sink->reasons & NVFP4_REASON_BIT(NVFP4_REASON_CLAMP))) {
        const nvfp4_fact need = limit_need(q, row, rule);
        nvfp4_fact have = q->flags & FLAG_LIMIT ? real_fact(q->limit) : text_fact("none");
        if (need.kind == NVFP4_FACT_VERSION)
            have = fact(NVFP4_FACT_VERSION, need.column, q->deployment->libraries[need.column]);
        report(sink, index, NVFP4_REASON_CLAMP,
               need.kind == NVFP4_FACT_VERSION ? nvfp4_library_name((nvfp4_library)need.column)
                                               : "swiglu_limit",
               need, have, rule->note, rule->source);
    }
    if (nvfp4_constants_fail(q, rule)) {
        const int alpha = q->alpha != rule->alpha_constant;
        report(sink, index, NVFP4_REASON_ACTIVATION_PARAMS, alpha ? "swiglu_alpha" : "swiglu_beta",
               real_fact(alpha ? rule->alpha_constant : rule->beta_constant),
               real_fact(alpha ? q->alpha : q->beta), rule->note, rule->source);
    }
}

static void judge_errata(const struct question *q, int index, struct sink *sink)
{
    for (int i = 0; i < q->policy->erratum_count; i++) {
        const struct nvfp4_erratum *e = &q->policy->errata[i];
        if (!(e->kernels >> index & 1))
            continue;
        if (nvfp4_erratum_abstains(q, i))
            sink->unchecked |= NVFP4_REASON_BIT(NVFP4_REASON_ERRATUM);
        if (!nvfp4_erratum_holds(q, i))
            continue;
        const nvfp4_fact need =
            e->below != 0 ? fact(NVFP4_FACT_VERSION, e->library, e->below) : no_fact;
        const nvfp4_fact have =
            e->below != 0
                ? fact(NVFP4_FACT_VERSION, e->library, q->deployment->libraries[e->library])
                : no_fact;
        report(sink, index, NVFP4_REASON_ERRATUM, e->name, need, have, e->text, e->source);
    }
}

/* What no kernel can do at all. */
static void judge_question(const struct question *q, int index, struct sink *sink)
{
    if (q->rules_out_all & NVFP4_REASON_BIT(NVFP4_REASON_SHAPE))
        report(sink, index, NVFP4_REASON_SHAPE, "intermediate_size",
               fact(NVFP4_FACT_MULTIPLE, 0, (uint64_t)q->share),
               fact(NVFP4_FACT_NUMBER, 0, (uint64_t)q->layer->intermediate_size),
               "the tensor-parallel ranks cannot share it evenly", NULL);
    else if (q->share > 1 && q->layer->intermediate_size == 0)
        sink->unchecked |= NVFP4_REASON_BIT(NVFP4_REASON_SHAPE);
    if (q->rules_out_all & NVFP4_REASON_BIT(NVFP4_REASON_PARALLEL))
        report(sink, index, NVFP4_REASON_PARALLEL, "all2all", fact(NVFP4_FACT_DEVICES, 0, DEVICE_AMD),
               device_fact(&q->deployment->device, q->sm), "mori runs on AMD devices only",
               "vLLM 7cfb97e3, fused_moe/config.py: FusedMoEConfig asserts ROCm for mori");
}

/* What is fine here but falls out on another rank: the first such rank. */
static void judge_peers(const struct question *q, int index, struct sink *sink)
{
    if (!q->mixed_peers || sink->reasons != 0)
        return;
    struct device_set seen = { { 0 } };
    for (size_t i = 0; i < q->deployment->peer_count; i++) {
        const nvfp4_device_key *peer = &q->deployment->peers[i];
        const int number = nvfp4_device_number(peer);
        if (!device_set_add(&seen, number) || !nvfp4_device_rules_out(q, index, number))
            continue;
        report(sink, index, NVFP4_REASON_PEER, "devices", fact(NVFP4_FACT_NUMBER, 0, i),
               device_fact(peer, own_sm(peer->sm)), NULL, NULL);
        return;
    }
}

void nvfp4_judge_row(const struct question *q, int index, struct sink *sink)
{
    sink->reasons = 0;
    judge_device(q, index, sink);
    judge_offer(q, index, sink);
    judge_question(q, index, sink);
    judge_columns(q, index, sink);
    judge_custom(q, index, sink);
    judge_flags(q, index, sink);
    judge_conditions(q, index, sink);
    judge_clamp(q, index, sink);
    judge_errata(q, index, sink);
    judge_peers(q, index, sink);
}
