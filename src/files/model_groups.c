/* SPDX-License-Identifier: Apache-2.0 */
/* From the facts of single layers to groups of layers that compute the same. */
#include "files/model_reader.h"

#include <stdio.h>
#include <string.h>

#include "files/alloc.h"

static int same_layer(const nvfp4_moe_layer *a, const nvfp4_moe_layer *b)
{
    return a->scheme == b->scheme && a->activation == b->activation && a->routing == b->routing &&
           a->router_dtype == b->router_dtype && a->dtype == b->dtype && a->has == b->has &&
           a->swiglu_limit == b->swiglu_limit && a->swiglu_alpha == b->swiglu_alpha &&
           a->swiglu_beta == b->swiglu_beta && a->situ_beta == b->situ_beta &&
           a->situ_linear_beta == b->situ_linear_beta && a->hidden_size == b->hidden_size &&
           a->intermediate_size == b->intermediate_size && a->num_experts == b->num_experts &&
           a->top_k == b->top_k && a->bias == b->bias &&
           a->router_weight_on_input == b->router_weight_on_input;
}

static int same_facts(const nvfp4_layer_facts *a, const nvfp4_layer_facts *b)
{
    return a->weights == b->weights && a->known == b->known && same_layer(&a->layer, &b->layer);
}

/* Number of the first layer of each group, for each layer; `none` for layers that are not MoE. */
static size_t find_groups(const nvfp4_model_reader *reader, uint32_t *first, uint32_t none)
{
    /* Distinct configurations are few, but nobody promises it: look only at the first of each. */
    uint32_t heads[NVFP4_MODEL_LAYERS];
    size_t count = 0;
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        first[i] = none;
        if (!reader->layers[i].moe)
            continue;
        size_t g = 0;
        while (g < count && !same_facts(&reader->layers[heads[g]], &reader->layers[i]))
            g++;
        if (g == count)
            heads[count++] = i;
        first[i] = heads[g];
    }
    return count;
}

/* "3-60", "0,2-5": written twice, first to measure. */
static size_t write_ranges(const uint32_t *first, uint32_t count, uint32_t group, char *out)
{
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        char range[32];
        if (first[i] != group)
            continue;
        uint32_t last = i;
        while (last + 1 < count && first[last + 1] == group)
            last++;
        const int size =
            last == i
                ? snprintf(range, sizeof range, "%s%lu", length > 0 ? "," : "", (unsigned long)i)
                : snprintf(range, sizeof range, "%s%lu-%lu", length > 0 ? "," : "",
                           (unsigned long)i, (unsigned long)last);
        if (out != NULL)
            memcpy(out + length, range, (size_t)size);
        length += (size_t)size;
        i = last;
    }
    return length;
}

static nvfp4_status make_group(const nvfp4_model_reader *reader, const uint32_t *first,
                               uint32_t head, nvfp4_model_group *group)
{
    const nvfp4_layer_facts *const facts = &reader->layers[head];
    memset(group, 0, sizeof *group);
    group->weights = facts->weights;
    group->known = facts->known;
    group->layer = facts->layer;
    if (!reader->placed)
        return NVFP4_OK;
    const size_t length = write_ranges(first, reader->layer_count, head, NULL);
    char *const text = nvfp4_arena_take(&reader->model->arena, length + 1);
    if (text == NULL)
        return nvfp4_model_no_memory(reader);
    write_ranges(first, reader->layer_count, head, text);
    text[length] = '\0';
    group->layers = text;
    for (uint32_t i = 0; i < reader->layer_count; i++)
        group->count += first[i] == head;
    return NVFP4_OK;
}

/*
 * Where it is not known which layers are MoE, every layer was read as if it were, and what differs
 * may be that of dense layers: only the configuration that most layers have is kept.
 */
static uint32_t commonest(const nvfp4_model_reader *reader, const uint32_t *first)
{
    uint32_t uses[NVFP4_MODEL_LAYERS] = { 0 };
    uint32_t best = 0;
    for (uint32_t i = 0; i < reader->layer_count; i++)
        uses[first[i]]++;
    for (uint32_t i = 1; i < reader->layer_count; i++)
        best = uses[i] > uses[best] ? i : best;
    return best;
}

static void sum_up(nvfp4_model *model)
{
    int64_t most = -1;
    for (size_t i = 0; i < model->group_count; i++) {
        const nvfp4_model_group *const group = &model->groups[i];
        if (group->weights == NVFP4_WEIGHTS_NVFP4)
            model->nvfp4 = 1;
        if (group->count > most) {
            most = group->count;
            model->weights = (nvfp4_weights)group->weights;
        }
    }
    if (model->nvfp4)
        model->weights = NVFP4_WEIGHTS_NVFP4;
}

static nvfp4_status make_groups(nvfp4_model_reader *reader, uint32_t *first)
{
    nvfp4_model *const model = reader->model;
    const uint32_t none = reader->layer_count;
    const size_t found = find_groups(reader, first, none);
    const size_t count = reader->placed || found == 0 ? found : 1;
    model->moe = count > 0;
    if (count == 0)
        return NVFP4_OK;
    model->groups = nvfp4_arena_take(&model->arena, count * sizeof *model->groups);
    if (model->groups == NULL)
        return nvfp4_model_no_memory(reader);
    if (!reader->placed) {
        model->group_count = 1;
        return make_group(reader, first, commonest(reader, first), &model->groups[0]);
    }
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        if (first[i] != i)
            continue;
        nvfp4_status status = make_group(reader, first, i, &model->groups[model->group_count]);
        if (status != NVFP4_OK)
            return status;
        model->group_count++;
    }
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_group_layers(nvfp4_model_reader *reader)
{
    uint32_t *const first = nvfp4_files_malloc(reader->layer_count * sizeof *first);
    if (first == NULL)
        return nvfp4_model_no_memory(reader);
    const nvfp4_status status = make_groups(reader, first);
    nvfp4_files_free(first);
    if (status == NVFP4_OK)
        sum_up(reader->model);
    return status;
}
