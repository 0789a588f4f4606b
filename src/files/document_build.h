/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_DOCUMENT_BUILD_H
#define NVFP4MOE_FILES_DOCUMENT_BUILD_H

/**
 * @file document_build.h
 * @brief How a tree comes into being: one builder, fed by the JSON scanner or by libyaml's events.
 *
 * The builder keeps the bounds of document.h, finds duplicate keys, and makes the index of large
 * mappings. All functions return NVFP4_OK or fill the builder's error.
 */

#include "files/arena.h"
#include "files/document.h"

/** How many duplicates a document remembers. */
#define NVFP4_DOCUMENT_DUPLICATES 8

struct nvfp4_document {
    nvfp4_arena arena;
    char *text;             /**< own copy, NUL-terminated; JSON strings point into it */
    size_t length;          /**< bytes in `text` */
    size_t most_bytes;      /**< bound of `length` */
    uint32_t nodes;         /**< values, those of the document beside it among them */
    const char *file;       /**< "" for text from memory */
    const nvfp4_node *root; /**< NULL while there is none */
    const nvfp4_node *duplicates[NVFP4_DOCUMENT_DUPLICATES];
    size_t duplicate_count; /**< of `duplicates` */
    size_t repeated_count;  /**< of all nodes that are marked `repeated` */
};

/** A place in the text. */
typedef struct nvfp4_place {
    uint32_t line, column;
} nvfp4_place;

typedef struct nvfp4_builder {
    nvfp4_document *document;
    nvfp4_error *error;
    uint32_t first_line;
    uint8_t unique_keys;
    uint32_t depth;                         /**< open sequences and mappings */
    nvfp4_node *open[NVFP4_DOCUMENT_DEPTH]; /**< the open ones, outermost first */
    nvfp4_node *last[NVFP4_DOCUMENT_DEPTH]; /**< the newest child of each; NULL: none yet */
    const char *key;                        /**< the key that the next value gets; NULL: none */
    uint32_t key_length;
    nvfp4_place key_place;
} nvfp4_builder;

/** The innermost open sequence or mapping; NULL: none is open. */
const nvfp4_node *nvfp4_build_top(const nvfp4_builder *builder);

/** Remember the key of the next value. @p key must live as long as the document. */
void nvfp4_build_key(nvfp4_builder *builder, const char *key, size_t length, nvfp4_place place);

/** Add a value to the innermost open node; a sequence or mapping is then open itself. */
nvfp4_status nvfp4_build_add(nvfp4_builder *builder, nvfp4_node_kind kind, nvfp4_place place,
                             nvfp4_node **node);

/** Close the innermost open sequence or mapping. */
nvfp4_status nvfp4_build_close(nvfp4_builder *builder);

/** Fill the builder's error. @return @p status. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
nvfp4_status
nvfp4_build_fail(const nvfp4_builder *builder, nvfp4_place place, nvfp4_status status,
                 const char *format, ...);

/** Make a node of a number written in decimal: INT, BIG, or REAL when @p real is 1. */
void nvfp4_build_number(nvfp4_node *node, const char *text, size_t length, int real);

/** The place of the byte at @p offset of the document's text. Takes time in proportion to it. */
nvfp4_place nvfp4_build_place(const nvfp4_builder *builder, size_t offset);

/** The two sources of a tree. The text has been found to be UTF-8 without NUL and BOM. */
nvfp4_status nvfp4_document_build_json(nvfp4_builder *builder);
nvfp4_status nvfp4_document_build_yaml(nvfp4_builder *builder);

#endif
