/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_NUMBERS_H
#define NVFP4MOE_VERIFY_NUMBERS_H

#include <nvfp4moe/verify.h>

/* A binary floating-point format: precision with the hidden bit, least normal exponent, largest
 * value. */
struct nvfp4_binary {
    int precision;
    int min_exponent;
    double max;
};

/* x rounded to nearest even; beyond max: infinity, NaN and infinities as they are. */
double nvfp4_binary_round(const struct nvfp4_binary *format, double x);

/* Value of the E2M1 magnitude codes 0 to 7, and the points where rounding passes from one to the
 * next: from code c to c + 1 above cut[c]; at the cut itself to the even one. */
extern const double nvfp4_e2m1_value[8];
extern const double nvfp4_e2m1_cut[7];

/* Nearest E2M1 magnitude code to x / unit, x and unit >= 0, compared without dividing. */
unsigned nvfp4_e2m1_nearest(double x, double unit);

/* Nearest E4M3 number to x / unit, saturating, x >= 0, unit > 0, compared without dividing where x
 * and unit have at most 48 significant bits. */
double nvfp4_e4m3_nearest(double x, double unit);

/* Half the distance between the E4M3 numbers around x >= 0: the most that rounding moves it. */
double nvfp4_e4m3_half_ulp(double x);

#endif
