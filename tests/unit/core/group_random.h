/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_GROUP_RANDOM_H
#define NVFP4_TESTS_GROUP_RANDOM_H

#include <nvfp4moe/nvfp4moe.h>

/* Random groups, the same ones in every run. */
struct rng {
    uint64_t state;
};

uint64_t rng_next(struct rng *r);

/* 0 to n - 1. */
uint32_t rng_below(struct rng *r, uint32_t n);

/* A layer that is valid. */
nvfp4_moe_layer random_layer(struct rng *r);

/* What all ranks of a group have in common: how the layer is run, what is asked for. */
nvfp4_deployment random_plan(struct rng *r, const nvfp4_policy *policy);

/* A device; most are of the generations that matter. */
nvfp4_device_key random_device(struct rng *r);

/* One rank's own: device, libraries, what is built or switched off. */
nvfp4_deployment random_rank(struct rng *r, const nvfp4_deployment *plan,
                             const nvfp4_policy *policy);

#endif
