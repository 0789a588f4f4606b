/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff_space.h"

#include <string.h>

#include "core/accept.h"
#include "core/out.h"

/* ---- requests ---- */

/* The compute capability that stands for a bit of a device set. */
static nvfp4_device_key device_of(int bit)
{
    static const int16_t low[4] = { 50, 60, 70, 75 };
    nvfp4_device_key key = { NVFP4_VENDOR_NVIDIA, 0, "" };
    if (bit < 4)
        key.sm = low[bit];
    else if (bit < DEVICE_SM_BITS - 2)
        key.sm = bit + 76;
    else if (bit < DEVICE_SM_BITS)
        key.sm = bit == DEVICE_SM_BITS - 2 ? 130 : 140;
    else
        key.vendor = bit == DEVICE_SM_BITS ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_INTEL;
    return key;
}

static void set_parallel(nvfp4_deployment *d, int value)
{
    const int way = PARALLEL_WAY(value);
    d->format = value >= PARALLEL_AUTO_DEEPEP ? NVFP4_FORMAT_AUTO
                : value % 2                   ? NVFP4_FORMAT_BATCHED
                                              : NVFP4_FORMAT_STANDARD;
    d->expert_parallel = way != WAY_NO_EP;
    d->tensor_parallel = way == WAY_EP ? 2 : 1;
    d->data_parallel = way >= WAY_DP && way < WAY_CP ? 2 : 1;
    d->context_parallel = way >= WAY_CP ? 2 : 1;
    d->all2all = way >= WAY_CP ? way - WAY_CP + 1 : way >= WAY_DP ? way - WAY_DP + 1 : 0;
}

static void set_numbers(const struct diff_space *space, const struct diff_point *point,
                        nvfp4_moe_layer *l)
{
    const int limit = point->value[DIM_LIMIT], constants = point->value[DIM_CONSTANTS];
    if (limit != 0) {
        l->has |= NVFP4_HAS_SWIGLU_LIMIT;
        l->swiglu_limit = space->limit[limit];
    }
    if (constants != 0) {
        l->has |= NVFP4_HAS_SWIGLU_ALPHA | NVFP4_HAS_SWIGLU_BETA;
        l->swiglu_alpha = space->constants[constants].alpha;
        l->swiglu_beta = space->constants[constants].beta;
    }
    if (point->value[DIM_SITU] != SITU_ABSENT) {
        l->has |= NVFP4_HAS_SITU_BETA | NVFP4_HAS_SITU_LINEAR_BETA;
        l->situ_beta = point->value[DIM_SITU] == SITU_USUAL ? 4 : 5;
        l->situ_linear_beta = 25;
    }
    l->intermediate_size = space->size[0][point->value[DIM_WIDTH]];
    l->num_experts = space->size[DIM_EXPERTS - DIM_WIDTH][point->value[DIM_EXPERTS]];
    l->hidden_size = space->size[DIM_HIDDEN - DIM_WIDTH][point->value[DIM_HIDDEN]];
    l->top_k = space->size[DIM_TOP_K - DIM_WIDTH][point->value[DIM_TOP_K]];
}

void nvfp4_diff_request_of(const struct diff_space *space, const struct diff_point *point,
                           struct diff_request *request)
{
    const nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    const nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    const uint8_t *v = point->value;
    nvfp4_moe_layer *l = &request->layer;
    nvfp4_deployment *d = &request->deployment;
    *l = layer;
    *d = deployment;
    l->scheme = v[DIM_SCHEME];
    l->activation = v[DIM_ACTIVATION];
    l->routing = diff_routing(v[DIM_ROUTING]);
    l->router_dtype = v[DIM_ROUTER_DTYPE];
    l->dtype = v[DIM_DTYPE];
    l->bias = v[DIM_BIAS];
    l->router_weight_on_input = v[DIM_ROUTER_WEIGHT_ON_INPUT];
    l->per_token_activation_scale = v[DIM_PER_TOKEN_SCALE];
    set_numbers(space, point, l);
    d->device = device_of(v[DIM_DEVICE]);
    d->humming_gemm = v[DIM_HUMMING_GEMM];
    d->eplb = v[DIM_EPLB];
    d->lora = v[DIM_LORA];
    d->batch_invariant = v[DIM_BATCH_INVARIANT];
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++)
        d->libraries[i] = space->version[i][v[DIM_FLASHINFER + i]];
    set_parallel(d, v[DIM_PARALLEL]);
    request->word = space->word[v[DIM_ASKED]];
    for (int i = 0; i < KEYS_MAX; i++)
        request->key_word[i] = space->key[i].word[v[DIM_KEY_1 + i]];
}

/* The policy's key of a dimension; NULL: it has none. */
static const struct nvfp4_custom_key *key_of(const struct diff_space *space, int policy, int dim)
{
    const nvfp4_policy *p = space->policy[policy];
    for (int i = 0;
         IS_KEY(dim) && space->key[dim - DIM_KEY_1].name != NULL && i < p->custom_key_count; i++)
        if (strcmp(p->custom_keys[i].key, space->key[dim - DIM_KEY_1].name) == 0 &&
            strcmp(p->custom_keys[i].section, space->key[dim - DIM_KEY_1].section) == 0)
            return &p->custom_keys[i];
    return NULL;
}

nvfp4_status nvfp4_diff_ask(const struct diff_space *space, int policy,
                            struct diff_request *request, struct question *q)
{
    nvfp4_backend backend;
    nvfp4_status status = nvfp4_policy_find_backend(space->policy[policy], request->word, &backend);
    request->deployment.custom = 0;
    for (int i = 0; i < KEYS_MAX && status == NVFP4_OK; i++) {
        char key[128];
        struct out out = out_begin(key, sizeof key);
        if (request->key_word[i] == NULL || key_of(space, policy, DIM_KEY_1 + i) == NULL)
            continue; /* not said, or nothing to this policy */
        out_text(&out, space->key[i].section);
        out_char(&out, '.');
        out_text(&out, space->key[i].name);
        status = out_end(&out) < sizeof key
                     ? nvfp4_policy_set_key(space->policy[policy], key, request->key_word[i],
                                            &request->deployment.custom)
                     : NVFP4_ELIMIT;
    }
    if (status != NVFP4_OK)
        return status;
    request->deployment.requested = (int32_t)backend;
    return nvfp4_question_ask(q, &request->layer, &request->deployment, space->policy[policy]);
}

/* ---- finding the values ---- */

/* Calls `each` with every condition, clamp rule and erratum of both policies; those not of the
 * call's kind are NULL. */
struct rule {
    int clamp_by_set;
    const struct nvfp4_condition *condition;
    const struct nvfp4_clamp_rule *clamp;
    const struct nvfp4_erratum *erratum;
};
typedef nvfp4_status (*rule_fn)(struct diff_space *space, const struct rule *rule);

static nvfp4_status for_each_rule(struct diff_space *space, rule_fn each)
{
    nvfp4_status status = NVFP4_OK;
    for (int p = 0; p < 2; p++) {
        const nvfp4_policy *policy = space->policy[p];
        for (int r = 0; r < policy->row_count; r++) {
            const struct nvfp4_row *row = &policy->rows[r];
            for (int i = 0; i < row->condition_count && status == NVFP4_OK; i++)
                status = each(space, &(struct rule){ 0, &row->conditions[i], NULL, NULL });
            for (int i = 0; i < row->clamp_count && status == NVFP4_OK; i++)
                status =
                    each(space, &(struct rule){ policy->clamp_by_set, NULL, &row->clamp[i], NULL });
        }
        for (int i = 0; i < policy->erratum_count && status == NVFP4_OK; i++)
            status = each(space, &(struct rule){ 0, NULL, NULL, &policy->errata[i] });
    }
    return status;
}

/* Puts a version into the ascending list of thresholds, once. */
static nvfp4_status add_threshold(struct diff_space *space, int library,
                                  nvfp4_library_version threshold)
{
    nvfp4_library_version *list = space->version[library];
    int *count = &space->count[DIM_FLASHINFER + library];
    int at = 0;
    if (threshold == 0)
        return NVFP4_OK;
    while (at < *count && list[at] < threshold)
        at++;
    if (at < *count && list[at] == threshold)
        return NVFP4_OK;
    if (*count >= VALUES_MAX - VERSION_OLDER)
        return NVFP4_ELIMIT;
    memmove(&list[at + 1], &list[at], (size_t)(*count - at) * sizeof list[0]);
    list[at] = threshold;
    ++*count;
    return NVFP4_OK;
}

static nvfp4_status add_versions(struct diff_space *space, const struct rule *rule)
{
    nvfp4_status status = NVFP4_OK;
    if (rule->condition != NULL) {
        const struct nvfp4_condition *c = rule->condition;
        status = add_threshold(space, c->library, c->until);
        if (status == NVFP4_OK)
            status = add_threshold(space, c->library, c->since);
        if (status == NVFP4_OK && c->kind == CONDITION_LIBRARY)
            status = add_threshold(space, c->library, c->number);
    } else if (rule->clamp != NULL && !rule->clamp_by_set) {
        status = add_threshold(space, rule->clamp->library, rule->clamp->since);
    } else if (rule->erratum != NULL && rule->erratum->library != LIBRARY_NONE) {
        status = add_threshold(space, rule->erratum->library, rule->erratum->from);
        if (status == NVFP4_OK)
            status = add_threshold(space, rule->erratum->library, rule->erratum->below);
    }
    return status;
}

/* Thresholds t1 < t2 < ... become: newest, absent, older than t1, from t1 on, from t2 on, ... (the
 * last of which is what "newest" stands for). */
static void thresholds_to_versions(struct diff_space *space, int library)
{
    nvfp4_library_version *list = space->version[library];
    const int thresholds = space->count[DIM_FLASHINFER + library];
    memmove(&list[VERSION_OLDER + 1], list, (size_t)thresholds * sizeof list[0]);
    list[VERSION_NEWEST] = NVFP4_LIBRARY_UNKNOWN;
    list[VERSION_ABSENT] = NVFP4_LIBRARY_ABSENT;
    list[VERSION_OLDER] = 1; /* older than any release */
    space->count[DIM_FLASHINFER + library] = VERSION_OLDER + thresholds;
}

static nvfp4_status add_constants(struct diff_space *space, const struct rule *rule)
{
    const struct nvfp4_clamp_rule *c = rule->clamp;
    if (c == NULL || rule->clamp_by_set)
        return NVFP4_OK;
    int *limits = &space->count[DIM_LIMIT], *pairs = &space->count[DIM_CONSTANTS], at = 1;
    while (at < *limits && space->limit[at] != c->limit_constant)
        at++;
    if (c->limit == LIMIT_CONSTANT && at == *limits) {
        if (*limits >= VALUES_MAX - 1)
            return NVFP4_ELIMIT;
        space->limit[(*limits)++] = c->limit_constant;
    }
    at = 1;
    while (at < *pairs && (space->constants[at].alpha != c->alpha_constant ||
                           space->constants[at].beta != c->beta_constant))
        at++;
    if (!c->takes_alpha_beta && at == *pairs) {
        if (*pairs >= VALUES_MAX - 1)
            return NVFP4_ELIMIT;
        space->constants[at].alpha = c->alpha_constant;
        space->constants[(*pairs)++].beta = c->beta_constant;
    }
    return NVFP4_OK;
}

/* The last value of each stands for all numbers that no rule names. */
static void add_other_numbers(struct diff_space *space)
{
    double limit = 10.0, alpha = 1.5;
    for (int i = 1; i < space->count[DIM_LIMIT]; i++)
        if (space->limit[i] == limit) {
            limit += 1;
            i = 0;
        }
    for (int i = 1; i < space->count[DIM_CONSTANTS]; i++)
        if (space->constants[i].alpha == alpha) {
            alpha += 1;
            i = 0;
        }
    space->limit[space->count[DIM_LIMIT]++] = limit;
    space->constants[space->count[DIM_CONSTANTS]].alpha = alpha;
    space->constants[space->count[DIM_CONSTANTS]++].beta = 0.5;
}

/* ---- sizes ---- */

/* The size that a condition looks at; -1: none. */
static int condition_dim(const struct nvfp4_condition *c)
{
    switch (c->kind) {
    case CONDITION_ROWS_MULTIPLE:
    case CONDITION_WIDTH_MULTIPLE:
        return DIM_WIDTH;
    case CONDITION_EXPERTS_BELOW:
        return DIM_EXPERTS;
    case CONDITION_TOP_K_AT_MOST:
        return DIM_TOP_K;
    default:
        return -1;
    }
}

static int64_t erratum_size(const struct nvfp4_erratum *e, int dim)
{
    return dim == DIM_WIDTH     ? e->width
           : dim == DIM_EXPERTS ? e->experts
           : dim == DIM_HIDDEN  ? e->hidden
                                : e->top_k;
}

static void set_size(nvfp4_moe_layer *l, int dim, int64_t size)
{
    int64_t *const field[] = { &l->intermediate_size, &l->num_experts, &l->hidden_size, &l->top_k };
    *field[dim - DIM_WIDTH] = size;
}

static uint64_t mark_with(uint64_t mark, uint64_t outcome)
{
    return mark * UINT64_C(0x9e3779b97f4a7c15) + outcome + 1;
}

uint64_t nvfp4_diff_size_mark(const struct diff_space *space, int dim, int64_t size)
{
    const struct diff_point usual = { { 0 } };
    struct diff_request request;
    struct question gated, plain;
    uint64_t mark = size == 0;
    nvfp4_diff_request_of(space, &usual, &request);
    set_size(&request.layer, dim, size);
    if (nvfp4_diff_ask(space, 0, &request, &gated) != NVFP4_OK)
        return ~(uint64_t)0;
    plain = gated;
    plain.flags |= FLAG_NON_GATED;
    for (int p = 0; p < 2; p++) {
        const nvfp4_policy *policy = space->policy[p];
        for (int r = 0; r < policy->row_count; r++)
            for (int i = 0; i < policy->rows[r].condition_count; i++) {
                const struct nvfp4_condition *c = &policy->rows[r].conditions[i];
                if (condition_dim(c) != dim)
                    continue;
                mark = mark_with(mark, nvfp4_condition_check(&gated, c));
                mark = mark_with(mark, nvfp4_condition_check(&plain, c));
            }
        for (int i = 0; i < policy->erratum_count; i++)
            mark = mark_with(mark, erratum_size(&policy->errata[i], dim) == size);
    }
    return mark;
}

/* Adds a size unless it is one that is known not to be told apart from one in the list. */
static nvfp4_status add_size(struct diff_space *space, int dim, int64_t size)
{
    int64_t *list = space->size[dim - DIM_WIDTH];
    if (size < 1 || size > NVFP4_SIZE_MAX)
        return NVFP4_OK;
    const uint64_t mark = nvfp4_diff_size_mark(space, dim, size);
    uint64_t *marks = space->mark[dim - DIM_WIDTH];
    marks[0] = nvfp4_diff_size_mark(space, dim, 0);
    for (int i = 0; i < space->count[dim]; i++)
        if (marks[i] == mark)
            return NVFP4_OK;
    if (space->count[dim] >= VALUES_MAX)
        return NVFP4_ELIMIT;
    marks[space->count[dim]] = mark;
    list[space->count[dim]++] = size;
    return NVFP4_OK;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x > NVFP4_SIZE_MAX / b ? 0 : a / x * b;
}

/* Multiples of every number together with every other: all that divisibility can tell apart. */
static nvfp4_status add_multiples(struct diff_space *space, int64_t of)
{
    nvfp4_status status = NVFP4_OK;
    const int known = space->count[DIM_WIDTH];
    if (of < 1 || of > NVFP4_SIZE_MAX)
        return NVFP4_EINVAL; /* nothing can be a multiple of it */
    for (int i = 1; i < known && status == NVFP4_OK; i++)
        status = add_size(space, DIM_WIDTH, common_multiple(space->size[0][i], of));
    return status;
}

static nvfp4_status add_sizes(struct diff_space *space, const struct rule *rule)
{
    nvfp4_status status = NVFP4_OK;
    if (rule->condition != NULL) {
        const struct nvfp4_condition *c = rule->condition;
        const int64_t n =
            c->number > (uint64_t)NVFP4_SIZE_MAX ? NVFP4_SIZE_MAX : (int64_t)c->number;
        switch (condition_dim(c)) {
        case DIM_WIDTH:
            status = add_multiples(space, n);
            return status == NVFP4_OK && n % 2 == 0 ? add_multiples(space, n / 2) : status;
        case DIM_EXPERTS:
            status = add_size(space, DIM_EXPERTS, (n - 1) / 32 * 32);
            return status == NVFP4_OK ? add_size(space, DIM_EXPERTS, (n - 1) / 32 * 32 + 1)
                                      : status;
        case DIM_TOP_K:
            status = add_size(space, DIM_TOP_K, n);
            return status == NVFP4_OK ? add_size(space, DIM_TOP_K, n + 1) : status;
        default:
            return NVFP4_OK;
        }
    }
    for (int dim = DIM_WIDTH; rule->erratum != NULL && dim <= DIM_TOP_K && status == NVFP4_OK;
         dim++)
        status = add_size(space, dim, erratum_size(rule->erratum, dim));
    return status;
}

/* ---- what values mean to the rules ---- */

/* The parts of a question that each dimension decides alone; those of keys are the policy's. */
static const struct diff_bits owned[DIMS] = {
    [DIM_DEVICE] = { ~(uint64_t)0, 0, 0, 0 },
    [DIM_SCHEME] = { 0, ALL(SCHEME), 0, 0 },
    [DIM_ACTIVATION] = { 0, ALL(ACTIVATION), 0, FLAG_NON_GATED },
    [DIM_LIMIT] = { 0, 0, 0, FLAG_LIMIT },
    [DIM_PARALLEL] = { 0, ALL(FORMAT) | ALL(ALL2ALL), 0, FLAG_EP },
    [DIM_ROUTING] = { 0, ALL(ROUTING), 0, 0 },
    [DIM_ROUTER_DTYPE] = { 0, ALL(ROUTER_DTYPE), 0, 0 },
    [DIM_DTYPE] = { 0, ALL(DTYPE), 0, 0 },
    [DIM_HUMMING_GEMM] = { 0, ALL(HUMMING_GEMM), 0, 0 },
    [DIM_EPLB] = { 0, 0, 0, FLAG_EPLB },
    [DIM_LORA] = { 0, 0, 0, FLAG_LORA },
    [DIM_BATCH_INVARIANT] = { 0, 0, 0, FLAG_BATCH_INVARIANT },
    [DIM_BIAS] = { 0, 0, 0, FLAG_BIAS },
    [DIM_ROUTER_WEIGHT_ON_INPUT] = { 0, 0, 0, FLAG_ROUTER_WEIGHT_ON_INPUT },
    [DIM_PER_TOKEN_SCALE] = { 0, 0, 0, FLAG_PER_TOKEN_SCALE },
};

static struct diff_bits owned_by(const struct diff_space *space, int policy, int dim)
{
    const struct nvfp4_custom_key *key = key_of(space, policy, dim);
    struct diff_bits bits = owned[dim];
    if (key != NULL)
        bits.custom = custom_key_bits(key);
    return bits;
}

static nvfp4_status find_bits(struct diff_space *space)
{
    for (int p = 0; p < 2; p++)
        for (int dim = 0; dim < DIMS; dim++) {
            const struct diff_bits own = owned_by(space, p, dim);
            for (int v = 0; v < space->count[dim] && dim != DIM_ASKED; v++) {
                struct diff_point point = { { 0 } };
                struct diff_request request;
                struct question q;
                point.value[dim] = (uint8_t)v;
                nvfp4_diff_request_of(space, &point, &request);
                const nvfp4_status status = nvfp4_diff_ask(space, p, &request, &q);
                if (status == NVFP4_EUNKNOWN && IS_KEY(dim))
                    continue; /* no word of this policy: see diff_rules.c */
                if (status != NVFP4_OK)
                    return status;
                space->bits[p][dim][v] =
                    (struct diff_bits){ q.device & own.device, q.values & own.values,
                                        q.custom & own.custom, q.flags & own.flags };
            }
        }
    return NVFP4_OK;
}

static nvfp4_status find_words(struct diff_space *space)
{
    space->word[0] = "auto";
    space->count[DIM_ASKED] = 1;
    for (int p = 0; p < 2; p++) {
        const char *word;
        for (size_t i = 0; (word = nvfp4_policy_user_name_at(space->policy[p], i)) != NULL; i++) {
            int at = 0;
            while (at < space->count[DIM_ASKED] && strcmp(space->word[at], word) != 0)
                at++;
            if (at >= VALUES_MAX)
                return NVFP4_ELIMIT;
            if (at == space->count[DIM_ASKED])
                space->word[space->count[DIM_ASKED]++] = word;
        }
    }
    return NVFP4_OK;
}

/* The dimension of a key, new or known; -1: there are too many. */
static int find_key(struct diff_space *space, const struct nvfp4_custom_key *key)
{
    for (int i = 0; i < KEYS_MAX; i++) {
        if (space->key[i].name == NULL) {
            space->key[i].section = key->section;
            space->key[i].name = key->key;
            return i;
        }
        if (strcmp(space->key[i].name, key->key) == 0 &&
            strcmp(space->key[i].section, key->section) == 0)
            return i;
    }
    return -1;
}

static nvfp4_status find_keys(struct diff_space *space)
{
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < space->policy[p]->custom_key_count; k++) {
            const struct nvfp4_custom_key *key = &space->policy[p]->custom_keys[k];
            const int at = find_key(space, key);
            if (at < 0)
                return NVFP4_ELIMIT;
            int *count = &space->count[DIM_KEY_1 + at];
            for (int w = 0; w < key->word_count; w++) {
                int v = 1;
                while (v < *count && strcmp(space->key[at].word[v], key->words[w]) != 0)
                    v++;
                if (v < *count)
                    continue;
                if (v >= VALUES_MAX)
                    return NVFP4_ELIMIT;
                space->key[at].word[(*count)++] = key->words[w];
            }
        }
    return NVFP4_OK;
}

nvfp4_status nvfp4_diff_space_make(struct diff_space *space, const nvfp4_policy *from,
                                   const nvfp4_policy *to)
{
    static const uint8_t fixed_count[DIMS] = {
        [DIM_DEVICE] = DEVICE_SM_BITS + 2,
        [DIM_SCHEME] = NVFP4_SCHEME_COUNT,
        [DIM_ACTIVATION] = NVFP4_ACTIVATION_COUNT,
        [DIM_LIMIT] = 1,
        [DIM_CONSTANTS] = 1,
        [DIM_PARALLEL] = PARALLEL_VALUES,
        [DIM_ROUTING] = NVFP4_ROUTING_COUNT,
        [DIM_ROUTER_DTYPE] = NVFP4_ROUTER_DTYPE_COUNT,
        [DIM_DTYPE] = NVFP4_DTYPE_COUNT,
        [DIM_HUMMING_GEMM] = NVFP4_HUMMING_GEMM_COUNT,
        [DIM_KEY_1] = 1,
        [DIM_KEY_2] = 1,
        [DIM_KEY_3] = 1,
        [DIM_KEY_4] = 1,
        [DIM_EPLB] = 2,
        [DIM_LORA] = 2,
        [DIM_BATCH_INVARIANT] = 2,
        [DIM_BIAS] = 2,
        [DIM_ROUTER_WEIGHT_ON_INPUT] = 2,
        [DIM_PER_TOKEN_SCALE] = 2,
        [DIM_WIDTH] = 1,
        [DIM_EXPERTS] = 1,
        [DIM_HIDDEN] = 1,
        [DIM_TOP_K] = 1,
        [DIM_SITU] = SITU_VALUES,
    };
    memset(space, 0, sizeof *space);
    space->policy[0] = from;
    space->policy[1] = to;
    for (int i = 0; i < DIMS; i++)
        space->count[i] = fixed_count[i];
    nvfp4_status status = find_words(space);
    if (status == NVFP4_OK)
        status = find_keys(space);
    if (status == NVFP4_OK)
        status = for_each_rule(space, add_versions);
    if (status == NVFP4_OK)
        status = for_each_rule(space, add_constants);
    if (status != NVFP4_OK)
        return status;
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++)
        thresholds_to_versions(space, i);
    add_other_numbers(space);
    /* Sizes that no rule names. */
    static const int16_t plain_size[] = { PLAIN_WIDTH, 64, 1024, 1 };
    for (int dim = DIM_WIDTH; dim <= DIM_TOP_K && status == NVFP4_OK; dim++)
        status = add_size(space, dim, plain_size[dim - DIM_WIDTH]);
    if (status == NVFP4_OK)
        status = for_each_rule(space, add_sizes);
    return status == NVFP4_OK ? find_bits(space) : status;
}
