/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_VISIBLE_H
#define NVFP4_DEVICE_VISIBLE_H

/*
 * CUDA_VISIBLE_DEVICES as the CUDA driver reads it.
 *
 * The value is cut at commas and read from the left. The first entry decides of which kind all are:
 * - It begins with "GPU-" or "MIG-": entries are UUIDs of that kind. An entry names the one device
 *   whose UUID begins with its digits; hyphens do not count and may stand anywhere, case does not
 *   matter behind the kind, and what follows 32 digits or 40 bytes is ignored. So "GPU--" names
 *   the only GPU of a host, and "GPU-" none.
 * - Else entries are numbers as strtoull() reads them: blanks, a sign, digits; what follows the
 *   digits up to the comma is ignored ("0junk" is 0). Beyond 64 bits the largest is meant, a minus
 *   negates modulo 2^64, and the low 32 bits are the device: 4294967296 is 0.
 * Naming a device twice is an error: CUDA does not start.
 * The first entry that names no device ends the list; what stands behind it is not looked at. An
 * empty value names none.
 *
 * Measured with driver 580.159.04 (CUDA 13.0), but for MIG, which follows NVIDIA's MIG user guide.
 */

#include <stddef.h>

#include <nvfp4moe/device.h>

/* One device that an entry may name. */
struct visible_name {
    const char *uuid;   /* "" if not known */
    const char *legacy; /* a slice's older name "MIG-GPU-<uuid>/<gi>/<ci>"; "" for none */
};

struct visible {
    nvfp4_visibility verdict;
    int by_uuid;  /* 1: entries are UUIDs, so the order of devices does not matter */
    size_t count; /* devices picked */
    size_t entry; /* the entry that ended the list or came twice, from 1; 0: none */
};

/*
 * Reads `value` (NULL: not set) for devices that are numbered 0 to `numbered` - 1 and named by
 * `names[0]` to `names[named - 1]`; the numbered ones come first among the named. picked[] has room
 * for `named` places and receives the devices in CUDA's order.
 */
void nvfp4_visible_read(const char *value, const struct visible_name *names, size_t numbered,
                        size_t named, size_t *picked, struct visible *result);

#endif
