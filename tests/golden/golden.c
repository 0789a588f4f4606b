/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table that cannot be read is no table: end the program, whatever it is. */
static void require(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "golden table: %s\n", what);
    exit(1);
}

enum column {
    BLOCK, PROFILE, SM, LIMIT, ACT, SCHEME, PAR, ROUTING, RDT, IDT, LORA, BIAS, HIDDEN, INTER, NEXP,
    SITU, ENV, BACKEND, FORMAT, RESULT, KERNEL, EXC, REASON, TRACE, COLUMNS
};

struct word {
    const char *text;
    int value;
};

static int lookup(const struct word *words, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].text, text) == 0)
            return words[i].value;
    return -1;
}
#define LOOKUP(words, text) lookup(words, sizeof(words) / sizeof((words)[0]), text)

static const struct word schemes[] = {
    { "W4A4", NVFP4_SCHEME_W4A4 },
    { "W4A16", NVFP4_SCHEME_W4A16 },
    { "W4A8mx", NVFP4_SCHEME_W4A8_MXFP8 },
    { "W4A8fp8", NVFP4_SCHEME_W4A8_FP8 },
};
static const struct word routings[] = {
    { "Renormalize", NVFP4_ROUTING_RENORMALIZE },
    { "Default", NVFP4_ROUTING_DEFAULT },
    { "DeepSeekV3", NVFP4_ROUTING_DEEPSEEK_V3 },
    { "DeepseekV4", NVFP4_ROUTING_DEEPSEEK_V4 },
    { "Llama4", NVFP4_ROUTING_LLAMA4 },
    { "RenormalizeNaive", NVFP4_ROUTING_RENORMALIZE_NAIVE },
    { "TopK", NVFP4_ROUTING_TOPK },
    { "SigmoidRenorm", NVFP4_ROUTING_SIGMOID_RENORM },
    { "MiniMax2", NVFP4_ROUTING_MINIMAX2 },
    { "Sigmoid", NVFP4_ROUTING_SIGMOID },
    { "Unspecified", NVFP4_ROUTING_UNSPECIFIED },
    { "Custom", NVFP4_ROUTING_CUSTOM },
    { "Simulated", NVFP4_ROUTING_SIMULATED },
};
static const struct word activations[] = {
#define X(name, value, word) { word, value },
    NVFP4_ACTIVATION_MAP(X)
#undef X
};
static const struct word router_dtypes[] = {
#define X(name, value, word) { word, value },
    NVFP4_ROUTER_DTYPE_MAP(X)
#undef X
};
static const struct word dtypes[] = {
#define X(name, value, word) { word, value },
    NVFP4_DTYPE_MAP(X)
#undef X
};
static const struct word all2alls[] = {
    { "agrs", NVFP4_ALL2ALL_ALLGATHER_REDUCESCATTER },
    { "deepep_ht", NVFP4_ALL2ALL_DEEPEP_HIGH_THROUGHPUT },
    { "deepep_ll", NVFP4_ALL2ALL_DEEPEP_LOW_LATENCY },
    { "nixl", NVFP4_ALL2ALL_NIXL_EP },
    { "deepep_v2", NVFP4_ALL2ALL_DEEPEP_V2 },
    { "fi_two", NVFP4_ALL2ALL_FLASHINFER_NVLINK_TWO_SIDED },
    { "fi_a2av", NVFP4_ALL2ALL_FLASHINFER_NVLINK_TWO_SIDED },
    { "fi_one", NVFP4_ALL2ALL_FLASHINFER_NVLINK_ONE_SIDED },
    { "naive", NVFP4_ALL2ALL_NAIVE },
};

const char *golden_kernel_name(const char *class_name)
{
    static const char *const names[][2] = {
        { "TrtLlmNvFp4ExpertsMonolithic", "monolithic" },
        { "TrtLlmNvFp4ExpertsModular", "modular" },
        { "BatchedHummingGroupedExperts", "batched_grouped" },
        { "HummingGroupedExperts", "grouped" },
        { "HummingIndexedExperts", "indexed" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], class_name) == 0)
            return names[i][1];
    return "";
}

/* The parallel configurations of the tables. */
static void set_parallel(nvfp4_deployment *d, const char *par)
{
    char words[64];
    snprintf(words, sizeof words, "%s", par);
    char *eplb = strstr(words, "_eplb");
    if (eplb != NULL) {
        d->eplb = 1;
        *eplb = '\0';
    }
    const char *all2all = NULL;
    if (strcmp(words, "tp2_ep_deepep_ll_nodp") == 0 || strcmp(words, "tp2_ep") == 0 ||
        strcmp(words, "tp2") == 0) {
        d->tensor_parallel = 2;
        d->expert_parallel = words[3] == '_';
        all2all = strstr(words, "deepep_ll") != NULL ? "deepep_ll" : NULL;
    } else if (strcmp(words, "tp1_deepep_ll_noep") == 0) {
        all2all = "deepep_ll";
    } else if (strcmp(words, "dp2_noep") == 0) {
        d->data_parallel = 2;
    } else if (strncmp(words, "dp2ep_", 6) == 0) {
        d->data_parallel = 2;
        d->expert_parallel = 1;
        all2all = words + 6;
    } else if (strncmp(words, "tp2ep_sp2_", 10) == 0) {
        d->tensor_parallel = d->sequence_parallel = 2;
        d->expert_parallel = 1;
        all2all = words + 10;
    } else if (strncmp(words, "pcp2ep_", 7) == 0) {
        d->context_parallel = 2;
        d->expert_parallel = 1;
        all2all = words + 7;
    } else {
        require(strcmp(words, "tp1") == 0, words);
    }
    if (all2all != NULL) {
        d->all2all = LOOKUP(all2alls, all2all);
        require(d->all2all >= 0, all2all);
    }
}

static void set_libraries(nvfp4_deployment *d, const char *profile)
{
    const int none = strcmp(profile, "none") == 0;
    if (none || strncmp(profile, "nofi", 4) == 0 || strcmp(profile, "fi_nocubin") == 0)
        d->libraries[NVFP4_LIBRARY_FLASHINFER] = NVFP4_LIBRARY_ABSENT;
    if (none || strcmp(profile, "nohum") == 0)
        d->libraries[NVFP4_LIBRARY_HUMMING] = NVFP4_LIBRARY_ABSENT;
    if (none || strcmp(profile, "nob12") == 0)
        d->libraries[NVFP4_LIBRARY_B12X] = NVFP4_LIBRARY_ABSENT;
}

static void set_environment(struct golden_row *row, const char *env)
{
    if (strcmp(env, "VLLM_BATCH_INVARIANT=1") == 0)
        row->deployment.batch_invariant = 1;
    else if (strcmp(env, "VLLM_HUMMING_MOE_GEMM_TYPE=grouped") == 0 ||
             strcmp(env, "VLLM_HUMMING_MOE_GEMM_TYPE=grouped_contiguous") == 0)
        row->deployment.humming_gemm = NVFP4_HUMMING_GEMM_GROUPED;
    else if (strncmp(env, "VLLM_B12X_MOE_FP4_FORCE_A16", 27) == 0 &&
             strcmp(row->word, "b12x") == 0)
        row->layer.scheme = NVFP4_SCHEME_W4A16;
}

static void set_limit(struct golden_row *row, const char *text)
{
    if (strcmp(text, "none") == 0)
        return;
    row->layer.has |= NVFP4_HAS_SWIGLU_LIMIT;
    row->layer.swiglu_limit = strtod(text, NULL);
    if (!isfinite(row->layer.swiglu_limit))
        row->in_contract = 0;
}

static void set_situ(nvfp4_moe_layer *layer, const char *text)
{
    char *end;
    if (strcmp(text, "none") == 0)
        return;
    const char *slash = strchr(text, '/');
    require(slash != NULL, text);
    const double beta = strtod(text, &end), linear = strtod(slash + 1, NULL);
    if (end != text) {
        layer->has |= NVFP4_HAS_SITU_BETA;
        layer->situ_beta = beta;
    }
    if (strcmp(slash + 1, "none") != 0) {
        layer->has |= NVFP4_HAS_SITU_LINEAR_BETA;
        layer->situ_linear_beta = linear;
    }
}

static void set_row(struct golden_row *row, char *const *field)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_backend backend;
    row->layer = layer;
    row->deployment = deployment;
    row->in_contract = LOOKUP(schemes, field[SCHEME]) >= 0;
    row->layer.scheme = row->in_contract ? LOOKUP(schemes, field[SCHEME]) : 0;
    row->layer.activation = LOOKUP(activations, field[ACT]);
    row->layer.routing = LOOKUP(routings, field[ROUTING]);
    row->layer.router_dtype = LOOKUP(router_dtypes, field[RDT]);
    row->layer.dtype = LOOKUP(dtypes, field[IDT]);
    require(row->layer.activation >= 0 && row->layer.routing >= 0 && row->layer.router_dtype >= 0 &&
                row->layer.dtype >= 0,
            "unknown word");
    row->layer.bias = field[BIAS][0] == '1';
    row->layer.hidden_size = atoi(field[HIDDEN]);
    row->layer.intermediate_size = atoi(field[INTER]);
    row->layer.num_experts = atoi(field[NEXP]);
    set_situ(&row->layer, field[SITU]);
    set_limit(row, field[LIMIT]);
    row->deployment.device.sm = atoi(field[SM]);
    row->deployment.lora = field[LORA][0] == '1';
    set_parallel(&row->deployment, field[PAR]);
    set_libraries(&row->deployment, field[PROFILE]);
    snprintf(row->word, sizeof row->word, "%s", field[BACKEND]);
    snprintf(row->result, sizeof row->result, "%s", field[RESULT]);
    snprintf(row->kernel, sizeof row->kernel, "%s", field[KERNEL]);
    snprintf(row->reason, sizeof row->reason, "%s", field[REASON]);
    snprintf(row->trace, sizeof row->trace, "%s", field[TRACE]);
    row->batched = strcmp(field[FORMAT], "batched") == 0;
    set_environment(row, field[ENV]);
    row->word_known = nvfp4_policy_find_backend(row->policy, row->word, &backend) == NVFP4_OK;
    row->deployment.requested = row->word_known ? (int32_t)backend : NVFP4_BACKEND_NONE;
}

struct golden_table golden_read(const char *policy_name)
{
    char path[512], line[2048];
    struct golden_table table = { NULL, 0 };
    snprintf(path, sizeof path, "%s/%s.tsv", NVFP4_GOLDEN_DIR, policy_name);
    FILE *file = fopen(path, "r");
    require(file != NULL, path);
    table.rows = calloc(8192, sizeof *table.rows);
    require(table.rows != NULL, "out of memory");
    require(fgets(line, sizeof line, file) != NULL, path); /* names of the columns */
    for (int number = 2; fgets(line, sizeof line, file) != NULL; number++) {
        char *field[COLUMNS];
        char *at = line;
        line[strcspn(line, "\r\n")] = '\0';
        for (int i = 0; i < COLUMNS; i++) {
            field[i] = at;
            char *tab = strchr(at, '\t');
            if (tab != NULL)
                *tab = '\0';
            at = tab != NULL ? tab + 1 : at + strlen(at);
        }
        require(table.count < 8192, "too many rows");
        struct golden_row *row = &table.rows[table.count++];
        row->policy = nvfp4_policy_builtin(policy_name);
        row->line = number;
        set_row(row, field);
    }
    fclose(file);
    require(table.count > 500, "too few rows");
    return table;
}

void golden_free(struct golden_table *table)
{
    free(table->rows);
    table->rows = NULL;
    table->count = 0;
}
