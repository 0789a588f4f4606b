/* SPDX-License-Identifier: Apache-2.0 */
#include "files/alloc.h"

#include <stdlib.h>

void *nvfp4_files_malloc(size_t size)
{
    return malloc(size);
}

void *nvfp4_files_realloc(void *block, size_t size)
{
    return realloc(block, size);
}

void nvfp4_files_free(void *block)
{
    free(block);
}
