/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/activation.h"

#include <math.h>

/*
 * Errors of float32 kernels, as shares of a result. ROUNDING covers a few float32 roundings of a
 * step (2^-24 each); SIGMOID and TANH the absolute error left when a value near 0 is made by
 * subtracting from 1: 2^-24 in float32, 2^-11 for tanh.approx.f32 (PTX ISA, "tanh").
 */
static const double ROUNDING = 0x1p-22, SIGMOID = 0x1p-23, TANH = 0x1p-11;

int nvfp4_is_gated(int32_t activation)
{
    return activation < NVFP4_ACTIVATION_SILU_NO_MUL;
}

int nvfp4_layer_numbers_ok(const nvfp4_moe_layer *layer)
{
    if (layer->activation < 0 || layer->activation >= NVFP4_ACTIVATION_COUNT)
        return 0;
    uint32_t has = layer->has;
    if (has & NVFP4_HAS_SWIGLU_LIMIT && !(isfinite(layer->swiglu_limit) && layer->swiglu_limit > 0))
        return 0;
    if ((has & NVFP4_HAS_SWIGLU_ALPHA && !isfinite(layer->swiglu_alpha)) ||
        (has & NVFP4_HAS_SWIGLU_BETA && !isfinite(layer->swiglu_beta)))
        return 0;
    if (has & NVFP4_HAS_SITU_BETA && !(isfinite(layer->situ_beta) && layer->situ_beta > 0))
        return 0;
    return !(has & NVFP4_HAS_SITU_LINEAR_BETA) ||
           (isfinite(layer->situ_linear_beta) && layer->situ_linear_beta > 0);
}

int nvfp4_uses_alpha(int32_t kind)
{
    return kind == NVFP4_ACTIVATION_SILU_NO_MUL || nvfp4_uses_beta(kind);
}

int nvfp4_uses_beta(int32_t kind)
{
    return kind == NVFP4_ACTIVATION_SILU || kind == NVFP4_ACTIVATION_SWIGLUOAI ||
           kind == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
}

struct nvfp4_act nvfp4_act_of(const nvfp4_moe_layer *layer)
{
    int oai = layer->activation == NVFP4_ACTIVATION_SWIGLUOAI ||
              layer->activation == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
    struct nvfp4_act act = {.kind = layer->activation, .alpha = oai ? 1.702 : 1, .beta = oai};
    if (layer->has & NVFP4_HAS_SWIGLU_LIMIT) {
        act.limit = layer->swiglu_limit;
        act.clamp = NVFP4_CLAMP_GATE;
        if (nvfp4_is_gated(act.kind))
            act.clamp |= NVFP4_CLAMP_UP;
        if (act.kind == NVFP4_ACTIVATION_SWIGLUSTEP)
            act.clamp |= NVFP4_CLAMP_AFTER;
    }
    if (layer->has & NVFP4_HAS_SWIGLU_ALPHA && nvfp4_uses_alpha(act.kind))
        act.alpha = layer->swiglu_alpha;
    if (layer->has & NVFP4_HAS_SWIGLU_BETA && nvfp4_uses_beta(act.kind))
        act.beta = layer->swiglu_beta;
    act.situ_beta = layer->has & NVFP4_HAS_SITU_BETA ? layer->situ_beta : 4;
    act.situ_linear_beta = layer->has & NVFP4_HAS_SITU_LINEAR_BETA ? layer->situ_linear_beta : 0;
    act.dtype = layer->dtype;
    return act;
}

int32_t nvfp4_halves_of(int32_t halves, int32_t activation)
{
    if (halves != NVFP4_HALVES_AUTO)
        return halves;
    return activation == NVFP4_ACTIVATION_SWIGLUOAI ? NVFP4_HALVES_GATE_UP_BY_1
                                                    : NVFP4_HALVES_GATE_UP;
}

/* A step of the kernel is done: it may have rounded, or has where it is told to. */
static struct nvfp4_range step(const struct nvfp4_act *act, uint32_t point, struct nvfp4_range a)
{
    if (act->loose)
        return nvfp4_range_maybe_round(nvfp4_range_widen(a, ROUNDING, 0), act->dtype);
    if (act->points & point)
        return (struct nvfp4_range){nvfp4_round_to(a.lo, act->dtype),
                                    nvfp4_round_to(a.hi, act->dtype)};
    return a;
}

/* 1 / (1 + exp(-t)), with an exponential that is off by exp_error. */
static struct nvfp4_range sigmoid(const struct nvfp4_act *act, struct nvfp4_range t,
                                  double absolute)
{
    if (!act->loose)
        return nvfp4_range_of(1 / (1 + exp(-t.lo)));
    double e_lo = exp(-t.lo), e_hi = t.hi == t.lo ? e_lo : exp(-t.hi);
    double lo = 1 / (1 + e_lo * (1 + act->exp_error)) - absolute;
    double hi = 1 / (1 + e_hi * (1 - act->exp_error)) + absolute;
    return (struct nvfp4_range){lo < 0 ? 0 : lo, hi};
}

static struct nvfp4_range soft_cap(const struct nvfp4_act *act, struct nvfp4_range x, double cap)
{
    struct nvfp4_range t = {tanh(x.lo / cap), tanh(x.hi / cap)};
    if (act->loose)
        t = nvfp4_range_widen(t, TANH, 0);
    return step(act, NVFP4_ROUND_STEPS, nvfp4_range_scale(step(act, NVFP4_ROUND_STEPS, t), cap));
}

/* Share of the input that GELU lets through. */
static struct nvfp4_range gelu_share(const struct nvfp4_act *act, struct nvfp4_range g)
{
    if (act->kind == NVFP4_ACTIVATION_GELU_TANH || act->kind == NVFP4_ACTIVATION_GELU_TANH_NO_MUL) {
        const double c = 0.79788456080286535588; /* sqrt(2 / pi) */
        struct nvfp4_range z = {2 * c * (g.lo + 0.044715 * g.lo * g.lo * g.lo),
                                2 * c * (g.hi + 0.044715 * g.hi * g.hi * g.hi)};
        return sigmoid(act, z, TANH / 2); /* (1 + tanh(z)) / 2 = sigmoid(2z) */
    }
    const double half = 0.70710678118654752440; /* sqrt(1 / 2) */
    struct nvfp4_range share = {erfc(-g.lo * half) / 2, erfc(-g.hi * half) / 2};
    if (!act->loose)
        return share;
    /* The tail, which exponentials make, carries their error. */
    double lo_tail = share.lo < 0.5 ? share.lo : 1 - share.lo;
    double hi_tail = share.hi < 0.5 ? share.hi : 1 - share.hi;
    share.lo -= lo_tail * act->exp_error + SIGMOID;
    share.hi += hi_tail * act->exp_error + SIGMOID;
    return share;
}

/* What becomes of the gate, or of the one input. */
static struct nvfp4_range gate_function(const struct nvfp4_act *act, struct nvfp4_range g)
{
    struct nvfp4_range share;
    switch (act->kind) {
    case NVFP4_ACTIVATION_RELU2:
    case NVFP4_ACTIVATION_RELU2_NO_MUL:
        g = nvfp4_range_max(g, nvfp4_range_of(0));
        return step(act, NVFP4_ROUND_STEPS, nvfp4_range_mul(g, g));
    case NVFP4_ACTIVATION_GELU:
    case NVFP4_ACTIVATION_GELU_NO_MUL:
    case NVFP4_ACTIVATION_GELU_TANH:
    case NVFP4_ACTIVATION_GELU_TANH_NO_MUL:
        share = gelu_share(act, g);
        break;
    default:
        share =
            act->alpha == 1 ? g : step(act, NVFP4_ROUND_STEPS, nvfp4_range_scale(g, act->alpha));
        share = sigmoid(act, share, SIGMOID + act->sigmoid_error);
        if (act->kind == NVFP4_ACTIVATION_SITU)
            g = soft_cap(act, g, act->situ_beta);
        break;
    }
    return step(act, NVFP4_ROUND_STEPS, nvfp4_range_mul(g, step(act, NVFP4_ROUND_STEPS, share)));
}

/* A constant as kernels hold it: in float32 at best, some in 16 bits. */
static struct nvfp4_range constant(const struct nvfp4_act *act, double x)
{
    struct nvfp4_range r = nvfp4_range_of(x);
    if (!act->loose)
        return r;
    return nvfp4_range_maybe_round(nvfp4_range_maybe_round(r, NVFP4_DTYPE_FP32), act->dtype);
}

static struct nvfp4_range up_function(const struct nvfp4_act *act, struct nvfp4_range u)
{
    if (act->kind == NVFP4_ACTIVATION_SITU)
        return act->situ_linear_beta > 0 ? soft_cap(act, u, act->situ_linear_beta) : u;
    if (act->beta == 0)
        return u;
    return step(act, NVFP4_ROUND_STEPS, nvfp4_range_add(u, constant(act, act->beta)));
}

/* Gate and up are handed over, or have been clamped. Loose ones are exact: the kit sees to that. */
static struct nvfp4_range round_at(const struct nvfp4_act *act, uint32_t point,
                                   struct nvfp4_range a)
{
    return act->loose ? a : step(act, point, a);
}

struct nvfp4_range nvfp4_act_apply(const struct nvfp4_act *act, double gate, double up)
{
    struct nvfp4_range limit = constant(act, act->limit), low = {-limit.hi, -limit.lo};
    struct nvfp4_range g = round_at(act, NVFP4_ROUND_INPUT, nvfp4_range_of(gate));
    struct nvfp4_range u = round_at(act, NVFP4_ROUND_INPUT, nvfp4_range_of(up));
    if (act->clamp & NVFP4_CLAMP_GATE && !(act->clamp & NVFP4_CLAMP_AFTER))
        g = nvfp4_range_min(g, limit);
    if (act->clamp & NVFP4_CLAMP_GATE_LOW && !(act->clamp & NVFP4_CLAMP_AFTER))
        g = nvfp4_range_max(g, low);
    struct nvfp4_range a = gate_function(act, round_at(act, NVFP4_ROUND_CLAMPED, g));
    if (act->clamp & NVFP4_CLAMP_GATE && act->clamp & NVFP4_CLAMP_AFTER)
        a = round_at(act, NVFP4_ROUND_CLAMPED, nvfp4_range_min(a, limit));
    if (act->clamp & NVFP4_CLAMP_GATE_LOW && act->clamp & NVFP4_CLAMP_AFTER)
        a = nvfp4_range_max(a, low);
    if (!nvfp4_is_gated(act->kind))
        return step(act, NVFP4_ROUND_OUTPUT, a);
    if (act->clamp & NVFP4_CLAMP_UP)
        u = nvfp4_range_max(nvfp4_range_min(u, limit), low);
    u = round_at(act, NVFP4_ROUND_CLAMPED, u);
    return step(act, NVFP4_ROUND_OUTPUT, nvfp4_range_mul(a, up_function(act, u)));
}

/* Rows that one group of the layout spans, and which half comes first in it. */
static const struct {
    size_t group; /* 0: the whole half */
    int32_t first;
} layouts[NVFP4_HALVES_COUNT] = {
    [NVFP4_HALVES_GATE_UP] = {0, 0},        [NVFP4_HALVES_UP_GATE] = {0, 1},
    [NVFP4_HALVES_GATE_UP_BY_1] = {1, 0},   [NVFP4_HALVES_UP_GATE_BY_1] = {1, 1},
    [NVFP4_HALVES_GATE_UP_BY_64] = {64, 0}, [NVFP4_HALVES_UP_GATE_BY_64] = {64, 1},
};

size_t nvfp4_halves_row(int32_t halves, int32_t half, size_t channel, size_t n)
{
    if (halves <= NVFP4_HALVES_AUTO || halves >= NVFP4_HALVES_COUNT || half < 0 || half > 1 ||
        channel >= n)
        return 0;
    size_t group = layouts[halves].group != 0 ? layouts[halves].group : n;
    size_t second = half != layouts[halves].first;
    return channel / group * 2 * group + second * group + channel % group;
}

nvfp4_status nvfp4_activate(const nvfp4_moe_layer *layer, int32_t halves, int32_t dtype,
                            uint32_t points, size_t rows, size_t n, const float *gate_up,
                            double *out)
{
    if (layer == NULL)
        return NVFP4_EINVAL;
    if (layer->struct_size < offsetof(nvfp4_moe_layer, reserved) + sizeof layer->reserved)
        return NVFP4_EABI;
    if (gate_up == NULL || out == NULL || !nvfp4_layer_numbers_ok(layer))
        return NVFP4_EINVAL;
    struct nvfp4_act act = nvfp4_act_of(layer);
    act.dtype = dtype;
    act.points = points;
    int gated = nvfp4_is_gated(act.kind);
    halves = nvfp4_halves_of(halves, act.kind);
    if (gated && (halves < 0 || halves >= NVFP4_HALVES_COUNT ||
                  (layouts[halves].group > 1 && n % layouts[halves].group != 0)))
        return NVFP4_EINVAL;
    for (size_t row = 0; row < rows; row++) {
        const float *in = gate_up + row * n * (gated ? 2 : 1);
        for (size_t i = 0; i < n; i++) {
            double g = in[gated ? nvfp4_halves_row(halves, 0, i, n) : i];
            double u = gated ? (double)in[nvfp4_halves_row(halves, 1, i, n)] : 0;
            out[row * n + i] = nvfp4_act_apply(&act, g, u).lo;
        }
    }
    return NVFP4_OK;
}
