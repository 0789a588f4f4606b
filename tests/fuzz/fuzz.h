/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FUZZ_H
#define NVFP4MOE_FUZZ_H

/**
 * @file fuzz.h
 * @brief What every fuzz target is made of.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The target: one input. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Stop the program, as a fuzzer wants it, if something does not hold that always should. */
#define HOLDS(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
