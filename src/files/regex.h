/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_REGEX_H
#define NVFP4MOE_FILES_REGEX_H

/**
 * @file regex.h
 * @brief Regular expressions as trees: what regex_parse.c hands to regex.c. Internal to the
 * library.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/status.h>

#include "files/arena.h"

typedef enum nvfp4_regex_kind {
    NVFP4_REGEX_EMPTY,
    NVFP4_REGEX_SET,         /**< one byte out of `set` */
    NVFP4_REGEX_BEGIN,       /**< the front of the name */
    NVFP4_REGEX_END,         /**< its end */
    NVFP4_REGEX_BOUNDARY,    /**< between a word and something else */
    NVFP4_REGEX_NO_BOUNDARY, /**< not there */
    NVFP4_REGEX_CHAIN,       /**< `left`, then the chain `right`, which may be NULL */
    NVFP4_REGEX_CHOICE,      /**< `left` or the choice `right` */
    NVFP4_REGEX_REPEAT,      /**< `left`, `min` to `max` times; max -1: any number of times */
    NVFP4_REGEX_LOOK         /**< `left` follows; with min 1: does not */
} nvfp4_regex_kind;

typedef struct nvfp4_regex_node nvfp4_regex_node;
struct nvfp4_regex_node {
    nvfp4_regex_kind kind;
    int min, max;
    nvfp4_regex_node *left, *right;
    uint8_t set[32]; /**< one bit for each byte */
};

/** 1 for the bytes that make words: letters, digits, `_`. */
int nvfp4_regex_is_word(int c);

/** The tree of a text; statuses as of nvfp4_pattern_make(). Groups are at most 32 deep. */
nvfp4_status nvfp4_regex_parse(const char *text, size_t length, nvfp4_arena *arena,
                               nvfp4_regex_node **tree);

#endif
