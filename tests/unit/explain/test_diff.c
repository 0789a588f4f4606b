/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between two policies, against the decisions themselves. */
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/compile.h"
#include "explain/diff.h"

#define ALWAYS_ROW                                                                                 \
    {                                                                                              \
        .device = DEVICE_ANY, .values = ANY_VALUE                                                  \
    }

static const char *const tables[] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018" };

static const nvfp4_diff *make(const nvfp4_policy *from, const nvfp4_policy *to, uint32_t flags)
{
    const nvfp4_diff *diff = NULL;
    void *memory = malloc(NVFP4_DIFF_MEMORY);
    assert_non_null(memory);
    assert_int_equal(nvfp4_policy_diff(from, to, flags, memory, NVFP4_DIFF_MEMORY, &diff),
                     NVFP4_OK);
    assert_ptr_equal(diff, memory);
    return diff;
}

static void drop(const nvfp4_diff *diff)
{
    free((void *)(uintptr_t)diff);
}

/* What a policy answers, in the words of a region. */
static const char *answer(const nvfp4_policy *policy, const nvfp4_moe_layer *layer,
                          nvfp4_deployment deployment, const char *word)
{
    nvfp4_selection selection;
    nvfp4_backend backend;
    if (nvfp4_select_backend(layer, &deployment, policy, &selection) == NVFP4_EINVAL)
        return NULL;
    if (nvfp4_policy_find_backend(policy, word, &backend) != NVFP4_OK)
        return "unknown name";
    deployment.requested = (int32_t)backend;
    switch (nvfp4_select_backend(layer, &deployment, policy, &selection)) {
    case NVFP4_OK:
        return nvfp4_policy_backend_name(policy, (nvfp4_backend)selection.backend);
    case NVFP4_ENOBACKEND:
        return "no backend";
    case NVFP4_EREFUSED:
        return "refused";
    default:
        return NULL;
    }
}

/* One input: it is in a region with its change if it changes, and in none if it does not. */
static int input_faults(const nvfp4_diff *diff, const nvfp4_policy *from, const nvfp4_policy *to,
                        const struct golden_row *row)
{
    const char *before = answer(from, &row->layer, row->deployment, row->word);
    const char *after = answer(to, &row->layer, row->deployment, row->word);
    nvfp4_diff_region region = NVFP4_DIFF_REGION_INIT;
    size_t index = 0;
    int regions = 0, faults = 0;
    if (before == NULL || after == NULL)
        return 0; /* no question: a limit that is no number */
    const int changes = strcmp(before, after) != 0;
    nvfp4_status status;
    while ((status = nvfp4_diff_find(diff, &row->layer, &row->deployment, row->word, &index)) ==
           NVFP4_OK) {
        assert_int_equal(nvfp4_diff_region_at(diff, index++, &region), NVFP4_OK);
        faults += strcmp(region.from, before) != 0 || strcmp(region.to, after) != 0;
        regions++;
    }
    faults += status != NVFP4_EUNKNOWN || (regions != 0) != changes;
    if (faults != 0)
        print_error("%s line %d: %s -> %s, status %s, in %d regions\n",
                    nvfp4_policy_name(row->policy), row->line, before, after,
                    nvfp4_status_name(status), regions);
    return faults;
}

/* All pairs of built-in policies over the inputs of all golden tables. */
static void equals_brute_force(void **state)
{
    const nvfp4_policy *from = nvfp4_policy_builtin(*state), *to;
    for (size_t i = 0; (to = nvfp4_policy_builtin_at(i)) != NULL; i++) {
        const nvfp4_diff *diff = make(from, to, 0);
        int faults = 0;
        for (size_t t = 0; t < COUNT_OF(tables); t++) {
            struct golden_table table = golden_read(tables[t]);
            for (size_t k = 0; k < table.count && faults < 10; k++)
                faults += input_faults(diff, from, to, &table.rows[k]);
            golden_free(&table);
        }
        assert_int_equal(nvfp4_diff_count(diff) == 0, from == to);
        drop(diff);
        assert_int_equal(faults, 0);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

/* A point at random: the usual values half of the time, so that not everything is ruled out. */
static void random_point(const struct diff_space *space, uint64_t *state, struct diff_point *point)
{
    for (int dim = 0; dim < DIMS; dim++) {
        const uint64_t n = next_random(state);
        point->value[dim] =
            (uint8_t)(n % 3 == 0 || dim <= DIM_LIMIT ? n / 3 % (uint64_t)space->count[dim] : 0);
    }
    point->value[DIM_ASKED] = next_random(state) % 2 ? point->value[DIM_ASKED] : 0;
    const int way = PARALLEL_WAY(point->value[DIM_PARALLEL]);
    if (way >= WAY_DP &&
        (way - WAY_DP) % (NVFP4_ALL2ALL_COUNT - 1) + 1 >= NVFP4_ALL2ALL_MORI_HIGH_THROUGHPUT)
        point->value[DIM_DEVICE] = DEVICE_SM_BITS; /* nothing else runs mori */
    if (point->value[DIM_EXPERTS] != 0)
        point->value[DIM_TOP_K] = 0; /* together they may be no question */
}

/* Points of the whole space, not only those of the tables: graph, core, regions and search agree.
 */
static void agrees_everywhere(void **state)
{
    const uint32_t flags = (uint32_t)(uintptr_t)*state;
    const nvfp4_policy *from = nvfp4_policy_builtin("vllm"), *to = nvfp4_policy_builtin("default");
    const nvfp4_diff *diff = make(from, to, flags);
    uint64_t random = 20261130;
    for (int n = 0; n < 20000; n++) {
        struct diff_point point, found, classes;
        struct diff_request request;
        int outcome[2];
        random_point(&diff->space, &random, &point);
        nvfp4_diff_request_of(&diff->space, &point, &request);
        assert_int_equal(nvfp4_diff_locate(&diff->space, &request.layer, &request.deployment,
                                           request.word, &found),
                         NVFP4_OK);
        for (int dim = 0; dim < DIMS; dim++)
            classes.value[dim] = diff->graph.class_of[dim][point.value[dim]];
        for (int dim = 0; dim < DIMS;
             dim++) /* values without a difference may stand for each other */
            assert_int_equal(diff->graph.class_of[dim][found.value[dim]], classes.value[dim]);
        for (int p = 0; p < 2; p++) {
            outcome[p] = nvfp4_diff_outcome_asked(diff, p, &point);
            assert_int_equal(nvfp4_graph_at(&diff->graph, diff->answer[p], &classes), outcome[p]);
        }
        size_t index = 0;
        const nvfp4_status status =
            nvfp4_diff_find(diff, &request.layer, &request.deployment, request.word, &index);
        assert_int_equal(status, outcome[0] == outcome[1] ? NVFP4_EUNKNOWN : NVFP4_OK);
    }
    drop(diff);
}

/* A copy of a policy that can be changed anywhere. */
struct copy {
    nvfp4_policy policy;
    struct nvfp4_row rows[NVFP4_KERNELS_MAX];
    struct nvfp4_condition conditions[NVFP4_KERNELS_MAX][32];
    struct nvfp4_clamp_rule clamp[NVFP4_KERNELS_MAX][8];
    struct nvfp4_erratum errata[16];
    struct nvfp4_compiled compiled;
};

static void copy_policy(struct copy *c, const nvfp4_policy *from)
{
    c->policy = *from;
    c->policy.rows = c->rows;
    c->policy.errata = c->errata;
    c->policy.compiled = &c->compiled;
    for (int i = 0; i < from->erratum_count; i++)
        c->errata[i] = from->errata[i];
    for (int i = 0; i < from->row_count; i++) {
        struct nvfp4_row *row = &c->rows[i];
        *row = from->rows[i];
        assert_true(row->condition_count < 32 && row->clamp_count < 8);
        for (int k = 0; k < row->condition_count; k++)
            c->conditions[i][k] = row->conditions[k];
        for (int k = 0; k < row->clamp_count; k++)
            c->clamp[i][k] = row->clamp[k];
        row->conditions = c->conditions[i];
        row->clamp = c->clamp[i];
    }
}

static void change_when(struct nvfp4_when *when, uint64_t *random)
{
    const uint64_t n = next_random(random);
    when->device ^= n % 4 == 0 ? SM_RANGE(100, 109) : 0;
    when->values ^= (uint64_t)1 << (n >> 8) % 52;
    when->with ^= n % 5 == 0 ? 1u << (n >> 16) % FLAG_COUNT : 0;
    when->without ^= n % 7 == 0 ? 1u << (n >> 24) % FLAG_COUNT : 0;
}

/* One change at random of what decides. */
static void change(struct copy *c, uint64_t *random)
{
    const uint64_t n = next_random(random), m = next_random(random);
    const int r = (int)(n % c->policy.row_count);
    struct nvfp4_row *row = &c->rows[r];
    struct nvfp4_condition *condition = &c->conditions[r][row->condition_count];
    switch ((n >> 8) % 10) {
    case 0:
        row->device ^= DEVICE_BIT(m % (DEVICE_SM_BITS + 2));
        break;
    case 1:
        row->values ^= (uint64_t)1 << m % 52;
        break;
    case 2:
        row->cannot ^= 1u << m % FLAG_COUNT;
        break;
    case 3: /* one condition more, of any kind */
    case 8:
    case 9:
        *condition = (struct nvfp4_condition){
            .when = ALWAYS_ROW, .kind = (uint8_t)(1 + m % 8), .reason = NVFP4_REASON_DEPENDENCY,
            .library = (uint8_t)(m >> 8) % NVFP4_LIBRARY_COUNT,
            .number = (uint8_t)(1 + m % 8) == CONDITION_LIBRARY ? VERSION(0, 6, (m >> 16) % 20)
                                                                : 32 + (m >> 16) % 3 * 32,
            .since = m >> 40 & 1 ? VERSION(0, 6, 5) : 0, .until = m >> 41 & 1 ? VERSION(0, 6, 9) : 0
        };
        change_when(&condition->when, random);
        row->condition_count++;
        break;
    case 4:
        if (row->clamp_count != 0) {
            struct nvfp4_clamp_rule *rule = &c->clamp[r][m % row->clamp_count];
            rule->limit = (uint8_t)(1 + (m >> 8) % 3);
            rule->absent = (uint8_t)((m >> 12) % 3);
            rule->takes_alpha_beta ^= 1;
            rule->limit_constant = 6;
            change_when(&rule->when, random);
        }
        break;
    case 5:
        c->errata[c->policy.erratum_count++] = (struct nvfp4_erratum){
            .name = "e", .kernels = m, .when = ALWAYS_ROW,
            .library = m % 3 == 0 ? LIBRARY_NONE : (uint8_t)(m % NVFP4_LIBRARY_COUNT),
            .from = m % 5 == 0 ? VERSION(0, 6, 0) : 0, .below = m % 7 == 0 ? VERSION(0, 6, 7) : 0,
            .experts = m % 2 ? 0 : 96, .width = m % 11 == 0 ? 640 : 0, .text = "", .source = ""
        };
        change_when(&c->errata[c->policy.erratum_count - 1].when, random);
        break;
    case 6:
        c->policy.clamp_by_set ^= 1;
        break;
    default:
        c->policy.all2all_by_dp_only ^= 1;
        break;
    }
}

/* Holds a comparison against the core on points at random. */
static void check_points(const nvfp4_diff *diff, uint64_t *random, int count)
{
    for (int n = 0; n < count; n++) {
        struct diff_point point, classes;
        struct diff_request request;
        size_t index = 0;
        int outcome[2];
        random_point(&diff->space, random, &point);
        nvfp4_diff_request_of(&diff->space, &point, &request);
        for (int dim = 0; dim < DIMS; dim++)
            classes.value[dim] = diff->graph.class_of[dim][point.value[dim]];
        for (int p = 0; p < 2; p++) {
            outcome[p] = nvfp4_diff_outcome_asked(diff, p, &point);
            assert_int_equal(nvfp4_graph_at(&diff->graph, diff->answer[p], &classes), outcome[p]);
        }
        assert_int_equal(nvfp4_diff_find(diff, &request.layer, &request.deployment, request.word,
                                         &index),
                         outcome[0] == outcome[1] ? NVFP4_EUNKNOWN : NVFP4_OK);
    }
}

/* Not only the policies there are: any change of any rule. */
static void agrees_for_any_change(void **state)
{
    const nvfp4_policy *base = nvfp4_policy_builtin(*state);
    static struct copy copy;
    uint64_t random = 46492;
    for (int n = 0; n < 30; n++) {
        copy_policy(&copy, base);
        for (int k = 0; k <= n % 3; k++)
            change(&copy, &random);
        nvfp4_policy_compile(&copy.policy, &copy.compiled);
        const nvfp4_diff *diff = make(base, &copy.policy, 0);
        check_points(diff, &random, 500);
        drop(diff);
    }
}

static char *text_of(const nvfp4_diff *diff, int json)
{
    static const nvfp4_device_key devices[] = {
        { .sm = 75 },  { .sm = 80 },  { .sm = 86 },  { .sm = 89 },  { .sm = 90 },
        { .sm = 100 }, { .sm = 103 }, { .sm = 110 }, { .sm = 120 }, { .sm = 121 },
    };
    nvfp4_diff_print options = NVFP4_DIFF_PRINT_INIT;
    options.devices = devices;
    options.device_count = COUNT_OF(devices);
    size_t (*const print)(const nvfp4_diff *, const nvfp4_diff_print *, char *, size_t) =
        json ? nvfp4_diff_json : nvfp4_diff_text;
    const size_t length = print(diff, &options, NULL, 0);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(print(diff, &options, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    return text;
}

/* The review of the one-line change, word by word. */
static void tells_the_story(void **state)
{
    static const char story[] =
        "vllm-45836 -> vllm-46492: the answer changes in 5 regions\n\n"
        "SM 100-103, W4A4, swigluoai, limit set: MARLIN -> FLASHINFER_CUTLASS\n"
        "SM 120-121, W4A4, silu/gelu_tanh/swigluoai/relu2_no_mul, limit set: "
        "MARLIN -> FLASHINFER_CUTLASS\n"
        "SM 100-103, 120-121, W4A4, silu/gelu_tanh/swigluoai/relu2_no_mul, limit set, "
        "asked for flashinfer_cutlass: refused -> FLASHINFER_CUTLASS\n"
        "SM 100-103, W4A4, swigluoai, limit set, "
        "all2all flashinfer_nvlink_* with data parallelism: no backend -> FLASHINFER_CUTLASS\n"
        "SM 120-121, W4A4, silu/gelu_tanh/swigluoai/relu2_no_mul, limit set, "
        "all2all flashinfer_nvlink_* with data parallelism: no backend -> FLASHINFER_CUTLASS\n\n"
        "SM 75-90, 110, amd, intel: no change\n"
        "asked for any backend but flashinfer_cutlass: no change\n"
        "W4A16/W4A8_*: no change\n"
        "gelu/relu2/swigluoai_uninterleave/swiglustep/situ/silu_no_mul/gelu_no_mul/"
        "gelu_tanh_no_mul: no change\n"
        "no limit: no change\n"
        "All changes are limited to: standard format, lora off, batch_invariant off, "
        "per_token_activation_scale off, flashinfer present\n";
    (void)state;
    const nvfp4_diff *diff =
        make(nvfp4_policy_builtin("vllm-45836"), nvfp4_policy_builtin("vllm-46492"), 0);
    char *text = text_of(diff, 0);
    assert_string_equal(text, story);
    free(text);
    text = text_of(diff, 1);
    assert_non_null(strstr(text, "\"different\":true"));
    assert_non_null(strstr(text, "{\"from\":\"refused\",\"to\":\"FLASHINFER_CUTLASS\",\"rarity\":0,"
                                 "\"where\":{\"device\":[\"sm 100-109\",\"sm 120-129\"],"
                                 "\"backend\":[\"flashinfer_cutlass\"],\"scheme\":[\"w4a4\"]"));
    assert_non_null(strstr(text,
                           "\"example\":{\"backend\":\"flashinfer_cutlass\",\"device\":"
                           "{\"sm\":100},\"layer\":{\"scheme\":\"w4a4\",\"activation\":\"silu\","
                           "\"swiglu_limit\":10.0},\"deployment\":{}}"));
    free(text);
    drop(diff);
}

static void says_when_nothing_changes(void **state)
{
    (void)state;
    const nvfp4_diff *diff = make(NULL, nvfp4_policy_builtin("default"), 0);
    char *text = text_of(diff, 0);
    assert_string_equal(text, "kernels-2026-11 -> kernels-2026-11: no change, every request is "
                              "answered alike\n");
    free(text);
    drop(diff);
}

/* A policy of one kernel, to be changed in one place. */
static struct nvfp4_condition one_condition = {
    .when = ALWAYS_ROW, .kind = CONDITION_ROWS_MULTIPLE, .reason = NVFP4_REASON_SHAPE, .number = 96
};
static const struct nvfp4_erratum one_erratum = { .name = "e",
                                                  .kernels = 1,
                                                  .when = ALWAYS_ROW,
                                                  .library = NVFP4_LIBRARY_CUDA,
                                                  .from = VERSION(12, 8, 0),
                                                  .below = VERSION(13, 0, 0),
                                                  .experts = 64,
                                                  .text = "t",
                                                  .source = "s" };
static const struct nvfp4_user_word one_word = { "marlin", NVFP4_BACKEND_MARLIN, 0 };
static const struct nvfp4_row plain_row = { .backend = NVFP4_BACKEND_MARLIN,
                                            .kernel = "",
                                            .device = DEVICE_ANY,
                                            .values = ANY_VALUE,
                                            .source = "s" };
static const struct nvfp4_row shaped_row = { .backend = NVFP4_BACKEND_MARLIN,
                                             .kernel = "",
                                             .device = DEVICE_ANY,
                                             .values = ANY_VALUE,
                                             .conditions = &one_condition,
                                             .condition_count = 1,
                                             .source = "s" };
static nvfp4_policy plain = { .name = "a",
                              .summary = "",
                              .source = "s",
                              .rows = &plain_row,
                              .words = &one_word,
                              .row_count = 1,
                              .word_count = 1,
                              .clamp_by_set = 1 };
static nvfp4_policy shaped = { .name = "b",
                               .summary = "",
                               .source = "s",
                               .rows = &shaped_row,
                               .words = &one_word,
                               .row_count = 1,
                               .word_count = 1,
                               .clamp_by_set = 1 };
static nvfp4_policy flawed = { .name = "c",
                               .summary = "",
                               .source = "s",
                               .rows = &plain_row,
                               .words = &one_word,
                               .errata = &one_erratum,
                               .row_count = 1,
                               .word_count = 1,
                               .erratum_count = 1,
                               .clamp_by_set = 1 };
static nvfp4_policy nameless = {
    .name = "d", .summary = "", .source = "s", .rows = &plain_row, .row_count = 1, .clamp_by_set = 1
};

static const char *const runner_words[] = { "auto", "loop" };
static const struct nvfp4_custom_key runner_key = {
    .section = "deployment", .key = "runner", .words = runner_words, .word_count = 2
};
static const struct nvfp4_row runner_row = { .backend = NVFP4_BACKEND_MARLIN,
                                             .kernel = "",
                                             .device = DEVICE_ANY,
                                             .values = ANY_VALUE,
                                             .not_custom = 2,
                                             .source = "s" };
static nvfp4_policy keyed = { .name = "e",
                              .summary = "",
                              .source = "s",
                              .rows = &runner_row,
                              .words = &one_word,
                              .custom_keys = &runner_key,
                              .row_count = 1,
                              .word_count = 1,
                              .custom_key_count = 1,
                              .clamp_by_set = 1 };

/* Completes the small policies. */
static void compile_smalls(void)
{
    static struct nvfp4_compiled compiled[5];
    nvfp4_policy *const all[] = { &plain, &shaped, &flawed, &nameless, &keyed };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        all[i]->auto_count = all[i]->row_count;
        nvfp4_policy_compile(all[i], &compiled[i]);
        all[i]->compiled = &compiled[i];
    }
}

struct small {
    const char *name;
    const nvfp4_policy *from, *to;
    size_t regions;
    const char *line; /* of the text */
};

static const struct small smalls[] = {
    { "rows per rank", &plain, &shaped, 4,
      "width per rank no multiple of 48: MARLIN -> no backend" },
    { "erratum", &plain, &flawed, 2,
      "cuda >= 12.8 < 13.0, num_experts such as 64: MARLIN -> no backend" },
    { "erratum gone", &flawed, &plain, 2,
      "cuda >= 12.8 < 13.0, num_experts such as 64: no backend -> MARLIN" },
    { "key of its own", &plain, &keyed, 2, "runner loop: MARLIN -> no backend" },
    { "name gone", &plain, &nameless, 1, "asked for marlin: MARLIN -> unknown name" },
};

static void small_change(void **state)
{
    const struct small *s = *state;
    const nvfp4_diff *diff = make(s->from, s->to, 0);
    char *text = text_of(diff, 0);
    if (strstr(text, s->line) == NULL)
        fail_msg("%s", text);
    assert_int_equal(nvfp4_diff_count(diff), s->regions);
    free(text);
    drop(diff);
}

static void tells_kernels_apart(void **state)
{
    (void)state;
    const nvfp4_policy *from = nvfp4_policy_builtin("vllm"), *to = nvfp4_policy_builtin("default");
    const nvfp4_diff *backends = make(from, to, 0), *kernels = make(from, to, NVFP4_DIFF_KERNELS);
    char *plain_text = text_of(backends, 0), *text = text_of(kernels, 0);
    const char *change = "FLASHINFER_TRTLLM/monolithic -> FLASHINFER_TRTLLM/modular";
    assert_null(strstr(plain_text, change));
    assert_non_null(strstr(text, change)); /* an erratum of the monolithic kernel */
    free(plain_text);
    free(text);
    drop(backends);
    drop(kernels);
}

static void needs_memory(void **state)
{
    const nvfp4_policy *from = nvfp4_policy_builtin("vllm"), *to = nvfp4_policy_builtin("default");
    const nvfp4_diff *diff = NULL;
    char *memory = malloc(NVFP4_DIFF_MEMORY);
    (void)state;
    assert_non_null(memory);
    size_t size = 0;
    nvfp4_status status = NVFP4_ENOMEM;
    for (; size < NVFP4_DIFF_MEMORY && status == NVFP4_ENOMEM; size += size / 8 + 500000) {
        assert_null(diff);
        status = nvfp4_policy_diff(from, to, 0, memory, size, &diff);
    }
    assert_int_equal(status, NVFP4_OK);
    assert_true(size < NVFP4_DIFF_MEMORY / 4 * 3); /* the advice has room */
    assert_int_equal(nvfp4_policy_diff(from, to, 0, NULL, 1, &diff), NVFP4_EINVAL);
    assert_int_equal(nvfp4_policy_diff(from, to, 0, memory, 1, NULL), NVFP4_EINVAL);
    free(memory);
}

static void refuses_what_is_left_out(void **state)
{
    (void)state;
    const nvfp4_diff *diff = make(NULL, nvfp4_policy_builtin("vllm"), 0);
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    size_t index = 0;
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, NULL, &index), NVFP4_EINVAL);
    deployment.device.sm = 120;
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, NULL, &index), NVFP4_EUNKNOWN);
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, "nonsense", &index),
                     NVFP4_EUNKNOWN);
    deployment.disabled = 1;
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, NULL, &index), NVFP4_ELIMIT);
    deployment.disabled = 0;
    deployment.expert_parallel = 1;
    deployment.data_parallel = 2;
    deployment.all2all = NVFP4_ALL2ALL_MORI_LOW_LATENCY;
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, NULL, &index), NVFP4_ELIMIT);
    deployment.expert_parallel = 0;
    deployment.tensor_parallel = 3;
    layer.intermediate_size = 1000;
    assert_int_equal(nvfp4_diff_find(diff, &layer, &deployment, NULL, &index), NVFP4_ELIMIT);
    drop(diff);
}

int main(void)
{
    static char names[][32] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018",
                                "kernels-2026-11" };
    struct CMUnitTest tests[32];
    size_t n = 0;
    compile_smalls();
    for (size_t i = 0; i < COUNT_OF(names); i++)
        tests[n++] = (struct CMUnitTest){ .name = names[i],
                                          .test_func = equals_brute_force,
                                          .initial_state = names[i] };
    for (size_t i = 0; i < COUNT_OF(smalls); i++)
        tests[n++] = (struct CMUnitTest){ .name = smalls[i].name,
                                          .test_func = small_change,
                                          .initial_state = (void *)(uintptr_t)&smalls[i] };
    for (uintptr_t flags = 0; flags < 2; flags++)
        tests[n++] = (struct CMUnitTest){ .name = flags ? "everywhere, kernels" : "everywhere",
                                          .test_func = agrees_everywhere,
                                          .initial_state = (void *)flags };
    for (size_t i = 2; i < COUNT_OF(names); i++)
        tests[n++] = (struct CMUnitTest){ .name = "any change",
                                          .test_func = agrees_for_any_change,
                                          .initial_state = names[i] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(tells_the_story);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(says_when_nothing_changes);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(tells_kernels_apart);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(needs_memory);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(refuses_what_is_left_out);
    return _cmocka_run_group_tests("diff", tests, n, NULL, NULL);
}
