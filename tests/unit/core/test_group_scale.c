/* SPDX-License-Identifier: Apache-2.0 */
/* Very many ranks: the same answer as rank by rank, and soon. */
#include <nvfp4moe/nvfp4moe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "group_random.h"

enum { RANKS = 100000 };

/* Of the processor; a tenth is what it takes. Instrumented code proves no time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifdef INSTRUMENTED
static const double seconds_most = 60;
#else
static const double seconds_most = 1;
#endif

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void report_time(const char *what, double seconds)
{
    print_message("    %d ranks, %s: %.1f ms\n", (int)RANKS, what, seconds * 1e3);
    assert_true(seconds < seconds_most);
}

static void *room_for(size_t count, size_t size)
{
    void *room = calloc(count, size);
    assert_non_null(room);
    return room;
}

/* Devices and versions differ; what takes kernels away altogether is rare enough to leave some. */
static nvfp4_deployment *many_ranks(void)
{
    static const nvfp4_sm sms[] = { 100, 103, 120, 121 };
    static const char *const versions[] = { "0.6.16", "0.6.17", "0.6.18", "0.6.18.post1" };
    struct rng r = { 99 };
    nvfp4_deployment *ranks = room_for(RANKS, sizeof *ranks);
    for (size_t i = 0; i < RANKS; i++) {
        const nvfp4_deployment usual = NVFP4_DEPLOYMENT_INIT;
        ranks[i] = usual;
        ranks[i].device.sm = sms[rng_below(&r, 4)];
        nvfp4_version_parse(versions[rng_below(&r, 4)],
                            &ranks[i].libraries[NVFP4_LIBRARY_FLASHINFER]);
        if (rng_below(&r, RANKS / 3) == 0)
            nvfp4_version_parse("0.6.3", &ranks[i].libraries[NVFP4_LIBRARY_FLASHINFER]);
        if (rng_below(&r, RANKS / 3) == 0)
            ranks[i].libraries[NVFP4_LIBRARY_HUMMING] = NVFP4_LIBRARY_ABSENT;
    }
    return ranks;
}

static nvfp4_moe_layer clamped_layer(void)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10.0;
    layer.hidden_size = 4096;
    layer.intermediate_size = 2048;
    layer.num_experts = 256;
    layer.top_k = 6;
    return layer;
}

/* Each rank judged with all reasons; the losses are held against that. */
static nvfp4_kernel_set check_by_brute_force(const nvfp4_moe_layer *layer,
                                             const nvfp4_deployment *ranks,
                                             const nvfp4_group *group,
                                             const nvfp4_group_loss *losses)
{
    size_t first[NVFP4_KERNELS_MAX] = { 0 }, count[NVFP4_KERNELS_MAX] = { 0 };
    nvfp4_reason_set reasons[NVFP4_KERNELS_MAX] = { 0 };
    nvfp4_kernel_set common = ~(nvfp4_kernel_set)0;
    for (size_t rank = 0; rank < RANKS; rank++) {
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        if (nvfp4_judge(layer, &ranks[rank], NULL, &v) != NVFP4_OK)
            fail();
        common &= v.eligible;
        for (int k = 0; k < v.kernel_count; k++)
            if (v.reasons[k] != 0 && count[k]++ == 0) {
                first[k] = rank;
                reasons[k] = v.reasons[k];
            }
    }
    for (size_t i = 0; i < group->loss_count; i++) {
        const int k = losses[i].kernel;
        assert_int_equal(losses[i].rank, first[k]);
        assert_int_equal(losses[i].rank_count, count[k]);
        assert_int_equal(losses[i].reasons, reasons[k]);
    }
    return common;
}

static void one_process_of_many_ranks(void **state)
{
    (void)state;
    const nvfp4_moe_layer layer = clamped_layer();
    nvfp4_deployment *ranks = many_ranks();
    nvfp4_group group = NVFP4_GROUP_INIT;
    nvfp4_group_loss losses[NVFP4_KERNELS_MAX];
    clock_t start = clock();
    assert_int_equal(
        nvfp4_select_backend_group(&layer, ranks, RANKS, NULL, &group, losses, NVFP4_KERNELS_MAX),
        NVFP4_OK);
    report_time("one selection", seconds_since(start));
    start = clock();
    const nvfp4_kernel_set common = check_by_brute_force(&layer, ranks, &group, losses);
    report_time("by brute force", seconds_since(start));
    assert_true(common == group.kernels);
    assert_true((common >> group.selection.kernel & 1) != 0);
    assert_true((common & (((nvfp4_kernel_set)1 << group.selection.kernel) - 1)) == 0);
    assert_true(group.loss_count > 4);
    free(ranks);
}

static void records_of_many_ranks(void **state)
{
    (void)state;
    const nvfp4_moe_layer layer = clamped_layer();
    nvfp4_deployment *ranks = many_ranks();
    nvfp4_agreement *records = room_for(RANKS, sizeof *records);
    nvfp4_input_set *differs = room_for(RANKS, sizeof *differs);
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    nvfp4_group group = NVFP4_GROUP_INIT;
    clock_t start = clock();
    for (size_t i = 0; i < RANKS; i++)
        if (nvfp4_agreement_make(&layer, &ranks[i], NULL, &records[i]) != NVFP4_OK)
            fail();
    report_time("all records made", seconds_since(start));
    start = clock();
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, differs, RANKS), NVFP4_OK);
    report_time("all records checked", seconds_since(start));
    assert_int_equal(nvfp4_select_backend_group(&layer, ranks, RANKS, NULL, &group, NULL, 0),
                     NVFP4_OK);
    assert_true(report.kernels == group.kernels);

    ranks[RANKS - 1].requested = NVFP4_BACKEND_MARLIN;
    assert_int_equal(nvfp4_agreement_make(&layer, &ranks[RANKS - 1], NULL, &records[RANKS - 1]),
                     NVFP4_OK);
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, differs, RANKS),
                     NVFP4_EDISAGREE);
    assert_int_equal(report.first_rank[NVFP4_INPUT_BACKEND], RANKS - 1);
    assert_true(differs[RANKS - 1] & NVFP4_INPUT_BIT(NVFP4_INPUT_BACKEND));
    free(differs);
    free(records);
    free(ranks);
}

/* The same devices as a list of one rank's peers: only the last one differs. */
static void many_peers(void **state)
{
    (void)state;
    const nvfp4_moe_layer layer = clamped_layer();
    nvfp4_deployment own = NVFP4_DEPLOYMENT_INIT;
    nvfp4_device_key *peers = room_for(RANKS, sizeof *peers);
    nvfp4_selection selection;
    nvfp4_finding finding;
    size_t count;
    for (size_t i = 0; i < RANKS; i++)
        peers[i].sm = i == RANKS - 1 ? 120 : 100;
    own.device.sm = 100;
    own.peers = peers;
    own.peer_count = RANKS;
    const clock_t start = clock();
    assert_int_equal(nvfp4_select_backend(&layer, &own, NULL, &selection), NVFP4_OK);
    report_time("as peers of one", seconds_since(start));
    assert_int_equal(selection.backend, NVFP4_BACKEND_FLASHINFER_CUTLASS);
    assert_int_equal(nvfp4_list_findings(&layer, &own, NULL, 0, &finding, 1, &count), NVFP4_OK);
    assert_int_equal(finding.reason, NVFP4_REASON_PEER);
    assert_int_equal(finding.need.bits, RANKS - 1);
    free(peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_of_many_ranks),
        cmocka_unit_test(records_of_many_ranks),
        cmocka_unit_test(many_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
