/* SPDX-License-Identifier: Apache-2.0 */
/* From the values of a document to the fields of a request, one by one. */
#include "files/request_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/nearest.h"

/* Room for "deployment.libraries.cutlass_dsl" and the like. */
#define PATH 64

static const char *path_of(enum request_section section, const struct request_key *key,
                           char path[PATH])
{
    const char *const front = nvfp4_request_sections[section].name;
    snprintf(path, PATH, "%s%s%s", front, *front != '\0' ? "." : "", key->name);
    return path;
}

const struct request_key *nvfp4_request_find_key(enum request_section section, const char *name,
                                                 size_t length)
{
    const struct request_keys *const keys = &nvfp4_request_sections[section];
    for (size_t i = 0; i < keys->count; i++)
        if (strlen(keys->keys[i].name) == length && memcmp(keys->keys[i].name, name, length) == 0)
            return &keys->keys[i];
    return NULL;
}

/* A checkpoint's file that was taken for a request. */
static const char *checkpoint_file(enum request_section section, const char *excerpt)
{
    static const struct {
        const char *key, *file;
    } signs[] = {
        { "producer", "hf_quant_config.json" },
        { "quantization", "hf_quant_config.json" },
        { "architectures", "config.json" },
        { "model_type", "config.json" },
        { "quantization_config", "config.json" },
    };
    for (size_t i = 0; *nvfp4_request_sections[section].name == '\0' &&
                       i < sizeof signs / sizeof signs[0];
         i++) {
        if (strcmp(excerpt, signs[i].key) == 0)
            return signs[i].file;
    }
    return NULL;
}

nvfp4_status nvfp4_request_unknown_key(const struct request_note *note, nvfp4_error *error,
                                       enum request_section section, const char *name,
                                       size_t length, const nvfp4_policy *policy)
{
    const struct request_keys *const keys = &nvfp4_request_sections[section];
    char excerpt[NVFP4_EXCERPT];
    nvfp4_nearest search;
    nvfp4_excerpt(name, length, excerpt);
    const char *const where = *keys->name != '\0' ? keys->name : "the request";
    for (int s = 0; s < SECTION_COUNT; s++)
        if (s != (int)section && *nvfp4_request_sections[s].name != '\0' &&
            nvfp4_request_find_key((enum request_section)s, name, length) != NULL)
            return nvfp4_request_fail(note, error, 1, "unknown key '%s' in %s; it belongs to %s",
                                      excerpt, where, nvfp4_request_sections[s].name);
    const char *const file = checkpoint_file(section, excerpt);
    if (file != NULL)
        return nvfp4_request_fail(note, error, 1,
                                  "unknown key '%s' in %s; it belongs to a checkpoint's %s, which "
                                  "is read as a model",
                                  excerpt, where, file);
    nvfp4_nearest_begin(&search, excerpt);
    for (size_t i = 0; i < keys->count; i++)
        nvfp4_nearest_offer(&search, keys->keys[i].name);
    nvfp4_policy_key_info own;
    for (size_t i = 0; policy != NULL && nvfp4_policy_key(policy, i, &own) == NVFP4_OK; i++)
        if (strcmp(own.section, keys->name) == 0)
            nvfp4_nearest_offer(&search, own.name);
    if (search.best != NULL)
        return nvfp4_request_fail(note, error, 1, "unknown key '%s' in %s; did you mean '%s'?",
                                  excerpt, where, search.best);
    return nvfp4_request_fail(note, error, 1, "unknown key '%s' in %s", excerpt, where);
}

/* ---- what the readers of all kinds share ---- */

struct value {
    const struct request_reader *reader;
    const struct request_key *key;
    enum request_section section;
    const nvfp4_node *node;
    void *field;
};

static struct request_note note_of(const struct value *v, const nvfp4_node *node)
{
    return (struct request_note){ node, v->reader->document, v->reader->placed };
}

/* A value as it was written, for a message: "'abc'", "0.0", "a list". */
static const char *found(const nvfp4_node *node, char text[NVFP4_EXCERPT + 4])
{
    char excerpt[NVFP4_EXCERPT];
    if (node->kind == NVFP4_NODE_SEQUENCE || node->kind == NVFP4_NODE_MAPPING)
        return nvfp4_node_kind_name(node);
    nvfp4_excerpt(node->text, node->length, excerpt);
    if (node->kind == NVFP4_NODE_NULL)
        return "null";
    snprintf(text, NVFP4_EXCERPT + 4, node->kind == NVFP4_NODE_STRING ? "'%s'" : "%s", excerpt);
    return text;
}

static nvfp4_status must_be(const struct value *v, const nvfp4_node *node, const char *what)
{
    const struct request_note note = note_of(v, node);
    char path[PATH], text[NVFP4_EXCERPT + 4];
    return nvfp4_request_fail(&note, v->reader->error, 0, "%s must be %s, found %s",
                              path_of(v->section, v->key, path), what, found(node, text));
}

/* A string without NUL in it. */
static int is_text(const nvfp4_node *node)
{
    return node->kind == NVFP4_NODE_STRING && strlen(node->text) == node->length;
}

/* ---- one reader for each kind ---- */

static nvfp4_status read_section(const struct value *v)
{
    if (v->key->arg == SECTION_DEVICE)
        nvfp4_request_forget_device(v->reader->request);
    if (v->node->kind == NVFP4_NODE_NULL) /* "layer:" with nothing below it */
        return NVFP4_OK;
    if (v->node->kind != NVFP4_NODE_MAPPING)
        return must_be(v, v->node,
                       v->key->arg == SECTION_DEVICE
                           ? "a mapping, such as {sm: 120} or {gpu: rtx pro 6000}"
                           : "a mapping");
    return nvfp4_request_read_section(v->reader, (enum request_section)v->key->arg, v->node);
}

static nvfp4_status unknown_word(const struct value *v, const struct request_vocabulary *known)
{
    const struct request_note note = note_of(v, v->node);
    char path[PATH], excerpt[NVFP4_EXCERPT], list[160] = "";
    path_of(v->section, v->key, path);
    nvfp4_excerpt(v->node->text, v->node->length, excerpt);
    const char *const best = nvfp4_nearest_word(excerpt, known->words, known->count);
    if (best != NULL)
        return nvfp4_request_fail(&note, v->reader->error, 0,
                                  "unknown word '%s' for %s; did you mean '%s'?", excerpt, path,
                                  best);
    size_t length = 0;
    for (size_t i = 0; i < known->count; i++) {
        const int more = snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "",
                                  known->words[i]);
        if (more < 0 || (size_t)more >= sizeof list - length) {
            list[length] = '\0';
            return nvfp4_request_fail(&note, v->reader->error, 0,
                                      "unknown word '%s' for %s; known are %s, ...", excerpt, path,
                                      list);
        }
        length += (size_t)more;
    }
    return nvfp4_request_fail(&note, v->reader->error, 0, "unknown word '%s' for %s; known are %s",
                              excerpt, path, list);
}

static nvfp4_status read_word(const struct value *v)
{
    const struct request_vocabulary *const known = &nvfp4_request_vocabularies[v->key->arg];
    int32_t *const field = v->field;
    if (v->node->kind == NVFP4_NODE_NULL && known->null_is_first) {
        *field = 0;
        return NVFP4_OK;
    }
    if (v->node->kind != NVFP4_NODE_STRING)
        return must_be(v, v->node, "a word");
    for (size_t i = 0; i < known->count; i++) {
        if (nvfp4_node_is(v->node, known->words[i])) {
            *field = (int32_t)i;
            return NVFP4_OK;
        }
    }
    if (known->synonym != NULL && nvfp4_node_is(v->node, known->synonym)) {
        *field = known->synonym_of;
        return NVFP4_OK;
    }
    return unknown_word(v, known);
}

_Static_assert(NVFP4_SIZE_MAX == ((int64_t)1 << 40) - 1, "the message below says so");

static nvfp4_status read_size(const struct value *v)
{
    int64_t *const field = v->field;
    if (v->node->kind == NVFP4_NODE_NULL) {
        *field = 0;
        return NVFP4_OK;
    }
    if (v->node->kind != NVFP4_NODE_INT || v->node->integer < 1 ||
        v->node->integer > NVFP4_SIZE_MAX)
        return must_be(v, v->node,
                       "a whole number, at least 1 and below 2^40, or null for unknown");
    *field = v->node->integer;
    if (strcmp(v->key->name, "top_k") == 0)
        v->reader->request->notes[SLOT_TOP_K] = note_of(v, v->node);
    return NVFP4_OK;
}

static nvfp4_status read_ranks(const struct value *v)
{
    int32_t *const field = v->field;
    if (v->node->kind != NVFP4_NODE_INT || v->node->integer < 1 || v->node->integer > 1 << 20)
        return must_be(v, v->node, "a whole number from 1 to 2^20");
    *field = (int32_t)v->node->integer;
    return NVFP4_OK;
}

static nvfp4_status read_flag(const struct value *v)
{
    uint8_t *const field = v->field;
    if (v->node->kind != NVFP4_NODE_BOOL)
        return must_be(v, v->node, "true or false");
    *field = v->node->integer != 0;
    return NVFP4_OK;
}

static nvfp4_status read_real(const struct value *v)
{
    nvfp4_moe_layer *const layer = &v->reader->request->layer;
    const uint32_t bit = (uint32_t)1 << v->key->arg;
    double *const field = v->field;
    double number;
    if (v->node->kind == NVFP4_NODE_NULL) {
        layer->has &= ~bit;
        *field = 0;
        return NVFP4_OK;
    }
    const int is_limit = v->key->kind == KIND_LIMIT;
    if (!nvfp4_node_number(v->node, &number))
        return must_be(v, v->node, "a number or null");
    if (!isfinite(number) || (is_limit && !(number > 0)))
        return must_be(v, v->node,
                       is_limit ? "finite and above 0, or null for no limit" : "finite");
    layer->has |= bit;
    *field = number;
    return NVFP4_OK;
}

static nvfp4_status read_version(const struct value *v)
{
    nvfp4_library_version *const field = (nvfp4_library_version *)v->field + v->key->arg;
    switch (v->node->kind) {
    case NVFP4_NODE_NULL:
        *field = NVFP4_LIBRARY_ABSENT;
        return NVFP4_OK;
    case NVFP4_NODE_STRING:
    case NVFP4_NODE_INT:
    case NVFP4_NODE_BIG:
    case NVFP4_NODE_REAL:
        /* A number's text is the version: 13.10 is not 13.1. */
        if (strlen(v->node->text) == v->node->length &&
            nvfp4_version_parse(v->node->text, field) == NVFP4_OK)
            return NVFP4_OK;
        break;
    default:
        break;
    }
    return must_be(v, v->node, "a version such as 0.6.18, or null where it is absent");
}

static nvfp4_status read_note(const struct value *v)
{
    struct request_note *const note = v->key->arg < SLOT_DEVICE_PARTS
                                          ? &v->reader->device[v->key->arg]
                                          : &v->reader->request->notes[v->key->arg];
    *note = note_of(v, v->node);
    return NVFP4_OK;
}

static int is_number(const nvfp4_node *node)
{
    return node->kind == NVFP4_NODE_INT || node->kind == NVFP4_NODE_REAL;
}

static nvfp4_status read_name(const struct value *v)
{
    /* Some names of GPUs look like numbers: 0x2bb1, 12.0. */
    if (!is_text(v->node) && !(v->key->arg == SLOT_GPU && is_number(v->node)))
        return must_be(v, v->node, "a text");
    return read_note(v);
}

static nvfp4_status read_sm(const struct value *v)
{
    if (v->node->kind != NVFP4_NODE_INT || v->node->integer < 10 || v->node->integer > 999)
        return must_be(v, v->node, "a whole number from 10 to 999 (120 for 12.0)");
    return read_note(v);
}

/* A list of texts; CUDA targets such as 120 and 9.0 look like numbers. */
static nvfp4_status read_names(const struct value *v)
{
    const int is_targets = v->key->arg == SLOT_BUILT_ARCHS;
    const int may_be_null = v->key->arg == SLOT_BUILT || is_targets;
    if (v->node->kind == NVFP4_NODE_NULL && may_be_null) {
        v->reader->request->notes[v->key->arg].node = NULL;
        return NVFP4_OK;
    }
    if (v->node->kind != NVFP4_NODE_SEQUENCE)
        return must_be(v, v->node, v->key->value);
    for (const nvfp4_node *n = v->node->first; n != NULL; n = n->next) {
        if (!is_text(n) && !(is_targets && is_number(n)))
            return must_be(v, n, v->key->value);
    }
    return read_note(v);
}

static nvfp4_status read_devices(const struct value *v)
{
    if (v->node->kind != NVFP4_NODE_SEQUENCE)
        return must_be(v, v->node, v->key->value);
    for (const nvfp4_node *n = v->node->first; n != NULL; n = n->next) {
        struct request_note parts[SLOT_DEVICE_PARTS];
        struct request_reader reader = *v->reader;
        reader.device = parts;
        if (n->kind != NVFP4_NODE_MAPPING)
            return must_be(v, n, "a list of devices such as {sm: 120}");
        const nvfp4_status status = nvfp4_request_read_section(&reader, SECTION_DEVICE, n);
        if (status != NVFP4_OK)
            return status;
    }
    return read_note(v);
}

/* ---- keys ---- */

static void *base_of(nvfp4_request *request, enum request_section section)
{
    switch (section) {
    case SECTION_LAYER:
        return &request->layer;
    case SECTION_DEPLOYMENT:
    case SECTION_LIBRARIES:
        return &request->deployment;
    default:
        return request->notes; /* not used: those keys are kept as written */
    }
}

nvfp4_status nvfp4_request_read_value(const struct request_reader *reader,
                                      enum request_section section, const struct request_key *key,
                                      const nvfp4_node *node)
{
    static nvfp4_status (*const readers[])(const struct value *) = {
        [KIND_SECTION] = read_section, [KIND_WORD] = read_word,       [KIND_SIZE] = read_size,
        [KIND_RANKS] = read_ranks,     [KIND_FLAG] = read_flag,       [KIND_REAL] = read_real,
        [KIND_LIMIT] = read_real,      [KIND_VERSION] = read_version, [KIND_NAME] = read_name,
        [KIND_SM] = read_sm,           [KIND_NAMES] = read_names,     [KIND_DEVICES] = read_devices,
    };
    char *const base = base_of(reader->request, section);
    const struct value v = { reader, key, section, node, base + key->offset };
    return readers[key->kind](&v);
}

nvfp4_status nvfp4_request_read_section(const struct request_reader *reader,
                                        enum request_section section, const nvfp4_node *mapping)
{
    for (const nvfp4_node *n = mapping->first; n != NULL; n = n->next) {
        const struct request_key *const key =
            nvfp4_request_find_key(section, n->key, n->key_length);
        nvfp4_status status;
        const struct request_note note = { n, reader->document, reader->placed };
        if (key == NULL && nvfp4_request_may_be_own(section, n)) {
            status = nvfp4_request_keep_own(reader->request, section, n->key, n->key_length, &note);
            if (status != NVFP4_OK)
                nvfp4_request_no_memory(reader->error);
        } else if (key == NULL) {
            status = nvfp4_request_unknown_key(&note, reader->error, section, n->key,
                                               n->key_length, NULL);
        } else {
            status = nvfp4_request_read_value(reader, section, key, n);
        }
        if (status != NVFP4_OK)
            return status;
    }
    return NVFP4_OK;
}
