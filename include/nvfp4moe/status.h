/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_STATUS_H
#define NVFP4MOE_STATUS_H

/**
 * @file status.h
 * @brief What a call came to, and where in a file it went wrong.
 */

#include <stdint.h>

#include <nvfp4moe/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Statuses: name, value, sentence. Values are append-only.
 *
 * ENOBACKEND, EREFUSED, ENODRIVER and ENODEVICE are answers, not faults: the question was understood
 * and the answer is no.
 */
#define NVFP4_STATUS_MAP(X)                                                                        \
    X(OK, 0, "success")                                                                            \
    X(EINVAL, -1, "invalid argument")                                                              \
    X(EABI, -2, "struct_size is smaller than any release had")                                     \
    X(ENOBACKEND, -3, "no backend fits the request")                                               \
    X(EREFUSED, -4, "the backend asked for cannot serve the request")                              \
    X(ENOMEM, -5, "out of memory")                                                                 \
    X(EIO, -6, "a file could not be read")                                                         \
    X(ESYNTAX, -7, "the text is not well-formed")                                                  \
    X(ESCHEMA, -8, "the text is well-formed but says something that is not allowed")               \
    X(ELIMIT, -9, "the input is larger or deeper than this library reads")                         \
    X(EUNKNOWN, -10, "unknown name")                                                               \
    X(EAMBIGUOUS, -11, "the name means more than one thing")                                       \
    X(ENODRIVER, -12, "the driver library is not installed")                                       \
    X(EDRIVER, -13, "the driver is broken or does not match its library")                          \
    X(ENODEVICE, -14, "the driver works but shows no device")                                      \
    X(EPERM, -15, "the driver or device may not be opened")                                        \
    X(EDISAGREE, -16, "the ranks do not ask the same question")

/** Outcome of a call. */
typedef enum nvfp4_status {
#define X(name, value, text) NVFP4_##name = (value),
    NVFP4_STATUS_MAP(X)
#undef X
} nvfp4_status;

/** Where and why reading a text failed. Plain data, owned by the caller; never retained. */
typedef struct nvfp4_error {
    int32_t status;    /**< an ::nvfp4_status */
    int32_t line;      /**< from 1; 0: not tied to a place */
    int32_t column;    /**< from 1, in bytes; 0: not tied to a place */
    char file[256];    /**< the file it is about, "" for text from memory; cut at the front if long */
    char message[256]; /**< one sentence without a full stop, never empty after a failure */
} nvfp4_error;

/**
 * @brief Name of a status as in the enum, without the prefix: "EINVAL".
 * @param status Any number.
 * @return Never NULL; "unknown" for a number that is no status.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_status_name(nvfp4_status status);

/**
 * @brief What a status means, as a phrase without capital or full stop.
 * @param status Any number.
 * @return Never NULL; "unknown status" for a number that is no status.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_status_text(nvfp4_status status);

#ifdef __cplusplus
}
#endif
#endif
