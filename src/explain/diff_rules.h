/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_DIFF_RULES_H
#define NVFP4_EXPLAIN_DIFF_RULES_H

#include "explain/diff_graph.h"

/* What a policy can answer, numbered from 1. */
struct diff_outcomes {
    struct {
        const char *backend, *kernel; /* kernel "" where kernels are not told apart */
    } name[GRAPH_OUTCOMES];
    int count;   /* of the numbers used, with 0 */
    int kernels; /* tell kernels apart */
};
enum { OUTCOME_NO_BACKEND = 1, OUTCOME_REFUSED, OUTCOME_UNKNOWN, OUTCOME_FIRST };

void nvfp4_diff_outcomes_begin(struct diff_outcomes *outcomes, int kernels);

/* Tells apart what any rule of policy 0 or 1 tells apart. */
nvfp4_status nvfp4_diff_rules_refine(const struct diff_space *space, int policy,
                                     struct graph *graph);

/* The policy's answer as a function of the point; after both policies have refined. */
nvfp4_status nvfp4_diff_rules_build(const struct diff_space *space, int policy, struct graph *graph,
                                    struct diff_outcomes *outcomes, graph_ref *answer);

#endif
