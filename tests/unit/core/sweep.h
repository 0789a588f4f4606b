/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_SWEEP_H
#define NVFP4_TESTS_SWEEP_H

#include <nvfp4moe/nvfp4moe.h>

/*
 * The discrete input space as requests. The product of all columns is too large, so it is factored:
 * the first sweep crosses what decides together (device, scheme, activation, limit, versions, backend
 * asked for), the second one what decides about parallelism and routing, for a few of the former; the
 * third draws from everything at random, with a fixed seed.
 */
struct sweep {
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    uint64_t number; /* of this request, from 0 */
    uint64_t random;
    int part;
};

enum { SWEEP_RANDOM = 200000 };

/* The first request. */
void sweep_begin(struct sweep *sweep);

/* Every how many-th request of the first two parts is made: NVFP4_SWEEP_STRIDE, for slow checkers. */
uint64_t sweep_stride(void);

/* The next one; 0 when there is none. */
int sweep_next(struct sweep *sweep);

#endif
