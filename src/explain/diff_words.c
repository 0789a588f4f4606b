/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff_words.h"

#include <string.h>

const char *nvfp4_diff_dimension_key(const struct diff_space *space, int dim)
{
    static const char *const keys[DIMS] = {
#define X(name, key) key,
        DIFF_DIMENSION_MAP(X)
#undef X
    };
    return IS_KEY(dim) ? space->key[dim - DIM_KEY_1].name : keys[dim];
}

int nvfp4_diff_is_main(int dim)
{
    return dim <= DIM_LIMIT;
}

void nvfp4_diff_out_outcome(struct out *out, const struct nvfp4_diff *diff, int outcome)
{
    out_text(out, diff->outcomes.name[outcome].backend);
    if (diff->outcomes.name[outcome].kernel[0] != '\0') {
        out_char(out, '/');
        out_text(out, diff->outcomes.name[outcome].kernel);
    }
}

/* ---- words of a column ---- */

const char *nvfp4_diff_word(const struct diff_space *space, int dim, int value)
{
    switch (dim) {
    case DIM_ASKED:
        return space->word[value];
    case DIM_SCHEME: /* as the field writes them */
        return (const char *const[]){ "W4A4", "W4A16", "W4A8_MXFP8", "W4A8_FP8" }[value];
    case DIM_ACTIVATION:
        return nvfp4_activation_name((nvfp4_activation)value);
    case DIM_ROUTING:
        return nvfp4_routing_name((nvfp4_routing)diff_routing(value));
    case DIM_ROUTER_DTYPE:
        return nvfp4_router_dtype_name((nvfp4_router_dtype)value);
    case DIM_DTYPE:
        return nvfp4_dtype_name((nvfp4_dtype)value);
    case DIM_HUMMING_GEMM:
        return nvfp4_humming_gemm_name((nvfp4_humming_gemm)value);
    case DIM_PARALLEL:
        return nvfp4_all2all_name((nvfp4_all2all)value);
    default:
        break;
    }
    if (!IS_KEY(dim))
        return NULL;
    return value == 0 ? "left out" : space->key[dim - DIM_KEY_1].word[value];
}

/* Length of a beginning that at least two words of the dimension have, all of them in the set. */
static size_t shared_prefix(const struct diff_space *space, int dim, int count, uint64_t set,
                            const char *word)
{
    for (size_t n = strlen(word); n > 0; n--) {
        int with = 0, in = 0;
        if (word[n - 1] != '_')
            continue;
        for (int v = 0; v < count; v++)
            if (strncmp(nvfp4_diff_word(space, dim, v), word, n) == 0) {
                with++;
                in += (int)(set >> v & 1);
            }
        if (with >= 2 && with == in)
            return n;
    }
    return 0;
}

static void out_set(struct out *out, const struct diff_space *space, int dim, int count,
                    uint64_t set)
{
    const char *between = "";
    uint64_t told = 0;
    for (int v = 0; v < count; v++) {
        if (!(set >> v & 1) || (told >> v & 1))
            continue;
        const char *word = nvfp4_diff_word(space, dim, v);
        const size_t prefix = dim == DIM_ASKED ? 0 : shared_prefix(space, dim, count, set, word);
        out_text(out, between);
        between = "/";
        for (size_t i = 0; i < (prefix != 0 ? prefix : strlen(word)); i++)
            out_char(out, word[i]);
        if (prefix == 0)
            continue;
        out_char(out, '*');
        for (int k = v; k < count; k++)
            if (strncmp(nvfp4_diff_word(space, dim, k), word, prefix) == 0)
                told |= (uint64_t)1 << k;
    }
}

static int size_of_set(uint64_t set)
{
    int n = 0;
    for (; set != 0; set &= set - 1)
        n++;
    return n;
}

/* A set of words, or what is not in it where that is shorter. */
static void out_either(struct out *out, const struct diff_space *space, int dim, int count,
                       uint64_t set, const char *what)
{
    const uint64_t all = DIM_SET_ALL(space, dim) & ~(dim == DIM_ASKED ? (uint64_t)1 : 0);
    if ((all & ~set) != 0 && size_of_set(all & ~set) * 2 < size_of_set(set)) {
        out_text(out, "any ");
        out_text(out, what);
        out_text(out, " but ");
        set = all & ~set;
    }
    out_set(out, space, dim, count, set);
}

/* ---- devices ---- */

static int first_sm(int bit)
{
    static const int low[4] = { 50, 60, 70, 75 };
    return bit < 4                     ? low[bit]
           : bit < DEVICE_SM_BITS - 2  ? bit + 76
           : bit == DEVICE_SM_BITS - 2 ? 130
                                       : 140;
}

/* Runs over the SMs that exist: what lies between two of them does not break a run. */
static void out_known_sms(struct out *out, uint64_t set, uint64_t known)
{
    const char *between = "SM ";
    for (int bit = 0; bit < DEVICE_SM_BITS; bit++) {
        int end = bit;
        if (!(set & known & DEVICE_BIT(bit)))
            continue;
        for (int next = bit + 1; next < DEVICE_SM_BITS; next++) {
            if (!(known & DEVICE_BIT(next)))
                continue;
            if (!(set & DEVICE_BIT(next)))
                break;
            end = next;
        }
        out_text(out, between);
        out_number(out, (uint64_t)first_sm(bit));
        if (end != bit) {
            out_char(out, '-');
            out_number(out, (uint64_t)first_sm(end));
        }
        between = ", ";
        bit = end;
    }
}

static void out_device_words(struct out *out, uint64_t set, uint64_t known)
{
    set &= ~SM(101); /* is read as 110 */
    if (known == 0 || !(set & (known | DEVICE_AMD | DEVICE_INTEL))) {
        char text[256];
        struct out part = out_begin(text, sizeof text);
        nvfp4_out_devices(&part, set);
        out_end(&part);
        out_text(out, text[0] == 's' && text[1] == 'm' ? "SM" : text);
        out_text(out, text[0] == 's' && text[1] == 'm' ? text + 2 : "");
        out_text(out, known != 0 ? " (no such card is known)" : "");
        return;
    }
    const int any = (set & known & DEVICE_NVIDIA) != 0;
    out_known_sms(out, set, known & DEVICE_NVIDIA);
    out_text(out, set & DEVICE_AMD ? any ? ", amd" : "amd" : "");
    out_text(out, set & DEVICE_INTEL ? any || (set & DEVICE_AMD) ? ", intel" : "intel" : "");
}

/* ---- numbers ---- */

static void out_limit_words(struct out *out, const struct diff_space *space, uint64_t set)
{
    const int count = space->count[DIM_LIMIT], other = (int)(set >> (count - 1) & 1);
    const uint64_t all = DIM_SET_ALL(space, DIM_LIMIT), given = all & ~(uint64_t)1;
    const char *between = "";
    if (set & 1) {
        out_text(out, "no limit");
        between = " or ";
    }
    if ((set & given) == given) {
        out_text(out, between);
        out_text(out, "limit set");
        return;
    }
    if (!(set & given))
        return;
    out_text(out, between);
    out_text(out, other ? "limit other than " : "limit ");
    between = "";
    for (int v = 1; v < count - 1; v++)
        if ((int)(set >> v & 1) != other) {
            out_text(out, between);
            nvfp4_out_real(out, space->limit[v]);
            between = "/";
        }
}

static void out_constants_words(struct out *out, const struct diff_space *space, uint64_t set)
{
    const char *between = "alpha and beta ";
    for (int v = 0; v < space->count[DIM_CONSTANTS]; v++) {
        if (!(set >> v & 1))
            continue;
        out_text(out, between);
        between = " or ";
        if (v == 0) {
            out_text(out, "the activation's own");
        } else if (v == space->count[DIM_CONSTANTS] - 1) {
            out_text(out, "others");
        } else {
            nvfp4_out_real(out, space->constants[v].alpha);
            out_text(out, " and ");
            nvfp4_out_real(out, space->constants[v].beta);
        }
    }
}

static void out_version_text(struct out *out, nvfp4_library_version version)
{
    char text[64];
    nvfp4_version_print(version, text, sizeof text);
    out_text(out, text);
}

/* Versions in ascending order: value VERSION_OLDER, the following ones, then VERSION_NEWEST. */
void nvfp4_diff_out_versions(struct out *out, const struct diff_space *space, int library,
                             uint64_t set)
{
    const nvfp4_library_version *list = space->version[library];
    const int count = space->count[DIM_FLASHINFER + library], newest = count;
    const char *between = set >> VERSION_ABSENT & 1 ? "absent" : "";
    const uint64_t order = (set & ~(uint64_t)3) | (set & 1) << newest;
    out_text(out, between);
    between = *between != '\0' ? " or " : "";
    for (int v = VERSION_OLDER; v <= newest; v++) {
        int end = v;
        if (!(order >> v & 1))
            continue;
        while (end < newest && order >> (end + 1) & 1)
            end++;
        out_text(out, between);
        between = " or ";
        if (v == VERSION_OLDER && end == newest) {
            out_text(out, "present");
        } else if (end == newest) {
            out_text(out, ">= ");
            out_version_text(out, list[v]);
        } else {
            if (v != VERSION_OLDER) {
                out_text(out, ">= ");
                out_version_text(out, list[v]);
                out_char(out, ' ');
            }
            out_text(out, "< ");
            out_version_text(out, list[end + 1]);
        }
        v = end;
    }
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Widths are told by what divides them, but for those that a rule names. */
static void out_width_words(struct out *out, const struct diff_space *space, uint64_t set)
{
    const int64_t *list = space->size[0];
    const char *between = "";
    int64_t common = 0;
    for (int v = 1; v < space->count[DIM_WIDTH]; v++)
        if ((set >> v & 1) && list[v] % PLAIN_WIDTH == 0)
            common = common_divisor(list[v] / PLAIN_WIDTH, common);
    out_text(out, "width per rank ");
    if (common > 1) {
        out_text(out, "a multiple of ");
        out_number(out, (uint64_t)common);
        between = " and ";
    }
    int64_t not_of =
        0; /* the others are multiples of it, as long as rules name multiples of each other */
    for (int v = 1; v < space->count[DIM_WIDTH] && common != 0; v++)
        if (!(set >> v & 1) && list[v] % (common * PLAIN_WIDTH) == 0 &&
            (not_of == 0 || list[v] / PLAIN_WIDTH < not_of))
            not_of = list[v] / PLAIN_WIDTH;
    if (not_of != 0) {
        out_text(out, between);
        out_text(out, "no multiple of ");
        out_number(out, (uint64_t)not_of);
        between = " and ";
    }
    for (int v = 1; v < space->count[DIM_WIDTH]; v++)
        if ((set >> v & 1) && list[v] % PLAIN_WIDTH != 0) {
            out_text(out, *between != '\0' ? " or " : "");
            out_number(out, (uint64_t)list[v]);
            between = " or ";
        }
}

static void out_size_words(struct out *out, const struct diff_space *space, int dim, uint64_t set)
{
    const char *between = " such as ";
    out_text(out, nvfp4_diff_dimension_key(space, dim));
    for (int v = 1; v < space->count[dim]; v++)
        if (set >> v & 1) {
            out_text(out, between);
            out_number(out, (uint64_t)space->size[dim - DIM_WIDTH][v]);
            between = "/";
        }
}

/* ---- parallelism ---- */

#define MORI_WAYS                                                                                  \
    ((uint64_t)3 << (WAY_DP + NVFP4_ALL2ALL_MORI_HIGH_THROUGHPUT - 1) |                            \
     (uint64_t)3 << (WAY_CP + NVFP4_ALL2ALL_MORI_HIGH_THROUGHPUT - 1))

/* The ways that there are on any of the devices. */
static uint64_t all_ways(uint64_t devices)
{
    const uint64_t all = ((uint64_t)1 << WAYS) - 1;
    return devices & DEVICE_AMD ? all : all & ~MORI_WAYS;
}

/* The ways in a set, of one format. */
static uint64_t ways_in(const struct diff_box *values, int batched)
{
    uint64_t ways = 0;
    for (int w = 0; w < WAYS; w++)
        if (values->set[DIM_PARALLEL] >> (2 * w + batched) & 1)
            ways |= (uint64_t)1 << w;
    return ways & all_ways(values->set[DIM_DEVICE]);
}

static void out_ways(struct out *out, const struct diff_space *space, uint64_t ways, uint64_t all)
{
    static const char *const plain[] = { "no expert parallelism",
                                         "expert parallelism without all2all kernels" };
    const char *between = "";
    const int ep = !(ways >> WAY_NO_EP & 1);
    all &= ep ? ~((uint64_t)1 << WAY_NO_EP) : ~(uint64_t)0;
    if (size_of_set(all & ~ways) * 2 < size_of_set(ways)) {
        out_text(out, ep ? "expert parallelism" : "any parallelism");
        ways = all & ~ways;
        out_text(out, ways != 0 ? " but " : "");
    }
    const uint64_t a2a = ((uint64_t)1 << (NVFP4_ALL2ALL_COUNT - 1)) - 1;
    const uint64_t dp = ways >> WAY_DP & a2a, cp = ways >> WAY_CP & a2a;
    for (int w = 0; w < WAY_DP; w++)
        if (ways >> w & 1) {
            out_text(out, between);
            out_text(out, plain[w]);
            between = " or ";
        }
    for (int part = 0; part < 3; part++) {
        const uint64_t set = part == 0 ? dp & cp : part == 1 ? dp & ~cp : cp & ~dp;
        if (set == 0)
            continue;
        out_text(out, between);
        between = " or ";
        out_text(out, "all2all ");
        if (set == (all >> WAY_DP & a2a))
            out_text(out, "kernels");
        else
            out_set(out, space, DIM_PARALLEL, NVFP4_ALL2ALL_COUNT, set << 1);
        out_text(out, part == 1   ? " with data parallelism"
                      : part == 2 ? " with context or sequence parallelism"
                                  : "");
    }
}

static void out_parallel_words(struct out *out, const struct diff_space *space,
                               const struct diff_box *values)
{
    const uint64_t all = all_ways(values->set[DIM_DEVICE]);
    const uint64_t standard = ways_in(values, 0), batched = ways_in(values, 1);
    if (standard == batched && standard != 0) {
        out_ways(out, space, standard, all);
    } else if (standard != 0) {
        if (standard != all)
            out_ways(out, space, standard, all);
        else
            out_text(out, "standard format");
    }
    if (batched != 0 && batched != standard) {
        out_text(out, standard != 0 ? " or batched format" : "batched format");
        if (batched != all) {
            out_text(out, " with ");
            out_ways(out, space, batched, all);
        }
    }
    if (standard == 0 && batched == 0)
        out_text(out, "deepep_low_latency/nixl_ep with context or sequence parallelism");
}

/* ---- the whole ---- */

int nvfp4_diff_restricts(const struct diff_space *space, const struct diff_box *values, int dim)
{
    const uint64_t set = values->set[dim], all = DIM_SET_ALL(space, dim);
    if (dim == DIM_PARALLEL)
        return ways_in(values, 0) != all_ways(values->set[DIM_DEVICE]) ||
               ways_in(values, 1) != all_ways(values->set[DIM_DEVICE]);
    return set != all;
}

static void out_asked_words(struct out *out, const struct diff_space *space, uint64_t set)
{
    out_text(out, set == 1 ? "no backend asked for" : "asked for ");
    out_text(out, set != 1 && (set & 1) ? "nothing or " : "");
    if (set != 1)
        out_either(out, space, DIM_ASKED, space->count[DIM_ASKED], set & ~(uint64_t)1, "backend");
}

static const char *situ_words(uint64_t set)
{
    return set >> SITU_OTHER & 1   ? "SiTU betas other than 4 and 25"
           : set >> SITU_USUAL & 1 ? "SiTU betas 4 and 25"
                                   : "SiTU betas left out";
}

void nvfp4_diff_out_words(struct out *out, const struct diff_space *space,
                          const struct diff_box *values, int dim, uint64_t known)
{
    const uint64_t set = values->set[dim];
    switch (dim) {
    case DIM_DEVICE:
        out_device_words(out, set, known);
        break;
    case DIM_ASKED:
        out_asked_words(out, space, set);
        break;
    case DIM_SCHEME:
        out_set(out, space, dim, space->count[dim], set);
        break;
    case DIM_ACTIVATION:
        out_either(out, space, dim, space->count[dim], set, "activation");
        break;
    case DIM_LIMIT:
        out_limit_words(out, space, set);
        break;
    case DIM_CONSTANTS:
        out_constants_words(out, space, set);
        break;
    case DIM_PARALLEL:
        out_parallel_words(out, space, values);
        break;
    case DIM_ROUTING:
    case DIM_ROUTER_DTYPE:
    case DIM_DTYPE:
    case DIM_HUMMING_GEMM:
    case DIM_KEY_1:
    case DIM_KEY_2:
    case DIM_KEY_3:
    case DIM_KEY_4:
        out_text(out, nvfp4_diff_dimension_key(space, dim));
        out_char(out, ' ');
        out_set(out, space, dim, space->count[dim], set);
        break;
    case DIM_WIDTH:
        out_width_words(out, space, set);
        break;
    case DIM_EXPERTS:
    case DIM_HIDDEN:
    case DIM_TOP_K:
        out_size_words(out, space, dim, set);
        break;
    case DIM_SITU:
        out_text(out, situ_words(set));
        break;
    default:
        out_text(out, nvfp4_diff_dimension_key(space, dim));
        out_char(out, ' ');
        if (dim >= DIM_FLASHINFER)
            nvfp4_diff_out_versions(out, space, dim - DIM_FLASHINFER, set);
        else
            out_text(out, set & 1 ? "off" : "on");
        break;
    }
}
