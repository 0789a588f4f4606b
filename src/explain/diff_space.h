/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_DIFF_SPACE_H
#define NVFP4_EXPLAIN_DIFF_SPACE_H

/*
 * The questions that two policies are compared on, as points: one value for each dimension. The
 * values of a dimension are those that some rule of the two policies may tell apart; each stands
 * for all others like it and has a number that represents it in a request.
 */

#include <nvfp4moe/diff.h>

#include "core/question.h"

/* ---- dimensions: name, key in a request. From the coarse to the rare: it is the order of tests.
 * ---- */
#define DIFF_DIMENSION_MAP(X)                                                                      \
    X(DEVICE, "device")                                                                            \
    X(ASKED, "backend")                                                                            \
    X(SCHEME, "scheme")                                                                            \
    X(ACTIVATION, "activation")                                                                    \
    X(LIMIT, "swiglu_limit")                                                                       \
    X(CONSTANTS, "swiglu_alpha, swiglu_beta")                                                      \
    X(PARALLEL, "parallel")                                                                        \
    X(ROUTING, "routing")                                                                          \
    X(ROUTER_DTYPE, "router_logits_dtype")                                                         \
    X(DTYPE, "dtype")                                                                              \
    X(HUMMING_GEMM, "humming_gemm_type")                                                           \
    X(KEY_1, "")                                                                                   \
    X(KEY_2, "")                                                                                   \
    X(KEY_3, "")                                                                                   \
    X(KEY_4, "")                                                                                   \
    X(EPLB, "eplb")                                                                                \
    X(LORA, "lora")                                                                                \
    X(BATCH_INVARIANT, "batch_invariant")                                                          \
    X(BIAS, "bias")                                                                                \
    X(ROUTER_WEIGHT_ON_INPUT, "router_weight_on_input")                                            \
    X(PER_TOKEN_SCALE, "per_token_activation_scale")                                               \
    X(FLASHINFER, "flashinfer")                                                                    \
    X(B12X, "b12x")                                                                                \
    X(HUMMING, "humming")                                                                          \
    X(CUDA, "cuda")                                                                                \
    X(CUTLASS_DSL, "cutlass_dsl")                                                                  \
    X(VLLM, "vllm")                                                                                \
    X(WIDTH, "intermediate size per rank")                                                         \
    X(EXPERTS, "num_experts")                                                                      \
    X(HIDDEN, "hidden_size")                                                                       \
    X(TOP_K, "top_k")                                                                              \
    X(SITU, "situ_beta, situ_linear_beta")

enum diff_dimension {
#define X(name, key) DIM_##name,
    DIFF_DIMENSION_MAP(X)
#undef X
        DIMS
};

/* A value is a bit of its dimension's set. */
enum { VALUES_MAX = 64 };

/* Request keys of the policies' own. */
enum { KEYS_MAX = DIM_KEY_4 - DIM_KEY_1 + 1 };
#define IS_KEY(dim) ((dim) >= DIM_KEY_1 && (dim) <= DIM_KEY_4)

/* A product of sets, one for each dimension. */
struct diff_box {
    uint64_t set[DIMS];
};

/* One value for each dimension. */
struct diff_point {
    uint8_t value[DIMS];
};

/* What a value puts into a question: the bits that its dimension owns. */
struct diff_bits {
    uint64_t device, values, custom;
    uint32_t flags;
};

/* The first values of a library's dimension; behind them: older than each threshold, ascending. */
enum { VERSION_NEWEST = 0, VERSION_ABSENT = 1, VERSION_OLDER = 2 };

/*
 * Values of DIM_PARALLEL: how tokens reach the experts. Each way is there twice, in standard and in
 * batched format; the last two are ways whose format the policies may derive differently.
 */
enum {
    WAY_NO_EP, /* no expert parallelism */
    WAY_EP,    /* expert parallelism over tensor ranks: no all2all kernels */
    WAY_DP,    /* + all2all - 1: with data parallelism */
    WAY_CP =
        WAY_DP + NVFP4_ALL2ALL_COUNT - 1, /* + all2all - 1: with context or sequence parallelism */
    WAYS = WAY_CP + NVFP4_ALL2ALL_COUNT - 1,
    PARALLEL_AUTO_DEEPEP = 2 * WAYS,
    PARALLEL_AUTO_NIXL,
    PARALLEL_VALUES
};
#define PARALLEL_WAY(value)                                                                        \
    ((value) == PARALLEL_AUTO_DEEPEP ? WAY_CP + NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY - 1               \
     : (value) == PARALLEL_AUTO_NIXL ? WAY_CP + NVFP4_ALL2ALL_NIXL_EP - 1                          \
                                     : (value) / 2)

/* The width that is a multiple of nothing; all others are multiples of it, or named by a rule. */
enum { PLAIN_WIDTH = 1009 };

/* Betas of SiTU: left out, those that b12x has built in, others. */
enum { SITU_ABSENT, SITU_USUAL, SITU_OTHER, SITU_VALUES };

struct diff_space {
    const nvfp4_policy *policy[2];
    int count[DIMS];              /* values of each dimension */
    const char *word[VALUES_MAX]; /* DIM_ASKED; the first is "auto" */
    double limit[VALUES_MAX];     /* DIM_LIMIT; the first means none */
    struct {
        const char *section, *name;   /* NULL: there is no such key */
        const char *word[VALUES_MAX]; /* the first is NULL: left out */
    } key[KEYS_MAX];
    struct {
        double alpha, beta;
    } constants[VALUES_MAX]; /* DIM_CONSTANTS; the first means the activation's own */
    nvfp4_library_version version[NVFP4_LIBRARY_COUNT][VALUES_MAX];
    int64_t size[DIM_TOP_K - DIM_WIDTH + 1][VALUES_MAX]; /* the first is 0: unknown */
    uint64_t mark[DIM_TOP_K - DIM_WIDTH + 1]
                 [VALUES_MAX]; /* of the sizes, see nvfp4_diff_size_mark() */
    struct diff_bits bits[2][DIMS][VALUES_MAX];
};

/* A request in which every dimension has its first value, but for those set on it. */
struct diff_request {
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    const char *word;
    const char *key_word[KEYS_MAX]; /* NULL: left out */
};

#define DIM_SET_ALL(space, dim)                                                                    \
    ((space)->count[dim] >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (space)->count[dim]) - 1)

/* Value <-> routing: the usual one is the first value. */
static inline int32_t diff_routing(int32_t n)
{
    return n == 0 ? NVFP4_ROUTING_RENORMALIZE : n == NVFP4_ROUTING_RENORMALIZE ? 0 : n;
}

/* Finds the values of every dimension; NVFP4_ELIMIT where they are too many. */
nvfp4_status nvfp4_diff_space_make(struct diff_space *space, const nvfp4_policy *from,
                                   const nvfp4_policy *to);

/* The request that represents a point. */
void nvfp4_diff_request_of(const struct diff_space *space, const struct diff_point *point,
                           struct diff_request *request);

/* The question of a request under policy 0 or 1; the request must outlive it. */
nvfp4_status nvfp4_diff_ask(const struct diff_space *space, int policy,
                            struct diff_request *request, struct question *q);

/* The point of a request; statuses as of nvfp4_diff_find(). */
nvfp4_status nvfp4_diff_locate(const struct diff_space *space, const nvfp4_moe_layer *layer,
                               const nvfp4_deployment *deployment, const char *word,
                               struct diff_point *point);

/* Do rules tell two sizes apart? Equal marks: they do not. */
uint64_t nvfp4_diff_size_mark(const struct diff_space *space, int dim, int64_t size);

#endif
