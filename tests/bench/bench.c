/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a decision is. Prints one JSON object with what was measured here; sizes and the batch rate
 * are added by run.sh.
 *
 *   bench [POLICY]            times over a shuffled mix of the golden requests
 *   bench --count N [POLICY]  N selections over the mix and nothing else, for counting instructions
 *   bench --requests [POLICY] the mix as JSON Lines, for nvfp4-select batch
 */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/accept.h"

enum { PASSES = 201 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The requests that are valid, in an order that no branch predictor knows. */
static size_t read_mix(const nvfp4_policy *policy, struct golden_row **mix)
{
    struct golden_table table = golden_read("vllm-52018");
    nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
    uint64_t random = 88172645463325252u;
    size_t n = 0;
    for (size_t i = 0; i < table.count; i++) {
        table.rows[i].policy = policy;
        if (table.rows[i].in_contract && table.rows[i].word_known &&
            nvfp4_judge(&table.rows[i].layer, &table.rows[i].deployment, policy, &v) == NVFP4_OK)
            table.rows[n++] = table.rows[i];
    }
    for (size_t i = n - 1; i > 0; i--) {
        const size_t k = next_random(&random) % (i + 1);
        const struct golden_row swap = table.rows[i];
        table.rows[i] = table.rows[k];
        table.rows[k] = swap;
    }
    *mix = table.rows;
    return n;
}

/* ---- the floor: what nothing that reads the same inputs can be much faster than ---- */

struct floor_tables {
    uint64_t sm[1000], scheme[4], activation[12], routing[13], router[5], dtype[3], all2all[11],
        format[2], gemm[2], requested[64];
    uint64_t limit[2], ep[2], eplb[2], lora[2], invariant[2], bias[2], libraries[3][2];
};

static void fill_column(uint64_t *table, size_t n, const nvfp4_policy *p, unsigned shift)
{
    for (size_t v = 0; v < n; v++)
        for (int i = 0; i < p->row_count; i++)
            if (p->rows[i].values >> (shift + v) & 1)
                table[v] |= (uint64_t)1 << i;
}

static void fill_flag(uint64_t table[2], const nvfp4_policy *p, uint32_t flag)
{
    for (int i = 0; i < p->row_count; i++) {
        table[0] |= (uint64_t)1 << i;
        table[1] |= (uint64_t)(p->rows[i].cannot & flag ? 0 : 1) << i;
    }
}

static void fill_floor(struct floor_tables *t, const nvfp4_policy *p)
{
    memset(t, 0, sizeof *t);
    for (int sm = 10; sm < 1000; sm++)
        for (int i = 0; i < p->row_count; i++)
            if (p->rows[i].device & SM(sm))
                t->sm[sm] |= (uint64_t)1 << i;
    fill_column(t->scheme, 4, p, SHIFT_SCHEME);
    fill_column(t->activation, 12, p, SHIFT_ACTIVATION);
    fill_column(t->routing, 13, p, SHIFT_ROUTING);
    fill_column(t->router, 5, p, SHIFT_ROUTER_DTYPE);
    fill_column(t->dtype, 3, p, SHIFT_DTYPE);
    fill_column(t->all2all, 11, p, SHIFT_ALL2ALL);
    fill_column(t->format, 2, p, SHIFT_FORMAT);
    fill_column(t->gemm, 2, p, SHIFT_HUMMING_GEMM);
    fill_flag(t->limit, p, FLAG_LIMIT);
    fill_flag(t->ep, p, FLAG_EP);
    fill_flag(t->eplb, p, FLAG_EPLB);
    fill_flag(t->lora, p, FLAG_LORA);
    fill_flag(t->invariant, p, FLAG_BATCH_INVARIANT);
    fill_flag(t->bias, p, FLAG_BIAS);
    for (int i = 0; i < p->row_count; i++) {
        t->requested[p->rows[i].backend] |= (uint64_t)1 << i;
        t->requested[0] |= (uint64_t)!p->rows[i].opt_in << i;
        for (int library = 0; library < 3; library++) {
            t->libraries[library][0] |= (uint64_t)1 << i;
            int needs = 0;
            for (int k = 0; k < p->rows[i].condition_count; k++)
                needs |= p->rows[i].conditions[k].kind == CONDITION_LIBRARY &&
                         p->rows[i].conditions[k].library == library;
            t->libraries[library][1] |= (uint64_t)!needs << i;
        }
    }
}

/* No checks of the input, no conditions, no clamp rules, nothing forwarded: loads, ANDs, first bit. */
static int floor_select(const struct floor_tables *t, const nvfp4_moe_layer *l,
                        const nvfp4_deployment *d)
{
    const int ranks = d->tensor_parallel * d->data_parallel * d->context_parallel;
    const int ep = d->expert_parallel & (ranks > 1);
    const int moved = ep & ((d->data_parallel | d->context_parallel | d->sequence_parallel) > 1);
    const int32_t all2all = moved ? d->all2all : 0;
    const int batched =
        (all2all == NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY) | (all2all == NVFP4_ALL2ALL_NIXL_EP);
    const uint64_t fits =
        t->sm[d->device.sm] & t->scheme[l->scheme] & t->activation[l->activation] &
        t->routing[l->routing] & t->router[l->router_dtype] & t->dtype[l->dtype] &
        t->all2all[all2all] & t->format[batched] & t->gemm[d->humming_gemm] &
        t->limit[l->has & NVFP4_HAS_SWIGLU_LIMIT] & t->ep[ep] & t->eplb[d->eplb] & t->lora[d->lora] &
        t->invariant[d->batch_invariant] & t->bias[l->bias] & t->requested[d->requested] &
        t->libraries[0][d->libraries[0] == NVFP4_LIBRARY_ABSENT] &
        t->libraries[1][d->libraries[1] == NVFP4_LIBRARY_ABSENT] &
        t->libraries[2][d->libraries[2] == NVFP4_LIBRARY_ABSENT];
    return fits == 0 ? -1 : __builtin_ctzll(fits);
}

/* ---- timing ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return values[n / 2];
}

static volatile int64_t sink;

static void pass_select(const struct golden_row *mix, size_t n)
{
    int64_t sum = 0;
    nvfp4_selection s = { 0 };
    for (size_t i = 0; i < n; i++)
        sum += nvfp4_select_backend(&mix[i].layer, &mix[i].deployment, mix[i].policy, &s) + s.kernel;
    sink += sum;
}

static void pass_verdicts(const struct golden_row *mix, size_t n)
{
    int64_t sum = 0;
    nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
    for (size_t i = 0; i < n; i++) {
        nvfp4_judge(&mix[i].layer, &mix[i].deployment, mix[i].policy, &v);
        sum += v.reasons[0];
    }
    sink += sum;
}

static void pass_floor(const struct floor_tables *t, const struct golden_row *mix, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += floor_select(t, &mix[i].layer, &mix[i].deployment);
    sink += sum;
}

/* A request as a user would write it. */
static void print_request(const struct golden_row *row)
{
    const nvfp4_moe_layer *l = &row->layer;
    const nvfp4_deployment *d = &row->deployment;
    printf("{\"policy\":\"%s\",\"backend\":\"%s\",\"device\":{\"sm\":%d},\"layer\":{\"scheme\":\"%s\","
           "\"activation\":\"%s\",\"hidden_size\":%lld,\"intermediate_size\":%lld,\"num_experts\":%lld,"
           "\"routing\":\"%s\",\"router_logits_dtype\":\"%s\",\"dtype\":\"%s\",\"bias\":%s",
           nvfp4_policy_name(row->policy), row->word, (int)d->device.sm,
           nvfp4_scheme_name((nvfp4_scheme)l->scheme),
           nvfp4_activation_name((nvfp4_activation)l->activation), (long long)l->hidden_size,
           (long long)l->intermediate_size, (long long)l->num_experts,
           nvfp4_routing_name((nvfp4_routing)l->routing),
           nvfp4_router_dtype_name((nvfp4_router_dtype)l->router_dtype),
           nvfp4_dtype_name((nvfp4_dtype)l->dtype), l->bias ? "true" : "false");
    if (l->has & NVFP4_HAS_SWIGLU_LIMIT)
        printf(",\"swiglu_limit\":%g", l->swiglu_limit);
    printf("},\"deployment\":{\"tensor_parallel\":%d,\"data_parallel\":%d,\"context_parallel\":%d,"
           "\"sequence_parallel\":%d,\"expert_parallel\":%s,\"eplb\":%s,\"lora\":%s",
           d->tensor_parallel, d->data_parallel, d->context_parallel, d->sequence_parallel,
           d->expert_parallel ? "true" : "false", d->eplb ? "true" : "false", d->lora ? "true" : "false");
    if (d->all2all != NVFP4_ALL2ALL_NONE)
        printf(",\"all2all\":\"%s\"", nvfp4_all2all_name((nvfp4_all2all)d->all2all));
    printf(",\"libraries\":{\"flashinfer\":%s}}}\n",
           d->libraries[NVFP4_LIBRARY_FLASHINFER] == NVFP4_LIBRARY_ABSENT ? "null" : "\"0.6.18\"");
}

int main(int argc, char **argv)
{
    static struct floor_tables floor;
    static double select_ns[PASSES], verdict_ns[PASSES], floor_ns[PASSES];
    const int counting = argc > 2 && strcmp(argv[1], "--count") == 0;
    const int printing = argc > 1 && strcmp(argv[1], "--requests") == 0;
    const int place = counting ? 3 : printing ? 2 : 1;
    const char *name = argc > place ? argv[place] : "vllm-52018";
    const nvfp4_policy *policy = nvfp4_policy_builtin(name);
    struct golden_row *mix;
    if (policy == NULL) {
        fprintf(stderr, "bench: no policy %s\n", name);
        return 2;
    }
    const size_t n = read_mix(policy, &mix);
    if (printing) {
        for (size_t i = 0; i < n; i++)
            print_request(&mix[i]);
        free(mix);
        return 0;
    }
    if (counting) {
        for (long left = strtol(argv[2], NULL, 10); left > 0; left -= (long)n)
            pass_select(mix, (size_t)left < n ? (size_t)left : n);
        free(mix);
        return 0;
    }
    fill_floor(&floor, policy);
    for (int i = 0; i < PASSES; i++) { /* by turns, so that noise hits all alike */
        double t = now_ns();
        pass_select(mix, n);
        select_ns[i] = (now_ns() - t) / (double)n;
        t = now_ns();
        pass_floor(&floor, mix, n);
        floor_ns[i] = (now_ns() - t) / (double)n;
        if (i % 2 == 0) {
            t = now_ns();
            pass_verdicts(mix, n);
            verdict_ns[i / 2] = (now_ns() - t) / (double)n;
        }
    }
    const double s = median(select_ns, PASSES), f = median(floor_ns, PASSES);
    printf("{\"policy\":\"%s\",\"requests\":%zu,\"select_ns\":%.1f,\"verdicts_ns\":%.1f,"
           "\"floor_ns\":%.1f,\"ratio\":%.2f",
           name, n, s, median(verdict_ns, PASSES / 2), f, s / f);
    free(mix);
    return 0;
}
