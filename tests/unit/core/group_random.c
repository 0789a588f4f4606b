/* SPDX-License-Identifier: Apache-2.0 */
#include "group_random.h"

#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))
#define PICK(r, array) ((array)[rng_below(r, (uint32_t)COUNT(array))])

uint64_t rng_next(struct rng *r)
{
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

static int one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

nvfp4_moe_layer random_layer(struct rng *r)
{
    static const int32_t activations[] = {
        NVFP4_ACTIVATION_SILU,       NVFP4_ACTIVATION_SILU,
        NVFP4_ACTIVATION_SILU,       NVFP4_ACTIVATION_RELU2_NO_MUL,
        NVFP4_ACTIVATION_SWIGLUOAI,  NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE,
        NVFP4_ACTIVATION_SWIGLUSTEP, NVFP4_ACTIVATION_SITU
    };
    static const int64_t widths[] = { 0, 1024, 1856, 2048, 3072 };
    nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
    l.scheme = one_in(r, 3) ? (int32_t)rng_below(r, NVFP4_SCHEME_COUNT) : NVFP4_SCHEME_W4A4;
    l.activation = PICK(r, activations);
    if (one_in(r, 2)) {
        l.has = NVFP4_HAS_SWIGLU_LIMIT;
        l.swiglu_limit = one_in(r, 2) ? 7.0 : 10.0;
    }
    l.routing = (int32_t)rng_below(r, NVFP4_ROUTING_COUNT);
    l.hidden_size = 4096;
    l.intermediate_size = PICK(r, widths);
    l.num_experts = one_in(r, 8) ? 1024 : 256;
    l.top_k = 6;
    l.bias = (uint8_t)one_in(r, 8);
    return l;
}

nvfp4_deployment random_plan(struct rng *r, const nvfp4_policy *policy)
{
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    nvfp4_kernel_info info;
    if (one_in(r, 4) &&
        nvfp4_policy_kernel(policy, rng_below(r, (uint32_t)nvfp4_policy_kernel_count(policy)),
                            &info) == NVFP4_OK)
        d.requested = info.backend;
    d.tensor_parallel = 1 << rng_below(r, 3);
    d.data_parallel = 1 << rng_below(r, 2);
    d.expert_parallel = (uint8_t)one_in(r, 2);
    d.all2all = (int32_t)rng_below(r, NVFP4_ALL2ALL_COUNT);
    d.humming_gemm = (int32_t)rng_below(r, NVFP4_HUMMING_GEMM_COUNT);
    d.lora = (uint8_t)one_in(r, 10);
    d.eplb = (uint8_t)one_in(r, 10);
    return d;
}

nvfp4_device_key random_device(struct rng *r)
{
    static const nvfp4_sm sms[] = { 100, 101, 103, 107, 110, 120, 121, 90, 75, 52, 130, 131 };
    nvfp4_device_key device = { NVFP4_VENDOR_NVIDIA, 0, "" };
    if (one_in(r, 40))
        device.vendor = one_in(r, 2) ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_INTEL;
    else
        device.sm = sms[rng_below(r, one_in(r, 6) ? (uint32_t)COUNT(sms) : 7)];
    return device;
}

nvfp4_deployment random_rank(struct rng *r, const nvfp4_deployment *plan,
                             const nvfp4_policy *policy)
{
    static const char *const versions[] = { "0.2.11", "0.6.4",  "0.6.9",  "0.6.12", "0.6.15rc1",
                                            "0.6.16", "0.6.18", "0.22.0", "1.2.6",  "4.6.0",
                                            "12.8",   "12.9",   "13.0",   "13.2" };
    static const nvfp4_target targets[] = { { 90, NVFP4_TARGET_ARCH },
                                            { 100, NVFP4_TARGET_FAMILY },
                                            { 120, NVFP4_TARGET_FAMILY },
                                            { 130, NVFP4_TARGET_PLAIN },
                                            { 75, NVFP4_TARGET_PTX } };
    nvfp4_deployment d = *plan;
    d.device = random_device(r);
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        d.libraries[i] = one_in(r, 25) ? NVFP4_LIBRARY_ABSENT : NVFP4_LIBRARY_UNKNOWN;
        if (one_in(r, 4))
            nvfp4_version_parse(PICK(r, versions), &d.libraries[i]);
    }
    if (one_in(r, 6))
        d.not_built = NVFP4_BACKEND_BIT(1 + rng_below(r, NVFP4_BACKEND_COUNT - 1));
    if (one_in(r, 6))
        d.disabled = (nvfp4_kernel_set)1
                     << rng_below(r, (uint32_t)nvfp4_policy_kernel_count(policy));
    if (one_in(r, 6))
        d.errata_off = rng_next(r);
    if (one_in(r, 6)) {
        d.targets = targets + rng_below(r, (uint32_t)COUNT(targets) - 1);
        d.target_count = 2;
    }
    return d;
}
