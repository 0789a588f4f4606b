/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/group.h>

#include "core/accept.h"
#include "core/checks.h"
#include "core/fingerprint.h"
#include "core/peers.h"

nvfp4_status nvfp4_eligible_kernels(const nvfp4_moe_layer *layer,
                                    const nvfp4_deployment *deployment, const nvfp4_policy *policy,
                                    nvfp4_kernel_set *kernels)
{
    struct question q;
    if (kernels == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    *kernels = nvfp4_all_accepting(&q);
    return NVFP4_OK;
}

/* Does the set hold a number that is no kernel of the policy? */
static int has_stranger(nvfp4_kernel_set kernels, const nvfp4_policy *policy)
{
    return policy->row_count < NVFP4_KERNELS_MAX && kernels >> policy->row_count != 0;
}

nvfp4_status nvfp4_select_from_set(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                   const nvfp4_policy *policy, nvfp4_kernel_set kernels,
                                   nvfp4_selection *selection)
{
    struct question q;
    if (selection == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    if (has_stranger(kernels, q.policy))
        return NVFP4_EINVAL;
    const nvfp4_kernel_set left = kernels & question_asks_for(&q);
    if (left == 0)
        return question_no(&q);
    question_decide(&q, first_bit(left), selection);
    return NVFP4_OK;
}

/* A group as its caller gave it. */
struct members {
    const nvfp4_moe_layer *layer;
    const nvfp4_deployment *ranks;
    size_t rank_count;
    const nvfp4_policy *policy;
};

/* Rank by rank: which kernels fall out, where first, on how many. */
struct tally {
    nvfp4_kernel_set lost;
    size_t first[NVFP4_KERNELS_MAX], count[NVFP4_KERNELS_MAX];
    size_t odd_rank; /* the first that asks another question than rank 0; 0: none does */
    int mixed;       /* the devices differ */
};

/* The caller's structs may be longer than ours: their own size leads from one to the next. */
static const nvfp4_deployment *member(const struct members *m, size_t rank)
{
    const void *at = (const char *)m->ranks + rank * m->ranks->struct_size;
    return at;
}

/* What must be the same on all ranks. */
static uint64_t question_in_common(const struct question *q)
{
    struct hash h = HASH_INIT;
    nvfp4_hash_number(&h, (uint64_t)q->requested);
    nvfp4_hash_plan(&h, q);
    return nvfp4_hash_end(&h);
}

static void count_losses(const struct question *q, size_t rank, struct tally *tally)
{
    for (int i = 0; i < q->policy->row_count; i++) {
        const struct nvfp4_row *row = &q->policy->rows[i];
        const int opted_in = !row->opt_in || row->backend == q->requested;
        if (opted_in && nvfp4_row_accepts(q, i))
            continue;
        if (tally->count[i]++ == 0)
            tally->first[i] = rank;
        tally->lost |= (nvfp4_kernel_set)1 << i;
    }
}

/* Asks every rank. `first` is left with the question of rank 0. */
static nvfp4_status ask_all(const struct members *m, struct question *first, struct tally *tally)
{
    uint64_t common = 0;
    struct question q;
    for (size_t rank = 0; rank < m->rank_count; rank++) {
        const nvfp4_deployment *deployment = member(m, rank);
        if (deployment->struct_size != m->ranks->struct_size)
            return NVFP4_EABI;
        const nvfp4_status status = nvfp4_question_ask(&q, m->layer, deployment, m->policy);
        if (status != NVFP4_OK)
            return status;
        if (rank == 0) {
            *first = q;
            common = question_in_common(&q);
        }
        if (tally->odd_rank == 0 && question_in_common(&q) != common)
            tally->odd_rank = rank;
        tally->mixed |= nvfp4_device_number(&deployment->device) !=
                        nvfp4_device_number(&m->ranks->device);
        count_losses(&q, rank, tally);
    }
    return NVFP4_OK;
}

/* All losses, each with what the first rank that rules the kernel out has against it. */
static size_t tell_losses(const struct members *m, const struct tally *tally, int kernels,
                          nvfp4_group_loss *losses, size_t capacity)
{
    size_t count = 0;
    for (int i = 0; i < kernels; i++) {
        if (!(tally->lost >> i & 1))
            continue;
        if (count < capacity) {
            struct question q;
            struct sink sink = { 0, 0, NULL, 0, 0 };
            if (nvfp4_question_ask(&q, m->layer, member(m, tally->first[i]), m->policy) == NVFP4_OK)
                nvfp4_judge_row(&q, i, &sink);
            losses[count] = (nvfp4_group_loss){ i, sink.reasons, tally->first[i], tally->count[i] };
        }
        count++;
    }
    return count;
}

nvfp4_status nvfp4_select_backend_group(const nvfp4_moe_layer *layer, const nvfp4_deployment *ranks,
                                        size_t rank_count, const nvfp4_policy *policy,
                                        nvfp4_group *group, nvfp4_group_loss *losses,
                                        size_t capacity)
{
    const struct members m = { layer, ranks, rank_count, policy };
    struct tally tally = { 0 };
    struct question first;
    if (ranks == NULL || rank_count == 0 || group == NULL || (losses == NULL && capacity != 0))
        return NVFP4_EINVAL;
    if (group->struct_size < V1_SIZE(nvfp4_group, reserved) ||
        ranks->struct_size % _Alignof(nvfp4_deployment) != 0)
        return NVFP4_EABI;
    const nvfp4_status status = ask_all(&m, &first, &tally);
    if (status != NVFP4_OK)
        return status;

    group->selection = (nvfp4_selection){ .kernel = -1 };
    group->kernels = 0;
    group->loss_count = 0;
    group->odd_rank = tally.odd_rank;
    group->warnings = tally.mixed ? 1u << NVFP4_WARNING_HETEROGENEOUS_DEVICES : 0;
    group->reserved = 0;
    if (tally.odd_rank != 0)
        return NVFP4_EDISAGREE;
    group->loss_count = tell_losses(&m, &tally, first.policy->row_count, losses, capacity);
    group->kernels = question_asks_for(&first) & ~tally.lost;
    if (group->kernels == 0)
        return question_no(&first);
    question_decide(&first, first_bit(group->kernels), &group->selection);
    return NVFP4_OK;
}
