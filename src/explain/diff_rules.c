/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy's rows as boxes of questions that they rule out. What a row's sets say is read off by
 * holding each value's bits against them; whether a condition, a clamp rule or an erratum holds for
 * a value is asked from the code that decides (core/accept.h, core/clamp.h), on a question that
 * differs from the usual one in that value.
 */
#include "explain/diff_rules.h"

#include <string.h>

#include "core/accept.h"
#include "core/clamp.h"

/* Everything is walked twice: first to see what is told apart, then to build. */
struct walk {
    const struct diff_space *space;
    struct graph *graph;
    int policy;
    int refining;
    graph_ref ruled_out; /* where the row at hand is ruled out */
    nvfp4_status status;
};

static void full_box(const struct diff_space *space, struct diff_box *box)
{
    for (int dim = 0; dim < DIMS; dim++)
        box->set[dim] = DIM_SET_ALL(space, dim);
}

static graph_ref box_function(struct walk *w, const struct diff_box *box, graph_ref inside)
{
    struct diff_box classes;
    if (w->refining) {
        for (int dim = 0; dim < DIMS; dim++)
            if (box->set[dim] != DIM_SET_ALL(w->space, dim))
                nvfp4_graph_refine(w->graph, w->space, dim, box->set[dim]);
        return 0;
    }
    nvfp4_graph_classes_of(w->graph, box, &classes);
    return nvfp4_graph_box(w->graph, &classes, inside);
}

static int is_empty(const struct diff_box *box)
{
    for (int dim = 0; dim < DIMS; dim++)
        if (box->set[dim] == 0)
            return 1;
    return 0;
}

static void rule_out(struct walk *w, const struct diff_box *box)
{
    if (!is_empty(box))
        w->ruled_out = nvfp4_graph_apply(w->graph, GRAPH_OR, w->ruled_out, box_function(w, box, 1));
}

/* The usual question with up to two dimensions at other values. */
static int ask(struct walk *w, int dim, int value, int dim2, int value2,
               struct diff_request *request, struct question *q)
{
    struct diff_point point = { { 0 } };
    point.value[dim] = (uint8_t)value;
    if (dim2 >= 0)
        point.value[dim2] = (uint8_t)value2;
    nvfp4_diff_request_of(w->space, &point, request);
    const nvfp4_status status = nvfp4_diff_ask(w->space, w->policy, request, q);
    if (status != NVFP4_OK)
        w->status = status;
    return status == NVFP4_OK;
}

/* The questions that a `when` matches. */
static void when_box(const struct walk *w, const struct nvfp4_when *when, struct diff_box *box)
{
    full_box(w->space, box);
    for (int dim = 0; dim < DIMS; dim++)
        for (int v = 0; v < w->space->count[dim]; v++) {
            const struct diff_bits *b = &w->space->bits[w->policy][dim][v];
            if ((b->device & ~when->device) | (b->values & ~when->values) |
                (b->flags & when->without) | (b->custom & when->not_custom))
                box->set[dim] &= ~((uint64_t)1 << v);
        }
    /* A flag that must be set: only the values that set it, in the dimension that owns it. */
    for (int dim = 0; dim < DIMS && when->with != 0; dim++) {
        uint32_t owned = 0;
        for (int v = 0; v < w->space->count[dim]; v++)
            owned |= w->space->bits[w->policy][dim][v].flags;
        for (int v = 0; v < w->space->count[dim]; v++)
            if (when->with & owned & ~w->space->bits[w->policy][dim][v].flags)
                box->set[dim] &= ~((uint64_t)1 << v);
    }
}

/* ---- the row's own sets ---- */

static void walk_columns(struct walk *w, const struct nvfp4_row *row)
{
    for (int dim = 0; dim < DIMS; dim++) {
        struct diff_box box;
        full_box(w->space, &box);
        for (int v = 0; v < w->space->count[dim]; v++) {
            const struct diff_bits *b = &w->space->bits[w->policy][dim][v];
            if (!((b->device & ~row->device) | (b->values & ~row->values) |
                  (b->flags & row->cannot) | (b->custom & row->not_custom)))
                box.set[dim] &= ~((uint64_t)1 << v);
        }
        rule_out(w, &box);
    }
}

/* Parallel values whose tokens arrive in batched (1) or standard (0) format. */
static uint64_t format_set(const struct walk *w, int batched)
{
    uint64_t set = 0;
    for (int v = 0; v < w->space->count[DIM_PARALLEL]; v++)
        if (((w->space->bits[w->policy][DIM_PARALLEL][v].values & BATCHED) != 0) == batched)
            set |= (uint64_t)1 << v;
    return set;
}

/* Words that a request under this policy cannot say. */
static uint64_t unknown_words(const struct walk *w, int dim)
{
    uint64_t set = 0;
    for (int v = 1; v < w->space->count[dim]; v++) {
        struct diff_point point = { { 0 } };
        struct diff_request request;
        struct question q;
        point.value[dim] = (uint8_t)v;
        nvfp4_diff_request_of(w->space, &point, &request);
        if (nvfp4_diff_ask(w->space, w->policy, &request, &q) != NVFP4_OK)
            set |= (uint64_t)1 << v;
    }
    return set;
}

/* A backend asked for by name rules out all others; an opt-in one is ruled out where none is. */
static void walk_asked(struct walk *w, const struct nvfp4_row *row, uint64_t unknown)
{
    for (int batched = 0; batched < 2; batched++) {
        struct diff_box box;
        full_box(w->space, &box);
        box.set[DIM_PARALLEL] = format_set(w, batched);
        box.set[DIM_ASKED] = row->opt_in ? 1 : 0;
        const int example = batched; /* without expert parallelism, in that format */
        for (int v = 1; v < w->space->count[DIM_ASKED]; v++) {
            struct diff_request request;
            struct question q;
            if (!(unknown >> v & 1) && ask(w, DIM_ASKED, v, DIM_PARALLEL, example, &request, &q) &&
                q.requested != row->backend)
                box.set[DIM_ASKED] |= (uint64_t)1 << v;
        }
        rule_out(w, &box);
    }
}

/* ---- conditions ---- */

/* The dimension of a condition's own comparison; -1: the match alone rules out; -2: it never does.
 */
static int compared_dim(const struct nvfp4_condition *c)
{
    switch (c->kind) {
    case CONDITION_RULES_OUT:
        return -1;
    case CONDITION_LIBRARY:
        return DIM_FLASHINFER + c->library;
    case CONDITION_ROWS_MULTIPLE:
    case CONDITION_WIDTH_MULTIPLE:
        return DIM_WIDTH;
    case CONDITION_EXPERTS_BELOW:
        return DIM_EXPERTS;
    case CONDITION_TOP_K_AT_MOST:
        return DIM_TOP_K;
    case CONDITION_SITU_BETAS:
        return DIM_SITU;
    default:
        return -2;
    }
}

static void walk_condition(struct walk *w, const struct nvfp4_condition *c)
{
    const int dim = compared_dim(c);
    struct diff_box matched, box;
    struct diff_request request;
    struct question q;
    if (dim == -2)
        return;
    when_box(w, &c->when, &matched);
    const int bound = DIM_FLASHINFER + c->library;
    for (int v = 0; (c->until | c->since) != 0 && v < w->space->count[bound]; v++)
        if (ask(w, bound, v, -1, 0, &request, &q) &&
            ((c->until != 0 && !question_older(&q, c->library, c->until)) ||
             (c->since != 0 && question_older(&q, c->library, c->since))))
            matched.set[bound] &= ~((uint64_t)1 << v);
    if (dim == -1) {
        rule_out(w, &matched);
        return;
    }
    /* What is compared may depend on gating: a gated layer has two FC1 rows for each of its width.
     */
    for (int plain = 0; plain < 2; plain++) {
        box = matched;
        for (int a = 0; a < w->space->count[DIM_ACTIVATION]; a++)
            if (((w->space->bits[w->policy][DIM_ACTIVATION][a].flags & FLAG_NON_GATED) != 0) !=
                plain)
                box.set[DIM_ACTIVATION] &= ~((uint64_t)1 << a);
        if (is_empty(&box))
            continue;
        const int example = first_bit(box.set[DIM_ACTIVATION]);
        for (int v = 0; v < w->space->count[dim]; v++)
            if (ask(w, DIM_ACTIVATION, example, dim, v, &request, &q) &&
                nvfp4_condition_check(&q, c) != CONDITION_FAILS)
                box.set[dim] &= ~((uint64_t)1 << v);
        rule_out(w, &box);
    }
}

/* ---- clamp rules ---- */

/* Where the rule is the one that counts, as far as it says so itself. */
static void clamp_region(struct walk *w, const struct nvfp4_clamp_rule *rule, struct diff_box *box)
{
    struct diff_request request;
    struct question q;
    const int dim = DIM_FLASHINFER + rule->library;
    when_box(w, &rule->when, box);
    for (int v = 0; rule->since != 0 && v < w->space->count[dim]; v++)
        if (ask(w, dim, v, -1, 0, &request, &q) && question_older(&q, rule->library, rule->since))
            box->set[dim] &= ~((uint64_t)1 << v);
}

/* Where a rule that counts makes the kernel compute something else than asked. */
static graph_ref clamp_failures(struct walk *w, const struct nvfp4_clamp_rule *rule,
                                const struct diff_box *region)
{
    struct diff_request request;
    struct question q;
    struct diff_box box = *region;
    for (int v = 0; v < w->space->count[DIM_LIMIT]; v++)
        if (ask(w, DIM_LIMIT, v, -1, 0, &request, &q) && !nvfp4_clamp_fails(&q, rule))
            box.set[DIM_LIMIT] &= ~((uint64_t)1 << v);
    graph_ref fails = is_empty(&box) ? 0 : box_function(w, &box, 1);
    for (int a = 0; a < w->space->count[DIM_ACTIVATION]; a++) {
        box = *region;
        box.set[DIM_ACTIVATION] &= (uint64_t)1 << a;
        for (int v = 0; v < w->space->count[DIM_CONSTANTS]; v++)
            if (ask(w, DIM_ACTIVATION, a, DIM_CONSTANTS, v, &request, &q) &&
                !nvfp4_constants_fail(&q, rule))
                box.set[DIM_CONSTANTS] &= ~((uint64_t)1 << v);
        if (!is_empty(&box))
            fails = nvfp4_graph_apply(w->graph, GRAPH_OR, fails, box_function(w, &box, 1));
    }
    return fails;
}

/* The first rule that matches counts, so they are laid over each other from the last on. */
static void walk_clamp(struct walk *w, const struct nvfp4_row *row)
{
    const struct nvfp4_row without_rules = { .clamp_count = 0 };
    struct diff_request request;
    struct question q;
    struct diff_box region;
    if (w->space->policy[w->policy]->clamp_by_set || !ask(w, DIM_DEVICE, 0, -1, 0, &request, &q))
        return;
    full_box(w->space, &region);
    graph_ref fails = clamp_failures(w, nvfp4_clamp_rule(&q, &without_rules), &region);
    for (int i = row->clamp_count - 1; i >= 0; i--) {
        clamp_region(w, &row->clamp[i], &region);
        if (is_empty(&region))
            continue;
        const graph_ref here = clamp_failures(w, &row->clamp[i], &region);
        fails = nvfp4_graph_apply(w->graph, GRAPH_AND_NOT, fails, box_function(w, &region, 1));
        fails = nvfp4_graph_apply(w->graph, GRAPH_OR, fails, here);
    }
    w->ruled_out = nvfp4_graph_apply(w->graph, GRAPH_OR, w->ruled_out, fails);
}

/* ---- errata ---- */

/* Does it hold for the point? */
static int erratum_at(struct walk *w, int index, const struct diff_point *point)
{
    struct diff_request request;
    struct question q;
    nvfp4_diff_request_of(w->space, point, &request);
    return nvfp4_diff_ask(w->space, w->policy, &request, &q) == NVFP4_OK &&
           nvfp4_erratum_holds(&q, index);
}

/* An erratum compares each dimension for itself, so from one point where it holds each is tried. */
static void walk_erratum(struct walk *w, int index)
{
    const struct nvfp4_erratum *e = &w->space->policy[w->policy]->errata[index];
    const int library = e->library == LIBRARY_NONE ? NVFP4_LIBRARY_FLASHINFER : e->library;
    const int dims[] = { DIM_FLASHINFER + library, DIM_WIDTH, DIM_EXPERTS, DIM_HIDDEN, DIM_TOP_K };
    const int64_t exact[] = { 0, e->width, e->experts, e->hidden, e->top_k };
    struct diff_box box;
    struct diff_point point;
    when_box(w, &e->when, &box);
    if (is_empty(&box))
        return;
    for (int dim = 0; dim < DIMS; dim++)
        point.value[dim] = (uint8_t)first_bit(box.set[dim]);
    for (size_t i = 1; i < COUNT_OF(dims); i++)
        for (int v = 0; exact[i] != 0 && v < w->space->count[dims[i]]; v++)
            if (w->space->size[dims[i] - DIM_WIDTH][v] == exact[i])
                point.value[dims[i]] = (uint8_t)v;
    uint8_t *version = &point.value[dims[0]];
    while (*version < w->space->count[dims[0]] && !erratum_at(w, index, &point))
        ++*version;
    if (*version == w->space->count[dims[0]])
        return; /* no version has it */
    for (size_t i = 0; i < COUNT_OF(dims); i++)
        for (int v = 0; v < w->space->count[dims[i]]; v++) {
            struct diff_point other = point;
            other.value[dims[i]] = (uint8_t)v;
            if (!erratum_at(w, index, &other))
                box.set[dims[i]] &= ~((uint64_t)1 << v);
        }
    rule_out(w, &box);
}

/* ---- the whole ---- */

static void walk_row(struct walk *w, int index, uint64_t unknown)
{
    const nvfp4_policy *policy = w->space->policy[w->policy];
    const struct nvfp4_row *row = &policy->rows[index];
    w->ruled_out = 0;
    walk_columns(w, row);
    walk_asked(w, row, unknown);
    for (int i = 0; i < row->condition_count; i++)
        walk_condition(w, &row->conditions[i]);
    walk_clamp(w, row);
    for (int i = 0; i < policy->erratum_count; i++)
        if (policy->errata[i].kernels >> index & 1)
            walk_erratum(w, i);
}

void nvfp4_diff_outcomes_begin(struct diff_outcomes *outcomes, int kernels)
{
    memset(outcomes, 0, sizeof *outcomes);
    outcomes->kernels = kernels;
    outcomes->count = OUTCOME_FIRST;
    outcomes->name[OUTCOME_NO_BACKEND].backend = "no backend";
    outcomes->name[OUTCOME_REFUSED].backend = "refused";
    outcomes->name[OUTCOME_UNKNOWN].backend = "unknown name";
    for (int i = 0; i < OUTCOME_FIRST; i++)
        outcomes->name[i].kernel = "";
}

static int outcome_of(struct diff_outcomes *outcomes, const nvfp4_policy *policy, int row)
{
    const char *backend =
        nvfp4_policy_backend_name(policy, (nvfp4_backend)policy->rows[row].backend);
    const char *kernel = outcomes->kernels ? policy->rows[row].kernel : "";
    for (int i = OUTCOME_FIRST; i < outcomes->count; i++)
        if (strcmp(outcomes->name[i].backend, backend) == 0 &&
            strcmp(outcomes->name[i].kernel, kernel) == 0)
            return i;
    outcomes->name[outcomes->count].backend = backend;
    outcomes->name[outcomes->count].kernel = kernel;
    return outcomes->count++;
}

nvfp4_status nvfp4_diff_rules_refine(const struct diff_space *space, int policy,
                                     struct graph *graph)
{
    struct walk w = { space, graph, policy, 1, 0, NVFP4_OK };
    const uint64_t unknown = unknown_words(&w, DIM_ASKED);
    nvfp4_graph_refine(graph, space, DIM_ASKED, unknown);
    nvfp4_graph_refine(graph, space, DIM_ASKED, 1);
    for (int dim = DIM_KEY_1; dim <= DIM_KEY_4; dim++)
        nvfp4_graph_refine(graph, space, dim, unknown_words(&w, dim));
    for (int i = 0; i < space->policy[policy]->row_count; i++)
        walk_row(&w, i, unknown);
    return w.status;
}

nvfp4_status nvfp4_diff_rules_build(const struct diff_space *space, int policy, struct graph *graph,
                                    struct diff_outcomes *outcomes, graph_ref *answer)
{
    struct walk w = { space, graph, policy, 0, 0, NVFP4_OK };
    const uint64_t unknown = unknown_words(&w, DIM_ASKED);
    struct diff_box box;
    graph_ref chosen = 0;
    for (int dim = 0; dim < DIMS; dim++)
        if (dim == DIM_ASKED || IS_KEY(dim)) {
            full_box(space, &box);
            box.set[dim] = unknown_words(&w, dim);
            if (!is_empty(&box))
                chosen = nvfp4_graph_apply(graph, GRAPH_OR, chosen,
                                           box_function(&w, &box, OUTCOME_UNKNOWN));
        }
    full_box(space, &box);
    for (int i = 0; i < space->policy[policy]->row_count; i++) {
        walk_row(&w, i, unknown);
        const graph_ref outcome = (graph_ref)outcome_of(outcomes, space->policy[policy], i);
        chosen = nvfp4_graph_apply(graph, GRAPH_OR, chosen,
                                   nvfp4_graph_apply(graph, GRAPH_AND_NOT, outcome, w.ruled_out));
    }
    box.set[DIM_ASKED] = 1;
    chosen = nvfp4_graph_apply(graph, GRAPH_OR, chosen, box_function(&w, &box, OUTCOME_NO_BACKEND));
    *answer = nvfp4_graph_apply(graph, GRAPH_OR, chosen, OUTCOME_REFUSED);
    return graph->full ? NVFP4_ENOMEM : w.status;
}
