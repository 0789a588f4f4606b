/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_RESOLVE_H
#define NVFP4_DEVICE_RESOLVE_H

/* From facts to devices: what each one is, which of them CUDA shows, and under which number. */

#include "device/facts.h"

/* The environment that CUDA reads. */
struct surroundings {
    const char *visible; /* CUDA_VISIBLE_DEVICES; NULL: not set */
    const char *order;   /* CUDA_DEVICE_ORDER; NULL: not set */
};

/* The devices found, all of them: the visible ones first, in CUDA's order. */
struct found_devices {
    nvfp4_device *devices;
    size_t count;
    size_t visible;
    nvfp4_visibility visibility;
    int order_uncertain;
    char message[256];
};

/*
 * Is the CUDA driver needed to tell the order? Only for facts of NVML and PCI; 1 when the GPUs
 * differ, or some are cut into slices, in a way that the environment leaves open.
 */
int nvfp4_resolve_needs_driver(const struct fact_list *list, const struct surroundings *now);

/*
 * Reads the facts of one source. `driver` is what the CUDA driver shows under the environment
 * `driver_saw`; NULL: not asked.
 */
nvfp4_status nvfp4_resolve(nvfp4_source source, const struct fact_list *list,
                           const struct fact_list *driver, const struct surroundings *driver_saw,
                           const struct surroundings *now, struct found_devices *found);

#endif
