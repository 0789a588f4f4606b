/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: libyaml's events become a tree, bare words are read as the YAML 1.2 core schema says. */
#include "files/document_build.h"

#include <math.h>
#include <string.h>
#include <yaml.h>

/* libyaml counts characters, we count bytes, and only LF, CR and CRLF end a line to an editor. */
typedef struct cursor {
    const char *text;
    size_t index; /* characters */
    size_t offset;
    size_t line_begin;
    uint32_t line;
} cursor;

typedef struct yaml {
    nvfp4_builder *builder;
    yaml_parser_t parser;
    cursor cursor;
    int documents;
} yaml;

/* Marks come in ascending order, so all calls together walk the text once. */
static nvfp4_place place_of(yaml *y, yaml_mark_t mark)
{
    cursor *const c = &y->cursor;
    const size_t length = y->builder->document->length;
    while (c->index < mark.index && c->offset < length) {
        const char *const p = c->text + c->offset;
        if (p[0] == '\n' || (p[0] == '\r' && p[1] != '\n')) {
            c->line++;
            c->line_begin = c->offset + 1;
        }
        do
            c->offset++;
        while (((unsigned char)c->text[c->offset] & 0xC0) == 0x80);
        c->index++;
    }
    const nvfp4_place place = { c->line, (uint32_t)(c->offset - c->line_begin + 1) };
    return place;
}

static nvfp4_status parser_error(yaml *y)
{
    const yaml_parser_t *const p = &y->parser;
    const char *const problem = p->problem != NULL ? p->problem : "not well-formed";
    nvfp4_place place = { 0, 0 };
    switch (p->error) {
    case YAML_MEMORY_ERROR:
        return nvfp4_build_fail(y->builder, place, NVFP4_ENOMEM, "out of memory");
    case YAML_READER_ERROR:
        place = nvfp4_build_place(y->builder, p->problem_offset);
        break;
    default:
        place = place_of(y, p->problem_mark);
        break;
    }
    if (p->context != NULL)
        return nvfp4_build_fail(y->builder, place, NVFP4_ESYNTAX, "%s (%s)", problem, p->context);
    return nvfp4_build_fail(y->builder, place, NVFP4_ESYNTAX, "%s", problem);
}

static size_t count_in(const char *text, const char *set)
{
    return strspn(text, set);
}

#define DIGITS "0123456789"

/* [-+]? ( "." d+ | d+ ( "." d* )? ) ( [eE] [-+]? d+ )? */
static int is_real(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    const size_t whole = count_in(p, DIGITS);
    p += whole;
    if (*p == '.') {
        const size_t fraction = count_in(++p, DIGITS);
        if (whole == 0 && fraction == 0)
            return 0;
        p += fraction;
    } else if (whole == 0) {
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        const size_t exponent = count_in(p, DIGITS);
        if (exponent == 0)
            return 0;
        p += exponent;
    }
    return *p == '\0';
}

static int is_integer(const char *text)
{
    const char *const p = text + (*text == '-' || *text == '+');
    return *p != '\0' && p[count_in(p, DIGITS)] == '\0';
}

/* 0o17 and 0xff; 0 if it is none, or too large to be one. */
static int read_based(const char *text, int64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    if (text[0] != '0' || (text[1] != 'o' && text[1] != 'x') || text[2] == '\0')
        return 0;
    const int base = text[1] == 'o' ? 8 : 16;
    int64_t sum = 0;
    for (const char *p = text + 2; *p != '\0'; p++) {
        const char lower = *p >= 'A' && *p <= 'F' ? (char)(*p - 'A' + 'a') : *p;
        const char *const found = strchr(digits, lower);
        if (found == NULL || found - digits >= base || sum > (INT64_MAX - 15) / 16)
            return 0;
        sum = sum * base + (found - digits);
    }
    *value = sum;
    return 1;
}

static const struct word {
    const char *text;
    nvfp4_node_kind kind;
    int integer;
    double real;
} words[] = {
    { "", NVFP4_NODE_NULL, 0, 0 },
    { "~", NVFP4_NODE_NULL, 0, 0 },
    { "null", NVFP4_NODE_NULL, 0, 0 },
    { "Null", NVFP4_NODE_NULL, 0, 0 },
    { "NULL", NVFP4_NODE_NULL, 0, 0 },
    { "true", NVFP4_NODE_BOOL, 1, 0 },
    { "True", NVFP4_NODE_BOOL, 1, 0 },
    { "TRUE", NVFP4_NODE_BOOL, 1, 0 },
    { "false", NVFP4_NODE_BOOL, 0, 0 },
    { "False", NVFP4_NODE_BOOL, 0, 0 },
    { "FALSE", NVFP4_NODE_BOOL, 0, 0 },
    { ".nan", NVFP4_NODE_REAL, 0, NAN },
    { ".NaN", NVFP4_NODE_REAL, 0, NAN },
    { ".NAN", NVFP4_NODE_REAL, 0, NAN },
    { ".inf", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { ".Inf", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { ".INF", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { "+.inf", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { "+.Inf", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { "+.INF", NVFP4_NODE_REAL, 0, HUGE_VAL },
    { "-.inf", NVFP4_NODE_REAL, 0, -HUGE_VAL },
    { "-.Inf", NVFP4_NODE_REAL, 0, -HUGE_VAL },
    { "-.INF", NVFP4_NODE_REAL, 0, -HUGE_VAL },
};

/* What a bare word means; a string unless it is something else. */
static void resolve(nvfp4_node *node)
{
    const char *const text = node->text;
    int64_t integer;
    if (strlen(text) != node->length)
        return;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i].text) == 0) {
            node->kind = (uint8_t)words[i].kind;
            if (words[i].kind == NVFP4_NODE_REAL)
                node->real = words[i].real;
            else
                node->integer = words[i].integer;
            return;
        }
    }
    if (is_integer(text)) {
        nvfp4_build_number(node, text, node->length, 0);
    } else if (read_based(text, &integer)) {
        node->kind = NVFP4_NODE_INT;
        node->integer = integer;
    } else if (is_real(text)) {
        nvfp4_build_number(node, text, node->length, 1);
    }
}

/* 1 when the next thing inside the innermost mapping is a key. */
static int wants_key(const nvfp4_builder *b)
{
    const nvfp4_node *const top = nvfp4_build_top(b);
    return top != NULL && top->kind == NVFP4_NODE_MAPPING && b->key == NULL;
}

static nvfp4_status add_scalar(yaml *y, const yaml_event_t *event, nvfp4_place place)
{
    nvfp4_builder *const b = y->builder;
    const size_t length = event->data.scalar.length;
    const int bare = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *const text =
        nvfp4_arena_copy(&b->document->arena, (const char *)event->data.scalar.value, length);
    if (text == NULL)
        return nvfp4_build_fail(b, place, NVFP4_ENOMEM, "out of memory");
    if (wants_key(b)) {
        if (bare && length == 0)
            return nvfp4_build_fail(b, place, NVFP4_ESYNTAX, "expected a key in front of ':'");
        nvfp4_build_key(b, text, length, place);
        return NVFP4_OK;
    }
    nvfp4_node *node;
    nvfp4_status status = nvfp4_build_add(b, NVFP4_NODE_STRING, place, &node);
    if (status != NVFP4_OK)
        return status;
    node->text = text;
    node->length = (uint32_t)length;
    node->quoted = (uint8_t)!bare;
    if (bare)
        resolve(node);
    return NVFP4_OK;
}

static nvfp4_status open_collection(yaml *y, nvfp4_node_kind kind, nvfp4_place place)
{
    nvfp4_node *node;
    if (wants_key(y->builder))
        return nvfp4_build_fail(y->builder, place, NVFP4_ESCHEMA,
                                "a list or a mapping cannot be a key; expected a word");
    return nvfp4_build_add(y->builder, kind, place, &node);
}

static nvfp4_status refuse_extras(yaml *y, const yaml_char_t *anchor, const yaml_char_t *tag,
                                  nvfp4_place place)
{
    if (anchor != NULL)
        return nvfp4_build_fail(y->builder, place, NVFP4_ESCHEMA,
                                "anchors (&name) are not read here; write the value itself");
    if (tag != NULL)
        return nvfp4_build_fail(y->builder, place, NVFP4_ESCHEMA,
                                "tags (!name) are not read here; write the value alone");
    return NVFP4_OK;
}

static nvfp4_status take_event(yaml *y, const yaml_event_t *event)
{
    const nvfp4_place place = place_of(y, event->start_mark);
    nvfp4_status status;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (y->documents++ > 0)
            return nvfp4_build_fail(y->builder, place, NVFP4_ESCHEMA,
                                    "a second document begins; expected one only");
        return NVFP4_OK;
    case YAML_ALIAS_EVENT:
        return nvfp4_build_fail(y->builder, place, NVFP4_ESCHEMA,
                                "aliases (*name) are not read here; write the value itself");
    case YAML_SCALAR_EVENT:
        status = refuse_extras(y, event->data.scalar.anchor, event->data.scalar.tag, place);
        return status != NVFP4_OK ? status : add_scalar(y, event, place);
    case YAML_SEQUENCE_START_EVENT:
        status = refuse_extras(y, event->data.sequence_start.anchor, event->data.sequence_start.tag,
                               place);
        return status != NVFP4_OK ? status : open_collection(y, NVFP4_NODE_SEQUENCE, place);
    case YAML_MAPPING_START_EVENT:
        status = refuse_extras(y, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                               place);
        return status != NVFP4_OK ? status : open_collection(y, NVFP4_NODE_MAPPING, place);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return nvfp4_build_close(y->builder);
    default:
        return NVFP4_OK;
    }
}

static nvfp4_status take_events(yaml *y)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&y->parser, &event))
            return parser_error(y);
        const nvfp4_status status = take_event(y, &event);
        const int end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status != NVFP4_OK || end)
            return status;
    }
}

nvfp4_status nvfp4_document_build_yaml(nvfp4_builder *builder)
{
    const nvfp4_document *const document = builder->document;
    yaml y;
    memset(&y, 0, sizeof y);
    y.builder = builder;
    y.cursor.text = document->text;
    y.cursor.line = builder->first_line;
    builder->unique_keys = 1;
    if (!yaml_parser_initialize(&y.parser)) {
        const nvfp4_place nowhere = { 0, 0 };
        return nvfp4_build_fail(builder, nowhere, NVFP4_ENOMEM, "out of memory");
    }
    yaml_parser_set_encoding(&y.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&y.parser, (const unsigned char *)document->text,
                                 document->length);
    const nvfp4_status status = take_events(&y);
    yaml_parser_delete(&y.parser);
    return status;
}
