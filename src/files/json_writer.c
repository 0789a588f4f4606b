/* SPDX-License-Identifier: Apache-2.0 */
#include "files/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/number.h"
#include "files/utf8.h"

void nvfp4_json_begin(nvfp4_json *json, char *buffer, size_t capacity)
{
    memset(json, 0, sizeof *json);
    json->text.buffer = buffer;
    json->text.capacity = capacity;
}

void nvfp4_json_begin_growing(nvfp4_json *json)
{
    nvfp4_json_begin(json, NULL, 0);
    json->text.grows = 1;
}

size_t nvfp4_json_end(nvfp4_json *json)
{
    return nvfp4_sink_end(&json->text);
}

char *nvfp4_json_take(nvfp4_json *json, size_t *length)
{
    return nvfp4_sink_take(&json->text, length);
}

static void put(nvfp4_json *json, const char *bytes, size_t size)
{
    nvfp4_sink_put(&json->text, bytes, size);
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

void nvfp4_json_key_text(nvfp4_json *json, const char *key, size_t length)
{
    nvfp4_json_text(json, key, length);
    put(json, ":", 1);
    json->comma = 0;
}

void nvfp4_json_key(nvfp4_json *json, const char *key)
{
    nvfp4_json_key_text(json, key, strlen(key));
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
