/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff.h"

#include <string.h>

void nvfp4_diff_example(const struct diff_region *region, struct diff_point *values)
{
    for (int dim = 0; dim < DIMS; dim++)
        values->value[dim] = (uint8_t)first_bit(region->values.set[dim]);
}

int nvfp4_diff_outcome_asked(const struct nvfp4_diff *diff, int policy,
                             const struct diff_point *values)
{
    const nvfp4_policy *rules = diff->space.policy[policy];
    struct diff_request request;
    nvfp4_selection selection;
    nvfp4_kernel_info info;
    struct question q;
    nvfp4_diff_request_of(&diff->space, values, &request);
    if (nvfp4_diff_ask(&diff->space, policy, &request, &q) != NVFP4_OK)
        return OUTCOME_UNKNOWN;
    switch (nvfp4_select_backend(&request.layer, &request.deployment, rules, &selection)) {
    case NVFP4_OK:
        break;
    case NVFP4_ENOBACKEND:
        return OUTCOME_NO_BACKEND;
    case NVFP4_EREFUSED:
        return OUTCOME_REFUSED;
    default:
        return OUTCOME_UNKNOWN;
    }
    nvfp4_policy_kernel(rules, (size_t)selection.kernel, &info);
    for (int i = OUTCOME_FIRST; i < diff->outcomes.count; i++)
        if (strcmp(diff->outcomes.name[i].backend, info.backend_name) == 0 &&
            (!diff->outcomes.kernels ||
             strcmp(diff->outcomes.name[i].kernel, info.kernel_name) == 0))
            return i;
    return 0;
}

/* Does the core answer as the graph says, under both policies, for the example of the region? */
static int proven(const struct nvfp4_diff *diff, const struct diff_region *region)
{
    struct diff_point point;
    struct diff_request request;
    nvfp4_diff_example(region, &point);
    nvfp4_diff_request_of(&diff->space, &point, &request);
    if (request.layer.num_experts != 0 && request.layer.top_k > request.layer.num_experts)
        return 1; /* no question at all: two sizes that rules of different keys name */
    for (int p = 0; p < 2; p++)
        if (nvfp4_diff_outcome_asked(diff, p, &point) != (p == 0 ? region->from : region->to))
            return 0;
    return 1;
}

static nvfp4_status compare(struct nvfp4_diff *diff, uint32_t flags)
{
    nvfp4_status status = NVFP4_OK;
    nvfp4_diff_outcomes_begin(&diff->outcomes, (flags & NVFP4_DIFF_KERNELS) != 0);
    for (int p = 0; p < 2 && status == NVFP4_OK; p++)
        status = nvfp4_diff_rules_refine(&diff->space, p, &diff->graph);
    for (int p = 0; p < 2 && status == NVFP4_OK; p++)
        status = nvfp4_diff_rules_build(&diff->space, p, &diff->graph, &diff->outcomes,
                                        &diff->answer[p]);
    if (status != NVFP4_OK)
        return status;
    diff->difference =
        nvfp4_graph_apply(&diff->graph, GRAPH_PAIR, diff->answer[0], diff->answer[1]);
    status = nvfp4_diff_find_regions(diff);
    for (int i = 0; i < diff->count && status == NVFP4_OK; i++)
        if (!proven(diff, &diff->regions[i]))
            status = NVFP4_EINVAL;
    return status;
}

nvfp4_status nvfp4_policy_diff(const nvfp4_policy *from, const nvfp4_policy *to, uint32_t flags,
                               void *memory, size_t size, const nvfp4_diff **diff)
{
    if (memory == NULL || diff == NULL)
        return NVFP4_EINVAL;
    if (size < sizeof(struct nvfp4_diff))
        return NVFP4_ENOMEM;
    struct nvfp4_diff *d = memory;
    const nvfp4_policy *const usual = nvfp4_policy_builtin(NULL);
    const size_t words = (size - sizeof *d) / sizeof(uint32_t);
    nvfp4_status status =
        nvfp4_diff_space_make(&d->space, from != NULL ? from : usual, to != NULL ? to : usual);
    if (status != NVFP4_OK)
        return status;
    nvfp4_graph_begin(&d->graph, &d->space, (uint32_t *)(void *)(d + 1),
                      (uint32_t)(words < UINT32_MAX / 2 ? words : UINT32_MAX / 2));
    status = compare(d, flags);
    if (status == NVFP4_OK)
        *diff = d;
    return status;
}

size_t nvfp4_diff_count(const nvfp4_diff *diff)
{
    return diff != NULL ? (size_t)diff->count : 0;
}

nvfp4_status nvfp4_diff_find(const nvfp4_diff *diff, const nvfp4_moe_layer *layer,
                             const nvfp4_deployment *deployment, const char *word, size_t *index)
{
    struct diff_point point;
    if (diff == NULL || layer == NULL || deployment == NULL || index == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_diff_locate(&diff->space, layer, deployment, word, &point);
    if (status != NVFP4_OK)
        return status;
    for (size_t i = *index; i < (size_t)diff->count; i++) {
        int inside = 1;
        for (int dim = 0; dim < DIMS && inside; dim++)
            inside = (int)(diff->regions[i].values.set[dim] >> point.value[dim] & 1);
        if (inside) {
            *index = i;
            return NVFP4_OK;
        }
    }
    return NVFP4_EUNKNOWN;
}

nvfp4_status nvfp4_diff_region_at(const nvfp4_diff *diff, size_t index, nvfp4_diff_region *region)
{
    if (diff == NULL || region == NULL || index >= (size_t)diff->count)
        return NVFP4_EINVAL;
    if (region->struct_size < sizeof(nvfp4_diff_region))
        return NVFP4_EABI;
    const struct diff_region *r = &diff->regions[index];
    region->from = diff->outcomes.name[r->from].backend;
    region->from_kernel = diff->outcomes.name[r->from].kernel;
    region->to = diff->outcomes.name[r->to].backend;
    region->to_kernel = diff->outcomes.name[r->to].kernel;
    region->devices = r->values.set[DIM_DEVICE];
    region->rarity = r->rarity;
    region->reserved = 0;
    return NVFP4_OK;
}

void nvfp4_diff_unite(const struct nvfp4_diff *diff, struct diff_box *all)
{
    for (int dim = 0; dim < DIMS; dim++) {
        all->set[dim] = 0;
        for (int i = 0; i < diff->count; i++)
            all->set[dim] |= diff->regions[i].values.set[dim];
    }
}
