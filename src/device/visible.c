/* SPDX-License-Identifier: Apache-2.0 */
#include "device/visible.h"

#include <stdint.h>
#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* As isspace() in the C locale. */
static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_uuid(const char *entry, size_t length)
{
    return length >= 4 && (memcmp(entry, "GPU-", 4) == 0 || memcmp(entry, "MIG-", 4) == 0);
}

/*
 * Does the entry name the device? Its digits are compared in order, wherever either has its hyphens;
 * nothing is looked at behind 32 digits or 40 bytes, and a kind alone names none.
 */
static int names_uuid(const char *name, const char *entry, size_t length)
{
    size_t digits = 0;

    if (length <= 4 || strlen(name) <= 4 || memcmp(name, entry, 4) != 0)
        return 0;
    name += 4;
    for (size_t i = 4; i < length && i < 40 && digits < 32; i++) {
        if (entry[i] == '-')
            continue;
        while (*name == '-')
            name++;
        if (*name == '\0')
            break;
        if (lower(*name++) != lower(entry[i]))
            return 0;
        digits++;
    }
    return 1;
}

static int is_legacy(const char *legacy, const char *entry, size_t length)
{
    if (length <= 4 || strlen(legacy) != length || memcmp(legacy, entry, 4) != 0)
        return 0;
    for (size_t i = 4; i < length; i++) {
        if (lower(legacy[i]) != lower(entry[i]))
            return 0;
    }
    return 1;
}

/* The one device whose UUID the entry names; `named` when there is none or several. */
static size_t find_uuid(const char *entry, size_t length, const struct visible_name *names,
                        size_t named)
{
    size_t found = named;

    for (size_t i = 0; i < named; i++) {
        if (is_legacy(names[i].legacy, entry, length))
            return i;
        if (!names_uuid(names[i].uuid, entry, length))
            continue;
        if (found != named)
            return named;
        found = i;
    }
    return found;
}

/*
 * The number an entry begins with; `numbered` when it is none or names no device. As strtoull()
 * reads it, one that is too large is the largest, whatever its sign; of that the driver keeps the
 * low 32 bits, so 4294967296 is device 0.
 */
static size_t find_number(const char *entry, size_t length, size_t numbered)
{
    uint64_t value = 0;
    size_t i = 0;
    int negative = 0;

    while (i < length && is_blank(entry[i]))
        i++;
    if (i < length && (entry[i] == '+' || entry[i] == '-'))
        negative = entry[i++] == '-';
    if (i == length || !is_digit(entry[i]))
        return numbered;
    for (; i < length && is_digit(entry[i]); i++) {
        const uint64_t digit = (uint64_t)(entry[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            value = UINT64_MAX;
            negative = 0;
            break;
        }
        value = value * 10 + digit;
    }
    const uint32_t low = (uint32_t)(negative ? 0 - value : value);
    return low < numbered ? low : numbered;
}

static int is_picked(const size_t *picked, size_t count, size_t device)
{
    for (size_t i = 0; i < count; i++) {
        if (picked[i] == device)
            return 1;
    }
    return 0;
}

static void read_list(const char *value, const struct visible_name *names, size_t numbered,
                      size_t named, size_t *picked, struct visible *result)
{
    const char *entry = value;
    const char *kind = value;

    result->by_uuid = is_uuid(value, strcspn(value, ","));
    result->verdict = NVFP4_VISIBILITY_LIST;
    for (size_t number = 1; entry != NULL; number++) {
        size_t length = strcspn(entry, ",");
        size_t device = named;

        if (!result->by_uuid)
            device = find_number(entry, length, numbered);
        else if (is_uuid(entry, length) && entry[0] == kind[0])
            device = find_uuid(entry, length, names, named);

        result->entry = number;
        if (device == (result->by_uuid ? named : numbered)) {
            result->verdict =
                result->count == 0 ? NVFP4_VISIBILITY_NONE : NVFP4_VISIBILITY_CUT;
            return;
        }
        if (is_picked(picked, result->count, device)) {
            result->verdict = NVFP4_VISIBILITY_TWICE;
            result->count = 0;
            return;
        }
        picked[result->count++] = device;
        entry = entry[length] == ',' ? entry + length + 1 : NULL;
    }
    result->entry = 0;
}

void nvfp4_visible_read(const char *value, const struct visible_name *names, size_t numbered,
                        size_t named, size_t *picked, struct visible *result)
{
    memset(result, 0, sizeof *result);
    if (value == NULL) {
        result->verdict = NVFP4_VISIBILITY_ALL;
        while (result->count < numbered) {
            picked[result->count] = result->count;
            result->count++;
        }
    } else if (value[0] == '\0') {
        result->verdict = NVFP4_VISIBILITY_EMPTY;
    } else {
        read_list(value, names, numbered, named, picked, result);
    }
}
