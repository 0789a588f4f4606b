/* SPDX-License-Identifier: Apache-2.0 */
/* What a policy file says of single questions: `when`, conditions, clamp rules, errata. */
#include "files/policy_reader.h"

#include <string.h>

/* ---- when ---- */

const char *const nvfp4_policy_when_keys[] = { "devices",
                                               "scheme",
                                               "activation",
                                               "activation_format",
                                               "routing",
                                               "router_logits_dtype",
                                               "dtype",
                                               "all2all",
                                               "humming_gemm_type",
                                               "gated",
                                               "swiglu_limit",
                                               "expert_parallel",
                                               "eplb",
                                               "lora",
                                               "batch_invariant",
                                               "bias",
                                               "router_weight_on_input",
                                               "per_token_activation_scale",
                                               NULL };

static nvfp4_status read_when_flag(const struct policy_reader *reader, const nvfp4_node *node,
                                   struct nvfp4_when *when)
{
    for (int i = 0; i < POLICY_FLAGS; i++) {
        const struct policy_flag *const f = &nvfp4_policy_flags[i];
        uint8_t set = 0;
        if (strcmp(f->when, node->key) != 0)
            continue;
        const nvfp4_status status = nvfp4_policy_read_flag(reader, node, &set);
        if (status == NVFP4_OK && set != f->when_absent)
            when->with |= f->flag;
        else if (status == NVFP4_OK)
            when->without |= f->flag;
        return status;
    }
    return NVFP4_OK;
}

static nvfp4_status read_when_key(const struct policy_reader *reader, const nvfp4_node *node,
                                  struct nvfp4_when *when)
{
    const struct policy_column *const column = nvfp4_policy_find_column(node->key);
    const struct nvfp4_custom_key *const own =
        nvfp4_policy_find_key(&reader->draft->policy, node->key);
    if (strcmp(node->key, "devices") == 0)
        return nvfp4_policy_read_devices(reader, node, &when->device);
    if (column != NULL) {
        const uint64_t all = nvfp4_policy_column_all(column);
        uint64_t values = all;
        const nvfp4_status status = nvfp4_policy_read_words(reader, node, column, &values);
        when->values = (when->values & ~all) | values;
        return status;
    }
    if (own != NULL) {
        uint64_t bits = custom_key_bits(own);
        const nvfp4_status status = nvfp4_policy_read_custom(reader, node, own, &bits);
        when->not_custom |= custom_key_bits(own) & ~bits;
        return status;
    }
    return read_when_flag(reader, node, when);
}

nvfp4_status nvfp4_policy_read_when(const struct policy_reader *reader, const nvfp4_node *node,
                                    struct nvfp4_when *when)
{
    nvfp4_status status =
        nvfp4_policy_check_keys(reader, node, "a when", nvfp4_policy_when_keys, 1);
    *when = (struct nvfp4_when){ .device = DEVICE_ANY, .values = ANY_VALUE };
    if (node->kind != NVFP4_NODE_MAPPING)
        return status;
    for (const nvfp4_node *n = node->first; n != NULL && status == NVFP4_OK; n = n->next)
        status = read_when_key(reader, n, when);
    return status;
}

/* ---- what all rules have: when, a range of versions, texts ---- */

struct common {
    struct nvfp4_when when;
    uint8_t has_library, library;
    nvfp4_library_version from, below;
    const char *note, *source;
};

static nvfp4_status read_window(const struct policy_reader *reader, const nvfp4_node *mapping,
                                struct common *c)
{
    const nvfp4_node *const library = nvfp4_node_get(mapping, "library");
    const nvfp4_node *const from = nvfp4_node_get(mapping, "from");
    const nvfp4_node *const below = nvfp4_node_get(mapping, "below");
    nvfp4_status status = NVFP4_OK;
    if (library != NULL) {
        c->has_library = 1;
        status = nvfp4_policy_is_text(library)
                     ? nvfp4_policy_read_library(reader, library, library->text, &c->library)
                     : nvfp4_policy_must_be(reader, library, "the name of a library");
    }
    if (status == NVFP4_OK && from != NULL)
        status = nvfp4_policy_read_version(reader, from, &c->from);
    if (status == NVFP4_OK && below != NULL)
        status = nvfp4_policy_read_version(reader, below, &c->below);
    if (status == NVFP4_OK && library == NULL && (from != NULL || below != NULL))
        status = nvfp4_policy_fail_key(reader, from != NULL ? from : below,
                                       "a version of which library? add 'library: flashinfer', or "
                                       "another");
    return status;
}

static nvfp4_status read_common(const struct policy_reader *reader, const nvfp4_node *mapping,
                                struct common *c)
{
    const nvfp4_node *const when = nvfp4_node_get(mapping, "when");
    const nvfp4_node *const note = nvfp4_node_get(mapping, "note");
    const nvfp4_node *const source = nvfp4_node_get(mapping, "source");
    *c = (struct common){ .when = { .device = DEVICE_ANY, .values = ANY_VALUE } };
    nvfp4_status status = NVFP4_OK;
    if (when != NULL)
        status = nvfp4_policy_read_when(reader, when, &c->when);
    if (status == NVFP4_OK && note != NULL)
        status = nvfp4_policy_read_text(reader, note, &c->note);
    if (status == NVFP4_OK && source != NULL)
        status = nvfp4_policy_read_text(reader, source, &c->source);
    return status == NVFP4_OK ? read_window(reader, mapping, c) : status;
}

/* ---- conditions ---- */

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
        status = nvfp4_policy_fail_key(reader, n,
                                       "a condition looks at one library, here at %s and %s",
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
    static const char *const keys[] = { "rules_out",
                                        "needs",
                                        "fc1_rows_multiple_of",
                                        "width_multiple_of",
                                        "experts_below",
                                        "top_k_at_most",
                                        "situ_betas",
                                        "doubt",
                                        "when",
                                        "reason",
                                        "library",
                                        "from",
                                        "below",
                                        "note",
                                        "source",
                                        NULL };
    const nvfp4_node *value = NULL;
    struct common common;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a condition", keys, 0);
    *condition = (struct nvfp4_condition){ .kind = CONDITION_DOUBT };
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    status = read_common(reader, node, &common);
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

/* ---- clamp rules ---- */

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
    if (status == NVFP4_OK && rule->limit == LIMIT_CONSTANT && constant != rule->limit_constant)
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
    static const char *const keys[] = { "when",        "limit",   "without_limit",
                                        "alpha",       "beta",    "after_activation",
                                        "limit_space", "library", "from",
                                        "note",        "source",  NULL };
    struct common common;
    nvfp4_status status = nvfp4_policy_check_keys(reader, node, "a clamp rule", keys, 0);
    *rule = (struct nvfp4_clamp_rule){ .limit = LIMIT_IGNORED };
    if (status != NVFP4_OK || node->kind != NVFP4_NODE_MAPPING)
        return status;
    status = read_common(reader, node, &common);
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

/* ---- errata ---- */

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

nvfp4_status nvfp4_policy_read_erratum(const struct policy_reader *reader, const nvfp4_node *node,
                                       struct nvfp4_erratum *erratum)
{
    static const char *const keys[] = { "erratum",     "kernels",     "when",
                                        "library",     "from",        "below",
                                        "num_experts", "hidden_size", "intermediate_size_per_rank",
                                        "top_k",       "text",        "source",
                                        NULL };
    struct common common;
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
    status = read_common(reader, node, &common);
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
