/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_SHARED_H
#define NVFP4_DEVICE_SHARED_H

/* Shared libraries at run time. */

#include <stddef.h>

/*
 * Opens by SONAME or path. NULL when it cannot; why is then said in text. On Windows a bare name is
 * looked for in System32 only.
 */
void *nvfp4_shared_open(const char *name, char *text, size_t capacity);

/*
 * Copies the address of a symbol, or of its older spelling, into a function pointer; 0: neither is
 * there.
 */
int nvfp4_shared_symbol(void *library, const char *name, const char *older, void *pointer,
                        size_t size);

void nvfp4_shared_close(void *library);

#endif
