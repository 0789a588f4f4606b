/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_FINGERPRINT_H
#define NVFP4_CORE_FINGERPRINT_H

#include "core/question.h"

/* A 64-bit hash fed with numbers, the same on every machine. */
struct hash {
    uint64_t a;
};
#define HASH_INIT                                                                                  \
    {                                                                                              \
        UINT64_C(0x6e7666703464636d)                                                               \
    }
void nvfp4_hash_number(struct hash *h, uint64_t n);
void nvfp4_hash_real(struct hash *h, double x);
void nvfp4_hash_text(struct hash *h, const char *text);
uint64_t nvfp4_hash_end(const struct hash *h);

/* The hash of all that decides in a policy; what its `hash` must be. */
uint64_t nvfp4_policy_hash_compute(const nvfp4_policy *policy);

/* Over the question, the policy and the kernel chosen (-1: none). */
uint64_t nvfp4_fingerprint_of(const struct question *q, int kernel);

/* What of the layer decides. */
void nvfp4_hash_layer(struct hash *h, const struct question *q);

/* What of the deployment all ranks of a group have in common: degrees, format, options; no device. */
void nvfp4_hash_plan(struct hash *h, const struct question *q);

/*
 * What of the libraries decides: for each, how far up the policy's floors its version is. Two versions
 * on the same level are the same to the policy; an absent library is on level 0, as is one that the
 * policy has no floor for.
 */
enum { LIBRARY_SLOTS = 8 };
_Static_assert(LIBRARY_SLOTS >= (int)NVFP4_LIBRARY_COUNT, "a slot for each library");
void nvfp4_library_levels(const struct question *q, uint16_t levels[LIBRARY_SLOTS]);

#endif
