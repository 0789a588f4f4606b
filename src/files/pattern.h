/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_PATTERN_H
#define NVFP4MOE_FILES_PATTERN_H

/**
 * @file pattern.h
 * @brief Patterns over module names, as quantisation sections hold them. Internal to the library.
 *
 * Three kinds, told apart by their look: `re:` and a regular expression of Python's re module,
 * which must match at the front of a name (compressed-tensors); a shell pattern with `*`, `?` or
 * `[`, which must match all of it (ModelOpt); else a plain name. Matching takes time in proportion
 * to pattern times name, whatever they hold: expressions are simulated, nothing is tried and taken
 * back.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/status.h>

#include "files/arena.h"

typedef enum nvfp4_pattern_kind {
    NVFP4_PATTERN_NAME,
    NVFP4_PATTERN_GLOB,
    NVFP4_PATTERN_REGEX
} nvfp4_pattern_kind;

struct nvfp4_regex;

typedef struct nvfp4_pattern {
    nvfp4_pattern_kind kind;
    const char *text; /**< without `re:`; not copied */
    size_t length;
    struct nvfp4_regex *regex; /**< REGEX only */
} nvfp4_pattern;

/**
 * @brief Make a pattern of a text.
 * @param text    NUL-terminated; must outlive the pattern.
 * @param arena   Holds what is made of it.
 * @retval NVFP4_ESYNTAX  No regular expression.
 * @retval NVFP4_EUNKNOWN A construct that is not supported: back references, lookbehind, flags.
 * @retval NVFP4_ELIMIT   Longer than 4,096 bytes, or too large once its counts are written out.
 * @retval NVFP4_ENOMEM
 */
nvfp4_status nvfp4_pattern_make(const char *text, size_t length, nvfp4_arena *arena,
                                nvfp4_pattern *pattern);

/**
 * @brief Does a shell pattern or an expression match @p name? A plain name matches if equal.
 * @param steps Counted down by the work done. At 0 the answer is 0 and means nothing.
 */
int nvfp4_pattern_matches(const nvfp4_pattern *pattern, const char *name, uint64_t *steps);

/** @name The regular expression part @{ */
nvfp4_status nvfp4_regex_make(const char *text, size_t length, nvfp4_arena *arena,
                              struct nvfp4_regex **regex);
int nvfp4_regex_matches(struct nvfp4_regex *regex, const char *name, uint64_t *steps);
/** @} */

#endif
