/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_SELECT_H
#define NVFP4MOE_SELECT_H

/**
 * @file select.h
 * @brief The decision: which kernel, why not the others, and what would have to change.
 *
 * Everything here is pure: no I/O, environment, allocation, locks or static state; the same answer on
 * every machine. In every function a NULL policy means the default one, and these statuses tell that
 * the question itself is wrong, with the outputs unchanged:
 *
 * - ::NVFP4_EINVAL: another pointer is NULL; an enum value is out of range; a size is negative or
 *   above #NVFP4_SIZE_MAX; top_k exceeds num_experts; a limit is not finite or not above 0; another
 *   number is not finite; a flag is neither 0 nor 1; a parallel degree is below 1; an SM is no SM; the requested backend is
 *   none of the policy's.
 * - ::NVFP4_EABI: a `struct_size` is smaller than in the first release.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/deployment.h>
#include <nvfp4moe/layer.h>
#include <nvfp4moe/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Reasons that rule a kernel out: name, value, word, what it says. The list is closed.
 *
 * OPT_IN, DISABLED and ERRATUM mean "we chose not to", all others "cannot".
 */
#define NVFP4_REASON_MAP(X)                                                                        \
    X(DEVICE, 0, "device", "the kernel has no code for this device")                               \
    X(DEPENDENCY, 1, "dependency", "a library is missing or too old for the kernel to be there")   \
    X(NOT_BUILT, 2, "not_built", "the engine was built without it, or not for this device")        \
    X(OPT_IN, 3, "opt_in", "only used when asked for by name")                                     \
    X(DISABLED, 4, "disabled", "switched off by the user")                                         \
    X(ERRATUM, 5, "erratum", "known to go wrong here")                                             \
    X(SCHEME, 6, "scheme", "does not compute this quantisation")                                   \
    X(GATING, 7, "gating", "has no form without a gate projection")                                \
    X(ACTIVATION, 8, "activation", "does not compute this activation")                             \
    X(ACTIVATION_PARAMS, 9, "activation_params", "would use other activation constants")           \
    X(CLAMP, 10, "clamp", "does not apply this SwiGLU limit")                                      \
    X(PARALLEL, 11, "parallel", "does not work under this parallelism")                            \
    X(ROUTING, 12, "routing", "does not do this routing")                                          \
    X(ROUTER_DTYPE, 13, "router_dtype", "does not take router logits of this type")                \
    X(DTYPE, 14, "dtype", "does not take hidden states of this type")                              \
    X(SHAPE, 15, "shape", "the expert's share of this rank does not fit its tiles")                \
    X(FORMAT, 16, "format", "does not take this activation format")                                \
    X(BATCH_INVARIANT, 17, "batch_invariant", "its results depend on the batch")                   \
    X(LORA, 18, "lora", "does not take LoRA adapters")                                             \
    X(BIAS, 19, "bias", "does not add an expert bias")                                             \
    X(ROUTER_WEIGHT_ON_INPUT, 20, "router_weight_on_input",                                        \
      "does not scale the input by the router weight")                                             \
    X(EXPERT_COUNT, 21, "expert_count", "does not take this many experts")                         \
    X(KERNEL_OPTION, 22, "kernel_option", "another option of the kernel is set")                   \
    X(PEER, 23, "peer", "another rank of the group cannot run it")

typedef enum nvfp4_reason {
#define X(name, value, word, text) NVFP4_REASON_##name = (value),
    NVFP4_REASON_MAP(X)
#undef X
        NVFP4_REASON_COUNT
} nvfp4_reason;

/** Set of reasons: bit r is set when the ::nvfp4_reason r applies. */
typedef uint32_t nvfp4_reason_set;

/** The set that holds the one reason @p r. */
#define NVFP4_REASON_BIT(r) ((nvfp4_reason_set)1 << (r))

/** In which numbers a kernel wants its limit: name, value, word. */
#define NVFP4_LIMIT_SPACE_MAP(X)                                                                   \
    X(REAL, 0, "real")                       /* as the model says */                               \
    X(RAW_ACCUMULATOR, 1, "raw_accumulator") /* limit and beta divided by the GEMM1 scale */       \
    X(FIXED, 2, "fixed")                     /* constants of its own, nothing to pass */

typedef enum nvfp4_limit_space {
#define X(name, value, word) NVFP4_LIMIT_SPACE_##name = (value),
    NVFP4_LIMIT_SPACE_MAP(X)
#undef X
        NVFP4_LIMIT_SPACE_COUNT
} nvfp4_limit_space;

/** A decision. */
typedef struct nvfp4_selection {
    int32_t backend; /**< an ::nvfp4_backend */
    int32_t kernel;  /**< its number in the policy */
    int32_t scheme;  /**< the ::nvfp4_scheme that really runs */
    int32_t asked;   /**< 1: asked for by name, 0: chosen by preference */
} nvfp4_selection;

/**
 * @brief Choose the kernel: the first, in the policy's order, that no check rules out.
 *
 * A backend asked for by name is never replaced by another. What the kernel must be given to compute
 * the model's activation, nvfp4_forward_to() tells.
 *
 * @param      layer      What is computed. Not retained.
 * @param      deployment How and on what; its arrays must be readable. Not retained.
 * @param      policy     NULL: the default policy.
 * @param[out] selection  Written only on ::NVFP4_OK.
 *
 * @retval NVFP4_ENOBACKEND Nothing fits; nvfp4_judge() tells why.
 * @retval NVFP4_EREFUSED   The backend asked for does not fit; nvfp4_judge() tells why.
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_select_backend(const nvfp4_moe_layer *layer,
                                            const nvfp4_deployment *deployment,
                                            const nvfp4_policy *policy, nvfp4_selection *selection);

/** What the engine must pass to the chosen kernel so that it computes the model's activation. */
typedef struct nvfp4_forward {
    int32_t has_limit;        /**< 0: pass none */
    int32_t limit_space;      /**< an ::nvfp4_limit_space */
    int32_t after_activation; /**< 1: the kernel clamps the gate behind the SiLU */
    int32_t halves;           /**< an ::nvfp4_halves; AUTO: no gate, nothing to order */
    double limit;             /**< 0 where there is none */
    double alpha;             /**< factor in the sigmoid; FIXED: the kernel's own */
    double beta;              /**< added to the up half; FIXED: the kernel's own */
    int64_t intermediate;        /**< width per rank; 0: size unknown */
    int64_t intermediate_padded; /**< width per rank the loader must pad to; 0: size unknown */
    int64_t hidden_padded;       /**< hidden size the loader must pad to; 0: size unknown */
} nvfp4_forward;

/**
 * @brief What must be forwarded to a kernel of the policy so that it computes this layer.
 *
 * @param      kernel  Its number, as nvfp4_select_backend() gives it.
 * @param[out] forward Also for a kernel that the request rules out; then it may be of no use.
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says; also for a kernel that the policy has not.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_forward_to(const nvfp4_moe_layer *layer,
                                        const nvfp4_deployment *deployment,
                                        const nvfp4_policy *policy, int32_t kernel,
                                        nvfp4_forward *forward);

/** Things to tell beside a decision: name, value, word. */
#define NVFP4_WARNING_MAP(X)                                                                       \
    X(DOWNGRADED, 0, "downgraded")                       /* runs with 16-bit activations */        \
    X(HETEROGENEOUS_DEVICES, 1, "heterogeneous_devices") /* the ranks' devices differ */           \
    X(LIMIT_DROPPED, 2, "limit_dropped")                 /* the engine's rules ignore the clamp */ \
    X(OVERRIDE_REPLACED, 3, "override_replaced")                                                   \
    X(OVERRIDE_IGNORED, 4, "override_ignored")                                                     \
    X(DEVICE_ORDER, 5, "device_order")                                                             \
    X(LOW_CONFIDENCE, 6, "low_confidence") /* no proof either way on record */                     \
    X(DEPRECATED, 7, "deprecated")

typedef enum nvfp4_warning {
#define X(name, value, word) NVFP4_WARNING_##name = (value),
    NVFP4_WARNING_MAP(X)
#undef X
        NVFP4_WARNING_COUNT
} nvfp4_warning;

/** All that is known of one question. Set up with #NVFP4_VERDICTS_INIT. */
typedef struct nvfp4_verdicts {
    size_t struct_size;
    int32_t status;             /**< OK, ENOBACKEND or EREFUSED: what nvfp4_select_backend() says */
    int32_t kernel_count;       /**< kernels of the policy; as many entries of `reasons` are set */
    nvfp4_selection selection;  /**< where status is OK; else zero, with kernel -1 */
    nvfp4_kernel_set eligible;  /**< kernels without a reason */
    nvfp4_reason_set unchecked; /**< checks that abstained for want of a size */
    uint32_t warnings;          /**< bit w: the ::nvfp4_warning w */
    const char *doubt;          /**< what LOW_CONFIDENCE is about, or NULL; lives as the policy */
    int32_t requested;          /**< the ::nvfp4_backend asked for as this format means it */
    int32_t reserved;           /**< 0 */
    nvfp4_reason_set reasons[NVFP4_KERNELS_MAX]; /**< by kernel: all reasons that rule it out */
} nvfp4_verdicts;

#define NVFP4_VERDICTS_INIT                                                                        \
    {                                                                                              \
        sizeof(nvfp4_verdicts), 0, 0, { 0, 0, 0, 0 }, 0, 0, 0, NULL, 0, 0, { 0 }                   \
    }

/**
 * @brief Judge every kernel of the policy, with all reasons, also behind the winner.
 *
 * An opt-in kernel carries OPT_IN unless its backend is the one asked for; otherwise what was asked
 * for changes no kernel's reasons.
 *
 * @param[in,out] verdicts `struct_size` in; written when ::NVFP4_OK is returned, which it is also
 *                         when nothing fits: the answer's own status is in it.
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_judge(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                   const nvfp4_policy *policy, nvfp4_verdicts *verdicts);

/** What a finding's need or have holds. */
typedef enum nvfp4_fact_kind {
    NVFP4_FACT_NONE = 0,
    NVFP4_FACT_DEVICES = 1, /**< `bits`: set of devices, see explain.h's nvfp4_device_set_print() */
    NVFP4_FACT_DEVICE = 2,  /**< `bits` >> 32: ::nvfp4_vendor, low half: SM */
    NVFP4_FACT_WORDS = 3,   /**< `bits`: set of words of the ::nvfp4_column `column` */
    NVFP4_FACT_VERSION = 4, /**< `bits`: a version of the ::nvfp4_library `column` */
    NVFP4_FACT_NUMBER = 5,  /**< `bits`: a whole number */
    NVFP4_FACT_MULTIPLE = 6, /**< `bits`: a multiple of this */
    NVFP4_FACT_AT_MOST = 7,  /**< `bits`: this or less */
    NVFP4_FACT_REAL = 8,     /**< `real` */
    NVFP4_FACT_NOT = 9,      /**< the thing itself must be absent; `bits` 1: it is there */
    NVFP4_FACT_TEXT = 10     /**< `text` */
} nvfp4_fact_kind;

/** Request columns that hold words: name, value, word. */
#define NVFP4_COLUMN_MAP(X)                                                                        \
    X(SCHEME, 0, "scheme")                                                                         \
    X(ACTIVATION, 1, "activation")                                                                 \
    X(FORMAT, 2, "activation_format")                                                              \
    X(ROUTING, 3, "routing")                                                                       \
    X(ROUTER_DTYPE, 4, "router_logits_dtype")                                                      \
    X(DTYPE, 5, "dtype")                                                                           \
    X(ALL2ALL, 6, "all2all")                                                                       \
    X(HUMMING_GEMM, 7, "humming_gemm_type")                                                        \
    X(CUSTOM, 8, "custom")

typedef enum nvfp4_column {
#define X(name, value, word) NVFP4_COLUMN_##name = (value),
    NVFP4_COLUMN_MAP(X)
#undef X
        NVFP4_COLUMN_COUNT
} nvfp4_column;

/** One value compared by a check. */
typedef struct nvfp4_fact {
    int32_t kind;   /**< an ::nvfp4_fact_kind: which of the others hold something */
    int32_t column; /**< an ::nvfp4_column or ::nvfp4_library */
    uint64_t bits;    /**< a set, a number or a version, as `kind` says */
    double real;      /**< a number that is not whole */
    const char *text; /**< a word */
} nvfp4_fact;

/** One reason that rules out one kernel, with the two values compared. */
typedef struct nvfp4_finding {
    int32_t kernel; /**< number in the policy */
    int32_t reason; /**< an ::nvfp4_reason */
    const char *subject; /**< the request's key or library it is about, "" where the reason says it */
    nvfp4_fact need;    /**< what the kernel takes */
    nvfp4_fact have;    /**< what the request says */
    const char *note;   /**< more of the row that rules it out, or NULL */
    const char *source; /**< that row's evidence, or NULL: the kernel's own source holds */
} nvfp4_finding;

/**
 * @brief List every reason, kernel by kernel, with what was needed and what was there.
 *
 * @param      kernel   The kernel to list; -1: all of them.
 * @param[out] findings Caller-owned; may be NULL when @p capacity is 0. Strings live as long as the
 *                      policy.
 * @param      capacity Entries @p findings can hold.
 * @param[out] count    Number of findings in all, also when larger than @p capacity.
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says; also for a kernel that the policy has not.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_list_findings(const nvfp4_moe_layer *layer,
                                           const nvfp4_deployment *deployment,
                                           const nvfp4_policy *policy, int32_t kernel,
                                           nvfp4_finding *findings, size_t capacity, size_t *count);

/** What a remedy changes: name, value, the request's key. */
#define NVFP4_CHANGE_MAP(X)                                                                        \
    X(BACKEND, 0, "backend")                                                                       \
    X(TENSOR_PARALLEL, 1, "deployment.tensor_parallel")                                            \
    X(EXPERT_PARALLEL, 2, "deployment.expert_parallel")                                            \
    X(ALL2ALL, 3, "deployment.all2all")                                                            \
    X(FORMAT, 4, "deployment.activation_format")                                                   \
    X(HUMMING_GEMM, 5, "deployment.humming_gemm_type")                                             \
    X(LIBRARY, 6, "deployment.libraries")                                                          \
    X(BUILT, 7, "deployment.built")                                                                \
    X(DISABLE, 8, "deployment.disable")                                                            \
    X(ERRATA_OFF, 9, "deployment.errata_off")                                                      \
    X(TARGETS, 10, "deployment.built_archs")

typedef enum nvfp4_change {
#define X(name, value, key) NVFP4_CHANGE_##name = (value),
    NVFP4_CHANGE_MAP(X)
#undef X
        NVFP4_CHANGE_COUNT
} nvfp4_change;

/** One change after which the request finds a backend, proven by asking again. */
typedef struct nvfp4_remedy {
    int32_t change;  /**< an ::nvfp4_change */
    int32_t library; /**< for LIBRARY: the ::nvfp4_library */
    uint64_t from;   /**< old value: the number, enum value, version or set; of TARGETS how many */
    uint64_t to;     /**< new value; of TARGETS 0: for the device at hand */
    int32_t backend; /**< what is chosen then */
    int32_t kernel;  /**< its number in the policy */
} nvfp4_remedy;

/** Most remedies that are ever given. */
#define NVFP4_REMEDIES_MAX 5

/**
 * @brief Find what would help: one change of the deployment, or of the backend asked for.
 *
 * Given when nothing fits, or when what fits runs the layer in another scheme than asked. Nearest
 * first: those that keep the backend asked for, then the smallest step. Never changes the layer, the
 * device or the policy, and never turns off LoRA, batch invariance or load balancing.
 *
 * @param[out] remedies Caller-owned, room for #NVFP4_REMEDIES_MAX entries.
 * @param[out] count    Number given, 0 to #NVFP4_REMEDIES_MAX.
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_find_remedies(const nvfp4_moe_layer *layer,
                                           const nvfp4_deployment *deployment,
                                           const nvfp4_policy *policy, nvfp4_remedy *remedies,
                                           size_t *count);

/**
 * @brief 64 bits over the request's meaning, the policy and the decision.
 *
 * Equal on two hosts exactly when nothing that decides differs: defaults are filled in, SM 101 is
 * 110, of a library version only counts which floors of the policy it meets.
 *
 * @retval NVFP4_EINVAL,NVFP4_EABI As the file says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_fingerprint(const nvfp4_moe_layer *layer,
                                         const nvfp4_deployment *deployment,
                                         const nvfp4_policy *policy, uint64_t *fingerprint);

/**
 * @brief Word number @p index of a column: column SCHEME, 1 -> "w4a16".
 * @return NULL when there is none.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_column_word(nvfp4_column column, size_t index);

/** @name Words of the enums
 * @{ */
/**
 * @brief The word or sentence for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_column_name(nvfp4_column column);
NVFP4_API const char *nvfp4_reason_name(nvfp4_reason reason);
NVFP4_API const char *nvfp4_reason_text(nvfp4_reason reason);
NVFP4_API const char *nvfp4_warning_name(nvfp4_warning warning);
NVFP4_API const char *nvfp4_limit_space_name(nvfp4_limit_space space);
NVFP4_API const char *nvfp4_change_key(nvfp4_change change);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
