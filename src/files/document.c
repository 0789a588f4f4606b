/* SPDX-License-Identifier: Apache-2.0 */
#include "files/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/document_build.h"
#include "files/utf8.h"

void nvfp4_document_free(nvfp4_document *document)
{
    if (document == NULL)
        return;
    nvfp4_arena_free(&document->arena);
    nvfp4_files_free(document->text);
    nvfp4_files_free(document);
}

const nvfp4_node *nvfp4_document_root(const nvfp4_document *document)
{
    return document->root;
}

const nvfp4_node *nvfp4_document_duplicate(const nvfp4_document *document, size_t index)
{
    return index < document->duplicate_count ? document->duplicates[index] : NULL;
}

size_t nvfp4_document_duplicate_count(const nvfp4_document *document)
{
    return document->repeated_count;
}

static int order(const nvfp4_node *node, const char *key, size_t length)
{
    if (node->key_length != length)
        return node->key_length < length ? -1 : 1;
    return memcmp(node->key, key, length);
}

const nvfp4_node *nvfp4_node_get(const nvfp4_node *mapping, const char *key)
{
    if (mapping == NULL || mapping->kind != NVFP4_NODE_MAPPING)
        return NULL;
    const size_t length = strlen(key);
    const nvfp4_node *found = NULL;
    if (mapping->sorted == NULL) {
        for (const nvfp4_node *n = mapping->first; n != NULL; n = n->next) {
            if (order(n, key, length) == 0)
                found = n;
        }
        return found;
    }
    /* Equal keys stand in the order of the text: the last one not beyond `key` is wanted. */
    size_t low = 0, high = mapping->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (order(mapping->sorted[middle], key, length) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && order(mapping->sorted[low - 1], key, length) == 0)
        found = mapping->sorted[low - 1];
    return found;
}

int nvfp4_node_is(const nvfp4_node *node, const char *word)
{
    return node != NULL && node->kind == NVFP4_NODE_STRING && node->length == strlen(word) &&
           memcmp(node->text, word, node->length) == 0;
}

int nvfp4_node_number(const nvfp4_node *node, double *value)
{
    if (node == NULL)
        return 0;
    double number;
    if (node->kind == NVFP4_NODE_INT)
        number = (double)node->integer;
    else if (node->kind == NVFP4_NODE_BIG || node->kind == NVFP4_NODE_REAL)
        number = node->real;
    else
        return 0;
    if (value != NULL)
        *value = number;
    return 1;
}

const char *nvfp4_node_kind_name(const nvfp4_node *node)
{
    static const char *const names[] = {
        [NVFP4_NODE_NULL] = "null",
        [NVFP4_NODE_BOOL] = "true or false",
        [NVFP4_NODE_INT] = "a whole number",
        [NVFP4_NODE_BIG] = "a whole number beyond 64 bits",
        [NVFP4_NODE_REAL] = "a number with a fraction",
        [NVFP4_NODE_STRING] = "a text",
        [NVFP4_NODE_SEQUENCE] = "a list",
        [NVFP4_NODE_MAPPING] = "a mapping",
    };
    if (node == NULL)
        return "nothing";
    return node->kind < sizeof names / sizeof names[0] ? names[node->kind] : "unknown";
}

static void copy_end(char *out, size_t room, const char *text)
{
    const size_t length = strlen(text);
    if (length < room) {
        memcpy(out, text, length + 1);
        return;
    }
    /* The end of a path says more than its front. */
    const char *tail = text + (length - (room - 4));
    while (((unsigned char)*tail & 0xC0) == 0x80)
        tail++;
    snprintf(out, room, "...%s", tail);
}

static void fill(const nvfp4_document *document, nvfp4_place place, nvfp4_status status,
                 nvfp4_error *error, const char *format, va_list arguments)
{
    if (error == NULL)
        return;
    error->status = status;
    error->line = (int32_t)place.line;
    error->column = (int32_t)place.column;
    copy_end(error->file, sizeof error->file, document != NULL ? document->file : "");
    vsnprintf(error->message, sizeof error->message, format, arguments);
    /* A message cut in the middle of a character would be no UTF-8. */
    error->message[nvfp4_utf8_valid(error->message, strlen(error->message))] = '\0';
}

nvfp4_status nvfp4_document_fail(const nvfp4_document *document, const nvfp4_node *node,
                                 nvfp4_status status, nvfp4_error *error, const char *format, ...)
{
    const nvfp4_place place = { node != NULL ? node->line : 0, node != NULL ? node->column : 0 };
    va_list arguments;
    va_start(arguments, format);
    fill(document, place, status, error, format, arguments);
    va_end(arguments);
    return status;
}

nvfp4_status nvfp4_document_fail_key(const nvfp4_document *document, const nvfp4_node *node,
                                     nvfp4_status status, nvfp4_error *error, const char *format,
                                     ...)
{
    const nvfp4_place place = { node != NULL ? node->key_line : 0,
                                node != NULL ? node->key_column : 0 };
    va_list arguments;
    va_start(arguments, format);
    fill(document, place, status, error, format, arguments);
    va_end(arguments);
    return status;
}

nvfp4_status nvfp4_build_fail(const nvfp4_builder *builder, nvfp4_place place, nvfp4_status status,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(builder->document, place, status, builder->error, format, arguments);
    va_end(arguments);
    return status;
}

const char *nvfp4_excerpt(const char *text, size_t length, char buffer[NVFP4_EXCERPT])
{
    const size_t room = NVFP4_EXCERPT - 4; /* for "..." and NUL */
    size_t out = 0;
    while (length > 0) {
        size_t size = nvfp4_utf8_next(text, length);
        const int fit = size > 1 || (size == 1 && (unsigned char)*text >= 0x20 && *text != 0x7F);
        if (size == 0)
            size = 1;
        if (out + size > room) {
            memcpy(buffer + out, "...", 3);
            out += 3;
            break;
        }
        if (fit)
            memcpy(buffer + out, text, size);
        else
            memset(buffer + out, '?', size);
        out += size;
        text += size;
        length -= size;
    }
    buffer[out] = '\0';
    return buffer;
}
