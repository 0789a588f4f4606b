/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_LAYERS_H
#define NVFP4MOE_CLI_LAYERS_H

/**
 * @file layers.h
 * @brief Sets of layers, in few words.
 */

#include <stddef.h>

/** Bytes of the longest text. */
#define NVFP4_CLI_LAYERS_TEXT 48

/** A set of layer numbers; all zero is empty. */
typedef struct nvfp4_cli_layers {
    unsigned char has[8192]; /**< 1: that layer */
    int beyond;              /**< 1: there were numbers that are not kept */
} nvfp4_cli_layers;

/** Add those of a list such as "3-60" or "0,2-5". */
void nvfp4_cli_layers_add(nvfp4_cli_layers *layers, const char *list);

/** "0,2-5", "3-77 odd, 38 layers" or "38 of 3-77". @return @p text. */
const char *nvfp4_cli_layers_text(const nvfp4_cli_layers *layers, char text[NVFP4_CLI_LAYERS_TEXT]);

/** The same of one list. */
const char *nvfp4_cli_layers_short(const char *list, char text[NVFP4_CLI_LAYERS_TEXT]);

#endif
