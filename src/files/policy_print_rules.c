/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a policy: `when`, conditions, clamp rules, errata. */
#include "files/policy_print.h"

#include <stdio.h>
#include <string.h>

#include "files/policy_reader.h"

/* ---- when ---- */

static int is_always(const struct nvfp4_when *when)
{
    return when->device == DEVICE_ANY && when->values == ANY_VALUE && when->with == 0 &&
           when->without == 0 && when->not_custom == 0;
}

/* One entry of the mapping: its key, a colon. */
static void entry_key(struct policy_printer *p, int *count, const char *key)
{
    char text[POLICY_NAME_BYTES + 2];
    snprintf(text, sizeof text, "%s:", key);
    nvfp4_print_entry(p, count, text);
}

void nvfp4_print_when(struct policy_printer *p, const struct nvfp4_when *when)
{
    int count = 0;
    if (is_always(when))
        return;
    nvfp4_print_key(p, "when");
    out_text(p->out, " {");
    if (when->device != DEVICE_ANY) {
        entry_key(p, &count, "devices");
        nvfp4_print_devices(p, when->device);
    }
    for (int i = 0; i < POLICY_COLUMNS; i++) {
        const uint64_t all = nvfp4_policy_column_all(&nvfp4_policy_columns[i]);
        if ((when->values & all) == all)
            continue;
        entry_key(p, &count, nvfp4_policy_columns[i].key);
        nvfp4_print_column(p, i, when->values);
    }
    for (int i = 0; i < POLICY_FLAGS; i++) {
        const struct policy_flag *const f = &nvfp4_policy_flags[i];
        if (!((when->with | when->without) & f->flag))
            continue;
        entry_key(p, &count, f->when);
        out_text(p->out, ((when->with & f->flag) != 0) != f->when_absent ? " true" : " false");
    }
    for (int i = 0; i < p->policy->custom_key_count; i++) {
        const struct nvfp4_custom_key *const key = &p->policy->custom_keys[i];
        if (!(when->not_custom & custom_key_bits(key)))
            continue;
        entry_key(p, &count, key->key);
        nvfp4_print_custom(p, key, when->not_custom);
    }
    out_char(p->out, '}');
}

/* The versions that a rule is about. */
static void print_window(struct policy_printer *p, int library, nvfp4_library_version from,
                         nvfp4_library_version below)
{
    if (from != 0 || below != 0)
        nvfp4_print_word(p, "library", nvfp4_library_name((nvfp4_library)library));
    if (from != 0)
        nvfp4_print_version_key(p, "from", from);
    if (below != 0)
        nvfp4_print_version_key(p, "below", below);
}

static void print_source(struct policy_printer *p, const char *source)
{
    if (p->evidence)
        nvfp4_print_text(p, "source", source);
}

/* ---- conditions ---- */

/* Sources that are not written do not keep it from being one. */
static int is_plain_need(const struct nvfp4_condition *c, int evidence)
{
    return c->kind == CONDITION_LIBRARY && c->reason == NVFP4_REASON_DEPENDENCY && c->until == 0 &&
           c->since == 0 && is_always(&c->when) && c->note == NULL &&
           (c->source == NULL || !evidence);
}

int nvfp4_print_plain_needs(const struct policy_printer *p, const struct nvfp4_row *row)
{
    unsigned seen = 0;
    int count = 0;
    while (count < row->condition_count && is_plain_need(&row->conditions[count], p->evidence) &&
           !(seen >> row->conditions[count].library & 1))
        seen |= 1u << row->conditions[count++].library;
    return count;
}

static void print_need(struct policy_printer *p, const struct nvfp4_condition *c)
{
    char version[64] = "any";
    if (c->number != 0)
        nvfp4_version_print(c->number, version, sizeof version);
    nvfp4_print_key(p, "needs");
    out_text(p->out, " {");
    out_text(p->out, nvfp4_library_name((nvfp4_library)c->library));
    out_text(p->out, ": ");
    out_text(p->out, version);
    out_char(p->out, '}');
}

void nvfp4_print_condition(struct policy_printer *p, const struct nvfp4_condition *c)
{
    const char *const word = nvfp4_policy_condition_words[c->kind - 1];
    switch (c->kind) {
    case CONDITION_RULES_OUT:
        nvfp4_print_word(p, word, nvfp4_reason_name((nvfp4_reason)c->reason));
        break;
    case CONDITION_LIBRARY:
        print_need(p, c);
        break;
    case CONDITION_SITU_BETAS:
        nvfp4_print_word(p, word, nvfp4_policy_situ_words[c->number != 0]);
        break;
    case CONDITION_DOUBT:
        nvfp4_print_text(p, word, c->note);
        break;
    default:
        nvfp4_print_number(p, word, c->number);
        break;
    }
    nvfp4_print_when(p, &c->when);
    print_window(p, c->library, c->since, c->until);
    if (c->kind != CONDITION_RULES_OUT && c->kind != CONDITION_DOUBT &&
        c->reason != nvfp4_policy_usual_reason(c->kind))
        nvfp4_print_word(p, "reason", nvfp4_reason_name((nvfp4_reason)c->reason));
    if (c->kind != CONDITION_DOUBT)
        nvfp4_print_text(p, "note", c->note);
    print_source(p, c->source);
}

/* ---- clamp rules ---- */

void nvfp4_print_clamp_rule(struct policy_printer *p, const struct nvfp4_clamp_rule *r)
{
    if (r->limit == LIMIT_CONSTANT)
        nvfp4_print_real_key(p, "limit", r->limit_constant);
    else
        nvfp4_print_word(p, "limit", nvfp4_policy_limit_words[r->limit - 1]);
    nvfp4_print_when(p, &r->when);
    print_window(p, r->library, r->since, 0);
    if (r->absent == ABSENT_CLAMPS && r->limit_constant != 0)
        nvfp4_print_real_key(p, "without_limit", r->limit_constant);
    else if (r->absent != ABSENT_FINE)
        nvfp4_print_word(p, "without_limit", nvfp4_policy_absent_words[r->absent]);
    if (r->takes_alpha_beta) {
        nvfp4_print_word(p, "alpha", "taken");
        nvfp4_print_word(p, "beta", "taken");
    } else {
        nvfp4_print_real_key(p, "alpha", r->alpha_constant);
        nvfp4_print_real_key(p, "beta", r->beta_constant);
    }
    if (r->after_activation)
        nvfp4_print_word(p, "after_activation", "true");
    if (r->space != NVFP4_LIMIT_SPACE_REAL)
        nvfp4_print_word(p, "limit_space", nvfp4_limit_space_name((nvfp4_limit_space)r->space));
    nvfp4_print_text(p, "note", r->note);
    print_source(p, r->source);
}

/* ---- errata ---- */

void nvfp4_print_erratum(struct policy_printer *p, const struct nvfp4_erratum *e)
{
    const struct {
        const char *key;
        int64_t size;
    } sizes[] = {
        { "num_experts", e->experts },
        { "hidden_size", e->hidden },
        { "intermediate_size_per_rank", e->width },
        { "top_k", e->top_k },
    };
    nvfp4_print_key(p, "erratum");
    out_char(p->out, ' ');
    nvfp4_print_name(p, e->name);
    nvfp4_print_kernels(p, "kernels", e->kernels);
    nvfp4_print_when(p, &e->when);
    if (e->library != LIBRARY_NONE)
        nvfp4_print_word(p, "library", nvfp4_library_name((nvfp4_library)e->library));
    if (e->from != 0)
        nvfp4_print_version_key(p, "from", e->from);
    if (e->below != 0)
        nvfp4_print_version_key(p, "below", e->below);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        if (sizes[i].size != 0)
            nvfp4_print_number(p, sizes[i].key, (uint64_t)sizes[i].size);
    nvfp4_print_text(p, "text", e->text);
    print_source(p, e->source);
}
