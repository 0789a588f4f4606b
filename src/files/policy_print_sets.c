/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a policy: keys, single values, sets. */
#include "files/policy_print.h"

#include <stdio.h>
#include <string.h>

#include "explain/print.h"
#include "files/number.h"
#include "files/policy_reader.h"

enum { WIDTH = 96 };

static void new_line(struct policy_printer *p, size_t indent)
{
    out_char(p->out, '\n');
    p->line_start = p->out->length;
    for (size_t i = 0; i < indent; i++)
        out_char(p->out, ' ');
}

void nvfp4_print_key(struct policy_printer *p, const char *key)
{
    new_line(p, p->item ? p->indent - 2 : p->indent);
    out_text(p->out, p->item ? "- " : "");
    out_text(p->out, key);
    out_char(p->out, ':');
    p->item = 0;
}

void nvfp4_print_text(struct policy_printer *p, const char *key, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    nvfp4_print_key(p, key);
    out_char(p->out, ' ');
    nvfp4_out_json_string(p->out, text);
}

void nvfp4_print_word(struct policy_printer *p, const char *key, const char *word)
{
    nvfp4_print_key(p, key);
    out_char(p->out, ' ');
    out_text(p->out, word);
}

/* A bare word that starts with a letter and is not null is a text, or is read as one. */
static int needs_quotes(const char *name)
{
    static const char *const nulls[] = { "null", "Null", "NULL" };
    for (size_t i = 0; i < COUNT_OF(nulls); i++)
        if (strcmp(name, nulls[i]) == 0)
            return 1;
    return !((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
}

const char *nvfp4_print_quoted(const char *name, char buffer[POLICY_QUOTED])
{
    snprintf(buffer, POLICY_QUOTED, needs_quotes(name) ? "\"%s\"" : "%s", name);
    return buffer;
}

void nvfp4_print_name(struct policy_printer *p, const char *name)
{
    char quoted[POLICY_QUOTED];
    out_text(p->out, nvfp4_print_quoted(name, quoted));
}

void nvfp4_print_number(struct policy_printer *p, const char *key, uint64_t number)
{
    nvfp4_print_key(p, key);
    out_char(p->out, ' ');
    out_number(p->out, number);
}

void nvfp4_print_real_key(struct policy_printer *p, const char *key, double number)
{
    char text[NVFP4_REAL_TEXT];
    nvfp4_print_real(number, text);
    nvfp4_print_word(p, key, text);
}

void nvfp4_print_version_key(struct policy_printer *p, const char *key,
                             nvfp4_library_version version)
{
    char text[64];
    nvfp4_version_print(version, text, sizeof text);
    nvfp4_print_word(p, key, text);
}

void nvfp4_print_entry(struct policy_printer *p, int *count, const char *entry)
{
    if (*count > 0)
        out_char(p->out, ',');
    if (*count > 0 && p->out->length - p->line_start + strlen(entry) + 3 > WIDTH)
        new_line(p, p->indent + 4);
    else if (*count > 0)
        out_char(p->out, ' ');
    out_text(p->out, entry);
    ++*count;
}

/* ---- words ---- */

/* Up to 64 words by bit. */
struct words {
    const char *word[64];
    int count;
};

static int count_bits(uint64_t bits)
{
    int n = 0;
    for (; bits != 0; bits &= bits - 1)
        n++;
    return n;
}

/* A list, or the one word that stands for a list of one. */
static void print_list(struct policy_printer *p, const struct words *w, uint64_t bits)
{
    int count = 0;
    const int several = count_bits(bits) != 1;
    out_text(p->out, several ? "[" : "");
    for (int i = 0; i < w->count; i++)
        if (bits >> i & 1) {
            char quoted[POLICY_QUOTED];
            nvfp4_print_entry(p, &count, nvfp4_print_quoted(w->word[i], quoted));
        }
    out_text(p->out, several ? "]" : "");
}

/* any; one word; a list; or what is left out, where that is the shorter way to say it. */
static void print_words(struct policy_printer *p, const struct words *w, uint64_t bits)
{
    const uint64_t all = ~(uint64_t)0 >> (64 - w->count);
    const int in = count_bits(bits), out = w->count - in;
    out_char(p->out, ' ');
    if (bits == all) {
        out_text(p->out, "any");
    } else if (in > 3 && out * 2 <= in) {
        out_text(p->out, "{except: ");
        print_list(p, w, all & ~bits);
        out_char(p->out, '}');
    } else {
        print_list(p, w, bits);
    }
}

void nvfp4_print_column(struct policy_printer *p, int column, uint64_t values)
{
    const struct policy_column *const c = &nvfp4_policy_columns[column];
    struct words w = { .count = c->bits };
    for (int i = 0; i < w.count; i++)
        w.word[i] = nvfp4_column_word((nvfp4_column)c->column, (size_t)i);
    print_words(p, &w, (values & nvfp4_policy_column_all(c)) >> c->shift);
}

void nvfp4_print_custom(struct policy_printer *p, const struct nvfp4_custom_key *key,
                        uint64_t not_custom)
{
    struct words w = { .count = key->word_count };
    for (int i = 0; i < w.count; i++)
        w.word[i] = key->words[i];
    print_words(p, &w, (custom_key_bits(key) & ~not_custom) >> key->first_bit);
}

void nvfp4_print_flags(struct policy_printer *p, const char *key, uint32_t flags)
{
    int count = 0;
    nvfp4_print_key(p, key);
    out_text(p->out, " [");
    for (int i = 0; i < POLICY_FLAGS; i++)
        if (flags & nvfp4_policy_flags[i].flag)
            nvfp4_print_entry(p, &count, nvfp4_policy_flags[i].word);
    out_char(p->out, ']');
}

/* ---- devices ---- */

/* The SMs of a set, neighbours as a range: "100", "100-109", "75+". */
static void print_sms(struct policy_printer *p, uint64_t devices, int *count)
{
    for (int bit = 0; bit < DEVICE_SM_BITS; bit++) {
        char entry[24];
        int first, last, unused, end = bit;
        if (!(devices >> bit & 1))
            continue;
        while (end + 1 < DEVICE_SM_BITS && (devices >> (end + 1) & 1))
            end++;
        nvfp4_policy_device_range(bit, &first, &last);
        if (end > bit + 1 || end == DEVICE_SM_BITS - 1)
            nvfp4_policy_device_range(end, &unused, &last);
        else
            end = bit;
        if (last == 999)
            snprintf(entry, sizeof entry, "%d+", first);
        else
            snprintf(entry, sizeof entry, first == last ? "%d" : "%d-%d", first, last);
        nvfp4_print_entry(p, count, entry);
        bit = end;
    }
}

void nvfp4_print_devices(struct policy_printer *p, uint64_t devices)
{
    int count = 0;
    const int several = (devices & (devices - 1)) != 0 && devices != DEVICE_NVIDIA;
    if (devices == DEVICE_ANY) {
        out_text(p->out, " any");
        return;
    }
    out_text(p->out, several || devices == 0 ? " [" : " ");
    if ((devices & DEVICE_NVIDIA) == DEVICE_NVIDIA)
        nvfp4_print_entry(p, &count, "nvidia");
    else
        print_sms(p, devices, &count);
    if (devices & DEVICE_AMD)
        nvfp4_print_entry(p, &count, "amd");
    if (devices & DEVICE_INTEL)
        nvfp4_print_entry(p, &count, "intel");
    out_text(p->out, several || devices == 0 ? "]" : "");
}

/* ---- kernels ---- */

static int kernels_of(const nvfp4_policy *policy, int backend, nvfp4_kernel_set *set)
{
    int count = 0;
    *set = 0;
    for (int i = 0; i < policy->row_count; i++)
        if (policy->rows[i].backend == backend) {
            *set |= (nvfp4_kernel_set)1 << i;
            count++;
        }
    return count;
}

size_t nvfp4_print_kernel_name(const nvfp4_policy *policy, int row, char *buffer, size_t capacity)
{
    const struct nvfp4_row *const r = &policy->rows[row];
    nvfp4_kernel_set set;
    const int alone = kernels_of(policy, r->backend, &set) == 1;
    const int length = snprintf(buffer, capacity, "%s%s%s",
                                nvfp4_policy_backend_name(policy, (nvfp4_backend)r->backend),
                                alone && r->kernel[0] == '\0' ? "" : "/", r->kernel);
    return length < 0 ? 0 : (size_t)length;
}

void nvfp4_print_kernels(struct policy_printer *p, const char *key, nvfp4_kernel_set kernels)
{
    int count = 0;
    nvfp4_kernel_set told = 0;
    nvfp4_print_key(p, key);
    out_text(p->out, " [");
    for (int i = 0; i < p->policy->row_count; i++) {
        char name[2 * POLICY_NAME_BYTES + 2];
        nvfp4_kernel_set set;
        if (!((kernels & ~told) >> i & 1))
            continue;
        kernels_of(p->policy, p->policy->rows[i].backend, &set);
        if ((set & ~kernels) == 0) {
            snprintf(
                name, sizeof name, "%s",
                nvfp4_policy_backend_name(p->policy, (nvfp4_backend)p->policy->rows[i].backend));
            told |= set;
        } else {
            nvfp4_print_kernel_name(p->policy, i, name, sizeof name);
        }
        nvfp4_print_entry(p, &count, name);
    }
    out_char(p->out, ']');
}
