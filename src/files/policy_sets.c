/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a kernel as sets of words: what a policy file calls them, and how they are read.
 */
#include "files/policy_reader.h"

#include <stdio.h>
#include <string.h>

#define COLUMN(name, key, initial)                                                                 \
    {                                                                                              \
        key, NVFP4_COLUMN_##name, SHIFT_##name, BITS_##name, initial                               \
    }
const struct policy_column nvfp4_policy_columns[] = {
    COLUMN(SCHEME, "scheme", NULL),
    COLUMN(ACTIVATION, "activation", NULL),
    COLUMN(FORMAT, "activation_format", "standard"),
    COLUMN(ROUTING, "routing", "any"),
    COLUMN(ROUTER_DTYPE, "router_logits_dtype", "any"),
    COLUMN(DTYPE, "dtype", "any"),
    COLUMN(ALL2ALL, "all2all", "any"),
    COLUMN(HUMMING_GEMM, "humming_gemm_type", "any"),
};

const struct policy_flag nvfp4_policy_flags[] = {
    { FLAG_NON_GATED, "non_gated", "gated", 1, 0 },
    { FLAG_LIMIT, "swiglu_limit", "swiglu_limit", 0, 0 },
    { FLAG_EP, "expert_parallel", "expert_parallel", 0, 1 },
    { FLAG_EPLB, "eplb", "eplb", 0, 1 },
    { FLAG_LORA, "lora", "lora", 0, 1 },
    { FLAG_BATCH_INVARIANT, "batch_invariant", "batch_invariant", 0, 1 },
    { FLAG_BIAS, "bias", "bias", 0, 1 },
    { FLAG_ROUTER_WEIGHT_ON_INPUT, "router_weight_on_input", "router_weight_on_input", 0, 1 },
    { FLAG_PER_TOKEN_SCALE, "per_token_activation_scale", "per_token_activation_scale", 0, 1 },
};

uint64_t nvfp4_policy_column_all(const struct policy_column *column)
{
    return (((uint64_t)1 << column->bits) - 1) << column->shift;
}

const struct policy_column *nvfp4_policy_find_column(const char *key)
{
    for (int i = 0; i < POLICY_COLUMNS; i++)
        if (strcmp(nvfp4_policy_columns[i].key, key) == 0)
            return &nvfp4_policy_columns[i];
    return NULL;
}

const struct nvfp4_custom_key *nvfp4_policy_find_key(const nvfp4_policy *policy, const char *name)
{
    for (int i = 0; i < policy->custom_key_count; i++)
        if (strcmp(policy->custom_keys[i].key, name) == 0)
            return &policy->custom_keys[i];
    return NULL;
}

/* ---- words ---- */

/* The words that one set may hold, by bit; at most as many as a word of 64 bits has. */
struct vocabulary {
    const char *key;
    const char *words[64 + 1]; /* NULL at the end */
    int count;
    int all2all; /* knows two further spellings */
};

static int find_word(const struct vocabulary *v, const nvfp4_node *node)
{
    if (v->all2all && node->kind == NVFP4_NODE_NULL)
        return NVFP4_ALL2ALL_NONE;
    if (!nvfp4_policy_is_text(node))
        return -1;
    for (int i = 0; i < v->count; i++)
        if (strcmp(v->words[i], node->text) == 0)
            return i;
    if (v->all2all && strcmp(node->text, "flashinfer_all2allv") == 0)
        return NVFP4_ALL2ALL_FLASHINFER_NVLINK_TWO_SIDED;
    return -1;
}

static nvfp4_status read_list(const struct policy_reader *reader, const nvfp4_node *node,
                              const struct vocabulary *v, uint64_t *bits)
{
    uint64_t set = 0;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        const int word = find_word(v, n);
        nvfp4_status status = NVFP4_OK;
        if (word >= 0)
            set |= (uint64_t)1 << word;
        else if (nvfp4_node_is(n, "any") && node->kind == NVFP4_NODE_SEQUENCE)
            status = nvfp4_policy_fail(reader, n, NVFP4_ESCHEMA,
                                       "'any' stands alone, not in a list: %.40s: any", v->key);
        else if (!nvfp4_policy_is_text(n))
            status = nvfp4_policy_must_be(reader, n, "a word or a list of words");
        else
            status = nvfp4_policy_unknown_word(reader, n, v->key, v->words);
        if (status != NVFP4_OK)
            return status;
    }
    *bits = set;
    return NVFP4_OK;
}

/* any; a word; a list; {except: a word or a list} */
static nvfp4_status read_set(const struct policy_reader *reader, const nvfp4_node *node,
                             const struct vocabulary *v, uint64_t *bits)
{
    const uint64_t all = ~(uint64_t)0 >> (64 - v->count);
    uint64_t set = all;
    nvfp4_status status = NVFP4_OK;
    if (node->kind == NVFP4_NODE_MAPPING) {
        const nvfp4_node *const except = nvfp4_node_get(node, "except");
        if (except == NULL || node->count != 1)
            return nvfp4_policy_must_be(reader, node, "any, a list of words, or {except: [...]}");
        set = 0;
        status = read_list(reader, except, v, &set);
        set = all & ~set;
    } else if (!nvfp4_node_is(node, "any")) {
        status = read_list(reader, node, v, &set);
    }
    if (status == NVFP4_OK)
        *bits = set;
    return status;
}

nvfp4_status nvfp4_policy_read_words(const struct policy_reader *reader, const nvfp4_node *node,
                                     const struct policy_column *column, uint64_t *values)
{
    struct vocabulary v = { .key = column->key,
                            .count = column->bits,
                            .all2all = column->column == NVFP4_COLUMN_ALL2ALL };
    for (int i = 0; i < v.count; i++)
        v.words[i] = nvfp4_column_word((nvfp4_column)column->column, (size_t)i);
    uint64_t bits = *values >> column->shift;
    const nvfp4_status status = read_set(reader, node, &v, &bits);
    if (status == NVFP4_OK)
        *values = bits << column->shift & nvfp4_policy_column_all(column);
    return status;
}

nvfp4_status nvfp4_policy_read_custom(const struct policy_reader *reader, const nvfp4_node *node,
                                      const struct nvfp4_custom_key *key, uint64_t *bits)
{
    struct vocabulary v = { .key = key->key, .count = key->word_count };
    for (int i = 0; i < v.count; i++)
        v.words[i] = key->words[i];
    uint64_t set = 0;
    const nvfp4_status status = read_set(reader, node, &v, &set);
    if (status == NVFP4_OK)
        *bits = set << key->first_bit;
    return status;
}

nvfp4_status nvfp4_policy_read_flags(const struct policy_reader *reader, const nvfp4_node *node,
                                     uint32_t *flags)
{
    struct vocabulary v = { .key = node->key != NULL ? node->key : "a flag",
                            .count = POLICY_FLAGS };
    for (int i = 0; i < v.count; i++)
        v.words[i] = nvfp4_policy_flags[i].word;
    uint64_t set = 0;
    const nvfp4_status status = read_list(reader, node, &v, &set);
    uint32_t all = 0;
    for (int i = 0; i < POLICY_FLAGS; i++)
        all |= set >> i & 1 ? nvfp4_policy_flags[i].flag : 0;
    if (status == NVFP4_OK)
        *flags = all;
    return status;
}

/* ---- devices ---- */

void nvfp4_policy_device_range(int bit, int *first, int *last)
{
    static const int16_t low[4][2] = { { 10, 59 }, { 60, 69 }, { 70, 74 }, { 75, 79 } };
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

/* Digits at *at as a number of at most 999, -1: none or too large. */
static int read_sm(const char **at)
{
    int n = 0, digits = 0;
    for (; **at >= '0' && **at <= '9'; ++*at, digits++)
        n = n > 999 ? n : n * 10 + (**at - '0');
    return digits == 0 || n > 999 ? -1 : n;
}

/* "120", "100-109", "75+", "120f"; 0: none of these. */
static int parse_sms(const char *text, int *first, int *last)
{
    const char *p = text;
    *first = *last = read_sm(&p);
    if (*first == 101 && *p == '\0')
        *first = *last = 110; /* Thor's name under CUDA 12 */
    if (*first < 10)
        return 0;
    if (*p == '+' && p[1] == '\0') {
        *last = 999;
        return 1;
    }
    if (*p == 'f' && p[1] == '\0') { /* this and the higher minors of its major, as CUDA has it */
        *last = *first / 10 * 10 + 9;
        return 1;
    }
    if (*p == '-') {
        p++;
        *last = read_sm(&p);
    }
    return *p == '\0' && *last >= *first;
}

/* SMs that the library tells apart only as a group must be named as one. */
static nvfp4_status read_sms(const struct policy_reader *reader, const nvfp4_node *node, int first,
                             int last, uint64_t *devices)
{
    int group_first, group_last, other;
    if (first == 75 && last == 75) /* the only one of its group */
        last = 79;
    nvfp4_policy_device_range(SM_INDEX(first), &group_first, &other);
    nvfp4_policy_device_range(SM_INDEX(last), &other, &group_last);
    if (first != group_first || last != group_last)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                                 group_last == 999
                                     ? "SMs below 80 and from 130 on count as groups; write %d+"
                                     : "SMs below 80 and from 130 on count as groups; write %d-%d",
                                 group_first, group_last);
    *devices = SM_RANGE(first, last);
    return NVFP4_OK;
}

static nvfp4_status read_device(const struct policy_reader *reader, const nvfp4_node *node,
                                uint64_t *devices)
{
    static const struct {
        const char *word;
        uint64_t devices;
    } words[] = { { "nvidia", DEVICE_NVIDIA }, { "amd", DEVICE_AMD }, { "intel", DEVICE_INTEL } };
    int first, last;
    if (!nvfp4_policy_is_text(node))
        return nvfp4_policy_must_be(reader, node, "a device");
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].word, node->text) == 0) {
            *devices = words[i].devices;
            return NVFP4_OK;
        }
    if (!parse_sms(node->text, &first, &last))
        return nvfp4_policy_must_be(reader, node,
                                    "any, an SM as in 120, 100-109, 75+ or 120f, or nvidia, amd, "
                                    "intel");
    return read_sms(reader, node, first, last, devices);
}

nvfp4_status nvfp4_policy_read_devices(const struct policy_reader *reader, const nvfp4_node *node,
                                       uint64_t *devices)
{
    uint64_t all = 0;
    if (nvfp4_node_is(node, "any")) {
        *devices = DEVICE_ANY;
        return NVFP4_OK;
    }
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        uint64_t one = 0;
        const nvfp4_status status = read_device(reader, n, &one);
        if (status != NVFP4_OK)
            return status;
        all |= one;
    }
    *devices = all;
    return NVFP4_OK;
}

uint64_t nvfp4_policy_devices_in(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if ((p[0] != 's' && p[0] != 'S') || (p[1] != 'm' && p[1] != 'M') ||
            (p != text && ((p[-1] | 32) >= 'a' && (p[-1] | 32) <= 'z')))
            continue;
        const char *digits = p + 2 + (p[2] == ' ' || p[2] == '_');
        const int sm = read_sm(&digits);
        if (sm == 101)
            return SM(110);
        if (sm >= 10)
            return SM(sm);
    }
    return 0;
}
