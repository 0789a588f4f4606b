/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel does with a limit: its clamp rules. */
#include "files/policy_reader.h"

const char *const nvfp4_policy_limit_words[] = { [LIMIT_TAKEN - 1] = "taken",
                                                 [LIMIT_IGNORED - 1] = "ignored",
                                                 NULL };
const char *const nvfp4_policy_absent_words[] = {
    [ABSENT_FINE] = "fine", [ABSENT_REFUSED] = "refused", [ABSENT_CLAMPS] = "clamps", NULL
};

static int is_number(const nvfp4_node *node)
{
    return node != NULL && nvfp4_node_number(node, NULL);
}

static nvfp4_status read_limit(const struct policy_reader *reader, const nvfp4_node *mapping,
                               struct nvfp4_clamp_rule *rule)
{
    const nvfp4_node *const limit = nvfp4_node_get(mapping, "limit");
    const nvfp4_node *const absent = nvfp4_node_get(mapping, "without_limit");
    int word = 0;
    nvfp4_status status = NVFP4_OK;
    rule->limit = LIMIT_IGNORED;
    if (limit == NULL)
        return nvfp4_policy_fail(reader, mapping, NVFP4_ESCHEMA,
                                 "a clamp rule needs 'limit': taken, ignored, or the kernel's own "
                                 "constant");
    if (is_number(limit)) {
        rule->limit = LIMIT_CONSTANT;
        status = nvfp4_policy_read_real(reader, limit, &rule->limit_constant);
        if (status == NVFP4_OK && !(rule->limit_constant > 0))
            status = nvfp4_policy_must_be(reader, limit, "taken, ignored, or a number above 0");
    } else {
        status = nvfp4_policy_read_word(reader, limit, "limit", nvfp4_policy_limit_words, &word);
        rule->limit = (uint8_t)(word + 1);
    }
    if (status != NVFP4_OK || absent == NULL)
        return status;
    word = 0;
    if (!is_number(absent)) {
        status = nvfp4_policy_read_word(reader, absent, "without_limit", nvfp4_policy_absent_words,
                                        &word);
        rule->absent = (uint8_t)word;
        return status;
    }
    double constant = rule->limit_constant;
    status = nvfp4_policy_read_real(reader, absent, &constant);
    rule->absent = ABSENT_CLAMPS;
    if (status == NVFP4_OK && !(constant > 0))
        status =
            nvfp4_policy_must_be(reader, absent, "fine, refused, clamps, or a number above 0");
    else if (status == NVFP4_OK && rule->limit == LIMIT_CONSTANT &&
             constant != rule->limit_constant)
        status = nvfp4_policy_fail(reader, absent, NVFP4_ESCHEMA,
                                   "a kernel has one constant; 'limit' says another");
    rule->limit_constant = constant;
    return status;
}

/* alpha and beta: both taken, or two constants. */
static nvfp4_status read_alpha_beta(const struct policy_reader *reader, const nvfp4_node *mapping,
                                    struct nvfp4_clamp_rule *rule)
{
    static const char *const words[] = { "taken", NULL };
    const nvfp4_node *const nodes[2] = { nvfp4_node_get(mapping, "alpha"),
                                         nvfp4_node_get(mapping, "beta") };
    double constants[2] = { 1.0, 0.0 };
    int taken = 0;
    nvfp4_status status = NVFP4_OK;
    for (int i = 0; i < 2 && status == NVFP4_OK; i++) {
        int word = -1;
        if (nodes[i] == NULL)
            continue;
        if (is_number(nodes[i])) {
            status = nvfp4_policy_read_real(reader, nodes[i], &constants[i]);
            continue;
        }
        status = nvfp4_policy_read_word(reader, nodes[i], nodes[i]->key, words, &word);
        taken |= 1 << i;
    }
    if (status == NVFP4_OK && taken != 0 && taken != 3)
        status = nvfp4_policy_fail(reader, taken == 1 ? nodes[0] : nodes[1], NVFP4_ESCHEMA,
                                   "a kernel takes alpha and beta both, or neither");
    rule->takes_alpha_beta = taken == 3;
    rule->alpha_constant = taken == 3 ? 0 : constants[0];
    rule->beta_constant = taken == 3 ? 0 : constants[1];
    return status;
}

static nvfp4_status read_clamp_options(const struct policy_reader *reader,
                                       const nvfp4_node *mapping, struct nvfp4_clamp_rule *rule)
{
    static const char *const spaces[] = {
#define X(name, value, word) [value] = word,
        NVFP4_LIMIT_SPACE_MAP(X)
#undef X
            [NVFP4_LIMIT_SPACE_COUNT] = NULL
    };
    const nvfp4_node *const after = nvfp4_node_get(mapping, "after_activation");
    const nvfp4_node *const space = nvfp4_node_get(mapping, "limit_space");
    int word = NVFP4_LIMIT_SPACE_REAL;
    nvfp4_status status = NVFP4_OK;
    if (after != NULL)
        status = nvfp4_policy_read_flag(reader, after, &rule->after_activation);
    if (status == NVFP4_OK && space != NULL)
        status = nvfp4_policy_read_word(reader, space, "limit_space", spaces, &word);
    rule->space = (uint8_t)word;
    return status;
}

nvfp4_status nvfp4_policy_read_clamp_rule(const struct policy_reader *reader,
                                          const nvfp4_node *node, struct nvfp4_clamp_rule *rule)
{
    static const char *const keys[] = {
        "when", "limit", "without_limit", "alpha", "beta", "after_activation", "limit_space",
        "library", "from", "note", "source", NULL
    };
    struct policy_common common;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a clamp rule", keys, 0);
    *rule = (struct nvfp4_clamp_rule){ .limit = LIMIT_IGNORED };
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    status = nvfp4_policy_read_common(reader, node, &common);
    rule->when = common.when;
    rule->library = common.library;
    rule->since = common.from;
    rule->note = common.note;
    rule->source = common.source;
    if (status == NVFP4_OK)
        status = read_limit(reader, node, rule);
    if (status == NVFP4_OK)
        status = read_alpha_beta(reader, node, rule);
    return status == NVFP4_OK ? read_clamp_options(reader, node, rule) : status;
}

