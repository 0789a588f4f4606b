/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a policy file. What loads must come through printing and reading as the same policy,
 * and decide fast what its verdicts say; what does not load must be refused with a message, by a
 * check too.
 */
#include "fuzz.h"

#include <string.h>

#include <nvfp4moe/nvfp4moe.h>

#include "policy_sweep.h"

enum { REQUESTS = 12, REMARKS = 32 };

static char *print(const nvfp4_policy *policy, size_t *length)
{
    size_t again = 0;
    HOLDS(nvfp4_policy_print(policy, NVFP4_PRINT_EVIDENCE, NULL, 0, length) == NVFP4_OK);
    char *const text = malloc(*length + 1);
    HOLDS(text != NULL);
    HOLDS(nvfp4_policy_print(policy, NVFP4_PRINT_EVIDENCE, text, *length + 1, &again) == NVFP4_OK);
    HOLDS(again == *length && strlen(text) == again);
    return text;
}

static void use(const nvfp4_policy *policy, const nvfp4_policy *again, uint64_t seed)
{
    for (uint64_t i = 0; i < REQUESTS; i++) {
        struct sweep_request request;
        sweep_make(&request, seed + i);
        HOLDS(sweep_same(&request.layer, &request.deployment, policy, again));
    }
}

/* What stands in a check of the same text. @return errors among it */
static size_t check(const char *text, size_t length)
{
    nvfp4_policy_remark remarks[REMARKS];
    nvfp4_error error;
    size_t count = 0, errors = 0;
    const nvfp4_status status =
        nvfp4_policy_check_text(text, length, NULL, remarks, REMARKS, &count, &error);
    if (status != NVFP4_OK)
        return 1;
    for (size_t i = 0; i < count && i < REMARKS; i++) {
        HOLDS(remarks[i].message[0] != '\0' && remarks[i].line >= 0);
        HOLDS((remarks[i].line > 0) == (remarks[i].column > 0));
        errors += remarks[i].severity == NVFP4_SEVERITY_ERROR;
    }
    return errors;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const nvfp4_policy *policy = NULL, *again = NULL;
    nvfp4_error error;
    memset(&error, 0, sizeof error);
    const char *const text = (const char *)data;
    const nvfp4_status status = nvfp4_policy_parse(text, size, NULL, &policy, &error);
    const size_t errors = check(text, size);
    HOLDS((status == NVFP4_OK) == (errors == 0));
    if (status != NVFP4_OK) {
        HOLDS(policy == NULL && error.status == status && error.message[0] != '\0');
        return 0;
    }
    size_t length, length_again;
    char *const printed = print(policy, &length);
    HOLDS(nvfp4_policy_parse(printed, length, NULL, &again, &error) == NVFP4_OK);
    HOLDS(nvfp4_policy_hash(policy) == nvfp4_policy_hash(again));
    char *const printed_again = print(again, &length_again);
    HOLDS(length == length_again && memcmp(printed, printed_again, length) == 0);
    use(policy, again, nvfp4_policy_hash(policy));
    free(printed);
    free(printed_again);
    nvfp4_policy_free(policy);
    nvfp4_policy_free(again);
    return 0;
}
