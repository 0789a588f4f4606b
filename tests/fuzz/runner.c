/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files and over the files of folders, for those who have no libFuzzer. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t files;

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    uint8_t *exact;
    size_t size;

    if (file == NULL)
        return;
    data = malloc(1 << 20);
    if (data == NULL)
        abort();
    size = fread(data, 1, 1 << 20, file);
    fclose(file);
    /* exactly as large as the input, so that a read behind its end is seen */
    exact = realloc(data, size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    files++;
}

static void run_path(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    char name[1024];

    if (folder == NULL) {
        run_file(path);
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            run_file(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%zu files\n", files);
    return files > 0 ? 0 : 1;
}
