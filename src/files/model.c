/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint's files, from path or memory to an nvfp4_model, and what can be asked from it. */
#include <nvfp4moe/model.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/model_reader.h"
#include "files/utf8.h"

/* A hundred times what the largest list of patterns on record takes; a second. */
#define STEPS ((uint64_t)200000000)

#define CONFIG "config.json"
#define QUANT  "hf_quant_config.json"
#define PARAMS "params.json" /* Mistral's own */

nvfp4_status nvfp4_model_no_memory(const nvfp4_model_reader *reader)
{
    return nvfp4_document_fail(reader->config, NULL, NVFP4_ENOMEM, reader->error, "out of memory");
}

nvfp4_status nvfp4_model_warn(const nvfp4_model_reader *reader, nvfp4_model_warning_code code,
                              const char *format, ...)
{
    nvfp4_model *const model = reader->model;
    char text[512];
    va_list arguments;
    if (model->warning_count == NVFP4_MODEL_WARNINGS)
        return NVFP4_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *const copy =
        nvfp4_arena_copy(&model->arena, text, nvfp4_utf8_valid(text, strlen(text)));
    if (copy == NULL)
        return nvfp4_model_no_memory(reader);
    nvfp4_model_warning *const warning = &model->warnings[model->warning_count++];
    warning->code = (int32_t)code;
    warning->text = copy;
    return NVFP4_OK;
}

static nvfp4_status warn_of_duplicate(const nvfp4_model_reader *reader, const char *file,
                                      const nvfp4_node *node)
{
    char excerpt[NVFP4_EXCERPT];
    return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_DUPLICATE_KEY,
                            "%s, line %lu: %s stands twice; the last one counts", file,
                            (unsigned long)node->key_line,
                            nvfp4_excerpt(node->key, node->key_length, excerpt));
}

/* The duplicates that the document has kept, and how many more there are. */
static nvfp4_status warn_of_duplicates(const nvfp4_model_reader *reader,
                                       const nvfp4_document *document, const char *file)
{
    const nvfp4_node *node;
    nvfp4_status status = NVFP4_OK;
    size_t i = 0;
    if (document == NULL)
        return NVFP4_OK;
    while (status == NVFP4_OK && (node = nvfp4_document_duplicate(document, i)) != NULL) {
        status = warn_of_duplicate(reader, file, node);
        i++;
    }
    const size_t more = nvfp4_document_duplicate_count(document) - i;
    if (status != NVFP4_OK || more == 0)
        return status;
    return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_DUPLICATE_KEY,
                            "%s: %lu more values stand under a key that was there before; the last "
                            "one of each counts",
                            file, (unsigned long)more);
}

nvfp4_status nvfp4_model_warn_if_repeated(const nvfp4_model_reader *reader,
                                          const nvfp4_document *document, const char *file,
                                          const nvfp4_node *node)
{
    const nvfp4_node *kept;
    if (node == NULL || !node->repeated)
        return NVFP4_OK;
    for (size_t i = 0; (kept = nvfp4_document_duplicate(document, i)) != NULL; i++) {
        if (kept == node)
            return NVFP4_OK; /* told */
    }
    return warn_of_duplicate(reader, file, node);
}

/* A flood of duplicates does not hide those that decide. */
static nvfp4_status warn_of_repeated_facts(const nvfp4_model_reader *reader)
{
    nvfp4_status status =
        nvfp4_model_warn_if_repeated(reader, reader->config, CONFIG, reader->text);
    if (status == NVFP4_OK)
        status = nvfp4_model_warn_if_repeated(reader, reader->config, CONFIG,
                                              nvfp4_node_get(reader->root, "model_type"));
    for (int fact = 0; fact < NVFP4_FACT_COUNT; fact++) {
        const char *const *name = nvfp4_model_fact_names((nvfp4_fact)fact);
        for (; *name != NULL && status == NVFP4_OK; name++)
            status = nvfp4_model_warn_if_repeated(reader, reader->config, CONFIG,
                                                  nvfp4_model_path(reader->text, *name));
    }
    return status;
}

static nvfp4_status read_names(nvfp4_model_reader *reader)
{
    const nvfp4_node *const holders[] = { reader->root, reader->text };
    const nvfp4_node *const type = nvfp4_node_get(reader->root, "model_type");
    if (type != NULL && type->kind != NVFP4_NODE_NULL) {
        nvfp4_status status = nvfp4_model_text(reader, type, &reader->model->type);
        if (status != NVFP4_OK)
            return status;
    }
    for (size_t i = 0; i < 2 && reader->model->architecture == NULL; i++) {
        const nvfp4_node *const list = nvfp4_node_get(holders[i], "architectures");
        if (list == NULL || list->kind != NVFP4_NODE_SEQUENCE || list->first == NULL)
            continue;
        nvfp4_status status = nvfp4_model_text(reader, list->first, &reader->model->architecture);
        if (status != NVFP4_OK)
            return status;
    }
    return NVFP4_OK;
}

/* A JSON file that is something else: most likely its neighbour. */
static nvfp4_status check_root(const nvfp4_model_reader *reader)
{
    static const char *const signs[] = { "model_type",  "architectures", "hidden_size",
                                         "text_config", "llm_config",    "language_config",
                                         "dim",         "d_model" };
    if (reader->root->kind != NVFP4_NODE_MAPPING)
        return nvfp4_document_fail(reader->config, reader->root, NVFP4_ESCHEMA, reader->error,
                                   "expected a mapping, found %s",
                                   nvfp4_node_kind_name(reader->root));
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (nvfp4_node_get(reader->root, signs[i]) != NULL)
            return NVFP4_OK;
    }
    if (nvfp4_node_get(reader->root, "quantization") != NULL)
        return nvfp4_document_fail(reader->config, NULL, NVFP4_ESCHEMA, reader->error,
                                   "this file says only how a model is quantised; what it computes "
                                   "stands in config.json");
    return nvfp4_document_fail(reader->config, NULL, NVFP4_ESCHEMA, reader->error,
                               "this is no config.json of a model: it has neither model_type, "
                               "architectures nor hidden_size");
}

static nvfp4_status read_layers(nvfp4_model_reader *reader)
{
    int64_t experts;
    nvfp4_status status = nvfp4_model_experts(reader, &experts);
    if (status == NVFP4_OK)
        status = nvfp4_model_count_layers(reader);
    if (status != NVFP4_OK)
        return status;
    if (experts == 0)
        return nvfp4_model_read_quant(reader, 0);
    status = nvfp4_model_place_layers(reader);
    if (status == NVFP4_OK)
        status = nvfp4_model_read_sizes(reader);
    if (status == NVFP4_OK)
        status = nvfp4_model_read_compute(reader);
    if (status == NVFP4_OK)
        status = nvfp4_model_read_quant(reader, experts);
    return status == NVFP4_OK ? nvfp4_model_group_layers(reader) : status;
}

static nvfp4_status read_all(nvfp4_model_reader *reader)
{
    nvfp4_model *const model = reader->model;
    nvfp4_status status = check_root(reader);
    if (status != NVFP4_OK)
        return status;
    model->sources[model->source_count++] = CONFIG;
    if (reader->quant != NULL)
        model->sources[model->source_count++] = QUANT;
    reader->text = nvfp4_model_text_config(reader->root);
    reader->family = nvfp4_model_family(reader->root, reader->text);
    status = read_names(reader);
    if (status == NVFP4_OK)
        status = warn_of_duplicates(reader, reader->config, CONFIG);
    if (status == NVFP4_OK)
        status = warn_of_duplicates(reader, reader->quant, QUANT);
    if (status == NVFP4_OK)
        status = warn_of_repeated_facts(reader);
    return status == NVFP4_OK ? read_layers(reader) : status;
}

/* Takes neither document over; `quant` may be NULL. */
static nvfp4_status make_model(const nvfp4_document *config, const nvfp4_document *quant,
                               nvfp4_model **out, nvfp4_error *error)
{
    nvfp4_model_reader reader = {
        .error = error, .config = config, .quant = quant, .steps = STEPS
    };
    reader.root = nvfp4_document_root(config);
    reader.model = nvfp4_files_malloc(sizeof *reader.model);
    if (reader.model == NULL)
        return nvfp4_model_no_memory(&reader);
    memset(reader.model, 0, sizeof *reader.model);
    const nvfp4_status status = read_all(&reader);
    nvfp4_files_free(reader.layers);
    if (status != NVFP4_OK)
        nvfp4_model_free(reader.model);
    else
        *out = reader.model;
    return status;
}

nvfp4_status nvfp4_model_parse(const char *config, size_t config_length, const char *quant,
                               size_t quant_length, nvfp4_model **model, nvfp4_error *error)
{
    const nvfp4_document_options config_options = { .syntax = NVFP4_SYNTAX_JSON, .file = CONFIG };
    nvfp4_document_options quant_options = { .syntax = NVFP4_SYNTAX_JSON, .file = QUANT };
    nvfp4_document *c = NULL, *q = NULL;
    if (model == NULL || (config == NULL && config_length > 0))
        return NVFP4_EINVAL;
    nvfp4_status status = nvfp4_document_parse(config, config_length, &config_options, &c, error);
    quant_options.beside = c;
    if (status == NVFP4_OK && quant != NULL)
        status = nvfp4_document_parse(quant, quant_length, &quant_options, &q, error);
    if (status == NVFP4_OK)
        status = make_model(c, q, model, error);
    nvfp4_document_free(c);
    nvfp4_document_free(q);
    return status;
}

/* ---- paths ---- */

/* The first `length` bytes of `folder`, a slash where one is needed, and `name`; to be freed. */
static char *join(const char *folder, size_t length, const char *name)
{
    const size_t size = strlen(name);
    char *const path = nvfp4_files_malloc(length + size + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, length);
    if (length > 0 && size > 0 && folder[length - 1] != '/')
        path[length++] = '/';
    memcpy(path + length, name, size + 1);
    return path;
}

/* Length of the folder in front of a file's name, the slash included. */
static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

typedef struct paths {
    char *config, *quant, *params; /* to be freed; `params` is NULL unless in a folder */
} paths;

/* Nobody but a folder has files inside; of a file, those beside it are meant. */
static int find_paths(const char *path, paths *p)
{
    const int folder = nvfp4_path_is_folder(path);
    const size_t length = folder ? strlen(path) : folder_length(path);
    p->config = folder ? join(path, length, CONFIG) : join(path, strlen(path), "");
    p->quant = join(path, length, QUANT);
    p->params = folder ? join(path, length, PARAMS) : NULL;
    return p->config != NULL && p->quant != NULL && (p->params != NULL || !folder);
}

/* Without a config.json: what else a folder may hold. */
static void say_what_is_there(const paths *p, int has_quant, nvfp4_error *error)
{
    if (p->params != NULL && nvfp4_path_exists(p->params))
        snprintf(error->message, sizeof error->message,
                 "there is no such file; " PARAMS " is there; give its path");
    else if (has_quant)
        snprintf(error->message, sizeof error->message,
                 "there is no such file; " QUANT " alone does not say what the model computes");
}

static nvfp4_status read_paths(const paths *p, nvfp4_model **model, nvfp4_error *error)
{
    nvfp4_document_options options = { .syntax = NVFP4_SYNTAX_JSON };
    const int has_quant = nvfp4_path_exists(p->quant);
    nvfp4_document *config = NULL, *quant = NULL;
    nvfp4_status status = nvfp4_document_read(p->config, &options, &config, error);
    if (status == NVFP4_EIO && error != NULL && !nvfp4_path_exists(p->config))
        say_what_is_there(p, has_quant, error);
    options.beside = config;
    if (status == NVFP4_OK && has_quant && strcmp(p->quant, p->config) != 0)
        status = nvfp4_document_read(p->quant, &options, &quant, error);
    if (status == NVFP4_OK)
        status = make_model(config, quant, model, error);
    nvfp4_document_free(config);
    nvfp4_document_free(quant);
    return status;
}

nvfp4_status nvfp4_model_read(const char *path, nvfp4_model **model, nvfp4_error *error)
{
    paths p = { NULL, NULL, NULL };
    if (path == NULL || model == NULL)
        return NVFP4_EINVAL;
    nvfp4_status status;
    if (find_paths(path, &p))
        status = read_paths(&p, model, error);
    else
        status = nvfp4_document_fail(NULL, NULL, NVFP4_ENOMEM, error, "out of memory");
    nvfp4_files_free(p.config);
    nvfp4_files_free(p.quant);
    nvfp4_files_free(p.params);
    return status;
}

void nvfp4_model_free(nvfp4_model *model)
{
    if (model == NULL)
        return;
    nvfp4_arena_free(&model->arena);
    nvfp4_files_free(model);
}

const char *nvfp4_model_type(const nvfp4_model *model)
{
    return model->type;
}

const char *nvfp4_model_architecture(const nvfp4_model *model)
{
    return model->architecture;
}

int nvfp4_model_is_moe(const nvfp4_model *model)
{
    return model->moe;
}

int nvfp4_model_is_nvfp4(const nvfp4_model *model)
{
    return model->nvfp4;
}

nvfp4_weights nvfp4_model_weights(const nvfp4_model *model)
{
    return model->weights;
}

const char *nvfp4_model_source(const nvfp4_model *model, size_t index)
{
    return index < model->source_count ? model->sources[index] : NULL;
}

const nvfp4_model_group *nvfp4_model_group_at(const nvfp4_model *model, size_t index)
{
    return index < model->group_count ? &model->groups[index] : NULL;
}

const nvfp4_model_warning *nvfp4_model_warning_at(const nvfp4_model *model, size_t index)
{
    return index < model->warning_count ? &model->warnings[index] : NULL;
}

const char *nvfp4_weights_name(nvfp4_weights weights)
{
    switch ((int)weights) {
#define X(name, value, word)                                                                       \
    case value:                                                                                    \
        return word;
        NVFP4_WEIGHTS_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *nvfp4_model_warning_name(nvfp4_model_warning_code code)
{
    switch ((int)code) {
#define X(name, value, word)                                                                       \
    case value:                                                                                    \
        return word;
        NVFP4_MODEL_WARNING_MAP(X)
#undef X
    default:
        return "unknown";
    }
}
