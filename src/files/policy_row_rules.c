/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of rules that a kernel has: what it needs, its conditions, its clamp rules. */
#include "files/policy_reader.h"

#include <string.h>

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
    return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT,
                             "a kernel has more than %d rules of a kind", POLICY_RULES);
}

nvfp4_status nvfp4_policy_add_conditions(const struct policy_reader *reader, int row,
                                         const struct nvfp4_condition *conditions,
                                         const struct policy_place *places, size_t count, int front,
                                         const nvfp4_node *node)
{
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    if (r->condition_count + count > POLICY_RULES)
        return too_many(reader, node);
    const struct nvfp4_condition *const all = join(reader->arena, sizeof *all, r->conditions,
                                                   r->condition_count, conditions, count, front);
    const struct policy_place *const all_places =
        join(reader->arena, sizeof *all_places, marks->conditions, r->condition_count, places,
             count, front);
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
                               int added)
{
    struct nvfp4_clamp_rule rules[POLICY_RULES];
    struct policy_place places[POLICY_RULES];
    struct nvfp4_row *const r = &reader->draft->rows[row];
    struct policy_marks *const marks = &reader->draft->marks[row];
    size_t count = 0;
    if (list->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_policy_must_be(reader, list, "a list of clamp rules");
    if (!added)
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
    return c->kind == CONDITION_LIBRARY && c->library == library && c->until == 0 &&
           c->since == 0 && c->reason == NVFP4_REASON_DEPENDENCY && c->when.device == DEVICE_ANY &&
           c->when.values == ANY_VALUE && c->when.with == 0 && c->when.without == 0 &&
           c->when.not_custom == 0;
}

nvfp4_status nvfp4_policy_forget_conditions(const struct policy_reader *reader, int row,
                                            int (*is_meant)(const struct nvfp4_condition *, int),
                                            int argument)
{
    struct nvfp4_condition kept[POLICY_RULES];
    struct policy_place places[POLICY_RULES];
    struct nvfp4_row *const r = &reader->draft->rows[row];
    const struct policy_marks *const marks = &reader->draft->marks[row];
    size_t count = 0;
    for (int i = 0; i < r->condition_count; i++) {
        if (is_meant(&r->conditions[i], argument))
            continue;
        places[count] =
            marks->conditions != NULL ? marks->conditions[i] : (struct policy_place){ 0, 0 };
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
        return nvfp4_policy_must_be(reader, node,
                                    "a mapping, as in {flashinfer: 0.6.16, cuda: any}");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        uint8_t library = NVFP4_LIBRARY_COUNT;
        nvfp4_library_version version = 0;
        status = nvfp4_policy_read_library(reader, n, n->key, &library);
        if (status != NVFP4_OK || library == NVFP4_LIBRARY_COUNT)
            continue;
        status = nvfp4_policy_forget_conditions(reader, row, is_plain_need, library);
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

nvfp4_status nvfp4_policy_read_row_rules(const struct policy_reader *reader,
                                         const nvfp4_node *mapping, int row, int added)
{
    const nvfp4_node *const conditions = nvfp4_node_get(mapping, "conditions");
    const nvfp4_node *const clamp = nvfp4_node_get(mapping, "clamp");
    const nvfp4_node *const needs = nvfp4_node_get(mapping, "needs");
    nvfp4_status status = NVFP4_OK;
    if (conditions != NULL && !added)
        reader->draft->rows[row].condition_count = 0;
    if (needs != NULL && !added)
        status = read_needs(reader, needs, row);
    if (status == NVFP4_OK && conditions != NULL)
        status = read_conditions(reader, conditions, row);
    if (status == NVFP4_OK && clamp != NULL)
        status = read_clamp(reader, clamp, row, added);
    return status;
}
