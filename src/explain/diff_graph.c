/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff_graph.h"

#include <string.h>

enum { NODE_DIM, NODE_VISIT, NODE_CHILDREN };

void nvfp4_graph_begin(struct graph *graph, const struct diff_space *space, uint32_t *pool,
                       uint32_t capacity)
{
    memset(graph, 0, sizeof *graph);
    for (int dim = 0; dim < DIMS; dim++) {
        graph->classes[dim] = 1;
        graph->members[dim][0] = DIM_SET_ALL(space, dim);
    }
    graph->pool = pool;
    graph->capacity = capacity;
    graph->used =
        GRAPH_CONSTANTS; /* so that no place is a constant; the words before it are waste */
    if (capacity < GRAPH_CONSTANTS)
        graph->full = 1;
}

void nvfp4_graph_refine(struct graph *graph, const struct diff_space *space, int dim, uint64_t set)
{
    const int before = graph->classes[dim];
    for (int c = 0; c < before; c++) {
        const uint64_t in = graph->members[dim][c] & set, out = graph->members[dim][c] & ~set;
        if (in == 0 || out == 0)
            continue;
        /* The class keeps the lower values, so that the usual one of each key stays in class 0. */
        const int low_in = (in & (~in + 1)) < (out & (~out + 1));
        graph->members[dim][c] = low_in ? in : out;
        graph->members[dim][graph->classes[dim]++] = low_in ? out : in;
    }
    for (int c = 0; c < graph->classes[dim]; c++)
        for (int v = 0; v < space->count[dim]; v++)
            if (graph->members[dim][c] >> v & 1)
                graph->class_of[dim][v] = (uint8_t)c;
}

void nvfp4_graph_classes_of(const struct graph *graph, const struct diff_box *values,
                            struct diff_box *classes)
{
    for (int dim = 0; dim < DIMS; dim++) {
        uint64_t set = 0;
        for (int c = 0; c < graph->classes[dim]; c++)
            if (graph->members[dim][c] & values->set[dim])
                set |= (uint64_t)1 << c;
        classes->set[dim] = set;
    }
}

void nvfp4_graph_values_of(const struct graph *graph, const struct diff_box *classes,
                           struct diff_box *values)
{
    for (int dim = 0; dim < DIMS; dim++) {
        uint64_t set = 0;
        for (int c = 0; c < graph->classes[dim]; c++)
            if (classes->set[dim] >> c & 1)
                set |= graph->members[dim][c];
        values->set[dim] = set;
    }
}

static int dim_of(const struct graph *graph, graph_ref f)
{
    return f < GRAPH_CONSTANTS ? DIMS : (int)graph->pool[f + NODE_DIM];
}

static const graph_ref *children_of(const struct graph *graph, graph_ref f)
{
    return &graph->pool[f + NODE_CHILDREN];
}

static uint32_t hash_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 13;
}

/* The one node with these children; a child itself where they are all alike. */
static graph_ref make_node(struct graph *graph, int dim, const graph_ref *children)
{
    const uint32_t n = (uint32_t)graph->classes[dim];
    uint32_t same = 1, h = (uint32_t)dim;
    for (uint32_t i = 1; i < n; i++)
        same &= children[i] == children[0];
    if (same)
        return children[0];
    for (uint32_t i = 0; i < n; i++)
        h = hash_of(h, children[i], i);
    for (uint32_t at = h % GRAPH_TABLE;; at = (at + 1) % GRAPH_TABLE) {
        const graph_ref f = graph->table[at];
        if (f == 0) {
            if (graph->used + NODE_CHILDREN + n > graph->capacity ||
                graph->nodes >= GRAPH_TABLE / 4 * 3) {
                graph->full = 1;
                return 0;
            }
            graph->table[at] = graph->used;
            graph->pool[graph->used + NODE_DIM] = (uint32_t)dim;
            graph->pool[graph->used + NODE_VISIT] = 0;
            memcpy(&graph->pool[graph->used + NODE_CHILDREN], children, n * sizeof *children);
            graph->used += NODE_CHILDREN + n;
            graph->nodes++;
            return graph->table[at];
        }
        if (dim_of(graph, f) == dim &&
            memcmp(children_of(graph, f), children, n * sizeof *children) == 0)
            return f;
    }
}

graph_ref nvfp4_graph_box(struct graph *graph, const struct diff_box *classes, graph_ref inside)
{
    graph_ref children[VALUES_MAX], f = inside;
    for (int dim = DIMS - 1; dim >= 0; dim--) {
        for (int c = 0; c < graph->classes[dim]; c++)
            children[c] = classes->set[dim] >> c & 1 ? f : 0;
        f = make_node(graph, dim, children);
    }
    return f;
}

/* The result where it does not depend on what the nodes say; -1: it does. */
static int64_t settled(enum graph_op op, graph_ref f, graph_ref g)
{
    switch (op) {
    case GRAPH_AND:
        return f == 0 || g == 0 ? 0 : f < GRAPH_CONSTANTS ? (int64_t)g : -1;
    case GRAPH_AND_NOT:
        return f == 0 || (g != 0 && g < GRAPH_CONSTANTS) ? 0 : g == 0 ? (int64_t)f : -1;
    case GRAPH_OR:
        return f == 0 ? (int64_t)g : f < GRAPH_CONSTANTS || g == 0 ? (int64_t)f : -1;
    default:
        return f == g ? 0
               : f < GRAPH_CONSTANTS && g < GRAPH_CONSTANTS
                   ? (int64_t)f * GRAPH_OUTCOMES + (int64_t)g + 1
                   : -1;
    }
}

graph_ref nvfp4_graph_apply(struct graph *graph, enum graph_op op, graph_ref f, graph_ref g)
{
    const int64_t now = settled(op, f, g);
    if (now >= 0 || graph->full)
        return now >= 0 ? (graph_ref)now : 0;
    struct graph_memo *memo = &graph->memo[hash_of(f, g, (uint32_t)op) % GRAPH_MEMO];
    if (memo->op == (uint32_t)op + 1 && memo->f == f && memo->g == g)
        return memo->result;
    const int df = dim_of(graph, f), dg = dim_of(graph, g), dim = df < dg ? df : dg;
    graph_ref children[VALUES_MAX];
    for (int c = 0; c < graph->classes[dim]; c++)
        children[c] = nvfp4_graph_apply(graph, op, df == dim ? children_of(graph, f)[c] : f,
                                        dg == dim ? children_of(graph, g)[c] : g);
    const graph_ref result = graph->full ? 0 : make_node(graph, dim, children);
    *memo = (struct graph_memo){ f, g, result, (uint32_t)op + 1 };
    return result;
}

graph_ref nvfp4_graph_first(const struct graph *graph, graph_ref f, struct diff_point *classes)
{
    memset(classes, 0, sizeof *classes);
    while (f >= GRAPH_CONSTANTS) {
        const int dim = dim_of(graph, f);
        int c = 0;
        while (children_of(graph, f)[c] == 0) /* one is not 0: else there would be no node */
            c++;
        classes->value[dim] = (uint8_t)c;
        f = children_of(graph, f)[c];
    }
    return f;
}

graph_ref nvfp4_graph_at(const struct graph *graph, graph_ref f, const struct diff_point *classes)
{
    while (f >= GRAPH_CONSTANTS)
        f = children_of(graph, f)[classes->value[dim_of(graph, f)]];
    return f;
}

/* Is there a point in the box where the function is (`equal` 1) or is not (0) the constant? */
static int search(struct graph *graph, graph_ref f, const struct diff_box *classes,
                  graph_ref constant, int equal)
{
    if (f < GRAPH_CONSTANTS)
        return (f == constant) == equal;
    if (graph->pool[f + NODE_VISIT] == graph->visit)
        return 0; /* seen, and nothing found */
    graph->pool[f + NODE_VISIT] = graph->visit;
    const int dim = dim_of(graph, f);
    for (int c = 0; c < graph->classes[dim]; c++)
        if (classes->set[dim] >> c & 1 &&
            search(graph, children_of(graph, f)[c], classes, constant, equal))
            return 1;
    return 0;
}

int nvfp4_graph_is(struct graph *graph, graph_ref f, const struct diff_box *classes,
                   graph_ref constant)
{
    graph->visit++;
    return !search(graph, f, classes, constant, 0);
}

int nvfp4_graph_has(struct graph *graph, graph_ref f, const struct diff_box *classes,
                    graph_ref constant)
{
    graph->visit++;
    return search(graph, f, classes, constant, 1);
}
