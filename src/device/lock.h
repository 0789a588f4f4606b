/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_LOCK_H
#define NVFP4_DEVICE_LOCK_H

/* The one lock of the library: probes wait for each other. */
void nvfp4_lock(void);
void nvfp4_unlock(void);

#endif
