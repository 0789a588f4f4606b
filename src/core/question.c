/* SPDX-License-Identifier: Apache-2.0 */
#include "core/question.h"

/* All members up to the last of the first release. */
#define V1_SIZE(type, last) (offsetof(type, last) + sizeof(((const type *)0)->last))

static int in_range(int32_t value, int32_t count)
{
    return (uint32_t)value < (uint32_t)count;
}

/* Not NaN, not infinite, without <math.h>. */
static int is_finite(double x)
{
    return x - x == 0;
}

static int is_size(int64_t n)
{
    return n >= 0 && n <= NVFP4_SIZE_MAX;
}

static int valid_numbers(const nvfp4_moe_layer *l)
{
    const uint32_t has = l->has;
    if (has == 0)
        return 1;
    return !(((has & NVFP4_HAS_SWIGLU_LIMIT) && !(is_finite(l->swiglu_limit) && l->swiglu_limit > 0)) ||
             ((has & NVFP4_HAS_SWIGLU_ALPHA) && !is_finite(l->swiglu_alpha)) ||
             ((has & NVFP4_HAS_SWIGLU_BETA) && !is_finite(l->swiglu_beta)) ||
             ((has & NVFP4_HAS_SITU_BETA) && !is_finite(l->situ_beta)) ||
             ((has & NVFP4_HAS_SITU_LINEAR_BETA) && !is_finite(l->situ_linear_beta)));
}

static int valid_layer(const nvfp4_moe_layer *l)
{
    return in_range(l->scheme, NVFP4_SCHEME_COUNT) &&
           in_range(l->activation, NVFP4_ACTIVATION_COUNT) &&
           in_range(l->routing, NVFP4_ROUTING_COUNT) &&
           in_range(l->router_dtype, NVFP4_ROUTER_DTYPE_COUNT) &&
           in_range(l->dtype, NVFP4_DTYPE_COUNT) && is_size(l->hidden_size) &&
           is_size(l->intermediate_size) && is_size(l->num_experts) && is_size(l->top_k) &&
           (l->num_experts == 0 || l->top_k <= l->num_experts) && valid_numbers(l);
}

static int valid_degrees(const nvfp4_deployment *d)
{
    /* Each below 2^20, so that their product is exact. */
    const int32_t most = 1 << 20;
    return in_range(d->tensor_parallel - 1, most) && in_range(d->data_parallel - 1, most) &&
           in_range(d->context_parallel - 1, most) && in_range(d->sequence_parallel - 1, most);
}

static int valid_arrays(const nvfp4_deployment *d)
{
    if ((d->targets == NULL && d->target_count != 0) || (d->peers == NULL && d->peer_count != 0))
        return 0;
    for (size_t i = 0; i < d->peer_count; i++)
        if (question_device_bit(&d->peers[i]) == 0)
            return 0;
    return 1;
}

static nvfp4_sm own_name(nvfp4_sm sm)
{
    return sm == 101 ? 110 : sm; /* Thor's name under CUDA 12 */
}

uint64_t question_device_bit(const nvfp4_device_key *device)
{
    if (device->vendor == NVFP4_VENDOR_AMD)
        return DEVICE_AMD;
    if (device->vendor == NVFP4_VENDOR_INTEL)
        return DEVICE_INTEL;
    if (device->vendor != NVFP4_VENDOR_NVIDIA || device->sm < 10 || device->sm > 999)
        return 0;
    const nvfp4_sm sm = own_name(device->sm);
    return SM(sm);
}

/* Are the devices of the ranks not all alike? */
static int peers_differ(const nvfp4_deployment *d)
{
    for (size_t i = 0; i < d->peer_count; i++) {
        const nvfp4_device_key *peer = &d->peers[i], *own = &d->device;
        if (peer->vendor != own->vendor ||
            (own->vendor == NVFP4_VENDOR_NVIDIA && own_name(peer->sm) != own_name(own->sm)))
            return 1;
    }
    return 0;
}

/* Are tokens moved by all2all kernels, and in which format do they arrive? */
static uint64_t parallel_values(const nvfp4_deployment *d, const nvfp4_policy *policy, int ep)
{
    const int several = d->data_parallel > 1 ||
                        (!policy->all2all_by_dp_only &&
                         (d->context_parallel > 1 || d->sequence_parallel > 1));
    const int in_use = ep && several;
    int32_t all2all = in_use ? d->all2all : NVFP4_ALL2ALL_NONE;
    if (in_use && all2all == NVFP4_ALL2ALL_NONE)
        all2all = NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER;
    const int batched = d->format == NVFP4_FORMAT_AUTO
                            ? all2all == NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY ||
                                  all2all == NVFP4_ALL2ALL_NIXL_EP
                            : d->format == NVFP4_FORMAT_BATCHED;
    return VALUE(ALL2ALL, all2all) | (batched ? BATCHED : STANDARD);
}

static uint32_t question_flags(const nvfp4_moe_layer *l, const nvfp4_deployment *d, int ep)
{
    uint32_t flags = l->activation >= NVFP4_ACTIVATION_SILU_NO_MUL ? FLAG_NON_GATED : 0;
    flags |= l->has & NVFP4_HAS_SWIGLU_LIMIT ? FLAG_LIMIT : 0;
    flags |= ep ? FLAG_EP : 0;
    flags |= d->eplb ? FLAG_EPLB : 0;
    flags |= d->lora ? FLAG_LORA : 0;
    flags |= d->batch_invariant ? FLAG_BATCH_INVARIANT : 0;
    flags |= l->bias ? FLAG_BIAS : 0;
    flags |= l->router_weight_on_input ? FLAG_ROUTER_WEIGHT_ON_INPUT : 0;
    flags |= l->per_token_activation_scale ? FLAG_PER_TOKEN_SCALE : 0;
    return flags;
}

/* Activations whose own alpha and beta are SwiGLU-OAI's. */
static int is_oai(int32_t activation)
{
    return activation == NVFP4_ACTIVATION_SWIGLUOAI ||
           activation == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
}

/* What the user's backend means in this format, and whether the policy has it at all. */
static int resolve_requested(struct question *q)
{
    const nvfp4_policy *p = q->policy;
    int32_t asked = q->deployment->requested;
    if (asked == NVFP4_BACKEND_NONE) {
        q->requested = NVFP4_BACKEND_NONE;
        return 1;
    }
    for (int i = 0; i < p->word_count; i++)
        if (p->words[i].backend == asked && p->words[i].batched != 0 && (q->values & BATCHED)) {
            asked = p->words[i].batched;
            break;
        }
    q->requested = asked;
    for (int i = 0; i < p->row_count; i++)
        if (p->rows[i].backend == asked)
            return 1;
    return 0;
}

/* How the experts' width is divided, and what no kernel at all can do. */
static void divide_experts(struct question *q, int64_t ranks)
{
    const int64_t whole = q->layer->intermediate_size;
    q->share = (int32_t)(q->flags & FLAG_EP ? 1 : ranks);
    q->width = whole;
    if (q->share > 1) {
        q->width = whole % q->share == 0 ? whole / q->share : 0;
        if (q->width == 0 && whole != 0)
            q->rules_out_all |= NVFP4_REASON_BIT(NVFP4_REASON_SHAPE);
    }
    if (q->values & (ALL2ALL(MORI_HIGH_THROUGHPUT) | ALL2ALL(MORI_LOW_LATENCY)) &&
        q->device != DEVICE_AMD)
        q->rules_out_all |= NVFP4_REASON_BIT(NVFP4_REASON_PARALLEL);
}

/* One word for each of the policy's own keys: what is set, else the default. 0: two words of one key. */
static int read_custom(struct question *q)
{
    q->custom = 0;
    for (int i = 0; i < q->policy->custom_key_count; i++) {
        const struct nvfp4_custom_key *key = &q->policy->custom_keys[i];
        uint64_t word = q->deployment->custom & custom_key_bits(key);
        if (word == 0)
            word = (uint64_t)1 << key->first_bit;
        if (word & (word - 1))
            return 0;
        q->custom |= word;
    }
    return 1;
}

nvfp4_status question_ask(struct question *q, const nvfp4_moe_layer *layer,
                          const nvfp4_deployment *deployment, const nvfp4_policy *policy)
{
    if (layer == NULL || deployment == NULL)
        return NVFP4_EINVAL;
    if (layer->struct_size < V1_SIZE(nvfp4_moe_layer, reserved) ||
        deployment->struct_size < V1_SIZE(nvfp4_deployment, custom))
        return NVFP4_EABI;
    if (policy == NULL)
        policy = nvfp4_policy_builtin(NULL);
    q->layer = layer;
    q->deployment = deployment;
    q->policy = policy;
    q->device = question_device_bit(&deployment->device);
    if (!valid_layer(layer) || q->device == 0 || !valid_degrees(deployment) ||
        !in_range(deployment->all2all, NVFP4_ALL2ALL_COUNT) ||
        !in_range(deployment->format, NVFP4_FORMAT_COUNT) ||
        !in_range(deployment->humming_gemm, NVFP4_HUMMING_GEMM_COUNT) || !valid_arrays(deployment))
        return NVFP4_EINVAL;

    const int64_t ranks = (int64_t)deployment->tensor_parallel * deployment->data_parallel *
                          deployment->context_parallel;
    if (ranks > INT32_MAX)
        return NVFP4_EINVAL;
    const int ep = deployment->expert_parallel && ranks > 1;
    q->sm = own_name(deployment->device.sm);
    q->flags = question_flags(layer, deployment, ep);
    q->values = VALUE(SCHEME, layer->scheme) | VALUE(ACTIVATION, layer->activation) |
                VALUE(ROUTING, layer->routing) | VALUE(ROUTER_DTYPE, layer->router_dtype) |
                VALUE(DTYPE, layer->dtype) | VALUE(HUMMING_GEMM, deployment->humming_gemm) |
                parallel_values(deployment, policy, ep);
    q->rules_out_all = 0;
    divide_experts(q, ranks);
    q->mixed_peers = deployment->peer_count == 0 ? 0 : peers_differ(deployment);
    q->limit = layer->swiglu_limit;
    q->alpha = layer->has & NVFP4_HAS_SWIGLU_ALPHA ? layer->swiglu_alpha
               : is_oai(layer->activation)         ? 1.702
                                                   : 1.0;
    q->beta = layer->has & NVFP4_HAS_SWIGLU_BETA ? layer->swiglu_beta
              : is_oai(layer->activation)        ? 1.0
                                                 : 0.0;
    return read_custom(q) && resolve_requested(q) ? NVFP4_OK : NVFP4_EINVAL;
}
