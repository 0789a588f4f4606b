/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/policies.h"

#include "cli/terminal.h"
#include "files/nearest.h"

const nvfp4_policy *nvfp4_cli_policy(const char *name)
{
    const nvfp4_policy *policy = nvfp4_policy_builtin(name);
    nvfp4_nearest search;
    const char *known;
    if (policy != NULL)
        return policy;
    nvfp4_nearest_begin(&search, name);
    for (size_t i = 0; (policy = nvfp4_policy_builtin_at(i)) != NULL; i++)
        nvfp4_nearest_offer(&search, nvfp4_policy_name(policy));
    for (size_t i = 0; (known = nvfp4_policy_alias_at(i, NULL)) != NULL; i++)
        nvfp4_nearest_offer(&search, known);
    if (search.best != NULL)
        nvfp4_cli_complain("unknown policy '%.60s'; did you mean '%s'?", name, search.best);
    else
        nvfp4_cli_complain("unknown policy '%.60s'; see nvfp4-select policy list", name);
    return NULL;
}
