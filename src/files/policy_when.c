/* SPDX-License-Identifier: Apache-2.0 */
/* What a rule is about: `when`, versions of a library; and the texts that all rules have. */
#include "files/policy_reader.h"

#include <string.h>

const char *const nvfp4_policy_when_keys[] = {
    "devices", "scheme", "activation", "activation_format", "routing", "router_logits_dtype",
    "dtype", "all2all", "humming_gemm_type", "gated", "swiglu_limit", "expert_parallel", "eplb",
    "lora", "batch_invariant", "bias", "router_weight_on_input", "per_token_activation_scale", NULL
};

static nvfp4_status read_when_flag(const struct policy_reader *reader, const nvfp4_node *node,
                                   struct nvfp4_when *when)
{
    for (int i = 0; i < POLICY_FLAGS; i++) {
        const struct policy_flag *const f = &nvfp4_policy_flags[i];
        uint8_t set = 0;
        if (strcmp(f->when, node->key) != 0)
            continue;
        const nvfp4_status status = nvfp4_policy_read_flag(reader, node, &set);
        if (status == NVFP4_OK && set != f->when_absent)
            when->with |= f->flag;
        else if (status == NVFP4_OK)
            when->without |= f->flag;
        return status;
    }
    return NVFP4_OK;
}

static nvfp4_status read_when_key(const struct policy_reader *reader, const nvfp4_node *node,
                                  struct nvfp4_when *when)
{
    const struct policy_column *const column = nvfp4_policy_find_column(node->key);
    const struct nvfp4_custom_key *const own =
        nvfp4_policy_find_key(&reader->draft->policy, node->key);
    if (strcmp(node->key, "devices") == 0)
        return nvfp4_policy_read_devices(reader, node, &when->device);
    if (column != NULL) {
        const uint64_t all = nvfp4_policy_column_all(column);
        uint64_t values = all;
        const nvfp4_status status = nvfp4_policy_read_words(reader, node, column, &values);
        when->values = (when->values & ~all) | values;
        return status;
    }
    if (own != NULL) {
        uint64_t bits = custom_key_bits(own);
        const nvfp4_status status = nvfp4_policy_read_custom(reader, node, own, &bits);
        when->not_custom |= custom_key_bits(own) & ~bits;
        return status;
    }
    return read_when_flag(reader, node, when);
}

nvfp4_status nvfp4_policy_read_when(const struct policy_reader *reader, const nvfp4_node *node,
                                    struct nvfp4_when *when)
{
    nvfp4_status status =
        nvfp4_policy_check_keys(reader, node, "a when", nvfp4_policy_when_keys, 1);
    *when = (struct nvfp4_when){ .device = DEVICE_ANY, .values = ANY_VALUE };
    if (node->kind != NVFP4_NODE_MAPPING)
        return status;
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_when_key(reader, n, when);
    return status;
}

static nvfp4_status read_window(const struct policy_reader *reader, const nvfp4_node *mapping,
                                struct policy_common *c)
{
    const nvfp4_node *const library = nvfp4_node_get(mapping, "library");
    const nvfp4_node *const from = nvfp4_node_get(mapping, "from");
    const nvfp4_node *const below = nvfp4_node_get(mapping, "below");
    nvfp4_status status = NVFP4_OK;
    if (library != NULL) {
        c->has_library = 1;
        status = nvfp4_policy_is_text(library)
                     ? nvfp4_policy_read_library(reader, library, library->text, &c->library)
                     : nvfp4_policy_must_be(reader, library, "the name of a library");
    }
    if (status == NVFP4_OK && from != NULL)
        status = nvfp4_policy_read_version(reader, from, &c->from);
    if (status == NVFP4_OK && below != NULL)
        status = nvfp4_policy_read_version(reader, below, &c->below);
    if (status == NVFP4_OK && library == NULL && (from != NULL || below != NULL))
        status = nvfp4_policy_fail_key(reader, from != NULL ? from : below,
                                       "a version of which library? add 'library: flashinfer', or "
                                       "another");
    return status;
}

nvfp4_status nvfp4_policy_read_common(const struct policy_reader *reader, const nvfp4_node *mapping,
                                      struct policy_common *c)
{
    const nvfp4_node *const when = nvfp4_node_get(mapping, "when");
    const nvfp4_node *const note = nvfp4_node_get(mapping, "note");
    const nvfp4_node *const source = nvfp4_node_get(mapping, "source");
    *c = (struct policy_common){ .when = { .device = DEVICE_ANY, .values = ANY_VALUE } };
    nvfp4_status status = NVFP4_OK;
    if (when != NULL)
        status = nvfp4_policy_read_when(reader, when, &c->when);
    if (status == NVFP4_OK && note != NULL)
        status = nvfp4_policy_read_text(reader, note, &c->note);
    if (status == NVFP4_OK && source != NULL)
        status = nvfp4_policy_read_text(reader, source, &c->source);
    return status == NVFP4_OK ? read_window(reader, mapping, c) : status;
}
