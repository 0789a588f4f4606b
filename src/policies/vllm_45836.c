/* SPDX-License-Identifier: Apache-2.0 */
#define POLICY nvfp4_policy_vllm_45836
#define POLICY_NAME "vllm-45836"
#define POLICY_SUMMARY "vLLM with PR 45836: MARLIN joins the clamp set"
#define POLICY_SOURCE "vLLM 0775b882ba (2026-06-23, PR 45836), fused_moe/oracle/nvfp4.py"
#define POLICY_COMPILED "policies/compiled/vllm-45836.inc"
#define POLICY_HASH UINT64_C(0x1144306aea0dc735)
#define TRTLLM_GELU (ACT(GELU) | ACT(GELU_TANH))
#define CUTLASS_GELU ACT(GELU_TANH)
#define SPLIT_OAI ACT(SWIGLUOAI_UNINTERLEAVE)
#define NO_CLAMP_CUTLASS FLAG_LIMIT
#define NO_CLAMP_MARLIN 0
#include "policies/vllm_june.inc"
