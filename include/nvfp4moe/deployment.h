/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_DEPLOYMENT_H
#define NVFP4MOE_DEPLOYMENT_H

/**
 * @file deployment.h
 * @brief How and on what one rank runs a layer.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/backend.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maker of the device: name, value, word. */
#define NVFP4_VENDOR_MAP(X)                                                                        \
    X(NVIDIA, 0, "nvidia")                                                                         \
    X(AMD, 1, "amd")                                                                               \
    X(INTEL, 2, "intel")

typedef enum nvfp4_vendor {
#define X(name, value, word) NVFP4_VENDOR_##name = (value),
    NVFP4_VENDOR_MAP(X)
#undef X
        NVFP4_VENDOR_COUNT
} nvfp4_vendor;

/** Communication kernels that spread tokens over expert ranks: name, value, word. */
#define NVFP4_ALL2ALL_MAP(X)                                                                       \
    X(NONE, 0, "none") /* none named; where one is needed: allgather_reducescatter */              \
    X(NAIVE, 1, "naive")                                                                           \
    X(ALLGATHER_REDUCESCATTER, 2, "allgather_reducescatter")                                       \
    X(DEEPEP_HIGH_THROUGHPUT, 3, "deepep_high_throughput")                                         \
    X(DEEPEP_LOW_LATENCY, 4, "deepep_low_latency")                                                 \
    X(DEEPEP_V2, 5, "deepep_v2")                                                                   \
    X(NIXL_EP, 6, "nixl_ep")                                                                       \
    X(FLASHINFER_NVLINK_TWO_SIDED, 7, "flashinfer_nvlink_two_sided")                               \
    X(FLASHINFER_NVLINK_ONE_SIDED, 8, "flashinfer_nvlink_one_sided")                               \
    X(MORI_HIGH_THROUGHPUT, 9, "mori_high_throughput")                                             \
    X(MORI_LOW_LATENCY, 10, "mori_low_latency")

typedef enum nvfp4_all2all {
#define X(name, value, word) NVFP4_ALL2ALL_##name = (value),
    NVFP4_ALL2ALL_MAP(X)
#undef X
        NVFP4_ALL2ALL_COUNT
} nvfp4_all2all;

/** Layout of the tokens given to the experts: name, value, word. AUTO: derived by the policy. */
#define NVFP4_FORMAT_MAP(X)                                                                        \
    X(AUTO, 0, "auto")                                                                             \
    X(STANDARD, 1, "standard") /* [tokens, hidden] */                                              \
    X(BATCHED, 2, "batched")   /* [experts, capacity, hidden] */

typedef enum nvfp4_format {
#define X(name, value, word) NVFP4_FORMAT_##name = (value),
    NVFP4_FORMAT_MAP(X)
#undef X
        NVFP4_FORMAT_COUNT
} nvfp4_format;

/** GEMM type preferred for HUMMING: name, value, word. */
#define NVFP4_HUMMING_GEMM_MAP(X)                                                                  \
    X(INDEXED, 0, "indexed")                                                                       \
    X(GROUPED, 1, "grouped")

typedef enum nvfp4_humming_gemm {
#define X(name, value, word) NVFP4_HUMMING_GEMM_##name = (value),
    NVFP4_HUMMING_GEMM_MAP(X)
#undef X
        NVFP4_HUMMING_GEMM_COUNT
} nvfp4_humming_gemm;

/** Libraries that kernels come from or need: name, value, word. */
#define NVFP4_LIBRARY_MAP(X)                                                                       \
    X(FLASHINFER, 0, "flashinfer") /* with its cubins; without them it counts as absent */         \
    X(B12X, 1, "b12x")                                                                             \
    X(HUMMING, 2, "humming")                                                                       \
    X(CUDA, 3, "cuda") /* toolkit that kernels are compiled with */                                \
    X(CUTLASS_DSL, 4, "cutlass_dsl")                                                               \
    X(VLLM, 5, "vllm")

typedef enum nvfp4_library {
#define X(name, value, word) NVFP4_LIBRARY_##name = (value),
    NVFP4_LIBRARY_MAP(X)
#undef X
        NVFP4_LIBRARY_COUNT
} nvfp4_library;

/**
 * A library version packed so that a smaller number is an older version, ordered as PEP 440 says:
 * `1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 < 1.0.post1`. Made by nvfp4_version_parse().
 */
typedef uint64_t nvfp4_library_version;

/** Not known which version: assumed present and new enough. */
#define NVFP4_LIBRARY_UNKNOWN ((nvfp4_library_version)0)
/** Known not to be installed. */
#define NVFP4_LIBRARY_ABSENT (~(nvfp4_library_version)0)

/** Compute capability: major * 10 + minor, 10 to 999. 101 is read as 110, Thor's name under CUDA 12. */
typedef int32_t nvfp4_sm;

/** What a decision needs to know of a device. */
typedef struct nvfp4_device_key {
    int32_t vendor; /**< an ::nvfp4_vendor */
    nvfp4_sm sm;    /**< NVIDIA: 10 to 999; others: 0 */
    char arch[16];  /**< other vendors: name such as "gfx942", for messages; else "" */
} nvfp4_device_key;

/** Which devices a compiled CUDA target runs on. */
typedef enum nvfp4_target_kind {
    NVFP4_TARGET_PLAIN = 0,    /**< `90`: this SM and higher minors of its major */
    NVFP4_TARGET_ARCH = 1,     /**< `90a`: this SM only */
    NVFP4_TARGET_FAMILY = 2,   /**< `100f`: this SM and higher minors of its major */
    NVFP4_TARGET_PTX = 3       /**< `90+PTX`: this SM and all newer ones, compiled at load */
} nvfp4_target_kind;

/** One CUDA target that the engine's own kernels were compiled for. */
typedef struct nvfp4_target {
    nvfp4_sm sm;  /**< the SM in its name: 100 for `100f` */
    int32_t kind; /**< an ::nvfp4_target_kind */
} nvfp4_target;

/**
 * How one rank runs the layer. Set up with #NVFP4_DEPLOYMENT_INIT, then change what differs.
 *
 * The arrays are the caller's, must outlive the call they are given to, and are not retained.
 */
typedef struct nvfp4_deployment {
    size_t struct_size;
    nvfp4_device_key device;  /**< the device of this rank */
    int32_t requested;        /**< the ::nvfp4_backend the user insists on; NONE: automatic */
    int32_t tensor_parallel;  /**< ranks, 1 to 2^20 */
    int32_t data_parallel;    /**< ranks, 1 to 2^20 */
    int32_t context_parallel; /**< ranks of prefill context parallelism, 1 to 2^20 */
    int32_t sequence_parallel; /**< 1 to 2^20; re-uses the tensor ranks */
    int32_t all2all;           /**< an ::nvfp4_all2all */
    int32_t format;            /**< an ::nvfp4_format */
    int32_t humming_gemm;      /**< an ::nvfp4_humming_gemm */
    uint8_t expert_parallel;   /**< 0 or 1: experts are spread over tensor x data x context ranks */
    uint8_t eplb;              /**< 0 or 1: expert-parallel load balancing */
    uint8_t lora;              /**< 0 or 1: LoRA adapters on the experts */
    uint8_t batch_invariant;   /**< 0 or 1: results must not depend on the batch */
    uint8_t reserved[4];       /**< 0 */
    nvfp4_library_version libraries[8]; /**< by ::nvfp4_library; entries past the last are 0 */
    nvfp4_backend_set not_built;        /**< backends the engine has not compiled in; 0: all are in */
    const nvfp4_target *targets;        /**< what the engine's own kernels were compiled for; */
    size_t target_count;                /**< 0: for the device at hand */
    const nvfp4_device_key *peers;      /**< devices of all ranks, this one may be among them; */
    size_t peer_count;                  /**< 0: only this one */
    uint64_t disabled;   /**< kernels switched off, in the numbering of the policy (::nvfp4_kernel_set) */
    uint64_t errata_off; /**< errata that shall not rule out, in the numbering of the policy */
    uint64_t custom;     /**< words of the policy's own request keys that are set, in its numbering */
} nvfp4_deployment;

/** One rank, standard format, every library present, everything built; the SM must be set. */
#define NVFP4_DEPLOYMENT_INIT                                                                      \
    {                                                                                              \
        sizeof(nvfp4_deployment), { NVFP4_VENDOR_NVIDIA, 0, "" }, NVFP4_BACKEND_NONE, 1, 1, 1, 1,  \
            NVFP4_ALL2ALL_NONE, NVFP4_FORMAT_AUTO, NVFP4_HUMMING_GEMM_INDEXED, 0, 0, 0, 0,         \
            { 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0, NULL, 0, NULL, 0, 0, 0, 0               \
    }

/**
 * @brief Read a version as PEP 440 writes it: "0.6.16rc5", "0.6.18.post1", "12.9", "1.0+cu130".
 *
 * Compared as text-numbers: 13.10 is newer than 13.1. A local part behind `+` is ignored. Numbers
 * too large to tell apart count as the largest that can be.
 *
 * @param      text    The version; leading `v` and surrounding blanks are allowed.
 * @param[out] version Never one of the two sentinels.
 * @retval NVFP4_EINVAL A pointer is NULL or the text is no version.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_version_parse(const char *text, nvfp4_library_version *version);

/**
 * @brief Write a version: "0.6.16rc5".
 * @param version  A packed version; UNKNOWN gives "unknown", ABSENT gives "absent".
 * @param buffer   Receives the text, always NUL-terminated, cut if it does not fit.
 * @param capacity Bytes in @p buffer; 48 is always enough.
 * @return Length of the whole text without NUL, also when cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_version_print(nvfp4_library_version version, char *buffer, size_t capacity);

/**
 * @brief Read a CUDA target: "90a", "100f", "120", "9.0a", "sm_120a", "8.0+PTX".
 * @param[out] target 101 is read as 110.
 * @retval NVFP4_EINVAL A pointer is NULL or the text is no target.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_target_parse(const char *text, nvfp4_target *target);

/**
 * @brief Does code compiled for @p target run on @p sm?
 * @param target May not be NULL.
 * @return 1 or 0.
 * @since 0.1
 */
NVFP4_API int nvfp4_target_runs_on(const nvfp4_target *target, nvfp4_sm sm);

/** @name Words of the enums
 * @{ */
/**
 * @brief The word that requests, policies and answers use for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_vendor_name(nvfp4_vendor vendor);
NVFP4_API const char *nvfp4_all2all_name(nvfp4_all2all all2all);
NVFP4_API const char *nvfp4_format_name(nvfp4_format format);
NVFP4_API const char *nvfp4_humming_gemm_name(nvfp4_humming_gemm gemm);
NVFP4_API const char *nvfp4_library_name(nvfp4_library library);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
