/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_H
#define NVFP4MOE_VERIFY_H

/**
 * @file verify.h
 * @brief Does a kernel really compute what its row says? NVFP4 numbers, a reference layer, and a
 * kit that names the fault from the outside.
 *
 * The kit works in three steps: nvfp4_verify_plan() makes inputs for a claim, the engine runs its
 * kernel on every nvfp4_verify_run, nvfp4_verify_judge() reads the outputs. Functions that allocate
 * say so; nothing here reads or writes files.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/layer.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Numbers
 * Single numbers of the formats. Encoders round to nearest, ties to the even mantissa, exactly and
 * once (from a double); decoders are exact.
 * @{ */

/** Elements that share one block scale, along K. */
#define NVFP4_BLOCK 16
/** Largest E2M1 and largest E4M3 magnitude. */
#define NVFP4_E2M1_MAX 6.0
#define NVFP4_E4M3_MAX 448.0

/**
 * @brief Nearest E2M1 code, 0 to 15, sign in bit 3.
 *
 * Saturates at 6. Zero and what rounds to zero keep the sign (-0.1 gives code 8). NaN, for which
 * the format has no code, gives +6 as the conversion instruction of the hardware does.
 * @since 0.1
 */
NVFP4_API uint8_t nvfp4_e2m1_encode(double x);

/** @brief Value of the low four bits of @p code; code 8 is -0. @since 0.1 */
NVFP4_API double nvfp4_e2m1_decode(uint8_t code);

/**
 * @brief Nearest E4M3 (FN) code: no infinities, NaN is 0x7F or 0xFF, subnormals down to 2^-9.
 *
 * Saturates at 448, infinities included. NaN gives 0x7F with the sign of @p x.
 * @since 0.1
 */
NVFP4_API uint8_t nvfp4_e4m3_encode(double x);

/** @brief Value of an E4M3 (FN) code; NaN for 0x7F and 0xFF. @since 0.1 */
NVFP4_API double nvfp4_e4m3_decode(uint8_t code);

/** @brief Nearest bfloat16; overflows to infinity, NaN gives a quiet NaN. @since 0.1 */
NVFP4_API uint16_t nvfp4_bf16_encode(double x);
/** @brief Value of a bfloat16. @since 0.1 */
NVFP4_API double nvfp4_bf16_decode(uint16_t bits);
/** @brief Nearest IEEE binary16; overflows to infinity, NaN gives a quiet NaN. @since 0.1 */
NVFP4_API uint16_t nvfp4_fp16_encode(double x);
/** @brief Value of an IEEE binary16. @since 0.1 */
NVFP4_API double nvfp4_fp16_decode(uint16_t bits);

/**
 * @brief @p x rounded to the nearest number of a type.
 * @param x     Any number; NaN and infinities come back as they are.
 * @param dtype An ::nvfp4_dtype; any other number leaves @p x as it is.
 * @since 0.1
 */
NVFP4_API double nvfp4_round_to(double x, int32_t dtype);
/** @} */

/** @name Matrices
 * @{ */

/** Where the scale of a block lies: name, value, word. */
#define NVFP4_SCALE_ORDER_MAP(X)                                                                   \
    X(LINEAR, 0, "linear") /* [rows, K/16] */                                                      \
    X(128X4, 1, "128x4")   /* tiles of 128 rows and 4 scales, rows and scales padded to them */

typedef enum nvfp4_scale_order {
#define X(name, value, word) NVFP4_SCALE_ORDER_##name = (value),
    NVFP4_SCALE_ORDER_MAP(X)
#undef X
        NVFP4_SCALE_ORDER_COUNT
} nvfp4_scale_order;

/** What a global scale G means: name, value, word. A value is code * block scale * G or / G. */
#define NVFP4_GLOBAL_KIND_MAP(X)                                                                   \
    X(MULTIPLIER, 0, "multiplier") /* ModelOpt: amax / 2688 */                                     \
    X(RECIPROCAL, 1, "reciprocal") /* compressed-tensors: 2688 / amax */

typedef enum nvfp4_global_kind {
#define X(name, value, word) NVFP4_GLOBAL_KIND_##name = (value),
    NVFP4_GLOBAL_KIND_MAP(X)
#undef X
        NVFP4_GLOBAL_KIND_COUNT
} nvfp4_global_kind;

/** Shape and conventions of one NVFP4 matrix; blocks run along its columns. */
typedef struct nvfp4_matrix_format {
    size_t struct_size;
    size_t rows;         /**< may be 0 */
    size_t cols;         /**< a multiple of 16 */
    int32_t scale_order; /**< an ::nvfp4_scale_order */
    int32_t global_kind; /**< an ::nvfp4_global_kind */
    double global_scale; /**< finite, > 0 */
} nvfp4_matrix_format;

/** An empty matrix, scales in linear order, global scale 1. */
#define NVFP4_MATRIX_FORMAT_INIT                                                                   \
    {                                                                                              \
        sizeof(nvfp4_matrix_format), 0, 0, NVFP4_SCALE_ORDER_LINEAR, NVFP4_GLOBAL_KIND_MULTIPLIER, \
            1.0                                                                                    \
    }

/**
 * @brief Bytes of the codes and of the scales of a matrix.
 *
 * Two codes share a byte, element 2i in the low half, 2i+1 in the high half. In 128x4 order the
 * scales are padded.
 *
 * @param      format Not retained.
 * @param[out] codes  rows * cols / 2; may be NULL.
 * @param[out] scales May be NULL.
 * @retval NVFP4_EINVAL  @p format is NULL or a field of it is out of its range.
 * @retval NVFP4_EABI    Its `struct_size` is too small.
 * @retval NVFP4_ELIMIT  The sizes do not fit in memory.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_matrix_bytes(const nvfp4_matrix_format *format, size_t *codes,
                                          size_t *scales);

/**
 * @brief Where the scale of block @p block of row @p row lies.
 * @param      format Not retained.
 * @param      row    Less than `rows`.
 * @param      block  Less than `cols / 16`.
 * @param[out] offset In bytes from the first scale.
 * @retval NVFP4_EINVAL @p row or @p block is out of range, or as for nvfp4_matrix_bytes().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_scale_offset(const nvfp4_matrix_format *format, size_t row,
                                          size_t block, size_t *offset);

/**
 * @brief Quantise a matrix.
 *
 * A block's scale is the E4M3 number nearest to amax / 6 / G (to amax / 6 * G for a reciprocal);
 * its codes are the E2M1 numbers nearest to value / (scale * G). Both roundings are exact. A block
 * whose scale rounds to zero gets zero codes. NaN counts as nothing in amax and becomes +6;
 * infinities saturate. Padding of the scales is zeroed.
 *
 * @param      format Not retained.
 * @param      values [rows, cols], row by row.
 * @param[out] codes  As many bytes as nvfp4_matrix_bytes() says.
 * @param[out] scales As many bytes as nvfp4_matrix_bytes() says.
 * @retval NVFP4_EINVAL A pointer is NULL, or as for nvfp4_matrix_bytes().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_quantize(const nvfp4_matrix_format *format, const float *values,
                                      uint8_t *codes, uint8_t *scales);

/**
 * @brief Dequantise a matrix.
 * @param      format Not retained.
 * @param      codes  As nvfp4_quantize() writes them.
 * @param      scales As nvfp4_quantize() writes them; a NaN scale makes its block NaN.
 * @param[out] values [rows, cols], row by row; each the float nearest to code * scale * G.
 * @retval NVFP4_EINVAL A pointer is NULL, or as for nvfp4_matrix_bytes().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_dequantize(const nvfp4_matrix_format *format, const uint8_t *codes,
                                        const uint8_t *scales, float *values);
/** @} */

/** @name Activations and the reference layer
 * @{ */

/** Points between the GEMMs where kernels round to their 16-bit type (bits). */
enum {
    NVFP4_ROUND_INPUT = 1u << 0,   /**< gate and up, as the first GEMM hands them over */
    NVFP4_ROUND_CLAMPED = 1u << 1, /**< gate and up after the clamp, the limit included */
    NVFP4_ROUND_STEPS = 1u << 2,   /**< every step inside the activation */
    NVFP4_ROUND_OUTPUT = 1u << 3   /**< what the activation hands on */
};

/**
 * @brief Row of the first GEMM that holds channel @p channel's gate (@p half 0) or up (@p half 1).
 * @param halves  An ::nvfp4_halves other than AUTO.
 * @param half    0 or 1.
 * @param channel Less than @p n.
 * @param n       Channels; a multiple of 64 for the forms by 64.
 * @return 0 for arguments out of range.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_halves_row(int32_t halves, int32_t half, size_t channel, size_t n);

/**
 * @brief Apply a layer's activation in float64.
 *
 * With a limit every gated form clamps before its function, swiglustep behind it; forms without a
 * gate clamp their one input from above. SiTU is b*tanh(g/b)*sigmoid(g) * c*tanh(u/c) with b =
 * situ_beta (absent: 4) and c = situ_linear_beta (absent: no cap on up). NaN stays NaN.
 *
 * @param      layer    Activation and its numbers; sizes are not looked at. Not retained.
 * @param      halves   An ::nvfp4_halves; not looked at for forms without a gate.
 * @param      dtype    Type rounded to at @p points: an ::nvfp4_dtype.
 * @param      points   NVFP4_ROUND_* bits; 0: no rounding at all.
 * @param      rows     Rows.
 * @param      n        Channels in the output.
 * @param      gate_up  [rows, 2n], or [rows, n] for forms without a gate.
 * @param[out] out      [rows, n].
 * @retval NVFP4_EINVAL A pointer is NULL, a number of @p layer is out of range, @p n does not fit
 *                      @p halves.
 * @retval NVFP4_EABI   `layer->struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_activate(const nvfp4_moe_layer *layer, int32_t halves, int32_t dtype,
                                      uint32_t points, size_t rows, size_t n, const float *gate_up,
                                      double *out);

/**
 * One layer with its weights and inputs, all arrays the caller's, none retained.
 *
 * Of `layer` activation, its numbers, scheme (W4A4 or W4A16) and the four sizes are used; the sizes
 * must be set. Weights are NVFP4 matrices, one behind the other: w13 of [2N, K] (forms without a
 * gate: [N, K]), w2 of [K, N], with N intermediate_size and K hidden_size.
 */
typedef struct nvfp4_moe_problem {
    size_t struct_size;
    const nvfp4_moe_layer *layer; /**< as said above */
    int64_t tokens;               /**< at least 0 */
    const float *x;              /**< [tokens, K]; at W4A4 quantised with x_global */
    const int32_t *expert_ids;   /**< [tokens, top_k]; negative: no expert */
    const float *expert_weights; /**< [tokens, top_k], applied to the output */
    const uint8_t *w13;        /**< codes as nvfp4_quantize() writes them */
    const uint8_t *w13_scales; /**< their block scales */
    const float *w13_global;   /**< [num_experts] */
    const uint8_t *w2;         /**< likewise */
    const uint8_t *w2_scales;  /**< likewise */
    const float *w2_global; /**< [num_experts] */
    float x_global;         /**< global scale of x, W4A4 only */
    float h_global;         /**< global scale of the activation's output, W4A4 only */
    int32_t halves;         /**< an ::nvfp4_halves */
    int32_t scale_order;    /**< an ::nvfp4_scale_order, of all weights */
    int32_t global_kind;    /**< an ::nvfp4_global_kind, of all global scales */
    uint32_t points;        /**< NVFP4_ROUND_* bits: where to round to `layer->dtype`; 0: nowhere */
} nvfp4_moe_problem;

/**
 * @brief The layer's output, accumulated in float64.
 *
 * Allocates scratch memory of a few matrices and frees it.
 *
 * @param      problem Not retained.
 * @param[out] out     [tokens, K]; contents undefined after a failure.
 * @retval NVFP4_EINVAL A pointer is NULL, a size or an expert id is out of range.
 * @retval NVFP4_EABI   A `struct_size` is too small.
 * @retval NVFP4_ENOMEM No memory.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_moe_reference(const nvfp4_moe_problem *problem, double *out);
/** @} */

/** @name The kit
 * @{ */

/** Verdicts: name, value, word. All but HONOURS, OTHER and UNDECIDED name one fault. */
#define NVFP4_VERDICT_MAP(X)                                                                       \
    X(HONOURS, 1, "honours")                     /* does what it claims */                         \
    X(IGNORES_LIMIT, 2, "ignores_limit")         /* clamps neither half */                         \
    X(GATE_ONLY, 3, "gate_only")                 /* clamps the gate, not up */                     \
    X(UP_ONLY, 4, "up_only")                     /* clamps up, not the gate */                     \
    X(GATE_TWO_SIDED, 5, "gate_two_sided")       /* clamps the gate from below as well */          \
    X(AFTER_ACTIVATION, 6, "after_activation")   /* clamps the gate behind the activation */       \
    X(BEFORE_ACTIVATION, 7, "before_activation") /* the reverse, for swiglustep */                 \
    X(WRONG_LIMIT, 8, "wrong_limit")             /* clamps at another limit, say 7.0 always */     \
    X(LIMIT_NOT_SCALED, 9, "limit_not_scaled")   /* holds the limit against the raw accumulator */ \
    X(ALPHA_IGNORED, 10, "alpha_ignored")                                                          \
    X(BETA_IGNORED, 11, "beta_ignored")                                                            \
    X(HALVES_SWAPPED, 12, "halves_swapped")         /* takes gate for up and up for gate */        \
    X(INTERLEAVING_WRONG, 13, "interleaving_wrong") /* pairs the wrong rows */                     \
    X(SCALE_RECIPROCAL, 14, "scale_reciprocal")     /* a global scale taken for its reciprocal */  \
    X(NAN_HIDDEN, 15, "nan_hidden")                 /* clamps right, but makes NaN a number */     \
    X(VARIES_WITH_BATCH, 16, "varies_with_batch")   /* computes something else at another size */  \
    X(OTHER, 17, "other")                           /* none of these */                            \
    X(UNDECIDED, 18, "undecided")                   /* more than one of these */

typedef enum nvfp4_verdict {
    NVFP4_VERDICT_NONE = 0, /**< not judged */
#define X(name, value, word) NVFP4_VERDICT_##name = (value),
    NVFP4_VERDICT_MAP(X)
#undef X
        NVFP4_VERDICT_COUNT
} nvfp4_verdict;

/** A set of verdicts: bit v is set when the ::nvfp4_verdict v is a member. */
typedef uint32_t nvfp4_verdict_set;
#define NVFP4_VERDICT_BIT(v) ((nvfp4_verdict_set)1 << (v))

/** What is run: name, value, word. */
#define NVFP4_VERIFY_LEVEL_MAP(X)                                                                  \
    X(ACTIVATION, 0, "activation") /* gate and up in, the activation's output out */               \
    X(MOE, 1, "moe")               /* a whole layer */

typedef enum nvfp4_verify_level {
#define X(name, value, word) NVFP4_VERIFY_LEVEL_##name = (value),
    NVFP4_VERIFY_LEVEL_MAP(X)
#undef X
        NVFP4_VERIFY_LEVEL_COUNT
} nvfp4_verify_level;

/**
 * What a kernel is claimed to do, and how it wants its inputs.
 *
 * `layer` says activation, scheme (W4A4 or W4A16), limit, alpha, beta, and the dtype that the
 * kernel may round to between its steps (FP32: float32 throughout). Its sizes are those of the
 * test, not of a model; 0 takes the default: hidden 512, intermediate 256, 8 experts, top 2. hidden
 * must be a multiple of 32 from 256, intermediate a multiple of 64 from 128, top_k 1 to 8 and not
 * more than the experts. A limit must lie within 1/16 and 512 (fp16: 32).
 *
 * At level ACTIVATION the scheme says what leaves the kernel: at W4A4 the output has been quantised
 * to NVFP4 (with h_global) and dequantised again, at W4A16 it is of `layer->dtype`.
 */
typedef struct nvfp4_verify_claim {
    size_t struct_size;
    const nvfp4_moe_layer *layer; /**< copied */
    int32_t level;                /**< an ::nvfp4_verify_level */
    int32_t halves;               /**< an ::nvfp4_halves */
    int32_t scale_order;          /**< an ::nvfp4_scale_order, of weights and quantised x */
    int32_t global_kind;          /**< an ::nvfp4_global_kind, of all global scales */
    uint32_t
        free_params; /**< which of the limit, alpha and beta a caller can set: NVFP4_HAS_SWIGLU_*
                          bits. The plan then runs the kernel at values of its own as well */
    int32_t tokens;  /**< of the large batch, 8 to 4096; 0: 64 */
    int32_t small_tokens; /**< of the small batch, 4 to tokens; 0: 4 */
    int32_t reserved;     /**< 0 */
    double exp_error;     /**< relative error of the kernel's exponentials, 0 to 0.01 */
    double sigmoid_error; /**< absolute error of its sigmoid beyond float32's, 0 to 0.01: 2^-12
                             where it is made from an approximate tanh */
    uint64_t seed;        /**< every seed makes another plan */
} nvfp4_verify_claim;

/** A whole layer, limit settable, exponentials good to 1e-3; `layer` must be set. */
#define NVFP4_VERIFY_CLAIM_INIT                                                                    \
    {                                                                                              \
        sizeof(nvfp4_verify_claim), NULL, NVFP4_VERIFY_LEVEL_MOE, NVFP4_HALVES_AUTO,               \
            NVFP4_SCALE_ORDER_LINEAR, NVFP4_GLOBAL_KIND_MULTIPLIER, NVFP4_HAS_SWIGLU_LIMIT, 0, 0,  \
            0, 1e-3, 0.0, 1                                                                        \
    }

/** A plan: inputs, weights and what each hypothesis predicts. Immutable once made. */
typedef struct nvfp4_verification nvfp4_verification;

/**
 * One call of the kernel. All pointers are into the plan and live as long as it does.
 *
 * Level MOE: run `problem` (it can be handed to nvfp4_moe_reference()); out is [tokens,
 * K]. Level ACTIVATION: apply the activation to `gate_up`; a kernel that works on the raw
 * accumulator takes `accumulator` and `dequant` instead; out is [tokens, N]. Every number fed in is
 * exact in bf16 and fp16.
 */
typedef struct nvfp4_verify_run {
    size_t struct_size;
    const nvfp4_moe_layer *layer; /**< limit, alpha and beta of this run */
    int64_t tokens;                   /**< rows of input and output */
    int64_t columns;                  /**< of the output */
    const nvfp4_moe_problem *problem; /**< level MOE; else NULL */
    const uint8_t *x_codes;           /**< level MOE, W4A4: x quantised with x_global */
    const uint8_t *x_scales;          /**< in the claim's scale order */
    const float *gate_up;             /**< level ACTIVATION: [tokens, 2N] in the claim's halves */
    const float *accumulator;         /**< level ACTIVATION: gate_up before dequantisation */
    const float *dequant; /**< level ACTIVATION: [tokens], gate_up = accumulator * dequant */
    float h_global;       /**< W4A4: global scale of the activation's output */
    int32_t small;        /**< 1: of the small batch */
    int32_t has_nan;      /**< 1: holds NaN on purpose */
    int32_t halves;       /**< how gate and up share the rows, an ::nvfp4_halves; never AUTO */
    int32_t reserved;     /**< 0 */
} nvfp4_verify_run;

/** Nothing yet. */
#define NVFP4_VERIFY_RUN_INIT                                                                      \
    {                                                                                              \
        sizeof(nvfp4_verify_run), NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0    \
    }

/** What the outputs say. */
typedef struct nvfp4_verify_result {
    size_t struct_size;
    int32_t verdict;             /**< an ::nvfp4_verdict */
    nvfp4_verdict_set faults;    /**< every fault in the explanation found: some come together */
    nvfp4_verdict_set remaining; /**< UNDECIDED: what it may be; else the verdict alone */
    int32_t small_verdict;       /**< VARIES_WITH_BATCH: what the small batch alone says, */
    int32_t large_verdict;       /**< and the large one */
    int32_t worst_run;           /**< element furthest from the claim; -1: none */
    int64_t worst_row;           /**< where it is in that run's output */
    int64_t worst_column;        /**< likewise */
    double worst_expected; /**< what the claim predicts there */
    double worst_got;      /**< what is there */
    double limit;     /**< WRONG_LIMIT: the limit the kernel clamps at, */
    double limit_low; /**< and the range of limits that explain the outputs as well */
    double limit_high; /**< its upper end */
    double confidence;   /**< 0 to 1: 1 - distance of this verdict / distance of the next */
    double distance[32]; /**< by ::nvfp4_verdict: largest deviation from what it predicts, in
                              tolerances (up to 1 explains the outputs); negative: not tested */
} nvfp4_verify_result;

/** Not judged yet. */
#define NVFP4_VERIFY_RESULT_INIT                                                                   \
    {                                                                                              \
        sizeof(nvfp4_verify_result), NVFP4_VERDICT_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/**
 * @brief Make a plan. Allocates; free it with nvfp4_verification_destroy().
 *
 * The same claim gives the same plan on every machine.
 *
 * @param      claim Not retained.
 * @param[out] plan  Owned by the caller.
 * @retval NVFP4_EINVAL A pointer is NULL or a number is out of range.
 * @retval NVFP4_EABI   A `struct_size` is too small.
 * @retval NVFP4_ELIMIT The sizes ask for more than 1 GiB.
 * @retval NVFP4_ENOMEM No memory.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_verify_plan(const nvfp4_verify_claim *claim,
                                         nvfp4_verification **plan);

/** @brief Free a plan. @param plan May be NULL. @since 0.1 */
NVFP4_API void nvfp4_verification_destroy(nvfp4_verification *plan);

/** @brief Calls of the kernel that the plan asks for. @return 0 for NULL. @since 0.1 */
NVFP4_API size_t nvfp4_verify_run_count(const nvfp4_verification *plan);

/**
 * @brief One call of the kernel.
 * @param      plan  Not NULL.
 * @param      index Less than nvfp4_verify_run_count().
 * @param[in,out] run `struct_size` in; its pointers live as long as @p plan.
 * @retval NVFP4_EINVAL A pointer is NULL or @p index is out of range.
 * @retval NVFP4_EABI   `run->struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_verify_get_run(const nvfp4_verification *plan, size_t index,
                                            nvfp4_verify_run *run);

/**
 * @brief What the plan tests: HONOURS, and each fault that would change some output.
 *
 * A fault that makes no difference under the claim (alpha ignored where alpha is the built-in one)
 * is not a member, nor is NAN_HIDDEN where outputs are quantised to NVFP4, which has no NaN.
 * @return 0 for NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_verdict_set nvfp4_verify_tested(const nvfp4_verification *plan);

/**
 * @brief Those verdicts that @p verdict may be mistaken for: some output differs, none by more than
 * the tolerances of both. A kernel within tolerance of @p verdict is judged UNDECIDED between them
 *        at worst.
 * @return 0 when all that the plan tests is told apart from it; 0 for NULL or an unknown verdict.
 * @since 0.1
 */
NVFP4_API nvfp4_verdict_set nvfp4_verify_confusable(const nvfp4_verification *plan,
                                                    nvfp4_verdict verdict);

/**
 * @brief Name what the kernel does.
 *
 * Allocates a little scratch memory and frees it.
 *
 * @param      plan    Not NULL.
 * @param      outputs One array for each run: [tokens, columns], 16-bit outputs widened to float.
 * @param      count   Must be nvfp4_verify_run_count().
 * @param[in,out] result `struct_size` in.
 * @retval NVFP4_EINVAL A pointer is NULL or @p count is wrong.
 * @retval NVFP4_EABI   `result->struct_size` is too small.
 * @retval NVFP4_ENOMEM No memory.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_verify_judge(const nvfp4_verification *plan,
                                          const float *const *outputs, size_t count,
                                          nvfp4_verify_result *result);

/** Where and what was verified. Strings are the caller's; NULL reads as "". */
typedef struct nvfp4_verify_subject {
    size_t struct_size;
    const char *device;  /**< the GPU, say "NVIDIA H200 (sm 90)" */
    const char *kernel;  /**< the backend, say "FLASHINFER_CUTLASS" */
    const char *version; /**< of the library it comes from, say "flashinfer 0.6.18" */
} nvfp4_verify_subject;

/** Nothing known. */
#define NVFP4_VERIFY_SUBJECT_INIT                                                                  \
    {                                                                                              \
        sizeof(nvfp4_verify_subject), NULL, NULL, NULL                                             \
    }

/**
 * @brief Write a result as a YAML document, to keep or to put in a policy file as evidence.
 *
 * Keys, in this order: `format` ("nvfp4moe-verification/1"), `device`, `kernel`, `version`, `claim`
 * (level, scheme, activation, swiglu_limit, swiglu_alpha, swiglu_beta, dtype, halves, seed),
 * `verdict`, then `verified: honours` where the kernel honours its claim, `rule_out: clamp` where
 * it does not (not for nan_hidden and undecided, which are neither), `faults`, `remaining`, `limit`
 * (wrong_limit), `confidence`, `worst` (run, row, column, expected, got). All text is quoted, so
 * that the document is well-formed whatever the strings hold.
 *
 * @param      plan     Not NULL.
 * @param      result   Of nvfp4_verify_judge() on @p plan.
 * @param      subject  May be NULL.
 * @param[out] buffer   NUL-terminated, cut if too small; may be NULL when @p capacity is 0.
 * @param      capacity Bytes of @p buffer.
 * @param[out] length   Bytes of the whole document without the NUL; may be NULL.
 * @retval NVFP4_EINVAL @p plan or @p result is NULL, or @p buffer is while @p capacity is not 0.
 * @retval NVFP4_EABI   A `struct_size` is too small.
 * @retval NVFP4_ELIMIT The document was cut; @p buffer and @p length are written.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_verify_record_print(const nvfp4_verification *plan,
                                                 const nvfp4_verify_result *result,
                                                 const nvfp4_verify_subject *subject, char *buffer,
                                                 size_t capacity, size_t *length);
/** @} */

/** @name Words of the enums
 * @{ */
/**
 * @brief The word or sentence for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum, "none" for
 *         ::NVFP4_VERDICT_NONE.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_scale_order_name(nvfp4_scale_order order);
NVFP4_API const char *nvfp4_global_kind_name(nvfp4_global_kind kind);
NVFP4_API const char *nvfp4_verdict_name(nvfp4_verdict verdict);
NVFP4_API const char *nvfp4_verify_level_name(nvfp4_verify_level level);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
