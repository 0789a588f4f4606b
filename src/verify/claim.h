/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_CLAIM_H
#define NVFP4MOE_VERIFY_CLAIM_H

#include <nvfp4moe/verify.h>

/* Puts the defaults where sizes are 0. */
void nvfp4_claim_fill_in(nvfp4_verify_claim *claim, nvfp4_moe_layer *layer);

/* A number that no plan can be made with: its word in a plan file, and what is expected. */
struct nvfp4_claim_fault {
    const char *field, *expected;
};

/* The first such number of a claim that is filled in; NULL: there is none. */
const struct nvfp4_claim_fault *nvfp4_claim_find_fault(const nvfp4_verify_claim *claim,
                                                       const nvfp4_moe_layer *layer);

#endif
