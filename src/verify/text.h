/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_TEXT_H
#define NVFP4MOE_VERIFY_TEXT_H

#include <stddef.h>

/* Text into a caller's buffer, cut where it ends, counted on; no locale anywhere. */
struct nvfp4_verify_text {
    char *buffer; /* may be NULL when capacity is 0 */
    size_t capacity;
    size_t length; /* of all that was put, without a NUL */
};

void nvfp4_verify_text_put(struct nvfp4_verify_text *text, const char *string);
void nvfp4_verify_text_char(struct nvfp4_verify_text *text, char c);

/* In double quotes, with escapes that YAML and JSON share; bytes that are not UTF-8 become U+FFFD.
 */
void nvfp4_verify_text_quoted(struct nvfp4_verify_text *text, const char *string);

/* At most `digits` (1 to 17) significant digits, trailing zeros dropped; .inf, -.inf and .nan as
 * YAML writes them. */
void nvfp4_verify_text_number(struct nvfp4_verify_text *text, double x, int digits);
void nvfp4_verify_text_integer(struct nvfp4_verify_text *text, long long x);
void nvfp4_verify_text_unsigned(struct nvfp4_verify_text *text, unsigned long long x);

#endif
