/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_QUESTION_H
#define NVFP4_CORE_QUESTION_H

#include "core/rule.h"

/* All members up to the last of the first release: what a `struct_size` must cover. */
#define V1_SIZE(type, last) (offsetof(type, last) + sizeof(((const type *)0)->last))

/* Devices that differ for a decision: an SM by its number, another vendor by its ::nvfp4_vendor. */
struct device_set {
    uint64_t words[16];
};
enum { DEVICE_NUMBERS = 16 * 64 };
_Static_assert(DEVICE_NUMBERS > 999, "every SM has a number");

/* A valid request under a policy, in the form that rows are held against. */
struct question {
    const nvfp4_moe_layer *layer;
    const nvfp4_deployment *deployment;
    const nvfp4_policy *policy;
    nvfp4_kernel_set fits; /* kernels whose words fit, among those to choose from */
    uint64_t custom;       /* one bit for each key of the policy's own */
    uint32_t flags;        /* enum flag */
    int32_t device_index;  /* number of its bit */
    int32_t all2all;       /* in use, else NONE */
    int32_t batched;       /* 1: batched activation format */
    int32_t ranks;         /* tensor x data x context parallel */
    int32_t requested;     /* after renaming for the batched format */
    /* what conditions, clamp rules and errata look at */
    uint64_t device;       /* one bit */
    uint64_t values;       /* one bit in each column */
    nvfp4_sm sm;           /* 101 read as 110 */
    int32_t share;         /* ranks that one expert's width is divided by */
    int64_t width;         /* intermediate size per rank; 0: unknown or not divisible */
    double limit, alpha, beta; /* effective; limit only with FLAG_LIMIT */
    nvfp4_reason_set rules_out_all; /* what no kernel at all can do */
    int mixed_peers;                /* the ranks' devices differ */
    struct device_set peers;        /* theirs; set only where the deployment names some */
};

/* Checks the request and asks it; NVFP4_EINVAL or NVFP4_EABI where it is no request. */
nvfp4_status nvfp4_question_ask(struct question *q, const nvfp4_moe_layer *layer,
                          const nvfp4_deployment *deployment, const nvfp4_policy *policy);

/* Adds what conditions, clamp rules and errata look at, where only the hot path has begun to ask. */
void nvfp4_question_complete(struct question *q);

/* Notes the devices of the ranks, each once however many have it, and whether they differ. */
void nvfp4_question_see_peers(struct question *q);

/* The kernels to choose from: of the backend asked for, or the automatic ones. */
static inline nvfp4_kernel_set question_asks_for(const struct question *q)
{
    return q->policy->compiled->backend[q->requested];
}

/* The number of a device's bit, -1 where it is no device; the bit itself, 0 where it is none. */
int nvfp4_question_device_index(const nvfp4_device_key *device);
uint64_t nvfp4_question_device_bit(const nvfp4_device_key *device);

/* The rarer half of a question's checks: another vendor's device, -1 for none; targets and peers. */
int nvfp4_question_other_device(const nvfp4_device_key *device);
int nvfp4_question_arrays_valid(const nvfp4_deployment *d);

/* What it comes to when no kernel is left. */
static inline nvfp4_status question_no(const struct question *q)
{
    return q->requested == NVFP4_BACKEND_NONE ? NVFP4_ENOBACKEND : NVFP4_EREFUSED;
}

/* The decision for a kernel of the policy. */
static inline void question_decide(const struct question *q, int kernel, nvfp4_selection *selection)
{
    const struct nvfp4_row *row = &q->policy->rows[kernel];
    selection->backend = row->backend;
    selection->kernel = kernel;
    selection->scheme = row->runs_w4a16 ? NVFP4_SCHEME_W4A16 : q->layer->scheme;
    selection->asked = q->requested != NVFP4_BACKEND_NONE;
}

/* Does the question match? */
static inline int question_matches(const struct question *q, const struct nvfp4_when *when)
{
    return ((when->with & ~q->flags) | (when->without & q->flags)) == 0 &&
           ((q->device & ~when->device) | (q->values & ~when->values) |
            (q->custom & when->not_custom)) == 0;
}

/* Is the version of a library known and older than this? Absent is not old. */
static inline int question_older(const struct question *q, int library, nvfp4_library_version than)
{
    const nvfp4_library_version have = q->deployment->libraries[library];
    return have != NVFP4_LIBRARY_UNKNOWN && have != NVFP4_LIBRARY_ABSENT && have < than;
}

#endif
