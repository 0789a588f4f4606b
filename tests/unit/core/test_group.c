/* SPDX-License-Identifier: Apache-2.0 */
/* A group's answer against what each rank says by itself. */
#include <nvfp4moe/nvfp4moe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "group_random.h"

enum { RANKS_MOST = 9, GROUPS = 2000 };

/* What the long way round comes to: every rank judged with all reasons, then compared. */
struct brute {
    nvfp4_kernel_set eligible; /* on every rank */
    int kernels;
    size_t first[NVFP4_KERNELS_MAX], count[NVFP4_KERNELS_MAX];
    nvfp4_reason_set reasons[NVFP4_KERNELS_MAX];
};

static struct brute judge_all(const nvfp4_moe_layer *layer, const nvfp4_deployment *ranks,
                              size_t count, const nvfp4_policy *policy)
{
    struct brute b;
    memset(&b, 0, sizeof b);
    b.eligible = ~(nvfp4_kernel_set)0;
    for (size_t rank = 0; rank < count; rank++) {
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        assert_int_equal(nvfp4_judge(layer, &ranks[rank], policy, &v), NVFP4_OK);
        b.eligible &= v.eligible;
        b.kernels = v.kernel_count;
        for (int k = 0; k < v.kernel_count; k++)
            if (v.reasons[k] != 0 && b.count[k]++ == 0) {
                b.first[k] = rank;
                b.reasons[k] = v.reasons[k];
            }
    }
    return b;
}

/* The most preferred kernel that was asked for, -1: none. */
static int preferred(const struct brute *b, const nvfp4_policy *policy, int32_t requested)
{
    for (int k = 0; k < b->kernels; k++) {
        nvfp4_kernel_info info;
        assert_int_equal(nvfp4_policy_kernel(policy, (size_t)k, &info), NVFP4_OK);
        if ((b->eligible >> k & 1) &&
            (requested == NVFP4_BACKEND_NONE || info.backend == requested))
            return k;
    }
    return -1;
}

static void check_losses(const struct brute *b, const nvfp4_group_loss *losses, size_t count)
{
    size_t at = 0;
    for (int k = 0; k < b->kernels; k++) {
        if (b->count[k] == 0)
            continue;
        assert_in_range(at, 0, count - 1);
        assert_int_equal(losses[at].kernel, k);
        assert_int_equal(losses[at].rank, b->first[k]);
        assert_int_equal(losses[at].rank_count, b->count[k]);
        assert_int_equal(losses[at].reasons, b->reasons[k]);
        at++;
    }
    assert_int_equal(at, count);
}

/* The same by sets: each rank's own, combined, and chosen from on each rank. */
static void check_sets(const nvfp4_moe_layer *layer, const nvfp4_deployment *ranks, size_t count,
                       const nvfp4_policy *policy, nvfp4_status status, const nvfp4_group *group)
{
    nvfp4_kernel_set common = ~(nvfp4_kernel_set)0, own;
    for (size_t rank = 0; rank < count; rank++) {
        assert_int_equal(nvfp4_eligible_kernels(layer, &ranks[rank], policy, &own), NVFP4_OK);
        common &= own;
    }
    assert_true(common == group->kernels);
    for (size_t rank = 0; rank < count; rank++) {
        nvfp4_selection s = { .kernel = -1 };
        assert_int_equal(nvfp4_select_from_set(layer, &ranks[rank], policy, common, &s), status);
        assert_int_equal(s.kernel, group->selection.kernel);
        assert_int_equal(s.backend, group->selection.backend);
        if (rank == 0)
            assert_memory_equal(&s, &group->selection, sizeof s);
    }
}

static void shuffle(struct rng *r, nvfp4_deployment *ranks, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = rng_below(r, (uint32_t)i);
        const nvfp4_deployment kept = ranks[i - 1];
        ranks[i - 1] = ranks[other];
        ranks[other] = kept;
    }
}

/* One random group; how it ended. */
static nvfp4_status check_group(struct rng *r, const nvfp4_policy *policy)
{
    nvfp4_deployment ranks[RANKS_MOST];
    nvfp4_group_loss losses[NVFP4_KERNELS_MAX];
    nvfp4_group group = NVFP4_GROUP_INIT, turned = NVFP4_GROUP_INIT;
    const nvfp4_moe_layer layer = random_layer(r);
    const nvfp4_deployment plan = random_plan(r, policy);
    const size_t count = 1 + rng_below(r, RANKS_MOST);
    for (size_t i = 0; i < count; i++)
        ranks[i] = random_rank(r, &plan, policy);

    const nvfp4_status status =
        nvfp4_select_backend_group(&layer, ranks, count, policy, &group, losses, NVFP4_KERNELS_MAX);
    nvfp4_verdicts own = NVFP4_VERDICTS_INIT;
    assert_int_equal(nvfp4_judge(&layer, &ranks[0], policy, &own), NVFP4_OK);
    const struct brute b = judge_all(&layer, ranks, count, policy);
    const int kernel = preferred(&b, policy, own.requested);
    assert_int_equal(group.selection.kernel, kernel);
    assert_int_equal(status, kernel >= 0                           ? NVFP4_OK
                             : own.requested == NVFP4_BACKEND_NONE ? NVFP4_ENOBACKEND
                                                                   : NVFP4_EREFUSED);
    check_losses(&b, losses, group.loss_count);
    check_sets(&layer, ranks, count, policy, status, &group);

    shuffle(r, ranks, count);
    assert_int_equal(nvfp4_select_backend_group(&layer, ranks, count, policy, &turned, NULL, 0),
                     status);
    assert_int_equal(turned.selection.kernel, kernel);
    assert_int_equal(turned.loss_count, group.loss_count);
    assert_true(turned.kernels == group.kernels);
    return status;
}

static void random_groups(void **state)
{
    const nvfp4_policy *policy = nvfp4_policy_builtin(*state);
    struct rng r = { 20 };
    int chosen = 0, none = 0, refused = 0;
    for (int i = 0; i < GROUPS; i++) {
        const nvfp4_status status = check_group(&r, policy);
        chosen += status == NVFP4_OK;
        none += status == NVFP4_ENOBACKEND;
        refused += status == NVFP4_EREFUSED;
    }
    /* Every way to end was seen often enough to mean something. */
    assert_in_range(chosen, GROUPS / 10, GROUPS);
    assert_in_range(none, GROUPS / 30, GROUPS);
    assert_in_range(refused, GROUPS / 30, GROUPS);
}

/* ---- the small form: deployment.peers ---- */

/* The group that a rank with peers means: itself, and itself on each of the other devices. */
static size_t spread(const nvfp4_deployment *own, nvfp4_deployment *ranks)
{
    ranks[0] = *own;
    for (size_t i = 0; i < own->peer_count; i++) {
        ranks[i + 1] = *own;
        ranks[i + 1].device = own->peers[i];
    }
    for (size_t i = 0; i <= own->peer_count; i++) {
        ranks[i].peers = NULL;
        ranks[i].peer_count = 0;
    }
    return own->peer_count + 1;
}

static nvfp4_finding peer_finding(const nvfp4_moe_layer *layer, const nvfp4_deployment *own,
                                  const nvfp4_policy *policy, int kernel)
{
    nvfp4_finding found;
    size_t count = 0;
    assert_int_equal(nvfp4_list_findings(layer, own, policy, kernel, &found, 1, &count), NVFP4_OK);
    assert_int_equal(count, 1);
    return found;
}

/* One random list of devices; how many kernels fell out for a peer's sake. */
static int check_peers(struct rng *r, const nvfp4_policy *policy)
{
    nvfp4_deployment ranks[RANKS_MOST + 1];
    nvfp4_device_key peers[RANKS_MOST];
    nvfp4_verdicts with = NVFP4_VERDICTS_INIT, alone = NVFP4_VERDICTS_INIT;
    nvfp4_selection selection = { .kernel = -1 };
    nvfp4_kernel_set set;
    const nvfp4_moe_layer layer = random_layer(r);
    const nvfp4_deployment plan = random_plan(r, policy);
    nvfp4_deployment own = random_rank(r, &plan, policy);
    own.peers = peers;
    own.peer_count = 1 + rng_below(r, RANKS_MOST);
    for (size_t i = 0; i < own.peer_count; i++)
        peers[i] = random_device(r);

    const size_t count = spread(&own, ranks);
    const struct brute b = judge_all(&layer, ranks, count, policy);
    assert_int_equal(nvfp4_judge(&layer, &own, policy, &with), NVFP4_OK);
    assert_int_equal(nvfp4_judge(&layer, &ranks[0], policy, &alone), NVFP4_OK);
    const int kernel = preferred(&b, policy, with.requested);
    nvfp4_select_backend(&layer, &own, policy, &selection);
    assert_int_equal(selection.kernel, kernel);
    assert_int_equal(with.selection.kernel, kernel);
    assert_int_equal(nvfp4_eligible_kernels(&layer, &own, policy, &set), NVFP4_OK);
    assert_true((set & ~b.eligible) == 0);

    int fell = 0;
    for (int k = 0; k < b.kernels; k++) {
        if (alone.reasons[k] != 0 || b.count[k] == 0) {
            assert_int_equal(with.reasons[k], alone.reasons[k]);
            continue;
        }
        assert_int_equal(with.reasons[k], NVFP4_REASON_BIT(NVFP4_REASON_PEER));
        assert_int_equal(peer_finding(&layer, &own, policy, k).need.bits, b.first[k] - 1);
        fell++;
    }
    return fell;
}

static void random_peers(void **state)
{
    const nvfp4_policy *policy = nvfp4_policy_builtin(*state);
    struct rng r = { 7 };
    int fell = 0;
    for (int i = 0; i < GROUPS; i++)
        fell += check_peers(&r, policy);
    assert_in_range(fell, GROUPS / 4, INT32_MAX);
}

/* The kernels that need AMD everywhere are no answer where one rank is none. */
static void mori_rules_out_peers_too(void **state)
{
    (void)state;
    const nvfp4_device_key nvidia = { NVFP4_VENDOR_NVIDIA, 100, "" };
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    nvfp4_kernel_set alone, with_peer;
    d.device = (nvfp4_device_key){ NVFP4_VENDOR_AMD, 0, "gfx942" };
    d.data_parallel = 2;
    d.expert_parallel = 1;
    d.all2all = NVFP4_ALL2ALL_MORI_LOW_LATENCY;
    assert_int_equal(nvfp4_eligible_kernels(&layer, &d, NULL, &alone), NVFP4_OK);
    d.peers = &nvidia;
    d.peer_count = 1;
    assert_int_equal(nvfp4_eligible_kernels(&layer, &d, NULL, &with_peer), NVFP4_OK);
    assert_true(alone != 0);
    assert_true(with_peer == 0);
}

/* Whether this rank is listed, how often and in which order: the request means the same. */
static void peers_are_a_set(void **state)
{
    (void)state;
    const nvfp4_device_key a = { NVFP4_VENDOR_NVIDIA, 100, "" },
                           b = { NVFP4_VENDOR_NVIDIA, 120, "" };
    const nvfp4_device_key lists[][3] = { { b, b, b }, { a, b, b }, { b, a, a }, { a, a, a } };
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    uint64_t prints[4], alone;
    d.device = a;
    assert_int_equal(nvfp4_fingerprint(&layer, &d, NULL, &alone), NVFP4_OK);
    d.peer_count = 3;
    for (int i = 0; i < 4; i++) {
        d.peers = lists[i];
        assert_int_equal(nvfp4_fingerprint(&layer, &d, NULL, &prints[i]), NVFP4_OK);
    }
    assert_true(prints[0] == prints[1] && prints[1] == prints[2]);
    assert_true(prints[3] == alone && prints[0] != alone);
}

int main(void)
{
    static char names[][16] = { "vllm-44992", "vllm-46492", "vllm-52018", "kernels-2026-11" };
    const struct CMUnitTest tests[] = {
        { "random groups: vllm-44992", random_groups, NULL, NULL, names[0] },
        { "random groups: vllm-46492", random_groups, NULL, NULL, names[1] },
        { "random groups: vllm-52018", random_groups, NULL, NULL, names[2] },
        { "random groups: kernels-2026-11", random_groups, NULL, NULL, names[3] },
        { "random peers: vllm-52018", random_peers, NULL, NULL, names[2] },
        { "random peers: kernels-2026-11", random_peers, NULL, NULL, names[3] },
        cmocka_unit_test(mori_rules_out_peers_too),
        cmocka_unit_test(peers_are_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
