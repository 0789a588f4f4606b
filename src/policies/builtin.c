/* SPDX-License-Identifier: Apache-2.0 */
#include "policies/builtin.h"

const nvfp4_policy *const builtin_policies[] = {
    &policy_vllm_44992, &policy_vllm_45836, &policy_vllm_46492, &policy_vllm_52018,
    &policy_kernels_2026_11,
};
const size_t builtin_policy_count = COUNT_OF(builtin_policies);

/* Aliases move; the policies they stand for do not. */
const struct builtin_alias builtin_aliases[] = {
    { "default", &policy_kernels_2026_11 },
    { "vllm", &policy_vllm_52018 },
};
const size_t builtin_alias_count = COUNT_OF(builtin_aliases);
const nvfp4_policy *const builtin_default = &policy_kernels_2026_11;
