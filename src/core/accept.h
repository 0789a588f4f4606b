/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_ACCEPT_H
#define NVFP4_CORE_ACCEPT_H

#include "core/question.h"

/* Outcome of one condition. */
enum condition_result { CONDITION_HOLDS = 0, CONDITION_FAILS, CONDITION_ABSTAINS };

/* The betas that b12x has built in. */
#define SITU_BETA 4.0
#define SITU_LINEAR_BETA 25.0

/* Is the condition about this question at all? */
int nvfp4_condition_applies(const struct question *q, const struct nvfp4_condition *c);

/* Holds the question against a condition that applies to it. */
enum condition_result nvfp4_condition_check(const struct question *q, const struct nvfp4_condition *c);

/* Is the erratum in force for this question (and not switched off)? `index` is its place in the policy. */
int nvfp4_erratum_holds(const struct question *q, int index);
/* Would it hold if the sizes that are unknown were those it is about? */
int nvfp4_erratum_abstains(const struct question *q, int index);

/* Does code of the engine's own exist for the device? */
int nvfp4_targets_cover(const struct question *q);

/*
 * Does nothing rule the kernel out, but that it may not be among those asked for? `index` is its place
 * in the policy.
 */
int nvfp4_row_accepts(const struct question *q, int index);

/* The kernel to take: the first that is offered, asked for and accepted; -1: none. */
int nvfp4_first_accepting(const struct question *q);

/* All of them. */
nvfp4_kernel_set nvfp4_all_accepting(const struct question *q);

#endif
