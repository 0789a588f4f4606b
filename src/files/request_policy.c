/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of a request, and the keys that only it knows. */
#include "files/request_parts.h"

#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/document_build.h"
#include "files/nearest.h"
#include "files/policy.h"

/* ---- what is said about names ---- */

nvfp4_status nvfp4_request_no_memory(nvfp4_error *error)
{
    const struct request_note nowhere = { NULL, NULL, 0 };
    nvfp4_request_fail(&nowhere, error, 0, "out of memory");
    if (error != NULL)
        error->status = NVFP4_ENOMEM;
    return NVFP4_ENOMEM;
}

nvfp4_status nvfp4_request_unknown_name(const struct request_note *note, const char *kind,
                                        const char *where, const char *best, const char *list,
                                        nvfp4_error *error)
{
    char excerpt[NVFP4_EXCERPT];
    nvfp4_excerpt(note->node->text, note->node->length, excerpt);
    if (best != NULL)
        return nvfp4_request_fail(note, error, 0, "unknown %s '%s'%s; did you mean '%s'?", kind,
                                  excerpt, where, best);
    if (*list != '\0')
        return nvfp4_request_fail(note, error, 0, "unknown %s '%s'%s; known are %s", kind, excerpt,
                                  where, list);
    return nvfp4_request_fail(note, error, 0, "unknown %s '%s'%s", kind, excerpt, where);
}

void nvfp4_request_list(char list[160], const char *name)
{
    const size_t length = strlen(list);
    if (length + strlen(name) + 3 < 160)
        snprintf(list + length, 160 - length, "%s%s", length > 0 ? ", " : "", name);
}

/* ---- the policy ---- */

static int same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const block = nvfp4_files_malloc(size);
    if (block != NULL)
        memcpy(block, text, size);
    return block;
}

static void forget_loaded(nvfp4_request *r)
{
    nvfp4_policy_free(r->loaded);
    nvfp4_files_free(r->loaded_name);
    nvfp4_files_free(r->loaded_beside);
    r->loaded = NULL;
    r->loaded_name = NULL;
    r->loaded_beside = NULL;
}

/* A stream of requests tends to name one file: it is read once. */
static nvfp4_status load(nvfp4_request *r, const char *name, const char *beside,
                         nvfp4_error *error)
{
    if (r->loaded != NULL && same_text(r->loaded_name, name) && same_text(r->loaded_beside, beside))
        return NVFP4_OK;
    forget_loaded(r);
    const nvfp4_status status =
        nvfp4_policy_find_beside(name, *beside != '\0' ? beside : NULL, &r->loaded, error);
    if (status != NVFP4_OK)
        return status;
    r->loaded_name = copy(name);
    r->loaded_beside = copy(beside);
    if (r->loaded_name != NULL && r->loaded_beside != NULL)
        return NVFP4_OK;
    forget_loaded(r);
    return nvfp4_request_no_memory(error);
}

nvfp4_status nvfp4_request_resolve_policy(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_POLICY];
    nvfp4_error about;
    r->policy = nvfp4_policy_builtin(note->node != NULL ? note->node->text : NULL);
    if (r->policy != NULL)
        return NVFP4_OK;
    r->policy = nvfp4_policy_builtin(NULL); /* a request always has one */
    memset(&about, 0, sizeof about);
    const nvfp4_status status =
        load(r, note->node->text, note->placed ? note->document->file : "", &about);
    if (status == NVFP4_OK)
        r->policy = r->loaded;
    else if (status == NVFP4_EUNKNOWN && about.file[0] == '\0') /* the request is to blame */
        return nvfp4_request_fail(note, error, 0, "%s", about.message);
    else if (error != NULL)
        *error = about;
    return status;
}

/* ---- keys of the policy's own ---- */

int nvfp4_request_may_be_own(enum request_section section, const nvfp4_node *node)
{
    if (section != SECTION_LAYER && section != SECTION_DEPLOYMENT)
        return 0;
    if (node == NULL)
        return 1;
    return node->kind != NVFP4_NODE_SEQUENCE && node->kind != NVFP4_NODE_MAPPING &&
           node->kind != NVFP4_NODE_NULL;
}

nvfp4_status nvfp4_request_keep_own(nvfp4_request *request, enum request_section section,
                                    const char *name, size_t length,
                                    const struct request_note *note)
{
    struct request_own_key **at = &request->own_keys;
    for (; *at != NULL; at = &(*at)->next) {
        struct request_own_key *const key = *at;
        if (key->section == section && key->length == length &&
            memcmp(key->name, name, length) == 0) {
            key->note = *note; /* said anew */
            return NVFP4_OK;
        }
    }
    struct request_own_key *const key = nvfp4_arena_take(&request->kept, sizeof *key);
    char *const text = nvfp4_arena_copy(&request->kept, name, length);
    if (key == NULL || text == NULL)
        return NVFP4_ENOMEM;
    *key = (struct request_own_key){ NULL, section, text, length, *note };
    *at = key;
    return NVFP4_OK;
}

/* Is it one of the policy's, in this section? */
static int has_key(const nvfp4_policy *policy, const char *section,
                   const struct request_own_key *key, nvfp4_policy_key_info *info)
{
    for (size_t i = 0; nvfp4_policy_key(policy, i, info) == NVFP4_OK; i++)
        if (strcmp(info->section, section) == 0 && strlen(info->name) == key->length &&
            memcmp(info->name, key->name, key->length) == 0)
            return 1;
    return 0;
}

static nvfp4_status unknown_word(const nvfp4_policy *policy, const struct request_own_key *key,
                                 const nvfp4_policy_key_info *info, nvfp4_error *error)
{
    nvfp4_nearest search;
    char excerpt[NVFP4_EXCERPT], list[160] = "", where[80];
    const nvfp4_node *const node = key->note.node;
    nvfp4_nearest_begin(&search, nvfp4_excerpt(node->text, node->length, excerpt));
    for (size_t bit = 0; bit < 64; bit++) {
        const char *const word =
            info->bits >> bit & 1 ? nvfp4_policy_custom_word(policy, bit) : NULL;
        if (word == NULL)
            continue;
        nvfp4_nearest_offer(&search, word);
        nvfp4_request_list(list, word);
    }
    snprintf(where, sizeof where, " for %s.%.48s", info->section, info->name);
    return nvfp4_request_unknown_name(&key->note, "word", where, search.best, list, error);
}

nvfp4_status nvfp4_request_resolve_own(nvfp4_request *r, nvfp4_error *error)
{
    uint64_t custom = 0;
    for (const struct request_own_key *key = r->own_keys; key != NULL; key = key->next) {
        const char *const section = nvfp4_request_sections[key->section].name;
        const nvfp4_node *const node = key->note.node;
        nvfp4_policy_key_info info;
        char path[160];
        if (!has_key(r->policy, section, key, &info))
            return nvfp4_request_unknown_key(&key->note, error, key->section, key->name,
                                             key->length, r->policy);
        snprintf(path, sizeof path, "%s.%.120s", section, info.name);
        if (strlen(node->text) != node->length ||
            nvfp4_policy_set_key(r->policy, path, node->text, &custom) != NVFP4_OK)
            return unknown_word(r->policy, key, &info, error);
    }
    r->deployment.custom = custom;
    return NVFP4_OK;
}
