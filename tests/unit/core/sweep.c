/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "core/rule.h"

#define PICK(n, values) ((values)[take(n, COUNT_OF(values))])

static uint64_t take(uint64_t *n, size_t count)
{
    const uint64_t value = *n % count;
    *n /= count;
    return value;
}

static const nvfp4_sm sms[] = { 50, 60, 70, 75, 80, 86, 87, 89, 90, 100, 101, 103, 107, 110, 120, 121, 130 };
static const nvfp4_library_version flashinfers[] = {
    NVFP4_LIBRARY_UNKNOWN, NVFP4_LIBRARY_ABSENT, VERSION(0, 6, 8),  VERSION(0, 6, 14),
    VERSION(0, 6, 15),     VERSION(0, 6, 17),    VERSION(0, 6, 18),
};
static const nvfp4_library_version cudas[] = { NVFP4_LIBRARY_UNKNOWN, VERSION(12, 8, 0), VERSION(13, 0, 0) };
static const double limits[] = { 0, 7.0, 10.0 };

static void set_limit(nvfp4_moe_layer *layer, double limit)
{
    layer->has &= ~(uint32_t)NVFP4_HAS_SWIGLU_LIMIT;
    if (limit > 0)
        layer->has |= NVFP4_HAS_SWIGLU_LIMIT;
    layer->swiglu_limit = limit;
}

static void set_device(nvfp4_deployment *d, uint64_t n)
{
    d->device = (nvfp4_device_key){ NVFP4_VENDOR_NVIDIA, 0, "" };
    if (n < COUNT_OF(sms))
        d->device.sm = sms[n];
    else
        d->device.vendor = n == COUNT_OF(sms) ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_INTEL;
}

/* What decides together: all devices, schemes, activations, limits, backends and versions. */
static int sweep_kernels(struct sweep *s, uint64_t n)
{
    set_device(&s->deployment, take(&n, COUNT_OF(sms) + 2));
    s->layer.scheme = (int32_t)take(&n, NVFP4_SCHEME_COUNT);
    s->layer.activation = (int32_t)take(&n, NVFP4_ACTIVATION_COUNT);
    set_limit(&s->layer, PICK(&n, limits));
    s->deployment.requested = (int32_t)take(&n, NVFP4_BACKEND_COUNT);
    s->deployment.libraries[NVFP4_LIBRARY_FLASHINFER] = PICK(&n, flashinfers);
    return n == 0;
}

/* Parallelism, format, routing and types, for layers that different kernels win. */
static int sweep_parallel(struct sweep *s, uint64_t n)
{
    static const nvfp4_sm some[] = { 90, 100, 120 };
    static const int32_t activations[] = { NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_RELU2_NO_MUL };
    s->deployment.device.sm = PICK(&n, some);
    s->layer.activation = PICK(&n, activations);
    set_limit(&s->layer, take(&n, 2) ? 10.0 : 0);
    const uint64_t ranks = take(&n, 5);
    s->deployment.tensor_parallel = ranks == 1 || ranks == 4 ? 2 : 1;
    s->deployment.data_parallel = ranks == 2 ? 2 : 1;
    s->deployment.context_parallel = ranks == 3 ? 2 : 1;
    s->deployment.sequence_parallel = ranks == 4 ? 2 : 1;
    s->deployment.expert_parallel = (uint8_t)take(&n, 2);
    s->deployment.all2all = (int32_t)take(&n, NVFP4_ALL2ALL_COUNT);
    s->deployment.format = (int32_t)take(&n, NVFP4_FORMAT_COUNT);
    s->layer.routing = (int32_t)take(&n, NVFP4_ROUTING_COUNT);
    s->layer.router_dtype = (int32_t)take(&n, NVFP4_ROUTER_DTYPE_COUNT);
    s->deployment.eplb = (uint8_t)take(&n, 2);
    return n == 0;
}

static uint64_t draw(struct sweep *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random >> 11;
}

/* Mostly the usual value, so that requests with one or two oddities are common. */
static uint64_t odd(struct sweep *s, size_t count)
{
    return draw(s) % 4 == 0 ? draw(s) % count : 0;
}

static void random_layer(struct sweep *s)
{
    static const int64_t widths[] = { 2048, 704, 1856, 640, 1280, 0, 2047 };
    static const int64_t experts[] = { 256, 16, 512, 992, 993, 0 };
    nvfp4_moe_layer *l = &s->layer;
    l->scheme = (int32_t)odd(s, NVFP4_SCHEME_COUNT);
    l->activation = (int32_t)(draw(s) % NVFP4_ACTIVATION_COUNT);
    set_limit(l, limits[draw(s) % COUNT_OF(limits)]);
    l->has |= draw(s) % 8 == 0 ? NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA : 0;
    l->swiglu_alpha = draw(s) % 2 ? 1.702 : 1.0;
    l->swiglu_beta = draw(s) % 2 ? 1.0 : 0.0;
    l->has |= draw(s) % 4 == 0 ? NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA : 0;
    l->situ_beta = draw(s) % 2 ? 4.0 : 3.0;
    l->situ_linear_beta = 25.0;
    l->routing = (int32_t)(draw(s) % NVFP4_ROUTING_COUNT);
    l->router_dtype = (int32_t)odd(s, NVFP4_ROUTER_DTYPE_COUNT);
    l->dtype = (int32_t)odd(s, NVFP4_DTYPE_COUNT);
    l->hidden_size = draw(s) % 4 ? 4096 : 2560;
    l->intermediate_size = widths[odd(s, COUNT_OF(widths))];
    l->num_experts = experts[odd(s, COUNT_OF(experts))];
    l->top_k = l->num_experts ? 1 + (int64_t)(draw(s) % 10) : 0;
    l->bias = odd(s, 2) != 0;
    l->router_weight_on_input = odd(s, 2) != 0;
    l->per_token_activation_scale = odd(s, 2) != 0;
}

static void random_deployment(struct sweep *s)
{
    static const nvfp4_target targets[] = { { 90, NVFP4_TARGET_ARCH }, { 100, NVFP4_TARGET_FAMILY },
                                            { 120, NVFP4_TARGET_ARCH } };
    static const nvfp4_device_key peers[] = { { NVFP4_VENDOR_NVIDIA, 120, "" },
                                              { NVFP4_VENDOR_NVIDIA, 90, "" } };
    nvfp4_deployment *d = &s->deployment;
    set_device(d, draw(s) % (COUNT_OF(sms) + 2));
    d->requested = draw(s) % 2 ? (int32_t)(draw(s) % NVFP4_BACKEND_COUNT) : NVFP4_BACKEND_NONE;
    d->tensor_parallel = 1 << odd(s, 4);
    d->data_parallel = 1 << odd(s, 3);
    d->context_parallel = 1 << odd(s, 2);
    d->sequence_parallel = 1 << odd(s, 2);
    d->expert_parallel = draw(s) % 2;
    d->all2all = (int32_t)(draw(s) % NVFP4_ALL2ALL_COUNT);
    d->format = (int32_t)odd(s, NVFP4_FORMAT_COUNT);
    d->humming_gemm = (int32_t)odd(s, NVFP4_HUMMING_GEMM_COUNT);
    d->eplb = odd(s, 2) != 0;
    d->lora = odd(s, 2) != 0;
    d->batch_invariant = odd(s, 2) != 0;
    if (draw(s) % 2) {
        d->libraries[NVFP4_LIBRARY_FLASHINFER] = flashinfers[draw(s) % COUNT_OF(flashinfers)];
        d->libraries[NVFP4_LIBRARY_CUDA] = cudas[draw(s) % COUNT_OF(cudas)];
        d->libraries[NVFP4_LIBRARY_HUMMING] = draw(s) % 2 ? NVFP4_LIBRARY_ABSENT : 0;
        d->libraries[NVFP4_LIBRARY_B12X] = draw(s) % 2 ? VERSION(0, 20, 0) : 0;
    }
    d->not_built = odd(s, 2) ? draw(s) & 0x7fe : 0;
    d->disabled = odd(s, 2) ? draw(s) & 0x1fff : 0;
    d->errata_off = odd(s, 2) ? draw(s) & 0x1f : 0;
    d->targets = odd(s, 2) ? targets : NULL;
    d->target_count = d->targets != NULL ? COUNT_OF(targets) : 0;
    d->peers = odd(s, 2) ? peers : NULL;
    d->peer_count = d->peers != NULL ? COUNT_OF(peers) : 0;
}

static void reset(struct sweep *s)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    s->layer = layer;
    s->deployment = deployment;
}

static int make(struct sweep *s)
{
    reset(s);
    switch (s->part) {
    case 0:
        return sweep_kernels(s, s->number);
    case 1:
        return sweep_parallel(s, s->number);
    case 2:
        random_layer(s);
        random_deployment(s);
        return s->number < SWEEP_RANDOM;
    default:
        return 0;
    }
}

void sweep_begin(struct sweep *s)
{
    memset(s, 0, sizeof *s);
    s->random = 88172645463325252u;
    make(s);
}

uint64_t sweep_stride(void)
{
    const char *text = getenv("NVFP4_SWEEP_STRIDE");
    const unsigned long stride = text != NULL ? strtoul(text, NULL, 10) : 1;
    return stride != 0 ? stride : 1;
}

int sweep_next(struct sweep *s)
{
    s->number += sweep_stride();
    while (!make(s)) {
        if (s->part >= 2)
            return 0;
        s->part++;
        s->number = 0;
    }
    return 1;
}
