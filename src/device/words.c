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

/* The length of a word without the qualifier at its end. */
static size_t bare_length(const char *word)
{
    const size_t length = strlen(word);

    for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0]; i++) {
        const struct qualifier *q = &qualifiers[i];
        const size_t size = strlen(q->word);

        if (q->chip[0] == '\0' && q->family[0] == '\0' && size < length
            && is_digit(word[length - size - 1]) && strcmp(word + length - size, q->word) == 0)
            return length - size;
    }
    return length;
}

int nvfp4_words_cut_qualifiers(struct words *words)
{
    int cut = 0;

    for (size_t i = 0; i < words->count; i++) {
        const size_t length = bare_length(words->word[i]);

        if (words->word[i][length] == '\0')
            continue;
        words->text[(size_t)(words->word[i] - words->text) + length] = '\0';
        cut = 1;
    }
    return cut;
}

/* Moves behind a word that the text begins with; 0 when it does not. */
static int skip(const char **at, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0)
        return 0;
    *at += length;
    return 1;
}

/* "p4000" behind Quadro, "k20x" behind Tesla: Kepler to Volta by their letter */
static int is_older_board(const char *at)
{
    return at[0] != '\0' && strchr("kmpv", at[0]) != NULL && is_digit(at[1]);
}

/* "1080ti", "980": GeForce before the RTX 20 and GTX 16 */
static int is_older_geforce(const char *at, int least)
{
    int value;

    return number(&at, &value) && value >= least && value < 1600
           && (*at == '\0' || *at == 'm' || strcmp(at, "ti") == 0);
}

int nvfp4_words_are_older(const char *text)
{
    static const char *const names[] = { "v100", "v100s", "p100", "p40", "p4", "p6", "k80", "k40",
                                         "k20", "m60", "m40", "m10", "m6", "m4", "titanv", "titanx",
                                         "titanxp", "titanblack", "gv100", "gp100", "xavier",
                                         "jetsonxavier", "agxxavier", "jetsonagxxavier",
                                         "jetsonxaviernx", "xaviernx", "jetsontx2", "jetsonnano" };
    struct words words;
    char joined[WORDS_BYTES + 1];
    const char *at = joined;
    int gib;

    if (!nvfp4_words_split(text, strlen(text), 0, &words) || words.count == 0)
        return 0;
    nvfp4_words_drop_maker(&words);
    nvfp4_words_cut_qualifiers(&words);
    nvfp4_words_drop_qualifiers(&words, NULL, &gib);
    nvfp4_words_join(&words, joined);
    if (skip(&at, "quadro") || skip(&at, "tesla"))
        return is_older_board(at) || strcmp(at, "gv100") == 0 || strcmp(at, "gp100") == 0;
    skip(&at, "geforce");
    if (skip(&at, "gtx") || skip(&at, "gt"))
        return is_older_geforce(at, 200);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(at, names[i]) == 0)
            return 1;
    }
    return is_older_geforce(at, 1010) && at[0] == '1' && at[1] == '0' && is_digit(at[3]);
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
