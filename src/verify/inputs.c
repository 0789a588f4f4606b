/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/numbers.h"

/*
 * The inputs are built so that nothing is rounded before the activation, in any 16-bit type and in
 * NVFP4:
 *
 * - x consists of slots of 16 numbers, v * pattern, where v has four significant bits and the
 * pattern is E2M1 and holds a 6. So the block scale of a slot is v exactly, and its codes are the
 * pattern.
 * - A row of w13 reads one slot. Its weights cancel in pairs but for one, so the dot product is v
 *   exactly, and it is far off if nibbles, blocks or scales are read in another order.
 * - All blocks of zeros carry block scales of chance, which a kernel that takes the wrong scale
 * meets.
 * - A row of w2 shows one channel of one route, so an output is one activation times powers of two
 * and a routing weight.
 * - The 16 channels of a block have the same gate and up (or a gate of 0), so NVFP4 rounds only
 * their common scale.
 */

uint64_t nvfp4_rng_next(struct nvfp4_rng *rng)
{
    uint64_t z = rng->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

size_t nvfp4_rng_below(struct nvfp4_rng *rng, size_t n)
{
    return (size_t)((nvfp4_rng_next(rng) >> 32) * (uint64_t)n >> 32);
}

void nvfp4_rng_permutation(struct nvfp4_rng *rng, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = nvfp4_rng_below(rng, i + 1);
        out[i] = (uint32_t)i;
        out[i] = out[j];
        out[j] = (uint32_t)i;
    }
}

/*
 * Pairs of gate and up that tell hypotheses apart, the sharpest first: in units of the scale of the
 * run (a power of two near its limit) where `relative` is set, else as they are.
 */
struct point {
    double value;
    int relative;
};

static const struct {
    struct point gate, up;
} designed[] = {
    {{4, 1}, {4, 1}},      {{4, 1}, {0.5, 0}},   {{1, 0}, {4, 1}},    {{-4, 1}, {4, 1}},
    {{-2, 0}, {1, 0}},     {{2, 0}, {-1, 0}},    {{2, 1}, {-4, 1}},   {{1, 0}, {0.5, 0}},
    {{1.5, 1}, {-1.5, 1}}, {{-1, 0}, {2, 1}},    {{4, 1}, {-2, 0}},   {{0.5, 0}, {1.5, 1}},
    {{-1.5, 1}, {1.5, 1}}, {{0.5, 1}, {0.5, 1}}, {{-2, 1}, {-2, 1}},  {{3, 1}, {3, 1}},
    {{-0.5, 0}, {2, 0}},   {{3, 0}, {0.25, 0}},  {{1.25, 1}, {2, 1}}, {{2, 1}, {1.25, 1}},
    {{0.75, 1}, {-2, 1}},  {{2, 1}, {0.75, 1}},  {{-3, 0}, {-4, 1}},  {{0.25, 0}, {-4, 1}},
    {{14, 0}, {14, 0}},    {{14, 0}, {1, 0}},    {{1, 0}, {14, 0}}, /* beyond 7 whatever was asked
                                                                     */
};

enum { DESIGNED = sizeof designed / sizeof designed[0] };

/* A power of two near the limit, which gate and up values are measured in. */
static double unit_of(const nvfp4_moe_layer *layer)
{
    if (!(layer->has & NVFP4_HAS_SWIGLU_LIMIT))
        return 8;
    int exponent;
    double fraction = frexp(layer->swiglu_limit, &exponent); /* [0.5, 1) */
    return ldexp(1, fraction < 0.70710678 ? exponent - 1 : exponent);
}

static double place(struct point p, double unit)
{
    return p.relative ? p.value * unit : p.value;
}

double nvfp4_plan_largest(const nvfp4_moe_layer *layer)
{
    double reach = 4 * unit_of(layer);
    struct nvfp4_act act = nvfp4_act_of(layer);
    if (reach < 14)
        reach = 14;
    double f = act.kind == NVFP4_ACTIVATION_RELU2 || act.kind == NVFP4_ACTIVATION_RELU2_NO_MUL
                   ? reach * reach
                   : reach;
    return nvfp4_is_gated(act.kind) ? f * (reach + fabs(act.beta)) : f;
}

static double power_above(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent);
}

/* Global scales: powers of two, none 1, so that a reciprocal shows and nothing is rounded. */
static void choose_globals(nvfp4_verification *plan, struct nvfp4_rng *rng)
{
    double most = 0;
    for (size_t r = 0; r < plan->run_count; r++) {
        struct nvfp4_plan_run *run = &plan->run[r];
        most = fmax(most, 4 * unit_of(&run->layer));
        run->h_multiplier =
            power_above(nvfp4_plan_largest(&run->layer) / (NVFP4_E2M1_MAX * NVFP4_E4M3_MAX));
        if (run->h_multiplier == 1)
            run->h_multiplier = 2;
    }
    plan->x_multiplier = fmax(0.5, power_above(most / 256));
    if (plan->x_multiplier == 1)
        plan->x_multiplier = 2;
    plan->out_factor = 0.25;
    for (size_t e = 0; e < plan->experts; e++) {
        plan->expert[e].w13_global = ldexp(1, -2 - (int)(e % 3));
        plan->expert[e].w2_global = ldexp(1, -3 - (int)nvfp4_rng_below(rng, 3));
    }
}

double nvfp4_plan_dequant(const nvfp4_verification *plan, size_t expert)
{
    double global = plan->expert[expert].w13_global;
    return plan->quantised ? global * plan->x_multiplier : global;
}

static float convention(const nvfp4_verification *plan, double multiplier)
{
    return (float)(plan->claim.global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL ? 1 / multiplier
                                                                           : multiplier);
}

/* Seven pairs of equal magnitude, the first of them 6, one anchor of magnitude 1, one spare. */
static void make_pattern(struct nvfp4_rng *rng, int8_t *pattern, int8_t *partner)
{
    static const int8_t twice[7] = {12, 1, 2, 3, 4, 6, 8};
    uint32_t at[NVFP4_BLOCK];
    nvfp4_rng_permutation(rng, at, NVFP4_BLOCK);
    for (size_t i = 0; i < 7; i++) {
        int8_t value = twice[i == 0 ? 0 : nvfp4_rng_below(rng, 7)];
        for (size_t j = 0; j < 2; j++) {
            pattern[at[2 * i + j]] = (int8_t)(nvfp4_rng_below(rng, 2) ? value : -value);
            partner[at[2 * i + j]] = (int8_t)at[2 * i + 1 - j];
        }
    }
    pattern[at[14]] = (int8_t)(nvfp4_rng_below(rng, 2) ? 2 : -2);
    partner[at[14]] = -1;
    pattern[at[15]] = twice[nvfp4_rng_below(rng, 7)];
    partner[at[15]] = -2;
}

/* Weights of one slot whose dot product with the pattern is 1. */
static void make_weights(struct nvfp4_rng *rng, const int8_t *pattern, const int8_t *partner,
                         uint8_t *codes)
{
    uint8_t code[NVFP4_BLOCK] = {0};
    for (int i = 0; i < NVFP4_BLOCK; i++) {
        int other = partner[i];
        if (other == -1)
            code[i] = pattern[i] > 0 ? 2 : 10;
        if (other > i) {
            code[i] = (uint8_t)nvfp4_rng_below(rng, 16);
            int same = (pattern[i] > 0) == (pattern[other] > 0);
            code[other] = (uint8_t)(same ? code[i] ^ 8 : code[i]);
        }
    }
    for (int i = 0; i < NVFP4_BLOCK; i += 2)
        codes[i / 2] = (uint8_t)(code[i] | code[i + 1] << 4);
}

/* A block scale for zeros: any normal number. */
static uint8_t idle_scale(struct nvfp4_rng *rng)
{
    return (uint8_t)(0x20 + nvfp4_rng_below(rng, 0x40));
}

static nvfp4_matrix_format format_of(const nvfp4_verification *plan, size_t rows, size_t cols)
{
    return (nvfp4_matrix_format){sizeof(nvfp4_matrix_format), rows, cols, plan->claim.scale_order,
                                 plan->claim.global_kind,     1};
}

static void set_scale(const nvfp4_matrix_format *format, uint8_t *scales, size_t row, size_t block,
                      uint8_t value)
{
    size_t at = 0;
    (void)nvfp4_scale_offset(format, row, block, &at); /* in range by construction */
    scales[at] = value;
}

static void make_w13(nvfp4_verification *plan, struct nvfp4_rng *rng, size_t e)
{
    const struct nvfp4_expert *expert = &plan->expert[e];
    size_t rows = plan->gated ? 2 * plan->inter : plan->inter, bytes, scale_bytes;
    nvfp4_matrix_format format = format_of(plan, rows, plan->hidden);
    (void)nvfp4_matrix_bytes(&format, &bytes, &scale_bytes);
    uint8_t *codes = plan->w13 + e * bytes, *scales = plan->w13_scales + e * scale_bytes;
    uint8_t unit = nvfp4_e4m3_encode(1 / expert->w13_global);
    for (size_t half = 0; half < (plan->gated ? 2u : 1u); half++)
        for (size_t n = 0; n < plan->inter; n++) {
            size_t row =
                plan->gated ? nvfp4_halves_row(plan->halves, (int32_t)half, n, plan->inter) : n;
            for (size_t b = 0; b < plan->hidden / NVFP4_BLOCK; b++)
                set_scale(&format, scales, row, b, idle_scale(rng));
            if (half == 0 && !expert->active[n])
                continue;
            const uint32_t *pair = half == 0 ? expert->gate_pair : expert->up_pair;
            size_t p = 2 * (size_t)pair[n / NVFP4_BLOCK] + half, slot = plan->slot[p];
            set_scale(&format, scales, row, slot, unit);
            make_weights(rng, plan->pattern + slot * NVFP4_BLOCK,
                         plan->partner + slot * NVFP4_BLOCK,
                         codes + (row * plan->hidden + slot * NVFP4_BLOCK) / 2);
        }
}

static void make_w2(nvfp4_verification *plan, struct nvfp4_rng *rng, size_t e)
{
    static const uint8_t magnitude[4] = {1, 2, 4, 6}; /* codes of 0.5, 1, 2, 4 */
    const struct nvfp4_expert *expert = &plan->expert[e];
    size_t bytes, scale_bytes;
    nvfp4_matrix_format format = format_of(plan, plan->hidden, plan->inter);
    (void)nvfp4_matrix_bytes(&format, &bytes, &scale_bytes);
    uint8_t *codes = plan->w2 + e * bytes, *scales = plan->w2_scales + e * scale_bytes;
    for (size_t k = 0; k < plan->hidden; k++) {
        for (size_t b = 0; b < plan->blocks; b++)
            set_scale(&format, scales, k, b, idle_scale(rng));
        if (expert->sign[k] == 0)
            continue;
        size_t n = expert->channel[k];
        unsigned code = magnitude[nvfp4_rng_below(rng, 4)];
        double scale = plan->out_factor / nvfp4_e2m1_value[code] / expert->w2_global;
        set_scale(&format, scales, k, n / NVFP4_BLOCK, nvfp4_e4m3_encode(scale));
        if (expert->sign[k] < 0)
            code |= 8;
        codes[(k * plan->inter + n) / 2] = (uint8_t)(code << (n % 2 * 4));
    }
}

/* Which channels are active: 12 of a block, chosen so that some neighbour of one is not. */
static void make_channels(nvfp4_verification *plan, struct nvfp4_rng *rng,
                          struct nvfp4_expert *expert)
{
    for (size_t b = 0; b < plan->blocks; b++) {
        uint32_t order[NVFP4_BLOCK];
        nvfp4_rng_permutation(rng, order, NVFP4_BLOCK);
        for (size_t i = 0; i < NVFP4_BLOCK; i++)
            expert->active[b * NVFP4_BLOCK + order[i]] = i < 12;
    }
}

/* Blocks read pairs; experts of the first route keep gate and up of a designed pair together. */
static void make_pairs(nvfp4_verification *plan, struct nvfp4_rng *rng, size_t e, uint32_t *order)
{
    struct nvfp4_expert *expert = &plan->expert[e];
    size_t used = plan->pairs < plan->blocks ? plan->pairs : plan->blocks;
    if (e % plan->routes != 0)
        used = plan->pairs;
    nvfp4_rng_permutation(rng, order, used);
    for (size_t b = 0; b < plan->blocks; b++)
        expert->gate_pair[b] = expert->up_pair[b] = order[b % used];
    if (e % plan->routes == 0)
        return;
    nvfp4_rng_permutation(rng, order, used);
    for (size_t b = 0; b < plan->blocks; b++)
        expert->up_pair[b] = order[b % used];
}

/* Output columns k with k % routes = e % routes show the expert's channels, every block first. */
static void make_columns(nvfp4_verification *plan, struct nvfp4_rng *rng, size_t e, uint32_t *order)
{
    struct nvfp4_expert *expert = &plan->expert[e];
    size_t count = plan->columns / plan->routes, route = e % plan->routes;
    nvfp4_rng_permutation(rng, order, count);
    for (size_t i = 0; i < count; i++) {
        size_t k = (size_t)order[i] * plan->routes + route;
        size_t n = i < plan->inter ? i / plan->blocks + i % plan->blocks * NVFP4_BLOCK
                                   : nvfp4_rng_below(rng, plan->inter);
        expert->channel[k] = (uint32_t)n;
        expert->sign[k] = nvfp4_rng_below(rng, 2) ? 1 : -1;
    }
}

static void make_values(nvfp4_verification *plan, struct nvfp4_plan_run *run, struct nvfp4_rng *rng)
{
    double unit = unit_of(&run->layer);
    size_t kept = plan->pairs < plan->blocks ? plan->pairs : plan->blocks;
    for (size_t t = 0; t < run->tokens; t++)
        for (size_t p = 0; p < plan->pairs; p++) {
            size_t g = nvfp4_rng_below(rng, DESIGNED), u = nvfp4_rng_below(rng, DESIGNED);
            size_t next = t * kept + p;
            if (p < kept && (next < 2 * DESIGNED || t % 2 == 0))
                g = u = next % DESIGNED;
            run->gates[t * plan->pairs + p] = place(designed[g].gate, unit);
            run->ups[t * plan->pairs + p] = place(designed[u].up, unit);
        }
}

/* Route r of a token goes to an expert e with e % routes = r; the weights are sixteenths that sum
 * to 1. */
static void make_routes(nvfp4_verification *plan, struct nvfp4_plan_run *run, struct nvfp4_rng *rng)
{
    for (size_t t = 0; t < run->tokens; t++) {
        unsigned share[NVFP4_TOP_K_MAX] = {0};
        for (size_t r = 0; r < plan->routes; r++) {
            size_t choices = (plan->experts - 1 - r) / plan->routes + 1;
            run->ids[t * plan->routes + r] =
                (int32_t)(r + plan->routes * nvfp4_rng_below(rng, choices));
            share[r] = 1;
        }
        for (size_t i = plan->routes; i < 16; i++)
            share[nvfp4_rng_below(rng, plan->routes)]++;
        for (size_t r = 0; r < plan->routes; r++)
            run->weights[t * plan->routes + r] = (float)share[r] / 16;
    }
}

static void make_x(nvfp4_verification *plan, struct nvfp4_plan_run *run)
{
    for (size_t t = 0; t < run->tokens; t++)
        for (size_t i = 0; i < 2 * plan->pairs; i++) {
            const double *values = i % 2 == 0 ? run->gates : run->ups;
            double v = values[t * plan->pairs + i / 2];
            size_t slot = plan->slot[i];
            float *x = run->x + t * plan->hidden + slot * NVFP4_BLOCK;
            for (size_t j = 0; j < NVFP4_BLOCK; j++)
                x[j] = (float)(v * plan->pattern[slot * NVFP4_BLOCK + j] / 2);
        }
    if (run->has_nan)
        run->x[plan->hidden + plan->hidden / 3] = NAN;
    if (plan->quantised) {
        nvfp4_matrix_format format = format_of(plan, run->tokens, plan->hidden);
        format.global_scale = convention(plan, plan->x_multiplier);
        (void)nvfp4_quantize(&format, run->x, run->x_codes, run->x_scales);
    }
}

void nvfp4_plan_rows(const nvfp4_verification *plan, const struct nvfp4_plan_run *run, size_t token,
                     size_t route, double *rows)
{
    size_t e = (size_t)run->ids[token * plan->routes + route];
    const struct nvfp4_expert *expert = &plan->expert[e];
    const uint32_t *map = plan->map + (size_t)plan->halves * 2 * plan->inter;
    for (size_t n = 0; n < plan->inter; n++) {
        size_t b = n / NVFP4_BLOCK;
        double gate = run->gates[token * plan->pairs + expert->gate_pair[b]];
        if (!expert->active[n])
            gate = 0;
        if (!plan->gated) {
            rows[n] = gate;
            continue;
        }
        rows[map[n]] = gate;
        rows[map[plan->inter + n]] = run->ups[token * plan->pairs + expert->up_pair[b]];
    }
}

/* Level ACTIVATION: the first GEMM's output; every 11th gate and, elsewhere, every 11th up is NaN.
 */
static void make_gate_up(nvfp4_verification *plan, struct nvfp4_plan_run *run, double *rows)
{
    size_t width = plan->gated ? 2 * plan->inter : plan->inter;
    for (size_t t = 0; t < run->tokens; t++) {
        double dequant = nvfp4_plan_dequant(plan, (size_t)run->ids[t * plan->routes]);
        nvfp4_plan_rows(plan, run, t, 0, rows);
        for (size_t n = 0; run->has_nan && n < plan->inter; n += 11) {
            int32_t half = (int32_t)(n / 11 % 2);
            rows[plan->gated ? nvfp4_halves_row(plan->halves, half, n, plan->inter) : n] = NAN;
        }
        for (size_t i = 0; i < width; i++) {
            run->gate_up[t * width + i] = (float)rows[i];
            run->accumulator[t * width + i] = (float)(rows[i] / dequant);
        }
        run->dequant[t] = (float)dequant;
    }
}

/* The small batch is the head of the large one with the same settings. */
static void copy_head(const nvfp4_verification *plan, const struct nvfp4_plan_run *from,
                      struct nvfp4_plan_run *to)
{
    memcpy(to->gates, from->gates, to->tokens * plan->pairs * sizeof *to->gates);
    memcpy(to->ups, from->ups, to->tokens * plan->pairs * sizeof *to->ups);
    memcpy(to->ids, from->ids, to->tokens * plan->routes * sizeof *to->ids);
    memcpy(to->weights, from->weights, to->tokens * plan->routes * sizeof *to->weights);
}

static void make_map(nvfp4_verification *plan)
{
    size_t n = plan->inter;
    for (int32_t halves = NVFP4_HALVES_GATE_UP; halves < NVFP4_HALVES_COUNT; halves++)
        for (size_t i = 0; plan->gated && i < 2 * n; i++)
            plan->map[(size_t)halves * 2 * n + i] =
                (uint32_t)nvfp4_halves_row(halves, i >= n, i % n, n);
}

static void make_experts(nvfp4_verification *plan, struct nvfp4_rng *rng, uint32_t *order)
{
    for (size_t e = 0; e < plan->experts; e++) {
        make_channels(plan, rng, &plan->expert[e]);
        make_pairs(plan, rng, e, order);
        plan->w13_global[e] = convention(plan, plan->expert[e].w13_global);
        plan->w2_global[e] = convention(plan, plan->expert[e].w2_global);
        if (plan->claim.level == NVFP4_VERIFY_LEVEL_MOE) {
            make_columns(plan, rng, e, order);
            make_w13(plan, rng, e);
            make_w2(plan, rng, e);
        }
    }
}

nvfp4_status nvfp4_plan_inputs(nvfp4_verification *plan)
{
    struct nvfp4_rng rng = {plan->claim.seed};
    size_t longest = plan->hidden + 2 * plan->inter + 2 * plan->pairs;
    uint32_t *order = malloc(longest * sizeof *order);
    double *rows = malloc(2 * plan->inter * sizeof *rows);
    if (order == NULL || rows == NULL) {
        free(order);
        free(rows);
        return NVFP4_ENOMEM;
    }
    make_map(plan);
    nvfp4_rng_permutation(&rng, plan->slot, 2 * plan->pairs);
    for (size_t s = 0; s < 2 * plan->pairs; s++)
        make_pattern(&rng, plan->pattern + s * NVFP4_BLOCK, plan->partner + s * NVFP4_BLOCK);
    choose_globals(plan, &rng);
    make_experts(plan, &rng, order);
    for (size_t r = 0; r < plan->run_count; r++) {
        struct nvfp4_plan_run *run = &plan->run[r];
        if (run->small && r > 0) {
            copy_head(plan, run - 1, run);
        } else {
            make_values(plan, run, &rng);
            make_routes(plan, run, &rng);
        }
        if (plan->claim.level == NVFP4_VERIFY_LEVEL_MOE)
            make_x(plan, run);
        else
            make_gate_up(plan, run, rows);
    }
    free(order);
    free(rows);
    return NVFP4_OK;
}
