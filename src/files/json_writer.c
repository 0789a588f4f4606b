/* SPDX-License-Identifier: Apache-2.0 */
#include "files/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/number.h"
#include "files/utf8.h"

void nvfp4_json_begin(nvfp4_json *json, char *buffer, size_t capacity)
{
    memset(json, 0, sizeof *json);
    json->buffer = buffer;
    json->capacity = capacity;
}

void nvfp4_json_begin_growing(nvfp4_json *json)
{
    nvfp4_json_begin(json, NULL, 0);
    json->grows = 1;
}

/* Room for `size` more bytes and a NUL, in a buffer of our own. */
static void grow(nvfp4_json *json, size_t size)
{
    if (json->failed || json->length + size < json->capacity)
        return;
    size_t capacity = json->capacity > 0 ? json->capacity * 2 : 256;
    if (capacity < json->length + size + 1)
        capacity = json->length + size + 1;
    char *const larger = nvfp4_files_realloc(json->buffer, capacity);
    if (larger == NULL) {
        json->failed = 1;
        return;
    }
    json->buffer = larger;
    json->capacity = capacity;
}

static void put(nvfp4_json *json, const char *text, size_t size)
{
    if (json->grows)
        grow(json, size);
    if (json->length < json->capacity) {
        const size_t room = json->capacity - json->length;
        memcpy(json->buffer + json->length, text, size < room ? size : room);
    }
    json->length += size;
}

size_t nvfp4_json_end(nvfp4_json *json)
{
    if (json->capacity == 0)
        return json->length;
    if (json->length < json->capacity) {
        json->buffer[json->length] = '\0';
        return json->length;
    }
    /* Cut between characters. */
    json->buffer[json->capacity - 1] = '\0';
    json->buffer[nvfp4_utf8_valid(json->buffer, json->capacity - 1)] = '\0';
    return json->length;
}

char *nvfp4_json_take(nvfp4_json *json, size_t *length)
{
    put(json, "", 0);
    if (json->failed) {
        nvfp4_files_free(json->buffer);
        return NULL;
    }
    json->buffer[json->length] = '\0';
    *length = json->length;
    return json->buffer;
}

static void before_value(nvfp4_json *json)
{
    if (json->comma)
        put(json, ",", 1);
    json->comma = 1;
}

void nvfp4_json_open(nvfp4_json *json, char bracket)
{
    before_value(json);
    put(json, &bracket, 1);
    json->comma = 0;
}

void nvfp4_json_close(nvfp4_json *json, char bracket)
{
    put(json, &bracket, 1);
    json->comma = 1;
}

void nvfp4_json_key(nvfp4_json *json, const char *key)
{
    nvfp4_json_string(json, key);
    put(json, ":", 1);
    json->comma = 0;
}

void nvfp4_json_string(nvfp4_json *json, const char *text)
{
    if (text == NULL)
        nvfp4_json_null(json);
    else
        nvfp4_json_text(json, text, strlen(text));
}

static void put_escaped(nvfp4_json *json, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *const found = c != 0 ? strchr(from, c) : NULL;
    char escape[8];
    if (found != NULL)
        snprintf(escape, sizeof escape, "\\%c", to[found - from]);
    else
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
    put(json, escape, strlen(escape));
}

void nvfp4_json_text(nvfp4_json *json, const char *text, size_t length)
{
    before_value(json);
    put(json, "\"", 1);
    size_t plain = 0, at = 0; /* from `plain` to `at` nothing needs an escape */
    while (at < length) {
        const unsigned char c = (unsigned char)text[at];
        const size_t size = nvfp4_utf8_next(text + at, length - at);
        if (size > 0 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7F) {
            at += size;
            continue;
        }
        put(json, text + plain, at - plain);
        if (size == 0)
            put(json, "\\ufffd", 6);
        else
            put_escaped(json, c);
        plain = ++at;
    }
    put(json, text + plain, at - plain);
    put(json, "\"", 1);
}

void nvfp4_json_integer(nvfp4_json *json, int64_t value)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%" PRId64, value);
    nvfp4_json_raw(json, text, (size_t)length);
}

void nvfp4_json_real(nvfp4_json *json, double value)
{
    char text[NVFP4_REAL_TEXT];
    if (!isfinite(value))
        nvfp4_json_null(json);
    else
        nvfp4_json_raw(json, text, nvfp4_print_real(value, text));
}

void nvfp4_json_bool(nvfp4_json *json, int value)
{
    nvfp4_json_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void nvfp4_json_null(nvfp4_json *json)
{
    nvfp4_json_raw(json, "null", 4);
}

void nvfp4_json_raw(nvfp4_json *json, const char *text, size_t length)
{
    before_value(json);
    put(json, text, length);
}

void nvfp4_json_newline(nvfp4_json *json)
{
    put(json, "\n", 1);
    json->comma = 0;
}
