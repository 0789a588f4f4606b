/* SPDX-License-Identifier: Apache-2.0 */
/* The errata of a policy: known defects, by name. */
#include "files/policy_reader.h"

#include <string.h>

static nvfp4_status read_sizes(const struct policy_reader *reader, const nvfp4_node *mapping,
                               struct nvfp4_erratum *e)
{
    struct {
        const char *key;
        int64_t *size;
    } const sizes[] = {
        { "num_experts", &e->experts },
        { "hidden_size", &e->hidden },
        { "intermediate_size_per_rank", &e->width },
        { "top_k", &e->top_k },
    };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < COUNT_OF(sizes) && status == NVFP4_OK; i++) {
        const nvfp4_node *const n = nvfp4_node_get(mapping, sizes[i].key);
        if (n != NULL)
            status = nvfp4_policy_read_number(reader, n, 1, NVFP4_SIZE_MAX, sizes[i].size);
    }
    return status;
}

static nvfp4_status read_erratum(const struct policy_reader *reader, const nvfp4_node *node,
                                 struct nvfp4_erratum *erratum)
{
    static const char *const keys[] = {
        "erratum", "kernels", "when", "library", "from", "below", "num_experts", "hidden_size",
        "intermediate_size_per_rank", "top_k", "text", "source", NULL
    };
    struct policy_common common;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "an erratum", keys, 0);
    *erratum = (struct nvfp4_erratum){ .name = "", .text = "" };
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    const nvfp4_node *const name = nvfp4_node_get(node, "erratum");
    const nvfp4_node *const kernels = nvfp4_node_get(node, "kernels");
    const nvfp4_node *const text = nvfp4_node_get(node, "text");
    if (name == NULL || kernels == NULL || text == NULL)
        return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA, "an erratum needs '%s'",
                                 name == NULL      ? "erratum"
                                 : kernels == NULL ? "kernels"
                                                   : "text");
    status = nvfp4_policy_read_common(reader, node, &common);
    erratum->when = common.when;
    erratum->library = common.has_library ? common.library : LIBRARY_NONE;
    erratum->from = common.from;
    erratum->below = common.below;
    erratum->source = common.source;
    if (status == NVFP4_OK)
        status = nvfp4_policy_read_name(reader, name, "a name", &erratum->name);
    if (status == NVFP4_OK)
        status = nvfp4_policy_read_text(reader, text, &erratum->text);
    if (status == NVFP4_OK)
        status = nvfp4_policy_read_kernels(reader, kernels, &erratum->kernels);
    return status == NVFP4_OK ? read_sizes(reader, node, erratum) : status;
}

static int find_erratum(const struct policy_draft *draft, const char *name)
{
    int at = 0;
    while (at < draft->policy.erratum_count && strcmp(draft->errata[at].name, name) != 0)
        at++;
    return at;
}

nvfp4_status nvfp4_policy_read_errata(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    if (node->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_policy_must_be(reader, node, "a list of errata");
    for (const nvfp4_node *n = node->first; n != NULL; n = n->next) {
        struct nvfp4_erratum erratum;
        nvfp4_status status = read_erratum(reader, n, &erratum);
        const int at = find_erratum(draft, erratum.name);
        if (status == NVFP4_OK && erratum.name[0] == '\0') /* a check goes on behind it */
            continue;
        if (status == NVFP4_OK && at < draft->policy.erratum_count &&
            draft->erratum_places[at].line != 0)
            status = nvfp4_policy_fail(reader, n, NVFP4_ESCHEMA, "the erratum '%s' stands twice",
                                       erratum.name);
        if (status == NVFP4_OK && at == POLICY_ERRATA)
            return nvfp4_policy_fail(reader, n, NVFP4_ELIMIT, "a policy has at most %d errata",
                                     POLICY_ERRATA);
        if (status != NVFP4_OK)
            return status;
        draft->errata[at] = erratum;
        draft->erratum_places[at] = (struct policy_place){ n->line, n->column };
        draft->policy.erratum_count =
            (uint8_t)(draft->policy.erratum_count + (at == draft->policy.erratum_count));
    }
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_errata_off(const struct policy_reader *reader,
                                          const nvfp4_node *node)
{
    struct policy_draft *const draft = reader->draft;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        const char *names[POLICY_ERRATA + 1];
        int at = -1;
        for (int i = 0; i < draft->policy.erratum_count; i++)
            names[i] = draft->errata[i].name;
        names[draft->policy.erratum_count] = NULL;
        const nvfp4_status status = nvfp4_policy_read_word(reader, n, "errata_off", names, &at);
        if (status != NVFP4_OK)
            return status;
        if (at < 0)
            continue;
        for (int i = at; i + 1 < draft->policy.erratum_count; i++) {
            draft->errata[i] = draft->errata[i + 1];
            draft->erratum_places[i] = draft->erratum_places[i + 1];
        }
        draft->policy.erratum_count--;
    }
    return NVFP4_OK;
}
