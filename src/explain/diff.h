/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_DIFF_H
#define NVFP4_EXPLAIN_DIFF_H

#include "explain/diff_rules.h"

enum { REGIONS_MAX = 8192 };

/* A region, in classes for the search and in values for everyone else. */
struct diff_region {
    struct diff_box classes, values;
    uint64_t
        told; /* devices to name in a text: where others have not told all; 0: it is left out */
    uint8_t from, to; /* outcomes */
    uint8_t rarity;   /* rare keys that must be unusual for a question to lie in it */
};

struct nvfp4_diff {
    struct diff_space space;
    struct graph graph;
    struct diff_outcomes outcomes;
    graph_ref answer[2], difference;
    int count;
    struct diff_region regions[REGIONS_MAX];
};

/* What the core itself answers at a point, as an outcome. */
int nvfp4_diff_outcome_asked(const struct nvfp4_diff *diff, int policy,
                             const struct diff_point *values);

/* The most usual question of a region. */
void nvfp4_diff_example(const struct diff_region *region, struct diff_point *values);

/* What any region has of each key. */
void nvfp4_diff_unite(const struct nvfp4_diff *diff, struct diff_box *all);

/* Covers the difference with few boxes. */
nvfp4_status nvfp4_diff_find_regions(struct nvfp4_diff *diff);

#endif
