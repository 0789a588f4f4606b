/* SPDX-License-Identifier: Apache-2.0 */
/* What a MoE layer computes: activation, limits, routing, and the flags that go with them. */
#include "files/model_reader.h"

#include <math.h>
#include <string.h>

#define FAMILY(reader, bit) (((reader)->family->fixes & (uint32_t)(bit)) != 0)

static const struct activation_word {
    const char *word;
    nvfp4_activation gated;
    nvfp4_activation ungated; /* in a family with one projection */
} activation_words[] = {
    { "silu", NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SILU_NO_MUL },
    { "swish", NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SILU_NO_MUL },
    { "swiglu", NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SILU },
    { "gelu", NVFP4_ACTIVATION_GELU, NVFP4_ACTIVATION_GELU_NO_MUL },
    { "gelu_python", NVFP4_ACTIVATION_GELU, NVFP4_ACTIVATION_GELU_NO_MUL },
    { "geglu", NVFP4_ACTIVATION_GELU, NVFP4_ACTIVATION_GELU },
    { "gelu_tanh", NVFP4_ACTIVATION_GELU_TANH, NVFP4_ACTIVATION_GELU_TANH_NO_MUL },
    { "gelu_pytorch_tanh", NVFP4_ACTIVATION_GELU_TANH, NVFP4_ACTIVATION_GELU_TANH_NO_MUL },
    { "gelu_new", NVFP4_ACTIVATION_GELU_TANH, NVFP4_ACTIVATION_GELU_TANH_NO_MUL },
    { "gelu_fast", NVFP4_ACTIVATION_GELU_TANH, NVFP4_ACTIVATION_GELU_TANH_NO_MUL },
    { "relu2", NVFP4_ACTIVATION_RELU2, NVFP4_ACTIVATION_RELU2_NO_MUL },
    { "relu_squared", NVFP4_ACTIVATION_RELU2, NVFP4_ACTIVATION_RELU2_NO_MUL },
    { "squared_relu", NVFP4_ACTIVATION_RELU2, NVFP4_ACTIVATION_RELU2_NO_MUL },
    { "swigluoai", NVFP4_ACTIVATION_SWIGLUOAI, NVFP4_ACTIVATION_SWIGLUOAI },
    { "swiglustep", NVFP4_ACTIVATION_SWIGLUSTEP, NVFP4_ACTIVATION_SWIGLUSTEP },
    { "situ", NVFP4_ACTIVATION_SITU, NVFP4_ACTIVATION_SITU },
};

static void set_activation(nvfp4_model_reader *reader, nvfp4_activation activation)
{
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        reader->layers[i].layer.activation = (int32_t)activation;
        reader->layers[i].known |= NVFP4_KNOWS_ACTIVATION;
    }
}

/* The word of a file does not tell how gate and up lie in memory. */
static int same_formula(nvfp4_activation a, nvfp4_activation b)
{
    if (a == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE)
        a = NVFP4_ACTIVATION_SWIGLUOAI;
    if (b == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE)
        b = NVFP4_ACTIVATION_SWIGLUOAI;
    return a == b;
}

static nvfp4_status read_activation(nvfp4_model_reader *reader)
{
    const nvfp4_node *const node = nvfp4_model_fact(reader, NVFP4_FACT_ACTIVATION);
    const struct activation_word *found = NULL;
    const char *word = "";
    char excerpt[NVFP4_EXCERPT];
    if (node != NULL) {
        nvfp4_status status = nvfp4_model_text(reader, node, &word);
        if (status != NVFP4_OK)
            return status;
    }
    for (size_t i = 0; i < sizeof activation_words / sizeof activation_words[0]; i++) {
        if (strcmp(word, activation_words[i].word) == 0)
            found = &activation_words[i];
    }
    if (FAMILY(reader, NVFP4_FIXES_ACTIVATION)) {
        const nvfp4_activation fixed = (nvfp4_activation)reader->family->activation;
        set_activation(reader, fixed);
        if (node == NULL || (found != NULL && same_formula(found->gated, fixed)))
            return NVFP4_OK;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_ACTIVATION_BY_MODEL_TYPE,
                                "%s says \"%s\", but the code of this family computes %s",
                                node->key, nvfp4_excerpt(word, strlen(word), excerpt),
                                nvfp4_activation_name(fixed));
    }
    if (found != NULL)
        set_activation(reader, FAMILY(reader, NVFP4_FIXES_NO_GATE) ? found->ungated : found->gated);
    else if (node != NULL)
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s says \"%s\", which is no activation known here", node->key,
                                nvfp4_excerpt(word, strlen(word), excerpt));
    return NVFP4_OK;
}

/* 0, null and Infinity are ways to write "none"; `*limit` is then 0. */
static nvfp4_status read_limit(const nvfp4_model_reader *reader, const nvfp4_node *node,
                               double *limit)
{
    *limit = 0;
    if (node->kind == NVFP4_NODE_NULL)
        return NVFP4_OK;
    if (node->kind == NVFP4_NODE_REAL && isinf(node->real) && node->real > 0)
        return NVFP4_OK;
    nvfp4_status status = nvfp4_model_number(reader, node, limit);
    if (status == NVFP4_OK && *limit < 0)
        return nvfp4_document_fail(reader->config, node, NVFP4_ESCHEMA, reader->error,
                                   "%s: expected a limit above 0, or 0 or null for none, found %s",
                                   node->key != NULL ? node->key : "a limit", node->text);
    return status;
}

static void set_limit(nvfp4_layer_facts *facts, double limit)
{
    facts->known |= NVFP4_KNOWS_LIMIT;
    facts->layer.has &= ~(uint32_t)NVFP4_HAS_SWIGLU_LIMIT;
    facts->layer.swiglu_limit = 0;
    if (limit > 0) {
        facts->layer.has |= NVFP4_HAS_SWIGLU_LIMIT;
        facts->layer.swiglu_limit = limit;
    }
}

/* The first name that is there counts, also if it says null: that is "none". */
static const nvfp4_node *limit_node(const nvfp4_model_reader *reader)
{
    const nvfp4_node *null = NULL;
    for (const char *const *name = nvfp4_model_fact_names(NVFP4_FACT_LIMIT); *name != NULL;
         name++) {
        const nvfp4_node *const node = nvfp4_model_path(reader->text, *name);
        if (node != NULL && node->kind != NVFP4_NODE_NULL)
            return node;
        if (node != NULL)
            null = node;
    }
    return null;
}

static nvfp4_status read_limit_list(nvfp4_model_reader *reader, const nvfp4_node *list)
{
    const nvfp4_node *entry = list->first;
    if (!reader->counted)
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_LIMIT_UNKNOWN,
                                "%s has one limit for each layer, but how many layers there are is "
                                "not said",
                                list->key);
    for (uint32_t i = 0; i < reader->layer_count && entry != NULL; i++, entry = entry->next) {
        double limit;
        nvfp4_status status = read_limit(reader, entry, &limit);
        if (status != NVFP4_OK)
            return status;
        set_limit(&reader->layers[i], limit);
    }
    if (list->count < reader->layer_count)
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_LIMIT_UNKNOWN,
                                "%s has %lu entries for %lu layers", list->key,
                                (unsigned long)list->count, (unsigned long)reader->layer_count);
    return NVFP4_OK;
}

static nvfp4_status read_limits(nvfp4_model_reader *reader)
{
    const nvfp4_node *const node = limit_node(reader);
    if (node == NULL) {
        if (FAMILY(reader, NVFP4_CLAMPS))
            return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_LIMIT_UNKNOWN,
                                    "models of this family clamp the activation, but the file has "
                                    "no limit");
        for (uint32_t i = 0; i < reader->layer_count; i++)
            set_limit(&reader->layers[i], 0);
        return NVFP4_OK;
    }
    if (node->kind == NVFP4_NODE_SEQUENCE)
        return read_limit_list(reader, node);
    double limit;
    nvfp4_status status = read_limit(reader, node, &limit);
    for (uint32_t i = 0; i < reader->layer_count && status == NVFP4_OK; i++)
        set_limit(&reader->layers[i], limit);
    return status;
}

/* Families that clamp behind the SiLU: the layers with a limit do so. */
static void settle_step(nvfp4_model_reader *reader)
{
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        nvfp4_layer_facts *const facts = &reader->layers[i];
        if ((facts->known & NVFP4_KNOWS_LIMIT) == 0) {
            facts->known &= ~(uint32_t)NVFP4_KNOWS_ACTIVATION;
            facts->layer.activation = NVFP4_ACTIVATION_SILU;
            continue;
        }
        if ((facts->layer.has & NVFP4_HAS_SWIGLU_LIMIT) != 0)
            facts->layer.activation = NVFP4_ACTIVATION_SWIGLUSTEP;
        facts->known |= NVFP4_KNOWS_ACTIVATION;
    }
}

/* Numbers of some activations; a family's own where the file has none. */
static nvfp4_status read_parameters(nvfp4_model_reader *reader)
{
    static const struct {
        nvfp4_fact fact;
        uint32_t has;
        size_t offset;
        double oai; /* with NVFP4_FIXES_OAI */
    } parameters[] = {
        { NVFP4_FACT_ALPHA, NVFP4_HAS_SWIGLU_ALPHA, offsetof(nvfp4_moe_layer, swiglu_alpha),
          1.702 },
        { NVFP4_FACT_BETA, NVFP4_HAS_SWIGLU_BETA, offsetof(nvfp4_moe_layer, swiglu_beta), 1.0 },
        { NVFP4_FACT_SITU_BETA, NVFP4_HAS_SITU_BETA, offsetof(nvfp4_moe_layer, situ_beta), 0 },
        { NVFP4_FACT_SITU_LINEAR_BETA, NVFP4_HAS_SITU_LINEAR_BETA,
          offsetof(nvfp4_moe_layer, situ_linear_beta), 0 },
    };
    for (size_t p = 0; p < sizeof parameters / sizeof parameters[0]; p++) {
        const nvfp4_node *const node = nvfp4_model_fact(reader, parameters[p].fact);
        double value = parameters[p].oai;
        if (node != NULL) {
            nvfp4_status status = nvfp4_model_number(reader, node, &value);
            if (status != NVFP4_OK)
                return status;
            if (parameters[p].fact == NVFP4_FACT_ALPHA && !(value > 0))
                return nvfp4_document_fail(reader->config, node, NVFP4_ESCHEMA, reader->error,
                                           "%s: expected a number above 0, found %s", node->key,
                                           node->text);
        } else if (!FAMILY(reader, NVFP4_FIXES_OAI) || value <= 0) {
            continue;
        }
        for (uint32_t i = 0; i < reader->layer_count; i++) {
            nvfp4_moe_layer *const layer = &reader->layers[i].layer;
            memcpy((char *)layer + parameters[p].offset, &value, sizeof value);
            layer->has |= parameters[p].has;
        }
    }
    return NVFP4_OK;
}

static nvfp4_status read_scoring(const nvfp4_model_reader *reader, nvfp4_scoring *scoring)
{
    static const struct {
        const char *word;
        nvfp4_scoring scoring;
    } words[] = {
        { "softmax", NVFP4_SCORING_SOFTMAX },
        { "sigmoid", NVFP4_SCORING_SIGMOID },
        { "sqrtsoftplus", NVFP4_SCORING_SQRTSOFTPLUS },
    };
    const nvfp4_node *const node = nvfp4_model_fact(reader, NVFP4_FACT_SCORING);
    *scoring = node == NULL ? reader->family->scoring : NVFP4_SCORING_UNKNOWN;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (nvfp4_node_is(node, words[i].word))
            *scoring = words[i].scoring;
    }
    if (node != NULL && *scoring == NVFP4_SCORING_UNKNOWN) {
        char excerpt[NVFP4_EXCERPT];
        const int scalar = node->kind < NVFP4_NODE_SEQUENCE;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s says \"%s\", which is not known here", node->key,
                                scalar ? nvfp4_excerpt(node->text, node->length, excerpt)
                                       : nvfp4_node_kind_name(node));
    }
    return NVFP4_OK;
}

/* Yes, no, or not known (-1), from a flag of the file or else the family. */
static nvfp4_status read_claim(const nvfp4_model_reader *reader, nvfp4_fact fact, uint32_t bit,
                               int *claim)
{
    *claim = FAMILY(reader, bit) ? 1 : -1;
    return nvfp4_model_flag(reader, nvfp4_model_fact(reader, fact), claim);
}

/* The routing that the scores, their bias and their sum make; -1 where they do not tell. */
static int settle_routing(nvfp4_scoring scoring, int bias, int grouped, int renormalize)
{
    if (scoring == NVFP4_SCORING_SQRTSOFTPLUS)
        return NVFP4_ROUTING_DEEPSEEK_V4;
    if (scoring == NVFP4_SCORING_SIGMOID && bias == 1)
        return grouped ? NVFP4_ROUTING_DEEPSEEK_V3 : NVFP4_ROUTING_MINIMAX2;
    if (bias == 1 || grouped || renormalize < 0)
        return -1;
    if (scoring == NVFP4_SCORING_SIGMOID && bias == 0)
        return renormalize ? NVFP4_ROUTING_SIGMOID_RENORM : NVFP4_ROUTING_SIGMOID;
    if (scoring == NVFP4_SCORING_SOFTMAX)
        return renormalize ? NVFP4_ROUTING_RENORMALIZE : NVFP4_ROUTING_DEFAULT;
    return -1;
}

static nvfp4_status read_routing(nvfp4_model_reader *reader)
{
    nvfp4_scoring scoring;
    int bias, renormalize, routing;
    double groups = 0;
    nvfp4_status status = read_scoring(reader, &scoring);
    if (status == NVFP4_OK)
        status = read_claim(reader, NVFP4_FACT_SCORE_BIAS, NVFP4_HAS_SCORE_BIAS, &bias);
    if (status == NVFP4_OK)
        status = read_claim(reader, NVFP4_FACT_RENORMALIZE, NVFP4_RENORMALIZES, &renormalize);
    if (status != NVFP4_OK)
        return status;
    const nvfp4_node *const method = nvfp4_model_fact(reader, NVFP4_FACT_TOPK_METHOD);
    if (nvfp4_node_is(method, "noaux_tc"))
        bias = 1;
    const int has_groups =
        nvfp4_node_number(nvfp4_model_fact(reader, NVFP4_FACT_EXPERT_GROUPS), &groups);
    /* One group is no group, but to code that goes by groups. */
    int grouped = has_groups ? groups > 1 || (groups == 1 && bias == 1) : 0;
    if (!has_groups && FAMILY(reader, NVFP4_GROUPS_EXPERTS))
        grouped = 1;
    if (FAMILY(reader, NVFP4_FIXES_ROUTING))
        routing = reader->family->routing;
    else
        routing = settle_routing(scoring, bias, grouped, renormalize);
    for (uint32_t i = 0; routing >= 0 && i < reader->layer_count; i++) {
        reader->layers[i].layer.routing = routing;
        reader->layers[i].known |= NVFP4_KNOWS_ROUTING;
    }
    return NVFP4_OK;
}

static nvfp4_status read_flags(nvfp4_model_reader *reader)
{
    int bias = FAMILY(reader, NVFP4_FIXES_BIAS) ? 1 : -1;
    int on_input = FAMILY(reader, NVFP4_FIXES_INPUT_WEIGHT) ? 1 : -1;
    nvfp4_status status = NVFP4_OK;
    if (FAMILY(reader, NVFP4_MLP_BIAS_IS_EXPERTS))
        status = nvfp4_model_flag(reader, nvfp4_model_fact(reader, NVFP4_FACT_MLP_BIAS), &bias);
    if (status == NVFP4_OK)
        status =
            nvfp4_model_flag(reader, nvfp4_model_fact(reader, NVFP4_FACT_INPUT_WEIGHT), &on_input);
    for (uint32_t i = 0; i < reader->layer_count && status == NVFP4_OK; i++) {
        nvfp4_layer_facts *const facts = &reader->layers[i];
        if (bias >= 0) {
            facts->layer.bias = (uint8_t)bias;
            facts->known |= NVFP4_KNOWS_BIAS;
        }
        if (on_input >= 0) {
            facts->layer.router_weight_on_input = (uint8_t)on_input;
            facts->known |= NVFP4_KNOWS_ROUTER_WEIGHT_ON_INPUT;
        }
    }
    return status;
}

/* Only 16-bit types: engines run a checkpoint that says float32 in one of these all the same. */
static void read_dtype(nvfp4_model_reader *reader)
{
    const nvfp4_node *node = nvfp4_model_fact(reader, NVFP4_FACT_DTYPE);
    nvfp4_dtype dtype;
    for (const char *const *name = nvfp4_model_fact_names(NVFP4_FACT_DTYPE);
         node == NULL && *name != NULL; name++)
        node = nvfp4_node_get(reader->root, *name);
    if (nvfp4_node_is(node, "bfloat16"))
        dtype = NVFP4_DTYPE_BF16;
    else if (nvfp4_node_is(node, "float16"))
        dtype = NVFP4_DTYPE_FP16;
    else
        return;
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        reader->layers[i].layer.dtype = (int32_t)dtype;
        reader->layers[i].known |= NVFP4_KNOWS_DTYPE;
    }
}

/* Keys that look like ours and are not. */
static nvfp4_status warn_of_traps(const nvfp4_model_reader *reader)
{
    static const char *const towers[] = { "vision_config", "visual_config", "audio_config" };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < sizeof towers / sizeof towers[0] && status == NVFP4_OK; i++) {
        const nvfp4_node *const tower = nvfp4_node_get(reader->root, towers[i]);
        if (nvfp4_node_number(nvfp4_node_get(tower, "swiglu_limit"), NULL))
            status = nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                      "%s has a swiglu_limit of its own, which is not that of the "
                                      "experts",
                                      towers[i]);
    }
    if (status == NVFP4_OK && nvfp4_node_number(nvfp4_node_get(reader->text, "top_k"), NULL))
        status = nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                  "top_k is a setting of sampling, not the number of experts for "
                                  "each token");
    return status;
}

nvfp4_status nvfp4_model_read_compute(nvfp4_model_reader *reader)
{
    nvfp4_status status = read_activation(reader);
    if (status == NVFP4_OK)
        status = read_limits(reader);
    if (status != NVFP4_OK)
        return status;
    if (FAMILY(reader, NVFP4_CLAMPS_LIKE_STEP))
        settle_step(reader);
    status = read_parameters(reader);
    if (status == NVFP4_OK)
        status = read_routing(reader);
    if (status == NVFP4_OK)
        status = read_flags(reader);
    read_dtype(reader);
    return status == NVFP4_OK ? warn_of_traps(reader) : status;
}
