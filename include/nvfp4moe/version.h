/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERSION_H
#define NVFP4MOE_VERSION_H

/**
 * @file version.h
 * @brief Version, symbol visibility, and the rules that hold for every function of the library.
 *
 * Unless a declaration says otherwise:
 *
 * - Functions return an ::nvfp4_status. Results go through out-pointers, which are written only when
 *   the function returns ::NVFP4_OK; on any other status they are unchanged.
 * - Nothing prints, aborts, reads the environment, changes the locale or touches `errno` on purpose.
 *   Only the functions of device.h open drivers, and only those of request.h, model.h and policy.h
 *   that take a path read files.
 * - Every function may be called from any thread at any time, on different or on shared inputs;
 *   inputs are never written. Objects handed out through a `const` pointer are immutable.
 * - Strings are UTF-8 and NUL-terminated. Strings that a function returns live as long as the object
 *   they were asked from; those of enum name functions live for ever.
 * - Structs that begin with `struct_size` must be set up with their initialiser macro. A smaller
 *   `struct_size` than that of the first release gives ::NVFP4_EABI, a larger one is accepted.
 * - Enum values are explicit and append-only. `*_COUNT` values are not part of the ABI.
 */

#include <stdint.h>

/** @name The version these headers belong to, in numbers
 * @{ */
/** Changes with the major, minor or patch release. */
#define NVFP4_VERSION_MAJOR 0
#define NVFP4_VERSION_MINOR 1
#define NVFP4_VERSION_PATCH 0
/** @} */
/** The version as a string, equal to the one of the CMake project (a test compares them). */
#define NVFP4_VERSION_STRING "0.1.0"
/** The version these headers belong to: major * 65536 + minor * 256 + patch. */
#define NVFP4_VERSION_HEX                                                                          \
    (NVFP4_VERSION_MAJOR * 65536 + NVFP4_VERSION_MINOR * 256 + NVFP4_VERSION_PATCH)

/**
 * @def NVFP4_API
 * Marks what a shared library exports. On Windows define NVFP4MOE_SHARED to link the DLL (the CMake
 * package and pkg-config do).
 */
#if defined(_WIN32) && defined(NVFP4MOE_SHARED)
#ifdef NVFP4MOE_BUILDING
#define NVFP4_API __declspec(dllexport)
#else
#define NVFP4_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define NVFP4_API __attribute__((visibility("default")))
#else
#define NVFP4_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Version of the library at run time, to hold against #NVFP4_VERSION_HEX.
 * @return major * 65536 + minor * 256 + patch.
 * @since 0.1
 */
NVFP4_API uint32_t nvfp4_version(void);

#ifdef __cplusplus
}
#endif
#endif
