/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "roots.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *root, const struct root_file *file)
{
    char path[512];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", root, file->path);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    out = fopen(path, "wb");
    if (out == NULL)
        abort();
    fwrite(file->content, 1, file->length != 0 ? file->length : strlen(file->content), out);
    fclose(out);
}

char *root_create(const struct root_file *files, size_t count)
{
    const char *folder = getenv("TMPDIR");
    char *root = malloc(300);

    if (root == NULL)
        abort();
    snprintf(root, 300, "%s/nvfp4moe-root-XXXXXX", folder != NULL ? folder : "/tmp");
    if (mkdtemp(root) == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        write_file(root, &files[i]);
    return root;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void root_destroy(char *root)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(root);
}
