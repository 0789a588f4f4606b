/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_ALLOC_H
#define NVFP4MOE_FILES_ALLOC_H

/**
 * @file alloc.h
 * @brief The one seam through which everything in files/ allocates.
 *
 * alloc.c holds these functions and nothing else, so that a test program that defines them itself is
 * linked with its own ones. (libyaml allocates by itself, through yaml_malloc() and its like.)
 */

#include <stddef.h>

/** As malloc(); @p size is never 0. */
void *nvfp4_files_malloc(size_t size);
/** As realloc(); @p size is never 0. */
void *nvfp4_files_realloc(void *block, size_t size);
/** As free(); NULL is nothing to do. */
void nvfp4_files_free(void *block);

#endif
