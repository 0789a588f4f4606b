/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_MODEL_WORDS_H
#define NVFP4MOE_FILES_MODEL_WORDS_H

/**
 * @file model_words.h
 * @brief The words in which quantisation sections speak. Internal to the library.
 */

#include <nvfp4moe/model.h>

#include "files/document.h"

/** How one layer's experts are quantised. */
typedef struct nvfp4_verdict {
    uint8_t weights; /**< an ::nvfp4_weights */
    int8_t scheme;   /**< an ::nvfp4_scheme, or -1: not known; only with NVFP4 weights */
} nvfp4_verdict;

/** Words of `quant_algo`, case does not count. 0: not known. */
int nvfp4_verdict_of_algorithm(const nvfp4_node *word, nvfp4_verdict *verdict);

/** A section that has only a `quant_method`, by that and its number of bits. 0: not known. */
int nvfp4_verdict_of_method(const nvfp4_node *section, nvfp4_verdict *verdict);

/** A member of `config_groups`. @p format is the one of the section, may be NULL. */
nvfp4_verdict nvfp4_verdict_of_group(const nvfp4_node *group, const nvfp4_node *format);

/** Do two verdicts say different things? What is not known differs from nothing. */
int nvfp4_verdicts_differ(nvfp4_verdict a, nvfp4_verdict b);

/** "nvfp4 w4a16" or "fp8", for messages. */
const char *nvfp4_verdict_text(nvfp4_verdict verdict, char buffer[24]);

#endif
