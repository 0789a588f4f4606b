/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fingerprint.h"

#include <string.h>

#include "core/accept.h"
#include "core/peers.h"

/* A strong 64-bit mixer (two rounds of xor-shift and multiply); no secret, only no accidents. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

void nvfp4_hash_number(struct hash *h, uint64_t n)
{
    h->a = mix(h->a + UINT64_C(0x9e3779b97f4a7c15)) ^ mix(n ^ UINT64_C(0xa0761d6478bd642f));
    h->a = mix(h->a);
}

void nvfp4_hash_real(struct hash *h, double x)
{
    uint64_t bits;
    x += 0.0; /* -0 means 0 */
    memcpy(&bits, &x, sizeof bits);
    nvfp4_hash_number(h, bits);
}

void nvfp4_hash_text(struct hash *h, const char *text)
{
    uint64_t n = 0;
    for (; *text != '\0'; text++, n++)
        nvfp4_hash_number(h, (unsigned char)*text);
    nvfp4_hash_number(h, n);
}

uint64_t nvfp4_hash_end(const struct hash *h)
{
    return h->a;
}

static void hash_when(struct hash *h, const struct nvfp4_when *when)
{
    nvfp4_hash_number(h, when->device);
    nvfp4_hash_number(h, when->values);
    nvfp4_hash_number(h, (uint64_t)when->with << 32 | when->without);
    nvfp4_hash_number(h, when->not_custom);
}

static void hash_condition(struct hash *h, const struct nvfp4_condition *c)
{
    hash_when(h, &c->when);
    nvfp4_hash_number(h, (uint64_t)c->kind << 16 | (uint64_t)c->reason << 8 | c->library);
    nvfp4_hash_number(h, c->number);
    nvfp4_hash_number(h, c->until);
    nvfp4_hash_number(h, c->since);
}

static void hash_clamp_rule(struct hash *h, const struct nvfp4_clamp_rule *r)
{
    hash_when(h, &r->when);
    nvfp4_hash_number(h, r->since);
    nvfp4_hash_number(h, (uint64_t)r->library << 40 | (uint64_t)r->limit << 32 | (uint64_t)r->absent << 24 |
                       (uint64_t)r->takes_alpha_beta << 16 | (uint64_t)r->after_activation << 8 |
                       r->space);
    nvfp4_hash_real(h, r->limit_constant);
    nvfp4_hash_real(h, r->alpha_constant);
    nvfp4_hash_real(h, r->beta_constant);
}

static void hash_row(struct hash *h, const struct nvfp4_row *r)
{
    nvfp4_hash_number(h, (uint64_t)r->backend << 32 | (uint64_t)r->opt_in << 24 |
                       (uint64_t)r->engine_built << 16 | (uint64_t)r->runs_w4a16 << 8 | r->halves);
    nvfp4_hash_text(h, r->kernel);
    nvfp4_hash_number(h, r->device);
    nvfp4_hash_number(h, r->values);
    nvfp4_hash_number(h, r->cannot);
    nvfp4_hash_number(h, r->not_custom);
    nvfp4_hash_number(h, (uint64_t)r->padding.gated << 32 | (uint64_t)r->padding.non_gated << 16 |
                       (uint64_t)r->padding.hidden);
    nvfp4_hash_number(h, (uint64_t)r->condition_count << 8 | r->clamp_count);
    for (int i = 0; i < r->condition_count; i++)
        hash_condition(h, &r->conditions[i]);
    for (int i = 0; i < r->clamp_count; i++)
        hash_clamp_rule(h, &r->clamp[i]);
}

static void hash_erratum(struct hash *h, const struct nvfp4_erratum *e)
{
    nvfp4_hash_number(h, e->kernels);
    hash_when(h, &e->when);
    nvfp4_hash_number(h, e->library);
    nvfp4_hash_number(h, e->from);
    nvfp4_hash_number(h, e->below);
    nvfp4_hash_number(h, (uint64_t)e->experts);
    nvfp4_hash_number(h, (uint64_t)e->hidden);
    nvfp4_hash_number(h, (uint64_t)e->width);
    nvfp4_hash_number(h, (uint64_t)e->top_k);
}

uint64_t nvfp4_policy_hash_compute(const nvfp4_policy *p)
{
    struct hash h = HASH_INIT;
    nvfp4_hash_number(&h, (uint64_t)p->row_count << 24 | (uint64_t)p->erratum_count << 16 |
                        (uint64_t)p->all2all_by_dp_only << 8 | p->clamp_by_set);
    nvfp4_hash_number(&h, (uint64_t)p->auto_count << 24 | (uint64_t)p->word_count << 16 |
                        (uint64_t)p->custom_backend_count << 8 | p->custom_key_count);
    for (int i = 0; i < p->row_count; i++)
        hash_row(&h, &p->rows[i]);
    for (int i = 0; i < p->erratum_count; i++)
        hash_erratum(&h, &p->errata[i]);
    for (int i = 0; i < p->word_count; i++) {
        nvfp4_hash_text(&h, p->words[i].word);
        nvfp4_hash_number(&h, (uint64_t)p->words[i].backend << 8 | p->words[i].batched);
    }
    for (int i = 0; i < p->custom_backend_count; i++) {
        nvfp4_hash_text(&h, p->custom_backends[i].name);
        nvfp4_hash_number(&h, p->custom_backends[i].backend);
    }
    for (int i = 0; i < p->custom_key_count; i++) {
        const struct nvfp4_custom_key *key = &p->custom_keys[i];
        nvfp4_hash_text(&h, key->section);
        nvfp4_hash_text(&h, key->key);
        nvfp4_hash_number(&h, (uint64_t)key->first_bit << 8 | key->word_count);
        for (int k = 0; k < key->word_count; k++)
            nvfp4_hash_text(&h, key->words[k]);
    }
    return nvfp4_hash_end(&h);
}

uint64_t nvfp4_policy_hash(const nvfp4_policy *policy)
{
    return policy != NULL ? policy->hash : nvfp4_policy_builtin(NULL)->hash;
}

void nvfp4_hash_layer(struct hash *h, const struct question *q)
{
    const nvfp4_moe_layer *l = q->layer;
    const uint64_t columns = ALL(SCHEME) | ALL(ACTIVATION) | ALL(ROUTING) | ALL(ROUTER_DTYPE) | ALL(DTYPE);
    const uint32_t flags = FLAG_NON_GATED | FLAG_LIMIT | FLAG_BIAS | FLAG_ROUTER_WEIGHT_ON_INPUT |
                           FLAG_PER_TOKEN_SCALE;
    nvfp4_hash_number(h, q->values & columns);
    nvfp4_hash_number(h, q->flags & flags);
    nvfp4_hash_real(h, q->flags & FLAG_LIMIT ? q->limit : 0);
    nvfp4_hash_real(h, q->alpha);
    nvfp4_hash_real(h, q->beta);
    nvfp4_hash_number(h, l->has & (NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA));
    nvfp4_hash_real(h, l->has & NVFP4_HAS_SITU_BETA ? l->situ_beta : 0);
    nvfp4_hash_real(h, l->has & NVFP4_HAS_SITU_LINEAR_BETA ? l->situ_linear_beta : 0);
    nvfp4_hash_number(h, (uint64_t)l->hidden_size);
    nvfp4_hash_number(h, (uint64_t)l->intermediate_size);
    nvfp4_hash_number(h, (uint64_t)l->num_experts);
    nvfp4_hash_number(h, (uint64_t)l->top_k);
}

/* Which side of a floor a version is on: absent, older, or new enough (as unknown counts). */
static uint64_t side(nvfp4_library_version have, nvfp4_library_version floor)
{
    return have == NVFP4_LIBRARY_ABSENT ? 0 : have != NVFP4_LIBRARY_UNKNOWN && have < floor ? 1 : 2;
}

void nvfp4_library_levels(const struct question *q, uint16_t levels[LIBRARY_SLOTS])
{
    const nvfp4_policy *p = q->policy;
    const nvfp4_library_version *have = q->deployment->libraries;
    uint64_t sums[LIBRARY_SLOTS] = { 0 };
    for (int i = 0; i < p->row_count; i++) {
        const struct nvfp4_row *r = &p->rows[i];
        for (int k = 0; k < r->condition_count; k++) {
            const struct nvfp4_condition *c = &r->conditions[k];
            if (c->kind == CONDITION_LIBRARY)
                sums[c->library] += side(have[c->library], c->number);
            if (c->until != 0)
                sums[c->library] += side(have[c->library], c->until);
            if (c->since != 0)
                sums[c->library] += side(have[c->library], c->since);
        }
        for (int k = 0; k < r->clamp_count; k++)
            if (r->clamp[k].since != 0 && !p->clamp_by_set)
                sums[r->clamp[k].library] += side(have[r->clamp[k].library], r->clamp[k].since);
    }
    for (int i = 0; i < p->erratum_count; i++) {
        const struct nvfp4_erratum *e = &p->errata[i];
        if (e->library != LIBRARY_NONE)
            sums[e->library] += side(have[e->library], e->from) + side(have[e->library], e->below);
    }
    for (int i = 0; i < LIBRARY_SLOTS; i++)
        levels[i] = sums[i] < UINT16_MAX ? (uint16_t)sums[i] : UINT16_MAX;
}

void nvfp4_hash_plan(struct hash *h, const struct question *q)
{
    const nvfp4_deployment *d = q->deployment;
    const uint64_t columns = ALL(FORMAT) | ALL(ALL2ALL) | ALL(HUMMING_GEMM);
    const uint32_t flags = FLAG_EP | FLAG_EPLB | FLAG_LORA | FLAG_BATCH_INVARIANT;
    nvfp4_hash_number(h, q->values & columns);
    nvfp4_hash_number(h, q->flags & flags);
    nvfp4_hash_number(h, q->custom);
    nvfp4_hash_number(h, (uint64_t)d->tensor_parallel << 32 | (uint32_t)d->data_parallel);
    nvfp4_hash_number(h, (uint64_t)d->context_parallel << 32 | (uint32_t)d->sequence_parallel);
}

/* The ranks' devices as a set: order, repetition, and whether this rank is among them decide nothing. */
static void hash_peers(struct hash *h, const struct question *q)
{
    uint64_t devices = 0, not_covered = 0;
    if (q->mixed_peers) {
        struct question there;
        devices = q->device;
        for (int n = nvfp4_device_set_next(&q->peers, 0); n >= 0; n = nvfp4_device_set_next(&q->peers, n + 1)) {
            nvfp4_question_ask_there(&there, q, n);
            devices |= there.device;
            not_covered |= !nvfp4_targets_cover(&there);
        }
    }
    nvfp4_hash_number(h, devices);
    nvfp4_hash_number(h, not_covered);
}

/* The first n bits; those beyond a policy's own rows and errata mean nothing. */
static uint64_t low_bits(int n)
{
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

uint64_t nvfp4_fingerprint_of(const struct question *q, int kernel)
{
    const nvfp4_deployment *d = q->deployment;
    nvfp4_kernel_set built = 0;
    uint16_t levels[LIBRARY_SLOTS];
    for (int i = 0; i < q->policy->row_count; i++) {
        const struct nvfp4_row *row = &q->policy->rows[i];
        if (!(d->not_built & NVFP4_BACKEND_BIT(row->backend)) &&
            !(row->engine_built && !nvfp4_targets_cover(q)))
            built |= (nvfp4_kernel_set)1 << i;
    }
    struct hash h = HASH_INIT;
    nvfp4_hash_number(&h, nvfp4_policy_hash(q->policy));
    nvfp4_hash_layer(&h, q);
    nvfp4_hash_number(&h, q->device);
    nvfp4_hash_number(&h, q->values);
    nvfp4_hash_number(&h, q->flags);
    nvfp4_hash_number(&h, q->custom);
    nvfp4_hash_number(&h, (uint64_t)q->share);
    nvfp4_hash_number(&h, (uint64_t)q->requested);
    nvfp4_library_levels(q, levels);
    for (int i = 0; i < LIBRARY_SLOTS; i++)
        nvfp4_hash_number(&h, levels[i]);
    nvfp4_hash_number(&h, built);
    nvfp4_hash_number(&h, d->disabled & low_bits(q->policy->row_count));
    nvfp4_hash_number(&h, d->errata_off & low_bits(q->policy->erratum_count));
    hash_peers(&h, q);
    nvfp4_hash_number(&h, (uint64_t)(int64_t)kernel);
    return nvfp4_hash_end(&h);
}
