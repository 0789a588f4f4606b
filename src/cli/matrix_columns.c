/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A board on its way into a column. */
struct board {
    nvfp4_device_key device;
    const char *name; /* "" where only an SM was asked for */
};

struct boards {
    struct board *list;
    size_t count, room;
};

static int out_of_memory(void)
{
    nvfp4_cli_complain("out of memory");
    return 0;
}

static int add_board(struct boards *boards, const nvfp4_gpu *gpu, const char *name)
{
    if (boards->count == boards->room) {
        const size_t room = boards->room * 2 + 64;
        struct board *const larger = realloc(boards->list, room * sizeof *larger);
        if (larger == NULL)
            return out_of_memory();
        boards->list = larger;
        boards->room = room;
    }
    /* Boards of other vendors are told apart by none of the rules: one column for each vendor. */
    nvfp4_device_key key = gpu->key;
    if (key.vendor != NVFP4_VENDOR_NVIDIA)
        key.arch[0] = '\0';
    boards->list[boards->count++] = (struct board){ key, name };
    return 1;
}

static int add_catalogue(struct boards *boards)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    for (size_t i = 0; i < nvfp4_gpu_count(); i++)
        if (nvfp4_gpu_at(i, &gpu) == NVFP4_OK &&
            (gpu.key.sm != 0 || gpu.key.vendor != NVFP4_VENDOR_NVIDIA) &&
            !add_board(boards, &gpu, gpu.name))
            return 0;
    return 1;
}

static int add_list(struct boards *boards, const char *list)
{
    for (const char *at = list;; at++) {
        nvfp4_gpu gpu = NVFP4_GPU_INIT;
        nvfp4_error error;
        char name[256];
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), at);
        if (nvfp4_gpu_find(name, &gpu, &error) != NVFP4_OK) {
            nvfp4_cli_complain("--gpu: %s", error.message);
            return 0;
        }
        /* Where several boards have the name, it is none of them in particular. */
        if (!add_board(boards, &gpu, gpu.pci_device_id != 0 ? gpu.name : gpu.label))
            return 0;
        at += length;
        if (*at == '\0')
            return 1;
    }
}

/* By vendor, SM and name; boards without a name first. */
static int by_device(const void *left, const void *right)
{
    const struct board *a = left, *b = right;
    if (a->device.vendor != b->device.vendor)
        return a->device.vendor < b->device.vendor ? -1 : 1;
    if (a->device.sm != b->device.sm)
        return a->device.sm < b->device.sm ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int same_device(const struct board *a, const struct board *b)
{
    return a->device.vendor == b->device.vendor && a->device.sm == b->device.sm;
}

/* Sorted boards become columns; a name that several rows have stands once. */
static void fill(nvfp4_cli_columns *columns, const struct boards *boards, int named)
{
    size_t names = 0;
    for (size_t i = 0; i < boards->count; i++) {
        const struct board *b = &boards->list[i];
        if (i == 0 || !same_device(&boards->list[i - 1], b)) {
            columns->columns[columns->count++] =
                (nvfp4_matrix_column){ b->device, &columns->names[names], 0 };
        } else if (strcmp(boards->list[i - 1].name, b->name) == 0) {
            continue;
        }
        if (!named || b->name[0] == '\0')
            continue;
        columns->names[names++] = b->name;
        columns->columns[columns->count - 1].board_count++;
    }
}

/* The newest device first. */
static void turn_round(nvfp4_cli_columns *columns)
{
    size_t last = 0;
    while (last < columns->count && columns->columns[last].device.vendor == NVFP4_VENDOR_NVIDIA)
        last++;
    for (size_t first = 0; first + 1 < last; first++) {
        const nvfp4_matrix_column c = columns->columns[first];
        columns->columns[first] = columns->columns[--last];
        columns->columns[last] = c;
    }
}

int nvfp4_cli_columns_make(nvfp4_cli_columns *columns, const char *list, int named, int newest)
{
    struct boards boards = { NULL, 0, 0 };
    int done =
        list == NULL || strcmp(list, "all") == 0 ? add_catalogue(&boards) : add_list(&boards, list);
    memset(columns, 0, sizeof *columns);
    if (done) {
        columns->columns = calloc(boards.count + 1, sizeof *columns->columns);
        columns->names = calloc(boards.count + 1, sizeof *columns->names);
        done = columns->columns != NULL && columns->names != NULL ? 1 : out_of_memory();
    }
    if (done) {
        qsort(boards.list, boards.count, sizeof boards.list[0], by_device);
        fill(columns, &boards, named);
        if (newest)
            turn_round(columns);
    }
    free(boards.list);
    return done;
}

void nvfp4_cli_columns_free(nvfp4_cli_columns *columns)
{
    free(columns->columns);
    free((void *)columns->names);
    memset(columns, 0, sizeof *columns);
}
