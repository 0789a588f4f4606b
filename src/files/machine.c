/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files: what nvfp4_machine_print() writes, read back. */
#include <nvfp4moe/device.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/facts.h"
#include "files/document.h"
#include "files/nearest.h"

struct reading {
    const nvfp4_document *document;
    nvfp4_error *error;
};

typedef enum field_kind {
    FIELD_INT,     /* int32_t, -1 or more */
    FIELD_ANY,     /* any int32_t: kept as a driver gave it */
    FIELD_BYTES,   /* uint64_t */
    FIELD_TEXT,    /* an array of char */
    FIELD_BOOL,    /* int32_t */
    FIELD_IDS,     /* two uint32_t from "10de:2335" */
    FIELD_IDS_ONE, /* one uint32_t from "10de:2335" */
} field_kind;

/* One key of a mapping and where its value goes. */
struct field {
    const char *key;
    field_kind kind;
    size_t offset;
    size_t size; /* text: bytes of the array */
};

#define TEXT(key, type, member)                                                                    \
    { key, FIELD_TEXT, offsetof(type, member), sizeof(((type *)0)->member) }

static const struct field fact_fields[] = {
    { "index", FIELD_INT, offsetof(struct fact, index), 0 },
    { "parent", FIELD_INT, offsetof(struct fact, parent), 0 },
    { "sm", FIELD_INT, offsetof(struct fact, sm), 0 },
    { "gpu_instance", FIELD_INT, offsetof(struct fact, gpu_instance), 0 },
    { "compute_instance", FIELD_INT, offsetof(struct fact, compute_instance), 0 },
    { "mig", FIELD_BOOL, offsetof(struct fact, mig_mode), 0 },
    { "memory", FIELD_BYTES, offsetof(struct fact, memory), 0 },
    { "id", FIELD_IDS, offsetof(struct fact, vendor), 0 }, /* vendor, and device behind it */
    { "subsystem", FIELD_IDS_ONE, offsetof(struct fact, subsystem), 0 },
    TEXT("name", struct fact, name),
    TEXT("uuid", struct fact, uuid),
    TEXT("address", struct fact, address),
};

_Static_assert(offsetof(struct fact, device) == offsetof(struct fact, vendor) + sizeof(uint32_t),
               "a pair of ids is written to vendor and device at once");

static const struct field list_fields[] = {
    { "cuda_version", FIELD_ANY, offsetof(struct fact_list, cuda_version), 0 },
    TEXT("driver", struct fact_list, driver_version),
    TEXT("message", struct fact_list, message),
};

static nvfp4_status wrong_kind(const struct reading *r, const nvfp4_node *node, const char *wanted)
{
    return nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                               "expected %s, found %s", wanted, nvfp4_node_kind_name(node));
}

static nvfp4_status read_text(const struct reading *r, const nvfp4_node *node, char *to,
                              size_t size)
{
    /* a value that reads as a number is the text it was written as */
    if (node->kind < NVFP4_NODE_INT || node->kind > NVFP4_NODE_STRING)
        return wrong_kind(r, node, "a text");
    if (node->length >= size)
        return nvfp4_document_fail(r->document, node, NVFP4_ELIMIT, r->error,
                                   "longer than %zu bytes", size - 1);
    if (strlen(node->text) != node->length)
        return nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                                   "a NUL inside a text");
    memcpy(to, node->text, node->length + 1);
    return NVFP4_OK;
}

/* One to four hexadecimal digits; moves behind them. */
static int read_id(const char **at, uint32_t *id)
{
    static const char digits[] = "0123456789abcdef";
    size_t count = 0;

    *id = 0;
    for (; count < 5; count++, (*at)++) {
        const char c = **at >= 'A' && **at <= 'F' ? (char)(**at - 'A' + 'a') : **at;
        const char *const digit = c != '\0' ? strchr(digits, c) : NULL;

        if (digit == NULL)
            break;
        *id = *id << 4 | (uint32_t)(digit - digits);
    }
    return count >= 1 && count <= 4;
}

/* "10de:2335" */
static nvfp4_status read_ids(const struct reading *r, const nvfp4_node *node, uint32_t *first,
                             uint32_t *second)
{
    const char *at = node->text;
    uint32_t a;
    uint32_t b;

    if (node->kind != NVFP4_NODE_STRING)
        return wrong_kind(r, node, "two ids such as \"10de:2335\"");
    if (!read_id(&at, &a) || *at++ != ':' || !read_id(&at, &b)
        || at != node->text + node->length)
        return nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                                   "expected two ids such as \"10de:2335\"");
    *first = a;
    *second = b;
    return NVFP4_OK;
}

static nvfp4_status read_integer(const struct reading *r, const nvfp4_node *node, int64_t least,
                                 int32_t *value)
{
    if (node->kind != NVFP4_NODE_INT && node->kind != NVFP4_NODE_BIG)
        return wrong_kind(r, node, "a whole number");
    if (node->kind == NVFP4_NODE_BIG || node->integer < least || node->integer > INT32_MAX)
        return nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error, "out of range");
    *value = (int32_t)node->integer;
    return NVFP4_OK;
}

/* All of uint64_t: a driver may say anything, and a record is to hold it. */
static nvfp4_status read_bytes(const struct reading *r, const nvfp4_node *node, uint64_t *value)
{
    int fits = 1;

    *value = 0;
    if (node->kind == NVFP4_NODE_INT) {
        fits = node->integer >= 0;
        *value = (uint64_t)node->integer;
    } else if (node->kind == NVFP4_NODE_BIG) {
        for (const char *c = node->text + (node->text[0] == '+'); *c != '\0' && fits; c++) {
            const uint64_t digit = (uint64_t)(*c - '0');

            fits = *c >= '0' && *c <= '9' && *value <= (UINT64_MAX - digit) / 10;
            if (fits)
                *value = *value * 10 + digit;
        }
    } else {
        return wrong_kind(r, node, "a whole number");
    }
    return fits ? NVFP4_OK
                : nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error, "out of range");
}

static nvfp4_status read_field(const struct reading *r, const struct field *field,
                               const nvfp4_node *node, void *object)
{
    char *at = (char *)object + field->offset;
    uint32_t ids[2];
    uint64_t bytes;
    int32_t small = 0;
    nvfp4_status status = NVFP4_OK;

    switch (field->kind) {
    case FIELD_INT:
    case FIELD_ANY:
        status = read_integer(r, node, field->kind == FIELD_INT ? -1 : INT32_MIN, &small);
        if (status == NVFP4_OK)
            memcpy(at, &small, sizeof small);
        break;
    case FIELD_BYTES:
        status = read_bytes(r, node, &bytes);
        if (status == NVFP4_OK)
            memcpy(at, &bytes, sizeof bytes);
        break;
    case FIELD_TEXT:
        status = read_text(r, node, at, field->size);
        break;
    case FIELD_BOOL:
        small = node->kind == NVFP4_NODE_BOOL && node->integer != 0;
        memcpy(at, &small, sizeof small);
        if (node->kind != NVFP4_NODE_BOOL)
            status = wrong_kind(r, node, "true or false");
        break;
    case FIELD_IDS:
    case FIELD_IDS_ONE:
        status = read_ids(r, node, &ids[0], &ids[1]);
        if (status != NVFP4_OK)
            break;
        if (field->kind == FIELD_IDS_ONE)
            ids[0] = ids[0] << 16 | ids[1];
        memcpy(at, ids, field->kind == FIELD_IDS ? sizeof ids : sizeof ids[0]);
        break;
    }
    return status;
}

static const struct field *find_field(const struct field *fields, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    }
    return NULL;
}

static nvfp4_status unknown_key(const struct reading *r, const nvfp4_node *node,
                                const nvfp4_nearest *search)
{
    char key[NVFP4_EXCERPT];

    nvfp4_excerpt(node->key, node->key_length, key);
    if (search->best != NULL)
        return nvfp4_document_fail_key(r->document, node, NVFP4_ESCHEMA, r->error,
                                       "unknown key \"%s\", did you mean \"%s\"?", key,
                                       search->best);
    return nvfp4_document_fail_key(r->document, node, NVFP4_ESCHEMA, r->error,
                                   "unknown key \"%s\"", key);
}

static nvfp4_status read_fact(const struct reading *r, const nvfp4_node *node,
                              struct fact_list *list)
{
    const size_t count = sizeof fact_fields / sizeof fact_fields[0];
    nvfp4_status status = NVFP4_OK;
    struct fact *fact;

    if (node->kind != NVFP4_NODE_MAPPING)
        return wrong_kind(r, node, "a mapping that describes a device");
    if (list->count == FACTS_MAX)
        return nvfp4_document_fail(r->document, node, NVFP4_ELIMIT, r->error,
                                   "more than %d devices", FACTS_MAX);
    fact = nvfp4_facts_add(list);
    if (fact == NULL)
        return nvfp4_document_fail(r->document, node, NVFP4_ENOMEM, r->error, "out of memory");
    fact->index = (int32_t)list->count - 1;
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        const struct field *field = find_field(fact_fields, count, n->key);
        nvfp4_nearest search;

        if (field != NULL) {
            status = read_field(r, field, n, fact);
            continue;
        }
        nvfp4_nearest_begin(&search, n->key);
        for (size_t i = 0; i < count; i++)
            nvfp4_nearest_offer(&search, fact_fields[i].key);
        status = unknown_key(r, n, &search);
    }
    if (status == NVFP4_OK && fact->parent >= 0
        && ((size_t)fact->parent + 1 >= list->count || list->facts[fact->parent].parent >= 0))
        status = nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                                     "the parent of a slice is a GPU that stands before it");
    return status;
}

static nvfp4_status read_facts(const struct reading *r, const nvfp4_node *node,
                               struct fact_list *list)
{
    nvfp4_status status = NVFP4_OK;

    if (node->kind != NVFP4_NODE_SEQUENCE)
        return wrong_kind(r, node, "a list of devices");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_fact(r, n, list);
    return status;
}

static nvfp4_status read_status(const struct reading *r, const nvfp4_node *node,
                                struct fact_list *list)
{
    nvfp4_nearest search;
    char word[NVFP4_EXCERPT];

    if (node->kind != NVFP4_NODE_STRING)
        return wrong_kind(r, node, "a status such as OK or ENODRIVER");
#define X(name, value, text)                                                                       \
    if (nvfp4_node_is(node, #name)) {                                                              \
        list->status = (value);                                                                    \
        return NVFP4_OK;                                                                           \
    }
    NVFP4_STATUS_MAP(X)
#undef X
    nvfp4_nearest_begin(&search, node->text);
#define X(name, value, text) nvfp4_nearest_offer(&search, #name);
    NVFP4_STATUS_MAP(X)
#undef X
    return nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                               "unknown status \"%s\"%s%s",
                               nvfp4_excerpt(node->text, node->length, word),
                               search.best != NULL ? ", did you mean " : "",
                               search.best != NULL ? search.best : "");
}

static nvfp4_status read_list(const struct reading *r, const nvfp4_node *node,
                              struct fact_list *list)
{
    const size_t count = sizeof list_fields / sizeof list_fields[0];
    nvfp4_status status = NVFP4_OK;

    if (node->kind != NVFP4_NODE_MAPPING)
        return wrong_kind(r, node, "a mapping that tells what a source says");
    list->status = NVFP4_OK;
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        const struct field *field = find_field(list_fields, count, n->key);
        nvfp4_nearest search;

        if (field != NULL) {
            status = read_field(r, field, n, list);
        } else if (strcmp(n->key, "status") == 0) {
            status = read_status(r, n, list);
        } else if (strcmp(n->key, "devices") == 0) {
            status = read_facts(r, n, list);
        } else {
            nvfp4_nearest_begin(&search, n->key);
            for (size_t i = 0; i < count; i++)
                nvfp4_nearest_offer(&search, list_fields[i].key);
            nvfp4_nearest_offer(&search, "status");
            nvfp4_nearest_offer(&search, "devices");
            status = unknown_key(r, n, &search);
        }
    }
    if (status == NVFP4_OK && list->status == NVFP4_OK && list->count == 0)
        status = nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                                     "a source without devices needs a status that is not OK");
    if (status == NVFP4_OK && list->status != NVFP4_OK && list->count > 0)
        status = nvfp4_document_fail(r->document, node, NVFP4_ESCHEMA, r->error,
                                     "a source that failed has no devices");
    return status;
}

static nvfp4_status read_variable(const struct reading *r, const nvfp4_node *node, int *has,
                                  char *to, size_t size)
{
    *has = node->kind != NVFP4_NODE_NULL;
    return *has ? read_text(r, node, to, size) : NVFP4_OK;
}

static nvfp4_status read_environment(const struct reading *r, const nvfp4_node *node,
                                     nvfp4_machine *machine)
{
    nvfp4_status status = NVFP4_OK;

    if (node->kind != NVFP4_NODE_MAPPING)
        return wrong_kind(r, node, "a mapping of environment variables");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        nvfp4_nearest search;

        if (strcmp(n->key, "CUDA_VISIBLE_DEVICES") == 0) {
            status = read_variable(r, n, &machine->has_visible, machine->visible,
                                   sizeof machine->visible);
        } else if (strcmp(n->key, "CUDA_DEVICE_ORDER") == 0) {
            status = read_variable(r, n, &machine->has_order, machine->order,
                                   sizeof machine->order);
        } else {
            nvfp4_nearest_begin(&search, n->key);
            nvfp4_nearest_offer(&search, "CUDA_VISIBLE_DEVICES");
            nvfp4_nearest_offer(&search, "CUDA_DEVICE_ORDER");
            status = unknown_key(r, n, &search);
        }
    }
    return status;
}

static int source_of(const char *key)
{
    for (int i = NVFP4_SOURCE_NVML; i < NVFP4_SOURCE_COUNT; i++) {
        if (strcmp(key, nvfp4_source_name((nvfp4_source)i)) == 0)
            return i;
    }
    return NVFP4_SOURCE_AUTO;
}

static nvfp4_status read_machine(const struct reading *r, const nvfp4_node *root,
                                 nvfp4_machine *machine)
{
    const nvfp4_node *version = nvfp4_node_get(root, "machine");
    nvfp4_status status = NVFP4_OK;

    if (root->kind != NVFP4_NODE_MAPPING || version == NULL)
        return nvfp4_document_fail(r->document, root, NVFP4_ESCHEMA, r->error,
                                   "a machine file begins with \"machine: 1\"");
    if (version->kind != NVFP4_NODE_INT || version->integer != 1)
        return nvfp4_document_fail(r->document, version, NVFP4_ESCHEMA, r->error,
                                   "machine files of version 1 are read here, no others");
    for (const nvfp4_node *n = root->first; n != NULL && status == NVFP4_OK; n = n->next) {
        int source = source_of(n->key);
        nvfp4_nearest search;

        if (source != NVFP4_SOURCE_AUTO) {
            status = read_list(r, n, &machine->lists[source]);
        } else if (strcmp(n->key, "environment") == 0) {
            status = read_environment(r, n, machine);
        } else if (strcmp(n->key, "machine") != 0) {
            nvfp4_nearest_begin(&search, n->key);
            nvfp4_nearest_offer(&search, "environment");
            for (int i = NVFP4_SOURCE_NVML; i < NVFP4_SOURCE_COUNT; i++)
                nvfp4_nearest_offer(&search, nvfp4_source_name((nvfp4_source)i));
            status = unknown_key(r, n, &search);
        }
    }
    return status;
}

static nvfp4_status make_machine(const nvfp4_document *document, nvfp4_machine **machine,
                                 nvfp4_error *error)
{
    struct reading r = { document, error };
    nvfp4_machine *made = calloc(1, sizeof *made);
    nvfp4_status status;

    if (made == NULL)
        return nvfp4_document_fail(document, NULL, NVFP4_ENOMEM, error, "out of memory");
    for (int i = 0; i < NVFP4_SOURCE_COUNT; i++)
        made->lists[i].status = NVFP4_NOT_ASKED;
    status = read_machine(&r, nvfp4_document_root(document), made);
    if (status != NVFP4_OK) {
        nvfp4_machine_destroy(made);
        return status;
    }
    *machine = made;
    return NVFP4_OK;
}

static nvfp4_status bad_arguments(nvfp4_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->status = NVFP4_EINVAL;
        strcpy(error->message, nvfp4_status_text(NVFP4_EINVAL));
    }
    return NVFP4_EINVAL;
}

nvfp4_status nvfp4_machine_parse(const char *text, size_t length, const char *file,
                                 nvfp4_machine **machine, nvfp4_error *error)
{
    nvfp4_document_options options = { .file = file, .unique_keys = 1 };
    nvfp4_document *document;
    nvfp4_status status;

    if (text == NULL || machine == NULL)
        return bad_arguments(error);
    status = nvfp4_document_parse(text, length, &options, &document, error);
    if (status != NVFP4_OK)
        return status;
    status = make_machine(document, machine, error);
    nvfp4_document_free(document);
    return status;
}

nvfp4_status nvfp4_machine_load(const char *path, nvfp4_machine **machine, nvfp4_error *error)
{
    nvfp4_document_options options = { .unique_keys = 1 };
    nvfp4_document *document;
    nvfp4_status status;

    if (path == NULL || machine == NULL)
        return bad_arguments(error);
    status = nvfp4_document_read(path, &options, &document, error);
    if (status != NVFP4_OK)
        return status;
    status = make_machine(document, machine, error);
    nvfp4_document_free(document);
    return status;
}
