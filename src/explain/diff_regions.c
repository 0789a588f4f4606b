/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff.h"

/*
 * Keys from what a person asks about least to what one thinks in. Regions around usual questions
 * are widened from the end, so that they are few and told in those keys; the others from the
 * beginning, so that they are few in all.
 */
static const uint8_t rare_first[DIMS] = { DIM_VLLM,
                                          DIM_CUTLASS_DSL,
                                          DIM_CUDA,
                                          DIM_HUMMING,
                                          DIM_B12X,
                                          DIM_FLASHINFER,
                                          DIM_SITU,
                                          DIM_TOP_K,
                                          DIM_HIDDEN,
                                          DIM_EXPERTS,
                                          DIM_WIDTH,
                                          DIM_PER_TOKEN_SCALE,
                                          DIM_ROUTER_WEIGHT_ON_INPUT,
                                          DIM_BIAS,
                                          DIM_HUMMING_GEMM,
                                          DIM_KEY_4,
                                          DIM_KEY_3,
                                          DIM_KEY_2,
                                          DIM_KEY_1,
                                          DIM_ROUTER_DTYPE,
                                          DIM_ROUTING,
                                          DIM_DTYPE,
                                          DIM_EPLB,
                                          DIM_LORA,
                                          DIM_BATCH_INVARIANT,
                                          DIM_CONSTANTS,
                                          DIM_PARALLEL,
                                          DIM_LIMIT,
                                          DIM_SCHEME,
                                          DIM_ACTIVATION,
                                          DIM_ASKED,
                                          DIM_DEVICE };

static uint64_t all_classes(const struct graph *graph, int dim)
{
    return graph->classes[dim] >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << graph->classes[dim]) - 1;
}

/* Does a request say this key only on rare occasions? */
static int is_rare(int dim)
{
    return dim >= DIM_CONSTANTS;
}

/* Adds classes of one dimension to a box as far as the change stays the same all over it. */
static void widen_dim(struct nvfp4_diff *diff, struct diff_box *box, graph_ref change, int dim)
{
    struct graph *graph = &diff->graph;
    const uint64_t before = box->set[dim], all = all_classes(graph, dim);
    box->set[dim] = all;
    if (before == all || nvfp4_graph_is(graph, diff->difference, box, change))
        return;
    box->set[dim] = before;
    for (int c = 0; c < graph->classes[dim]; c++) {
        const uint64_t bit = (uint64_t)1 << c, now = box->set[dim];
        box->set[dim] |= bit;
        if (!(now & bit) && !nvfp4_graph_is(graph, diff->difference, box, change))
            box->set[dim] = now;
    }
}

/* Widens a box to one that cannot be widened further; which one depends on the order of the keys.
 */
static void widen(struct nvfp4_diff *diff, struct diff_box *box, graph_ref change, int rarity)
{
    for (int i = 0; i < DIMS; i++)
        widen_dim(diff, box, change, rare_first[rarity < 2 ? DIMS - 1 - i : i]);
}

/* The points in which at most so many rare keys are not as usual. */
static graph_ref usual_but(struct graph *graph, int most)
{
    struct diff_box box;
    for (int dim = 0; dim < DIMS; dim++)
        box.set[dim] = all_classes(graph, dim);
    graph_ref within[DIMS + 2] = { 0 }; /* by how many may still come */
    for (int k = 0; k <= most; k++)
        within[k] = 1;
    for (int dim = DIMS - 1; dim >= 0; dim--) {
        if (!is_rare(dim) || graph->classes[dim] == 1)
            continue;
        for (int k = most; k >= 0; k--) {
            box.set[dim] = 1;
            const graph_ref usual =
                nvfp4_graph_apply(graph, GRAPH_AND, nvfp4_graph_box(graph, &box, 1), within[k]);
            box.set[dim] = all_classes(graph, dim) & ~(uint64_t)1;
            const graph_ref other =
                k == 0 ? 0
                       : nvfp4_graph_apply(graph, GRAPH_AND, nvfp4_graph_box(graph, &box, 1),
                                           within[k - 1]);
            within[k] = nvfp4_graph_apply(graph, GRAPH_OR, usual, other);
        }
        box.set[dim] = all_classes(graph, dim);
    }
    return within[most];
}

/* Covers what is left of a part of the difference, most usual questions first. */
static nvfp4_status cover(struct nvfp4_diff *diff, graph_ref left, int rarity)
{
    struct graph *graph = &diff->graph;
    struct diff_point point;
    while (left != 0 && !graph->full) {
        if (diff->count == REGIONS_MAX)
            return NVFP4_ENOMEM;
        const graph_ref change = nvfp4_graph_first(graph, left, &point);
        struct diff_region *r = &diff->regions[diff->count++];
        for (int dim = 0; dim < DIMS; dim++)
            r->classes.set[dim] = (uint64_t)1 << point.value[dim];
        widen(diff, &r->classes, change, rarity);
        r->from = (uint8_t)((change - 1) / GRAPH_OUTCOMES);
        r->to = (uint8_t)((change - 1) % GRAPH_OUTCOMES);
        r->rarity = (uint8_t)rarity;
        left =
            nvfp4_graph_apply(graph, GRAPH_AND_NOT, left, nvfp4_graph_box(graph, &r->classes, 1));
    }
    return graph->full ? NVFP4_ENOMEM : NVFP4_OK;
}

/* Goes before another in the list: the more usual, and what is chosen where nothing is asked for.
 */
static int precedes(const struct diff_region *a, const struct diff_region *b)
{
    const int a_asked = !(a->classes.set[DIM_ASKED] & 1),
              b_asked = !(b->classes.set[DIM_ASKED] & 1);
    return a->rarity != b->rarity ? a->rarity < b->rarity : a_asked < b_asked;
}

/* Puts the regions in order; equal ones stay as they were found. */
static void arrange(struct nvfp4_diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct diff_region r = diff->regions[i];
        int at = i;
        for (; at > 0 && precedes(&r, &diff->regions[at - 1]); at--)
            diff->regions[at] = diff->regions[at - 1];
        diff->regions[at] = r;
    }
    for (int i = 0; i < diff->count; i++)
        nvfp4_graph_values_of(&diff->graph, &diff->regions[i].classes, &diff->regions[i].values);
}

/* Of a rare key that may be as usual a reader is told nothing. */
static int is_told(const struct diff_region *r, int dim)
{
    return !is_rare(dim) || !(r->classes.set[dim] & 1);
}

/* Does what is told of one region, but for the devices, say all that is told of another? */
static int says_all(const struct diff_region *of, const struct diff_region *other)
{
    if (of->from != other->from || of->to != other->to)
        return 0;
    for (int dim = 0; dim < DIMS; dim++) {
        if (dim == DIM_DEVICE)
            continue;
        if (is_told(of, dim) != is_told(other, dim) ||
            (is_told(of, dim) && (other->classes.set[dim] & ~of->classes.set[dim]) != 0))
            return 0;
    }
    return 1;
}

/* Finds the regions, and of them the devices, that other regions have told a reader of already. */
static void find_told(struct nvfp4_diff *diff)
{
    struct diff_region *all = diff->regions;
    for (int i = 0; i < diff->count; i++) {
        all[i].told = all[i].values.set[DIM_DEVICE];
        for (int k = 0; k < diff->count && all[i].told != 0; k++)
            if (k != i && (all[i].told & ~all[k].values.set[DIM_DEVICE]) == 0 &&
                says_all(&all[k], &all[i]) &&
                (k < i || !says_all(&all[i], &all[k]) ||
                 (all[k].values.set[DIM_DEVICE] & ~all[i].values.set[DIM_DEVICE]) != 0))
                all[i].told = 0;
    }
    for (int i = 0; i < diff->count; i++)
        for (int k = 0; k < diff->count && all[i].told != 0; k++)
            if (k != i && all[k].told != 0 && (all[i].told & all[k].told) != 0 &&
                says_all(&all[k], &all[i]) && (k < i || !says_all(&all[i], &all[k])))
                all[i].told &= ~all[k].told;
}

nvfp4_status nvfp4_diff_find_regions(struct nvfp4_diff *diff)
{
    struct graph *graph = &diff->graph;
    nvfp4_status status = NVFP4_OK;
    graph_ref left = diff->difference;
    diff->count = 0;
    for (int rarity = 0; left != 0 && status == NVFP4_OK; rarity++) {
        const int before = diff->count;
        const graph_ref part = nvfp4_graph_apply(graph, GRAPH_AND, usual_but(graph, rarity), left);
        status = cover(diff, part, rarity);
        for (int i = before; i < diff->count; i++)
            left = nvfp4_graph_apply(graph, GRAPH_AND_NOT, left,
                                     nvfp4_graph_box(graph, &diff->regions[i].classes, 1));
        if (graph->full)
            status = NVFP4_ENOMEM;
    }
    if (status != NVFP4_OK)
        return status;
    arrange(diff);
    find_told(diff);
    return NVFP4_OK;
}
