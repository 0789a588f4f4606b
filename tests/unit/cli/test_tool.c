/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "files/document.h"
#include "tool.h"

/*
 * A command line and what comes of it. Each of `out` and `err` must be there; an empty string means
 * that nothing may be there at all. `json`: stdout is lines of JSON.
 */
struct row {
    const char *name;
    const char *args[14];
    const char *env[3];
    const char *in;
    int exit_code;
    int json;
    const char *out[4];
    const char *err[3];
};

#define ARGS(...) { __VA_ARGS__ }
#define OUT(...) { __VA_ARGS__ }
#define NOTHING { "" }
#define SAYS(...) { "nvfp4-select: ", __VA_ARGS__ }
#define REQUEST(file) NVFP4_TEST_DATA "/requests/" file
#define MACHINE(name) NVFP4_TEST_DATA "/../machines/" name ".yaml"
#define POLICY(name) NVFP4_TEST_DATA "/policies/" name ".yaml"
#define MODEL(folder) NVFP4_TEST_DATA "/cli/" folder

static const struct row rows[] = {
    /* help and version */
    { "help", ARGS("--help"), { NULL }, NULL, 0, 0, OUT("usage: nvfp4-select", "explain", "batch",
      "exit codes"), NOTHING },
    { "help in short", ARGS("-h"), { NULL }, NULL, 0, 0, OUT("usage:"), NOTHING },
    { "version", ARGS("--version"), { NULL }, NULL, 0, 0, OUT("nvfp4-select 0.1.0\n"), NOTHING },
    { "help of explain", ARGS("explain", "--help"), { NULL }, NULL, 0, 0,
      OUT("usage: nvfp4-select explain", "--set KEY=VALUE", "NVFP4_POLICY"), NOTHING },
    { "help behind other options", ARGS("explain", "--sm", "120", "--help"), { NULL }, NULL, 0, 0,
      OUT("usage:"), NOTHING },
    { "version of explain", ARGS("explain", "--version"), { NULL }, NULL, 0, 0,
      OUT("nvfp4-select 0.1.0\n"), NOTHING },
    { "help of batch", ARGS("batch", "--help"), { NULL }, NULL, 0, 0,
      OUT("batch FILE|-"), NOTHING },
    { "verify names the option and its words", ARGS("verify", "plan", "--out", "x", "--scheme",
      "w4"), { NULL }, NULL, 2, 0, NOTHING,
      OUT("--scheme: expected one of w4a4, w4a16, w4a8_mxfp8, w4a8_fp8, found 'w4'") },
    { "verify tells what of a claim is wrong", ARGS("verify", "plan", "--out", "x", "--tokens",
      "4097"), { NULL }, NULL, 2, 0, NOTHING, OUT("tokens must be from 8 to 4096, found 4097") },
    { "help of policy", ARGS("policy", "--help"), { NULL }, NULL, 0, 0,
      OUT("policy show NAME"), NOTHING },
    { "help of model", ARGS("model", "--help"), { NULL }, NULL, 0, 0,
      OUT("nvfp4-select model PATH"), NOTHING },
    { "keys of a request", ARGS("explain", "--keys"), { NULL }, NULL, 0, 0,
      OUT("deployment.libraries", "swiglu_limit", "w4a8_mxfp8", "[renormalize]"), NOTHING },

    /* usage */
    { "no command", { NULL }, { NULL }, NULL, 2, 0, NOTHING, SAYS("a command is missing") },
    { "unknown command", ARGS("explian"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("did you mean 'explain'?") },
    { "no command and no model", ARGS("/no/such/thing"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("neither a command nor a model") },
    { "unknown option", ARGS("explain", "--bakend", "marlin"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("unknown option '--bakend'; did you mean '--backend'?") },
    { "option without its value", ARGS("explain", "--sm"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm needs a value: N") },
    { "flag with a value", ARGS("explain", "--ep=1"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--ep takes no value") },
    { "unknown format", ARGS("explain", "--sm", "120", "--format", "xml"), { NULL }, NULL, 2, 0,
      NOTHING, SAYS("expected one of text, json") },
    { "two requests", ARGS("explain", "a", "b"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("both a and b") },
    { "a model twice", ARGS("explain", "--model", "a", "--sm", "120", "--model=b"), { NULL }, NULL,
      2, 0, NOTHING, SAYS("explain: --model is given twice") },
    { "an SM twice", ARGS("explain", "--sm", "120", "--sm", "100"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm is given twice") },
    { "settings may be many", ARGS("explain", "--sm", "120", "--set", "layer.top_k=2", "--set",
      "layer.num_experts=8"), { NULL }, NULL, 0, 0, OUT("FLASHINFER_CUTLASS"), NOTHING },
    { "models of a matrix may be many", ARGS("matrix", "--model", MODEL("clamped"), "--model",
      MODEL("dense"), "--gpu", "sm 120"), { NULL }, NULL, 0, 0, OUT("no MoE layers"), NOTHING },
    { "policies of a matrix twice", ARGS("matrix", "--policy", "vllm", "--policy", "default"),
      { NULL }, NULL, 2, 0, NOTHING, SAYS("matrix: --policy is given twice") },
    { "an empty word", ARGS("explain", "", "--sm", "120"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("explain: an empty word") },
    { "an empty value", ARGS("explain", "--model", "", "--sm", "120"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("explain: --model needs a value: PATH") },
    { "an empty value behind =", ARGS("explain", "--model=", "--sm", "120"), { NULL }, NULL, 2, 0,
      NOTHING, SAYS("explain: --model needs a value: PATH") },
    { "an empty command", ARGS(""), { NULL }, NULL, 2, 0, NOTHING, SAYS("an empty word") },
    { "a misspelt --version", ARGS("--verson"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("unknown option '--verson'; did you mean '--version'?") },
    { "one policy to compare", ARGS("policy", "diff", "vllm"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("1 policy is given, expected 2") },
    { "two devices", ARGS("explain", "--sm", "120", "--gpu", "h100"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("name the device twice") },
    { "no device", ARGS("explain"), { NULL }, NULL, 2, 0, NOTHING, SAYS("device is missing; give --gpu NAME, --sm N, --probe or --machine FILE") },
    { "no device in a request", ARGS("explain", REQUEST("no-device.yaml")), { NULL }, NULL, 2, 0,
      NOTHING, SAYS("device is missing; give {sm: 120}") },
    { "sm without its zero", ARGS("explain", "--sm", "12"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm 12: did you mean 120?") },
    { "sm with too few digits", ARGS("explain", "--sm", "9"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm 9: did you mean 90?") },
    { "sm that no GPU has", ARGS("explain", "--sm", "999", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("{\"code\":\"low_confidence\",\"text\":\"no GPU that is known has sm 999:"), NOTHING },
    { "sm of a model that no GPU has", ARGS(MODEL("clamped"), "--sm", "130"), { NULL }, NULL, 0, 0,
      OUT("no GPU that is known has sm 130:"), NOTHING },
    { "sm that is none", ARGS("explain", "--sm", "12.0"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm 12.0: expected a compute capability") },
    { "sm with something behind it", ARGS("explain", "--sm", "120}"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--sm 120}") },
    { "control characters in a complaint", ARGS("\033[31m\n"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("'?[31m?'") },

    /* answers */
    { "the main job", ARGS("explain", "--model", MODEL("clamped"), "--gpu", "rtx pro 6000",
      "--policy", "vllm"), { NULL }, NULL, 0, 0,
      OUT("deepseek_v4 (DeepseekV4ForCausalLM), MoE layers 0-3\n", "FLASHINFER_CUTLASS",
          "limit 10.0, alpha 1.0, beta 0.0", "FLASHINFER_TRTLLM/monolithic"), NOTHING },
    { "the main job under 45836", ARGS(MODEL("clamped"), "--gpu", "rtx pro 6000", "--policy",
      "vllm-45836"), { NULL }, NULL, 0, 0,
      OUT("\nMARLIN  ("), NOTHING },
    { "the main job under 44992", ARGS(MODEL("clamped"), "--gpu", "rtx pro 6000", "--policy",
      "vllm-44992"), { NULL }, NULL, 1, 0,
      OUT("no backend fits", "clamp"), NOTHING },
    { "the main job on b200", ARGS(MODEL("clamped"), "--gpu", "b200", "--policy=vllm-44992"),
      { NULL }, NULL, 0, 0,
      OUT("\nFLASHINFER_TRTLLM/"), NOTHING },
    { "a config.json by its name", ARGS(MODEL("clamped/config.json"), "--sm", "120"), { NULL },
      NULL, 0, 0, OUT("MoE layers 0-3"), NOTHING },
    { "explain takes a model as its word", ARGS("explain", MODEL("clamped"), "--sm", "120"),
      { NULL }, NULL, 0, 0, OUT("MoE layers 0-3"), NOTHING },
    { "model in JSON", ARGS(MODEL("clamped"), "--sm", "120", "--policy", "vllm", "--format",
      "json"), { NULL }, NULL, 0, 1,
      OUT("{\"status\":\"ok\",\"model\":{\"model_type\":\"deepseek_v4\"",
          "\"answers\":[{\"layers\":\"0-3\",\"request\":{\"policy\":\"vllm-52018\",\"device\":{\"sm\":120},\"layer\":{\"scheme\":\"w4a4\"",
          "\"answer\":{\"status\":\"ok\",\"backend\":\"FLASHINFER_CUTLASS\""), NOTHING },
    { "two groups, the worst first", ARGS(MODEL("two-groups"), "--sm", "120", "--policy",
      "vllm-44992"), { NULL }, NULL, 1, 0,
      OUT("\n  layers 4-5   no backend fits               w4a4, swiglustep, limit 7\n  layers 2-3   FLASHINFER_CUTLASS ",
          "\nlayers 4-5\nno backend fits"), NOTHING },
    { "two groups in JSON", ARGS(MODEL("two-groups"), "--sm", "120", "--policy", "vllm-44992",
      "--format", "json"), { NULL }, NULL, 1, 1,
      OUT("{\"status\":\"no_backend\"", "\"layers\":\"2-3\",\"request\"",
          "\"layers\":\"4-5\",\"request\""), NOTHING },
    { "a dense model", ARGS(MODEL("dense"), "--sm", "120"), { NULL }, NULL, 1, 0,
      OUT("not a mixture of experts"), NOTHING },
    { "a dense model in JSON", ARGS(MODEL("dense"), "--sm", "120", "--format", "json"), { NULL },
      NULL, 1, 1, OUT("{\"status\":\"not_moe\"", "\"answers\":[]"), NOTHING },
    { "experts in FP8", ARGS(MODEL("plain-fp8"), "--sm", "120"), { NULL }, NULL, 1, 0,
      OUT("its experts are not NVFP4", "fp8"), NOTHING },
    { "experts in FP8, in JSON", ARGS(MODEL("plain-fp8"), "--sm", "120", "--format", "json"),
      { NULL }, NULL, 1, 1, OUT("{\"status\":\"not_nvfp4\""), NOTHING },
    { "a broken model", ARGS(MODEL("broken"), "--sm", "120"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("broken/config.json:2:17: expected a value") },
    { "a broken model in JSON", ARGS(MODEL("broken"), "--sm", "120", "--format", "json"), { NULL },
      NULL, 2, 1, OUT("\"status\":\"invalid\"", "\"line\":2,\"column\":17"),
      SAYS("broken/config.json:2:17") },
    { "a model that is not there", ARGS("explain", "--model", "/no/such", "--sm", "120"), { NULL },
      NULL, 2, 0, NOTHING, SAYS("/no/such") },
    { "a model without a device", ARGS(MODEL("clamped")), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("device is missing") },
    { "a model with settings over it", ARGS(MODEL("clamped"), "--sm", "120", "--set",
      "layer.swiglu_limit=7", "--tp", "2", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"swiglu_limit\":7.0", "\"deployment\":{\"tensor_parallel\":2}"), NOTHING },
    { "a model and a request", ARGS("explain", REQUEST("clamped.yaml"), "--model",
      MODEL("two-groups"), "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"policy\":\"vllm-46492\"", "\"flashinfer\":\"0.6.18\"",
          "\"swiglu_limit\":10.0"), NOTHING },
    { "request in YAML", ARGS("explain", REQUEST("clamped.yaml")), { NULL }, NULL, 0, 0,
      OUT("FLASHINFER_CUTLASS  (rtx pro 6000, sm 120;"), NOTHING },
    { "request in JSON", ARGS("explain", REQUEST("clamped.json"), "--format", "json"), { NULL },
      NULL, 0, 1, OUT("{\"status\":\"ok\",\"backend\":\"FLASHINFER_CUTLASS\""), NOTHING },
    { "request from stdin", ARGS("explain", "-"), { NULL }, "device: {sm: 90}\n", 0, 0,
      OUT("MARLIN  (sm 90;"), NOTHING },
    { "request of AMD", ARGS("explain", REQUEST("amd.yaml")), { NULL }, NULL, 0, 0,
      OUT("EMULATION  (amd gfx942;"), NOTHING },
    { "an option over the file", ARGS("explain", REQUEST("amd.yaml"), "--sm", "100"), { NULL },
      NULL, 0, 0, OUT("FLASHINFER_TRTLLM/"), NOTHING },
    { "a GPU over the file", ARGS("explain", REQUEST("clamped.json"), "--gpu", "h100", "--policy",
      "vllm"), { NULL }, NULL, 0, 0, OUT("MARLIN  (", "sm 90;"), NOTHING },
    { "a device for a file without one", ARGS("explain", REQUEST("no-device.yaml"), "--sm", "100"),
      { NULL }, NULL, 0, 0, OUT("limit 7.0"), NOTHING },
    { "refused", ARGS("explain", "--sm", "90", "--backend", "flashinfer_trtllm"), { NULL }, NULL, 1,
      0, OUT("refused: FLASHINFER_TRTLLM"), NOTHING },
    { "refused in JSON", ARGS("explain", "--sm", "90", "--backend", "flashinfer_trtllm", "--format",
      "json"), { NULL }, NULL, 1, 1, OUT("{\"status\":\"refused\",\"backend\":null"), NOTHING },
    { "every short option", ARGS("explain", "--sm", "100", "--tp", "2", "--dp=2", "--ep",
      "--all2all", "nixl_ep", "--policy", "vllm", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"backend\":\"FLASHINFER_CUTEDSL_BATCHED\""), NOTHING },
    { "evidence", ARGS("explain", "--sm", "120", "--policy", "vllm", "--evidence"), { NULL }, NULL,
      0, 0, OUT("trtllm_nvfp4_moe.py"), NOTHING },
    { "no colour where no terminal is", ARGS("explain", "--sm", "120"), { "TERM=xterm" }, NULL, 0,
      0, OUT("FLASHINFER_CUTLASS  (sm"), NOTHING },
    { "a probe that finds nothing", ARGS("explain", "--probe"), { "CUDA_VISIBLE_DEVICES=" }, NULL,
      3, 0, NOTHING, SAYS("--probe: ") },

    { "a recorded machine", ARGS("explain", "--machine", MACHINE("dgx-h200"), "--policy", "vllm"),
      { NULL }, NULL, 0, 0, OUT("MARLIN  (NVIDIA H200, sm 90;"), NOTHING },
    { "a recorded machine, mixed", ARGS("explain", "--machine", MACHINE("gb300-rtx-pro-4000"),
      "--policy", "vllm", "--format", "json"), { NULL }, NULL, 0, 1, OUT("\"code\":\"peer\"",
      "heterogeneous_devices"), NOTHING },
    { "a recorded machine without devices", ARGS("explain", "--machine", MACHINE("h200-hidden")),
      { NULL }, NULL, 3, 0, NOTHING, SAYS("h200-hidden.yaml: ") },
    { "a recorded machine, the driver broken", ARGS("explain", "--machine",
      MACHINE("driver-mismatch"), "--policy", "vllm", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"code\":\"low_confidence\",\"text\":\"nvmlInit: driver and library are of different "
      "versions (NVML error 18); this is what the PCI bus shows\""), NOTHING },
    { "a recorded machine, no driver", ARGS("explain", "--machine", MACHINE("jetson-orin-bare"),
      "--policy", "vllm", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"text\":\"no NVIDIA driver answers; this is what the device tree shows\"",
      "\"text\":\"GPU 0 (Orin): which chip it is, is known with medium confidence\""), NOTHING },
    { "a recorded machine, order open", ARGS("explain", "--machine",
      MACHINE("rtx-5090-3090-ti-no-cuda"), "--policy", "vllm", "--format", "json"), { NULL }, NULL,
      0, 1, OUT("\"code\":\"device_order\""), NOTHING },
    { "a recorded machine, a misleading name", ARGS("explain", "--machine",
      MACHINE("vgpu-wrong-name"), "--policy", "vllm"), { NULL }, NULL, 0, 0,
      OUT("low_confidence", "GPU 0 (NVIDIA GeForce RTX 3050) has the name of another"), NOTHING },
    { "a recorded machine, a list that is cut", ARGS("explain", "--machine", NVFP4_TEST_DATA
      "/cli/machines/cut.json", "--policy", "vllm"), { NULL }, NULL, 0, 0,
      OUT("low_confidence", "an entry names no device"), NOTHING },
    { "a recorded machine, an unknown GPU", ARGS("explain", "--machine", NVFP4_TEST_DATA
      "/cli/machines/unknown.json"), { NULL }, NULL, 3, 0, NOTHING,
      SAYS("GPU 1 (NVIDIA Foo 9000, 10de:9999) is not known; say --gpu or --sm") },
    { "a recorded machine, many ranks", ARGS("explain", "--machine", NVFP4_TEST_DATA
      "/cli/machines/many.json", "--policy", "vllm", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"the ranks have different devices: 63 ranks sm 90; rank 63: sm 120; only what runs on all "
      "of them is chosen; a reason other than peer is about rank 0, sm 90\""), NOTHING },
    { "ranks that leave this one out", ARGS("explain", "--sm", "120", "--policy", "vllm", "--set",
      "deployment.devices=[{sm: 90}, {sm: 100}, {sm: 90}]", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("different devices: sm 120 here; 2 ranks sm 90; 1 rank sm 100; only"), NOTHING },
    { "an sm that nobody has seen", ARGS("explain", "--sm", "999", "--policy", "vllm"), { NULL },
      NULL, 0, 0, OUT("low_confidence", "no GPU that is known has sm 999"), NOTHING },
    { "another", ARGS("explain", "--gpu", "1.0", "--policy", "vllm", "--format", "json"), { NULL },
      NULL, 0, 1, OUT("no GPU that is known has sm 10:"), NOTHING },
    { "an older GPU by name", ARGS("explain", "--gpu", "v100"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("is older than the catalogue") },
    { "a recorded machine that is none", ARGS("explain", "--machine", REQUEST("amd.yaml")),
      { NULL }, NULL, 2, 0, NOTHING, SAYS("amd.yaml:1:1: ") },
    { "a model on a recorded machine", ARGS(MODEL("clamped"), "--machine",
      MACHINE("gb300-rtx-pro-4000"), "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"devices\":[{\"sm\":103}", "{\"sm\":120}"), NOTHING },
    { "devices", ARGS("devices", "--machine", MACHINE("dgx-h200")), { NULL }, NULL, 0, 0,
      OUT("NVIDIA H200"), NOTHING },
    { "devices as JSON", ARGS("devices", "--machine", MACHINE("dgx-h200"), "--format", "json"),
      { NULL }, NULL, 0, 1, OUT("\"sm\":90"), NOTHING },
    { "devices, none", ARGS("devices"), { "CUDA_VISIBLE_DEVICES=" }, NULL, 3, 0, { NULL },
      { NULL } },

    /* what the files of a model do not say */
    { "routing that is not known", ARGS(MODEL("deepseek-v2"), "--sm", "100", "--format", "json"),
      { NULL }, NULL, 0, 1, OUT("\"routing\":\"unspecified\"", "\"assumed\":[]",
      "\"kernel\":\"modular\""), NOTHING },
    { "routing that the user knows", ARGS(MODEL("deepseek-v2"), "--sm", "100", "--set",
      "layer.routing=renormalize"), { NULL }, NULL, 0, 0, OUT("FLASHINFER_TRTLLM/monolithic  (sm"),
      NOTHING },
    { "a limit that is not known", ARGS(MODEL("no-limit"), "--sm", "120"), { NULL }, NULL, 0, 0,
      OUT("warning, limit_unknown", "\n  assumed: no limit (the files do not say; --set "
      "layer.swiglu_limit=10 says it)\n"), NOTHING },
    { "a limit that is not known, in JSON", ARGS(MODEL("no-limit"), "--sm", "120", "--format",
      "json"), { NULL }, NULL, 0, 1, OUT("\"assumed\":[\"layer.swiglu_limit\"]}]}"),
      NOTHING },
    { "a limit that the user knows", ARGS(MODEL("no-limit"), "--sm", "120", "--set",
      "layer.swiglu_limit=10"), { NULL }, NULL, 0, 0,
      OUT("MoE layers 0-3\n\nFLASHINFER_CUTLASS  (sm 120; w4a4, silu, limit 10.0)"), NOTHING },
    { "that there is no limit the user knows", ARGS(MODEL("no-limit"), "--sm", "120", "--set",
      "layer.swiglu_limit=null"), { NULL }, NULL, 0, 0, OUT("MoE layers 0-3\n\nFLASHINFER_CUTLASS"),
      NOTHING },
    { "an activation that is not known", ARGS(MODEL("no-activation"), "--sm", "120"), { NULL },
      NULL, 0, 0, OUT("assumed: activation silu ("), NOTHING },
    { "an activation that the user knows", ARGS(MODEL("no-activation"), "--sm", "120", "--set",
      "layer.activation=silu", "--format=json"), { NULL }, NULL, 0, 1, OUT("\"assumed\":[]"),
      NOTHING },
    { "a scheme that is not known", ARGS(MODEL("two-schemes"), "--sm", "120", "--format", "json"),
      { NULL }, NULL, 0, 1, OUT("\"assumed\":[\"layer.scheme\"]"), NOTHING },
    { "a scheme that the request knows", ARGS("explain", "-", "--model", MODEL("two-schemes"),
      "--format", "json"), { NULL }, "{device: {sm: 120}, layer: {scheme: w4a4}}", 0, 1,
      OUT("\"assumed\":[]"), NOTHING },
    { "assumptions in a matrix", ARGS("matrix", "--model", MODEL("no-limit"), "--model",
      MODEL("two-schemes"), "--gpu", "sm 120"), { NULL }, NULL, 0, 0,
      OUT("no limit (assumed: no limit)", "(assumed: scheme w4a4)"), NOTHING },
    { "the table shows what was asked", ARGS(MODEL("two-groups"), "--sm", "120", "--set",
      "layer.swiglu_limit=12", "--policy", "vllm-46492"), { NULL }, NULL, 0, 0,
      OUT("w4a4, swiglustep, limit 12\n", "w4a4, silu, limit 12\n"), NOTHING },

    /* several policies side by side */
    { "two policies compared", ARGS("explain", "--sm", "120", "--policy", "vllm-45836,vllm-46492",
      "--set", "layer.swiglu_limit=10"), { NULL }, NULL, 0, 0, OUT("vllm-45836", "vllm-46492",
      "MARLIN", "FLASHINFER_CUTLASS"), NOTHING },
    { "two policies compared, in JSON", ARGS("explain", "--sm", "120", "--policy",
      "vllm-45836,vllm-46492", "--set", "layer.swiglu_limit=10", "--format", "json"), { NULL }, NULL,
      0, 1, OUT("{\"answers\":[{\"status\":\"ok\",\"backend\":\"MARLIN\"",
      "\"backend\":\"FLASHINFER_CUTLASS\"", "\"differ\":true}\n"), NOTHING },
    { "two policies that agree", ARGS("explain", "--sm", "120", "--policy", "vllm,vllm-52018",
      "--format", "json"), { NULL }, NULL, 0, 1, OUT("\"differ\":false}\n"), NOTHING },
    { "two policies, one without a backend", ARGS("explain", "--sm", "120", "--policy",
      "vllm-44992,vllm-46492", "--set", "layer.swiglu_limit=10"), { NULL }, NULL, 1, 0,
      OUT("vllm-44992"), NOTHING },
    { "two policies of which one has no name", ARGS("explain", "--sm", "120", "--policy",
      "vllm-45836,"), { NULL }, NULL, 2, 0, NOTHING, SAYS("--policy: an empty name in the list") },
    { "two policies of which one is none", ARGS("explain", "--sm", "120", "--policy",
      "vllm-45836,vlm", "--format", "json"), { NULL }, NULL, 2, 1, OUT("\"status\":\"invalid\""),
      SAYS("--policy vlm: unknown policy 'vlm'; did you mean 'vllm'?") },
    { "a model under two policies", ARGS(MODEL("two-groups"), "--sm", "120", "--policy",
      "vllm-45836,vllm-46492"), { NULL }, NULL, 0, 0, OUT("layers 2-3\n\n", "\nlayers 4-5\n\n"),
      NOTHING },

    { "a comparison of what is assumed", ARGS(MODEL("no-limit"), "--sm", "120", "--policy",
      "vllm-45836,vllm-46492"), { NULL }, NULL, 0, 0,
      OUT("\nassumed: no limit (the files do not say; "), NOTHING },
    { "a comparison of what is assumed, in JSON", ARGS(MODEL("no-limit"), "--sm", "120", "--policy",
      "vllm-45836,vllm-46492", "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"assumed\":[\"layer.swiglu_limit\"]}]}\n"), NOTHING },
    { "layers of a matrix in short", ARGS("matrix", "--model", MODEL("alternating"), "--gpu",
      "sm 120"), { NULL }, NULL, 0, 0, OUT("layers 0-22 even, 12 layers: silu"), NOTHING },

    /* many groups on one screen */
    { "groups that differ in their limits", ARGS(MODEL("many-limits"), "--sm", "120"), { NULL },
      NULL, 0, 0, OUT("\n  layers 0-7   FLASHINFER_CUTLASS            w4a4, swiglustep, limits 1 to 8, "
      "8 groups\n\nlayers 0\nFLASHINFER_CUTLASS"), NOTHING },
    { "some of them without a backend", ARGS(MODEL("many-limits"), "--sm", "120", "--policy",
      "vllm-44992"), { NULL }, NULL, 1, 0, OUT("no backend fits               w4a4, swiglustep, limits "
      "1 to 8, 8 groups\n\nlayers 0\nno backend"), NOTHING },
    { "layers that alternate, and the group with a limit in full", ARGS(MODEL("alternating"), "--sm",
      "120"), { NULL }, NULL, 0, 0, OUT("\n  layers 0-22 even, 12 layers  FLASHINFER_CUTLASS",
      "\n  layers 1-23 odd, 12 layers   FLASHINFER_CUTLASS", "\n\nlayers 1-23 odd, 12 layers\n",
      "limit 7.0, alpha 1.0, beta 0.0") , NOTHING },

    { "layers here and there", ARGS(MODEL("scattered"), "--sm", "120"), { NULL }, NULL, 0, 0,
      OUT("\n  layers 15 of 0-22              FLASH", "\n  layers 2-3,5,7,11,13,17,19,23  FLASH"),
      NOTHING },

    /* verify */
    { "help of verify", ARGS("verify", "--help"), { NULL }, NULL, 0, 0,
      OUT("verify judge --in DIR"), NOTHING },
    { "version of verify", ARGS("verify", "--version"), { NULL }, NULL, 0, 0,
      OUT("nvfp4-select 0.1.0\n"), NOTHING },
    { "verify with an unknown word", ARGS("verify", "everything"), { NULL }, NULL, 2, 0, NOTHING,
      { "nvfp4-select: verify: " } },

    /* bad requests */
    { "a misspelt key", ARGS("explain", REQUEST("misspelt.yaml")), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("misspelt.yaml:4:3: unknown key 'swiglu_limt' in layer; did you mean 'swiglu_limit'?") },
    { "a misspelt key in JSON", ARGS("explain", REQUEST("misspelt.yaml"), "--format", "json"),
      { NULL }, NULL, 2, 1, OUT("\"status\":\"invalid\"", "\"line\":4,\"column\":3",
      "did you mean 'swiglu_limit'?"), SAYS(":4:3:") },
    { "a misspelt key of --set", ARGS("explain", "--sm", "120", "--set", "layer.swiglu_limt=1"),
      { NULL }, NULL, 2, 0, NOTHING, SAYS("--set layer.swiglu_limt=1: unknown key") },
    { "a limit of zero", ARGS("explain", "--sm", "120", "--set", "layer.swiglu_limit=0",
      "--format=json"), { NULL }, NULL, 2, 1, OUT("\"line\":null"), SAYS("above 0") },
    { "a backend that is none", ARGS("explain", "--sm", "120", "--backend", "triton"), { NULL },
      NULL, 2, 0, NOTHING, SAYS("--backend triton: unknown backend 'triton' in policy") },
    { "an ambiguous GPU", ARGS("explain", "--gpu", "rtx 6000"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("--gpu rtx 6000: ", "rtx pro 6000 (SM 120)") },
    { "a file that is not there", ARGS("explain", "/no/such.yaml"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("/no/such.yaml: No such file") },
    { "a file that is a folder", ARGS("explain", NVFP4_TEST_DATA), { NULL }, NULL, 2, 0, NOTHING,
      SAYS(NVFP4_TEST_DATA ": Is a directory") },
    { "stdin that is empty", ARGS("explain", "-"), { NULL }, "", 2, 0, NOTHING,
      SAYS("<stdin>:1:1: ") },

    /* the environment */
    { "policy of the environment", ARGS("explain", "--sm", "120", "--format", "json"), {
      "NVFP4_POLICY=vllm-46492" }, NULL, 0, 1, OUT("\"policy\":\"vllm-46492\""), NOTHING },
    { "the option wins", ARGS("explain", "--sm", "120", "--policy", "vllm", "--format", "json"), {
      "NVFP4_POLICY=nonsense-1" }, NULL, 0, 1, OUT("\"policy\":\"vllm-52018\""), NOTHING },
    { "the file wins", ARGS("explain", REQUEST("clamped.yaml"), "--format", "json"), {
      "NVFP4_POLICY=vllm-45836" }, NULL, 0, 1, OUT("\"policy\":\"vllm-46492\""), NOTHING },
    { "an empty variable is none", ARGS("explain", "--sm", "120", "--format", "json"), {
      "NVFP4_POLICY=", "NVFP4_BACKEND=" }, NULL, 0, 1, OUT("\"selected_by\":\"auto\""), NOTHING },
    { "backend of the environment", ARGS("explain", "--sm", "120", "--format", "json"), {
      "NVFP4_BACKEND=marlin" }, NULL, 0, 1, OUT("\"backend\":\"MARLIN\"",
      "\"selected_by\":\"explicit\""), NOTHING },
    { "a variable that is wrong", ARGS("explain", "--sm", "120"), { "NVFP4_BACKEND=triton" }, NULL,
      2, 0, NOTHING, SAYS("NVFP4_BACKEND=triton: unknown backend") },
    { "batch does not look at it", ARGS("batch", "-"), { "NVFP4_POLICY=vllm-46492" },
      "{\"device\":{\"sm\":120}}\n", 0, 1, OUT("\"policy\":\"kernels-"), NOTHING },

    /* policies */
    { "policies", ARGS("policy", "list"), { NULL }, NULL, 0, 0, OUT("vllm-44992", "vllm-52018",
      "kernels-2026-11", "also called default"), NOTHING },
    { "a policy as a file", ARGS("policy", "show", "vllm"), { NULL }, NULL, 0, 0,
      OUT("format: nvfp4moe-policy/1\nname: vllm-52018\n", "clamp_set:"), NOTHING },
    { "a policy of a file", ARGS("policy", "show", POLICY("engine"), "--summary"), { NULL }, NULL, 0,
      0, OUT("my-engine:", "ENGINE_FUSED/wide"), NOTHING },
    { "a request with a policy file",
      ARGS("explain", REQUEST("engine.yaml"), "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"backend\":\"ENGINE_FUSED\"", "\"policy\":\"my-engine\""), NOTHING },
    { "a model under a policy file",
      ARGS(MODEL("clamped"), "--sm", "120", "--policy", POLICY("engine"), "--format", "json"),
      { NULL }, NULL, 0, 1, OUT("\"request\":{\"policy\":\"" POLICY("engine") "\""), NOTHING },
    { "a policy file that is wrong", ARGS("explain", "--sm", "120", "--policy", REQUEST("amd.yaml")),
      { NULL }, NULL, 2, 0, NOTHING, SAYS("amd.yaml:1:1: unknown key 'device' in a policy") },
    { "check a policy", ARGS("policy", "check", POLICY("engine")), { NULL }, NULL, 1, 0,
      OUT("engine.yaml:53:9: warning: "), NOTHING },
    { "check what is no policy", ARGS("policy", "check", REQUEST("amd.yaml")), { NULL }, NULL, 1, 0,
      OUT("amd.yaml:1:1: error: unknown key 'device'"), NOTHING },
    { "check what is not there", ARGS("policy", "check", "/no/such"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("/no/such: ") },
    { "a policy", ARGS("policy", "show", "vllm", "--summary"), { NULL }, NULL, 0, 0, OUT("vllm-52018:",
      "FLASHINFER_TRTLLM/monolithic  (--backend flashinfer_trtllm)",
      "only when asked for by name"), NOTHING },
    { "a policy with its sources", ARGS("policy", "show", "vllm-46492", "--evidence"), { NULL },
      NULL, 0, 0, OUT("source"), NOTHING },
    { "a policy that is none", ARGS("policy", "show", "vlm"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("unknown policy 'vlm'; did you mean 'vllm'?") },
    { "policy without a word", ARGS("policy"), { NULL }, NULL, 2, 0, NOTHING, SAYS("is missing") },
    { "policy show without a name", ARGS("policy", "show"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("policy show") },
    { "policy with an unknown word", ARGS("policy", "shwo"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("'shwo'") },

    /* models */
    { "model in text", ARGS("model", MODEL("clamped")), { NULL }, NULL, 0, 0,
      OUT("deepseek_v4"), NOTHING },
    { "model as JSON", ARGS("model", MODEL("two-groups"), "--format", "json"), { NULL }, NULL, 0, 1,
      OUT("\"nvfp4\":true"), NOTHING },
    { "model without a path", ARGS("model"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("a PATH is missing") },
    { "model of two paths", ARGS("model", "a", "b"), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("both a and b") },
    { "version of model", ARGS("model", "--version"), { NULL }, NULL, 0, 0,
      OUT("nvfp4-select 0.1.0\n"), NOTHING },
    { "model that is broken, in JSON", ARGS("model", MODEL("broken"), "--format", "json"), { NULL },
      NULL, 2, 1, OUT("\"status\":\"invalid\""), SAYS("broken/config.json:2:17: ") },
    { "model that is broken", ARGS("model", MODEL("broken")), { NULL }, NULL, 2, 0, NOTHING,
      SAYS("broken/config.json:2:17: ") },
};

/* Every line is a JSON document. */
static void check_json(const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        const nvfp4_document_options options = { .syntax = NVFP4_SYNTAX_JSON, .unique_keys = 1 };
        nvfp4_document *document;
        nvfp4_error error;
        if (nvfp4_document_parse(text, length, &options, &document, &error) != NVFP4_OK)
            fail_msg("column %d: %s in %.*s", (int)error.column, error.message, (int)length, text);
        nvfp4_document_free(document);
        assert_int_equal(text[length], '\n');
        text += length + 1;
    }
}

static void check_text(const char *what, const char *text, const char *const *pieces, size_t count)
{
    for (size_t i = 0; i < count && pieces[i] != NULL; i++) {
        const int there = *pieces[i] != '\0' ? strstr(text, pieces[i]) != NULL : *text == '\0';
        if (!there)
            fail_msg("%s: expected '%s', found '%s'", what, pieces[i], text);
    }
}

static void run_row(void **state)
{
    const struct row *const row = *state;
    struct run run;
    run_tool(&run, row->args, row->env, row->in, row->in != NULL ? strlen(row->in) : 0);
    if (run.exit_code != row->exit_code)
        fail_msg("exit %d, expected %d; stderr: %s", run.exit_code, row->exit_code, run.err);
    check_text("stdout", run.out, row->out, 4);
    check_text("stderr", run.err, row->err, 3);
    if (row->json)
        check_json(run.out);
    assert_null(strchr(run.out, '\033'));
    free_run(&run);
}

/* Who stops reading has read enough. */
static void is_silent_about_a_closed_pipe(void **state)
{
    static const char *const args[] = { "explain", "--sm", "120", NULL };
    struct run run;
    (void)state;
    run_tool_into(&run, args, NULL);
    assert_int_equal(run.exit_code, 141);
    assert_string_equal(run.err, "");
    free_run(&run);
}

/* What cannot be written is told, not lost. */
static void tells_about_a_full_disk(void **state)
{
    static const char *const args[] = { "explain", "--sm", "120", NULL };
    static const char full[] = "/dev/full";
    struct run run;
    FILE *const there = fopen(full, "rb");
    (void)state;
    if (there == NULL)
        skip();
    fclose(there);
    run_tool_into(&run, args, full);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "standard output cannot be written: No space left"));
    free_run(&run);
}

static void models_fit_a_screen(void **state)
{
    static const char *const models[] = { MODEL("many-limits"), MODEL("alternating"),
                                          MODEL("two-groups") };
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        const char *const args[] = { models[i], "--sm", "120", "--set",
                                     "layer.activation=swigluoai_uninterleave", NULL };
        struct run run;
        size_t lines = 0;
        run_tool(&run, args, NULL, NULL, 0);
        for (const char *at = run.out; *at != '\0'; at += strcspn(at, "\n") + 1, lines++)
            if (strcspn(at, "\n") > 100)
                fail_msg("a line of %d columns: %s", (int)strcspn(at, "\n"), at);
        assert_in_range(lines, 10, 40);
        free_run(&run);
    }
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
        cmocka_unit_test(is_silent_about_a_closed_pipe),
        cmocka_unit_test(tells_about_a_full_disk),
        cmocka_unit_test(models_fit_a_screen),
    };
    const int failed = cmocka_run_group_tests_name("command lines", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("tool", more, NULL, NULL);
}
