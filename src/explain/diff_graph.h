/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_DIFF_GRAPH_H
#define NVFP4_EXPLAIN_DIFF_GRAPH_H

/*
 * Functions from points to small numbers, as decision graphs: a node asks one dimension and has a
 * child for each class of values. Equal functions are equal references, so "no difference here" is
 * one comparison. The nodes live in an array of the caller's and are never freed.
 */

#include "explain/diff_space.h"

/* A function: below GRAPH_CONSTANTS the constant itself, else the place of its first node. */
typedef uint32_t graph_ref;
enum { GRAPH_CONSTANTS = 1 << 16 };

enum graph_op {
    GRAPH_AND,     /* g where f is not 0, else 0 */
    GRAPH_AND_NOT, /* f where g is 0, else 0 */
    GRAPH_OR,      /* f where it is not 0, else g */
    GRAPH_PAIR     /* 0 where f and g are equal, else 1 + f * GRAPH_OUTCOMES + g */
};
enum { GRAPH_OUTCOMES = 200 };

struct graph_memo {
    graph_ref f, g, result;
    uint32_t op; /* 1 + enum graph_op; 0: empty */
};

enum { GRAPH_TABLE = 1 << 20, GRAPH_MEMO = 1 << 16 };

struct graph {
    int classes[DIMS]; /* children of a node of the dimension */
    uint8_t class_of[DIMS][VALUES_MAX];
    uint64_t members[DIMS][VALUES_MAX]; /* values of a class */
    graph_ref table[GRAPH_TABLE];       /* nodes by content; 0: empty */
    struct graph_memo memo[GRAPH_MEMO];
    uint32_t *pool; /* a node: dimension, mark of the last visit, children */
    uint32_t used, capacity, nodes, visit;
    int full; /* memory ran out: results mean nothing any more */
};

/* Begins with every dimension one class; the pool is `capacity` words. */
void nvfp4_graph_begin(struct graph *graph, const struct diff_space *space, uint32_t *pool,
                       uint32_t capacity);

/* Tells the values inside a set apart from those outside. To be done before the first function. */
void nvfp4_graph_refine(struct graph *graph, const struct diff_space *space, int dim, uint64_t set);

/* Rounds a set of values to the classes; the box of their numbers. */
void nvfp4_graph_classes_of(const struct graph *graph, const struct diff_box *values,
                            struct diff_box *classes);
void nvfp4_graph_values_of(const struct graph *graph, const struct diff_box *classes,
                           struct diff_box *values);

/* `inside` within a box of classes, 0 outside. */
graph_ref nvfp4_graph_box(struct graph *graph, const struct diff_box *classes, graph_ref inside);

graph_ref nvfp4_graph_apply(struct graph *graph, enum graph_op op, graph_ref f, graph_ref g);

/* The first point, by class, where the function is not 0, and what it is there; 0: nowhere. */
graph_ref nvfp4_graph_first(const struct graph *graph, graph_ref f, struct diff_point *classes);

/* Is the function this constant all over the box? */
int nvfp4_graph_is(struct graph *graph, graph_ref f, const struct diff_box *classes,
                   graph_ref constant);

/* Is it so anywhere in the box? */
int nvfp4_graph_has(struct graph *graph, graph_ref f, const struct diff_box *classes,
                    graph_ref constant);

/* What the function is at a point. */
graph_ref nvfp4_graph_at(const struct graph *graph, graph_ref f, const struct diff_point *classes);

#endif
