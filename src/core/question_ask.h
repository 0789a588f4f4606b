/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_QUESTION_ASK_H
#define NVFP4_CORE_QUESTION_ASK_H

/*
 * How a request becomes a question. In a header so that the hot path (accept.c) has it inline; all
 * else calls nvfp4_question_ask().
 */
#include <string.h>

#include "core/question.h"

static inline int device_index(const nvfp4_device_key *device)
{
    if (device->vendor == NVFP4_VENDOR_NVIDIA) {
        const nvfp4_sm sm = device->sm;
        if ((uint32_t)(sm - 80) < 50) /* nearly always: each SM of 80 to 129 has a bit of its own */
            return SM_INDEX(80) + (sm - 80);
        return sm >= 10 && sm <= 999 ? SM_INDEX(sm) : -1;
    }
    return nvfp4_question_other_device(device);
}

static inline int in_range(int32_t value, int32_t count)
{
    return (uint32_t)value < (uint32_t)count;
}

/* Not NaN, not infinite, without <math.h>. */
static inline int is_finite(double x)
{
    return x - x == 0;
}

static inline int valid_numbers(const nvfp4_moe_layer *l)
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

static inline int valid_layer(const nvfp4_moe_layer *l)
{
    /* Sizes are 0 to 2^40 - 1, so one look at all their bits together is enough. */
    const uint64_t sizes = (uint64_t)(l->hidden_size | l->intermediate_size | l->num_experts | l->top_k);
    return in_range(l->scheme, NVFP4_SCHEME_COUNT) &&
           in_range(l->activation, NVFP4_ACTIVATION_COUNT) &&
           in_range(l->routing, NVFP4_ROUTING_COUNT) &&
           in_range(l->router_dtype, NVFP4_ROUTER_DTYPE_COUNT) &&
           in_range(l->dtype, NVFP4_DTYPE_COUNT) && sizes <= (uint64_t)NVFP4_SIZE_MAX &&
           (l->num_experts == 0 || l->top_k <= l->num_experts) && valid_numbers(l);
}

static inline int valid_deployment(const nvfp4_deployment *d)
{
    /* Degrees are 1 to 2^20: the bits of the degrees less one. */
    const uint32_t degrees = ((uint32_t)d->tensor_parallel - 1) | ((uint32_t)d->data_parallel - 1) |
                             ((uint32_t)d->context_parallel - 1) | ((uint32_t)d->sequence_parallel - 1);
    return degrees < 1u << 20 && in_range(d->all2all, NVFP4_ALL2ALL_COUNT) &&
           in_range(d->format, NVFP4_FORMAT_COUNT) &&
           (d->requested & ~63) == 0 &&
           in_range(d->humming_gemm, NVFP4_HUMMING_GEMM_COUNT);
}

/* Nearly always there are none. */
static inline int valid_arrays(const nvfp4_deployment *d)
{
    return (d->target_count | d->peer_count) == 0 || nvfp4_question_arrays_valid(d);
}

/* The all2all kernels that move tokens; NONE: none are in use. */
static inline int32_t all2all_in_use(const nvfp4_deployment *d, const nvfp4_policy *policy, int ep)
{
    const int32_t others = policy->all2all_by_dp_only ? 1 : d->context_parallel | d->sequence_parallel;
    if (!ep || (d->data_parallel | others) == 1) /* all are 1 or more */
        return NVFP4_ALL2ALL_NONE;
    return d->all2all != NVFP4_ALL2ALL_NONE ? d->all2all : NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER;
}

static inline int is_batched(const nvfp4_deployment *d, int32_t all2all)
{
    /* by format: all2all kinds with which the tokens are batched */
    static const uint16_t kinds[NVFP4_FORMAT_COUNT] = {
        [NVFP4_FORMAT_AUTO] = 1 << NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY | 1 << NVFP4_ALL2ALL_NIXL_EP,
        [NVFP4_FORMAT_BATCHED] = 0xffff,
    };
    return kinds[d->format] >> all2all & 1;
}

/* The bit of a device's number: 101 has none of its own. */
static inline uint64_t device_bit(int index)
{
    return DEVICE_BIT(index == SM_INDEX(101) ? SM_INDEX(110) : index);
}

/* The bytes of either struct that are 0 or 1, as one number; which byte is where does not matter. */
static inline uint32_t layer_switches(const nvfp4_moe_layer *l)
{
    uint32_t bytes;
    memcpy(&bytes, &l->bias, sizeof bytes); /* bias to the first reserved byte */
    return bytes;
}

static inline uint32_t deployment_switches(const nvfp4_deployment *d)
{
    uint32_t bytes;
    memcpy(&bytes, &d->expert_parallel, sizeof bytes); /* expert_parallel to batch_invariant */
    return bytes;
}

/* A flag of 0 or 1, moved to its place. */
#define AT(name, value) ((uint32_t)(value) * FLAG_##name)

/* The activations without a gate come last, from a power of two on: dividing by it tells them. */
_Static_assert(NVFP4_ACTIVATION_SILU_NO_MUL == 8 && NVFP4_ACTIVATION_COUNT <= 16, "one bit tells");

static inline uint32_t question_flags(const nvfp4_moe_layer *l, const nvfp4_deployment *d, int ep)
{
    uint32_t flags = AT(NON_GATED, (uint32_t)l->activation / NVFP4_ACTIVATION_SILU_NO_MUL) |
                     AT(LIMIT, (l->has & NVFP4_HAS_SWIGLU_LIMIT) != 0) | AT(EP, ep);
    if (deployment_switches(d) != 0)
        flags |= AT(EPLB, d->eplb) | AT(LORA, d->lora) | AT(BATCH_INVARIANT, d->batch_invariant);
    if (layer_switches(l) != 0)
        flags |= AT(BIAS, l->bias) | AT(ROUTER_WEIGHT_ON_INPUT, l->router_weight_on_input) |
                 AT(PER_TOKEN_SCALE, l->per_token_activation_scale);
    return flags;
}

/* What the user's backend means in batched format. */
static inline int32_t batched_backend(const nvfp4_policy *p, int32_t asked)
{
    for (int i = 0; i < p->word_count; i++)
        if (p->words[i].backend == asked && p->words[i].batched != 0)
            return p->words[i].batched;
    return asked;
}

/* One word for each of the policy's own keys: what is set, else the default. 0: two words of one key. */
static inline int read_custom(struct question *q)
{
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

/* The kernels to choose from whose words fit. */
static inline nvfp4_kernel_set fitting(const struct question *restrict q)
{
    const nvfp4_moe_layer *l = q->layer;
    const struct nvfp4_compiled *c = q->policy->compiled;
    nvfp4_kernel_set set =
        c->device[q->device_index] & c->backend[q->requested] & c->value[SHIFT_SCHEME + l->scheme] &
        c->value[SHIFT_ACTIVATION + l->activation] & c->value[SHIFT_FORMAT + q->batched] &
        c->value[SHIFT_ROUTING + l->routing] & c->value[SHIFT_ROUTER_DTYPE + l->router_dtype] &
        c->value[SHIFT_DTYPE + l->dtype] & c->value[SHIFT_ALL2ALL + q->all2all] &
        c->value[SHIFT_HUMMING_GEMM + q->deployment->humming_gemm] &
        c->flags_low[q->flags & ((1u << FLAGS_LOW_BITS) - 1)] &
        c->flags_high[q->flags >> FLAGS_LOW_BITS];
    if (q->flags & FLAG_LIMIT)
        set &= ~c->drops[l->activation];
    if (q->custom != 0)
        for (int i = 0; i < q->policy->row_count; i++)
            if (q->custom & q->policy->rows[i].not_custom)
                set &= ~((nvfp4_kernel_set)1 << i);
    return set;
}

static inline nvfp4_status question_begin(struct question *restrict q,
                                          const nvfp4_moe_layer *layer,
                                          const nvfp4_deployment *deployment,
                                          const nvfp4_policy *policy)
{
    if (layer == NULL || deployment == NULL)
        return NVFP4_EINVAL;
    if (layer->struct_size < V1_SIZE(nvfp4_moe_layer, reserved) ||
        deployment->struct_size < V1_SIZE(nvfp4_deployment, custom))
        return NVFP4_EABI;
    const int device = device_index(&deployment->device);
    if (((layer_switches(layer) | deployment_switches(deployment)) & ~UINT32_C(0x01010101)) != 0 ||
        !valid_layer(layer) || device < 0 || !valid_deployment(deployment) ||
        !valid_arrays(deployment))
        return NVFP4_EINVAL;
    const int64_t ranks = (int64_t)deployment->tensor_parallel * deployment->data_parallel *
                          deployment->context_parallel;
    if (ranks > INT32_MAX)
        return NVFP4_EINVAL;

    q->layer = layer;
    q->deployment = deployment;
    q->policy = policy != NULL ? policy : nvfp4_policy_builtin(NULL);
    q->device_index = device;
    q->ranks = (int32_t)ranks;
    const int ep = deployment->expert_parallel & (ranks > 1);
    q->flags = question_flags(layer, deployment, ep);
    q->all2all = all2all_in_use(deployment, q->policy, ep);
    q->batched = is_batched(deployment, q->all2all);
    q->requested = deployment->requested;
    if (q->batched & (q->requested != NVFP4_BACKEND_NONE))
        q->requested = batched_backend(q->policy, q->requested);
    q->custom = 0;
    if (q->policy->custom_key_count != 0 && !read_custom(q))
        return NVFP4_EINVAL;
    q->fits = fitting(q);
    if (q->fits == 0 && q->policy->compiled->backend[q->requested] == 0)
        return NVFP4_EINVAL; /* the policy has no such backend */
    return NVFP4_OK;
}

/* How the experts' width is divided, and what no kernel at all can do. */
static inline void divide_experts(struct question *q)
{
    const int64_t whole = q->layer->intermediate_size;
    q->share = q->flags & FLAG_EP ? 1 : q->ranks;
    q->width = whole;
    if (q->share > 1) {
        q->width = whole % q->share == 0 ? whole / q->share : 0;
        if (q->width == 0 && whole != 0)
            q->rules_out_all |= NVFP4_REASON_BIT(NVFP4_REASON_SHAPE);
    }
    if (q->all2all >= NVFP4_ALL2ALL_MORI_HIGH_THROUGHPUT && q->device != DEVICE_AMD)
        q->rules_out_all |= NVFP4_REASON_BIT(NVFP4_REASON_PARALLEL);
}

/* One bit in each column. */
static inline uint64_t question_values(const struct question *q)
{
    const nvfp4_moe_layer *layer = q->layer;
    return VALUE(SCHEME, layer->scheme) | VALUE(ACTIVATION, layer->activation) |
           VALUE(FORMAT, q->batched) | VALUE(ROUTING, layer->routing) |
           VALUE(ROUTER_DTYPE, layer->router_dtype) | VALUE(DTYPE, layer->dtype) |
           VALUE(ALL2ALL, q->all2all) | VALUE(HUMMING_GEMM, q->deployment->humming_gemm);
}

/* A deployment that says nothing beyond the words: all built, no versions, no peers, a width to share. */
static inline int question_is_usual(const struct question *q)
{
    const nvfp4_deployment *d = q->deployment;
    uint64_t said = d->not_built | d->disabled | d->target_count | d->peer_count;
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++)
        said |= d->libraries[i];
    return said == 0 &&
           (q->ranks == 1 || (q->flags & FLAG_EP) || q->layer->intermediate_size % q->ranks == 0) &&
           q->all2all < NVFP4_ALL2ALL_MORI_HIGH_THROUGHPUT;
}

/* Can no condition and no erratum of the kernel matter? Needs a usual deployment. */
static inline int question_is_plain(const struct question *q, int kernel)
{
    const struct nvfp4_trigger *t = &q->policy->compiled->trigger[kernel];
    if ((t->device >> q->device_index & 1) || (t->flags & q->flags))
        return 0;
    return t->values == 0 || (t->values & question_values(q)) == 0;
}

/* Is it known without a look at its clamp rules that the kernel serves limit, alpha and beta? */
static inline int question_clamp_is_served(const struct question *q, int kernel)
{
    const struct nvfp4_compiled *c = q->policy->compiled;
    const nvfp4_moe_layer *l = q->layer;
    if (q->policy->clamp_by_set)
        return 1;
    if (l->has & (NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA))
        return 0;
    if (q->flags & FLAG_LIMIT)
        return (int)(c->takes[l->activation] >> kernel & 1);
    return !(c->trigger[kernel].clamp >> (SHIFT_ACTIVATION + l->activation) & 1);
}

/* What conditions, clamp rules and errata look at. */
static inline void question_finish(struct question *restrict q)
{
    const nvfp4_moe_layer *layer = q->layer;
    const nvfp4_deployment *deployment = q->deployment;
    const int oai = layer->activation == NVFP4_ACTIVATION_SWIGLUOAI ||
                    layer->activation == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
    q->device = device_bit(q->device_index);
    q->values = question_values(q);
    q->sm = own_sm(deployment->device.sm);
    q->limit = layer->swiglu_limit;
    q->alpha = layer->has & NVFP4_HAS_SWIGLU_ALPHA ? layer->swiglu_alpha : oai ? 1.702 : 1.0;
    q->beta = layer->has & NVFP4_HAS_SWIGLU_BETA ? layer->swiglu_beta : oai ? 1.0 : 0.0;
    q->rules_out_all = 0;
    divide_experts(q);
    q->mixed_peers = 0;
    if (deployment->peer_count != 0)
        nvfp4_question_see_peers(q);
}

#endif
