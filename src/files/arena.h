/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_ARENA_H
#define NVFP4MOE_FILES_ARENA_H

/**
 * @file arena.h
 * @brief Memory that is taken piece by piece and given back as a whole. Internal to the library.
 */

#include <stddef.h>

struct nvfp4_arena_chunk;

/** All zero is an empty arena. */
typedef struct nvfp4_arena {
    struct nvfp4_arena_chunk *chunks;
    size_t left; /**< bytes still free in the newest chunk */
} nvfp4_arena;

/** @p size bytes, aligned for anything, not cleared; NULL when memory is out. Size 0 is 1. */
void *nvfp4_arena_take(nvfp4_arena *arena, size_t size);

/** A NUL-terminated copy of @p length bytes; NULL when memory is out. */
char *nvfp4_arena_copy(nvfp4_arena *arena, const char *text, size_t length);

/** Give everything back; the arena is empty again. */
void nvfp4_arena_free(nvfp4_arena *arena);

#endif
