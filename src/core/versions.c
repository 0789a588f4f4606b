/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/deployment.h>

#include <string.h>

#include "core/out.h"
#include "core/rule.h"

/*
 * A version in 64 bits, most significant first:
 *   epoch 5 | release 1 11 | 2 10 | 3 12 | 4 7 | phase 3 | number of the phase 15 | final of it 1
 * The phase is never 0, so no version packs to NVFP4_LIBRARY_UNKNOWN; the number's largest value
 * together with the largest of all others would be NVFP4_LIBRARY_ABSENT, but phase 7 does not exist.
 */
enum phase { PHASE_DEV = 1, PHASE_ALPHA, PHASE_BETA, PHASE_RC, PHASE_FINAL, PHASE_POST };

enum { EPOCH_BITS = 5, PARTS = 4, PHASE_BITS = 3, NUMBER_BITS = 15 };
static const unsigned part_bits[PARTS] = { 11, 10, 12, 7 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Reads digits at *at; numbers beyond the width become its largest. */
static uint64_t read_number(const char **at, unsigned bits)
{
    const uint64_t most = ((uint64_t)1 << bits) - 1;
    uint64_t n = 0;
    for (; is_digit(**at); ++*at)
        n = n > most ? n : n * 10 + (uint64_t)(**at - '0');
    return n > most ? most : n;
}

/* Takes a word of any case at *at, if it stands there. */
static int take(const char **at, const char *word)
{
    size_t i = 0;
    for (; word[i] != '\0'; i++)
        if (lower((*at)[i]) != word[i])
            return 0;
    *at += i;
    return 1;
}

static void skip_separator(const char **at)
{
    if (**at == '.' || **at == '-' || **at == '_')
        ++*at;
}

/* Reads one suffix (".rc1", "post4", "-1", ".dev3"); its phase, or 0 where none stands. */
static unsigned read_suffix(const char **at, uint64_t *number)
{
    static const struct {
        const char *word;
        unsigned phase;
    } words[] = { { "alpha", PHASE_ALPHA },  { "a", PHASE_ALPHA },   { "beta", PHASE_BETA },
                  { "b", PHASE_BETA },       { "preview", PHASE_RC }, { "pre", PHASE_RC },
                  { "rc", PHASE_RC },        { "c", PHASE_RC },      { "post", PHASE_POST },
                  { "rev", PHASE_POST },     { "r", PHASE_POST },    { "dev", PHASE_DEV } };
    const char *p = *at;
    *number = 0;
    if (*p == '-' && is_digit(p[1])) { /* the short spelling of a post release */
        p++;
        *number = read_number(&p, NUMBER_BITS);
        *at = p;
        return PHASE_POST;
    }
    skip_separator(&p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!take(&p, words[i].word))
            continue;
        const char *q = p;
        skip_separator(&q);
        if (is_digit(*q)) {
            *number = read_number(&q, NUMBER_BITS);
            p = q;
        }
        *at = p;
        return words[i].phase;
    }
    return 0;
}

static int is_local_end(const char *p)
{
    if (*p == '+') {
        p++;
        if (*p == '\0' || is_blank(*p))
            return 0;
        while (is_digit(*p) || (lower(*p) >= 'a' && lower(*p) <= 'z') || *p == '.' || *p == '-' ||
               *p == '_')
            p++;
    }
    while (is_blank(*p))
        p++;
    return *p == '\0';
}

nvfp4_status nvfp4_version_parse(const char *text, nvfp4_library_version *version)
{
    if (text == NULL || version == NULL)
        return NVFP4_EINVAL;
    const char *p = text;
    while (is_blank(*p))
        p++;
    take(&p, "v");
    if (!is_digit(*p))
        return NVFP4_EINVAL;

    uint64_t epoch = 0;
    const char *q = p;
    uint64_t first = read_number(&q, EPOCH_BITS);
    if (*q == '!') {
        epoch = first;
        p = q + 1;
        if (!is_digit(*p))
            return NVFP4_EINVAL;
    }

    uint64_t packed = epoch;
    for (int i = 0; i < PARTS; i++) {
        uint64_t part = 0;
        if (i == 0 || (*p == '.' && is_digit(p[1]))) {
            p += i != 0;
            part = read_number(&p, part_bits[i]);
        }
        packed = packed << part_bits[i] | part;
    }
    while (*p == '.' && is_digit(p[1])) { /* parts past the fourth decide nothing here */
        p++;
        read_number(&p, 1);
    }

    uint64_t number = 0, more = 0;
    unsigned phase = read_suffix(&p, &number), next = 0;
    uint64_t complete = 1; /* 0 for a .dev of a pre- or post-release, which comes before it */
    if (phase == 0)
        phase = PHASE_FINAL;
    while (phase != PHASE_DEV && (next = read_suffix(&p, &more)) != 0) {
        if (next == PHASE_DEV)
            complete = 0;
        else if (next != PHASE_POST || phase == PHASE_POST)
            return NVFP4_EINVAL;
        if (next == PHASE_DEV)
            break;
    }
    if (!is_local_end(p))
        return NVFP4_EINVAL;
    packed = packed << PHASE_BITS | phase;
    packed = packed << NUMBER_BITS | number;
    *version = packed << 1 | complete;
    return NVFP4_OK;
}

static uint64_t take_bits(uint64_t *packed, unsigned bits)
{
    const uint64_t value = *packed & (((uint64_t)1 << bits) - 1);
    *packed >>= bits;
    return value;
}

static void put_version(struct out *out, uint64_t packed)
{
    static const char *const phase_word[8] = { "", ".dev", "a", "b", "rc", "", ".post", "" };
    uint64_t part[PARTS];
    const uint64_t complete = take_bits(&packed, 1);
    const uint64_t number = take_bits(&packed, NUMBER_BITS);
    const uint64_t phase = take_bits(&packed, PHASE_BITS);
    for (int i = PARTS - 1; i >= 0; i--)
        part[i] = take_bits(&packed, part_bits[i]);
    if (packed != 0) {
        out_number(out, packed);
        out_text(out, "!");
    }
    int last = PARTS - 1;
    while (last > 1 && part[last] == 0)
        last--;
    for (int i = 0; i <= last; i++) {
        if (i != 0)
            out_text(out, ".");
        out_number(out, part[i]);
    }
    if (phase != PHASE_FINAL) {
        out_text(out, phase_word[phase]);
        out_number(out, number);
    }
    if (complete == 0)
        out_text(out, ".dev");
}

size_t nvfp4_version_print(nvfp4_library_version version, char *buffer, size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    if (version == NVFP4_LIBRARY_UNKNOWN)
        out_text(&out, "unknown");
    else if (version == NVFP4_LIBRARY_ABSENT)
        out_text(&out, "absent");
    else
        put_version(&out, version);
    return out_end(&out);
}

nvfp4_status nvfp4_target_parse(const char *text, nvfp4_target *target)
{
    if (text == NULL || target == NULL)
        return NVFP4_EINVAL;
    const char *p = text;
    if (!take(&p, "sm_"))
        take(&p, "sm");
    if (!is_digit(*p))
        return NVFP4_EINVAL;
    uint64_t sm = read_number(&p, 10);
    if (*p == '.') { /* major.minor */
        if (!is_digit(p[1]) || is_digit(p[2]))
            return NVFP4_EINVAL;
        sm = sm * 10 + (uint64_t)(p[1] - '0');
        p += 2;
    }
    if (sm < 10 || sm > 999)
        return NVFP4_EINVAL;
    nvfp4_target t = { own_sm((nvfp4_sm)sm), NVFP4_TARGET_PLAIN };
    if (take(&p, "a"))
        t.kind = NVFP4_TARGET_ARCH;
    else if (take(&p, "f"))
        t.kind = NVFP4_TARGET_FAMILY;
    else if (take(&p, "+ptx"))
        t.kind = NVFP4_TARGET_PTX;
    if (*p != '\0')
        return NVFP4_EINVAL;
    *target = t;
    return NVFP4_OK;
}

int nvfp4_target_runs_on(const nvfp4_target *target, nvfp4_sm sm)
{
    const nvfp4_sm of = own_sm(target->sm);
    sm = own_sm(sm);
    switch (target->kind) {
    case NVFP4_TARGET_ARCH:
        return sm == of;
    case NVFP4_TARGET_PTX:
        return sm >= of;
    default:
        return sm / 10 == of / 10 && sm >= of;
    }
}
