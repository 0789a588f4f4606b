/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_UTF8_H
#define NVFP4MOE_FILES_UTF8_H

/**
 * @file utf8.h
 * @brief UTF-8 as RFC 3629 has it. Internal to the library.
 */

#include <stddef.h>
#include <stdint.h>

/**
 * @brief Length of the character at the front of a text.
 * @return 1 to 4; 0 if there is none: an overlong form, half of a surrogate pair, beyond U+10FFFF, a
 *         stray or missing continuation byte, or @p length is 0.
 */
size_t nvfp4_utf8_next(const char *text, size_t length);

/** Bytes of the longest valid front of a text; @p length if all of it is valid. */
size_t nvfp4_utf8_valid(const char *text, size_t length);

/** Write one code point, which must be valid; @return bytes written, 1 to 4. */
size_t nvfp4_utf8_encode(uint32_t code, char out[4]);

#endif
