/* SPDX-License-Identifier: Apache-2.0 */
#include "files/request_keys.h"

#include <nvfp4moe/request.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define WORD(name, value, word) [value] = word,
static const char *const scheme_words[] = { NVFP4_SCHEME_MAP(WORD) };
static const char *const activation_words[] = { NVFP4_ACTIVATION_MAP(WORD) };
static const char *const routing_words[] = { NVFP4_ROUTING_MAP(WORD) };
static const char *const router_dtype_words[] = { NVFP4_ROUTER_DTYPE_MAP(WORD) };
static const char *const dtype_words[] = { NVFP4_DTYPE_MAP(WORD) };
static const char *const vendor_words[] = { NVFP4_VENDOR_MAP(WORD) };
static const char *const all2all_words[] = { NVFP4_ALL2ALL_MAP(WORD) };
static const char *const format_words[] = { NVFP4_FORMAT_MAP(WORD) };
static const char *const humming_gemm_words[] = { NVFP4_HUMMING_GEMM_MAP(WORD) };
#undef WORD

#define VOCABULARY(words) words, COUNT_OF(words), NULL, 0, 0
const struct request_vocabulary nvfp4_request_vocabularies[WORDS_COUNT] = {
    [WORDS_NONE] = { NULL, 0, NULL, 0, 0 },
    [WORDS_SCHEME] = { VOCABULARY(scheme_words) },
    [WORDS_ACTIVATION] = { VOCABULARY(activation_words) },
    [WORDS_ROUTING] = { VOCABULARY(routing_words) },
    [WORDS_ROUTER_DTYPE] = { VOCABULARY(router_dtype_words) },
    [WORDS_DTYPE] = { VOCABULARY(dtype_words) },
    [WORDS_VENDOR] = { VOCABULARY(vendor_words) },
    [WORDS_ALL2ALL] = { all2all_words, COUNT_OF(all2all_words), "flashinfer_all2allv",
                        NVFP4_ALL2ALL_FLASHINFER_NVLINK_TWO_SIDED, 1 },
    [WORDS_FORMAT] = { VOCABULARY(format_words) },
    [WORDS_HUMMING_GEMM] = { VOCABULARY(humming_gemm_words) },
};

static const struct request_key request_keys[] = {
    { "policy", KIND_NAME, SLOT_POLICY, 0, "a built-in policy, an alias or a file", "default",
      "whose rules decide" },
    { "backend", KIND_NAME, SLOT_BACKEND, 0, "a name that the policy knows", "auto",
      "the backend that is insisted on" },
    { "device", KIND_SECTION, SECTION_DEVICE, 0, "a mapping", NULL, "the device of this rank" },
    { "layer", KIND_SECTION, SECTION_LAYER, 0, "a mapping", NULL, "what one MoE layer computes" },
    { "deployment", KIND_SECTION, SECTION_DEPLOYMENT, 0, "a mapping", NULL,
      "how the layer is run" },
};

static const struct request_key device_keys[] = {
    { "sm", KIND_SM, SLOT_SM, 0, "10 to 999", NULL,
      "compute capability, major * 10 + minor: 120 for 12.0" },
    { "gpu", KIND_NAME, SLOT_GPU, 0, "a name or PCI id", NULL,
      "instead of sm: \"rtx pro 6000\", \"NVIDIA H200\", \"0x2bb1\"" },
    { "vendor", KIND_NAME, SLOT_VENDOR, 0, "nvidia, amd, intel", "nvidia", "maker of the device" },
    { "arch", KIND_NAME, SLOT_ARCH, 0, "a name", NULL,
      "architecture of another maker's device: gfx942" },
};

#define AT(field) offsetof(nvfp4_moe_layer, field)
static const struct request_key layer_keys[] = {
    { "scheme", KIND_WORD, WORDS_SCHEME, AT(scheme), NULL, "w4a4",
      "quantisation, weights x activations" },
    { "activation", KIND_WORD, WORDS_ACTIVATION, AT(activation), NULL, "silu",
      "function between the two GEMMs" },
    { "swiglu_limit", KIND_LIMIT, 0, AT(swiglu_limit), NULL, "null", "clamp limit; null: none" },
    { "swiglu_alpha", KIND_REAL, 1, AT(swiglu_alpha), NULL, NULL,
      "factor in the sigmoid; left out: the activation's own" },
    { "swiglu_beta", KIND_REAL, 2, AT(swiglu_beta), NULL, NULL,
      "added to the up half; left out: the activation's own" },
    { "situ_beta", KIND_REAL, 3, AT(situ_beta), NULL, "null", "soft cap of the gate half (situ)" },
    { "situ_linear_beta", KIND_REAL, 4, AT(situ_linear_beta), NULL, "null",
      "soft cap of the up half (situ)" },
    { "hidden_size", KIND_SIZE, 0, AT(hidden_size), NULL, NULL, "K as the experts see it" },
    { "intermediate_size", KIND_SIZE, 0, AT(intermediate_size), NULL, NULL,
      "width of one expert, before tensor parallelism" },
    { "num_experts", KIND_SIZE, 0, AT(num_experts), NULL, NULL, "routed experts of the layer" },
    { "top_k", KIND_SIZE, 0, AT(top_k), NULL, NULL, "experts per token" },
    { "routing", KIND_WORD, WORDS_ROUTING, AT(routing), NULL, "renormalize",
      "how router logits become weights" },
    { "router_logits_dtype", KIND_WORD, WORDS_ROUTER_DTYPE, AT(router_dtype), NULL, "bf16",
      "type of the logits that reach the kernel" },
    { "dtype", KIND_WORD, WORDS_DTYPE, AT(dtype), NULL, "bf16", "type of the hidden states" },
    { "bias", KIND_FLAG, 0, AT(bias), NULL, "false", "the expert GEMMs add a bias" },
    { "router_weight_on_input", KIND_FLAG, 0, AT(router_weight_on_input), NULL, "false",
      "the routing weight scales the input" },
    { "per_token_activation_scale", KIND_FLAG, 0, AT(per_token_activation_scale), NULL, "false",
      "activations carry one global scale per token" },
};
#undef AT

#define AT(field) offsetof(nvfp4_deployment, field)
static const struct request_key deployment_keys[] = {
    { "tensor_parallel", KIND_RANKS, 0, AT(tensor_parallel), NULL, "1", "tensor-parallel ranks" },
    { "data_parallel", KIND_RANKS, 0, AT(data_parallel), NULL, "1", "data-parallel ranks" },
    { "context_parallel", KIND_RANKS, 0, AT(context_parallel), NULL, "1",
      "ranks of prefill context parallelism" },
    { "sequence_parallel", KIND_RANKS, 0, AT(sequence_parallel), NULL, "1",
      "sequence-parallel ranks, the tensor ranks again" },
    { "expert_parallel", KIND_FLAG, 0, AT(expert_parallel), NULL, "false",
      "experts are spread over all ranks" },
    { "all2all", KIND_WORD, WORDS_ALL2ALL, AT(all2all), NULL, "null",
      "kernels that move tokens between expert ranks" },
    { "activation_format", KIND_WORD, WORDS_FORMAT, AT(format), NULL, "auto",
      "layout of the tokens; auto: derived by the policy" },
    { "eplb", KIND_FLAG, 0, AT(eplb), NULL, "false", "expert-parallel load balancing" },
    { "lora", KIND_FLAG, 0, AT(lora), NULL, "false", "LoRA adapters on the experts" },
    { "batch_invariant", KIND_FLAG, 0, AT(batch_invariant), NULL, "false",
      "results must not depend on the batch" },
    { "humming_gemm_type", KIND_WORD, WORDS_HUMMING_GEMM, AT(humming_gemm), NULL, "indexed",
      "GEMM type preferred for HUMMING" },
    { "libraries", KIND_SECTION, SECTION_LIBRARIES, 0, "a mapping", NULL,
      "versions of what is installed; left out: new enough; null: absent" },
    { "built", KIND_NAMES, SLOT_BUILT, 0, "a list of backends", NULL,
      "what the engine has compiled in; left out: all" },
    { "built_archs", KIND_NAMES, SLOT_BUILT_ARCHS, 0, "a list of CUDA targets", NULL,
      "what the engine's own kernels are compiled for, as in [90a, 100f, 120f]" },
    { "devices", KIND_DEVICES, SLOT_DEVICES, 0, "a list of devices", NULL,
      "devices of all ranks, where they differ" },
    { "disable", KIND_NAMES, SLOT_DISABLE, 0, "a list of kernels", NULL,
      "kernels switched off: FLASHINFER_TRTLLM/monolithic, marlin" },
    { "errata_off", KIND_NAMES, SLOT_ERRATA_OFF, 0, "a list of errata", NULL,
      "known defects that shall not rule out" },
};
#undef AT

#define LIBRARY(name, value, word)                                                                 \
    { word, KIND_VERSION, value, offsetof(nvfp4_deployment, libraries), NULL, NULL,                \
      "its version as text, as PEP 440 writes it" },
static const struct request_key library_keys[] = { NVFP4_LIBRARY_MAP(LIBRARY) };
#undef LIBRARY

#define SECTION(name, keys) { name, keys, COUNT_OF(keys) }
const struct request_keys nvfp4_request_sections[SECTION_COUNT] = {
    [SECTION_REQUEST] = SECTION("", request_keys),
    [SECTION_DEVICE] = SECTION("device", device_keys),
    [SECTION_LAYER] = SECTION("layer", layer_keys),
    [SECTION_DEPLOYMENT] = SECTION("deployment", deployment_keys),
    [SECTION_LIBRARIES] = SECTION("deployment.libraries", library_keys),
};

/* What may stand for a key of a kind that says so itself. */
static const char *kind_value(const struct request_key *key)
{
    switch (key->kind) {
    case KIND_WORD:
        return "a word";
    case KIND_SIZE:
    case KIND_RANKS:
        return "a whole number";
    case KIND_FLAG:
        return "true or false";
    case KIND_REAL:
        return "a number or null";
    case KIND_LIMIT:
        return "a number above 0 or null";
    case KIND_VERSION:
        return "a version or null";
    default:
        return "";
    }
}

/* The key number `index` of all, and in which section. */
static const struct request_key *key_at(size_t index, const char **section)
{
    for (size_t s = 0; s < SECTION_COUNT; s++) {
        const struct request_keys *const keys = &nvfp4_request_sections[s];
        if (index < keys->count) {
            *section = keys->name;
            return &keys->keys[index];
        }
        index -= keys->count;
    }
    return NULL;
}

nvfp4_status nvfp4_request_key_at(size_t index, nvfp4_request_key *key)
{
    const char *section;
    if (key == NULL)
        return NVFP4_EINVAL;
    const struct request_key *const row = key_at(index, &section);
    if (row == NULL)
        return NVFP4_EUNKNOWN;
    key->section = section;
    key->name = row->name;
    key->value = row->value != NULL ? row->value : kind_value(row);
    key->initial = row->initial != NULL ? row->initial : "";
    key->text = row->text;
    key->word_count = row->kind == KIND_WORD ? nvfp4_request_vocabularies[row->arg].count : 0;
    return NVFP4_OK;
}

const char *nvfp4_request_key_word(size_t index, size_t word)
{
    const char *section;
    const struct request_key *const row = key_at(index, &section);
    if (row == NULL || row->kind != KIND_WORD ||
        word >= nvfp4_request_vocabularies[row->arg].count)
        return NULL;
    return nvfp4_request_vocabularies[row->arg].words[word];
}
