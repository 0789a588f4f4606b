/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_NEAREST_H
#define NVFP4MOE_FILES_NEAREST_H

/**
 * @file nearest.h
 * @brief "unknown key 'hiden_size', did you mean 'hidden_size'?" Internal to the library.
 */

#include <stddef.h>

/** A search: set up with nvfp4_nearest_begin(), shown each known word with nvfp4_nearest_offer().
 */
typedef struct nvfp4_nearest {
    const char *word;  /**< what was written; not retained beyond the search */
    const char *best;  /**< the nearest so far, one of the offered; NULL: none is near enough */
    unsigned distance; /**< of `best`; while there is none, the first distance that is too far */
} nvfp4_nearest;

/**
 * Begin a search. A known word is near when at most a third of the letters (at least one, at most
 * three) were left out, added, exchanged or swapped with their neighbour; case and `-` for `_` do
 * not count. Words longer than 64 bytes are near to nothing.
 */
void nvfp4_nearest_begin(nvfp4_nearest *search, const char *word);

/** Show a known word, which must outlive the search. Of two equally near ones the first stays. */
void nvfp4_nearest_offer(nvfp4_nearest *search, const char *known);

/** The nearest of an array, or NULL. */
const char *nvfp4_nearest_word(const char *word, const char *const *known, size_t count);

#endif
