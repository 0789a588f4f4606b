/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_EXPLAIN_H
#define NVFP4MOE_EXPLAIN_H

/**
 * @file explain.h
 * @brief A decision in words: as text for people and as JSON for programs.
 *
 * Nothing here decides; it asks select.h and writes down what that says. No allocation: everything
 * goes into the caller's buffer, and the length that the whole would need is always reported.
 */

#include <nvfp4moe/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Something the caller knows beside the decision, told among the answer's warnings. */
typedef struct nvfp4_remark {
    int32_t warning;  /**< an ::nvfp4_warning */
    const char *text; /**< one sentence */
} nvfp4_remark;

/** How to write. Set up with #NVFP4_EXPLAIN_OPTIONS_INIT. */
typedef struct nvfp4_explain_options {
    size_t struct_size;
    int32_t color;               /**< 1: text with ANSI colours */
    int32_t evidence;            /**< 1: each reason with the source of the row behind it */
    const char *title;           /**< text: what the request is about ("RTX PRO 6000"), or NULL */
    const nvfp4_remark *remarks; /**< may be NULL when @p remark_count is 0 */
    size_t remark_count;         /**< entries of @p remarks */
} nvfp4_explain_options;

#define NVFP4_EXPLAIN_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(nvfp4_explain_options), 0, 0, NULL, NULL, 0                                         \
    }

/**
 * @brief The whole answer as one JSON object on one line, without a newline at its end.
 *
 * Keys: status, backend, kernel, selected_by, scheme, activation, eligible, candidates, remedies,
 * warnings, unchecked, policy, fingerprint; keys may be added in later releases.
 *
 * @param      options  NULL: the defaults.
 * @param[out] buffer   NUL-terminated, cut where it does not fit; may be NULL when @p capacity is 0.
 * @param      capacity Bytes in @p buffer.
 * @param[out] length   Bytes of the whole answer without NUL, also when it was cut.
 * @retval NVFP4_OK     Also when nothing fits: that is the answer.
 * @retval NVFP4_EINVAL,NVFP4_EABI As select.h says; see nvfp4_explain_invalid_json().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_explain_json(const nvfp4_moe_layer *layer,
                                          const nvfp4_deployment *deployment,
                                          const nvfp4_policy *policy,
                                          const nvfp4_explain_options *options, char *buffer,
                                          size_t capacity, size_t *length);

/**
 * @brief The answer as text that a tired person understands in ten seconds.
 *
 * Parameters and statuses as of nvfp4_explain_json(). Ends with a newline.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_explain_text(const nvfp4_moe_layer *layer,
                                          const nvfp4_deployment *deployment,
                                          const nvfp4_policy *policy,
                                          const nvfp4_explain_options *options, char *buffer,
                                          size_t capacity, size_t *length);

/**
 * @brief The JSON answer to something that is no request: status "invalid" and what is wrong.
 * @param error May not be NULL; line and column are null where they are 0.
 * @return Bytes of the whole answer without NUL, also when it was cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_explain_invalid_json(const nvfp4_error *error, char *buffer,
                                            size_t capacity);

/**
 * @brief One finding as a sentence: "needs sm 100, 103; has sm 120".
 * @param policy  The policy that made it; NULL: the default one.
 * @return Bytes of the whole text without NUL, also when it was cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_finding_print(const nvfp4_policy *policy, const nvfp4_finding *finding,
                                     char *buffer, size_t capacity);

/**
 * @brief Write a set of devices: "sm 100, 103" or "sm 75 and newer, amd".
 * @param devices  The `bits` of an ::NVFP4_FACT_DEVICES.
 * @param buffer   Receives the text, NUL-terminated, cut if it does not fit; NULL if @p capacity is 0.
 * @return Length of the whole text without NUL, also when cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_device_set_print(uint64_t devices, char *buffer, size_t capacity);

/** One entry of the catalogue of reasons, for people. */
typedef struct nvfp4_reason_help {
    const char *meaning; /**< what it says */
    const char *cause;   /**< the usual cause */
    const char *action;  /**< what to do */
} nvfp4_reason_help;

/**
 * @brief The catalogue's entry of a reason.
 * @param reason Any number.
 * @return NULL for a number that is no reason.
 * @since 0.1
 */
NVFP4_API const nvfp4_reason_help *nvfp4_reason_help_of(nvfp4_reason reason);

#ifdef __cplusplus
}
#endif
#endif
