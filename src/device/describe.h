/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_DESCRIBE_H
#define NVFP4_DEVICE_DESCRIBE_H

/* What one device is, from what a source says of it and what the catalogue knows. */

#include "device/facts.h"

/*
 * Fills in all but visibility and CUDA's number. Values that cannot be are dropped and doubted; the
 * driver's own capability beats the PCI id, which beats the name.
 */
void nvfp4_describe(nvfp4_source source, const struct fact_list *list, const struct fact *fact,
                    nvfp4_device *device);

/* Copies what can be printed; the rest becomes '?'. 1: nothing had to be changed. */
int nvfp4_copy_printable(char *to, size_t capacity, const char *from);

#endif
