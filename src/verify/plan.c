/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify/claim.h"

static const size_t MEMORY_MAX = (size_t)1 << 30;

/* Settings a plan tries of its own accord, where the kernel can be told: numbers exact in 16 bits.
 */
static const double own_limits[] = {1, 3, 1.5, 5};
static const double own_alphas[] = {1.5, 0.75};
static const double own_betas[] = {0.5, 2};

/* One run with the claim's numbers, or with the plan's own ones where they are free. */
static void add_run(nvfp4_verification *plan, int own, int small, int has_nan)
{
    struct nvfp4_plan_run *run = &plan->run[plan->run_count++];
    uint32_t can = plan->claim.free_params;
    *run = (struct nvfp4_plan_run){.layer = plan->layer, .small = small, .has_nan = has_nan};
    run->tokens = (size_t)(small || has_nan ? plan->claim.small_tokens : plan->claim.tokens);
    if (own == 0)
        return;
    if (can & NVFP4_HAS_SWIGLU_LIMIT) {
        int left = own;
        for (size_t i = 0; i < sizeof own_limits / sizeof own_limits[0] && left > 0; i++)
            if (fabs(own_limits[i] - plan->layer.swiglu_limit) > 0.25 && --left == 0)
                run->layer.swiglu_limit = own_limits[i];
    }
    if (can & NVFP4_HAS_SWIGLU_ALPHA) {
        run->layer.has |= NVFP4_HAS_SWIGLU_ALPHA;
        run->layer.swiglu_alpha = own_alphas[own - 1];
    }
    if (can & NVFP4_HAS_SWIGLU_BETA) {
        run->layer.has |= NVFP4_HAS_SWIGLU_BETA;
        run->layer.swiglu_beta = own_betas[own - 1];
    }
}

static void add_runs(nvfp4_verification *plan)
{
    int limited = (plan->layer.has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    if (!limited)
        plan->claim.free_params &= ~(uint32_t)NVFP4_HAS_SWIGLU_LIMIT;
    if (!nvfp4_uses_alpha(plan->layer.activation))
        plan->claim.free_params &= ~(uint32_t)NVFP4_HAS_SWIGLU_ALPHA;
    if (!nvfp4_uses_beta(plan->layer.activation))
        plan->claim.free_params &= ~(uint32_t)NVFP4_HAS_SWIGLU_BETA;
    int settings = plan->claim.free_params != 0 ? 3 : 1;
    for (int own = 0; own < settings; own++) {
        add_run(plan, own, 0, 0);
        add_run(plan, own, 1, 0);
    }
    /* NVFP4 has no NaN to hand on, ReLU has two opinions on it, and without a clamp nothing hides
     * it. */
    int relu = plan->layer.activation == NVFP4_ACTIVATION_RELU2 ||
               plan->layer.activation == NVFP4_ACTIVATION_RELU2_NO_MUL;
    if (limited && !plan->quantised && !relu)
        add_run(plan, 0, 0, 1);
}

static void set_sizes(nvfp4_verification *plan)
{
    plan->gated = nvfp4_is_gated(plan->layer.activation);
    plan->quantised = plan->layer.scheme == NVFP4_SCHEME_W4A4;
    plan->halves = nvfp4_halves_of(plan->claim.halves, plan->layer.activation);
    plan->hidden = (size_t)plan->layer.hidden_size;
    plan->inter = (size_t)plan->layer.intermediate_size;
    plan->experts = (size_t)plan->layer.num_experts;
    plan->pairs = plan->hidden / (2 * NVFP4_BLOCK);
    plan->blocks = plan->inter / NVFP4_BLOCK;
    int moe = plan->claim.level == NVFP4_VERIFY_LEVEL_MOE;
    plan->routes = moe ? (size_t)plan->layer.top_k : 1;
    plan->columns = moe ? plan->hidden : plan->inter;
}

/* An allocation that counts against the plan's limit; zeroed. */
static int get(size_t *used, void *where, size_t count, size_t size)
{
    if (count > MEMORY_MAX / size || *used + count * size > MEMORY_MAX) {
        *used = MEMORY_MAX + 1;
        return 0;
    }
    *used += count * size;
    void *memory = calloc(count != 0 ? count : 1, size);
    memcpy(where, &memory, sizeof memory); /* the pointer's own type is not known here */
    return memory != NULL;
}

static int get_weights(nvfp4_verification *plan, size_t *used)
{
    size_t rows = plan->gated ? 2 * plan->inter : plan->inter, codes = 0, scales = 0;
    nvfp4_matrix_format format = {
        sizeof format, rows, plan->hidden, plan->claim.scale_order, plan->claim.global_kind, 1};
    if (plan->claim.level != NVFP4_VERIFY_LEVEL_MOE)
        return 1;
    (void)nvfp4_matrix_bytes(&format, &codes, &scales);
    if (!get(used, &plan->w13, plan->experts, codes) ||
        !get(used, &plan->w13_scales, plan->experts, scales))
        return 0;
    format.rows = plan->hidden;
    format.cols = plan->inter;
    (void)nvfp4_matrix_bytes(&format, &codes, &scales);
    return get(used, &plan->w2, plan->experts, codes) &&
           get(used, &plan->w2_scales, plan->experts, scales);
}

static int get_expert(nvfp4_verification *plan, struct nvfp4_expert *expert, size_t *used)
{
    return get(used, &expert->gate_pair, plan->blocks, sizeof *expert->gate_pair) &&
           get(used, &expert->up_pair, plan->blocks, sizeof *expert->up_pair) &&
           get(used, &expert->active, plan->inter, sizeof *expert->active) &&
           get(used, &expert->channel, plan->columns, sizeof *expert->channel) &&
           get(used, &expert->sign, plan->columns, sizeof *expert->sign);
}

static int get_run(nvfp4_verification *plan, struct nvfp4_plan_run *run, size_t *used)
{
    size_t t = run->tokens, width = plan->gated ? 2 * plan->inter : plan->inter;
    if (!get(used, &run->gates, t * plan->pairs, sizeof *run->gates) ||
        !get(used, &run->ups, t * plan->pairs, sizeof *run->ups) ||
        !get(used, &run->ids, t * plan->routes, sizeof *run->ids) ||
        !get(used, &run->weights, t * plan->routes, sizeof *run->weights))
        return 0;
    run->first = plan->elements;
    if (!run->has_nan)
        plan->elements += t * plan->columns;
    if (plan->claim.level == NVFP4_VERIFY_LEVEL_ACTIVATION)
        return get(used, &run->gate_up, t * width, sizeof *run->gate_up) &&
               get(used, &run->accumulator, t * width, sizeof *run->accumulator) &&
               get(used, &run->dequant, t, sizeof *run->dequant);
    size_t codes = 0, scales = 0;
    nvfp4_matrix_format format = {sizeof format,           t, plan->hidden, plan->claim.scale_order,
                                  plan->claim.global_kind, 1};
    (void)nvfp4_matrix_bytes(&format, &codes, &scales);
    return get(used, &run->x, t * plan->hidden, sizeof *run->x) &&
           (!plan->quantised ||
            (get(used, &run->x_codes, codes, 1) && get(used, &run->x_scales, scales, 1)));
}

static int get_all(nvfp4_verification *plan, size_t *used)
{
    size_t slots = 2 * plan->pairs;
    if (!get(used, &plan->slot, slots, sizeof *plan->slot) ||
        !get(used, &plan->pattern, slots * NVFP4_BLOCK, 1) ||
        !get(used, &plan->partner, slots * NVFP4_BLOCK, 1) ||
        !get(used, &plan->map, 2 * plan->inter * NVFP4_HALVES_COUNT, sizeof *plan->map) ||
        !get(used, &plan->expert, plan->experts, sizeof *plan->expert) ||
        !get(used, &plan->w13_global, plan->experts, sizeof *plan->w13_global) ||
        !get(used, &plan->w2_global, plan->experts, sizeof *plan->w2_global) ||
        !get_weights(plan, used))
        return 0;
    for (size_t e = 0; e < plan->experts; e++)
        if (!get_expert(plan, &plan->expert[e], used))
            return 0;
    for (size_t r = 0; r < plan->run_count; r++)
        if (!get_run(plan, &plan->run[r], used))
            return 0;
    return 1;
}

void nvfp4_verification_destroy(nvfp4_verification *plan)
{
    if (plan == NULL)
        return;
    for (size_t e = 0; plan->expert != NULL && e < plan->experts; e++) {
        free(plan->expert[e].gate_pair);
        free(plan->expert[e].up_pair);
        free(plan->expert[e].active);
        free(plan->expert[e].channel);
        free(plan->expert[e].sign);
    }
    for (size_t r = 0; r < plan->run_count; r++) {
        struct nvfp4_plan_run *run = &plan->run[r];
        void *arrays[] = {run->gates,       run->ups,     run->ids,      run->weights,
                          run->x,           run->x_codes, run->x_scales, run->gate_up,
                          run->accumulator, run->dequant};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            free(arrays[i]);
    }
    void *arrays[] = {plan->slot,       plan->pattern,    plan->partner,   plan->map,
                      plan->expert,     plan->w13_global, plan->w2_global, plan->w13,
                      plan->w13_scales, plan->w2,         plan->w2_scales, plan->bounds};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    free(plan);
}

/* Everything up to the allocations: what the claim asks for and whether it can be had. */
static nvfp4_status settle(nvfp4_verification *plan, const nvfp4_verify_claim *claim)
{
    plan->claim = *claim;
    plan->claim.struct_size = sizeof plan->claim;
    plan->layer = *claim->layer;
    plan->layer.struct_size = sizeof plan->layer;
    plan->claim.layer = &plan->layer;
    nvfp4_claim_fill_in(&plan->claim, &plan->layer);
    if (plan->claim.reserved != 0 || !nvfp4_layer_numbers_ok(&plan->layer) ||
        nvfp4_claim_find_fault(&plan->claim, &plan->layer) != NULL)
        return NVFP4_EINVAL;
    plan->claim.free_params &=
        NVFP4_HAS_SWIGLU_LIMIT | NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA;
    set_sizes(plan);
    add_runs(plan);
    for (size_t r = 0; r < plan->run_count && plan->layer.dtype == NVFP4_DTYPE_FP16; r++)
        if (nvfp4_plan_largest(&plan->run[r].layer) > 60000)
            return NVFP4_EINVAL;
    return NVFP4_OK;
}

/* A multiplier in the claim's convention. */
static float convention(const nvfp4_verification *plan, double multiplier)
{
    int reciprocal = plan->claim.global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL;
    return (float)(reciprocal ? 1 / multiplier : multiplier);
}

static void make_problem(const nvfp4_verification *plan, struct nvfp4_plan_run *run)
{
    run->problem = (nvfp4_moe_problem){.struct_size = sizeof run->problem,
                                       .layer = &run->layer,
                                       .tokens = (int64_t)run->tokens,
                                       .x = run->x,
                                       .expert_ids = run->ids,
                                       .expert_weights = run->weights,
                                       .w13 = plan->w13,
                                       .w13_scales = plan->w13_scales,
                                       .w13_global = plan->w13_global,
                                       .w2 = plan->w2,
                                       .w2_scales = plan->w2_scales,
                                       .w2_global = plan->w2_global,
                                       .x_global = convention(plan, plan->x_multiplier),
                                       .h_global = convention(plan, run->h_multiplier),
                                       .halves = plan->halves,
                                       .scale_order = plan->claim.scale_order,
                                       .global_kind = plan->claim.global_kind};
}

static nvfp4_status add_predictions(nvfp4_verification *plan, size_t *used)
{
    nvfp4_plan_models(plan);
    if (!get(used, &plan->bounds, plan->model_count * plan->elements, 2 * sizeof *plan->bounds))
        return *used > MEMORY_MAX ? NVFP4_ELIMIT : NVFP4_ENOMEM;
    return nvfp4_plan_predict(plan);
}

nvfp4_status nvfp4_verify_plan(const nvfp4_verify_claim *claim, nvfp4_verification **plan)
{
    if (claim == NULL || plan == NULL)
        return NVFP4_EINVAL;
    if (claim->struct_size < offsetof(nvfp4_verify_claim, seed) + sizeof claim->seed)
        return NVFP4_EABI;
    if (claim->layer == NULL)
        return NVFP4_EINVAL;
    if (claim->layer->struct_size <
        offsetof(nvfp4_moe_layer, reserved) + sizeof claim->layer->reserved)
        return NVFP4_EABI;
    nvfp4_verification *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NVFP4_ENOMEM;
    size_t used = 0;
    nvfp4_status status = settle(made, claim);
    if (status == NVFP4_OK && !get_all(made, &used))
        status = used > MEMORY_MAX ? NVFP4_ELIMIT : NVFP4_ENOMEM;
    if (status == NVFP4_OK)
        status = nvfp4_plan_inputs(made);
    for (size_t r = 0; r < made->run_count; r++)
        make_problem(made, &made->run[r]);
    if (status == NVFP4_OK)
        status = add_predictions(made, &used);
    if (status != NVFP4_OK) {
        nvfp4_verification_destroy(made);
        return status;
    }
    *plan = made;
    return NVFP4_OK;
}

size_t nvfp4_verify_run_count(const nvfp4_verification *plan)
{
    return plan == NULL ? 0 : plan->run_count;
}

nvfp4_status nvfp4_verify_get_run(const nvfp4_verification *plan, size_t index,
                                  nvfp4_verify_run *out)
{
    if (plan == NULL || out == NULL || index >= plan->run_count)
        return NVFP4_EINVAL;
    size_t size = out->struct_size;
    if (size < offsetof(nvfp4_verify_run, reserved) + sizeof out->reserved)
        return NVFP4_EABI;
    const struct nvfp4_plan_run *run = &plan->run[index];
    int moe = plan->claim.level == NVFP4_VERIFY_LEVEL_MOE;
    nvfp4_verify_run view = {.struct_size = size,
                             .layer = &run->layer,
                             .tokens = (int64_t)run->tokens,
                             .columns = (int64_t)plan->columns,
                             .problem = moe ? &run->problem : NULL,
                             .x_codes = run->x_codes,
                             .x_scales = run->x_scales,
                             .gate_up = run->gate_up,
                             .accumulator = run->accumulator,
                             .dequant = run->dequant,
                             .h_global = convention(plan, run->h_multiplier),
                             .small = run->small,
                             .has_nan = run->has_nan,
                             .halves = plan->halves};
    memcpy(out, &view, size < sizeof view ? size : sizeof view);
    return NVFP4_OK;
}
