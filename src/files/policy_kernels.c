/* SPDX-License-Identifier: Apache-2.0 */
/* The list `kernels` of a policy file: new kernels, and changes of those that a policy extends. */
#include "files/policy_reader.h"

#include <string.h>

static const char *const kernel_keys[] = {
    "kernel", "before", "after", "devices", "scheme", "activation", "activation_format", "routing",
    "router_logits_dtype", "dtype", "all2all", "humming_gemm_type", "can", "cannot", "opt_in",
    "engine_built", "runs_w4a16", "halves", "padding", "needs", "conditions", "clamp", "add", "remove",
    "source", NULL,
};
static const char *const add_keys[] = {
    "devices", "scheme", "activation", "activation_format", "routing", "router_logits_dtype", "dtype",
    "all2all", "humming_gemm_type", "can", "cannot", "conditions", "clamp", NULL,
};
static const char *const remove_keys[] = {
    "devices", "scheme", "activation", "activation_format", "routing", "router_logits_dtype", "dtype",
    "all2all", "humming_gemm_type", "can", "cannot", NULL,
};

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

/* ---- lists of rules ---- */

static struct policy_place place_of(const nvfp4_node *node)
{
    return (struct policy_place){ node->line, node->column };
}

/* One array of `old` and `new` entries, the new ones in front or behind; NULL: no memory. */
static void *join(nvfp4_arena *arena, size_t size, const void *old, size_t old_count,
                  const void *new, size_t new_count, int front)
{
    char *const both = nvfp4_arena_take(arena, (old_count + new_count) * size);
    if (both == NULL)
        return NULL;
    if (old == NULL)
        memset(both, 0, (old_count + new_count) * size);
    else if (old_count > 0)
        memcpy(both + (front ? new_count * size : 0), old, old_count * size);
    if (new_count > 0)
        memcpy(both + (front ? 0 : old_count * size), new, new_count * size);
    return both;
}

static nvfp4_status too_many(const struct policy_reader *reader, const nvfp4_node *node)
{
    return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT, "a kernel has more than %d rules of a kind",
                             POLICY_RULES);
}

nvfp4_status nvfp4_policy_add_conditions(const struct policy_reader *reader, int row,
                                         const struct nvfp4_condition *conditions,
                                         const struct policy_place *places, size_t count,
                                         int front, const nvfp4_node *node)
{
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    if (r->condition_count + count > POLICY_RULES)
        return too_many(reader, node);
    const struct nvfp4_condition *const all =
        join(reader->arena, sizeof *all, r->conditions, r->condition_count, conditions, count, front);
    const struct policy_place *const all_places =
        join(reader->arena, sizeof *all_places, marks->conditions, r->condition_count, places, count,
             front);
    if (all == NULL || all_places == NULL)
        return nvfp4_policy_no_memory(reader);
    r->conditions = all;
    marks->conditions = all_places;
    r->condition_count = (uint8_t)(r->condition_count + count);
    return NVFP4_OK;
}

static nvfp4_status read_conditions(const struct policy_reader *reader, const nvfp4_node *list,
                                    int row)
{
    struct nvfp4_condition conditions[POLICY_RULES];
    struct policy_place places[POLICY_RULES];
    size_t count = 0;
    if (list->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_policy_must_be(reader, list, "a list of conditions");
    if (list->count > POLICY_RULES)
        return too_many(reader, list);
    for (const nvfp4_node *n = list->first; n != NULL; n = n->next, count++) {
        const nvfp4_status status = nvfp4_policy_read_condition(reader, n, &conditions[count]);
        if (status != NVFP4_OK)
            return status;
        places[count] = place_of(n);
    }
    return nvfp4_policy_add_conditions(reader, row, conditions, places, count, 0, list);
}

/* Added clamp rules come first, for the first that matches counts. */
static nvfp4_status read_clamp(const struct policy_reader *reader, const nvfp4_node *list, int row,
                               enum mode mode)
{
    struct nvfp4_clamp_rule rules[POLICY_RULES];
    struct policy_place places[POLICY_RULES];
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    size_t count = 0;
    if (list->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_policy_must_be(reader, list, "a list of clamp rules");
    if (mode == SET)
        r->clamp_count = 0;
    if (list->count + r->clamp_count > POLICY_RULES)
        return too_many(reader, list);
    for (const nvfp4_node *n = list->first; n != NULL; n = n->next, count++) {
        const nvfp4_status status = nvfp4_policy_read_clamp_rule(reader, n, &rules[count]);
        if (status != NVFP4_OK)
            return status;
        places[count] = place_of(n);
    }
    const struct nvfp4_clamp_rule *const all =
        join(reader->arena, sizeof *all, r->clamp, r->clamp_count, rules, count, 1);
    const struct policy_place *const all_places =
        join(reader->arena, sizeof *all_places, marks->clamp, r->clamp_count, places, count, 1);
    if (all == NULL || all_places == NULL)
        return nvfp4_policy_no_memory(reader);
    r->clamp = all;
    marks->clamp = all_places;
    r->clamp_count = (uint8_t)(r->clamp_count + count);
    return NVFP4_OK;
}

/* A condition that only says: there must be this library, from this version on. */
static int is_plain_need(const struct nvfp4_condition *c, int library)
{
    return c->kind == CONDITION_LIBRARY && c->library == library && c->until == 0 && c->since == 0 &&
           c->reason == NVFP4_REASON_DEPENDENCY && c->when.device == DEVICE_ANY &&
           c->when.values == ANY_VALUE && c->when.with == 0 && c->when.without == 0 &&
           c->when.not_custom == 0;
}

/* Takes out what the row has needed of a library so far. */
static nvfp4_status forget_need(const struct policy_reader *reader, int row, int library)
{
    struct nvfp4_condition kept[POLICY_RULES];
    struct policy_place places[POLICY_RULES];
    struct nvfp4_row *const r = &reader->draft->rows[row];
    const struct policy_marks *const marks = &reader->draft->marks[row];
    size_t count = 0;
    for (int i = 0; i < r->condition_count; i++) {
        if (is_plain_need(&r->conditions[i], library))
            continue;
        places[count] = marks->conditions != NULL ? marks->conditions[i] : (struct policy_place){ 0, 0 };
        kept[count++] = r->conditions[i];
    }
    if (count == r->condition_count)
        return NVFP4_OK;
    r->condition_count = 0;
    return nvfp4_policy_add_conditions(reader, row, kept, places, count, 0, NULL);
}

/* needs: {flashinfer: 0.6.16, cuda: any, b12x: null} */
static nvfp4_status read_needs(const struct policy_reader *reader, const nvfp4_node *node, int row)
{
    struct nvfp4_condition needs[NVFP4_LIBRARY_COUNT];
    struct policy_place places[NVFP4_LIBRARY_COUNT];
    size_t count = 0;
    nvfp4_status status = NVFP4_OK;
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_policy_must_be(reader, node, "a mapping, as in {flashinfer: 0.6.16, cuda: any}");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        uint8_t library = NVFP4_LIBRARY_COUNT;
        nvfp4_library_version version = 0;
        status = nvfp4_policy_read_library(reader, n, n->key, &library);
        if (status != NVFP4_OK || library == NVFP4_LIBRARY_COUNT)
            continue;
        status = forget_need(reader, row, library);
        if (status != NVFP4_OK || n->kind == NVFP4_NODE_NULL)
            continue;
        if (!nvfp4_node_is(n, "any"))
            status = nvfp4_policy_read_version(reader, n, &version);
        places[count] = place_of(n);
        needs[count++] = (struct nvfp4_condition){
            .when = { .device = DEVICE_ANY, .values = ANY_VALUE },
            .kind = CONDITION_LIBRARY,
            .reason = NVFP4_REASON_DEPENDENCY,
            .library = library,
            .number = version,
        };
    }
    return status == NVFP4_OK
               ? nvfp4_policy_add_conditions(reader, row, needs, places, count, 1, node)
               : status;
}

static nvfp4_status read_rules(const struct policy_reader *reader, const nvfp4_node *mapping, int row,
                               enum mode mode)
{
    const nvfp4_node *const conditions = nvfp4_node_get(mapping, "conditions");
    const nvfp4_node *const clamp = nvfp4_node_get(mapping, "clamp");
    const nvfp4_node *const needs = nvfp4_node_get(mapping, "needs");
    nvfp4_status status = NVFP4_OK;
    if (conditions != NULL && mode == SET)
        reader->draft->rows[row].condition_count = 0;
    if (needs != NULL && mode == SET)
        status = read_needs(reader, needs, row);
    if (status == NVFP4_OK && conditions != NULL)
        status = read_conditions(reader, conditions, row);
    if (status == NVFP4_OK && clamp != NULL)
        status = read_clamp(reader, clamp, row, mode);
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
        int word = row->halves;
        status = nvfp4_policy_read_word(reader, order, "halves", halves, &word);
        row->halves = (uint8_t)word;
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
        if (!(draft->rows[row].values & nvfp4_policy_column_all(&nvfp4_policy_columns[i])) && !literal)
            draft->marks[row].emptied = 1;
    }
}

static nvfp4_status fill_row(const struct policy_reader *reader, const nvfp4_node *mapping, int row)
{
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    const nvfp4_node *const add = nvfp4_node_get(mapping, "add");
    const nvfp4_node *const remove = nvfp4_node_get(mapping, "remove");
    marks->row = place_of(mapping);
    marks->has_source = nvfp4_node_get(mapping, "source") != NULL;
    nvfp4_status status = read_columns(reader, mapping, r, SET);
    if (status == NVFP4_OK)
        status = read_abilities(reader, mapping, r, SET);
    if (status == NVFP4_OK)
        status = read_single(reader, mapping, r);
    if (status == NVFP4_OK)
        status = read_rules(reader, mapping, row, SET);
    if (status == NVFP4_OK && add != NULL) {
        status = nvfp4_policy_check_keys(reader, add, "'add'", add_keys, 1);
        if (status == NVFP4_OK)
            status = read_columns(reader, add, r, ADD);
        if (status == NVFP4_OK)
            status = read_abilities(reader, add, r, ADD);
        if (status == NVFP4_OK)
            status = read_rules(reader, add, row, ADD);
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
        return nvfp4_backend_from_name(name);
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
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
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
    struct nvfp4_row r = { .kernel = "" };
    for (int i = 0; i < POLICY_COLUMNS; i++) {
        const struct policy_column *const column = &nvfp4_policy_columns[i];
        if (column->initial != NULL)
            r.values |= strcmp(column->initial, "any") == 0 ? nvfp4_policy_column_all(column)
                                                            : STANDARD;
    }
    for (int i = 0; i < POLICY_FLAGS; i++)
        r.cannot |= nvfp4_policy_flags[i].assumed ? nvfp4_policy_flags[i].flag : 0;
    r.cannot |= draft->policy.clamp_by_set ? FLAG_LIMIT : 0;
    status = read_identity(reader, name, &r);
    *row = draft->policy.row_count++;
    draft->rows[*row] = r;
    draft->marks[*row] = (struct policy_marks){ { 0, 0 }, NULL, NULL, 0, 0 };
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
