/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a policy names: what it extends, records of verifications. */
#include "files/policy_reader.h"

#include <stdio.h>
#include <string.h>

#include "files/nearest.h"

/* ---- paths ---- */

static int is_separator(char c)
{
    return c == '/'
#if defined(_WIN32)
           || c == '\\'
#endif
        ;
}

static int is_absolute(const char *path)
{
#if defined(_WIN32)
    if (path[0] != '\0' && path[1] == ':')
        return 1;
#endif
    return is_separator(path[0]);
}

/* Bytes of a path up to and with its last separator. */
static size_t folder_length(const char *path)
{
    size_t length = 0;
    for (size_t i = 0; path[i] != '\0'; i++)
        if (is_separator(path[i]))
            length = i + 1;
    return length;
}

/* A path as the file `beside` means it, in the arena; NULL: no memory. */
const char *nvfp4_policy_path_beside(nvfp4_arena *arena, const char *path, const char *beside)
{
    const size_t folder = beside == NULL || is_absolute(path) ? 0 : folder_length(beside);
    char *const whole = nvfp4_arena_take(arena, folder + strlen(path) + 1);
    if (whole == NULL)
        return NULL;
    if (folder > 0)
        memcpy(whole, beside, folder);
    strcpy(whole + folder, path);
    return whole;
}

nvfp4_status nvfp4_policy_open(const char *path, nvfp4_document **document, nvfp4_error *error)
{
    const nvfp4_document_options options = { .unique_keys = 1 };
    return nvfp4_document_read(path, &options, document, error);
}

nvfp4_status nvfp4_policy_open_beside(const struct policy_reader *reader, const nvfp4_node *node,
                                      nvfp4_document **document, const char **path)
{
    char excerpt[NVFP4_EXCERPT];
    nvfp4_error error;
    nvfp4_excerpt(node->text, node->length, excerpt);
    if (strlen(node->text) != node->length || node->length == 0)
        return nvfp4_policy_must_be(reader, node, "the name of a file");
    if (reader->file == NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                                 "a policy that is no file itself cannot name the file '%s'",
                                 excerpt);
    *path = nvfp4_policy_path_beside(reader->arena, node->text, reader->file);
    if (*path == NULL)
        return nvfp4_policy_no_memory(reader);
    const nvfp4_status status = nvfp4_policy_open(*path, document, &error);
    if (status == NVFP4_OK)
        return NVFP4_OK;
    if (status == NVFP4_ENOMEM)
        return nvfp4_policy_no_memory(reader);
    if (error.line != 0)
        return nvfp4_policy_fail(reader, node, status, "'%s', line %ld: %.150s", excerpt,
                                 (long)error.line, error.message);
    return nvfp4_policy_fail(reader, node, status, "'%s': %.150s", excerpt, error.message);
}

/* ---- extending ---- */

const char *nvfp4_policy_nearest_builtin(const char *name)
{
    nvfp4_nearest search;
    const char *known;
    nvfp4_nearest_begin(&search, name);
    for (size_t i = 0; (known = nvfp4_policy_alias_at(i, NULL)) != NULL; i++)
        nvfp4_nearest_offer(&search, known);
    for (size_t i = 0; nvfp4_policy_builtin_at(i) != NULL; i++)
        nvfp4_nearest_offer(&search, nvfp4_policy_name(nvfp4_policy_builtin_at(i)));
    return search.best;
}

int nvfp4_policy_is_path(const char *name)
{
    static const char *const endings[] = { ".yaml", ".yml", ".json" };
    for (const char *p = name; *p != '\0'; p++)
        if (is_separator(*p))
            return 1;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (strlen(name) > strlen(endings[i]) &&
            strcmp(name + strlen(name) - strlen(endings[i]), endings[i]) == 0)
            return 1;
    return 0;
}

/* The other file into the same draft and arena. */
static nvfp4_status extend_file(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_document *document = NULL;
    const char *path = NULL;
    nvfp4_error error = { .status = NVFP4_OK };
    if (reader->depth + 1 >= POLICY_FILES)
        return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT,
                                 "more than %d files extend one another; or do they in a circle?",
                                 POLICY_FILES);
    nvfp4_status status = nvfp4_policy_open_beside(reader, node, &document, &path);
    if (status != NVFP4_OK || document == NULL)
        return status;
    struct policy_reader base = *reader;
    base.document = document;
    base.error = &error;
    base.remarks = NULL;
    base.file = path;
    base.depth = reader->depth + 1;
    nvfp4_policy_begin(reader->draft);
    status = nvfp4_policy_read_document(&base);
    nvfp4_document_free(document);
    if (status == NVFP4_OK)
        return status;
    if (reader->remarks != NULL && status != NVFP4_ENOMEM)
        return nvfp4_policy_fail(reader, node, status, "cannot be extended: %.100s:%ld:%ld: %.110s",
                                 error.file, (long)error.line, (long)error.column,
                                 error.message);
    if (reader->error != NULL)
        *reader->error = error;
    return status;
}

nvfp4_status nvfp4_policy_extend(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_policy *const p = &reader->draft->policy;
    nvfp4_status status = NVFP4_OK;
    char text[POLICY_NAME_BYTES + 32];
    if (!nvfp4_policy_is_text(node) || node->length == 0)
        return nvfp4_policy_must_be(reader, node, "the name of a policy or a file");
    const nvfp4_policy *const builtin = nvfp4_policy_builtin(node->text);
    const char *const near = nvfp4_policy_nearest_builtin(node->text);
    if (builtin != NULL)
        nvfp4_policy_import(reader->draft, builtin);
    else if (near != NULL && !nvfp4_policy_is_path(node->text))
        return nvfp4_policy_fail(reader, node, NVFP4_EUNKNOWN,
                                 "unknown policy '%.40s'; did you mean '%s'?", node->text, near);
    else
        status = extend_file(reader, node);
    if (status != NVFP4_OK)
        return status;
    nvfp4_policy_forget_places(reader->draft);
    snprintf(text, sizeof text, "%.*s with changes", POLICY_NAME_BYTES, p->name);
    p->summary = nvfp4_arena_copy(reader->arena, text, strlen(text));
    p->source = "";
    return p->summary == NULL ? nvfp4_policy_no_memory(reader) : NVFP4_OK;
}
