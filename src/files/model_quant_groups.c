/* SPDX-License-Identifier: Apache-2.0 */
/* `config_groups`, as compressed-tensors has them and ModelOpt repeats them. */
#include "files/model_quant.h"

#include <string.h>

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
        return targets != NULL && is_class(targets);
    for (const nvfp4_node *n = targets->first; n != NULL; n = n->next) {
        if (is_class(n))
            return 1;
    }
    return 0;
}

nvfp4_status nvfp4_quant_by_groups(const nvfp4_quant *q, const nvfp4_node *groups, int named_only,
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

nvfp4_verdict nvfp4_quant_dense_by_groups(const nvfp4_quant *q, const nvfp4_node *groups)
{
    const nvfp4_node *const format = nvfp4_node_get(q->section, "format");
    for (const nvfp4_node *group = groups->first; group != NULL; group = group->next) {
        if (has_class(nvfp4_node_get(group, "targets")))
            return nvfp4_verdict_of_group(group, format);
    }
    return nvfp4_verdict_of_group(groups->first, format);
}
