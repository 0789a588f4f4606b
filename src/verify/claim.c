/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/claim.h"

#include "verify/plan.h"

void nvfp4_claim_fill_in(nvfp4_verify_claim *claim, nvfp4_moe_layer *layer)
{
    if (layer->hidden_size == 0)
        layer->hidden_size = 512;
    if (layer->intermediate_size == 0)
        layer->intermediate_size = 256;
    if (layer->num_experts == 0)
        layer->num_experts = 8;
    if (layer->top_k == 0)
        layer->top_k = layer->num_experts < 2 ? 1 : 2;
    if (claim->tokens == 0)
        claim->tokens = 64;
    if (claim->small_tokens == 0)
        claim->small_tokens = 4;
}

static int within(int64_t x, int64_t least, int64_t most)
{
    return x >= least && x <= most;
}

static int reaches(double x, double least, double most)
{
    return x >= least && x <= most; /* false for NaN */
}

enum { /* the order of the faults below */
    LEVEL,
    SCHEME,
    LIMIT,
    ALPHA,
    BETA,
    SITU_BETA,
    SITU_LINEAR_BETA,
    DTYPE,
    HALVES,
    SCALE_ORDER,
    GLOBAL_KIND,
    HIDDEN,
    INTERMEDIATE,
    EXPERTS,
    TOP_K,
    TOKENS,
    SMALL_TOKENS,
    EXP_ERROR,
    SIGMOID_ERROR
};

static const struct nvfp4_claim_fault faults[] = {
    [LEVEL] = {"level", "activation or moe"},
    [SCHEME] = {"scheme", "w4a4 or w4a16"},
    [LIMIT] = {"swiglu_limit", "from 0.0625 to 512"},
    [ALPHA] = {"swiglu_alpha", "from -16 to 16"},
    [BETA] = {"swiglu_beta", "from -1024 to 1024"},
    [SITU_BETA] = {"situ_beta", "above 0"},
    [SITU_LINEAR_BETA] = {"situ_linear_beta", "above 0"},
    [DTYPE] = {"dtype", "bf16, fp16 or fp32"},
    [HALVES] = {"halves", "one of the words that there are"},
    [SCALE_ORDER] = {"scale_order", "linear or 128x4"},
    [GLOBAL_KIND] = {"global_kind", "multiplier or reciprocal"},
    [HIDDEN] = {"hidden_size", "a multiple of 32 from 256 to 1048576"},
    [INTERMEDIATE] = {"intermediate_size", "a multiple of 64 from 128 to 1048576"},
    [EXPERTS] = {"num_experts", "from 1 to 4096"},
    [TOP_K] = {"top_k", "from 1 to 8 and at most num_experts"},
    [TOKENS] = {"tokens", "from 8 to 4096"},
    [SMALL_TOKENS] = {"small_tokens", "from 4 to tokens"},
    [EXP_ERROR] = {"exp_error", "from 0 to 0.01"},
    [SIGMOID_ERROR] = {"sigmoid_error", "from 0 to 0.01"},
};

_Static_assert(NVFP4_TOP_K_MAX == 8, "as the text of top_k says");

const struct nvfp4_claim_fault *nvfp4_claim_find_fault(const nvfp4_verify_claim *c,
                                                       const nvfp4_moe_layer *l)
{
    const int fine[] = {
        [LEVEL] = within(c->level, 0, NVFP4_VERIFY_LEVEL_COUNT - 1),
        [SCHEME] = l->scheme == NVFP4_SCHEME_W4A4 || l->scheme == NVFP4_SCHEME_W4A16,
        [LIMIT] = !(l->has & NVFP4_HAS_SWIGLU_LIMIT) || reaches(l->swiglu_limit, 0.0625, 512),
        [ALPHA] = !(l->has & NVFP4_HAS_SWIGLU_ALPHA) || reaches(l->swiglu_alpha, -16, 16),
        [BETA] = !(l->has & NVFP4_HAS_SWIGLU_BETA) || reaches(l->swiglu_beta, -1024, 1024),
        [SITU_BETA] = !(l->has & NVFP4_HAS_SITU_BETA) || l->situ_beta > 0,
        [SITU_LINEAR_BETA] = !(l->has & NVFP4_HAS_SITU_LINEAR_BETA) || l->situ_linear_beta > 0,
        [DTYPE] = within(l->dtype, 0, NVFP4_DTYPE_COUNT - 1),
        [HALVES] = within(c->halves, 0, NVFP4_HALVES_COUNT - 1),
        [SCALE_ORDER] = within(c->scale_order, 0, NVFP4_SCALE_ORDER_COUNT - 1),
        [GLOBAL_KIND] = within(c->global_kind, 0, NVFP4_GLOBAL_KIND_COUNT - 1),
        [HIDDEN] = within(l->hidden_size, 256, 1 << 20) && l->hidden_size % 32 == 0,
        [INTERMEDIATE] =
            within(l->intermediate_size, 128, 1 << 20) && l->intermediate_size % 64 == 0,
        [EXPERTS] = within(l->num_experts, 1, 4096),
        [TOP_K] = within(l->top_k, 1, NVFP4_TOP_K_MAX) && l->top_k <= l->num_experts,
        [TOKENS] = within(c->tokens, 8, 4096),
        [SMALL_TOKENS] = within(c->small_tokens, 4, c->tokens),
        [EXP_ERROR] = reaches(c->exp_error, 0, 0.01),
        [SIGMOID_ERROR] = reaches(c->sigmoid_error, 0, 0.01),
    };
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        if (!fine[i])
            return &faults[i];
    return NULL;
}
