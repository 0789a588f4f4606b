/* SPDX-License-Identifier: Apache-2.0 */
/* `quantized_layers`: modules by their names, each with an algorithm of its own. */
#include "files/model_quant.h"

#include <string.h>

#include "files/alloc.h"

/* Different algorithms within one map. */
#define ALGORITHMS 16

typedef struct entries {
    nvfp4_verdict verdicts[ALGORITHMS];
    uint32_t uses[ALGORITHMS];
    size_t count;
    nvfp4_took *took[ALGORITHMS]; /* what each algorithm takes of each layer */
} entries;

static size_t find_algorithm(entries *e, nvfp4_verdict verdict)
{
    size_t i = 0;
    while (i < e->count &&
           (e->verdicts[i].weights != verdict.weights || e->verdicts[i].scheme != verdict.scheme))
        i++;
    if (i == e->count && i < ALGORITHMS)
        e->verdicts[e->count++] = verdict;
    return i < ALGORITHMS ? i : ALGORITHMS - 1;
}

static nvfp4_status take_entries(const nvfp4_quant *q, const nvfp4_node *map, entries *e)
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
                status = nvfp4_quant_unknown_word(q, word);
            told = 1;
        }
        const size_t i = find_algorithm(e, verdict);
        e->uses[i]++;
        if (status == NVFP4_OK && e->took[i] == NULL) {
            const size_t bytes = q->reader->layer_count * sizeof *e->took[i];
            e->took[i] = nvfp4_files_malloc(bytes);
            if (e->took[i] == NULL)
                return nvfp4_model_no_memory(q->reader);
            memset(e->took[i], 0, bytes);
        }
        if (status == NVFP4_OK)
            status = nvfp4_model_take(q->reader, q->document, n, e->took[i]);
        if (status != NVFP4_OK)
            return status;
    }
    return NVFP4_OK;
}

/* What has been warned of, to do so once. */
typedef struct warned {
    int conflict, part;
} warned;

static nvfp4_status warn_of_part(const nvfp4_quant *q, uint32_t layer, warned *told)
{
    if (told->part || !q->reader->layers[layer].moe)
        return NVFP4_OK;
    told->part = 1;
    return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                            "%s: quantized_layers names no expert of layer %lu with all its "
                            "projections; the layer is read as quantised",
                            q->file, (unsigned long)layer);
}

/* The one algorithm of a layer's experts; none: not quantised; several: told. */
static nvfp4_status settle_entries(const nvfp4_quant *q, const entries *e, uint32_t layer,
                                   nvfp4_verdict *verdict, warned *told)
{
    int found = 0, whole = 0;
    verdict->weights = NVFP4_WEIGHTS_NONE;
    verdict->scheme = -1;
    for (size_t i = 0; i < e->count; i++) {
        const nvfp4_taken taken = nvfp4_model_taken(q->reader, &e->took[i][layer]);
        if (taken == NVFP4_TAKEN_NONE)
            continue;
        *verdict = e->verdicts[i];
        found++;
        whole |= nvfp4_model_took_expert(q->reader, &e->took[i][layer]);
    }
    if (found == 1 && !whole)
        return warn_of_part(q, layer, told);
    if (found < 2)
        return NVFP4_OK;
    verdict->weights = NVFP4_WEIGHTS_OTHER;
    verdict->scheme = -1;
    if (told->conflict || !q->reader->layers[layer].moe)
        return NVFP4_OK;
    told->conflict = 1;
    return nvfp4_model_warn(q->reader, NVFP4_MODEL_WARNING_SCHEME_CONFLICT,
                            "%s: quantized_layers has more than one algorithm for the experts of "
                            "layer %lu",
                            q->file, (unsigned long)layer);
}

static nvfp4_status use_entries(nvfp4_quant *q, entries *e, const nvfp4_node *map)
{
    nvfp4_status status = take_entries(q, map, e);
    warned told = { 0, 0 };
    int any = 0;
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
    const nvfp4_node *const all = nvfp4_quant_get(q->section, "moe_quant_algo");
    if (!any && all != NULL)
        return NVFP4_OK;
    if (all != NULL) {
        nvfp4_verdict *const before = q->verdicts;
        q->verdicts = q->rival;
        q->rival = before;
        return nvfp4_quant_compare(q, "quantized_layers", "moe_quant_algo");
    }
    memcpy(q->verdicts, q->rival, q->reader->layer_count * sizeof *q->verdicts);
    const nvfp4_node *const groups = nvfp4_quant_get_mapping(q->section, "config_groups");
    if (groups == NULL)
        return NVFP4_OK;
    status = nvfp4_quant_by_groups(q, groups, 1, q->rival);
    return status == NVFP4_OK ? nvfp4_quant_compare(q, "quantized_layers", "config_groups")
                              : status;
}

nvfp4_status nvfp4_quant_by_map(nvfp4_quant *q)
{
    const nvfp4_node *const map = nvfp4_quant_get_mapping(q->section, "quantized_layers");
    if (map == NULL) {
        if (nvfp4_node_is(nvfp4_quant_get(q->section, "quant_algo"), "MIXED_PRECISION") &&
            nvfp4_quant_get(q->section, "moe_quant_algo") == NULL &&
            nvfp4_quant_get_mapping(q->section, "config_groups") == NULL)
            return nvfp4_model_warn(
                q->reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                "%s says MIXED_PRECISION, but not which module is quantised how", q->file);
        return NVFP4_OK;
    }
    entries e;
    memset(&e, 0, sizeof e);
    const nvfp4_status status = use_entries(q, &e, map);
    for (size_t i = 0; i < ALGORITHMS; i++)
        nvfp4_files_free(e.took[i]);
    return status;
}
