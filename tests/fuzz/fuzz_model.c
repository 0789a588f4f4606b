/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a config.json and, behind the first NUL, a hf_quant_config.json. A model that is
 * read must be in its bounds, agree with itself, and come out as JSON.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include <nvfp4moe/model.h>

#include "files/document.h"
#include "files/utf8.h"

/* Number of layers in "3-60,62"; 0 if it is no such text or not in ascending order. */
static int64_t count_layers(const char *text)
{
    int64_t count = 0, last = -2;
    for (;;) {
        char *end;
        const long first = strtol(text, &end, 10);
        long to = first;
        if (end == text || first <= last + 1)
            return 0;
        if (*end == '-') {
            text = end + 1;
            to = strtol(text, &end, 10);
            if (to <= first)
                return 0;
        }
        count += to - first + 1;
        last = to;
        if (*end == '\0')
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

static void check_group(const nvfp4_model_group *group)
{
    const nvfp4_moe_layer *const layer = &group->layer;
    HOLDS(group->layers == NULL ? group->count == 0 : group->count == count_layers(group->layers));
    HOLDS(group->weights >= 0 && group->weights < NVFP4_WEIGHTS_COUNT);
    HOLDS(layer->struct_size == sizeof *layer);
    HOLDS(layer->scheme >= 0 && layer->scheme < NVFP4_SCHEME_COUNT);
    HOLDS(layer->activation >= 0 && layer->activation < NVFP4_ACTIVATION_COUNT);
    HOLDS(layer->routing >= 0 && layer->routing < NVFP4_ROUTING_COUNT);
    HOLDS((group->known & NVFP4_KNOWS_SCHEME) == 0 || group->weights == NVFP4_WEIGHTS_NVFP4);
    HOLDS(layer->hidden_size >= 0 && layer->hidden_size <= NVFP4_SIZE_MAX);
    HOLDS(layer->intermediate_size >= 0 && layer->intermediate_size <= NVFP4_SIZE_MAX);
    HOLDS(layer->num_experts >= 0 && layer->num_experts <= NVFP4_SIZE_MAX);
    HOLDS(layer->top_k >= 0 && (layer->num_experts == 0 || layer->top_k <= layer->num_experts));
    if ((layer->has & NVFP4_HAS_SWIGLU_LIMIT) != 0)
        HOLDS(isfinite(layer->swiglu_limit) && layer->swiglu_limit > 0);
    HOLDS(isfinite(layer->swiglu_alpha) && isfinite(layer->swiglu_beta));
    HOLDS(isfinite(layer->situ_beta) && isfinite(layer->situ_linear_beta));
}

static void check_texts(const nvfp4_model *model)
{
    const nvfp4_document_options strict = { .syntax = NVFP4_SYNTAX_JSON, .unique_keys = 1 };
    nvfp4_document *document = NULL;
    const size_t size = nvfp4_model_to_json(model, NULL, 0);
    char *const json = malloc(size + 1);
    HOLDS(json != NULL && nvfp4_model_to_json(model, json, size + 1) == size);
    HOLDS(strlen(json) == size);
    HOLDS(nvfp4_document_parse(json, size, &strict, &document, NULL) == NVFP4_OK);
    nvfp4_document_free(document);
    free(json);
    const size_t length = nvfp4_model_to_text(model, NULL, 0);
    char *const text = malloc(length + 1);
    HOLDS(text != NULL && nvfp4_model_to_text(model, text, length + 1) == length);
    HOLDS(nvfp4_utf8_valid(text, length) == length);
    for (size_t i = 0; i < length; i++)
        HOLDS((unsigned char)text[i] >= 0x20 || text[i] == '\n');
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *const nul = size > 0 ? memchr(data, 0, size) : NULL;
    const char *const config = (const char *)data;
    const char *const quant = nul != NULL ? (const char *)nul + 1 : NULL;
    const size_t length = nul != NULL ? (size_t)(nul - data) : size;
    nvfp4_model *model = NULL;
    nvfp4_error error;
    memset(&error, 0, sizeof error);
    const nvfp4_status status = nvfp4_model_parse(
        config, length, quant, nul != NULL ? size - length - 1 : 0, &model, &error);
    if (status != NVFP4_OK) {
        HOLDS(model == NULL && error.status == status && error.message[0] != '\0');
        HOLDS(error.file[0] != '\0');
        HOLDS(nvfp4_utf8_valid(error.message, strlen(error.message)) == strlen(error.message));
        return 0;
    }
    int nvfp4 = 0;
    const nvfp4_model_group *group;
    for (size_t i = 0; (group = nvfp4_model_group_at(model, i)) != NULL; i++) {
        check_group(group);
        nvfp4 |= group->weights == NVFP4_WEIGHTS_NVFP4;
    }
    HOLDS(nvfp4_model_is_moe(model) == (nvfp4_model_group_at(model, 0) != NULL));
    HOLDS(nvfp4_model_is_nvfp4(model) == nvfp4);
    check_texts(model);
    nvfp4_model_free(model);
    return 0;
}
