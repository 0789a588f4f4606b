/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_GROUPS_H
#define NVFP4MOE_CLI_GROUPS_H

/**
 * @file groups.h
 * @brief A model's groups of layers as a table that fits a screen.
 */

#include <nvfp4moe/layer.h>

#include "cli/layers.h"

/** A line of the table: a group, or several alike. */
typedef struct nvfp4_cli_group_row {
    char answer[96];              /**< "FLASHINFER_CUTLASS", "no backend fits" */
    const nvfp4_moe_layer *layer; /**< NULL: not NVFP4 */
    const char *list;             /**< its layers, NULL: not known */
    nvfp4_cli_layers *layers;     /**< of several: all of them; else NULL */
    double least, most;           /**< limits, where the layer has one */
    size_t groups;
} nvfp4_cli_group_row;

/**
 * @brief Print rows on stdout, in their order. Where they are many those alike become one, in @p
 * rows too, and what is behind the last that fits is counted.
 * @return 1; 0 when memory is out.
 */
int nvfp4_cli_groups_print(nvfp4_cli_group_row *rows, size_t count);

#endif
