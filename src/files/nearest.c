/* SPDX-License-Identifier: Apache-2.0 */
#include "files/nearest.h"

#include <string.h>

#define LONGEST 64

static unsigned char plain(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A' + 'a');
    return (unsigned char)(c == '-' ? '_' : c);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters left out, added, exchanged, or swapped with their neighbour to get from a to b. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            const unsigned char x = plain(a[i - 1]), y = plain(b[j - 1]);
            row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == plain(b[j - 2]) && plain(a[i - 2]) == y)
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *const spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b_length];
}

void nvfp4_nearest_begin(nvfp4_nearest *search, const char *word)
{
    const size_t length = strlen(word);
    unsigned near = (unsigned)(length / 3);
    if (near < 1)
        near = 1;
    if (near > 3)
        near = 3;
    search->word = word;
    search->best = NULL;
    search->distance = length > LONGEST || length == 0 ? 0 : near + 1;
}

void nvfp4_nearest_offer(nvfp4_nearest *search, const char *known)
{
    if (search->distance == 0)
        return;
    const size_t length = strlen(search->word), known_length = strlen(known);
    const size_t apart = length > known_length ? length - known_length : known_length - length;
    if (known_length > LONGEST || apart >= search->distance)
        return;
    const unsigned d = distance(search->word, length, known, known_length);
    if (d < search->distance) {
        search->distance = d;
        search->best = known;
    }
}

const char *nvfp4_nearest_word(const char *word, const char *const *known, size_t count)
{
    nvfp4_nearest search;
    nvfp4_nearest_begin(&search, word);
    for (size_t i = 0; i < count; i++)
        nvfp4_nearest_offer(&search, known[i]);
    return search.best;
}
