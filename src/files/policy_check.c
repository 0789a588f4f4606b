/* SPDX-License-Identifier: Apache-2.0 */
#include "files/policy_reader.h"

void nvfp4_policy_lint(const struct policy_draft *draft, struct policy_remarks *remarks)
{
    (void)draft;
    (void)remarks;
}
