/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/devices.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 7, CELL = 128 };

typedef char cells[COLUMNS][CELL];

static const char *const heads[COLUMNS] = { "CUDA", "NVML", "GPU", "SM", "MEMORY", "PCI", "UUID" };

static void number(char cell[CELL], int32_t value)
{
    if (value >= 0)
        snprintf(cell, CELL, "%d", (int)value);
    else
        strcpy(cell, "-");
}

/* Why a device has no number of CUDA's. */
static const char *absence(const nvfp4_device *d)
{
    if (d->key.vendor != NVFP4_VENDOR_NVIDIA)
        return "-";
    if (d->visible)
        return "?";
    return d->mig == 2 ? "mig" : "hidden";
}

static void name(char cell[CELL], const nvfp4_device *d)
{
    const char *text = d->name[0] != '\0' ? d->name : "GPU that is not listed";

    if ((d->doubts & NVFP4_DOUBT_NAME) != 0 && d->board[0] != '\0')
        snprintf(cell, CELL, "%.60s (on %.50s)", text, d->board);
    else
        snprintf(cell, CELL, "%.90s", text);
}

static void fill(cells row, const nvfp4_device *d)
{
    if (d->cuda_ordinal >= 0)
        snprintf(row[0], CELL, "%d%s", (int)d->cuda_ordinal,
                 (d->doubts & NVFP4_DOUBT_ORDER) != 0 ? "?" : "");
    else
        strcpy(row[0], absence(d));
    number(row[1], d->nvml_index);
    name(row[2], d);
    if (d->key.vendor != NVFP4_VENDOR_NVIDIA)
        snprintf(row[3], CELL, "%s", d->key.arch);
    else if (d->key.sm > 0)
        snprintf(row[3], CELL, "%d%s", (int)d->key.sm,
                 d->confidence < NVFP4_CONFIDENCE_HIGH ? "?" : "");
    else
        strcpy(row[3], "?");
    if (d->memory_bytes > 0)
        snprintf(row[4], CELL, "%.1f GiB", (double)d->memory_bytes / (1024.0 * 1024 * 1024));
    else
        strcpy(row[4], "-");
    snprintf(row[5], CELL, "%s", d->pci_address[0] != '\0' ? d->pci_address : "-");
    snprintf(row[6], CELL, "%s", d->uuid[0] != '\0' ? d->uuid : "-");
}

static void widen(size_t width[COLUMNS], cells row)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (strlen(row[i]) > width[i])
            width[i] = strlen(row[i]);
    }
}

static void print(const size_t width[COLUMNS], cells row)
{
    for (int i = 0; i + 1 < COLUMNS; i++)
        printf("%-*s  ", (int)width[i], row[i]);
    printf("%s\n", row[COLUMNS - 1]);
}

static void print_summary(const struct nvfp4_cli_devices *d)
{
    const nvfp4_probe_report *r = &d->report;

    printf("%d device%s visible", (int)r->visible, r->visible == 1 ? "" : "s");
    if (r->hidden > 0)
        printf(", %d hidden", (int)r->hidden);
    printf("; from %s", nvfp4_source_name((nvfp4_source)r->source));
    if (r->driver_version[0] != '\0')
        printf(", driver %s", r->driver_version);
    if (r->cuda_version > 0)
        printf(", CUDA %d.%d", (int)r->cuda_version / 1000, (int)r->cuda_version % 1000 / 10);
    printf("\n\n");
}

void nvfp4_cli_devices_text(const struct nvfp4_cli_devices *d)
{
    size_t width[COLUMNS] = { 0 };
    cells row;

    if (d->count == 0)
        return;
    print_summary(d);
    for (int i = 0; i < COLUMNS; i++)
        strcpy(row[i], heads[i]);
    widen(width, row);
    for (size_t i = 0; i < d->count; i++) {
        fill(row, &d->devices[i]);
        widen(width, row);
    }
    for (int i = 0; i < COLUMNS; i++)
        strcpy(row[i], heads[i]);
    print(width, row);
    for (size_t i = 0; i < d->count; i++) {
        fill(row, &d->devices[i]);
        print(width, row);
    }
}
