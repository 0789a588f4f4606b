/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_RANGE_H
#define NVFP4MOE_VERIFY_RANGE_H

#include <math.h>

/*
 * Ranges: all the values that a correct kernel may have at one point, whatever it rounds and
 * however it computes an exponential. An exact value is a range of one point, so the reference and
 * the predictions of the kit share every formula.
 */
struct nvfp4_range {
    double lo, hi; /* lo <= hi, or both NaN */
};

/* Everything, NaN included: where no prediction can be made. */
#define NVFP4_RANGE_ANY                                                                            \
    (struct nvfp4_range)                                                                           \
    {                                                                                              \
        -HUGE_VAL, HUGE_VAL                                                                        \
    }

static inline struct nvfp4_range nvfp4_range_of(double x)
{
    return (struct nvfp4_range){x, x};
}

/* a times a number. */
static inline struct nvfp4_range nvfp4_range_scale(struct nvfp4_range a, double factor)
{
    if (factor < 0)
        return (struct nvfp4_range){a.hi * factor, a.lo * factor};
    return (struct nvfp4_range){a.lo * factor, a.hi * factor};
}

static inline struct nvfp4_range nvfp4_range_add(struct nvfp4_range a, struct nvfp4_range b)
{
    return (struct nvfp4_range){a.lo + b.lo, a.hi + b.hi};
}

/* min(a, limit) and max(a, limit) that keep NaN, as the truth does. */
static inline struct nvfp4_range nvfp4_range_min(struct nvfp4_range a, struct nvfp4_range limit)
{
    return (struct nvfp4_range){a.lo > limit.lo ? limit.lo : a.lo,
                                a.hi > limit.hi ? limit.hi : a.hi};
}

static inline struct nvfp4_range nvfp4_range_max(struct nvfp4_range a, struct nvfp4_range limit)
{
    return (struct nvfp4_range){a.lo < limit.lo ? limit.lo : a.lo,
                                a.hi < limit.hi ? limit.hi : a.hi};
}

/* Wider by a share of each end's magnitude, and by a constant. */
static inline struct nvfp4_range nvfp4_range_widen(struct nvfp4_range a, double relative,
                                                   double absolute)
{
    return (struct nvfp4_range){a.lo - fabs(a.lo) * relative - absolute,
                                a.hi + fabs(a.hi) * relative + absolute};
}

struct nvfp4_range nvfp4_range_mul(struct nvfp4_range a, struct nvfp4_range b);

/* a, or a rounded to the type, whichever the kernel does. */
struct nvfp4_range nvfp4_range_maybe_round(struct nvfp4_range a, int dtype);

/*
 * What 16 values may be after a trip through NVFP4 with global multiplier G, for any kernel whose
 * block scale is an E4M3 number within half a unit of amax / 6 / G and whose codes are nearest. In
 * place.
 */
void nvfp4_range_through_nvfp4(struct nvfp4_range *block, double global);

#endif
