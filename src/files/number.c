/* SPDX-License-Identifier: Apache-2.0 */
#include "files/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvfp4_parse_int64(const char *text, size_t length, int64_t *value)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    const int negative = at == 1 && text[0] == '-';
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t sum = 0;
    for (; at < length; at++) {
        const uint64_t digit = (uint64_t)(text[at] - '0');
        if (sum > (most - digit) / 10)
            return 0;
        sum = sum * 10 + digit;
    }
    if (negative)
        *value = sum == most ? INT64_MIN : -(int64_t)sum;
    else
        *value = (int64_t)sum;
    return 1;
}

/* No double needs more digits to be rounded rightly (767), if what is cut off is marked by a 1. */
#define DIGITS 780
/* Beyond any exponent that matters, and far from overflow when digits are added to it. */
#define EXPONENT_MOST 1000000000

static long read_exponent(const char *text, size_t length)
{
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    const int negative = at == 1 && text[0] == '-';
    long sum = 0;
    for (; at < length && sum < EXPONENT_MOST; at++)
        sum = sum * 10 + (text[at] - '0');
    return negative ? -sum : sum;
}

double nvfp4_parse_real(const char *text, size_t length)
{
    /* strtod() wants the decimal point of the locale. Without a point there is nothing to differ:
     * "10.5e3" is handed over as "105e2". */
    char plain[DIGITS + 32];
    size_t digits = 0;
    int64_t exponent = 0;
    int behind_point = 0, cut = 0;
    size_t at = 0, out = 0;
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        if (text[0] == '-')
            plain[out++] = '-';
        at = 1;
    }
    for (; at < length && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            behind_point = 1;
            continue;
        }
        if (behind_point)
            exponent--;
        if (digits == 0 && text[at] == '0')
            continue;
        if (digits < DIGITS) {
            plain[out++] = text[at];
            digits++;
        } else {
            cut |= text[at] != '0';
            exponent++;
        }
    }
    if (digits == 0)
        plain[out++] = '0';
    if (cut) {
        plain[out++] = '1';
        exponent--;
    }
    if (at < length)
        exponent += read_exponent(text + at + 1, length - at - 1);
    snprintf(plain + out, sizeof plain - out, "e%lld", (long long)exponent);
    return strtod(plain, NULL);
}

/* Digits and decimal exponent of `value` written with `count` digits, whatever point "%e" puts. */
static int scientific(double value, int count, char digits[20])
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    size_t n = 0;
    const char *p = text;
    for (; *p != 'e' && *p != '\0'; p++) {
        if (*p >= '0' && *p <= '9' && n < 19)
            digits[n++] = *p;
    }
    digits[n] = '\0';
    return *p == 'e' ? atoi(p + 1) : 0;
}

static size_t print_digits(const char *digits, int exponent, char *out)
{
    const int count = (int)strlen(digits);
    char *const begin = out;
    if (exponent < -5 || exponent > 16) {
        *out++ = digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)count - 1);
            out += count - 1;
        }
        return (size_t)(out - begin) + (size_t)snprintf(out, 8, "e%d", exponent);
    }
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > exponent; i--)
            *out++ = '0';
        memcpy(out, digits, (size_t)count);
        out += count;
    } else {
        for (int i = 0; i <= exponent || i < count; i++) {
            if (i == exponent + 1)
                *out++ = '.';
            *out++ = i < count ? digits[i] : '0';
        }
        if (count <= exponent + 1) {
            *out++ = '.';
            *out++ = '0';
        }
    }
    *out = '\0';
    return (size_t)(out - begin);
}

size_t nvfp4_print_real(double value, char out[NVFP4_REAL_TEXT])
{
    size_t length = 0;
    if (!isfinite(value))
        value = 0.0;
    if (signbit(value)) {
        out[length++] = '-';
        value = -value;
    }
    for (int count = 1; count <= 17; count++) {
        char digits[20], again[32];
        const int exponent = scientific(value, count, digits);
        const int n = snprintf(again, sizeof again, "%se%d", digits, exponent - (count - 1));
        if (count == 17 || nvfp4_parse_real(again, (size_t)n) == value) {
            length += print_digits(digits, exponent, out + length);
            break;
        }
    }
    return length;
}
