/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_DIFF_WORDS_H
#define NVFP4_EXPLAIN_DIFF_WORDS_H

#include "explain/diff.h"
#include "explain/print.h"

/* Keys that a line of text always tells; the others only where they are not as usual. */
int nvfp4_diff_is_main(int dim);

/* Is there a restriction to tell, for a set of values? Devices decide what cannot be anyway. */
int nvfp4_diff_restricts(const struct diff_space *space, const struct diff_box *values, int dim);

/* A set of values in words for people: "silu/gelu", "limit set", "flashinfer present". `known` are
 * the devices that exist, 0: all. */
void nvfp4_diff_out_words(struct out *out, const struct diff_space *space,
                          const struct diff_box *values, int dim, uint64_t known);

/* The word of a value where the dimension's values are words; else NULL. */
const char *nvfp4_diff_word(const struct diff_space *space, int dim, int value);

/* A set of versions: ">= 0.6.15", "absent or < 0.6.9". */
void nvfp4_diff_out_versions(struct out *out, const struct diff_space *space, int library,
                             uint64_t set);

/* "MARLIN", "no backend", "FLASHINFER_TRTLLM/modular" */
void nvfp4_diff_out_outcome(struct out *out, const struct nvfp4_diff *diff, int outcome);

/* The name of a dimension: its key in a request. */
const char *nvfp4_diff_dimension_key(const struct diff_space *space, int dim);

#endif
