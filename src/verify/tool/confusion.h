/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_CONFUSION_H
#define NVFP4MOE_VERIFY_CONFUSION_H

#include <stdio.h>

#include "verify/tool/planted.h"

/* How often a kernel that deserves one verdict got which. */
struct nvfp4_confusion {
    unsigned long long count[NVFP4_VERDICT_COUNT][NVFP4_VERDICT_COUNT];
    unsigned long long
        declared[NVFP4_VERDICT_COUNT]; /* undecided, as the plan had said it might be */
    unsigned long long plans;
    nvfp4_verify_claim failed_claim; /* the first misjudged kernel, its layer in failed_layer */
    nvfp4_moe_layer failed_layer;
    nvfp4_plant failed_plant;
    nvfp4_verify_result failed_result;
    unsigned long long wrong;
};

/* Judges every planted kernel that differs under a claim. */
nvfp4_status nvfp4_confusion_add(struct nvfp4_confusion *confusion,
                                 const nvfp4_verify_claim *claim);

/*
 * One claim of the grid that the self-test walks: level x scheme x layout x limit, the rest (type,
 * conventions, activation) changing with the seed. index less than nvfp4_grid_size().
 */
size_t nvfp4_grid_size(void);
void nvfp4_grid_claim(size_t index, uint64_t seed, nvfp4_verify_claim *claim,
                      nvfp4_moe_layer *layer);

/* The matrix as text, one row for each verdict that was deserved; the share of right ones at the
 * end. */
void nvfp4_confusion_print(const struct nvfp4_confusion *confusion, FILE *to);

/* Share of right verdicts among those not declared undecided; 1 when there are none. */
double nvfp4_confusion_right(const struct nvfp4_confusion *confusion, nvfp4_verdict deserved);

#endif
