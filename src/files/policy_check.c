/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be known to be wrong with a policy that loads: rules that never match or never count,
 * kernels that are never chosen, names without a kernel, facts without a source. Only what the file
 * itself says has a place in it; what it extends was looked over elsewhere.
 */
#include "files/policy_reader.h"

#include <string.h>

#include "core/fingerprint.h"
#include "files/policy_print.h"

struct check {
    const struct policy_draft *draft;
    const nvfp4_policy *policy;
    struct policy_remarks *remarks;
    nvfp4_severity severity; /* a built-in policy may stay as it is: a note, else a warning */
};

#define TELL(c, severity, place, ...)                                                              \
    nvfp4_policy_remark_at((c)->remarks, severity, place, __VA_ARGS__)
#define WARN(c, place, ...)         TELL(c, (c)->severity, place, __VA_ARGS__)
#define WANTS_SOURCE(c, place, ...) TELL(c, NVFP4_SEVERITY_WARNING, place, __VA_ARGS__)

enum { KERNEL_NAME = 2 * POLICY_NAME_BYTES + 2 };

#define GATED                                                                                      \
    (ALL(ACTIVATION) &                                                                             \
     ~(ACT(SILU_NO_MUL) | ACT(GELU_NO_MUL) | ACT(GELU_TANH_NO_MUL) | ACT(RELU2_NO_MUL)))
#define DEVICES (DEVICE_NVIDIA | DEVICE_AMD | DEVICE_INTEL)

static const char *kernel_name(const struct check *c, int row, char name[KERNEL_NAME])
{
    nvfp4_print_kernel_name(c->policy, row, name, KERNEL_NAME);
    return name;
}

/* ---- sets of questions ---- */

/* What a row takes, in the form of a `when`; every bit of `without` is a flag that it does not
 * take. */
static struct nvfp4_when domain_of(const struct nvfp4_row *row)
{
    struct nvfp4_when w = { .device = row->device,
                            .values = row->values,
                            .without = row->cannot,
                            .not_custom = row->not_custom };
    if (row->cannot & FLAG_NON_GATED)
        w.values &= ~(ALL(ACTIVATION) & ~GATED);
    return w;
}

/* The questions that both are about; a flag both wanted and unwanted, or an empty set: none. */
static struct nvfp4_when both_of(const struct nvfp4_when *a, const struct nvfp4_when *b)
{
    return (struct nvfp4_when){ .device = a->device & b->device,
                                .values = a->values & b->values,
                                .with = a->with | b->with,
                                .without = a->without | b->without,
                                .not_custom = a->not_custom | b->not_custom };
}

/* The key for whose sake there is no such question; NULL: there is one. */
static const char *why_never(const nvfp4_policy *policy, const struct nvfp4_when *w)
{
    if ((w->device & DEVICES) == 0)
        return "devices";
    for (int i = 0; i < POLICY_COLUMNS; i++)
        if ((w->values & nvfp4_policy_column_all(&nvfp4_policy_columns[i])) == 0)
            return nvfp4_policy_columns[i].key;
    for (int i = 0; i < POLICY_FLAGS; i++)
        if (w->with & w->without & nvfp4_policy_flags[i].flag)
            return nvfp4_policy_flags[i].when;
    if ((w->without & FLAG_NON_GATED) && !(w->values & GATED))
        return "gated";
    if ((w->with & FLAG_NON_GATED) && !(w->values & ALL(ACTIVATION) & ~GATED))
        return "gated";
    for (int i = 0; i < policy->custom_key_count; i++)
        if ((custom_key_bits(&policy->custom_keys[i]) & ~w->not_custom) == 0)
            return policy->custom_keys[i].key;
    return NULL;
}

/* Is every question of the one also one of the other? */
static int is_within(const struct nvfp4_when *small, const struct nvfp4_when *large)
{
    uint32_t without = small->without;
    if (!(small->values & ALL(ACTIVATION) & ~GATED)) /* gated by its activations */
        without |= FLAG_NON_GATED;
    return ((small->device & ~large->device & DEVICES) | (small->values & ~large->values) |
            (large->with & ~small->with) | (large->without & ~without) |
            (large->not_custom & ~small->not_custom)) == 0;
}

static int same_when(const struct nvfp4_when *a, const struct nvfp4_when *b)
{
    return a->device == b->device && a->values == b->values && a->with == b->with &&
           a->without == b->without && a->not_custom == b->not_custom;
}

/* ---- conditions ---- */

static void check_window(const struct check *c, struct policy_place place,
                         nvfp4_library_version from, nvfp4_library_version below)
{
    if (from != 0 && below != 0 && from >= below)
        WARN(c, place, "never holds: no version is from 'from' on and below 'below'");
}

/* Was it written as a fact that somebody must have found somewhere? */
static int needs_source(const struct nvfp4_condition *k)
{
    const int plain = k->kind == CONDITION_LIBRARY && k->reason == NVFP4_REASON_DEPENDENCY &&
                      k->note == NULL && k->when.device == DEVICE_ANY &&
                      k->when.values == ANY_VALUE && (k->when.with | k->when.without) == 0;
    return !plain && k->reason != NVFP4_REASON_DISABLED;
}

static void check_condition(const struct check *c, int row, const struct nvfp4_condition *k,
                            struct policy_place place)
{
    const struct nvfp4_when domain = domain_of(&c->policy->rows[row]);
    const struct nvfp4_when both = both_of(&domain, &k->when);
    const char *const own = why_never(c->policy, &k->when);
    const char *const why = why_never(c->policy, &both);
    char name[KERNEL_NAME];
    if (own != NULL)
        WARN(c, place, "the condition never matches: see '%s' in its 'when'", own);
    else if (why != NULL && why_never(c->policy, &domain) == NULL)
        WARN(c, place, "the condition never matches what %s takes: see '%s'",
             kernel_name(c, row, name), why);
    else if (k->kind == CONDITION_RULES_OUT && k->reason != NVFP4_REASON_DISABLED &&
             k->since == 0 && k->until == 0 && is_within(&domain, &k->when))
        WARN(c, place, "rules %s out in every case; to switch it off, use 'disable'",
             kernel_name(c, row, name));
    if (k->kind == CONDITION_SITU_BETAS && (both.values & ALL(ACTIVATION)) != ACT(SITU))
        WARN(c, place,
             "situ_betas would also hold for other activations; say 'when: "
             "{activation: situ}'");
    check_window(c, place, k->since, k->until);
    if (needs_source(k) && k->source == NULL)
        WANTS_SOURCE(c, place, "the condition has no 'source'");
}

/* ---- clamp rules ---- */

static void check_clamp(const struct check *c, int row)
{
    const struct nvfp4_row *const r = &c->policy->rows[row];
    const struct policy_place *const places = c->draft->marks[row].clamp;
    uint8_t told[POLICY_RULES] = { 0 };
    char name[KERNEL_NAME];
    for (int i = 0; places != NULL && i < r->clamp_count; i++) {
        const struct nvfp4_clamp_rule *const rule = &r->clamp[i];
        const char *const own = why_never(c->policy, &rule->when);
        for (int k = 0; k < i; k++) {
            if (r->clamp[k].since != 0 || !is_within(&rule->when, &r->clamp[k].when))
                continue;
            if (places[i].line != 0)
                WARN(c, places[i],
                     "the clamp rule never counts: one before it, on line %lu, matches all that it "
                     "does",
                     (unsigned long)places[k].line);
            else if (places[k].line != 0 && !told[k])
                WARN(c, places[k],
                     "the clamp rule takes the place of others that %s has; give a 'when'",
                     kernel_name(c, row, name));
            told[k] = 1;
            break;
        }
        if (places[i].line == 0)
            continue;
        if (own != NULL)
            WARN(c, places[i], "the clamp rule never matches: see '%s' in its 'when'", own);
        if (rule->limit != LIMIT_IGNORED && !c->policy->clamp_by_set && (r->cannot & FLAG_LIMIT))
            WARN(c, places[i], "the kernel applies a limit here, but 'cannot' lists swiglu_limit");
        if (rule->source == NULL)
            WANTS_SOURCE(c, places[i], "the clamp rule has no 'source'");
    }
}

/* ---- errata ---- */

static void check_erratum(const struct check *c, int index)
{
    const struct nvfp4_erratum *const e = &c->policy->errata[index];
    const struct policy_place place = c->draft->erratum_places[index];
    const char *why = why_never(c->policy, &e->when);
    int matches = 0;
    if (place.line == 0)
        return;
    if (e->kernels == 0)
        WARN(c, place, "the erratum '%s' is about no kernel", e->name);
    for (int i = 0; i < c->policy->row_count && why == NULL; i++) {
        const struct nvfp4_when domain = domain_of(&c->policy->rows[i]);
        const struct nvfp4_when both = both_of(&domain, &e->when);
        if (e->kernels >> i & 1)
            matches |= why_never(c->policy, &both) == NULL;
    }
    if (why != NULL)
        WARN(c, place, "the erratum '%s' never matches: see '%s' in its 'when'", e->name, why);
    else if (e->kernels != 0 && !matches)
        WARN(c, place, "the erratum '%s' matches nothing that its kernels take", e->name);
    check_window(c, place, e->from, e->below);
    if (e->source == NULL)
        WANTS_SOURCE(c, place, "the erratum '%s' has no 'source'", e->name);
}

/* ---- kernels that are never chosen ---- */

/* Does whatever rules the one out by this condition rule the other out too? */
static int condition_is_shared(const struct check *c, const struct nvfp4_condition *k,
                               const struct nvfp4_row *other)
{
    const struct nvfp4_when domain = domain_of(other);
    const struct nvfp4_when both = both_of(&domain, &k->when);
    if (k->kind == CONDITION_DOUBT || why_never(c->policy, &both) != NULL)
        return 1;
    for (int i = 0; i < other->condition_count; i++) {
        const struct nvfp4_condition *const o = &other->conditions[i];
        if (o->kind == k->kind && o->library == k->library && o->until == k->until &&
            o->since == k->since && o->number == k->number && same_when(&o->when, &k->when) &&
            (k->kind != CONDITION_LIBRARY ||
             (o->reason == NVFP4_REASON_DEPENDENCY) == (k->reason == NVFP4_REASON_DEPENDENCY)))
            return 1;
    }
    return 0;
}

static int same_clamp(const struct nvfp4_row *a, const struct nvfp4_row *b)
{
    if (a->clamp_count != b->clamp_count)
        return 0;
    for (int i = 0; i < a->clamp_count; i++) {
        const struct nvfp4_clamp_rule *const x = &a->clamp[i], *const y = &b->clamp[i];
        if (!same_when(&x->when, &y->when) || x->library != y->library || x->since != y->since ||
            x->limit != y->limit || x->absent != y->absent ||
            x->takes_alpha_beta != y->takes_alpha_beta || x->limit_constant != y->limit_constant ||
            x->alpha_constant != y->alpha_constant || x->beta_constant != y->beta_constant)
            return 0;
    }
    return 1;
}

/* Does the row `first` take every question that `second` takes? No only means: not that it is
 * known. */
static int takes_all_of(const struct check *c, int first, int second)
{
    const struct nvfp4_row *const a = &c->policy->rows[first], *const b = &c->policy->rows[second];
    const struct nvfp4_when large = domain_of(a), small = domain_of(b);
    if (a->opt_in && !(b->opt_in && a->backend == b->backend))
        return 0;
    if (!is_within(&small, &large) || (a->engine_built && !b->engine_built) ||
        (!c->policy->clamp_by_set && !same_clamp(a, b)))
        return 0;
    for (int i = 0; i < a->condition_count; i++)
        if (!condition_is_shared(c, &a->conditions[i], b))
            return 0;
    for (int i = 0; i < c->policy->erratum_count; i++) {
        const struct nvfp4_erratum *const e = &c->policy->errata[i];
        const struct nvfp4_when both = both_of(&small, &e->when);
        if ((e->kernels >> first & 1) && !(e->kernels >> second & 1) &&
            why_never(c->policy, &both) == NULL)
            return 0;
    }
    return 1;
}

static void check_never_chosen(const struct check *c, int row)
{
    const struct nvfp4_row *const r = &c->policy->rows[row];
    const struct policy_marks *const marks = c->draft->marks;
    const struct nvfp4_when domain = domain_of(r);
    const char *const why = why_never(c->policy, &domain);
    char name[KERNEL_NAME], other[KERNEL_NAME];
    kernel_name(c, row, name);
    if (why != NULL) {
        /* `[]` is written on purpose; nothing else that leaves nothing is. */
        const struct nvfp4_when plain = { .device = DEVICE_ANY, .values = r->values };
        const int meant = !marks[row].emptied && (r->device & DEVICES) != 0 &&
                          why_never(c->policy, &plain) != NULL;
        if (marks[row].row.line != 0)
            TELL(c, meant ? NVFP4_SEVERITY_NOTE : NVFP4_SEVERITY_WARNING, marks[row].row,
                 "%s is never chosen: it takes no '%s' at all", name, why);
        return;
    }
    for (int i = 0; i < row; i++) {
        if ((marks[i].row.line == 0 && marks[row].row.line == 0) || !takes_all_of(c, i, row))
            continue;
        kernel_name(c, i, other);
        const int alike = r->backend == c->policy->rows[i].backend;
        WARN(c, marks[row].row.line != 0 ? marks[row].row : marks[i].row,
             alike ? "%s is never chosen: %s, which comes before it, takes all "
                     "that it takes"
                   : "%s is chosen only when asked for: %s, which comes before "
                     "it, takes all that it takes",
             name, other);
        return;
    }
}

/* ---- rows, names, the whole ---- */

static void check_row(const struct check *c, int row)
{
    const struct nvfp4_row *const r = &c->policy->rows[row];
    const struct policy_marks *const marks = &c->draft->marks[row];
    char name[KERNEL_NAME];
    if (marks->row.line != 0 && !marks->has_source && (marks->is_new || marks->has_facts))
        WANTS_SOURCE(c, marks->row,
                     marks->is_new ? "the kernel %s has no 'source'"
                                   : "what is changed of %s has no 'source'",
                     kernel_name(c, row, name));
    for (int i = 0; marks->conditions != NULL && i < r->condition_count; i++)
        if (marks->conditions[i].line != 0)
            check_condition(c, row, &r->conditions[i], marks->conditions[i]);
    check_clamp(c, row);
    check_never_chosen(c, row);
}

static int has_kernel(const nvfp4_policy *policy, int backend)
{
    for (int i = 0; i < policy->row_count; i++)
        if (policy->rows[i].backend == backend)
            return 1;
    return 0;
}

static void check_names(const struct check *c)
{
    const nvfp4_policy *const p = c->policy;
    for (int i = 0; i < p->word_count; i++) {
        const struct nvfp4_user_word *const w = &p->words[i];
        if (c->draft->word_places[i].line != 0 &&
            (!has_kernel(p, w->backend) || (w->batched != 0 && !has_kernel(p, w->batched))))
            WARN(c, c->draft->word_places[i], "'%s' names a backend that has no kernel here",
                 w->word);
    }
    for (int i = 0; i < p->custom_backend_count; i++) {
        const struct nvfp4_custom_backend *const b = &p->custom_backends[i];
        if (c->draft->backend_places[i].line == 0)
            continue;
        if (!has_kernel(p, b->backend))
            WARN(c, c->draft->backend_places[i], "the backend %s has no kernel", b->name);
        else if (nvfp4_policy_user_name(p, (nvfp4_backend)b->backend) == NULL)
            TELL(c, NVFP4_SEVERITY_NOTE, c->draft->backend_places[i],
                 "nobody can ask for %s: no word under 'names' means it", b->name);
    }
}

static void check_whole(const struct check *c)
{
    const nvfp4_policy *const p = c->policy;
    const nvfp4_policy *const builtin = nvfp4_policy_builtin(p->name);
    if (p->source[0] == '\0')
        WANTS_SOURCE(c, c->draft->top, "the policy has no 'source'");
    if (builtin != NULL && (strcmp(nvfp4_policy_name(builtin), p->name) != 0 ||
                            nvfp4_policy_hash(builtin) != nvfp4_policy_hash_compute(p)))
        TELL(c, NVFP4_SEVERITY_WARNING, c->draft->top,
             "'%s' is the name of a built-in policy, which decides otherwise", p->name);
}

/* Does the policy decide as a built-in one? What such a one says is on record as it is. */
static int is_builtin(const nvfp4_policy *policy)
{
    const uint64_t hash = nvfp4_policy_hash_compute(policy);
    const nvfp4_policy *builtin;
    for (size_t i = 0; (builtin = nvfp4_policy_builtin_at(i)) != NULL; i++)
        if (nvfp4_policy_hash(builtin) == hash)
            return 1;
    return 0;
}

void nvfp4_policy_lint(const struct policy_draft *draft, struct policy_remarks *remarks)
{
    const struct check c = { draft, &draft->policy, remarks,
                             is_builtin(&draft->policy) ? NVFP4_SEVERITY_NOTE
                                                        : NVFP4_SEVERITY_WARNING };
    check_whole(&c);
    check_names(&c);
    for (int i = 0; i < draft->policy.row_count; i++)
        check_row(&c, i);
    for (int i = 0; i < draft->policy.erratum_count; i++)
        check_erratum(&c, i);
}
