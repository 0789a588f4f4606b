/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_POLICIES_CLAMP_RULES_H
#define NVFP4_POLICIES_CLAMP_RULES_H

#include "core/rule.h"

/*
 * What each kernel does with a limit, alpha and beta: facts of the kernels, the same under every
 * policy. The kernels-* policies decide by them; the vllm-* ones decide by their set and take from
 * here what must be forwarded.
 */
extern const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_trtllm[6];
extern const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutlass[4];
extern const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutedsl[4];
extern const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_cutedsl_batched[1];
extern const struct nvfp4_clamp_rule nvfp4_clamp_flashinfer_b12x[4];
extern const struct nvfp4_clamp_rule nvfp4_clamp_b12x[5];
/* VLLM_CUTLASS, MARLIN, HUMMING and EMULATION share vLLM's activation code between the GEMMs. */
extern const struct nvfp4_clamp_rule nvfp4_clamp_vllm_activation[5];

#define CLAMP(rules) .clamp = nvfp4_clamp_##rules, .clamp_count = COUNT_OF(nvfp4_clamp_##rules)

#endif
