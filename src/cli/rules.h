/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_RULES_H
#define NVFP4MOE_CLI_RULES_H

/**
 * @file rules.h
 * @brief One question under several policies.
 */

#include <nvfp4moe/matrix.h>

#include "cli/explain.h"

/** Most policies side by side. */
#define NVFP4_CLI_RULES 8

/** Policies, each with the question as it is read under it. All zero is empty. */
typedef struct nvfp4_cli_rules {
    nvfp4_request *requests[NVFP4_CLI_RULES]; /**< hold what `policies` point to */
    nvfp4_matrix_policy policies[NVFP4_CLI_RULES];
    size_t count;
} nvfp4_cli_rules;

/**
 * @brief Read a question under each policy of a list.
 * @param base  The layer below what the question says, or NULL.
 * @param list  "vllm,default", names or files; NULL: the policy that the question itself names.
 * @param error Filled on failure.
 * @return The status of reading it under the first policy that it cannot be read under.
 */
nvfp4_status nvfp4_cli_rules_make(nvfp4_cli_rules *rules, nvfp4_cli_question *question,
                                  const nvfp4_moe_layer *base, const char *list,
                                  nvfp4_error *error);
void nvfp4_cli_rules_free(nvfp4_cli_rules *rules);

/**
 * @brief `explain --policy A,B`: what the policies of a list answer, side by side, on stdout.
 * @param question Prepared, and without a policy of its own.
 * @param model    Ask for every group of layers of this checkpoint; NULL: the question alone.
 * @return The exit code: 0 where every policy selects a backend for all of it.
 */
int nvfp4_cli_compare(nvfp4_cli_question *question, const char *model, const char *list, int form);

#endif
