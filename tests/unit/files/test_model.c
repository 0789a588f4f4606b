/* SPDX-License-Identifier: Apache-2.0 */
/* Single rules of the checkpoint reader, from memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

/*
 * A config.json, written with ' for ", and pieces that the JSON of the model must hold (written so,
 * too), or must not hold where they begin with '!'. Or the refusal: status, place, piece of message.
 */
struct row {
    const char *name;
    const char *config;
    const char *quant;
    const char *holds[5];
    nvfp4_status status;
    int line, column;
    const char *message;
};

/* A Qwen3-like model of four layers, to which a row adds. */
#define BASE                                                                                       \
    "'model_type':'qwen3_moe','hidden_act':'silu','hidden_size':2048,'moe_intermediate_size':768,"\
    "'num_experts':128,'num_experts_per_tok':8,'norm_topk_prob':true"
#define SIZES "'hidden_size':2048,'moe_intermediate_size':768,'num_experts':128,'num_experts_per_tok':8"
#define FOUR "'num_hidden_layers':4,'decoder_sparse_step':1"
#define NVFP4 "'quantization_config':{'quant_method':'modelopt','quant_algo':'NVFP4'}"
#define READS(name, config, ...) { name, config, NULL, { __VA_ARGS__ }, NVFP4_OK, 0, 0, NULL }
#define BOTH(name, config, quant, ...) { name, config, quant, { __VA_ARGS__ }, NVFP4_OK, 0, 0, NULL }
#define FAILS(name, config, status, line, column, message)                                         \
    { name, config, NULL, { NULL }, NVFP4_##status, line, column, message }
#define QUANT(section) "{" BASE "," FOUR ",'quantization_config':{" section "}}"
#define N4 "{'num_bits':4,'type':'float','group_size':16}"
#define F8 "{'num_bits':8,'type':'float'}"
#define NINE                                                                                       \
    "'a':1,'a':2,'b':1,'b':2,'c':1,'c':2,'d':1,'d':2,'e':1,'e':2,'f':1,'f':2,'g':1,'g':2,'h':1,'h':2,"\
    "'i':1,'i':2,"

static const struct row rows[] = {
    /* which layers */
    READS("all layers", "{" BASE "," FOUR "}", "'layers':'0-3','count':4"),
    READS("every second layer", "{" BASE ",'num_hidden_layers':6,'decoder_sparse_step':2}", "'layers':'1,3,5','count':3"),
    READS("but some", "{" BASE ",'num_hidden_layers':6,'decoder_sparse_step':1,'mlp_only_layers':[0,3,99]}", "'layers':'1-2,4-5'"),
    READS("no step said", "{" BASE ",'num_hidden_layers':4}", "'layers':'0-3'"),
    READS("nothing said, and no family", "{" SIZES ",'num_hidden_layers':4}", "'layers':null,'count':null"),
    READS("number of layers not said", "{" BASE ",'decoder_sparse_step':1}", "'layers':null"),
    READS("first dense", "{" SIZES ",'num_hidden_layers':6,'first_k_dense_replace':2}", "'layers':'2-5'"),
    READS("first dense and a period", "{" SIZES ",'num_hidden_layers':8,'first_k_dense_replace':1,'moe_layer_freq':3}", "'layers':'3,6'"),
    READS("all dense after all", "{" SIZES ",'num_hidden_layers':2,'first_k_dense_replace':2}", "'moe':false", "'groups':[]"),
    READS("flags", "{" SIZES ",'num_hidden_layers':4,'moe_layer_freq':[0,1,0,1]}", "'layers':'1,3'"),
    READS("flags that are booleans", "{" SIZES ",'num_hidden_layers':3,'is_moe_layer':[false,true,true]}", "'layers':'1-2'"),
    READS("words", "{" SIZES ",'num_hidden_layers':3,'mlp_layer_types':['dense','sparse','dense']}", "'layers':'1'"),
    READS("words of DeepSeek-V4", "{" SIZES ",'num_hidden_layers':3,'mlp_layer_types':['hash_moe','moe','moe']}", "'layers':'0-2'"),
    READS("words for prediction layers, too", "{" SIZES ",'num_hidden_layers':2,'mlp_layer_types':['dense','sparse','sparse']}", "'layers':'1','count':1"),
    READS("too few words", "{" SIZES ",'num_hidden_layers':4,'mlp_layer_types':['dense','sparse']}", "'layers':null", "ignored_value"),
    READS("words of attention", "{" SIZES ",'num_hidden_layers':2,'layers_block_type':['mamba','attention'],'first_k_dense_replace':1}", "'layers':'1'"),
    READS("numbers in a text", "{" SIZES ",'num_hidden_layers':9,'moe_layers_enum':'3, 4,5,8,9'}", "'layers':'3-5,8'"),
    READS("numbers in a list", "{" SIZES ",'num_hidden_layers':9,'moe_layers_enum':[1,3]}", "'layers':'1,3'"),
    READS("letters count the layers", "{" SIZES ",'hybrid_override_pattern':'ME*E'}", "'layers':'1,3'"),
    READS("step of Llama 4", "{" SIZES ",'num_hidden_layers':4,'interleave_moe_layer_step':2}", "'layers':'1,3'"),
    READS("list of no layers beside a step", "{" SIZES ",'num_hidden_layers':4,'moe_layers':[],'interleave_moe_layer_step':2}", "'layers':'1,3'", "!ignored_value"),
    READS("list of no layers beside a step of zero", "{" SIZES ",'num_hidden_layers':4,'moe_layers':[],'interleave_moe_layer_step':0}", "'moe':false"),
    READS("list of no layers, and no step", "{" SIZES ",'num_hidden_layers':4,'moe_layers':[]}", "'moe':false"),
    READS("step of zero", "{" SIZES ",'num_hidden_layers':4,'interleave_moe_layer_step':0}", "'moe':false"),
    READS("period and offset", "{" SIZES ",'num_hidden_layers':6,'expert_layer_period':2,'expert_layer_offset':1}", "'layers':'1,3,5'"),
    READS("begin, end and interval", "{" SIZES ",'num_hidden_layers':9,'moe_layer_start_index':2,'moe_layer_end_index':6,'moe_layer_interval':1}", "'layers':'2-6'"),
    READS("list and number disagree", "{" SIZES ",'num_hidden_layers':3,'mlp_layer_types':['dense','sparse','sparse'],'first_k_dense_replace':0}", "'layers':'1-2'", "mlp_layer_types and first_k_dense_replace disagree about layer 0"),
    READS("nested numbers", "{'model_type':'dbrx','d_model':6144,'n_layers':2,'ffn_config':{'moe_num_experts':16,'moe_top_k':4,'ffn_hidden_size':10752,'ffn_act_fn':{'name':'silu'}}}", "'layers':'0-1'", "'hidden_size':6144,'intermediate_size':10752,'num_experts':16,'top_k':4"),
    READS("begin for each kind of input", "{" SIZES ",'num_hidden_layers':9,'moe_layer_start_index':[1,2],'moe_layer_interval':1}", "'layers':null", "moe_layer_start_index is a list"),
    READS("params.json of Mistral", "{'dim':7168,'n_layers':5,'moe':{'num_experts':128,'num_experts_per_tok':4,'expert_hidden_dim':4096,'first_k_dense_replace':3,'route_every_n':1},'quantization':{'quant_method':'compressed-tensors','config_groups':{'g':{'targets':['Linear'],'weights':" N4 ",'input_activations':" N4 "}}}}", "'layers':'3-4'", "'scheme':'w4a4'", "'hidden_size':7168,'intermediate_size':4096,'num_experts':128,'top_k':4"),
    FAILS("flag that is no flag", "{" SIZES ",'num_hidden_layers':1,\n'moe_layer_freq':[2]}", ESCHEMA, 2, 19, "moe_layer_freq: expected 0 or 1"),
    FAILS("word that is no word", "{" SIZES ",'num_hidden_layers':1,'mlp_layer_types':[1]}", ESCHEMA, 1, 132, "a word"),
    FAILS("layer that is no number", "{" SIZES ",'num_hidden_layers':1,'mlp_only_layers':['a']}", ESCHEMA, 1, 132, "number of a layer"),
    FAILS("numbers that are none", "{" SIZES ",'num_hidden_layers':1,'moe_layers_enum':'1;2'}", ESCHEMA, 1, 131, "commas"),
    FAILS("too many layers", "{" SIZES ",\n'num_hidden_layers':2000000000}", ELIMIT, 2, 21, "2000000000 layers"),
    FAILS("no layers", "{" SIZES ",'num_hidden_layers':0}", ESCHEMA, 1, 111, "at least 1"),
    /* sizes */
    READS("dense by absence", "{'model_type':'llama','hidden_size':8}", "'moe':false", "'found':'none'", "'groups':[]"),
    READS("dense by null", "{'model_type':'x','num_experts':null,'num_local_experts':0}", "'moe':false"),
    READS("aliases agree", "{" BASE "," FOUR ",'n_routed_experts':128}", "'num_experts':128", "!ignored_value"),
    READS("aliases differ", "{" BASE "," FOUR ",'n_routed_experts':64}", "'num_experts':64", "num_experts is 128, but n_routed_experts is 64 and counts"),
    READS("width of one expert only", "{'model_type':'x','hidden_size':8,'intermediate_size':99,'num_experts':4,'num_experts_per_tok':1}", "!intermediate_size"),
    READS("width by family", "{'model_type':'mixtral','hidden_size':8,'intermediate_size':99,'num_local_experts':4,'num_experts_per_tok':1}", "'intermediate_size':99"),
    READS("latent size", "{" BASE "," FOUR ",'moe_latent_size':1024}", "'hidden_size':1024"),
    READS("latent size of null", "{" BASE "," FOUR ",'moe_latent_size':null}", "'hidden_size':2048"),
    READS("size written with a point", "{'model_type':'x','hidden_size':2048.0,'num_experts':4}", "'hidden_size':2048,"),
    READS("beyond 32 bits", "{'model_type':'x','hidden_size':4294971392,'num_experts':4}", "'hidden_size':4294971392"),
    READS("sampling's top_k", "{" BASE "," FOUR ",'top_k':50}", "'top_k':8", "sampling"),
    READS("list for each layer", "{" SIZES ",'num_hidden_layers':2,'first_k_dense_replace':0,'moe_topk':[1]}", "'top_k':8"),
    READS("lists split", "{'model_type':'hunyuan_v1_moe','num_hidden_layers':2,'hidden_size':8,'num_experts':4,'moe_topk':[1,2],'moe_intermediate_size':[64,32]}", "'layers':'0'", "'intermediate_size':64,'num_experts':4,'top_k':1", "'intermediate_size':32,'num_experts':4,'top_k':2"),
    READS("list of another length", "{'model_type':'x','num_hidden_layers':4,'hidden_size':8,'num_experts':[64,64],'num_experts_per_tok':6,'first_k_dense_replace':0}", "'moe':true", "!num_experts':", "ignored_value"),
    FAILS("negative", "{'model_type':'x','hidden_size':-1,'num_experts':4}", ESCHEMA, 1, 33, "hidden_size: expected a whole number of at least 1, found -1"),
    FAILS("fraction", "{'model_type':'x','num_experts':4.5}", ESCHEMA, 1, 33, "found 4.5"),
    FAILS("text", "{'model_type':'x','num_experts':'4'}", ESCHEMA, 1, 33, "found \"4\""),
    FAILS("beyond 64 bits", "{'model_type':'x','num_experts':99999999999999999999}", ESCHEMA, 1, 33, "found 99999999999999999999"),
    FAILS("beyond 2^40", "{'model_type':'x','num_experts':1099511627777}", ESCHEMA, 1, 33, "at most 2^40"),
    FAILS("infinite", "{'model_type':'x','num_experts':1e999}", ESCHEMA, 1, 33, "whole number"),
    FAILS("true", "{'model_type':'x','num_experts':true}", ESCHEMA, 1, 33, "whole number"),
    FAILS("more than there are", "{'model_type':'x','num_experts':4,\n'num_experts_per_tok':5}", ESCHEMA, 2, 23, "5 experts for each token, but there are only 4"),
    /* activation and limits */
    READS("limit", "{" BASE "," FOUR ",'swiglu_limit':7}", "'activation':'silu','swiglu_limit':7.0"),
    READS("limit of zero", "{" BASE "," FOUR ",'swiglu_limit':0.0}", "!swiglu_limit"),
    READS("limit of null", "{" BASE "," FOUR ",'swiglu_limit':null}", "!swiglu_limit"),
    READS("limit of infinity", "{" BASE "," FOUR ",'swiglu_limit':Infinity}", "!swiglu_limit"),
    READS("limit beyond doubles", "{" BASE "," FOUR ",'swiglu_limit':1e999}", "!swiglu_limit"),
    READS("limits for each layer", "{" BASE "," FOUR ",'swiglu_limits':[0,null,4,4]}", "'layers':'0-1'", "'layers':'2-3','count':2,'layer':{'activation':'silu','swiglu_limit':4.0"),
    READS("too few limits", "{" BASE "," FOUR ",'swiglu_limits':[4,4]}", "limit_unknown"),
    READS("limits of shared experts", "{" BASE "," FOUR ",'swiglu_limits_shared':[4,4,4,4]}", "!swiglu_limit"),
    READS("limit of the vision tower", "{" BASE "," FOUR ",'vision_config':{'swiglu_limit':7.0}}", "!swiglu_limit'", "vision_config has a swiglu_limit"),
    READS("family that clamps", "{'model_type':'deepseek_v4'," SIZES ",'num_hidden_layers':2}", "limit_unknown", "!'activation'"),
    READS("family that clamps says none", "{'model_type':'deepseek_v4'," SIZES ",'num_hidden_layers':2,'swiglu_limit':null}", "!limit_unknown", "!swiglu_limit"),
    READS("Step without limits", "{'model_type':'step3p5'," SIZES ",'hidden_act':'silu','num_hidden_layers':2}", "limit_unknown", "!'activation'"),
    READS("gpt-oss", "{'model_type':'gpt_oss','hidden_act':'silu','hidden_size':8,'intermediate_size':8,'num_local_experts':4,'num_experts_per_tok':1,'num_hidden_layers':2,'swiglu_limit':7.0}", "activation_by_model_type", "'activation':'swigluoai','swiglu_limit':7.0,'swiglu_alpha':1.702,'swiglu_beta':1.0", "'bias':true"),
    READS("MiniMax-M3 inside", "{'model_type':'minimax_m3_vl','text_config':{'model_type':'minimax_m2','hidden_act':'swigluoai','hidden_size':8,'intermediate_size':8,'num_local_experts':4,'num_experts_per_tok':1,'swiglu_limit':7.0,'swiglu_alpha':1.5}}", "'activation':'swigluoai_uninterleave'", "'swiglu_alpha':1.5,'swiglu_beta':1.0", "!activation_by_model_type"),
    READS("no gate", "{'model_type':'nemotron_h','mlp_hidden_act':'relu2','hidden_act':'silu'," SIZES ",'hybrid_override_pattern':'E','mlp_bias':true}", "relu2_no_mul", "'bias':true"),
    READS("unknown activation", "{'model_type':'x','hidden_act':'a\\u001bb'," SIZES "}", "hidden_act says \\'a?b\\'", "!'activation'"),
    FAILS("limit of NaN", "{" BASE ",\n'swiglu_limit':NaN}", ESCHEMA, 2, 16, "swiglu_limit: expected a finite number, found NaN"),
    FAILS("negative limit", "{" BASE ",\n'swiglu_limit':-7}", ESCHEMA, 2, 16, "found -7"),
    FAILS("minus infinity", "{" BASE ",\n'swiglu_limit':-Infinity}", ESCHEMA, 2, 16, "finite"),
    FAILS("limit in a text", "{" BASE ",\n'swiglu_limit':'7'}", ESCHEMA, 2, 16, "finite number"),
    FAILS("negative limit of a layer", "{" BASE "," FOUR ",\n'swiglu_limits':[1,-1,1,1]}", ESCHEMA, 2, 20, "found -1"),
    FAILS("alpha of zero", "{" BASE ",\n'swiglu_alpha':0}", ESCHEMA, 2, 16, "swiglu_alpha: expected a number above 0, found 0"),
    FAILS("negative alpha", "{" BASE ",\n'swiglu_alpha':-1.702}", ESCHEMA, 2, 16, "found -1.702"),
    FAILS("alpha of NaN", "{" BASE ",\n'swiglu_alpha':NaN}", ESCHEMA, 2, 16, "finite"),
    READS("alpha of null", "{" BASE "," FOUR ",'swiglu_alpha':null}", "!swiglu_alpha"),
    READS("negative beta", "{" BASE "," FOUR ",'swiglu_beta':-0.5}", "'swiglu_beta':-0.5"),
    FAILS("activation that is no text", "{'model_type':'x'," SIZES ",\n'hidden_act':[1]}", ESCHEMA, 2, 14, "hidden_act: expected a text, found a list"),
    /* routing and flags */
    READS("softmax, not renormalised", "{" SIZES ",'scoring_func':'softmax','norm_topk_prob':false}", "'routing':'default'"),
    READS("softmax, who knows", "{" SIZES ",'scoring_func':'softmax'}", "!routing"),
    READS("sigmoid with bias and groups", "{" SIZES ",'scoring_func':'sigmoid','topk_method':'noaux_tc','n_group':8}", "'routing':'deepseek_v3'"),
    READS("sigmoid with bias", "{" SIZES ",'scoring_func':'sigmoid','use_routing_bias':true}", "'routing':'minimax2'"),
    READS("sigmoid without bias", "{" SIZES ",'scoring_func':'sigmoid','use_routing_bias':false,'norm_topk_prob':true}", "'routing':'sigmoid_renorm'"),
    READS("sigmoid, who knows", "{" SIZES ",'scoring_func':'sigmoid','norm_topk_prob':true}", "!routing"),
    READS("softmax by groups", "{" SIZES ",'scoring_func':'softmax','n_group':8,'norm_topk_prob':true}", "!routing"),
    READS("sqrtsoftplus", "{" SIZES ",'scoring_func':'sqrtsoftplus'}", "'routing':'deepseek_v4'"),
    READS("unknown score", "{" SIZES ",'scoring_func':'tanh'}", "!routing", "scoring_func says \\'tanh\\'"),
    READS("weight on the input", "{" SIZES ",'moe_apply_router_weight_on_input':true}", "'router_weight_on_input':true"),
    READS("dtype", "{" SIZES ",'dtype':'float16'}", "'dtype':'fp16'"),
    READS("dtype of the outer config", "{'model_type':'x','torch_dtype':'bfloat16','text_config':{" SIZES "}}", "'dtype':'bf16'"),
    READS("dtype that engines change", "{" SIZES ",'dtype':'float32'}", "!dtype"),
    FAILS("flag that is a text", "{" SIZES ",\n'use_routing_bias':'yes'}", ESCHEMA, 2, 20, "true or false"),
    /* names and places */
    READS("text config", "{'architectures':['A'],'model_type':'out','text_config':{'model_type':'in'," SIZES "}}", "'model_type':'out','architecture':'A','moe':true"),
    READS("language config", "{'model_type':'out','language_config':{'architectures':['B']," SIZES "}}", "'architecture':'B','moe':true"),
    READS("thinker", "{'model_type':'qwen3_omni_moe','thinker_config':{'text_config':{" SIZES "}},'hidden_size':1}", "'hidden_size':2048"),
    READS("no type", "{" SIZES "}", "'model_type':null,'architecture':null"),
    READS("family by class", "{'model_type':'renamed','architectures':['GptOssForCausalLM'],'num_local_experts':4}", "swigluoai"),
    READS("type with escapes", "{'model_type':'a\\u00e4\\n'}", "'model_type':'a\xC3\xA4\\n'"),
    FAILS("type that is a number", "{'model_type':7}", ESCHEMA, 1, 15, "model_type: expected a text, found 7"),
    FAILS("type with a NUL", "{'model_type':'a\\u0000'}", ESCHEMA, 1, 15, "expected a text"),
    FAILS("architecture that is none", "{'architectures':[{}]}", ESCHEMA, 1, 19, "expected a text"),
    FAILS("list at the top", "[1]", ESCHEMA, 1, 1, "expected a mapping, found a list"),
    FAILS("something else", "{'a':1}", ESCHEMA, 0, 0, "no config.json of a model"),
    FAILS("its neighbour", "{'producer':{},'quantization':{'quant_algo':'NVFP4'}}", ESCHEMA, 0, 0, "stands in config.json"),
    FAILS("no JSON", "{'model_type':'x',}", ESYNTAX, 1, 19, "a key"),
    READS("duplicate", "{'model_type':'x',\n'model_type':'y','num_experts':4}", "'model_type':'y'", "config.json, line 2: model_type stands twice"),
    /* quantisation */
    READS("none", "{" BASE "," FOUR "}", "'found':'none'", "no_quant_section", "is hf_quant_config.json missing?"),
    READS("null", "{" BASE "," FOUR ",'quantization_config':null}", "no_quant_section"),
    READS("empty", "{" BASE "," FOUR ",'quantization_config':{}}", "no_quant_section"),
    READS("inline", "{" BASE "," FOUR "," NVFP4 "}", "'nvfp4':true,'found':'nvfp4'", "'scheme':'w4a4'", "!no_quant_section"),
    BOTH("beside", "{" BASE "," FOUR "}", "{'quantization':{'quant_algo':'NVFP4'}}", "'nvfp4':true", "'sources':['config.json','hf_quant_config.json']"),
    BOTH("beside and flat", "{" BASE "," FOUR "}", "{'quant_algo':'W4A16_NVFP4'}", "'scheme':'w4a16'"),
    BOTH("beside says null", "{" BASE "," FOUR "}", "{'quantization':{'quant_algo':null}}", "'found':'none'", "!no_quant_section"),
    BOTH("beside says nothing", "{" BASE "," FOUR "}", "{'producer':{}}", "no file says anything of quantisation'"),
    BOTH("both agree", "{" BASE "," FOUR "," NVFP4 "}", "{'quantization':{'quant_algo':'NVFP4'}}", "'nvfp4':true", "!scheme_conflict"),
    BOTH("both differ", "{" BASE "," FOUR "," NVFP4 "}", "{'quantization':{'quant_algo':'FP8'}}", "'nvfp4':true", "scheme_conflict"),
    READS("nested inline", QUANT("'quantization':{'quant_algo':'NVFP4'}"), "'nvfp4':true"),
    READS("inside the text config", "{'model_type':'x','text_config':{" SIZES "," NVFP4 "}}", "'nvfp4':true"),
    READS("compression_config", "{" BASE "," FOUR ",'compression_config':{'quant_method':'compressed-tensors','config_groups':{'g':{'targets':['Linear'],'weights':" N4 "}}}}", "'scheme':'w4a16'"),
    READS("NVFP4_AWQ", QUANT("'quant_algo':'NVFP4_AWQ'"), "'scheme':'w4a4'"),
    READS("W4A8_NVFP4_FP8", QUANT("'quant_algo':'W4A8_NVFP4_FP8'"), "'scheme':'w4a8_fp8'"),
    READS("small letters", QUANT("'quant_algo':'nvfp4'"), "'scheme':'w4a4'"),
    READS("MXFP8", QUANT("'quant_algo':'MXFP8'"), "'found':'fp8'", "!scheme"),
    READS("unknown algorithm", QUANT("'quant_algo':'FP5'"), "'found':'other'", "ignored_value"),
    READS("method alone", QUANT("'quant_method':'nvfp4','group_size':16"), "'scheme':'w4a4'"),
    READS("method fp8", QUANT("'quant_method':'fp8'"), "'found':'fp8'"),
    READS("expert_dtype decides", "{'expert_dtype':'fp4'," BASE "," FOUR ",'quantization_config':{'quant_method':'fp8'}}", "'found':'mxfp4'"),
    READS("8-bit GPTQ", QUANT("'quant_method':'gptq','bits':8"), "'found':'other'"),
    READS("AWQ", QUANT("'quant_method':'awq','w_bit':4"), "'found':'int4'"),
    READS("unknown method", QUANT("'quant_method':'magic'"), "'found':'other'", "ignored_value"),
    READS("mixed without a map", QUANT("'quant_algo':'MIXED_PRECISION'"), "'nvfp4':false,'found':'other'", "ignored_value"),
    BOTH("mixed without a map, beside", "{" BASE "," FOUR "}", "{'quantization':{'quant_algo':'MIXED_PRECISION'}}", "'nvfp4':false,'found':'other'", "ignored_value"),
    READS("mixed with an empty map", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{}"), "'found':'other'", "ignored_value"),
    READS("mixed with a map that leaves the experts alone", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.self_attn.q_proj':{'quant_algo':'FP8'}}"), "'found':'none'", "!ignored_value"),
    READS("experts' algorithm", QUANT("'quant_method':'fp8','quant_algo':'MIXED_PRECISION','moe_quant_algo':'NVFP4'"), "'scheme':'w4a4'"),
    READS("map by layer", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts':{'quant_algo':'NVFP4'},'model.layers.1.mlp.experts.0.gate_proj':{'quant_algo':'FP8'},'model.layers.1.mlp.experts.0.up_proj':{'quant_algo':'FP8'},'model.layers.1.mlp.experts.0.down_proj':{'quant_algo':'FP8'},'mtp.layers.2.mlp.experts':{'quant_algo':'NVFP4'},'model.layers.3.mlp.shared_experts':{'quant_algo':'NVFP4'}}"), "'layers':'0','count':1,'layer':{'scheme':'w4a4'", "'layers':'1','count':1,'found':'fp8'", "'layers':'2-3','count':2,'found':'none'"),
    READS("map with patterns", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.*.mlp.experts*':{'quant_algo':'NVFP4'}}"), "'layers':'0-3'", "'scheme':'w4a4'"),
    READS("map with two algorithms in a layer", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.0.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.0.down_proj':{'quant_algo':'FP8'}}"), "more than one algorithm for the experts of layer 0", "'found':'other'"),
    READS("map of a part of some experts", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.1.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.2.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.3.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.4.gate_proj':{'quant_algo':'NVFP4'}}"), "'layers':'0','count':1,'layer':{'scheme':'w4a4'", "names no expert of layer 0 with all its projections"),
    READS("map of a part of expert 0", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.0.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.0.up_proj':{'quant_algo':'NVFP4'}}"), "names no expert of layer 0"),
    READS("map of two experts", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.0.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.0.up_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.0.down_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.up_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.down_proj':{'quant_algo':'NVFP4'}}"), "'scheme':'w4a4'", "!scheme_conflict"),
    READS("map of other experts, one by one", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.1.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.up_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.down_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.3.up_proj':{'quant_algo':'NVFP4'}}"), "'scheme':'w4a4'", "!scheme_conflict"),
    READS("map of other experts by projection", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.1.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.gate_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.1.up_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.up_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.1.down_proj':{'quant_algo':'NVFP4'},'model.layers.0.mlp.experts.127.down_proj':{'quant_algo':'NVFP4'}}"), "'scheme':'w4a4'", "!scheme_conflict"),
    READS("map of an expert by its name", QUANT("'quant_algo':'MIXED_PRECISION','quantized_layers':{'model.layers.0.mlp.experts.5':{'quant_algo':'NVFP4'}}"), "!scheme_conflict"),
    READS("map against all experts", QUANT("'moe_quant_algo':'NVFP4','quantized_layers':{'model.layers.0.mlp.experts':{'quant_algo':'NVFP4'},'model.layers.1.mlp.experts':{'quant_algo':'FP8'}}"), "scheme_conflict", "'layers':'1','count':1,'found':'fp8'"),
    READS("map without experts", QUANT("'moe_quant_algo':'NVFP4','quantized_layers':{'model.layers.0.self_attn.q_proj':{'quant_algo':'FP8'}}"), "'scheme':'w4a4'", "!scheme_conflict"),
    READS("group", QUANT("'quant_method':'compressed-tensors','config_groups':{'g':{'targets':['Linear'],'weights':" N4 ",'input_activations':" N4 "}}"), "'scheme':'w4a4'"),
    READS("group of 8-bit activations", QUANT("'quant_method':'compressed-tensors','config_groups':{'g':{'targets':['Linear'],'weights':" N4 ",'input_activations':" F8 "}}"), "'scheme':'w4a8_fp8'"),
    READS("named group before class", QUANT("'quant_method':'compressed-tensors','config_groups':{'a':{'targets':['Linear'],'weights':" F8 "},'b':{'targets':['re:.*experts.*'],'weights':" N4 "}}"), "'scheme':'w4a16'", "'found':'nvfp4'"),
    READS("group for attention only", QUANT("'quant_method':'compressed-tensors','config_groups':{'a':{'targets':['re:.*self_attn.*'],'weights':" N4 "}}"), "'found':'none'", "'nvfp4':false"),
    READS("blocks of 32", QUANT("'quant_method':'compressed-tensors','config_groups':{'a':{'targets':['Linear'],'weights':{'num_bits':4,'type':'float','group_size':32}}}"), "'found':'mxfp4'"),
    READS("format alone", QUANT("'quant_method':'compressed-tensors','format':'nvfp4-pack-quantized'"), "'found':'nvfp4'"),
    READS("algorithm and group differ", QUANT("'quant_method':'modelopt','quant_algo':'NVFP4','config_groups':{'a':{'targets':['Linear'],'weights':" N4 "}}"), "'nvfp4':true", "scheme_conflict", "!'scheme':"),
    READS("dense", "{'model_type':'llama','quantization_config':{'quant_algo':'NVFP4'}}", "'moe':false,'nvfp4':false,'found':'nvfp4'"),
    READS("dense by groups", "{'model_type':'llama','quantization_config':{'quant_method':'compressed-tensors','config_groups':{'a':{'targets':['re:.*q_proj'],'weights':" N4 "},'b':{'targets':['Linear'],'weights':" F8 "}}}}", "'found':'fp8'"),
    READS("dense by map", "{'model_type':'llama','quantization_config':{'quant_algo':'MIXED_PRECISION','quantized_layers':{'a':{'quant_algo':'FP8'},'b':{'quant_algo':'NVFP4'},'c':{'quant_algo':'NVFP4'}}}}", "'found':'nvfp4'"),
    FAILS("section that is a list", "{" BASE ",\n'quantization_config':[]}", ESCHEMA, 2, 23, "quantization_config: expected a mapping, found a list"),
    /* duplicates */
    READS("more duplicates than are kept", "{" NINE BASE "}", "config.json, line 1: h stands twice", "!i stands twice", "config.json: 1 more values"),
    READS("duplicate that decides", "{" NINE BASE "," FOUR ",'swiglu_limit':7.0,\n'swiglu_limit':10.0}", "config.json, line 2: swiglu_limit stands twice", "config.json: 2 more values", "'swiglu_limit':10.0"),
    READS("duplicate of a quantisation key", "{" NINE BASE "," FOUR ",'quantization_config':{'quant_algo':'FP8',\n'quant_algo':'NVFP4'}}", "config.json, line 2: quant_algo stands twice"),
    READS("duplicate of an ignore list", "{" NINE BASE "," FOUR ",'quantization_config':{'quant_algo':'NVFP4','ignore':[],\n'ignore':['x']}}", "config.json, line 2: ignore stands twice"),
    READS("duplicate of the section", "{" NINE BASE "," FOUR "," NVFP4 ",\n" NVFP4 "}", "config.json, line 2: quantization_config stands twice"),
    /* what is left out */
    READS("left out by name", QUANT("'quant_algo':'NVFP4','ignore':['model.layers.1.mlp.experts']"), "'layers':'0,2-3'", "'layers':'1','count':1,'found':'none'"),
    READS("left out with its block", QUANT("'quant_algo':'NVFP4','exclude_modules':['model.layers.1.mlp']"), "'layers':'0,2-3'"),
    READS("left out with its layer", QUANT("'quant_algo':'NVFP4','modules_to_not_convert':['model.layers.1']"), "'layers':'0,2-3'"),
    READS("left out below another prefix", QUANT("'quant_algo':'NVFP4','ignored_layers':['language_model.model.layers.1.mlp.experts']"), "'layers':'0,2-3'"),
    READS("left out by shell pattern", QUANT("'quant_algo':'NVFP4','ignore':['model.layers.1*']"), "'layers':'0,2-3'"),
    READS("left out by expression", QUANT("'quant_algo':'NVFP4','ignore':['re:.*layers\\\\.[12]\\\\.mlp\\\\.experts.*']"), "'layers':'0,3'"),
    READS("left out projection by projection", QUANT("'quant_algo':'NVFP4','ignore':['model.layers.1.mlp.experts.0.gate_proj','model.layers.1.mlp.experts.0.up_proj','model.layers.1.mlp.experts.0.down_proj']"), "'layers':'0,2-3'", "!scheme_conflict"),
    READS("left out in part", QUANT("'quant_algo':'NVFP4','ignore':['model.layers.1.mlp.experts.7.down_proj']"), "'layers':'0-3'", "only some experts or projections of layer 1"),
    READS("left out by a text", QUANT("'quant_algo':'NVFP4','ignore':'model.layers.1.mlp.experts'"), "'layers':'0,2-3'", "!ignored_value"),
    READS("left out by a mapping", QUANT("'quant_algo':'NVFP4',\n'exclude_modules':{'a':1}"), "'layers':'0-3'", "line 2: exclude_modules is a mapping where a list of patterns was expected, and not used"),
    READS("left out by a number", QUANT("'quant_algo':'NVFP4','ignored_layers':1"), "ignored_layers is a whole number"),
    READS("left out by null", QUANT("'quant_algo':'NVFP4','modules_to_not_convert':null"), "!ignored_value"),
    READS("left out by entries that are none", QUANT("'quant_algo':'NVFP4','ignore':[7,null,{},\n'model.layers.1.mlp.experts']"), "line 1: an entry of ignore is a whole number", "!is null", "'layers':'0,2-3'"),
    READS("group of a single target", QUANT("'quant_method':'compressed-tensors','config_groups':{'g':{'targets':'Linear','weights':" N4 "}}"), "'scheme':'w4a16'", "!ignored_value"),
    READS("all left out by the way", QUANT("'quant_algo':'NVFP4','exclude_modules':['lm_head','*.mlp.*_proj']"), "'nvfp4':false,'found':'none'", "scheme_conflict", "takes in all of them, by patterns that do not speak of experts"),
    READS("all left out with the block", QUANT("'quant_algo':'NVFP4','ignore':['re:.*mlp.*']"), "'found':'none'", "scheme_conflict"),
    READS("all left out by the way, not NVFP4", QUANT("'quant_algo':'FP8','ignore':['*.mlp.*_proj']"), "'found':'none'", "!scheme_conflict"),
    READS("a layer left out by the way", QUANT("'quant_algo':'NVFP4','ignore':['model.layers.1.mlp.*_proj']"), "'layers':'0,2-3'", "!scheme_conflict"),
    READS("all left out on purpose", QUANT("'quant_algo':'NVFP4','ignore':['re:.*mlp.experts.*']"), "'found':'none'", "!scheme_conflict"),
    READS("all left out", QUANT("'quant_algo':'NVFP4','ignore':['*experts*']"), "'nvfp4':false,'found':'none'"),
    READS("router left out", QUANT("'quant_algo':'NVFP4','ignore':['*gate*','gate','model.layers.0.mlp.gate','re:.*router.*']"), "'layers':'0-3'", "!scheme_conflict"),
    READS("shared experts left out", QUANT("'quant_algo':'NVFP4','ignore':['*.mlp.shared_expert.*','model.layers.0.mlp.shared_experts*']"), "'layers':'0-3'", "!scheme_conflict"),
    READS("others left out", QUANT("'quant_algo':'NVFP4','ignore':['mtp.layers.1.mlp.experts','mtp*','talker.model.layers.1.mlp.experts','model.layers.4*','vision_tower.layers.1.mlp','lm_head',7]"), "'layers':'0-3'", "!scheme_conflict"),
    READS("all but experts left out", QUANT("'quant_algo':'NVFP4','ignore':['re:^(?!.*experts).*$']"), "'layers':'0-3'", "'scheme':'w4a4'", "!'found':'none'", "!warnings':[{"),
    READS("all but attention left out", QUANT("'quant_algo':'NVFP4','ignore':['re:^(?!.*self_attn).*$']"), "'nvfp4':false,'found':'none'", "!ignored_value"),
    READS("experts of all but a layer left out", QUANT("'quant_algo':'NVFP4','ignore':['re:^(?!.*layers\\\\.2\\\\.).*experts.*$']"), "'layers':'2','count':1,'layer':{'scheme':'w4a4'", "'layers':'0-1,3'"),
    READS("pattern not understood", QUANT("'quant_algo':'NVFP4','ignore':['re:(a)\\\\1','re:(']"), "'layers':'0-3'", "re:(a)\\\\1"),
};

/* ' for " */
static char *requote(const char *text)
{
    char *const copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    for (char *p = copy; *p != '\0'; p++) {
        if (*p == '\'')
            *p = '"';
    }
    return copy;
}

static void check(const char *json, const char *piece)
{
    const int absent = piece[0] == '!';
    char *const quoted = requote(piece + absent);
    if ((strstr(json, quoted) != NULL) == absent)
        fail_msg("%s: %s\nin %s", absent ? "out of place" : "missing", quoted, json);
    free(quoted);
}

static void reads(void **state)
{
    const struct row *const row = *state;
    char *const config = requote(row->config);
    char *const quant = row->quant != NULL ? requote(row->quant) : NULL;
    nvfp4_model *model = NULL;
    nvfp4_error error = { 0 };
    const nvfp4_status status = nvfp4_model_parse(
        config, strlen(config), quant, quant != NULL ? strlen(quant) : 0, &model, &error);
    if (status != row->status)
        fail_msg("status %s: %d:%d: %s", nvfp4_status_name(status), error.line, error.column,
                 error.message);
    if (status == NVFP4_OK) {
        static char json[1 << 14];
        assert_true(nvfp4_model_to_json(model, json, sizeof json) < sizeof json);
        for (size_t i = 0; i < 5 && row->holds[i] != NULL; i++)
            check(json, row->holds[i]);
        nvfp4_model_free(model);
    } else {
        assert_null(model);
        assert_int_equal(error.status, status);
        assert_string_equal(error.file, "config.json");
        if (strstr(error.message, row->message) == NULL)
            fail_msg("message: %s", error.message);
        assert_int_equal(error.line, row->line);
        assert_int_equal(error.column, row->column);
    }
    free(config);
    free(quant);
}

static void second_file_is_named(void **state)
{
    (void)state;
    static const char config[] = "{\"model_type\":\"x\"}";
    nvfp4_model *model = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_model_parse(config, strlen(config), "[", 1, &model, &error),
                     NVFP4_ESYNTAX);
    assert_string_equal(error.file, "hf_quant_config.json");
    assert_int_equal(nvfp4_model_parse(config, strlen(config), "[]", 2, &model, &error),
                     NVFP4_ESCHEMA);
    assert_string_equal(error.file, "hf_quant_config.json");
    assert_null(model);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    nvfp4_model *model = NULL;
    assert_int_equal(nvfp4_model_read(NULL, &model, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_model_read("x", NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_model_parse(NULL, 1, NULL, 0, &model, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_model_parse("{}", 2, NULL, 0, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_model_parse(NULL, 0, NULL, 0, &model, NULL), NVFP4_ESYNTAX);
    assert_null(model);
    nvfp4_model_free(NULL);
}

static void paths_are_told_apart(void **state)
{
    (void)state;
    nvfp4_model *model = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/models/dense-fp8/config.json", &model,
                                      &error),
                     NVFP4_OK);
    assert_string_equal(nvfp4_model_source(model, 1), "hf_quant_config.json");
    assert_null(nvfp4_model_source(model, 2));
    nvfp4_model_free(model);
    model = NULL;
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/models/dense-fp8/", &model, &error),
                     NVFP4_OK);
    nvfp4_model_free(model);
    model = NULL;
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/models", &model, &error), NVFP4_EIO);
    assert_string_equal(error.message, "there is no such file");
    assert_string_equal(error.file + strlen(error.file) - 19, "/models/config.json");
    assert_int_equal(nvfp4_model_read("/nowhere/model", &model, &error), NVFP4_EIO);
    assert_string_equal(error.file, "/nowhere/model");
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/models/dense-fp8/hf_quant_config.json",
                                      &model, &error),
                     NVFP4_ESCHEMA);
    assert_non_null(strstr(error.message, "stands in config.json"));
    assert_null(model);
}

static void a_quant_file_alone_is_not_enough(void **state)
{
    (void)state;
    nvfp4_model *model = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/files/quant-alone", &model, &error),
                     NVFP4_EIO);
    assert_string_equal(error.file + strlen(error.file) - 23, "quant-alone/config.json");
    assert_string_equal(error.message, "there is no such file; hf_quant_config.json alone does not "
                                       "say what the model computes");
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/files/quant-alone", &model, NULL),
                     NVFP4_EIO);
    assert_null(model);
}

static void params_are_pointed_at(void **state)
{
    (void)state;
    nvfp4_model *model = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/files/params-alone", &model, &error),
                     NVFP4_EIO);
    assert_string_equal(error.message,
                        "there is no such file; params.json is there; give its path");
    assert_null(model);
    assert_int_equal(nvfp4_model_read(NVFP4_TEST_DATA "/files/params-alone/params.json", &model,
                                      &error),
                     NVFP4_OK);
    nvfp4_model_free(model);
}

static void can_be_asked(void **state)
{
    (void)state;
    nvfp4_model *model = NULL;
    assert_int_equal(
        nvfp4_model_read(NVFP4_TEST_DATA "/models/excluded-layers", &model, NULL), NVFP4_OK);
    assert_string_equal(nvfp4_model_type(model), "deepseek_v4");
    assert_string_equal(nvfp4_model_architecture(model), "DeepseekV4ForCausalLM");
    assert_int_equal(nvfp4_model_is_moe(model), 1);
    assert_int_equal(nvfp4_model_is_nvfp4(model), 1);
    assert_int_equal(nvfp4_model_weights(model), NVFP4_WEIGHTS_NVFP4);
    const nvfp4_model_group *const group = nvfp4_model_group_at(model, 0);
    assert_string_equal(group->layers, "2-4,6,8-9");
    assert_int_equal(group->count, 6);
    assert_int_equal(group->layer.struct_size, sizeof group->layer);
    assert_int_equal(group->known & NVFP4_KNOWS_SCHEME, NVFP4_KNOWS_SCHEME);
    assert_true(group->layer.swiglu_limit == 10.0);
    assert_int_equal(nvfp4_model_group_at(model, 1)->weights, NVFP4_WEIGHTS_NONE);
    assert_int_equal(nvfp4_model_group_at(model, 1)->known & NVFP4_KNOWS_SCHEME, 0);
    assert_null(nvfp4_model_group_at(model, 2));
    assert_null(nvfp4_model_warning_at(model, 0));
    nvfp4_model_free(model);
}

static void names_are_total(void **state)
{
    (void)state;
    for (int i = 0; i < NVFP4_WEIGHTS_COUNT; i++)
        assert_string_not_equal(nvfp4_weights_name((nvfp4_weights)i), "unknown");
    for (int i = 1; i < NVFP4_MODEL_WARNING_COUNT; i++)
        assert_string_not_equal(nvfp4_model_warning_name((nvfp4_model_warning_code)i), "unknown");
    assert_string_equal(nvfp4_weights_name((nvfp4_weights)-1), "unknown");
    assert_string_equal(nvfp4_weights_name(NVFP4_WEIGHTS_COUNT), "unknown");
    assert_string_equal(nvfp4_model_warning_name((nvfp4_model_warning_code)0), "unknown");
}

/* A list of expressions that would take hours to match ends with a refusal, and soon. */
static void patterns_have_a_budget(void **state)
{
    (void)state;
    static const char front[] = "{\"model_type\":\"qwen3_moe\",\"num_experts\":4,\"num_hidden_layers\":"
                                "4096,\"decoder_sparse_step\":1,\"quantization_config\":{"
                                "\"quant_algo\":\"NVFP4\",\"ignore\":[\"x\"";
    static const char entry[] = ",\n\"re:(((m|.)+)*x)*y\"";
    enum { ENTRIES = 3000 };
    char *const text = malloc(sizeof front + ENTRIES * sizeof entry + 4);
    char *out = text + sprintf(text, "%s", front);
    for (int i = 0; i < ENTRIES; i++)
        out += sprintf(out, "%s", entry);
    out += sprintf(out, "]}}");
    nvfp4_model *model = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_model_parse(text, (size_t)(out - text), NULL, 0, &model, &error),
                     NVFP4_ELIMIT);
    assert_non_null(strstr(error.message, "too long to match"));
    assert_true(error.line > 1);
    free(text);
}

static void warnings_are_bounded(void **state)
{
    (void)state;
    static const char front[] = "{\"model_type\":\"qwen3_moe\",\"num_experts\":4,\"num_hidden_layers\":"
                                "4,\"quantization_config\":{\"quant_algo\":\"NVFP4\",\"ignore\":[\"x\"";
    char text[4096];
    char *out = text + sprintf(text, "%s", front);
    for (int i = 0; i < 200; i++)
        out += sprintf(out, ",\"re:(\"");
    out += sprintf(out, "]}}");
    nvfp4_model *model = NULL;
    assert_int_equal(nvfp4_model_parse(text, (size_t)(out - text), NULL, 0, &model, NULL), NVFP4_OK);
    size_t count = 0;
    while (nvfp4_model_warning_at(model, count) != NULL)
        count++;
    assert_int_equal(count, 64);
    nvfp4_model_free(model);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(second_file_is_named), cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(paths_are_told_apart), cmocka_unit_test(can_be_asked),
        cmocka_unit_test(a_quant_file_alone_is_not_enough),
        cmocka_unit_test(params_are_pointed_at),
        cmocka_unit_test(names_are_total),      cmocka_unit_test(patterns_have_a_budget),
        cmocka_unit_test(warnings_are_bounded),
    };
    static struct CMUnitTest tests[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = reads,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    int failed = _cmocka_run_group_tests("model", tests, COUNT(rows), NULL, NULL);
    failed += cmocka_run_group_tests_name("model, whole", others, NULL, NULL);
    return failed;
}
