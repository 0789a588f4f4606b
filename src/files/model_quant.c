/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the experts' weights are quantised. A quantisation section may say it in several ways at once;
 * from the strongest to the weakest: `quantized_layers` (each module by its name), `moe_quant_algo`
 * (all experts), `quant_algo` or `config_groups` (everything), `quant_method` alone. What `ignore` and
 * its like take out is not quantised. Where two of them say different things of the same experts, the
 * stronger one counts, as in the engines, and the difference is told.
 */
#include "files/model_reader.h"

#include <string.h>

#include "files/alloc.h"
#include "files/model_words.h"

/* Different algorithms within one `quantized_layers`. */
#define ALGORITHMS 16

typedef struct quant {
    nvfp4_model_reader *reader;
    const nvfp4_document *document;
    const nvfp4_node *section;
    const char *file;
    nvfp4_verdict *verdicts; /* one for each layer */
    nvfp4_verdict *rival;    /* the same, for what is weaker */
    nvfp4_verdict dense;     /* of linear weights outside of experts */
} quant;

static const nvfp4_node *get(const nvfp4_node *mapping, const char *key)
{
    const nvfp4_node *const node = nvfp4_node_get(mapping, key);
    return node != NULL && node->kind != NVFP4_NODE_NULL ? node : NULL;
}

static const nvfp4_node *get_mapping(const nvfp4_node *mapping, const char *key)
{
    const nvfp4_node *const node = nvfp4_node_get(mapping, key);
    return node != NULL && node->kind == NVFP4_NODE_MAPPING && node->count > 0 ? node : NULL;
}

static void set_all(const quant *q, nvfp4_verdict *verdicts, nvfp4_verdict verdict)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++)
        verdicts[i] = verdict;
}

/* Tell if the rival, which does not count, says something else of a MoE layer. */
static nvfp4_status compare(const quant *q, const char *winner, const char *loser)
{
    for (uint32_t i = 0; i < q->reader->layer_count; i++) {
        char ours[24], theirs[24];
        if (!q->reader->layers[i].moe || !nvfp4_verdicts_differ(q->verdicts[i], q->rival[i]))
            continue;
        return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                                "%s: the experts of layer %lu are %s by %s, but %s by %s",
                                q->file, (unsigned long)i,
                                nvfp4_verdict_text(q->verdicts[i], ours), winner,
                                nvfp4_verdict_text(q->rival[i], theirs), loser);
    }
    return NVFP4_OK;
}

/* ---- config_groups ---- */

/* "Linear" and the classes of experts; module names have dots or small letters. */
static int is_class(const nvfp4_node *target)
{
    return nvfp4_node_is(target, "Linear") ||
           (target->kind == NVFP4_NODE_STRING && target->text[0] >= 'A' && target->text[0] <= 'Z' &&
            strchr(target->text, '.') == NULL &&
            (strstr(target->text, "MoE") != NULL || strstr(target->text, "Expert") != NULL));
}

static int has_class(const nvfp4_node *targets)
{
    if (targets == NULL || targets->kind != NVFP4_NODE_SEQUENCE)
        return 0;
    for (const nvfp4_node *n = targets->first; n != NULL; n = n->next) {
        if (is_class(n))
            return 1;
    }
    return 0;
}

/*
 * A group that names the experts counts before one that names their class; of several the first. With
 * `named_only` layers that no group names are left alone: `verdicts` then holds them as they were.
 */
static nvfp4_status by_groups(const quant *q, const nvfp4_node *groups, int named_only,
                              nvfp4_verdict *verdicts)
{
    const nvfp4_node *const format = nvfp4_node_get(q->section, "format");
    const uint32_t count = q->reader->layer_count;
    uint8_t settled[NVFP4_MODEL_LAYERS];
    nvfp4_taken taken[NVFP4_MODEL_LAYERS];
    nvfp4_verdict by_class = { NVFP4_WEIGHTS_NONE, -1 };
    int classes = 0;
    memset(settled, 0, count);
    for (const nvfp4_node *group = groups->first; group != NULL; group = group->next) {
        const nvfp4_node *const targets = nvfp4_node_get(group, "targets");
        const nvfp4_verdict verdict = nvfp4_verdict_of_group(group, format);
        memset(taken, 0, count * sizeof *taken);
        nvfp4_model_spend(q->reader, count);
        nvfp4_status status = nvfp4_model_match(q->reader, q->document, targets, 1, taken);
        if (status != NVFP4_OK)
            return status;
        for (uint32_t i = 0; i < count; i++) {
            if (taken[i] != NVFP4_TAKEN_NONE && !settled[i]) {
                verdicts[i] = verdict;
                settled[i] = 1;
            }
        }
        if (classes == 0 && has_class(targets)) {
            by_class = verdict;
            classes = 1;
        }
    }
    for (uint32_t i = 0; i < count && !named_only; i++) {
        if (!settled[i])
            verdicts[i] = by_class;
    }
    return NVFP4_OK;
}

/* What a dense model's linear weights are by groups: the class's, or else the first one's. */
static nvfp4_verdict dense_by_groups(const quant *q, const nvfp4_node *groups)
{
    const nvfp4_node *const format = nvfp4_node_get(q->section, "format");
    for (const nvfp4_node *group = groups->first; group != NULL; group = group->next) {
        if (has_class(nvfp4_node_get(group, "targets")))
            return nvfp4_verdict_of_group(group, format);
    }
    return nvfp4_verdict_of_group(groups->first, format);
}

/* ---- the section as a whole ---- */

static nvfp4_status unknown_word(const quant *q, const nvfp4_node *node)
{
    char excerpt[NVFP4_EXCERPT];
    const int is_text = node->kind == NVFP4_NODE_STRING;
    return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                            "%s, line %lu: %s \"%s\" is not known here", q->file,
                            (unsigned long)node->line, node->key,
                            is_text ? nvfp4_excerpt(node->text, node->length, excerpt)
                                    : nvfp4_node_kind_name(node));
}

/* DeepSeek-V4 says of its experts apart from the rest: 4-bit floats, in MXFP4 if nothing else is said. */
static int experts_are_fp4(const quant *q)
{
    return nvfp4_node_is(nvfp4_node_get(q->reader->text, "expert_dtype"), "fp4") ||
           nvfp4_node_is(nvfp4_node_get(q->reader->root, "expert_dtype"), "fp4");
}

static nvfp4_status by_method(quant *q)
{
    const nvfp4_node *const method = get(q->section, "quant_method");
    nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
    nvfp4_status status = NVFP4_OK;
    const int more_is_said = get_mapping(q->section, "quantized_layers") != NULL ||
                             get(q->section, "moe_quant_algo") != NULL;
    if (!nvfp4_verdict_of_method(q->section, &verdict) && method != NULL && !more_is_said)
        status = unknown_word(q, method);
    if (method == NULL)
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
static nvfp4_status check_groups(quant *q, const nvfp4_node *groups)
{
    if (groups == NULL)
        return NVFP4_OK;
    nvfp4_status status = by_groups(q, groups, 0, q->rival);
    if (status == NVFP4_OK)
        status = compare(q, "quant_algo", "config_groups");
    for (uint32_t i = 0; i < q->reader->layer_count && status == NVFP4_OK; i++) {
        if (q->rival[i].weights == q->verdicts[i].weights &&
            nvfp4_verdicts_differ(q->rival[i], q->verdicts[i]))
            q->verdicts[i].scheme = -1;
    }
    return status;
}

/* What holds for everything that nothing stronger speaks of. */
static nvfp4_status by_section(quant *q)
{
    const nvfp4_node *const algorithm = get(q->section, "quant_algo");
    const nvfp4_node *const groups = get_mapping(q->section, "config_groups");
    const int mixed = nvfp4_node_is(algorithm, "MIXED_PRECISION");
    const int compressed =
        nvfp4_node_is(nvfp4_node_get(q->section, "quant_method"), "compressed-tensors");
    if (algorithm != NULL && !mixed && !(compressed && groups != NULL)) {
        nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
        nvfp4_status status = NVFP4_OK;
        if (!nvfp4_verdict_of_algorithm(algorithm, &verdict))
            status = unknown_word(q, algorithm);
        q->dense = verdict;
        set_all(q, q->verdicts, verdict);
        return status == NVFP4_OK ? check_groups(q, groups) : status;
    }
    if (groups != NULL) {
        q->dense = dense_by_groups(q, groups);
        return by_groups(q, groups, 0, q->verdicts);
    }
    if (compressed) {
        q->dense = nvfp4_verdict_of_group(q->section, NULL);
        set_all(q, q->verdicts, q->dense);
        return NVFP4_OK;
    }
    if (nvfp4_node_get(q->section, "quant_algo") != NULL && algorithm == NULL &&
        get(q->section, "quant_method") == NULL)
        return NVFP4_OK; /* "quant_algo": null: not quantised */
    return by_method(q);
}

/* ---- quantized_layers ---- */

typedef struct entries {
    nvfp4_verdict verdicts[ALGORITHMS];
    uint32_t uses[ALGORITHMS];
    size_t count;
    uint8_t *took[ALGORITHMS]; /* what each algorithm takes of each layer */
} entries;

static size_t find_algorithm(entries *e, nvfp4_verdict verdict)
{
    size_t i = 0;
    while (i < e->count && (e->verdicts[i].weights != verdict.weights ||
                            e->verdicts[i].scheme != verdict.scheme))
        i++;
    if (i == e->count && i < ALGORITHMS)
        e->verdicts[e->count++] = verdict;
    return i < ALGORITHMS ? i : ALGORITHMS - 1;
}

static nvfp4_status take_entries(const quant *q, const nvfp4_node *map, entries *e)
{
    int told = 0;
    for (const nvfp4_node *n = map->first; n != NULL; n = n->next) {
        const nvfp4_node *const word =
            n->kind == NVFP4_NODE_STRING ? n : nvfp4_node_get(n, "quant_algo");
        nvfp4_verdict verdict = { NVFP4_WEIGHTS_NONE, -1 };
        nvfp4_status status = NVFP4_OK;
        if (word != NULL && word->kind != NVFP4_NODE_NULL &&
            !nvfp4_verdict_of_algorithm(word, &verdict)) {
            verdict.weights = NVFP4_WEIGHTS_OTHER;
            if (!told)
                status = unknown_word(q, word);
            told = 1;
        }
        const size_t i = find_algorithm(e, verdict);
        e->uses[i]++;
        if (status == NVFP4_OK && e->took[i] == NULL) {
            e->took[i] = nvfp4_files_malloc(q->reader->layer_count);
            if (e->took[i] == NULL)
                return nvfp4_model_no_memory(q->reader);
            memset(e->took[i], 0, q->reader->layer_count);
        }
        if (status == NVFP4_OK)
            status = nvfp4_model_take(q->reader, q->document, n, 1, e->took[i]);
        if (status != NVFP4_OK)
            return status;
    }
    return NVFP4_OK;
}

/* The one algorithm of a layer's experts; none: not quantised; several: told. */
static nvfp4_status settle_entries(const quant *q, const entries *e, uint32_t layer,
                                   nvfp4_verdict *verdict, int *told)
{
    int found = 0;
    verdict->weights = NVFP4_WEIGHTS_NONE;
    verdict->scheme = -1;
    for (size_t i = 0; i < e->count; i++) {
        const nvfp4_taken taken = nvfp4_model_taken(q->reader, e->took[i][layer]);
        if (taken == NVFP4_TAKEN_NONE)
            continue;
        *verdict = e->verdicts[i];
        found++;
    }
    if (found < 2)
        return NVFP4_OK;
    verdict->weights = NVFP4_WEIGHTS_OTHER;
    verdict->scheme = -1;
    if (*told || !q->reader->layers[layer].moe)
        return NVFP4_OK;
    *told = 1;
    return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                            "%s: quantized_layers has more than one algorithm for the experts of "
                            "layer %lu",
                            q->file, (unsigned long)layer);
}

static nvfp4_status use_entries(quant *q, entries *e, const nvfp4_node *map)
{
    nvfp4_status status = take_entries(q, map, e);
    int any = 0, told = 0;
    size_t most = 0;
    if (status != NVFP4_OK)
        return status;
    for (uint32_t i = 0; i < q->reader->layer_count && status == NVFP4_OK; i++) {
        status = settle_entries(q, e, i, &q->rival[i], &told);
        any |= q->rival[i].weights != NVFP4_WEIGHTS_NONE;
    }
    for (size_t i = 1; i < e->count; i++)
        most = e->uses[i] > e->uses[most] ? i : most;
    q->dense = e->verdicts[most];
    if (status != NVFP4_OK)
        return status;
    /* Without a word about experts, what is said of all of them holds. */
    const nvfp4_node *const all = get(q->section, "moe_quant_algo");
    if (!any && all != NULL)
        return NVFP4_OK;
    if (all != NULL) {
        nvfp4_verdict *const before = q->verdicts;
        q->verdicts = q->rival;
        q->rival = before;
        return compare(q, "quantized_layers", "moe_quant_algo");
    }
    memcpy(q->verdicts, q->rival, q->reader->layer_count * sizeof *q->verdicts);
    const nvfp4_node *const groups = get_mapping(q->section, "config_groups");
    if (groups == NULL)
        return NVFP4_OK;
    status = by_groups(q, groups, 1, q->rival);
    return status == NVFP4_OK ? compare(q, "quantized_layers", "config_groups") : status;
}

static nvfp4_status by_entries(quant *q)
{
    const nvfp4_node *const map = get_mapping(q->section, "quantized_layers");
    if (map == NULL) {
        if (nvfp4_node_is(get(q->section, "quant_algo"), "MIXED_PRECISION") &&
            get(q->section, "moe_quant_algo") == NULL &&
            get_mapping(q->section, "config_groups") == NULL)
            return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                    "%s says MIXED_PRECISION, but not which module is quantised how",
                                    q->file);
        return NVFP4_OK;
    }
    entries e;
    memset(&e, 0, sizeof e);
    const nvfp4_status status = use_entries(q, &e, map);
    for (size_t i = 0; i < ALGORITHMS; i++)
        nvfp4_files_free(e.took[i]);
    return status;
}

static nvfp4_status by_moe_algorithm(quant *q)
{
    const nvfp4_node *const word = get(q->section, "moe_quant_algo");
    nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, -1 };
    if (word == NULL)
        return NVFP4_OK;
    nvfp4_status status = NVFP4_OK;
    if (!nvfp4_verdict_of_algorithm(word, &verdict))
        status = unknown_word(q, word);
    set_all(q, q->verdicts, verdict);
    return status;
}

/* ---- what is left out ---- */

static nvfp4_status leave_out(quant *q)
{
    static const char *const lists[] = { "ignore", "exclude_modules", "modules_to_not_convert",
                                         "ignored_layers" };
    nvfp4_taken taken[NVFP4_MODEL_LAYERS];
    const uint32_t count = q->reader->layer_count;
    nvfp4_status status = NVFP4_OK;
    memset(taken, 0, count * sizeof *taken);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == NVFP4_OK; i++)
        status = nvfp4_model_match(q->reader, q->document, nvfp4_node_get(q->section, lists[i]), 0,
                                   taken);
    int told = 0;
    for (uint32_t i = 0; i < count && status == NVFP4_OK; i++) {
        if (taken[i] == NVFP4_TAKEN_ALL) {
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
    return status;
}

/* ---- sections and files ---- */

static nvfp4_status read_section(quant *q)
{
    const nvfp4_verdict nothing = { NVFP4_WEIGHTS_NONE, -1 };
    q->dense = nothing;
    set_all(q, q->verdicts, nothing);
    nvfp4_status status = by_section(q);
    if (status == NVFP4_OK)
        status = by_moe_algorithm(q);
    if (status == NVFP4_OK)
        status = by_entries(q);
    return status == NVFP4_OK ? leave_out(q) : status;
}

/* `*section` stays NULL where there is none, or an empty one. */
static nvfp4_status find_section(const nvfp4_model_reader *reader, const nvfp4_document *document,
                                 const nvfp4_node *holder, const char *key,
                                 const nvfp4_node **section)
{
    const nvfp4_node *node = get(holder, key);
    if (node == NULL || *section != NULL)
        return NVFP4_OK;
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_document_fail(document, node, NVFP4_ESCHEMA, reader->error,
                                   "%s: expected a mapping, found %s", key,
                                   nvfp4_node_kind_name(node));
    const nvfp4_node *const inner = get_mapping(node, "quantization");
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
        (get(root, "quant_algo") != NULL || get(root, "quant_method") != NULL))
        *section = root;
    return status;
}

static void keep(const quant *q)
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

static nvfp4_status read_both(quant *inner, quant *beside, int64_t experts)
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
    return compare(inner, "config.json", "hf_quant_config.json");
}

nvfp4_status nvfp4_model_read_quant(nvfp4_model_reader *reader, int64_t experts)
{
    const size_t bytes = reader->layer_count * sizeof(nvfp4_verdict);
    quant inner = { .reader = reader, .document = reader->config, .file = "config.json" };
    quant beside = { .reader = reader, .document = reader->quant, .file = "hf_quant_config.json" };
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
    beside.verdicts = all + 2 * reader->layer_count;
    beside.rival = all + 3 * reader->layer_count;
    status = read_both(&inner, &beside, experts);
    nvfp4_files_free(all);
    return status;
}
