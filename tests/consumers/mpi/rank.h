/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CONSUMERS_RANK_H
#define NVFP4_CONSUMERS_RANK_H

#include <nvfp4moe/nvfp4moe.h>

/* What one rank asks, as an engine would have it from its checkpoint, its device and its user. */
struct rank {
    int number;
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    const nvfp4_policy *policy;
    const char *backend; /* the user's word, NULL: none */
    int failed;          /* it has no valid question */
};

/*
 * Reads the arguments: KEY=VALUE for every rank, or after `--rank N` or `--rank N-M` for those.
 * Keys: policy, backend, sm, activation, swiglu_limit, intermediate_size, tensor_parallel, disable
 * and the names of libraries. A rank that cannot read what is meant for it has no question, and
 * tells so.
 */
void rank_read(struct rank *rank, int count, char *const *arguments);

/* This rank's record; zeros where it has no question, so that it takes part and all stop. */
nvfp4_agreement rank_record(struct rank *rank);

/* Prints which inputs differ, and on how many ranks. */
void print_differences(const nvfp4_agreement_report *report);

/* Prints the kernels that some ranks have to do without because of others, and whose doing that is.
 */
void print_losses(const nvfp4_policy *policy, const nvfp4_agreement *records, size_t count);

/* Prints what the rank must do. */
void print_answer(const struct rank *rank, nvfp4_status status, const nvfp4_selection *selection);

#endif
