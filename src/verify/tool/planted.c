/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/tool/planted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 16 };

struct nvfp4_bench {
    const nvfp4_verification *plan;
    int32_t level, halves, kind; /* kind: an nvfp4_global_kind */
    size_t run_count;
    nvfp4_verify_run run[RUNS_MAX];
    float *raw[RUNS_MAX]; /* first GEMM before its global scales: [tokens * routes, width] */
    float *out[RUNS_MAX];
    const float *outputs[RUNS_MAX];
    float *w2;       /* [experts, hidden, inter], before its global scale */
    uint32_t *place; /* [experts, hidden]: the only weight of a row that is not 0; inter: none */
    size_t hidden, inter, width, routes, experts;
    float *h; /* [inter] */
    uint8_t *codes, *scales;
};

const char *nvfp4_plant_name(nvfp4_plant plant)
{
    static const char *const names[] = {
#define X(name, verdict) #name,
        NVFP4_PLANT_MAP(X)
#undef X
    };
    return (int)plant >= 0 && plant < NVFP4_PLANT_COUNT ? names[plant] : "unknown";
}

nvfp4_verdict nvfp4_plant_verdict(nvfp4_plant plant)
{
    static const nvfp4_verdict verdicts[] = {
#define X(name, verdict) NVFP4_VERDICT_##verdict,
        NVFP4_PLANT_MAP(X)
#undef X
    };
    return (int)plant >= 0 && plant < NVFP4_PLANT_COUNT ? verdicts[plant] : NVFP4_VERDICT_NONE;
}

static int is_gated(const nvfp4_moe_layer *layer)
{
    return layer->activation < NVFP4_ACTIVATION_SILU_NO_MUL;
}

int nvfp4_plant_matters(nvfp4_plant plant, const nvfp4_verify_claim *claim,
                        const nvfp4_verification *plan)
{
    nvfp4_verdict verdict = nvfp4_plant_verdict(plant);
    int limited = (claim->layer->has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    int free_limit = (claim->free_params & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    switch (plant) {
    case NVFP4_PLANT_LIMIT_7:
    case NVFP4_PLANT_SMALL_LIMIT_7:
        return limited && (free_limit || claim->layer->swiglu_limit != 7);
    case NVFP4_PLANT_LIMIT_SHARE:
    case NVFP4_PLANT_SMALL_IGNORES_LIMIT:
        return limited;
    case NVFP4_PLANT_SCALE_RECIPROCAL_W2:
        return claim->level == NVFP4_VERIFY_LEVEL_MOE;
    case NVFP4_PLANT_OTHER_FUNCTION:
    case NVFP4_PLANT_OTHER_SCALE:
        return 1;
    default:
        return (nvfp4_verify_tested(plan) & NVFP4_VERDICT_BIT(verdict)) != 0;
    }
}

/* Rounds to the type of the kernel where it does so. */
static float settle(const nvfp4_moe_layer *layer, int does, float x)
{
    return does ? (float)nvfp4_round_to((double)x, layer->dtype) : x;
}

/* An exponential, off by up to 1e-3 to either side where the kernel is an approximate one. */
static float exponential(float x, int approximate)
{
    float e = expf(x);
    if (approximate)
        e *= 1 + 1e-3f * 0.99f * sinf(1000 * x);
    return e;
}

struct numbers {
    float limit, alpha, beta;
    int clamp_gate, clamp_up, clamp_low, after, drop_nan;
};

/* The numbers that a kernel uses: those of the layer, and what is planted. */
static struct numbers numbers_of(const nvfp4_moe_layer *layer, nvfp4_plant plant, size_t tokens,
                                 float dequant)
{
    int oai = layer->activation == NVFP4_ACTIVATION_SWIGLUOAI ||
              layer->activation == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
    int limited = (layer->has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    struct numbers n = {limited ? (float)layer->swiglu_limit : 0,
                        oai ? 1.702f : 1.0f,
                        oai ? 1.0f : 0.0f,
                        limited,
                        limited,
                        0,
                        layer->activation == NVFP4_ACTIVATION_SWIGLUSTEP,
                        0};
    /* A kernel that ignores alpha or beta has the other family's constant. */
    if (plant == NVFP4_PLANT_ALPHA_IGNORED)
        n.alpha = oai ? 1.0f : 1.702f;
    else if (layer->has & NVFP4_HAS_SWIGLU_ALPHA)
        n.alpha = (float)layer->swiglu_alpha;
    if (plant == NVFP4_PLANT_BETA_IGNORED)
        n.beta = oai ? 0.0f : 1.0f;
    else if (layer->has & NVFP4_HAS_SWIGLU_BETA)
        n.beta = (float)layer->swiglu_beta;
    if (layer->activation == NVFP4_ACTIVATION_SWIGLUSTEP) {
        n.alpha = 1;
        n.beta = 0;
    }
    int small = tokens < 8;
    if (plant == NVFP4_PLANT_IGNORES_LIMIT || (plant == NVFP4_PLANT_SMALL_IGNORES_LIMIT && small))
        n.clamp_gate = n.clamp_up = 0;
    if (plant == NVFP4_PLANT_LIMIT_7 || (plant == NVFP4_PLANT_SMALL_LIMIT_7 && small))
        n.limit = 7;
    if (plant == NVFP4_PLANT_GATE_ONLY)
        n.clamp_up = 0;
    if (plant == NVFP4_PLANT_UP_ONLY)
        n.clamp_gate = 0;
    n.clamp_low = limited && plant == NVFP4_PLANT_GATE_TWO_SIDED;
    if (plant == NVFP4_PLANT_AFTER_ACTIVATION)
        n.after = 1;
    if (plant == NVFP4_PLANT_BEFORE_ACTIVATION)
        n.after = 0;
    if (plant == NVFP4_PLANT_LIMIT_SHARE)
        n.limit *= 0.7f;
    if (plant == NVFP4_PLANT_LIMIT_NOT_SCALED) {
        n.limit *= dequant;
        n.beta *= dequant;
    }
    n.drop_nan = plant == NVFP4_PLANT_NAN_HIDDEN;
    return n;
}

static float clamp(const struct numbers *n, float x, float low, float high)
{
    if (n->drop_nan)
        return fmaxf(fminf(x, high), low);
    return x > high ? high : x < low ? low : x;
}

/* The function of the gate. */
static float bend(const nvfp4_moe_layer *layer, const struct numbers *n, int steps, int approximate,
                  float g)
{
    float s, cap;
    switch (layer->activation) {
    case NVFP4_ACTIVATION_RELU2:
    case NVFP4_ACTIVATION_RELU2_NO_MUL:
        return g > 0 ? g * g : 0;
    case NVFP4_ACTIVATION_GELU:
    case NVFP4_ACTIVATION_GELU_NO_MUL:
        return g * 0.5f * erfcf(-g * 0.70710678f);
    case NVFP4_ACTIVATION_GELU_TANH:
    case NVFP4_ACTIVATION_GELU_TANH_NO_MUL:
        return 0.5f * g * (1 + tanhf(0.79788456f * (g + 0.044715f * g * g * g)));
    case NVFP4_ACTIVATION_SITU:
        cap = layer->has & NVFP4_HAS_SITU_BETA ? (float)layer->situ_beta : 4;
        s = settle(layer, steps, 1 / (1 + exponential(-g, approximate)));
        return settle(layer, steps, cap * settle(layer, steps, tanhf(g / cap))) * s;
    default:
        s = settle(layer, steps, n->alpha * g);
        s = settle(layer, steps, 1 / (1 + exponential(-s, approximate)));
        return g * s;
    }
}

/* One element of the activation. */
static float activate(const nvfp4_moe_layer *layer, const struct numbers *n, nvfp4_plant plant,
                      float g, float u)
{
    int steps = plant == NVFP4_PLANT_RIGHT_ROUNDS_STEPS;
    int ends = steps || plant == NVFP4_PLANT_RIGHT_ROUNDS_ENDS;
    float limit = settle(layer, steps, n->limit);
    g = settle(layer, ends, g);
    u = settle(layer, ends, u);
    if (n->clamp_gate && !n->after)
        g = clamp(n, g, -INFINITY, limit);
    if (n->clamp_low)
        g = clamp(n, g, -limit, INFINITY);
    float a = plant == NVFP4_PLANT_OTHER_FUNCTION
                  ? g / (1 + fabsf(g))
                  : bend(layer, n, steps, plant == NVFP4_PLANT_RIGHT_APPROXIMATE, g);
    a = settle(layer, steps, a);
    if (n->clamp_gate && n->after)
        a = clamp(n, a, -INFINITY, limit);
    if (!is_gated(layer))
        return settle(layer, 1, a);
    if (n->clamp_up)
        u = clamp(n, u, -limit, limit);
    if (layer->activation == NVFP4_ACTIVATION_SITU && layer->has & NVFP4_HAS_SITU_LINEAR_BETA) {
        float cap = (float)layer->situ_linear_beta;
        u = settle(layer, steps, cap * settle(layer, steps, tanhf(u / cap)));
    } else if (layer->activation != NVFP4_ACTIVATION_SITU) {
        u = settle(layer, steps, u + n->beta);
    }
    return settle(layer, 1, a * u);
}

/* Another layout than the weights': the other order, or the next grain. */
static int32_t halves_read(int32_t halves, nvfp4_plant plant)
{
    int32_t i = halves - NVFP4_HALVES_GATE_UP;
    if (plant == NVFP4_PLANT_HALVES_SWAPPED)
        i ^= 1;
    if (plant == NVFP4_PLANT_INTERLEAVING_WRONG)
        i = (i + 2) % 6;
    return NVFP4_HALVES_GATE_UP + i;
}

/* A global scale as a multiplier, in the kernel's eyes. */
static float multiplier(const nvfp4_bench *bench, float global, int mistaken)
{
    int reciprocal = bench->kind == NVFP4_GLOBAL_KIND_RECIPROCAL;
    return reciprocal != mistaken ? 1 / global : global;
}

/* The channels of one token and expert: from the raw accumulator to what the second GEMM reads. */
static void middle(nvfp4_bench *bench, const nvfp4_verify_run *run, nvfp4_plant plant,
                   const float *raw, float dequant, float used_dequant)
{
    struct numbers n = numbers_of(run->layer, plant, (size_t)run->tokens, dequant);
    int32_t halves = halves_read(bench->halves, plant);
    for (size_t i = 0; i < bench->inter; i++) {
        size_t at = is_gated(run->layer) ? nvfp4_halves_row(halves, 0, i, bench->inter) : i;
        float g = raw[at] * used_dequant, u = 0;
        if (is_gated(run->layer))
            u = raw[nvfp4_halves_row(halves, 1, i, bench->inter)] * used_dequant;
        bench->h[i] = activate(run->layer, &n, plant, g, u);
        if (plant == NVFP4_PLANT_OTHER_SCALE)
            bench->h[i] *= 1.25f;
    }
    if (run->layer->scheme == NVFP4_SCHEME_W4A4) {
        nvfp4_matrix_format row = {sizeof row,   1,
                                   bench->inter, NVFP4_SCALE_ORDER_LINEAR,
                                   bench->kind,  (double)run->h_global};
        (void)nvfp4_quantize(&row, bench->h, bench->codes, bench->scales);
        (void)nvfp4_dequantize(&row, bench->codes, bench->scales, bench->h);
    }
}

static void run_activation(nvfp4_bench *bench, size_t r, nvfp4_plant plant)
{
    const nvfp4_verify_run *run = &bench->run[r];
    for (size_t t = 0; t < (size_t)run->tokens; t++) {
        float dequant = run->dequant[t];
        float used = plant == NVFP4_PLANT_SCALE_RECIPROCAL_W13 ? 1 / dequant : dequant;
        middle(bench, run, plant, bench->raw[r] + t * bench->width, dequant, used);
        memcpy(bench->out[r] + t * bench->inter, bench->h, bench->inter * sizeof *bench->h);
    }
}

/* Weights that are zero are left out, which makes a difference only beside a NaN. */
static float second_gemm(const nvfp4_bench *bench, size_t e, size_t k, int finite)
{
    size_t row = e * bench->hidden + k;
    const float *w = bench->w2 + row * bench->inter;
    if (finite)
        return bench->place[row] < bench->inter ? w[bench->place[row]] * bench->h[bench->place[row]]
                                                : 0;
    float sum = 0;
    for (size_t n = 0; n < bench->inter; n++)
        sum += w[n] * bench->h[n];
    return sum;
}

static void run_moe(nvfp4_bench *bench, size_t r, nvfp4_plant plant)
{
    const nvfp4_verify_run *run = &bench->run[r];
    const nvfp4_moe_problem *p = run->problem;
    int w4a4 = run->layer->scheme == NVFP4_SCHEME_W4A4;
    int rounds = plant == NVFP4_PLANT_RIGHT_ROUNDS_STEPS || plant == NVFP4_PLANT_RIGHT_ROUNDS_ENDS;
    memset(bench->out[r], 0, (size_t)run->tokens * bench->hidden * sizeof(float));
    for (size_t i = 0; i < (size_t)run->tokens * bench->routes; i++) {
        size_t e = (size_t)p->expert_ids[i];
        float x = w4a4 ? multiplier(bench, p->x_global, 0) : 1;
        float dequant = multiplier(bench, p->w13_global[e], 0) * x;
        float used =
            multiplier(bench, p->w13_global[e], plant == NVFP4_PLANT_SCALE_RECIPROCAL_W13) * x;
        float w2 = multiplier(bench, p->w2_global[e], plant == NVFP4_PLANT_SCALE_RECIPROCAL_W2);
        middle(bench, run, plant, bench->raw[r] + i * bench->width, dequant, used);
        int finite = 1;
        for (size_t n = 0; n < bench->inter; n++)
            finite &= isfinite(bench->h[n]) != 0;
        float *out = bench->out[r] + i / bench->routes * bench->hidden;
        for (size_t k = 0; k < bench->hidden; k++) {
            float y = settle(run->layer, rounds, second_gemm(bench, e, k, finite) * w2);
            out[k] = settle(run->layer, 1, out[k] + y * p->expert_weights[i]);
        }
    }
}

const float *const *nvfp4_bench_run(nvfp4_bench *bench, nvfp4_plant plant)
{
    for (size_t r = 0; r < bench->run_count; r++)
        if (bench->level == NVFP4_VERIFY_LEVEL_MOE)
            run_moe(bench, r, plant);
        else
            run_activation(bench, r, plant);
    return bench->outputs;
}

void nvfp4_bench_destroy(nvfp4_bench *bench)
{
    if (bench == NULL)
        return;
    for (size_t r = 0; r < RUNS_MAX; r++) {
        free(bench->raw[r]);
        free(bench->out[r]);
    }
    free(bench->w2);
    free(bench->place);
    free(bench->h);
    free(bench->codes);
    free(bench->scales);
    free(bench);
}

/* Dequantises a matrix without its global scale. */
static int unpack(const nvfp4_moe_problem *p, size_t rows, size_t cols, const uint8_t *codes,
                  const uint8_t *scales, float *values)
{
    nvfp4_matrix_format format = {
        sizeof format, rows, cols, p->scale_order, NVFP4_GLOBAL_KIND_MULTIPLIER, 1};
    return nvfp4_dequantize(&format, codes, scales, values) == NVFP4_OK;
}

/* Where the one weight of each row of w2 lies. */
static void find_places(nvfp4_bench *bench)
{
    for (size_t row = 0; row < bench->experts * bench->hidden; row++) {
        bench->place[row] = (uint32_t)bench->inter;
        for (size_t n = 0; n < bench->inter; n++)
            if (bench->w2[row * bench->inter + n] < 0 || bench->w2[row * bench->inter + n] > 0)
                bench->place[row] = (uint32_t)n;
    }
}

/* Sum over one row; blocks of zeros are left out, unless x holds a NaN that must be met. */
static float row_times(const float *w, const uint8_t *zero, const float *x, size_t n, int whole)
{
    float sum = 0;
    for (size_t b = 0; b < n / NVFP4_BLOCK; b++)
        for (size_t k = b * NVFP4_BLOCK; (whole || !zero[b]) && k < (b + 1) * NVFP4_BLOCK; k++)
            sum += w[k] * x[k];
    return sum;
}

static void mark_zeros(const float *w, size_t n, uint8_t *zero)
{
    for (size_t b = 0; b < n / NVFP4_BLOCK; b++) {
        zero[b] = 1;
        for (size_t k = b * NVFP4_BLOCK; k < (b + 1) * NVFP4_BLOCK; k++)
            if (w[k] < 0 || w[k] > 0)
                zero[b] = 0;
    }
}

/* The first GEMM of one expert, for all runs. */
static int first_gemm(nvfp4_bench *bench, size_t e, float *w13, float *const *x)
{
    const nvfp4_moe_problem *p = bench->run[0].problem;
    nvfp4_matrix_format format = {sizeof format,
                                  bench->width,
                                  bench->hidden,
                                  p->scale_order,
                                  NVFP4_GLOBAL_KIND_MULTIPLIER,
                                  1};
    size_t codes = 0, scales = 0;
    uint8_t *zero = malloc(bench->hidden / NVFP4_BLOCK);
    int ok =
        zero != NULL && nvfp4_matrix_bytes(&format, &codes, &scales) == NVFP4_OK &&
        unpack(p, bench->width, bench->hidden, p->w13 + e * codes, p->w13_scales + e * scales, w13);
    for (size_t j = 0; ok && j < bench->width; j++) {
        const float *w = w13 + j * bench->hidden;
        mark_zeros(w, bench->hidden, zero);
        for (size_t r = 0; r < bench->run_count; r++)
            for (size_t i = 0; i < (size_t)bench->run[r].tokens * bench->routes; i++)
                if ((size_t)bench->run[r].problem->expert_ids[i] == e)
                    bench->raw[r][i * bench->width + j] =
                        row_times(w, zero, x[r] + i / bench->routes * bench->hidden, bench->hidden,
                                  bench->run[r].has_nan);
    }
    free(zero);
    return ok;
}

static int load_x(const nvfp4_bench *bench, size_t r, float *x)
{
    const nvfp4_verify_run *run = &bench->run[r];
    size_t tokens = (size_t)run->tokens;
    if (run->layer->scheme == NVFP4_SCHEME_W4A4)
        return unpack(run->problem, tokens, bench->hidden, run->x_codes, run->x_scales, x);
    memcpy(x, run->problem->x, tokens * bench->hidden * sizeof *x);
    return 1;
}

static nvfp4_status fill_moe(nvfp4_bench *bench)
{
    const nvfp4_moe_problem *p = bench->run[0].problem;
    nvfp4_matrix_format format = {sizeof format,
                                  bench->hidden,
                                  bench->inter,
                                  p->scale_order,
                                  NVFP4_GLOBAL_KIND_MULTIPLIER,
                                  1};
    size_t codes = 0, scales = 0;
    float *x[RUNS_MAX] = {NULL}, *w13 = malloc(bench->width * bench->hidden * sizeof *w13);
    bench->w2 = malloc(bench->experts * bench->hidden * bench->inter * sizeof *bench->w2);
    bench->place = malloc(bench->experts * bench->hidden * sizeof *bench->place);
    int ok = w13 != NULL && bench->w2 != NULL && bench->place != NULL &&
             nvfp4_matrix_bytes(&format, &codes, &scales) == NVFP4_OK;
    for (size_t r = 0; ok && r < bench->run_count; r++) {
        x[r] = malloc((size_t)bench->run[r].tokens * bench->hidden * sizeof *x[r]);
        ok = x[r] != NULL && load_x(bench, r, x[r]);
    }
    for (size_t e = 0; ok && e < bench->experts; e++)
        ok = first_gemm(bench, e, w13, x) &&
             unpack(p, bench->hidden, bench->inter, p->w2 + e * codes, p->w2_scales + e * scales,
                    bench->w2 + e * bench->hidden * bench->inter);
    if (ok)
        find_places(bench);
    for (size_t r = 0; r < RUNS_MAX; r++)
        free(x[r]);
    free(w13);
    return ok ? NVFP4_OK : NVFP4_ENOMEM;
}

static void set_sizes(nvfp4_bench *bench)
{
    const nvfp4_moe_layer *layer = bench->run[0].layer;
    bench->inter = (size_t)layer->intermediate_size;
    bench->hidden = (size_t)layer->hidden_size;
    bench->experts = (size_t)layer->num_experts;
    bench->width = is_gated(layer) ? 2 * bench->inter : bench->inter;
    bench->routes = bench->level == NVFP4_VERIFY_LEVEL_MOE ? (size_t)layer->top_k : 1;
    if (bench->halves == NVFP4_HALVES_AUTO)
        bench->halves = layer->activation == NVFP4_ACTIVATION_SWIGLUOAI ? NVFP4_HALVES_GATE_UP_BY_1
                                                                        : NVFP4_HALVES_GATE_UP;
}

static nvfp4_status fill(nvfp4_bench *bench)
{
    bench->run_count = nvfp4_verify_run_count(bench->plan);
    for (size_t r = 0; r < bench->run_count; r++) {
        if (r >= RUNS_MAX)
            return NVFP4_EINVAL;
        bench->run[r] = (nvfp4_verify_run)NVFP4_VERIFY_RUN_INIT;
        if (nvfp4_verify_get_run(bench->plan, r, &bench->run[r]) != NVFP4_OK)
            return NVFP4_EINVAL;
    }
    set_sizes(bench);
    bench->h = malloc(bench->inter * sizeof *bench->h);
    bench->codes = malloc(bench->inter / 2);
    bench->scales = malloc(bench->inter / NVFP4_BLOCK);
    if (bench->h == NULL || bench->codes == NULL || bench->scales == NULL)
        return NVFP4_ENOMEM;
    for (size_t r = 0; r < bench->run_count; r++) {
        const nvfp4_verify_run *run = &bench->run[r];
        size_t rows = (size_t)run->tokens * bench->routes;
        bench->raw[r] = malloc(rows * bench->width * sizeof(float));
        bench->out[r] = malloc((size_t)(run->tokens * run->columns) * sizeof(float));
        bench->outputs[r] = bench->out[r];
        if (bench->raw[r] == NULL || bench->out[r] == NULL)
            return NVFP4_ENOMEM;
        if (bench->level == NVFP4_VERIFY_LEVEL_ACTIVATION)
            memcpy(bench->raw[r], run->accumulator, rows * bench->width * sizeof(float));
    }
    return bench->level == NVFP4_VERIFY_LEVEL_MOE ? fill_moe(bench) : NVFP4_OK;
}

nvfp4_status nvfp4_bench_new(const nvfp4_verify_claim *claim, const nvfp4_verification *plan,
                             nvfp4_bench **out)
{
    nvfp4_bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        return NVFP4_ENOMEM;
    bench->plan = plan;
    bench->level = claim->level;
    bench->halves = claim->halves;
    bench->kind = claim->global_kind;
    nvfp4_status status = fill(bench);
    if (status != NVFP4_OK) {
        nvfp4_bench_destroy(bench);
        return status;
    }
    *out = bench;
    return NVFP4_OK;
}
