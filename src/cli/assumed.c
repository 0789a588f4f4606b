/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/assumed.h"

#include <stdio.h>

/* What may be assumed, and how to say it instead. */
static const struct {
    uint32_t bit;
    const char *key, *remedy;
} facts[] = {
    {NVFP4_KNOWS_SCHEME, "layer.scheme", "layer.scheme=w4a16"},
    {NVFP4_KNOWS_ACTIVATION, "layer.activation", "layer.activation=silu"},
    {NVFP4_KNOWS_LIMIT, "layer.swiglu_limit", "layer.swiglu_limit=10"},
};

enum {
    FACTS = sizeof facts / sizeof facts[0],
    DECIDING = NVFP4_KNOWS_SCHEME | NVFP4_KNOWS_ACTIVATION | NVFP4_KNOWS_LIMIT
};

nvfp4_moe_layer nvfp4_cli_group_layer(const nvfp4_model_group *group)
{
    nvfp4_moe_layer layer = group->layer;
    if ((group->known & NVFP4_KNOWS_ROUTING) == 0)
        layer.routing = NVFP4_ROUTING_UNSPECIFIED;
    return layer;
}

/* Bits of what differs. */
static uint32_t differing(const nvfp4_moe_layer *a, const nvfp4_moe_layer *b)
{
    const uint32_t limit = NVFP4_HAS_SWIGLU_LIMIT;
    uint32_t bits = 0;
    if (a->scheme != b->scheme)
        bits |= NVFP4_KNOWS_SCHEME;
    if (a->activation != b->activation)
        bits |= NVFP4_KNOWS_ACTIVATION;
    if ((a->has & limit) != (b->has & limit) ||
        ((a->has & limit) != 0 &&
         (a->swiglu_limit < b->swiglu_limit || a->swiglu_limit > b->swiglu_limit)))
        bits |= NVFP4_KNOWS_LIMIT;
    return bits;
}

/* Another default in place of each of those: what stays as it was has been said. */
static nvfp4_moe_layer otherwise(nvfp4_moe_layer layer, uint32_t bits)
{
    if (bits & NVFP4_KNOWS_SCHEME)
        layer.scheme = NVFP4_SCHEME_W4A16;
    if (bits & NVFP4_KNOWS_ACTIVATION)
        layer.activation = NVFP4_ACTIVATION_GELU;
    if (bits & NVFP4_KNOWS_LIMIT) {
        layer.has |= NVFP4_HAS_SWIGLU_LIMIT;
        layer.swiglu_limit = 0.8125;
    }
    return layer;
}

nvfp4_status nvfp4_cli_group_build(const nvfp4_cli_question *question,
                                   const nvfp4_model_group *group, nvfp4_request *request,
                                   uint32_t *assumed, nvfp4_error *error)
{
    const nvfp4_moe_layer base = nvfp4_cli_group_layer(group);
    const uint32_t open = (uint32_t)DECIDING & ~group->known;
    nvfp4_moe_layer other = base;
    *assumed = open;
    if (open != 0) {
        const nvfp4_moe_layer changed = otherwise(base, open);
        if (nvfp4_cli_question_build(question, &changed, request, error) == NVFP4_OK)
            other = *nvfp4_request_layer(request);
        else
            other = changed;
    }
    const nvfp4_status status = nvfp4_cli_question_build(question, &base, request, error);
    if (status == NVFP4_OK)
        *assumed &= differing(nvfp4_request_layer(request), &other);
    return status;
}

const char *nvfp4_cli_assumed_key(uint32_t assumed, size_t index)
{
    for (size_t i = 0; i < FACTS; i++)
        if ((assumed & facts[i].bit) != 0 && index-- == 0)
            return facts[i].key;
    return NULL;
}

const char *nvfp4_cli_assumed_text(uint32_t assumed, const nvfp4_moe_layer *layer, char *text,
                                   size_t room)
{
    const char *const scheme = nvfp4_scheme_name((nvfp4_scheme)layer->scheme);
    const char *const activation = nvfp4_activation_name((nvfp4_activation)layer->activation);
    const int has_scheme = (assumed & NVFP4_KNOWS_SCHEME) != 0;
    const int has_activation = (assumed & NVFP4_KNOWS_ACTIVATION) != 0;
    snprintf(text, room, "%s%s%s%s%s%s%s", has_scheme ? "scheme " : "", has_scheme ? scheme : "",
             has_scheme && has_activation ? ", " : "", has_activation ? "activation " : "",
             has_activation ? activation : "",
             (has_scheme || has_activation) && (assumed & NVFP4_KNOWS_LIMIT) ? ", " : "",
             assumed & NVFP4_KNOWS_LIMIT ? "no limit" : "");
    return text;
}

const char *nvfp4_cli_assumed_remedy(uint32_t assumed)
{
    for (size_t i = FACTS; i-- > 0;)
        if (assumed & facts[i].bit)
            return facts[i].remedy;
    return "";
}
