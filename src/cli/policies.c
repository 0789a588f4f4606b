/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/policies.h"

#include "cli/terminal.h"

const nvfp4_policy *nvfp4_cli_policy(const char *name)
{
    const nvfp4_policy *policy = NULL;
    nvfp4_error error;
    if (nvfp4_policy_find(name, &policy, &error) == NVFP4_OK)
        return policy;
    nvfp4_cli_complain_error(&error);
    return NULL;
}
