/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_POLICY_H
#define NVFP4MOE_POLICY_H

/**
 * @file policy.h
 * @brief An ordered list of kernels and the rules each of them has.
 *
 * Policies built into the library are constant and live for ever. In every function below a NULL
 * policy means the default one.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/backend.h>
#include <nvfp4moe/deployment.h>
#include <nvfp4moe/layer.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A policy; immutable, may be shared by threads. */
typedef struct nvfp4_policy nvfp4_policy;

/**
 * A set of kernels of one policy: bit i is kernel i, numbered by preference from 0, the opt-in ones
 * behind all others. Only meaningful together with the policy (nvfp4_policy_hash()).
 */
typedef uint64_t nvfp4_kernel_set;

/** Most kernels that a policy can have. */
#define NVFP4_KERNELS_MAX 64

/**
 * @brief A built-in policy by its name ("vllm-52018") or alias ("vllm", "default").
 * @param name NULL: the default policy.
 * @return NULL when there is none of that name.
 * @since 0.1
 */
NVFP4_API const nvfp4_policy *nvfp4_policy_builtin(const char *name);

/**
 * @brief The built-in policies, oldest first.
 * @param index From 0.
 * @return NULL from the number of policies on.
 * @since 0.1
 */
NVFP4_API const nvfp4_policy *nvfp4_policy_builtin_at(size_t index);

/**
 * @brief The aliases of built-in policies.
 * @param      index  From 0.
 * @param[out] policy What it stands for now; may be NULL.
 * @return The alias, NULL from the number of aliases on.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_policy_alias_at(size_t index, const nvfp4_policy **policy);

/** @brief The policy's own name, never an alias. @since 0.1 */
NVFP4_API const char *nvfp4_policy_name(const nvfp4_policy *policy);

/** @brief One sentence: whose rules these are. @since 0.1 */
NVFP4_API const char *nvfp4_policy_summary(const nvfp4_policy *policy);

/** @brief Where the rules as a whole come from. @since 0.1 */
NVFP4_API const char *nvfp4_policy_source(const nvfp4_policy *policy);

/**
 * @brief A hash over everything of a policy that decides: order, rules, errata, names; not the texts.
 *
 * Two policies with equal hashes number their kernels alike and decide alike, on every machine.
 * @since 0.1
 */
NVFP4_API uint64_t nvfp4_policy_hash(const nvfp4_policy *policy);

/** @brief Number of kernels of a policy, 1 to #NVFP4_KERNELS_MAX. @since 0.1 */
NVFP4_API size_t nvfp4_policy_kernel_count(const nvfp4_policy *policy);

/** What a policy says of one kernel as a whole. */
typedef struct nvfp4_kernel_info {
    int32_t backend;          /**< an ::nvfp4_backend */
    int32_t opt_in;           /**< 1: only chosen when asked for by name */
    const char *backend_name; /**< "FLASHINFER_TRTLLM" */
    const char *kernel_name;  /**< "monolithic"; "" where the backend has one kernel */
    const char *source;       /**< where its rules are read off */
} nvfp4_kernel_info;

/**
 * @brief What a policy says of one of its kernels.
 * @param      index From 0, by preference.
 * @param[out] info  Its strings live as long as the policy.
 * @retval NVFP4_EINVAL @p info is NULL or there is no such kernel.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_kernel(const nvfp4_policy *policy, size_t index,
                                           nvfp4_kernel_info *info);

/**
 * @brief Name of a backend under a policy; knows custom backends too.
 * @return Never NULL, "unknown" for a number the policy does not use.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_policy_backend_name(const nvfp4_policy *policy, nvfp4_backend backend);

/**
 * @brief The name that a user writes for a backend ("flashinfer_cutlass").
 *
 * FLASHINFER_CUTEDSL_BATCHED shares "flashinfer_cutedsl": in batched format that name means it.
 * @return NULL when the policy has no user name for it.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_policy_user_name(const nvfp4_policy *policy, nvfp4_backend backend);

/**
 * @brief The names a user may write under this policy.
 * @param index From 0.
 * @return NULL from the number of names on. "auto" is not among them.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_policy_user_name_at(const nvfp4_policy *policy, size_t index);

/**
 * @brief The backend that a user's word means under this policy, matched exactly.
 * @param[out] backend ::NVFP4_BACKEND_NONE for "auto".
 * @retval NVFP4_EUNKNOWN The policy does not know the word.
 * @retval NVFP4_EINVAL   A pointer other than @p policy is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_find_backend(const nvfp4_policy *policy, const char *word,
                                                 nvfp4_backend *backend);

/**
 * @brief The kernels that a word names: a backend ("MARLIN"), a user's name ("marlin") or a kernel
 *        of a backend ("FLASHINFER_TRTLLM/monolithic", "flashinfer_trtllm/monolithic").
 * @retval NVFP4_EUNKNOWN The policy has none of that name.
 * @retval NVFP4_EINVAL   A pointer other than @p policy is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_find_kernels(const nvfp4_policy *policy, const char *word,
                                                 nvfp4_kernel_set *kernels);

/** A known defect that rules a kernel out. */
typedef struct nvfp4_erratum_info {
    const char *name;         /**< to switch it off by */
    const char *text;         /**< what goes wrong */
    const char *source;
    nvfp4_kernel_set kernels; /**< kernels it is about */
} nvfp4_erratum_info;

/**
 * @brief The errata of a policy.
 * @param      index From 0; also its bit in `errata_off`.
 * @param[out] info  Its strings live as long as the policy.
 * @retval NVFP4_EINVAL @p info is NULL or there is no such erratum.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_erratum(const nvfp4_policy *policy, size_t index,
                                            nvfp4_erratum_info *info);

/** A request key of a policy's own, beside those that every request has. */
typedef struct nvfp4_policy_key_info {
    const char *section; /**< where it stands in a request: "layer" or "deployment" */
    const char *name;    /**< "moe_runner_backend" */
    size_t word_count;   /**< words it may say; the first one is its default */
    uint64_t bits;       /**< bits of all its words in nvfp4_deployment.custom; neighbours, in order */
} nvfp4_policy_key_info;

/**
 * @brief The request keys of a policy's own. Built-in policies have none.
 * @param      index From 0.
 * @param[out] info  Its strings live as long as the policy.
 * @retval NVFP4_EINVAL @p info is NULL or there is no such key.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_key(const nvfp4_policy *policy, size_t index,
                                        nvfp4_policy_key_info *info);

/**
 * @brief The word that one bit of nvfp4_deployment.custom stands for under a policy.
 * @param bit 0 to 63.
 * @return NULL when no key of the policy has it.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_policy_custom_word(const nvfp4_policy *policy, size_t bit);

/**
 * @brief Say a word for one of a policy's own keys.
 * @param         key    "moe_runner_backend" or "deployment.moe_runner_backend".
 * @param         word   One of its words, matched exactly.
 * @param[in,out] custom As in nvfp4_deployment: the bits of this key are replaced, the others stay.
 * @retval NVFP4_EUNKNOWN The policy has no such key, or the key no such word.
 * @retval NVFP4_EINVAL   A pointer other than @p policy is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_set_key(const nvfp4_policy *policy, const char *key,
                                            const char *word, uint64_t *custom);

/**
 * @brief SM version -> backends that have a kernel for it, whatever else may rule it out.
 * @param sm Compute capability, major * 10 + minor; 101 is read as 110.
 * @return The empty set also for a number that is no SM.
 * @since 0.1
 */
NVFP4_API nvfp4_backend_set nvfp4_capable_backends(const nvfp4_policy *policy, nvfp4_sm sm);

/**
 * @brief The clamp-compatibility set: backends that the policy lets serve this activation with a
 *        `swiglu_limit`, in some scheme, on some device, with the newest libraries.
 *
 * Under the vllm-* policies the set is keyed by the backend alone, as it is there; under kernels-*
 * it holds the backends that really apply the limit.
 * @return The empty set also for a number that is no activation.
 * @since 0.1
 */
NVFP4_API nvfp4_backend_set nvfp4_clamp_backends(const nvfp4_policy *policy,
                                                 nvfp4_activation activation);

#ifdef __cplusplus
}
#endif
#endif
