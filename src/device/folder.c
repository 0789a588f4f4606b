/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "device/folder.h"

#include <stdio.h>

#ifdef _WIN32

long nvfp4_file_read(const char *root, const char *path, char *buffer, size_t capacity)
{
    (void)root, (void)path, (void)buffer, (void)capacity;
    return -1;
}

int nvfp4_folder_each(const char *root, const char *path,
                      int (*entry)(void *data, int folder, const char *name), void *data)
{
    (void)root, (void)path, (void)entry, (void)data;
    return 0;
}

long nvfp4_folder_read(int folder, const char *path, char *buffer, size_t capacity)
{
    (void)folder, (void)path, (void)buffer, (void)capacity;
    return -1;
}

int nvfp4_file_exists(const char *root, const char *path)
{
    (void)root, (void)path;
    return 0;
}

#else

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int full_path(const char *root, const char *path, char buffer[1024])
{
    int length = snprintf(buffer, 1024, "%s/%s", root != NULL ? root : "", path);

    return length > 0 && length < 1024;
}

long nvfp4_folder_read(int folder, const char *path, char *buffer, size_t capacity)
{
    size_t length = 0;
    ssize_t got = 1;
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return -1;
    while (got > 0 && length < capacity - 1) {
        got = read(file, buffer + length, capacity - 1 - length);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            length += (size_t)got;
    }
    close(file);
    buffer[length] = '\0';
    return got < 0 ? -1 : (long)length;
}

long nvfp4_file_read(const char *root, const char *path, char *buffer, size_t capacity)
{
    char name[1024];

    return full_path(root, path, name) ? nvfp4_folder_read(AT_FDCWD, name, buffer, capacity) : -1;
}

int nvfp4_folder_each(const char *root, const char *path,
                      int (*entry)(void *data, int folder, const char *name), void *data)
{
    char name[1024];
    const struct dirent *item;
    DIR *folder;

    if (!full_path(root, path, name))
        return 0;
    folder = opendir(name);
    if (folder == NULL)
        return 0;
    while ((item = readdir(folder)) != NULL) {
        if (item->d_name[0] != '.' && !entry(data, dirfd(folder), item->d_name))
            break;
    }
    closedir(folder);
    return 1;
}

int nvfp4_file_exists(const char *root, const char *path)
{
    char name[1024];

    return full_path(root, path, name) && access(name, F_OK) == 0;
}

#endif
