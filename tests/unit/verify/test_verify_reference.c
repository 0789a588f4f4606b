/* SPDX-License-Identifier: Apache-2.0 */
/* Activations and the reference layer against formulas written out in long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvfp4moe/verify.h>

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

/* layer.h's definitions, clamped where a limit is set. */
static long double formula(const nvfp4_moe_layer *l, long double g, long double u)
{
    int limited = (l->has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    long double limit = limited ? (long double)l->swiglu_limit : 1e300L;
    long double a = l->has & NVFP4_HAS_SWIGLU_ALPHA ? l->swiglu_alpha : 1;
    long double b = l->has & NVFP4_HAS_SWIGLU_BETA ? l->swiglu_beta : 0;
    long double gc = fminl(g, limit), uc = fmaxl(fminl(u, limit), -limit);
    switch (l->activation) {
    case NVFP4_ACTIVATION_SWIGLUOAI:
    case NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE:
        a = l->has & NVFP4_HAS_SWIGLU_ALPHA ? l->swiglu_alpha : 1.702;
        b = l->has & NVFP4_HAS_SWIGLU_BETA ? l->swiglu_beta : 1;
        return gc * sigmoid(a * gc) * (uc + b);
    case NVFP4_ACTIVATION_SILU:
        return gc * sigmoid(a * gc) * (uc + b);
    case NVFP4_ACTIVATION_SWIGLUSTEP:
        return fminl(g * sigmoid(g), limit) * uc;
    case NVFP4_ACTIVATION_GELU:
        return gc * (1 + erfl(gc / sqrtl(2))) / 2 * uc;
    case NVFP4_ACTIVATION_GELU_TANH:
        return gc / 2 * (1 + tanhl(sqrtl(2 / acosl(-1)) * (gc + 0.044715L * powl(gc, 3)))) * uc;
    case NVFP4_ACTIVATION_RELU2:
        return powl(fmaxl(gc, 0), 2) * uc;
    case NVFP4_ACTIVATION_SITU:
        uc = l->has & NVFP4_HAS_SITU_LINEAR_BETA
                 ? l->situ_linear_beta * tanhl(uc / l->situ_linear_beta)
                 : uc;
        return 4 * tanhl(gc / 4) * sigmoid(gc) * uc;
    case NVFP4_ACTIVATION_SILU_NO_MUL:
        return gc * sigmoid(a * gc);
    case NVFP4_ACTIVATION_GELU_NO_MUL:
        return gc * (1 + erfl(gc / sqrtl(2))) / 2;
    case NVFP4_ACTIVATION_GELU_TANH_NO_MUL:
        return gc / 2 * (1 + tanhl(sqrtl(2 / acosl(-1)) * (gc + 0.044715L * powl(gc, 3))));
    default:
        return powl(fmaxl(gc, 0), 2);
    }
}

static int is_gated(int32_t activation)
{
    return activation < NVFP4_ACTIVATION_SILU_NO_MUL;
}

struct form {
    const char *name;
    int32_t activation;
    uint32_t has;
    double limit, alpha, beta;
};

enum { L = NVFP4_HAS_SWIGLU_LIMIT, A = NVFP4_HAS_SWIGLU_ALPHA, B = NVFP4_HAS_SWIGLU_BETA };

static const struct form forms[] = {
    {"silu", NVFP4_ACTIVATION_SILU, 0, 0, 0, 0},
    {"silu 10", NVFP4_ACTIVATION_SILU, L, 10, 0, 0},
    {"silu with alpha and beta", NVFP4_ACTIVATION_SILU, L | A | B, 2.5, 1.3, 0.5},
    {"gelu", NVFP4_ACTIVATION_GELU, 0, 0, 0, 0},
    {"gelu 3", NVFP4_ACTIVATION_GELU, L, 3, 0, 0},
    {"gelu_tanh", NVFP4_ACTIVATION_GELU_TANH, 0, 0, 0, 0},
    {"gelu_tanh 7", NVFP4_ACTIVATION_GELU_TANH, L, 7, 0, 0},
    {"relu2", NVFP4_ACTIVATION_RELU2, 0, 0, 0, 0},
    {"relu2 2", NVFP4_ACTIVATION_RELU2, L, 2, 0, 0},
    {"swigluoai", NVFP4_ACTIVATION_SWIGLUOAI, 0, 0, 0, 0},
    {"swigluoai 7", NVFP4_ACTIVATION_SWIGLUOAI, L, 7, 0, 0},
    {"swigluoai_uninterleave 7", NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE, L, 7, 0, 0},
    {"swigluoai_uninterleave of its own", NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE, L | A | B, 4, 1,
     0},
    {"swiglustep 7", NVFP4_ACTIVATION_SWIGLUSTEP, L, 7, 0, 0},
    {"swiglustep 1", NVFP4_ACTIVATION_SWIGLUSTEP, L, 1, 0, 0},
    {"situ", NVFP4_ACTIVATION_SITU, NVFP4_HAS_SITU_LINEAR_BETA, 0, 0, 0},
    {"situ 10", NVFP4_ACTIVATION_SITU, L | NVFP4_HAS_SITU_LINEAR_BETA, 10, 0, 0},
    {"situ without a linear cap", NVFP4_ACTIVATION_SITU, 0, 0, 0, 0},
    {"silu_no_mul", NVFP4_ACTIVATION_SILU_NO_MUL, 0, 0, 0, 0},
    {"silu_no_mul 3", NVFP4_ACTIVATION_SILU_NO_MUL, L, 3, 0, 0},
    {"gelu_no_mul", NVFP4_ACTIVATION_GELU_NO_MUL, 0, 0, 0, 0},
    {"gelu_tanh_no_mul", NVFP4_ACTIVATION_GELU_TANH_NO_MUL, 0, 0, 0, 0},
    {"relu2_no_mul", NVFP4_ACTIVATION_RELU2_NO_MUL, 0, 0, 0, 0},
    {"relu2_no_mul 2", NVFP4_ACTIVATION_RELU2_NO_MUL, L, 2, 0, 0},
};

static nvfp4_moe_layer layer_of(const struct form *f)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    layer.activation = f->activation;
    layer.has = f->has;
    layer.swiglu_limit = f->limit;
    layer.swiglu_alpha = f->alpha;
    layer.swiglu_beta = f->beta;
    layer.situ_linear_beta = 25;
    return layer;
}

static void activation(void **state)
{
    nvfp4_moe_layer layer = layer_of(*state);
    float in[2];
    double out;
    for (float g = -40; g <= 40; g += 0.37f)
        for (float u = -40; u <= 40; u += 1.31f) {
            in[0] = g;
            in[1] = u;
            assert_int_equal(
                nvfp4_activate(&layer, NVFP4_HALVES_GATE_UP, NVFP4_DTYPE_FP32, 0, 1, 1, in, &out),
                NVFP4_OK);
            double expected = (double)formula(&layer, (long double)g, (long double)u);
            if (fabs(out - expected) > 1e-13 * fabs(expected) + 1e-14 * (double)fabsf(g * u))
                fail_msg("g %g u %g: %.17g, not %.17g", (double)g, (double)u, out, expected);
        }
    if (is_gated(layer.activation) || layer.activation < NVFP4_ACTIVATION_RELU2_NO_MUL) {
        in[0] = NAN;
        in[1] = 1;
        (void)nvfp4_activate(&layer, NVFP4_HALVES_GATE_UP, NVFP4_DTYPE_FP32, 0, 1, 1, in, &out);
        assert_true(isnan(out));
    }
    if (is_gated(layer.activation)) {
        in[0] = 1;
        in[1] = NAN;
        (void)nvfp4_activate(&layer, NVFP4_HALVES_GATE_UP, NVFP4_DTYPE_FP32, 0, 1, 1, in, &out);
        assert_true(isnan(out));
    }
}

/* Each point where a kernel may round, one by one, with values that show it. */
static void rounding(void **state)
{
    (void)state;
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    layer.has = L;
    layer.swiglu_limit = 1.003;
    const float inputs[2][2] = {{3.001f, 0.7001f}, {0.7003f, -1.7001f}};
    for (int32_t dtype = NVFP4_DTYPE_BF16; dtype <= NVFP4_DTYPE_FP32; dtype++)
        for (uint32_t points = 0; points < 32; points++) {
            const float *in = inputs[points / 16];
            double out, g = (double)in[0], u = (double)in[1];
            if (points & NVFP4_ROUND_INPUT) {
                g = nvfp4_round_to(g, dtype);
                u = nvfp4_round_to(u, dtype);
            }
            g = fmin(g, 1.003);
            u = fmax(fmin(u, 1.003), -1.003);
            if (points & NVFP4_ROUND_CLAMPED) {
                g = nvfp4_round_to(g, dtype);
                u = nvfp4_round_to(u, dtype);
            }
            double s = (double)sigmoid((long double)g), a;
            if (points & NVFP4_ROUND_STEPS)
                s = nvfp4_round_to(s, dtype);
            a = g * s;
            if (points & NVFP4_ROUND_STEPS)
                a = nvfp4_round_to(a, dtype);
            a *= u;
            if (points & NVFP4_ROUND_OUTPUT)
                a = nvfp4_round_to(a, dtype);
            assert_int_equal(
                nvfp4_activate(&layer, NVFP4_HALVES_AUTO, dtype, points, 1, 1, in, &out), NVFP4_OK);
            assert_true(fabs(out - a) <= 1e-15);
        }
}

struct layout {
    const char *name;
    int32_t halves;
    size_t n, gate0, gate1, gate64, up0, up1;
};

static const struct layout layouts[] = {
    {"gate_up", NVFP4_HALVES_GATE_UP, 128, 0, 1, 64, 128, 129},
    {"up_gate", NVFP4_HALVES_UP_GATE, 128, 128, 129, 192, 0, 1},
    {"gate_up_by_1", NVFP4_HALVES_GATE_UP_BY_1, 128, 0, 2, 128, 1, 3},
    {"up_gate_by_1", NVFP4_HALVES_UP_GATE_BY_1, 128, 1, 3, 129, 0, 2},
    {"gate_up_by_64", NVFP4_HALVES_GATE_UP_BY_64, 128, 0, 1, 128, 64, 65},
    {"up_gate_by_64", NVFP4_HALVES_UP_GATE_BY_64, 128, 64, 65, 192, 0, 1},
};

static void layout(void **state)
{
    const struct layout *l = *state;
    uint8_t seen[256] = {0};
    assert_int_equal(nvfp4_halves_row(l->halves, 0, 0, l->n), l->gate0);
    assert_int_equal(nvfp4_halves_row(l->halves, 0, 1, l->n), l->gate1);
    assert_int_equal(nvfp4_halves_row(l->halves, 0, 64, l->n), l->gate64);
    assert_int_equal(nvfp4_halves_row(l->halves, 1, 0, l->n), l->up0);
    assert_int_equal(nvfp4_halves_row(l->halves, 1, 1, l->n), l->up1);
    for (size_t i = 0; i < l->n; i++)
        for (int32_t half = 0; half < 2; half++)
            seen[nvfp4_halves_row(l->halves, half, i, l->n)]++;
    for (size_t i = 0; i < 2 * l->n; i++)
        assert_int_equal(seen[i], 1);
}

static uint64_t chance = 3;

static double next(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(chance >> 40) / 0x1p24;
}

/* A layer of chance, its arrays owned here. */
struct fixture {
    nvfp4_moe_layer layer;
    nvfp4_moe_problem problem;
    float *x, *weights, *w13_global, *w2_global;
    int32_t *ids;
    uint8_t *w13, *w13_scales, *w2, *w2_scales;
    size_t codes13, scales13, codes2, scales2;
};

static void fill_scales(uint8_t *scales, size_t n)
{
    for (size_t i = 0; i < n; i++)
        scales[i] = (uint8_t)(0x20 + next() * 0x30);
}

static void make(struct fixture *f, size_t tokens, size_t k, size_t n, size_t experts, size_t top_k)
{
    size_t rows = is_gated(f->layer.activation) ? 2 * n : n;
    f->layer.hidden_size = (int64_t)k;
    f->layer.intermediate_size = (int64_t)n;
    f->layer.num_experts = (int64_t)experts;
    f->layer.top_k = (int64_t)top_k;
    nvfp4_matrix_format format = {sizeof format, rows, k, f->problem.scale_order, 0, 1};
    assert_int_equal(nvfp4_matrix_bytes(&format, &f->codes13, &f->scales13), NVFP4_OK);
    format.rows = k;
    format.cols = n;
    assert_int_equal(nvfp4_matrix_bytes(&format, &f->codes2, &f->scales2), NVFP4_OK);
    f->x = malloc(tokens * k * sizeof *f->x);
    f->weights = malloc(tokens * top_k * sizeof *f->weights);
    f->ids = malloc(tokens * top_k * sizeof *f->ids);
    f->w13_global = malloc(experts * sizeof *f->w13_global);
    f->w2_global = malloc(experts * sizeof *f->w2_global);
    f->w13 = malloc(experts * f->codes13);
    f->w13_scales = malloc(experts * f->scales13);
    f->w2 = malloc(experts * f->codes2);
    f->w2_scales = malloc(experts * f->scales2);
    for (size_t i = 0; i < tokens * k; i++)
        f->x[i] = (float)(next() * 2 - 1);
    for (size_t i = 0; i < tokens * top_k; i++) {
        f->ids[i] = (int32_t)(next() * (double)(experts + 1)) - 1; /* some routes lead nowhere */
        f->weights[i] = (float)next();
    }
    for (size_t e = 0; e < experts; e++) {
        f->w13_global[e] = (float)(0.05 + next());
        f->w2_global[e] = (float)(0.05 + next());
    }
    for (size_t i = 0; i < experts * f->codes13; i++)
        f->w13[i] = (uint8_t)(next() * 256);
    for (size_t i = 0; i < experts * f->codes2; i++)
        f->w2[i] = (uint8_t)(next() * 256);
    fill_scales(f->w13_scales, experts * f->scales13);
    fill_scales(f->w2_scales, experts * f->scales2);
    nvfp4_moe_problem p = {sizeof p,
                           &f->layer,
                           (int64_t)tokens,
                           f->x,
                           f->ids,
                           f->weights,
                           f->w13,
                           f->w13_scales,
                           f->w13_global,
                           f->w2,
                           f->w2_scales,
                           f->w2_global,
                           0.013f,
                           0.021f,
                           f->problem.halves,
                           f->problem.scale_order,
                           f->problem.global_kind,
                           0};
    f->problem = p;
}

static void unmake(struct fixture *f)
{
    free(f->x);
    free(f->weights);
    free(f->ids);
    free(f->w13_global);
    free(f->w2_global);
    free(f->w13);
    free(f->w13_scales);
    free(f->w2);
    free(f->w2_scales);
}

static double weight(const struct fixture *f, const uint8_t *codes, const uint8_t *scales,
                     double global, size_t rows, size_t cols, size_t row, size_t col)
{
    nvfp4_matrix_format format = {sizeof format, rows, cols, f->problem.scale_order, 0, 1};
    size_t at = 0, i = row * cols + col;
    assert_int_equal(nvfp4_scale_offset(&format, row, col / 16, &at), NVFP4_OK);
    double x =
        nvfp4_e2m1_decode((uint8_t)(codes[i / 2] >> (i % 2 * 4))) * nvfp4_e4m3_decode(scales[at]);
    return (double)(float)(f->problem.global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL ? x / global
                                                                                  : x * global);
}

static void through(const struct fixture *f, float *row, size_t n, double global)
{
    nvfp4_matrix_format format = {sizeof format, 1, n, 0, f->problem.global_kind, global};
    uint8_t *codes = malloc(n / 2), *scales = malloc(n / 16);
    assert_int_equal(nvfp4_quantize(&format, row, codes, scales), NVFP4_OK);
    assert_int_equal(nvfp4_dequantize(&format, codes, scales, row), NVFP4_OK);
    free(codes);
    free(scales);
}

/* One token through one expert, the slow way. */
static void slow(const struct fixture *f, const float *x, size_t e, double share, double *out)
{
    size_t k = (size_t)f->layer.hidden_size, n = (size_t)f->layer.intermediate_size;
    int gated = is_gated(f->layer.activation), w4a4 = f->layer.scheme == NVFP4_SCHEME_W4A4;
    size_t rows = gated ? 2 * n : n;
    float *in = malloc(k * sizeof *in), *h = malloc(n * sizeof *h);
    memcpy(in, x, k * sizeof *in);
    if (w4a4)
        through(f, in, k, (double)f->problem.x_global);
    for (size_t i = 0; i < n; i++) {
        size_t g_row = gated ? nvfp4_halves_row(f->problem.halves, 0, i, n) : i;
        size_t u_row = gated ? nvfp4_halves_row(f->problem.halves, 1, i, n) : i;
        double g = 0, u = 0;
        for (size_t j = 0; j < k; j++) {
            const uint8_t *c = f->w13 + e * f->codes13, *s = f->w13_scales + e * f->scales13;
            double global = (double)f->w13_global[e];
            g += (double)in[j] * weight(f, c, s, global, rows, k, g_row, j);
            u += (double)in[j] * weight(f, c, s, global, rows, k, u_row, j);
        }
        h[i] = (float)formula(&f->layer, (long double)g, (long double)u);
    }
    if (w4a4)
        through(f, h, n, (double)f->problem.h_global);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < n; i++)
            out[j] += share * (double)h[i] *
                      weight(f, f->w2 + e * f->codes2, f->w2_scales + e * f->scales2,
                             (double)f->w2_global[e], k, n, j, i);
    free(in);
    free(h);
}

struct problem {
    const char *name;
    int32_t scheme, activation, halves, scale_order, global_kind;
};

static const struct problem problems[] = {
    {"w4a16 silu", 1, 0, NVFP4_HALVES_GATE_UP, 0, 0},
    {"w4a4 silu up first", 0, 0, NVFP4_HALVES_UP_GATE, 0, 0},
    {"w4a4 swigluoai, swizzled scales", 0, 4, NVFP4_HALVES_GATE_UP_BY_1, 1, 0},
    {"w4a16 swiglustep by 64, reciprocals", 1, 6, NVFP4_HALVES_UP_GATE_BY_64, 0, 1},
    {"w4a4 relu2_no_mul, swizzled, reciprocals", 0, 11, NVFP4_HALVES_GATE_UP, 1, 1},
};

static void moe(void **state)
{
    const struct problem *p = *state;
    struct fixture f = {.layer = NVFP4_MOE_LAYER_INIT};
    f.layer.scheme = p->scheme;
    f.layer.activation = p->activation;
    f.layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    f.layer.swiglu_limit = 1.5;
    f.problem.halves = p->halves;
    f.problem.scale_order = p->scale_order;
    f.problem.global_kind = p->global_kind;
    make(&f, 3, 32, 64, 3, 2);
    double out[3 * 32], expected[3 * 32] = {0};
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_OK);
    double most = 0;
    for (size_t i = 0; i < 6; i++)
        if (f.ids[i] >= 0)
            slow(&f, f.x + i / 2 * 32, (size_t)f.ids[i], (double)f.weights[i],
                 expected + i / 2 * 32);
    for (size_t i = 0; i < 96; i++)
        most = fmax(most, fabs(expected[i]));
    assert_true(most > 0);
    for (size_t i = 0; i < 96; i++)
        assert_true(fabs(out[i] - expected[i]) <= 1e-6 * most);
    unmake(&f);
}

/* 8 experts of 512 x 256, 64 tokens: well under a second. */
static void is_fast(void **state)
{
    (void)state;
    struct fixture f = {.layer = NVFP4_MOE_LAYER_INIT};
    f.problem.halves = NVFP4_HALVES_GATE_UP;
    make(&f, 64, 512, 256, 8, 2);
    double *out = malloc(64 * 512 * sizeof *out);
    clock_t start = clock();
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("reference: %.0f ms\n", seconds * 1000);
    assert_true(seconds < 10); /* sanitizers and valgrind included */
    free(out);
    unmake(&f);
}

static void bad_problems(void **state)
{
    (void)state;
    struct fixture f = {.layer = NVFP4_MOE_LAYER_INIT};
    double out[32];
    make(&f, 1, 32, 64, 2, 1);
    nvfp4_moe_problem good = f.problem;
    nvfp4_moe_layer layer = f.layer;
    f.ids[0] = 1;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_OK);
    assert_int_equal(nvfp4_moe_reference(NULL, out), NVFP4_EINVAL);
    assert_int_equal(nvfp4_moe_reference(&f.problem, NULL), NVFP4_EINVAL);
    f.ids[0] = 2;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.ids[0] = 0;
    f.problem.w2 = NULL;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.problem = good;
    f.problem.struct_size = 16;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EABI);
    f.problem = good;
    f.problem.x_global = 0;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.problem = good;
    f.layer.hidden_size = 40;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.layer = layer;
    f.layer.intermediate_size = (int64_t)1 << 50;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.layer = layer;
    f.layer.scheme = NVFP4_SCHEME_W4A8_FP8;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.layer = layer;
    f.layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    f.layer.swiglu_limit = 0;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    f.layer = layer;
    f.problem.halves = NVFP4_HALVES_GATE_UP_BY_64;
    f.layer.intermediate_size = 48;
    assert_int_equal(nvfp4_moe_reference(&f.problem, out), NVFP4_EINVAL);
    unmake(&f);
}

static void bad_activations(void **state)
{
    (void)state;
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    float in[2] = {0};
    double out = 5;
    assert_int_equal(nvfp4_activate(NULL, 1, 0, 0, 1, 1, in, &out), NVFP4_EINVAL);
    assert_int_equal(nvfp4_activate(&layer, 1, 0, 0, 1, 1, NULL, &out), NVFP4_EINVAL);
    assert_int_equal(nvfp4_activate(&layer, 99, 0, 0, 1, 1, in, &out), NVFP4_EINVAL);
    assert_int_equal(nvfp4_activate(&layer, NVFP4_HALVES_GATE_UP_BY_64, 0, 0, 1, 1, in, &out),
                     NVFP4_EINVAL);
    layer.activation = 77;
    assert_int_equal(nvfp4_activate(&layer, 1, 0, 0, 1, 1, in, &out), NVFP4_EINVAL);
    layer.struct_size = 4;
    assert_int_equal(nvfp4_activate(&layer, 1, 0, 0, 1, 1, in, &out), NVFP4_EABI);
    assert_true(out == 5);
    assert_int_equal(nvfp4_halves_row(0, 0, 0, 4), 0);
    assert_int_equal(nvfp4_halves_row(NVFP4_HALVES_GATE_UP, 1, 4, 4), 0);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

int main(void)
{
    struct CMUnitTest tests[COUNT(forms) + COUNT(layouts) + COUNT(problems) + 4] = {
        cmocka_unit_test(rounding), cmocka_unit_test(is_fast), cmocka_unit_test(bad_problems),
        cmocka_unit_test(bad_activations)};
    size_t n = 4;
    for (size_t i = 0; i < COUNT(forms); i++)
        tests[n++] = (struct CMUnitTest){forms[i].name, activation, NULL, NULL,
                                         (void *)(uintptr_t)&forms[i]};
    for (size_t i = 0; i < COUNT(layouts); i++)
        tests[n++] = (struct CMUnitTest){layouts[i].name, layout, NULL, NULL,
                                         (void *)(uintptr_t)&layouts[i]};
    for (size_t i = 0; i < COUNT(problems); i++)
        tests[n++] =
            (struct CMUnitTest){problems[i].name, moe, NULL, NULL, (void *)(uintptr_t)&problems[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
