/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy names itself: backends of its own, request keys of its own, users' words. */
#include "files/policy_reader.h"

#include <string.h>

#include "files/request_parts.h"

static struct policy_place key_place(const nvfp4_node *node)
{
    return node->key != NULL ? (struct policy_place){ node->key_line, node->key_column }
                             : (struct policy_place){ node->line, node->column };
}

/* The key of a node as a node of its own, to be read as a name. */
static nvfp4_node key_node(const nvfp4_node *node)
{
    nvfp4_node key = { .kind = NVFP4_NODE_STRING,
                       .line = node->key_line,
                       .column = node->key_column };
    key.text = node->key;
    key.length = node->key_length;
    return key;
}

/* ---- backends ---- */

static int same_letters(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y)
            return 0;
    }
    return *a == *b;
}

/* A name that stands for something already, or would be read as something else. */
static int is_taken(const nvfp4_policy *p, const char *name)
{
    static const char *const reserved[] = { "none", "auto", "any", "custom", "unknown" };
    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (same_letters(name, reserved[i]))
            return 1;
    for (int i = NVFP4_BACKEND_NONE + 1; i < NVFP4_BACKEND_COUNT; i++)
        if (same_letters(name, nvfp4_backend_name((nvfp4_backend)i)))
            return 1;
    for (int i = 0; i < p->custom_backend_count; i++)
        if (same_letters(name, p->custom_backends[i].name))
            return 1;
    return 0;
}

static int id_is_used(const nvfp4_policy *p, int id)
{
    for (int i = 0; i < p->custom_backend_count; i++)
        if (p->custom_backends[i].backend == id)
            return 1;
    return 0;
}

static nvfp4_status read_backend(const struct policy_reader *reader, const nvfp4_node *name_node,
                                 const nvfp4_node *id_node)
{
    struct policy_draft *const draft = reader->draft;
    const char *name = NULL;
    int64_t id = NVFP4_BACKEND_CUSTOM_FIRST;
    nvfp4_status status = nvfp4_policy_read_name(reader, name_node, "the name of a backend", &name);
    if (status != NVFP4_OK || name == NULL)
        return status;
    if (is_taken(&draft->policy, name))
        return nvfp4_policy_fail(reader, name_node, NVFP4_ESCHEMA, "the name '%s' is taken", name);
    if (draft->policy.custom_backend_count == POLICY_BACKENDS)
        return nvfp4_policy_fail(reader, name_node, NVFP4_ELIMIT,
                                 "a policy has at most %d backends of its own", POLICY_BACKENDS);
    while (id_is_used(&draft->policy, (int)id))
        id++;
    if (id_node != NULL && id_node->kind != NVFP4_NODE_NULL) {
        status = nvfp4_policy_read_number(reader, id_node, NVFP4_BACKEND_CUSTOM_FIRST,
                                          NVFP4_BACKEND_CUSTOM_LAST, &id);
        if (status == NVFP4_OK && id_is_used(&draft->policy, (int)id))
            status =
                nvfp4_policy_fail(reader, id_node, NVFP4_ESCHEMA, "the id %d is taken", (int)id);
    }
    const int at = draft->policy.custom_backend_count++;
    draft->backends[at] = (struct nvfp4_custom_backend){ name, (uint8_t)id };
    draft->backend_places[at] = key_place(id_node != NULL ? id_node : name_node);
    return status;
}

/* Given ids first, so that those given by the order of appearance do not take them away. */
nvfp4_status nvfp4_policy_read_backends(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    if (node->kind == NVFP4_NODE_SEQUENCE) {
        for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
            status = read_backend(reader, n, NULL);
        return status;
    }
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_policy_must_be(reader, node, "a list of names, or a mapping of names to ids");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next) {
        const nvfp4_node name = key_node(n);
        status = read_backend(reader, &name, n);
    }
    return status;
}

/* ---- request keys ---- */

static nvfp4_status read_key_words(const struct policy_reader *reader, const nvfp4_node *list,
                                   struct nvfp4_custom_key *key)
{
    const char **const words = nvfp4_arena_take(reader->arena, list->count * sizeof *words);
    if (words == NULL)
        return nvfp4_policy_no_memory(reader);
    int count = 0;
    for (const nvfp4_node *n = list->first; n != NULL; n = n->next) {
        const char *word = NULL;
        nvfp4_status status = nvfp4_policy_read_name(reader, n, "a word", &word);
        if (status == NVFP4_OK && word != NULL && strcmp(word, "any") == 0)
            status = nvfp4_policy_fail(reader, n, NVFP4_ESCHEMA, "'any' stands for all words");
        for (int i = 0; i < count && word != NULL && status == NVFP4_OK; i++)
            if (strcmp(words[i], word) == 0)
                status =
                    nvfp4_policy_fail(reader, n, NVFP4_ESCHEMA, "the word '%s' stands twice", word);
        if (status != NVFP4_OK)
            return status;
        words[count++] = word != NULL ? word : "";
    }
    key->words = words;
    key->word_count = (uint8_t)count;
    return NVFP4_OK;
}

/* Does every request have a key of this name, in one section or the other? */
static int is_request_key(const char *name)
{
    return nvfp4_request_find_key(SECTION_LAYER, name, strlen(name)) != NULL ||
           nvfp4_request_find_key(SECTION_DEPLOYMENT, name, strlen(name)) != NULL;
}

/* Takes "deployment.moe_runner" apart. */
static nvfp4_status read_key_name(const struct policy_reader *reader, const nvfp4_node *node,
                                  struct nvfp4_custom_key *key)
{
    static const char *const sections[] = { "layer", "deployment" };
    nvfp4_node name = key_node(node);
    key->section = NULL;
    for (size_t i = 0; i < COUNT_OF(sections); i++) {
        const size_t length = strlen(sections[i]);
        if (strncmp(node->key, sections[i], length) == 0 && node->key[length] == '.') {
            key->section = sections[i];
            name.text += length + 1;
            name.length -= (uint32_t)length + 1;
        }
    }
    if (key->section == NULL || strchr(name.text, '.') != NULL) {
        key->section = NULL;
        return nvfp4_policy_fail_key(reader, node,
                                     "a request key is layer.NAME or deployment.NAME");
    }
    const nvfp4_status status = nvfp4_policy_read_name(reader, &name, "a name", &key->key);
    if (status != NVFP4_OK || key->key == NULL)
        return status;
    if (!nvfp4_policy_is_free_key(key->key) || is_request_key(key->key) ||
        nvfp4_policy_find_key(&reader->draft->policy, key->key) != NULL)
        return nvfp4_policy_fail_key(reader, node, "there is a key '%s' already", key->key);
    return NVFP4_OK;
}

static nvfp4_status read_key(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_policy *const p = &reader->draft->policy;
    struct nvfp4_custom_key key = { NULL, NULL, NULL, 0, 0 };
    int used = 0;
    for (int i = 0; i < p->custom_key_count; i++)
        used += p->custom_keys[i].word_count;
    nvfp4_status status = read_key_name(reader, node, &key);
    if (status != NVFP4_OK || key.key == NULL)
        return status;
    if (node->kind != NVFP4_NODE_SEQUENCE || node->count < 2)
        return nvfp4_policy_must_be(reader, node, "a list of two words or more, the default first");
    if (node->count > (uint32_t)(CUSTOM_BITS - used) || p->custom_key_count == POLICY_KEYS)
        return nvfp4_policy_fail(reader, node, NVFP4_ELIMIT,
                                 "the request keys of a policy have at most %d words together",
                                 CUSTOM_BITS);
    status = read_key_words(reader, node, &key);
    key.first_bit = (uint8_t)used;
    if (status == NVFP4_OK && key.word_count != 0)
        reader->draft->keys[p->custom_key_count++] = key;
    return status;
}

nvfp4_status nvfp4_policy_read_keys(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_policy_must_be(reader, node, "a mapping of request keys to their words");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_key(reader, n);
    return status;
}

/* ---- users' words ---- */

static nvfp4_status read_meaning(const struct policy_reader *reader, const nvfp4_node *node,
                                 uint8_t *backend)
{
    char excerpt[NVFP4_EXCERPT];
    if (!nvfp4_policy_is_text(node))
        return nvfp4_policy_must_be(reader, node, "a backend");
    const int id = nvfp4_policy_backend_of(&reader->draft->policy, node->text, node->length);
    *backend = (uint8_t)id;
    if (id == NVFP4_BACKEND_NONE)
        return nvfp4_policy_fail(
            reader, node, NVFP4_ESCHEMA,
            "unknown backend '%s'; one of your own is declared under 'backends'",
            nvfp4_excerpt(node->text, node->length, excerpt));
    return NVFP4_OK;
}

/* BACKEND, or {standard: BACKEND, batched: BACKEND} */
static nvfp4_status read_word_meaning(const struct policy_reader *reader, const nvfp4_node *node,
                                      struct nvfp4_user_word *word)
{
    static const char *const keys[] = { "standard", "batched", NULL };
    if (node->kind != NVFP4_NODE_MAPPING)
        return read_meaning(reader, node, &word->backend);
    const nvfp4_node *const standard = nvfp4_node_get(node, "standard");
    const nvfp4_node *const batched = nvfp4_node_get(node, "batched");
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a name", keys, 0);
    if (status != NVFP4_OK)
        return status;
    if (standard == NULL || batched == NULL)
        return nvfp4_policy_must_be(reader, node, "a backend, or {standard: ..., batched: ...}");
    status = read_meaning(reader, standard, &word->backend);
    return status == NVFP4_OK ? read_meaning(reader, batched, &word->batched) : status;
}

static void remove_word(struct policy_draft *draft, int at)
{
    for (int i = at; i + 1 < draft->policy.word_count; i++) {
        draft->words[i] = draft->words[i + 1];
        draft->word_places[i] = draft->word_places[i + 1];
    }
    draft->policy.word_count--;
}

static nvfp4_status read_user_word(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    const nvfp4_node name = key_node(node);
    struct nvfp4_user_word word = { NULL, 0, 0 };
    int at = 0;
    nvfp4_status status = nvfp4_policy_read_name(reader, &name, "a name", &word.word);
    if (status != NVFP4_OK || word.word == NULL)
        return status;
    if (strcmp(word.word, "auto") == 0)
        return nvfp4_policy_fail_key(reader, node, "'auto' leaves the choice to the policy");
    while (at < draft->policy.word_count && strcmp(draft->words[at].word, word.word) != 0)
        at++;
    if (node->kind == NVFP4_NODE_NULL) {
        if (at == draft->policy.word_count)
            return nvfp4_policy_fail_key(reader, node, "there is no name '%s' to take back",
                                         word.word);
        remove_word(draft, at);
        return NVFP4_OK;
    }
    if (at == POLICY_NAMES)
        return nvfp4_policy_fail_key(reader, node, "a policy has at most %d names", POLICY_NAMES);
    status = read_word_meaning(reader, node, &word);
    draft->words[at] = word;
    draft->word_places[at] = key_place(node);
    draft->policy.word_count =
        (uint8_t)(draft->policy.word_count + (at == draft->policy.word_count));
    return status;
}

nvfp4_status nvfp4_policy_read_names(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_status status = NVFP4_OK;
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_policy_must_be(reader, node, "a mapping of users' words to backends");
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_user_word(reader, n);
    return status;
}
