/* SPDX-License-Identifier: Apache-2.0 */
#include "policies/builtin.h"

const nvfp4_policy *const nvfp4_builtin_policies[] = {
    &nvfp4_policy_vllm_44992, &nvfp4_policy_vllm_45836, &nvfp4_policy_vllm_46492, &nvfp4_policy_vllm_52018,
    &nvfp4_policy_kernels_2026_11,
};
const size_t nvfp4_builtin_policy_count = COUNT_OF(nvfp4_builtin_policies);

/* Aliases move; the policies they stand for do not. */
const struct builtin_alias nvfp4_builtin_aliases[] = {
    { "default", &nvfp4_policy_kernels_2026_11 },
    { "vllm", &nvfp4_policy_vllm_52018 },
};
const size_t nvfp4_builtin_alias_count = COUNT_OF(nvfp4_builtin_aliases);
const nvfp4_policy *const nvfp4_builtin_default = &nvfp4_policy_kernels_2026_11;
