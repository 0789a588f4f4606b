/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_POLICY_H
#define NVFP4MOE_FILES_POLICY_H

/**
 * @file policy.h
 * @brief Policies by name, for the other readers and the tool. Internal to the library.
 */

#include <nvfp4moe/policy.h>

/**
 * @brief As nvfp4_policy_find(); a relative path is looked for beside the file @p beside, so that a
 *        request can name a policy that lies next to it.
 * @param beside NULL: relative to the working directory.
 */
nvfp4_status nvfp4_policy_find_beside(const char *name, const char *beside,
                                      const nvfp4_policy **policy, nvfp4_error *error);

/** The variable's value; NULL where it is unset, empty, or not to be trusted. */
const char *nvfp4_environment(const char *variable);

#endif
