/* SPDX-License-Identifier: Apache-2.0 */
#include "files/pattern.h"

#include <string.h>

nvfp4_status nvfp4_pattern_make(const char *text, size_t length, nvfp4_arena *arena,
                                nvfp4_pattern *pattern)
{
    memset(pattern, 0, sizeof *pattern);
    pattern->text = text;
    pattern->length = length;
    if (length >= 3 && memcmp(text, "re:", 3) == 0) {
        pattern->kind = NVFP4_PATTERN_REGEX;
        pattern->text += 3;
        pattern->length -= 3;
        return nvfp4_regex_make(pattern->text, pattern->length, arena, &pattern->regex);
    }
    pattern->kind = strpbrk(text, "*?[") != NULL ? NVFP4_PATTERN_GLOB : NVFP4_PATTERN_NAME;
    return NVFP4_OK;
}

/* Does the bracket at `p` take `c`? `*behind` is set behind it, or to NULL if it never closes. */
static int in_bracket(const char *p, char c, const char **behind)
{
    int hit = 0;
    p++;
    const int negated = *p == '!' || *p == '^';
    p += negated;
    const char *const begin = p;
    for (; *p != '\0' && (*p != ']' || p == begin); p++) {
        if (p[1] == '-' && p[2] != ']' && p[2] != '\0') {
            hit |= p[0] <= c && c <= p[2];
            p += 2;
        } else {
            hit |= *p == c;
        }
    }
    *behind = *p == ']' ? p + 1 : NULL;
    return hit != negated;
}

/* One step of a shell pattern: the pattern behind what takes `c`, or NULL. */
static const char *take(const char *p, char c)
{
    if (*p == '?')
        return p + 1;
    if (*p == '[') {
        const char *behind;
        const int hit = in_bracket(p, c, &behind);
        if (behind != NULL)
            return hit ? behind : NULL;
    }
    return *p == c ? p + 1 : NULL;
}

static int glob(const char *p, const char *name, uint64_t *steps)
{
    /* Only the last star needs to be tried again: an earlier one has done its part. */
    const char *star = NULL, *star_name = NULL;
    while (*name != '\0') {
        if (*steps == 0)
            return 0;
        --*steps;
        const char *next;
        if (*p == '*') {
            star = ++p;
            star_name = name;
        } else if (*p != '\0' && (next = take(p, *name)) != NULL) {
            p = next;
            name++;
        } else if (star != NULL) {
            p = star;
            name = ++star_name;
        } else {
            return 0;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

int nvfp4_pattern_matches(const nvfp4_pattern *pattern, const char *name, uint64_t *steps)
{
    switch (pattern->kind) {
    case NVFP4_PATTERN_GLOB:
        return glob(pattern->text, name, steps);
    case NVFP4_PATTERN_REGEX:
        return nvfp4_regex_matches(pattern->regex, name, steps);
    default:
        return strcmp(pattern->text, name) == 0;
    }
}
