/* SPDX-License-Identifier: Apache-2.0 */
#include "files/policy_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/nearest.h"
#include "files/utf8.h"

enum { MESSAGE = sizeof(((nvfp4_policy_remark *)0)->message) };

/* The array keeps those that fit, the count goes on. */
static void note(struct policy_remarks *remarks, nvfp4_severity severity, struct policy_place place,
                 const char message[MESSAGE])
{
    if (severity == NVFP4_SEVERITY_ERROR)
        remarks->errors++;
    if (remarks->count < remarks->capacity) {
        nvfp4_policy_remark *const remark = &remarks->array[remarks->count];
        remark->severity = (int32_t)severity;
        remark->line = (int32_t)place.line;
        remark->column = (int32_t)place.column;
        memcpy(remark->message, message, MESSAGE);
        remark->message[nvfp4_utf8_valid(remark->message, strlen(remark->message))] = '\0';
    }
    remarks->count++;
}

void nvfp4_policy_remark_at(struct policy_remarks *remarks, nvfp4_severity severity,
                            struct policy_place place, const char *format, ...)
{
    char message[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    note(remarks, severity, place, message);
}

static nvfp4_status complain(const struct policy_reader *reader, const nvfp4_node *node,
                             nvfp4_status status, int about_key, const char message[MESSAGE])
{
    if (reader->remarks != NULL) {
        const struct policy_place place = { node == NULL ? 0
                                            : about_key  ? node->key_line
                                                         : node->line,
                                            node == NULL ? 0
                                            : about_key  ? node->key_column
                                                         : node->column };
        note(reader->remarks, NVFP4_SEVERITY_ERROR, place, message);
        if (reader->remarks->errors < POLICY_COMPLAINTS)
            return NVFP4_OK;
        status = NVFP4_ELIMIT;
    }
    if (about_key)
        return nvfp4_document_fail_key(reader->document, node, status, reader->error, "%s",
                                       message);
    return nvfp4_document_fail(reader->document, node, status, reader->error, "%s", message);
}

nvfp4_status nvfp4_policy_fail(const struct policy_reader *reader, const nvfp4_node *node,
                               nvfp4_status status, const char *format, ...)
{
    char message[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return complain(reader, node, status, 0, message);
}

nvfp4_status nvfp4_policy_fail_key(const struct policy_reader *reader, const nvfp4_node *node,
                                   const char *format, ...)
{
    char message[MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return complain(reader, node, NVFP4_ESCHEMA, 1, message);
}

nvfp4_status nvfp4_policy_no_memory(const struct policy_reader *reader)
{
    return nvfp4_document_fail(reader->document, NULL, NVFP4_ENOMEM, reader->error,
                               "out of memory");
}

nvfp4_status nvfp4_policy_must_be(const struct policy_reader *reader, const nvfp4_node *node,
                                  const char *what)
{
    char excerpt[NVFP4_EXCERPT];
    const int whole = node == nvfp4_document_root(reader->document);
    const char *const name = node->key != NULL ? node->key : whole ? "the document" : "an item";
    if (node->kind == NVFP4_NODE_SEQUENCE || node->kind == NVFP4_NODE_MAPPING ||
        node->kind == NVFP4_NODE_NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA, "%.40s must be %s, found %s", name,
                                 what, nvfp4_node_kind_name(node));
    nvfp4_excerpt(node->text, node->length, excerpt);
    return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA, "%.40s must be %s, found '%s'", name,
                             what, excerpt);
}

nvfp4_status nvfp4_policy_unknown_word(const struct policy_reader *reader, const nvfp4_node *node,
                                       const char *where, const char *const *known)
{
    char excerpt[NVFP4_EXCERPT], list[160] = "";
    nvfp4_nearest search;
    size_t length = 0;
    nvfp4_excerpt(node->text, node->length, excerpt);
    nvfp4_nearest_begin(&search, excerpt);
    for (size_t i = 0; known[i] != NULL; i++)
        nvfp4_nearest_offer(&search, known[i]);
    if (search.best != NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                                 "unknown word '%s' for %.40s; did you mean '%s'?", excerpt, where,
                                 search.best);
    for (size_t i = 0; known[i] != NULL; i++) {
        const int more =
            snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", known[i]);
        if (more < 0 || (size_t)more >= sizeof list - length - 5) {
            snprintf(list + length, sizeof list - length, ", ...");
            break;
        }
        length += (size_t)more;
    }
    return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                             "unknown word '%s' for %.40s; known are %s", excerpt, where, list);
}

static nvfp4_status unknown_key(const struct policy_reader *reader, const nvfp4_node *node,
                                const char *where, const char *const *known, int own)
{
    const nvfp4_policy *const p = &reader->draft->policy;
    char excerpt[NVFP4_EXCERPT];
    nvfp4_nearest search;
    nvfp4_excerpt(node->key, node->key_length, excerpt);
    nvfp4_nearest_begin(&search, excerpt);
    for (size_t i = 0; known[i] != NULL; i++)
        nvfp4_nearest_offer(&search, known[i]);
    for (int i = 0; own && i < p->custom_key_count; i++)
        nvfp4_nearest_offer(&search, p->custom_keys[i].key);
    if (search.best != NULL)
        return nvfp4_policy_fail_key(reader, node, "unknown key '%s' in %s; did you mean '%s'?",
                                     excerpt, where, search.best);
    return nvfp4_policy_fail_key(reader, node,
                                 "unknown key '%s' in %s; the first ones known are %s, "
                                 "%s, %s",
                                 excerpt, where, known[0], known[1], known[2]);
}

nvfp4_status nvfp4_policy_check_keys(const struct policy_reader *reader, const nvfp4_node *mapping,
                                     const char *where, const char *const *known, int own)
{
    nvfp4_status status = NVFP4_OK;
    if (mapping->kind != NVFP4_NODE_MAPPING) {
        char what[64];
        snprintf(what, sizeof what, "a mapping (%s)", where);
        return nvfp4_policy_must_be(reader, mapping, what);
    }
    for (const nvfp4_node *n = mapping->first; n != NULL && status == NVFP4_OK; n = n->next) {
        size_t i = 0;
        while (known[i] != NULL && strcmp(known[i], n->key) != 0)
            i++;
        if (known[i] == NULL && !(own && nvfp4_policy_find_key(&reader->draft->policy, n->key)))
            status = unknown_key(reader, n, where, known, own);
    }
    return status;
}
