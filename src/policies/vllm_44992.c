/* SPDX-License-Identifier: Apache-2.0 */
#define POLICY nvfp4_policy_vllm_44992
#define POLICY_NAME "vllm-44992"
#define POLICY_SUMMARY "vLLM before PR 45836: only FLASHINFER_TRTLLM may serve a swiglu_limit"
#define POLICY_SOURCE "vLLM 03878d1c22 (2026-06-11, PR 44992), fused_moe/oracle/nvfp4.py"
#define POLICY_COMPILED "policies/compiled/vllm-44992.inc"
#define POLICY_HASH UINT64_C(0x0e7e279305d91b99)
#define TRTLLM_GELU ACT(GELU)
#define CUTLASS_GELU 0
#define SPLIT_OAI 0
#define NO_CLAMP_CUTLASS FLAG_LIMIT
#define NO_CLAMP_MARLIN FLAG_LIMIT
#include "policies/vllm_june.inc"
