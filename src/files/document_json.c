/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, read as JSON.
 *
 * Nearly all JSON is YAML, but libyaml reads some of it wrongly and refuses other: a surrogate pair
 * written as \ud83d\ude00, a key longer than 1,024 bytes, a colon in the line below its key, a tab
 * in front of the document, the raw characters U+007F to U+009F and U+FEFF are errors to it, and
 * raw U+0085, U+2028 and U+2029 in a string are folded into blanks as line breaks. On the other
 * hand it takes comments, single quotes, bare words and trailing commas. A check of the grammar in
 * front of it would have to be this scanner; so the scanner feeds the tree itself.
 */
#include "files/document_build.h"

#include <math.h>
#include <string.h>

#include "files/utf8.h"

typedef struct json {
    nvfp4_builder *builder;
    char *at;
    char *end; /* here stands a NUL */
    char *line_begin;
    uint32_t line;
} json;

static nvfp4_place place_of(const json *j, const char *at)
{
    const nvfp4_place place = { j->line, (uint32_t)(at - j->line_begin + 1) };
    return place;
}

static nvfp4_status expected(const json *j, const char *what)
{
    const nvfp4_place place = place_of(j, j->at);
    char excerpt[NVFP4_EXCERPT];
    if (j->at == j->end)
        return nvfp4_build_fail(j->builder, place, NVFP4_ESYNTAX,
                                "the text ends where %s was expected", what);
    return nvfp4_build_fail(
        j->builder, place, NVFP4_ESYNTAX, "expected %s, found '%s'", what,
        nvfp4_excerpt(j->at, nvfp4_utf8_next(j->at, (size_t)(j->end - j->at)), excerpt));
}

static void skip_blanks(json *j)
{
    for (;; j->at++) {
        if (*j->at == '\n' || (*j->at == '\r' && j->at[1] != '\n')) {
            j->line++;
            j->line_begin = j->at + 1;
        } else if (*j->at != ' ' && *j->at != '\t' && *j->at != '\r') {
            return;
        }
    }
}

/* The four hexadecimal digits at `p`; -1 if they are not. */
static int32_t read_hex(const char *p)
{
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int digit;
        if (p[i] >= '0' && p[i] <= '9')
            digit = p[i] - '0';
        else if (p[i] >= 'a' && p[i] <= 'f')
            digit = p[i] - 'a' + 10;
        else if (p[i] >= 'A' && p[i] <= 'F')
            digit = p[i] - 'A' + 10;
        else
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Behind `\u`: one code point, from a surrogate pair where need be. */
static nvfp4_status read_unicode(json *j, char **out)
{
    int32_t code = read_hex(j->at);
    if (code < 0)
        return expected(j, "four hexadecimal digits behind \\u");
    if (code >= 0xD800 && code <= 0xDFFF) {
        int32_t low = -1;
        if (code <= 0xDBFF && j->at[4] == '\\' && j->at[5] == 'u')
            low = read_hex(j->at + 6);
        if (low < 0xDC00 || low > 0xDFFF)
            return nvfp4_build_fail(
                j->builder, place_of(j, j->at - 2), NVFP4_ESYNTAX,
                "\\u%04x is half of a surrogate pair, the other half is missing", (unsigned)code);
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        j->at += 6;
    }
    j->at += 4;
    *out += nvfp4_utf8_encode((uint32_t)code, *out);
    return NVFP4_OK;
}

static nvfp4_status read_escape(json *j, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *const found = *j->at != '\0' ? strchr(from, *j->at) : NULL;
    if (*j->at == 'u') {
        j->at++;
        return read_unicode(j, out);
    }
    if (found == NULL)
        return expected(j, "one of \"\\/bfnrtu behind a backslash");
    *(*out)++ = to[found - from];
    j->at++;
    return NVFP4_OK;
}

/* A string at `"`. It is decoded where it stands: that never makes it longer. */
static nvfp4_status read_string(json *j, const char **text, size_t *length)
{
    const nvfp4_place begin = place_of(j, j->at);
    char *const string = ++j->at;
    char *out = string;
    for (;;) {
        const unsigned char c = (unsigned char)*j->at;
        if (c == '"')
            break;
        if (j->at == j->end)
            return nvfp4_build_fail(j->builder, begin, NVFP4_ESYNTAX,
                                    "the text ends inside the string that begins here");
        if (c < 0x20)
            return nvfp4_build_fail(j->builder, place_of(j, j->at), NVFP4_ESYNTAX,
                                    "a control character in a string; expected an escape such as "
                                    "\\u%04x",
                                    (unsigned)c);
        j->at++;
        if (c != '\\') {
            *out++ = (char)c;
            continue;
        }
        nvfp4_status status = read_escape(j, &out);
        if (status != NVFP4_OK)
            return status;
    }
    *out = '\0';
    j->at++;
    *text = string;
    *length = (size_t)(out - string);
    return NVFP4_OK;
}

static nvfp4_status add_string(json *j)
{
    const nvfp4_place place = place_of(j, j->at);
    const char *text;
    size_t length;
    nvfp4_node *node;
    nvfp4_status status = read_string(j, &text, &length);
    if (status == NVFP4_OK)
        status = nvfp4_build_add(j->builder, NVFP4_NODE_STRING, place, &node);
    if (status != NVFP4_OK)
        return status;
    node->text = text;
    node->length = (uint32_t)length;
    node->quoted = 1;
    return NVFP4_OK;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static nvfp4_status read_digits(json *j)
{
    if (!is_digit(*j->at))
        return expected(j, "a digit");
    while (is_digit(*j->at))
        j->at++;
    return NVFP4_OK;
}

/* Move behind a number; `real` says whether it has a fraction or an exponent. */
static nvfp4_status skip_number(json *j, int *real)
{
    nvfp4_status status = NVFP4_OK;
    *real = 0;
    if (*j->at == '-')
        j->at++;
    if (*j->at == '0')
        j->at++;
    else
        status = read_digits(j);
    if (status == NVFP4_OK && *j->at == '.') {
        *real = 1;
        j->at++;
        status = read_digits(j);
    }
    if (status == NVFP4_OK && (*j->at == 'e' || *j->at == 'E')) {
        *real = 1;
        j->at++;
        if (*j->at == '+' || *j->at == '-')
            j->at++;
        status = read_digits(j);
    }
    return status;
}

static nvfp4_status add_number(json *j)
{
    const nvfp4_place place = place_of(j, j->at);
    const char *const begin = j->at;
    int real;
    nvfp4_node *node;
    nvfp4_status status = skip_number(j, &real);
    if (status == NVFP4_OK)
        status = nvfp4_build_add(j->builder, NVFP4_NODE_INT, place, &node);
    if (status != NVFP4_OK)
        return status;
    const size_t length = (size_t)(j->at - begin);
    const char *const text = nvfp4_arena_copy(&j->builder->document->arena, begin, length);
    if (text == NULL)
        return nvfp4_build_fail(j->builder, place, NVFP4_ENOMEM, "out of memory");
    nvfp4_build_number(node, text, length, real);
    return NVFP4_OK;
}

static const struct literal {
    const char *word;
    nvfp4_node_kind kind;
    int integer;
    double real;
} literals[] = {
    { "true", NVFP4_NODE_BOOL, 1, 0 },
    { "false", NVFP4_NODE_BOOL, 0, 0 },
    { "null", NVFP4_NODE_NULL, 0, 0 },
    /* No JSON, but what Python's json module writes and real checkpoints hold. */
    { "NaN", NVFP4_NODE_REAL, 0, NAN },
    { "Infinity", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { "-Infinity", NVFP4_NODE_REAL, 0, -HUGE_VAL },
};

static nvfp4_status add_literal(json *j)
{
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; i++) {
        const struct literal *const l = &literals[i];
        const size_t length = strlen(l->word);
        if (strncmp(j->at, l->word, length) != 0)
            continue;
        nvfp4_node *node;
        nvfp4_status status = nvfp4_build_add(j->builder, l->kind, place_of(j, j->at), &node);
        if (status != NVFP4_OK)
            return status;
        node->text = l->word;
        node->length = (uint32_t)length;
        if (l->kind == NVFP4_NODE_REAL)
            node->real = l->real;
        else
            node->integer = l->integer;
        j->at += length;
        return NVFP4_OK;
    }
    return *j->at == '-' ? add_number(j) : expected(j, "a value");
}

/* One value, or the front of a list or an object. */
static nvfp4_status add_value(json *j)
{
    nvfp4_node *node;
    nvfp4_status status;
    skip_blanks(j);
    switch (*j->at) {
    case '"':
        return add_string(j);
    case '{':
    case '[':
        status =
            nvfp4_build_add(j->builder, *j->at == '{' ? NVFP4_NODE_MAPPING : NVFP4_NODE_SEQUENCE,
                            place_of(j, j->at), &node);
        j->at++;
        return status;
    default:
        return is_digit(*j->at) ? add_number(j) : add_literal(j);
    }
}

static nvfp4_status read_key(json *j)
{
    const nvfp4_place place = place_of(j, j->at);
    const char *key;
    size_t length;
    if (*j->at != '"')
        return expected(j, "a key in double quotes");
    nvfp4_status status = read_string(j, &key, &length);
    if (status != NVFP4_OK)
        return status;
    skip_blanks(j);
    if (*j->at != ':')
        return expected(j, "':' behind the key");
    j->at++;
    nvfp4_build_key(j->builder, key, length, place);
    return NVFP4_OK;
}

/* Inside a list or an object: its end, or one more item. */
static nvfp4_status read_item(json *j)
{
    const nvfp4_node *const top = nvfp4_build_top(j->builder);
    const int mapping = top->kind == NVFP4_NODE_MAPPING;
    skip_blanks(j);
    if (*j->at == (mapping ? '}' : ']')) {
        j->at++;
        return nvfp4_build_close(j->builder);
    }
    if (top->count > 0) {
        if (*j->at != ',')
            return expected(j, mapping ? "',' or '}'" : "',' or ']'");
        j->at++;
        skip_blanks(j);
    }
    if (mapping) {
        nvfp4_status status = read_key(j);
        if (status != NVFP4_OK)
            return status;
    }
    return add_value(j);
}

nvfp4_status nvfp4_document_build_json(nvfp4_builder *builder)
{
    char *const text = builder->document->text;
    json j = { builder, text, text + builder->document->length, text, builder->first_line };
    nvfp4_status status = add_value(&j);
    while (status == NVFP4_OK && builder->depth > 0)
        status = read_item(&j);
    if (status != NVFP4_OK)
        return status;
    skip_blanks(&j);
    return j.at == j.end ? NVFP4_OK : expected(&j, "the end of the text");
}
