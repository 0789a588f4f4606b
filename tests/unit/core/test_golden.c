/* SPDX-License-Identifier: Apache-2.0 */
/* The vllm-* policies against what vLLM itself decided, row by row. */
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BIT(name) NVFP4_REASON_BIT(NVFP4_REASON_##name)

/* The tables' codes, in the order in which vLLM checks, and which of our reasons say the same. */
static const struct code {
    const char *text;
    nvfp4_reason_set reasons;
} codes[] = {
    { "dev", BIT(DEVICE) | BIT(DEPENDENCY) },
    { "nomul", BIT(GATING) | BIT(ACTIVATION) },
    { "act", BIT(ACTIVATION) },
    { "quant", BIT(SCHEME) | BIT(DEVICE) },
    { "par", BIT(PARALLEL) },
    { "route", BIT(ROUTING) },
    { "rdt", BIT(ROUTER_DTYPE) },
    { "fmt", BIT(FORMAT) },
    { "binv", BIT(BATCH_INVARIANT) },
    { "lora", BIT(LORA) },
    { "gemm", BIT(KERNEL_OPTION) },
    /* of single kernels, outside the order */
    { "bias", BIT(BIAS) },
    { "nexp", BIT(EXPERT_COUNT) },
    { "idt", BIT(DTYPE) },
    { "oai8", BIT(ACTIVATION) | BIT(SCHEME) },
    { "situ", BIT(ACTIVATION_PARAMS) },
    { "clampf", BIT(CLAMP) },
    { "clamp", BIT(CLAMP) },
};
enum { ORDERED = 11 };

static const struct code *find_code(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strlen(codes[i].text) == length && memcmp(codes[i].text, text, length) == 0)
            return &codes[i];
    return NULL;
}

/* What the tables call the backends. */
static nvfp4_backend short_name(const char *text)
{
    static const struct {
        const char *name;
        nvfp4_backend backend;
    } names[] = {
        { "B12X", NVFP4_BACKEND_B12X },
        { "FTRT", NVFP4_BACKEND_FLASHINFER_TRTLLM },
        { "FCDS", NVFP4_BACKEND_FLASHINFER_CUTEDSL },
        { "FCDB", NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED },
        { "FCUT", NVFP4_BACKEND_FLASHINFER_CUTLASS },
        { "FB12", NVFP4_BACKEND_FLASHINFER_B12X },
        { "VCUT", NVFP4_BACKEND_VLLM_CUTLASS },
        { "MARL", NVFP4_BACKEND_MARLIN },
        { "HUMM", NVFP4_BACKEND_HUMMING },
        { "EMUL", NVFP4_BACKEND_EMULATION },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(names[i].name, text, 4) == 0)
            return names[i].backend;
    return NVFP4_BACKEND_NONE;
}

struct context {
    const struct golden_row *row;
    const nvfp4_verdicts *verdicts;
    int faults;
};

static void fault(struct context *c, const char *what, int kernel)
{
    nvfp4_kernel_info info = { 0, 0, "", "", "" };
    if (kernel >= 0)
        nvfp4_policy_kernel(c->row->policy, (size_t)kernel, &info);
    if (c->faults++ == 0)
        print_error("%s line %d: %s %s/%s\n", nvfp4_policy_name(c->row->policy), c->row->line, what,
                    info.backend_name, info.kernel_name);
}

/* vLLM gave this reason first: it is among ours, and none is that vLLM had passed before it. */
static void check_reason(struct context *c, int kernel, const struct code *code)
{
    nvfp4_kernel_info info;
    nvfp4_reason_set passed = 0;
    const nvfp4_reason_set ours = c->verdicts->reasons[kernel];
    const size_t place = (size_t)(code - codes);
    nvfp4_policy_kernel(c->row->policy, (size_t)kernel, &info);
    if (!(ours & code->reasons))
        fault(c, code->text, kernel);
    for (size_t i = 0; i < place && place < ORDERED; i++)
        passed |= codes[i].reasons;
    if (info.backend == NVFP4_BACKEND_EMULATION) /* tests LoRA and bias before all else */
        passed |= place < ORDERED && strcmp(code->text, "lora") != 0 ? BIT(LORA) | BIT(BIAS) : 0;
    if (info.backend == NVFP4_BACKEND_EMULATION && strcmp(code->text, "lora") == 0)
        passed = 0;
    if (info.backend == NVFP4_BACKEND_B12X && place < ORDERED)
        passed |= BIT(BIAS) | BIT(DTYPE) | BIT(ACTIVATION_PARAMS);
    passed &= ~code->reasons;
    if (info.backend == NVFP4_BACKEND_FLASHINFER_CUTLASS && c->row->deployment.device.sm == 90)
        passed &= ~BIT(DEVICE);
    if (ours & passed)
        fault(c, "reasons that vLLM had passed:", kernel);
}

static int kernel_of(const struct context *c, nvfp4_backend backend, int nth)
{
    nvfp4_kernel_info info;
    for (size_t i = 0; i < nvfp4_policy_kernel_count(c->row->policy); i++)
        if (nvfp4_policy_kernel(c->row->policy, i, &info) == NVFP4_OK &&
            info.backend == (int32_t)backend && nth-- == 0)
            return (int)i;
    return -1;
}

/* "FTRT:dev|dev;FCDS:clampf;...": one reason for each class of each backend. */
static void check_trace(struct context *c)
{
    for (const char *at = c->row->trace; *at != '\0'; at += *at == ';') {
        const nvfp4_backend backend = short_name(at);
        assert_int_not_equal(backend, NVFP4_BACKEND_NONE);
        const char *word = at + 5;
        at += strcspn(at, ";");
        for (int nth = 0; kernel_of(c, backend, nth) >= 0; nth++) {
            const size_t length = strcspn(word, "|;");
            const struct code *code = find_code(word, length);
            if (code != NULL)
                check_reason(c, kernel_of(c, backend, nth), code);
            else
                assert_true(length == 2 && memcmp(word, "ok", 2) == 0);
            if (word[length] == '|')
                word += length + 1;
            else if (code == NULL || strcmp(code->text, "clampf") != 0)
                break;
        }
    }
}

static void check_refusal(struct context *c)
{
    const struct code *code = find_code(c->row->reason, strlen(c->row->reason));
    assert_non_null(code);
    const nvfp4_backend backend = (nvfp4_backend)c->verdicts->requested;
    int last = 0;
    while (kernel_of(c, backend, last + 1) >= 0)
        last++;
    for (int nth = strcmp(c->row->reason, "clamp") == 0 ? 0 : last; nth <= last; nth++)
        check_reason(c, kernel_of(c, backend, nth), code);
    for (int nth = 0; nth <= last; nth++)
        if (c->verdicts->reasons[kernel_of(c, backend, nth)] == 0)
            fault(c, "refused without a reason:", kernel_of(c, backend, nth));
}

static void check_answer(struct context *c)
{
    const struct golden_row *row = c->row;
    const nvfp4_verdicts *v = c->verdicts;
    nvfp4_selection selection;
    nvfp4_kernel_info info;
    const int wants = strcmp(row->result, "-") != 0;
    const int want = wants ? NVFP4_OK : strcmp(row->word, "auto") == 0 ? NVFP4_ENOBACKEND : NVFP4_EREFUSED;
    const nvfp4_status status =
        nvfp4_select_backend(&row->layer, &row->deployment, row->policy, &selection);
    if ((int)status != want || v->status != want) {
        fault(c, nvfp4_status_name(status), -1);
        return;
    }
    if (!wants)
        return;
    nvfp4_policy_kernel(row->policy, (size_t)selection.kernel, &info);
    if (strcmp(info.backend_name, row->result) != 0 ||
        strcmp(info.kernel_name, golden_kernel_name(row->kernel)) != 0 ||
        v->reasons[selection.kernel] != 0 || v->selection.kernel != selection.kernel)
        fault(c, "chose", selection.kernel);
}

static int row_faults(const struct golden_row *row)
{
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    struct context c = { row, &verdicts, 0 };
    if (!row->in_contract)
        return 0;
    if (strcmp(row->reason, "unknown") == 0)
        return row->word_known; /* a name that vLLM did not know either */
    if (!row->word_known)
        return 1;
    const nvfp4_status status =
        nvfp4_judge(&row->layer, &row->deployment, row->policy, &verdicts);
    if ((row->layer.has & NVFP4_HAS_SWIGLU_LIMIT) && row->layer.swiglu_limit <= 0)
        return status != NVFP4_EINVAL; /* vLLM takes such a limit, the contract does not */
    if (status != NVFP4_OK)
        return 1;
    check_answer(&c);
    if (strcmp(row->word, "auto") == 0)
        check_trace(&c);
    else if (strcmp(row->result, "-") == 0)
        check_refusal(&c);
    return c.faults != 0;
}

static void every_row_agrees(void **state)
{
    const char *policy = *state;
    struct golden_table table = golden_read(policy);
    int faults = 0;
    for (size_t i = 0; i < table.count; i++)
        faults += row_faults(&table.rows[i]);
    golden_free(&table);
    assert_int_equal(faults, 0);
}

int main(void)
{
    static char names[][16] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018" };
    struct CMUnitTest tests[4];
    for (size_t i = 0; i < 4; i++)
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = every_row_agrees, .initial_state = names[i]
        };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
