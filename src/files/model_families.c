/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the code of a model family fixes and its config.json does not say, or says otherwise.
 *
 * A new family is a new row, and needs one only if reading its keys is not enough. Sources:
 * HF NAME is the modeling code of Hugging Face transformers for that model_type, REMOTE the code in
 * the model's own repository, and others as named; all as of November 2026.
 */
#include "files/model_reader.h"

#include <string.h>

#define DEEPSEEK_ROUTER (NVFP4_HAS_SCORE_BIAS | NVFP4_GROUPS_EXPERTS)

static const nvfp4_family families[] = {
    {
        .types = { "deepseek_v4", "deepseek_v41" },
        .architecture = "DeepseekV4",
        .containers = { "ffn.experts", "mlp.experts" },
        .fixes = NVFP4_CLAMPS | NVFP4_ALL_LAYERS | NVFP4_FIXES_ROUTING,
        .routing = NVFP4_ROUTING_DEEPSEEK_V4,
        .scoring = NVFP4_SCORING_SQRTSOFTPLUS,
        .source = "HF deepseek_v4; SGLang deepseek_v4.py",
    },
    {
        .types = { "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25" },
        .architecture = "DeepseekV3",
        .fixes = DEEPSEEK_ROUTER,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "HF deepseek_v3 (noaux_tc: scores with a correction bias, chosen by groups)",
    },
    {
        .types = { "deepseek_v2" },
        .architecture = "DeepseekV2",
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF deepseek_v2",
    },
    {
        .types = { "kimi_linear", "kimi_k3" },
        .architecture = "Kimi",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = DEEPSEEK_ROUTER,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "REMOTE modeling_kimi.py",
    },
    {
        .types = { "glm_moe_dsa", "glm4_moe", "glm4_moe_lite", "glm4v_moe", "glm4v_moe_text" },
        .architecture = "Glm",
        .fixes = DEEPSEEK_ROUTER,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "HF glm4_moe, glm_moe_dsa (TopkRouter is DeepSeek-V3's)",
    },
    {
        .types = { "glm5_next", "glm5_next_text" },
        .architecture = "Glm5Next",
        .fixes = DEEPSEEK_ROUTER | NVFP4_CLAMPS,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "sgl-project/sglang#39920",
    },
    {
        .types = { "hy_v4" },
        .architecture = "HYV4",
        .fixes = NVFP4_CLAMPS,
        .source = "SGLang (Hy-V4: swiglu_limit 10.0)",
    },
    {
        .types = { "hunyuan_v1_moe", "hunyuan_moe" },
        .architecture = "HunYuanMoEV1",
        .fixes = NVFP4_ALL_LAYERS | NVFP4_RENORMALIZES,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF hunyuan_v1_moe",
    },
    {
        .types = { "gpt_oss" },
        .architecture = "GptOss",
        .fixes = NVFP4_FIXES_ACTIVATION | NVFP4_FIXES_OAI | NVFP4_FIXES_BIAS | NVFP4_CLAMPS |
                 NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_RENORMALIZES,
        .activation = NVFP4_ACTIVATION_SWIGLUOAI,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source =
            "HF gpt_oss (GptOssExperts: interleaved gate and up, biases, alpha 1.702, up + 1)",
    },
    {
        .types = { "mixtral" },
        .architecture = "Mixtral",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_RENORMALIZES,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF mixtral",
    },
    {
        .types = { "phimoe" },
        .architecture = "PhiMoE",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_FIXES_ROUTING,
        .routing = NVFP4_ROUTING_CUSTOM,
        .source = "HF phimoe (sparsemixer)",
    },
    {
        .types = { "granitemoe", "granitemoeshared", "granitemoehybrid" },
        .architecture = "GraniteMoe",
        .containers = { "block_sparse_moe.experts", "block_sparse_moe" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_RENORMALIZES,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF granitemoe",
    },
    {
        .types = { "olmoe", "flex_olmo" },
        .architecture = "Olmoe",
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF olmoe",
    },
    {
        .types = { "jamba" },
        .architecture = "Jamba",
        .containers = { "feed_forward.experts" },
        .fixes = NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_FIXES_ROUTING,
        .routing = NVFP4_ROUTING_DEFAULT,
        .source = "HF jamba (softmax over all experts, then the largest, not renormalised)",
    },
    {
        .types = { "dbrx" },
        .architecture = "Dbrx",
        .containers = { "ffn.experts" },
        .fixes = NVFP4_ALL_LAYERS,
        .source = "HF dbrx",
    },
    {
        .types = { "qwen2_moe", "qwen3_moe", "qwen3_next", "qwen3_omni_moe" },
        .architecture = "Qwen",
        .fixes = NVFP4_ALL_LAYERS,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF qwen2_moe, qwen3_moe, qwen3_next (decoder_sparse_step 1 unless it is said)",
    },
    {
        .types = { "qwen3_vl_moe", "qwen3_vl_moe_text" },
        .architecture = "Qwen3VLMoe",
        .fixes = NVFP4_RENORMALIZES | NVFP4_ALL_LAYERS,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF qwen3_vl_moe",
    },
    {
        .types = { "qwen3_5_moe", "qwen3_5_moe_text" },
        .architecture = "Qwen3_5Moe",
        .fixes = NVFP4_RENORMALIZES | NVFP4_ALL_LAYERS,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF qwen3_5_moe",
    },
    {
        .types = { "minimax", "minimax_text_01", "minimax_m1" },
        .architecture = "MiniMax",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_RENORMALIZES,
        .scoring = NVFP4_SCORING_SOFTMAX,
        .source = "HF minimax",
    },
    {
        .types = { "minimax_m2" },
        .architecture = "MiniMaxM2",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_HAS_SCORE_BIAS |
                 NVFP4_RENORMALIZES,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "HF minimax_m2",
    },
    {
        .types = { "minimax_m3", "minimax_m3_vl", "minimax_m3_vl_text", "minimax_m31" },
        .architecture = "MiniMaxM3",
        .containers = { "block_sparse_moe.experts", "mlp.experts" },
        .fixes = NVFP4_FIXES_ACTIVATION | NVFP4_FIXES_OAI | NVFP4_CLAMPS |
                 NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_HAS_SCORE_BIAS | NVFP4_RENORMALIZES,
        .activation = NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source =
            "HF minimax_m3_vl; vllm-project/vllm#45738 (some exports record silu; beta 1 if missing)",
    },
    {
        .types = { "llama4", "llama4_text" },
        .architecture = "Llama4",
        .containers = { "feed_forward.experts" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_WIDTH_IS_INTERMEDIATE | NVFP4_FIXES_ROUTING |
                 NVFP4_FIXES_INPUT_WEIGHT,
        .routing = NVFP4_ROUTING_LLAMA4,
        .source = "HF llama4; sgl-project/sglang#34192 (the routing weight scales the input)",
    },
    {
        .types = { "nemotron_h" },
        .architecture = "NemotronH",
        .containers = { "mixer.experts" },
        .fixes = NVFP4_FIXES_NO_GATE | DEEPSEEK_ROUTER | NVFP4_MLP_BIAS_IS_EXPERTS,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "REMOTE modeling_nemotron_h.py (up_proj and down_proj only)",
    },
    {
        .types = { "gemma4", "gemma4_text" },
        .architecture = "Gemma4",
        .containers = { "experts", "moe.experts", "moe" },
        .fixes = NVFP4_ALL_LAYERS | NVFP4_FIXES_ROUTING,
        .routing = NVFP4_ROUTING_CUSTOM,
        .source = "HF gemma4 (experts beside the dense mlp; weights scaled for each expert)",
    },
    {
        .types = { "step3p5", "step3p7", "step3p5_text", "step3p7_text" },
        .architecture = "Step3p",
        .containers = { "moe", "moe.experts", "mlp.experts" },
        .fixes = NVFP4_CLAMPS | NVFP4_CLAMPS_LIKE_STEP,
        .source = "REMOTE modeling_step3p5.py; vLLM step3p5.py",
    },
    {
        .types = { "bailing_moe", "bailing_moe_v2", "bailing_moe_v3", "bailing_moe_linear",
                   "bailing_hybrid" },
        .architecture = "Bailing",
        .fixes = NVFP4_CLAMPS_LIKE_STEP,
        .source = "sgl-project/sglang#36312 (clamp behind the SiLU)",
    },
    {
        .types = { "mimo_v2_flash", "mimo_v2" },
        .architecture = "MiMoV2",
        .fixes = DEEPSEEK_ROUTER,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "REMOTE modeling_mimo_v2_flash.py",
    },
    {
        .types = { "exaone_moe", "solar_open", "dots1" },
        .architecture = "ExaoneMoE",
        .fixes = DEEPSEEK_ROUTER,
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "HF exaone_moe, dots1; vLLM solar_open.py",
    },
    {
        .types = { "step3", "step3_text", "step3_vl" },
        .architecture = "Step3",
        .containers = { "moe", "moe.experts" },
        .source = "vLLM step3_text.py",
    },
    {
        .types = { "afmoe", "lfm2_moe" },
        .containers = { "mlp.experts", "feed_forward.experts" },
        .scoring = NVFP4_SCORING_SIGMOID,
        .source = "HF afmoe, lfm2_moe",
    },
    {
        .types = { "mistral4" },
        .architecture = "Mistral4",
        .fixes = NVFP4_ALL_LAYERS,
        .source = "HF mistral4 (first_k_dense_replace 0 unless it is said)",
    },
    {
        .types = { "longcat_flash" },
        .architecture = "Longcat",
        .fixes = NVFP4_ALL_LAYERS | NVFP4_FIXES_ROUTING,
        .routing = NVFP4_ROUTING_CUSTOM,
        .source = "HF longcat_flash (softmax with a correction bias, zero experts)",
    },
};

static const nvfp4_family no_family = { .source = "none: only what the file says" };

static const nvfp4_family *by_type(const nvfp4_node *config)
{
    const nvfp4_node *const type = nvfp4_node_get(config, "model_type");
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (size_t t = 0; t < 8 && families[i].types[t] != NULL; t++) {
            if (nvfp4_node_is(type, families[i].types[t]))
                return &families[i];
        }
    }
    return NULL;
}

/* Of the rows whose architecture the name begins with, the one that says most. */
static const nvfp4_family *by_architecture(const nvfp4_node *config)
{
    const nvfp4_node *const names = nvfp4_node_get(config, "architectures");
    const nvfp4_family *best = NULL;
    size_t best_length = 0;
    if (names == NULL || names->kind != NVFP4_NODE_SEQUENCE || names->first == NULL ||
        names->first->kind != NVFP4_NODE_STRING)
        return NULL;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const char *const front = families[i].architecture;
        const size_t length = front != NULL ? strlen(front) : 0;
        if (length > best_length && strncmp(names->first->text, front, length) == 0) {
            best = &families[i];
            best_length = length;
        }
    }
    return best;
}

const nvfp4_family *nvfp4_model_family(const nvfp4_node *root, const nvfp4_node *text)
{
    /* The outer type counts first: MiniMax-M3's text config still says minimax_m2. A model of
     * several parts may be of no family, and a renamed one still has its class. */
    const nvfp4_family *family = by_type(root);
    if (family == NULL)
        family = by_type(text);
    if (family == NULL)
        family = by_architecture(root);
    if (family == NULL)
        family = by_architecture(text);
    return family != NULL ? family : &no_family;
}
