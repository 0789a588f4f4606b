/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_MODEL_QUANT_H
#define NVFP4MOE_FILES_MODEL_QUANT_H

/**
 * @file model_quant.h
 * @brief One quantisation section being read, shared by the model_quant*.c files. Internal.
 */

#include "files/model_reader.h"
#include "files/model_words.h"

typedef struct nvfp4_quant {
    nvfp4_model_reader *reader;
    const nvfp4_document *document;
    const nvfp4_node *section; /**< NULL: there is none */
    const char *file;          /**< for warnings */
    nvfp4_verdict *verdicts;   /**< one for each layer */
    nvfp4_verdict *rival;      /**< the same, for what does not count */
    nvfp4_verdict dense;       /**< of linear weights outside of experts */
} nvfp4_quant;

/** The value of a key; NULL where it is null or not there. */
const nvfp4_node *nvfp4_quant_get(const nvfp4_node *mapping, const char *key);

/** The mapping under a key; NULL where it is none, or empty. */
const nvfp4_node *nvfp4_quant_get_mapping(const nvfp4_node *mapping, const char *key);

/** Warn if the rival says something else of a MoE layer. */
nvfp4_status nvfp4_quant_compare(const nvfp4_quant *quant, const char *winner, const char *loser);

/** Warn of a word that is not known. */
nvfp4_status nvfp4_quant_unknown_word(const nvfp4_quant *quant, const nvfp4_node *node);

/**
 * @brief Read `config_groups`.
 *
 * A group that names the experts counts before one that names their class; of several the first.
 *
 * @param named_only 1: leave the verdicts of layers alone that no group names.
 */
nvfp4_status nvfp4_quant_by_groups(const nvfp4_quant *quant, const nvfp4_node *groups,
                                   int named_only, nvfp4_verdict *verdicts);

/** What a dense model's linear weights are by groups: the class's, or else the first one's. */
nvfp4_verdict nvfp4_quant_dense_by_groups(const nvfp4_quant *quant, const nvfp4_node *groups);

/** Read `quantized_layers` over what the rest of the section says. */
nvfp4_status nvfp4_quant_by_map(nvfp4_quant *quant);

#endif
