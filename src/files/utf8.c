/* SPDX-License-Identifier: Apache-2.0 */
#include "files/utf8.h"

size_t nvfp4_utf8_next(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    /* The second byte's range shuts out overlong forms, surrogates and what lies beyond U+10FFFF.
     */
    unsigned char low = 0x80, high = 0xBF;
    size_t size;
    if (p[0] >= 0xC2 && p[0] <= 0xDF) {
        size = 2;
    } else if (p[0] >= 0xE0 && p[0] <= 0xEF) {
        size = 3;
        low = p[0] == 0xE0 ? 0xA0 : 0x80;
        high = p[0] == 0xED ? 0x9F : 0xBF;
    } else if (p[0] >= 0xF0 && p[0] <= 0xF4) {
        size = 4;
        low = p[0] == 0xF0 ? 0x90 : 0x80;
        high = p[0] == 0xF4 ? 0x8F : 0xBF;
    } else {
        return 0;
    }
    if (length < size || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    }
    return size;
}

size_t nvfp4_utf8_valid(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        size_t size = nvfp4_utf8_next(text + at, length - at);
        if (size == 0)
            break;
        at += size;
    }
    return at;
}

size_t nvfp4_utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}
