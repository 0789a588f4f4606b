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
    size_t used; /* at the front; texts are taken from the end of what is left */
    max_align_t bytes[];
};

/* Have `size` bytes free in the newest chunk. */
static int make_room(nvfp4_arena *arena, size_t size)
{
    if (size <= arena->left)
        return 1;
    /* Chunks double, so that a small document costs little and a large one few calls. */
    size_t room = arena->chunks == NULL ? CHUNK_FIRST : arena->chunks->size * 2;
    if (room > CHUNK_LARGEST)
        room = CHUNK_LARGEST;
    if (room < size)
        room = size;
    struct nvfp4_arena_chunk *chunk = nvfp4_files_malloc(sizeof *chunk + room);
    if (chunk == NULL)
        return 0;
    chunk->older = arena->chunks;
    chunk->size = room;
    chunk->used = 0;
    arena->chunks = chunk;
    arena->left = room;
    return 1;
}

void *nvfp4_arena_take(nvfp4_arena *arena, size_t size)
{
    const size_t align = sizeof(max_align_t);
    if (size == 0)
        size = 1;
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + align - 1) / align * align;
    if (!make_room(arena, size))
        return NULL;
    char *taken = (char *)arena->chunks->bytes + arena->chunks->used;
    arena->chunks->used += size;
    arena->left -= size;
    return taken;
}

char *nvfp4_arena_copy(nvfp4_arena *arena, const char *text, size_t length)
{
    if (length >= SIZE_MAX / 4 || !make_room(arena, length + 1))
        return NULL;
    /* From the end: a text needs no alignment, and numbers are short. */
    arena->left -= length + 1;
    char *copy = (char *)arena->chunks->bytes + arena->chunks->used + arena->left;
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
