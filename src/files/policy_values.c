/* SPDX-License-Identifier: Apache-2.0 */
/* Single values of a policy file: texts, names, numbers, versions, kernels by name. */
#include "files/policy_reader.h"

#include <stdio.h>
#include <string.h>

#include "files/nearest.h"

const nvfp4_node *nvfp4_policy_first_item(const nvfp4_node *list)
{
    return list->kind == NVFP4_NODE_SEQUENCE ? list->first : list;
}

const nvfp4_node *nvfp4_policy_next_item(const nvfp4_node *list, const nvfp4_node *item)
{
    return item == list ? NULL : item->next;
}

int nvfp4_policy_is_text(const nvfp4_node *node)
{
    return node->kind != NVFP4_NODE_SEQUENCE && node->kind != NVFP4_NODE_MAPPING &&
           node->kind != NVFP4_NODE_NULL && strlen(node->text) == node->length;
}

/* Controls would reach a terminal; U+0080 to U+009F are 0xC2 and one byte more. */
static int has_control(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
        if ((*p < 0x20 && *p != '\n' && *p != '\t' && *p != '\r') || *p == 0x7F ||
            (*p == 0xC2 && p[1] < 0xA0))
            return 1;
    return 0;
}

nvfp4_status nvfp4_policy_read_text(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char **text)
{
    if (!nvfp4_policy_is_text(node))
        return nvfp4_policy_must_be(reader, node, "a text");
    if (node->length > POLICY_TEXT_BYTES)
        return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT, "%.40s is longer than %d bytes",
                                 node->key != NULL ? node->key : "a text", POLICY_TEXT_BYTES);
    if (has_control(node->text))
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA, "%.40s holds control characters",
                                 node->key != NULL ? node->key : "a text");
    char *const copy = nvfp4_arena_copy(reader->arena, node->text, node->length);
    if (copy == NULL)
        return nvfp4_policy_no_memory(reader);
    for (char *p = copy; *p != '\0'; p++)
        if (*p == '\n' || *p == '\t' || *p == '\r')
            *p = ' ';
    for (size_t n = node->length; n > 0 && copy[n - 1] == ' '; n--)
        copy[n - 1] = '\0';
    *text = copy;
    return NVFP4_OK;
}

static int is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_-.+", c) != NULL);
}

nvfp4_status nvfp4_policy_read_name(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char *what, const char **name)
{
    if (!nvfp4_policy_is_text(node) || node->length == 0)
        return nvfp4_policy_must_be(reader, node, what);
    size_t good = 0;
    while (is_name_char(node->text[good]))
        good++;
    if (good < node->length)
        return nvfp4_policy_must_be(reader, node,
                                    "a name of letters, digits, '_', '-', '.' and '+'");
    if (node->length > POLICY_NAME_BYTES)
        return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT, "a name is longer than %d bytes",
                                 POLICY_NAME_BYTES);
    const char *const copy = nvfp4_arena_copy(reader->arena, node->text, node->length);
    if (copy == NULL)
        return nvfp4_policy_no_memory(reader);
    *name = copy;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_flag(const struct policy_reader *reader, const nvfp4_node *node,
                                    uint8_t *flag)
{
    if (node->kind != NVFP4_NODE_BOOL)
        return nvfp4_policy_must_be(reader, node, "true or false");
    *flag = (uint8_t)node->integer;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_number(const struct policy_reader *reader, const nvfp4_node *node,
                                      int64_t least, int64_t most, int64_t *number)
{
    char what[80];
    snprintf(what, sizeof what, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    if (node->kind != NVFP4_NODE_INT || node->integer < least || node->integer > most)
        return nvfp4_policy_must_be(reader, node, what);
    *number = node->integer;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_real(const struct policy_reader *reader, const nvfp4_node *node,
                                    double *number)
{
    double value;
    if (!nvfp4_node_number(node, &value) || !(value - value == 0))
        return nvfp4_policy_must_be(reader, node, "a finite number");
    *number = value;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_word(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char *where, const char *const *words, int *index)
{
    if (!nvfp4_policy_is_text(node))
        return nvfp4_policy_must_be(reader, node, "a word");
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], node->text) == 0) {
            *index = i;
            return NVFP4_OK;
        }
    return nvfp4_policy_unknown_word(reader, node, where, words);
}

nvfp4_status nvfp4_policy_read_version(const struct policy_reader *reader, const nvfp4_node *node,
                                       nvfp4_library_version *version)
{
    nvfp4_library_version parsed;
    if (!nvfp4_policy_is_text(node) || node->kind == NVFP4_NODE_BOOL ||
        nvfp4_version_parse(node->text, &parsed) != NVFP4_OK)
        return nvfp4_policy_must_be(reader, node, "a version, such as 0.6.18 or 0.6.16rc5");
    *version = parsed;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_library(const struct policy_reader *reader, const nvfp4_node *node,
                                       const char *word, uint8_t *library)
{
    static const char *const words[] = {
#define X(name, value, word) word,
        NVFP4_LIBRARY_MAP(X)
#undef X
            NULL
    };
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0) {
            *library = (uint8_t)i;
            return NVFP4_OK;
        }
    char excerpt[NVFP4_EXCERPT];
    nvfp4_excerpt(word, strlen(word), excerpt);
    const char *const best = nvfp4_nearest_word(excerpt, words, NVFP4_LIBRARY_COUNT);
    if (word != node->key)
        return nvfp4_policy_unknown_word(reader, node, "a library", words);
    if (best != NULL)
        return nvfp4_policy_fail_key(reader, node, "unknown library '%s'; did you mean '%s'?",
                                     excerpt, best);
    return nvfp4_policy_fail_key(reader, node,
                                 "unknown library '%s'; known are flashinfer, b12x, humming, cuda, "
                                 "cutlass_dsl, vllm",
                                 excerpt);
}

static nvfp4_status unknown_kernel(const struct policy_reader *reader, const nvfp4_node *node)
{
    const nvfp4_policy *const p = &reader->draft->policy;
    char names[NVFP4_KERNELS_MAX][2 * POLICY_NAME_BYTES + 2], excerpt[NVFP4_EXCERPT];
    nvfp4_nearest search;
    nvfp4_excerpt(node->text, node->length, excerpt);
    nvfp4_nearest_begin(&search, excerpt);
    for (int i = 0; i < p->word_count; i++)
        nvfp4_nearest_offer(&search, p->words[i].word);
    for (int i = 0; i < p->row_count; i++) {
        const char *const backend = nvfp4_policy_backend_name(p, (nvfp4_backend)p->rows[i].backend);
        nvfp4_nearest_offer(&search, backend);
        if (p->rows[i].kernel[0] == '\0')
            continue;
        snprintf(names[i], sizeof names[i], "%s/%s", backend, p->rows[i].kernel);
        nvfp4_nearest_offer(&search, names[i]);
    }
    if (search.best != NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                                 "unknown kernel '%s'; did you mean '%s'?", excerpt, search.best);
    return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                             "unknown kernel '%s'; the policy has no kernel of that name", excerpt);
}

nvfp4_status nvfp4_policy_read_kernels(const struct policy_reader *reader, const nvfp4_node *node,
                                       nvfp4_kernel_set *kernels)
{
    nvfp4_kernel_set all = 0;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        nvfp4_kernel_set set = 0;
        nvfp4_status status = NVFP4_OK;
        if (!nvfp4_policy_is_text(n))
            status = nvfp4_policy_must_be(reader, n, "the name of a backend or kernel");
        else if (nvfp4_policy_find_kernels(&reader->draft->policy, n->text, &set) != NVFP4_OK)
            status = unknown_kernel(reader, n);
        if (status != NVFP4_OK)
            return status;
        all |= set;
    }
    *kernels = all;
    return NVFP4_OK;
}
