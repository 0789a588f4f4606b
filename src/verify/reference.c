/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/verify.h>

#include <math.h>
#include <stdlib.h>

#include "verify/activation.h"

/* Sizes of a problem, and the scratch of one expert and one token. */
struct work {
    const nvfp4_moe_problem *problem;
    struct nvfp4_act act;
    size_t hidden, inter, rows13, experts, top_k, tokens;
    nvfp4_matrix_format w13_format, w2_format;
    int quantised;           /* W4A4 */
    float *w13, *w2;         /* dequantised weights of the expert at hand */
    float *x;                /* [tokens, hidden], as the first GEMM sees it */
    float *h;                /* [inter] */
    double *sums;            /* [rows13] */
    uint8_t *codes, *scales; /* of one quantised row */
};

static nvfp4_status check_layer(const nvfp4_moe_layer *layer)
{
    if (layer == NULL)
        return NVFP4_EINVAL;
    if (layer->struct_size < offsetof(nvfp4_moe_layer, reserved) + sizeof layer->reserved)
        return NVFP4_EABI;
    int64_t k = layer->hidden_size, n = layer->intermediate_size;
    if (!nvfp4_layer_numbers_ok(layer) || k <= 0 || n <= 0 || k % NVFP4_BLOCK != 0 ||
        n % NVFP4_BLOCK != 0 || layer->num_experts <= 0 || layer->top_k <= 0 ||
        (layer->scheme != NVFP4_SCHEME_W4A4 && layer->scheme != NVFP4_SCHEME_W4A16))
        return NVFP4_EINVAL;
    /* One expert's dequantised weights and the routes must be countable, whatever the machine. */
    if (k > NVFP4_SIZE_MAX / 8 / n || layer->num_experts > (int64_t)1 << 20 || layer->top_k > 1024)
        return NVFP4_EINVAL;
    return NVFP4_OK;
}

static nvfp4_status check(const nvfp4_moe_problem *p)
{
    if (p == NULL)
        return NVFP4_EINVAL;
    if (p->struct_size < offsetof(nvfp4_moe_problem, points) + sizeof p->points)
        return NVFP4_EABI;
    nvfp4_status status = check_layer(p->layer);
    if (status != NVFP4_OK)
        return status;
    if (p->tokens < 0 || p->tokens > NVFP4_SIZE_MAX / 8 / p->layer->hidden_size || p->x == NULL ||
        p->expert_ids == NULL || p->expert_weights == NULL || p->w13 == NULL ||
        p->w13_scales == NULL || p->w13_global == NULL || p->w2 == NULL || p->w2_scales == NULL ||
        p->w2_global == NULL || p->halves < 0 || p->halves >= NVFP4_HALVES_COUNT)
        return NVFP4_EINVAL;
    if (nvfp4_halves_of(p->halves, p->layer->activation) >= NVFP4_HALVES_GATE_UP_BY_64 &&
        nvfp4_is_gated(p->layer->activation) && p->layer->intermediate_size % 64 != 0)
        return NVFP4_EINVAL;
    for (int64_t i = 0; i < p->tokens * p->layer->top_k; i++)
        if (p->expert_ids[i] >= p->layer->num_experts)
            return NVFP4_EINVAL;
    return NVFP4_OK;
}

static void clean_up(struct work *w)
{
    free(w->w13);
    free(w->w2);
    free(w->x);
    free(w->h);
    free(w->sums);
    free(w->codes);
    free(w->scales);
}

static nvfp4_status set_up(struct work *w, const nvfp4_moe_problem *p)
{
    const nvfp4_moe_layer *layer = p->layer;
    int gated = nvfp4_is_gated(layer->activation);
    size_t k = (size_t)layer->hidden_size, n = (size_t)layer->intermediate_size;
    *w = (struct work){.problem = p, .act = nvfp4_act_of(layer), .hidden = k, .inter = n};
    w->act.points = p->points;
    w->rows13 = gated ? 2 * n : n;
    w->experts = (size_t)layer->num_experts;
    w->top_k = (size_t)layer->top_k;
    w->tokens = (size_t)p->tokens;
    w->quantised = layer->scheme == NVFP4_SCHEME_W4A4;
    w->w13_format = (nvfp4_matrix_format){
        sizeof(nvfp4_matrix_format), w->rows13, k, p->scale_order, p->global_kind, 1};
    w->w2_format = w->w13_format;
    w->w2_format.rows = k;
    w->w2_format.cols = n;
    if (k > SIZE_MAX / sizeof(float) / w->rows13 ||
        (w->tokens != 0 && k > SIZE_MAX / sizeof(float) / w->tokens))
        return NVFP4_ENOMEM;
    size_t longest = k > n ? k : n;
    w->w13 = malloc(w->rows13 * k * sizeof *w->w13);
    w->w2 = malloc(k * n * sizeof *w->w2);
    w->x = malloc((w->tokens * k + 1) * sizeof *w->x);
    w->h = malloc(n * sizeof *w->h);
    w->sums = malloc(w->rows13 * sizeof *w->sums);
    w->codes = malloc(longest / 2);
    w->scales = malloc(longest / NVFP4_BLOCK);
    if (w->w13 == NULL || w->w2 == NULL || w->x == NULL || w->h == NULL || w->sums == NULL ||
        w->codes == NULL || w->scales == NULL) {
        clean_up(w);
        return NVFP4_ENOMEM;
    }
    return NVFP4_OK;
}

/* A row as it comes out of quantising and dequantising it. */
static nvfp4_status through_nvfp4(struct work *w, const float *in, size_t n, double global,
                                  float *out)
{
    nvfp4_matrix_format row = {sizeof row, 1, n, NVFP4_SCALE_ORDER_LINEAR, w->problem->global_kind,
                               global};
    nvfp4_status status = nvfp4_quantize(&row, in, w->codes, w->scales);
    return status == NVFP4_OK ? nvfp4_dequantize(&row, w->codes, w->scales, out) : status;
}

/* Four sums side by side keep the adder busy; their order is fixed, so the result is too. */
static double dot(const float *a, const float *b, size_t n)
{
    double s[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i += 4)
        for (size_t j = 0; j < 4; j++)
            s[j] += (double)a[i + j] * (double)b[i + j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static nvfp4_status load_expert(struct work *w, size_t e)
{
    const nvfp4_moe_problem *p = w->problem;
    size_t codes, scales;
    w->w13_format.global_scale = p->w13_global[e];
    w->w2_format.global_scale = p->w2_global[e];
    nvfp4_status status = nvfp4_matrix_bytes(&w->w13_format, &codes, &scales);
    if (status == NVFP4_OK)
        status = nvfp4_dequantize(&w->w13_format, p->w13 + e * codes, p->w13_scales + e * scales,
                                  w->w13);
    if (status == NVFP4_OK)
        status = nvfp4_matrix_bytes(&w->w2_format, &codes, &scales);
    if (status == NVFP4_OK)
        status =
            nvfp4_dequantize(&w->w2_format, p->w2 + e * codes, p->w2_scales + e * scales, w->w2);
    return status;
}

/* Adds what the expert at hand makes of one token. */
static nvfp4_status add_token(struct work *w, size_t token, double weight, double *out)
{
    const float *x = w->x + token * w->hidden;
    int32_t halves = nvfp4_halves_of(w->problem->halves, w->act.kind);
    int gated = nvfp4_is_gated(w->act.kind);
    for (size_t r = 0; r < w->rows13; r++)
        w->sums[r] = dot(w->w13 + r * w->hidden, x, w->hidden);
    for (size_t i = 0; i < w->inter; i++) {
        double g = w->sums[gated ? nvfp4_halves_row(halves, 0, i, w->inter) : i];
        double u = gated ? w->sums[nvfp4_halves_row(halves, 1, i, w->inter)] : 0;
        w->h[i] = (float)nvfp4_act_apply(&w->act, g, u).lo;
    }
    if (w->quantised) {
        nvfp4_status status = through_nvfp4(w, w->h, w->inter, w->problem->h_global, w->h);
        if (status != NVFP4_OK)
            return status;
    }
    for (size_t r = 0; r < w->hidden; r++)
        out[token * w->hidden + r] += weight * dot(w->w2 + r * w->inter, w->h, w->inter);
    return NVFP4_OK;
}

static nvfp4_status run(struct work *w, double *out)
{
    const nvfp4_moe_problem *p = w->problem;
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < w->tokens * w->hidden; i++) {
        w->x[i] = p->x[i];
        out[i] = 0;
    }
    for (size_t t = 0; w->quantised && t < w->tokens && status == NVFP4_OK; t++)
        status =
            through_nvfp4(w, p->x + t * w->hidden, w->hidden, p->x_global, w->x + t * w->hidden);
    for (size_t e = 0; e < w->experts && status == NVFP4_OK; e++) {
        int loaded = 0;
        for (size_t i = 0; i < w->tokens * w->top_k && status == NVFP4_OK; i++) {
            if (p->expert_ids[i] < 0 || (size_t)p->expert_ids[i] != e)
                continue;
            if (!loaded)
                status = load_expert(w, e);
            loaded = 1;
            if (status == NVFP4_OK)
                status = add_token(w, i / w->top_k, p->expert_weights[i], out);
        }
    }
    return status;
}

nvfp4_status nvfp4_moe_reference(const nvfp4_moe_problem *problem, double *out)
{
    nvfp4_status status = check(problem);
    if (status != NVFP4_OK)
        return status;
    if (out == NULL)
        return NVFP4_EINVAL;
    struct work w;
    status = set_up(&w, problem);
    if (status != NVFP4_OK)
        return status;
    status = run(&w, out);
    clean_up(&w);
    return status;
}
