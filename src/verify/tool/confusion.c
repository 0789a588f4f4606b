/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/tool/confusion.h"

#include <string.h>

/* Whether an undecided verdict is one that the plan had announced: the right one is among what
 * remains, and all else that remains was said to be confusable with it. */
static int was_declared(const nvfp4_verification *plan, nvfp4_verdict deserved,
                        const nvfp4_verify_result *result)
{
    if (result->verdict != NVFP4_VERDICT_UNDECIDED)
        return 0;
    nvfp4_verdict_set allowed =
        NVFP4_VERDICT_BIT(deserved) | nvfp4_verify_confusable(plan, deserved);
    return result->remaining & NVFP4_VERDICT_BIT(deserved) && !(result->remaining & ~allowed);
}

static void count(struct nvfp4_confusion *confusion, const nvfp4_verify_claim *claim,
                  const nvfp4_verification *plan, nvfp4_plant plant,
                  const nvfp4_verify_result *result)
{
    nvfp4_verdict deserved = nvfp4_plant_verdict(plant);
    confusion->count[deserved][result->verdict]++;
    if (result->verdict == (int32_t)deserved)
        return;
    if (was_declared(plan, deserved, result)) {
        confusion->declared[deserved]++;
        return;
    }
    if (confusion->wrong++ == 0) {
        confusion->failed_claim = *claim;
        confusion->failed_layer = *claim->layer;
        confusion->failed_claim.layer = NULL;
        confusion->failed_plant = plant;
        confusion->failed_result = *result;
    }
}

nvfp4_status nvfp4_confusion_add(struct nvfp4_confusion *confusion, const nvfp4_verify_claim *claim)
{
    nvfp4_verification *plan = NULL;
    nvfp4_bench *bench = NULL;
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    nvfp4_status status = nvfp4_verify_plan(claim, &plan);
    if (status != NVFP4_OK)
        return status;
    status = nvfp4_bench_new(claim, plan, &bench);
    for (int p = 0; status == NVFP4_OK && p < NVFP4_PLANT_COUNT; p++) {
        nvfp4_plant plant = (nvfp4_plant)p;
        if (!nvfp4_plant_matters(plant, claim, plan))
            continue;
        const float *const *outputs = nvfp4_bench_run(bench, plant);
        status = nvfp4_verify_judge(plan, outputs, nvfp4_verify_run_count(plan), &result);
        if (status == NVFP4_OK)
            count(confusion, claim, plan, plant, &result);
    }
    confusion->plans++;
    nvfp4_bench_destroy(bench);
    nvfp4_verification_destroy(plan);
    return status;
}

static const double limits[] = {1.5, 7, 10};

enum { LEVELS = 2, SCHEMES = 2, LAYOUTS = 6, LIMITS = sizeof limits / sizeof limits[0] };

size_t nvfp4_grid_size(void)
{
    return LEVELS * SCHEMES * LAYOUTS * LIMITS;
}

/* The activations that have a limit; SiLU, the one in question, most often. */
static int32_t activation_of(uint64_t seed)
{
    static const int32_t kinds[8] = {
        NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SILU,       NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE,
        NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SWIGLUSTEP, NVFP4_ACTIVATION_SILU,
        NVFP4_ACTIVATION_SILU, NVFP4_ACTIVATION_SWIGLUOAI};
    return kinds[seed % 8];
}

void nvfp4_grid_claim(size_t index, uint64_t seed, nvfp4_verify_claim *claim,
                      nvfp4_moe_layer *layer)
{
    *layer = (nvfp4_moe_layer)NVFP4_MOE_LAYER_INIT;
    *claim = (nvfp4_verify_claim)NVFP4_VERIFY_CLAIM_INIT;
    claim->layer = layer;
    claim->seed = seed;
    claim->level = (int32_t)(index % LEVELS);
    layer->scheme = (int32_t)(index / LEVELS % SCHEMES);
    claim->halves = NVFP4_HALVES_GATE_UP + (int32_t)(index / (LEVELS * SCHEMES) % LAYOUTS);
    layer->has = NVFP4_HAS_SWIGLU_LIMIT;
    layer->swiglu_limit = limits[index / (LEVELS * SCHEMES * LAYOUTS)];
    layer->activation = activation_of(seed);
    layer->dtype = (int32_t)(seed / 2 % 3);
    claim->scale_order = (int32_t)(seed / 3 % 2);
    claim->global_kind = (int32_t)(seed / 5 % 2);
    /* Mostly a limit that can be set, at times everything, at times nothing. */
    if (seed % 7 == 5)
        claim->free_params |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA;
    if (seed % 7 == 6)
        claim->free_params = 0;
    layer->hidden_size = 256;
    layer->intermediate_size = 128;
    layer->num_experts = 4;
    layer->top_k = 1 + (int64_t)(seed / 11 % 2);
    claim->tokens = 8;
}

double nvfp4_confusion_right(const struct nvfp4_confusion *confusion, nvfp4_verdict deserved)
{
    unsigned long long all = 0;
    for (int v = 0; v < NVFP4_VERDICT_COUNT; v++)
        all += confusion->count[deserved][v];
    all -= confusion->declared[deserved];
    return all == 0 ? 1 : (double)confusion->count[deserved][deserved] / (double)all;
}

static int is_used(const struct nvfp4_confusion *confusion, int v)
{
    for (int w = 0; w < NVFP4_VERDICT_COUNT; w++)
        if (confusion->count[v][w] != 0 || confusion->count[w][v] != 0)
            return 1;
    return 0;
}

static void print_row(const struct nvfp4_confusion *confusion, int v, FILE *to)
{
    fprintf(to, "%2d %-18s", v, nvfp4_verdict_name((nvfp4_verdict)v));
    for (int w = 1; w < NVFP4_VERDICT_COUNT; w++) {
        if (!is_used(confusion, w))
            continue;
        if (confusion->count[v][w] == 0)
            fprintf(to, " %6s", ".");
        else
            fprintf(to, " %6llu", confusion->count[v][w]);
    }
    fprintf(to, " | %8llu %7.2f%%\n", confusion->declared[v],
            100 * nvfp4_confusion_right(confusion, (nvfp4_verdict)v));
}

static unsigned long long sum_of(const struct nvfp4_confusion *confusion, int v)
{
    unsigned long long sum = 0;
    for (int w = 0; w < NVFP4_VERDICT_COUNT; w++)
        sum += confusion->count[v][w];
    return sum;
}

void nvfp4_confusion_print(const struct nvfp4_confusion *confusion, FILE *to)
{
    unsigned long long all = 0, right = 0, declared = 0;
    fprintf(to, "deserved \\ judged    ");
    for (int w = 1; w < NVFP4_VERDICT_COUNT; w++)
        if (is_used(confusion, w))
            fprintf(to, " %6d", w);
    fprintf(to, " | declared    right\n");
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++) {
        if (sum_of(confusion, v) != 0)
            print_row(confusion, v, to);
        all += sum_of(confusion, v);
        right += confusion->count[v][v];
        declared += confusion->declared[v];
    }
    if (is_used(confusion, NVFP4_VERDICT_UNDECIDED))
        fprintf(to, "%2d %s\n", NVFP4_VERDICT_UNDECIDED, "undecided");
    fprintf(to,
            "%llu plans, %llu kernels judged: %llu right, %llu undecided as declared, %llu wrong\n",
            confusion->plans, all, right, declared, confusion->wrong);
}
