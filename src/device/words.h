/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_WORDS_H
#define NVFP4_DEVICE_WORDS_H

/* Names of GPUs as people and drivers write them, cut into words. */

#include <stddef.h>

#include "device/catalogue.h"

enum { WORDS_MAX = 16, WORDS_BYTES = 128 };

/* Lower-case words of a name; blanks, dashes, underscores and brackets only part them. */
struct words {
    size_t count;
    const char *word[WORDS_MAX];
    char text[WORDS_BYTES + WORDS_MAX];
};

/*
 * Cuts @p length bytes into words; 0: too long or too many for a name. `fine` also parts "rtx6000".
 */
int nvfp4_words_split(const char *text, size_t length, int fine, struct words *words);

/* Does the letter only part words? */
int nvfp4_words_is_gap(char c);

/* Length of "NVIDIA " or "AMD " at the start of a name, else 0. */
size_t nvfp4_words_maker(const char *name);

/* Writes all words without gaps. */
void nvfp4_words_join(const struct words *words, char joined[WORDS_BYTES + 1]);

/* Removes a leading "nvidia" or "amd" when something follows. */
void nvfp4_words_drop_maker(struct words *words);

/*
 * Removes what says nothing about the chip: form factors, memory types and sizes, MIG and
 * virtual-GPU profiles, marketing words; with a row also the names of that row's own family and
 * architecture. *gib gets a size that was removed, else 0.
 */
void nvfp4_words_drop_qualifiers(struct words *words, const struct gpu_row *row, int *gib);

/* Cuts what is left out anyway off words that end in it behind a digit, "a100sxm4"; 0: none does. */
int nvfp4_words_cut_qualifiers(struct words *words);

/* Is the text the name of a GPU from before Turing, of which the catalogue has none? */
int nvfp4_words_are_older(const char *text);

/* The k-th name of a row: its name, its label, its aliases; 0 when there is none. */
int nvfp4_gpu_nth_name(const struct gpu_row *row, size_t k, const char **name, size_t *length);

#endif
