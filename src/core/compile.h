/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_COMPILE_H
#define NVFP4_CORE_COMPILE_H

#include "core/rule.h"

/* Turns the rows of a policy round. `compiled` is the caller's. */
void nvfp4_policy_compile(const nvfp4_policy *policy, struct nvfp4_compiled *compiled);

#endif
