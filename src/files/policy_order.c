/* SPDX-License-Identifier: Apache-2.0 */
/* The order of preference: rows move, and what counts rows by their place moves with them. */
#include "files/policy_reader.h"

#include <string.h>

void nvfp4_policy_reorder(struct policy_draft *draft, const uint8_t order[NVFP4_KERNELS_MAX])
{
    struct nvfp4_row rows[NVFP4_KERNELS_MAX];
    struct policy_marks marks[NVFP4_KERNELS_MAX];
    const int count = draft->policy.row_count;
    for (int i = 0; i < count; i++) {
        rows[i] = draft->rows[order[i]];
        marks[i] = draft->marks[order[i]];
    }
    memcpy(draft->rows, rows, (size_t)count * sizeof rows[0]);
    memcpy(draft->marks, marks, (size_t)count * sizeof marks[0]);
    for (int e = 0; e < draft->policy.erratum_count; e++) {
        nvfp4_kernel_set moved = 0;
        for (int i = 0; i < count; i++)
            moved |= (draft->errata[e].kernels >> order[i] & 1) << i;
        draft->errata[e].kernels = moved;
    }
}

void nvfp4_policy_move_set(struct policy_draft *draft, nvfp4_kernel_set moved,
                           nvfp4_kernel_set target, int after)
{
    uint8_t order[NVFP4_KERNELS_MAX];
    const int count = draft->policy.row_count;
    int place = -1, used = 0;
    target &= ~moved;
    for (int i = 0; i < count; i++)
        if ((target >> i & 1) && (place < 0 || after))
            place = i;
    if (place < 0)
        return;
    for (int i = 0; i <= count; i++) {
        if (i == place + (after != 0))
            for (int k = 0; k < count; k++)
                if (moved >> k & 1)
                    order[used++] = (uint8_t)k;
        if (i < count && !(moved >> i & 1))
            order[used++] = (uint8_t)i;
    }
    nvfp4_policy_reorder(draft, order);
}

void nvfp4_policy_sort_opt_in(struct policy_draft *draft)
{
    uint8_t order[NVFP4_KERNELS_MAX];
    int used = 0;
    for (int opt_in = 0; opt_in < 2; opt_in++) {
        for (int i = 0; i < draft->policy.row_count; i++)
            if ((draft->rows[i].opt_in != 0) == opt_in)
                order[used++] = (uint8_t)i;
        draft->policy.auto_count = opt_in ? draft->policy.auto_count : (uint8_t)used;
    }
    nvfp4_policy_reorder(draft, order);
}
