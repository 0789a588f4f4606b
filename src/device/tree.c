/* SPDX-License-Identifier: Apache-2.0 */
/* The device tree of a Jetson: which Tegra this is. */
#include "device/facts.h"

#include <stdio.h>
#include <string.h>

#include "device/folder.h"

/*
 * "compatible" strings: Linux, Documentation/devicetree/bindings/arm/tegra.yaml; SMs: cuda-gpus and
 * cuda-legacy-gpus at developer.nvidia.com. Names as in the catalogue, where it has them.
 */
static const struct tegra {
    const char *compatible;
    const char *name;
    int16_t sm;
} tegras[] = {
    { "nvidia,tegra264", "NVIDIA Thor", 110 },
    { "nvidia,tegra234", "Orin", 87 },
    { "nvidia,tegra194", "Xavier", 72 },
    { "nvidia,tegra186", "Jetson TX2", 62 },
    { "nvidia,tegra210", "Jetson Nano or TX1", 53 },
};

static const struct tegra *tegra_of(const char *compatible)
{
    for (size_t i = 0; i < sizeof tegras / sizeof tegras[0]; i++) {
        if (strcmp(compatible, tegras[i].compatible) == 0)
            return &tegras[i];
    }
    return NULL;
}

void nvfp4_tree_gather(const char *root, struct fact_list *list)
{
    const struct tegra *tegra = NULL;
    char text[1024];
    long length = nvfp4_file_read(root, "proc/device-tree/compatible", text, sizeof text);
    struct fact *fact;

    if (length <= 0) {
        nvfp4_facts_fail(list, NVFP4_ENODRIVER, "no device tree is shown here");
        return;
    }
    /* NUL-separated strings, the board first, the chip last */
    for (const char *at = text; tegra == NULL && at < text + length; at += strlen(at) + 1)
        tegra = tegra_of(at);
    if (tegra == NULL) {
        nvfp4_facts_fail(list, NVFP4_ENODEVICE, "the device tree names no known Tegra");
        return;
    }
    fact = nvfp4_facts_add(list);
    if (fact == NULL) {
        nvfp4_facts_fail(list, NVFP4_ENOMEM, "out of memory");
        return;
    }
    fact->sm = tegra->sm;
    snprintf(fact->name, sizeof fact->name, "%s", tegra->name);
    list->status = NVFP4_OK;
}
