/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_POLICIES_BUILTIN_H
#define NVFP4_POLICIES_BUILTIN_H

#include "core/rule.h"

struct builtin_alias {
    const char *alias;
    const nvfp4_policy *policy;
};

extern const nvfp4_policy *const builtin_policies[];
extern const size_t builtin_policy_count;
extern const struct builtin_alias builtin_aliases[];
extern const size_t builtin_alias_count;
extern const nvfp4_policy *const builtin_default;

extern const nvfp4_policy policy_vllm_44992, policy_vllm_45836, policy_vllm_46492, policy_vllm_52018;
extern const nvfp4_policy policy_kernels_2026_11;

#endif
