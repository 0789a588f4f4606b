/* SPDX-License-Identifier: Apache-2.0 */
/* The list `kernels` of a policy file: new kernels, and changes of those that a policy extends. */
#include "files/policy_reader.h"

#include <string.h>

/* What `add` and `remove` know too. */
#define SET_KEYS                                                                                   \
    "devices", "scheme", "activation", "activation_format", "routing", "router_logits_dtype",      \
        "dtype", "all2all", "humming_gemm_type", "can", "cannot"

static const char *const kernel_keys[] = {
    "kernel", "before", "after", SET_KEYS, "opt_in", "engine_built", "runs_w4a16", "halves",
    "padding", "needs", "conditions", "clamp", "add", "remove", "source", NULL
};
static const char *const add_keys[] = { SET_KEYS, "conditions", "clamp", NULL };
static const char *const remove_keys[] = { SET_KEYS, NULL };

int nvfp4_policy_is_free_key(const char *name)
{
    for (int i = 0; kernel_keys[i] != NULL; i++)
        if (strcmp(kernel_keys[i], name) == 0)
            return 0;
    for (int i = 0; nvfp4_policy_when_keys[i] != NULL; i++)
        if (strcmp(nvfp4_policy_when_keys[i], name) == 0)
            return 0;
    return 1;
}

/* What a set that is read does to the one that is there. */
enum mode { SET, ADD, REMOVE };

static uint64_t combine(uint64_t old, uint64_t all, uint64_t set, enum mode mode)
{
    const uint64_t kept = old & ~all;
    return mode == SET ? kept | set : mode == ADD ? old | set : old & ~set;
}

/* ---- sets ---- */

static nvfp4_status read_columns(const struct policy_reader *reader, const nvfp4_node *mapping,
                                 struct nvfp4_row *row, enum mode mode)
{
    const nvfp4_policy *const p = &reader->draft->policy;
    const nvfp4_node *const devices = nvfp4_node_get(mapping, "devices");
    nvfp4_status status = NVFP4_OK;
    if (devices != NULL) {
        uint64_t set = 0;
        status = nvfp4_policy_read_devices(reader, devices, &set);
        row->device = combine(row->device, ~(uint64_t)0, set, mode);
    }
    for (int i = 0; i < POLICY_COLUMNS && status == NVFP4_OK; i++) {
        const struct policy_column *const column = &nvfp4_policy_columns[i];
        const nvfp4_node *const n = nvfp4_node_get(mapping, column->key);
        uint64_t set = 0;
        if (n == NULL)
            continue;
        status = nvfp4_policy_read_words(reader, n, column, &set);
        row->values = combine(row->values, nvfp4_policy_column_all(column), set, mode);
    }
    for (int i = 0; i < p->custom_key_count && status == NVFP4_OK; i++) {
        const nvfp4_node *const n = nvfp4_node_get(mapping, p->custom_keys[i].key);
        const uint64_t all = custom_key_bits(&p->custom_keys[i]);
        uint64_t set = 0;
        if (n == NULL)
            continue;
        status = nvfp4_policy_read_custom(reader, n, &p->custom_keys[i], &set);
        row->not_custom = ~combine(~row->not_custom, all, set, mode);
    }
    return status;
}

/* Whether a kernel is in a policy's clamp set is not said by leaving swiglu_limit out of a list. */
static void set_cannot(const nvfp4_policy *policy, struct nvfp4_row *row, uint32_t cannot,
                       uint32_t named)
{
    if (policy->clamp_by_set && !(named & FLAG_LIMIT))
        cannot = (cannot & ~(uint32_t)FLAG_LIMIT) | (row->cannot & FLAG_LIMIT);
    row->cannot = cannot;
}

static nvfp4_status read_abilities(const struct policy_reader *reader, const nvfp4_node *mapping,
                                   struct nvfp4_row *row, enum mode mode)
{
    const nvfp4_policy *const p = &reader->draft->policy;
    const nvfp4_node *const can = nvfp4_node_get(mapping, "can");
    const nvfp4_node *const cannot = nvfp4_node_get(mapping, "cannot");
    uint32_t flags = 0, assumed = 0;
    nvfp4_status status = NVFP4_OK;
    if (can != NULL) {
        status = nvfp4_policy_read_flags(reader, can, &flags);
        for (int i = 0; i < POLICY_FLAGS; i++)
            assumed |= nvfp4_policy_flags[i].assumed ? nvfp4_policy_flags[i].flag : 0;
        if (mode == SET)
            set_cannot(p, row, assumed & ~flags, flags);
        else
            row->cannot = mode == ADD ? row->cannot & ~flags : row->cannot | flags;
    }
    if (cannot != NULL && status == NVFP4_OK) {
        if (can != NULL && mode == SET)
            return nvfp4_policy_fail_key(reader, cannot,
                                         "'can' and 'cannot' each say all; give one of them");
        status = nvfp4_policy_read_flags(reader, cannot, &flags);
        if (mode == SET)
            set_cannot(p, row, flags, flags);
        else
            row->cannot = mode == ADD ? row->cannot | flags : row->cannot & ~flags;
    }
    return status;
}

/* ---- single values ---- */

static nvfp4_status read_padding(const struct policy_reader *reader, const nvfp4_node *node,
                                 struct nvfp4_padding *padding)
{
    static const char *const keys[] = { "gated", "non_gated", "hidden", NULL };
    int16_t *const fields[] = { &padding->gated, &padding->non_gated, &padding->hidden };
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "padding", keys, 0);
    if (node->kind != NVFP4_NODE_MAPPING)
        return status;
    *padding = (struct nvfp4_padding){ 0, 0, 0 };
    for (int i = 0; keys[i] != NULL && status == NVFP4_OK; i++) {
        const nvfp4_node *const n = nvfp4_node_get(node, keys[i]);
        int64_t number = 0;
        if (n != NULL)
            status = nvfp4_policy_read_number(reader, n, 0, INT16_MAX, &number);
        if (status == NVFP4_OK && (number & (number - 1)) != 0) {
            status = nvfp4_policy_must_be(reader, n, "a power of two, or 0");
            number = 0;
        }
        *fields[i] = (int16_t)number;
    }
    return status;
}

static nvfp4_status read_single(const struct policy_reader *reader, const nvfp4_node *mapping,
                                struct nvfp4_row *row)
{
    static const char *const halves[] = {
#define X(name, value, word) [value] = word,
        NVFP4_HALVES_MAP(X)
#undef X
            [NVFP4_HALVES_COUNT] = NULL
    };
    struct {
        const char *key;
        uint8_t *flag;
    } const flags[] = {
        { "opt_in", &row->opt_in },
        { "engine_built", &row->engine_built },
        { "runs_w4a16", &row->runs_w4a16 },
    };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < COUNT_OF(flags) && status == NVFP4_OK; i++) {
        const nvfp4_node *const n = nvfp4_node_get(mapping, flags[i].key);
        if (n != NULL)
            status = nvfp4_policy_read_flag(reader, n, flags[i].flag);
    }
    const nvfp4_node *const order = nvfp4_node_get(mapping, "halves");
    const nvfp4_node *const padding = nvfp4_node_get(mapping, "padding");
    const nvfp4_node *const source = nvfp4_node_get(mapping, "source");
    if (status == NVFP4_OK && order != NULL) {
        const int first = NVFP4_HALVES_GATE_UP; /* AUTO is no order of weights */
        int word = row->halves - first;
        status = nvfp4_policy_read_word(reader, order, "halves", halves + first, &word);
        row->halves = (uint8_t)(word + first);
    }
    if (status == NVFP4_OK && padding != NULL)
        status = read_padding(reader, padding, &row->padding);
    if (status == NVFP4_OK && source != NULL)
        status = nvfp4_policy_read_text(reader, source, &row->source);
    return status;
}

/* ---- one kernel ---- */

/* A column that takes nothing, though `[]` was not what was written. */
static void mark_emptied(struct policy_draft *draft, int row, const nvfp4_node *mapping)
{
    for (int i = 0; i < POLICY_COLUMNS; i++) {
        const nvfp4_node *const n = nvfp4_node_get(mapping, nvfp4_policy_columns[i].key);
        const int literal = n != NULL && n->kind == NVFP4_NODE_SEQUENCE && n->count == 0;
        if (!(draft->rows[row].values & nvfp4_policy_column_all(&nvfp4_policy_columns[i])) &&
            !literal)
            draft->marks[row].emptied = 1;
    }
}

/* Does an item say more of a kernel than where it stands and whether it is opt-in? */
static uint8_t has_facts(const nvfp4_node *mapping)
{
    static const char *const others[] = { "kernel", "before", "after", "opt_in", "source" };
    uint32_t count = mapping->count;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        count -= nvfp4_node_get(mapping, others[i]) != NULL;
    return count > 0;
}

static nvfp4_status fill_row(const struct policy_reader *reader, const nvfp4_node *mapping, int row)
{
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    const nvfp4_node *const add = nvfp4_node_get(mapping, "add");
    const nvfp4_node *const remove = nvfp4_node_get(mapping, "remove");
    marks->row = (struct policy_place){ mapping->line, mapping->column };
    marks->has_source = nvfp4_node_get(mapping, "source") != NULL;
    marks->has_facts = has_facts(mapping);
    nvfp4_status status = read_columns(reader, mapping, r, SET);
    if (status == NVFP4_OK)
        status = read_abilities(reader, mapping, r, SET);
    if (status == NVFP4_OK)
        status = read_single(reader, mapping, r);
    if (status == NVFP4_OK)
        status = nvfp4_policy_read_row_rules(reader, mapping, row, 0);
    if (status == NVFP4_OK && add != NULL) {
        status = nvfp4_policy_check_keys(reader, add, "'add'", add_keys, 1);
        if (status == NVFP4_OK)
            status = read_columns(reader, add, r, ADD);
        if (status == NVFP4_OK)
            status = read_abilities(reader, add, r, ADD);
        if (status == NVFP4_OK)
            status = nvfp4_policy_read_row_rules(reader, add, row, 1);
    }
    if (status == NVFP4_OK && remove != NULL) {
        status = nvfp4_policy_check_keys(reader, remove, "'remove'", remove_keys, 1);
        if (status == NVFP4_OK)
            status = read_columns(reader, remove, r, REMOVE);
        if (status == NVFP4_OK)
            status = read_abilities(reader, remove, r, REMOVE);
    }
    mark_emptied(reader->draft, row, mapping);
    return status;
}

int nvfp4_policy_backend_of(const nvfp4_policy *policy, const char *text, size_t length)
{
    char name[POLICY_NAME_BYTES + 1];
    nvfp4_backend backend;
    if (length > POLICY_NAME_BYTES)
        return NVFP4_BACKEND_NONE;
    memcpy(name, text, length);
    name[length] = '\0';
    for (int i = 0; i < policy->custom_backend_count; i++)
        if (strcmp(policy->custom_backends[i].name, name) == 0)
            return policy->custom_backends[i].backend;
    if (nvfp4_backend_from_name(name) != NVFP4_BACKEND_NONE)
        return (int)nvfp4_backend_from_name(name);
    if (nvfp4_policy_find_backend(policy, name, &backend) == NVFP4_OK)
        return (int)backend;
    return NVFP4_BACKEND_NONE;
}

/* Takes the backend's name and the kernel's apart. */
static nvfp4_status read_identity(const struct policy_reader *reader, const nvfp4_node *node,
                                  struct nvfp4_row *row)
{
    const char *const slash = strchr(node->text, '/');
    const size_t length = slash != NULL ? (size_t)(slash - node->text) : node->length;
    const int backend = nvfp4_policy_backend_of(&reader->draft->policy, node->text, length);
    char excerpt[NVFP4_EXCERPT];
    row->kernel = "";
    row->backend = (uint8_t)backend;
    if (backend == NVFP4_BACKEND_NONE)
        return nvfp4_policy_fail(
            reader, node, NVFP4_ESCHEMA,
            "unknown backend '%s'; one of your own is declared under 'backends'",
            nvfp4_excerpt(node->text, length, excerpt));
    if (slash == NULL || slash[1] == '\0') /* "A/" is the one without a name among A's kernels */
        return NVFP4_OK;
    nvfp4_node name = *node; /* the part behind the slash */
    name.text = slash + 1;
    name.length = (uint32_t)strlen(slash + 1);
    return nvfp4_policy_read_name(reader, &name, "BACKEND or BACKEND/kernel", &row->kernel);
}

static nvfp4_status new_row(const struct policy_reader *reader, const nvfp4_node *mapping,
                            const nvfp4_node *name, int *row)
{
    static const char *const required[] = { "devices", "scheme", "activation" };
    struct policy_draft *const draft = reader->draft;
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < COUNT_OF(required) && status == NVFP4_OK; i++)
        if (nvfp4_node_get(mapping, required[i]) == NULL)
            status = nvfp4_policy_fail(reader, mapping, NVFP4_ESCHEMA, "a new kernel needs '%s'",
                                       required[i]);
    if (status == NVFP4_OK && draft->policy.row_count == NVFP4_KERNELS_MAX)
        return nvfp4_policy_fail(reader, mapping, NVFP4_ELIMIT, "a policy has at most %d kernels",
                                 NVFP4_KERNELS_MAX);
    if (status != NVFP4_OK)
        return status;
    struct nvfp4_row r = { .kernel = "", .halves = NVFP4_HALVES_GATE_UP };
    for (int i = 0; i < POLICY_COLUMNS; i++) {
        const struct policy_column *const column = &nvfp4_policy_columns[i];
        if (column->initial != NULL)
            r.values |=
                strcmp(column->initial, "any") == 0 ? nvfp4_policy_column_all(column) : STANDARD;
    }
    for (int i = 0; i < POLICY_FLAGS; i++)
        r.cannot |= nvfp4_policy_flags[i].assumed ? nvfp4_policy_flags[i].flag : 0;
    r.cannot |= draft->policy.clamp_by_set ? FLAG_LIMIT : 0;
    status = read_identity(reader, name, &r);
    *row = draft->policy.row_count++;
    draft->rows[*row] = r;
    draft->marks[*row] = (struct policy_marks){ .is_new = 1 };
    return status;
}

static nvfp4_status place_row(const struct policy_reader *reader, const nvfp4_node *mapping,
                              nvfp4_kernel_set moved)
{
    const nvfp4_node *const before = nvfp4_node_get(mapping, "before");
    const nvfp4_node *const after = nvfp4_node_get(mapping, "after");
    nvfp4_kernel_set target = 0;
    if (before == NULL && after == NULL)
        return NVFP4_OK;
    if (before != NULL && after != NULL)
        return nvfp4_policy_fail_key(reader, after, "give 'before' or 'after', not both");
    const nvfp4_node *const named = before != NULL ? before : after;
    const nvfp4_status status = nvfp4_policy_read_kernels(reader, named, &target);
    if (status == NVFP4_OK && target != 0 && (target & ~moved) == 0)
        return nvfp4_policy_fail(reader, named, NVFP4_ESCHEMA, "a kernel cannot stand %s itself",
                                 named->key);
    nvfp4_policy_move_set(reader->draft, moved, target, after != NULL);
    return status;
}

static nvfp4_status read_kernel(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    nvfp4_kernel_set set = 0;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a kernel", kernel_keys, 1);
    const nvfp4_node *const name = nvfp4_node_get(node, "kernel");
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    if (name == NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA, "an item of kernels needs 'kernel'");
    if (!nvfp4_policy_is_text(name))
        return nvfp4_policy_must_be(reader, name, "BACKEND or BACKEND/kernel");
    if (nvfp4_policy_find_kernels(&draft->policy, name->text, &set) != NVFP4_OK) {
        int row = -1;
        status = new_row(reader, node, name, &row);
        if (status != NVFP4_OK || row < 0)
            return status;
        set = (nvfp4_kernel_set)1 << row;
    }
    for (int i = 0; i < draft->policy.row_count && status == NVFP4_OK; i++) {
        if (!(set >> i & 1))
            continue;
        if (draft->marks[i].row.line != 0)
            return nvfp4_policy_fail(reader, name, NVFP4_ESCHEMA,
                                     "the kernel stands twice in the list, first on line %lu",
                                     (unsigned long)draft->marks[i].row.line);
        status = fill_row(reader, node, i);
    }
    return status == NVFP4_OK ? place_row(reader, node, set) : status;
}

nvfp4_status nvfp4_policy_read_kernel_list(const struct policy_reader *reader,
                                           const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    if (node->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_policy_must_be(reader, node, "a list of kernels");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_kernel(reader, n);
    return status;
}
