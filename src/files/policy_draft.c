/* SPDX-License-Identifier: Apache-2.0 */
/* From a policy to a draft that can grow, and back. */
#include "files/policy_reader.h"

#include <string.h>

#include "core/compile.h"
#include "core/fingerprint.h"

void nvfp4_policy_begin(struct policy_draft *draft)
{
    memset(draft, 0, sizeof *draft);
    draft->policy = (nvfp4_policy){
        .name = "",
        .summary = "",
        .source = "",
        .rows = draft->rows,
        .words = draft->words,
        .errata = draft->errata,
        .custom_backends = draft->backends,
        .custom_keys = draft->keys,
    };
}

static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count != 0)
        memcpy(to, from, count * size);
}

void nvfp4_policy_import(struct policy_draft *draft, const nvfp4_policy *policy)
{
    nvfp4_policy_begin(draft);
    nvfp4_policy *const p = &draft->policy;
    copy(draft->rows, policy->rows, policy->row_count, sizeof draft->rows[0]);
    copy(draft->words, policy->words, policy->word_count, sizeof draft->words[0]);
    copy(draft->errata, policy->errata, policy->erratum_count, sizeof draft->errata[0]);
    copy(draft->backends, policy->custom_backends, policy->custom_backend_count,
         sizeof draft->backends[0]);
    copy(draft->keys, policy->custom_keys, policy->custom_key_count, sizeof draft->keys[0]);
    p->name = policy->name;
    p->summary = policy->summary;
    p->source = policy->source;
    p->row_count = policy->row_count;
    p->word_count = policy->word_count;
    p->erratum_count = policy->erratum_count;
    p->custom_backend_count = policy->custom_backend_count;
    p->custom_key_count = policy->custom_key_count;
    p->all2all_by_dp_only = policy->all2all_by_dp_only;
    p->auto_count = policy->auto_count;
    p->clamp_by_set = policy->clamp_by_set;
}

void nvfp4_policy_forget_places(struct policy_draft *draft)
{
    memset(draft->marks, 0, sizeof draft->marks);
    memset(draft->erratum_places, 0, sizeof draft->erratum_places);
    memset(draft->word_places, 0, sizeof draft->word_places);
    memset(draft->backend_places, 0, sizeof draft->backend_places);
}

/* A copy of an array in the arena; NULL for none, and with *failed set for no memory. */
static const void *keep(nvfp4_arena *arena, const void *array, size_t count, size_t size,
                        int *failed)
{
    if (count == 0)
        return NULL;
    void *const kept = nvfp4_arena_take(arena, count * size);
    if (kept == NULL) {
        *failed = 1;
        return NULL;
    }
    return memcpy(kept, array, count * size);
}

int nvfp4_policy_freeze(const struct policy_draft *draft, nvfp4_arena *arena, nvfp4_policy *p)
{
    const nvfp4_policy *const from = &draft->policy;
    int failed = 0;
    *p = *from;
#define KEEP(member, count) keep(arena, from->member, from->count, sizeof from->member[0], &failed)
    p->rows = KEEP(rows, row_count);
    p->words = KEEP(words, word_count);
    p->errata = KEEP(errata, erratum_count);
    p->custom_backends = KEEP(custom_backends, custom_backend_count);
    p->custom_keys = KEEP(custom_keys, custom_key_count);
#undef KEEP
    struct nvfp4_compiled *const compiled = nvfp4_arena_take(arena, sizeof *compiled);
    if (failed || compiled == NULL)
        return 0;
    nvfp4_policy_compile(p, compiled);
    p->compiled = compiled;
    p->hash = nvfp4_policy_hash_compute(p);
    return 1;
}
