/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_NUMBER_H
#define NVFP4MOE_FILES_NUMBER_H

/**
 * @file number.h
 * @brief Numbers as text, whatever the locale. Internal to the library.
 */

#include <stddef.h>
#include <stdint.h>

/**
 * @brief Read a decimal integer: an optional sign, then digits only.
 * @return 1; 0 if it does not fit, @p value is then unchanged.
 */
int nvfp4_parse_int64(const char *text, size_t length, int64_t *value);

/**
 * @brief Read a decimal number: sign, digits with or without a point, exponent.
 * @return The nearest double; an infinity where it is too large, 0 where it is too small.
 */
double nvfp4_parse_real(const char *text, size_t length);

/** Room for nvfp4_print_real(). */
#define NVFP4_REAL_TEXT 32

/**
 * @brief Write a finite double with as few digits as read back to the same double: "10.0", "0.1",
 *        "1e-7", "1.7976931348623157e308". Always with a point or an exponent, so it stays real.
 * @param value Not finite: "0.0" is written.
 * @return Length of the text.
 */
size_t nvfp4_print_real(double value, char out[NVFP4_REAL_TEXT]);

#endif
