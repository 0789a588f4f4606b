/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_CATALOGUE_H
#define NVFP4_DEVICE_CATALOGUE_H

/* The catalogue's tables, as its readers see them. */

#include <nvfp4moe/device.h>

enum { PCI_NVIDIA = 0x10de, PCI_AMD = 0x1002 };

/* One board: gpus.inc and amd.inc say what the columns mean. */
struct gpu_row {
    uint16_t pci_id;
    int16_t sm;
    int16_t memory_gib;
    uint8_t vendor;
    uint8_t confidence;
    const char *name;
    const char *label;
    const char *aliases;
    const char *chip;
    const char *arch;
    const char *subsystems;
    const char *source;
};

extern const struct gpu_row nvfp4_gpu_rows[];
extern const size_t nvfp4_gpu_row_count;

/* What a person types for the board; lives for ever. */
const char *nvfp4_gpu_label(const struct gpu_row *row);

/* The row as a caller sees it, before `match`. */
nvfp4_gpu nvfp4_gpu_of_row(const struct gpu_row *row);

/* Hands the answer out at the size that the caller knows. */
nvfp4_status nvfp4_gpu_give(const nvfp4_gpu *answer, nvfp4_gpu *gpu);

/*
 * Looks a driver's name up as a whole, which is quick; 0: it is no name or alias of the catalogue.
 */
int nvfp4_gpu_known_name(const char *name, nvfp4_gpu *answer);

/* 1: some board of the catalogue has this SM. */
int nvfp4_gpu_knows_sm(nvfp4_sm sm);

#endif
