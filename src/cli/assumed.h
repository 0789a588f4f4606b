/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_ASSUMED_H
#define NVFP4MOE_CLI_ASSUMED_H

/**
 * @file assumed.h
 * @brief The question of a group of layers, and what neither its files nor the user say of it.
 */

#include <nvfp4moe/model.h>

#include "cli/explain.h"

/** The layer to begin a question with: what is not known of the routing is left unspecified. */
nvfp4_moe_layer nvfp4_cli_group_layer(const nvfp4_model_group *group);

/**
 * @brief Put the request for a group together, as nvfp4_cli_question_build() does.
 * @param[out] assumed NVFP4_KNOWS_SCHEME, _ACTIVATION, _LIMIT: what is a default in the request,
 * and decides, because nobody said it.
 */
nvfp4_status nvfp4_cli_group_build(const nvfp4_cli_question *question,
                                   const nvfp4_model_group *group, nvfp4_request *request,
                                   uint32_t *assumed, nvfp4_error *error);

/** The request's key of the assumption number @p index that is made: "layer.scheme"; NULL: no more.
 */
const char *nvfp4_cli_assumed_key(uint32_t assumed, size_t index);

/** "scheme w4a4, no limit": what of a layer is assumed, in words. @return @p text. */
const char *nvfp4_cli_assumed_text(uint32_t assumed, const nvfp4_moe_layer *layer, char *text,
                                   size_t room);

/** An example of saying what is assumed: "layer.swiglu_limit=10". */
const char *nvfp4_cli_assumed_remedy(uint32_t assumed);

#endif
