/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PCI bus as Linux shows it: one small file for each function, no driver needed. Where NVIDIA's
 * kernel driver is loaded its files tell which GPUs this process may reach (a container sees the
 * whole bus) and, when UUIDs are needed, their UUIDs.
 */
#include "device/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/catalogue.h"
#include "device/folder.h"

#define DEVICES "sys/bus/pci/devices"
#define DRIVER  "proc/driver/nvidia/gpus"

struct bus {
    struct fact_list *list;
    int out_of_memory;
};

struct ids {
    unsigned vendor;
    unsigned device;
    unsigned subvendor;
    unsigned subdevice;
    unsigned class_code; /* base class << 8 | subclass */
};

static unsigned read_id(int folder, const char *function, const char *file)
{
    char path[64];
    char text[32];

    snprintf(path, sizeof path, "%.31s/%s", function, file);
    if (nvfp4_folder_read(folder, path, text, sizeof text) <= 0)
        return 0;
    return (unsigned)strtoul(text, NULL, 16);
}

/* "pci:v000010DEd00002335sv000010DEsd000018BEbc03sc02i00" has it all in one file. */
static void read_ids(int folder, const char *function, struct ids *ids)
{
    char path[64];
    char text[128];
    unsigned base = 0;
    unsigned sub = 0;

    memset(ids, 0, sizeof *ids);
    snprintf(path, sizeof path, "%.31s/modalias", function);
    if (nvfp4_folder_read(folder, path, text, sizeof text) > 0
        && sscanf(text, "pci:v%8xd%8xsv%8xsd%8xbc%2xsc%2x", &ids->vendor, &ids->device,
                  &ids->subvendor, &ids->subdevice, &base, &sub) == 6) {
        ids->class_code = base << 8 | sub;
        return;
    }
    ids->vendor = read_id(folder, function, "vendor");
    if (ids->vendor != PCI_NVIDIA && ids->vendor != PCI_AMD)
        return;
    ids->class_code = read_id(folder, function, "class") >> 8;
    ids->device = read_id(folder, function, "device");
    ids->subvendor = read_id(folder, function, "subsystem_vendor");
    ids->subdevice = read_id(folder, function, "subsystem_device");
}

/*
 * VGA or 3D controllers of NVIDIA; of AMD only what the catalogue knows, for any chipset has a GPU.
 */
static int is_gpu(const struct ids *ids)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;

    if (ids->vendor == PCI_NVIDIA)
        return ids->class_code == 0x0300 || ids->class_code == 0x0302;
    return ids->vendor == PCI_AMD && (ids->class_code >> 8 == 0x03 || ids->class_code == 0x1200)
           && nvfp4_gpu_from_pci(PCI_AMD, ids->device, 0, &gpu) == NVFP4_OK;
}

static int see_function(void *data, int folder, const char *name)
{
    struct bus *bus = data;
    struct ids ids;
    struct fact *fact;
    uint64_t address;

    if (strlen(name) >= sizeof fact->address || !nvfp4_address_read(name, &address))
        return 1;
    read_ids(folder, name, &ids);
    if (!is_gpu(&ids))
        return 1;
    fact = nvfp4_facts_add(bus->list);
    if (fact == NULL) {
        bus->out_of_memory = 1;
        return 0;
    }
    fact->vendor = ids.vendor & 0xffff;
    fact->device = ids.device & 0xffff;
    fact->subsystem = (ids.subvendor & 0xffff) << 16 | (ids.subdevice & 0xffff);
    nvfp4_address_write(address, fact->address);
    return 1;
}

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->address, ((const struct fact *)b)->address);
}

/* The driver's page on a GPU: its device node and its UUID. 0 when there is none. */
static int read_page(const char *root, struct fact *fact, int *minor)
{
    char path[128];
    char text[2048];
    const char *at;

    /* the driver's folders are named 0000:1b:00.0: four digits of domain where these suffice */
    snprintf(path, sizeof path, DRIVER "/%s/information",
             fact->address + (strncmp(fact->address, "0000", 4) == 0 ? 4 : 0));
    if (nvfp4_file_read(root, path, text, sizeof text) <= 0)
        return 0;
    *minor = -1;
    at = strstr(text, "Device Minor:");
    if (at != NULL)
        *minor = (int)strtol(at + strlen("Device Minor:"), NULL, 10);
    at = strstr(text, "GPU UUID:");
    if (at != NULL && sscanf(at + strlen("GPU UUID:"), "%95s", fact->uuid) == 1
        && strchr(fact->uuid, '?') != NULL)
        fact->uuid[0] = '\0';
    return 1;
}

/*
 * Drops GPUs that the driver holds but this process cannot reach: those without a page of the
 * driver while others have one, and those whose device node is missing while others are there.
 */
static void drop_unreachable(const char *root, struct fact_list *list)
{
    size_t kept = 0;
    size_t pages = 0;
    size_t nodes = 0;
    int node[FACTS_MAX];
    int page[FACTS_MAX];

    for (size_t i = 0; i < list->count; i++) {
        char path[64];
        int minor = -1;

        page[i] = list->facts[i].vendor == PCI_NVIDIA && read_page(root, &list->facts[i], &minor);
        snprintf(path, sizeof path, "dev/nvidia%d", minor);
        node[i] = page[i] && minor >= 0 && nvfp4_file_exists(root, path);
        pages += (size_t)page[i];
        nodes += (size_t)node[i];
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->facts[i].vendor == PCI_NVIDIA
            && ((pages > 0 && !page[i]) || (nodes > 0 && !node[i])))
            continue;
        if (kept != i)
            list->facts[kept] = list->facts[i];
        kept++;
    }
    list->count = kept;
}

void nvfp4_pci_gather(const char *root, struct fact_list *list)
{
    struct bus bus = { list, 0 };

    if (!nvfp4_folder_each(root, DEVICES, see_function, &bus)) {
        nvfp4_facts_fail(list, NVFP4_ENODRIVER, "no PCI bus is shown here");
        return;
    }
    if (bus.out_of_memory) {
        nvfp4_facts_fail(list, NVFP4_ENOMEM, "out of memory");
        return;
    }
    if (list->count > 0 && nvfp4_file_exists(root, DRIVER)) {
        drop_unreachable(root, list);
        if (nvfp4_file_read(root, "sys/module/nvidia/version", list->driver_version,
                            sizeof list->driver_version)
            > 0)
            list->driver_version[strcspn(list->driver_version, "\n")] = '\0';
        else
            list->driver_version[0] = '\0';
    }
    if (list->count == 0) {
        nvfp4_facts_fail(list, NVFP4_ENODEVICE, "the PCI bus shows no GPU");
        return;
    }
    qsort(list->facts, list->count, sizeof list->facts[0], by_address);
    for (size_t i = 0; i < list->count; i++)
        list->facts[i].index = (int32_t)i;
    list->status = NVFP4_OK;
}
