/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_FOLDER_H
#define NVFP4_DEVICE_FOLDER_H

/* Small files of the kernel's pseudo file systems. */

#include <stddef.h>

/* Reads up to capacity - 1 bytes of root/path and ends them with NUL; the length, or -1. */
long nvfp4_file_read(const char *root, const char *path, char *buffer, size_t capacity);

/* Calls for every entry of root/path until it returns 0; 0 when there is no such folder. */
int nvfp4_folder_each(const char *root, const char *path, int (*entry)(void *data, const char *name),
                      void *data);

int nvfp4_file_exists(const char *root, const char *path);

#endif
