/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json_member.h"

#include <string.h>

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL && *s->at != '\0')
        s->at++;
}

static unsigned hex(const char *at)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *const digit = at[i] != '\0' ? strchr(digits, at[i]) : NULL;
        code = code * 16 + (digit != NULL ? (unsigned)(digit - digits) % 16 : 0);
    }
    return code;
}

/* Of escapes beyond ASCII '?' is kept: they are part of no name that is looked for. */
static char unescape(struct scan *s)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char c = *s->at++;
    const char *const known = c != '\0' ? strchr(from, c) : NULL;
    if (c != 'u')
        return known != NULL ? to[known - from] : c;
    if (s->end - s->at < 4) {
        s->at = s->end;
        return '?';
    }
    const unsigned code = hex(s->at);
    s->at += 4;
    return code > 0 && code < 128 ? (char)code : '?';
}

/* A string, the quote being next. */
static void take_string(struct scan *s, char *value, size_t room)
{
    size_t length = 0;
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        char c = *s->at++;
        if (c == '\\' && s->at < s->end)
            c = unescape(s);
        if (length + 1 < room)
            value[length++] = c;
    }
    s->at += s->at < s->end;
    value[length] = '\0';
}

/* Any value, up to the comma or brace behind it. */
static void skip_value(struct scan *s)
{
    char none[1];
    size_t depth = 0;
    while (s->at < s->end) {
        const char c = *s->at;
        if (c == '"') {
            take_string(s, none, sizeof none);
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}'))
            return;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        s->at++;
    }
}

int nvfp4_cli_json_member(const char *text, size_t length, const char *name, char *value,
                          size_t room, size_t *offset)
{
    struct scan s = {text, text + length};
    char key[64];
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        s.at += 3;
    const char *const begin = s.at;
    skip_blanks(&s);
    if (s.at == s.end || *s.at++ != '{')
        return 0;
    for (;;) {
        skip_blanks(&s);
        if (s.at == s.end || *s.at != '"')
            return 0;
        take_string(&s, key, sizeof key);
        skip_blanks(&s);
        s.at += s.at < s.end; /* the colon */
        skip_blanks(&s);
        if (s.at < s.end && *s.at == '"' && strcmp(key, name) == 0) {
            *offset = (size_t)(s.at - begin);
            take_string(&s, value, room);
            return 1;
        }
        skip_value(&s);
        if (s.at == s.end || *s.at++ != ',')
            return 0;
    }
}
