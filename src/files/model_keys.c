/* SPDX-License-Identifier: Apache-2.0 */
/* Under which keys the files say what: aliases, and values with their ranges. */
#include "files/model_reader.h"

#include <math.h>
#include <string.h>

#include "files/number.h"

/*
 * Names in the order in which they are tried: the first that is there and not null counts. Who
 * writes which is told at the name's first use.
 */
static const struct alias {
    const char *names[10];
} aliases[NVFP4_FACT_COUNT] = {
    /* DeepSeek, GLM, Kimi-K2, Nemotron | Qwen, Gemma-4, Kimi-K3 | gpt-oss, MiniMax, Llama-4,
     * Mixtral | Step, ERNIE | DBRX | Mistral's params.json */
    [NVFP4_FACT_EXPERTS] = { { "n_routed_experts", "num_experts", "num_local_experts",
                               "moe_num_experts", "ffn_config.moe_num_experts",
                               "moe.num_experts" } },
    /* most | gpt-oss | Kimi-K3 | Gemma-4 | Step | Hunyuan, LongCat | ERNIE | DBRX | Mistral. Never
     * `top_k`: that is how many tokens sampling keeps. */
    [NVFP4_FACT_TOP_K] = { { "num_experts_per_tok", "experts_per_token", "num_experts_per_token",
                             "top_k_experts", "moe_top_k", "moe_topk", "moe_k",
                             "ffn_config.moe_top_k", "moe.num_experts_per_tok" } },
    /* most | LongCat | DBRX | Mistral */
    [NVFP4_FACT_WIDTH] = { { "moe_intermediate_size", "expert_ffn_hidden_size",
                             "ffn_config.ffn_hidden_size", "moe.expert_hidden_dim" } },
    [NVFP4_FACT_DENSE_WIDTH] = { { "intermediate_size" } },
    /* all | DBRX | Mistral */
    [NVFP4_FACT_HIDDEN] = { { "hidden_size", "d_model", "dim" } },
    /* Nemotron-3 Super and Ultra | Kimi-K3 */
    [NVFP4_FACT_LATENT] = { { "moe_latent_size", "routed_expert_hidden_size" } },
    /* all | LongCat | DBRX, Mistral */
    [NVFP4_FACT_LAYERS] = { { "num_hidden_layers", "num_layers", "n_layers" } },
    /* Nemotron (it has a mamba_hidden_act, too) | most | Gemma | DBRX */
    [NVFP4_FACT_ACTIVATION] = { { "mlp_hidden_act", "hidden_act", "hidden_activation",
                                  "ffn_config.ffn_act_fn.name" } },
    /* DeepSeek-V4, gpt-oss, GLM-5.3 | Step, EXAONE | Ling. `swiglu_limits_shared` is that of the
     * shared experts. */
    [NVFP4_FACT_LIMIT] = { { "swiglu_limits", "expert_swiglu_limit_list", "swiglu_limit",
                             "expert_swiglu_limit" } },
    [NVFP4_FACT_ALPHA] = { { "swiglu_alpha" } },
    [NVFP4_FACT_BETA] = { { "swiglu_beta" } },
    [NVFP4_FACT_SITU_BETA] = { { "activation_situ_beta", "situ_beta" } },
    [NVFP4_FACT_SITU_LINEAR_BETA] = { { "activation_situ_linear_beta", "situ_linear_beta" } },
    /* DeepSeek | Step | Kimi-Linear | Kimi-K3 | Ling | AFMoE */
    [NVFP4_FACT_SCORING] = { { "scoring_func", "moe_router_activation",
                               "moe_router_activation_func", "score_function", "score_func" } },
    /* MiniMax | Ling | Step | LFM2 */
    [NVFP4_FACT_SCORE_BIAS] = { { "use_routing_bias", "moe_router_enable_expert_bias",
                                  "use_moe_router_bias", "use_expert_bias" } },
    [NVFP4_FACT_TOPK_METHOD] = { { "topk_method" } },
    [NVFP4_FACT_EXPERT_GROUPS] = { { "n_group", "num_expert_group", "moe.num_expert_groups" } },
    [NVFP4_FACT_RENORMALIZE] = { { "norm_topk_prob", "moe_renormalize", "route_norm",
                                   "norm_expert_weight" } },
    [NVFP4_FACT_INPUT_WEIGHT] = { { "moe_apply_router_weight_on_input",
                                    "apply_router_weight_on_input" } },
    [NVFP4_FACT_MLP_BIAS] = { { "mlp_bias" } },
    [NVFP4_FACT_DTYPE] = { { "dtype", "torch_dtype" } },
};

/* Where the decoder of a model of several parts is described. */
static const char *const nests[] = {
    "text_config", "llm_config", /* InternVL, Nemotron-VL */
    "language_config",           /* DeepSeek-VL */
    "thinker_config.text_config" /* Qwen-Omni */
};

const char *const *nvfp4_model_fact_names(nvfp4_fact fact)
{
    return aliases[fact].names;
}

const nvfp4_node *nvfp4_model_path(const nvfp4_node *node, const char *path)
{
    for (;;) {
        const size_t length = strcspn(path, ".");
        char key[64];
        if (length >= sizeof key)
            return NULL;
        memcpy(key, path, length);
        key[length] = '\0';
        node = nvfp4_node_get(node, key);
        if (node == NULL || path[length] == '\0')
            return node;
        path += length + 1;
    }
}

const nvfp4_node *nvfp4_model_text_config(const nvfp4_node *root)
{
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        const nvfp4_node *const inner = nvfp4_model_path(root, nests[i]);
        if (inner != NULL && inner->kind == NVFP4_NODE_MAPPING && inner->count > 0)
            return inner;
    }
    return root;
}

const nvfp4_node *nvfp4_model_fact(const nvfp4_model_reader *reader, nvfp4_fact fact)
{
    for (const char *const *name = aliases[fact].names; *name != NULL; name++) {
        const nvfp4_node *const node = nvfp4_model_path(reader->text, *name);
        if (node != NULL && node->kind != NVFP4_NODE_NULL)
            return node;
    }
    return NULL;
}

/* What stands there, for "found ...". */
static const char *found(const nvfp4_node *node, char buffer[NVFP4_EXCERPT])
{
    if (node->kind == NVFP4_NODE_SEQUENCE || node->kind == NVFP4_NODE_MAPPING)
        return nvfp4_node_kind_name(node);
    return nvfp4_excerpt(node->text, node->length, buffer);
}

static const char *key_of(const nvfp4_node *node, char buffer[NVFP4_EXCERPT])
{
    return node->key == NULL ? "an entry" : nvfp4_excerpt(node->key, node->key_length, buffer);
}

static nvfp4_status refuse(const nvfp4_model_reader *reader, const nvfp4_node *node,
                           const char *what)
{
    char key[NVFP4_EXCERPT], value[NVFP4_EXCERPT];
    return nvfp4_document_fail(reader->config, node, NVFP4_ESCHEMA, reader->error,
                               "%s: expected %s, found %s%s%s", key_of(node, key), what,
                               node->kind == NVFP4_NODE_STRING ? "\"" : "", found(node, value),
                               node->kind == NVFP4_NODE_STRING ? "\"" : "");
}

nvfp4_status nvfp4_model_size(const nvfp4_model_reader *reader, const nvfp4_node *node,
                              int64_t least, int64_t *value)
{
    int64_t size = -1;
    if (node->kind == NVFP4_NODE_INT)
        size = node->integer;
    else if (node->kind == NVFP4_NODE_REAL && node->real >= 0 &&
             node->real <= (double)NVFP4_SIZE_MAX && floor(node->real) == node->real)
        size = (int64_t)node->real;
    if (size < least)
        return refuse(reader, node,
                      least > 0 ? "a whole number of at least 1" : "a whole number of at least 0");
    if (size > NVFP4_SIZE_MAX)
        return refuse(reader, node, "a whole number of at most 2^40");
    *value = size;
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_number(const nvfp4_model_reader *reader, const nvfp4_node *node,
                                double *value)
{
    double number;
    if (!nvfp4_node_number(node, &number) || !isfinite(number))
        return refuse(reader, node, "a finite number");
    *value = number;
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_flag(const nvfp4_model_reader *reader, const nvfp4_node *node, int *value)
{
    if (node == NULL || node->kind == NVFP4_NODE_NULL)
        return NVFP4_OK;
    if (node->kind != NVFP4_NODE_BOOL)
        return refuse(reader, node, "true or false");
    *value = node->integer != 0;
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_text(const nvfp4_model_reader *reader, const nvfp4_node *node,
                              const char **value)
{
    if (node->kind != NVFP4_NODE_STRING || strlen(node->text) != node->length)
        return refuse(reader, node, "a text");
    const char *const copy = nvfp4_arena_copy(&reader->model->arena, node->text, node->length);
    if (copy == NULL)
        return nvfp4_model_no_memory(reader);
    *value = copy;
    return NVFP4_OK;
}

/* A model that could have experts but says that it has none. */
static nvfp4_status is_switched_off(const nvfp4_model_reader *reader, int *off)
{
    int enabled = 1;
    nvfp4_status status =
        nvfp4_model_flag(reader, nvfp4_node_get(reader->text, "enable_moe_block"), &enabled);
    *off = !enabled;
    return status;
}

nvfp4_status nvfp4_model_experts(const nvfp4_model_reader *reader, int64_t *experts)
{
    const nvfp4_node *const node = nvfp4_model_fact(reader, NVFP4_FACT_EXPERTS);
    int off = 0;
    nvfp4_status status = is_switched_off(reader, &off);
    *experts = 0;
    if (status != NVFP4_OK || off || node == NULL)
        return status;
    if (node->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_model_size(reader, node, 0, experts);
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        int64_t size = 0;
        status = nvfp4_model_size(reader, n, 0, &size);
        *experts = size > *experts ? size : *experts;
    }
    return status;
}

/* The same fact under two names with two numbers: the first name counts, and that is told. */
static nvfp4_status check_aliases(const nvfp4_model_reader *reader, nvfp4_fact fact,
                                  const nvfp4_node *used)
{
    double value, other;
    if (!nvfp4_node_number(used, &value))
        return NVFP4_OK;
    for (const char *const *name = aliases[fact].names; *name != NULL; name++) {
        const nvfp4_node *const node = nvfp4_model_path(reader->text, *name);
        if (node == used || !nvfp4_node_number(node, &other) || other == value)
            continue;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s is %g, but %s is %g and counts", *name, other, used->key,
                                value);
    }
    return NVFP4_OK;
}

static int64_t *field(nvfp4_moe_layer *layer, nvfp4_fact fact)
{
    switch (fact) {
    case NVFP4_FACT_EXPERTS:
        return &layer->num_experts;
    case NVFP4_FACT_TOP_K:
        return &layer->top_k;
    case NVFP4_FACT_HIDDEN:
        return &layer->hidden_size;
    default:
        return &layer->intermediate_size;
    }
}

/* A size, the same for all layers or in a list for each. */
static nvfp4_status read_size(nvfp4_model_reader *reader, nvfp4_fact fact, const nvfp4_node *node)
{
    if (node->kind != NVFP4_NODE_SEQUENCE) {
        int64_t size;
        nvfp4_status status = nvfp4_model_size(reader, node, 1, &size);
        for (uint32_t i = 0; i < reader->layer_count && status == NVFP4_OK; i++)
            *field(&reader->layers[i].layer, fact) = size;
        return status;
    }
    if (!reader->counted || node->count < reader->layer_count)
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s is a list that does not hold one number for each layer",
                                node->key);
    const nvfp4_node *entry = node->first;
    for (uint32_t i = 0; i < reader->layer_count; i++, entry = entry->next) {
        int64_t size = 0;
        if (entry->kind == NVFP4_NODE_NULL)
            continue;
        nvfp4_status status = nvfp4_model_size(reader, entry, 0, &size);
        if (status != NVFP4_OK)
            return status;
        *field(&reader->layers[i].layer, fact) = size;
    }
    return NVFP4_OK;
}

static nvfp4_status check_top_k(const nvfp4_model_reader *reader)
{
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        const nvfp4_moe_layer *const layer = &reader->layers[i].layer;
        if (layer->num_experts > 0 && layer->top_k > layer->num_experts) {
            const nvfp4_node *const node = nvfp4_model_fact(reader, NVFP4_FACT_TOP_K);
            return nvfp4_document_fail(reader->config, node, NVFP4_ESCHEMA, reader->error,
                                       "%s: %lld experts for each token, but there are only %lld",
                                       node->key, (long long)layer->top_k,
                                       (long long)layer->num_experts);
        }
    }
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_read_sizes(nvfp4_model_reader *reader)
{
    static const nvfp4_fact facts[] = { NVFP4_FACT_EXPERTS, NVFP4_FACT_TOP_K, NVFP4_FACT_HIDDEN,
                                        NVFP4_FACT_WIDTH };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        nvfp4_fact fact = facts[i];
        /* A latent size is what the experts see of the hidden size. */
        if (fact == NVFP4_FACT_HIDDEN && nvfp4_model_fact(reader, NVFP4_FACT_LATENT) != NULL)
            fact = NVFP4_FACT_LATENT;
        const nvfp4_node *node = nvfp4_model_fact(reader, fact);
        if (node == NULL && fact == NVFP4_FACT_WIDTH &&
            (reader->family->fixes & NVFP4_WIDTH_IS_INTERMEDIATE) != 0)
            node = nvfp4_model_fact(reader, NVFP4_FACT_DENSE_WIDTH);
        if (node == NULL)
            continue;
        nvfp4_status status = read_size(reader, facts[i], node);
        if (status == NVFP4_OK)
            status = check_aliases(reader, fact, node);
        if (status != NVFP4_OK)
            return status;
    }
    return check_top_k(reader);
}
