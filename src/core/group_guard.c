/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/group.h>

#include <string.h>

#include "core/accept.h"
#include "core/fingerprint.h"

/* Where the parts of a record lie; group.h has the table. */
enum {
    AT_MAGIC = 0,
    AT_POLICY = 8,
    AT_LAYER = 16,
    AT_DEPLOYMENT = 24,
    AT_KERNELS = 32,
    AT_LEVELS = 40,
    AT_BACKEND = 56,
    AT_CHECK_SUM = 60,
    RECORD_SIZE = 64
};
_Static_assert(sizeof(nvfp4_agreement) == RECORD_SIZE, "nothing but the bytes");
_Static_assert(AT_LEVELS + 2 * LIBRARY_SLOTS == AT_BACKEND, "two bytes for each library");

/* The last byte is the version of the format. */
static const uint8_t magic[8] = { 'N', 'V', 'F', 'P', '4', 'A', 'G', 1 };

static void put(uint8_t *at, int bytes, uint64_t n)
{
    for (int i = 0; i < bytes; i++, n >>= 8)
        at[i] = (uint8_t)(n & 0xff);
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t n = 0;
    for (int i = bytes - 1; i >= 0; i--)
        n = n << 8 | at[i];
    return n;
}

static uint32_t check_sum(const nvfp4_agreement *a)
{
    struct hash h = HASH_INIT;
    for (int at = 0; at < AT_CHECK_SUM; at += 4)
        nvfp4_hash_number(&h, get(a->bytes + at, 4));
    return (uint32_t)(nvfp4_hash_end(&h) & UINT32_MAX);
}

static int is_record(const nvfp4_agreement *a)
{
    return memcmp(a->bytes + AT_MAGIC, magic, sizeof magic) == 0 &&
           get(a->bytes + AT_CHECK_SUM, 4) == check_sum(a);
}

static uint64_t layer_hash(const struct question *q)
{
    struct hash h = HASH_INIT;
    nvfp4_hash_layer(&h, q);
    return nvfp4_hash_end(&h);
}

static uint64_t plan_hash(const struct question *q)
{
    struct hash h = HASH_INIT;
    nvfp4_hash_plan(&h, q);
    return nvfp4_hash_end(&h);
}

nvfp4_status nvfp4_agreement_make(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                  const nvfp4_policy *policy, nvfp4_agreement *agreement)
{
    struct question q;
    uint16_t levels[LIBRARY_SLOTS];
    nvfp4_agreement a = NVFP4_AGREEMENT_INIT;
    if (agreement == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    memcpy(a.bytes + AT_MAGIC, magic, sizeof magic);
    put(a.bytes + AT_POLICY, 8, nvfp4_policy_hash(q.policy));
    put(a.bytes + AT_LAYER, 8, layer_hash(&q));
    put(a.bytes + AT_DEPLOYMENT, 8, plan_hash(&q));
    put(a.bytes + AT_KERNELS, 8, nvfp4_all_accepting(&q));
    nvfp4_library_levels(&q, levels);
    for (int i = 0; i < LIBRARY_SLOTS; i++)
        put(a.bytes + AT_LEVELS + 2 * i, 2, levels[i]);
    put(a.bytes + AT_BACKEND, 1, (uint64_t)q.requested);
    put(a.bytes + AT_CHECK_SUM, 4, check_sum(&a));
    *agreement = a;
    return NVFP4_OK;
}

nvfp4_kernel_set nvfp4_agreement_kernels(const nvfp4_agreement *agreement)
{
    return agreement != NULL && is_record(agreement) ? get(agreement->bytes + AT_KERNELS, 8) : 0;
}

/* What is compared. The policy first: what comes after the layer has its meaning from it. */
static const struct field {
    uint8_t input, at, bytes, by_policy;
} fields[] = {
    { NVFP4_INPUT_POLICY, AT_POLICY, 8, 0 },
    { NVFP4_INPUT_LAYER, AT_LAYER, 8, 0 },
    { NVFP4_INPUT_BACKEND, AT_BACKEND, 1, 1 },
    { NVFP4_INPUT_DEPLOYMENT, AT_DEPLOYMENT, 8, 1 },
#define LEVEL(i)                                                                                   \
    {                                                                                              \
        NVFP4_INPUT_LIBRARY + (i), AT_LEVELS + 2 * (i), 2, 1                                       \
    }
    LEVEL(0),
    LEVEL(1),
    LEVEL(2),
    LEVEL(3),
    LEVEL(4),
    LEVEL(5),
    LEVEL(6),
    LEVEL(7),
#undef LEVEL
};
enum { FIELDS = COUNT_OF(fields), POLICY_FIELD = 0 };

static uint64_t value_of(const nvfp4_agreement *a, int field)
{
    return get(a->bytes + fields[field].at, fields[field].bytes);
}

/* One field's vote: a value that more than half have is the candidate in the end. */
struct vote {
    uint64_t first, candidate;
    size_t lead, voters, votes;
};

static void cast_vote(struct vote *v, uint64_t value)
{
    if (v->voters++ == 0)
        v->first = value;
    if (v->lead == 0)
        v->candidate = value;
    if (v->candidate == value)
        v->lead++;
    else
        v->lead--;
}

/* What most ranks say. */
struct usual {
    uint64_t values[FIELDS];
};

/* Is the field of this record compared with the others'? */
static int is_voter(const nvfp4_agreement *a, int field, const struct usual *usual)
{
    return !fields[field].by_policy || value_of(a, POLICY_FIELD) == usual->values[POLICY_FIELD];
}

/* The usual values of the fields from `from` on up to `to`; those before `from` are known. */
static void find_usual(const nvfp4_agreement *ranks, size_t count, int from, int to,
                       struct usual *usual)
{
    struct vote votes[FIELDS];
    memset(votes, 0, sizeof votes);
    for (int counting = 0; counting <= 1; counting++)
        for (size_t rank = 0; rank < count; rank++) {
            if (!is_record(&ranks[rank]))
                continue;
            for (int f = from; f < to; f++) {
                if (!is_voter(&ranks[rank], f, usual))
                    continue;
                const uint64_t value = value_of(&ranks[rank], f);
                if (counting)
                    votes[f].votes += value == votes[f].candidate;
                else
                    cast_vote(&votes[f], value);
            }
        }
    for (int f = from; f < to; f++)
        usual->values[f] =
            votes[f].votes > votes[f].voters / 2 ? votes[f].candidate : votes[f].first;
}

static nvfp4_input_set compare(const nvfp4_agreement *a, const struct usual *usual)
{
    if (!is_record(a))
        return NVFP4_INPUT_BIT(NVFP4_INPUT_RECORD);
    nvfp4_input_set differs = 0;
    for (int f = 0; f < FIELDS; f++)
        if (is_voter(a, f, usual) && value_of(a, f) != usual->values[f])
            differs |= NVFP4_INPUT_BIT(fields[f].input);
    return differs;
}

static void note(nvfp4_agreement_report *report, size_t rank, nvfp4_input_set differs)
{
    report->differs |= differs;
    for (int i = 0; differs != 0; i++, differs >>= 1)
        if ((differs & 1) && report->rank_count[i]++ == 0)
            report->first_rank[i] = rank;
}

nvfp4_status nvfp4_agreement_check(const nvfp4_agreement *ranks, size_t rank_count,
                                   nvfp4_agreement_report *report, nvfp4_input_set *differs,
                                   size_t capacity)
{
    struct usual usual;
    if (ranks == NULL || rank_count == 0 || report == NULL || (differs == NULL && capacity != 0))
        return NVFP4_EINVAL;
    if (report->struct_size < V1_SIZE(nvfp4_agreement_report, first_rank))
        return NVFP4_EABI;
    find_usual(ranks, rank_count, POLICY_FIELD, POLICY_FIELD + 1, &usual);
    find_usual(ranks, rank_count, POLICY_FIELD + 1, FIELDS, &usual);

    *report = (nvfp4_agreement_report){ .struct_size = report->struct_size };
    nvfp4_kernel_set kernels = ~(nvfp4_kernel_set)0;
    for (size_t rank = 0; rank < rank_count; rank++) {
        const nvfp4_input_set there = compare(&ranks[rank], &usual);
        if (rank < capacity)
            differs[rank] = there;
        note(report, rank, there);
        kernels &= get(ranks[rank].bytes + AT_KERNELS, 8);
    }
    if (report->differs & NVFP4_INPUTS_STOP)
        return NVFP4_EDISAGREE;
    report->kernels = kernels;
    return NVFP4_OK;
}

const char *nvfp4_input_name(nvfp4_input input)
{
    switch (input) {
#define X(name, value, word)                                                                       \
    case NVFP4_INPUT_##name:                                                                       \
        return word;
        NVFP4_INPUT_MAP(X)
#undef X
    default:
        return (int)input < NVFP4_INPUT_LIBRARY
                   ? "unknown"
                   : nvfp4_library_name((nvfp4_library)((int)input - NVFP4_INPUT_LIBRARY));
    }
}
