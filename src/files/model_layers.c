/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which decoder layers are MoE layers. Lists that name each layer count before numbers that
 * describe a period, and both before what the family's code does; where two disagree, that is told.
 * Layers for multi-token prediction lie behind the last decoder layer and are none of these.
 */
#include "files/model_reader.h"

#include <string.h>

#include "files/alloc.h"

typedef enum list_form {
    BY_WORD,   /* a list of words, one for each layer */
    BY_FLAG,   /* a list of 0 and 1 or false and true, one for each layer */
    BY_NUMBER, /* a list, or a text, of layer numbers */
    BY_LETTER  /* a text of letters, one for each layer */
} list_form;

static const struct list_rule {
    const char *key;
    list_form form;
    const char *words[3]; /* of a MoE layer */
    const char *source;
} list_rules[] = {
    { "mlp_layer_types",
      BY_WORD,
      { "sparse", "moe", "hash_moe" },
      "HF glm_moe_dsa, exaone_moe, laguna; deepseek_v4 has two kinds, both MoE" },
    { "layers_block_type", BY_WORD, { "moe" }, "HF nemotron_h" },
    { "hybrid_override_pattern", BY_LETTER, { "E" }, "REMOTE nemotron_h" },
    { "is_moe_layer", BY_FLAG, { NULL }, "vLLM exaone_moe.py" },
    { "moe_layer_freq", BY_FLAG, { NULL }, "REMOTE mimo_v2_flash, HF minimax_m3_vl" },
    { "moe_layers_enum", BY_NUMBER, { NULL }, "REMOTE step3p5" },
    { "moe_layers", BY_NUMBER, { NULL }, "HF llama4" },
};

/*
 * Layer i is MoE when first <= i <= last and (i + shift) % period == phase. A rule applies when its
 * key `sign` is there.
 */
static const struct period_rule {
    const char *sign, *first, *last, *period, *phase;
    int shift;
    const char *source;
} period_rules[] = {
    { "first_k_dense_replace", "first_k_dense_replace", NULL, "moe_layer_freq", NULL, 0,
      "HF deepseek_v2, deepseek_v3" },
    { "num_dense_layers", "num_dense_layers", NULL, NULL, NULL, 0, "HF afmoe, lfm2_moe" },
    { "moe_layer_num_skipped", "moe_layer_num_skipped", NULL, NULL, NULL, 0,
      "REMOTE hunyuan_v1_moe" },
    { "moe_layer_interval", "moe_layer_start_index", "moe_layer_end_index", "moe_layer_interval",
      NULL, 1, "HF ernie4_5_moe" },
    { "decoder_sparse_step", NULL, NULL, "decoder_sparse_step", NULL, 1, "HF qwen2_moe" },
    { "mlp_only_layers", NULL, NULL, "decoder_sparse_step", NULL, 1, "HF qwen3_moe" },
    { "interleave_moe_layer_step", NULL, NULL, "interleave_moe_layer_step", NULL, 1, "HF llama4" },
    { "expert_layer_period", NULL, NULL, "expert_layer_period", "expert_layer_offset", 0,
      "HF jamba" },
    { "moe_layer_frequency", NULL, NULL, "moe_layer_frequency", NULL, 1, "REMOTE arctic" },
    { "moe.first_k_dense_replace", "moe.first_k_dense_replace", NULL, "moe.route_every_n", NULL, 0,
      "params.json of mistral-large-3" },
};

/* What one rule says. */
typedef struct finding {
    uint8_t *moe; /* one for each layer */
    int applies;
} finding;

static const nvfp4_node *get(const nvfp4_model_reader *reader, const char *path)
{
    const nvfp4_node *const node = path != NULL ? nvfp4_model_path(reader->text, path) : NULL;
    return node != NULL && node->kind != NVFP4_NODE_NULL ? node : NULL;
}

static nvfp4_status refuse(const nvfp4_model_reader *reader, const nvfp4_node *node,
                           const char *key, const char *what)
{
    return nvfp4_document_fail(reader->config, node, NVFP4_ESCHEMA, reader->error,
                               "%s: expected %s, found %s", key, what, nvfp4_node_kind_name(node));
}

/* ---- how many ---- */

static uint32_t length_of(const nvfp4_node *node)
{
    if (node == NULL)
        return 0;
    if (node->kind == NVFP4_NODE_SEQUENCE)
        return node->count;
    return node->kind == NVFP4_NODE_STRING ? node->length : 0;
}

/* A file without the number may still have a list with one entry for each layer. */
static const nvfp4_node *longest_list(const nvfp4_model_reader *reader)
{
    const nvfp4_node *longest = NULL;
    for (size_t i = 0; i < sizeof list_rules / sizeof list_rules[0]; i++) {
        const nvfp4_node *const node = get(reader, list_rules[i].key);
        if (list_rules[i].form != BY_NUMBER && length_of(node) > length_of(longest))
            longest = node;
    }
    return longest;
}

nvfp4_status nvfp4_model_count_layers(nvfp4_model_reader *reader)
{
    const nvfp4_node *node = nvfp4_model_fact(reader, NVFP4_FACT_LAYERS);
    int64_t count = 0;
    if (node != NULL) {
        nvfp4_status status = nvfp4_model_size(reader, node, 1, &count);
        if (status != NVFP4_OK)
            return status;
    } else {
        node = longest_list(reader);
        count = length_of(node);
    }
    if (count > NVFP4_MODEL_LAYERS)
        return nvfp4_document_fail(reader->config, node, NVFP4_ELIMIT, reader->error,
                                   "%s: %lld layers; at most %d are read", node->key,
                                   (long long)count, NVFP4_MODEL_LAYERS);
    reader->counted = count > 0;
    reader->layer_count = count > 0 ? (uint32_t)count : 1;
    const size_t bytes = reader->layer_count * sizeof *reader->layers;
    reader->layers = nvfp4_files_malloc(bytes);
    if (reader->layers == NULL)
        return nvfp4_model_no_memory(reader);
    memset(reader->layers, 0, bytes);
    static const nvfp4_moe_layer initial = NVFP4_MOE_LAYER_INIT;
    for (uint32_t i = 0; i < reader->layer_count; i++)
        reader->layers[i].layer = initial;
    return NVFP4_OK;
}

/* ---- lists ---- */

static nvfp4_status by_word(const nvfp4_model_reader *reader, const struct list_rule *rule,
                            const nvfp4_node *list, finding *f)
{
    uint32_t i = 0;
    f->applies = 0;
    for (const nvfp4_node *n = list->first; n != NULL && i < reader->layer_count; n = n->next) {
        if (n->kind != NVFP4_NODE_STRING)
            return refuse(reader, n, rule->key, "a word");
        for (size_t w = 0; w < 3 && rule->words[w] != NULL; w++)
            f->moe[i] |= (uint8_t)nvfp4_node_is(n, rule->words[w]);
        /* Others have lists of that name that speak of attention only. */
        f->applies |= f->moe[i++];
    }
    return NVFP4_OK;
}

static nvfp4_status by_flag(const nvfp4_model_reader *reader, const struct list_rule *rule,
                            const nvfp4_node *list, finding *f)
{
    uint32_t i = 0;
    for (const nvfp4_node *n = list->first; n != NULL && i < reader->layer_count; n = n->next) {
        if (n->kind != NVFP4_NODE_BOOL &&
            (n->kind != NVFP4_NODE_INT || (n->integer != 0 && n->integer != 1)))
            return refuse(reader, n, rule->key, "0 or 1");
        f->moe[i++] = n->integer != 0;
    }
    f->applies = 1;
    return NVFP4_OK;
}

/* Numbers beyond the last layer are those of prediction layers. */
static void mark(const nvfp4_model_reader *reader, uint8_t *moe, int64_t layer, uint8_t value)
{
    if (layer < (int64_t)reader->layer_count)
        moe[layer] = value;
}

static nvfp4_status by_numbers_in_text(const nvfp4_model_reader *reader, const nvfp4_node *text,
                                       finding *f)
{
    const char *p = text->text;
    while (*p != '\0') {
        int64_t layer = 0;
        p += strspn(p, " ,");
        const size_t digits = strspn(p, "0123456789");
        if (digits == 0 && *p == '\0')
            break;
        if (digits == 0 || digits > 6)
            return refuse(reader, text, text->key, "numbers with commas between them");
        for (size_t i = 0; i < digits; i++)
            layer = layer * 10 + (p[i] - '0');
        mark(reader, f->moe, layer, 1);
        p += digits;
    }
    f->applies = 1;
    return NVFP4_OK;
}

static nvfp4_status by_number(const nvfp4_model_reader *reader, const nvfp4_node *list, finding *f)
{
    if (list->kind == NVFP4_NODE_STRING)
        return by_numbers_in_text(reader, list, f);
    for (const nvfp4_node *n = list->first; n != NULL; n = n->next) {
        if (n->kind != NVFP4_NODE_INT || n->integer < 0)
            return refuse(reader, n, list->key, "the number of a layer");
        mark(reader, f->moe, n->integer, 1);
    }
    f->applies = 1;
    return NVFP4_OK;
}

static nvfp4_status by_letter(const nvfp4_model_reader *reader, const struct list_rule *rule,
                              const nvfp4_node *text, finding *f)
{
    for (uint32_t i = 0; i < text->length && i < reader->layer_count; i++)
        f->moe[i] = text->text[i] == rule->words[0][0];
    f->applies = 1;
    return NVFP4_OK;
}

static int has_period(const nvfp4_model_reader *reader)
{
    for (size_t i = 0; i < sizeof period_rules / sizeof period_rules[0]; i++) {
        if (get(reader, period_rules[i].sign) != NULL)
            return 1;
    }
    return 0;
}

/* `*broken` is set when the list is there but does not speak of every layer. */
static nvfp4_status apply_list(const nvfp4_model_reader *reader, const struct list_rule *rule,
                               finding *f, int *broken)
{
    const nvfp4_node *const node = get(reader, rule->key);
    const int is_list = node != NULL && node->kind == NVFP4_NODE_SEQUENCE;
    const int is_text = node != NULL && node->kind == NVFP4_NODE_STRING;
    if (!(is_list && rule->form != BY_LETTER) &&
        !(is_text && (rule->form == BY_LETTER || rule->form == BY_NUMBER)))
        return NVFP4_OK;
    /* A list of no layers beside a period was not filled in. */
    if (rule->form == BY_NUMBER && length_of(node) == 0 && has_period(reader))
        return NVFP4_OK;
    if (rule->form != BY_NUMBER && length_of(node) < reader->layer_count) {
        *broken = 1;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s has %lu entries for %lu layers", rule->key,
                                (unsigned long)length_of(node), (unsigned long)reader->layer_count);
    }
    switch (rule->form) {
    case BY_WORD:
        return by_word(reader, rule, node, f);
    case BY_FLAG:
        return by_flag(reader, rule, node, f);
    case BY_NUMBER:
        return by_number(reader, node, f);
    default:
        return by_letter(reader, rule, node, f);
    }
}

/* ---- periods ---- */

/* A number of a rule: `otherwise` where it is not there, refused where it is no number. */
static nvfp4_status number(const nvfp4_model_reader *reader, const char *path, int64_t otherwise,
                           int64_t *value)
{
    const nvfp4_node *const node = get(reader, path);
    *value = otherwise;
    if (node == NULL)
        return NVFP4_OK;
    if (node->kind == NVFP4_NODE_INT && node->integer == -1) {
        *value = -1; /* ERNIE's last layer */
        return NVFP4_OK;
    }
    return nvfp4_model_size(reader, node, 0, value);
}

/* A rule of numbers that are lists, one for each kind of input (ERNIE-VL), says nothing here. */
static const nvfp4_node *list_among(const nvfp4_model_reader *reader,
                                    const struct period_rule *rule)
{
    const char *const keys[] = { rule->first, rule->last, rule->period, rule->phase };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const nvfp4_node *const node = get(reader, keys[i]);
        if (node != NULL && node->kind == NVFP4_NODE_SEQUENCE)
            return node;
    }
    return NULL;
}

static nvfp4_status leave_out(const nvfp4_model_reader *reader, finding *f)
{
    const nvfp4_node *const list = get(reader, "mlp_only_layers");
    if (list == NULL)
        return NVFP4_OK;
    if (list->kind != NVFP4_NODE_SEQUENCE)
        return refuse(reader, list, "mlp_only_layers", "a list");
    for (const nvfp4_node *n = list->first; n != NULL; n = n->next) {
        if (n->kind != NVFP4_NODE_INT || n->integer < 0)
            return refuse(reader, n, "mlp_only_layers", "the number of a layer");
        mark(reader, f->moe, n->integer, 0);
    }
    return NVFP4_OK;
}

static nvfp4_status apply_period(const nvfp4_model_reader *reader, const struct period_rule *rule,
                                 finding *f)
{
    int64_t first, last, period, phase;
    if (get(reader, rule->sign) == NULL)
        return NVFP4_OK;
    const nvfp4_node *const list = list_among(reader, rule);
    if (list != NULL) {
        /* moe_layer_freq as a list is a rule of its own. */
        if (strcmp(list->key, "moe_layer_freq") == 0)
            return NVFP4_OK;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "%s is a list, and does not tell which layers are MoE", list->key);
    }
    nvfp4_status status = number(reader, rule->first, 0, &first);
    if (status == NVFP4_OK)
        status = number(reader, rule->last, -1, &last);
    if (status == NVFP4_OK)
        status = number(reader, rule->period, 1, &period);
    if (status == NVFP4_OK)
        status = number(reader, rule->phase, 0, &phase);
    if (status != NVFP4_OK)
        return status;
    if (last < 0)
        last = reader->layer_count;
    for (int64_t i = 0; i < (int64_t)reader->layer_count; i++)
        f->moe[i] = period > 0 && i >= first && i <= last && (i + rule->shift) % period == phase;
    f->applies = 1;
    return leave_out(reader, f);
}

/* ---- all together ---- */

/* Take what a rule says, or hold it against the rule that came before it. */
static nvfp4_status settle(nvfp4_model_reader *reader, const finding *f, const char *key,
                           const char **chosen)
{
    if (!f->applies)
        return NVFP4_OK;
    if (*chosen == NULL) {
        *chosen = key;
        for (uint32_t i = 0; i < reader->layer_count; i++)
            reader->layers[i].moe = f->moe[i];
        return NVFP4_OK;
    }
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        if (reader->layers[i].moe != f->moe[i])
            return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                    "%s and %s disagree about layer %lu; %s counts", *chosen, key,
                                    (unsigned long)i, *chosen);
    }
    return NVFP4_OK;
}

static nvfp4_status apply_rules(nvfp4_model_reader *reader, uint8_t *moe, const char **chosen,
                                int *broken)
{
    const size_t lists = sizeof list_rules / sizeof list_rules[0];
    const size_t periods = sizeof period_rules / sizeof period_rules[0];
    for (size_t i = 0; i < lists + periods; i++) {
        finding f = { moe, 0 };
        memset(moe, 0, reader->layer_count);
        nvfp4_status status = i < lists ? apply_list(reader, &list_rules[i], &f, broken)
                                        : apply_period(reader, &period_rules[i - lists], &f);
        if (status == NVFP4_OK)
            status = settle(reader, &f,
                            i < lists ? list_rules[i].key : period_rules[i - lists].sign, chosen);
        if (status != NVFP4_OK)
            return status;
    }
    return NVFP4_OK;
}

nvfp4_status nvfp4_model_place_layers(nvfp4_model_reader *reader)
{
    const char *chosen = NULL;
    int broken = 0;
    nvfp4_status status = NVFP4_OK;
    if (reader->counted) {
        uint8_t *const moe = nvfp4_files_malloc(reader->layer_count);
        if (moe == NULL)
            return nvfp4_model_no_memory(reader);
        status = apply_rules(reader, moe, &chosen, &broken);
        nvfp4_files_free(moe);
    }
    reader->placed = chosen != NULL || (reader->counted && !broken &&
                                        (reader->family->fixes & NVFP4_ALL_LAYERS) != 0);
    for (uint32_t i = 0; chosen == NULL && i < reader->layer_count; i++)
        reader->layers[i].moe = 1;
    return status;
}
