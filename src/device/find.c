/* SPDX-License-Identifier: Apache-2.0 */
#include "device/catalogue.h"

#include <stdio.h>
#include <string.h>

#include "device/choices.h"
#include "device/words.h"

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Value of hexadecimal digits up to the end; -1 when it is none or has more than four. */
static int32_t hexadecimal(const char *text)
{
    size_t length = strlen(text);
    int32_t value = 0;

    if (length == 0 || length > 4 || strspn(text, "0123456789abcdef") != length)
        return -1;
    for (; *text != '\0'; text++)
        value = value * 16 + (is_digit(*text) ? *text - '0' : *text - 'a' + 10);
    return value;
}

/* "sm_120", "sm120", "sm_90a", "compute_90", "12.0", "12.0a", "sm 12.0", "cc12.0" */
static int read_sm(const char *joined, nvfp4_sm *sm)
{
    const char *at = joined;
    int32_t value = 0;
    size_t digits = 0;
    int named = 0;

    if (strncmp(at, "sm", 2) == 0 || strncmp(at, "cc", 2) == 0 || strncmp(at, "compute", 7) == 0) {
        at += strncmp(at, "compute", 7) == 0 ? 7 : 2;
        named = 1;
    }
    while (digits < 4 && is_digit(at[digits]))
        value = value * 10 + (at[digits++] - '0');
    at += digits;
    if (*at == '.') {
        if (digits == 0 || digits > 2 || !is_digit(at[1]))
            return 0;
        value = value * 10 + (at[1] - '0');
        at += 2;
        named = 1;
    } else if (!named || digits < 2 || digits > 3) {
        return 0;
    }
    if (named && (*at == 'a' || *at == 'f'))
        at++;
    if (*at != '\0' || value < 10 || value > 999)
        return 0;
    *sm = value == 101 ? 110 : value;
    return 1;
}

static int find_sm(const char *joined, nvfp4_gpu *answer)
{
    nvfp4_sm sm;

    if (!read_sm(joined, &sm))
        return 0;
    answer->key.sm = sm;
    answer->match = NVFP4_GPU_MATCH_SM;
    answer->confidence = nvfp4_gpu_knows_sm(sm) ? NVFP4_CONFIDENCE_HIGH : NVFP4_CONFIDENCE_LOW;
    answer->source = "as asked";
    return 1;
}

/* "gfx942" */
static int find_target(const char *joined, nvfp4_gpu *answer)
{
    size_t length = strlen(joined);

    if (strncmp(joined, "gfx", 3) != 0 || length < 6 || length > 7
        || strspn(joined + 3, "0123456789abcdef") != length - 3)
        return 0;
    answer->key.vendor = NVFP4_VENDOR_AMD;
    strcpy(answer->key.arch, joined);
    answer->match = NVFP4_GPU_MATCH_SM;
    answer->confidence = NVFP4_CONFIDENCE_LOW;
    answer->source = "as asked";
    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        if (strcmp(nvfp4_gpu_rows[i].arch, joined) == 0)
            answer->confidence = NVFP4_CONFIDENCE_HIGH;
    }
    return 1;
}

/* Value of an id with or without "0x" that ends at `end`; -1 when it is none. */
static int32_t read_id(const char *from, const char *end)
{
    char text[5] = { 0 };

    if (strncmp(from, "0x", 2) == 0)
        from += 2;
    if (end - from < 1 || end - from > 4)
        return -1;
    memcpy(text, from, (size_t)(end - from));
    return hexadecimal(text);
}

/* "0x2bb1", "10de:2bb1", "0x10de:0x2bb1"; 1 when it is an id, whose status is then in *status. */
static int find_pci(const char *joined, nvfp4_gpu *answer, nvfp4_status *status)
{
    const char *colon = strchr(joined, ':');
    const char *end = joined + strlen(joined);
    int32_t vendor = PCI_NVIDIA;
    int32_t device = -1;

    if (colon != NULL && (colon - joined == 4 || colon - joined == 6)) {
        vendor = read_id(joined, colon);
        device = read_id(colon + 1, end);
    } else if (strncmp(joined, "0x", 2) == 0) {
        device = read_id(joined, end);
    }
    if (vendor < 0 || device < 0)
        return 0;
    *status = nvfp4_gpu_from_pci((uint32_t)vendor, (uint32_t)device, 0, answer);
    if (*status != NVFP4_OK)
        answer->match = NVFP4_GPU_MATCH_PCI_ID;
    return 1;
}

/* "2bb1", where it is no name: four digits, a letter among them, of an id that is known. */
static int find_bare_id(const char *joined, nvfp4_gpu *answer)
{
    const int32_t device = strlen(joined) == 4 ? hexadecimal(joined) : -1;

    return device >= 0 && strpbrk(joined, "abcdef") != NULL
           && nvfp4_gpu_from_pci(PCI_NVIDIA, (uint32_t)device, 0, answer) == NVFP4_OK;
}

static void find_architecture(const char *joined, nvfp4_gpu *answer, nvfp4_status *status)
{
    size_t sms = 0;

    for (size_t i = 0; i < nvfp4_architecture_count; i++) {
        if (strcmp(nvfp4_architectures[i].word, joined) == 0) {
            answer->key.sm = nvfp4_architectures[i].sm;
            sms++;
        }
    }
    if (sms == 0)
        return;
    answer->match = NVFP4_GPU_MATCH_SM;
    answer->confidence = NVFP4_CONFIDENCE_HIGH;
    answer->source = "architecture";
    *status = sms == 1 ? NVFP4_OK : NVFP4_EAMBIGUOUS;
}

/* The boards found so far under one name. */
struct found {
    const struct gpu_row *row;
    int several_keys;
    int several_ids;
    int several_sizes;
};

/* Sure rows speak for the unsure ones of their name, except on what decides. */
static void add(struct found *found, const struct gpu_row *row)
{
    if (found->row != NULL)
        found->several_keys |= row->sm != found->row->sm || row->vendor != found->row->vendor
                               || strcmp(row->arch, found->row->arch) != 0;
    if (found->row == NULL || row->confidence > found->row->confidence) {
        found->row = row;
        found->several_ids = 0;
        found->several_sizes = 0;
    } else if (row->confidence == found->row->confidence) {
        found->several_ids |= row->pci_id != found->row->pci_id;
        found->several_sizes |= row->memory_gib != found->row->memory_gib;
    }
}

static void take(const struct found *found, nvfp4_gpu_match match, nvfp4_gpu *answer,
                 nvfp4_status *status)
{
    *answer = nvfp4_gpu_of_row(found->row);
    answer->match = (int32_t)match;
    if (found->several_ids)
        answer->pci_device_id = 0;
    if (found->several_sizes)
        answer->memory_gib = 0;
    if (match == NVFP4_GPU_MATCH_BOARD && answer->confidence > NVFP4_CONFIDENCE_MEDIUM)
        answer->confidence = NVFP4_CONFIDENCE_MEDIUM;
    if (found->several_keys)
        *status = NVFP4_EAMBIGUOUS;
    else if (found->row->sm == 0 && found->row->vendor == NVFP4_VENDOR_NVIDIA)
        *status = NVFP4_EUNKNOWN;
    else
        *status = NVFP4_OK;
}

static int same_name(const char *name, size_t length, const char *joined)
{
    for (size_t i = 0; i < length; i++) {
        char c = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];

        if (nvfp4_words_is_gap(c))
            continue;
        if (*joined++ != c)
            return 0;
    }
    return *joined == '\0';
}

/* The driver's whole name; else what people call it, with or without the maker. */
static void find_name(const char *whole, const char *joined, nvfp4_gpu *answer,
                      nvfp4_status *status)
{
    struct found names = { NULL, 0, 0, 0 };
    struct found aliases = { NULL, 0, 0, 0 };

    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        const struct gpu_row *row = &nvfp4_gpu_rows[i];
        const char *name;
        size_t length;

        if (same_name(row->name, strlen(row->name), whole))
            add(&names, row);
        for (size_t k = 0; nvfp4_gpu_nth_name(row, k, &name, &length); k++) {
            size_t maker = nvfp4_words_maker(name);

            if (same_name(name + maker, length - maker, joined)) {
                add(&aliases, row);
                break;
            }
        }
    }
    if (names.row != NULL)
        take(&names, NVFP4_GPU_MATCH_NAME, answer, status);
    else if (aliases.row != NULL)
        take(&aliases, NVFP4_GPU_MATCH_ALIAS, answer, status);
}

int nvfp4_gpu_known_name(const char *name, nvfp4_gpu *answer)
{
    nvfp4_status status = NVFP4_EUNKNOWN;
    struct words words;
    char whole[WORDS_BYTES + 1];
    char joined[WORDS_BYTES + 1];

    if (!nvfp4_words_split(name, strlen(name), 0, &words) || words.count == 0)
        return 0;
    nvfp4_words_join(&words, whole);
    nvfp4_words_drop_maker(&words);
    nvfp4_words_join(&words, joined);
    find_name(whole, joined, answer, &status);
    return status == NVFP4_OK;
}

/* Does the row have a name that is the text, once both are rid of what says nothing of the chip? */
static int same_board(const struct gpu_row *row, const struct words *text, int *gib)
{
    struct words words = *text;
    char plain[WORDS_BYTES + 1];
    char bare[WORDS_BYTES + 1];
    char other[WORDS_BYTES + 1];
    const char *name;
    size_t length;
    int ignored;

    nvfp4_words_drop_qualifiers(&words, NULL, gib);
    nvfp4_words_join(&words, plain);
    nvfp4_words_drop_qualifiers(&words, row, &ignored);
    nvfp4_words_join(&words, bare);
    if (words.count == 0)
        return 0;
    for (size_t k = 0; nvfp4_gpu_nth_name(row, k, &name, &length); k++) {
        if (!nvfp4_words_split(name, length, 0, &words))
            continue;
        nvfp4_words_drop_qualifiers(&words, NULL, &ignored);
        nvfp4_words_join(&words, other);
        if (strcmp(plain, other) == 0 || strcmp(bare, other) == 0)
            return 1;
    }
    return 0;
}

static void find_board(const struct words *text, nvfp4_gpu *answer, nvfp4_status *status)
{
    struct found all = { NULL, 0, 0, 0 };
    struct found sized = { NULL, 0, 0, 0 };

    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        int gib;

        if (!same_board(&nvfp4_gpu_rows[i], text, &gib))
            continue;
        add(&all, &nvfp4_gpu_rows[i]);
        if (gib != 0 && gib == nvfp4_gpu_rows[i].memory_gib)
            add(&sized, &nvfp4_gpu_rows[i]);
    }
    if (all.row == NULL)
        return;
    take(sized.row != NULL && !all.several_keys ? &sized : &all, NVFP4_GPU_MATCH_BOARD, answer,
         status);
}

static nvfp4_status find(const char *text, nvfp4_gpu *answer)
{
    nvfp4_status status = NVFP4_EUNKNOWN;
    struct words words;
    char whole[WORDS_BYTES + 1];
    char joined[WORDS_BYTES + 1];

    if (!nvfp4_words_split(text, strlen(text), 0, &words) || words.count == 0)
        return NVFP4_EUNKNOWN;
    nvfp4_words_join(&words, whole);
    nvfp4_words_drop_maker(&words);
    nvfp4_words_join(&words, joined);
    if (find_sm(joined, answer) || find_target(joined, answer))
        return NVFP4_OK;
    if (find_pci(joined, answer, &status))
        return status;
    find_name(whole, joined, answer, &status);
    if (answer->name[0] == '\0')
        find_board(&words, answer, &status);
    if (answer->name[0] == '\0' && nvfp4_words_cut_qualifiers(&words))
        find_board(&words, answer, &status);
    if (answer->name[0] == '\0')
        find_architecture(joined, answer, &status);
    if (answer->name[0] == '\0' && status == NVFP4_EUNKNOWN && find_bare_id(joined, answer))
        return NVFP4_OK;
    if (answer->name[0] == '\0' && status == NVFP4_EUNKNOWN)
        status = nvfp4_choices_status(text);
    return status;
}

nvfp4_status nvfp4_gpu_find(const char *text, nvfp4_gpu *gpu, nvfp4_error *error)
{
    nvfp4_gpu answer = NVFP4_GPU_INIT;
    nvfp4_status status;

    if (text == NULL || gpu == NULL)
        status = NVFP4_EINVAL;
    else
        status = find(text, &answer);
    if (status == NVFP4_OK)
        status = nvfp4_gpu_give(&answer, gpu);
    if (status != NVFP4_OK && error != NULL)
        nvfp4_choices_explain(text, status, &answer, error);
    return status;
}
