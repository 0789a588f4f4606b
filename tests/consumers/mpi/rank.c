/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_library(struct rank *rank, const char *key, const char *value)
{
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        nvfp4_library_version *version = &rank->deployment.libraries[i];
        if (strcmp(key, nvfp4_library_name((nvfp4_library)i)) != 0)
            continue;
        if (strcmp(value, "absent") != 0)
            return nvfp4_version_parse(value, version) == NVFP4_OK;
        *version = NVFP4_LIBRARY_ABSENT;
        return 1;
    }
    return 0;
}

static int read_activation(struct rank *rank, const char *value)
{
    for (int i = 0; i < NVFP4_ACTIVATION_COUNT; i++)
        if (strcmp(value, nvfp4_activation_name((nvfp4_activation)i)) == 0) {
            rank->layer.activation = i;
            return 1;
        }
    return 0;
}

static void set_limit(nvfp4_moe_layer *layer, double limit)
{
    layer->has |= NVFP4_HAS_SWIGLU_LIMIT;
    layer->swiglu_limit = limit;
}

static int read_key(struct rank *rank, const char *key, const char *value)
{
    if (strcmp(key, "policy") == 0)
        return (rank->policy = nvfp4_policy_builtin(value)) != NULL;
    if (strcmp(key, "disable") == 0)
        return nvfp4_policy_find_kernels(rank->policy, value, &rank->deployment.disabled) ==
               NVFP4_OK;
    if (strcmp(key, "activation") == 0)
        return read_activation(rank, value);
    if (strcmp(key, "backend") == 0)
        rank->backend = value;
    else if (strcmp(key, "sm") == 0)
        rank->deployment.device.sm = atoi(value);
    else if (strcmp(key, "tensor_parallel") == 0)
        rank->deployment.tensor_parallel = atoi(value);
    else if (strcmp(key, "intermediate_size") == 0)
        rank->layer.intermediate_size = atoi(value);
    else if (strcmp(key, "swiglu_limit") == 0)
        set_limit(&rank->layer, strtod(value, NULL));
    else
        return read_library(rank, key, value);
    return 1;
}

static int read_argument(struct rank *rank, const char *argument)
{
    char key[32];
    const char *equals = strchr(argument, '=');
    if (equals == NULL || (size_t)(equals - argument) >= sizeof key)
        return 0;
    memcpy(key, argument, (size_t)(equals - argument));
    key[equals - argument] = '\0';
    return read_key(rank, key, equals + 1);
}

/* Is this rank's number in "3" or "2-5"? */
static int in_ranks(int number, const char *ranks)
{
    char *end;
    const long first = strtol(ranks, &end, 10);
    const long last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
    return number >= first && number <= last;
}

void rank_read(struct rank *rank, int count, char *const *arguments)
{
    int mine = 1;
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "--rank") == 0) {
            i++;
            mine = i < count && in_ranks(rank->number, arguments[i]);
        } else if (mine && !read_argument(rank, arguments[i])) {
            printf("rank %d: cannot read %s\n", rank->number, arguments[i]);
            rank->failed = 1;
        }
    }
}

/* A user's word has its meaning from the policy, so it is looked up when both are known. */
static nvfp4_status find_backend(struct rank *rank)
{
    nvfp4_backend backend = NVFP4_BACKEND_NONE;
    const nvfp4_status status =
        rank->backend == NULL ? NVFP4_OK
                              : nvfp4_policy_find_backend(rank->policy, rank->backend, &backend);
    rank->deployment.requested = (int32_t)backend;
    return status;
}

nvfp4_agreement rank_record(struct rank *rank)
{
    nvfp4_agreement record = NVFP4_AGREEMENT_INIT;
    if (rank->failed)
        return record;
    nvfp4_status status = find_backend(rank);
    if (status == NVFP4_OK)
        status = nvfp4_agreement_make(&rank->layer, &rank->deployment, rank->policy, &record);
    if (status != NVFP4_OK)
        printf("rank %d: no valid question: %s\n", rank->number, nvfp4_status_text(status));
    return record;
}

void print_differences(const nvfp4_agreement_report *report)
{
    for (int i = 0; i < NVFP4_INPUT_END; i++) {
        if (!(report->differs & NVFP4_INPUT_BIT(i)))
            continue;
        printf("%s differs on rank %zu", nvfp4_input_name((nvfp4_input)i), report->first_rank[i]);
        if (report->rank_count[i] > 1)
            printf(" and %zu more", report->rank_count[i] - 1);
        printf("\n");
    }
}

void print_losses(const nvfp4_policy *policy, const nvfp4_agreement *records, size_t count)
{
    for (size_t k = 0; k < nvfp4_policy_kernel_count(policy); k++) {
        nvfp4_kernel_info info;
        size_t lacking = 0, first = 0;
        for (size_t rank = count; rank-- > 0;)
            if (!(nvfp4_agreement_kernels(&records[rank]) >> k & 1)) {
                lacking++;
                first = rank;
            }
        if (lacking == 0 || lacking == count || nvfp4_policy_kernel(policy, k, &info) != NVFP4_OK)
            continue;
        printf("%s%s%s falls out on rank %zu", info.backend_name,
               info.kernel_name[0] != '\0' ? "/" : "", info.kernel_name, first);
        if (lacking > 1)
            printf(" and %zu more", lacking - 1);
        printf("\n");
    }
}

void print_answer(const struct rank *rank, nvfp4_status status, const nvfp4_selection *selection)
{
    if (status == NVFP4_OK)
        printf("rank %d: %s\n", rank->number,
               nvfp4_policy_backend_name(rank->policy, (nvfp4_backend)selection->backend));
    else
        printf("rank %d: %s\n", rank->number, nvfp4_status_text(status));
}
