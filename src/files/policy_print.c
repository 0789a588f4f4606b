/* SPDX-License-Identifier: Apache-2.0 */
/* Any policy, also a built-in one, in the form of a policy file. */
#include "files/policy_print.h"

#include <stdio.h>

#include "files/policy_reader.h"

/* ---- what a policy names itself ---- */

static void print_backends(struct policy_printer *p)
{
    if (p->policy->custom_backend_count == 0)
        return;
    nvfp4_print_key(p, "backends");
    p->indent += 2;
    for (int i = 0; i < p->policy->custom_backend_count; i++) {
        char quoted[POLICY_QUOTED];
        nvfp4_print_number(p, nvfp4_print_quoted(p->policy->custom_backends[i].name, quoted),
                           p->policy->custom_backends[i].backend);
    }
    p->indent -= 2;
}

static void print_keys(struct policy_printer *p)
{
    if (p->policy->custom_key_count == 0)
        return;
    nvfp4_print_key(p, "keys");
    p->indent += 2;
    for (int i = 0; i < p->policy->custom_key_count; i++) {
        const struct nvfp4_custom_key *const key = &p->policy->custom_keys[i];
        char text[2 * POLICY_QUOTED];
        int count = 0;
        snprintf(text, sizeof text, "%s.%s", key->section, key->key);
        nvfp4_print_key(p, text);
        out_text(p->out, " [");
        for (int k = 0; k < key->word_count; k++)
            nvfp4_print_entry(p, &count, nvfp4_print_quoted(key->words[k], text));
        out_char(p->out, ']');
    }
    p->indent -= 2;
}

static void print_backend_name(struct policy_printer *p, int backend)
{
    nvfp4_print_name(p, nvfp4_policy_backend_name(p->policy, (nvfp4_backend)backend));
}

static void print_names(struct policy_printer *p)
{
    if (p->policy->word_count == 0)
        return;
    nvfp4_print_key(p, "names");
    p->indent += 2;
    for (int i = 0; i < p->policy->word_count; i++) {
        const struct nvfp4_user_word *const word = &p->policy->words[i];
        char quoted[POLICY_QUOTED];
        nvfp4_print_key(p, nvfp4_print_quoted(word->word, quoted));
        out_char(p->out, ' ');
        if (word->batched != 0) {
            out_text(p->out, "{standard: ");
            print_backend_name(p, word->backend);
            out_text(p->out, ", batched: ");
            print_backend_name(p, word->batched);
            out_char(p->out, '}');
        } else {
            print_backend_name(p, word->backend);
        }
    }
    p->indent -= 2;
}

static void print_clamp_set(struct policy_printer *p)
{
    nvfp4_kernel_set set = 0;
    if (!p->policy->clamp_by_set)
        return;
    for (int i = 0; i < p->policy->row_count; i++)
        if (!(p->policy->rows[i].cannot & FLAG_LIMIT))
            set |= (nvfp4_kernel_set)1 << i;
    nvfp4_print_kernels(p, "clamp_set", set);
}

/* ---- kernels ---- */

static void print_columns(struct policy_printer *p, const struct nvfp4_row *row)
{
    nvfp4_print_key(p, "devices");
    nvfp4_print_devices(p, row->device);
    for (int i = 0; i < POLICY_COLUMNS; i++) {
        const struct policy_column *const column = &nvfp4_policy_columns[i];
        const uint64_t all = nvfp4_policy_column_all(column), values = row->values & all;
        const uint64_t initial = column->column == NVFP4_COLUMN_FORMAT ? STANDARD : all;
        if (column->initial != NULL && values == initial)
            continue;
        nvfp4_print_key(p, column->key);
        nvfp4_print_column(p, i, values);
    }
    for (int i = 0; i < p->policy->custom_key_count; i++) {
        const struct nvfp4_custom_key *const key = &p->policy->custom_keys[i];
        if (!(row->not_custom & custom_key_bits(key)))
            continue;
        nvfp4_print_key(p, key->key);
        nvfp4_print_custom(p, key, row->not_custom);
    }
}

static void print_padding(struct policy_printer *p, const struct nvfp4_padding *padding)
{
    static const char *const keys[] = { "gated: ", "non_gated: ", "hidden: " };
    const int16_t multiples[] = { padding->gated, padding->non_gated, padding->hidden };
    int count = 0;
    if (multiples[0] == 0 && multiples[1] == 0 && multiples[2] == 0)
        return;
    nvfp4_print_key(p, "padding");
    out_text(p->out, " {");
    for (int i = 0; i < 3; i++)
        if (multiples[i] != 0) {
            nvfp4_print_entry(p, &count, keys[i]);
            out_number(p->out, (uint64_t)multiples[i]);
        }
    out_char(p->out, '}');
}

static void print_needs(struct policy_printer *p, const struct nvfp4_row *row, int plain)
{
    int count = 0;
    if (plain == 0)
        return;
    nvfp4_print_key(p, "needs");
    out_text(p->out, " {");
    for (int i = 0; i < plain; i++) {
        char version[64] = "any";
        if (row->conditions[i].number != 0)
            nvfp4_version_print(row->conditions[i].number, version, sizeof version);
        nvfp4_print_entry(p, &count, nvfp4_library_name((nvfp4_library)row->conditions[i].library));
        out_text(p->out, ": ");
        out_text(p->out, version);
    }
    out_char(p->out, '}');
}

static void print_rules(struct policy_printer *p, const struct nvfp4_row *row)
{
    const int plain = nvfp4_print_plain_needs(p, row);
    print_needs(p, row, plain);
    if (plain < row->condition_count)
        nvfp4_print_key(p, "conditions");
    p->indent += 4;
    for (int i = plain; i < row->condition_count; i++) {
        p->item = 1;
        nvfp4_print_condition(p, &row->conditions[i]);
    }
    p->indent -= 4;
    if (row->clamp_count > 0)
        nvfp4_print_key(p, "clamp");
    p->indent += 4;
    for (int i = 0; i < row->clamp_count; i++) {
        p->item = 1;
        nvfp4_print_clamp_rule(p, &row->clamp[i]);
    }
    p->indent -= 4;
}

static void print_row(struct policy_printer *p, int index)
{
    const struct nvfp4_row *const row = &p->policy->rows[index];
    char name[2 * POLICY_NAME_BYTES + 2];
    const uint32_t cannot =
        p->policy->clamp_by_set ? row->cannot & ~(uint32_t)FLAG_LIMIT : row->cannot;
    nvfp4_print_kernel_name(p->policy, index, name, sizeof name);
    nvfp4_print_word(p, "kernel", name);
    if (row->opt_in)
        nvfp4_print_word(p, "opt_in", "true");
    print_columns(p, row);
    nvfp4_print_flags(p, "cannot", cannot);
    if (row->engine_built)
        nvfp4_print_word(p, "engine_built", "true");
    if (row->runs_w4a16)
        nvfp4_print_word(p, "runs_w4a16", "true");
    nvfp4_print_word(p, "halves", nvfp4_halves_name((nvfp4_halves)row->halves));
    print_padding(p, &row->padding);
    print_rules(p, row);
    if (p->evidence)
        nvfp4_print_text(p, "source", row->source);
}

/* ---- the whole ---- */

static void print_policy(struct policy_printer *p)
{
    out_text(p->out, "format: nvfp4moe-policy/1");
    nvfp4_print_key(p, "name");
    out_char(p->out, ' ');
    nvfp4_print_name(p, p->policy->name);
    nvfp4_print_text(p, "summary", p->policy->summary);
    if (p->evidence)
        nvfp4_print_text(p, "source", p->policy->source);
    if (p->policy->all2all_by_dp_only)
        nvfp4_print_word(p, "all2all_needs_data_parallel", "true");
    print_backends(p);
    print_keys(p);
    print_names(p);
    print_clamp_set(p);
    nvfp4_print_key(p, "kernels");
    p->indent = 4;
    for (int i = 0; i < p->policy->row_count; i++) {
        p->item = 1;
        print_row(p, i);
    }
    p->indent = 0;
    if (p->policy->erratum_count > 0)
        nvfp4_print_key(p, "errata");
    p->indent = 4;
    for (int i = 0; i < p->policy->erratum_count; i++) {
        p->item = 1;
        nvfp4_print_erratum(p, &p->policy->errata[i]);
    }
    out_char(p->out, '\n');
}

nvfp4_status nvfp4_policy_print(const nvfp4_policy *policy, uint32_t flags, char *buffer,
                                size_t capacity, size_t *length)
{
    if (length == NULL || (buffer == NULL && capacity != 0))
        return NVFP4_EINVAL;
    struct out out = out_begin(buffer, capacity);
    struct policy_printer printer = {
        .out = &out,
        .policy = policy != NULL ? policy : nvfp4_policy_builtin(NULL),
        .evidence = (flags & NVFP4_PRINT_EVIDENCE) != 0,
    };
    print_policy(&printer);
    *length = out_end(&out);
    return NVFP4_OK;
}
