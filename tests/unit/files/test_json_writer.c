/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/alloc.h"
#include "files/document.h"
#include "files/json_writer.h"

static const struct row {
    const char *name;
    const char *text;
    size_t length;
    const char *json;
} rows[] = {
#define ROW(name, text, json) { name, text, sizeof(text) - 1, json }
    ROW("plain", "abc", "\"abc\""),
    ROW("empty", "", "\"\""),
    ROW("quotes and backslash", "a\"b\\c", "\"a\\\"b\\\\c\""),
    ROW("short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
    ROW("control characters", "\x01\x1F\x7F", "\"\\u0001\\u001f\\u007f\""),
    ROW("NUL", "a\0b", "\"a\\u0000b\""),
    ROW("UTF-8 stays", "\xC3\xA4\xF0\x9F\x98\x80", "\"\xC3\xA4\xF0\x9F\x98\x80\""),
    ROW("invalid bytes", "a\xFF" "b\xC3", "\"a\\ufffdb\\ufffd\""),
    ROW("surrogate", "\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""),
    ROW("slash stays", "a/b", "\"a/b\""),
};

static void writes_string(void **state)
{
    const struct row *const row = *state;
    char buffer[128];
    nvfp4_json json;
    nvfp4_json_begin(&json, buffer, sizeof buffer);
    nvfp4_json_text(&json, row->text, row->length);
    assert_int_equal(nvfp4_json_end(&json), strlen(row->json));
    assert_string_equal(buffer, row->json);
}

static void write_all(nvfp4_json *json)
{
    nvfp4_json_open(json, '{');
    nvfp4_json_key(json, "s");
    nvfp4_json_string(json, "x\n");
    nvfp4_json_key(json, "n");
    nvfp4_json_string(json, NULL);
    nvfp4_json_key(json, "list");
    nvfp4_json_open(json, '[');
    nvfp4_json_integer(json, -5);
    nvfp4_json_integer(json, INT64_MIN);
    nvfp4_json_real(json, 10.0);
    nvfp4_json_real(json, NAN);
    nvfp4_json_real(json, -HUGE_VAL);
    nvfp4_json_bool(json, 1);
    nvfp4_json_bool(json, 0);
    nvfp4_json_null(json);
    nvfp4_json_open(json, '[');
    nvfp4_json_close(json, ']');
    nvfp4_json_raw(json, "{\"a\":1}", 7);
    nvfp4_json_close(json, ']');
    nvfp4_json_key(json, "o");
    nvfp4_json_open(json, '{');
    nvfp4_json_close(json, '}');
    nvfp4_json_close(json, '}');
    nvfp4_json_newline(json);
    nvfp4_json_integer(json, 1);
}

static const char all[] = "{\"s\":\"x\\n\",\"n\":null,\"list\":[-5,-9223372036854775808,10.0,null,null,"
                          "true,false,null,[],{\"a\":1}],\"o\":{}}\n1";

static void puts_commas_and_colons(void **state)
{
    (void)state;
    char buffer[256];
    nvfp4_json json;
    nvfp4_json_begin(&json, buffer, sizeof buffer);
    write_all(&json);
    assert_int_equal(nvfp4_json_end(&json), sizeof all - 1);
    assert_string_equal(buffer, all);
}

static void measures_and_cuts(void **state)
{
    (void)state;
    for (size_t capacity = 0; capacity <= sizeof all; capacity++) {
        char buffer[sizeof all + 1];
        nvfp4_json json;
        memset(buffer, '#', sizeof buffer);
        nvfp4_json_begin(&json, capacity > 0 ? buffer : NULL, capacity);
        write_all(&json);
        assert_int_equal(nvfp4_json_end(&json), sizeof all - 1);
        assert_int_equal(buffer[capacity], '#');
        if (capacity > 0)
            assert_int_equal(strlen(buffer), capacity - 1);
        assert_memory_equal(buffer, all, capacity > 0 ? capacity - 1 : 0);
    }
}

static void cuts_between_characters(void **state)
{
    (void)state;
    char buffer[4];
    nvfp4_json json;
    nvfp4_json_begin(&json, buffer, sizeof buffer);
    nvfp4_json_string(&json, "a\xC3\xA4");
    assert_int_equal(nvfp4_json_end(&json), 5);
    assert_string_equal(buffer, "\"a");
}

static void grows(void **state)
{
    (void)state;
    nvfp4_json json;
    size_t length = 0;
    nvfp4_json_begin_growing(&json);
    nvfp4_json_open(&json, '[');
    for (int i = 0; i < 5000; i++)
        write_all(&json);
    nvfp4_json_close(&json, ']');
    char *const text = nvfp4_json_take(&json, &length);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    nvfp4_files_free(text);
    nvfp4_json_begin_growing(&json);
    char *const nothing = nvfp4_json_take(&json, &length);
    assert_string_equal(nothing, "");
    nvfp4_files_free(nothing);
}

/* Any bytes become JSON that our own strict reader takes. */
static void any_bytes_are_valid(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int round = 0; round < 3000; round++) {
        char bytes[40], buffer[512];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random = random * 1664525u + 1013904223u;
            bytes[i] = (char)(random >> 24);
        }
        nvfp4_json json;
        nvfp4_document *document = NULL;
        const nvfp4_document_options options = { .syntax = NVFP4_SYNTAX_JSON };
        nvfp4_json_begin(&json, buffer, sizeof buffer);
        nvfp4_json_text(&json, bytes, sizeof bytes);
        const size_t length = nvfp4_json_end(&json);
        assert_int_equal(nvfp4_document_parse(buffer, length, &options, &document, NULL), NVFP4_OK);
        nvfp4_document_free(document);
    }
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows) + 5];
    size_t n = 0;
    for (; n < COUNT(rows); n++)
        tests[n] = (struct CMUnitTest){ .name = rows[n].name,
                                        .test_func = writes_string,
                                        .initial_state = (void *)(uintptr_t)&rows[n] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(puts_commas_and_colons);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(measures_and_cuts);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(cuts_between_characters);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(grows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(any_bytes_are_valid);
    return _cmocka_run_group_tests("json writer", tests, n, NULL, NULL);
}
