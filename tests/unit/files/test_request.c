/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/nvfp4moe.h>

/*
 * A text, settings laid over it, and either how the request is written out again, or the place and
 * message of the refusal. `text` NULL: settings alone.
 */
struct row {
    const char *name;
    const char *text;
    const char *set[4];
    const char *json; /* NULL: refused */
    int line, column;
    const char *message;
};

#define HEAD "{\"policy\":\"kernels-2026-11\","
#define SM120 HEAD "\"device\":{\"sm\":120},"
#define LAYER "\"layer\":{\"scheme\":\"w4a4\",\"activation\":\"silu\"}"
#define PLAIN SM120 LAYER ",\"deployment\":{}}"
#define WITH_LAYER(more) SM120 "\"layer\":{\"scheme\":\"w4a4\",\"activation\":\"silu\"," more "},\"deployment\":{}}"
#define WITH(more) SM120 LAYER ",\"deployment\":{" more "}}"
#define DEV "device: {sm: 120}\n"

#define ENGINE NVFP4_TEST_DATA "/policies/engine.yaml"

#define READ(name, text, json) { name, text, { NULL }, json, 0, 0, NULL }
#define REFUSE(name, text, line, column, message) { name, text, { NULL }, NULL, line, column, message }
#define SET(name, json, ...) { name, DEV, { __VA_ARGS__ }, json, 0, 0, NULL }
#define SET_REFUSE(name, message, ...) { name, DEV, { __VA_ARGS__ }, NULL, 0, 0, message }

static const struct row rows[] = {
    /* each key, as YAML or JSON says it */
    READ("a device alone", DEV, PLAIN),
    READ("JSON", "{\"device\":{\"sm\":120}}", PLAIN),
    READ("byte order mark and CRLF", "\xEF\xBB\xBF" "device:\r\n  sm: 120\r\n", PLAIN),
    READ("no newline at the end", "device: {sm: 120}", PLAIN),
    READ("empty sections", DEV "layer:\ndeployment:\n", PLAIN),
    READ("policy by its name", DEV "policy: vllm-46492",
         "{\"policy\":\"vllm-46492\",\"device\":{\"sm\":120}," LAYER ",\"deployment\":{}}"),
    READ("policy by an alias", DEV "policy: vllm",
         "{\"policy\":\"vllm-52018\",\"device\":{\"sm\":120}," LAYER ",\"deployment\":{}}"),
    READ("policy default", DEV "policy: default", PLAIN),
    READ("backend", DEV "backend: marlin",
         HEAD "\"backend\":\"marlin\",\"device\":{\"sm\":120}," LAYER ",\"deployment\":{}}"),
    READ("backend auto", DEV "backend: auto", PLAIN),
    READ("backend before the policy that knows it", "backend: humming\n" DEV "policy: vllm-52018",
         "{\"policy\":\"vllm-52018\",\"backend\":\"humming\",\"device\":{\"sm\":120}," LAYER
         ",\"deployment\":{}}"),
    READ("device by name", "device: {gpu: rtx pro 6000}", PLAIN),
    READ("device by PCI id", "device: {gpu: 0x2bb1}", PLAIN),
    READ("device by PCI id, quoted", "{\"device\":{\"gpu\":\"10de:2bb1\"}}", PLAIN),
    READ("device by a capability that looks like a number", "device: {gpu: 12.0}", PLAIN),
    READ("device by sm_120", "device: {gpu: sm_120}", PLAIN),
    READ("device by 12.0", "device: {gpu: '12.0'}", PLAIN),
    READ("device with its vendor", "device: {vendor: nvidia, sm: 120}", PLAIN),
    READ("device with a vendor that agrees", "device: {vendor: nvidia, gpu: rtx 5090}", PLAIN),
    READ("device of AMD", "device: {vendor: amd, arch: gfx942}",
         HEAD "\"device\":{\"vendor\":\"amd\",\"arch\":\"gfx942\"}," LAYER ",\"deployment\":{}}"),
    READ("device of AMD with features", "device: {arch: 'gfx942:sramecc+:xnack-', vendor: amd}",
         HEAD "\"device\":{\"vendor\":\"amd\",\"arch\":\"gfx942\"}," LAYER ",\"deployment\":{}}"),
    READ("device of AMD by name", "device: {gpu: mi300x}",
         HEAD "\"device\":{\"vendor\":\"amd\",\"arch\":\"gfx942\"}," LAYER ",\"deployment\":{}}"),
    READ("device of Intel", "device: {vendor: intel}",
         HEAD "\"device\":{\"vendor\":\"intel\"}," LAYER ",\"deployment\":{}}"),
    READ("scheme", DEV "layer: {scheme: w4a16}",
         SM120 "\"layer\":{\"scheme\":\"w4a16\",\"activation\":\"silu\"},\"deployment\":{}}"),
    READ("activation", DEV "layer: {activation: relu2_no_mul}",
         SM120
             "\"layer\":{\"scheme\":\"w4a4\",\"activation\":\"relu2_no_mul\"},\"deployment\":{}}"),
    READ("swiglu_limit", DEV "layer: {swiglu_limit: 10.0}", WITH_LAYER("\"swiglu_limit\":10.0")),
    READ("swiglu_limit as an integer", DEV "layer: {swiglu_limit: 7}",
        WITH_LAYER("\"swiglu_limit\":7.0")),
    READ("swiglu_limit null", DEV "layer: {swiglu_limit: null}", PLAIN),
    READ("swiglu_alpha and swiglu_beta", DEV "layer: {swiglu_alpha: 1.702, swiglu_beta: 0}",
         WITH_LAYER("\"swiglu_alpha\":1.702,\"swiglu_beta\":0.0")),
    READ("situ_beta and situ_linear_beta", DEV "layer: {situ_beta: 4, situ_linear_beta: 25.0}",
         WITH_LAYER("\"situ_beta\":4.0,\"situ_linear_beta\":25.0")),
    READ("sizes", DEV
        "layer: {hidden_size: 4096, intermediate_size: 2048, num_experts: 256, top_k: 6}",
         WITH_LAYER("\"hidden_size\":4096,\"intermediate_size\":2048,\"num_experts\":256,\"top_k\":6")),
    READ("sizes unknown", DEV "layer: {hidden_size: null, top_k: null}", PLAIN),
    READ("largest size", DEV "layer: {hidden_size: 1099511627775}",
        WITH_LAYER("\"hidden_size\":1099511627775")),
    READ("routing", DEV "layer: {routing: deepseek_v4}", WITH_LAYER("\"routing\":\"deepseek_v4\"")),
    READ("router_logits_dtype", DEV "layer: {router_logits_dtype: none}",
         WITH_LAYER("\"router_logits_dtype\":\"none\"")),
    READ("dtype", DEV "layer: {dtype: fp16}", WITH_LAYER("\"dtype\":\"fp16\"")),
    READ("bias", DEV "layer: {bias: true}", WITH_LAYER("\"bias\":true")),
    READ("router_weight_on_input", DEV "layer: {router_weight_on_input: true}",
         WITH_LAYER("\"router_weight_on_input\":true")),
    READ("per_token_activation_scale", DEV "layer: {per_token_activation_scale: true}",
         WITH_LAYER("\"per_token_activation_scale\":true")),
    READ("flags that are false", DEV "layer: {bias: false}\ndeployment: {eplb: false}", PLAIN),
    READ("ranks", DEV
        "deployment: {tensor_parallel: 2, data_parallel: 3, context_parallel: 4, sequence_parallel: 2}",
         WITH("\"tensor_parallel\":2,\"data_parallel\":3,\"context_parallel\":4,\"sequence_parallel\":2")),
    READ("expert_parallel", DEV "deployment: {expert_parallel: true}",
        WITH("\"expert_parallel\":true")),
    READ("all2all", DEV "deployment: {all2all: nixl_ep}", WITH("\"all2all\":\"nixl_ep\"")),
    READ("all2all null", DEV "deployment: {all2all: null}", PLAIN),
    READ("all2all by its old name", DEV "deployment: {all2all: flashinfer_all2allv}",
         WITH("\"all2all\":\"flashinfer_nvlink_two_sided\"")),
    READ("activation_format", DEV "deployment: {activation_format: batched}",
         WITH("\"activation_format\":\"batched\"")),
    READ("eplb, lora, batch_invariant", DEV
        "deployment: {eplb: true, lora: true, batch_invariant: true}",
         WITH("\"eplb\":true,\"lora\":true,\"batch_invariant\":true")),
    READ("humming_gemm_type", DEV "deployment: {humming_gemm_type: grouped}",
         WITH("\"humming_gemm_type\":\"grouped\"")),
    READ("libraries", DEV
        "deployment: {libraries: {flashinfer: 0.6.18, b12x: null, vllm: '0.24.0'}}",
         WITH("\"libraries\":{\"flashinfer\":\"0.6.18\",\"b12x\":null,\"vllm\":\"0.24\"}")),
    READ("a version that looks like a number", DEV "deployment: {libraries: {cuda: 13.0}}",
         WITH("\"libraries\":{\"cuda\":\"13.0\"}")),
    READ("13.10 is not 13.1", DEV "deployment: {libraries: {cuda: 13.10}}",
         WITH("\"libraries\":{\"cuda\":\"13.10\"}")),
    READ("13.10 in JSON",
        "{\"device\":{\"sm\":120},\"deployment\":{\"libraries\":{\"cuda\":13.10}}}",
         WITH("\"libraries\":{\"cuda\":\"13.10\"}")),
    READ("a version of one number", DEV "deployment: {libraries: {humming: 1}}",
         WITH("\"libraries\":{\"humming\":\"1.0\"}")),
    READ("a release candidate", DEV "deployment: {libraries: {flashinfer: 0.6.16rc5}}",
         WITH("\"libraries\":{\"flashinfer\":\"0.6.16rc5\"}")),
    READ("built", DEV "deployment: {built: [MARLIN, cutlass]}",
        WITH("\"built\":[\"VLLM_CUTLASS\",\"MARLIN\"]")),
    READ("built: a name for two", DEV "deployment: {built: [flashinfer_cutedsl]}",
         WITH("\"built\":[\"FLASHINFER_CUTEDSL\",\"FLASHINFER_CUTEDSL_BATCHED\"]")),
    READ("built: nothing", DEV "deployment: {built: []}", WITH("\"built\":[]")),
    READ("built: everything", DEV "deployment: {built: null}", PLAIN),
    READ("built: more than the policy has", "policy: vllm-44992\n" DEV
        "deployment: {built: [HUMMING, MARLIN]}",
         "{\"policy\":\"vllm-44992\",\"device\":{\"sm\":120}," LAYER
         ",\"deployment\":{\"built\":[\"MARLIN\"]}}"),
    READ("built_archs", DEV "deployment: {built_archs: [90a, 100f, 120, 9.0, 8.0+PTX, 101a]}",
         WITH("\"built_archs\":[\"90a\",\"100f\",\"120\",\"90\",\"80+PTX\",\"110a\"]")),
    READ("devices", DEV
        "deployment: {devices: [{sm: 120}, {gpu: h100}, {vendor: amd, arch: gfx950}]}",
         WITH("\"devices\":[{\"sm\":120},{\"sm\":90},{\"vendor\":\"amd\",\"arch\":\"gfx950\"}]")),
    READ("devices: none", DEV "deployment: {devices: []}", PLAIN),
    READ("disable", DEV "deployment: {disable: [marlin, FLASHINFER_TRTLLM/modular]}",
         WITH("\"disable\":[\"FLASHINFER_TRTLLM/modular\",\"MARLIN\"]")),
    READ("disable and errata_off: none", DEV "deployment: {disable: [], errata_off: []}", PLAIN),

    /* policies out of files, and keys of their own */
    READ("policy of a file", "policy: " ENGINE "\n" DEV,
         "{\"policy\":\"" ENGINE "\",\"device\":{\"sm\":120}," LAYER ",\"deployment\":{}}"),
    READ("keys of the policy's own",
         DEV "layer: {architecture: DeepseekV3ForCausalLM}\n"
         "deployment: {moe_runner: loop, overlap: true, lora: true}\npolicy: " ENGINE,
         "{\"policy\":\"" ENGINE "\",\"device\":{\"sm\":120},\"layer\":{\"scheme\":\"w4a4\","
         "\"activation\":\"silu\",\"architecture\":\"DeepseekV3ForCausalLM\"},\"deployment\":{"
         "\"lora\":true,\"moe_runner\":\"loop\",\"overlap\":\"true\"}}"),
    READ("backends of the policy's own", "backend: fused\npolicy: " ENGINE "\n" DEV,
         "{\"policy\":\"" ENGINE "\",\"backend\":\"fused\",\"device\":{\"sm\":120}," LAYER
         ",\"deployment\":{}}"),
    REFUSE("a key of another policy", "device: {sm: 120}\ndeployment: {moe_runner: loop}", 2, 14,
           "unknown key 'moe_runner' in deployment"),
    REFUSE("a key of the policy's own in the wrong place",
           DEV "layer: {moe_runner: loop}\npolicy: " ENGINE, 2, 9, "unknown key 'moe_runner' in layer"),
    REFUSE("a key near one of the policy's own",
           DEV "deployment: {moe_runer: loop}\npolicy: " ENGINE, 2, 14, "did you mean 'moe_runner'?"),
    REFUSE("a word near one of the policy's own",
           DEV "deployment: {moe_runner: lop}\npolicy: " ENGINE, 2, 26,
           "unknown word 'lop' for deployment.moe_runner; did you mean 'loop'?"),
    REFUSE("a word near none of them", DEV "deployment: {moe_runner: 17}\npolicy: " ENGINE, 2, 26,
           "known are auto, fused, loop"),
    REFUSE("a key of the policy's own that is a list",
           DEV "deployment: {moe_runner: [loop]}\npolicy: " ENGINE, 2, 14, "unknown key 'moe_runner'"),
    REFUSE("a policy file that is not there", DEV "policy: ./no-such.yaml", 0, 0, "no such file"),
    REFUSE("a policy file that is no policy", "policy: " NVFP4_TEST_DATA "/requests/amd.yaml\n" DEV,
           1, 1, "unknown key 'device' in a policy"),

    /* unknown keys and words */
    REFUSE("unknown key, with a suggestion", DEV "layer:\n  swiglu_limt: 10\n", 3, 3,
           "unknown key 'swiglu_limt' in layer; did you mean 'swiglu_limit'?"),
    REFUSE("a checkpoint's quantisation", "{\"producer\": {\"name\": \"modelopt\"}, \"quantization\": {}}", 1, 2,
           "it belongs to a checkpoint's hf_quant_config.json, which is read as a model"),
    REFUSE("a checkpoint's config", "{\"architectures\": [\"A\"]}", 1, 2,
           "it belongs to a checkpoint's config.json"),
    REFUSE("unknown key at the top", DEV "layr: {}", 2, 1,
           "unknown key 'layr' in the request; did you mean 'layer'?"),
    REFUSE("unknown key of a device", "device: {smm: 120}", 1, 10,
           "unknown key 'smm' in device; did you mean 'sm'?"),
    REFUSE("unknown key of devices", DEV "deployment: {devices: [{ss: 1}]}", 2, 25,
           "unknown key 'ss' in device; did you mean 'sm'?"),
    REFUSE("unknown library", DEV "deployment: {libraries: {flashinfr: 1}}", 2, 26,
           "unknown key 'flashinfr' in deployment.libraries; did you mean 'flashinfer'?"),
    REFUSE("unknown key near nothing", DEV "xyzzy: 1", 2, 1, "unknown key 'xyzzy' in the request"),
    REFUSE("a key of another section", DEV "swiglu_limit: 10", 2, 1,
           "unknown key 'swiglu_limit' in the request; it belongs to layer"),
    REFUSE("a library outside libraries", DEV "deployment: {cuda: 13.0}", 2, 14,
           "unknown key 'cuda' in deployment; it belongs to deployment.libraries"),
    REFUSE("a key that goes on behind a NUL", "{\"device\":{\"sm\\u0000x\":120}}", 1, 12,
        "unknown key 'sm?x'"),
    REFUSE("an empty key", "{\"\":1}", 1, 2, "unknown key ''"),
    REFUSE("unknown scheme", DEV "layer: {scheme: w4a5}", 2, 17,
           "unknown word 'w4a5' for layer.scheme; did you mean 'w4a4'?"),
    REFUSE("unknown scheme near nothing", DEV "layer: {scheme: int8}", 2, 17,
           "unknown word 'int8' for layer.scheme; known are w4a4, w4a16, w4a8_mxfp8, w4a8_fp8"),
    REFUSE("unknown activation", DEV "layer: {activation: swiglu}", 2, 21, "unknown word 'swiglu'"),
    REFUSE("words are matched exactly", DEV "layer: {activation: SiLU}", 2, 21,
           "unknown word 'SiLU' for layer.activation; did you mean 'silu'?"),
    REFUSE("a word that goes on behind a NUL",
        "{\"device\":{\"sm\":120},\"layer\":{\"dtype\":\"bf16\\u0000\"}}",
           1, 39, "unknown word"),
    REFUSE("unknown routing", DEV "layer: {routing: deepseek}", 2, 18,
        "unknown word 'deepseek' for layer.routing"),
    REFUSE("unknown router dtype", DEV "layer: {router_logits_dtype: float32}", 2, 30,
        "known are bf16, fp16, fp32, fp8, none"),
    REFUSE("unknown dtype", DEV "layer: {dtype: fp8}", 2, 16, "layer.dtype"),
    REFUSE("unknown all2all", DEV "deployment: {all2all: deepep_low_latncy}", 2, 23,
           "did you mean 'deepep_low_latency'?"),
    REFUSE("unknown format", DEV "deployment: {activation_format: batch}", 2, 33,
        "known are auto, standard, batched"),
    REFUSE("unknown gemm type", DEV "deployment: {humming_gemm_type: masked}", 2, 33,
        "known are indexed, grouped"),
    REFUSE("unknown policy", "policy: vllm-52019\n" DEV, 1, 9,
        "unknown policy 'vllm-52019'; did you mean 'vllm-"),
    REFUSE("policy file on an unknown one", "policy: " NVFP4_TEST_DATA
        "/policies/unknown-base.yaml\n" DEV, 2, 10, "did you mean 'default'"),
    REFUSE("unknown policy near nothing", "policy: sglang\n" DEV, 1, 9,
        "there is no file of that name either"),
    REFUSE("unknown backend", DEV "backend: triton", 2, 10,
           "unknown backend 'triton' in policy kernels-2026-11; known are auto, "),
    REFUSE("a backend that the policy does not know", DEV "policy: vllm-46492\nbackend: humming", 3,
        10,
           "unknown backend 'humming' in policy vllm-46492"),
    REFUSE("backends are matched exactly", DEV "backend: MARLIN", 2, 10, "did you mean 'marlin'?"),
    REFUSE("an empty backend", DEV "backend: ''", 2, 10, "unknown backend ''"),
    REFUSE("unknown built", DEV "deployment: {built: [MARLIN, MARLN]}", 2, 30,
           "unknown backend 'MARLN' in deployment.built; did you mean 'marlin'?"),
    REFUSE("built names no kernels", DEV "deployment: {built: [FLASHINFER_TRTLLM/modular]}", 2, 22,
           "unknown backend 'FLASHINFER_TRTLLM/modular'"),
    REFUSE("unknown disable", DEV "deployment: {disable: [FLASHINFER_TRTLLM/monolitic]}", 2, 24,
           "did you mean 'FLASHINFER_TRTLLM/monolithic'?"),
    REFUSE("unknown erratum", DEV "deployment: {errata_off: [no-such-thing]}", 2, 27,
           "unknown erratum 'no-such-thing' in policy kernels-2026-11"),
    REFUSE("unknown target", DEV "deployment: {built_archs: [90a, 100x]}", 2, 33,
           "'100x' in deployment.built_archs is no CUDA target"),
    REFUSE("unknown vendor", "device: {vendor: nvidea, sm: 90}", 1, 18,
        "unknown vendor 'nvidea' in device; did you mean 'nvidia'?"),
    REFUSE("unknown vendor, like no other", "device: {vendor: qualcomm, arch: x}", 1, 18,
        "unknown vendor 'qualcomm' in device; known are nvidia, amd, intel"),
    REFUSE("unknown GPU", "device: {gpu: h1}", 1, 15, "\"h1\""),
    REFUSE("ambiguous GPU", "device: {gpu: rtx 6000}", 1, 15,
        "rtx 6000 ada (SM 89), rtx pro 6000 (SM 120)"),
    REFUSE("ambiguous GPU among devices", DEV "deployment: {devices: [{gpu: rtx 6000}]}", 2, 30,
        "SM 120"),

    /* wrong types and ranges */
    REFUSE("a list", "[1]", 1, 1, "a request must be a mapping, found a list"),
    REFUSE("a text", "hello", 1, 1, "a request must be a mapping, found a text"),
    REFUSE("a device that is a text", "device: h100", 1, 9,
           "device must be a mapping, such as {sm: 120} or {gpu: rtx pro 6000}, found 'h100'"),
    REFUSE("a layer that is a list", DEV "layer: []", 2, 8,
        "layer must be a mapping, found a list"),
    REFUSE("limit zero", DEV "layer: {swiglu_limit: 0.0}", 2, 23,
           "layer.swiglu_limit must be finite and above 0, or null for no limit, found 0.0"),
    REFUSE("limit negative", DEV "layer: {swiglu_limit: -1}", 2, 23, "above 0"),
    REFUSE("limit NaN", DEV "layer: {swiglu_limit: .nan}", 2, 23, "finite"),
    REFUSE("limit NaN in JSON", "{\"device\":{\"sm\":120},\"layer\":{\"swiglu_limit\":NaN}}", 1, 46,
        "finite"),
    REFUSE("limit infinite", DEV "layer: {swiglu_limit: .inf}", 2, 23, "finite"),
    REFUSE("limit beyond doubles", DEV "layer: {swiglu_limit: 1e999}", 2, 23, "finite"),
    REFUSE("limit as text", DEV "layer: {swiglu_limit: '7'}", 2, 23,
           "layer.swiglu_limit must be a number or null, found '7'"),
    REFUSE("limit as a flag", DEV "layer: {swiglu_limit: true}", 2, 23, "found true"),
    REFUSE("alpha NaN", DEV "layer: {swiglu_alpha: .nan}", 2, 23,
        "layer.swiglu_alpha must be finite"),
    REFUSE("beta infinite", DEV "layer: {swiglu_beta: -.inf}", 2, 22, "must be finite"),
    REFUSE("situ_beta as text", DEV "layer: {situ_beta: x}", 2, 20, "a number or null"),
    REFUSE("a size with a fraction", DEV "layer: {hidden_size: 4096.0}", 2, 22,
           "layer.hidden_size must be a whole number, at least 1 and below 2^40, or null for unknown, found 4096.0"),
    REFUSE("a size of zero", DEV "layer: {num_experts: 0}", 2, 22, "at least 1"),
    REFUSE("a negative size", DEV "layer: {top_k: -1}", 2, 16, "at least 1"),
    REFUSE("a size too large", DEV "layer: {hidden_size: 1099511627776}", 2, 22, "2^40"),
    REFUSE("a size beyond 64 bits", DEV "layer: {hidden_size: 99999999999999999999}", 2, 22,
        "2^40"),
    REFUSE("a size as text", DEV "layer: {top_k: '6'}", 2, 16, "found '6'"),
    REFUSE("top_k above num_experts", DEV "layer:\n  top_k: 9\n  num_experts: 8", 3, 10,
           "layer.top_k is 9 but there are only 8 experts"),
    REFUSE("ranks of zero", DEV "deployment: {tensor_parallel: 0}", 2, 31,
        "from 1 to 2^20, found 0"),
    REFUSE("ranks with a fraction", DEV "deployment: {data_parallel: 2.5}", 2, 29, "whole number"),
    REFUSE("ranks of null", DEV "deployment: {context_parallel: null}", 2, 32, "found null"),
    REFUSE("more ranks than are counted", DEV
        "deployment: {tensor_parallel: 1048576, data_parallel: 1048576}",
           1, 1, "ranks are more than this library counts"),
    REFUSE("a flag as a number", DEV "layer: {bias: 1}", 2, 15,
        "layer.bias must be true or false, found 1"),
    REFUSE("a flag of YAML 1.1", DEV "layer: {bias: yes}", 2, 15, "found 'yes'"),
    REFUSE("a flag of null", DEV "deployment: {lora: null}", 2, 20, "found null"),
    REFUSE("a word of null", DEV "layer: {scheme: null}", 2, 17,
        "layer.scheme must be a word, found null"),
    REFUSE("a word that is a number", DEV "layer: {dtype: 16}", 2, 16, "found 16"),
    REFUSE("a version that is a flag", DEV "deployment: {libraries: {cuda: true}}", 2, 32,
        "a version such as"),
    REFUSE("a version that is none", DEV "deployment: {libraries: {cuda: new}}", 2, 32,
        "found 'new'"),
    REFUSE("a version that is a list", DEV "deployment: {libraries: {cuda: [1]}}", 2, 32,
        "found a list"),
    REFUSE("a version with an exponent", DEV "deployment: {libraries: {cuda: 1e3}}", 2, 32,
        "found 1e3"),
    REFUSE("libraries as a list", DEV "deployment: {libraries: [cuda]}", 2, 25,
        "must be a mapping"),
    REFUSE("a policy that is a number", DEV "policy: 3", 2, 9, "policy must be a text, found 3"),
    REFUSE("a backend of null", DEV "backend: null", 2, 10, "backend must be a text, found null"),
    REFUSE("a backend with a NUL in it", "{\"device\":{\"sm\":120},\"backend\":\"marlin\\u0000\"}",
        1, 32, "must be a text"),
    REFUSE("built as a text", DEV "deployment: {built: MARLIN}", 2, 21,
        "deployment.built must be a list of backends"),
    REFUSE("built with a number", DEV "deployment: {built: [3]}", 2, 22, "found 3"),
    REFUSE("built_archs with a flag", DEV "deployment: {built_archs: [true]}", 2, 28,
        "a list of CUDA targets"),
    REFUSE("built_archs empty", DEV "deployment: {built_archs: []}", 2, 27, "names no target"),
    REFUSE("devices as a mapping", DEV "deployment: {devices: {sm: 1}}", 2, 23,
        "a list of devices"),
    REFUSE("devices with a number", DEV "deployment: {devices: [120]}", 2, 24, "found 120"),
    REFUSE("devices with an empty one", DEV "deployment: {devices: [{}]}", 2, 24, "is missing"),
    REFUSE("disable of null", DEV "deployment: {disable: null}", 2, 23, "a list of kernels"),

    /* the device */
    REFUSE("no device", "layer: {scheme: w4a4}", 1, 1, "device is missing"),
    REFUSE("an empty request", "{}", 1, 1, "device is missing"),
    REFUSE("an empty device", "device: {}", 1, 1, "device is missing"),
    REFUSE("a vendor alone", "device: {vendor: nvidia}", 1, 1, "device is missing"),
    REFUSE("sm as a text", "device: {sm: '120'}", 1, 14,
        "device.sm must be a whole number from 10 to 999"),
    REFUSE("sm as major.minor", "device: {sm: 12.0}", 1, 14, "(120 for 12.0), found 12.0"),
    REFUSE("sm too small", "device: {sm: 9}", 1, 14, "from 10"),
    REFUSE("sm too large", "device: {sm: 1000}", 1, 14, "to 999"),
    REFUSE("sm and gpu", "device: {sm: 120, gpu: rtx 5090}", 1, 10, "both 'gpu' and 'sm'"),
    REFUSE("arch and gpu", "device: {gpu: mi300x, arch: gfx942}", 1, 23, "both 'gpu' and 'arch'"),
    REFUSE("sm of AMD", "device: {vendor: amd, sm: 90}", 1, 23,
        "sm is NVIDIA's; a device of amd has an arch"),
    REFUSE("arch without vendor", "device: {arch: gfx942}", 1, 10, "needs a vendor"),
    REFUSE("arch that is none", "device: {vendor: amd, arch: 'a b'}", 1, 29, "found 'a b'"),
    REFUSE("arch too long", "device: {vendor: amd, arch: gfx9429429429429429}", 1, 29,
        "a name such as gfx942"),
    REFUSE("a vendor that disagrees", "device: {vendor: amd, gpu: h100}", 1, 18,
        "is made by nvidia"),

    /* texts that are no documents */
    REFUSE("a duplicate key in JSON", "{\"device\":{\"sm\":120},\n\"device\":{\"sm\":90}}", 2, 1,
        "stands twice"),
    REFUSE("a duplicate key in YAML", DEV DEV, 2, 1, "stands twice"),
    REFUSE("an alias", "device: &d {sm: 120}\nlayer: *d", 1, 9, "anchors"),
    REFUSE("bad JSON", "{\"device\": {\"sm\": 120}", 1, 23, "','"),
    REFUSE("invalid UTF-8", "device: {gpu: \"\xff\"}", 1, 16, "UTF-8"),
    REFUSE("an empty text", "", 1, 1, "empty"),

    /* settings */
    SET("set a number", WITH_LAYER("\"swiglu_limit\":10.0"), "layer.swiglu_limit=10"),
    SET("set and take back", PLAIN, "layer.swiglu_limit=10", "layer.swiglu_limit=null"),
    SET("set a word", WITH("\"all2all\":\"nixl_ep\""), "deployment.all2all=nixl_ep"),
    SET("set a word to null", PLAIN, "deployment.all2all=nixl_ep", "deployment.all2all=null"),
    SET("set a flag", WITH("\"lora\":true"), "deployment.lora=true"),
    SET("set a version", WITH("\"libraries\":{\"cuda\":\"13.10\"}"),
        "deployment.libraries.cuda=13.10"),
    SET("set a library absent", WITH("\"libraries\":{\"b12x\":null}"),
        "deployment.libraries.b12x=null"),
    SET("set a list", WITH("\"built\":[\"MARLIN\"]"), "deployment.built=[MARLIN]"),
    SET("set a mapping", WITH("\"libraries\":{\"flashinfer\":\"0.6.18\",\"cuda\":\"13.0\"}"),
        "deployment.libraries={flashinfer: 0.6.18, cuda: 13.0}"),
    SET("set a section", WITH("\"tensor_parallel\":2"), "deployment={tensor_parallel: 2}"),
    SET("set in JSON", WITH("\"devices\":[{\"sm\":120},{\"sm\":90}]"),
        "deployment.devices=[{\"sm\":120},{\"sm\":90}]"),
    SET("the last setting counts", WITH("\"tensor_parallel\":4"), "deployment.tensor_parallel=2",
        "deployment.tensor_parallel=4"),
    SET("set the policy behind the backend",
        "{\"policy\":\"vllm-52018\",\"backend\":\"humming\",\"device\":{\"sm\":120}," LAYER
            ",\"deployment\":{}}",
        "policy=vllm-46492", "backend=humming", "policy=vllm"),
    SET("a name replaces the sm", HEAD "\"device\":{\"sm\":90}," LAYER ",\"deployment\":{}}",
        "device.gpu=h100"),
    SET("an sm replaces the name", HEAD "\"device\":{\"sm\":100}," LAYER ",\"deployment\":{}}",
        "device.gpu=h100",
        "device.sm=100"),
    SET("a device replaces the device", HEAD "\"device\":{\"sm\":100}," LAYER ",\"deployment\":{}}",
        "device={vendor: amd}", "device={sm: 100}"),
    SET("AMD piece by piece", HEAD "\"device\":{\"vendor\":\"amd\",\"arch\":\"gfx942\"}," LAYER
        ",\"deployment\":{}}",
        "device.vendor=amd", "device.arch=gfx942"),
    SET("set a key of the policy's own",
        "{\"policy\":\"" ENGINE "\",\"device\":{\"sm\":120}," LAYER
        ",\"deployment\":{\"moe_runner\":\"fused\"}}",
        "deployment.moe_runner=loop", "policy=" ENGINE, "deployment.moe_runner=fused"),
    SET_REFUSE("set a key of another policy", "unknown key 'moe_runner' in deployment",
               "policy=" ENGINE, "deployment.moe_runner=loop", "policy=vllm"),
    SET_REFUSE("set an unknown key",
        "unknown key 'swiglu_limt' in layer; did you mean 'swiglu_limit'?",
               "layer.swiglu_limt=10"),
    SET_REFUSE("set an unknown section",
        "unknown key 'layers' in the request; did you mean 'layer'?",
               "layers.swiglu_limit=10"),
    SET_REFUSE("set below a scalar", "policy has no keys below it", "policy.x=1"),
    SET_REFUSE("set nothing", "expected KEY=VALUE", "layer.swiglu_limit"),
    SET_REFUSE("set without a key", "expected KEY=VALUE", "=1"),
    SET_REFUSE("set without a value", "the value is missing", "layer.swiglu_limit="),
    SET_REFUSE("set to what is no YAML", "", "layer.swiglu_limit=[1"),
    SET_REFUSE("set a wrong type", "layer.bias must be true or false, found 1", "layer.bias=1"),
    SET_REFUSE("set a limit of zero", "above 0", "layer.swiglu_limit=0"),
    SET_REFUSE("set an unknown word", "did you mean 'w4a16'?", "layer.scheme=w4a61"),
    SET_REFUSE("names are taken as they stand", "unknown backend '*' in policy", "backend=*"),
    SET_REFUSE("names may look like YAML", "unknown policy 'a: 'b' # c'", "policy=a: 'b' # c"),
    SET_REFUSE("sm of AMD by settings", "sm is NVIDIA's", "device.vendor=amd"),
};

static nvfp4_request *new_request(void)
{
    nvfp4_request *request = NULL;
    assert_int_equal(nvfp4_request_new(&request), NVFP4_OK);
    return request;
}

static nvfp4_status parse(nvfp4_request *request, const char *text, size_t length, nvfp4_error
    *error)
{
    nvfp4_request_text t = NVFP4_REQUEST_TEXT_INIT;
    t.text = text;
    t.length = length;
    t.file = "in";
    return nvfp4_request_parse(request, &t, error);
}

static void compare(const nvfp4_request *request, const char *json)
{
    char text[2048];
    const size_t length = nvfp4_request_to_json(request, text, sizeof text);
    assert_string_equal(text, json);
    assert_int_equal(length, strlen(json));
    assert_int_equal(nvfp4_request_to_json(request, NULL, 0), strlen(json));
}

static void run_row(void **state)
{
    const struct row *const row = *state;
    nvfp4_request *const request = new_request();
    nvfp4_error error;
    nvfp4_status status = NVFP4_OK;
    const char *file = "in";
    memset(&error, 0x55, sizeof error);
    if (row->text != NULL)
        status = parse(request, row->text, strlen(row->text), &error);
    for (int i = 0; i < 4 && row->set[i] != NULL && status == NVFP4_OK; i++) {
        status = nvfp4_request_set(request, row->set[i], NULL, &error);
        file = row->set[i];
    }
    if (status == NVFP4_OK) {
        status = nvfp4_request_resolve(request, &error);
        file = row->set[0] == NULL ? "in" : NULL; /* whichever said it */
    }
    if (row->json == NULL) {
        assert_int_not_equal(status, NVFP4_OK);
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.message, row->message));
        assert_true(error.message[0] != '\0');
        if (row->set[0] == NULL) {
            assert_int_equal(error.line, row->line);
            assert_int_equal(error.column, row->column);
        }
        if (file != NULL && strstr(row->name, "policy file") == NULL)
            assert_string_equal(error.file, file);
    } else {
        if (status != NVFP4_OK)
            print_error("%d:%d: %s\n", (int)error.line, (int)error.column, error.message);
        assert_int_equal(status, NVFP4_OK);
        compare(request, row->json);
        /* What is written reads back as the same. */
        nvfp4_request_reset(request);
        assert_int_equal(parse(request, row->json, strlen(row->json), &error), NVFP4_OK);
        assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
        compare(request, row->json);
    }
    nvfp4_request_destroy(request);
}

/* ---- what rows do not show ---- */

/* Every key of the table can be written with its own default, and is one of interface and struct.
    */
static void lists_every_key(void **state)
{
    (void)state;
    nvfp4_request_key key;
    size_t count = 0, words = 0;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    for (; nvfp4_request_key_at(count, &key) == NVFP4_OK; count++) {
        assert_true(*key.name != '\0' && *key.text != '\0' && *key.value != '\0');
        for (size_t w = 0; w < key.word_count; w++, words++) {
            char assignment[128];
            const char *const word = nvfp4_request_key_word(count, w);
            assert_non_null(word);
            snprintf(assignment, sizeof assignment, "%s.%s=%s", key.section, key.name, word);
            assert_int_equal(nvfp4_request_set(request, assignment, NULL, &error), NVFP4_OK);
        }
        assert_null(nvfp4_request_key_word(count, key.word_count));
        if (*key.initial != '\0') {
            char assignment[128];
            snprintf(assignment, sizeof assignment, "%s%s%s=%s", key.section,
                     *key.section != '\0' ? "." : "", key.name, key.initial);
            assert_int_equal(nvfp4_request_set(request, assignment, NULL, &error), NVFP4_OK);
        }
    }
    assert_int_equal(count, 5 + 4 + 17 + 17 + NVFP4_LIBRARY_COUNT);
    assert_true(words > 40);
    assert_int_equal(nvfp4_request_key_at(0, NULL), NVFP4_EINVAL);
    nvfp4_request_set(request, "device.sm=120", NULL, &error);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    compare(request, PLAIN);
    nvfp4_request_destroy(request);
}

/* All enum values have their word in the table: reading gives the value's number. */
static void words_are_numbered_as_the_enums(void **state)
{
    (void)state;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    for (int i = 0; i < NVFP4_ACTIVATION_COUNT; i++) {
        char assignment[96];
        snprintf(assignment, sizeof assignment, "layer.activation=%s",
            nvfp4_activation_name((nvfp4_activation)i));
        assert_int_equal(nvfp4_request_set(request, assignment, NULL, &error), NVFP4_OK);
        assert_int_equal(nvfp4_request_layer(request)->activation, i);
    }
    for (int i = 0; i < NVFP4_ALL2ALL_COUNT; i++) {
        char assignment[96];
        snprintf(assignment, sizeof assignment, "deployment.all2all=%s",
            nvfp4_all2all_name((nvfp4_all2all)i));
        assert_int_equal(nvfp4_request_set(request, assignment, NULL, &error), NVFP4_OK);
        assert_int_equal(nvfp4_request_deployment(request)->all2all, i);
    }
    nvfp4_request_destroy(request);
}

static void reads_into_the_right_fields(void **state)
{
    (void)state;
    static const char text[] =
        "device: {sm: 101}\n"
        "layer: {swiglu_limit: 1, swiglu_alpha: 2, swiglu_beta: 3, situ_beta: 4, situ_linear_beta: 5,\n"
        "        hidden_size: 6, intermediate_size: 7, num_experts: 9, top_k: 8}\n"
        "deployment: {libraries: {flashinfer: 1.0, b12x: 2.0, humming: 3.0, cuda: 4.0, cutlass_dsl: 5.0, vllm: 6.0}}\n";
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    assert_int_equal(parse(request, text, sizeof text - 1, &error), NVFP4_OK);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    const nvfp4_moe_layer *const l = nvfp4_request_layer(request);
    assert_int_equal(l->struct_size, sizeof *l);
    assert_int_equal(l->has, 31);
    assert_true(l->swiglu_limit == 1 && l->swiglu_alpha == 2 && l->swiglu_beta == 3);
    assert_true(l->situ_beta == 4 && l->situ_linear_beta == 5);
    assert_true(l->hidden_size == 6 && l->intermediate_size == 7);
    assert_true(l->num_experts == 9 && l->top_k == 8);
    const nvfp4_deployment *const d = nvfp4_request_deployment(request);
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        nvfp4_library_version version;
        char number[8];
        snprintf(number, sizeof number, "%d.0", i + 1);
        assert_int_equal(nvfp4_version_parse(number, &version), NVFP4_OK);
        assert_true(d->libraries[i] == version);
    }
    nvfp4_request_destroy(request);
}

static void later_texts_lie_over_earlier_ones(void **state)
{
    (void)state;
    static const char first[] = "device: {gpu: h100}\nlayer: {swiglu_limit: 10, top_k: 6}";
    static const char second[] = "{\"device\":{\"sm\":120},\"layer\":{\"top_k\":8}}";
    nvfp4_moe_layer base = NVFP4_MOE_LAYER_INIT;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    base.num_experts = 64;
    base.top_k = 2;
    assert_int_equal(nvfp4_request_set_layer(request, &base), NVFP4_OK);
    assert_int_equal(parse(request, first, sizeof first - 1, &error), NVFP4_OK);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    assert_string_equal(nvfp4_request_device_name(request), "h100");
    assert_int_equal(parse(request, second, sizeof second - 1, &error), NVFP4_OK);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    assert_string_equal(nvfp4_request_device_name(request), "");
    compare(request, WITH_LAYER("\"swiglu_limit\":10.0,\"num_experts\":64,\"top_k\":8"));
    nvfp4_request_reset(request);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_ESCHEMA);
    assert_non_null(strstr(error.message, "device is missing"));
    assert_string_equal(error.file, "");
    nvfp4_request_destroy(request);
}

static void takes_devices_of_a_probe(void **state)
{
    (void)state;
    nvfp4_device_key ranks[2] = { { NVFP4_VENDOR_NVIDIA, 120, "" }, { NVFP4_VENDOR_NVIDIA, 90,
        "" } };
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    assert_int_equal(nvfp4_request_set_devices(request, &ranks[0], ranks, 2, "board"), NVFP4_OK);
    ranks[0].sm = 75; /* copied */
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    assert_string_equal(nvfp4_request_device_name(request), "board");
    compare(request, WITH("\"devices\":[{\"sm\":120},{\"sm\":90}]"));
    /* What follows replaces them. */
    assert_int_equal(nvfp4_request_set(request, "device.sm=120", NULL, &error), NVFP4_OK);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    compare(request, PLAIN);
    assert_int_equal(nvfp4_request_set_devices(request, &ranks[1], NULL, 0, NULL), NVFP4_OK);
    assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
    assert_int_equal(nvfp4_request_deployment(request)->device.sm, 90);
    assert_int_equal(nvfp4_request_deployment(request)->peer_count, 0);
    nvfp4_request_destroy(request);
}

static void counts_lines_of_a_stream(void **state)
{
    (void)state;
    nvfp4_request_text text = NVFP4_REQUEST_TEXT_INIT;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    text.text = "{\"device\":{\"sm\":1}}";
    text.length = strlen(text.text);
    text.first_line = 4711;
    text.json = 1;
    assert_int_equal(nvfp4_request_parse(request, &text, &error), NVFP4_ESCHEMA);
    assert_int_equal(error.line, 4711);
    assert_int_equal(error.column, 17);
    text.text = "device: {sm: 120}"; /* no JSON */
    text.length = strlen(text.text);
    assert_int_equal(nvfp4_request_parse(request, &text, &error), NVFP4_ESYNTAX);
    nvfp4_request_destroy(request);
}

static void names_the_origin_of_a_setting(void **state)
{
    (void)state;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    assert_int_equal(nvfp4_request_set(request, "deployment.tensor_parallel=x", "--tp x", &error),
        NVFP4_ESCHEMA);
    assert_string_equal(error.file, "--tp x");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    nvfp4_request_destroy(request);
}

static void switches_errata_off_by_name(void **state)
{
    (void)state;
    nvfp4_erratum_info erratum;
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    nvfp4_request_set(request, "device.sm=120", NULL, &error);
    for (size_t i = 0; nvfp4_policy_erratum(NULL, i, &erratum) == NVFP4_OK; i++) {
        char assignment[256];
        snprintf(assignment, sizeof assignment, "deployment.errata_off=[%s]", erratum.name);
        assert_int_equal(nvfp4_request_set(request, assignment, NULL, &error), NVFP4_OK);
        assert_int_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
        assert_true(nvfp4_request_deployment(request)->errata_off == (uint64_t)1 << i);
    }
    nvfp4_request_destroy(request);
}

static void refuses_wrong_arguments(void **state)
{
    (void)state;
    nvfp4_request_text text = NVFP4_REQUEST_TEXT_INIT;
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_device_key key = { NVFP4_VENDOR_NVIDIA, 120, "" };
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    assert_int_equal(nvfp4_request_new(NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_parse(NULL, &text, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_parse(request, NULL, &error), NVFP4_EINVAL);
    text.struct_size = 8;
    assert_int_equal(nvfp4_request_parse(request, &text, &error), NVFP4_EABI);
    assert_int_equal(nvfp4_request_load(request, NULL, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_load(request, "/no/such/file", &error), NVFP4_EIO);
    assert_string_equal(error.file, "/no/such/file");
    assert_int_equal(nvfp4_request_set(request, NULL, NULL, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_set_layer(request, NULL), NVFP4_EINVAL);
    layer.struct_size = 8;
    assert_int_equal(nvfp4_request_set_layer(request, &layer), NVFP4_EABI);
    assert_int_equal(nvfp4_request_set_devices(request, NULL, NULL, 0, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_set_devices(request, &key, NULL, 1, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_request_resolve(NULL, &error), NVFP4_EINVAL);
    nvfp4_request_reset(NULL);
    nvfp4_request_destroy(NULL);
    nvfp4_request_destroy(request);
}

/* Texts made to hurt: all are refused, none takes long. */
static void survives_hostile_texts(void **state)
{
    (void)state;
    static const struct {
        const char *piece, *head, *tail;
    } texts[] = {
        { "[", "{\"device\":", "" },
        { "{\"a\":", "", "" },
        { "- ", "device: ", "" },
        { "a: {", "", "" },
        { "{sm: 120},", "device: {sm: 1}\ndeployment: {devices: [", "]}" },
        { "x", "device: {gpu: ", "}" },
        { "\"", "{\"device\":{\"gpu\":", "}}" },
        { "1", "{\"device\":{\"sm\":", "}}" },
    };
    nvfp4_error error;
    nvfp4_request *const request = new_request();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t times = 100000, size = strlen(texts[i].piece), head = strlen(texts[i].head);
        char *const text = malloc(head + times * size + strlen(texts[i].tail) + 1);
        strcpy(text, texts[i].head);
        for (size_t t = 0; t < times; t++)
            memcpy(text + head + t * size, texts[i].piece, size);
        strcpy(text + head + times * size, texts[i].tail);
        nvfp4_request_reset(request);
        nvfp4_status status = parse(request, text, strlen(text), &error);
        if (status == NVFP4_OK)
            status = nvfp4_request_resolve(request, &error);
        assert_int_not_equal(status, NVFP4_OK);
        assert_true(error.message[0] != '\0');
        free(text);
    }
    nvfp4_request_destroy(request);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(lists_every_key),
        cmocka_unit_test(words_are_numbered_as_the_enums),
        cmocka_unit_test(reads_into_the_right_fields),
        cmocka_unit_test(later_texts_lie_over_earlier_ones),
        cmocka_unit_test(takes_devices_of_a_probe),
        cmocka_unit_test(counts_lines_of_a_stream),
        cmocka_unit_test(names_the_origin_of_a_setting),
        cmocka_unit_test(switches_errata_off_by_name),
        cmocka_unit_test(refuses_wrong_arguments),
        cmocka_unit_test(survives_hostile_texts),
    };
    const int failed = cmocka_run_group_tests_name("requests", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("request", more, NULL, NULL);
}
