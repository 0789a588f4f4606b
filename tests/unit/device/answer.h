/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_ANSWER_H
#define NVFP4_TESTS_ANSWER_H

/* The whole answer of a probe as text, so that a test states all of it. */

#include <stddef.h>

#include <nvfp4moe/device.h>

enum { ANSWER_BYTES = 16384 };

/*
 * Probes, hidden devices included, and writes:
 *   STATUS from SOURCE (nvml ... cuda ... pci ... tree ...), N visible, N hidden, VISIBILITY[,
 *   order uncertain] : MESSAGE a line for each device
 */
void answer_probe(const nvfp4_probe_options *options, char text[ANSWER_BYTES]);

#endif
