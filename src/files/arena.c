/* SPDX-License-Identifier: Apache-2.0 */
#include "files/arena.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "files/alloc.h"

#define CHUNK_FIRST   ((size_t)4 << 10)
#define CHUNK_LARGEST ((size_t)1 << 20)

struct nvfp4_arena_chunk {
    struct nvfp4_arena_chunk *older;
    size_t size; /* of `bytes` */
    max_align_t bytes[];
};

void *nvfp4_arena_take(nvfp4_arena *arena, size_t size)
{
    const size_t align = sizeof(max_align_t);
    if (size == 0)
        size = 1;
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + align - 1) / align * align;
    if (size > arena->left) {
        /* Chunks double, so that a small document costs little and a large one few calls. */
        size_t room = arena->chunks == NULL ? CHUNK_FIRST : arena->chunks->size * 2;
        if (room > CHUNK_LARGEST)
            room = CHUNK_LARGEST;
        if (room < size)
            room = size;
        struct nvfp4_arena_chunk *chunk = nvfp4_files_malloc(sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        chunk->older = arena->chunks;
        chunk->size = room;
        arena->chunks = chunk;
        arena->left = room;
    }
    char *taken = (char *)arena->chunks->bytes + (arena->chunks->size - arena->left);
    arena->left -= size;
    return taken;
}

char *nvfp4_arena_copy(nvfp4_arena *arena, const char *text, size_t length)
{
    char *copy = nvfp4_arena_take(arena, length + 1);
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void nvfp4_arena_free(nvfp4_arena *arena)
{
    while (arena->chunks != NULL) {
        struct nvfp4_arena_chunk *older = arena->chunks->older;
        nvfp4_files_free(arena->chunks);
        arena->chunks = older;
    }
    arena->left = 0;
}
