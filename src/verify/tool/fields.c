/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/tool/fields.h"

#define WORDS(name, type)                                                                          \
    static const char *name(int32_t value)                                                         \
    {                                                                                              \
        return type##_name((type)value);                                                           \
    }

WORDS(level_word, nvfp4_verify_level)
WORDS(scheme_word, nvfp4_scheme)
WORDS(activation_word, nvfp4_activation)
WORDS(dtype_word, nvfp4_dtype)
WORDS(halves_word, nvfp4_halves)
WORDS(order_word, nvfp4_scale_order)
WORDS(kind_word, nvfp4_global_kind)

#define CLAIM(field) 0, offsetof(nvfp4_verify_claim, field)
#define LAYER(field) 1, offsetof(nvfp4_moe_layer, field)

const struct nvfp4_field nvfp4_fields[] = {
    {"level", NVFP4_FIELD_WORD, CLAIM(level), level_word, NVFP4_VERIFY_LEVEL_COUNT, 0},
    {"scheme", NVFP4_FIELD_WORD, LAYER(scheme), scheme_word, NVFP4_SCHEME_COUNT, 0},
    {"activation", NVFP4_FIELD_WORD, LAYER(activation), activation_word, NVFP4_ACTIVATION_COUNT, 0},
    {"swiglu_limit", NVFP4_FIELD_REAL, LAYER(swiglu_limit), NULL, 0, NVFP4_HAS_SWIGLU_LIMIT},
    {"swiglu_alpha", NVFP4_FIELD_REAL, LAYER(swiglu_alpha), NULL, 0, NVFP4_HAS_SWIGLU_ALPHA},
    {"swiglu_beta", NVFP4_FIELD_REAL, LAYER(swiglu_beta), NULL, 0, NVFP4_HAS_SWIGLU_BETA},
    {"situ_beta", NVFP4_FIELD_REAL, LAYER(situ_beta), NULL, 0, NVFP4_HAS_SITU_BETA},
    {"situ_linear_beta", NVFP4_FIELD_REAL, LAYER(situ_linear_beta), NULL, 0,
     NVFP4_HAS_SITU_LINEAR_BETA},
    {"dtype", NVFP4_FIELD_WORD, LAYER(dtype), dtype_word, NVFP4_DTYPE_COUNT, 0},
    {"halves", NVFP4_FIELD_WORD, CLAIM(halves), halves_word, NVFP4_HALVES_COUNT, 0},
    {"scale_order", NVFP4_FIELD_WORD, CLAIM(scale_order), order_word, NVFP4_SCALE_ORDER_COUNT, 0},
    {"global_kind", NVFP4_FIELD_WORD, CLAIM(global_kind), kind_word, NVFP4_GLOBAL_KIND_COUNT, 0},
    {"free", NVFP4_FIELD_FREE, CLAIM(free_params), NULL, 0, 0},
    {"hidden_size", NVFP4_FIELD_INT64, LAYER(hidden_size), NULL, 0, 0},
    {"intermediate_size", NVFP4_FIELD_INT64, LAYER(intermediate_size), NULL, 0, 0},
    {"num_experts", NVFP4_FIELD_INT64, LAYER(num_experts), NULL, 0, 0},
    {"top_k", NVFP4_FIELD_INT64, LAYER(top_k), NULL, 0, 0},
    {"tokens", NVFP4_FIELD_INT32, CLAIM(tokens), NULL, 0, 0},
    {"small_tokens", NVFP4_FIELD_INT32, CLAIM(small_tokens), NULL, 0, 0},
    {"exp_error", NVFP4_FIELD_REAL, CLAIM(exp_error), NULL, 0, 0},
    {"sigmoid_error", NVFP4_FIELD_REAL, CLAIM(sigmoid_error), NULL, 0, 0},
    {"seed", NVFP4_FIELD_UINT64, CLAIM(seed), NULL, 0, 0},
};

const size_t nvfp4_field_count = sizeof nvfp4_fields / sizeof nvfp4_fields[0];

const char *nvfp4_claim_field(size_t index)
{
    return index < nvfp4_field_count ? nvfp4_fields[index].name : NULL;
}

static const struct {
    const char *word;
    uint32_t bit;
} free_words[] = {{"limit", NVFP4_HAS_SWIGLU_LIMIT},
                  {"alpha", NVFP4_HAS_SWIGLU_ALPHA},
                  {"beta", NVFP4_HAS_SWIGLU_BETA}};

/* "limit,alpha", or "none". */
static int set_free(void *at, const char *value)
{
    uint32_t bits = 0;
    while (strcmp(value, "none") != 0 && *value != '\0') {
        size_t n = strcspn(value, ","), i = 0;
        while (i < 3 &&
               (strlen(free_words[i].word) != n || strncmp(free_words[i].word, value, n) != 0))
            i++;
        if (i == 3)
            return 0;
        bits |= free_words[i].bit;
        value += n;
        if (*value == ',' && *++value == '\0')
            return 0;
    }
    memcpy(at, &bits, sizeof bits);
    return 1;
}

static int set_word(const struct nvfp4_field *field, void *at, const char *value)
{
    for (int32_t v = 0; v < field->count; v++)
        if (strcmp(field->word(v), value) == 0) {
            memcpy(at, &v, sizeof v);
            return 1;
        }
    return 0;
}

static int is_number_start(const char *value)
{
    return (*value >= '0' && *value <= '9') || *value == '-' || *value == '.';
}

static int set_real(void *at, const char *value)
{
    char *end = NULL;
    double x = is_number_start(value) ? strtod(value, &end) : 0;
    if (end == NULL || end == value || *end != '\0' || !isfinite(x))
        return 0;
    memcpy(at, &x, sizeof x);
    return 1;
}

static int set_integer(int kind, void *at, const char *value)
{
    char *end = NULL;
    if (*value < '0' || *value > '9')
        return 0;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (errno != 0 || *end != '\0')
        return 0;
    uint64_t wide = n;
    int64_t signed_wide = (int64_t)n;
    int32_t narrow = (int32_t)n;
    if ((kind == NVFP4_FIELD_INT64 && n > INT64_MAX) ||
        (kind == NVFP4_FIELD_INT32 && n > INT32_MAX))
        return 0;
    if (kind == NVFP4_FIELD_INT32)
        memcpy(at, &narrow, sizeof narrow);
    else if (kind == NVFP4_FIELD_INT64)
        memcpy(at, &signed_wide, sizeof signed_wide);
    else
        memcpy(at, &wide, sizeof wide);
    return 1;
}

const struct nvfp4_field *nvfp4_field_find(const char *name)
{
    for (size_t i = 0; i < nvfp4_field_count; i++)
        if (strcmp(nvfp4_fields[i].name, name) == 0)
            return &nvfp4_fields[i];
    return NULL;
}

void nvfp4_field_expected(const struct nvfp4_field *field, char *buffer, size_t capacity)
{
    struct nvfp4_verify_text text = {buffer, capacity, 0};
    for (int32_t v = 0; field->kind == NVFP4_FIELD_WORD && v < field->count; v++) {
        nvfp4_verify_text_put(&text, v > 0 ? ", " : "one of ");
        nvfp4_verify_text_put(&text, field->word(v));
    }
    if (field->kind == NVFP4_FIELD_FREE)
        nvfp4_verify_text_put(&text, "none, or some of limit,alpha,beta");
    else if (field->kind != NVFP4_FIELD_WORD)
        nvfp4_verify_text_put(&text, field->kind == NVFP4_FIELD_REAL ? "a number"
                                     : field->kind == NVFP4_FIELD_INT32
                                         ? "a whole number from 0 to 2^31 - 1"
                                     : field->kind == NVFP4_FIELD_INT64
                                         ? "a whole number from 0 to 2^63 - 1"
                                         : "a whole number from 0 to 2^64 - 1");
}

nvfp4_status nvfp4_claim_set(nvfp4_verify_claim *claim, nvfp4_moe_layer *layer, const char *field,
                             const char *value)
{
    const struct nvfp4_field *f = nvfp4_field_find(field);
    if (f == NULL)
        return NVFP4_EUNKNOWN;
    void *at = (f->in_layer ? (char *)layer : (char *)claim) + f->offset;
    int ok = f->kind == NVFP4_FIELD_WORD   ? set_word(f, at, value)
             : f->kind == NVFP4_FIELD_REAL ? set_real(at, value)
             : f->kind == NVFP4_FIELD_FREE ? set_free(at, value)
                                           : set_integer(f->kind, at, value);
    if (!ok)
        return NVFP4_EINVAL;
    layer->has |= f->has;
    return NVFP4_OK;
}

static void print_free(struct nvfp4_verify_text *text, const void *at)
{
    uint32_t bits;
    const char *separator = "";
    memcpy(&bits, at, sizeof bits);
    nvfp4_verify_text_put(text, bits == 0 ? "\"none" : "\"");
    for (size_t i = 0; i < 3; i++)
        if (bits & free_words[i].bit) {
            nvfp4_verify_text_put(text, separator);
            nvfp4_verify_text_put(text, free_words[i].word);
            separator = ",";
        }
    nvfp4_verify_text_char(text, '"');
}

void nvfp4_field_print(struct nvfp4_verify_text *text, const struct nvfp4_field *field,
                       const nvfp4_verify_claim *claim, const nvfp4_moe_layer *layer)
{
    const void *at = (field->in_layer ? (const char *)layer : (const char *)claim) + field->offset;
    int32_t narrow;
    int64_t wide;
    uint64_t seed;
    double real;
    switch (field->kind) {
    case NVFP4_FIELD_WORD:
        memcpy(&narrow, at, sizeof narrow);
        nvfp4_verify_text_quoted(text, field->word(narrow));
        break;
    case NVFP4_FIELD_REAL:
        memcpy(&real, at, sizeof real);
        nvfp4_verify_text_number(text, real, 17);
        break;
    case NVFP4_FIELD_INT32:
        memcpy(&narrow, at, sizeof narrow);
        nvfp4_verify_text_integer(text, narrow);
        break;
    case NVFP4_FIELD_INT64:
        memcpy(&wide, at, sizeof wide);
        nvfp4_verify_text_integer(text, wide);
        break;
    case NVFP4_FIELD_UINT64: /* as text: many readers of JSON have only doubles */
        memcpy(&seed, at, sizeof seed);
        nvfp4_verify_text_char(text, '"');
        nvfp4_verify_text_unsigned(text, seed);
        nvfp4_verify_text_char(text, '"');
        break;
    default:
        print_free(text, at);
    }
}
