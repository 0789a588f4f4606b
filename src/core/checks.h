/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_CHECKS_H
#define NVFP4_CORE_CHECKS_H

#include "core/question.h"

/* Where reasons go: always into the sets, and as findings where there is room for them. */
struct sink {
    nvfp4_reason_set reasons;   /* of the kernel being judged */
    nvfp4_reason_set unchecked; /* checks that abstained, over all kernels */
    nvfp4_finding *findings;    /* NULL: only the sets are wanted */
    size_t capacity, count;     /* count goes on beyond the capacity */
};

/* Puts every reason that rules out the kernel into the sink. `index` is its place in the policy. */
void nvfp4_judge_row(const struct question *q, int index, struct sink *sink);

#endif
