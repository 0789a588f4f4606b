/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_DEVICES_H
#define NVFP4MOE_CLI_DEVICES_H

/**
 * @file devices.h
 * @brief What a probe found, for people and for programs.
 */

#include <nvfp4moe/device.h>

/** The outcome of a probe that lists hidden devices too. */
struct nvfp4_cli_devices {
    nvfp4_status status; /**< ENODEVICE also when all devices are hidden */
    nvfp4_device *devices;
    size_t count;
    nvfp4_probe_report report;
};

/** Print a table on stdout; nothing when there are no devices. */
void nvfp4_cli_devices_text(const struct nvfp4_cli_devices *d);

/** Print an object on stdout, whatever was found. */
void nvfp4_cli_devices_json(const struct nvfp4_cli_devices *d);

#endif
