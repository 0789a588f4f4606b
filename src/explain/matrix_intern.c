/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/matrix_intern.h"

#include <string.h>

void nvfp4_intern_begin(struct intern *intern, char *memory, size_t size)
{
    memset(intern, 0, sizeof *intern);
    intern->memory = memory;
    intern->size = size;
}

static uint32_t hash_of(int kind, const char *text, size_t length)
{
    uint32_t h = (uint32_t)kind + 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct intern_text *new_text(struct intern *intern, size_t length)
{
    const size_t align = sizeof(void *);
    const size_t bytes = (sizeof(struct intern_text) + length + align) / align * align;
    if (bytes > intern->size - intern->used)
        return NULL;
    struct intern_text *t = (struct intern_text *)(void *)(intern->memory + intern->used);
    intern->used += bytes;
    return t;
}

uint32_t nvfp4_intern_add(struct intern *intern, int kind, const char *text, size_t length)
{
    uint32_t at = hash_of(kind, text, length) % INTERN_TABLE;
    for (; intern->table[at] != NULL; at = (at + 1) % INTERN_TABLE) {
        const struct intern_text *t = intern->table[at];
        if (t->kind == kind && t->length == length && memcmp(t->text, text, length) == 0)
            return t->number;
    }
    uint32_t texts = 0;
    for (int k = 0; k < INTERN_KINDS; k++)
        texts += intern->count[k];
    struct intern_text *t = texts < INTERN_TABLE / 4 * 3 ? new_text(intern, length) : NULL;
    if (t == NULL) {
        intern->full = 1;
        return 0;
    }
    *t = (struct intern_text){ .number = intern->count[kind]++,
                               .length = (uint32_t)length,
                               .kind = (uint8_t)kind };
    memcpy(t->text, text, length);
    t->text[length] = '\0';
    intern->table[at] = t;
    if (intern->last[kind] != NULL)
        intern->last[kind]->next = t;
    else
        intern->first[kind] = t;
    intern->last[kind] = t;
    return t->number;
}
