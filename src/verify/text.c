/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void nvfp4_verify_text_char(struct nvfp4_verify_text *text, char c)
{
    if (text->length + 1 < text->capacity) {
        text->buffer[text->length] = c;
        text->buffer[text->length + 1] = '\0';
    }
    text->length++;
}

void nvfp4_verify_text_put(struct nvfp4_verify_text *text, const char *string)
{
    for (; *string != '\0'; string++)
        nvfp4_verify_text_char(text, *string);
}

/* Bytes of the well-formed UTF-8 sequence at s, or 0. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : 0;
    if (s[0] >= 0xF0 && s[0] < 0xF5)
        n = 4;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    return n;
}

void nvfp4_verify_text_quoted(struct nvfp4_verify_text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    nvfp4_verify_text_char(text, '"');
    while (*s != '\0') {
        size_t n = utf8_length(s);
        /* C1 controls and the line separators are no printable characters in YAML. */
        int hidden = n == 1 ? *s < 0x20 || *s == 0x7F : n == 2 && s[0] == 0xC2 && s[1] < 0xA0;
        if (n == 0) {
            nvfp4_verify_text_put(text, "\xEF\xBF\xBD");
            n = 1;
        } else if (hidden) {
            char escape[8];
            (void)snprintf(escape, sizeof escape, "\\u%04x", n == 1 ? s[0] : s[1]);
            nvfp4_verify_text_put(text, escape);
        } else {
            if (*s == '"' || *s == '\\')
                nvfp4_verify_text_char(text, '\\');
            for (size_t i = 0; i < n; i++)
                nvfp4_verify_text_char(text, (char)s[i]);
        }
        s += n;
    }
    nvfp4_verify_text_char(text, '"');
}

void nvfp4_verify_text_integer(struct nvfp4_verify_text *text, long long x)
{
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%lld", x);
    nvfp4_verify_text_put(text, digits);
}

void nvfp4_verify_text_unsigned(struct nvfp4_verify_text *text, unsigned long long x)
{
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%llu", x);
    nvfp4_verify_text_put(text, digits);
}

/* "%e" and a change of the locale's decimal point, however long it is, back to a point. */
static int split(double x, int digits, char *mantissa)
{
    char raw[64];
    (void)snprintf(raw, sizeof raw, "%.*e", digits - 1, x);
    char *e = strchr(raw, 'e');
    int exponent = 0, negative = e[1] == '-';
    for (char *p = e + 2; *p != '\0'; p++)
        exponent = exponent * 10 + (*p - '0');
    size_t n = 0;
    for (char *p = raw; p < e; p++)
        if (*p >= '0' && *p <= '9')
            mantissa[n++] = *p;
    while (n > 1 && mantissa[n - 1] == '0')
        n--;
    mantissa[n] = '\0';
    return negative ? -exponent : exponent;
}

void nvfp4_verify_text_number(struct nvfp4_verify_text *text, double x, int digits)
{
    if (isnan(x) || isinf(x)) {
        nvfp4_verify_text_put(text, isnan(x) ? ".nan" : x > 0 ? ".inf" : "-.inf");
        return;
    }
    char mantissa[32];
    int exponent = split(fabs(x), digits, mantissa), n = (int)strlen(mantissa);
    if (x < 0)
        nvfp4_verify_text_char(text, '-');
    int plain = exponent >= -5 && exponent < 17;
    int point = plain ? exponent + 1 : 1; /* digits before the point; less than 1: zeros first */
    if (point < 1)
        nvfp4_verify_text_put(text, "0.");
    for (int i = point; i < 0; i++)
        nvfp4_verify_text_char(text, '0');
    for (int i = 0; i < n || i < point; i++) {
        if (i == point && i > 0)
            nvfp4_verify_text_char(text, '.');
        nvfp4_verify_text_char(text, i < n ? mantissa[i] : '0');
    }
    if (n <= point) /* a float in YAML and JSON, not an integer */
        nvfp4_verify_text_put(text, ".0");
    if (!plain) {
        nvfp4_verify_text_put(text, exponent < 0 ? "e-" : "e+");
        nvfp4_verify_text_integer(text, exponent < 0 ? -exponent : exponent);
    }
}
