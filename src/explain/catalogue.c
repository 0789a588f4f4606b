/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/explain.h>

/* The catalogue of reasons for users; a test fails for a reason that has no entry. */
static const nvfp4_reason_help help[NVFP4_REASON_COUNT] = {
    [NVFP4_REASON_DEVICE] = {
        "The kernel has no code for this compute capability or vendor.",
        "SM100-family kernels (FLASHINFER_TRTLLM, FLASHINFER_CUTEDSL) do not run on SM110, SM120 or "
        "SM121, however new the card is; FP4 tensor cores begin with SM100.",
        "Take a backend that has code for the device; no setting changes this." },
    [NVFP4_REASON_DEPENDENCY] = {
        "A library that holds the kernel is missing, or too old to have it.",
        "flashinfer is not installed, or without flashinfer-cubin and without nvcc; the CUDA toolkit is "
        "older than the device.",
        "Install or upgrade the library named in the reason." },
    [NVFP4_REASON_NOT_BUILT] = {
        "The engine was compiled without this kernel, or not for this device.",
        "The wheel's CUDA architectures do not cover the card: 120a code does not run on SM121, 120f does.",
        "Rebuild the engine with the target, or take a wheel that has it." },
    [NVFP4_REASON_OPT_IN] = {
        "The kernel is only used when asked for by name.",
        "It is young, or known to fail on some cards, so the policy does not choose it by itself.",
        "Ask for it with backend: NAME if you want it." },
    [NVFP4_REASON_DISABLED] = {
        "The request or the policy file switched the kernel off.",
        "deployment.disable names it.",
        "Take it off the list." },
    [NVFP4_REASON_ERRATUM] = {
        "The kernel is known to go wrong for this device, shape or library version.",
        "A defect on record, with its source, that has no fix in the version at hand.",
        "Upgrade if the reason names a version; errata_off takes the risk." },
    [NVFP4_REASON_SCHEME] = {
        "The kernel does not compute NVFP4 weights with activations of this type.",
        "Weight-only checkpoints (W4A16) do not run on W4A4 kernels.",
        "Nothing to set: the checkpoint decides the scheme." },
    [NVFP4_REASON_GATING] = {
        "The kernel has no form for experts without a gate projection.",
        "Nemotron's relu2 experts are not gated.",
        "Take a backend that has the form." },
    [NVFP4_REASON_ACTIVATION] = {
        "The kernel does not compute this activation, or not in this library version.",
        "The model uses SwiGLU-OAI, SwiGLU-step, SiTU or GELU, which few kernels have.",
        "Upgrade if the reason names a version; else take another backend." },
    [NVFP4_REASON_ACTIVATION_PARAMS] = {
        "The kernel has other alpha, beta or SiTU constants built in.",
        "vLLM's interleaved SwiGLU-OAI always runs with 1.702 and 1.",
        "Take a backend that accepts the numbers; the output would be wrong without an error." },
    [NVFP4_REASON_CLAMP] = {
        "The kernel does not apply the model's SwiGLU limit as it is.",
        "It has no such parameter, accepts and ignores it, or clamps at a constant of its own.",
        "Take a backend of the clamp set; running unclamped gives fluent garbage." },
    [NVFP4_REASON_PARALLEL] = {
        "The kernel does not work under this parallelism or with these all2all kernels.",
        "A kernel that routes by itself needs the router logits, which all2all kernels do not carry.",
        "Change all2all or expert parallelism as a remedy says." },
    [NVFP4_REASON_ROUTING] = {
        "The kernel routes by itself and does not know this routing.",
        "The monolithic TRTLLM kernel has a closed list of routings.",
        "Nothing to set: another kernel takes the layer." },
    [NVFP4_REASON_ROUTER_DTYPE] = {
        "The kernel does not take router logits of this type.",
        "The monolithic TRTLLM kernel takes bf16 and fp32 only.",
        "Nothing to set: another kernel takes the layer." },
    [NVFP4_REASON_DTYPE] = {
        "The kernel does not read or write hidden states of this type.",
        "The model is served in fp16 or fp32; many kernels write bf16 only.",
        "Serve the model in bf16." },
    [NVFP4_REASON_SHAPE] = {
        "The part of an expert that lies on one rank does not fit the kernel's tiles.",
        "Tensor parallelism divides the expert width too often: 704 over 4 ranks leaves 352 rows.",
        "Take a tensor-parallel size that a remedy names, or expert parallelism." },
    [NVFP4_REASON_FORMAT] = {
        "The kernel does not take tokens in this activation format.",
        "deepep_low_latency and nixl_ep deliver batched tokens; nearly all kernels want standard ones.",
        "Take another all2all." },
    [NVFP4_REASON_BATCH_INVARIANT] = {
        "The kernel's results depend on the batch.",
        "Batch-invariant mode is on.",
        "Take a backend that is batch-invariant." },
    [NVFP4_REASON_LORA] = {
        "The kernel does not take LoRA adapters on the experts.",
        "LoRA is on; only MARLIN serves it.",
        "Nothing else to set." },
    [NVFP4_REASON_BIAS] = {
        "The kernel does not add an expert bias.",
        "gpt-oss experts have a bias.",
        "Take a backend that adds it." },
    [NVFP4_REASON_ROUTER_WEIGHT_ON_INPUT] = {
        "The kernel does not multiply the input by the router weight.",
        "Llama-4 weights the input, not the output.",
        "With top_k 1 the engine may scale the input itself where the kernel weights the output." },
    [NVFP4_REASON_EXPERT_COUNT] = {
        "The kernel does not take this many experts.",
        "EMULATION's alignment kernel stops at 1024, rounded up to 32.",
        "Take another backend." },
    [NVFP4_REASON_KERNEL_OPTION] = {
        "Another option of the kernel is set, or the layer needs one that it has not.",
        "humming_gemm_type chooses one of HUMMING's kernels; per-token activation scales are rare.",
        "Change the option named in the reason." },
    [NVFP4_REASON_PEER] = {
        "The kernel fits here, but not on another rank of the group.",
        "The ranks have different devices; all must run the same kernel.",
        "Group equal devices." },
};

const nvfp4_reason_help *nvfp4_reason_help_of(nvfp4_reason reason)
{
    if ((unsigned)reason >= NVFP4_REASON_COUNT)
        return NULL;
    return &help[reason];
}
