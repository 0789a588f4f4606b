/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_CLAMP_H
#define NVFP4_CORE_CLAMP_H

#include "core/question.h"

/* What the kernel does with limit, alpha and beta here; never NULL: a kernel without a rule takes none. */
const struct nvfp4_clamp_rule *nvfp4_clamp_rule(const struct question *q, const struct nvfp4_row *row);

/* Does it compute something else than asked, for the limit's sake? */
int nvfp4_clamp_fails(const struct question *q, const struct nvfp4_clamp_rule *rule);

/* Does it compute something else than asked, for alpha's or beta's sake? */
int nvfp4_constants_fail(const struct question *q, const struct nvfp4_clamp_rule *rule);

/* What to pass to the kernel. */
void nvfp4_clamp_forward(const struct question *q, const struct nvfp4_row *row, nvfp4_forward *forward);

#endif
