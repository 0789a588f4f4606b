/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default policy, fact by fact: what each kernel does with limit, activation, device and library
 * version, on both sides of each version from which on it does so. What is expected comes from the
 * kernels' sources, not from the rows of the policy: FlashInfer fb28d7242 (0.6.18), b12x 36bce2c1
 * (1.2.6) and the copies of vLLM that the rows name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define R(name) NVFP4_REASON_BIT(NVFP4_REASON_##name)
#define FI .library = NVFP4_LIBRARY_FLASHINFER
#define CUDA .library = NVFP4_LIBRARY_CUDA
#define DSL .library = NVFP4_LIBRARY_CUTLASS_DSL
#define PKG .library = NVFP4_LIBRARY_B12X
#define A16 .scheme = NVFP4_SCHEME_W4A16
#define MXFP8 .scheme = NVFP4_SCHEME_W4A8_MXFP8
#define BATCHED .format = NVFP4_FORMAT_BATCHED
#define NO_ERRATA .errata_off = ~UINT64_C(0)

enum {
    SILU = NVFP4_ACTIVATION_SILU,
    GELU = NVFP4_ACTIVATION_GELU,
    GELU_TANH = NVFP4_ACTIVATION_GELU_TANH,
    RELU2 = NVFP4_ACTIVATION_RELU2_NO_MUL,
    OAI = NVFP4_ACTIVATION_SWIGLUOAI, /* interleaved, with constants of its own */
    OAI_HALVES = NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE,
    STEP = NVFP4_ACTIVATION_SWIGLUSTEP,
    SITU = NVFP4_ACTIVATION_SITU
};

/*
 * A layer on one SM, asked of a backend by name. The reasons of the named kernels (all of a backend's
 * where no one is named) are exactly those listed, but for `unsaid`, which may be told or not.
 */
struct row {
    const char *kernel, *name;
    nvfp4_sm sm;
    int activation;
    double limit; /* 0: none */
    int library;
    const char *older; /* just below the version at which the answer changes; NULL: one side only */
    nvfp4_reason_set then, unsaid;
    const char *since; /* that version; NULL: unknown */
    nvfp4_reason_set now;
    int scheme, format, dtype, has_params, bias, input_weight, per_token, ep;
    double alpha, beta;
    int64_t width, top_k;
    uint64_t errata_off;
};

#define CUTLASS "FLASHINFER_CUTLASS"
#define TRTLLM "FLASHINFER_TRTLLM"
#define MONOLITHIC "FLASHINFER_TRTLLM/monolithic"
#define MODULAR "FLASHINFER_TRTLLM/modular"
#define CUTEDSL "FLASHINFER_CUTEDSL"
#define MASKED "FLASHINFER_CUTEDSL_BATCHED"
#define PORT "FLASHINFER_B12X"

static const struct row rows[] = {
    /* FlashInfer's CUTLASS kernels: limit, alpha and beta since 0.2.13, for SwiGLU only */
    { CUTLASS, "silu limit", 100, SILU, 10, FI, "0.2.12", R(CLAMP), 0, "0.2.13", 0 },
    { CUTLASS, "silu limit SM120", 120, SILU, 10, FI, "0.2.12", R(CLAMP), 0, "0.2.13", 0 },
    { CUTLASS, "silu alpha", 100, SILU, 0, FI, "0.2.12", R(ACTIVATION_PARAMS), 0, "0.2.13", 0,
      .has_params = 1, .alpha = 1.5, .beta = 0 },
    { CUTLASS, "silu beta", 100, SILU, 0, FI, "0.2.12", R(ACTIVATION_PARAMS), 0, "0.2.13", 0,
      .has_params = 1, .alpha = 1, .beta = 1 },
    { CUTLASS, "oai halves", 121, OAI_HALVES, 7, FI, "0.2.12", R(CLAMP) | R(ACTIVATION_PARAMS), 0,
      "0.2.13", 0 },
    { CUTLASS, "silu without a limit", 120, SILU, 0, FI, "0.2.9", 0, 0, "0.6.18", 0 },
    { CUTLASS, "step", 100, STEP, 7, FI, "0.6.12", R(ACTIVATION), R(CLAMP), "0.6.13", 0 },
    { CUTLASS, "step, another limit", 100, STEP, 3, FI, "0.6.12", R(ACTIVATION), R(CLAMP), "0.6.13", 0 },
    { CUTLASS, "geglu limit", 100, GELU, 10, FI, "0.6.12", R(CLAMP), 0, "0.6.13", R(CLAMP) },
    { CUTLASS, "geglu", 100, GELU, 0, .now = 0 },
    { CUTLASS, "geglu tanh limit", 100, GELU_TANH, 10, .now = R(CLAMP) },
    { CUTLASS, "situ", 100, SITU, 0, FI, "0.6.18rc7", R(ACTIVATION), 0, "0.6.18", 0 },
    { CUTLASS, "situ limit", 100, SITU, 10, FI, "0.6.18rc7", R(ACTIVATION) | R(CLAMP), 0, "0.6.18", R(CLAMP) },
    { CUTLASS, "relu2 limit", 100, RELU2, 10, .now = R(CLAMP) },
    { CUTLASS, "relu2", 100, RELU2, 0, .now = 0 },
    { CUTLASS, "SM110 tiles", 110, SILU, 10, FI, "0.6.8.post1", R(ERRATUM), 0, "0.6.9", 0 },
    { CUTLASS, "SM110, version unknown", 110, SILU, 10, .now = 0 },
    { CUTLASS, "SM107", 107, SILU, 10, .now = 0 },
    { CUTLASS, "SM103", 103, SILU, 10, .now = 0 },
    { CUTLASS, "SM90", 90, SILU, 10, .now = R(DEVICE) },
    { CUTLASS, "fp16", 100, SILU, 10, .dtype = NVFP4_DTYPE_FP16 },
    { CUTLASS, "fp32", 100, SILU, 10, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { CUTLASS, "bias", 100, SILU, 10, .bias = 1 },
    { CUTLASS, "step with another alpha", 100, STEP, 7, .has_params = 1, .alpha = 1.5,
      .now = R(ACTIVATION_PARAMS) },
    { CUTLASS, "input weighted, top 1", 100, SILU, 0, .input_weight = 1, .top_k = 1 },
    { CUTLASS, "input weighted, top 2", 100, SILU, 0, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { CUTLASS, "rows of 128", 100, SILU, 0, .width = 64 },
    { CUTLASS, "rows of 192", 100, SILU, 0, .width = 96, .now = R(SHAPE) },
    { CUTLASS, "a scale per token", 100, SILU, 0, .per_token = 1, .now = R(KERNEL_OPTION) },
    { CUTLASS, "CUDA for SM100", 100, SILU, 0, CUDA, "12.7", R(DEPENDENCY), 0, "12.8", 0 },
    { CUTLASS, "CUDA for SM103", 103, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { CUTLASS, "CUDA for SM107", 107, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { CUTLASS, "CUDA for SM110", 110, SILU, 0, CUDA, "12.7", R(DEPENDENCY), 0, "12.8", 0 },
    { CUTLASS, "CUDA for SM120", 120, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { CUTLASS, "CUDA for SM121", 121, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },

    /* trtllm-gen: limit, alpha and beta since 0.2.10, in the accumulator's numbers */
    { TRTLLM, "silu limit", 100, SILU, 10, FI, "0.2.9", R(CLAMP), 0, "0.2.10", 0 },
    { TRTLLM, "silu limit SM103", 103, SILU, 10, FI, "0.2.9", R(CLAMP), 0, "0.2.10", 0 },
    { TRTLLM, "silu alpha", 100, SILU, 0, FI, "0.2.9", R(ACTIVATION_PARAMS), 0, "0.2.10", 0, .has_params = 1,
      .alpha = 1.702, .beta = 1 },
    { TRTLLM, "SM107", 107, SILU, 10, FI, "0.6.15", R(DEPENDENCY), 0, "0.6.16", 0 },
    { TRTLLM, "SM110", 110, SILU, 0, .now = R(DEVICE) },
    { TRTLLM, "SM120, also before the clear error", 120, SILU, 0, FI, "0.6.15", R(DEVICE), 0, "0.6.16",
      R(DEVICE) },
    { TRTLLM, "SM121", 121, SILU, 10, .now = R(DEVICE) },
    { TRTLLM, "scale per token, SM107", 107, SILU, 0, FI, "0.6.15", R(DEPENDENCY) | R(KERNEL_OPTION), 0,
      "0.6.16", 0, .per_token = 1 },
    { TRTLLM, "scale per token", 100, SILU, 0, FI, "0.6.15", R(KERNEL_OPTION), 0, "0.6.18", 0, .per_token = 1 },
    { TRTLLM, "scale per token, NaN begins", 100, SILU, 0, FI, "0.6.16rc4", R(KERNEL_OPTION), 0, "0.6.16",
      R(ERRATUM), .per_token = 1 },
    { TRTLLM, "scale per token, NaN ends", 103, SILU, 0, FI, "0.6.17", R(ERRATUM), 0, "0.6.18", 0,
      .per_token = 1 },
    { TRTLLM, "scale per token, NaN measured", 103, SILU, 0, FI, "0.6.16.post4", R(ERRATUM), 0, NULL, 0,
      .per_token = 1 },
    { TRTLLM, "no NaN with static scales", 100, SILU, 0, FI, "0.6.16.post4", 0, 0, "0.6.18", 0 },
    { TRTLLM, "limit and scale per token", 100, SILU, 10, FI, "0.6.17", R(ERRATUM) | R(CLAMP), 0, "0.6.18",
      R(CLAMP), .per_token = 1 },
    { TRTLLM, "geglu limit", 100, GELU, 10, .now = R(CLAMP) },
    { TRTLLM, "geglu", 100, GELU, 0, .now = 0 },
    { TRTLLM, "situ limit", 100, SITU, 10, FI, "0.6.15", R(ACTIVATION), R(CLAMP), "0.6.16", 0 },
    { TRTLLM, "step", 100, STEP, 0, .now = R(ACTIVATION) },
    { TRTLLM, "geglu tanh runs geglu", 100, GELU_TANH, 0, .now = 0 },
    { TRTLLM, "geglu tanh limit", 100, GELU_TANH, 10, .now = R(CLAMP) },
    { MODULAR, "relu2 limit", 100, RELU2, 10, .now = R(CLAMP) },
    { MODULAR, "relu2", 100, RELU2, 0, .now = 0 },
    { MONOLITHIC, "relu2, no fix known", 100, RELU2, 0, FI, "0.6.16.post3", R(ERRATUM), 0, "0.7.2",
      R(ERRATUM) },
    { MONOLITHIC, "relu2, version unknown", 103, RELU2, 0, .now = R(ERRATUM) },
    { MONOLITHIC, "relu2, taken at one's own risk", 100, RELU2, 0, NO_ERRATA },
    { TRTLLM, "fp16", 100, SILU, 0, .dtype = NVFP4_DTYPE_FP16, .now = R(DTYPE) },
    { TRTLLM, "bias", 100, SILU, 10, .bias = 1 },
    { TRTLLM, "a width of 96 is padded", 100, SILU, 10, .width = 96 },
    { TRTLLM, "w4a16", 100, SILU, 0, A16, .now = R(SCHEME) },
    { TRTLLM, "CUDA for SM103", 103, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { MONOLITHIC, "input weighted", 100, SILU, 0, .input_weight = 1, .top_k = 1,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { MODULAR, "input weighted, top 1", 100, SILU, 0, .input_weight = 1, .top_k = 1 },
    { MODULAR, "input weighted, top 2", 100, SILU, 0, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },

    /* CuTe DSL: a scalar limit since 0.6.15 */
    { CUTEDSL, "input weighted, top 1", 100, SILU, 0, .input_weight = 1, .top_k = 1 },
    { CUTEDSL, "input weighted, top 2", 100, SILU, 0, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { CUTEDSL, "rows of 128", 100, SILU, 0, .width = 64 },
    { CUTEDSL, "no gate, rows of 64", 100, RELU2, 0, .width = 64, .now = R(SHAPE) },
    { CUTEDSL, "silu limit", 100, SILU, 10, FI, "0.6.14", R(CLAMP), 0, "0.6.15", 0 },
    { CUTEDSL, "silu limit SM103", 103, SILU, 10, FI, "0.6.14", R(CLAMP), 0, "0.6.15", 0 },
    { CUTEDSL, "silu alpha", 100, SILU, 0, FI, "0.6.14", R(ACTIVATION_PARAMS), 0, "0.6.15", 0,
      .has_params = 1, .alpha = 1.5, .beta = 0 },
    { CUTEDSL, "the kernel itself", 100, SILU, 0, FI, "0.6.3", R(DEPENDENCY), 0, "0.6.4", 0 },
    { CUTEDSL, "SM107", 107, SILU, 0, FI, "0.6.17", R(DEPENDENCY), 0, "0.6.18", 0 },
    { CUTEDSL, "SM107's CuTe DSL", 107, SILU, 0, DSL, "4.7", R(DEPENDENCY), 0, "4.8", 0 },
    { CUTEDSL, "SM107 limit", 107, SILU, 10, FI, "0.6.17", R(DEPENDENCY) | R(CLAMP), 0, "0.6.18", R(CLAMP) },
    { CUTEDSL, "SM107 alpha", 107, SILU, 0, .has_params = 1, .alpha = 1.5, .now = R(ACTIVATION_PARAMS) },
    { CUTEDSL, "relu2", 100, RELU2, 0, FI, "0.6.13", R(ACTIVATION), 0, "0.6.14", 0 },
    { CUTEDSL, "relu2 limit", 100, RELU2, 10, .now = R(CLAMP) },
    { CUTEDSL, "geglu tanh", 100, GELU_TANH, 0, FI, "0.6.17", R(ACTIVATION), 0, "0.6.18", 0 },
    { CUTEDSL, "geglu tanh limit", 100, GELU_TANH, 10, .now = R(CLAMP) },
    { CUTEDSL, "situ", 100, SITU, 0, FI, "0.6.17", R(ACTIVATION), 0, "0.6.18", 0 },
    { CUTEDSL, "situ limit", 100, SITU, 10, .now = R(CLAMP) },
    { CUTEDSL, "w4a16 is wired by no engine", 100, SILU, 10, A16, .now = R(SCHEME) },
    { CUTEDSL, "SM110", 110, SILU, 0, .now = R(DEVICE) },
    { CUTEDSL, "SM120", 120, SILU, 0, .now = R(DEVICE) },
    { CUTEDSL, "fp16", 100, SILU, 0, .dtype = NVFP4_DTYPE_FP16, .now = R(DTYPE) },
    { CUTEDSL, "bias", 100, SILU, 0, .bias = 1, .now = R(BIAS) },
    { CUTEDSL, "rows of 192", 100, SILU, 0, .width = 96, .now = R(SHAPE) },

    /* the masked GEMM: SiLU is fused with the quantisation and knows no limit */
    { MASKED, "silu limit", 100, SILU, 10, BATCHED, .now = R(CLAMP) },
    { MASKED, "the kernel itself", 100, SILU, 0, FI, "0.2.11", R(DEPENDENCY), 0, "0.2.12", 0, BATCHED },
    { MASKED, "SM107", 107, SILU, 0, BATCHED },
    { MASKED, "SM120", 120, SILU, 0, BATCHED, .now = R(DEVICE) },
    { MASKED, "bias", 100, SILU, 0, BATCHED, .bias = 1, .now = R(BIAS) },
    { MASKED, "another alpha", 100, SILU, 0, BATCHED, .has_params = 1, .alpha = 1.5,
      .now = R(ACTIVATION_PARAMS) },
    { MASKED, "rows of 128", 100, SILU, 0, BATCHED, .width = 64 },
    { MASKED, "rows of 192", 100, SILU, 0, BATCHED, .width = 96, .now = R(SHAPE) },
    { MASKED, "fp16", 100, SILU, 0, BATCHED, .dtype = NVFP4_DTYPE_FP16 },
    { MASKED, "fp32", 100, SILU, 0, BATCHED, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { MASKED, "input weighted, top 1", 100, SILU, 0, BATCHED, .input_weight = 1, .top_k = 1 },
    { MASKED, "input weighted, top 2", 100, SILU, 0, BATCHED, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },

    /* FlashInfer's port of b12x: a limit for the SwiGLU-OAI branch alone */
    { PORT, "the kernel itself", 120, SILU, 0, FI, "0.6.8", R(DEPENDENCY), 0, "0.6.9", 0, NO_ERRATA },
    { PORT, "silu limit", 120, SILU, 10, FI, "0.6.14", R(CLAMP), 0, "0.6.15", R(CLAMP), NO_ERRATA },
    { PORT, "silu limit, newest", 121, SILU, 10, .now = R(CLAMP) },
    { PORT, "oai limit", 120, OAI_HALVES, 10, FI, "0.6.14", R(ACTIVATION), R(CLAMP) | R(ACTIVATION_PARAMS),
      "0.6.15", 0, NO_ERRATA },
    { PORT, "clamped silu by the oai branch", 120, OAI_HALVES, 10, FI, "0.6.14", R(ACTIVATION), R(CLAMP),
      "0.6.15", 0, NO_ERRATA, .has_params = 1, .alpha = 1, .beta = 0 },
    { PORT, "oai without a limit varies by batch", 120, OAI_HALVES, 0, FI, "0.6.17", R(CLAMP), 0, NULL,
      R(CLAMP) },
    { PORT, "geglu tanh", 120, GELU_TANH, 0, FI, "0.6.14", R(ACTIVATION), 0, "0.6.15", 0, NO_ERRATA },
    { PORT, "geglu tanh limit", 120, GELU_TANH, 10, .now = R(CLAMP) },
    { PORT, "relu2", 120, RELU2, 0, FI, "0.6.8", R(DEPENDENCY), 0, "0.6.9", 0, NO_ERRATA },
    { PORT, "relu2 limit", 120, RELU2, 10, .now = R(CLAMP) },
    { PORT, "w4a16 silu limit", 120, SILU, 10, FI, "0.6.14", R(CLAMP), 0, "0.6.18", R(CLAMP), A16 },
    { PORT, "w4a16 silu", 120, SILU, 0, FI, "0.6.8", R(DEPENDENCY), 0, "0.6.9", 0, A16 },
    { PORT, "w4a16 oai at its own limit", 120, OAI_HALVES, 7, FI, "0.6.16", R(ACTIVATION), R(CLAMP), "0.6.17",
      0, A16 },
    { PORT, "w4a16 oai at another", 120, OAI_HALVES, 10, .now = R(CLAMP), A16 },
    { PORT, "w4a16 oai without a limit", 120, OAI_HALVES, 0, .now = R(CLAMP), A16 },
    { PORT, "w4a16 oai with other constants", 120, OAI_HALVES, 7, .now = R(ACTIVATION_PARAMS), A16,
      .has_params = 1, .alpha = 1, .beta = 0 },
    { PORT, "subnormal scales", 120, SILU, 0, FI, "0.6.16.post4", R(ERRATUM), 0, "0.6.17", 0 },
    { PORT, "subnormal scales, version unknown", 120, SILU, 0, .now = 0 },
    { PORT, "width of 192", 120, SILU, 0, FI, "0.6.14", R(SHAPE), 0, "0.6.15", 0, NO_ERRATA,
      .width = 192 },
    { PORT, "CUDA", 120, SILU, 0, CUDA, "12.9", R(DEPENDENCY), 0, "13.0", 0 },
    { PORT, "SM100", 100, SILU, 0, .now = R(DEVICE) },
    { PORT, "experts spread", 120, SILU, 0, .ep = 1, .now = R(PARALLEL) },
    { PORT, "fp16", 120, SILU, 0, .dtype = NVFP4_DTYPE_FP16, .now = R(DTYPE) },
    { PORT, "bias", 120, SILU, 0, .bias = 1, .now = R(BIAS) },
    { PORT, "silu with another alpha", 120, SILU, 0, .has_params = 1, .alpha = 1.5,
      .now = R(ACTIVATION_PARAMS) },
    { PORT, "input weighted, top 1", 120, SILU, 0, .input_weight = 1, .top_k = 1 },
    { PORT, "input weighted, top 2", 120, SILU, 0, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },

    /* the b12x package: limits for SiLU too */
    { "B12X", "silu limit", 120, SILU, 10, PKG, "0.21", R(CLAMP), 0, "0.23", 0 },
    { "B12X", "silu", 120, SILU, 0, PKG, "0.21", 0, 0, "0.23", 0 },
    { "B12X", "w4a8 silu limit", 121, SILU, 10, PKG, "0.21", R(CLAMP), 0, "0.23", 0, MXFP8 },
    { "B12X", "w4a16 silu limit", 121, SILU, 10, PKG, "0.14", R(CLAMP), 0, "0.15", 0, A16 },
    { "B12X", "oai limit", 120, OAI_HALVES, 10, PKG, "0.21", R(ACTIVATION), R(CLAMP), "0.22", 0 },
    { "B12X", "oai without a limit clamps at 7", 120, OAI_HALVES, 0, PKG, "0.21", R(ACTIVATION), R(CLAMP),
      "0.22", R(CLAMP) },
    { "B12X", "situ limit", 120, SITU, 10, .now = R(CLAMP) },
    { "B12X", "situ", 120, SITU, 0, .now = 0 },
    { "B12X", "relu2 limit", 120, RELU2, 10, .now = R(CLAMP) },
    { "B12X", "CuTe DSL", 120, SILU, 0, DSL, "4.5.2", R(DEPENDENCY), 0, "4.6.0", 0 },
    { "B12X", "SM122", 122, SILU, 0, .now = R(DEVICE) },
    { "B12X", "SM100", 100, SILU, 0, .now = R(DEVICE) },
    { "B12X", "silu with another alpha", 120, SILU, 10, PKG, "0.21", R(CLAMP) | R(ACTIVATION_PARAMS), 0,
      "0.23", R(ACTIVATION_PARAMS), .has_params = 1, .alpha = 1.5 },
    { "B12X", "w4a16 silu with another beta", 120, SILU, 10, PKG, "0.14", R(CLAMP) | R(ACTIVATION_PARAMS), 0,
      "0.15", R(ACTIVATION_PARAMS), A16, .has_params = 1, .alpha = 1, .beta = 1 },
    { "B12X", "fp16", 120, SILU, 0, .dtype = NVFP4_DTYPE_FP16 },
    { "B12X", "fp32", 120, SILU, 0, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { "B12X", "bias", 120, SILU, 0, .bias = 1, .now = R(BIAS) },
    { "B12X", "experts spread", 120, SILU, 0, .ep = 1, .now = R(PARALLEL) },
    { "B12X", "w4a4 weighs no input", 120, SILU, 0, .input_weight = 1, .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { "B12X", "w4a16 weighs the input", 120, SILU, 0, .input_weight = 1, A16 },

    /* vLLM's own: the activation lies between the GEMMs */
    { "VLLM_CUTLASS", "silu limit", 100, SILU, 10, .now = 0 },
    { "VLLM_CUTLASS", "silu limit SM110", 110, SILU, 10, .now = 0 },
    { "VLLM_CUTLASS", "silu limit SM129", 129, SILU, 10, .now = 0 },
    { "VLLM_CUTLASS", "SM99", 99, SILU, 10, .now = R(DEVICE) },
    { "VLLM_CUTLASS", "SM130", 130, SILU, 10, .now = R(DEVICE) },
    { "VLLM_CUTLASS", "experts spread", 100, SILU, 10, .ep = 1, .now = R(PARALLEL) },
    { "VLLM_CUTLASS", "fp16 SM100", 100, SILU, 10, .dtype = NVFP4_DTYPE_FP16 },
    { "VLLM_CUTLASS", "fp16 SM120", 120, SILU, 10, .dtype = NVFP4_DTYPE_FP16, .now = R(DTYPE) },
    { "VLLM_CUTLASS", "oai limit", 100, OAI_HALVES, 10, .now = 0 },
    { "VLLM_CUTLASS", "oai asserts a limit", 100, OAI_HALVES, 0, .now = R(CLAMP) },
    { "VLLM_CUTLASS", "geglu limit", 100, GELU, 10, .now = R(CLAMP) },
    { "VLLM_CUTLASS", "step at 7", 100, STEP, 7, .now = 0 },
    { "VLLM_CUTLASS", "bias", 100, SILU, 0, .bias = 1, .now = R(BIAS) },
    { "VLLM_CUTLASS", "silu with another alpha", 100, SILU, 10, .has_params = 1, .alpha = 1.5,
      .now = R(ACTIVATION_PARAMS) },
    { "VLLM_CUTLASS", "fp32", 100, SILU, 0, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { "VLLM_CUTLASS", "rows of 128", 100, SILU, 0, .width = 64 },
    { "VLLM_CUTLASS", "rows of 192", 100, SILU, 0, .width = 96, .now = R(SHAPE) },
    { "VLLM_CUTLASS", "input weighted, top 1", 100, SILU, 0, .input_weight = 1, .top_k = 1 },
    { "VLLM_CUTLASS", "input weighted, top 2", 100, SILU, 0, .input_weight = 1, .top_k = 2,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { "VLLM_CUTLASS", "CUDA for SM107", 107, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { "VLLM_CUTLASS", "CUDA for SM110", 110, SILU, 0, CUDA, "12.7", R(DEPENDENCY), 0, "12.8", 0 },
    { "VLLM_CUTLASS", "CUDA for SM120", 120, SILU, 0, CUDA, "12.7", R(DEPENDENCY), 0, "12.8", 0 },
    { "VLLM_CUTLASS", "CUDA for SM100", 100, SILU, 0, CUDA, "12.7", R(DEPENDENCY), 0, "12.8", 0 },
    { "VLLM_CUTLASS", "CUDA for SM103", 103, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { "VLLM_CUTLASS", "CUDA for SM121", 121, SILU, 0, CUDA, "12.8", R(DEPENDENCY), 0, "12.9", 0 },
    { "MARLIN", "silu limit", 75, SILU, 10, A16 },
    { "MARLIN", "SM74", 74, SILU, 10, A16, .now = R(DEVICE) },
    { "MARLIN", "oai limit", 90, OAI_HALVES, 3, .now = 0 },
    { "MARLIN", "oai asserts a limit", 90, OAI_HALVES, 0, .now = R(CLAMP) },
    { "MARLIN", "oai interleaved at 7", 90, OAI, 7, .now = 0 },
    { "MARLIN", "oai interleaved at 10", 90, OAI, 10, .now = R(CLAMP) },
    { "MARLIN", "oai interleaved with another alpha", 90, OAI, 7, .has_params = 1, .alpha = 1, .beta = 1,
      .now = R(ACTIVATION_PARAMS) },
    { "MARLIN", "step at 10", 90, STEP, 10, .now = R(CLAMP) },
    { "MARLIN", "step with another alpha", 90, STEP, 7, .has_params = 1, .alpha = 1.5,
      .now = R(ACTIVATION_PARAMS) },
    { "MARLIN", "a width of 96 is padded", 90, SILU, 0, .width = 96 },
    { "MARLIN", "geglu tanh limit", 90, GELU_TANH, 10, .now = R(CLAMP) },
    { "MARLIN", "situ limit", 90, SITU, 10, .now = R(CLAMP) },
    { "MARLIN", "relu2 limit", 90, RELU2, 10, .now = R(CLAMP) },
    { "MARLIN", "fp16", 90, SILU, 10, .dtype = NVFP4_DTYPE_FP16 },
    { "MARLIN", "fp32", 90, SILU, 10, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { "MARLIN", "bias and weighted input", 90, SILU, 10, .bias = 1, .input_weight = 1, .top_k = 4 },
    { "HUMMING/indexed", "silu limit", 75, SILU, 10, .now = 0 },
    { "HUMMING/indexed", "SM74", 74, SILU, 10, .now = R(DEVICE) },
    { "HUMMING/indexed", "fp16 and bias", 90, SILU, 10, .dtype = NVFP4_DTYPE_FP16, .bias = 1 },
    { "HUMMING/indexed", "fp32", 90, SILU, 10, .dtype = NVFP4_DTYPE_FP32, .now = R(DTYPE) },
    { "HUMMING/indexed", "oai interleaved at 10", 90, OAI, 10, .now = R(CLAMP) },
    { "HUMMING/indexed", "geglu limit", 90, GELU, 10, .now = R(CLAMP) },
    { "HUMMING/indexed", "weighted input", 90, SILU, 0, .input_weight = 1, .top_k = 1,
      .now = R(ROUTER_WEIGHT_ON_INPUT) },
    { "EMULATION", "oai limit", 90, OAI_HALVES, 10, .now = 0 },
    { "EMULATION", "step at 10", 90, STEP, 10, .now = R(CLAMP) },
    { "EMULATION", "situ limit", 90, SITU, 10, .now = R(CLAMP) },
    { "EMULATION", "fp32", 90, SILU, 10, .dtype = NVFP4_DTYPE_FP32 },
    { "EMULATION", "bias", 90, SILU, 10, .bias = 1, .now = R(BIAS) },
};

static nvfp4_moe_layer layer_of(const struct row *row)
{
    nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
    l.scheme = row->scheme;
    l.activation = row->activation;
    l.dtype = row->dtype;
    l.has = row->limit > 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    l.swiglu_limit = row->limit;
    if (row->has_params)
        l.has |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA;
    l.swiglu_alpha = row->alpha;
    l.swiglu_beta = row->beta;
    l.intermediate_size = row->width;
    l.top_k = row->top_k;
    l.bias = (uint8_t)row->bias;
    l.router_weight_on_input = (uint8_t)row->input_weight;
    l.per_token_activation_scale = (uint8_t)row->per_token;
    return l;
}

static nvfp4_deployment deployment_of(const struct row *row, nvfp4_kernel_set kernels)
{
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    nvfp4_kernel_info info;
    size_t first = 0;
    while (!(kernels >> first & 1))
        first++;
    assert_int_equal(nvfp4_policy_kernel(NULL, first, &info), NVFP4_OK);
    d.requested = info.backend;
    d.device.sm = row->sm;
    d.format = row->format;
    d.errata_off = row->errata_off;
    d.tensor_parallel = row->ep ? 2 : 1;
    d.expert_parallel = (uint8_t)row->ep;
    return d;
}

/* Judges with one version of the row's library; NULL: unknown. */
static void reasons_are(const struct row *row, const char *version, nvfp4_reason_set want,
                        nvfp4_reason_set unsaid)
{
    nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
    nvfp4_kernel_set kernels = 0;
    assert_int_equal(nvfp4_policy_find_kernels(NULL, row->kernel, &kernels), NVFP4_OK);
    const nvfp4_moe_layer l = layer_of(row);
    nvfp4_deployment d = deployment_of(row, kernels);
    if (version != NULL)
        assert_int_equal(nvfp4_version_parse(version, &d.libraries[row->library]), NVFP4_OK);
    assert_int_equal(nvfp4_judge(&l, &d, nvfp4_policy_builtin("kernels-2026-11"), &v), NVFP4_OK);
    for (int i = 0; i < v.kernel_count; i++)
        if ((kernels >> i & 1) && (v.reasons[i] & ~unsaid) != want)
            fail_msg("%s, %s, version %s: reasons %#x, want %#x", row->kernel, row->name,
                     version != NULL ? version : "unknown", (unsigned)v.reasons[i], (unsigned)want);
}

static void run_row(void **state)
{
    const struct row *row = *state;
    if (row->older != NULL)
        reasons_are(row, row->older, row->then, row->unsaid);
    reasons_are(row, row->since, row->now, 0);
}

/* No policy named: the default one. */
static void default_is_this_policy(void **state)
{
    (void)state;
    assert_string_equal(nvfp4_policy_name(NULL), "kernels-2026-11");
}

/* Every FlashInfer kernel needs it, b12x and HUMMING need theirs, and no kernel needs a known vLLM. */
static void absent_libraries_are_dependencies(void **state)
{
    static const struct {
        int library;
        nvfp4_backend_set needed_by;
    } needs[] = {
#define BIT(name) NVFP4_BACKEND_BIT(NVFP4_BACKEND_##name)
        { NVFP4_LIBRARY_FLASHINFER, BIT(FLASHINFER_TRTLLM) | BIT(FLASHINFER_CUTLASS) |
                                        BIT(FLASHINFER_CUTEDSL) | BIT(FLASHINFER_CUTEDSL_BATCHED) |
                                        BIT(FLASHINFER_B12X) },
        { NVFP4_LIBRARY_B12X, BIT(B12X) },
        { NVFP4_LIBRARY_HUMMING, BIT(HUMMING) },
        { NVFP4_LIBRARY_CUTLASS_DSL, BIT(B12X) },
        { NVFP4_LIBRARY_VLLM, 0 },
    };
    const nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(needs); i++) {
        nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        nvfp4_kernel_info info;
        d.device.sm = 120;
        d.libraries[needs[i].library] = NVFP4_LIBRARY_ABSENT;
        assert_int_equal(nvfp4_judge(&l, &d, NULL, &v), NVFP4_OK);
        for (int k = 0; k < v.kernel_count; k++) {
            assert_int_equal(nvfp4_policy_kernel(NULL, (size_t)k, &info), NVFP4_OK);
            assert_int_equal((v.reasons[k] & R(DEPENDENCY)) != 0,
                             (int)(needs[i].needed_by >> info.backend & 1));
        }
    }
}

/* One shape only, on both schemes and SMs, with every version. */
static void the_crash_of_512_experts(void **state)
{
    static const struct {
        nvfp4_sm sm;
        int64_t experts, hidden, width, top_k;
        int tp, scheme, holds;
        const char *version;
    } cases[] = {
        { 120, 512, 2560, 640, 10, 1, NVFP4_SCHEME_W4A4, 1, "0.6.18.post1" },
        { 121, 512, 2560, 640, 10, 1, NVFP4_SCHEME_W4A16, 1, "0.7.0" },
        { 120, 512, 2560, 640, 10, 1, NVFP4_SCHEME_W4A4, 1, NULL },
        { 120, 512, 2560, 1280, 10, 2, NVFP4_SCHEME_W4A4, 1, NULL },
        { 120, 512, 2560, 640, 10, 2, NVFP4_SCHEME_W4A4, 0, NULL },
        { 120, 256, 2560, 640, 10, 1, NVFP4_SCHEME_W4A4, 0, NULL },
        { 120, 512, 2048, 640, 10, 1, NVFP4_SCHEME_W4A4, 0, NULL },
        { 120, 512, 2560, 768, 10, 1, NVFP4_SCHEME_W4A4, 0, NULL },
        { 120, 512, 2560, 640, 8, 1, NVFP4_SCHEME_W4A4, 0, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
        nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
        nvfp4_selection s;
        l.scheme = cases[i].scheme;
        l.num_experts = cases[i].experts;
        l.hidden_size = cases[i].hidden;
        l.intermediate_size = cases[i].width;
        l.top_k = cases[i].top_k;
        d.device.sm = cases[i].sm;
        d.tensor_parallel = cases[i].tp;
        d.requested = NVFP4_BACKEND_FLASHINFER_B12X;
        if (cases[i].version != NULL)
            assert_int_equal(nvfp4_version_parse(cases[i].version, &d.libraries[NVFP4_LIBRARY_FLASHINFER]),
                             NVFP4_OK);
        assert_int_equal(nvfp4_select_backend(&l, &d, NULL, &s),
                         cases[i].holds ? NVFP4_EREFUSED : NVFP4_OK);
    }
}

/* In which numbers a kernel wants its limit, where it clamps, and how it wants the halves and widths. */
static void what_to_forward(void **state)
{
#define SPACE(name) NVFP4_LIMIT_SPACE_##name
#define HALVES(name) NVFP4_HALVES_##name
    static const struct {
        struct row row; /* width 96: padded or not */
        int space, after, halves;
        int64_t padded;
        double limit, alpha, beta;
    } cases[] = {
        { { TRTLLM, "", 100, SILU, 10, .now = 0 }, SPACE(RAW_ACCUMULATOR), 0, HALVES(UP_GATE), 128, 10, 1, 0 },
        { { TRTLLM, "", 100, OAI_HALVES, 10, .now = 0 }, SPACE(RAW_ACCUMULATOR), 0, HALVES(UP_GATE), 128, 10,
          1.702, 1 },
        { { CUTLASS, "", 120, SILU, 10, .now = 0 }, SPACE(REAL), 0, HALVES(UP_GATE), 96, 10, 1, 0 },
        { { CUTLASS, "", 120, STEP, 7, .now = 0 }, SPACE(REAL), 1, HALVES(UP_GATE), 96, 7, 1, 0 },
        { { CUTLASS, "", 120, RELU2, 0, .now = 0 }, SPACE(REAL), 0, HALVES(AUTO), 128, 0, 1, 0 },
        { { CUTEDSL, "", 100, SILU, 10, .now = 0 }, SPACE(REAL), 0, HALVES(UP_GATE_BY_64), 96, 10, 1, 0 },
        { { PORT, "", 120, OAI_HALVES, 10, .now = 0 }, SPACE(REAL), 0, HALVES(UP_GATE), 128, 10, 1.702, 1 },
        { { PORT, "", 120, OAI_HALVES, 7, A16 }, SPACE(FIXED), 0, HALVES(UP_GATE), 128, 7, 1.702, 1 },
        { { "B12X", "", 120, SILU, 10, .now = 0 }, SPACE(REAL), 0, HALVES(GATE_UP), 96, 10, 1, 0 },
        { { "VLLM_CUTLASS", "", 120, SILU, 10, .now = 0 }, SPACE(REAL), 0, HALVES(GATE_UP), 96, 10, 1, 0 },
        { { "MARLIN", "", 90, SILU, 10, .now = 0 }, SPACE(REAL), 0, HALVES(GATE_UP), 128, 10, 1, 0 },
        { { "MARLIN", "", 90, OAI, 7, .now = 0 }, SPACE(FIXED), 0, HALVES(GATE_UP_BY_1), 128, 7, 1.702, 1 },
        { { "MARLIN", "", 90, STEP, 7, .now = 0 }, SPACE(FIXED), 1, HALVES(GATE_UP), 128, 7, 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nvfp4_kernel_set kernels = 0;
        nvfp4_forward f;
        assert_int_equal(nvfp4_policy_find_kernels(NULL, cases[i].row.kernel, &kernels), NVFP4_OK);
        nvfp4_moe_layer l = layer_of(&cases[i].row);
        const nvfp4_deployment d = deployment_of(&cases[i].row, kernels);
        l.intermediate_size = 96;
        for (int32_t k = 0; k < 64; k++) {
            if (!(kernels >> k & 1))
                continue;
            assert_int_equal(nvfp4_forward_to(&l, &d, NULL, k, &f), NVFP4_OK);
            assert_int_equal(f.limit_space, cases[i].space);
            assert_int_equal(f.after_activation, cases[i].after);
            assert_int_equal(f.halves, cases[i].halves);
            assert_int_equal(f.intermediate_padded, cases[i].padded);
            assert_int_equal(f.has_limit, cases[i].limit > 0);
            assert_true(f.limit == cases[i].limit && f.alpha == cases[i].alpha && f.beta == cases[i].beta);
        }
    }
}

/* What no one has proven either way is told. */
static void doubts_are_told(void **state)
{
    static const struct {
        struct row row;
        int doubtful;
    } cases[] = {
        { { CUTLASS, "", 110, SILU, 10, .now = 0 }, 1 },
        { { CUTLASS, "", 120, SILU, 10, .now = 0 }, 0 },
        { { TRTLLM, "", 100, GELU_TANH, 0, .now = 0 }, 1 },
        { { TRTLLM, "", 100, GELU, 0, .now = 0 }, 0 },
        { { TRTLLM, "", 100, SILU, 0, .per_token = 1 }, 1 },
        { { TRTLLM, "", 100, SILU, 10, .now = 0 }, 0 },
        { { "HUMMING", "", 90, SILU, 10, .now = 0 }, 1 },
        { { "MARLIN", "", 90, SILU, 10, .now = 0 }, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        nvfp4_kernel_set kernels = 0;
        assert_int_equal(nvfp4_policy_find_kernels(NULL, cases[i].row.kernel, &kernels), NVFP4_OK);
        const nvfp4_moe_layer l = layer_of(&cases[i].row);
        const nvfp4_deployment d = deployment_of(&cases[i].row, kernels);
        assert_int_equal(nvfp4_judge(&l, &d, NULL, &v), NVFP4_OK);
        assert_int_equal(v.status, NVFP4_OK);
        assert_int_equal(v.warnings >> NVFP4_WARNING_LOW_CONFIDENCE & 1, cases[i].doubtful);
        assert_int_equal(v.doubt != NULL, cases[i].doubtful);
    }
}

int main(void)
{
    enum { N = COUNT_OF(rows) };
    struct CMUnitTest tests[N + 5];
    size_t n = 0;
    for (; n < N; n++)
        tests[n] = (struct CMUnitTest){ .name = rows[n].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[n] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(default_is_this_policy);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(absent_libraries_are_dependencies);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(the_crash_of_512_experts);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(what_to_forward);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(doubts_are_told);
    return _cmocka_run_group_tests("default", tests, n, NULL, NULL);
}
