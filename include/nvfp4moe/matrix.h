/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_MATRIX_H
#define NVFP4MOE_MATRIX_H

/**
 * @file matrix.h
 * @brief Many layers on many devices at a glance: text, Markdown, CSV, JSON and a page.
 *
 * Every cell is asked from select.h. As in explain.h everything goes into the caller's buffer, which
 * may be too small or NULL with capacity 0: the length of the whole is always told. Strings may hold
 * anything; they are quoted as the format needs it.
 */

#include <nvfp4moe/explain.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A row: a layer, usually one of a model. */
typedef struct nvfp4_matrix_row {
    const char *name;   /**< "DeepSeek-V4-Flash-NVFP4" */
    const char *detail; /**< what tells it from other rows of that name ("layers 0-42"), or "" */
    const char *reason; /**< why there is nothing to decide ("not NVFP4: fp8"); NULL: ask */
    nvfp4_moe_layer layer; /**< what is asked for, unless there is a reason not to */
} nvfp4_matrix_row;

/** A column: a device, and the boards that have it. */
typedef struct nvfp4_matrix_column {
    nvfp4_device_key device;   /**< what is asked for */
    const char *const *boards; /**< names; may be NULL when @p board_count is 0 */
    size_t board_count;        /**< entries of @p boards */
} nvfp4_matrix_column;

/** Whose rules: cells hold one answer for each. */
typedef struct nvfp4_matrix_policy {
    const nvfp4_policy *policy;         /**< NULL: the default policy */
    const nvfp4_deployment *deployment; /**< its device is not looked at */
} nvfp4_matrix_policy;

/** What to ask. Set up with #NVFP4_MATRIX_INIT; its arrays are the caller's. */
typedef struct nvfp4_matrix {
    size_t struct_size;
    const nvfp4_matrix_row *rows;        /**< from top to bottom */
    size_t row_count;                    /**< entries of @p rows */
    const nvfp4_matrix_column *columns;  /**< from left to right */
    size_t column_count;                 /**< entries of @p columns */
    const nvfp4_matrix_policy *policies; /**< in the order that cells answer in */
    size_t policy_count;                 /**< entries of @p policies */
    const char *title;                   /**< what it is about, one line; NULL: none */
    int32_t color;                       /**< text: 1 with ANSI colours */
    int32_t boards; /**< text and Markdown: 1 tells the boards of every column */
} nvfp4_matrix;

#define NVFP4_MATRIX_INIT                                                                          \
    {                                                                                              \
        sizeof(nvfp4_matrix), NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0                                \
    }

/** Formats: name, value, word. */
#define NVFP4_MATRIX_OUTPUT_MAP(X)                                                                 \
    X(TEXT, 0, "text")         /* at most 100 columns wide, unless names are longer */             \
    X(MARKDOWN, 1, "markdown") /* a table for a README */                                          \
    X(CSV, 2, "csv")           /* one line for each row, column (or board) and policy */           \
    X(JSON, 3, "json")         /* one object on one line */                                        \
    X(HTML, 4, "html")         /* one page that needs nothing else */

typedef enum nvfp4_matrix_output {
#define X(name, value, word) NVFP4_MATRIX_##name = (value),
    NVFP4_MATRIX_OUTPUT_MAP(X)
#undef X
        NVFP4_MATRIX_OUTPUT_COUNT
} nvfp4_matrix_output;

/** Bytes that are enough to write 30 models on every known device as HTML. */
#define NVFP4_MATRIX_MEMORY ((size_t)4 << 20)

/**
 * @brief Write a matrix.
 *
 * @param      format   An ::nvfp4_matrix_output.
 * @param      memory   For HTML: room to work in, aligned as malloc() aligns; may be NULL for others.
 * @param      size     Bytes of it; #NVFP4_MATRIX_MEMORY is usual.
 * @param[out] buffer   NUL-terminated, cut where it does not fit; may be NULL when @p capacity is 0.
 * @param[out] length   Bytes of the whole without NUL, also when it was cut.
 * @retval NVFP4_EINVAL A pointer is NULL that may not be, there are no policies, a row's layer or a
 *                      column's device is none, or the format is none.
 * @retval NVFP4_EABI   A `struct_size` is too small.
 * @retval NVFP4_ENOMEM @p memory does not suffice.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_matrix_write(const nvfp4_matrix *matrix, nvfp4_matrix_output format,
                                          void *memory, size_t size, char *buffer, size_t capacity,
                                          size_t *length);

/**
 * @brief What several policies answer to one question, side by side, as text.
 *
 * First which backend each of them chooses, then for each kernel that they do not judge alike what
 * each of them says. Ends with a newline.
 *
 * @param      layer    What is computed.
 * @param      device   On what.
 * @param      policies Whose rules and how the layer is run under them; the deployments' own devices
 *                      are not looked at.
 * @param      count    Number of @p policies, at least 1.
 * @param      color    1: with ANSI colours.
 * @param[out] buffer,length As of nvfp4_matrix_write().
 * @retval NVFP4_EINVAL,NVFP4_EABI As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_compare_text(const nvfp4_moe_layer *layer,
                                          const nvfp4_device_key *device,
                                          const nvfp4_matrix_policy *policies, size_t count,
                                          int32_t color, char *buffer, size_t capacity,
                                          size_t *length);

/**
 * @brief The same as one JSON object: `{"answers": [...], "differ": true}`, an answer for each policy
 *        as nvfp4_explain_json() gives it.
 *
 * Parameters and statuses as of nvfp4_compare_text().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_compare_json(const nvfp4_moe_layer *layer,
                                          const nvfp4_device_key *device,
                                          const nvfp4_matrix_policy *policies, size_t count,
                                          char *buffer, size_t capacity, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
