/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as JSON and as YAML. What is read must be a sound tree, and the same tree again after
 * it was written as JSON; what is refused must be refused with a message.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "files/alloc.h"
#include "files/document.h"
#include "files/json_writer.h"
#include "files/utf8.h"

static void check_node(const nvfp4_node *node, const nvfp4_node *parent)
{
    uint32_t count = 0;
    HOLDS(node->line > 0 && node->column > 0);
    HOLDS((node->key != NULL) == (parent != NULL && parent->kind == NVFP4_NODE_MAPPING));
    if (node->key != NULL) {
        HOLDS(nvfp4_utf8_valid(node->key, node->key_length) == node->key_length);
        HOLDS(node->key[node->key_length] == '\0');
        const nvfp4_node *const found = nvfp4_node_get(parent, node->key);
        if (strlen(node->key) == node->key_length)
            HOLDS(node->shadowed ? found != node && found != NULL : found == node);
    }
    if (node->kind != NVFP4_NODE_SEQUENCE && node->kind != NVFP4_NODE_MAPPING) {
        HOLDS(nvfp4_utf8_valid(node->text, node->length) == node->length);
        HOLDS(node->text[node->length] == '\0');
        return;
    }
    for (const nvfp4_node *n = node->first; n != NULL; n = n->next, count++)
        check_node(n, node);
    HOLDS(count == node->count);
}

static void write_node(nvfp4_json *json, const nvfp4_node *node)
{
    switch (node->kind) {
    case NVFP4_NODE_NULL:
        nvfp4_json_null(json);
        break;
    case NVFP4_NODE_BOOL:
        nvfp4_json_bool(json, node->integer != 0);
        break;
    case NVFP4_NODE_INT:
        nvfp4_json_integer(json, node->integer);
        break;
    case NVFP4_NODE_BIG:
    case NVFP4_NODE_REAL:
        nvfp4_json_real(json, node->real);
        break;
    case NVFP4_NODE_STRING:
        nvfp4_json_text(json, node->text, node->length);
        break;
    default:
        nvfp4_json_open(json, node->kind == NVFP4_NODE_MAPPING ? '{' : '[');
        for (const nvfp4_node *n = node->first; n != NULL; n = n->next) {
            if (n->key != NULL)
                nvfp4_json_key_text(json, n->key, n->key_length);
            write_node(json, n);
        }
        nvfp4_json_close(json, node->kind == NVFP4_NODE_MAPPING ? '}' : ']');
        break;
    }
}

static int same_bytes(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    return a_length == b_length && (a_length == 0 || memcmp(a, b, a_length) == 0);
}

static void compare(const nvfp4_node *a, const nvfp4_node *b)
{
    HOLDS((a->key == NULL) == (b->key == NULL));
    HOLDS(a->key == NULL || same_bytes(a->key, a->key_length, b->key, b->key_length));
    HOLDS(a->shadowed == b->shadowed && a->repeated == b->repeated);
    if (a->kind == NVFP4_NODE_REAL || a->kind == NVFP4_NODE_BIG) {
        /* JSON has no other number than finite ones. */
        HOLDS(isfinite(a->real) ? b->kind == NVFP4_NODE_REAL && a->real == b->real
                                : b->kind == NVFP4_NODE_NULL);
        return;
    }
    HOLDS(a->kind == b->kind);
    if (a->kind == NVFP4_NODE_INT || a->kind == NVFP4_NODE_BOOL)
        HOLDS(a->integer == b->integer);
    else if (a->kind == NVFP4_NODE_STRING)
        HOLDS(same_bytes(a->text, a->length, b->text, b->length));
    if (a->kind != NVFP4_NODE_SEQUENCE && a->kind != NVFP4_NODE_MAPPING)
        return;
    HOLDS(a->count == b->count);
    const nvfp4_node *y = b->first;
    for (const nvfp4_node *x = a->first; x != NULL; x = x->next, y = y->next)
        compare(x, y);
}

static void read_as(const uint8_t *data, size_t size, nvfp4_syntax syntax)
{
    const nvfp4_document_options options = { .syntax = syntax };
    nvfp4_document *document = NULL, *again = NULL;
    nvfp4_error error;
    memset(&error, 0, sizeof error);
    const nvfp4_status status =
        nvfp4_document_parse((const char *)data, size, &options, &document, &error);
    if (status != NVFP4_OK) {
        HOLDS(document == NULL && error.status == status && error.message[0] != '\0');
        HOLDS(nvfp4_utf8_valid(error.message, strlen(error.message)) == strlen(error.message));
        HOLDS((error.line > 0) == (error.column > 0));
        return;
    }
    check_node(nvfp4_document_root(document), NULL);
    const nvfp4_document_options strict = { .syntax = NVFP4_SYNTAX_JSON };
    nvfp4_json json;
    size_t length;
    nvfp4_json_begin_growing(&json);
    write_node(&json, nvfp4_document_root(document));
    char *const text = nvfp4_json_take(&json, &length);
    HOLDS(text != NULL);
    HOLDS(nvfp4_document_parse(text, length, &strict, &again, NULL) == NVFP4_OK);
    compare(nvfp4_document_root(document), nvfp4_document_root(again));
    nvfp4_files_free(text);
    nvfp4_document_free(again);
    nvfp4_document_free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as(data, size, NVFP4_SYNTAX_JSON);
    read_as(data, size, NVFP4_SYNTAX_YAML);
    return 0;
}
