/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_QUESTION_H
#define NVFP4_CORE_QUESTION_H

#include "core/rule.h"

/* A valid request under a policy, in the form that rows are held against. */
struct question {
    const nvfp4_moe_layer *layer;
    const nvfp4_deployment *deployment;
    const nvfp4_policy *policy;
    uint64_t device;  /* one bit */
    uint64_t values;  /* one bit in each column */
    uint32_t flags;   /* enum flag */
    uint64_t custom;  /* one bit for each key of the policy's own */
    nvfp4_sm sm;      /* 101 read as 110 */
    int32_t requested; /* after renaming for the batched format */
    int32_t share;    /* ranks that one expert's width is divided by */
    int64_t width;    /* intermediate size per rank; 0: unknown or not divisible */
    nvfp4_reason_set rules_out_all; /* what no kernel at all can do */
    int mixed_peers;                /* the ranks' devices differ */
    double limit, alpha, beta; /* effective; limit only with FLAG_LIMIT */
};

/* Checks the request and asks it; NVFP4_EINVAL or NVFP4_EABI where it is no request. */
nvfp4_status question_ask(struct question *q, const nvfp4_moe_layer *layer,
                          const nvfp4_deployment *deployment, const nvfp4_policy *policy);

/* The device bit of a device key, 0 where it is none. */
uint64_t question_device_bit(const nvfp4_device_key *device);

/* Does the question match? */
static inline int question_matches(const struct question *q, const struct nvfp4_when *when)
{
    return ((q->device & ~when->device) | (q->values & ~when->values) |
            (when->with & ~q->flags) | (when->without & q->flags) |
            (q->custom & when->not_custom)) == 0;
}

/* Is the version of a library known and older than this? Absent is not old. */
static inline int question_older(const struct question *q, int library, nvfp4_library_version than)
{
    const nvfp4_library_version have = q->deployment->libraries[library];
    return have != NVFP4_LIBRARY_UNKNOWN && have != NVFP4_LIBRARY_ABSENT && have < than;
}

#endif
