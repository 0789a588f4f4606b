/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "verify/tool/fields.h"

/* JSON as it is needed here: objects are walked, and what stands in "claim" is set field by field.
 */
enum { DEPTH_MAX = 16, STRING_MAX = 128 };

struct parser {
    const char *at, *end, *start;
    nvfp4_verify_claim *claim;
    nvfp4_moe_layer *layer;
    uint64_t *fingerprint;
    int saw_format, saw_claim;
    nvfp4_status status;
    struct nvfp4_complaint *complaint;
};

static int fail(struct parser *p, nvfp4_status status, const char *what, const char *name)
{
    int line = 1, column = 1;
    if (p->status != NVFP4_OK)
        return 0;
    for (const char *c = p->start; c < p->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    p->status = status;
    (void)snprintf(p->complaint->text, sizeof p->complaint->text, "plan.json:%d:%d: %s%s%.100s",
                   line, column, what, name[0] != '\0' ? " " : "", name);
    return 0;
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static int take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->end || *p->at != c)
        return 0;
    p->at++;
    return 1;
}

/* The character behind a backslash; \u is not needed for any word that matters and becomes '?'. */
static int unescape(struct parser *p, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known;
    if (p->at >= p->end)
        return 0;
    char c = *p->at++;
    if (c == 'u') {
        for (int i = 0; i < 4; i++, p->at++)
            if (p->at >= p->end || strchr("0123456789abcdefABCDEF", *p->at) == NULL || !*p->at)
                return 0;
        *out = '?';
        return 1;
    }
    known = c != '\0' ? strchr(from, c) : NULL;
    if (known == NULL)
        return 0;
    *out = to[known - from];
    return 1;
}

/* What does not fit is dropped: no word that matters is so long. */
static int take_string(struct parser *p, char out[STRING_MAX])
{
    size_t n = 0;
    if (!take(p, '"'))
        return fail(p, NVFP4_ESYNTAX, "expected a string", "");
    while (p->at < p->end && *p->at != '"') {
        char c = *p->at++;
        if ((unsigned char)c < 0x20 || (c == '\\' && !unescape(p, &c)))
            return fail(p, NVFP4_ESYNTAX, "bad character in a string", "");
        if (n + 1 < STRING_MAX)
            out[n++] = c;
    }
    out[n] = '\0';
    return take(p, '"') ? 1 : fail(p, NVFP4_ESYNTAX, "string without an end", "");
}

/* Numbers, true, false and null: taken as text. */
static int take_bare(struct parser *p, char out[STRING_MAX])
{
    size_t n = 0;
    skip_blanks(p);
    while (p->at < p->end && n + 1 < STRING_MAX && *p->at != '\0' &&
           strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *p->at) != NULL)
        out[n++] = *p->at++;
    out[n] = '\0';
    return n > 0 ? 1 : fail(p, NVFP4_ESYNTAX, "expected a value", "");
}

static int set_fingerprint(struct parser *p, const char *hex)
{
    uint64_t value = 0;
    if (strlen(hex) != 16)
        return fail(p, NVFP4_ESCHEMA, "bad fingerprint", hex);
    for (; *hex != '\0'; hex++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, *hex);
        if (digit == NULL)
            return fail(p, NVFP4_ESCHEMA, "bad fingerprint", "");
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *p->fingerprint = value;
    return 1;
}

/* One key with a scalar: path is the object it stands in ("" for the outermost). */
static int scalar(struct parser *p, const char *path, const char *key, const char *value)
{
    if (strcmp(path, "claim") == 0) {
        if (strcmp(value, "null") == 0)
            return 1;
        nvfp4_status status = nvfp4_claim_set(p->claim, p->layer, key, value);
        if (status == NVFP4_EUNKNOWN)
            return fail(p, NVFP4_ESCHEMA, "unknown key", key);
        return status == NVFP4_OK ? 1 : fail(p, NVFP4_ESCHEMA, "bad value for", key);
    }
    if (path[0] != '\0')
        return 1;
    if (strcmp(key, "format") == 0) {
        p->saw_format = 1;
        if (strcmp(value, "nvfp4moe-verify-plan/1") != 0)
            return fail(p, NVFP4_ESCHEMA, "unknown format", value);
    }
    return strcmp(key, "fingerprint") == 0 ? set_fingerprint(p, value) : 1;
}

static int value(struct parser *p, const char *path, const char *key, int depth);

/* Members of an object or elements of an array, past its opening bracket. */
static int members(struct parser *p, const char *path, char end, int depth)
{
    char key[STRING_MAX] = "";
    if (take(p, end))
        return 1;
    do {
        if (end == '}' && !(take_string(p, key) &&
                            (take(p, ':') || fail(p, NVFP4_ESYNTAX, "expected a colon", ""))))
            return 0;
        if (!value(p, path, key, depth + 1))
            return 0;
    } while (take(p, ','));
    return take(p, end) ? 1 : fail(p, NVFP4_ESYNTAX, "expected a comma or a closing bracket", "");
}

static int value(struct parser *p, const char *path, const char *key, int depth)
{
    char text[STRING_MAX];
    if (depth > DEPTH_MAX)
        return fail(p, NVFP4_ELIMIT, "nested too deeply", "");
    /* Only the outermost object's own objects have a path of interest. */
    const char *inner = depth == 0 ? "" : depth == 1 && path[0] == '\0' ? key : "/";
    if (take(p, '{')) {
        p->saw_claim |= depth == 1 && strcmp(inner, "claim") == 0;
        return members(p, inner, '}', depth);
    }
    if (take(p, '['))
        return members(p, "/", ']', depth);
    int ok = p->at < p->end && *p->at == '"' ? take_string(p, text) : take_bare(p, text);
    return ok && scalar(p, path, key, text);
}

nvfp4_status nvfp4_plan_parse(const char *text, size_t size, nvfp4_verify_claim *claim,
                              nvfp4_moe_layer *layer, uint64_t *fingerprint,
                              struct nvfp4_complaint *complaint)
{
    nvfp4_verify_claim new_claim = NVFP4_VERIFY_CLAIM_INIT;
    nvfp4_moe_layer new_layer = NVFP4_MOE_LAYER_INIT;
    uint64_t new_fingerprint = 0;
    struct parser p = {text, text + size, text,     &new_claim, &new_layer, &new_fingerprint,
                       0,    0,           NVFP4_OK, complaint};
    if (value(&p, "", "", 0)) {
        skip_blanks(&p);
        if (p.at != p.end)
            (void)fail(&p, NVFP4_ESYNTAX, "something follows the document", "");
        else if (!p.saw_format || !p.saw_claim)
            (void)fail(&p, NVFP4_ESCHEMA, "no format or no claim", "");
    }
    if (p.status != NVFP4_OK)
        return p.status;
    *claim = new_claim;
    *layer = new_layer;
    claim->layer = layer;
    *fingerprint = new_fingerprint;
    return NVFP4_OK;
}
