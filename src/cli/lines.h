/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_LINES_H
#define NVFP4MOE_CLI_LINES_H

/**
 * @file lines.h
 * @brief The lines of a stream, in memory that does not grow with it.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Longest line that is kept. */
#define NVFP4_CLI_LINE_BYTES ((size_t)1 << 20)

typedef struct nvfp4_cli_line {
    const char *text; /**< not NUL-terminated; valid until the next line is asked for */
    size_t length;    /**< without the line end; a CR before it is left in */
    uint32_t number;  /**< from 1 */
    int too_long;     /**< 1: longer than can be kept, `text` is not set */
} nvfp4_cli_line;

typedef struct nvfp4_cli_lines {
    FILE *stream;
    char *buffer;
    size_t begin, end; /**< what was read and not yet given out */
    uint32_t number;
    int at_end;
} nvfp4_cli_lines;

/** @return 1; 0 when memory is out. */
int nvfp4_cli_lines_begin(nvfp4_cli_lines *lines, FILE *stream);

/**
 * @brief The next line. Flushes stdout before it waits for input.
 * @return 1; 0 at the end; -1 when the stream cannot be read, errno tells.
 */
int nvfp4_cli_next_line(nvfp4_cli_lines *lines, nvfp4_cli_line *line);

void nvfp4_cli_lines_end(nvfp4_cli_lines *lines);

#endif
