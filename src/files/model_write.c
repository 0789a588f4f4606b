/* SPDX-License-Identifier: Apache-2.0 */
/* A model as JSON and as text for people. */
#include <nvfp4moe/model.h>

#include <string.h>

#include "files/document.h"
#include "files/json_writer.h"
#include "files/model_reader.h"
#include "files/number.h"

static void write_size(nvfp4_json *json, const char *key, int64_t size)
{
    if (size == 0)
        return;
    nvfp4_json_key(json, key);
    nvfp4_json_integer(json, size);
}

static void write_word(nvfp4_json *json, const char *key, int known, const char *word)
{
    if (!known)
        return;
    nvfp4_json_key(json, key);
    nvfp4_json_string(json, word);
}

static void write_number(nvfp4_json *json, const char *key, int known, double number)
{
    if (!known)
        return;
    nvfp4_json_key(json, key);
    nvfp4_json_real(json, number);
}

static void write_flag(nvfp4_json *json, const char *key, int known, int flag)
{
    if (!known)
        return;
    nvfp4_json_key(json, key);
    nvfp4_json_bool(json, flag);
}

static void write_layer(nvfp4_json *json, const nvfp4_model_group *group)
{
    const nvfp4_moe_layer *const layer = &group->layer;
    const uint32_t known = group->known, has = layer->has;
    nvfp4_json_open(json, '{');
    write_word(json, "scheme", known & NVFP4_KNOWS_SCHEME,
               nvfp4_scheme_name((nvfp4_scheme)layer->scheme));
    write_word(json, "activation", known & NVFP4_KNOWS_ACTIVATION,
               nvfp4_activation_name((nvfp4_activation)layer->activation));
    write_number(json, "swiglu_limit", has & NVFP4_HAS_SWIGLU_LIMIT, layer->swiglu_limit);
    write_number(json, "swiglu_alpha", has & NVFP4_HAS_SWIGLU_ALPHA, layer->swiglu_alpha);
    write_number(json, "swiglu_beta", has & NVFP4_HAS_SWIGLU_BETA, layer->swiglu_beta);
    write_number(json, "situ_beta", has & NVFP4_HAS_SITU_BETA, layer->situ_beta);
    write_number(json, "situ_linear_beta", has & NVFP4_HAS_SITU_LINEAR_BETA,
                 layer->situ_linear_beta);
    write_size(json, "hidden_size", layer->hidden_size);
    write_size(json, "intermediate_size", layer->intermediate_size);
    write_size(json, "num_experts", layer->num_experts);
    write_size(json, "top_k", layer->top_k);
    write_word(json, "routing", known & NVFP4_KNOWS_ROUTING,
               nvfp4_routing_name((nvfp4_routing)layer->routing));
    write_word(json, "dtype", known & NVFP4_KNOWS_DTYPE,
               nvfp4_dtype_name((nvfp4_dtype)layer->dtype));
    write_flag(json, "bias", known & NVFP4_KNOWS_BIAS, layer->bias);
    write_flag(json, "router_weight_on_input", known & NVFP4_KNOWS_ROUTER_WEIGHT_ON_INPUT,
               layer->router_weight_on_input);
    nvfp4_json_close(json, '}');
}

static void write_group(nvfp4_json *json, const nvfp4_model *model, const nvfp4_model_group *group)
{
    nvfp4_json_open(json, '{');
    nvfp4_json_key(json, "layers");
    nvfp4_json_string(json, group->layers);
    nvfp4_json_key(json, "count");
    if (group->layers != NULL)
        nvfp4_json_integer(json, group->count);
    else
        nvfp4_json_null(json);
    write_word(json, "found", group->weights != (int32_t)model->weights,
               nvfp4_weights_name((nvfp4_weights)group->weights));
    nvfp4_json_key(json, "layer");
    write_layer(json, group);
    nvfp4_json_close(json, '}');
}

size_t nvfp4_model_to_json(const nvfp4_model *model, char *buffer, size_t capacity)
{
    nvfp4_json json;
    nvfp4_json_begin(&json, buffer, capacity);
    nvfp4_json_open(&json, '{');
    nvfp4_json_key(&json, "model_type");
    nvfp4_json_string(&json, model->type);
    nvfp4_json_key(&json, "architecture");
    nvfp4_json_string(&json, model->architecture);
    nvfp4_json_key(&json, "moe");
    nvfp4_json_bool(&json, model->moe);
    nvfp4_json_key(&json, "nvfp4");
    nvfp4_json_bool(&json, model->nvfp4);
    nvfp4_json_key(&json, "found");
    nvfp4_json_string(&json, nvfp4_weights_name(model->weights));
    nvfp4_json_key(&json, "sources");
    nvfp4_json_open(&json, '[');
    for (size_t i = 0; i < model->source_count; i++)
        nvfp4_json_string(&json, model->sources[i]);
    nvfp4_json_close(&json, ']');
    nvfp4_json_key(&json, "groups");
    nvfp4_json_open(&json, '[');
    for (size_t i = 0; i < model->group_count; i++)
        write_group(&json, model, &model->groups[i]);
    nvfp4_json_close(&json, ']');
    nvfp4_json_key(&json, "warnings");
    nvfp4_json_open(&json, '[');
    for (size_t i = 0; i < model->warning_count; i++) {
        nvfp4_json_open(&json, '{');
        nvfp4_json_key(&json, "code");
        nvfp4_json_string(
            &json, nvfp4_model_warning_name((nvfp4_model_warning_code)model->warnings[i].code));
        nvfp4_json_key(&json, "text");
        nvfp4_json_string(&json, model->warnings[i].text);
        nvfp4_json_close(&json, '}');
    }
    nvfp4_json_close(&json, ']');
    nvfp4_json_close(&json, '}');
    return nvfp4_json_end(&json);
}

/* ---- for people ---- */

static void print_name(nvfp4_sink *text, const char *name)
{
    char excerpt[NVFP4_EXCERPT];
    nvfp4_sink_print(text, "%s",
                     name != NULL ? nvfp4_excerpt(name, strlen(name), excerpt) : "unnamed");
}

static void print_size(nvfp4_sink *text, const char *what, int64_t size)
{
    if (size == 0)
        nvfp4_sink_print(text, ", %s unknown", what);
    else
        nvfp4_sink_print(text, ", %s %lld", what, (long long)size);
}

static void print_activation(nvfp4_sink *text, const nvfp4_model_group *group)
{
    const nvfp4_moe_layer *const layer = &group->layer;
    char number[NVFP4_REAL_TEXT];
    nvfp4_sink_print(text, ", %s",
                     (group->known & NVFP4_KNOWS_ACTIVATION) != 0
                         ? nvfp4_activation_name((nvfp4_activation)layer->activation)
                         : "activation unknown");
    if ((layer->has & NVFP4_HAS_SWIGLU_LIMIT) != 0) {
        nvfp4_print_real(layer->swiglu_limit, number);
        nvfp4_sink_print(text, " with limit %s", number);
    } else if ((group->known & NVFP4_KNOWS_LIMIT) == 0) {
        nvfp4_sink_print(text, " with an unknown limit");
    }
}

static void print_group(nvfp4_sink *text, const nvfp4_model_group *group)
{
    const nvfp4_moe_layer *const layer = &group->layer;
    if (group->layers == NULL)
        nvfp4_sink_print(text, "  MoE layers (which ones is not known): ");
    else
        nvfp4_sink_print(text, "  %lld MoE layer%s (", (long long)group->count,
                         group->count == 1 ? "" : "s");
    if (group->layers != NULL) {
        nvfp4_sink_put(text, group->layers, strlen(group->layers));
        nvfp4_sink_print(text, "): ");
    }
    nvfp4_sink_print(text, "%s", nvfp4_weights_name((nvfp4_weights)group->weights));
    if ((group->known & NVFP4_KNOWS_SCHEME) != 0)
        nvfp4_sink_print(text, " %s", nvfp4_scheme_name((nvfp4_scheme)layer->scheme));
    else if (group->weights == NVFP4_WEIGHTS_NVFP4)
        nvfp4_sink_print(text, " (activations unknown)");
    print_activation(text, group);
    print_size(text, "experts", layer->num_experts);
    print_size(text, "top", layer->top_k);
    print_size(text, "hidden", layer->hidden_size);
    print_size(text, "width", layer->intermediate_size);
    if ((group->known & NVFP4_KNOWS_ROUTING) != 0)
        nvfp4_sink_print(text, ", routing %s", nvfp4_routing_name((nvfp4_routing)layer->routing));
    if (layer->bias)
        nvfp4_sink_print(text, ", with bias");
    nvfp4_sink_print(text, "\n");
}

size_t nvfp4_model_to_text(const nvfp4_model *model, char *buffer, size_t capacity)
{
    nvfp4_sink text = { buffer, capacity, 0, 0, 0 };
    print_name(&text, model->type);
    nvfp4_sink_print(&text, " (");
    print_name(&text, model->architecture);
    nvfp4_sink_print(&text, "): ");
    if (model->nvfp4)
        nvfp4_sink_print(&text, "mixture of experts in NVFP4\n");
    else
        nvfp4_sink_print(&text, "%s, not NVFP4 (found: %s)\n",
                         model->moe ? "mixture of experts" : "not a mixture of experts",
                         nvfp4_weights_name(model->weights));
    for (size_t i = 0; i < model->group_count; i++)
        print_group(&text, &model->groups[i]);
    nvfp4_sink_print(&text, "  read from");
    for (size_t i = 0; i < model->source_count; i++)
        nvfp4_sink_print(&text, "%s %s", i > 0 ? "," : "", model->sources[i]);
    nvfp4_sink_print(&text, "\n");
    for (size_t i = 0; i < model->warning_count; i++) {
        nvfp4_sink_print(
            &text,
            "  %s: ", nvfp4_model_warning_name((nvfp4_model_warning_code)model->warnings[i].code));
        nvfp4_sink_put(&text, model->warnings[i].text, strlen(model->warnings[i].text));
        nvfp4_sink_print(&text, "\n");
    }
    return nvfp4_sink_end(&text);
}
