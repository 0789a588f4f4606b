/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_POLICY_H
#define NVFP4MOE_POLICY_H

/**
 * @file policy.h
 * @brief An ordered list of kernels and the rules each of them has.
 *
 * Policies built into the library are constant and live for ever; others are read from files (see
 * src/policies/README.md for their format) and live until they are freed. In every function below a
 * NULL policy means the default one.
 *
 * Everything from nvfp4_policy_load() on needs a library that was built to read files
 * (NVFP4MOE_WITH_YAML); nvfp4moe::core has none of it.
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
    const char *source;       /**< where that is on record */
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

/** @name Policies from files
 * A policy so made is immutable and may be shared by threads until it is freed. Nothing of it is
 * retained anywhere else: free it when no call that uses it is running and no string from it is needed.
 *
 * Bounds, beyond which ::NVFP4_ELIMIT is returned: #NVFP4_KERNELS_MAX kernels, 64 errata, 64 names, 16
 * backends of its own, 64 words of request keys of its own, 255 conditions and 255 clamp rules a
 * kernel, 1000 bytes a text, 8 files that extend one another.
 * @{ */

/**
 * @brief Read a policy from a file, YAML or JSON.
 * @param      path   The file; what it extends is looked for beside it.
 * @param[out] policy To be freed with nvfp4_policy_free().
 * @param[out] error  Filled on failure; may be NULL.
 * @retval NVFP4_EIO     A file cannot be read.
 * @retval NVFP4_ESYNTAX A file is no well-formed YAML or JSON.
 * @retval NVFP4_ESCHEMA It says something that no policy can.
 * @retval NVFP4_ELIMIT  It is larger than a policy may be.
 * @retval NVFP4_ENOMEM
 * @retval NVFP4_EINVAL  @p path or @p policy is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_load(const char *path, const nvfp4_policy **policy,
                                         nvfp4_error *error);

/**
 * @brief Read a policy from memory. As nvfp4_policy_load(), but no file is opened: what the text
 *        extends must be built in, and a verification record must stand in the text itself.
 * @param      text   Need not end in NUL. Not retained. NULL only with @p length 0.
 * @param      length Bytes in @p text.
 * @param      name   What to call the text in errors; NULL: nothing.
 * @param[out] policy To be freed with nvfp4_policy_free().
 * @param[out] error  Filled on failure; may be NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_parse(const char *text, size_t length, const char *name,
                                          const nvfp4_policy **policy, nvfp4_error *error);

/** @brief Free a policy. NULL and built-in policies are nothing to do. @since 0.1 */
NVFP4_API void nvfp4_policy_free(const nvfp4_policy *policy);

/**
 * @brief The policy that a user names: a built-in one, an alias, or a file.
 *
 * A built-in name wins over a file of that name; write `./vllm` for the file.
 * @param      name   NULL: the default policy.
 * @param[out] policy To be given to nvfp4_policy_free() in any case.
 * @param[out] error  Filled on failure; may be NULL.
 * @retval NVFP4_EUNKNOWN No policy has the name, and there is no such file.
 * @retval NVFP4_EINVAL   @p policy is NULL.
 * @return Else as nvfp4_policy_load().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_find(const char *name, const nvfp4_policy **policy,
                                         nvfp4_error *error);

/**
 * @brief What the environment says: NVFP4_POLICY, a policy as for nvfp4_policy_find(), and
 *        NVFP4_BACKEND, a backend by the name that a user writes under that policy.
 *
 * The only function of the library that reads these variables; no selection ever does. An unset or
 * empty variable says nothing. A program that runs with more rights than its user has (set-user-ID)
 * does not look at them.
 * @param[out] policy  NULL where NVFP4_POLICY says nothing; to be given to nvfp4_policy_free().
 * @param[out] backend ::NVFP4_BACKEND_NONE where NVFP4_BACKEND says nothing, or `auto`.
 * @param[out] error   Filled on failure, `file` with the name of the variable; may be NULL.
 * @retval NVFP4_EUNKNOWN No such policy, or the policy knows no such backend.
 * @retval NVFP4_EINVAL   @p policy or @p backend is NULL.
 * @return Else as nvfp4_policy_load().
 * @par Thread safety  As getenv(): not while another thread changes the environment.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_from_environment(const nvfp4_policy **policy,
                                                     nvfp4_backend *backend, nvfp4_error *error);

/** What nvfp4_policy_print() writes beside what decides. */
enum {
    NVFP4_PRINT_EVIDENCE = 1u << 0 /**< the source of every row, rule and erratum */
};

/**
 * @brief Write a policy, also a built-in one, in the form of a policy file, on its own: without
 *        `extends`. Loading it gives a policy with the same nvfp4_policy_hash() that decides the same.
 * @param      flags    NVFP4_PRINT_* bits.
 * @param[out] buffer   NUL-terminated, cut where it does not fit; may be NULL when @p capacity is 0.
 * @param      capacity Bytes in @p buffer.
 * @param[out] length   Bytes of the whole text without NUL, also when it was cut.
 * @retval NVFP4_EINVAL @p length is NULL, or @p buffer is while @p capacity is not 0.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_print(const nvfp4_policy *policy, uint32_t flags, char *buffer,
                                          size_t capacity, size_t *length);

/** How much a remark matters: name, value, word. */
#define NVFP4_SEVERITY_MAP(X)                                                                      \
    X(NOTE, 1, "note")       /* may be meant */                                                    \
    X(WARNING, 2, "warning") /* loads, but cannot be meant */                                      \
    X(ERROR, 3, "error")     /* does not load */

typedef enum nvfp4_severity {
#define X(name, value, word) NVFP4_SEVERITY_##name = (value),
    NVFP4_SEVERITY_MAP(X)
#undef X
        NVFP4_SEVERITY_COUNT
} nvfp4_severity;

/** Something a check finds in a policy file. */
typedef struct nvfp4_policy_remark {
    int32_t severity;  /**< an ::nvfp4_severity */
    int32_t line;      /**< from 1; 0: about the file as a whole */
    int32_t column;    /**< from 1, in bytes; 0 with line 0 */
    char message[256]; /**< one sentence without a full stop */
} nvfp4_policy_remark;

/**
 * @brief Look a policy file over: unknown words, contradictions, kernels that can never be chosen,
 *        missing sources. Only what this file says, not what it extends.
 * @param      path     As nvfp4_policy_load().
 * @param[out] remarks  Sorted by place. Caller-owned; may be NULL when @p capacity is 0.
 * @param      capacity Entries @p remarks can hold; those found first are kept.
 * @param[out] count    Number found in all, also when larger than @p capacity; a check gives up after
 *                      200 errors.
 * @param[out] error    Filled on failure; may be NULL.
 * @retval NVFP4_OK      The file was looked over, whatever was found.
 * @retval NVFP4_EIO,NVFP4_ESYNTAX,NVFP4_ENOMEM,NVFP4_EINVAL As nvfp4_policy_load().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_check(const char *path, nvfp4_policy_remark *remarks,
                                          size_t capacity, size_t *count, nvfp4_error *error);

/**
 * @brief As nvfp4_policy_check(), for a text in memory. @p text, @p length and @p name as in
 *        nvfp4_policy_parse().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_check_text(const char *text, size_t length, const char *name,
                                               nvfp4_policy_remark *remarks, size_t capacity,
                                               size_t *count, nvfp4_error *error);

/** @brief Word of a severity. @return Never NULL; "unknown" for no severity. @since 0.1 */
NVFP4_API const char *nvfp4_severity_name(nvfp4_severity severity);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
