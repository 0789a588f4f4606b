/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_SINK_H
#define NVFP4MOE_FILES_SINK_H

/**
 * @file sink.h
 * @brief Text that is written piece by piece, into a buffer of fixed size or one that grows.
 * Internal.
 */

#include <stddef.h>
#include <stdint.h>

/** All zero writes nowhere and measures. */
typedef struct nvfp4_sink {
    char *buffer;
    size_t capacity; /**< bytes in `buffer` */
    size_t length;   /**< of the whole text, also beyond `capacity` */
    uint8_t grows;   /**< `buffer` is ours */
    uint8_t failed;  /**< memory ran out */
} nvfp4_sink;

/** Add @p size bytes. */
void nvfp4_sink_put(nvfp4_sink *text, const char *bytes, size_t size);

/** Add a formatted piece of at most 255 bytes; what is longer is cut. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void nvfp4_sink_print(nvfp4_sink *text, const char *format, ...);

/**
 * @brief End a text of fixed size: it is NUL-terminated, cut between characters if it does not fit.
 * @return Length of the whole text without NUL, also when cut.
 */
size_t nvfp4_sink_end(nvfp4_sink *text);

/**
 * @brief End a text that grows.
 * @return The text, NUL-terminated, to be freed with nvfp4_files_free(); NULL when memory ran out.
 */
char *nvfp4_sink_take(nvfp4_sink *text, size_t *length);

#endif
