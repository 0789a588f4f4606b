/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/verify.h>

static uint64_t chance = 7;

static double next(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(chance >> 40) / 0x1p24;
}

static double magnitude_e2m1(unsigned code)
{
    static const double value[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return value[code & 7];
}

/* From the definition: subnormal below exponent 1, NaN for all bits set. */
static double magnitude_e4m3(unsigned code)
{
    unsigned e = code >> 3 & 15, m = code & 7;
    if ((code & 0x7F) == 0x7F)
        return NAN;
    return e == 0 ? ldexp(m, -9) : ldexp(8 + m, (int)e - 10);
}

/* Every pair of block scale and code, under both conventions. */
static void all_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (unsigned scale = 0; scale < 256; scale++) {
            nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
            f.rows = 1;
            f.cols = 16;
            f.global_kind = kind;
            f.global_scale = (double)0.0371f;
            uint8_t codes[8], s = (uint8_t)scale;
            float out[16];
            for (unsigned i = 0; i < 8; i++) /* element i has code i */
                codes[i] = (uint8_t)(2 * i | (2 * i + 1) << 4);
            assert_int_equal(nvfp4_dequantize(&f, codes, &s, out), NVFP4_OK);
            for (unsigned code = 0; code < 16; code++) {
                double x = magnitude_e2m1(code) * magnitude_e4m3(scale);
                x = kind == 0 ? x * f.global_scale : x / f.global_scale;
                float expected = (float)((code >= 8) != (scale >= 128) ? -x : x);
                if (isnan(x))
                    assert_true(isnan(out[code]));
                else
                    assert_true(out[code] == expected && !signbit(out[code]) == !signbit(expected));
            }
        }
}

/* Nearest by looking at all, in numbers wide enough that nothing is rounded: ties to even. */
static unsigned search(double (*value)(unsigned), unsigned count, long double x)
{
    unsigned best = 0;
    for (unsigned code = 1; code < count; code++) {
        long double now = fabsl(x - (long double)value(code));
        long double then = fabsl(x - (long double)value(best));
        if (now < then || (now == then && code % 2 == 0))
            best = code;
    }
    return best;
}

static void check_block(const nvfp4_matrix_format *f, const float *x, const uint8_t *codes,
                        uint8_t scale)
{
    int reciprocal = f->global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL;
    long double amax = 0, g = f->global_scale;
    for (int i = 0; i < 16; i++)
        amax = fmaxl(amax, fabsl((long double)x[i]));
    unsigned expected = search(magnitude_e4m3, 127, reciprocal ? amax * g / 6 : amax / 6 / g);
    assert_int_equal(scale, expected);
    long double unit = magnitude_e4m3(expected);
    unit = reciprocal ? unit / g : unit * g;
    for (int i = 0; i < 16; i++) {
        unsigned code = codes[i / 2] >> (i % 2 * 4) & 15;
        unsigned want = unit == 0 ? 0 : search(magnitude_e2m1, 8, fabsl((long double)x[i]) / unit);
        assert_int_equal(code, want | (signbit(x[i]) ? 8u : 0));
    }
}

static void random_blocks(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        float x[16];
        double size = ldexp(1, (int)(next() * 24) - 16);
        nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
        f.rows = 1;
        f.cols = 16;
        f.global_kind = round % 2;
        f.global_scale = (double)(float)(next() + 0.01);
        for (int i = 0; i < 16; i++) {
            x[i] = (float)((next() - 0.5) * size);
            if (round % 3 == 0) /* coarse values, to meet ties */
                x[i] = (float)(ldexp(floor(ldexp((double)x[i] / size, 4)), -4) * size);
        }
        uint8_t codes[8], scale;
        assert_int_equal(nvfp4_quantize(&f, x, codes, &scale), NVFP4_OK);
        check_block(&f, x, codes, scale);
    }
}

/* Blocks whose scale lies exactly between two E4M3 numbers, and a hair beside: ties to even. */
static void scale_ties(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 126; code++)
        for (int kind = 0; kind < 2; kind++)
            for (int beside = -1; beside <= 1; beside++) {
                nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
                float x[16] = {0};
                uint8_t codes[8], scale;
                f.rows = 1;
                f.cols = 16;
                f.global_kind = kind;
                f.global_scale = kind == 0 ? 0.375 : 4;
                double unit = kind == 0 ? 0.375 : 0.25;
                x[3] = (float)((magnitude_e4m3(code) + magnitude_e4m3(code + 1)) / 2 * 6 * unit);
                if (beside != 0)
                    x[3] = nextafterf(x[3], beside < 0 ? 0.0f : 1e9f);
                assert_int_equal(nvfp4_quantize(&f, x, codes, &scale), NVFP4_OK);
                unsigned even = code + code % 2;
                assert_int_equal(scale, beside < 0 ? code : beside > 0 ? code + 1 : even);
            }
}

struct swizzle {
    const char *name;
    size_t rows, cols, row, block, offset;
};

static const struct swizzle swizzles[] = {
    {"the first", 128, 64, 0, 0, 0},
    {"next along K", 128, 64, 0, 1, 1},
    {"next row", 128, 64, 1, 0, 16},
    {"row 31", 128, 64, 31, 3, 499},
    {"row 32 lies beside row 0", 128, 64, 32, 0, 4},
    {"row 127 is the last", 128, 64, 127, 3, 511},
    {"next tile along K", 128, 128, 0, 4, 512},
    {"next tile of rows", 256, 128, 128, 0, 1024},
    {"columns are padded to 4", 200, 80, 128, 0, 1024},
    {"in all of it", 300, 144, 261, 7, 2 * 3 * 512 + 512 + 5 * 16 + 3},
};

static void swizzle(void **state)
{
    const struct swizzle *s = *state;
    nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
    size_t offset = 0;
    f.rows = s->rows;
    f.cols = s->cols;
    f.scale_order = NVFP4_SCALE_ORDER_128X4;
    assert_int_equal(nvfp4_scale_offset(&f, s->row, s->block, &offset), NVFP4_OK);
    assert_int_equal(offset, s->offset);
}

/* No two scales share a place, and padding stays zero. */
static void swizzle_is_a_permutation(void **state)
{
    (void)state;
    nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
    f.rows = 133;
    f.cols = 80;
    f.scale_order = NVFP4_SCALE_ORDER_128X4;
    size_t codes = 0, scales = 0, offset = 0, used = 0;
    assert_int_equal(nvfp4_matrix_bytes(&f, &codes, &scales), NVFP4_OK);
    assert_int_equal(codes, 133 * 40);
    assert_int_equal(scales, 256 * 8);
    uint8_t *seen = calloc(scales, 1), *c = malloc(codes), *s = malloc(scales);
    float *x = malloc(133 * 80 * sizeof *x), *y = malloc(133 * 80 * sizeof *y);
    for (size_t row = 0; row < f.rows; row++)
        for (size_t b = 0; b < 5; b++) {
            assert_int_equal(nvfp4_scale_offset(&f, row, b, &offset), NVFP4_OK);
            assert_true(offset < scales && !seen[offset]);
            seen[offset] = 1;
        }
    for (size_t i = 0; i < f.rows * f.cols; i++)
        x[i] = (float)(1 + i % 7);
    memset(s, 0xAA, scales);
    assert_int_equal(nvfp4_quantize(&f, x, c, s), NVFP4_OK);
    for (size_t i = 0; i < scales; i++) {
        used += s[i] != 0;
        assert_true(seen[i] || s[i] == 0);
    }
    assert_int_equal(used, 133 * 5);
    assert_int_equal(nvfp4_dequantize(&f, c, s, y), NVFP4_OK);
    f.scale_order = NVFP4_SCALE_ORDER_LINEAR;
    assert_int_equal(nvfp4_quantize(&f, x, c, s), NVFP4_OK);
    assert_int_equal(nvfp4_dequantize(&f, c, s, x), NVFP4_OK);
    assert_memory_equal(x, y, 133 * 80 * sizeof *x);
    free(seen);
    free(c);
    free(s);
    free(x);
    free(y);
}

/* amax / 2688 as global scale uses the whole range: the largest element comes back as it was. */
static void worked_block(void **state)
{
    (void)state;
    nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
    float x[16] = {26.88f, -13.44f, 0.1f, -0.0f, NAN, 4.48f}, y[16];
    uint8_t codes[8], scale;
    f.rows = 1;
    f.cols = 16;
    f.global_scale = 0.01;
    assert_int_equal(nvfp4_quantize(&f, x, codes, &scale), NVFP4_OK);
    assert_int_equal(scale, 0x7E);    /* 26.88 / 6 / 0.01 = 448 */
    assert_int_equal(codes[0], 0xD7); /* 6 low, -3 high */
    assert_int_equal(codes[1], 0x80); /* 0.1 is nothing beside 26.88; -0 keeps its sign */
    assert_int_equal(codes[2], 0x27); /* NaN becomes 6 low, 1 high */
    assert_int_equal(nvfp4_dequantize(&f, codes, &scale, y), NVFP4_OK);
    assert_true(fabsf(y[0] - 26.88f) < 1e-5f && fabsf(y[1] + 13.44f) < 1e-5f);
    float tiny[16] = {1e-6f, -1e-6f};
    assert_int_equal(nvfp4_quantize(&f, tiny, codes, &scale), NVFP4_OK);
    assert_int_equal(scale, 0); /* underflows, so the codes are zero */
    assert_int_equal(codes[0], 0x80);
}

static void bad_arguments(void **state)
{
    (void)state;
    nvfp4_matrix_format f = NVFP4_MATRIX_FORMAT_INIT;
    float x[16] = {0};
    uint8_t codes[8] = {0}, scale = 0;
    size_t n = 77;
    f.rows = 1;
    f.cols = 16;
    assert_int_equal(nvfp4_matrix_bytes(NULL, &n, &n), NVFP4_EINVAL);
    assert_int_equal(nvfp4_quantize(&f, NULL, codes, &scale), NVFP4_EINVAL);
    assert_int_equal(nvfp4_dequantize(&f, codes, NULL, x), NVFP4_EINVAL);
    assert_int_equal(nvfp4_scale_offset(&f, 1, 0, &n), NVFP4_EINVAL);
    assert_int_equal(nvfp4_scale_offset(&f, 0, 1, &n), NVFP4_EINVAL);
    const double globals[] = {0, -1, NAN, HUGE_VAL};
    for (size_t i = 0; i < 4; i++) {
        f.global_scale = globals[i];
        assert_int_equal(nvfp4_quantize(&f, x, codes, &scale), NVFP4_EINVAL);
    }
    f.global_scale = 1;
    f.cols = 24;
    assert_int_equal(nvfp4_matrix_bytes(&f, &n, &n), NVFP4_EINVAL);
    f.cols = 16;
    f.scale_order = 2;
    assert_int_equal(nvfp4_matrix_bytes(&f, &n, &n), NVFP4_EINVAL);
    f.scale_order = NVFP4_SCALE_ORDER_128X4;
    f.rows = SIZE_MAX / 16;
    assert_int_equal(nvfp4_matrix_bytes(&f, &n, &n), NVFP4_ELIMIT);
    f.struct_size = 8;
    assert_int_equal(nvfp4_matrix_bytes(&f, &n, &n), NVFP4_EABI);
    assert_int_equal(n, 77);
}

int main(void)
{
    enum { SWIZZLES = sizeof swizzles / sizeof swizzles[0] };
    struct CMUnitTest tests[SWIZZLES + 6] = {
        cmocka_unit_test(all_pairs),    cmocka_unit_test(random_blocks),
        cmocka_unit_test(scale_ties),   cmocka_unit_test(swizzle_is_a_permutation),
        cmocka_unit_test(worked_block), cmocka_unit_test(bad_arguments)};
    for (size_t i = 0; i < SWIZZLES; i++)
        tests[6 + i] = (struct CMUnitTest){swizzles[i].name, swizzle, NULL, NULL,
                                           (void *)(uintptr_t)&swizzles[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
