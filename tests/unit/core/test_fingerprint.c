/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two hosts may differ in and still have equal fingerprints, and what they may not. The base is a
 * layer with a limit on eight ranks of SM100, with known library versions; a row changes one side of it,
 * or both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One host's question; its arrays live with it. */
struct host {
    nvfp4_moe_layer layer;
    nvfp4_deployment d;
    const nvfp4_policy *policy;
    nvfp4_target target;
    nvfp4_device_key peers[4];
};

static void base(struct host *h)
{
    *h = (struct host){ NVFP4_MOE_LAYER_INIT, NVFP4_DEPLOYMENT_INIT, NULL, { 0, 0 }, { { 0, 0, "" } } };
    h->layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    h->layer.swiglu_limit = 10;
    h->layer.hidden_size = 4096;
    h->layer.intermediate_size = 2048;
    h->layer.num_experts = 256;
    h->layer.top_k = 8;
    h->d.device.sm = 100;
    h->d.tensor_parallel = 8;
}

static void set_version(struct host *h, nvfp4_library library, const char *text)
{
    assert_int_equal(nvfp4_version_parse(text, &h->d.libraries[library]), NVFP4_OK);
}

static void set_target(struct host *h, const char *text)
{
    assert_int_equal(nvfp4_target_parse(text, &h->target), NVFP4_OK);
    h->d.targets = &h->target;
    h->d.target_count = 1;
}

static void set_peers(struct host *h, nvfp4_sm a, nvfp4_sm b, nvfp4_sm c)
{
    const nvfp4_sm sms[] = { a, b, c };
    h->d.peer_count = 0;
    for (size_t i = 0; i < COUNT_OF(sms); i++)
        if (sms[i] != 0)
            h->peers[h->d.peer_count++].sm = sms[i];
    h->d.peers = h->peers;
}

/* Experts spread over 8 x 2 ranks, so that tokens must move. */
static void spread(struct host *h)
{
    h->d.data_parallel = 2;
    h->d.expert_parallel = 1;
}

/* A row is two statements, about host `a` and host `b`; either may be empty. */
#define NOTHING ((void)0)
#define L a->layer
#define FLASHINFER(host, text) set_version(host, NVFP4_LIBRARY_FLASHINFER, text)
#define ONLY_A(x) x, NOTHING

#define EQUAL_MAP(X)                                                                               \
    X(the_same_twice, NOTHING, NOTHING)                                                            \
    X(policy_by_default, a->policy = nvfp4_policy_builtin("kernels-2026-11"), NOTHING)             \
    X(policy_by_alias, a->policy = nvfp4_policy_builtin("default"), NOTHING)                       \
    X(alpha_filled_in, (L.has |= NVFP4_HAS_SWIGLU_ALPHA, L.swiglu_alpha = 1), NOTHING)             \
    X(beta_filled_in, (L.has |= NVFP4_HAS_SWIGLU_BETA, L.swiglu_beta = 0), NOTHING)                \
    X(beta_of_minus_zero, (L.has |= NVFP4_HAS_SWIGLU_BETA, L.swiglu_beta = -0.0), NOTHING)         \
    X(oai_filled_in,                                                                               \
      (L.activation = b->layer.activation = NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE,               \
       L.has |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA, L.swiglu_alpha = 1.702,            \
       L.swiglu_beta = 1),                                                                         \
      NOTHING)                                                                                     \
    X(numbers_not_given, (L.swiglu_alpha = 3, L.swiglu_beta = 4, L.situ_beta = 5), NOTHING)        \
    X(limit_not_given, (L.has = 0, L.swiglu_limit = 7), (b->layer.has = 0))                        \
    X(format_filled_in, a->d.format = NVFP4_FORMAT_STANDARD, NOTHING)                              \
    X(format_of_the_all2all,                                                                       \
      (spread(a), a->d.all2all = NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY),                                \
      (spread(b), b->d.all2all = NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY,                                 \
       b->d.format = NVFP4_FORMAT_BATCHED))                                                        \
    X(all2all_filled_in, (spread(a), a->d.all2all = NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER),        \
      spread(b))                                                                                   \
    X(all2all_not_in_use, a->d.all2all = NVFP4_ALL2ALL_DEEPEP_HIGH_THROUGHPUT, NOTHING)            \
    X(experts_spread_over_one, (a->d.tensor_parallel = 1, a->d.expert_parallel = 1),               \
      b->d.tensor_parallel = 1)                                                                    \
    X(the_same_share, (a->d.tensor_parallel = 4, a->d.data_parallel = 2), NOTHING)                 \
    X(spread_over_more, (spread(a), a->d.tensor_parallel = 16), spread(b))                         \
    X(thor_by_either_name, (a->d.device.sm = 101), (b->d.device.sm = 110))                         \
    X(thor_among_peers, set_peers(a, 100, 101, 0), set_peers(b, 110, 100, 0))                      \
    X(thor_as_target, (a->d.device.sm = 110, set_target(a, "101a")), (b->d.device.sm = 101))       \
    X(between_two_floors, FLASHINFER(a, "0.6.11"), FLASHINFER(b, "0.6.12"))                        \
    X(below_every_floor, FLASHINFER(a, "0.1"), FLASHINFER(b, "0.2.9"))                             \
    X(above_every_floor, FLASHINFER(a, "0.6.18"), FLASHINFER(b, "0.7.2.post1"))                    \
    X(unknown_is_newest, FLASHINFER(a, "0.7.0"), NOTHING)                                          \
    X(local_parts, FLASHINFER(a, "0.6.16+cu130"), FLASHINFER(b, "0.6.16"))                         \
    X(cuda_between_floors, set_version(a, NVFP4_LIBRARY_CUDA, "13.0"),                             \
      set_version(b, NVFP4_LIBRARY_CUDA, "13.1"))                                                  \
    X(no_rule_on_vllm, set_version(a, NVFP4_LIBRARY_VLLM, "0.10"),                                 \
      b->d.libraries[NVFP4_LIBRARY_VLLM] = NVFP4_LIBRARY_ABSENT)                                   \
    X(kernels_beyond_the_policy, a->d.disabled = UINT64_C(1) << 13 | UINT64_C(1) << 63, NOTHING)   \
    X(errata_beyond_the_policy, a->d.errata_off = UINT64_C(1) << 5 | UINT64_C(1) << 63, NOTHING)   \
    X(backends_beyond_the_policy, a->d.not_built = NVFP4_BACKEND_BIT(60) | 1, NOTHING)             \
    X(keys_beyond_the_policy, a->d.custom = UINT64_C(1) << 40, NOTHING)                            \
    X(targets_that_cover, set_target(a, "100f"), set_target(b, "100a"))                            \
    X(targets_of_the_device, set_target(a, "100a"), NOTHING)                                       \
    X(peers_in_any_order, set_peers(a, 100, 103, 120), set_peers(b, 120, 100, 103))                \
    X(peers_repeated, set_peers(a, 103, 103, 103), set_peers(b, 103, 0, 0))                        \
    X(peers_with_and_without_this_one, set_peers(a, 100, 103, 0), set_peers(b, 103, 0, 0))         \
    X(peers_that_are_alike, set_peers(a, 100, 100, 100), NOTHING)                                  \
    X(batched_by_either_name,                                                                      \
      (a->d.format = NVFP4_FORMAT_BATCHED, a->d.requested = NVFP4_BACKEND_FLASHINFER_CUTEDSL),     \
      (b->d.format = NVFP4_FORMAT_BATCHED,                                                         \
       b->d.requested = NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED))                                 \
    X(larger_structs, (L.struct_size += 64, a->d.struct_size += 64), NOTHING)

#define UNEQUAL_MAP(X)                                                                             \
    X(device, ONLY_A(a->d.device.sm = 103))                                                        \
    X(another_maker, ONLY_A((a->d.device.vendor = NVFP4_VENDOR_AMD, a->d.device.sm = 0)))          \
    X(scheme, ONLY_A(L.scheme = NVFP4_SCHEME_W4A16))                                               \
    X(activation, ONLY_A(L.activation = NVFP4_ACTIVATION_GELU))                                    \
    X(gate, (L.activation = NVFP4_ACTIVATION_RELU2, L.has = 0),                                    \
      (b->layer.activation = NVFP4_ACTIVATION_RELU2_NO_MUL, b->layer.has = 0))                     \
    X(routing, ONLY_A(L.routing = NVFP4_ROUTING_LLAMA4))                                           \
    X(router_dtype, ONLY_A(L.router_dtype = NVFP4_ROUTER_DTYPE_FP32))                              \
    X(dtype, ONLY_A(L.dtype = NVFP4_DTYPE_FP16))                                                   \
    X(limit, ONLY_A(L.swiglu_limit = 7))                                                           \
    X(limit_by_a_hair, ONLY_A(L.swiglu_limit = 10.000000000000002))                                \
    X(no_limit, ONLY_A(L.has = 0))                                                                 \
    X(alpha, ONLY_A((L.has |= NVFP4_HAS_SWIGLU_ALPHA, L.swiglu_alpha = 1.702)))                    \
    X(beta, ONLY_A((L.has |= NVFP4_HAS_SWIGLU_BETA, L.swiglu_beta = 1)))                           \
    X(alpha_is_not_beta,                                                                           \
      (L.has |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA, L.swiglu_alpha = 2,                \
       L.swiglu_beta = 3),                                                                         \
      (b->layer.has |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA, b->layer.swiglu_alpha = 3,  \
       b->layer.swiglu_beta = 2))                                                                  \
    X(situ_beta, (L.activation = NVFP4_ACTIVATION_SITU, L.has |= NVFP4_HAS_SITU_BETA, L.situ_beta = 5), \
      (b->layer.activation = NVFP4_ACTIVATION_SITU, b->layer.has |= NVFP4_HAS_SITU_BETA,           \
       b->layer.situ_beta = 4))                                                                    \
    X(situ_linear_beta,                                                                            \
      (L.activation = NVFP4_ACTIVATION_SITU, L.has |= NVFP4_HAS_SITU_LINEAR_BETA,                  \
       L.situ_linear_beta = 25),                                                                   \
      (b->layer.activation = NVFP4_ACTIVATION_SITU, b->layer.has |= NVFP4_HAS_SITU_LINEAR_BETA,    \
       b->layer.situ_linear_beta = 24))                                                            \
    X(situ_beta_of_nought,                                                                         \
      (L.activation = NVFP4_ACTIVATION_SITU, L.has |= NVFP4_HAS_SITU_BETA, L.situ_beta = 0),       \
      b->layer.activation = NVFP4_ACTIVATION_SITU)                                                 \
    X(targets_that_do_not_cover_a_peer, (set_peers(a, 100, 103, 0), set_target(a, "100a")),        \
      (set_peers(b, 100, 103, 0), set_target(b, "100f")))                                          \
    X(hidden_size, ONLY_A(L.hidden_size = 4352))                                                   \
    X(intermediate_size, ONLY_A(L.intermediate_size = 3072))                                       \
    X(num_experts, ONLY_A(L.num_experts = 512))                                                    \
    X(size_unknown, ONLY_A(L.num_experts = 0))                                                     \
    X(sizes_swapped, ONLY_A((L.hidden_size = 2048, L.intermediate_size = 4096)))                   \
    X(top_k, ONLY_A(L.top_k = 1))                                                                  \
    X(bias, ONLY_A(L.bias = 1))                                                                    \
    X(router_weight_on_input, ONLY_A(L.router_weight_on_input = 1))                                \
    X(per_token_activation_scale, ONLY_A(L.per_token_activation_scale = 1))                        \
    X(tensor_parallel_share, ONLY_A(a->d.tensor_parallel = 4))                                     \
    X(data_parallel_share, ONLY_A(a->d.data_parallel = 2))                                         \
    X(context_parallel_share, ONLY_A(a->d.context_parallel = 2))                                   \
    X(experts_spread, ONLY_A(a->d.expert_parallel = 1))                                            \
    X(all2all_in_use, (spread(a), a->d.all2all = NVFP4_ALL2ALL_DEEPEP_HIGH_THROUGHPUT), spread(b)) \
    X(sequence_parallel_moves_tokens, (a->d.expert_parallel = 1, a->d.sequence_parallel = 8),      \
      b->d.expert_parallel = 1)                                                                    \
    X(format, ONLY_A(a->d.format = NVFP4_FORMAT_BATCHED))                                          \
    X(humming_gemm, ONLY_A(a->d.humming_gemm = NVFP4_HUMMING_GEMM_GROUPED))                        \
    X(eplb, ONLY_A(a->d.eplb = 1))                                                                 \
    X(lora, ONLY_A(a->d.lora = 1))                                                                 \
    X(batch_invariant, ONLY_A(a->d.batch_invariant = 1))                                           \
    X(requested_what_is_chosen_anyway, ONLY_A(a->d.requested = NVFP4_BACKEND_FLASHINFER_TRTLLM))   \
    X(requested_another, a->d.requested = NVFP4_BACKEND_MARLIN,                                    \
      b->d.requested = NVFP4_BACKEND_EMULATION)                                                    \
    X(disabled, ONLY_A(a->d.disabled = 1))                                                         \
    X(last_kernel_disabled, ONLY_A(a->d.disabled = UINT64_C(1) << 12))                             \
    X(errata_off, ONLY_A(a->d.errata_off = 1))                                                     \
    X(last_erratum_off, ONLY_A(a->d.errata_off = UINT64_C(1) << 4))                                \
    X(not_built, ONLY_A(a->d.not_built = NVFP4_BACKEND_BIT(NVFP4_BACKEND_MARLIN)))                 \
    X(targets_that_do_not_cover, set_target(a, "120a"), set_target(b, "100a"))                     \
    X(policy, ONLY_A(a->policy = nvfp4_policy_builtin("vllm")))                                    \
    X(policies, a->policy = nvfp4_policy_builtin("vllm-45836"),                                    \
      b->policy = nvfp4_policy_builtin("vllm-46492"))                                              \
    X(peers_add_a_device, ONLY_A(set_peers(a, 100, 103, 0)))                                       \
    X(peers_add_another_device, set_peers(a, 100, 103, 0), set_peers(b, 100, 120, 0))              \
    X(peers_add_one_more, set_peers(a, 100, 103, 0), set_peers(b, 100, 103, 120))                  \
    X(library_absent, a->d.libraries[NVFP4_LIBRARY_FLASHINFER] = NVFP4_LIBRARY_ABSENT,             \
      FLASHINFER(b, "0.1"))                                                                        \
    X(humming_absent, ONLY_A(a->d.libraries[NVFP4_LIBRARY_HUMMING] = NVFP4_LIBRARY_ABSENT))        \
    X(same_version_of_another_library, set_version(a, NVFP4_LIBRARY_CUDA, "0.1"), FLASHINFER(b, "0.1"))

#define HOSTS(name, of_a, of_b)                                                                    \
    static void name##_hosts(struct host *a, struct host *b)                                       \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        of_a;                                                                                      \
        of_b;                                                                                      \
    }
#define HOSTS_OF(name, ...) HOSTS(name, __VA_ARGS__)
EQUAL_MAP(HOSTS_OF)
UNEQUAL_MAP(HOSTS_OF)

static const struct row {
    const char *name;
    void (*hosts)(struct host *a, struct host *b);
    int equal;
} rows[] = {
#define EQUAL_ROW(name, ...) { "equal: " #name, name##_hosts, 1 },
#define UNEQUAL_ROW(name, ...) { "unequal: " #name, name##_hosts, 0 },
    EQUAL_MAP(EQUAL_ROW) UNEQUAL_MAP(UNEQUAL_ROW)
};

static uint64_t print_of(const struct host *h)
{
    uint64_t fingerprint = 0;
    assert_int_equal(nvfp4_fingerprint(&h->layer, &h->d, h->policy, &fingerprint), NVFP4_OK);
    return fingerprint;
}

static void run_row(void **state)
{
    const struct row *row = *state;
    struct host a, b;
    base(&a);
    base(&b);
    row->hosts(&a, &b);
    assert_int_equal(print_of(&a) == print_of(&b), row->equal);
}

/* Both sides of every version that a rule of the default policy names. */
static void floors_are_told_apart(void **state)
{
    static const struct {
        nvfp4_library library;
        const char *older, *floor;
    } floors[] = {
        { NVFP4_LIBRARY_FLASHINFER, "0.2.9", "0.2.10" },   { NVFP4_LIBRARY_FLASHINFER, "0.2.11", "0.2.12" },
        { NVFP4_LIBRARY_FLASHINFER, "0.2.12", "0.2.13" },  { NVFP4_LIBRARY_FLASHINFER, "0.6.3", "0.6.4" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.8.post1", "0.6.8.post2" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.8.post2", "0.6.9" }, { NVFP4_LIBRARY_FLASHINFER, "0.6.12", "0.6.13" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.13", "0.6.14" },  { NVFP4_LIBRARY_FLASHINFER, "0.6.14", "0.6.15" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.16rc4", "0.6.16rc5" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.16rc5", "0.6.16" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.16.post4", "0.6.17" },
        { NVFP4_LIBRARY_FLASHINFER, "0.6.18rc7", "0.6.18" }, { NVFP4_LIBRARY_CUDA, "12.7", "12.8" },
        { NVFP4_LIBRARY_CUDA, "12.8", "12.9" },            { NVFP4_LIBRARY_CUDA, "12.9", "13.0" },
        { NVFP4_LIBRARY_CUTLASS_DSL, "4.5.2", "4.6" },     { NVFP4_LIBRARY_CUTLASS_DSL, "4.7", "4.8" },
        { NVFP4_LIBRARY_B12X, "0.14", "0.15" },            { NVFP4_LIBRARY_B12X, "0.21", "0.22" },
        { NVFP4_LIBRARY_B12X, "0.22", "0.23" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(floors); i++) {
        struct host a, b;
        base(&a);
        base(&b);
        set_version(&a, floors[i].library, floors[i].older);
        set_version(&b, floors[i].library, floors[i].floor);
        if (print_of(&a) == print_of(&b))
            fail_msg("%s %s is as %s", nvfp4_library_name(floors[i].library), floors[i].older,
                     floors[i].floor);
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
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(floors_are_told_apart);
    return _cmocka_run_group_tests("fingerprint", tests, n, NULL, NULL);
}
