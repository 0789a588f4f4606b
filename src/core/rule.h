/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_RULE_H
#define NVFP4_CORE_RULE_H

/*
 * What a policy is made of: rows of data, nothing that computes.
 *
 * A question is turned into three words once (question.h): the device as one bit, each of its values
 * as one bit of its column, each thing asked for as a flag. A row holds the sets it accepts in the
 * same three words, so "does anything rule this kernel out" begins as three ANDs. What depends on
 * more than one column (a version on some SMs, a multiple for gated layers) is a condition of the row:
 * when the question matches, one more comparison.
 */

#include <nvfp4moe/select.h>

/* ---- devices: one bit for each SM of the generations that matter, one for the others together ---- */

#define DEVICE_SM_BITS 56
#define DEVICE_BIT(n) ((uint64_t)1 << (n))
/* bit of an SM: below 60 | 60-69 | 70-74 | 75-79 | 80..129 each its own | 130-139 | 140 and newer */
#define SM_INDEX(sm)                                                                               \
    ((sm) >= 80 && (sm) < 130 ? (sm)-76                                                            \
     : (sm) < 60              ? 0                                                                  \
     : (sm) < 70              ? 1                                                                  \
     : (sm) < 75              ? 2                                                                  \
     : (sm) < 80              ? 3                                                                  \
     : (sm) < 140             ? 54                                                                 \
                              : 55)
/* Thor is 101 under CUDA 12 and 110 under CUDA 13: one chip, read as 110 */
static inline nvfp4_sm own_sm(nvfp4_sm sm)
{
    return sm == 101 ? 110 : sm;
}
#define SM(sm) DEVICE_BIT(SM_INDEX(sm))
/* all SMs from first to last, both included */
#define SM_RANGE(first, last)                                                                      \
    ((DEVICE_BIT(SM_INDEX(last)) << 1) - DEVICE_BIT(SM_INDEX(first)))
#define SM_FROM(first) SM_RANGE(first, 999)
#define DEVICE_NVIDIA SM_RANGE(0, 999)
#define INDEX_AMD 56
#define INDEX_INTEL 57
#define DEVICE_AMD DEVICE_BIT(INDEX_AMD)
#define DEVICE_INTEL DEVICE_BIT(INDEX_INTEL)
#define DEVICE_ANY (~(uint64_t)0)

/* ---- versions, packed as nvfp4_version_parse() packs them (a test compares) ---- */

#define VERSION_PACK(a, b, c, phase, n)                                                            \
    ((((((((nvfp4_library_version)(a) << 10 | (b)) << 12 | (c)) << 7) << 3) | (phase)) << 15 | (n)) \
         << 1 |                                                                                    \
     1)
#define VERSION(a, b, c) VERSION_PACK(a, b, c, 5, 0)
#define VERSION_RC(a, b, c, n) VERSION_PACK(a, b, c, 4, n)
#define VERSION_POST(a, b, c, n) VERSION_PACK(a, b, c, 6, n)

/* ---- values: columns side by side in one word ---- */

/* name (as in NVFP4_COLUMN_MAP), first bit, number of bits */
#define VALUE_COLUMN_MAP(X)                                                                        \
    X(SCHEME, 0, 4)                                                                                \
    X(ACTIVATION, 4, 12)                                                                           \
    X(FORMAT, 16, 2)                                                                               \
    X(ROUTING, 18, 13)                                                                             \
    X(ROUTER_DTYPE, 31, 5)                                                                         \
    X(DTYPE, 36, 3)                                                                                \
    X(ALL2ALL, 39, 11)                                                                             \
    X(HUMMING_GEMM, 50, 2)

enum value_shift {
#define X(name, shift, bits) SHIFT_##name = (shift),
    VALUE_COLUMN_MAP(X)
#undef X
};
enum value_bits {
#define X(name, shift, bits) BITS_##name = (bits),
    VALUE_COLUMN_MAP(X)
#undef X
};
/* all values of a column */
#define ALL(column) ((((uint64_t)1 << BITS_##column) - 1) << SHIFT_##column)
/* the value number n of a column */
#define VALUE(column, n) ((uint64_t)1 << (SHIFT_##column + (n)))

#define SCHEME(name) VALUE(SCHEME, NVFP4_SCHEME_##name)
#define ACT(name) VALUE(ACTIVATION, NVFP4_ACTIVATION_##name)
#define ROUTING(name) VALUE(ROUTING, NVFP4_ROUTING_##name)
#define ROUTER(name) VALUE(ROUTER_DTYPE, NVFP4_ROUTER_DTYPE_##name)
#define DTYPE(name) VALUE(DTYPE, NVFP4_DTYPE_##name)
#define ALL2ALL(name) VALUE(ALL2ALL, NVFP4_ALL2ALL_##name)
#define GEMM(name) VALUE(HUMMING_GEMM, NVFP4_HUMMING_GEMM_##name)
#define STANDARD VALUE(FORMAT, NVFP4_FORMAT_STANDARD - NVFP4_FORMAT_STANDARD)
#define BATCHED VALUE(FORMAT, NVFP4_FORMAT_BATCHED - NVFP4_FORMAT_STANDARD)

#define ANY_VALUE (~(uint64_t)0)
/* in a `when`: whatever the other columns say, this column says one of these */
#define ONLY(column, set) (~ALL(column) | (set))

/* ---- flags: what is asked for beside the values ---- */

enum flag {
    FLAG_NON_GATED = 1 << 0,
    FLAG_LIMIT = 1 << 1,
    FLAG_EP = 1 << 2, /* experts spread over more than one rank */
    FLAG_EPLB = 1 << 3,
    FLAG_LORA = 1 << 4,
    FLAG_BATCH_INVARIANT = 1 << 5,
    FLAG_BIAS = 1 << 6,
    FLAG_ROUTER_WEIGHT_ON_INPUT = 1 << 7,
    FLAG_PER_TOKEN_SCALE = 1 << 8
};
#define FLAG_COUNT 9
#define FLAGS_LOW_BITS 4

/* ---- rows ---- */

/* The questions that a condition, clamp rule or erratum is about. */
struct nvfp4_when {
    uint64_t device, values; /* accepted sets; DEVICE_ANY and ANY_VALUE where it does not matter */
    uint32_t with, without;  /* flags that must be set, that must be clear */
    uint64_t not_custom;     /* words of the policy's own keys with which it does not match */
};

enum condition_kind {
    CONDITION_RULES_OUT = 1,  /* the match itself is the reason */
    CONDITION_LIBRARY,        /* library present and at least `number` (a version; 0: any) */
    CONDITION_ROWS_MULTIPLE,  /* FC1 rows of this rank a multiple of `number` */
    CONDITION_WIDTH_MULTIPLE, /* intermediate size of this rank a multiple of `number` */
    CONDITION_EXPERTS_BELOW,  /* experts, rounded up to 32, below `number` */
    CONDITION_TOP_K_AT_MOST,  /* top_k at most `number` */
    CONDITION_SITU_BETAS,     /* beta 4 and linear beta 25; `number` 1: absent ones do not pass */
    CONDITION_DOUBT           /* rules nothing out; a warning where the kernel is chosen */
};

struct nvfp4_condition {
    struct nvfp4_when when;
    uint8_t kind;     /* enum condition_kind */
    uint8_t reason;   /* nvfp4_reason */
    uint8_t library;  /* nvfp4_library, for LIBRARY and with `since` and `until` */
    nvfp4_library_version until; /* holds only for versions of it known to be older; 0: for all */
    nvfp4_library_version since; /* not for versions of it known to be older; 0: for all */
    uint64_t number;
    const char *note; /* why, for people; may be NULL */
    const char *source;
};

enum limit_mode {
    LIMIT_TAKEN = 1, /* applies the value it is given */
    LIMIT_IGNORED,   /* takes none, or takes it and does nothing with it */
    LIMIT_CONSTANT   /* applies a constant of its own */
};

enum absent_limit {
    ABSENT_FINE = 0,  /* without a limit it does not clamp, or clamps as the activation is known to */
    ABSENT_REFUSED,   /* cannot run without one */
    ABSENT_CLAMPS     /* clamps by its own constant though the model has no limit */
};

/* What a kernel does with limit, alpha and beta for some questions; the first that matches counts. */
struct nvfp4_clamp_rule {
    struct nvfp4_when when;
    uint8_t library;  /* with `since`: only from this version of it on */
    nvfp4_library_version since; /* 0: always */
    uint8_t limit;    /* enum limit_mode */
    uint8_t absent;   /* enum absent_limit */
    uint8_t takes_alpha_beta; /* else they are constants */
    uint8_t after_activation; /* clamps the gate behind the SiLU */
    uint8_t space;    /* nvfp4_limit_space */
    double limit_constant, alpha_constant, beta_constant;
    const char *note;
    const char *source;
};

/* Powers of two that a kernel's loader pads to; 0: none. */
struct nvfp4_padding {
    int16_t gated, non_gated, hidden;
};

struct nvfp4_row {
    uint8_t backend;       /* nvfp4_backend */
    uint8_t opt_in;
    uint8_t engine_built;  /* compiled with the engine, so `targets` must cover the device */
    uint8_t runs_w4a16;    /* drops activation quantisation whatever was asked */
    uint8_t halves;        /* nvfp4_halves for gated layers */
    const char *kernel;    /* name, "" where the backend has one kernel */
    uint64_t device;       /* accepted devices */
    uint64_t values;       /* accepted values of every column */
    uint64_t not_custom;   /* words of the policy's own keys that it does not accept */
    uint32_t cannot;       /* flags it does not take */
    struct nvfp4_padding padding;
    const struct nvfp4_condition *conditions;
    const struct nvfp4_clamp_rule *clamp;
    uint8_t condition_count, clamp_count;
    const char *source;
};

/* A user's word for a backend; in batched format it may mean another. */
struct nvfp4_user_word {
    const char *word;
    uint8_t backend, batched; /* batched 0: the same */
};

#define LIBRARY_NONE 255 /* in an erratum: no library has to do with it */

struct nvfp4_erratum {
    const char *name;
    nvfp4_kernel_set kernels;
    struct nvfp4_when when;
    uint8_t library;                 /* whose versions bound it, or LIBRARY_NONE */
    nvfp4_library_version from, below; /* 0: unbounded; with `below` an unknown version is past it */
    int64_t experts, hidden, width, top_k; /* exact shape (width per rank); 0: any */
    const char *text;
    const char *source;
};

/* A name for a custom backend id. */
struct nvfp4_custom_backend {
    const char *name;
    uint8_t backend;
};

/*
 * A request key of the policy's own, such as a server flag of an engine or a model's architecture. Its
 * words are neighbouring bits of one more word beside device, values and flags, in which a question
 * has one bit for each key; rows and `when`s say which bits they do not take, so 0 means all.
 */
struct nvfp4_custom_key {
    const char *section;      /* "layer" or "deployment": where it stands in a request */
    const char *key;
    const char *const *words; /* the first is the default */
    uint8_t first_bit, word_count;
};
#define CUSTOM_BITS 64

static inline uint64_t custom_key_bits(const struct nvfp4_custom_key *key)
{
    return (~(uint64_t)0 >> (CUSTOM_BITS - key->word_count)) << key->first_bit;
}

/*
 * The rows' words turned round: for each value of each column, the kernels that accept it. Holding a
 * question against all rows is then a dozen loads and ANDs. Made from the rows by nvfp4_policy_compile(); for
 * the built-in policies written down, and a test holds it against them.
 */
/*
 * Without one of these in a question no condition and no erratum of the kernel can matter; without
 * `clamp`, a limit, an alpha or a beta no clamp rule can.
 */
struct nvfp4_trigger {
    uint64_t device, values, clamp;
    uint32_t flags;
};

struct nvfp4_compiled {
    nvfp4_kernel_set device[64];  /* by number of the device bit */
    nvfp4_kernel_set value[64];   /* by number of the value bit */
    nvfp4_kernel_set flags_low[16];  /* by the lower four flags as a number: kernels that take them */
    nvfp4_kernel_set flags_high[32]; /* by the upper five */
    nvfp4_kernel_set backend[64]; /* by nvfp4_backend asked for; NONE: the automatic ones */
    nvfp4_kernel_set drops[16];   /* by activation: kernels that never apply a limit with it */
    nvfp4_kernel_set takes[16];   /* by activation: kernels that apply one, as long as their trigger
                                     is not met and neither alpha nor beta is given */
    struct nvfp4_trigger trigger[64]; /* by kernel; as long as no library version is given */
};

struct nvfp4_policy {
    const char *name, *summary, *source;
    const struct nvfp4_row *rows; /* by preference; opt-in rows last */
    const struct nvfp4_compiled *compiled;
    const struct nvfp4_user_word *words;
    const struct nvfp4_erratum *errata;
    const struct nvfp4_custom_backend *custom_backends;
    const struct nvfp4_custom_key *custom_keys;
    uint64_t hash; /* nvfp4_policy_hash(); of a built-in one written down, which freezes it */
    uint8_t row_count, word_count, erratum_count, custom_backend_count, custom_key_count;
    uint8_t auto_count; /* rows before the opt-in ones */
    uint8_t all2all_by_dp_only; /* all2all kernels in use only with dp > 1 (before vLLM 7cfb97e3) */
    uint8_t clamp_by_set;       /* FLAG_LIMIT alone decides; the clamp rules only say what to forward */
};

/* Number of the lowest bit of a set that is not empty. */
static inline int first_bit(uint64_t set)
{
#if defined(__GNUC__)
    return __builtin_ctzll(set);
#else
    int n = 0;
    for (; !(set & 1); set >>= 1)
        n++;
    return n;
#endif
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
