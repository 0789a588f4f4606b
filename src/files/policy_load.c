/* SPDX-License-Identifier: Apache-2.0 */
/* Policies from files and from memory: loading, finding, checking, freeing. */
#include "files/policy.h"
#include "files/policy_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/alloc.h"

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
    nvfp4_status status = nvfp4_policy_open(path, &document, error);
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
    const char *const path = nvfp4_policy_path_beside(&arena, name, beside);
    nvfp4_status status;
    nvfp4_excerpt(name, strlen(name), excerpt);
    if (path == NULL) {
        status = fail(error, NVFP4_ENOMEM, "", "out of memory");
    } else if (nvfp4_policy_is_path(name) || is_there(path)) {
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
    nvfp4_status status = nvfp4_policy_open(path, &document, error);
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
