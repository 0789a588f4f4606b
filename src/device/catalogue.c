/* SPDX-License-Identifier: Apache-2.0 */
#include "device/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "device/words.h"

#define OGKM    "ogkm README 595.44.03; chip: pci.ids 2026.08.22"
#define PCI_IDS "pci.ids 2026.08.22 only, a community name"
#define ROCM    "ROCm documentation, GPU specifications"

const struct gpu_row nvfp4_gpu_rows[] = {
#define GPU(id, name, label, aliases, chip, sm, memory, confidence, subsystems, source)            \
    { id,   sm,    memory,  NVFP4_VENDOR_NVIDIA, NVFP4_CONFIDENCE_##confidence,                    \
      name, label, aliases, chip,                "",                                               \
      subsystems, source },
#include "device/gpus.inc"
#undef GPU
#define AMD(id, name, label, aliases, target, memory, confidence, source)                          \
    { id,   0,     memory,  NVFP4_VENDOR_AMD, NVFP4_CONFIDENCE_##confidence,                       \
      name, label, aliases, "",               target,                                              \
      "",   source },
#include "device/amd.inc"
#undef AMD
};

const size_t nvfp4_gpu_row_count = sizeof nvfp4_gpu_rows / sizeof nvfp4_gpu_rows[0];

/*
 * Every block of 128 ids from Turing on that pci.ids names holds one die only: an observation over
 * pci.ids 2026.08.22, not a promise, so a range is less sure than an id. Ids between the ranges are
 * other functions (audio, USB, NVSwitch) or unknown; nothing is extrapolated.
 */
static const struct gpu_range {
    uint16_t first;
    uint16_t last;
    int16_t sm;
    uint8_t confidence;
    const char *chip;
} ranges[] = {
    { 0x1b00, 0x1d7f, 61, NVFP4_CONFIDENCE_LOW, "GP10x" },
    { 0x1d80, 0x1dff, 70, NVFP4_CONFIDENCE_LOW, "GV100" },
    { 0x1e00, 0x1e7f, 75, NVFP4_CONFIDENCE_MEDIUM, "TU102" },
    { 0x1e80, 0x1eff, 75, NVFP4_CONFIDENCE_MEDIUM, "TU104" },
    { 0x1f00, 0x1f7f, 75, NVFP4_CONFIDENCE_MEDIUM, "TU106" },
    { 0x1f80, 0x1fff, 75, NVFP4_CONFIDENCE_MEDIUM, "TU117" },
    { 0x2080, 0x20ff, 80, NVFP4_CONFIDENCE_MEDIUM, "GA100" },
    { 0x2180, 0x21ff, 75, NVFP4_CONFIDENCE_MEDIUM, "TU116" },
    { 0x2200, 0x227f, 86, NVFP4_CONFIDENCE_MEDIUM, "GA102" },
    { 0x2300, 0x23ff, 90, NVFP4_CONFIDENCE_MEDIUM, "GH100" },
    { 0x2400, 0x247f, 86, NVFP4_CONFIDENCE_MEDIUM, "GA103" },
    { 0x2480, 0x24ff, 86, NVFP4_CONFIDENCE_MEDIUM, "GA104" },
    { 0x2500, 0x257f, 86, NVFP4_CONFIDENCE_MEDIUM, "GA106" },
    { 0x2580, 0x25ff, 86, NVFP4_CONFIDENCE_MEDIUM, "GA107" },
    { 0x2680, 0x26ff, 89, NVFP4_CONFIDENCE_MEDIUM, "AD102" },
    { 0x2700, 0x277f, 89, NVFP4_CONFIDENCE_MEDIUM, "AD103" },
    { 0x2780, 0x27ff, 89, NVFP4_CONFIDENCE_MEDIUM, "AD104" },
    { 0x2800, 0x287f, 89, NVFP4_CONFIDENCE_MEDIUM, "AD106" },
    { 0x2880, 0x28ff, 89, NVFP4_CONFIDENCE_MEDIUM, "AD107" },
    { 0x2900, 0x297f, 100, NVFP4_CONFIDENCE_MEDIUM, "GB100" },
    { 0x2980, 0x29ff, 100, NVFP4_CONFIDENCE_LOW, "GB102" },
    { 0x2b00, 0x2b7f, 110, NVFP4_CONFIDENCE_MEDIUM, "GB10B" },
    { 0x2b80, 0x2bff, 120, NVFP4_CONFIDENCE_MEDIUM, "GB202" },
    { 0x2c00, 0x2c7f, 120, NVFP4_CONFIDENCE_MEDIUM, "GB203" },
    { 0x2d00, 0x2d7f, 120, NVFP4_CONFIDENCE_MEDIUM, "GB206" },
    { 0x2d80, 0x2dff, 120, NVFP4_CONFIDENCE_MEDIUM, "GB207" },
    { 0x2e00, 0x2e7f, 121, NVFP4_CONFIDENCE_MEDIUM, "GB20B" },
    { 0x2f00, 0x2f7f, 120, NVFP4_CONFIDENCE_MEDIUM, "GB205" },
    { 0x3000, 0x307f, 107, NVFP4_CONFIDENCE_LOW, "GR100" },
    { 0x3080, 0x30ff, 107, NVFP4_CONFIDENCE_LOW, "GR102" },
    { 0x3180, 0x31ff, 103, NVFP4_CONFIDENCE_MEDIUM, "GB110" },
    { 0x3200, 0x327f, 103, NVFP4_CONFIDENCE_LOW, "GB112" },
};

const char *nvfp4_gpu_label(const struct gpu_row *row)
{
    return row->label[0] != '\0' ? row->label : row->name + nvfp4_words_maker(row->name);
}

nvfp4_gpu nvfp4_gpu_of_row(const struct gpu_row *row)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;

    gpu.key.vendor = row->vendor;
    gpu.key.sm = row->sm;
    strcpy(gpu.key.arch, row->arch);
    gpu.match = NVFP4_GPU_MATCH_ROW;
    gpu.confidence = row->confidence;
    gpu.pci_device_id = row->pci_id;
    gpu.memory_gib = row->memory_gib;
    gpu.name = row->name;
    gpu.label = nvfp4_gpu_label(row);
    gpu.aliases = row->aliases;
    gpu.chip = row->chip;
    gpu.source = row->source;
    return gpu;
}

nvfp4_status nvfp4_gpu_give(const nvfp4_gpu *answer, nvfp4_gpu *gpu)
{
    size_t size = gpu->struct_size;

    if (size < offsetof(nvfp4_gpu, source) + sizeof gpu->source)
        return NVFP4_EABI;
    memcpy(gpu, answer, size < sizeof *answer ? size : sizeof *answer);
    gpu->struct_size = size;
    return NVFP4_OK;
}

int nvfp4_gpu_knows_sm(nvfp4_sm sm)
{
    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        if (nvfp4_gpu_rows[i].vendor == NVFP4_VENDOR_NVIDIA && nvfp4_gpu_rows[i].sm == sm)
            return 1;
    }
    return 0;
}

size_t nvfp4_gpu_count(void)
{
    return nvfp4_gpu_row_count;
}

nvfp4_status nvfp4_gpu_at(size_t index, nvfp4_gpu *gpu)
{
    nvfp4_gpu answer;

    if (gpu == NULL || index >= nvfp4_gpu_row_count)
        return NVFP4_EINVAL;
    answer = nvfp4_gpu_of_row(&nvfp4_gpu_rows[index]);
    return nvfp4_gpu_give(&answer, gpu);
}

/* Is the subsystem in a list such as "1028:129e 10de:129e"? */
static int lists_subsystem(const char *list, uint32_t subsystem)
{
    while (*list >= '0') {
        char *end;
        unsigned long vendor = strtoul(list, &end, 16);
        unsigned long device = *end == ':' ? strtoul(end + 1, &end, 16) : 0;

        if ((vendor << 16 | device) == subsystem)
            return 1;
        list = *end == ' ' ? end + 1 : end;
    }
    return 0;
}

/* The board of that id: the one that lists the subsystem, else one that lists none, else any. */
static const struct gpu_row *row_of_id(uint32_t vendor, uint32_t id, uint32_t subsystem,
                                       int *several)
{
    const struct gpu_row *best = NULL;
    int best_rank = 0;

    *several = 0;
    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        const struct gpu_row *row = &nvfp4_gpu_rows[i];
        int rank;

        if (row->pci_id != id || row->vendor != vendor)
            continue;
        if (subsystem != 0 && lists_subsystem(row->subsystems, subsystem))
            rank = 3;
        else
            rank = row->subsystems[0] == '\0' ? 2 : 1;
        *several = *several || (best != NULL && row->memory_gib != best->memory_gib);
        if (rank > best_rank) {
            best = row;
            best_rank = rank;
        }
    }
    *several = *several && best_rank < 3;
    return best;
}

nvfp4_status nvfp4_gpu_from_pci(uint32_t vendor_id, uint32_t device_id, uint32_t subsystem_id,
                                nvfp4_gpu *gpu)
{
    nvfp4_gpu answer = NVFP4_GPU_INIT;
    uint32_t vendor = vendor_id == PCI_AMD ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_NVIDIA;
    const struct gpu_row *row;
    int several;

    if (gpu == NULL)
        return NVFP4_EINVAL;
    if ((vendor_id != PCI_NVIDIA && vendor_id != PCI_AMD) || device_id == 0)
        return NVFP4_EUNKNOWN;
    row = row_of_id(vendor, device_id, subsystem_id, &several);
    if (row != NULL) {
        if (vendor == NVFP4_VENDOR_NVIDIA && row->sm == 0)
            return NVFP4_EUNKNOWN;
        answer = nvfp4_gpu_of_row(row);
        answer.match = NVFP4_GPU_MATCH_PCI_ID;
        if (several)
            answer.memory_gib = 0;
        return nvfp4_gpu_give(&answer, gpu);
    }
    for (size_t i = 0; vendor_id == PCI_NVIDIA && i < sizeof ranges / sizeof ranges[0]; i++) {
        if (device_id < ranges[i].first || device_id > ranges[i].last)
            continue;
        answer.key.sm = ranges[i].sm;
        answer.match = NVFP4_GPU_MATCH_PCI_RANGE;
        answer.confidence = ranges[i].confidence;
        answer.pci_device_id = (int32_t)device_id;
        answer.chip = ranges[i].chip;
        answer.source = "one die in every block of ids: pci.ids 2026.08.22";
        return nvfp4_gpu_give(&answer, gpu);
    }
    return NVFP4_EUNKNOWN;
}

#define WORD(name, value, word)                                                                    \
    case value:                                                                                    \
        return word;

const char *nvfp4_confidence_name(nvfp4_confidence confidence)
{
    switch ((int)confidence) {
        NVFP4_CONFIDENCE_MAP(WORD)
    default:
        return "unknown";
    }
}

const char *nvfp4_gpu_match_name(nvfp4_gpu_match match)
{
    switch ((int)match) {
        NVFP4_GPU_MATCH_MAP(WORD)
    default:
        return "unknown";
    }
}
