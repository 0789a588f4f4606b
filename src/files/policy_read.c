/* SPDX-License-Identifier: Apache-2.0 */
/* A policy file as a whole: its sections, in the order in which they build on one another. */
#include "files/policy_reader.h"

#include <string.h>

#include "files/nearest.h"

#define FORMAT_WORD "nvfp4moe-policy/1"

static nvfp4_status read_format(const struct policy_reader *reader, const nvfp4_node *node)
{
    if (!nvfp4_node_is(node, FORMAT_WORD))
        return nvfp4_policy_must_be(reader, node, FORMAT_WORD);
    return NVFP4_OK;
}

static nvfp4_status read_policy_name(const struct policy_reader *reader, const nvfp4_node *node)
{
    return nvfp4_policy_read_name(reader, node, "a name", &reader->draft->policy.name);
}

static nvfp4_status read_summary(const struct policy_reader *reader, const nvfp4_node *node)
{
    return nvfp4_policy_read_text(reader, node, &reader->draft->policy.summary);
}

static nvfp4_status read_source(const struct policy_reader *reader, const nvfp4_node *node)
{
    return nvfp4_policy_read_text(reader, node, &reader->draft->policy.source);
}

static nvfp4_status read_all2all(const struct policy_reader *reader, const nvfp4_node *node)
{
    return nvfp4_policy_read_flag(reader, node, &reader->draft->policy.all2all_by_dp_only);
}

/* That there is a set must be known before the kernels are read, who is in it only behind them. */
static nvfp4_status announce_clamp_set(const struct policy_reader *reader, const nvfp4_node *node)
{
    reader->draft->policy.clamp_by_set = node->kind != NVFP4_NODE_NULL;
    return NVFP4_OK;
}

static nvfp4_status read_clamp_set(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    nvfp4_kernel_set set = ~(nvfp4_kernel_set)0;
    nvfp4_status status = NVFP4_OK;
    if (node->kind != NVFP4_NODE_NULL)
        status = nvfp4_policy_read_kernels(reader, node, &set);
    for (int i = 0; i < draft->policy.row_count && status == NVFP4_OK; i++) {
        if (set >> i & 1)
            draft->rows[i].cannot &= ~(uint32_t)FLAG_LIMIT;
        else
            draft->rows[i].cannot |= FLAG_LIMIT;
    }
    return status;
}

/* ---- what is chosen, and in which order ---- */

static nvfp4_status set_opt_in(const struct policy_reader *reader, const nvfp4_node *node,
                               uint8_t opt_in)
{
    struct policy_draft *const draft = reader->draft;
    nvfp4_kernel_set set = 0;
    const nvfp4_status status = nvfp4_policy_read_kernels(reader, node, &set);
    for (int i = 0; i < draft->policy.row_count; i++)
        if (set >> i & 1)
            draft->rows[i].opt_in = opt_in;
    return status;
}

static nvfp4_status read_auto(const struct policy_reader *reader, const nvfp4_node *node)
{
    /* The opt-in ones are last now, so they come behind those that are automatic already. */
    nvfp4_policy_sort_opt_in(reader->draft);
    return set_opt_in(reader, node, 0);
}

static nvfp4_status read_opt_in(const struct policy_reader *reader, const nvfp4_node *node)
{
    return set_opt_in(reader, node, 1);
}

static const struct nvfp4_condition switched_off = {
    .when = { .device = DEVICE_ANY, .values = ANY_VALUE },
    .kind = CONDITION_RULES_OUT,
    .reason = NVFP4_REASON_DISABLED,
    .note = "switched off by the policy",
};

/* Is it the condition that `disable` makes? */
static int is_off(const struct nvfp4_condition *c, int unused)
{
    (void)unused;
    return c->kind == switched_off.kind && c->reason == switched_off.reason &&
           c->when.device == DEVICE_ANY && c->when.values == ANY_VALUE && c->since == 0 &&
           c->until == 0 && (c->when.with | c->when.without) == 0 && c->when.not_custom == 0;
}

static nvfp4_status enable(const struct policy_reader *reader, nvfp4_kernel_set set)
{
    nvfp4_status status = NVFP4_OK;
    for (int i = 0; i < reader->draft->policy.row_count && status == NVFP4_OK; i++)
        if (set >> i & 1)
            status = nvfp4_policy_forget_conditions(reader, i, is_off, 0);
    return status;
}

static nvfp4_status read_enable(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_kernel_set set = 0;
    const nvfp4_status status = nvfp4_policy_read_kernels(reader, node, &set);
    return status == NVFP4_OK ? enable(reader, set) : status;
}

static nvfp4_status read_disable(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL && status == NVFP4_OK;
         n = nvfp4_policy_next_item(node, n)) {
        const struct policy_place place = { n->line, n->column };
        nvfp4_kernel_set set = 0;
        if (n->kind == NVFP4_NODE_SEQUENCE)
            return nvfp4_policy_must_be(reader, n, "a kernel");
        status = nvfp4_policy_read_kernels(reader, n, &set);
        if (status == NVFP4_OK)
            status = enable(reader, set); /* once is enough */
        for (int i = 0; i < reader->draft->policy.row_count && status == NVFP4_OK; i++)
            if (set >> i & 1)
                status = nvfp4_policy_add_conditions(reader, i, &switched_off, &place, 1, 0, n);
    }
    return status;
}

/* Those named go first, in the order of the list; the others keep theirs. */
static nvfp4_status read_prefer(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    uint8_t order[NVFP4_KERNELS_MAX];
    nvfp4_kernel_set seen = 0;
    int used = 0;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        nvfp4_kernel_set set = 0;
        if (n->kind == NVFP4_NODE_SEQUENCE)
            return nvfp4_policy_must_be(reader, n, "a kernel");
        const nvfp4_status status = nvfp4_policy_read_kernels(reader, n, &set);
        if (status != NVFP4_OK)
            return status;
        for (int i = 0; i < draft->policy.row_count; i++)
            if (set & ~seen & (nvfp4_kernel_set)1 << i)
                order[used++] = (uint8_t)i;
        seen |= set;
    }
    for (int i = 0; i < draft->policy.row_count; i++)
        if (!(seen >> i & 1))
            order[used++] = (uint8_t)i;
    nvfp4_policy_reorder(draft, order);
    return NVFP4_OK;
}

/* ---- the sections ---- */

static const struct section {
    const char *key;
    nvfp4_status (*read)(const struct policy_reader *reader, const nvfp4_node *node);
} sections[] = {
    { "format", read_format },
    { "extends", nvfp4_policy_extend },
    { "name", read_policy_name },
    { "summary", read_summary },
    { "source", read_source },
    { "all2all_needs_data_parallel", read_all2all },
    { "backends", nvfp4_policy_read_backends },
    { "keys", nvfp4_policy_read_keys },
    { "names", nvfp4_policy_read_names },
    { "clamp_set", announce_clamp_set },
    { "kernels", nvfp4_policy_read_kernel_list },
    { "clamp_set", read_clamp_set },
    { "errata", nvfp4_policy_read_errata },
    { "errata_off", nvfp4_policy_read_errata_off },
    { "verified", nvfp4_policy_read_evidence },
    { "auto", read_auto },
    { "opt_in", read_opt_in },
    { "enable", read_enable },
    { "disable", read_disable },
    { "prefer", read_prefer },
};

static nvfp4_status check_whole(const struct policy_reader *reader, const nvfp4_node *root)
{
    struct policy_draft *const draft = reader->draft;
    if (nvfp4_node_get(root, "name") == NULL)
        return nvfp4_policy_fail(reader, root, NVFP4_ESCHEMA, "a policy needs 'name'");
    if (draft->policy.row_count == 0 && nvfp4_node_get(root, "extends") == NULL)
        return nvfp4_policy_fail(reader, root, NVFP4_ESCHEMA,
                                 "a policy needs 'kernels', or 'extends' another");
    nvfp4_policy_sort_opt_in(draft);
    return NVFP4_OK;
}

/* A key that goes on behind a NUL would be taken for another. */
static nvfp4_status refuse_nul(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    if (node->key != NULL && strlen(node->key) != node->key_length)
        status = nvfp4_policy_fail_key(reader, node, "a key holds a NUL");
    if (node->kind == NVFP4_NODE_SEQUENCE || node->kind == NVFP4_NODE_MAPPING)
        for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
            status = refuse_nul(reader, n); /* as deep as documents may be */
    return status;
}

nvfp4_status nvfp4_policy_read_document(const struct policy_reader *reader)
{
    const char *keys[COUNT_OF(sections) + 1];
    const nvfp4_node *const root = nvfp4_document_root(reader->document);
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        keys[i] = sections[i].key;
    keys[COUNT_OF(sections)] = NULL;
    nvfp4_status status = refuse_nul(reader, root);
    if (status == NVFP4_OK)
        status = nvfp4_policy_check_keys(reader, root, "a policy", keys, 0);
    if (root->kind != NVFP4_NODE_MAPPING)
        return status;
    for (size_t i = 0; i < COUNT_OF(sections) && status == NVFP4_OK; i++) {
        const nvfp4_node *const node = nvfp4_node_get(root, sections[i].key);
        if (node != NULL)
            status = sections[i].read(reader, node);
    }
    reader->draft->top = (struct policy_place){ root->line, root->column };
    if (status == NVFP4_OK && reader->remarks != NULL && reader->remarks->errors == 0)
        nvfp4_policy_find_contradictions(reader, root);
    return status == NVFP4_OK ? check_whole(reader, root) : status;
}
