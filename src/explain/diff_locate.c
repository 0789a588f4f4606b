/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to its point in the space. */
#include "explain/diff_space.h"

#include <string.h>

static uint8_t locate_version(const struct diff_space *space, int library,
                              nvfp4_library_version have)
{
    const nvfp4_library_version *list = space->version[library];
    const int count = space->count[DIM_FLASHINFER + library];
    int v = VERSION_OLDER;
    if (have == NVFP4_LIBRARY_ABSENT)
        return VERSION_ABSENT;
    if (have == NVFP4_LIBRARY_UNKNOWN)
        return VERSION_NEWEST;
    /* The newest threshold itself is not in the list: what is not older than it is the newest. */
    while (v < count && have >= list[v + 1])
        v++;
    return (uint8_t)(v < count ? v : VERSION_NEWEST);
}

static int locate_numbers(const struct diff_space *space, const nvfp4_moe_layer *l,
                          const struct question *q, uint8_t *value)
{
    int v = space->count[DIM_LIMIT] - 1;
    while (v > 1 && space->limit[v - 1] != l->swiglu_limit)
        v--;
    /* v - 1 is the constant that is equal, or 0: the last value stands for all others */
    value[DIM_LIMIT] = (uint8_t)(!(l->has & NVFP4_HAS_SWIGLU_LIMIT) ? 0
                                 : v > 1                            ? v - 1
                                                                    : space->count[DIM_LIMIT] - 1);
    v = space->count[DIM_CONSTANTS] - 1;
    while (v > 1 &&
           (space->constants[v - 1].alpha != q->alpha || space->constants[v - 1].beta != q->beta))
        v--;
    value[DIM_CONSTANTS] =
        (uint8_t)(!(l->has & (NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA)) ? 0
                  : v > 1                                                      ? v - 1
                          : space->count[DIM_CONSTANTS] - 1);
    const uint32_t betas = l->has & (NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA);
    const int other = ((betas & NVFP4_HAS_SITU_BETA) && l->situ_beta != 4) ||
                      ((betas & NVFP4_HAS_SITU_LINEAR_BETA) && l->situ_linear_beta != 25);
    const int both = betas == (NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA);
    value[DIM_SITU] = (uint8_t)(other ? SITU_OTHER : both ? SITU_USUAL : SITU_ABSENT);
    const int64_t sizes[] = { q->width, l->num_experts, l->hidden_size, l->top_k };
    for (int dim = DIM_WIDTH; dim <= DIM_TOP_K; dim++) {
        const uint64_t *list = space->mark[dim - DIM_WIDTH];
        const uint64_t mark = nvfp4_diff_size_mark(space, dim, sizes[dim - DIM_WIDTH]);
        for (v = 0; v < space->count[dim] && list[v] != mark; v++)
            ;
        if (v == space->count[dim])
            return 0;
        value[dim] = (uint8_t)v;
    }
    return 1;
}

static uint8_t locate_parallel(const nvfp4_deployment *d, const struct question q[2])
{
    const uint64_t batched = BATCHED;
    if (!(q[0].flags & FLAG_EP))
        return (uint8_t)(2 * WAY_NO_EP + ((q[0].values & batched) != 0));
    const int named =
        d->all2all != NVFP4_ALL2ALL_NONE ? d->all2all : NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER;
    const int way = d->data_parallel > 1                                  ? WAY_DP + named - 1
                    : d->context_parallel > 1 || d->sequence_parallel > 1 ? WAY_CP + named - 1
                                                                          : WAY_EP;
    if ((q[0].values ^ q[1].values) & batched)
        return named == NVFP4_ALL2ALL_NIXL_EP ? PARALLEL_AUTO_NIXL : PARALLEL_AUTO_DEEPEP;
    return (uint8_t)(2 * way + ((q[0].values & batched) != 0));
}

/* The bit number of a set of one. */
static uint8_t bit_of(uint64_t set)
{
    uint8_t bit = 0;
    while (bit < 63 && !(set >> bit & 1))
        bit++;
    return bit;
}

nvfp4_status nvfp4_diff_locate(const struct diff_space *space, const nvfp4_moe_layer *layer,
                               const nvfp4_deployment *deployment, const char *word,
                               struct diff_point *point)
{
    struct question q[2];
    nvfp4_deployment d = *deployment;
    uint8_t *value = point->value;
    d.requested = NVFP4_BACKEND_NONE;
    for (int p = 0; p < 2; p++) {
        const nvfp4_status status = nvfp4_question_ask(&q[p], layer, &d, space->policy[p]);
        if (status != NVFP4_OK)
            return status;
    }
    int v = 0;
    while (v < space->count[DIM_ASKED] && strcmp(space->word[v], word != NULL ? word : "auto") != 0)
        v++;
    if (v == space->count[DIM_ASKED]) /* a name that neither policy knows */
        return NVFP4_EUNKNOWN;
    if (d.not_built != 0 || d.target_count != 0 || d.disabled != 0 || d.errata_off != 0 ||
        d.custom != 0 || q[0].mixed_peers || q[0].rules_out_all != 0)
        return NVFP4_ELIMIT;
    value[DIM_ASKED] = (uint8_t)v;
    value[DIM_DEVICE] = bit_of(q[0].device);
    value[DIM_SCHEME] = (uint8_t)layer->scheme;
    value[DIM_ACTIVATION] = (uint8_t)layer->activation;
    value[DIM_PARALLEL] = locate_parallel(&d, q);
    value[DIM_ROUTING] = (uint8_t)diff_routing(layer->routing);
    value[DIM_ROUTER_DTYPE] = (uint8_t)layer->router_dtype;
    value[DIM_DTYPE] = (uint8_t)layer->dtype;
    value[DIM_HUMMING_GEMM] = (uint8_t)d.humming_gemm;
    value[DIM_EPLB] = d.eplb != 0;
    value[DIM_LORA] = d.lora != 0;
    value[DIM_BATCH_INVARIANT] = d.batch_invariant != 0;
    value[DIM_BIAS] = layer->bias != 0;
    value[DIM_ROUTER_WEIGHT_ON_INPUT] = layer->router_weight_on_input != 0;
    value[DIM_PER_TOKEN_SCALE] = layer->per_token_activation_scale != 0;
    for (int i = 0; i < KEYS_MAX; i++)
        value[DIM_KEY_1 + i] = 0; /* left out: `custom` is 0 */
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++)
        value[DIM_FLASHINFER + i] = locate_version(space, i, d.libraries[i]);
    return locate_numbers(space, layer, &q[0], value) ? NVFP4_OK : NVFP4_ELIMIT;
}
