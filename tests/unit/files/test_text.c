/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, UTF-8 and nearest words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/nearest.h"
#include "files/number.h"
#include "files/utf8.h"

static const struct real_row {
    const char *text;
    double value;
} real_rows[] = {
    { "0", 0.0 },
    { "-0", -0.0 },
    { "10.0", 10.0 },
    { "1.702", 1.702 },
    { "0.1", 0.1 },
    { "+3.5", 3.5 },
    { ".5", 0.5 },
    { "5.", 5.0 },
    { "1e3", 1000.0 },
    { "12.5E-1", 1.25 },
    { "000123.000", 123.0 },
    { "0.000e99999999999999999999", 0.0 },
    { "1e999", HUGE_VAL },
    { "-1e999999999999999999999999", -HUGE_VAL },
    { "1e-999", 0.0 },
    { "2.2250738585072014e-308", 2.2250738585072014e-308 },
    { "4.9e-324", 4.9e-324 },
    { "1.7976931348623157e308", 1.7976931348623157e308 },
    { "9007199254740993", 9007199254740992.0 },
    /* half way between two doubles, and just above it: only the last digit decides */
    { "9007199254740993.00000000000000000000000000000000000000000000000001", 9007199254740994.0 },
};

static void reads_real(void **state)
{
    const struct real_row *const row = *state;
    const double value = nvfp4_parse_real(row->text, strlen(row->text));
    assert_true(value == row->value);
    assert_int_equal(signbit(value) != 0, signbit(row->value) != 0);
}

static void reads_very_long_numbers(void **state)
{
    (void)state;
    /* 1.000...0001 with 2,000 zeros is above 1 by less than half a step: 1; 2^53 + 1 with the same
     * tail is above half a step: rounded up. */
    char text[2100];
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    text[2050] = '1';
    assert_true(nvfp4_parse_real(text, 2051) == 9007199254740994.0);
    memset(text, '0', sizeof text);
    memcpy(text, "1.", 2);
    text[2050] = '1';
    assert_true(nvfp4_parse_real(text, 2051) == 1.0);
    /* leading zeros and a long tail that an exponent undoes */
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    memcpy(text + 2000, "7e1999", 6);
    assert_true(nvfp4_parse_real(text, 2006) == 7.0);
}

static const struct print_row {
    double value;
    const char *text;
} print_rows[] = {
    { 0.0, "0.0" },
    { -0.0, "-0.0" },
    { 10.0, "10.0" },
    { 7, "7.0" },
    { 0.1, "0.1" },
    { 1.702, "1.702" },
    { 1e-5, "0.00001" },
    { 1e-6, "1e-6" },
    { 12345678901234567.0, "12345678901234568.0" },
    { 1e17, "1e17" },
    { 123456.789, "123456.789" },
    { 1.7976931348623157e308, "1.7976931348623157e308" },
    { 2.2250738585072014e-308, "2.2250738585072014e-308" },
    { 4.9e-324, "5e-324" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { HUGE_VAL, "0.0" },
};

static void prints_real(void **state)
{
    const struct print_row *const row = *state;
    char text[NVFP4_REAL_TEXT];
    const size_t length = nvfp4_print_real(row->value, text);
    assert_string_equal(text, row->text);
    assert_int_equal(length, strlen(text));
}

static void printed_reals_read_back(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        double value;
        char text[NVFP4_REAL_TEXT];
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        const size_t length = nvfp4_print_real(value, text);
        assert_true(length < sizeof text);
        assert_true(nvfp4_parse_real(text, length) == value);
    }
}

static void numbers_know_no_locale(void **state)
{
    (void)state;
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && set == NULL; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (set == NULL)
        skip();
    char text[NVFP4_REAL_TEXT];
    nvfp4_print_real(1234.5, text);
    const double value = nvfp4_parse_real("1234.5", 6);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "1234.5");
    assert_true(value == 1234.5);
}

static const struct integer_row {
    const char *text;
    int fits;
    int64_t value;
} integer_rows[] = {
    { "0", 1, 0 },
    { "-0", 1, 0 },
    { "+12", 1, 12 },
    { "9223372036854775807", 1, INT64_MAX },
    { "9223372036854775808", 0, 0 },
    { "-9223372036854775808", 1, INT64_MIN },
    { "-9223372036854775809", 0, 0 },
    { "99999999999999999999999999", 0, 0 },
};

static void reads_integer(void **state)
{
    const struct integer_row *const row = *state;
    int64_t value = -77;
    assert_int_equal(nvfp4_parse_int64(row->text, strlen(row->text), &value), row->fits);
    assert_true(value == (row->fits ? row->value : -77));
}

static const struct utf8_row {
    const char *name;
    const char *text;
    size_t valid;
} utf8_rows[] = {
    { "ASCII", "abc", 3 },
    { "two, three and four bytes", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 9 },
    { "highest code point", "\xF4\x8F\xBF\xBF", 4 },
    { "beyond the highest", "a\xF4\x90\x80\x80", 1 },
    { "overlong two bytes", "a\xC0\x80", 1 },
    { "overlong three bytes", "a\xE0\x80\x80", 1 },
    { "overlong four bytes", "a\xF0\x80\x80\x80", 1 },
    { "surrogate", "a\xED\xA0\x80", 1 },
    { "stray continuation", "a\x80", 1 },
    { "cut short", "a\xE2\x82", 1 },
    { "broken in the middle", "a\xF0\x9F(\x80", 1 },
    { "byte that never occurs", "a\xFF", 1 },
};

static void checks_utf8(void **state)
{
    const struct utf8_row *const row = *state;
    assert_int_equal(nvfp4_utf8_valid(row->text, strlen(row->text)), row->valid);
}

static void encodes_utf8(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[4];
        if (code >= 0xD800 && code <= 0xDFFF)
            continue;
        const size_t length = nvfp4_utf8_encode(code, bytes);
        assert_int_equal(nvfp4_utf8_next(bytes, length), length);
    }
}

static const char *const known[] = { "hidden_size", "intermediate_size", "num_experts", "top_k",
                                     "swiglu_limit", "swiglu_alpha", "bias", "dtype" };

static const struct nearest_row {
    const char *word;
    const char *best;
} nearest_rows[] = {
    { "hidden_size", "hidden_size" },
    { "hiden_size", "hidden_size" },
    { "hidden-size", "hidden_size" },
    { "Hidden_Size", "hidden_size" },
    { "hiddne_size", "hidden_size" },
    { "topk", "top_k" },
    { "swiglu_limt", "swiglu_limit" },
    { "swiglu_alfa", "swiglu_alpha" },
    { "num_expert", "num_experts" },
    { "bais", "bias" },
    { "b", NULL },
    { "", NULL },
    { "something_else", NULL },
    { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL },
};

static void finds_nearest(void **state)
{
    const struct nearest_row *const row = *state;
    const char *const best = nvfp4_nearest_word(row->word, known, sizeof known / sizeof known[0]);
    if (row->best == NULL)
        assert_null(best);
    else
        assert_string_equal(best, row->best);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define ADD(rows, field, function)                                                                 \
    for (size_t i = 0; i < COUNT(rows); i++)                                                       \
        tests[n++] = (struct CMUnitTest){ .name = (rows)[i].field,                                 \
                                          .test_func = (function),                                 \
                                          .initial_state = (void *)(uintptr_t)&(rows)[i] }

int main(void)
{
    static struct CMUnitTest tests[COUNT(real_rows) + COUNT(print_rows) + COUNT(integer_rows) +
                                   COUNT(utf8_rows) + COUNT(nearest_rows) + 4];
    size_t n = 0;
    ADD(real_rows, text, reads_real);
    ADD(print_rows, text, prints_real);
    ADD(integer_rows, text, reads_integer);
    ADD(utf8_rows, name, checks_utf8);
    ADD(nearest_rows, word, finds_nearest);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(reads_very_long_numbers);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(printed_reals_read_back);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(numbers_know_no_locale);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(encodes_utf8);
    return _cmocka_run_group_tests("text", tests, n, NULL, NULL);
}
