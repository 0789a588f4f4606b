/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of one file that name the same kernel, where only one of them can have its way. */
#include "files/policy_reader.h"

static const struct {
    const char *loser, *winner; /* by the order in which the sections are read */
} pairs[] = {
    { "auto", "opt_in" },
    { "prefer", "disable" },
};

static nvfp4_kernel_set set_of(const struct policy_reader *reader, const nvfp4_node *node)
{
    nvfp4_kernel_set set = 0;
    return node != NULL && nvfp4_policy_read_kernels(reader, node, &set) == NVFP4_OK ? set : 0;
}

void nvfp4_policy_find_contradictions(const struct policy_reader *reader, const nvfp4_node *root)
{
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const nvfp4_kernel_set lost = set_of(reader, nvfp4_node_get(root, pairs[i].loser));
        const nvfp4_node *const list = nvfp4_node_get(root, pairs[i].winner);
        for (const nvfp4_node *n = list != NULL ? nvfp4_policy_first_item(list) : NULL; n != NULL;
             n = nvfp4_policy_next_item(list, n))
            if (set_of(reader, n) & lost)
                nvfp4_policy_remark_at(reader->remarks, NVFP4_SEVERITY_WARNING,
                                       (struct policy_place){ n->line, n->column },
                                       "%.60s stands under '%s' too, but '%s' decides", n->text,
                                       pairs[i].loser, pairs[i].winner);
    }
}
