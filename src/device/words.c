/* SPDX-License-Identifier: Apache-2.0 */
#include "device/words.h"

#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int nvfp4_words_is_gap(char c)
{
    return c == ' ' || c == '-' || c == '_' || c == '/' || c == '(' || c == ')' || c == ','
           || c == '\t' || c == '\n' || c == '\r';
}

size_t nvfp4_words_maker(const char *name)
{
    if (strncmp(name, "NVIDIA ", 7) == 0)
        return 7;
    return strncmp(name, "AMD ", 4) == 0 ? 4 : 0;
}

int nvfp4_words_split(const char *text, size_t length, int fine, struct words *words)
{
    char *to = words->text;
    size_t letters = 0; /* of the word so far, while it has nothing else */
    int inside = 0;

    words->count = 0;
    if (length > WORDS_BYTES)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = lower(text[i]);
        int cut = fine && inside && letters >= 3 && is_digit(c);

        if ((nvfp4_words_is_gap(c) || cut) && inside) {
            *to++ = '\0';
            inside = 0;
        }
        if (nvfp4_words_is_gap(c))
            continue;
        if (!inside) {
            if (words->count == WORDS_MAX)
                return 0;
            words->word[words->count++] = to;
            letters = 0;
            inside = 1;
        }
        letters = is_letter(c) && letters == (size_t)(to - words->word[words->count - 1])
                      ? letters + 1
                      : 0;
        *to++ = c;
    }
    *to = '\0';
    return 1;
}

void nvfp4_words_join(const struct words *words, char joined[WORDS_BYTES + 1])
{
    char *to = joined;

    for (size_t i = 0; i < words->count; i++) {
        size_t length = strlen(words->word[i]);

        memcpy(to, words->word[i], length);
        to += length;
    }
    *to = '\0';
}

static void drop(struct words *words, size_t at)
{
    words->count--;
    memmove(&words->word[at], &words->word[at + 1], (words->count - at) * sizeof words->word[0]);
}

void nvfp4_words_drop_maker(struct words *words)
{
    if (words->count > 1
        && (strcmp(words->word[0], "nvidia") == 0 || strcmp(words->word[0], "amd") == 0))
        drop(words, 0);
}

/* Words that may be left out, and the rows for which they may: those whose chip begins with `chip`
 * and whose name has `family`. */
static const struct qualifier {
    const char *word;
    const char *chip;
    const char *family;
} qualifiers[] = {
    /* form factors, memory, marketing */
    { "nvidia", "", "" }, { "amd", "", "" }, { "gpu", "", "" }, { "edition", "", "" },
    { "generation", "", "" }, { "superchip", "", "" }, { "hgx", "", "" }, { "dgx", "", "" },
    { "sxm", "", "" }, { "sxm2", "", "" }, { "sxm3", "", "" }, { "sxm4", "", "" },
    { "sxm5", "", "" }, { "sxm6", "", "" }, { "pcie", "", "" }, { "nvl", "", "" },
    { "nvl4", "", "" }, { "nvl16", "", "" }, { "nvl36", "", "" }, { "nvl72", "", "" },
    { "oam", "", "" }, { "hbm2", "", "" }, { "hbm2e", "", "" }, { "hbm3", "", "" },
    { "hbm3e", "", "" }, { "gddr6", "", "" }, { "gddr6x", "", "" }, { "gddr7", "", "" },
    { "tensor", "", "" }, { "core", "", "" }, { "grid", "", "" }, { "mig", "", "" },
    { "developer", "", "" }, { "kit", "", "" }, { "devkit", "", "" }, { "desktop", "", "" },
    { "founders", "", "" },
    /* makers' families and architectures */
    { "geforce", "", "GeForce" }, { "instinct", "", "Instinct" }, { "tesla", "GH", "" },
    { "tesla", "GA", "NVIDIA A" }, { "tesla", "AD", "NVIDIA L" }, { "tesla", "TU", "T4" },
    { "turing", "TU", "" }, { "ampere", "GA", "" }, { "ada", "AD", "" }, { "lovelace", "AD", "" },
    { "hopper", "GH", "" }, { "blackwell", "GB", "" }, { "ultra", "GB11", "" },
    { "grace", "GH", "" }, { "grace", "GB10", "" }, { "grace", "GB11", "" },
    { "grace", "GB20B", "" }, { "jetson", "GA10B", "" }, { "jetson", "GB10B", "" },
};

/* Reads digits; 0 when there are none or too many. */
static int number(const char **at, int *value)
{
    size_t digits = 0;

    *value = 0;
    while (digits < 4 && is_digit((*at)[digits]))
        *value = *value * 10 + ((*at)[digits++] - '0');
    *at += digits;
    return digits > 0 && !is_digit(**at);
}

/* "80gb", "80g", "80gib" */
static int is_size(const char *word, int *gib)
{
    return number(&word, gib)
           && (strcmp(word, "gb") == 0 || strcmp(word, "g") == 0 || strcmp(word, "gib") == 0);
}

/* "1g.10gb", "1c.3g.20gb", "1g.10gb+me" */
static int is_slice(const char *word)
{
    int value;

    if (!number(&word, &value))
        return 0;
    if (*word == 'c' && word[1] == '.') {
        word += 2;
        if (!number(&word, &value))
            return 0;
    }
    if (strncmp(word, "g.", 2) != 0)
        return 0;
    word += 2;
    return number(&word, &value) && strncmp(word, "gb", 2) == 0
           && (word[2] == '\0' || word[2] == '+');
}

/* The end of a virtual GPU's name: "16q", "40c", "10cme" */
static int is_profile(const char *word)
{
    int value;

    return number(&word, &value) && value < 1000
           && (strcmp(word, "a") == 0 || strcmp(word, "b") == 0 || strcmp(word, "c") == 0
               || strcmp(word, "q") == 0 || strcmp(word, "cme") == 0);
}

static int may_be_left_out(const char *word, const struct gpu_row *row, int *gib)
{
    int size;

    if (is_slice(word))
        return 1;
    if (is_size(word, &size)) {
        *gib = size;
        return 1;
    }
    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0]; i++) {
        const struct qualifier *q = &qualifiers[i];

        if (word[0] != q->word[0] || strcmp(word, q->word) != 0)
            continue;
        if (q->chip[0] == '\0' && q->family[0] == '\0')
            return 1;
        if (row != NULL && strncmp(row->chip, q->chip, strlen(q->chip)) == 0
            && strstr(row->name, q->family) != NULL)
            return 1;
    }
    return 0;
}

void nvfp4_words_drop_qualifiers(struct words *words, const struct gpu_row *row, int *gib)
{
    *gib = 0;
    if (words->count > 1 && is_profile(words->word[words->count - 1])) {
        words->count--;
        if (words->count > 1 && words->word[words->count - 1][1] == '\0'
            && is_digit(words->word[words->count - 1][0]))
            words->count--;
    }
    for (size_t i = words->count; i-- > 0;) {
        if (may_be_left_out(words->word[i], row, gib))
            drop(words, i);
    }
}

int nvfp4_gpu_nth_name(const struct gpu_row *row, size_t k, const char **name, size_t *length)
{
    const char *at = row->aliases;

    if (k < 2) {
        *name = k == 0 ? row->name : nvfp4_gpu_label(row);
        *length = strlen(*name);
        return 1;
    }
    for (k -= 2; k > 0 && at != NULL; k--) {
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || *at == '\0')
        return 0;
    *name = at;
    *length = strcspn(at, ",");
    return 1;
}
