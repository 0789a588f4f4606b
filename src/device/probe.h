/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_PROBE_H
#define NVFP4_DEVICE_PROBE_H

#include "device/facts.h"

/* A full copy of the caller's options; NULL: the defaults and the environment. */
nvfp4_status nvfp4_probe_defaults(const nvfp4_probe_options *options, nvfp4_probe_options *full);

/* Asks one source of this machine. The lock must be held. */
void nvfp4_probe_gather(const nvfp4_probe_options *options, nvfp4_source source,
                        struct fact_list *list);

#endif
