/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would help a request that finds nothing. Each row names the remedies that keep the backend asked
 * for; whatever else is told is held against the rules that hold for all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define B(name) NVFP4_BACKEND_##name
#define A(name) NVFP4_ALL2ALL_##name
#define ACT(name) NVFP4_ACTIVATION_##name
#define LIB(name) NVFP4_LIBRARY_##name
#define TO(name, value) { NVFP4_CHANGE_##name, (value), NULL }
#define FLOOR(version) { NVFP4_CHANGE_LIBRARY, 0, version }

enum { KEPT_MAX = 3 };

struct want {
    int change;
    uint64_t to;
    const char *version; /* of LIBRARY */
};

struct row {
    const char *name;
    nvfp4_sm sm;
    int backend; /* asked for; 0: automatic */
    int scheme, activation;
    double limit; /* 0: none */
    int64_t hidden, width, experts, top_k;
    int tp, dp; /* 0: 1 */
    int ep, all2all, format, gemm, routing;
    int input_weight, lora, batch_invariant, eplb;
    int library; /* of `version` */
    const char *version;
    nvfp4_backend_set not_built;
    const char *disable[2]; /* kernels, as a user names them */
    const char *target;
    struct want kept[KEPT_MAX + 1]; /* nearest first; ends with an entry that is all zero */
    int others; /* 1: other backends are told too, 0: none is */
};

/* Change BACKEND is 0 and never keeps the backend, so it ends a list. */
static const struct row rows[] = {
    /* the one size that divides 320 into tiles, next to 6 with its halves and doubles */
    { .name = "a tensor-parallel size that is neither a half nor a double", .sm = 120,
      .backend = B(VLLM_CUTLASS), .width = 320, .tp = 6, .kept = { TO(TENSOR_PARALLEL, 5) } },
    { .name = "a tensor-parallel size far away", .sm = 120, .backend = B(VLLM_CUTLASS), .width = 192,
      .tp = 7, .kept = { TO(TENSOR_PARALLEL, 3) } },
    { .name = "a half is nearer than any other size", .sm = 120, .backend = B(VLLM_CUTLASS), .width = 192,
      .tp = 6, .kept = { TO(TENSOR_PARALLEL, 3) }, .others = 1 },
    /* 6 is nearer than 2, but machines have halves */
    { .name = "a half of a half", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .width = 384, .tp = 8,
      .kept = { TO(TENSOR_PARALLEL, 2), TO(EXPERT_PARALLEL, 1) }, .others = 1 },
    { .name = "two sizes equally near", .sm = 100, .backend = B(FLASHINFER_CUTLASS), .width = 1536, .tp = 9,
      .dp = 2, .kept = { TO(TENSOR_PARALLEL, 6), TO(TENSOR_PARALLEL, 12), TO(EXPERT_PARALLEL, 1) } },
    { .name = "built for another device", .sm = 120, .backend = B(VLLM_CUTLASS), .target = "100a",
      .kept = { TO(TARGETS, 0) }, .others = 1 },
    { .name = "not built", .sm = 90, .backend = B(MARLIN),
      .not_built = NVFP4_BACKEND_BIT(B(MARLIN)) | NVFP4_BACKEND_BIT(B(B12X)),
      .kept = { TO(BUILT, NVFP4_BACKEND_BIT(B(B12X))) }, .others = 1 },
    { .name = "disabled", .sm = 90, .backend = B(MARLIN), .disable = { "marlin", "emulation" },
      .kept = { TO(DISABLE, 1 << 10) }, .others = 1 },
    { .name = "both kernels of a backend disabled", .sm = 100, .backend = B(FLASHINFER_TRTLLM),
      .disable = { "flashinfer_trtllm" }, .kept = { TO(DISABLE, 0) }, .others = 1 },
    /* the kernel that lacks the defect cannot scale the input for two experts per token */
    { .name = "an erratum", .sm = 100, .backend = B(FLASHINFER_TRTLLM), .activation = ACT(RELU2_NO_MUL),
      .routing = NVFP4_ROUTING_LLAMA4, .input_weight = 1, .experts = 8, .top_k = 2,
      .kept = { TO(ERRATA_OFF, 1 << 0) }, .others = 1 },
    { .name = "an erratum of one shape", .sm = 120, .backend = B(FLASHINFER_B12X), .hidden = 2560,
      .width = 640, .experts = 512, .top_k = 10,
      .kept = { TO(TENSOR_PARALLEL, 2), TO(ERRATA_OFF, 1 << 4) }, .others = 1 },
    { .name = "the other GEMM of HUMMING", .sm = 90, .backend = B(HUMMING), .disable = { "humming/indexed" },
      .kept = { TO(HUMMING_GEMM, NVFP4_HUMMING_GEMM_GROUPED), TO(DISABLE, 0) }, .others = 1 },
    /* 198 does not divide by 4, so the experts must stay spread */
    { .name = "all2all", .sm = 90, .backend = B(MARLIN), .width = 198, .tp = 2, .dp = 2, .ep = 1,
      .all2all = A(FLASHINFER_NVLINK_TWO_SIDED),
      .kept = { TO(ALL2ALL, A(ALLGATHER_REDUCESCATTER)), TO(ALL2ALL, A(DEEPEP_HIGH_THROUGHPUT)) },
      .others = 1 },
    { .name = "experts spread", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .width = 64, .dp = 2,
      .kept = { TO(EXPERT_PARALLEL, 1) }, .others = 1 },
    { .name = "experts not spread", .sm = 120, .backend = B(VLLM_CUTLASS), .width = 128, .dp = 2, .ep = 1,
      .kept = { TO(EXPERT_PARALLEL, 0) }, .others = 1 },
    { .name = "batched format", .sm = 120, .backend = B(FLASHINFER_CUTLASS),
      .format = NVFP4_FORMAT_BATCHED, .kept = { TO(FORMAT, NVFP4_FORMAT_AUTO) } },
    { .name = "standard format beside a batched all2all", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .dp = 2,
      .ep = 1, .all2all = A(DEEPEP_LOW_LATENCY), .format = NVFP4_FORMAT_BATCHED,
      .kept = { TO(FORMAT, NVFP4_FORMAT_STANDARD) } },
    { .name = "no change keeps a kernel that has no limit", .sm = 120, .backend = B(FLASHINFER_B12X),
      .limit = 10, .kept = { TO(BACKEND, 0) }, .others = 1 },
    { .name = "LoRA stays", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .lora = 1,
      .kept = { TO(BACKEND, 0) }, .others = 1 },
    { .name = "batch invariance stays", .sm = 120, .backend = B(MARLIN), .batch_invariant = 1,
      .kept = { TO(BACKEND, 0) }, .others = 1 },
    { .name = "load balancing stays", .sm = 120, .backend = B(B12X), .eplb = 1,
      .kept = { TO(BACKEND, 0) }, .others = 1 },
    { .name = "nothing helps", .sm = 70, .kept = { TO(BACKEND, 0) }, .limit = 7,
      .activation = ACT(GELU) },
    /* the smallest floor that helps, not the first nor the newest */
    { .name = "b12x clamps W4A4 from 0.23", .sm = 120, .backend = B(B12X), .limit = 10, .library = LIB(B12X),
      .version = "0.10", .kept = { FLOOR("0.23") }, .others = 1 },
    { .name = "b12x clamps W4A16 from 0.15", .sm = 120, .backend = B(B12X), .scheme = NVFP4_SCHEME_W4A16,
      .limit = 10, .library = LIB(B12X), .version = "0.10", .kept = { FLOOR("0.15") }, .others = 1 },
    { .name = "b12x needs CuTe DSL 4.6", .sm = 120, .backend = B(B12X), .library = LIB(CUTLASS_DSL),
      .version = "4.5.1", .kept = { FLOOR("4.6") }, .others = 1 },
    { .name = "CuTe DSL kernels clamp from 0.6.15", .sm = 100, .backend = B(FLASHINFER_CUTEDSL), .limit = 10,
      .library = LIB(FLASHINFER), .version = "0.6.3", .kept = { FLOOR("0.6.15") }, .others = 1 },
    { .name = "the port of b12x is right from 0.6.17", .sm = 121, .backend = B(FLASHINFER_B12X),
      .activation = ACT(SWIGLUOAI_UNINTERLEAVE), .limit = 7, .library = LIB(FLASHINFER),
      .version = "0.6.10", .kept = { FLOOR("0.6.17") }, .others = 1 },
    { .name = "the port of b12x needs CUDA 13", .sm = 120, .backend = B(FLASHINFER_B12X),
      .library = LIB(CUDA), .version = "12.9", .kept = { FLOOR("13.0") }, .others = 1 },
    { .name = "SM103 needs CUDA 12.9", .sm = 103, .backend = B(FLASHINFER_TRTLLM), .library = LIB(CUDA),
      .version = "12.8", .kept = { FLOOR("12.9") }, .others = 1 },
    { .name = "SiTU needs 0.6.18", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .activation = ACT(SITU),
      .library = LIB(FLASHINFER), .version = "0.6.13", .kept = { FLOOR("0.6.18") }, .others = 1 },
    { .name = "fine", .sm = 120, .backend = B(FLASHINFER_CUTLASS), .limit = 10, .width = 1024 },
    { .name = "fine, automatic", .sm = 100, .limit = 10, .width = 1024 },
    { .name = "fine, weight-only as asked", .sm = 120, .scheme = NVFP4_SCHEME_W4A16 },
    /* 128 / 4 = 32 fits no tile of W4A4, only MARLIN's padding; no GPU before Blackwell has such tiles */
    { .name = "a downgrade", .sm = 120, .width = 128, .tp = 4,
      .kept = { TO(TENSOR_PARALLEL, 2), TO(EXPERT_PARALLEL, 1) }, .others = 1 },
    { .name = "a downgrade that was asked for", .sm = 120, .backend = B(MARLIN), .width = 1024,
      .kept = { TO(BACKEND, 0) }, .others = 1 },
    { .name = "a downgrade without a cure", .sm = 90, .width = 1024, .kept = { TO(BACKEND, 0) } },
};

static nvfp4_library_version version_of(const char *text)
{
    nvfp4_library_version v = 0;
    assert_int_equal(nvfp4_version_parse(text, &v), NVFP4_OK);
    return v;
}

static nvfp4_moe_layer layer_of(const struct row *row)
{
    nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
    l.scheme = row->scheme;
    l.activation = row->activation;
    l.has = row->limit > 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    l.swiglu_limit = row->limit;
    l.hidden_size = row->hidden;
    l.intermediate_size = row->width;
    l.num_experts = row->experts;
    l.top_k = row->top_k;
    l.routing = row->routing != 0 ? row->routing : l.routing;
    l.router_weight_on_input = (uint8_t)row->input_weight;
    return l;
}

static nvfp4_deployment deployment_of(const struct row *row, nvfp4_target *target)
{
    nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
    d.device.sm = row->sm;
    d.requested = row->backend;
    d.tensor_parallel = row->tp != 0 ? row->tp : 1;
    d.data_parallel = row->dp != 0 ? row->dp : 1;
    d.expert_parallel = (uint8_t)row->ep;
    d.all2all = row->all2all;
    d.format = row->format;
    d.humming_gemm = row->gemm;
    d.lora = (uint8_t)row->lora;
    d.batch_invariant = (uint8_t)row->batch_invariant;
    d.eplb = (uint8_t)row->eplb;
    d.not_built = row->not_built;
    if (row->version != NULL)
        d.libraries[row->library] = version_of(row->version);
    for (size_t i = 0; i < COUNT_OF(row->disable) && row->disable[i] != NULL; i++) {
        nvfp4_kernel_set set = 0;
        assert_int_equal(nvfp4_policy_find_kernels(NULL, row->disable[i], &set), NVFP4_OK);
        d.disabled |= set;
    }
    if (row->target != NULL) {
        assert_int_equal(nvfp4_target_parse(row->target, target), NVFP4_OK);
        d.targets = target;
        d.target_count = 1;
    }
    return d;
}

/* Puts a remedy into practice; any change that is none of a deployment's own fails. */
static void apply(const nvfp4_remedy *r, nvfp4_deployment *d)
{
#define CHANGE(name, member, type)                                                                 \
    case NVFP4_CHANGE_##name:                                                                      \
        assert_true((uint64_t)d->member == r->from);                                               \
        d->member = (type)r->to;                                                                   \
        break
    assert_true(r->from != r->to);
    switch (r->change) {
        CHANGE(BACKEND, requested, int32_t);
        CHANGE(TENSOR_PARALLEL, tensor_parallel, int32_t);
        CHANGE(EXPERT_PARALLEL, expert_parallel, uint8_t);
        CHANGE(ALL2ALL, all2all, int32_t);
        CHANGE(FORMAT, format, int32_t);
        CHANGE(HUMMING_GEMM, humming_gemm, int32_t);
        CHANGE(LIBRARY, libraries[r->library], nvfp4_library_version);
        CHANGE(BUILT, not_built, nvfp4_backend_set);
        CHANGE(DISABLE, disabled, nvfp4_kernel_set);
        CHANGE(ERRATA_OFF, errata_off, uint64_t);
        CHANGE(TARGETS, target_count, size_t);
    default:
        fail_msg("change %d is none of a deployment's", r->change);
    }
#undef CHANGE
}

/* Asked again, it finds what it says. */
static void remedy_is_proven(const nvfp4_moe_layer *l, const nvfp4_deployment *asked,
                             const nvfp4_remedy *r, int downgraded)
{
    nvfp4_deployment d = *asked;
    nvfp4_selection s;
    apply(r, &d);
    assert_int_equal(nvfp4_select_backend(l, &d, NULL, &s), NVFP4_OK);
    assert_int_equal(s.backend, r->backend);
    assert_int_equal(s.kernel, r->kernel);
    if (r->change != NVFP4_CHANGE_BACKEND && asked->requested != B(NONE))
        assert_int_equal(s.backend, asked->requested);
    if (downgraded) { /* the activations stay quantised, in a kernel known to do so */
        assert_int_equal(s.scheme, l->scheme);
        assert_true(s.backend != B(MARLIN) && s.backend != B(EMULATION) && s.backend != B(HUMMING));
    }
    if (r->change == NVFP4_CHANGE_LIBRARY && r->from != NVFP4_LIBRARY_ABSENT) {
        d.libraries[r->library] = r->to - 1; /* just older does not help */
        assert_true(nvfp4_select_backend(l, &d, NULL, &s) != NVFP4_OK);
    }
}

static int is_wanted(const struct row *row, size_t number, const nvfp4_remedy *r)
{
    const struct want *w = &row->kept[number];
    const uint64_t to = w->version != NULL ? version_of(w->version) : w->to;
    if (w->change != NVFP4_CHANGE_BACKEND && w->change == r->change && to == r->to &&
        (r->change != NVFP4_CHANGE_LIBRARY || r->library == row->library))
        return 1;
    print_error("number %d, unexpected: %s to %llu\n", (int)number,
                nvfp4_change_key((nvfp4_change)r->change), (unsigned long long)r->to);
    return 0;
}

static void run_row(void **state)
{
    const struct row *row = *state;
    const nvfp4_moe_layer l = layer_of(row);
    nvfp4_target target;
    const nvfp4_deployment d = deployment_of(row, &target);
    nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
    nvfp4_selection s;
    size_t count = 99, kept = 0, want = 0;
    const int fits = nvfp4_select_backend(&l, &d, NULL, &s) == NVFP4_OK;
    assert_int_equal(nvfp4_find_remedies(&l, &d, NULL, remedies, &count), NVFP4_OK);
    assert_true(count <= NVFP4_REMEDIES_MAX);
    for (size_t i = 0; i < count; i++) {
        remedy_is_proven(&l, &d, &remedies[i], fits);
        if (remedies[i].change == NVFP4_CHANGE_BACKEND)
            continue;
        /* with a backend asked for, all that keep it come first */
        assert_true(kept == i || d.requested == B(NONE));
        assert_true(kept < KEPT_MAX && is_wanted(row, kept, &remedies[i]));
        kept++;
    }
    while (want < KEPT_MAX && row->kept[want].change != NVFP4_CHANGE_BACKEND)
        want++;
    assert_int_equal(kept, want);
    assert_int_equal(count > kept, row->others);
}

/* What is absent comes in a release that works, whichever that is. */
static void absent_libraries_are_installed(void **state)
{
    static const struct {
        nvfp4_sm sm;
        int backend, library;
    } cases[] = {
        { 120, B(FLASHINFER_CUTLASS), LIB(FLASHINFER) }, { 100, B(FLASHINFER_TRTLLM), LIB(FLASHINFER) },
        { 107, B(FLASHINFER_CUTEDSL), LIB(FLASHINFER) }, { 120, B(FLASHINFER_B12X), LIB(FLASHINFER) },
        { 120, B(B12X), LIB(B12X) },                     { 121, B(B12X), LIB(CUTLASS_DSL) },
        { 107, B(FLASHINFER_CUTEDSL), LIB(CUTLASS_DSL) }, { 90, B(HUMMING), LIB(HUMMING) },
        { 120, B(FLASHINFER_B12X), LIB(CUDA) },          { 103, B(FLASHINFER_TRTLLM), LIB(CUDA) },
    };
    const nvfp4_moe_layer l = NVFP4_MOE_LAYER_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nvfp4_deployment d = NVFP4_DEPLOYMENT_INIT;
        nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
        size_t count = 0;
        d.device.sm = cases[i].sm;
        d.requested = cases[i].backend;
        d.libraries[cases[i].library] = NVFP4_LIBRARY_ABSENT;
        assert_int_equal(nvfp4_find_remedies(&l, &d, NULL, remedies, &count), NVFP4_OK);
        assert_true(count >= 1);
        assert_int_equal(remedies[0].change, NVFP4_CHANGE_LIBRARY);
        assert_int_equal(remedies[0].library, cases[i].library);
        remedy_is_proven(&l, &d, &remedies[0], 0);
    }
}

int main(void)
{
    enum { N = COUNT_OF(rows) };
    struct CMUnitTest tests[N + 1];
    size_t n = 0;
    for (; n < N; n++)
        tests[n] = (struct CMUnitTest){ .name = rows[n].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[n] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(absent_libraries_are_installed);
    return _cmocka_run_group_tests("remedies", tests, n, NULL, NULL);
}
