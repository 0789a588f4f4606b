/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/policy.h>

#include <string.h>

#include "core/question.h"
#include "policies/builtin.h"

static const nvfp4_policy *or_default(const nvfp4_policy *policy)
{
    return policy != NULL ? policy : nvfp4_policy_builtin(NULL);
}

const nvfp4_policy *nvfp4_policy_builtin(const char *name)
{
    if (name == NULL)
        return nvfp4_builtin_default;
    for (size_t i = 0; i < nvfp4_builtin_alias_count; i++)
        if (strcmp(nvfp4_builtin_aliases[i].alias, name) == 0)
            return nvfp4_builtin_aliases[i].policy;
    for (size_t i = 0; i < nvfp4_builtin_policy_count; i++)
        if (strcmp(nvfp4_builtin_policies[i]->name, name) == 0)
            return nvfp4_builtin_policies[i];
    return NULL;
}

const nvfp4_policy *nvfp4_policy_builtin_at(size_t index)
{
    return index < nvfp4_builtin_policy_count ? nvfp4_builtin_policies[index] : NULL;
}

const char *nvfp4_policy_alias_at(size_t index, const nvfp4_policy **policy)
{
    if (index >= nvfp4_builtin_alias_count)
        return NULL;
    if (policy != NULL)
        *policy = nvfp4_builtin_aliases[index].policy;
    return nvfp4_builtin_aliases[index].alias;
}

const char *nvfp4_policy_name(const nvfp4_policy *policy)
{
    return or_default(policy)->name;
}

const char *nvfp4_policy_summary(const nvfp4_policy *policy)
{
    return or_default(policy)->summary;
}

const char *nvfp4_policy_source(const nvfp4_policy *policy)
{
    return or_default(policy)->source;
}

size_t nvfp4_policy_kernel_count(const nvfp4_policy *policy)
{
    return or_default(policy)->row_count;
}

const char *nvfp4_policy_backend_name(const nvfp4_policy *policy, nvfp4_backend backend)
{
    const nvfp4_policy *p = or_default(policy);
    for (int i = 0; i < p->custom_backend_count; i++)
        if (p->custom_backends[i].backend == (int)backend)
            return p->custom_backends[i].name;
    return nvfp4_backend_name(backend);
}

nvfp4_status nvfp4_policy_kernel(const nvfp4_policy *policy, size_t index, nvfp4_kernel_info *info)
{
    const nvfp4_policy *p = or_default(policy);
    if (info == NULL || index >= p->row_count)
        return NVFP4_EINVAL;
    const struct nvfp4_row *row = &p->rows[index];
    info->backend = row->backend;
    info->opt_in = row->opt_in;
    info->backend_name = nvfp4_policy_backend_name(p, (nvfp4_backend)row->backend);
    info->kernel_name = row->kernel;
    info->source = row->source;
    return NVFP4_OK;
}

const char *nvfp4_policy_user_name(const nvfp4_policy *policy, nvfp4_backend backend)
{
    const nvfp4_policy *p = or_default(policy);
    for (int i = 0; i < p->word_count; i++)
        if (p->words[i].backend == (int)backend || p->words[i].batched == (int)backend)
            return backend == NVFP4_BACKEND_NONE ? NULL : p->words[i].word;
    return NULL;
}

const char *nvfp4_policy_user_name_at(const nvfp4_policy *policy, size_t index)
{
    const nvfp4_policy *p = or_default(policy);
    return index < p->word_count ? p->words[index].word : NULL;
}

nvfp4_status nvfp4_policy_find_backend(const nvfp4_policy *policy, const char *word,
                                       nvfp4_backend *backend)
{
    const nvfp4_policy *p = or_default(policy);
    if (word == NULL || backend == NULL)
        return NVFP4_EINVAL;
    if (strcmp(word, "auto") == 0) {
        *backend = NVFP4_BACKEND_NONE;
        return NVFP4_OK;
    }
    for (int i = 0; i < p->word_count; i++)
        if (strcmp(p->words[i].word, word) == 0) {
            *backend = (nvfp4_backend)p->words[i].backend;
            return NVFP4_OK;
        }
    return NVFP4_EUNKNOWN;
}

/* Is this one of the backend's names, ending at `length`? */
static int names_backend(const nvfp4_policy *p, int backend, const char *word, size_t length)
{
    const char *name = nvfp4_policy_backend_name(p, (nvfp4_backend)backend);
    if (strlen(name) == length && memcmp(name, word, length) == 0)
        return 1;
    for (int i = 0; i < p->word_count; i++)
        if ((p->words[i].backend == backend || p->words[i].batched == backend) &&
            strlen(p->words[i].word) == length && memcmp(p->words[i].word, word, length) == 0)
            return 1;
    return 0;
}

nvfp4_status nvfp4_policy_find_kernels(const nvfp4_policy *policy, const char *word,
                                       nvfp4_kernel_set *kernels)
{
    const nvfp4_policy *p = or_default(policy);
    if (word == NULL || kernels == NULL)
        return NVFP4_EINVAL;
    const char *slash = strchr(word, '/');
    const size_t length = slash != NULL ? (size_t)(slash - word) : strlen(word);
    nvfp4_kernel_set set = 0;
    for (int i = 0; i < p->row_count; i++)
        if (names_backend(p, p->rows[i].backend, word, length) &&
            (slash == NULL || strcmp(slash + 1, p->rows[i].kernel) == 0))
            set |= (nvfp4_kernel_set)1 << i;
    if (set == 0)
        return NVFP4_EUNKNOWN;
    *kernels = set;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_erratum(const nvfp4_policy *policy, size_t index,
                                  nvfp4_erratum_info *info)
{
    const nvfp4_policy *p = or_default(policy);
    if (info == NULL || index >= p->erratum_count)
        return NVFP4_EINVAL;
    const struct nvfp4_erratum *e = &p->errata[index];
    info->name = e->name;
    info->text = e->text;
    info->source = e->source;
    info->kernels = e->kernels;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_key(const nvfp4_policy *policy, size_t index, nvfp4_policy_key_info *info)
{
    const nvfp4_policy *p = or_default(policy);
    if (info == NULL || index >= p->custom_key_count)
        return NVFP4_EINVAL;
    const struct nvfp4_custom_key *key = &p->custom_keys[index];
    info->section = key->section;
    info->name = key->key;
    info->word_count = key->word_count;
    info->bits = custom_key_bits(key);
    return NVFP4_OK;
}

const char *nvfp4_policy_custom_word(const nvfp4_policy *policy, size_t bit)
{
    const nvfp4_policy *p = or_default(policy);
    for (int i = 0; i < p->custom_key_count; i++) {
        const struct nvfp4_custom_key *key = &p->custom_keys[i];
        if (bit >= key->first_bit && bit - key->first_bit < key->word_count)
            return key->words[bit - key->first_bit];
    }
    return NULL;
}

/* Is this the key's name, with or without its section? */
static int names_key(const struct nvfp4_custom_key *key, const char *name)
{
    const size_t section = strlen(key->section);
    if (strncmp(name, key->section, section) == 0 && name[section] == '.')
        name += section + 1;
    return strcmp(name, key->key) == 0;
}

nvfp4_status nvfp4_policy_set_key(const nvfp4_policy *policy, const char *key, const char *word,
                                  uint64_t *custom)
{
    const nvfp4_policy *p = or_default(policy);
    if (key == NULL || word == NULL || custom == NULL)
        return NVFP4_EINVAL;
    for (int i = 0; i < p->custom_key_count; i++) {
        const struct nvfp4_custom_key *k = &p->custom_keys[i];
        for (int n = 0; names_key(k, key) && n < k->word_count; n++)
            if (strcmp(k->words[n], word) == 0) {
                *custom = (*custom & ~custom_key_bits(k)) | (uint64_t)1 << (k->first_bit + n);
                return NVFP4_OK;
            }
    }
    return NVFP4_EUNKNOWN;
}

nvfp4_backend_set nvfp4_capable_backends(const nvfp4_policy *policy, nvfp4_sm sm)
{
    const nvfp4_policy *p = or_default(policy);
    const nvfp4_device_key device = { NVFP4_VENDOR_NVIDIA, sm, "" };
    const uint64_t bit = nvfp4_question_device_bit(&device);
    nvfp4_backend_set set = 0;
    for (int i = 0; i < p->row_count; i++)
        if (p->rows[i].device & bit)
            set |= NVFP4_BACKEND_BIT(p->rows[i].backend);
    return set;
}

/* Does a rule of the kernel apply a limit it is given, or a constant, for this activation? */
static int row_clamps(const struct nvfp4_row *row, nvfp4_activation activation)
{
    const uint64_t bit = VALUE(ACTIVATION, activation);
    if (!(row->values & bit) || (row->cannot & FLAG_LIMIT))
        return 0;
    for (int i = 0; i < row->clamp_count; i++)
        if ((row->clamp[i].when.values & bit) && row->clamp[i].limit != LIMIT_IGNORED)
            return 1;
    return 0;
}

nvfp4_backend_set nvfp4_clamp_backends(const nvfp4_policy *policy, nvfp4_activation activation)
{
    const nvfp4_policy *p = or_default(policy);
    nvfp4_backend_set set = 0;
    if ((unsigned)activation >= NVFP4_ACTIVATION_COUNT)
        return 0;
    for (int i = 0; i < p->row_count; i++)
        if (p->clamp_by_set ? !(p->rows[i].cannot & FLAG_LIMIT) : row_clamps(&p->rows[i], activation))
            set |= NVFP4_BACKEND_BIT(p->rows[i].backend);
    return set;
}
