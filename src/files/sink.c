/* SPDX-License-Identifier: Apache-2.0 */
#include "files/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/utf8.h"

/* Room for `size` more bytes and a NUL, in a buffer of our own. */
static void grow(nvfp4_sink *text, size_t size)
{
    if (text->failed || text->length + size < text->capacity)
        return;
    size_t capacity = text->capacity > 0 ? text->capacity * 2 : 256;
    if (capacity < text->length + size + 1)
        capacity = text->length + size + 1;
    char *const larger = nvfp4_files_realloc(text->buffer, capacity);
    if (larger == NULL) {
        text->failed = 1;
        return;
    }
    text->buffer = larger;
    text->capacity = capacity;
}

void nvfp4_sink_put(nvfp4_sink *text, const char *bytes, size_t size)
{
    if (text->grows)
        grow(text, size);
    if (text->length < text->capacity && size > 0) {
        const size_t room = text->capacity - text->length;
        memcpy(text->buffer + text->length, bytes, size < room ? size : room);
    }
    text->length += size;
}

void nvfp4_sink_print(nvfp4_sink *text, const char *format, ...)
{
    char piece[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    nvfp4_sink_put(text, piece, nvfp4_utf8_valid(piece, strlen(piece)));
}

size_t nvfp4_sink_end(nvfp4_sink *text)
{
    if (text->capacity == 0)
        return text->length;
    if (text->length < text->capacity) {
        text->buffer[text->length] = '\0';
        return text->length;
    }
    text->buffer[text->capacity - 1] = '\0';
    text->buffer[nvfp4_utf8_valid(text->buffer, text->capacity - 1)] = '\0';
    return text->length;
}

char *nvfp4_sink_take(nvfp4_sink *text, size_t *length)
{
    nvfp4_sink_put(text, "", 0);
    if (text->failed) {
        nvfp4_files_free(text->buffer);
        return NULL;
    }
    text->buffer[text->length] = '\0';
    *length = text->length;
    return text->buffer;
}
