/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_sweep.h"

#include <stdio.h>
#include <string.h>

static uint64_t state;

/* splitmix64 */
static uint64_t next(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int32_t below(int32_t n)
{
    return (int32_t)(next() % (uint64_t)n);
}

#define ONE_OF(array) ((array)[below((int32_t)(sizeof(array) / sizeof((array)[0])))])

static nvfp4_device_key device(void)
{
    static const nvfp4_sm sms[] = { 50,  70,  75,  80,  86,  89,  90,  100, 101,
                                    103, 107, 110, 119, 120, 121, 125, 130, 150 };
    nvfp4_device_key key = { NVFP4_VENDOR_NVIDIA, ONE_OF(sms), "" };
    if (below(40) == 0)
        key = (nvfp4_device_key){ 1 + below(2), 0, "" };
    return key;
}

static void make_layer(nvfp4_moe_layer *l)
{
    static const double limits[] = { 7.0, 7.0, 10.0, 0.5 };
    static const double alphas[] = { 1.0, 1.702 }, betas[] = { 0.0, 1.0 };
    static const double situ[] = { 4.0, 25.0, 4.0, 25.0, 1.0 };
    static const int64_t widths[] = { 0, 2048, 1408, 704, 640, 96, 2112 };
    static const int64_t experts[] = { 0, 8, 256, 512, 992, 1024, 2000 };
    const nvfp4_moe_layer initial = NVFP4_MOE_LAYER_INIT;
    *l = initial;
    l->scheme = below(3) ? 0 : below(NVFP4_SCHEME_COUNT);
    l->activation = below(3) ? 0 : below(NVFP4_ACTIVATION_COUNT);
    l->routing = below(3) ? l->routing : below(NVFP4_ROUTING_COUNT);
    l->router_dtype = below(4) ? l->router_dtype : below(NVFP4_ROUTER_DTYPE_COUNT);
    l->dtype = below(4) ? l->dtype : below(NVFP4_DTYPE_COUNT);
    l->has = (uint32_t)next() & 31 & (uint32_t)next();
    l->swiglu_limit = ONE_OF(limits);
    l->swiglu_alpha = ONE_OF(alphas);
    l->swiglu_beta = ONE_OF(betas);
    l->situ_beta = ONE_OF(situ);
    l->situ_linear_beta = ONE_OF(situ);
    l->hidden_size = below(2) ? 0 : 2560;
    l->intermediate_size = ONE_OF(widths);
    l->num_experts = ONE_OF(experts);
    l->top_k = below(2) ? 0 : 1 + below(8);
    if (l->num_experts == 512 && l->intermediate_size == 640)
        l->top_k = below(2) ? 10 : l->top_k;
    l->bias = below(8) == 0;
    l->router_weight_on_input = below(8) == 0;
    l->per_token_activation_scale = below(8) == 0;
}

static void make_libraries(nvfp4_deployment *d)
{
    static const char *const versions[] = { "0.2.9",     "0.2.10",      "0.2.12",       "0.4.0",
                                            "0.6.3",     "0.6.8.post1", "0.6.14",       "0.6.15",
                                            "0.6.16rc4", "0.6.16",      "0.6.16.post4", "0.6.17",
                                            "0.6.18",    "0.22.0",      "0.23.0",       "1.2.6",
                                            "4.5.0",     "4.6.0",       "4.8.0",        "12.8",
                                            "12.9",      "13.0" };
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        if (below(2))
            continue;
        if (below(12) == 0)
            d->libraries[i] = NVFP4_LIBRARY_ABSENT;
        else
            nvfp4_version_parse(ONE_OF(versions), &d->libraries[i]);
    }
}

void sweep_make(struct sweep_request *request, uint64_t seed)
{
    const nvfp4_deployment initial = NVFP4_DEPLOYMENT_INIT;
    nvfp4_deployment *const d = &request->deployment;
    state = seed * UINT64_C(0xd1342543de82ef95);
    make_layer(&request->layer);
    *d = initial;
    d->device = device();
    d->requested = below(2) ? NVFP4_BACKEND_NONE : below(NVFP4_BACKEND_COUNT);
    d->tensor_parallel = 1 << below(4);
    d->data_parallel = 1 << (below(3) == 0);
    d->context_parallel = 1 << (below(6) == 0);
    d->sequence_parallel = 1 << (below(6) == 0);
    d->all2all = below(2) ? 0 : below(NVFP4_ALL2ALL_COUNT);
    d->format = below(4) ? 0 : below(NVFP4_FORMAT_COUNT);
    d->humming_gemm = below(2);
    d->expert_parallel = below(2) == 0;
    d->eplb = below(10) == 0;
    d->lora = below(12) == 0;
    d->batch_invariant = below(12) == 0;
    make_libraries(d);
    d->not_built = below(4) ? 0 : next() & next();
    d->disabled = below(4) ? 0 : next() & next();
    d->errata_off = below(4) ? 0 : next();
    d->custom = below(4) ? 0 : next() & next() & next() & next();
    for (size_t i = 0; i < 3; i++)
        request->peers[i] = below(4) ? d->device : device();
    for (size_t i = 0; i < 2; i++)
        request->targets[i] = (nvfp4_target){ 10 * (7 + below(6)), below(4) };
    d->peers = request->peers;
    d->peer_count = below(4) ? 0 : 3;
    d->targets = request->targets;
    d->target_count = below(4) ? 0 : 2;
}

/* Text that both may have, or neither. */
static int same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int same_selection(const nvfp4_selection *a, const nvfp4_selection *b)
{
    return a->backend == b->backend && a->kernel == b->kernel && a->scheme == b->scheme &&
           a->asked == b->asked;
}

static int same_forward(const nvfp4_forward *x, const nvfp4_forward *y)
{
    return x->has_limit == y->has_limit && x->limit_space == y->limit_space &&
           x->after_activation == y->after_activation && x->halves == y->halves &&
           x->limit == y->limit && x->alpha == y->alpha && x->beta == y->beta &&
           x->intermediate == y->intermediate && x->intermediate_padded == y->intermediate_padded &&
           x->hidden_padded == y->hidden_padded;
}

int sweep_same_choice(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                      const nvfp4_policy *a, const nvfp4_policy *b)
{
    nvfp4_selection x, y;
    nvfp4_kernel_set s = 0, t = 0;
    const nvfp4_status status = nvfp4_select_backend(layer, deployment, a, &x);
    if (status != nvfp4_select_backend(layer, deployment, b, &y) ||
        nvfp4_eligible_kernels(layer, deployment, a, &s) !=
            nvfp4_eligible_kernels(layer, deployment, b, &t))
        return 0;
    return s == t && (status != NVFP4_OK || same_selection(&x, &y));
}

/* What is chosen fast is what the verdicts say. */
static int hot_path_agrees(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                           const nvfp4_policy *policy, const nvfp4_verdicts *verdicts)
{
    nvfp4_selection selection;
    const nvfp4_status status = nvfp4_select_backend(layer, deployment, policy, &selection);
    return (int)status == verdicts->status &&
           (status != NVFP4_OK || same_selection(&selection, &verdicts->selection));
}

int sweep_same(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
               const nvfp4_policy *a, const nvfp4_policy *b)
{
    nvfp4_verdicts x = NVFP4_VERDICTS_INIT, y = NVFP4_VERDICTS_INIT;
    const nvfp4_status status = nvfp4_judge(layer, deployment, a, &x);
    if (status != nvfp4_judge(layer, deployment, b, &y)) {
        fprintf(stderr, "one policy takes the request, the other does not\n");
        return 0;
    }
    if (status != NVFP4_OK)
        return 1;
    uint64_t f = 0, g = 0;
    if (nvfp4_fingerprint(layer, deployment, a, &f) !=
            nvfp4_fingerprint(layer, deployment, b, &g) ||
        f != g || !hot_path_agrees(layer, deployment, a, &x) ||
        !hot_path_agrees(layer, deployment, b, &y)) {
        fprintf(stderr, "fingerprints, or the hot path\n");
        return 0;
    }
    for (int i = 0; i < x.kernel_count; i++) {
        nvfp4_forward to, too;
        if (nvfp4_forward_to(layer, deployment, a, i, &to) != NVFP4_OK ||
            nvfp4_forward_to(layer, deployment, b, i, &too) != NVFP4_OK ||
            !same_forward(&to, &too)) {
            fprintf(stderr, "kernel %d: something else is forwarded\n", i);
            return 0;
        }
        if (x.reasons[i] != y.reasons[i]) {
            fprintf(stderr, "kernel %d: reasons %x and %x\n", i, x.reasons[i], y.reasons[i]);
            return 0;
        }
    }
    return x.status == y.status && x.kernel_count == y.kernel_count && x.eligible == y.eligible &&
           x.unchecked == y.unchecked && x.warnings == y.warnings && x.requested == y.requested &&
           same_text(x.doubt, y.doubt) && same_selection(&x.selection, &y.selection);
}
