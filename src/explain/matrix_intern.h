/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_MATRIX_INTERN_H
#define NVFP4_EXPLAIN_MATRIX_INTERN_H

/* Texts by number, each kept once, in memory of the caller's. */

#include <stddef.h>
#include <stdint.h>

enum { INTERN_KINDS = 3, INTERN_TABLE = 1 << 14 };

struct intern_text {
    struct intern_text *next; /* of the same kind, in order of their numbers */
    uint32_t number;
    uint32_t length;
    uint8_t kind;
    char text[];
};

struct intern {
    struct intern_text *table[INTERN_TABLE];
    struct intern_text *first[INTERN_KINDS], *last[INTERN_KINDS];
    uint32_t count[INTERN_KINDS];
    char *memory;
    size_t used, size;
    int full; /* memory ran out: numbers mean nothing any more */
};

void nvfp4_intern_begin(struct intern *intern, char *memory, size_t size);

/* The number of a text among those of its kind, from 0. */
uint32_t nvfp4_intern_add(struct intern *intern, int kind, const char *text, size_t length);

#endif
