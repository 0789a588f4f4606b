/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_OUT_H
#define NVFP4_CORE_OUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A text that grows in a buffer which may be too small: it is cut there, its length counts on. */
struct out {
    char *buffer;
    size_t capacity, length;
};

static inline struct out out_begin(char *buffer, size_t capacity)
{
    return (struct out){ buffer, buffer == NULL ? 0 : capacity, 0 };
}

static inline void out_char(struct out *out, char c)
{
    if (out->length + 1 < out->capacity)
        out->buffer[out->length] = c;
    out->length++;
}

static inline void out_bytes(struct out *out, const char *bytes, size_t n)
{
    const size_t room = out->length < out->capacity ? out->capacity - 1 - out->length : 0;
    if (n != 0 && room != 0)
        memcpy(out->buffer + out->length, bytes, n < room ? n : room);
    out->length += n;
}

static inline void out_text(struct out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

static inline void out_number(struct out *out, uint64_t n)
{
    char digits[21];
    size_t i = sizeof digits - 1;
    digits[i] = '\0';
    do {
        digits[--i] = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    out_text(out, digits + i);
}

/* Ends the text and tells its whole length. */
static inline size_t out_end(struct out *out)
{
    if (out->capacity != 0)
        out->buffer[out->length < out->capacity ? out->length : out->capacity - 1] = '\0';
    return out->length;
}

#endif
