/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/tool/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *descr, *name;
    size_t size;
} types[] = {
    [NVFP4_NPY_FLOAT32] = {"<f4", "float32", 4},
    [NVFP4_NPY_FLOAT64] = {"<f8", "float64", 8},
    [NVFP4_NPY_UINT8] = {"|u1", "uint8", 1},
    [NVFP4_NPY_INT32] = {"<i4", "int32", 4},
};

static const char magic[] = "\x93NUMPY";

enum { MAGIC = 6, TYPES = sizeof types / sizeof types[0] };

const char *nvfp4_npy_type_name(nvfp4_npy_type type)
{
    return (size_t)type < TYPES ? types[type].name : "unknown";
}

/* Elements between the file's byte order and the machine's; the same both ways. */
static void convert(uint8_t *to, const uint8_t *from, size_t count, size_t size)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    if (first == 1) {
        if (count != 0)
            memcpy(to, from, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++)
            to[i * size + j] = from[i * size + size - 1 - j];
}

/* The header: a Python dict of three keys, in any order, ended by a newline. */
struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

static int take(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return 0;
    c->at += n;
    return 1;
}

/* Whether a list goes on: past a comma, or with its end in sight. */
static int take_comma(struct cursor *c, char end)
{
    return take(c, ",") || (c->at < c->end && *c->at == end);
}

static int take_string(struct cursor *c, char *out, size_t capacity)
{
    skip_blanks(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"'))
        return 0;
    char quote = *c->at++;
    size_t n = 0;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (n + 1 >= capacity || *c->at == '\\')
            return 0;
        out[n++] = *c->at;
    }
    out[n] = '\0';
    return c->at < c->end && *c->at++ == quote;
}

static int take_size(struct cursor *c, size_t *out)
{
    size_t n = 0;
    skip_blanks(c);
    if (c->at >= c->end || *c->at < '0' || *c->at > '9')
        return 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        size_t digit = (size_t)(*c->at - '0');
        if (n > (SIZE_MAX - digit) / 10)
            return 0;
        n = n * 10 + digit;
    }
    *out = n;
    return 1;
}

static nvfp4_status take_shape(struct cursor *c, nvfp4_npy *array, const char **what)
{
    *what = "its shape is not a tuple";
    if (!take(c, "("))
        return NVFP4_ESYNTAX;
    while (!take(c, ")")) {
        if (array->dimensions == NVFP4_NPY_DIMENSIONS) {
            *what = "it has more than 8 dimensions";
            return NVFP4_ELIMIT;
        }
        if (!take_size(c, &array->shape[array->dimensions++]))
            return NVFP4_ESYNTAX;
        if (!take_comma(c, ')'))
            return NVFP4_ESYNTAX;
    }
    return NVFP4_OK;
}

enum { SAW_DESCR = 1, SAW_ORDER = 2, SAW_SHAPE = 4, SAW_ALL = 7 };

static nvfp4_status take_entry(struct cursor *c, nvfp4_npy *array, int *seen, const char **what)
{
    char key[16], descr[8];
    *what = "its header is not a dict";
    if (!take_string(c, key, sizeof key) || !take(c, ":"))
        return NVFP4_ESYNTAX;
    int bit = strcmp(key, "descr") == 0           ? SAW_DESCR
              : strcmp(key, "fortran_order") == 0 ? SAW_ORDER
              : strcmp(key, "shape") == 0         ? SAW_SHAPE
                                                  : 0;
    if (bit == 0 || *seen & bit)
        return NVFP4_ESYNTAX;
    *seen |= bit;
    if (bit == SAW_SHAPE)
        return take_shape(c, array, what);
    if (bit == SAW_ORDER) {
        *what = "it is in Fortran order";
        return take(c, "False") ? NVFP4_OK : take(c, "True") ? NVFP4_ESCHEMA : NVFP4_ESYNTAX;
    }
    *what = "its type is none of float32, float64, uint8, int32, little-endian";
    if (!take_string(c, descr, sizeof descr))
        return NVFP4_ESCHEMA; /* structured types are lists */
    for (int t = 0; t < TYPES; t++)
        if (strcmp(descr, types[t].descr) == 0) {
            array->type = (nvfp4_npy_type)t;
            return NVFP4_OK;
        }
    return NVFP4_ESCHEMA;
}

static nvfp4_status take_header(struct cursor c, nvfp4_npy *array, const char **what)
{
    int seen = 0;
    *what = "its header is not a dict";
    if (!take(&c, "{"))
        return NVFP4_ESYNTAX;
    while (!take(&c, "}")) {
        nvfp4_status status = take_entry(&c, array, &seen, what);
        if (status != NVFP4_OK)
            return status;
        *what = "its header is not a dict";
        if (!take_comma(&c, '}'))
            return NVFP4_ESYNTAX;
    }
    skip_blanks(&c);
    if (c.at != c.end || seen != SAW_ALL)
        return NVFP4_ESYNTAX;
    return NVFP4_OK;
}

nvfp4_status nvfp4_npy_parse(const uint8_t *bytes, size_t size, nvfp4_npy *array, const char **what)
{
    nvfp4_npy made = {.count = 1};
    *what = "it is no .npy file";
    if (size < MAGIC + 4 || memcmp(bytes, magic, MAGIC) != 0 || bytes[6] < 1 || bytes[6] > 3)
        return NVFP4_ESYNTAX;
    size_t start = bytes[6] == 1 ? 10 : 12; /* the header's length has 2 bytes, from 2.0 on 4 */
    if (size < start)
        return NVFP4_ESYNTAX;
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    *what = "its header is cut short";
    if (length > size - start)
        return NVFP4_ESYNTAX;
    struct cursor c = {(const char *)bytes + start, (const char *)bytes + start + length};
    nvfp4_status status = take_header(c, &made, what);
    if (status != NVFP4_OK)
        return status;
    size_t rest = size - start - length, element = types[made.type].size;
    *what = "its data and its shape do not match";
    for (size_t i = 0; i < made.dimensions; i++) {
        if (made.shape[i] != 0 && made.count > rest / made.shape[i])
            return NVFP4_ESYNTAX;
        made.count *= made.shape[i];
    }
    if (made.count > rest || made.count * element != rest)
        return NVFP4_ESYNTAX;
    *what = "there is no memory for it";
    made.data = malloc(rest + 1);
    if (made.data == NULL)
        return NVFP4_ENOMEM;
    convert(made.data, bytes + start + length, made.count, element);
    *array = made;
    return NVFP4_OK;
}

/* Grows as it reads, so that pipes and files that lie about their length are read as well. */
nvfp4_status nvfp4_npy_file_read(const char *path, uint8_t **bytes, size_t *size)
{
    const size_t most = (size_t)1 << 31;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NVFP4_EIO;
    size_t used = 0, capacity = (size_t)1 << 16;
    uint8_t *buffer = malloc(capacity);
    nvfp4_status status = buffer == NULL ? NVFP4_ENOMEM : NVFP4_OK;
    while (status == NVFP4_OK) {
        used += fread(buffer + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1)
            break;
        uint8_t *more = capacity < most ? realloc(buffer, capacity * 2) : NULL;
        if (more == NULL)
            status = capacity < most ? NVFP4_ENOMEM : NVFP4_ELIMIT;
        else
            buffer = more;
        capacity *= 2;
    }
    if (status == NVFP4_OK && ferror(file))
        status = NVFP4_EIO;
    (void)fclose(file);
    if (status != NVFP4_OK) {
        free(buffer);
        return status;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    return NVFP4_OK;
}

nvfp4_status nvfp4_npy_read(const char *path, nvfp4_npy *array, const char **what)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    *what = "it cannot be read";
    nvfp4_status status = nvfp4_npy_file_read(path, &bytes, &size);
    if (status != NVFP4_OK)
        return status;
    status = nvfp4_npy_parse(bytes, size, array, what);
    free(bytes);
    return status;
}

/* The dict, padded so that the data begin at a multiple of 64; its length. */
static size_t make_header(char *header, size_t capacity, nvfp4_npy_type type, size_t dimensions,
                          const size_t *shape)
{
    size_t n = (size_t)snprintf(
        header, capacity, "{'descr': '%s', 'fortran_order': False, 'shape': (", types[type].descr);
    for (size_t i = 0; i < dimensions; i++)
        n += (size_t)snprintf(header + n, capacity - n, i == 0 ? "%zu," : " %zu,", shape[i]);
    if (dimensions > 1)
        n--; /* only a single number needs the comma behind it */
    n += (size_t)snprintf(header + n, capacity - n, "), }");
    while ((10 + n + 1) % 64 != 0)
        header[n++] = ' ';
    header[n++] = '\n';
    return n;
}

nvfp4_status nvfp4_npy_write(const char *path, nvfp4_npy_type type, size_t dimensions,
                             const size_t *shape, const void *data)
{
    char header[512];
    uint8_t element[8];
    size_t n = make_header(header, sizeof header, type, dimensions, shape), count = 1;
    uint8_t start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)n, (uint8_t)(n >> 8)};
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return NVFP4_EIO;
    for (size_t i = 0; i < dimensions; i++)
        count *= shape[i];
    int ok =
        fwrite(start, 1, sizeof start, file) == sizeof start && fwrite(header, 1, n, file) == n;
    for (size_t i = 0; ok && i < count; i++) {
        convert(element, (const uint8_t *)data + i * types[type].size, 1, types[type].size);
        ok = fwrite(element, types[type].size, 1, file) == 1;
    }
    ok = fclose(file) == 0 && ok;
    return ok ? NVFP4_OK : NVFP4_EIO;
}
