/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_ROOTS_H
#define NVFP4_TESTS_ROOTS_H

/*
 * Folders that stand for "/": made when a test runs, for file names with colons are not for
 * everyone.
 */

#include <stddef.h>

/* A file of a root: its path, made with its folders, and its content. */
struct root_file {
    const char *path;
    const char *content;
    size_t length; /* 0: strlen(content) */
};

/* Makes a new folder under the temporary one; its path, which root_destroy() frees. */
char *root_create(const struct root_file *files, size_t count);
void root_destroy(char *root);

#endif
