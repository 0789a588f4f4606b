/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvfp4-select verify: the kit of verify.h from the command line.
 *
 * argv[0] is the word "verify". Exit codes: 0 the kernel honours its claim, or the work was done; 1
 * it does not, or it cannot be told; 2 bad usage or bad files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "verify/text.h"
#include "verify/tool/confusion.h"
#include "verify/tool/fields.h"
#include "verify/tool/planfile.h"

static const char usage[] =
    "usage: nvfp4-select verify --self-test [--seeds N] [--first N]\n"
    "       nvfp4-select verify plan --out DIR [claim]...\n"
    "       nvfp4-select verify judge --in DIR [--format text|json] [--record FILE]\n"
    "                                 [--device TEXT] [--kernel TEXT] [--version TEXT]\n"
    "\n"
    "Does a kernel do what it claims? 'plan' writes inputs as .npy files and plan.json, which "
    "names\n"
    "for each run its inputs and the file to write the kernel's output to; 'judge' reads those\n"
    "outputs and says what the kernel does. 'judge --record' keeps the result as YAML, which a\n"
    "policy file can refer to. '--self-test' judges kernels of our own, right and wrong ones, and\n"
    "prints how often each was named what.\n"
    "\n"
    "The claim (default in brackets):\n"
    "  --level activation|moe              what the kernel computes [moe]\n"
    "  --scheme w4a4|w4a16                 [w4a4]\n"
    "  --activation WORD                   silu, swigluoai, ... [silu]\n"
    "  --limit X, --alpha X, --beta X      [none, and the activation's own]\n"
    "  --free limit,alpha,beta|none        which of them the kernel takes as arguments [limit]\n"
    "  --dtype bf16|fp16|fp32              what it may round to between its steps [bf16]\n"
    "  --halves WORD                       gate_up, up_gate, and either followed by _by_1 or\n"
    "                                      _by_64 [gate_up_by_1 for swigluoai, else gate_up]\n"
    "  --scale-order linear|128x4          of the block scales [linear]\n"
    "  --global-kind multiplier|reciprocal of the global scales [multiplier]\n"
    "  --hidden-size, --intermediate-size, --num-experts, --top-k   [512, 256, 8, 2]\n"
    "  --tokens N, --small-tokens N        of the two batches [64, 4]\n"
    "  --exp-error X, --sigmoid-error X    errors that the kernel is granted [0.001, 0]\n"
    "  --situ-beta X, --situ-linear-beta X\n"
    "  --seed N                            every seed makes another plan [1]\n"
    "\n"
    "Exit status: 0 honours its claim, or the work was done; 1 does not, or cannot be told;\n"
    "2 bad usage or files.\n";

static int bad(const char *what, const char *word)
{
    nvfp4_cli_complain("verify: %s%s%s", what, word[0] != '\0' ? ": " : "", word);
    return NVFP4_EXIT_USAGE;
}

/* The value of option `name` where argv[*i] is it, as "--name value" or "--name=value". */
static const char *option(int argc, char **argv, int *i, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0)
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    if (argv[*i][n] != '\0' || *i + 1 >= argc)
        return NULL;
    return argv[++*i];
}

/* "--scale-order" as the field "scale_order"; the three of the clamp have short names as well. */
static void field_of(const char *word, size_t n, char *field, size_t capacity)
{
    static const char *const given[] = {"limit", "alpha", "beta"};
    size_t at = 0;
    for (size_t i = 0; i < 3; i++)
        if (strlen(given[i]) == n && strncmp(given[i], word, n) == 0)
            at = (size_t)snprintf(field, capacity, "swiglu_");
    for (size_t i = 0; i < n && at + 1 < capacity; i++)
        field[at++] = word[i] == '-' ? '_' : word[i];
    field[at] = '\0';
}

static int claim_option(int argc, char **argv, int *i, nvfp4_verify_claim *claim,
                        nvfp4_moe_layer *layer)
{
    char field[64];
    const char *word = argv[*i];
    if (strncmp(word, "--", 2) != 0)
        return bad("unexpected argument", word);
    const char *equals = strchr(word, '=');
    size_t n = equals != NULL ? (size_t)(equals - word) : strlen(word);
    field_of(word + 2, n - 2, field, sizeof field);
    if (equals == NULL && *i + 1 >= argc)
        return bad("no value given for", word);
    const char *value = equals != NULL ? equals + 1 : argv[++*i];
    nvfp4_status status = nvfp4_claim_set(claim, layer, field, value);
    if (status == NVFP4_EUNKNOWN)
        return bad("unknown option", word);
    if (status == NVFP4_OK)
        return NVFP4_EXIT_OK;
    char expected[256];
    nvfp4_field_expected(nvfp4_field_find(field), expected, sizeof expected);
    nvfp4_cli_complain("verify: %.*s: expected %s, found '%.60s'", (int)n, word, expected, value);
    return NVFP4_EXIT_USAGE;
}

static void print_confusable(const nvfp4_verification *plan)
{
    nvfp4_verdict_set tested = nvfp4_verify_tested(plan);
    int any = 0;
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++) {
        nvfp4_verdict_set set = nvfp4_verify_confusable(plan, (nvfp4_verdict)v);
        for (int w = v + 1; w < NVFP4_VERDICT_COUNT; w++)
            if (set & NVFP4_VERDICT_BIT(w)) {
                printf("cannot tell apart: %s and %s\n", nvfp4_verdict_name((nvfp4_verdict)v),
                       nvfp4_verdict_name((nvfp4_verdict)w));
                any = 1;
            }
    }
    if (!any)
        printf("every fault that would show is told apart:");
    else
        printf("tested:");
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (tested & NVFP4_VERDICT_BIT(v))
            printf(" %s", nvfp4_verdict_name((nvfp4_verdict)v));
    printf("\n");
}

static int make_plan(int argc, char **argv)
{
    nvfp4_verify_claim claim = NVFP4_VERIFY_CLAIM_INIT;
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const char *out = NULL;
    claim.layer = &layer;
    for (int i = 1; i < argc; i++) {
        const char *value = option(argc, argv, &i, "--out");
        if (value != NULL)
            out = value;
        else if (claim_option(argc, argv, &i, &claim, &layer) != NVFP4_EXIT_OK)
            return NVFP4_EXIT_USAGE;
    }
    if (out == NULL)
        return bad("plan needs --out DIR", "");
    nvfp4_verification *plan = NULL;
    nvfp4_status status = nvfp4_verify_plan(&claim, &plan);
    struct nvfp4_complaint complaint;
    if (status != NVFP4_OK) {
        nvfp4_claim_refusal(&claim, status, &complaint);
        return bad("this claim cannot be tested", complaint.text);
    }
    status = nvfp4_plan_save(&claim, plan, out, &complaint);
    if (status == NVFP4_OK) {
        printf("%s: %zu runs, described in plan.json\n", out, nvfp4_verify_run_count(plan));
        print_confusable(plan);
    }
    nvfp4_verification_destroy(plan);
    return status == NVFP4_OK ? NVFP4_EXIT_OK : bad(complaint.text, "");
}

struct judge_options {
    const char *in, *format, *record;
    nvfp4_verify_subject subject;
};

static int judge_option(int argc, char **argv, int *i, struct judge_options *o)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"--in", &o->in},
                 {"--format", &o->format},
                 {"--record", &o->record},
                 {"--device", &o->subject.device},
                 {"--kernel", &o->subject.kernel},
                 {"--version", &o->subject.version}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const char *value = option(argc, argv, i, known[k].name);
        if (value != NULL) {
            *known[k].value = value;
            return NVFP4_EXIT_OK;
        }
    }
    return bad("unknown option, or no value given for it", argv[*i]);
}

static void print_set(const char *head, nvfp4_verdict_set set)
{
    printf("%s", head);
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (set & NVFP4_VERDICT_BIT(v))
            printf(" %s", nvfp4_verdict_name((nvfp4_verdict)v));
    printf("\n");
}

static void print_text(const nvfp4_verify_result *r)
{
    printf("%s", nvfp4_verdict_name((nvfp4_verdict)r->verdict));
    if (r->verdict == NVFP4_VERDICT_UNDECIDED) {
        print_set(": one of", r->remaining);
    } else {
        printf(", confidence %.3f\n", r->confidence);
        if (r->faults != 0)
            print_set("faults:", r->faults);
    }
    if (r->limit > 0)
        printf("clamps at %.4g (%.4g to %.4g explain the outputs)\n", r->limit, r->limit_low,
               r->limit_high);
    if (r->verdict == NVFP4_VERDICT_VARIES_WITH_BATCH)
        printf("small batch: %s, large batch: %s\n",
               nvfp4_verdict_name((nvfp4_verdict)r->small_verdict),
               nvfp4_verdict_name((nvfp4_verdict)r->large_verdict));
    if (r->worst_run >= 0)
        printf("furthest from the claim: run %d, row %lld, column %lld: expected %.6g, got %.6g\n",
               (int)r->worst_run, (long long)r->worst_row, (long long)r->worst_column,
               r->worst_expected, r->worst_got);
    printf("largest deviation from what each would give, in tolerances (1 or less explains it):\n");
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (r->distance[v] >= 0)
            printf("  %-20s %.3g\n", nvfp4_verdict_name((nvfp4_verdict)v), r->distance[v]);
}

/* A number that JSON can hold. */
static void json_number(struct nvfp4_verify_text *text, const char *key, double x)
{
    nvfp4_verify_text_quoted(text, key);
    nvfp4_verify_text_char(text, ':');
    if (x - x == 0) /* false for NaN and infinities, which JSON has not */
        nvfp4_verify_text_number(text, x, 6);
    else
        nvfp4_verify_text_put(text, "null");
}

static void json_set(struct nvfp4_verify_text *text, const char *key, nvfp4_verdict_set set)
{
    const char *separator = "";
    nvfp4_verify_text_quoted(text, key);
    nvfp4_verify_text_put(text, ":[");
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (set & NVFP4_VERDICT_BIT(v)) {
            nvfp4_verify_text_put(text, separator);
            nvfp4_verify_text_quoted(text, nvfp4_verdict_name((nvfp4_verdict)v));
            separator = ",";
        }
    nvfp4_verify_text_put(text, "],");
}

static void print_json(const nvfp4_verify_result *r)
{
    char buffer[4096];
    struct nvfp4_verify_text text = {buffer, sizeof buffer, 0};
    const char *separator = "";
    nvfp4_verify_text_put(&text, "{\"verdict\":");
    nvfp4_verify_text_quoted(&text, nvfp4_verdict_name((nvfp4_verdict)r->verdict));
    nvfp4_verify_text_char(&text, ',');
    json_set(&text, "faults", r->faults);
    json_set(&text, "remaining", r->remaining);
    json_number(&text, "confidence", r->confidence);
    if (r->limit > 0) {
        nvfp4_verify_text_char(&text, ',');
        json_number(&text, "limit", r->limit);
    }
    if (r->worst_run >= 0) {
        nvfp4_verify_text_put(&text, ",\"worst\":{\"run\":");
        nvfp4_verify_text_integer(&text, r->worst_run);
        nvfp4_verify_text_put(&text, ",\"row\":");
        nvfp4_verify_text_integer(&text, r->worst_row);
        nvfp4_verify_text_put(&text, ",\"column\":");
        nvfp4_verify_text_integer(&text, r->worst_column);
        nvfp4_verify_text_char(&text, ',');
        json_number(&text, "expected", r->worst_expected);
        nvfp4_verify_text_char(&text, ',');
        json_number(&text, "got", r->worst_got);
        nvfp4_verify_text_char(&text, '}');
    }
    nvfp4_verify_text_put(&text, ",\"distance\":{");
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (r->distance[v] >= 0) {
            nvfp4_verify_text_put(&text, separator);
            json_number(&text, nvfp4_verdict_name((nvfp4_verdict)v), r->distance[v]);
            separator = ",";
        }
    nvfp4_verify_text_put(&text, "}}");
    puts(buffer);
}

static int save_record(const nvfp4_verification *plan, const nvfp4_verify_result *result,
                       const struct judge_options *o)
{
    size_t length = 0;
    (void)nvfp4_verify_record_print(plan, result, &o->subject, NULL, 0, &length);
    char *buffer = malloc(length + 1);
    FILE *file = buffer != NULL ? fopen(o->record, "wb") : NULL;
    int ok = file != NULL;
    if (ok) {
        (void)nvfp4_verify_record_print(plan, result, &o->subject, buffer, length + 1, NULL);
        ok = fwrite(buffer, 1, length, file) == length;
        ok = fclose(file) == 0 && ok;
    }
    free(buffer);
    return ok ? NVFP4_EXIT_OK : bad("cannot be written", o->record);
}

static int judge(int argc, char **argv)
{
    struct judge_options o = {NULL, "text", NULL, NVFP4_VERIFY_SUBJECT_INIT};
    for (int i = 1; i < argc; i++)
        if (judge_option(argc, argv, &i, &o) != NVFP4_EXIT_OK)
            return NVFP4_EXIT_USAGE;
    if (o.in == NULL)
        return bad("judge needs --in DIR", "");
    int json = strcmp(o.format, "json") == 0;
    if (!json && strcmp(o.format, "text") != 0)
        return bad("unknown format", o.format);
    struct nvfp4_complaint complaint;
    nvfp4_verification *plan = NULL;
    float **outputs = NULL;
    if (nvfp4_plan_load(o.in, &plan, &complaint) != NVFP4_OK)
        return bad(complaint.text, "");
    size_t count = nvfp4_verify_run_count(plan);
    int code = NVFP4_EXIT_USAGE;
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    if (nvfp4_outputs_load(o.in, plan, &outputs, &complaint) != NVFP4_OK) {
        (void)bad(complaint.text, "");
    } else if (nvfp4_verify_judge(plan, (const float *const *)outputs, count, &result) !=
               NVFP4_OK) {
        (void)bad("out of memory", "");
    } else {
        if (json)
            print_json(&result);
        else
            print_text(&result);
        code = result.verdict == NVFP4_VERDICT_HONOURS ? NVFP4_EXIT_OK : NVFP4_EXIT_NO;
        if (o.record != NULL && save_record(plan, &result, &o) != NVFP4_EXIT_OK)
            code = NVFP4_EXIT_USAGE;
    }
    nvfp4_outputs_free(outputs, count);
    nvfp4_verification_destroy(plan);
    return code;
}

static void print_failure(const struct nvfp4_confusion *c)
{
    const nvfp4_moe_layer *layer = &c->failed_layer;
    printf("first wrong: %s judged %s; seed %llu, level %s, scheme %s, activation %s, limit %g, "
           "halves %s, dtype %s\n",
           nvfp4_plant_name(c->failed_plant),
           nvfp4_verdict_name((nvfp4_verdict)c->failed_result.verdict),
           (unsigned long long)c->failed_claim.seed,
           nvfp4_verify_level_name((nvfp4_verify_level)c->failed_claim.level),
           nvfp4_scheme_name((nvfp4_scheme)layer->scheme),
           nvfp4_activation_name((nvfp4_activation)layer->activation), layer->swiglu_limit,
           nvfp4_halves_name((nvfp4_halves)c->failed_claim.halves),
           nvfp4_dtype_name((nvfp4_dtype)layer->dtype));
}

/* A count from 1 on; 0 for what is none. */
static unsigned long count_of(const char *text)
{
    char *end = NULL;
    unsigned long n = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return end != NULL && *end == '\0' && n <= 1000000000 ? n : 0;
}

static int self_test(int argc, char **argv)
{
    static struct nvfp4_confusion confusion; /* too large for some stacks */
    unsigned long seeds = 1, first = 1;
    int quick =
        argc < 2; /* every third claim: each layout, scheme and level with one of the limits */
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = option(argc, argv, &i, "--seeds");
        unsigned long *number = value != NULL ? &seeds : &first;
        if (value == NULL)
            value = option(argc, argv, &i, "--first");
        if (value == NULL)
            return bad("unknown option, or no value given for it", word);
        *number = count_of(value);
        if (*number == 0)
            return bad("bad number", value);
    }
    memset(&confusion, 0, sizeof confusion);
    for (unsigned long seed = first; seed < first + seeds; seed++)
        for (size_t i = 0; i < nvfp4_grid_size(); i++) {
            nvfp4_verify_claim claim;
            nvfp4_moe_layer layer;
            if (quick && i % 3 != i / (nvfp4_grid_size() / 3))
                continue;
            nvfp4_grid_claim(i, seed, &claim, &layer);
            nvfp4_status status = nvfp4_confusion_add(&confusion, &claim);
            if (status != NVFP4_OK)
                return bad("self-test failed", nvfp4_status_text(status));
        }
    nvfp4_confusion_print(&confusion, stdout);
    if (confusion.wrong != 0)
        print_failure(&confusion);
    return confusion.wrong == 0 ? NVFP4_EXIT_OK : NVFP4_EXIT_NO;
}

int nvfp4_cmd_verify(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            return NVFP4_EXIT_OK;
        }
    if (argc < 2) {
        fputs(usage, stderr);
        return NVFP4_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--self-test") == 0)
        return self_test(argc - 1, argv + 1);
    if (strcmp(argv[1], "plan") == 0)
        return make_plan(argc - 1, argv + 1);
    if (strcmp(argv[1], "judge") == 0)
        return judge(argc - 1, argv + 1);
    return bad("unknown command", argv[1]);
}
