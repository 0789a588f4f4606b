/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of Python's re module: from text to tree. */
#include "files/regex.h"

#include <string.h>

#define DEPTH   32   /* of groups */
#define REPEATS 1000 /* largest count in braces */
#define LENGTH  4096 /* bytes of text; the tree takes many times that */

typedef struct parser {
    const char *at, *end;
    nvfp4_arena *arena;
    int depth;
    nvfp4_status status;
} parser;

static nvfp4_regex_node *fail(parser *p, nvfp4_status status)
{
    if (p->status == NVFP4_OK)
        p->status = status;
    return NULL;
}

static nvfp4_regex_node *make(parser *p, nvfp4_regex_kind kind, nvfp4_regex_node *left,
                              nvfp4_regex_node *right)
{
    nvfp4_regex_node *const n = nvfp4_arena_take(p->arena, sizeof *n);
    if (n == NULL)
        return fail(p, NVFP4_ENOMEM);
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->left = left;
    n->right = right;
    return n;
}

static void put(uint8_t set[32], int c)
{
    set[c >> 3] = (uint8_t)(set[c >> 3] | 1u << (c & 7));
}

int nvfp4_regex_is_word(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* \d, \w, \s and their opposites into `set`; 0 if `letter` is none of them. */
static int put_class(uint8_t set[32], char letter)
{
    const char lower = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
    if (lower != 'd' && lower != 'w' && lower != 's')
        return 0;
    for (int c = 0; c < 256; c++) {
        int in = nvfp4_regex_is_word(c);
        if (lower == 'd')
            in = c >= '0' && c <= '9';
        else if (lower == 's')
            in = c == ' ' || (c >= '\t' && c <= '\r');
        if (in == (letter == lower))
            put(set, c);
    }
    return 1;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character behind a backslash that stands for one character; -1 if it does not. */
static int escaped(parser *p)
{
    static const char from[] = "ntrfva0", to[] = "\n\t\r\f\v\a\0";
    const char c = *p->at++;
    const char *const found = c != '\0' ? strchr(from, c) : NULL;
    if (found != NULL)
        return (unsigned char)to[found - from];
    if (c == 'x' && p->end - p->at >= 2 && hex_digit(p->at[0]) >= 0 && hex_digit(p->at[1]) >= 0) {
        p->at += 2;
        return hex_digit(p->at[-2]) * 16 + hex_digit(p->at[-1]);
    }
    return nvfp4_regex_is_word((unsigned char)c) ? -1 : (unsigned char)c;
}

static nvfp4_regex_node *parse_escape(parser *p)
{
    p->at++;
    if (p->at == p->end)
        return fail(p, NVFP4_ESYNTAX);
    switch (*p->at) {
    case 'b':
        p->at++;
        return make(p, NVFP4_REGEX_BOUNDARY, NULL, NULL);
    case 'B':
        p->at++;
        return make(p, NVFP4_REGEX_NO_BOUNDARY, NULL, NULL);
    case 'A':
        p->at++;
        return make(p, NVFP4_REGEX_BEGIN, NULL, NULL);
    case 'Z':
        p->at++;
        return make(p, NVFP4_REGEX_END, NULL, NULL);
    default:
        break;
    }
    nvfp4_regex_node *const n = make(p, NVFP4_REGEX_SET, NULL, NULL);
    if (n == NULL)
        return NULL;
    if (put_class(n->set, *p->at)) {
        p->at++;
        return n;
    }
    const int c = escaped(p);
    if (c < 0)
        return fail(p, NVFP4_EUNKNOWN);
    put(n->set, c);
    return n;
}

/* One member of a class in brackets: a character, or -1 when a whole class was put. */
static int parse_member(parser *p, uint8_t set[32])
{
    if (*p->at != '\\')
        return (unsigned char)*p->at++;
    p->at++;
    if (p->at == p->end) {
        fail(p, NVFP4_ESYNTAX);
        return -1;
    }
    if (put_class(set, *p->at)) {
        p->at++;
        return -1;
    }
    if (*p->at == 'b') {
        p->at++;
        return '\b';
    }
    const int c = escaped(p);
    if (c < 0)
        fail(p, NVFP4_EUNKNOWN);
    return c;
}

static nvfp4_regex_node *parse_set(parser *p)
{
    nvfp4_regex_node *const n = make(p, NVFP4_REGEX_SET, NULL, NULL);
    if (n == NULL)
        return NULL;
    p->at++;
    const int negated = p->at < p->end && *p->at == '^';
    p->at += negated;
    for (const char *begin = p->at; p->at < p->end && (*p->at != ']' || p->at == begin);) {
        const int low = parse_member(p, n->set);
        int high = low;
        if (low >= 0 && p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            high = parse_member(p, n->set);
            if (high < low)
                return fail(p, NVFP4_ESYNTAX);
        }
        if (p->status != NVFP4_OK)
            return NULL;
        for (int c = low; c >= 0 && c <= high; c++)
            put(n->set, c);
    }
    if (p->at >= p->end)
        return fail(p, NVFP4_ESYNTAX);
    p->at++;
    for (size_t i = 0; negated && i < sizeof n->set; i++)
        n->set[i] = (uint8_t)~n->set[i];
    return n;
}

static nvfp4_regex_node *parse_choice(parser *p);

static int starts(const parser *p, const char *front)
{
    const size_t length = strlen(front);
    return (size_t)(p->end - p->at) >= length && memcmp(p->at, front, length) == 0;
}

static nvfp4_regex_node *parse_group(parser *p)
{
    nvfp4_regex_node *look = NULL;
    if (starts(p, "(?=") || starts(p, "(?!")) {
        look = make(p, NVFP4_REGEX_LOOK, NULL, NULL);
        if (look == NULL)
            return NULL;
        look->min = p->at[2] == '!';
        p->at += 3;
    } else if (starts(p, "(?:")) {
        p->at += 3;
    } else if (starts(p, "(?P<")) {
        const char *const close = memchr(p->at, '>', (size_t)(p->end - p->at));
        if (close == NULL)
            return fail(p, NVFP4_ESYNTAX);
        p->at = close + 1;
    } else if (starts(p, "(?")) {
        return fail(p, NVFP4_EUNKNOWN);
    } else {
        p->at++;
    }
    if (++p->depth > DEPTH)
        return fail(p, NVFP4_ELIMIT);
    nvfp4_regex_node *const inner = parse_choice(p);
    p->depth--;
    if (inner == NULL)
        return NULL;
    if (p->at == p->end || *p->at != ')')
        return fail(p, NVFP4_ESYNTAX);
    p->at++;
    if (look == NULL)
        return inner;
    look->left = inner;
    return look;
}

static nvfp4_regex_node *parse_atom(parser *p)
{
    switch (*p->at) {
    case '(':
        return parse_group(p);
    case '[':
        return parse_set(p);
    case '\\':
        return parse_escape(p);
    case '^':
        p->at++;
        return make(p, NVFP4_REGEX_BEGIN, NULL, NULL);
    case '$':
        p->at++;
        return make(p, NVFP4_REGEX_END, NULL, NULL);
    case '*':
    case '+':
    case '?':
        return fail(p, NVFP4_ESYNTAX);
    default:
        break;
    }
    nvfp4_regex_node *const n = make(p, NVFP4_REGEX_SET, NULL, NULL);
    if (n == NULL)
        return NULL;
    if (*p->at == '.') {
        memset(n->set, 0xFF, sizeof n->set);
        n->set['\n' >> 3] = (uint8_t)(n->set['\n' >> 3] & ~(1u << ('\n' & 7)));
    } else {
        put(n->set, (unsigned char)*p->at);
    }
    p->at++;
    return n;
}

static int parse_count(parser *p, int otherwise)
{
    int sum = 0, digits = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++, digits++)
        sum = sum > REPEATS ? sum : sum * 10 + (*p->at - '0');
    return digits > 0 ? sum : otherwise;
}

/* A quantifier at p->at. 0: none stands there. */
static int parse_counts(parser *p, int *min, int *max)
{
    const char *const begin = p->at;
    if (p->at == p->end)
        return 0;
    *min = *p->at == '+';
    *max = *p->at == '?' ? 1 : -1;
    if (*p->at == '*' || *p->at == '+' || *p->at == '?') {
        p->at++;
        return 1;
    }
    if (*p->at != '{')
        return 0;
    p->at++;
    *min = parse_count(p, -1);
    *max = *min;
    if (p->at < p->end && *p->at == ',') {
        p->at++;
        *max = parse_count(p, -1);
        *min = *min < 0 ? 0 : *min;
    }
    if (*min < 0 || p->at == p->end || *p->at != '}') {
        p->at = begin; /* no count: the brace is a character */
        return 0;
    }
    p->at++;
    return 1;
}

static nvfp4_regex_node *parse_repeated(parser *p)
{
    nvfp4_regex_node *n = parse_atom(p);
    int min, max;
    if (n == NULL || !parse_counts(p, &min, &max))
        return n;
    if (max >= 0 && max < min)
        return fail(p, NVFP4_ESYNTAX);
    if (min > REPEATS || max > REPEATS)
        return fail(p, NVFP4_ELIMIT);
    n = make(p, NVFP4_REGEX_REPEAT, n, NULL);
    if (n == NULL)
        return NULL;
    n->min = min;
    n->max = max;
    if (p->at < p->end && *p->at == '?')
        p->at++; /* as little as possible: the same yes or no */
    else if (p->at < p->end && (*p->at == '+' || *p->at == '*'))
        return fail(p, *p->at == '+' ? NVFP4_EUNKNOWN : NVFP4_ESYNTAX);
    return n;
}

static nvfp4_regex_node *parse_chain(parser *p)
{
    nvfp4_regex_node *chain = NULL, *last = NULL;
    while (p->at < p->end && *p->at != '|' && *p->at != ')') {
        nvfp4_regex_node *const part = parse_repeated(p);
        if (part == NULL)
            return NULL;
        nvfp4_regex_node *const link = make(p, NVFP4_REGEX_CHAIN, part, NULL);
        if (link == NULL)
            return NULL;
        if (chain == NULL)
            chain = link;
        else
            last->right = link;
        last = link;
    }
    return chain != NULL ? chain : make(p, NVFP4_REGEX_EMPTY, NULL, NULL);
}

static nvfp4_regex_node *parse_choice(parser *p)
{
    nvfp4_regex_node *first = parse_chain(p);
    nvfp4_regex_node **end = &first;
    while (first != NULL && p->at < p->end && *p->at == '|') {
        p->at++;
        nvfp4_regex_node *const other = parse_chain(p);
        nvfp4_regex_node *const choice =
            other != NULL ? make(p, NVFP4_REGEX_CHOICE, *end, other) : NULL;
        if (choice == NULL)
            return NULL;
        *end = choice;
        end = &choice->right;
    }
    return first;
}

nvfp4_status nvfp4_regex_parse(const char *text, size_t length, nvfp4_arena *arena,
                               nvfp4_regex_node **tree)
{
    parser p = { text, text + length, arena, 0, NVFP4_OK };
    if (length > LENGTH)
        return NVFP4_ELIMIT;
    nvfp4_regex_node *const root = parse_choice(&p);
    if (root == NULL)
        return p.status;
    if (p.at < p.end) /* a bracket that nothing opened */
        return NVFP4_ESYNTAX;
    *tree = root;
    return NVFP4_OK;
}
