/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_FOLDER_H
#define NVFP4_DEVICE_FOLDER_H

/* Small files of the kernel's pseudo file systems. */

#include <stddef.h>

/* Reads up to capacity - 1 bytes of root/path and ends them with NUL; the length, or -1. */
long nvfp4_file_read(const char *root, const char *path, char *buffer, size_t capacity);

/*
 * Calls for every entry of root/path until it returns 0; 0 when there is no such folder. `folder`
 * is for nvfp4_folder_read().
 */
int nvfp4_folder_each(const char *root, const char *path,
                      int (*entry)(void *data, int folder, const char *name), void *data);

/* As nvfp4_file_read(), for a path below a folder that is being walked. */
long nvfp4_folder_read(int folder, const char *path, char *buffer, size_t capacity);

int nvfp4_file_exists(const char *root, const char *path);

#endif
