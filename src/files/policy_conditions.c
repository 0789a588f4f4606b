/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a kernel. */
#include "files/policy_reader.h"

#include <string.h>

const char *const nvfp4_policy_condition_words[] = {
    [CONDITION_RULES_OUT - 1] = "rules_out",
    [CONDITION_LIBRARY - 1] = "needs",
    [CONDITION_ROWS_MULTIPLE - 1] = "fc1_rows_multiple_of",
    [CONDITION_WIDTH_MULTIPLE - 1] = "width_multiple_of",
    [CONDITION_EXPERTS_BELOW - 1] = "experts_below",
    [CONDITION_TOP_K_AT_MOST - 1] = "top_k_at_most",
    [CONDITION_SITU_BETAS - 1] = "situ_betas",
    [CONDITION_DOUBT - 1] = "doubt",
    NULL
};
const char *const nvfp4_policy_situ_words[] = { "may_be_absent", "must_be_given", NULL };

int nvfp4_policy_usual_reason(int kind)
{
    switch (kind) {
    case CONDITION_LIBRARY:
        return NVFP4_REASON_DEPENDENCY;
    case CONDITION_ROWS_MULTIPLE:
    case CONDITION_WIDTH_MULTIPLE:
        return NVFP4_REASON_SHAPE;
    case CONDITION_EXPERTS_BELOW:
        return NVFP4_REASON_EXPERT_COUNT;
    case CONDITION_SITU_BETAS:
        return NVFP4_REASON_ACTIVATION_PARAMS;
    case CONDITION_TOP_K_AT_MOST:
        return -1;
    default: /* RULES_OUT names its reason itself, DOUBT has none */
        return 0;
    }
}

/* Reasons that a rule may give; the others are the library's own to give. */
static nvfp4_status read_reason(const struct policy_reader *reader, const nvfp4_node *node,
                                uint8_t *reason)
{
    static const struct {
        const char *word;
        uint8_t own;
    } all[] = {
#define X(name, value, word, text)                                                                 \
    { word, (value) == NVFP4_REASON_OPT_IN || (value) == NVFP4_REASON_NOT_BUILT ||                 \
                (value) == NVFP4_REASON_ERRATUM || (value) == NVFP4_REASON_PEER },
        NVFP4_REASON_MAP(X)
#undef X
    };
    const char *words[COUNT_OF(all) + 1];
    uint8_t reasons[COUNT_OF(all)];
    int count = 0, index = -1;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!all[i].own) {
            reasons[count] = (uint8_t)i;
            words[count++] = all[i].word;
        }
    words[count] = NULL;
    const nvfp4_status status = nvfp4_policy_read_word(reader, node, "a reason", words, &index);
    if (status == NVFP4_OK && index >= 0)
        *reason = reasons[index];
    return status;
}

/* needs: {flashinfer: 0.6.16}; `any` version will do. */
static nvfp4_status read_need(const struct policy_reader *reader, const nvfp4_node *node,
                              struct nvfp4_condition *c)
{
    const nvfp4_node *const n = node->kind == NVFP4_NODE_MAPPING ? node->first : NULL;
    if (n == NULL || node->count != 1)
        return nvfp4_policy_must_be(reader, node, "one library, as in {flashinfer: 0.6.16}");
    uint8_t library = c->library;
    nvfp4_status status = nvfp4_policy_read_library(reader, n, n->key, &library);
    if (status == NVFP4_OK && (c->since != 0 || c->until != 0) && library != c->library)
        status =
            nvfp4_policy_fail_key(reader, n, "a condition looks at one library, here at %s and %s",
                                  nvfp4_library_name((nvfp4_library)library),
                                  nvfp4_library_name((nvfp4_library)c->library));
    c->library = library;
    if (status == NVFP4_OK && !nvfp4_node_is(n, "any"))
        status = nvfp4_policy_read_version(reader, n, &c->number);
    return status;
}

static nvfp4_status read_condition_value(const struct policy_reader *reader, const nvfp4_node *node,
                                         struct nvfp4_condition *c)
{
    int64_t number = 1;
    int word = 0;
    nvfp4_status status;
    switch (c->kind) {
    case CONDITION_RULES_OUT:
        return read_reason(reader, node, &c->reason);
    case CONDITION_LIBRARY:
        return read_need(reader, node, c);
    case CONDITION_SITU_BETAS:
        status = nvfp4_policy_read_word(reader, node, "situ_betas", nvfp4_policy_situ_words, &word);
        c->number = (uint64_t)word;
        return status;
    case CONDITION_DOUBT:
        if (c->note != NULL)
            return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                                     "a doubt is its own note; leave 'note' out");
        return nvfp4_policy_read_text(reader, node, &c->note);
    default:
        status = nvfp4_policy_read_number(reader, node, 1, NVFP4_SIZE_MAX, &number);
        c->number = (uint64_t)number;
        return status;
    }
}

/* The one key of a condition that says what it is. */
static nvfp4_status find_kind(const struct policy_reader *reader, const nvfp4_node *mapping,
                              const nvfp4_node **value, uint8_t *kind)
{
    *value = NULL;
    for (int i = 0; nvfp4_policy_condition_words[i] != NULL; i++) {
        const nvfp4_node *const n = nvfp4_node_get(mapping, nvfp4_policy_condition_words[i]);
        if (n == NULL)
            continue;
        if (*value != NULL)
            return nvfp4_policy_fail_key(
                reader, n, "one condition has both '%s' and '%s'; make two", (*value)->key, n->key);
        *value = n;
        *kind = (uint8_t)(i + 1);
    }
    if (*value == NULL)
        return nvfp4_policy_fail(
            reader, mapping, NVFP4_ESCHEMA,
            "a condition needs one of rules_out, needs, fc1_rows_multiple_of, "
            "width_multiple_of, experts_below, top_k_at_most, situ_betas, doubt");
    return NVFP4_OK;
}

static nvfp4_status read_condition_reason(const struct policy_reader *reader,
                                          const nvfp4_node *mapping, struct nvfp4_condition *c)
{
    const nvfp4_node *const reason = nvfp4_node_get(mapping, "reason");
    const int usual = nvfp4_policy_usual_reason(c->kind);
    if (c->kind == CONDITION_RULES_OUT || c->kind == CONDITION_DOUBT) {
        if (reason != NULL)
            return nvfp4_policy_fail_key(reader, reason, "'%s' takes no reason beside it",
                                         nvfp4_policy_condition_words[c->kind - 1]);
        return NVFP4_OK;
    }
    if (reason != NULL)
        return read_reason(reader, reason, &c->reason);
    if (usual < 0)
        return nvfp4_policy_fail(reader, mapping, NVFP4_ESCHEMA, "'%s' needs a reason beside it",
                                 nvfp4_policy_condition_words[c->kind - 1]);
    c->reason = (uint8_t)usual;
    return NVFP4_OK;
}

nvfp4_status nvfp4_policy_read_condition(const struct policy_reader *reader, const nvfp4_node *node,
                                         struct nvfp4_condition *condition)
{
    static const char *const keys[] = {
        "rules_out", "needs", "fc1_rows_multiple_of", "width_multiple_of", "experts_below",
        "top_k_at_most", "situ_betas", "doubt", "when", "reason", "library", "from", "below",
        "note", "source", NULL
    };
    const nvfp4_node *value = NULL;
    struct policy_common common;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a condition", keys, 0);
    *condition = (struct nvfp4_condition){ .kind = CONDITION_DOUBT };
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    status = nvfp4_policy_read_common(reader, node, &common);
    if (status != NVFP4_OK)
        return status;
    *condition = (struct nvfp4_condition){
        .when = common.when,
        .kind = CONDITION_DOUBT,
        .library = common.library,
        .until = common.below,
        .since = common.from,
        .note = common.note,
        .source = common.source,
    };
    status = find_kind(reader, node, &value, &condition->kind);
    if (status != NVFP4_OK || value == NULL)
        return status;
    status = read_condition_value(reader, value, condition);
    return status == NVFP4_OK ? read_condition_reason(reader, node, condition) : status;
}
