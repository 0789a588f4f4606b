/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number formats against tables enumerated from their definition: sign, exponent, mantissa.
 * Rounding is held against a search for the nearest value, ties to the even code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/verify.h>

/* Every finite magnitude of a format, by its bits; they ascend. */
struct table {
    size_t count;
    double value[32768];
};

static void enumerate(struct table *t, int mantissa_bits, int bias, size_t count)
{
    t->count = count;
    for (size_t bits = 0; bits < count; bits++) {
        size_t exponent = bits >> mantissa_bits,
               mantissa = bits & (((size_t)1 << mantissa_bits) - 1);
        double fraction = (double)mantissa / (double)((size_t)1 << mantissa_bits);
        t->value[bits] = exponent == 0 ? fraction * pow(2, 1 - bias)
                                       : (1 + fraction) * pow(2, (double)exponent - bias);
    }
}

/* Index of the magnitude nearest to x >= 0, the even one of two; count where x lies beyond by half
 * a step or more, so that an overflow would follow. */
static size_t nearest(const struct table *t, double x)
{
    size_t low = 0, high = t->count - 1;
    double last = t->value[t->count - 1], step = last - t->value[t->count - 2];
    if (x >= last + step / 2)
        return t->count;
    if (x >= last)
        return t->count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (t->value[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    double below = x - t->value[low], above = t->value[high] - x;
    return below < above || (below == above && low % 2 == 0) ? low : high;
}

static struct table e2m1, e4m3, bf16, fp16;

static int set_up(void **state)
{
    (void)state;
    enumerate(&e2m1, 1, 1, 8);
    enumerate(&e4m3, 3, 7, 127); /* 0x7F is NaN */
    enumerate(&bf16, 7, 127, 0x7F80);
    enumerate(&fp16, 10, 15, 0x7C00);
    return 0;
}

static uint64_t chance = 1;

static uint64_t next(void)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return chance >> 16;
}

/* Floats of all kinds: any bits, magnitudes around the formats, and close to ties. */
static double random_value(void)
{
    uint32_t bits = (uint32_t)next();
    float f;
    memcpy(&f, &bits, sizeof f);
    switch (next() % 4) {
    case 0:
        return f;
    case 1:
        return ((double)(next() % 2000001) - 1e6) * 1e-5;
    case 2:
        return ((next() & 1) ? -1 : 1) *
               ldexp((double)(next() % 1000 + 1), (int)(next() % 40) - 24);
    default: {
        const struct table *t = next() & 1 ? &e2m1 : &e4m3;
        size_t i = (size_t)(next() % (t->count - 1));
        float tie = (float)((t->value[i] + t->value[i + 1]) / 2);
        int where = (int)(next() % 3);
        return where == 0 ? tie : nextafterf(tie, where == 1 ? 0.0f : 1000.0f);
    }
    }
}

static uint8_t expected_e2m1(double x)
{
    if (isnan(x))
        return 7;
    size_t code = nearest(&e2m1, fabs(x));
    return (uint8_t)((code == e2m1.count ? 7 : code) | (signbit(x) ? 8u : 0));
}

static uint8_t expected_e4m3(double x)
{
    uint8_t sign = signbit(x) ? 0x80 : 0;
    if (isnan(x))
        return sign | 0x7F;
    size_t code = nearest(&e4m3, fabs(x));
    return (uint8_t)(sign | (code == e4m3.count ? 126 : code));
}

static uint16_t expected16(const struct table *t, double x, uint16_t quiet)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    return isnan(x) ? sign | quiet : (uint16_t)(sign | nearest(t, fabs(x)));
}

static void ten_million(void **state)
{
    (void)state;
    for (int i = 0; i < 10000000; i++) {
        double x = random_value();
        if (nvfp4_e2m1_encode(x) != expected_e2m1(x) || nvfp4_e4m3_encode(x) != expected_e4m3(x))
            fail_msg("%a: e2m1 %u, not %u; e4m3 0x%02x, not 0x%02x", x, nvfp4_e2m1_encode(x),
                     expected_e2m1(x), nvfp4_e4m3_encode(x), expected_e4m3(x));
    }
}

static void sixteen_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        double x = random_value();
        assert_int_equal(nvfp4_bf16_encode(x), expected16(&bf16, x, 0x7FC0));
        assert_int_equal(nvfp4_fp16_encode(x), expected16(&fp16, x, 0x7E00));
        float f = (float)x;
        if (!isnan(x))
            assert_true(nvfp4_round_to(x, NVFP4_DTYPE_FP32) == (double)f);
    }
}

static void ties(void **state)
{
    (void)state;
    static const struct {
        const struct table *t;
        uint16_t (*encode)(double);
    } wide[] = {{&bf16, nvfp4_bf16_encode}, {&fp16, nvfp4_fp16_encode}};
    for (size_t i = 0; i + 1 < e2m1.count; i++)
        assert_int_equal(nvfp4_e2m1_encode((e2m1.value[i] + e2m1.value[i + 1]) / 2), i + i % 2);
    for (size_t i = 0; i + 1 < e4m3.count; i++)
        assert_int_equal(nvfp4_e4m3_encode(-(e4m3.value[i] + e4m3.value[i + 1]) / 2),
                         0x80 + i + i % 2);
    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; i + 1 < wide[w].t->count; i++) {
            double tie = (wide[w].t->value[i] + wide[w].t->value[i + 1]) / 2;
            assert_int_equal(wide[w].encode(tie), i + i % 2);
            assert_int_equal(wide[w].encode(nextafter(tie, 0)), i);
            assert_int_equal(wide[w].encode(nextafter(tie, HUGE_VAL)), i + 1);
        }
}

static void decoding(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        double sign = code & 0x80 ? -1 : 1, x = nvfp4_e4m3_decode((uint8_t)code);
        if ((code & 0x7F) == 0x7F)
            assert_true(isnan(x));
        else
            assert_true(x == sign * e4m3.value[code & 0x7F] && !signbit(x) == (sign > 0));
        if (code < 16)
            assert_true(nvfp4_e2m1_decode((uint8_t)code) ==
                        (code & 8 ? -1 : 1) * e2m1.value[code & 7]);
    }
    assert_true(signbit(nvfp4_e2m1_decode(8)));
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        double sign = bits & 0x8000 ? -1 : 1, b = nvfp4_bf16_decode((uint16_t)bits);
        double h = nvfp4_fp16_decode((uint16_t)bits);
        unsigned m = bits & 0x7FFF;
        assert_true(m < 0x7F80    ? b == sign * bf16.value[m]
                    : m == 0x7F80 ? b == sign * HUGE_VAL
                                  : isnan(b));
        assert_true(m < 0x7C00    ? h == sign * fp16.value[m]
                    : m == 0x7C00 ? h == sign * HUGE_VAL
                                  : isnan(h));
        if (m < 0x7F80)
            assert_int_equal(nvfp4_bf16_encode(b), bits);
        if (m < 0x7C00)
            assert_int_equal(nvfp4_fp16_encode(h), bits);
    }
}

struct figure {
    const char *name;
    double x;
    unsigned e2m1, e4m3;
};

/* Cut points and edges of the formats, worked by hand. */
static const struct figure figures[] = {
    {"zero", 0.0, 0, 0x00},
    {"negative zero", -0.0, 8, 0x80},
    {"a negative that rounds to zero", -0.1, 8, 0x9D},
    {"0.25 goes to 0", 0.25, 0, 0x28},
    {"0.75 goes to 1", 0.75, 2, 0x34},
    {"1.25 goes to 1", 1.25, 2, 0x3A},
    {"1.75 goes to 2", 1.75, 4, 0x3E},
    {"2.5 goes to 2", 2.5, 4, 0x42},
    {"3.5 goes to 4", 3.5, 6, 0x46},
    {"5 goes to 4", 5, 6, 0x4A},
    {"beyond 5 goes to 6", 5.0000001, 7, 0x4A},
    {"1000 saturates", 1000, 7, 0x7E},
    {"infinity saturates", HUGE_VAL, 7, 0x7E},
    {"minus infinity saturates", -HUGE_VAL, 15, 0xFE},
    {"464 is a tie beyond the last", 464, 7, 0x7E},
    {"least subnormal", 0x1p-9, 0, 0x01},
    {"half of it is a tie to zero", 0x1p-10, 0, 0x00},
    {"a little more", 0x1.000002p-10, 0, 0x01},
    {"least normal", 0x1p-6, 0, 0x08},
    {"subnormal tie", 2.5 * 0x1p-9, 0, 0x02},
};

static void figure(void **state)
{
    const struct figure *f = *state;
    assert_int_equal(nvfp4_e2m1_encode(f->x), f->e2m1);
    assert_int_equal(nvfp4_e4m3_encode(f->x), f->e4m3);
}

static void not_a_number(void **state)
{
    (void)state;
    assert_int_equal(nvfp4_e2m1_encode(NAN), 7);
    assert_int_equal(nvfp4_e2m1_encode(-NAN), 7);
    assert_int_equal(nvfp4_e4m3_encode(NAN) & 0x7F, 0x7F);
    assert_true(isnan(nvfp4_round_to(NAN, NVFP4_DTYPE_BF16)));
    assert_true(nvfp4_round_to(-HUGE_VAL, NVFP4_DTYPE_FP16) == -HUGE_VAL);
    assert_true(nvfp4_round_to(65519.9, NVFP4_DTYPE_FP16) == 65504);
    assert_true(nvfp4_round_to(65520, NVFP4_DTYPE_FP16) == HUGE_VAL);
    assert_true(nvfp4_round_to(1.1, 99) == 1.1);
}

int main(void)
{
    enum { FIGURES = sizeof figures / sizeof figures[0] };
    struct CMUnitTest tests[FIGURES + 5] = {
        cmocka_unit_test(ten_million), cmocka_unit_test(sixteen_bits), cmocka_unit_test(ties),
        cmocka_unit_test(decoding), cmocka_unit_test(not_a_number)};
    for (size_t i = 0; i < FIGURES; i++)
        tests[5 + i] = (struct CMUnitTest){figures[i].name, figure, NULL, NULL,
                                           (void *)(uintptr_t)&figures[i]};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
