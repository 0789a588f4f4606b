/* SPDX-License-Identifier: Apache-2.0 */
/* Policies from files and from memory: opening, extending, finding, checking, freeing. */
#include "files/policy.h"
#include "files/policy_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/alloc.h"
#include "files/nearest.h"

/* A policy that was made here. It lies in its own arena. */
struct loaded {
    nvfp4_policy policy; /* first, so that one pointer is both */
    nvfp4_arena arena;
};

/* ---- errors that are about no place in a document ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static nvfp4_status
fail(nvfp4_error *error, nvfp4_status status, const char *file, const char *format, ...)
{
    if (error == NULL)
        return status;
    va_list arguments;
    memset(error, 0, sizeof *error);
    error->status = status;
    snprintf(error->file, sizeof error->file, "%s", file);
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

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
static const char *path_beside(nvfp4_arena *arena, const char *path, const char *beside)
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

static nvfp4_status open_document(const char *path, nvfp4_document **document, nvfp4_error *error)
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
    *path = path_beside(reader->arena, node->text, reader->file);
    if (*path == NULL)
        return nvfp4_policy_no_memory(reader);
    const nvfp4_status status = open_document(*path, document, &error);
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

static int looks_like_path(const char *name)
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
        return nvfp4_policy_fail(reader, node, status, "cannot extend '%.60s': line %ld: %.120s",
                                 path, (long)error.line, error.message);
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
    else if (near != NULL && !looks_like_path(node->text))
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

/* ---- loading ---- */

/* Reads a document into a draft of its own, which is freed with nvfp4_files_free(). */
static nvfp4_status read_draft(const nvfp4_document *document, const char *file, nvfp4_arena *arena,
                               struct policy_remarks *remarks, struct policy_draft **draft,
                               nvfp4_error *error)
{
    struct policy_draft *const d = nvfp4_files_malloc(sizeof *d);
    if (d == NULL)
        return fail(error, NVFP4_ENOMEM, "", "out of memory");
    nvfp4_policy_begin(d);
    const struct policy_reader reader = { document, d, arena, error, remarks, file, 0 };
    *draft = d;
    return nvfp4_policy_read_document(&reader);
}

static nvfp4_status make(const nvfp4_document *document, const char *file,
                         const nvfp4_policy **policy, nvfp4_error *error)
{
    nvfp4_arena arena = { NULL, 0 };
    struct policy_draft *draft = NULL;
    nvfp4_status status = read_draft(document, file, &arena, NULL, &draft, error);
    if (status == NVFP4_OK) {
        struct loaded *const loaded = nvfp4_arena_take(&arena, sizeof *loaded);
        if (loaded != NULL && nvfp4_policy_freeze(draft, &arena, &loaded->policy)) {
            loaded->arena = arena;
            *policy = &loaded->policy;
        } else {
            status = fail(error, NVFP4_ENOMEM, "", "out of memory");
        }
    }
    nvfp4_files_free(draft);
    if (status != NVFP4_OK)
        nvfp4_arena_free(&arena);
    return status;
}

nvfp4_status nvfp4_policy_load(const char *path, const nvfp4_policy **policy, nvfp4_error *error)
{
    nvfp4_document *document = NULL;
    if (path == NULL || policy == NULL)
        return fail(error, NVFP4_EINVAL, "", "no path, or nowhere to put the policy");
    nvfp4_status status = open_document(path, &document, error);
    if (status != NVFP4_OK)
        return status;
    status = make(document, path, policy, error);
    nvfp4_document_free(document);
    return status;
}

static nvfp4_status parse_document(const char *text, size_t length, const char *name,
                                   nvfp4_document **document, nvfp4_error *error)
{
    const nvfp4_document_options options = { .file = name, .unique_keys = 1 };
    if (text == NULL && length != 0)
        return fail(error, NVFP4_EINVAL, "", "no text");
    return nvfp4_document_parse(text, length, &options, document, error);
}

nvfp4_status nvfp4_policy_parse(const char *text, size_t length, const char *name,
                                const nvfp4_policy **policy, nvfp4_error *error)
{
    nvfp4_document *document = NULL;
    if (policy == NULL)
        return fail(error, NVFP4_EINVAL, "", "nowhere to put the policy");
    nvfp4_status status = parse_document(text, length, name, &document, error);
    if (status != NVFP4_OK)
        return status;
    status = make(document, NULL, policy, error);
    nvfp4_document_free(document);
    return status;
}

static int is_builtin(const nvfp4_policy *policy)
{
    for (size_t i = 0; nvfp4_policy_builtin_at(i) != NULL; i++)
        if (nvfp4_policy_builtin_at(i) == policy)
            return 1;
    return 0;
}

void nvfp4_policy_free(const nvfp4_policy *policy)
{
    if (policy == NULL || is_builtin(policy))
        return;
    nvfp4_arena arena = ((const struct loaded *)policy)->arena; /* lies in what it frees */
    nvfp4_arena_free(&arena);
}

/* ---- finding ---- */

static int is_there(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

nvfp4_status nvfp4_policy_find_beside(const char *name, const char *beside,
                                      const nvfp4_policy **policy, nvfp4_error *error)
{
    char excerpt[NVFP4_EXCERPT];
    nvfp4_arena arena = { NULL, 0 };
    if (policy == NULL)
        return fail(error, NVFP4_EINVAL, "", "nowhere to put the policy");
    if (nvfp4_policy_builtin(name) != NULL) {
        *policy = nvfp4_policy_builtin(name);
        return NVFP4_OK;
    }
    const char *const path = path_beside(&arena, name, beside);
    nvfp4_status status;
    nvfp4_excerpt(name, strlen(name), excerpt);
    if (path == NULL) {
        status = fail(error, NVFP4_ENOMEM, "", "out of memory");
    } else if (looks_like_path(name) || is_there(path)) {
        status = nvfp4_policy_load(path, policy, error);
    } else if (nvfp4_policy_nearest_builtin(name) != NULL) {
        status = fail(error, NVFP4_EUNKNOWN, "", "unknown policy '%s'; did you mean '%s'?", excerpt,
                      nvfp4_policy_nearest_builtin(name));
    } else {
        status = fail(error, NVFP4_EUNKNOWN, "",
                      "unknown policy '%s'; there is no file of that name either", excerpt);
    }
    nvfp4_arena_free(&arena);
    return status;
}

nvfp4_status nvfp4_policy_find(const char *name, const nvfp4_policy **policy, nvfp4_error *error)
{
    return nvfp4_policy_find_beside(name, NULL, policy, error);
}

/* ---- checking ---- */

static int by_place(const void *a, const void *b)
{
    const nvfp4_policy_remark *const x = a, *const y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return y->severity - x->severity;
}

static nvfp4_status check(const nvfp4_document *document, const char *file,
                          struct policy_remarks *remarks, nvfp4_error *error)
{
    nvfp4_arena arena = { NULL, 0 };
    struct policy_draft *draft = NULL;
    nvfp4_status status = read_draft(document, file, &arena, remarks, &draft, error);
    if (remarks->errors >= POLICY_COMPLAINTS) /* it gave up, but has told why */
        status = NVFP4_OK;
    if (status == NVFP4_OK && remarks->errors == 0)
        nvfp4_policy_lint(draft, remarks);
    nvfp4_files_free(draft);
    nvfp4_arena_free(&arena);
    const size_t kept = remarks->count < remarks->capacity ? remarks->count : remarks->capacity;
    if (status == NVFP4_OK && kept > 1)
        qsort(remarks->array, kept, sizeof remarks->array[0], by_place);
    return status;
}

nvfp4_status nvfp4_policy_check(const char *path, nvfp4_policy_remark *remarks, size_t capacity,
                                size_t *count, nvfp4_error *error)
{
    nvfp4_document *document = NULL;
    struct policy_remarks list = { remarks, capacity, 0, 0 };
    if (path == NULL || count == NULL || (remarks == NULL && capacity != 0))
        return fail(error, NVFP4_EINVAL, "", "no path, or nowhere to put what is found");
    nvfp4_status status = open_document(path, &document, error);
    if (status == NVFP4_OK)
        status = check(document, path, &list, error);
    nvfp4_document_free(document);
    if (status == NVFP4_OK)
        *count = list.count;
    return status;
}

nvfp4_status nvfp4_policy_check_text(const char *text, size_t length, const char *name,
                                     nvfp4_policy_remark *remarks, size_t capacity, size_t *count,
                                     nvfp4_error *error)
{
    nvfp4_document *document = NULL;
    struct policy_remarks list = { remarks, capacity, 0, 0 };
    if (count == NULL || (remarks == NULL && capacity != 0))
        return fail(error, NVFP4_EINVAL, "", "nowhere to put what is found");
    nvfp4_status status = parse_document(text, length, name, &document, error);
    if (status == NVFP4_OK)
        status = check(document, NULL, &list, error);
    nvfp4_document_free(document);
    if (status == NVFP4_OK)
        *count = list.count;
    return status;
}

const char *nvfp4_severity_name(nvfp4_severity severity)
{
    switch ((int)severity) {
#define X(name, value, word)                                                                       \
    case value:                                                                                    \
        return word;
        NVFP4_SEVERITY_MAP(X)
#undef X
    default:
        return "unknown";
    }
}
