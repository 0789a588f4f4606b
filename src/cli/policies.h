/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_POLICIES_H
#define NVFP4MOE_CLI_POLICIES_H

/**
 * @file policies.h
 * @brief Policies by the names that a command line gives.
 */

#include <nvfp4moe/policy.h>

/** The policy of that name, alias or file, to be freed. @return NULL after a complaint. */
const nvfp4_policy *nvfp4_cli_policy(const char *name);

/** The command `policy diff A B`; `argv[0]` is "diff". @return an exit code. */
int nvfp4_cmd_policy_diff(int argc, char **argv);

#endif
