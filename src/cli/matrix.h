/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_MATRIX_H
#define NVFP4MOE_CLI_MATRIX_H

/**
 * @file matrix.h
 * @brief Rows and columns of a matrix, from models and boards.
 */

#include <nvfp4moe/device.h>
#include <nvfp4moe/matrix.h>

#include "cli/explain.h"

/** Columns, with the names of their boards. All zero is empty. */
typedef struct nvfp4_cli_columns {
    nvfp4_matrix_column *columns; /**< by SM, other vendors last */
    size_t count;
    const char **names; /**< all of them, column by column */
} nvfp4_cli_columns;

/**
 * @brief The devices of boards: of a list "h100,rtx 5090,sm 120", or of the whole catalogue.
 * @param list  NULL or "all": the catalogue.
 * @param named  1: with the names of the boards.
 * @param newest 1: the newest SM first, as a screen that shows only some wants it; else the oldest.
 * @return 1; 0 after a complaint.
 */
int nvfp4_cli_columns_make(nvfp4_cli_columns *columns, const char *list, int named, int newest);
void nvfp4_cli_columns_free(nvfp4_cli_columns *columns);

/** Rows, with the texts they point to. All zero is empty. */
typedef struct nvfp4_cli_rows {
    nvfp4_matrix_row *rows;
    size_t count, room;
    char **texts;
    size_t text_count, text_room;
} nvfp4_cli_rows;

/**
 * @brief Add the rows of a model: one for each group of layers whose experts are NVFP4, or one that
 *        says why there is nothing to choose.
 * @param question What is laid over the model's layers.
 * @return 1; 0 after a complaint.
 */
int nvfp4_cli_rows_add_model(nvfp4_cli_rows *rows, const nvfp4_cli_question *question,
                             const char *path);

/**
 * @brief Add a row for every activation without a limit and with one.
 * @param matrix Its columns and policies are asked whether it matters which limit.
 * @return 1; 0 after a complaint.
 */
int nvfp4_cli_rows_add_activations(nvfp4_cli_rows *rows, const nvfp4_cli_question *question,
                                   const nvfp4_matrix *matrix);
void nvfp4_cli_rows_free(nvfp4_cli_rows *rows);

#endif
