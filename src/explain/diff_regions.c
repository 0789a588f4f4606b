/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff.h"

/*
 * Keys from what a person asks about least to what one thinks in. Regions around usual questions are
 * widened from the end, so that they are few and told in those keys; the others from the beginning,
 * so that they are few in all.
 */
static const uint8_t rare_first[DIMS] = {
    DIM_VLLM, DIM_CUTLASS_DSL, DIM_CUDA, DIM_HUMMING, DIM_B12X, DIM_FLASHINFER, DIM_SITU, DIM_TOP_K,
    DIM_HIDDEN, DIM_EXPERTS, DIM_WIDTH, DIM_PER_TOKEN_SCALE, DIM_ROUTER_WEIGHT_ON_INPUT, DIM_BIAS,
    DIM_HUMMING_GEMM, DIM_KEY_4, DIM_KEY_3, DIM_KEY_2, DIM_KEY_1, DIM_ROUTER_DTYPE, DIM_ROUTING, DIM_DTYPE, DIM_EPLB, DIM_LORA,
    DIM_BATCH_INVARIANT, DIM_CONSTANTS, DIM_PARALLEL, DIM_LIMIT, DIM_SCHEME, DIM_ACTIVATION,
    DIM_ASKED, DIM_DEVICE,
};

static uint64_t all_classes(const struct graph *graph, int dim)
{
    return graph->classes[dim] >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << graph->classes[dim]) - 1;
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

/* Widens a box to one that cannot be widened further; which one depends on the order of the keys. */
static void widen(struct nvfp4_diff *diff, struct diff_box *box, graph_ref change, int rarity)
{
    for (int i = 0; i < DIMS; i++)
        widen_dim(diff, box, change, rare_first[rarity < 2 ? DIMS - 1 - i : i]);
}

/* Does a request say this key only on rare occasions? */
static int is_rare(int dim)
{
    return dim >= DIM_CONSTANTS;
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
            const graph_ref usual = nvfp4_graph_apply(graph, GRAPH_AND, nvfp4_graph_box(graph, &box, 1), within[k]);
            box.set[dim] = all_classes(graph, dim) & ~(uint64_t)1;
            const graph_ref other =
                k == 0 ? 0 : nvfp4_graph_apply(graph, GRAPH_AND, nvfp4_graph_box(graph, &box, 1), within[k - 1]);
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
        left = nvfp4_graph_apply(graph, GRAPH_AND_NOT, left, nvfp4_graph_box(graph, &r->classes, 1));
    }
    return graph->full ? NVFP4_ENOMEM : NVFP4_OK;
}

/* Takes out of a region the values of one key with which it lies in another region anyway. */
static void trim(struct nvfp4_diff *diff, int dim)
{
    for (int i = 0; i < diff->count; i++) {
        struct diff_region *r = &diff->regions[i];
        for (int k = 0; k < diff->count && r->classes.set[dim] != 0; k++) {
            const struct diff_region *o = &diff->regions[k];
            int inside = k != i && o->from == r->from && o->to == r->to;
            for (int d = 0; d < DIMS && inside; d++)
                inside = d == dim || (r->classes.set[d] & ~o->classes.set[d]) == 0;
            if (inside)
                r->classes.set[dim] &= ~o->classes.set[dim];
        }
    }
}

/* Goes before another in the list: the more usual, and what is chosen where nothing is asked for. */
static int precedes(const struct diff_region *a, const struct diff_region *b)
{
    const int a_asked = !(a->classes.set[DIM_ASKED] & 1), b_asked = !(b->classes.set[DIM_ASKED] & 1);
    return a->rarity != b->rarity ? a->rarity < b->rarity : a_asked < b_asked;
}

/* Drops empty regions and puts the others in order; equal ones stay as they were found. */
static void arrange(struct nvfp4_diff *diff)
{
    int kept = 0;
    for (int i = 0; i < diff->count; i++) {
        const struct diff_region r = diff->regions[i];
        int at = kept;
        if (r.classes.set[DIM_DEVICE] == 0 || r.classes.set[DIM_ACTIVATION] == 0)
            continue;
        for (; at > 0 && precedes(&r, &diff->regions[at - 1]); at--)
            diff->regions[at] = diff->regions[at - 1];
        diff->regions[at] = r;
        kept++;
    }
    diff->count = kept;
    for (int i = 0; i < kept; i++)
        nvfp4_graph_values_of(&diff->graph, &diff->regions[i].classes, &diff->regions[i].values);
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
    trim(diff, DIM_DEVICE);
    trim(diff, DIM_ACTIVATION);
    arrange(diff);
    return NVFP4_OK;
}
