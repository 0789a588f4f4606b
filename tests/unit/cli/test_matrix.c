/* SPDX-License-Identifier: Apache-2.0 */
/* The commands matrix and policy diff, as a user types them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tool.h"

struct row {
    const char *name;
    const char *args[14];
    int exit_code;
    const char *out[5]; /* each must be there; "": nothing may be there at all */
    const char *err;
};

#define MODEL(folder) NVFP4_TEST_DATA "/models/" folder

static const struct row rows[] = {
    { "diff of one line",
      { "policy", "diff", "vllm-45836", "vllm-46492" },
      1,
      { "vllm-45836 -> vllm-46492: the answer changes in 5 regions",
        "\nSM 120-121, W4A4, silu/gelu_tanh/swigluoai/relu2_no_mul, limit set: MARLIN -> "
        "FLASHINFER_CUTLASS\n",
        "\nno limit: no change\n" },
      "" },
    { "diff of nothing", { "policy", "diff", "vllm", "vllm-52018" }, 0, { "no change" }, "" },
    { "diff as JSON",
      { "policy", "diff", "vllm-45836", "vllm-46492", "--format", "json" },
      1,
      { "\"different\":true", "\"example\":{\"device\":{\"sm\":100}" },
      "" },
    { "diff of nothing as JSON",
      { "policy", "diff", "vllm", "vllm", "--format=json" },
      0,
      { "{\"from\":\"vllm-52018\",\"to\":\"vllm-52018\",\"different\":false,\"regions\":[]" },
      "" },
    { "a long diff is cut",
      { "policy", "diff", "vllm", "default" },
      1,
      { "regions of rarer requests" },
      "" },
    { "diff of kernels",
      { "policy", "diff", "vllm", "default", "--kernels" },
      1,
      { "FLASHINFER_TRTLLM/monolithic -> FLASHINFER_TRTLLM/modular" },
      "" },
    { "diff without a policy", { "policy", "diff", "vllm" }, 2, { "" }, "expected 2" },
    { "diff of an unknown policy",
      { "policy", "diff", "vllm", "defualt" },
      2,
      { "" },
      "did you mean 'default'?" },
    { "diff as YAML", { "policy", "diff", "a", "b", "--format", "yaml" }, 2, { "" }, "text, json" },

    { "matrix of activations",
      { "matrix", "--policy", "vllm-46492" },
      0,
      { "silu, no limit ", "silu, limit set ", "relu2_no_mul, limit set", "FLASHINFER_CUTLASS" },
      "" },
    { "a limit that matters",
      { "matrix", "--gpu", "sm 80,sm 120" },
      0,
      { "swigluoai, limit 7.0 ", "swigluoai, other limit " },
      "" },
    { "matrix of models",
      { "matrix", "--model", MODEL("step-3.7-limits"), MODEL("kimi-k3-mxfp4/config.json"), "--gpu",
        "h100,rtx 5090,mi300x" },
      0,
      { "step-3.7-limits, layers ", ": swiglustep, limit", "kimi-k3-mxfp4", "not NVFP4: mxfp4\n",
        "\nSM 120: NVIDIA GeForce RTX 5090\n" },
      "" },
    { "matrix as CSV",
      { "matrix", MODEL("deepseek-v4-flash-nvfp4"), "--gpu", "gb300", "--format", "csv" },
      0,
      { "deepseek-v4-flash-nvfp4,\"silu, limit 10.0\",nvidia,103,",
        ",kernels-2026-11,ok,FLASHINFER_TRTLLM," },
      "" },
    { "policies side by side",
      { "matrix", "--policy", "vllm-45836,vllm-46492", "--gpu", "sm 120", "--format", "markdown" },
      0,
      { "| silu, limit set | MARLIN\\* / FLASHINFER\\_CUTLASS |",
        "Policies: vllm-45836 / vllm-46492." },
      "" },
    { "matrix with a backend",
      { "matrix", "--backend", "flashinfer_trtllm", "--gpu", "sm 120", "--format", "csv" },
      0,
      { ",refused," },
      "" },
    { "matrix with keys",
      { "matrix", "--set", "layer.scheme=w4a16", "--set", "layer.swiglu_limit=5", "--gpu",
        "sm 100", "--format", "csv" },
      0,
      { "silu,limit 5.0,nvidia,100,", "MARLIN,,w4a16" },
      "" },
    { "matrix as a page",
      { "matrix", "--gpu", "h100", "--title", "A <page>", "--format", "html" },
      0,
      { "<!DOCTYPE html>", "<h1>A &lt;page&gt;</h1>", "</html>\n" },
      "" },
    { "matrix as JSON",
      { "matrix", "--gpu", "h100", "--format", "json" },
      0,
      { "{\"policies\":[\"kernels-2026-11\"],\"columns\":[{\"vendor\":\"nvidia\",\"sm\":90," },
      "" },
    { "matrix of an unknown GPU", { "matrix", "--gpu", "h100,nope" }, 2, { "" }, "nope" },
    { "matrix of no GPU", { "matrix", "--gpu", "" }, 2, { "" }, "--gpu" },
    { "matrix of no model", { "matrix", "/no/such/model" }, 2, { "" }, "/no/such/model" },
    { "matrix of a broken model",
      { "matrix", "--model", NVFP4_TEST_DATA "/cli/broken" },
      2,
      { "" },
      "config.json" },
    { "matrix of an unknown policy", { "matrix", "--policy", "vllm,nope" }, 2, { "" }, "nope" },
    { "matrix of too many policies",
      { "matrix", "--policy", "vllm,vllm,vllm,vllm,vllm,vllm,vllm,vllm,vllm" },
      2,
      { "" },
      "too many" },
    { "matrix in an unknown form", { "matrix", "--format", "pdf" }, 2, { "" }, "html" },
};

static void check(const char *what, const char *text, const char *piece)
{
    if (*piece != '\0' ? strstr(text, piece) == NULL : *text != '\0')
        fail_msg("%s: expected '%s', found '%.2000s'", what, piece, text);
}

static void run_row(void **state)
{
    const struct row *const row = *state;
    struct run run;
    run_tool(&run, row->args, NULL, NULL, 0);
    if (run.exit_code != row->exit_code)
        fail_msg("exit %d, expected %d; stderr: %s", run.exit_code, row->exit_code, run.err);
    for (size_t i = 0; i < 5 && row->out[i] != NULL; i++)
        check("stdout", run.out, row->out[i]);
    check("stderr", run.err, row->err);
    free_run(&run);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    static struct CMUnitTest tests[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = run_row,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return cmocka_run_group_tests_name("matrix and diff", tests, NULL, NULL);
}
