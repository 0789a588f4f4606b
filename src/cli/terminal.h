/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_TERMINAL_H
#define NVFP4MOE_CLI_TERMINAL_H

/**
 * @file terminal.h
 * @brief What a command line tool says and to whom; what differs between systems.
 */

#include <stddef.h>
#include <stdio.h>

#include <nvfp4moe/status.h>

/** Print "nvfp4-select: ..." and a newline on stderr; control characters become `?`. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void nvfp4_cli_complain(const char *format, ...);

/** Print "nvfp4-select: file:line:column: message" on stderr; what is not there is left out. */
void nvfp4_cli_complain_error(const nvfp4_error *error);

/** Print a text out of a file on stdout, control characters as `?`: it may fool a terminal. */
void nvfp4_cli_print(const char *text);

/** Print the version on stdout. */
void nvfp4_cli_version(void);

/** 1 if stdout may be coloured: a terminal, NO_COLOR not set, TERM not "dumb". */
int nvfp4_cli_color(void);

/** The value of an environment variable, NULL when it is not set or empty. */
const char *nvfp4_cli_environment(const char *name);

/** 1 if there is a regular file of that name that can be opened. */
int nvfp4_cli_is_file(const char *path);

/** Text that grows. All zero is empty; `text` is NUL-terminated once something was put in. */
typedef struct nvfp4_cli_text {
    char *text;
    size_t length, room;
} nvfp4_cli_text;

/** Make room for @p length bytes and a NUL. @return 1; 0 after a complaint when memory is out. */
int nvfp4_cli_text_reserve(nvfp4_cli_text *text, size_t length);
void nvfp4_cli_text_free(nvfp4_cli_text *text);

/**
 * @brief Read a stream to its end.
 * @param most Stop behind this many bytes.
 * @return 1; 0 when it cannot be read (errno tells) or memory is out.
 */
int nvfp4_cli_read(FILE *stream, nvfp4_cli_text *text, size_t most);

/** The exit code when nobody reads stdout any more, as a shell tells it of a closed pipe. */
#define NVFP4_CLI_CLOSED_PIPE 141

/** Let a write to a closed pipe end the process in silence; no translation of line ends. */
void nvfp4_cli_begin_process(void);

/** Keep errno as the reason why stdout cannot be written, unless there is one already. */
void nvfp4_cli_output_failed(void);

/**
 * @brief Flush stdout.
 * @return 1; 0 after a complaint when something could not be written, now or before.
 */
int nvfp4_cli_flush(void);

#endif
