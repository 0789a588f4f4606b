/* SPDX-License-Identifier: Apache-2.0 */
#include "core/compile.h"

#include <string.h>

void policy_compile(const nvfp4_policy *policy, struct nvfp4_compiled *compiled)
{
    memset(compiled, 0, sizeof *compiled);
    for (int i = 0; i < policy->row_count; i++) {
        const struct nvfp4_row *row = &policy->rows[i];
        const nvfp4_kernel_set bit = (nvfp4_kernel_set)1 << i;
        for (int n = 0; n < 64; n++) {
            compiled->device[n] |= row->device >> n & 1 ? bit : 0;
            compiled->value[n] |= row->values >> n & 1 ? bit : 0;
        }
        for (uint32_t set = 0; set < 1u << FLAGS_LOW_BITS; set++)
            compiled->flags_low[set] |= row->cannot & set ? 0 : bit;
        for (uint32_t set = 0; set < 1u << (FLAG_COUNT - FLAGS_LOW_BITS); set++)
            compiled->flags_high[set] |= row->cannot & set << FLAGS_LOW_BITS ? 0 : bit;
        compiled->backend[row->backend] |= bit;
        compiled->backend[NVFP4_BACKEND_NONE] |= row->opt_in ? 0 : bit;
    }
}
