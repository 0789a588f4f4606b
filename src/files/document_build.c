/* SPDX-License-Identifier: Apache-2.0 */
#include "files/document_build.h"

#include <string.h>

#include "files/alloc.h"
#include "files/number.h"

/* Mappings of this size and larger get a sorted index. */
#define INDEXED 16

const nvfp4_node *nvfp4_build_top(const nvfp4_builder *builder)
{
    return builder->depth == 0 ? NULL : builder->open[builder->depth - 1];
}

void nvfp4_build_key(nvfp4_builder *builder, const char *key, size_t length, nvfp4_place place)
{
    builder->key = key;
    builder->key_length = (uint32_t)length;
    builder->key_place = place;
}

static nvfp4_status no_memory(const nvfp4_builder *builder)
{
    const nvfp4_place nowhere = { 0, 0 };
    return nvfp4_build_fail(builder, nowhere, NVFP4_ENOMEM, "out of memory");
}

nvfp4_status nvfp4_build_add(nvfp4_builder *builder, nvfp4_node_kind kind, nvfp4_place place,
                             nvfp4_node **node)
{
    const int opens = kind == NVFP4_NODE_SEQUENCE || kind == NVFP4_NODE_MAPPING;
    if (opens && builder->depth == NVFP4_DOCUMENT_DEPTH)
        return nvfp4_build_fail(builder, place, NVFP4_ELIMIT, "nested deeper than %d levels",
                                NVFP4_DOCUMENT_DEPTH);
    if (builder->document->nodes >= NVFP4_DOCUMENT_NODES)
        return nvfp4_build_fail(builder, place, NVFP4_ELIMIT, "more than %lu values",
                                (unsigned long)NVFP4_DOCUMENT_NODES);
    nvfp4_node *const n = nvfp4_arena_take(&builder->document->arena, sizeof *n);
    if (n == NULL)
        return no_memory(builder);
    memset(n, 0, sizeof *n);
    n->kind = (uint8_t)kind;
    n->line = place.line;
    n->column = place.column;
    n->key = builder->key;
    if (builder->key != NULL) {
        n->key_length = builder->key_length;
        n->key_line = builder->key_place.line;
        n->key_column = builder->key_place.column;
        builder->key = NULL;
    }
    builder->document->nodes++;
    if (builder->depth == 0) {
        builder->document->root = n;
    } else {
        nvfp4_node *const parent = builder->open[builder->depth - 1];
        nvfp4_node *const last = builder->last[builder->depth - 1];
        if (last == NULL)
            parent->first = n;
        else
            last->next = n;
        parent->count++;
        builder->last[builder->depth - 1] = n;
    }
    if (opens) {
        builder->open[builder->depth] = n;
        builder->last[builder->depth] = NULL;
        builder->depth++;
    }
    *node = n;
    return NVFP4_OK;
}

static int same_key(const nvfp4_node *a, const nvfp4_node *b)
{
    return a->key_length == b->key_length && memcmp(a->key, b->key, a->key_length) == 0;
}

static int in_order(const nvfp4_node *a, const nvfp4_node *b)
{
    if (a->key_length != b->key_length)
        return a->key_length < b->key_length;
    return memcmp(a->key, b->key, a->key_length) <= 0;
}

/* Stable, and n log n whatever the input: qsort() promises neither. */
static void merge_sort(nvfp4_node **items, nvfp4_node **spare, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            const size_t middle = begin + width < count ? begin + width : count;
            const size_t end = middle + width < count ? middle + width : count;
            size_t left = begin, right = middle;
            for (size_t out = begin; out < end; out++) {
                if (left < middle && (right == end || in_order(items[left], items[right])))
                    spare[out] = items[left++];
                else
                    spare[out] = items[right++];
            }
        }
        memcpy(items, spare, count * sizeof *items);
    }
}

/* `later` repeats the key of `earlier`. */
static nvfp4_status duplicate(nvfp4_builder *builder, nvfp4_node *earlier, nvfp4_node *later)
{
    nvfp4_document *const document = builder->document;
    if (builder->unique_keys) {
        const nvfp4_place place = { later->key_line, later->key_column };
        char excerpt[NVFP4_EXCERPT];
        return nvfp4_build_fail(builder, place, NVFP4_ESCHEMA,
                                "key '%s' stands twice, first in line %lu",
                                nvfp4_excerpt(later->key, later->key_length, excerpt),
                                (unsigned long)earlier->key_line);
    }
    earlier->shadowed = 1;
    if (later->repeated)
        return NVFP4_OK;
    if (document->duplicate_count < NVFP4_DOCUMENT_DUPLICATES)
        document->duplicates[document->duplicate_count++] = later;
    document->repeated_count++;
    later->repeated = 1;
    return NVFP4_OK;
}

/* The children of a mapping under construction, as what they are: not yet constant. */
static nvfp4_node *child(const nvfp4_node *node)
{
    return (nvfp4_node *)(uintptr_t)node;
}

static nvfp4_status index_small(nvfp4_builder *builder, nvfp4_node *mapping)
{
    for (nvfp4_node *later = child(mapping->first); later != NULL; later = child(later->next)) {
        for (nvfp4_node *earlier = child(mapping->first); earlier != later;
             earlier = child(earlier->next)) {
            if (!earlier->shadowed && same_key(earlier, later)) {
                nvfp4_status status = duplicate(builder, earlier, later);
                if (status != NVFP4_OK)
                    return status;
            }
        }
    }
    return NVFP4_OK;
}

static nvfp4_status index_large(nvfp4_builder *builder, nvfp4_node *mapping)
{
    const size_t bytes = mapping->count * sizeof(nvfp4_node *);
    nvfp4_node **const items = nvfp4_arena_take(&builder->document->arena, bytes);
    nvfp4_node **const spare = nvfp4_files_malloc(bytes);
    if (items == NULL || spare == NULL) {
        nvfp4_files_free(spare);
        return no_memory(builder);
    }
    size_t count = 0;
    for (nvfp4_node *n = child(mapping->first); n != NULL; n = child(n->next))
        items[count++] = n;
    merge_sort(items, spare, count);
    nvfp4_files_free(spare);
    mapping->sorted = (const nvfp4_node *const *)items;
    for (size_t i = 1; i < count; i++) {
        if (same_key(items[i - 1], items[i])) {
            nvfp4_status status = duplicate(builder, items[i - 1], items[i]);
            if (status != NVFP4_OK)
                return status;
        }
    }
    return NVFP4_OK;
}

nvfp4_status nvfp4_build_close(nvfp4_builder *builder)
{
    nvfp4_node *const node = builder->open[--builder->depth];
    if (node->kind != NVFP4_NODE_MAPPING)
        return NVFP4_OK;
    return node->count < INDEXED ? index_small(builder, node) : index_large(builder, node);
}

void nvfp4_build_number(nvfp4_node *node, const char *text, size_t length, int real)
{
    int64_t integer;
    node->text = text;
    node->length = (uint32_t)length;
    if (!real && nvfp4_parse_int64(text, length, &integer)) {
        node->kind = NVFP4_NODE_INT;
        node->integer = integer;
        return;
    }
    node->kind = real ? NVFP4_NODE_REAL : NVFP4_NODE_BIG;
    node->real = nvfp4_parse_real(text, length);
}

nvfp4_place nvfp4_build_place(const nvfp4_builder *builder, size_t offset)
{
    const char *const text = builder->document->text;
    nvfp4_place place = { builder->first_line, 1 };
    size_t begin = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n')) {
            place.line++;
            begin = i + 1;
        }
    }
    place.column = (uint32_t)(offset - begin + 1);
    return place;
}
