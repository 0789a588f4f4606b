/* SPDX-License-Identifier: Apache-2.0 */
/* Groups by hand: what was asked for, odd ranks, wrong calls. */
#include <nvfp4moe/nvfp4moe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4 };

struct fixture {
    nvfp4_moe_layer layer;
    nvfp4_deployment ranks[RANKS];
    nvfp4_group group;
    nvfp4_group_loss losses[NVFP4_KERNELS_MAX];
};

/* A clamped SiLU layer on four ranks with SM 120. */
static struct fixture on_sm120(void)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_deployment rank = NVFP4_DEPLOYMENT_INIT;
    const nvfp4_group group = NVFP4_GROUP_INIT;
    struct fixture f = { .layer = layer, .group = group };
    f.layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    f.layer.swiglu_limit = 10.0;
    f.layer.hidden_size = 4096;
    f.layer.intermediate_size = 2048;
    for (int i = 0; i < RANKS; i++) {
        f.ranks[i] = rank;
        f.ranks[i].device.sm = 120;
    }
    return f;
}

static nvfp4_status ask(struct fixture *f)
{
    return nvfp4_select_backend_group(&f->layer, f->ranks, RANKS, NULL, &f->group, f->losses,
                                      NVFP4_KERNELS_MAX);
}

static void ask_for(struct fixture *f, int32_t backend)
{
    for (int i = 0; i < RANKS; i++)
        f->ranks[i].requested = backend;
}

static void set_version(struct fixture *f, int rank, nvfp4_library library, const char *version)
{
    assert_int_equal(nvfp4_version_parse(version, &f->ranks[rank].libraries[library]), NVFP4_OK);
}

static const nvfp4_group_loss *loss_of(const struct fixture *f, nvfp4_backend backend)
{
    for (size_t i = 0; i < f->group.loss_count; i++) {
        nvfp4_kernel_info info;
        assert_int_equal(nvfp4_policy_kernel(NULL, (size_t)f->losses[i].kernel, &info), NVFP4_OK);
        if (info.backend == (int32_t)backend)
            return &f->losses[i];
    }
    return NULL;
}

static void one_old_library_decides_for_all(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.selection.backend, NVFP4_BACKEND_FLASHINFER_CUTLASS);
    assert_null(loss_of(&f, NVFP4_BACKEND_FLASHINFER_CUTLASS));
    f.ranks[2].libraries[NVFP4_LIBRARY_FLASHINFER] = NVFP4_LIBRARY_ABSENT;
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.selection.backend, NVFP4_BACKEND_VLLM_CUTLASS);
    const nvfp4_group_loss *loss = loss_of(&f, NVFP4_BACKEND_FLASHINFER_CUTLASS);
    assert_non_null(loss);
    assert_int_equal(loss->rank, 2);
    assert_int_equal(loss->rank_count, 1);
    assert_int_equal(loss->reasons, NVFP4_REASON_BIT(NVFP4_REASON_DEPENDENCY));
}

static void devices_that_differ_are_told(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.warnings, 0);
    f.ranks[3].device.sm = 100;
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.warnings, 1u << NVFP4_WARNING_HETEROGENEOUS_DEVICES);
}

static void thor_has_two_names(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    for (int i = 0; i < RANKS; i++)
        f.ranks[i].device.sm = i % 2 ? 101 : 110;
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.warnings, 0);
}

static void asked_for_is_never_replaced(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    ask_for(&f, NVFP4_BACKEND_MARLIN);
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.selection.backend, NVFP4_BACKEND_MARLIN);
    assert_int_equal(f.group.selection.asked, 1);
    f.ranks[1].not_built = NVFP4_BACKEND_BIT(NVFP4_BACKEND_MARLIN);
    assert_int_equal(ask(&f), NVFP4_EREFUSED);
    assert_int_equal(f.group.selection.kernel, -1);
    assert_true(f.group.kernels == 0);
    assert_int_equal(loss_of(&f, NVFP4_BACKEND_MARLIN)->rank, 1);
}

static void opt_in_only_when_asked_for(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    f.layer.has = 0;
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(loss_of(&f, NVFP4_BACKEND_FLASHINFER_B12X)->reasons,
                     NVFP4_REASON_BIT(NVFP4_REASON_OPT_IN));
    assert_int_equal(loss_of(&f, NVFP4_BACKEND_FLASHINFER_B12X)->rank_count, RANKS);
    ask_for(&f, NVFP4_BACKEND_FLASHINFER_B12X);
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_int_equal(f.group.selection.backend, NVFP4_BACKEND_FLASHINFER_B12X);
}

static void different_questions_stop(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    f.ranks[2].requested = NVFP4_BACKEND_MARLIN;
    f.ranks[3].requested = NVFP4_BACKEND_HUMMING;
    f.losses[0].kernel = 77;
    assert_int_equal(ask(&f), NVFP4_EDISAGREE);
    assert_int_equal(f.group.odd_rank, 2);
    assert_int_equal(f.group.selection.kernel, -1);
    assert_int_equal(f.group.loss_count, 0);
    assert_int_equal(f.losses[0].kernel, 77);
    f = on_sm120();
    f.ranks[1].tensor_parallel = 2;
    assert_int_equal(ask(&f), NVFP4_EDISAGREE);
    assert_int_equal(f.group.odd_rank, 1);
    assert_true(f.group.kernels == 0);
}

/* ---- sets ---- */

static void sets_hold_what_was_asked_for(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    nvfp4_kernel_set all, marlin, named;
    assert_int_equal(nvfp4_eligible_kernels(&f.layer, &f.ranks[0], NULL, &all), NVFP4_OK);
    assert_int_equal(nvfp4_policy_find_kernels(NULL, "MARLIN", &marlin), NVFP4_OK);
    f.ranks[0].requested = NVFP4_BACKEND_MARLIN;
    assert_int_equal(nvfp4_eligible_kernels(&f.layer, &f.ranks[0], NULL, &named), NVFP4_OK);
    assert_true(named == marlin && (all & marlin) == marlin && all != marlin);
}

static void a_set_gives_what_was_asked_for(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    nvfp4_selection s = { .kernel = -7 };
    const nvfp4_kernel_set every = ((nvfp4_kernel_set)1 << nvfp4_policy_kernel_count(NULL)) - 1;
    nvfp4_kernel_set opt_in;
    assert_int_equal(nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, 0, &s), NVFP4_ENOBACKEND);
    assert_int_equal(nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, every + 1, &s),
                     NVFP4_EINVAL);
    assert_int_equal(
        nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, every | (nvfp4_kernel_set)1 << 63, &s),
        NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_find_kernels(NULL, "FLASHINFER_B12X", &opt_in), NVFP4_OK);
    assert_int_equal(nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, opt_in, &s),
                     NVFP4_ENOBACKEND);
    f.ranks[0].requested = NVFP4_BACKEND_MARLIN;
    assert_int_equal(nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, opt_in, &s),
                     NVFP4_EREFUSED);
    assert_int_equal(s.kernel, -7);
    assert_int_equal(nvfp4_select_from_set(&f.layer, &f.ranks[0], NULL, every, &s), NVFP4_OK);
    assert_int_equal(s.backend, NVFP4_BACKEND_MARLIN);
}

/* ---- wrong calls, room, sizes ---- */

static void wrong_calls(void **state)
{
    (void)state;
    struct fixture f = on_sm120(), before;
    nvfp4_selection s;
    nvfp4_kernel_set set;
    f.group.loss_count = 99;
    before = f;
    const nvfp4_deployment *ranks = f.ranks;
    nvfp4_group *group = &f.group;
#define CALL(layer, ranks, count, group, losses, capacity)                                         \
    nvfp4_select_backend_group(layer, ranks, count, NULL, group, losses, capacity)
    assert_int_equal(CALL(NULL, ranks, RANKS, group, f.losses, 9), NVFP4_EINVAL);
    assert_int_equal(CALL(&f.layer, NULL, RANKS, group, f.losses, 9), NVFP4_EINVAL);
    assert_int_equal(CALL(&f.layer, ranks, 0, group, f.losses, 9), NVFP4_EINVAL);
    assert_int_equal(CALL(&f.layer, ranks, RANKS, NULL, f.losses, 9), NVFP4_EINVAL);
    assert_int_equal(CALL(&f.layer, ranks, RANKS, group, NULL, 9), NVFP4_EINVAL);
#undef CALL
    assert_int_equal(nvfp4_eligible_kernels(NULL, ranks, NULL, &set), NVFP4_EINVAL);
    assert_int_equal(nvfp4_eligible_kernels(&f.layer, NULL, NULL, &set), NVFP4_EINVAL);
    assert_int_equal(nvfp4_eligible_kernels(&f.layer, ranks, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_select_from_set(NULL, ranks, NULL, 1, &s), NVFP4_EINVAL);
    assert_int_equal(nvfp4_select_from_set(&f.layer, NULL, NULL, 1, &s), NVFP4_EINVAL);
    assert_int_equal(nvfp4_select_from_set(&f.layer, ranks, NULL, 1, NULL), NVFP4_EINVAL);
    f.ranks[3].device.sm = 5;
    assert_int_equal(ask(&f), NVFP4_EINVAL);
    assert_memory_equal(&f.group, &before.group, sizeof f.group);
    assert_memory_equal(f.losses, before.losses, sizeof f.losses);
}

static void wrong_sizes(void **state)
{
    (void)state;
    struct fixture f = on_sm120();
    f.group.struct_size--;
    assert_int_equal(ask(&f), NVFP4_EABI);
    f = on_sm120();
    f.ranks[0].struct_size++;
    assert_int_equal(ask(&f), NVFP4_EABI);
    assert_int_equal(nvfp4_select_backend_group(&f.layer, f.ranks, 1, NULL, &f.group, NULL, 0),
                     NVFP4_EABI);
    f = on_sm120();
    f.ranks[0].struct_size = 0;
    assert_int_equal(ask(&f), NVFP4_EABI);
    f = on_sm120();
    f.ranks[2].struct_size += 8;
    assert_int_equal(ask(&f), NVFP4_EABI);
    f = on_sm120();
    f.layer.struct_size = 0;
    assert_int_equal(ask(&f), NVFP4_EABI);
}

static void room_may_be_short(void **state)
{
    (void)state;
    struct fixture f = on_sm120(), few = on_sm120();
    assert_int_equal(ask(&f), NVFP4_OK);
    assert_in_range(f.group.loss_count, 3, NVFP4_KERNELS_MAX);
    memset(few.losses, 0x5a, sizeof few.losses);
    const nvfp4_group_loss untouched = few.losses[2];
    assert_int_equal(
        nvfp4_select_backend_group(&few.layer, few.ranks, RANKS, NULL, &few.group, few.losses, 2),
        NVFP4_OK);
    assert_int_equal(few.group.loss_count, f.group.loss_count);
    assert_memory_equal(few.losses, f.losses, 2 * sizeof f.losses[0]);
    assert_memory_equal(&few.losses[2], &untouched, sizeof untouched);
    assert_int_equal(
        nvfp4_select_backend_group(&few.layer, few.ranks, RANKS, NULL, &few.group, NULL, 0),
        NVFP4_OK);
    assert_int_equal(few.group.loss_count, f.group.loss_count);
}

/* A caller of a later release has longer structs. */
static void longer_structs_are_walked_by_their_own_size(void **state)
{
    (void)state;
    struct later {
        nvfp4_deployment deployment;
        uint64_t more[3];
    } ranks[RANKS];
    struct fixture f = on_sm120();
    memset(ranks, 0xff, sizeof ranks);
    set_version(&f, 2, NVFP4_LIBRARY_CUDA, "12.0");
    for (int i = 0; i < RANKS; i++) {
        ranks[i].deployment = f.ranks[i];
        ranks[i].deployment.struct_size = sizeof ranks[i];
    }
    assert_int_equal(nvfp4_select_backend_group(&f.layer, &ranks[0].deployment, RANKS, NULL,
                                                &f.group, f.losses, NVFP4_KERNELS_MAX),
                     NVFP4_OK);
    assert_int_equal(loss_of(&f, NVFP4_BACKEND_FLASHINFER_CUTLASS)->rank, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_old_library_decides_for_all),
        cmocka_unit_test(devices_that_differ_are_told),
        cmocka_unit_test(thor_has_two_names),
        cmocka_unit_test(asked_for_is_never_replaced),
        cmocka_unit_test(opt_in_only_when_asked_for),
        cmocka_unit_test(different_questions_stop),
        cmocka_unit_test(sets_hold_what_was_asked_for),
        cmocka_unit_test(a_set_gives_what_was_asked_for),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(room_may_be_short),
        cmocka_unit_test(longer_structs_are_walked_by_their_own_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
