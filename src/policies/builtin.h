/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_POLICIES_BUILTIN_H
#define NVFP4_POLICIES_BUILTIN_H

#include "core/rule.h"

struct builtin_alias {
    const char *alias;
    const nvfp4_policy *policy;
};

extern const nvfp4_policy *const nvfp4_builtin_policies[];
extern const size_t nvfp4_builtin_policy_count;
extern const struct builtin_alias nvfp4_builtin_aliases[];
extern const size_t nvfp4_builtin_alias_count;
extern const nvfp4_policy *const nvfp4_builtin_default;

extern const nvfp4_policy nvfp4_policy_vllm_44992, nvfp4_policy_vllm_45836, nvfp4_policy_vllm_46492, nvfp4_policy_vllm_52018;
extern const nvfp4_policy nvfp4_policy_kernels_2026_11;

#endif
