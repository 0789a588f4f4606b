/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CLI_TOOL_H
#define TESTS_CLI_TOOL_H

#include <stddef.h>

/* A run of the tool and what it left. */
struct run {
    int exit_code; /* -N: killed by signal N */
    char *out;     /* NUL-terminated */
    size_t out_length;
    char *err;
};

/*
 * Run the tool. `args` end with NULL and do not hold the program's name; of `env` ("NAME=value",
 * ended by NULL; may be NULL) and PATH the environment consists. `in` may be NULL: empty.
 */
void run_tool(struct run *run, const char *const *args, const char *const *env, const char *in,
              size_t in_length);

/* The same, with stdout going to that file, or with NULL to a pipe that nobody reads. */
void run_tool_into(struct run *run, const char *const *args, const char *path);

void free_run(struct run *run);

#endif
