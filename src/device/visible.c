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
 * Does `name` begin with the entry, or the entry with the name? The kind is compared as it is, the
 * digits without case. The driver looks at nothing behind a whole UUID, and a kind alone is no UUID
 * (both measured on one H200, driver 580.159.04).
 */
static int begins(const char *name, const char *entry, size_t length)
{
    const size_t whole = strlen(name);

    if (length <= 4 || whole <= 4)
        return 0;
    if (length > whole)
        length = whole;
    for (size_t i = 0; i < length; i++) {
        if (i < 4 ? name[i] != entry[i] : lower(name[i]) != lower(entry[i]))
            return 0;
    }
    return 1;
}

/* The one device whose UUID begins with the entry; `named` when there is none or several. */
static size_t find_uuid(const char *entry, size_t length, const struct visible_name *names,
                        size_t named)
{
    size_t found = named;

    for (size_t i = 0; i < named; i++) {
        if (strlen(names[i].legacy) == length && begins(names[i].legacy, entry, length))
            return i;
        if (!begins(names[i].uuid, entry, length))
            continue;
        if (found != named)
            return named;
        found = i;
    }
    return found;
}

/*
 * The number an entry begins with; `numbered` when it is none or names no device. The driver keeps the
 * low 32 bits of a 64-bit number, so 4294967296 is device 0; one that is larger still is none
 * (measured as above).
 */
static size_t find_number(const char *entry, size_t length, size_t numbered)
{
    const uint64_t most = (uint64_t)INT64_MAX;
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
        if (value > (most - digit) / 10)
            return numbered;
        value = value * 10 + digit;
    }
    const uint32_t low = (uint32_t)(negative ? 0 - value : value);
    return low < numbered && low <= INT32_MAX ? low : numbered;
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
