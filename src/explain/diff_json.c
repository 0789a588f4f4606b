/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff_words.h"

#include <string.h>

/* A version that is older than any release of a library. */
#define OLD_VERSION VERSION(0, 0, 1)

/* ---- values ---- */

static void out_json_devices(struct out *out, uint64_t set)
{
    const char *between = "";
    set = (set & SM(100)) && (set & SM(102)) ? set | SM(101) : set & ~SM(101); /* is no SM */
    for (int bit = 0; bit < DEVICE_SM_BITS + 2; bit++) {
        char text[64];
        struct out part = out_begin(text, sizeof text);
        int end = bit;
        if (!(set >> bit & 1))
            continue;
        while (bit < DEVICE_SM_BITS && end + 1 < DEVICE_SM_BITS && set >> (end + 1) & 1)
            end++;
        nvfp4_out_devices(&part, (DEVICE_BIT(end) << 1) - DEVICE_BIT(bit));
        out_end(&part);
        out_text(out, between);
        nvfp4_out_json_string(out, text);
        between = ",";
        bit = end;
    }
}

static void out_json_version(struct out *out, const struct diff_space *space, int dim, int value)
{
    char text[128];
    struct out part = out_begin(text, sizeof text);
    if (value == VERSION_NEWEST && space->count[dim] == VERSION_OLDER)
        out_text(&part, "present");
    else
        nvfp4_diff_out_versions(&part, space, dim - DIM_FLASHINFER, (uint64_t)1 << value);
    out_end(&part);
    nvfp4_out_json_string(out, text);
}

static void out_json_parallel(struct out *out, int value)
{
    char text[128];
    struct out part = out_begin(text, sizeof text);
    const int way = PARALLEL_WAY(value);
    if (way < WAY_DP) {
        out_text(&part, way == WAY_NO_EP ? "no ep" : "ep");
    } else {
        out_text(&part, way < WAY_CP ? "ep with dp, " : "ep with cp or sp, ");
        out_text(&part, nvfp4_all2all_name(
                            (nvfp4_all2all)(1 + (way < WAY_CP ? way - WAY_DP : way - WAY_CP))));
    }
    out_text(&part, value >= PARALLEL_AUTO_DEEPEP ? ", auto"
                    : value % 2                   ? ", batched"
                                                  : ", standard");
    out_end(&part);
    nvfp4_out_json_string(out, text);
}

static void out_json_value(struct out *out, const struct diff_space *space, int dim, int value)
{
    const int last = space->count[dim] - 1;
    if (dim == DIM_SCHEME) {
        nvfp4_out_json_string(out, nvfp4_scheme_name((nvfp4_scheme)value));
    } else if (dim == DIM_PARALLEL) {
        out_json_parallel(out, value);
    } else if (dim == DIM_LIMIT) {
        if (value == 0 || value == last)
            out_text(out, value == 0 ? "null" : "\"other\"");
        else
            nvfp4_out_real(out, space->limit[value]);
    } else if (dim == DIM_CONSTANTS) {
        if (value == 0 || value == last) {
            out_text(out, value == 0 ? "null" : "\"other\"");
        } else {
            out_char(out, '[');
            nvfp4_out_real(out, space->constants[value].alpha);
            out_char(out, ',');
            nvfp4_out_real(out, space->constants[value].beta);
            out_char(out, ']');
        }
    } else if (dim >= DIM_FLASHINFER && dim <= DIM_VLLM) {
        out_json_version(out, space, dim, value);
    } else if (dim >= DIM_WIDTH && dim <= DIM_TOP_K) {
        if (value == 0)
            out_text(out, "null");
        else
            out_number(out, (uint64_t)space->size[dim - DIM_WIDTH][value]);
    } else if (dim == DIM_SITU) {
        out_text(out, value == SITU_ABSENT  ? "null"
                      : value == SITU_USUAL ? "[4.0,25.0]"
                                            : "\"other\"");
    } else if (IS_KEY(dim) && value == 0) {
        out_text(out, "null");
    } else if (nvfp4_diff_word(space, dim, value) != NULL) {
        nvfp4_out_json_string(out, nvfp4_diff_word(space, dim, value));
    } else {
        out_text(out, value ? "true" : "false");
    }
}

static void out_json_set(struct out *out, const struct diff_space *space, uint64_t set, int dim)
{
    const char *between = "";
    out_char(out, '[');
    if (dim == DIM_DEVICE)
        out_json_devices(out, set);
    for (int v = 0; v < space->count[dim] && dim != DIM_DEVICE; v++)
        if (set >> v & 1) {
            out_text(out, between);
            out_json_value(out, space, dim, v);
            between = ",";
        }
    out_char(out, ']');
}

/* ---- regions ---- */

static void write_conditions(struct out *out, const struct diff_space *space,
                             const struct diff_box *values, int dims, int inverted)
{
    const char *between = "";
    out_char(out, '{');
    for (int dim = 0; dim < dims; dim++) {
        const uint64_t all = DIM_SET_ALL(space, dim);
        const uint64_t set = inverted ? all & ~values->set[dim] : values->set[dim];
        if (set == (inverted ? 0 : all))
            continue;
        out_text(out, between);
        nvfp4_out_json_string(out, nvfp4_diff_dimension_key(space, dim));
        out_char(out, ':');
        out_json_set(out, space, set, dim);
        between = ",";
    }
    out_char(out, '}');
}

static void pair(struct out *out, const char **between, const char *key)
{
    out_text(out, *between);
    nvfp4_out_json_string(out, key);
    out_char(out, ':');
    *between = ",";
}

/* A value of a request's key that holds words, where it is not the usual one. */
static void word(struct out *out, const char **between, const char *key, int value, int usual,
                 const char *text)
{
    if (value == usual)
        return;
    pair(out, between, key);
    nvfp4_out_json_string(out, text);
}

static void flag(struct out *out, const char **between, const char *key, int value)
{
    if (!value)
        return;
    pair(out, between, key);
    out_text(out, "true");
}

static void real(struct out *out, const char **between, const char *key, int has, double value)
{
    if (!has)
        return;
    pair(out, between, key);
    nvfp4_out_real(out, value);
}

static void size(struct out *out, const char **between, const char *key, int64_t value,
                 int64_t usual)
{
    if (value == usual)
        return;
    pair(out, between, key);
    out_number(out, (uint64_t)value);
}

/* What is said for keys of the policies' own in a section of the request. */
static void write_keys(struct out *out, const char **between, const struct nvfp4_diff *diff,
                       const struct diff_request *request, const char *section)
{
    for (int i = 0; i < KEYS_MAX; i++)
        if (request->key_word[i] != NULL && strcmp(diff->space.key[i].section, section) == 0) {
            pair(out, between, diff->space.key[i].name);
            nvfp4_out_json_string(out, request->key_word[i]);
        }
}

static void write_layer(struct out *out, const struct nvfp4_diff *diff,
                        const struct diff_request *request)
{
    const nvfp4_moe_layer *const l = &request->layer;
    const char *between = "";
    out_char(out, '{');
    word(out, &between, "scheme", l->scheme, -1, nvfp4_scheme_name((nvfp4_scheme)l->scheme));
    word(out, &between, "activation", l->activation, -1,
         nvfp4_activation_name((nvfp4_activation)l->activation));
    real(out, &between, "swiglu_limit", l->has & NVFP4_HAS_SWIGLU_LIMIT, l->swiglu_limit);
    real(out, &between, "swiglu_alpha", l->has & NVFP4_HAS_SWIGLU_ALPHA, l->swiglu_alpha);
    real(out, &between, "swiglu_beta", l->has & NVFP4_HAS_SWIGLU_BETA, l->swiglu_beta);
    real(out, &between, "situ_beta", l->has & NVFP4_HAS_SITU_BETA, l->situ_beta);
    real(out, &between, "situ_linear_beta", l->has & NVFP4_HAS_SITU_LINEAR_BETA,
         l->situ_linear_beta);
    size(out, &between, "hidden_size", l->hidden_size, 0);
    size(out, &between, "intermediate_size", l->intermediate_size, 0);
    size(out, &between, "num_experts", l->num_experts, 0);
    size(out, &between, "top_k", l->top_k, 0);
    word(out, &between, "routing", l->routing, NVFP4_ROUTING_RENORMALIZE,
         nvfp4_routing_name((nvfp4_routing)l->routing));
    word(out, &between, "router_logits_dtype", l->router_dtype, NVFP4_ROUTER_DTYPE_BF16,
         nvfp4_router_dtype_name((nvfp4_router_dtype)l->router_dtype));
    word(out, &between, "dtype", l->dtype, NVFP4_DTYPE_BF16,
         nvfp4_dtype_name((nvfp4_dtype)l->dtype));
    flag(out, &between, "bias", l->bias);
    flag(out, &between, "router_weight_on_input", l->router_weight_on_input);
    flag(out, &between, "per_token_activation_scale", l->per_token_activation_scale);
    write_keys(out, &between, diff, request, "layer");
    out_char(out, '}');
}

static void write_libraries(struct out *out, const nvfp4_deployment *d)
{
    const char *between = "";
    out_char(out, '{');
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        char text[64];
        if (d->libraries[i] == NVFP4_LIBRARY_UNKNOWN)
            continue;
        nvfp4_version_print(d->libraries[i] == 1 ? OLD_VERSION : d->libraries[i], text,
                            sizeof text);
        pair(out, &between, nvfp4_library_name((nvfp4_library)i));
        if (d->libraries[i] == NVFP4_LIBRARY_ABSENT)
            out_text(out, "null");
        else
            nvfp4_out_json_string(out, text);
    }
    out_char(out, '}');
}

static void write_deployment(struct out *out, const struct nvfp4_diff *diff,
                             const struct diff_request *request)
{
    const nvfp4_deployment *const d = &request->deployment;
    const char *between = "";
    int libraries = 0;
    out_char(out, '{');
    size(out, &between, "tensor_parallel", d->tensor_parallel, 1);
    size(out, &between, "data_parallel", d->data_parallel, 1);
    size(out, &between, "context_parallel", d->context_parallel, 1);
    flag(out, &between, "expert_parallel", d->expert_parallel);
    word(out, &between, "all2all", d->all2all, NVFP4_ALL2ALL_NONE,
         nvfp4_all2all_name((nvfp4_all2all)d->all2all));
    word(out, &between, "activation_format", d->format, NVFP4_FORMAT_STANDARD,
         nvfp4_format_name((nvfp4_format)d->format));
    word(out, &between, "humming_gemm_type", d->humming_gemm, NVFP4_HUMMING_GEMM_INDEXED,
         nvfp4_humming_gemm_name((nvfp4_humming_gemm)d->humming_gemm));
    flag(out, &between, "eplb", d->eplb);
    flag(out, &between, "lora", d->lora);
    flag(out, &between, "batch_invariant", d->batch_invariant);
    write_keys(out, &between, diff, request, "deployment");
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++)
        libraries |= d->libraries[i] != NVFP4_LIBRARY_UNKNOWN;
    if (libraries) {
        pair(out, &between, "libraries");
        write_libraries(out, d);
    }
    out_char(out, '}');
}

/* The most usual question of a region, as a request. */
static void write_example(struct out *out, const struct nvfp4_diff *diff,
                          const struct diff_region *r)
{
    struct diff_point point;
    struct diff_request request;
    const char *between = "";
    nvfp4_diff_example(r, &point);
    nvfp4_diff_request_of(&diff->space, &point, &request);
    const nvfp4_device_key *device = &request.deployment.device;
    out_char(out, '{');
    word(out, &between, "backend", point.value[DIM_ASKED], 0, request.word);
    pair(out, &between, "device");
    out_text(out, device->vendor == NVFP4_VENDOR_NVIDIA ? "{\"sm\":" : "{\"vendor\":");
    if (device->vendor == NVFP4_VENDOR_NVIDIA)
        out_number(out, (uint64_t)device->sm);
    else
        nvfp4_out_json_string(out, nvfp4_vendor_name((nvfp4_vendor)device->vendor));
    out_char(out, '}');
    pair(out, &between, "layer");
    write_layer(out, diff, &request);
    pair(out, &between, "deployment");
    write_deployment(out, diff, &request);
    out_char(out, '}');
}

static void quote_outcome(struct out *out, const struct nvfp4_diff *diff, int outcome)
{
    char text[256];
    struct out part = out_begin(text, sizeof text);
    nvfp4_diff_out_outcome(&part, diff, outcome);
    out_end(&part);
    nvfp4_out_json_string(out, text);
}

size_t nvfp4_diff_json(const nvfp4_diff *diff, const nvfp4_diff_print *options, char *buffer,
                       size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    struct diff_box all;
    (void)options;
    if (diff == NULL)
        return out_end(&out);
    out_text(&out, "{\"from\":");
    nvfp4_out_json_string(&out, nvfp4_policy_name(diff->space.policy[0]));
    out_text(&out, ",\"to\":");
    nvfp4_out_json_string(&out, nvfp4_policy_name(diff->space.policy[1]));
    out_text(&out, diff->count != 0 ? ",\"different\":true,\"regions\":["
                                    : ",\"different\":false,\"regions\":[");
    for (int i = 0; i < diff->count; i++) {
        const struct diff_region *r = &diff->regions[i];
        out_text(&out, i == 0 ? "{\"from\":" : ",{\"from\":");
        quote_outcome(&out, diff, r->from);
        out_text(&out, ",\"to\":");
        quote_outcome(&out, diff, r->to);
        out_text(&out, ",\"rarity\":");
        out_number(&out, r->rarity);
        out_text(&out, ",\"where\":");
        write_conditions(&out, &diff->space, &r->values, DIMS, 0);
        out_text(&out, ",\"example\":");
        write_example(&out, diff, r);
        out_char(&out, '}');
    }
    out_text(&out, "],\"unchanged\":");
    nvfp4_diff_unite(diff, &all);
    /* Without a difference everything is, and need not be listed. */
    write_conditions(&out, &diff->space, &all, diff->count != 0 ? DIMS : 0, 1);
    out_char(&out, '}');
    return out_end(&out);
}
