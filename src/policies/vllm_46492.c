/* SPDX-License-Identifier: Apache-2.0 */
#define POLICY nvfp4_policy_vllm_46492
#define POLICY_NAME "vllm-46492"
#define POLICY_SUMMARY "vLLM with PR 46492: FLASHINFER_CUTLASS joins the clamp set, SM120 stops failing"
#define POLICY_SOURCE "vLLM 0d4d164488 (2026-06-23, PR 46492), fused_moe/oracle/nvfp4.py"
#define POLICY_COMPILED "policies/compiled/vllm-46492.inc"
#define POLICY_HASH UINT64_C(0x89fcf0fd0fa6856b)
#define TRTLLM_GELU (ACT(GELU) | ACT(GELU_TANH))
#define CUTLASS_GELU ACT(GELU_TANH)
#define SPLIT_OAI ACT(SWIGLUOAI_UNINTERLEAVE)
#define NO_CLAMP_CUTLASS 0
#define NO_CLAMP_MARLIN 0
#include "policies/vllm_june.inc"
