/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement records: their bytes, and what the check says of records that differ. */
#include <nvfp4moe/nvfp4moe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/compile.h"
#include "core/fingerprint.h"
#include "group_random.h"

enum { RANKS = 7 };

/* One rank's question before it becomes a record. */
struct asking {
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    const nvfp4_policy *policy;
};

static struct asking usual_question(void)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    struct asking a = { layer, deployment, NULL };
    a.layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    a.layer.swiglu_limit = 10.0;
    a.layer.intermediate_size = 2048;
    a.deployment.device.sm = 120;
    return a;
}

static nvfp4_agreement record_of(const struct asking *a)
{
    nvfp4_agreement record = NVFP4_AGREEMENT_INIT;
    assert_int_equal(nvfp4_agreement_make(&a->layer, &a->deployment, a->policy, &record), NVFP4_OK);
    return record;
}

static void all_alike(nvfp4_agreement records[RANKS])
{
    const struct asking a = usual_question();
    for (int i = 0; i < RANKS; i++)
        records[i] = record_of(&a);
}

/* ---- the bytes ---- */

/* A policy that does not change: one kernel, which needs FlashInfer 0.6.12. */
static const struct nvfp4_condition old_condition[] = {
    { .when = { .device = DEVICE_ANY, .values = ANY_VALUE },
      .kind = CONDITION_LIBRARY,
      .reason = NVFP4_REASON_DEPENDENCY,
      .library = NVFP4_LIBRARY_FLASHINFER,
      .number = VERSION(0, 6, 12) },
};
static const struct nvfp4_row old_row[] = {
    { .backend = NVFP4_BACKEND_MARLIN,
      .kernel = "",
      .device = DEVICE_ANY,
      .values = ANY_VALUE,
      .conditions = old_condition,
      .condition_count = 1 },
};

static nvfp4_policy old_policy(struct nvfp4_compiled *compiled)
{
    nvfp4_policy policy = {
        .name = "old", .rows = old_row, .row_count = 1, .auto_count = 1, .compiled = compiled
    };
    nvfp4_policy_compile(&policy, compiled);
    policy.hash = nvfp4_policy_hash_compute(&policy);
    return policy;
}

/*
 * If this fails, records of this build and of earlier ones tell "policy" or "layer" where nothing
 * differs: give the format another version then, so that they tell "record".
 */
static void the_bytes_stay(void **state)
{
    (void)state;
    /* clang-format off */
    static const uint8_t golden[64] = {
        0x4e, 0x56, 0x46, 0x50, 0x34, 0x41, 0x47, 0x01, /* magic, version */
        0x66, 0xf4, 0xd0, 0xf9, 0x00, 0x83, 0xa5, 0x68, /* policy */
        0x63, 0x72, 0x8d, 0x61, 0x66, 0xed, 0x6a, 0xfb, /* layer */
        0x20, 0x58, 0x6b, 0xa5, 0x34, 0x69, 0xa2, 0x57, /* deployment */
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* kernels */
        0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* libraries */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x08, 0x00, 0x00, 0x00, 0xa0, 0x37, 0xd0, 0x6c, /* backend, check sum */
    };
    /* clang-format on */
    struct nvfp4_compiled compiled;
    const nvfp4_policy policy = old_policy(&compiled);
    struct asking a = usual_question();
    a.layer.has = 0;
    a.policy = &policy;
    a.deployment.requested = NVFP4_BACKEND_MARLIN;
    const nvfp4_agreement record = record_of(&a);
    if (memcmp(record.bytes, golden, sizeof golden) != 0)
        for (size_t i = 0; i < sizeof golden; i++)
            print_error("0x%02x,%s", (unsigned)record.bytes[i], i % 8 == 7 ? "\n" : " ");
    assert_memory_equal(record.bytes, golden, sizeof golden);
}

static uint64_t little_endian(const uint8_t *at, int bytes)
{
    uint64_t n = 0;
    for (int i = 0; i < bytes; i++)
        n |= (uint64_t)at[i] << 8 * i;
    return n;
}

static void the_parts_lie_where_the_header_says(void **state)
{
    (void)state;
    struct asking a = usual_question();
    nvfp4_kernel_set kernels;
    a.policy = nvfp4_policy_builtin("vllm");
    a.deployment.requested = NVFP4_BACKEND_MARLIN;
    const nvfp4_agreement record = record_of(&a);
    assert_int_equal(sizeof record, 64);
    assert_memory_equal(record.bytes, "NVFP4AG\1", 8);
    assert_true(little_endian(record.bytes + 8, 8) == nvfp4_policy_hash(a.policy));
    assert_int_equal(nvfp4_eligible_kernels(&a.layer, &a.deployment, a.policy, &kernels), NVFP4_OK);
    assert_true(kernels != 0);
    assert_true(little_endian(record.bytes + 32, 8) == kernels);
    assert_true(nvfp4_agreement_kernels(&record) == kernels);
    assert_int_equal(record.bytes[56], NVFP4_BACKEND_MARLIN);
    assert_int_equal(little_endian(record.bytes + 57, 3), 0);
}

/* ---- one rank that differs ---- */

#define BIT(name)         NVFP4_INPUT_BIT(NVFP4_INPUT_##name)
#define LIBRARY_BIT(name) NVFP4_INPUT_BIT(NVFP4_INPUT_LIBRARY + NVFP4_LIBRARY_##name)

static void other_policy(struct asking *a)
{
    a->policy = nvfp4_policy_builtin("vllm-46492");
}
static void older_policy_and_library(struct asking *a)
{
    a->policy = nvfp4_policy_builtin("vllm-44992");
    a->deployment.libraries[NVFP4_LIBRARY_FLASHINFER] = NVFP4_LIBRARY_ABSENT;
}
static void same_policy_by_name(struct asking *a)
{
    a->policy = nvfp4_policy_builtin("kernels-2026-11");
}
static void other_limit(struct asking *a)
{
    a->layer.swiglu_limit = 7.0;
}
static void no_limit(struct asking *a)
{
    a->layer.has = 0;
}
static void other_scheme(struct asking *a)
{
    a->layer.scheme = NVFP4_SCHEME_W4A16;
}
static void other_width(struct asking *a)
{
    a->layer.intermediate_size = 4096;
}
static void default_alpha_given(struct asking *a)
{
    a->layer.has |= NVFP4_HAS_SWIGLU_ALPHA;
    a->layer.swiglu_alpha = 1.0;
}
static void other_backend(struct asking *a)
{
    a->deployment.requested = NVFP4_BACKEND_MARLIN;
}
static void other_tensor_parallel(struct asking *a)
{
    a->deployment.tensor_parallel = 2;
}
static void lora(struct asking *a)
{
    a->deployment.lora = 1;
}
static void other_format(struct asking *a)
{
    a->deployment.format = NVFP4_FORMAT_BATCHED;
}
static void format_spelt_out(struct asking *a)
{
    a->deployment.format = NVFP4_FORMAT_STANDARD;
}
static void backend_and_layer(struct asking *a)
{
    other_backend(a);
    other_limit(a);
}
static void old_flashinfer(struct asking *a)
{
    nvfp4_version_parse("0.6.3", &a->deployment.libraries[NVFP4_LIBRARY_FLASHINFER]);
}
static void no_humming(struct asking *a)
{
    a->deployment.libraries[NVFP4_LIBRARY_HUMMING] = NVFP4_LIBRARY_ABSENT;
}
static void newest_flashinfer(struct asking *a)
{
    nvfp4_version_parse("99.0", &a->deployment.libraries[NVFP4_LIBRARY_FLASHINFER]);
}
static void other_device(struct asking *a)
{
    a->deployment.device.sm = 100;
}
static void one_switched_off(struct asking *a)
{
    a->deployment.disabled = 1;
}

static const struct difference {
    const char *name;
    void (*change)(struct asking *a);
    nvfp4_input_set differs;
} differences[] = {
    { "policy", other_policy, BIT(POLICY) },
    { "policy: libraries are not compared across", older_policy_and_library, BIT(POLICY) },
    { "policy: alias and name are one", same_policy_by_name, 0 },
    { "layer: limit", other_limit, BIT(LAYER) },
    { "layer: no limit", no_limit, BIT(LAYER) },
    { "layer: scheme", other_scheme, BIT(LAYER) },
    { "layer: width", other_width, BIT(LAYER) },
    { "layer: a default spelt out", default_alpha_given, 0 },
    { "backend", other_backend, BIT(BACKEND) },
    { "backend and layer", backend_and_layer, BIT(BACKEND) | BIT(LAYER) },
    { "deployment: tensor parallel", other_tensor_parallel, BIT(DEPLOYMENT) },
    { "deployment: lora", lora, BIT(DEPLOYMENT) },
    { "deployment: format", other_format, BIT(DEPLOYMENT) },
    { "deployment: format spelt out", format_spelt_out, 0 },
    { "library: flashinfer", old_flashinfer, LIBRARY_BIT(FLASHINFER) },
    { "library: humming", no_humming, LIBRARY_BIT(HUMMING) },
    { "library: newest is as unknown", newest_flashinfer, 0 },
    { "device", other_device, 0 },
    { "disabled", one_switched_off, 0 },
};

/* The odd rank is named wherever it stands; the first rank is no better than the others. */
static void one_rank_differs(void **state)
{
    const struct difference *d = *state;
    const nvfp4_status want = d->differs & NVFP4_INPUTS_STOP ? NVFP4_EDISAGREE : NVFP4_OK;
    struct asking a = usual_question();
    d->change(&a);
    for (size_t odd = 0; odd < RANKS; odd++) {
        nvfp4_agreement records[RANKS];
        nvfp4_input_set differs[RANKS];
        nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
        all_alike(records);
        records[odd] = record_of(&a);
        assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, differs, RANKS), want);
        assert_int_equal(report.differs, d->differs);
        for (size_t rank = 0; rank < RANKS; rank++)
            assert_int_equal(differs[rank], rank == odd ? d->differs : 0);
        for (int i = 0; i < NVFP4_INPUT_END; i++) {
            const int is_member = d->differs >> i & 1;
            assert_int_equal(report.rank_count[i], is_member);
            assert_int_equal(report.first_rank[i], is_member ? odd : 0);
        }
        const nvfp4_kernel_set common = nvfp4_agreement_kernels(&records[0]) &
                                        nvfp4_agreement_kernels(&records[RANKS - 1]) &
                                        nvfp4_agreement_kernels(&records[1]);
        assert_true(report.kernels == (want != NVFP4_OK ? 0
                                       : odd == 0 || odd == 1 || odd == RANKS - 1
                                           ? common
                                           : common & nvfp4_agreement_kernels(&records[odd])));
    }
}

/* ---- no majority, rubbish ---- */

static void without_a_majority_the_first_rank_counts(void **state)
{
    (void)state;
    struct asking a = usual_question();
    nvfp4_agreement records[4];
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    records[0] = records[1] = record_of(&a);
    other_limit(&a);
    records[2] = records[3] = record_of(&a);
    assert_int_equal(nvfp4_agreement_check(records, 4, &report, NULL, 0), NVFP4_EDISAGREE);
    assert_int_equal(report.rank_count[NVFP4_INPUT_LAYER], 2);
    assert_int_equal(report.first_rank[NVFP4_INPUT_LAYER], 2);
    other_width(&a);
    records[1] = record_of(&a);
    assert_int_equal(nvfp4_agreement_check(records, 3, &report, NULL, 0), NVFP4_EDISAGREE);
    assert_int_equal(report.rank_count[NVFP4_INPUT_LAYER], 2);
    assert_int_equal(report.first_rank[NVFP4_INPUT_LAYER], 1);
}

static void alone_all_is_well(void **state)
{
    (void)state;
    struct asking a = usual_question();
    a.deployment.device.sm = 100;
    const nvfp4_agreement record = record_of(&a);
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    assert_int_equal(nvfp4_agreement_check(&record, 1, &report, NULL, 0), NVFP4_OK);
    assert_true(report.kernels & 1);
    assert_true(report.kernels == nvfp4_agreement_kernels(&record));
}

static void nothing_in_common_is_no_disagreement(void **state)
{
    (void)state;
    struct asking a = usual_question();
    nvfp4_agreement records[2];
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    records[0] = record_of(&a);
    a.deployment.disabled = ~(nvfp4_kernel_set)0;
    records[1] = record_of(&a);
    report.kernels = 5;
    assert_int_equal(nvfp4_agreement_check(records, 2, &report, NULL, 0), NVFP4_OK);
    assert_true(report.kernels == 0);
}

/* Each of the 512 bits matters. */
static void any_bit_flipped_is_no_record(void **state)
{
    (void)state;
    nvfp4_agreement records[RANKS];
    all_alike(records);
    for (size_t bit = 0; bit < 8 * sizeof records[0]; bit++) {
        nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
        records[2].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, NULL, 0), NVFP4_EDISAGREE);
        assert_int_equal(report.differs, BIT(RECORD));
        assert_int_equal(report.first_rank[NVFP4_INPUT_RECORD], 2);
        assert_int_equal(report.rank_count[NVFP4_INPUT_RECORD], 1);
        assert_true(nvfp4_agreement_kernels(&records[2]) == 0);
        records[2].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void zeros_and_noise_stop_all(void **state)
{
    (void)state;
    static const nvfp4_agreement none = NVFP4_AGREEMENT_INIT;
    struct rng r = { 3 };
    nvfp4_agreement records[RANKS];
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    all_alike(records);
    records[0] = none;
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, NULL, 0), NVFP4_EDISAGREE);
    assert_int_equal(report.differs, BIT(RECORD));
    for (size_t i = 0; i < sizeof records; i++)
        records[i / 64].bytes[i % 64] = (uint8_t)rng_below(&r, 256);
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, NULL, 0), NVFP4_EDISAGREE);
    assert_int_equal(report.rank_count[NVFP4_INPUT_RECORD], RANKS);
    assert_true(report.kernels == 0);
}

/* ---- wrong calls ---- */

static void wrong_calls(void **state)
{
    (void)state;
    struct asking a = usual_question();
    nvfp4_agreement record = NVFP4_AGREEMENT_INIT, none = NVFP4_AGREEMENT_INIT;
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    nvfp4_input_set differs = 77;
    assert_int_equal(nvfp4_agreement_make(NULL, &a.deployment, NULL, &record), NVFP4_EINVAL);
    assert_int_equal(nvfp4_agreement_make(&a.layer, NULL, NULL, &record), NVFP4_EINVAL);
    assert_int_equal(nvfp4_agreement_make(&a.layer, &a.deployment, NULL, NULL), NVFP4_EINVAL);
    a.layer.swiglu_limit = -1;
    assert_int_equal(nvfp4_agreement_make(&a.layer, &a.deployment, NULL, &record), NVFP4_EINVAL);
    assert_memory_equal(&record, &none, sizeof record);
    assert_int_equal(nvfp4_agreement_check(NULL, 1, &report, NULL, 0), NVFP4_EINVAL);
    assert_int_equal(nvfp4_agreement_check(&record, 0, &report, NULL, 0), NVFP4_EINVAL);
    assert_int_equal(nvfp4_agreement_check(&record, 1, NULL, NULL, 0), NVFP4_EINVAL);
    assert_int_equal(nvfp4_agreement_check(&record, 1, &report, NULL, 1), NVFP4_EINVAL);
    report.struct_size--;
    assert_int_equal(nvfp4_agreement_check(&record, 1, &report, &differs, 1), NVFP4_EABI);
    assert_int_equal(report.differs, 0);
    assert_int_equal(differs, 77);
    assert_true(nvfp4_agreement_kernels(NULL) == 0);
}

static void room_may_be_short_or_long(void **state)
{
    (void)state;
    nvfp4_agreement records[RANKS];
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    nvfp4_input_set differs[RANKS + 1];
    all_alike(records);
    memset(differs, 0xff, sizeof differs);
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, differs, 2), NVFP4_OK);
    assert_int_equal(differs[1], 0);
    assert_int_equal(differs[2], UINT32_MAX);
    assert_int_equal(nvfp4_agreement_check(records, RANKS, &report, differs, RANKS + 1), NVFP4_OK);
    assert_int_equal(differs[RANKS - 1], 0);
    assert_int_equal(differs[RANKS], UINT32_MAX);
}

static void inputs_have_names(void **state)
{
    (void)state;
    assert_string_equal(nvfp4_input_name(NVFP4_INPUT_RECORD), "record");
    assert_string_equal(nvfp4_input_name(NVFP4_INPUT_DEPLOYMENT), "deployment");
    assert_string_equal(nvfp4_input_name((nvfp4_input)5), "unknown");
    assert_string_equal(nvfp4_input_name(NVFP4_INPUT_LIBRARY), "flashinfer");
    assert_string_equal(
        nvfp4_input_name((nvfp4_input)(NVFP4_INPUT_LIBRARY + (int)NVFP4_LIBRARY_COUNT)), "unknown");
    assert_string_equal(nvfp4_input_name((nvfp4_input)-1), "unknown");
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(void)
{
    static const struct CMUnitTest fixed[] = {
        cmocka_unit_test(the_bytes_stay),
        cmocka_unit_test(the_parts_lie_where_the_header_says),
        cmocka_unit_test(without_a_majority_the_first_rank_counts),
        cmocka_unit_test(alone_all_is_well),
        cmocka_unit_test(nothing_in_common_is_no_disagreement),
        cmocka_unit_test(any_bit_flipped_is_no_record),
        cmocka_unit_test(zeros_and_noise_stop_all),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(room_may_be_short_or_long),
        cmocka_unit_test(inputs_have_names),
    };
    struct CMUnitTest tests[COUNT(fixed) + COUNT(differences)];
    memcpy(tests, fixed, sizeof fixed);
    for (size_t i = 0; i < COUNT(differences); i++)
        tests[COUNT(fixed) + i] = (struct CMUnitTest){
            .name = differences[i].name,
            .test_func = one_rank_differs,
            .initial_state = (void *)(uintptr_t)&differences[i],
        };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
