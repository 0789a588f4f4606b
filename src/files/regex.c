/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions: the tree becomes a program, and all of its states are followed at once (as
 * Thompson showed in 1968), so that no expression takes more than its size times that of the name.
 * Lookahead is a program of its own that is run where it stands.
 */
#include "files/regex.h"

#include <string.h>

#include "files/pattern.h"

#define PROGRAM 8192 /* instructions */
#define LOOKS   3 /* programs at work at once: the expression, and lookaheads within lookaheads */

typedef enum op { OP_SET, OP_SPLIT, OP_JUMP, OP_ASSERT, OP_LOOK, OP_MATCH } op;

typedef struct instruction {
    const uint8_t *set; /* OP_SET */
    uint32_t x, y;      /* OP_SPLIT, OP_JUMP: targets; OP_LOOK: x begins the lookahead, y goes on */
    uint8_t op;         /* an OP_* */
    uint8_t assertion;  /* OP_ASSERT: an nvfp4_regex_kind */
    uint8_t negated;    /* OP_LOOK */
} instruction;

typedef struct states {
    uint32_t *list, *mark; /* mark[i] == stamp: i is in the list already */
    uint32_t count, stamp;
} states;

struct nvfp4_regex {
    instruction *program;
    uint32_t size;
    states now[LOOKS], next[LOOKS];
    uint32_t *stack[LOOKS];
};

typedef struct compiler {
    instruction *program;
    uint32_t size;
    nvfp4_status status;
} compiler;

/* A full program takes no more: what is written then goes into one place behind its end. */
static uint32_t emit(compiler *c, op code, uint32_t x, uint32_t y)
{
    if (c->size == PROGRAM) {
        c->status = NVFP4_ELIMIT;
        return PROGRAM;
    }
    instruction *const i = &c->program[c->size];
    memset(i, 0, sizeof *i);
    i->op = (uint8_t)code;
    i->x = x;
    i->y = y;
    return c->size++;
}

static void compile(compiler *c, const nvfp4_regex_node *n, int looks);

static void compile_repeat(compiler *c, const nvfp4_regex_node *n, int looks)
{
    for (int i = 0; i < n->min && c->status == NVFP4_OK; i++)
        compile(c, n->left, looks);
    if (n->max < 0) {
        const uint32_t split = emit(c, OP_SPLIT, c->size + 1, 0);
        compile(c, n->left, looks);
        emit(c, OP_JUMP, split, 0);
        c->program[split].y = c->size;
        return;
    }
    for (int i = n->min; i < n->max && c->status == NVFP4_OK; i++) {
        const uint32_t split = emit(c, OP_SPLIT, c->size + 1, 0);
        compile(c, n->left, looks);
        c->program[split].y = c->size;
    }
}

static void compile_look(compiler *c, const nvfp4_regex_node *n, int looks)
{
    if (looks + 1 >= LOOKS) {
        c->status = NVFP4_ELIMIT;
        return;
    }
    const uint32_t look = emit(c, OP_LOOK, c->size + 1, 0);
    c->program[look].negated = (uint8_t)n->min;
    compile(c, n->left, looks + 1);
    emit(c, OP_MATCH, 0, 0);
    c->program[look].y = c->size;
}

static void compile_choice(compiler *c, const nvfp4_regex_node *n, int looks)
{
    uint32_t jump = 0; /* the jumps to the end, each holding the one before it in y */
    int jumps = 0;
    for (; n->kind == NVFP4_REGEX_CHOICE && c->status == NVFP4_OK; n = n->right) {
        const uint32_t split = emit(c, OP_SPLIT, c->size + 1, 0);
        compile(c, n->left, looks);
        jump = emit(c, OP_JUMP, 0, jump);
        jumps++;
        c->program[split].y = c->size;
    }
    compile(c, n, looks);
    for (; jumps > 0 && c->status == NVFP4_OK; jumps--) {
        c->program[jump].x = c->size;
        jump = c->program[jump].y;
    }
}

/* Calls are as deep as groups: chains and choices are walked along. */
static void compile(compiler *c, const nvfp4_regex_node *n, int looks)
{
    for (; n != NULL && n->kind == NVFP4_REGEX_CHAIN && c->status == NVFP4_OK; n = n->right)
        compile(c, n->left, looks);
    if (n == NULL || c->status != NVFP4_OK)
        return;
    switch (n->kind) {
    case NVFP4_REGEX_SET:
        c->program[emit(c, OP_SET, 0, 0)].set = n->set;
        break;
    case NVFP4_REGEX_BEGIN:
    case NVFP4_REGEX_END:
    case NVFP4_REGEX_BOUNDARY:
    case NVFP4_REGEX_NO_BOUNDARY:
        c->program[emit(c, OP_ASSERT, 0, 0)].assertion = (uint8_t)n->kind;
        break;
    case NVFP4_REGEX_CHOICE:
        compile_choice(c, n, looks);
        break;
    case NVFP4_REGEX_REPEAT:
        compile_repeat(c, n, looks);
        break;
    case NVFP4_REGEX_LOOK:
        compile_look(c, n, looks);
        break;
    default:
        break;
    }
}

static int take_states(nvfp4_arena *arena, states *s, uint32_t size)
{
    s->list = nvfp4_arena_take(arena, size * sizeof *s->list);
    s->mark = nvfp4_arena_take(arena, size * sizeof *s->mark);
    s->count = 0;
    s->stamp = 0;
    if (s->list == NULL || s->mark == NULL)
        return 0;
    memset(s->mark, 0, size * sizeof *s->mark);
    return 1;
}

nvfp4_status nvfp4_regex_make(const char *text, size_t length, nvfp4_arena *arena,
                              struct nvfp4_regex **regex)
{
    nvfp4_regex_node *tree;
    const nvfp4_status status = nvfp4_regex_parse(text, length, arena, &tree);
    if (status != NVFP4_OK)
        return status;
    struct nvfp4_regex *const r = nvfp4_arena_take(arena, sizeof *r);
    compiler c = { nvfp4_arena_take(arena, (PROGRAM + 1) * sizeof *c.program), 0, NVFP4_OK };
    if (r == NULL || c.program == NULL)
        return NVFP4_ENOMEM;
    compile(&c, tree, 0);
    emit(&c, OP_MATCH, 0, 0);
    if (c.status != NVFP4_OK)
        return c.status;
    r->program = c.program;
    r->size = c.size;
    for (int i = 0; i < LOOKS; i++) {
        r->stack[i] = nvfp4_arena_take(arena, (2 * (size_t)c.size + 2) * sizeof(uint32_t));
        if (r->stack[i] == NULL || !take_states(arena, &r->now[i], c.size) ||
            !take_states(arena, &r->next[i], c.size))
            return NVFP4_ENOMEM;
    }
    *regex = r;
    return NVFP4_OK;
}

typedef struct run {
    struct nvfp4_regex *regex;
    const char *name;
    size_t length;
    uint64_t *steps;
} run;

static int holds(const run *r, nvfp4_regex_kind assertion, size_t at)
{
    if (assertion == NVFP4_REGEX_BEGIN)
        return at == 0;
    if (assertion == NVFP4_REGEX_END)
        return at == r->length;
    const int before = at > 0 && nvfp4_regex_is_word((unsigned char)r->name[at - 1]);
    const int behind = at < r->length && nvfp4_regex_is_word((unsigned char)r->name[at]);
    return (before != behind) == (assertion == NVFP4_REGEX_BOUNDARY);
}

static int matches_from(run *r, uint32_t begin, size_t at, int look);

/* Add a state and all that is reached from it without taking a byte. 1 if the end is among them. */
static int add(run *r, states *s, uint32_t state, size_t at, int look)
{
    uint32_t *const stack = r->regex->stack[look];
    size_t open = 0;
    stack[open++] = state;
    while (open > 0) {
        state = stack[--open];
        if (s->mark[state] == s->stamp || *r->steps == 0)
            continue;
        --*r->steps;
        s->mark[state] = s->stamp;
        const instruction *const i = &r->regex->program[state];
        switch (i->op) {
        case OP_MATCH:
            return 1;
        case OP_SET:
            s->list[s->count++] = state;
            break;
        case OP_SPLIT:
            stack[open++] = i->y;
            stack[open++] = i->x;
            break;
        case OP_JUMP:
            stack[open++] = i->x;
            break;
        case OP_ASSERT:
            if (holds(r, (nvfp4_regex_kind)i->assertion, at))
                stack[open++] = state + 1;
            break;
        case OP_LOOK:
            if (matches_from(r, i->x, at, look + 1) != i->negated)
                stack[open++] = i->y;
            break;
        }
    }
    return 0;
}

static void clear(states *s, uint32_t size)
{
    s->count = 0;
    if (++s->stamp == 0) {
        memset(s->mark, 0, size * sizeof *s->mark);
        s->stamp = 1;
    }
}

/* Does the program that begins at `begin` match what stands at `at`? Its end may lie anywhere. */
static int matches_from(run *r, uint32_t begin, size_t at, int look)
{
    states *now = &r->regex->now[look], *next = &r->regex->next[look];
    clear(now, r->regex->size);
    if (add(r, now, begin, at, look))
        return 1;
    for (; at < r->length && now->count > 0; at++) {
        const unsigned char c = (unsigned char)r->name[at];
        clear(next, r->regex->size);
        for (uint32_t i = 0; i < now->count; i++) {
            const uint32_t state = now->list[i];
            const uint8_t *const set = r->regex->program[state].set;
            if ((set[c >> 3] >> (c & 7) & 1) && add(r, next, state + 1, at + 1, look))
                return 1;
        }
        states *const spare = now;
        now = next;
        next = spare;
    }
    return 0;
}

int nvfp4_regex_matches(struct nvfp4_regex *regex, const char *name, uint64_t *steps)
{
    run r = { regex, name, strlen(name), steps };
    const int hit = matches_from(&r, 0, 0, 0);
    return *steps > 0 && hit;
}
