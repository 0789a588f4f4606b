/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/range.h"

#include "verify/numbers.h"

static double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

struct nvfp4_range nvfp4_range_mul(struct nvfp4_range a, struct nvfp4_range b)
{
    if (a.lo >= 0 && b.lo >= 0)
        return (struct nvfp4_range){a.lo * b.lo, a.hi * b.hi};
    if (a.lo == a.hi && b.lo == b.hi)
        return nvfp4_range_of(a.lo * b.lo);
    double ll = a.lo * b.lo, lh = a.lo * b.hi, hl = a.hi * b.lo, hh = a.hi * b.hi;
    return (struct nvfp4_range){smaller(smaller(ll, lh), smaller(hl, hh)),
                                larger(larger(ll, lh), larger(hl, hh))};
}

struct nvfp4_range nvfp4_range_maybe_round(struct nvfp4_range a, int dtype)
{
    double lo = nvfp4_round_to(a.lo, dtype);
    double hi = a.hi == a.lo ? lo : nvfp4_round_to(a.hi, dtype);
    return (struct nvfp4_range){lo < a.lo ? lo : a.lo, hi > a.hi ? hi : a.hi};
}

/* The magnitudes that [b_lo, b_hi] may come back as when the block scale lies within [s_lo, s_hi].
 */
static struct nvfp4_range dequantised(double b_lo, double b_hi, double s_lo, double s_hi)
{
    struct nvfp4_range r = {HUGE_VAL, -HUGE_VAL};
    if (s_lo <= 0) /* the scale may round to zero */
        r = (struct nvfp4_range){0, 0};
    for (int code = 0; code < 8; code++) {
        /* The scales with which some value of the range rounds to this code, ties to either side.
         */
        double from = code == 7 ? s_lo : larger(s_lo, b_lo / nvfp4_e2m1_cut[code]);
        double to = code == 0 ? s_hi : smaller(s_hi, b_hi / nvfp4_e2m1_cut[code - 1]);
        if (from > to)
            continue;
        r.lo = smaller(r.lo, nvfp4_e2m1_value[code] * from);
        r.hi = larger(r.hi, nvfp4_e2m1_value[code] * to);
    }
    return r;
}

void nvfp4_range_through_nvfp4(struct nvfp4_range *block, double global)
{
    double amax_lo = 0, amax_hi = 0;
    for (int i = 0; i < NVFP4_BLOCK; i++) {
        double lo = block[i].lo > 0 ? block[i].lo : block[i].hi < 0 ? -block[i].hi : 0;
        amax_lo = larger(amax_lo, lo);
        amax_hi = larger(amax_hi, larger(fabs(block[i].lo), fabs(block[i].hi)));
    }
    /* 1e-6: the kernel's float32 divisions, approximate ones included. */
    double z_lo = amax_lo / NVFP4_E2M1_MAX / global * (1 - 1e-6);
    double z_hi = amax_hi / NVFP4_E2M1_MAX / global * (1 + 1e-6);
    double s_lo = smaller(z_lo - nvfp4_e4m3_half_ulp(z_lo), NVFP4_E4M3_MAX) * global;
    double s_hi = smaller(z_hi + nvfp4_e4m3_half_ulp(z_hi), NVFP4_E4M3_MAX) * global;
    struct nvfp4_range last = {NAN, NAN}, out = last;
    for (int i = 0; i < NVFP4_BLOCK; i++) {
        struct nvfp4_range in = block[i];
        if (in.lo == last.lo && in.hi == last.hi) {
            block[i] = out;
            continue;
        }
        last = in;
        double most = larger(fabs(in.lo), fabs(in.hi));
        double least = in.lo > 0 ? in.lo : in.hi < 0 ? -in.hi : 0;
        struct nvfp4_range m =
            most == 0 ? nvfp4_range_of(0) : dequantised(least, most, s_lo > 0 ? s_lo : 0, s_hi);
        out = in.lo >= 0   ? m
              : in.hi <= 0 ? (struct nvfp4_range){-m.hi, -m.lo}
                           : (struct nvfp4_range){-m.hi, m.hi};
        block[i] = out;
    }
}
