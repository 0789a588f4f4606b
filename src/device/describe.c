/* SPDX-License-Identifier: Apache-2.0 */
#include "device/describe.h"

#include <string.h>

#include "device/catalogue.h"

enum { SM_LEAST = 10, SM_MOST = 999 };

static const uint64_t memory_most = (uint64_t)1 << 46; /* 64 TiB */

int nvfp4_copy_printable(char *to, size_t capacity, const char *from)
{
    size_t i = 0;
    int clean = 1;

    for (; from[i] != '\0' && i + 1 < capacity; i++) {
        int printable = from[i] >= 0x20 && from[i] < 0x7f;

        to[i] = printable ? from[i] : '?';
        clean = clean && printable;
    }
    to[i] = '\0';
    return clean;
}

static void doubt_values(nvfp4_device *device, int doubted)
{
    if (doubted)
        device->doubts |= NVFP4_DOUBT_VALUES;
}

static int is_uuid(const char *uuid)
{
    static const char letters[] = "0123456789abcdefABCDEF-/GPU";

    return (strncmp(uuid, "GPU-", 4) == 0 || strncmp(uuid, "MIG-", 4) == 0)
           && strspn(uuid + 4, letters) == strlen(uuid + 4) && strlen(uuid) > 8;
}

static void describe_strings(const struct fact_list *list, const struct fact *fact,
                             nvfp4_device *device)
{
    uint64_t address;

    doubt_values(device, !nvfp4_copy_printable(device->name, sizeof device->name, fact->name));
    if (strspn(list->driver_version, "0123456789.") == strlen(list->driver_version))
        strcpy(device->driver_version, list->driver_version);
    else
        doubt_values(device, 1);
    if (is_uuid(fact->uuid))
        strcpy(device->uuid, fact->uuid);
    else
        doubt_values(device, fact->uuid[0] != '\0');
    if (nvfp4_address_read(fact->address, &address))
        nvfp4_address_write(address, device->pci_address);
    else
        doubt_values(device, fact->address[0] != '\0');
}

static void describe_numbers(const struct fact_list *list, const struct fact *fact,
                             nvfp4_device *device)
{
    if (fact->vendor == PCI_NVIDIA || fact->vendor == PCI_AMD) {
        device->pci_vendor_id = fact->vendor;
        device->pci_device_id = fact->device;
        device->pci_subsystem_id = fact->subsystem;
    } else {
        doubt_values(device, fact->vendor != 0);
    }
    /* the CUDA driver does not say that a device is a slice, but names it so */
    device->mig = fact->parent >= 0 || strstr(fact->name, " MIG ") != NULL ? 1
                  : fact->mig_mode                                         ? 2
                                                                           : 0;
    device->gpu_instance = fact->parent >= 0 ? fact->gpu_instance : -1;
    device->compute_instance = fact->parent >= 0 ? fact->compute_instance : -1;
    if (fact->memory <= memory_most)
        device->memory_bytes = fact->memory;
    else
        doubt_values(device, 1);
    if (list->cuda_version >= 1000 && list->cuda_version < 100000)
        device->cuda_version = list->cuda_version;
    else
        doubt_values(device, list->cuda_version != 0);
}

/* SM and confidence from the best witness: the driver, the PCI id, the name. */
static void describe_key(nvfp4_source source, const struct fact *fact, nvfp4_device *device)
{
    nvfp4_gpu by_id = NVFP4_GPU_INIT;
    nvfp4_gpu by_name = NVFP4_GPU_INIT;
    int has_id =
        nvfp4_gpu_from_pci(fact->vendor, fact->device, fact->subsystem, &by_id) == NVFP4_OK;
    int is_plain = has_id && strcmp(device->name, by_id.name) == 0;
    int has_name = !is_plain && nvfp4_gpu_known_name(device->name, &by_name);
    const nvfp4_gpu *board;

    /* only a name can tell: then it is worth a longer look, for slices and virtual GPUs */
    if (!has_id && !has_name && fact->sm <= 0)
        has_name = nvfp4_gpu_find(device->name, &by_name, NULL) == NVFP4_OK
                   && by_name.match != NVFP4_GPU_MATCH_SM;
    board = has_id ? &by_id : has_name ? &by_name : NULL;

    /* of boards that share an id, the one that the driver names */
    if (has_id && has_name && by_name.pci_device_id == by_id.pci_device_id)
        by_id = by_name;
    if (has_id)
        nvfp4_copy_printable(device->board, sizeof device->board, by_id.name);
    if (fact->sm >= SM_LEAST && fact->sm <= SM_MOST) {
        device->key.sm = fact->sm == 101 ? 110 : fact->sm;
        device->confidence = source == NVFP4_SOURCE_TREE ? NVFP4_CONFIDENCE_MEDIUM
                                                         : NVFP4_CONFIDENCE_HIGH;
        if (source == NVFP4_SOURCE_TREE)
            device->doubts |= NVFP4_DOUBT_SM;
    } else if (board != NULL) {
        device->key = board->key;
        device->confidence = board->confidence;
        device->doubts |= NVFP4_DOUBT_SM;
        doubt_values(device, fact->sm != 0);
    } else {
        device->doubts |= NVFP4_DOUBT_SM;
        doubt_values(device, fact->sm != 0);
    }
    if (has_name && device->key.sm != 0 && by_name.key.sm != device->key.sm)
        device->doubts |= NVFP4_DOUBT_NAME;
    if (device->name[0] == '\0' && board != NULL)
        nvfp4_copy_printable(device->name, sizeof device->name, board->name);
    if (device->memory_bytes == 0 && has_id && device->mig == 0 && source == NVFP4_SOURCE_PCI)
        device->memory_bytes = (uint64_t)by_id.memory_gib << 30;
}

void nvfp4_describe(nvfp4_source source, const struct fact_list *list, const struct fact *fact,
                    nvfp4_device *device)
{
    memset(device, 0, sizeof *device);
    device->key.vendor = fact->vendor == PCI_AMD ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_NVIDIA;
    device->cuda_ordinal = -1;
    device->nvml_index = source == NVFP4_SOURCE_NVML ? fact->index : -1;
    device->source = (int32_t)source;
    describe_strings(list, fact, device);
    describe_numbers(list, fact, device);
    describe_key(source, fact, device);
}
