/* SPDX-License-Identifier: Apache-2.0 */
#include "files/model_words.h"

#include <stdio.h>
#include <string.h>

#define NO_SCHEME (-1)

/* ModelOpt's `quant_algo` (QuantAlgo in TensorRT-LLM's quantization/mode.py has most of them). */
static const struct algorithm {
    const char *word;
    uint8_t weights;
    int8_t scheme;
} algorithms[] = {
    { "NVFP4", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 },
    { "NVFP4_AWQ", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 },
    { "NVFP4_ARC", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 },
    { "NVFP4_SVD", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 },
    { "NVFP4_W4A16", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A16 },
    { "W4A16_NVFP4", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A16 },
    { "W4A8_NVFP4_FP8", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A8_FP8 },
    { "W4A8_NVFP4_MXFP8", NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A8_MXFP8 },
    { "MXFP4", NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "W4A16_MXFP4", NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "W4A8_MXFP4_FP8", NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "W4A8_MXFP4_MXFP8", NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "FP8", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "FP8_PER_CHANNEL_PER_TOKEN", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "FP8_BLOCK_SCALES", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "FP8_PB_WO", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "FP8_PB_REAL", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "MXFP8", NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "W4A16", NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "W4A16_AWQ", NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "W4A16_GPTQ", NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "W4A8_AWQ", NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "INT4_AWQ", NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "W8A16", NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "W8A8_SQ_PER_CHANNEL", NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "INT8", NVFP4_WEIGHTS_OTHER, NO_SCHEME },
};

typedef enum method_rule { FIXED, BY_BITS } method_rule;

static const struct method {
    const char *word;
    method_rule rule;
    uint8_t weights;
    int8_t scheme;
} methods[] = {
    { "nvfp4", FIXED, NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 }, /* TensorRT-LLM's loader */
    { "modelopt_fp4", FIXED, NVFP4_WEIGHTS_NVFP4, NVFP4_SCHEME_W4A4 },
    { "fp8", FIXED, NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "fbgemm_fp8", FIXED, NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "modelopt_fp8", FIXED, NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "mxfp8", FIXED, NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "mxfp4", FIXED, NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "gptq", BY_BITS, NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "awq", BY_BITS, NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "auto-round", BY_BITS, NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "auto_round", BY_BITS, NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "hqq", BY_BITS, NVFP4_WEIGHTS_INT4, NO_SCHEME },
    { "bitsandbytes", FIXED, NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "quark", FIXED, NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "torchao", FIXED, NVFP4_WEIGHTS_OTHER, NO_SCHEME },
};

/* compressed-tensors' `format`, where a group has no numbers of its own. */
static const struct method formats[] = {
    { "nvfp4-pack-quantized", FIXED, NVFP4_WEIGHTS_NVFP4, NO_SCHEME },
    { "mxfp4-pack-quantized", FIXED, NVFP4_WEIGHTS_MXFP4, NO_SCHEME },
    { "float-quantized", FIXED, NVFP4_WEIGHTS_FP8, NO_SCHEME },
    { "naive-quantized", FIXED, NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "int-quantized", FIXED, NVFP4_WEIGHTS_OTHER, NO_SCHEME },
    { "pack-quantized", FIXED, NVFP4_WEIGHTS_INT4, NO_SCHEME },
};

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static int same_word(const nvfp4_node *node, const char *word)
{
    if (node == NULL || node->kind != NVFP4_NODE_STRING || node->length != strlen(word))
        return 0;
    for (uint32_t i = 0; i < node->length; i++) {
        if (upper(node->text[i]) != upper(word[i]))
            return 0;
    }
    return 1;
}

int nvfp4_verdict_of_algorithm(const nvfp4_node *word, nvfp4_verdict *verdict)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
        if (same_word(word, algorithms[i].word)) {
            verdict->weights = algorithms[i].weights;
            verdict->scheme = algorithms[i].scheme;
            return 1;
        }
    }
    return 0;
}

static int64_t integer(const nvfp4_node *mapping, const char *key)
{
    const nvfp4_node *const node = nvfp4_node_get(mapping, key);
    return node != NULL && node->kind == NVFP4_NODE_INT ? node->integer : 0;
}

int nvfp4_verdict_of_method(const nvfp4_node *section, nvfp4_verdict *verdict)
{
    const nvfp4_node *const word = nvfp4_node_get(section, "quant_method");
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const struct method *const m = &methods[i];
        if (!same_word(word, m->word))
            continue;
        const int64_t bits = integer(section, "bits") + integer(section, "w_bit");
        const int wide = m->rule == BY_BITS && bits != 4 && bits != 0;
        verdict->weights = wide ? (uint8_t)NVFP4_WEIGHTS_OTHER : m->weights;
        verdict->scheme = m->scheme;
        return 1;
    }
    return 0;
}

static nvfp4_weights by_format(const nvfp4_node *format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (same_word(format, formats[i].word))
            return (nvfp4_weights)formats[i].weights;
    }
    return NVFP4_WEIGHTS_OTHER;
}

static nvfp4_weights weights_of(const nvfp4_node *weights, const nvfp4_node *format)
{
    const int64_t bits = integer(weights, "num_bits");
    const int64_t group = integer(weights, "group_size");
    const int is_float = nvfp4_node_is(nvfp4_node_get(weights, "type"), "float");
    if (bits == 0)
        return by_format(format);
    if (bits == 4 && !is_float)
        return NVFP4_WEIGHTS_INT4;
    if (bits == 8 && is_float)
        return NVFP4_WEIGHTS_FP8;
    if (bits != 4)
        return NVFP4_WEIGHTS_OTHER;
    if (group == 32 || (group == 0 && by_format(format) == NVFP4_WEIGHTS_MXFP4))
        return NVFP4_WEIGHTS_MXFP4;
    /* ModelOpt leaves out what goes without saying. */
    return group == 16 || group == 0 ? NVFP4_WEIGHTS_NVFP4 : NVFP4_WEIGHTS_OTHER;
}

static int scheme_of(const nvfp4_node *activations)
{
    const int64_t bits = integer(activations, "num_bits");
    if (activations == NULL || activations->kind == NVFP4_NODE_NULL || bits == 16)
        return NVFP4_SCHEME_W4A16;
    if (bits == 4)
        return NVFP4_SCHEME_W4A4;
    if (bits == 8)
        return integer(activations, "group_size") == 32 ? NVFP4_SCHEME_W4A8_MXFP8
                                                        : NVFP4_SCHEME_W4A8_FP8;
    return NO_SCHEME;
}

nvfp4_verdict nvfp4_verdict_of_group(const nvfp4_node *group, const nvfp4_node *format)
{
    nvfp4_verdict verdict = { NVFP4_WEIGHTS_OTHER, NO_SCHEME };
    const nvfp4_node *const own = nvfp4_node_get(group, "format");
    if (own != NULL && own->kind == NVFP4_NODE_STRING)
        format = own;
    verdict.weights = (uint8_t)weights_of(nvfp4_node_get(group, "weights"), format);
    if (verdict.weights == NVFP4_WEIGHTS_NVFP4)
        verdict.scheme = (int8_t)scheme_of(nvfp4_node_get(group, "input_activations"));
    return verdict;
}

int nvfp4_verdicts_differ(nvfp4_verdict a, nvfp4_verdict b)
{
    if (a.weights != b.weights)
        return 1;
    return a.weights == NVFP4_WEIGHTS_NVFP4 && a.scheme >= 0 && b.scheme >= 0 &&
           a.scheme != b.scheme;
}

const char *nvfp4_verdict_text(nvfp4_verdict verdict, char buffer[24])
{
    const int known = verdict.weights == NVFP4_WEIGHTS_NVFP4 && verdict.scheme >= 0;
    snprintf(buffer, 24, "%s%s%s", nvfp4_weights_name((nvfp4_weights)verdict.weights),
             known ? " " : "", known ? nvfp4_scheme_name((nvfp4_scheme)verdict.scheme) : "");
    return buffer;
}
