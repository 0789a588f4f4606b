/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rule.h"

void nvfp4_out_real(struct out *out, double x)
{
    char digits[40];
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, x);
        if (strtod(digits, NULL) == x)
            break;
    }
    int point = 0;
    for (char *p = digits; *p != '\0'; p++) {
        if (*p == ',') /* the decimal point of some locales */
            *p = '.';
        point |= *p == '.' || *p == 'e';
    }
    out_text(out, digits);
    if (!point)
        out_text(out, ".0");
}

void nvfp4_out_hex(struct out *out, uint64_t n)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        out_char(out, "0123456789abcdef"[n >> shift & 15]);
}

/* Length of the well-formed UTF-8 sequence at p, 0 where there is none. */
static size_t utf8_length(const unsigned char *p)
{
    if (p[0] < 0x80)
        return 1;
    const size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

/* Bytes that stand in a JSON string as they are. */
static int is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void out_escape(struct out *out, unsigned char c)
{
    if (c == '"' || c == '\\') {
        out_char(out, '\\');
        out_char(out, (char)c);
        return;
    }
    out_text(out, "\\u00");
    out_char(out, "0123456789abcdef"[c >> 4]);
    out_char(out, "0123456789abcdef"[c & 15]);
}

void nvfp4_out_json_string(struct out *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    out_char(out, '"');
    while (*p != '\0') {
        size_t n = 0; /* bytes to copy, nearly always the whole text */
        while (is_plain(p[n]))
            n++;
        if (n == 0 && *p >= 0x80)
            n = utf8_length(p);
        out_bytes(out, (const char *)p, n);
        p += n;
        if (n != 0)
            continue;
        if (*p >= 0x80)
            out_text(out, "\\ufffd");
        else
            out_escape(out, *p);
        p++;
    }
    out_char(out, '"');
}

/* One bit of a device set: its SMs from first to last. */
static void device_bit_range(int bit, int *first, int *last)
{
    static const int16_t low[4][2] = { { 0, 59 }, { 60, 69 }, { 70, 74 }, { 75, 79 } };
    if (bit < 4) {
        *first = low[bit][0];
        *last = low[bit][1];
    } else if (bit < 54) {
        *first = *last = bit + 76;
    } else {
        *first = bit == 54 ? 130 : 140;
        *last = bit == 54 ? 139 : 999;
    }
}

void nvfp4_out_devices(struct out *out, uint64_t devices)
{
    const char *between = "";
    if ((devices & DEVICE_NVIDIA) == DEVICE_NVIDIA) {
        out_text(out, "every sm");
        between = ", ";
    } else if (devices & DEVICE_NVIDIA) {
        out_text(out, "sm ");
        for (int bit = 0; bit < DEVICE_SM_BITS; bit++) {
            if (!(devices >> bit & 1))
                continue;
            int first, last, end;
            device_bit_range(bit, &first, &last);
            while (bit + 1 < DEVICE_SM_BITS && devices >> (bit + 1) & 1)
                bit++;
            device_bit_range(bit, &end, &last);
            out_text(out, between);
            out_number(out, (uint64_t)first);
            if (last == 999) {
                out_text(out, " and newer");
            } else if (last != first) {
                out_char(out, '-');
                out_number(out, (uint64_t)last);
            }
            between = ", ";
        }
    }
    for (int vendor = NVFP4_VENDOR_AMD; vendor < NVFP4_VENDOR_COUNT; vendor++) {
        if (!(devices & (vendor == NVFP4_VENDOR_AMD ? DEVICE_AMD : DEVICE_INTEL)))
            continue;
        out_text(out, between);
        out_text(out, nvfp4_vendor_name((nvfp4_vendor)vendor));
        between = ", ";
    }
    if (*between == '\0')
        out_text(out, "none");
}

size_t nvfp4_device_set_print(uint64_t devices, char *buffer, size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    nvfp4_out_devices(&out, devices);
    return out_end(&out);
}

static void out_words(struct out *out, const nvfp4_policy *policy, int column, uint64_t bits)
{
    const char *between = "";
    if (column == NVFP4_COLUMN_ALL2ALL) {
        /* Accepting all of them never rules out; accepting none in use is one word. */
        if (bits == 1) {
            out_text(out, "no all2all kernels");
            return;
        }
        bits &= ~(uint64_t)1;
    }
    if (bits == 0)
        out_text(out, "none of its words");
    for (size_t i = 0; bits >> i != 0 && i < 64; i++) {
        const char *word = column == NVFP4_COLUMN_CUSTOM
                               ? nvfp4_policy_custom_word(policy, i)
                               : nvfp4_column_word((nvfp4_column)column, i);
        if (!(bits >> i & 1) || word == NULL)
            continue;
        out_text(out, between);
        out_text(out, word);
        between = ", ";
    }
}

static void out_version(struct out *out, nvfp4_library_version version)
{
    char text[64];
    nvfp4_version_print(version, text, sizeof text);
    out_text(out, text);
}

static void out_fact(struct out *out, const nvfp4_policy *policy, const nvfp4_fact *f, int need)
{
    switch (f->kind) {
    case NVFP4_FACT_DEVICES:
        nvfp4_out_devices(out, f->bits);
        break;
    case NVFP4_FACT_DEVICE: {
        const nvfp4_vendor vendor = (nvfp4_vendor)(f->bits >> 32);
        if (vendor == NVFP4_VENDOR_NVIDIA) {
            out_text(out, "sm ");
            out_number(out, f->bits & 0xffffffffu);
        } else {
            out_text(out, nvfp4_vendor_name(vendor));
            out_text(out, f->text != NULL && f->text[0] != '\0' ? " " : "");
            out_text(out, f->text != NULL ? f->text : "");
        }
        break;
    }
    case NVFP4_FACT_WORDS:
        out_words(out, policy, f->column, f->bits);
        break;
    case NVFP4_FACT_VERSION:
        out_text(out, nvfp4_library_name((nvfp4_library)f->column));
        if (!need || f->bits != 0) {
            out_text(out, need ? " >= " : " ");
            out_version(out, f->bits);
        }
        break;
    case NVFP4_FACT_NUMBER:
        out_number(out, f->bits);
        break;
    case NVFP4_FACT_MULTIPLE:
        out_text(out, "a multiple of ");
        out_number(out, f->bits);
        break;
    case NVFP4_FACT_AT_MOST:
        out_text(out, "at most ");
        out_number(out, f->bits);
        break;
    case NVFP4_FACT_REAL:
        nvfp4_out_real(out, f->real);
        break;
    case NVFP4_FACT_NOT:
        out_text(out, f->bits ? "yes" : need ? "no" : "none");
        break;
    case NVFP4_FACT_TEXT:
        out_text(out, f->text);
        break;
    default:
        break;
    }
}

void nvfp4_out_need(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding)
{
    if (finding->reason == NVFP4_REASON_PEER)
        out_text(out, "every rank");
    else if (finding->reason == NVFP4_REASON_CLAMP && finding->need.kind == NVFP4_FACT_NOT)
        out_text(out, "no limit");
    else
        out_fact(out, policy, &finding->need, 1);
}

void nvfp4_out_have(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding)
{
    if (finding->reason == NVFP4_REASON_PEER) {
        out_text(out, "rank ");
        out_number(out, finding->need.bits);
        out_text(out, " has ");
    }
    out_fact(out, policy, &finding->have, 0);
}

/* The two values compared, where there are two. 0: there is nothing to say. */
static int out_comparison(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *f)
{
    if (f->reason == NVFP4_REASON_PEER) {
        nvfp4_out_have(out, policy, f);
    } else if (f->reason == NVFP4_REASON_CLAMP && f->need.kind == NVFP4_FACT_NOT) {
        out_text(out, "applies no limit, the model has ");
        nvfp4_out_have(out, policy, f);
    } else if (f->need.kind == NVFP4_FACT_NOT) {
        if (f->subject[0] == '\0')
            return 0;
        out_text(out, f->subject);
        out_text(out, " is on");
    } else if (f->need.kind == NVFP4_FACT_NONE) {
        if (f->reason != NVFP4_REASON_ERRATUM)
            return 0;
        out_text(out, f->subject);
    } else {
        const int named = f->subject[0] != '\0' && f->need.kind != NVFP4_FACT_VERSION &&
                          (f->need.kind != NVFP4_FACT_WORDS ||
                           f->reason == NVFP4_REASON_KERNEL_OPTION ||
                           f->reason == NVFP4_REASON_PARALLEL);
        out_text(out, f->reason == NVFP4_REASON_ERRATUM ? f->subject : named ? f->subject : "");
        out_text(out, f->reason == NVFP4_REASON_ERRATUM ? ", " : named ? ": " : "");
        out_text(out, "needs ");
        nvfp4_out_need(out, policy, f);
        out_text(out, "; has ");
        nvfp4_out_have(out, policy, f);
    }
    return 1;
}

static void out_note(struct out *out, const nvfp4_finding *f)
{
    if (f->note != NULL) {
        out_text(out, "; ");
        out_text(out, f->note);
    }
}

void nvfp4_out_finding_short(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *f)
{
    if (!out_comparison(out, policy, f))
        out_text(out, f->note == NULL ? nvfp4_reason_text((nvfp4_reason)f->reason) : "");
    if (f->note != NULL && (f->need.kind == NVFP4_FACT_NONE && f->reason != NVFP4_REASON_ERRATUM))
        out_text(out, f->note);
    else
        out_note(out, f);
}

void nvfp4_out_finding(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *f)
{
    char both[256];
    struct out part = out_begin(both, sizeof both);
    const int compared = out_comparison(&part, policy, f);
    out_end(&part);
    out_text(out, nvfp4_reason_text((nvfp4_reason)f->reason));
    if (compared) {
        out_text(out, ": ");
        out_comparison(out, policy, f);
    }
    out_note(out, f);
}

size_t nvfp4_finding_print(const nvfp4_policy *policy, const nvfp4_finding *finding, char *buffer,
                           size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    if (finding != NULL)
        nvfp4_out_finding(&out, policy, finding);
    return out_end(&out);
}

void nvfp4_out_kernel(struct out *out, const nvfp4_policy *policy, size_t kernel)
{
    nvfp4_kernel_info info;
    if (nvfp4_policy_kernel(policy, kernel, &info) != NVFP4_OK)
        return;
    out_text(out, info.backend_name);
    if (info.kernel_name[0] != '\0') {
        out_char(out, '/');
        out_text(out, info.kernel_name);
    }
}

void nvfp4_out_backends(struct out *out, const nvfp4_policy *policy, nvfp4_kernel_set kernels,
                  const char *between, int quoted)
{
    nvfp4_backend_set told = 0;
    for (size_t i = 0; i < nvfp4_policy_kernel_count(policy); i++) {
        nvfp4_kernel_info info;
        if (!(kernels >> i & 1) || nvfp4_policy_kernel(policy, i, &info) != NVFP4_OK ||
            (told & NVFP4_BACKEND_BIT(info.backend)))
            continue;
        out_text(out, told != 0 ? between : "");
        if (quoted)
            nvfp4_out_json_string(out, info.backend_name);
        else
            out_text(out, info.backend_name);
        told |= NVFP4_BACKEND_BIT(info.backend);
    }
}
