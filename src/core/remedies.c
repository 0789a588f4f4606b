/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would help: change one key, ask again, keep what then finds a backend. Nothing here knows why a
 * kernel was ruled out; the rows only say which library versions are worth trying.
 */
#include <nvfp4moe/select.h>

#include "core/accept.h"
#include "core/question.h"

/* Releases on record, tried where a library is absent and the rows name no floor. */
static const nvfp4_library_version on_record[NVFP4_LIBRARY_COUNT] = {
    [NVFP4_LIBRARY_FLASHINFER] = VERSION(0, 6, 18), [NVFP4_LIBRARY_B12X] = VERSION(1, 2, 6),
    [NVFP4_LIBRARY_HUMMING] = VERSION(1, 0, 0),     [NVFP4_LIBRARY_CUDA] = VERSION(13, 0, 0),
    [NVFP4_LIBRARY_CUTLASS_DSL] = VERSION(4, 8, 0), [NVFP4_LIBRARY_VLLM] = VERSION(0, 24, 0),
};

/* Steps: what a change costs a user, small ones first. */
enum step {
    STEP_OPTION = 1,   /* a switch of the engine */
    STEP_ALL2ALL = 2,
    STEP_PARALLEL = 3, /* plus one for each doubling or halving */
    STEP_LIBRARY = 12,
    STEP_EXPERT_PARALLEL = 14,
    STEP_BACKEND = 16,   /* plus its place in the order */
    STEP_BUILT = 100,    /* a build of the engine */
    STEP_RISK = 200,     /* a defect taken in the bargain */
    STEP_OTHER = 1000    /* on top where another backend was asked for */
};

struct search {
    const struct question *q;  /* as asked */
    int want_scheme;           /* only what runs in the scheme asked for, and on real kernels */
    nvfp4_remedy *remedies;
    int cost[NVFP4_REMEDIES_MAX];
    size_t count;
};

static void insert(struct search *s, const nvfp4_remedy *remedy, int cost)
{
    size_t at = s->count;
    while (at > 0 && s->cost[at - 1] > cost)
        at--;
    if (at == NVFP4_REMEDIES_MAX)
        return;
    if (s->count < NVFP4_REMEDIES_MAX)
        s->count++;
    for (size_t i = s->count - 1; i > at; i--) {
        s->remedies[i] = s->remedies[i - 1];
        s->cost[i] = s->cost[i - 1];
    }
    s->remedies[at] = *remedy;
    s->cost[at] = cost;
}

/* Known to keep the activations' quantisation in its GEMMs: EMULATION does not, HUMMING was not read. */
static int quantises_activations(const struct nvfp4_row *row)
{
    return !row->runs_w4a16 && row->backend != NVFP4_BACKEND_EMULATION &&
           row->backend != NVFP4_BACKEND_HUMMING;
}

/* Asks again with a changed deployment; adds the remedy if that finds a backend. 1: it does. */
static int try_change(struct search *s, const nvfp4_deployment *changed, nvfp4_remedy remedy, int cost)
{
    struct question q;
    if (nvfp4_question_ask(&q, s->q->layer, changed, s->q->policy) != NVFP4_OK)
        return 0;
    const int kernel = nvfp4_first_accepting(&q);
    if (kernel < 0)
        return 0;
    const struct nvfp4_row *row = &q.policy->rows[kernel];
    if (s->want_scheme && !quantises_activations(row))
        return 0;
    remedy.backend = row->backend;
    remedy.kernel = kernel;
    insert(s, &remedy, cost);
    return 1;
}

static nvfp4_remedy remedy_of(int change, uint64_t from, uint64_t to)
{
    return (nvfp4_remedy){ .change = change, .from = from, .to = to };
}

static int try_size(struct search *s, int32_t size, int cost)
{
    nvfp4_deployment changed = *s->q->deployment;
    if (size < 1 || size > 64 || size == changed.tensor_parallel)
        return 0;
    const nvfp4_remedy remedy = remedy_of(NVFP4_CHANGE_TENSOR_PARALLEL,
                                          (uint64_t)changed.tensor_parallel, (uint64_t)size);
    changed.tensor_parallel = size;
    return try_change(s, &changed, remedy, cost);
}

/* Halves and doubles, as machines have GPUs; where none of those fits, the nearest size that does. */
static void try_tensor_parallel(struct search *s)
{
    const int32_t size = s->q->deployment->tensor_parallel;
    int found = 0;
    for (int step = 1; step <= 6 && !found; step++) {
        if (size % (1 << step) == 0)
            found |= try_size(s, size >> step, STEP_PARALLEL + step);
        if (size <= 64 >> step)
            found |= try_size(s, size << step, STEP_PARALLEL + step);
    }
    const int32_t near = size <= 64 ? size : 65;
    for (int32_t away = 1; away <= 64 && !found; away++) {
        found |= try_size(s, near - away, STEP_PARALLEL + 7);
        found |= try_size(s, near + away, STEP_PARALLEL + 7);
    }
}

/* In the order of what they ask of a machine: the plain collective needs nothing. */
static const uint8_t all2all_order[] = {
    NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER,     NVFP4_ALL2ALL_DEEPEP_HIGH_THROUGHPUT,
    NVFP4_ALL2ALL_DEEPEP_V2,                   NVFP4_ALL2ALL_FLASHINFER_NVLINK_ONE_SIDED,
    NVFP4_ALL2ALL_FLASHINFER_NVLINK_TWO_SIDED, NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY,
    NVFP4_ALL2ALL_NIXL_EP,
};

static void try_all2all(struct search *s)
{
    const nvfp4_deployment *d = s->q->deployment;
    if (s->q->all2all == NVFP4_ALL2ALL_NONE) /* none in use, so the name decides nothing */
        return;
    int found = 0;
    for (size_t i = 0; i < COUNT_OF(all2all_order) && found < 2; i++) {
        nvfp4_deployment changed = *d;
        changed.all2all = all2all_order[i];
        if (changed.all2all != d->all2all)
            found += try_change(s, &changed,
                                remedy_of(NVFP4_CHANGE_ALL2ALL, (uint64_t)d->all2all,
                                          (uint64_t)changed.all2all),
                                STEP_ALL2ALL);
    }
}

static void try_options(struct search *s)
{
    const nvfp4_deployment *d = s->q->deployment;
    nvfp4_deployment changed = *d;
    if (d->format != NVFP4_FORMAT_AUTO) {
        changed.format = NVFP4_FORMAT_AUTO;
        if (!try_change(s, &changed,
                        remedy_of(NVFP4_CHANGE_FORMAT, (uint64_t)d->format, NVFP4_FORMAT_AUTO),
                        STEP_OPTION)) {
            changed.format = NVFP4_FORMAT_STANDARD;
            if (d->format != NVFP4_FORMAT_STANDARD)
                try_change(s, &changed,
                           remedy_of(NVFP4_CHANGE_FORMAT, (uint64_t)d->format, NVFP4_FORMAT_STANDARD),
                           STEP_OPTION);
        }
    }
    changed = *d;
    changed.humming_gemm = d->humming_gemm == NVFP4_HUMMING_GEMM_INDEXED ? NVFP4_HUMMING_GEMM_GROUPED
                                                                         : NVFP4_HUMMING_GEMM_INDEXED;
    try_change(s, &changed,
               remedy_of(NVFP4_CHANGE_HUMMING_GEMM, (uint64_t)d->humming_gemm,
                         (uint64_t)changed.humming_gemm),
               STEP_OPTION);
    changed = *d;
    changed.expert_parallel = !d->expert_parallel;
    try_change(s, &changed,
               remedy_of(NVFP4_CHANGE_EXPERT_PARALLEL, d->expert_parallel, changed.expert_parallel),
               STEP_EXPERT_PARALLEL);
}

/* The smallest version above `above` that any rule of the policy distinguishes; 0: none. */
static nvfp4_library_version next_floor(const nvfp4_policy *p, int library,
                                        nvfp4_library_version above)
{
    nvfp4_library_version next = 0;
#define CONSIDER(of, version)                                                                      \
    do {                                                                                           \
        if ((of) == library && (version) > above && (next == 0 || (version) < next))               \
            next = (version);                                                                      \
    } while (0)
    for (int i = 0; i < p->row_count; i++) {
        const struct nvfp4_row *row = &p->rows[i];
        for (int k = 0; k < row->condition_count; k++) {
            const struct nvfp4_condition *c = &row->conditions[k];
            if (c->kind == CONDITION_LIBRARY)
                CONSIDER(c->library, c->number);
            CONSIDER(c->library, c->until);
        }
        for (int k = 0; k < row->clamp_count; k++)
            CONSIDER(row->clamp[k].library, row->clamp[k].since);
    }
    for (int i = 0; i < p->erratum_count; i++)
        CONSIDER(p->errata[i].library, p->errata[i].below);
    CONSIDER(library, on_record[library]);
#undef CONSIDER
    return next;
}

/* The smallest step up of each library that helps by itself. */
static void try_libraries(struct search *s)
{
    const nvfp4_deployment *d = s->q->deployment;
    for (int library = 0; library < NVFP4_LIBRARY_COUNT; library++) {
        const nvfp4_library_version have = d->libraries[library];
        if (have == NVFP4_LIBRARY_UNKNOWN)
            continue;
        nvfp4_deployment changed = *d;
        /* What is absent comes in the release on record, not in the oldest that would do. */
        nvfp4_library_version to = have == NVFP4_LIBRARY_ABSENT
                                       ? on_record[library]
                                       : next_floor(s->q->policy, library, have);
        for (; to != 0; to = next_floor(s->q->policy, library, to)) {
            changed.libraries[library] = to;
            nvfp4_remedy remedy = remedy_of(NVFP4_CHANGE_LIBRARY, have, to);
            remedy.library = library;
            if (try_change(s, &changed, remedy, STEP_LIBRARY))
                break;
        }
    }
}

/* Takes back, one by one, what the user or the build has taken away. */
static void try_restrictions(struct search *s)
{
    const nvfp4_deployment *d = s->q->deployment;
    const nvfp4_policy *p = s->q->policy;
    nvfp4_deployment changed = *d;
    nvfp4_backend_set tried = 0;
    for (int i = 0; i < p->row_count; i++) {
        const nvfp4_backend_set bit = NVFP4_BACKEND_BIT(p->rows[i].backend);
        nvfp4_kernel_set same = 0; /* all kernels of the backend */
        for (int k = 0; k < p->row_count; k++)
            if (p->rows[k].backend == p->rows[i].backend)
                same |= (nvfp4_kernel_set)1 << k;
        if (tried & bit)
            continue;
        tried |= bit;
        changed = *d;
        changed.disabled &= ~same;
        if (d->disabled & same)
            try_change(s, &changed,
                       remedy_of(NVFP4_CHANGE_DISABLE, d->disabled, changed.disabled), STEP_OPTION);
        changed = *d;
        changed.not_built &= ~bit;
        if (d->not_built & bit)
            try_change(s, &changed,
                       remedy_of(NVFP4_CHANGE_BUILT, d->not_built, changed.not_built),
                       STEP_BUILT + i);
    }
    changed = *d;
    changed.target_count = 0;
    if (d->target_count != 0)
        try_change(s, &changed, remedy_of(NVFP4_CHANGE_TARGETS, d->target_count, 0), STEP_BUILT);
    for (int i = 0; i < p->erratum_count; i++) {
        changed = *d;
        changed.errata_off |= (uint64_t)1 << i;
        if (nvfp4_erratum_holds(s->q, i))
            try_change(s, &changed,
                       remedy_of(NVFP4_CHANGE_ERRATA_OFF, d->errata_off, changed.errata_off),
                       STEP_RISK);
    }
}

/* Other backends that fit as things are: any for a refusal, the opt-in ones for an automatic choice. */
static void try_backends(struct search *s)
{
    const nvfp4_policy *p = s->q->policy;
    const int other = s->q->requested != NVFP4_BACKEND_NONE ? STEP_OTHER : 0;
    int found = 0;
    for (int i = 0; i < p->word_count && found < NVFP4_REMEDIES_MAX; i++) {
        nvfp4_deployment changed = *s->q->deployment;
        changed.requested = p->words[i].backend;
        if (changed.requested == s->q->deployment->requested)
            continue;
        int place = 0;
        while (place < p->row_count && p->rows[place].backend != changed.requested)
            place++;
        found += try_change(s, &changed,
                            remedy_of(NVFP4_CHANGE_BACKEND, (uint64_t)s->q->deployment->requested,
                                      (uint64_t)changed.requested),
                            STEP_BACKEND + place + other);
    }
}

nvfp4_status nvfp4_find_remedies(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                 const nvfp4_policy *policy, nvfp4_remedy *remedies, size_t *count)
{
    struct question q;
    if (remedies == NULL || count == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    const int kernel = nvfp4_first_accepting(&q);
    const int downgraded =
        kernel >= 0 && q.policy->rows[kernel].runs_w4a16 && layer->scheme != NVFP4_SCHEME_W4A16;
    nvfp4_remedy found[NVFP4_REMEDIES_MAX];
    struct search s = { &q, downgraded, found, { 0 }, 0 };
    if (kernel < 0 || downgraded) {
        try_options(&s);
        try_all2all(&s);
        try_tensor_parallel(&s);
        try_libraries(&s);
        try_backends(&s);
        try_restrictions(&s);
    }
    for (size_t i = 0; i < s.count; i++)
        remedies[i] = found[i];
    *count = s.count;
    return NVFP4_OK;
}
