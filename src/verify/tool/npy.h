/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_NPY_H
#define NVFP4MOE_VERIFY_NPY_H

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/status.h>

/* Arrays in NumPy's .npy files: little-endian, C order, written as version 1.0. */
typedef enum nvfp4_npy_type {
    NVFP4_NPY_FLOAT32,
    NVFP4_NPY_FLOAT64,
    NVFP4_NPY_UINT8,
    NVFP4_NPY_INT32
} nvfp4_npy_type;

/* "float32", as NumPy calls it; "unknown". */
const char *nvfp4_npy_type_name(nvfp4_npy_type type);

enum { NVFP4_NPY_DIMENSIONS = 8 };

typedef struct nvfp4_npy {
    nvfp4_npy_type type;
    size_t dimensions;
    size_t shape[NVFP4_NPY_DIMENSIONS];
    size_t count; /* elements */
    void *data;   /* of the type, in the machine's own byte order; free() it */
} nvfp4_npy;

/*
 * Reads an array from the bytes of a file. ESYNTAX: no .npy, or one that does not match its header;
 * ESCHEMA: an array of another kind (type, byte order, Fortran order); ELIMIT: too many dimensions;
 * ENOMEM. `what` is set to a phrase on failure.
 */
nvfp4_status nvfp4_npy_parse(const uint8_t *bytes, size_t size, nvfp4_npy *array,
                             const char **what);

/* The same from a file; EIO where it cannot be read. */
nvfp4_status nvfp4_npy_read(const char *path, nvfp4_npy *array, const char **what);

/* Writes an array of `dimensions` (1 to 8); EIO where it cannot be written. */
nvfp4_status nvfp4_npy_write(const char *path, nvfp4_npy_type type, size_t dimensions,
                             const size_t *shape, const void *data);

/* A whole file; one byte more is allocated and set to 0. EIO, ELIMIT (over 2 GiB), ENOMEM. */
nvfp4_status nvfp4_npy_file_read(const char *path, uint8_t **bytes, size_t *size);

#endif
