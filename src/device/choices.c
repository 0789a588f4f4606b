/* SPDX-License-Identifier: Apache-2.0 */
#include "device/choices.h"

#include <stdio.h>
#include <string.h>

#include "device/words.h"

/* SMs by architecture: the per-architecture rows of developer.nvidia.com/cuda-gpus. */
const struct architecture nvfp4_architectures[] = {
    { "volta", 70, "sm_70" },       { "volta", 72, "sm_72" },       { "turing", 75, "sm_75" },
    { "ampere", 80, "sm_80" },      { "ampere", 86, "sm_86" },      { "ampere", 87, "sm_87" },
    { "ada", 89, "sm_89" },         { "adalovelace", 89, "sm_89" }, { "hopper", 90, "sm_90" },
    { "blackwell", 100, "sm_100" }, { "blackwell", 103, "sm_103" }, { "blackwell", 110, "sm_110" },
    { "blackwell", 120, "sm_120" }, { "blackwell", 121, "sm_121" },
};
const size_t nvfp4_architecture_count = sizeof nvfp4_architectures / sizeof nvfp4_architectures[0];

enum { CHOICES_MAX = 16, NEAR_MAX = 5, SMS_MAX = 16 };

struct choices {
    size_t count;
    const char *name[CHOICES_MAX];
    nvfp4_sm sm[CHOICES_MAX];
    size_t cost[CHOICES_MAX];
    size_t sms; /* different SMs among all that fit, listed or not */
    nvfp4_sm seen[SMS_MAX];
};

static int is_listed(const struct choices *choices, const char *name)
{
    for (size_t i = 0; i < choices->count; i++) {
        if (strcmp(choices->name[i], name) == 0)
            return 1;
    }
    return 0;
}

static int note_sm(struct choices *choices, nvfp4_sm sm)
{
    for (size_t i = 0; i < choices->sms; i++) {
        if (choices->seen[i] == sm)
            return 0;
    }
    if (choices->sms < SMS_MAX)
        choices->seen[choices->sms++] = sm;
    return 1;
}

/* Puts a name in, cheapest first; a name that is there keeps its place. */
static void offer(struct choices *choices, const char *name, nvfp4_sm sm, size_t cost, size_t most)
{
    size_t at = choices->count;

    if (is_listed(choices, name))
        return;
    while (at > 0 && choices->cost[at - 1] > cost)
        at--;
    if (at >= most)
        return;
    if (choices->count < most)
        choices->count++;
    for (size_t i = choices->count - 1; i > at; i--) {
        choices->name[i] = choices->name[i - 1];
        choices->sm[i] = choices->sm[i - 1];
        choices->cost[i] = choices->cost[i - 1];
    }
    choices->name[at] = name;
    choices->sm[at] = sm;
    choices->cost[at] = cost;
}

static int has_word(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *other = words->word[i];

        /* who writes "6000" may mean the A6000 */
        if (strcmp(other, word) == 0
            || (word[0] >= '1' && word[0] <= '9' && other[0] == 'a'
                && strcmp(other + 1, word) == 0))
            return 1;
    }
    return 0;
}

static int has_all_words(const struct gpu_row *row, const struct words *text)
{
    const char *name;
    size_t length;

    for (size_t k = 0; nvfp4_gpu_nth_name(row, k, &name, &length); k++) {
        struct words words;
        size_t i = 0;

        if (!nvfp4_words_split(name, length, 1, &words))
            continue;
        while (i < text->count && has_word(&words, text->word[i]))
            i++;
        if (i == text->count)
            return 1;
    }
    return 0;
}

/*
 * Boards whose name has every word of the text; those of a new SM before further ones of the same.
 */
static void fitting(const struct words *text, struct choices *choices)
{
    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        const struct gpu_row *row = &nvfp4_gpu_rows[i];

        if (row->confidence < NVFP4_CONFIDENCE_MEDIUM || !has_all_words(row, text)
            || (row->sm == 0 && row->vendor == NVFP4_VENDOR_NVIDIA))
            continue;
        offer(choices, nvfp4_gpu_label(row), row->sm, note_sm(choices, row->sm) ? 0 : 1,
              CHOICES_MAX);
    }
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Letters to insert, remove or change to come from a to b. */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORDS_BYTES + 2];
    size_t width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t corner = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t above = row[j + 1];

            row[j + 1] = smallest(above + 1, row[j] + 1, corner + (a[i] != b[j]));
            corner = above;
        }
    }
    return row[width];
}

/* Names that begin with the text or differ in a letter or two. */
static void nearest(const char *joined, struct choices *choices)
{
    size_t length = strlen(joined);
    size_t most = length < 5 ? 1 : 2;

    for (size_t i = 0; i < nvfp4_architecture_count; i++) {
        const struct architecture *a = &nvfp4_architectures[i];

        if (strcmp(a->sm_name + 3, joined) == 0 || strcmp(a->word, joined) == 0)
            offer(choices, a->sm_name, a->sm, 0, NEAR_MAX);
    }
    for (size_t i = 0; i < nvfp4_gpu_row_count; i++) {
        const char *label = nvfp4_gpu_label(&nvfp4_gpu_rows[i]);
        struct words words;
        char other[WORDS_BYTES + 1];
        size_t cost;

        if (nvfp4_gpu_rows[i].confidence < NVFP4_CONFIDENCE_HIGH
            || !nvfp4_words_split(label, strlen(label), 0, &words))
            continue;
        nvfp4_words_join(&words, other);
        cost = distance(joined, other);
        if (cost <= most)
            offer(choices, label, nvfp4_gpu_rows[i].sm, cost, NEAR_MAX);
        else if (length > 1 && strncmp(other, joined, length) == 0)
            offer(choices, label, nvfp4_gpu_rows[i].sm, most + cost, NEAR_MAX);
    }
}

static void choose(const char *text, struct choices *choices)
{
    struct words words;
    char joined[WORDS_BYTES + 1];

    choices->count = 0;
    choices->sms = 0;
    if (nvfp4_words_are_older(text))
        return; /* what is near by its letters is another generation */
    if (!nvfp4_words_split(text, strlen(text), 1, &words) || words.count == 0)
        return;
    nvfp4_words_drop_maker(&words);
    fitting(&words, choices);
    if (choices->count > 0)
        return;
    nvfp4_words_join(&words, joined);
    nearest(joined, choices);
}

nvfp4_status nvfp4_choices_status(const char *text)
{
    struct choices choices;

    choose(text, &choices);
    return choices.sms > 1 ? NVFP4_EAMBIGUOUS : NVFP4_EUNKNOWN;
}

nvfp4_status nvfp4_gpu_choices(const char *text, const char **names, size_t capacity, size_t *count)
{
    struct choices choices;

    if (text == NULL || count == NULL || (names == NULL && capacity > 0))
        return NVFP4_EINVAL;
    choose(text, &choices);
    for (size_t i = 0; i < choices.count && i < capacity; i++)
        names[i] = choices.name[i];
    *count = choices.count;
    return NVFP4_OK;
}

/* Appends to the message what fits whole; 0 when it does not. */
static int append(nvfp4_error *error, const char *before, const char *text, nvfp4_sm sm)
{
    char piece[WORDS_BYTES + 32];
    size_t length = strlen(error->message);

    if (sm > 0)
        snprintf(piece, sizeof piece, "%s%s (SM %d)", before, text, (int)sm);
    else
        snprintf(piece, sizeof piece, "%s%s", before, text);
    if (length + strlen(piece) >= sizeof error->message - sizeof ", ...")
        return 0;
    strcpy(error->message + length, piece);
    return 1;
}

void nvfp4_choices_explain(const char *text, nvfp4_status status, const nvfp4_gpu *answer,
                           nvfp4_error *error)
{
    struct choices choices;
    const char *before;

    memset(error, 0, sizeof *error);
    error->status = status;
    if (status != NVFP4_EUNKNOWN && status != NVFP4_EAMBIGUOUS) {
        snprintf(error->message, sizeof error->message, "%s", nvfp4_status_text(status));
        return;
    }
    if (answer->name[0] != '\0' && status == NVFP4_EUNKNOWN) {
        snprintf(error->message, sizeof error->message,
                 "%s is in the catalogue, but nobody states its compute capability", answer->name);
        return;
    }
    if (answer->match == NVFP4_GPU_MATCH_PCI_ID) {
        snprintf(error->message, sizeof error->message,
                 "the PCI id \"%.60s\" is not listed and in no range whose chip is known", text);
        return;
    }
    if (nvfp4_words_are_older(text)) {
        snprintf(error->message, sizeof error->message,
                 "\"%.60s\" is older than the catalogue, which begins with Turing (SM 75); "
                 "say its compute capability", text);
        return;
    }
    choose(text, &choices);
    snprintf(error->message, sizeof error->message,
             status == NVFP4_EAMBIGUOUS ? "\"%.60s\" fits GPUs of several compute capabilities"
                                        : "no GPU of the catalogue is called \"%.60s\"",
             text);
    before = status == NVFP4_EAMBIGUOUS ? ": "
             : choices.count == 1       ? "; near is "
                                        : "; near are ";
    for (size_t i = 0; i < choices.count; i++) {
        if (!append(error, before, choices.name[i], choices.sm[i])) {
            strcat(error->message, ", ...");
            break;
        }
        before = ", ";
    }
}
