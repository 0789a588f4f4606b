/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/numbers.h"

#include <math.h>
#include <string.h>

const double nvfp4_e2m1_value[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
const double nvfp4_e2m1_cut[7] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};

static const struct nvfp4_binary bf16 = {8, -126, 0x1.fep127};
static const struct nvfp4_binary fp16 = {11, -14, 65504};
static const struct nvfp4_binary fp32 = {24, -126, 0x1.fffffep127};
static const struct nvfp4_binary e4m3 = {4, -6, NVFP4_E4M3_MAX};

/* Rounds to a multiple of 2^exponent. Scaling by a power of two is exact, so the tie test is too.
 */
static double round_to_quantum(double x, int exponent)
{
    double n = ldexp(fabs(x), -exponent);
    double whole = floor(n);
    double rest = n - whole;
    if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0))
        whole += 1;
    return copysign(ldexp(whole, exponent), x);
}

/* The same for normal numbers, on the bits of a double: add half a unit, cut the rest off. */
static double round_bits(double x, int precision)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int drop = 53 - precision;
    uint64_t odd = bits >> drop & 1;
    bits += ((uint64_t)1 << (drop - 1)) - 1 + odd;
    bits &= ~(((uint64_t)1 << drop) - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

double nvfp4_binary_round(const struct nvfp4_binary *format, double x)
{
    if (!isfinite(x) || x == 0)
        return x;
    double least = ldexp(1, format->min_exponent);
    double r = fabs(x) >= least ? round_bits(x, format->precision)
                                : round_to_quantum(x, format->min_exponent - format->precision + 1);
    return fabs(r) > format->max ? copysign(HUGE_VAL, x) : r;
}

double nvfp4_round_to(double x, int32_t dtype)
{
    switch (dtype) {
    case NVFP4_DTYPE_BF16:
        return nvfp4_binary_round(&bf16, x);
    case NVFP4_DTYPE_FP16:
        return nvfp4_binary_round(&fp16, x);
    case NVFP4_DTYPE_FP32:
        return nvfp4_binary_round(&fp32, x);
    default:
        return x;
    }
}

/* Bits of a number that the format holds exactly, without its sign. */
static unsigned pack(const struct nvfp4_binary *format, double magnitude)
{
    int mantissa_bits = format->precision - 1;
    if (magnitude < ldexp(1, format->min_exponent))
        return (unsigned)ldexp(magnitude, mantissa_bits - format->min_exponent);
    int exponent;
    double fraction = frexp(magnitude, &exponent); /* in [0.5, 1) */
    unsigned mantissa = (unsigned)ldexp(fraction, format->precision);
    unsigned biased = (unsigned)(exponent - format->min_exponent);
    return (biased << mantissa_bits) + mantissa - (1u << mantissa_bits);
}

/* Value of a format's bits without its sign; the caller deals with what stands for no number. */
static double unpack(const struct nvfp4_binary *format, unsigned bits)
{
    int mantissa_bits = format->precision - 1;
    unsigned biased = bits >> mantissa_bits;
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
    if (biased == 0)
        return ldexp(mantissa, format->min_exponent - mantissa_bits);
    return ldexp(mantissa + (1u << mantissa_bits),
                 format->min_exponent - mantissa_bits + (int)biased - 1);
}

/* The two 16-bit types: infinity has the exponent bits all set, a quiet NaN the first mantissa bit
 * too. */
static uint16_t encode16(const struct nvfp4_binary *format, double x)
{
    unsigned sign = signbit(x) ? 0x8000u : 0;
    unsigned infinity = 0x7FFFu & ~((1u << (format->precision - 1)) - 1);
    if (isnan(x))
        return (uint16_t)(sign | infinity | 1u << (format->precision - 2));
    double r = fabs(nvfp4_binary_round(format, x));
    return (uint16_t)(sign | (isinf(r) ? infinity : pack(format, r)));
}

static double decode16(const struct nvfp4_binary *format, uint16_t bits)
{
    unsigned magnitude = bits & 0x7FFFu;
    unsigned infinity = 0x7FFFu & ~((1u << (format->precision - 1)) - 1);
    double value = magnitude > infinity    ? (double)NAN
                   : magnitude == infinity ? HUGE_VAL
                                           : unpack(format, magnitude);
    return bits & 0x8000u ? -value : value;
}

uint16_t nvfp4_bf16_encode(double x)
{
    return encode16(&bf16, x);
}

double nvfp4_bf16_decode(uint16_t bits)
{
    return decode16(&bf16, bits);
}

uint16_t nvfp4_fp16_encode(double x)
{
    return encode16(&fp16, x);
}

double nvfp4_fp16_decode(uint16_t bits)
{
    return decode16(&fp16, bits);
}

unsigned nvfp4_e2m1_nearest(double x, double unit)
{
    unsigned code = 0;
    while (code < 7 && x > nvfp4_e2m1_cut[code] * unit)
        code++;
    /* At a cut the even code wins: from an even code below it there is nothing to do. */
    if (code < 7 && code % 2 == 1 && x == nvfp4_e2m1_cut[code] * unit)
        code++;
    return code;
}

uint8_t nvfp4_e2m1_encode(double x)
{
    if (isnan(x))
        return 7;
    return (uint8_t)(nvfp4_e2m1_nearest(fabs(x), 1) | (signbit(x) ? 8u : 0));
}

double nvfp4_e2m1_decode(uint8_t code)
{
    double value = nvfp4_e2m1_value[code & 7];
    return code & 8 ? -value : value;
}

uint8_t nvfp4_e4m3_encode(double x)
{
    unsigned sign = signbit(x) ? 0x80u : 0;
    if (isnan(x))
        return (uint8_t)(sign | 0x7Fu);
    double r = fabs(nvfp4_binary_round(&e4m3, x));
    return (uint8_t)(sign | pack(&e4m3, r > NVFP4_E4M3_MAX ? NVFP4_E4M3_MAX : r));
}

double nvfp4_e4m3_decode(uint8_t code)
{
    unsigned magnitude = code & 0x7Fu;
    double value = magnitude == 0x7F ? (double)NAN : unpack(&e4m3, magnitude);
    return code & 0x80 ? -value : value;
}

double nvfp4_e4m3_half_ulp(double x)
{
    if (x < 0x1p-6)
        return 0x1p-10;
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 1 - 4);
}

double nvfp4_e4m3_nearest(double x, double unit)
{
    double guess = nvfp4_binary_round(&e4m3, x / unit);
    if (!(guess <= NVFP4_E4M3_MAX))
        return NVFP4_E4M3_MAX;
    /* The quotient was rounded before it was rounded again: near a tie, hold x against the tie
     * itself. */
    unsigned code = pack(&e4m3, guess);
    double below = code > 0 ? unpack(&e4m3, code - 1) : 0;
    double above = code < 0x7E ? unpack(&e4m3, code + 1) : guess;
    double low_tie = (below + guess) / 2 * unit, high_tie = (guess + above) / 2 * unit;
    if (x < low_tie || (x == low_tie && code % 2 == 1))
        return below;
    if (code < 0x7E && (x > high_tie || (x == high_tie && code % 2 == 1)))
        return above;
    return guess;
}
