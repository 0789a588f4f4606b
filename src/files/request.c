/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/request.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/request_parts.h"

static void begin(nvfp4_request *r)
{
    static const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    static const nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    r->layer = layer;
    r->deployment = deployment;
    r->policy = nvfp4_policy_builtin(NULL);
    memset(r->notes, 0, sizeof r->notes);
    memset(&r->root, 0, sizeof r->root);
    r->own_keys = NULL;
    r->document_count = 0;
    r->device_set = 0;
    r->set_ranks = NULL;
    r->set_rank_count = 0;
    r->device_name = "";
}

nvfp4_status nvfp4_request_new(nvfp4_request **request)
{
    if (request == NULL)
        return NVFP4_EINVAL;
    nvfp4_request *const r = nvfp4_files_malloc(sizeof *r);
    if (r == NULL)
        return NVFP4_ENOMEM;
    memset(r, 0, sizeof *r);
    begin(r);
    *request = r;
    return NVFP4_OK;
}

void nvfp4_request_reset(nvfp4_request *request)
{
    if (request == NULL)
        return;
    for (size_t i = 0; i < request->document_count; i++)
        nvfp4_document_free(request->documents[i]);
    nvfp4_files_free(request->set_ranks);
    nvfp4_arena_free(&request->arena);
    nvfp4_arena_free(&request->kept);
    begin(request);
}

void nvfp4_request_destroy(nvfp4_request *request)
{
    if (request == NULL)
        return;
    nvfp4_request_reset(request);
    nvfp4_policy_free(request->loaded);
    nvfp4_files_free(request->loaded_name);
    nvfp4_files_free(request->loaded_beside);
    nvfp4_files_free(request->documents);
    nvfp4_files_free(request);
}

void nvfp4_request_forget_device(nvfp4_request *request)
{
    for (int i = 0; i < SLOT_DEVICE_PARTS; i++)
        request->notes[i].node = NULL;
    request->device_set = 0;
}

static nvfp4_status plain_fail(nvfp4_status status, const char *file, const char *message,
                               nvfp4_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->status = status;
        snprintf(error->file, sizeof error->file, "%s", file);
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return status;
}

nvfp4_status nvfp4_request_fail(const struct request_note *note, nvfp4_error *error, int about_key,
                                const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (note->document == NULL)
        return plain_fail(NVFP4_ESCHEMA, "", message, error);
    const nvfp4_node *const place = note->placed ? note->node : NULL;
    if (about_key)
        return nvfp4_document_fail_key(note->document, place, NVFP4_ESCHEMA, error, "%s", message);
    return nvfp4_document_fail(note->document, place, NVFP4_ESCHEMA, error, "%s", message);
}

/* The request owns the document from here on, also on failure. */
static nvfp4_status keep(nvfp4_request *r, nvfp4_document *document, nvfp4_error *error)
{
    if (r->document_count == r->document_room) {
        const size_t room = r->document_room == 0 ? 8 : 2 * r->document_room;
        nvfp4_document **const larger =
            nvfp4_files_realloc(r->documents, room * sizeof *larger);
        if (larger == NULL) {
            nvfp4_document_free(document);
            return plain_fail(NVFP4_ENOMEM, "", "out of memory", error);
        }
        r->documents = larger;
        r->document_room = room;
    }
    r->documents[r->document_count++] = document;
    return NVFP4_OK;
}

/* A whole request in a document of its own. */
static nvfp4_status read_document(nvfp4_request *r, nvfp4_document *document, nvfp4_error *error)
{
    nvfp4_status status = keep(r, document, error);
    if (status != NVFP4_OK)
        return status;
    const nvfp4_node *const root = nvfp4_document_root(document);
    const struct request_reader reader = { r, document, 1, r->notes, error };
    r->root = (struct request_note){ root, document, 1 };
    if (root->kind != NVFP4_NODE_MAPPING)
        return nvfp4_request_fail(&r->root, error, 0, "a request must be a mapping, found %s",
                                  nvfp4_node_kind_name(root));
    return nvfp4_request_read_section(&reader, SECTION_REQUEST, root);
}

nvfp4_status nvfp4_request_parse(nvfp4_request *request, const nvfp4_request_text *text,
                                 nvfp4_error *error)
{
    if (request == NULL || text == NULL || (text->text == NULL && text->length != 0))
        return plain_fail(NVFP4_EINVAL, "", "no request or no text", error);
    if (text->struct_size < offsetof(nvfp4_request_text, json) + sizeof text->json)
        return plain_fail(NVFP4_EABI, "", nvfp4_status_text(NVFP4_EABI), error);
    nvfp4_document_options options;
    memset(&options, 0, sizeof options);
    options.syntax = text->json ? NVFP4_SYNTAX_JSON : NVFP4_SYNTAX_AUTO;
    options.file = text->file;
    options.first_line = text->first_line;
    options.unique_keys = 1;
    nvfp4_document *document;
    const nvfp4_status status =
        nvfp4_document_parse(text->text, text->length, &options, &document, error);
    return status != NVFP4_OK ? status : read_document(request, document, error);
}

nvfp4_status nvfp4_request_load(nvfp4_request *request, const char *path, nvfp4_error *error)
{
    if (request == NULL || path == NULL)
        return plain_fail(NVFP4_EINVAL, "", "no request or no path", error);
    nvfp4_document_options options;
    memset(&options, 0, sizeof options);
    options.unique_keys = 1;
    nvfp4_document *document;
    const nvfp4_status status = nvfp4_document_read(path, &options, &document, error);
    return status != NVFP4_OK ? status : read_document(request, document, error);
}

/* ---- one key ---- */

/* Walks "deployment.libraries.cuda" down to its key: NULL where only a policy may know it. */
static nvfp4_status find_path(const char *path, size_t length, enum request_section *section,
                              const struct request_key **key, const char **name,
                              const struct request_note *note, nvfp4_error *error)
{
    *section = SECTION_REQUEST;
    for (;;) {
        const char *const dot = memchr(path, '.', length);
        const size_t size = dot != NULL ? (size_t)(dot - path) : length;
        *key = nvfp4_request_find_key(*section, path, size);
        *name = path;
        if (*key == NULL && dot == NULL && nvfp4_request_may_be_own(*section, NULL))
            return NVFP4_OK;
        if (*key == NULL)
            return nvfp4_request_unknown_key(note, error, *section, path, size, NULL);
        if (dot == NULL)
            return NVFP4_OK;
        if ((*key)->kind != KIND_SECTION)
            return nvfp4_request_fail(note, error, 0, "%s has no keys below it", (*key)->name);
        *section = (enum request_section)(*key)->arg;
        path = dot + 1;
        length -= size + 1;
    }
}

/* The value as a document; names are taken as they stand, by way of YAML's single quotes. */
static nvfp4_status value_document(const char *value, int is_name, const char *origin,
                                   nvfp4_document **document, nvfp4_error *error)
{
    nvfp4_document_options options;
    memset(&options, 0, sizeof options);
    options.syntax = NVFP4_SYNTAX_YAML;
    options.file = origin;
    options.unique_keys = 1;
    if (!is_name)
        return nvfp4_document_parse(value, strlen(value), &options, document, error);
    char *const text = nvfp4_files_malloc(2 * strlen(value) + 2);
    if (text == NULL)
        return plain_fail(NVFP4_ENOMEM, origin, "out of memory", error);
    size_t length = 0;
    text[length++] = '\'';
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == '\'')
            text[length++] = '\'';
        text[length++] = *p;
    }
    text[length++] = '\'';
    const nvfp4_status status = nvfp4_document_parse(text, length, &options, document, error);
    nvfp4_files_free(text);
    return status;
}

static int is_name(const struct request_key *key)
{
    return key->kind == KIND_NAME || key->kind == KIND_WORD || key->kind == KIND_VERSION;
}

static int is_null(const char *value)
{
    return strcmp(value, "null") == 0 || strcmp(value, "~") == 0;
}

/* One way of naming a device takes the place of the others. */
static void clear_rivals(nvfp4_request *r, enum request_section section,
                         const struct request_key *key)
{
    static const uint8_t rivals[SLOT_DEVICE_PARTS] = {
        [SLOT_SM] = 1 << SLOT_GPU | 1 << SLOT_ARCH,
        [SLOT_GPU] = 1 << SLOT_SM | 1 << SLOT_ARCH | 1 << SLOT_VENDOR,
        [SLOT_ARCH] = 1 << SLOT_SM | 1 << SLOT_GPU,
        [SLOT_VENDOR] = 1 << SLOT_GPU,
    };
    if (section != SECTION_DEVICE)
        return;
    r->device_set = 0;
    for (int i = 0; i < SLOT_DEVICE_PARTS; i++)
        if (rivals[key->arg] >> i & 1)
            r->notes[i].node = NULL;
}

/* No place in it helps: a value of the command line is short. */
static void without_place(nvfp4_error *error)
{
    if (error != NULL) {
        error->line = 0;
        error->column = 0;
    }
}

/* `key` NULL: one that only a policy may know, named by the `length` bytes at `name`. */
static nvfp4_status set_key(nvfp4_request *r, enum request_section section,
                            const struct request_key *key, const char *name, size_t length,
                            const nvfp4_document *document, nvfp4_error *error)
{
    const nvfp4_node *const value = nvfp4_document_root(document);
    const struct request_reader reader = { r, document, 0, r->notes, error };
    const struct request_note note = { value, document, 0 };
    if (key != NULL) {
        clear_rivals(r, section, key);
        return nvfp4_request_read_value(&reader, section, key, value);
    }
    if (nvfp4_request_keep_own(r, section, name, length, &note) != NVFP4_OK)
        return nvfp4_request_no_memory(error);
    return NVFP4_OK;
}

static nvfp4_status set(nvfp4_request *r, const char *assignment, const char *origin,
                        nvfp4_error *error)
{
    const char *const equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment)
        return plain_fail(NVFP4_ESYNTAX, origin,
                          "expected KEY=VALUE, such as layer.swiglu_limit=10", error);
    enum request_section section;
    const struct request_key *key;
    const char *name;
    nvfp4_error about;
    const struct request_note nowhere = { NULL, NULL, 0 };
    nvfp4_status status = find_path(assignment, (size_t)(equals - assignment), &section, &key,
                                    &name, &nowhere, &about);
    if (status != NVFP4_OK)
        return plain_fail(status, origin, about.message, error);
    const char *const value = equals + 1;
    if (*value == '\0')
        return plain_fail(NVFP4_ESYNTAX, origin, "the value is missing", error);
    const int as_is = key == NULL || (is_name(key) && (key->kind == KIND_NAME || !is_null(value)));
    nvfp4_document *document;
    status = value_document(value, as_is, origin, &document, error);
    if (status == NVFP4_OK)
        status = keep(r, document, error);
    return status != NVFP4_OK
               ? status
               : set_key(r, section, key, name, (size_t)(equals - name), document, error);
}

nvfp4_status nvfp4_request_set(nvfp4_request *request, const char *assignment, const char *origin,
                               nvfp4_error *error)
{
    if (request == NULL || assignment == NULL)
        return plain_fail(NVFP4_EINVAL, "", "no request or no assignment", error);
    const nvfp4_status status =
        set(request, assignment, origin != NULL ? origin : assignment, error);
    if (status != NVFP4_OK)
        without_place(error);
    return status;
}

/* ---- from other sources, and out again ---- */

nvfp4_status nvfp4_request_set_layer(nvfp4_request *request, const nvfp4_moe_layer *layer)
{
    if (request == NULL || layer == NULL)
        return NVFP4_EINVAL;
    if (layer->struct_size < offsetof(nvfp4_moe_layer, reserved) + sizeof layer->reserved)
        return NVFP4_EABI;
    /* A caller of a later release may have a larger struct, whose end is not known here. */
    memcpy(&request->layer, layer, sizeof request->layer);
    request->layer.struct_size = sizeof request->layer;
    request->notes[SLOT_TOP_K].node = NULL;
    return NVFP4_OK;
}

nvfp4_status nvfp4_request_set_devices(nvfp4_request *request, const nvfp4_device_key *own,
                                       const nvfp4_device_key *ranks, size_t count,
                                       const char *name)
{
    if (request == NULL || own == NULL || (ranks == NULL && count != 0))
        return NVFP4_EINVAL;
    nvfp4_device_key *copy = NULL;
    if (count != 0) {
        if (count > SIZE_MAX / sizeof *copy)
            return NVFP4_ENOMEM;
        copy = nvfp4_files_malloc(count * sizeof *copy);
        if (copy == NULL)
            return NVFP4_ENOMEM;
        memcpy(copy, ranks, count * sizeof *copy);
    }
    nvfp4_files_free(request->set_ranks);
    request->set_ranks = copy;
    request->set_rank_count = count;
    nvfp4_request_forget_device(request);
    request->set_device = *own;
    request->device_set = 1;
    snprintf(request->set_name, sizeof request->set_name, "%s", name != NULL ? name : "");
    request->notes[SLOT_DEVICES].node = NULL;
    return NVFP4_OK;
}

const nvfp4_moe_layer *nvfp4_request_layer(const nvfp4_request *request)
{
    return &request->layer;
}

const nvfp4_deployment *nvfp4_request_deployment(const nvfp4_request *request)
{
    return &request->deployment;
}

const nvfp4_policy *nvfp4_request_policy(const nvfp4_request *request)
{
    return request->policy;
}

const char *nvfp4_request_device_name(const nvfp4_request *request)
{
    return request->device_name;
}
