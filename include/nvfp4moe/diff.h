/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_DIFF_H
#define NVFP4MOE_DIFF_H

/**
 * @file diff.h
 * @brief What changes from one policy to another: the machine review of a change.
 *
 * All questions are compared, not samples of them: the values of each key that no rule of either
 * policy tells apart are taken together, and what is left is decided exactly. A question is: device,
 * scheme, activation, limit, alpha and beta, the backend asked for, parallelism with all2all and
 * format, routing, dtypes, the flags of layer and deployment, library versions, and sizes. Left out,
 * because no policy says anything of them, is what a deployment has built, disabled or set to ignore,
 * and ranks with different devices; so is what no kernel can do under any policy (a width that the
 * ranks cannot share, mori on other devices than AMD's).
 *
 * A request key of a policy's own says nothing to a policy that does not have it.
 *
 * The result lies in memory of the caller's and needs no clean-up.
 */

#include <nvfp4moe/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that are enough to compare any two built-in policies. */
#define NVFP4_DIFF_MEMORY ((size_t)32 << 20)

/** Bits of `flags` of nvfp4_policy_diff(). */
enum {
    /** Tell kernels of one backend apart too ("FLASHINFER_TRTLLM/modular"). */
    NVFP4_DIFF_KERNELS = 1u << 0
};

/** The difference between two policies. */
typedef struct nvfp4_diff nvfp4_diff;

/**
 * @brief Compare two policies on every question.
 *
 * The regions found are few, may overlap, and together hold exactly the questions whose answer
 * differs; each is proven on one question by asking both policies.
 *
 * @param      from   NULL: the default policy.
 * @param      to     NULL: the default policy.
 * @param      flags  NVFP4_DIFF_* bits.
 * @param      memory Aligned as malloc() aligns; used until the caller is done with @p diff, not
 *                    retained otherwise.
 * @param      size   Bytes of it; #NVFP4_DIFF_MEMORY is usual.
 * @param[out] diff   Lies in @p memory.
 * @retval NVFP4_ENOMEM The memory does not suffice.
 * @retval NVFP4_ELIMIT A policy tells more values of one key apart than are compared (64).
 * @retval NVFP4_EINVAL A pointer is NULL, or a policy breaks the rules that built-in ones keep.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_policy_diff(const nvfp4_policy *from, const nvfp4_policy *to,
                                         uint32_t flags, void *memory, size_t size,
                                         const nvfp4_diff **diff);

/**
 * @brief Number of regions; 0: the policies answer every question alike.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_diff_count(const nvfp4_diff *diff);

/** A region: questions whose answer changes in one way. Set up with #NVFP4_DIFF_REGION_INIT. */
typedef struct nvfp4_diff_region {
    size_t struct_size;
    /** Backend chosen under the first policy, "no backend", "refused", or "unknown name" where the
     *  policy does not know the backend asked for. Strings live as long as the diff. */
    const char *from;
    const char *from_kernel; /**< with ::NVFP4_DIFF_KERNELS its kernel; else "" */
    const char *to;          /**< the same under the second policy */
    const char *to_kernel; /**< likewise */
    uint64_t devices; /**< see nvfp4_device_set_print() */
    int32_t rarity;   /**< number of keys that have to be unusual for a question to lie in it */
    int32_t reserved; /**< 0 */
} nvfp4_diff_region;

#define NVFP4_DIFF_REGION_INIT                                                                     \
    {                                                                                              \
        sizeof(nvfp4_diff_region), "", "", "", "", 0, 0, 0                                         \
    }

/**
 * @brief One region.
 * @param      index  From 0.
 * @param[out] region Set up with #NVFP4_DIFF_REGION_INIT.
 * @retval NVFP4_EINVAL A pointer is NULL or there is no such region.
 * @retval NVFP4_EABI   `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_diff_region_at(const nvfp4_diff *diff, size_t index,
                                            nvfp4_diff_region *region);

/**
 * @brief The first region from @p index on that a question lies in.
 * @param      layer      As nvfp4_select_backend() takes it; valid.
 * @param      deployment The same; `requested` is not looked at.
 * @param      word       What the user asked for, as written; NULL or "auto": nothing.
 * @param[out] index      In: where to begin. Out: the region.
 * @retval NVFP4_EUNKNOWN No region has it: both policies answer alike.
 * @retval NVFP4_ELIMIT   It says something that is left out of the comparison.
 * @retval NVFP4_EINVAL   A pointer is NULL, or the question is none.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_diff_find(const nvfp4_diff *diff, const nvfp4_moe_layer *layer,
                                       const nvfp4_deployment *deployment, const char *word,
                                       size_t *index);

/** How to write a difference. Set up with #NVFP4_DIFF_PRINT_INIT. */
typedef struct nvfp4_diff_print {
    size_t struct_size;
    /** Text: the devices that exist, so that "SM 100-103" can be said of all from 100 to 109; may be
     *  NULL when @p device_count is 0: then all count as such. */
    const nvfp4_device_key *devices;
    size_t device_count; /**< entries of @p devices */
    int32_t color; /**< 1: text with ANSI colours */
    int32_t most;  /**< text: regions to print at most, the most usual first; 0: all */
} nvfp4_diff_print;

#define NVFP4_DIFF_PRINT_INIT                                                                      \
    {                                                                                              \
        sizeof(nvfp4_diff_print), NULL, 0, 0, 0                                                       \
    }

/**
 * @brief A difference as text for a reviewer; ends with a newline.
 *
 * A region is a line; keys it does not mention are as in an ordinary request or may be anything:
 * what all regions have in common is told once, below them, and so is what stays as it was.
 *
 * @param      options  NULL: the defaults.
 * @param[out] buffer   NUL-terminated, cut where it does not fit; may be NULL when @p capacity is 0.
 * @return Bytes of the whole text without NUL, also when it was cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_diff_text(const nvfp4_diff *diff, const nvfp4_diff_print *options,
                                 char *buffer, size_t capacity);

/**
 * @brief A difference as one JSON object on one line, without a newline: every region with all its
 *        conditions.
 *
 * Parameters and result as of nvfp4_diff_text().
 * @since 0.1
 */
NVFP4_API size_t nvfp4_diff_json(const nvfp4_diff *diff, const nvfp4_diff_print *options,
                                 char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
