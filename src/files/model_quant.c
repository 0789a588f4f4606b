/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the experts' weights are quantised. A quantisation section may say it in several ways at
 * once; from the strongest to the weakest: `quantized_layers` (each module by its name),
 * `moe_quant_algo` (all experts), `quant_algo` or `config_groups` (everything), `quant_method`
 * alone. What `ignore` and its like take out is not quantised. Where two of them say different
 * things of the same experts, the stronger one counts, as in the engines, and the difference is
 * told.
 */
#include "files/model_quant.h"

#include <string.h>

#include "files/alloc.h"

const nvfp4_node *nvfp4_quant_get(const nvfp4_node *mapping, const char *key)
{
    const nvfp4_node *const node = nvfp4_node_get(mapping, key);
    return node != NULL && node->kind != NVFP4_NODE_NULL ? node : NULL;
}

const nvfp4_node *nvfp4_quant_get_mapping(const nvfp4_node *mapping, const char *key)
{
    const nvfp4_node *const node = nvfp4_node_get(mapping, key);
    return node != NULL && node->kind == NVFP4_NODE_MAPPING && node->count > 0 ? node : NULL;
}

static void set_all(const nvfp4_quant *q, nvfp4_verdict *verdicts, nvfp4_verdict verdict)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++)
        verdicts[i] = verdict;
}

nvfp4_status nvfp4_quant_compare(const nvfp4_quant *q, const char *winner, const char *loser)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++) {
        char ours[24], theirs[24];
        if (!q->reader->layers[i].moe || !nvfp4_verdicts_differ(q->verdicts[i], q->rival[i]))
            continue;
        return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                                "%s: the experts of layer %lu are %s by %s, but %s by %s", q->file,
                                (unsigned long)i, nvfp4_verdict_text(q->verdicts[i], ours), winner,
                                nvfp4_verdict_text(q->rival[i], theirs), loser);
    }
    return NVFP4_OK;
}

/* ---- the section as a whole ---- */

nvfp4_status nvfp4_quant_unknown_word(const nvfp4_quant *q, const nvfp4_node *node)
{
    char excerpt[NVFP4_EXCERPT];
    const int is_text = node->kind == NVFP4_NODE_STRING;
    return nvfp4_model_warn(
        q->reader, NVFP4_MODEL_WARNING_IGNORED_VALUE, "%s, line %lu: %s \"%s\" is not known here",
        q->file, (unsigned long)node->line, node->key,
        is_text ? nvfp4_excerpt(node->text, node->length, excerpt) : nvfp4_node_kind_name(node));
}

/* DeepSeek-V4 says of its experts apart from the rest: 4-bit floats, in MXFP4 if nothing else is
 * said. */
static int experts_are_fp4(const nvfp4_quant *q)
{
    return nvfp4_node_is(nvfp4_node_get(q->reader->text, "expert_dtype"), "fp4") ||
           nvfp4_node_is(nvfp4_node_get(q->reader->root, "expert_dtype"), "fp4");
}

static nvfp4_status by_method(nvfp4_quant *q)
{
    const nvfp4_node *const method = nvfp4_quant_get(q->section, "quant_method");
    nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
    nvfp4_status status = NVFP4_OK;
    const int more_is_said = nvfp4_quant_get_mapping(q->section, "quantized_layers") != NULL ||
                             nvfp4_quant_get(q->section, "moe_quant_algo") != NULL;
    if (!nvfp4_verdict_of_method(q->section, &verdict) && method != NULL && !more_is_said)
        status = nvfp4_quant_unknown_word(q, method);
    /* Mixed is quantised, whatever it is that is mixed. */
    if (method == NULL &&
        !nvfp4_node_is(nvfp4_node_get(q->section, "quant_algo"), "MIXED_PRECISION"))
        verdict.weights = NVFP4_WEIGHTS_NONE;
    q->dense = verdict;
    if (verdict.weights == NVFP4_WEIGHTS_FP8 && experts_are_fp4(q))
        verdict.weights = NVFP4_WEIGHTS_MXFP4;
    set_all(q, q->verdicts, verdict);
    return status;
}

/*
 * ModelOpt's groups repeat what quant_algo says. NVFP4 in both and two schemes: whether activations
 * are quantised cannot be told, so the scheme is left open.
 */
static nvfp4_status check_groups(nvfp4_quant *q, const nvfp4_node *groups)
{
    if (groups == NULL)
        return NVFP4_OK;
    nvfp4_status status = nvfp4_quant_by_groups(q, groups, 0, q->rival);
    if (status == NVFP4_OK)
        status = nvfp4_quant_compare(q, "quant_algo", "config_groups");
    for (uint32_t i = 0; i < q->reader->layer_count && status == NVFP4_OK; i++) {
        if (q->rival[i].weights == q->verdicts[i].weights &&
            nvfp4_verdicts_differ(q->rival[i], q->verdicts[i]))
            q->verdicts[i].scheme = -1;
    }
    return status;
}

/* What holds for everything that nothing stronger speaks of. */
static nvfp4_status by_section(nvfp4_quant *q)
{
    const nvfp4_node *const algorithm = nvfp4_quant_get(q->section, "quant_algo");
    const nvfp4_node *const groups = nvfp4_quant_get_mapping(q->section, "config_groups");
    const int mixed = nvfp4_node_is(algorithm, "MIXED_PRECISION");
    const int compressed =
        nvfp4_node_is(nvfp4_node_get(q->section, "quant_method"), "compressed-tensors");
    if (algorithm != NULL && !mixed && !(compressed && groups != NULL)) {
        nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
        nvfp4_status status = NVFP4_OK;
        if (!nvfp4_verdict_of_algorithm(algorithm, &verdict))
            status = nvfp4_quant_unknown_word(q, algorithm);
        q->dense = verdict;
        set_all(q, q->verdicts, verdict);
        return status == NVFP4_OK ? check_groups(q, groups) : status;
    }
    if (groups != NULL) {
        q->dense = nvfp4_quant_dense_by_groups(q, groups);
        return nvfp4_quant_by_groups(q, groups, 0, q->verdicts);
    }
    if (compressed) {
        q->dense = nvfp4_verdict_of_group(q->section, NULL);
        set_all(q, q->verdicts, q->dense);
        return NVFP4_OK;
    }
    if (nvfp4_node_get(q->section, "quant_algo") != NULL && algorithm == NULL &&
        nvfp4_quant_get(q->section, "quant_method") == NULL)
        return NVFP4_OK; /* "quant_algo": null: not quantised */
    return by_method(q);
}

static nvfp4_status by_moe_algorithm(nvfp4_quant *q)
{
    const nvfp4_node *const word = nvfp4_quant_get(q->section, "moe_quant_algo");
    nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
    if (word == NULL)
        return NVFP4_OK;
    nvfp4_status status = NVFP4_OK;
    if (!nvfp4_verdict_of_algorithm(word, &verdict))
        status = nvfp4_quant_unknown_word(q, word);
    set_all(q, q->verdicts, verdict);
    return status;
}

/* ---- what is left out ---- */

static const char *const left_out[] = { "ignore", "exclude_modules", "modules_to_not_convert",
                                        "ignored_layers" };
#define LEFT_OUT (sizeof left_out / sizeof left_out[0])

static int is_nvfp4(const nvfp4_quant *q)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++) {
        if (q->reader->layers[i].moe && q->verdicts[i].weights == NVFP4_WEIGHTS_NVFP4)
            return 1;
    }
    return 0;
}

/*
 * Nobody makes an NVFP4 checkpoint of a MoE model and leaves out all experts without a word about
 * them: "*.mlp.*_proj" was most likely meant for something else.
 */
static nvfp4_status warn_if_nothing_is_left(const nvfp4_quant *q, const nvfp4_taken *taken)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++) {
        if (q->reader->layers[i].moe &&
            (taken[i] != NVFP4_TAKEN_BY_THE_WAY || q->verdicts[i].weights != NVFP4_WEIGHTS_NONE))
            return NVFP4_OK;
    }
    return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                            "%s: the experts are NVFP4, but what is left out of quantisation takes "
                            "in all of them, by patterns that do not speak of experts; they are "
                            "read as not quantised",
                            q->file);
}

static nvfp4_status leave_out(nvfp4_quant *q)
{
    const int declared = is_nvfp4(q);
    nvfp4_taken taken[NVFP4_MODEL_LAYERS];
    const uint32_t count = q->reader->layer_count;
    nvfp4_status status = NVFP4_OK;
    memset(taken, 0, count * sizeof *taken);
    for (size_t i = 0; i < LEFT_OUT && status == NVFP4_OK; i++)
        status = nvfp4_model_match(q->reader, q->document, nvfp4_node_get(q->section, left_out[i]),
                                   0, taken);
    int told = 0;
    for (uint32_t i = 0; i < count && status == NVFP4_OK; i++) {
        if (taken[i] >= NVFP4_TAKEN_BY_THE_WAY) {
            q->verdicts[i].weights = NVFP4_WEIGHTS_NONE;
            q->verdicts[i].scheme = -1;
        } else if (taken[i] == NVFP4_TAKEN_PART && q->reader->layers[i].moe && !told) {
            told = 1;
            status = nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                                      "%s: only some experts or projections of layer %lu are left "
                                      "out of quantisation; the layer is read as quantised",
                                      q->file, (unsigned long)i);
        }
    }
    return status == NVFP4_OK && declared ? warn_if_nothing_is_left(q, taken) : status;
}

/* ---- sections and files ---- */

static nvfp4_status warn_of_repeated(const nvfp4_quant *q)
{
    static const char *const keys[] = { "quant_algo",   "quant_method",     "moe_quant_algo",
                                        "config_groups", "quantized_layers", "format" };
    nvfp4_status status =
        nvfp4_model_warn_if_repeated(q->reader, q->document, q->file, q->section);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && status == NVFP4_OK; i++)
        status = nvfp4_model_warn_if_repeated(q->reader, q->document, q->file,
                                              nvfp4_node_get(q->section, keys[i]));
    for (size_t i = 0; i < LEFT_OUT && status == NVFP4_OK; i++)
        status = nvfp4_model_warn_if_repeated(q->reader, q->document, q->file,
                                              nvfp4_node_get(q->section, left_out[i]));
    return status;
}

static nvfp4_status read_section(nvfp4_quant *q)
{
    const nvfp4_verdict nothing = { NVFP4_WEIGHTS_NONE, -1 };
    q->dense = nothing;
    set_all(q, q->verdicts, nothing);
    nvfp4_status status = warn_of_repeated(q);
    if (status == NVFP4_OK)
        status = by_section(q);
    if (status == NVFP4_OK)
        status = by_moe_algorithm(q);
    if (status == NVFP4_OK)
        status = nvfp4_quant_by_map(q);
    return status == NVFP4_OK ? leave_out(q) : status;
}

/* `*section` stays NULL where there is none, or an empty one. */
static nvfp4_status find_section(const nvfp4_model_reader *reader, const nvfp4_document *document,
                                 const nvfp4_node *holder, const char *key,
                                 const nvfp4_node **section)
{
    const nvfp4_node *node = nvfp4_quant_get(holder, key);
    if (node == NULL || *section != NULL)
        return NVFP4_OK;
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_document_fail(document, node, NVFP4_ESCHEMA, reader->error,
                                   "%s: expected a mapping, found %s", key,
                                   nvfp4_node_kind_name(node));
    const nvfp4_node *const inner = nvfp4_quant_get_mapping(node, "quantization");
    if (inner != NULL)
        node = inner;
    if (node->count > 0)
        *section = node;
    return NVFP4_OK;
}

static nvfp4_status find_inline(const nvfp4_model_reader *reader, const nvfp4_node **section)
{
    const nvfp4_node *const holders[] = { reader->root, reader->text };
    /* everybody | compressed-tensors of old | Mistral's params.json */
    static const char *const keys[] = { "quantization_config", "compression_config",
                                        "quantization" };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < 6 && status == NVFP4_OK; i++)
        status = find_section(reader, reader->config, holders[i / 3], keys[i % 3], section);
    return status;
}

static nvfp4_status find_beside(const nvfp4_model_reader *reader, const nvfp4_node **section)
{
    if (reader->quant == NULL)
        return NVFP4_OK;
    const nvfp4_node *const root = nvfp4_document_root(reader->quant);
    if (root->kind != NVFP4_NODE_MAPPING)
        return nvfp4_document_fail(reader->quant, root, NVFP4_ESCHEMA, reader->error,
                                   "expected a mapping, found %s", nvfp4_node_kind_name(root));
    nvfp4_status status = find_section(reader, reader->quant, root, "quantization", section);
    if (status == NVFP4_OK && *section == NULL &&
        (nvfp4_quant_get(root, "quant_algo") != NULL ||
         nvfp4_quant_get(root, "quant_method") != NULL))
        *section = root;
    return status;
}

static void keep(const nvfp4_quant *q)
{
    nvfp4_model_reader *const reader = q->reader;
    reader->model->weights = (nvfp4_weights)q->dense.weights; /* until there are groups */
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        nvfp4_layer_facts *const facts = &reader->layers[i];
        facts->weights = q->verdicts[i].weights;
        if (facts->weights == NVFP4_WEIGHTS_NVFP4 && q->verdicts[i].scheme >= 0) {
            facts->layer.scheme = q->verdicts[i].scheme;
            facts->known |= NVFP4_KNOWS_SCHEME;
        }
    }
}

static nvfp4_status read_both(nvfp4_quant *inner, nvfp4_quant *beside, int64_t experts)
{
    nvfp4_status status = NVFP4_OK;
    if (inner->section != NULL)
        status = read_section(inner);
    if (status == NVFP4_OK && beside->section != NULL)
        status = read_section(beside);
    if (status != NVFP4_OK)
        return status;
    if (inner->section == NULL) {
        keep(beside);
        return NVFP4_OK;
    }
    keep(inner);
    if (beside->section == NULL || experts == 0)
        return NVFP4_OK;
    inner->rival = beside->verdicts;
    inner->file = "the files differ";
    return nvfp4_quant_compare(inner, "config.json", "hf_quant_config.json");
}

nvfp4_status nvfp4_model_read_quant(nvfp4_model_reader *reader, int64_t experts)
{
    const size_t bytes = reader->layer_count * sizeof(nvfp4_verdict);
    nvfp4_quant inner = { .reader = reader, .document = reader->config, .file = "config.json" };
    nvfp4_quant beside = { .reader = reader,
                           .document = reader->quant,
                           .file = "hf_quant_config.json" };
    nvfp4_status status = find_inline(reader, &inner.section);
    if (status == NVFP4_OK)
        status = find_beside(reader, &beside.section);
    if (status != NVFP4_OK)
        return status;
    if (inner.section == NULL && beside.section == NULL) {
        if (experts == 0)
            return NVFP4_OK;
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_NO_QUANT_SECTION,
                                "no file says anything of quantisation%s",
                                reader->quant == NULL ? "; is hf_quant_config.json missing?" : "");
    }
    nvfp4_verdict *const all = nvfp4_files_malloc(4 * bytes);
    if (all == NULL)
        return nvfp4_model_no_memory(reader);
    inner.verdicts = all;
    inner.rival = all + reader->layer_count;
    beside.verdicts = inner.rival + reader->layer_count;
    beside.rival = beside.verdicts + reader->layer_count;
    status = read_both(&inner, &beside, experts);
    nvfp4_files_free(all);
    return status;
}
