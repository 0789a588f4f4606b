/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers' experts a list of module patterns takes.
 *
 * A plain name takes the module of that name and all inside it, wherever its path begins: engines
 * put "model.", "language_model." and the like in front as they please. Shell patterns and
 * expressions are held against the names that the experts of a layer may have: the module that
 * holds them, and the projections of expert 0, which stand for those of all.
 */
#include "files/model_reader.h"

#include <stdio.h>
#include <string.h>

#include "files/pattern.h"

/* Steps that count for making a program of an expression, and for making a name to match. */
#define REGEX_COST 1000
#define NAME_COST  40

/* Bits of what has been taken of one layer. */
enum {
    TOOK_ALL = 1u << 0,
    TOOK_GATE = 1u << 1,
    TOOK_UP = 1u << 2,
    TOOK_DOWN = 1u << 3,
    TOOK_OTHER = 1u << 4,       /* something of another expert */
    TOOK_ON_PURPOSE = 1u << 5,  /* by a name, or a pattern that speaks of experts */
    TOOK_EXPERT = 1u << 6       /* another expert as a whole */
};

static const char *const prefixes[] = {
    "model.",
    "model.language_model.",
    "language_model.model.",
    "language_model.",
    "backbone.",
    "thinker.model.",
    "",
};

/* Where the family is not known: the containers of all families. */
static const char *const all_containers[] = {
    "mlp.experts",   "block_sparse_moe.experts", "feed_forward.experts", "ffn.experts",
    "mixer.experts", "moe.experts",              NULL,
};
static const char *const default_containers[] = { "mlp.experts", NULL };

/* What stands behind a container's name, and what is taken with it. */
static const struct ending {
    const char *text;
    unsigned takes;
} endings[] = {
    { "", TOOK_ALL },
    { ".0.gate_proj", TOOK_GATE },
    { ".0.up_proj", TOOK_UP },
    { ".0.down_proj", TOOK_DOWN },
    { ".0.w1", TOOK_GATE },
    { ".0.w3", TOOK_UP },
    { ".0.w2", TOOK_DOWN },
    { ".gate_up_proj", TOOK_GATE | TOOK_UP },
    { ".gate_proj", TOOK_GATE },
    { ".up_proj", TOOK_UP },
    { ".down_proj", TOOK_DOWN },
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next component of a dotted path; NULL behind the last. */
static const char *component(const char *path, size_t *length)
{
    *length = strcspn(path, ".");
    return *length > 0 ? path : NULL;
}

static const char *behind(const char *path, size_t length)
{
    path += length;
    return *path == '.' ? path + 1 : path;
}

static int same(const char *part, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(part, word, length) == 0;
}

static int is_other_tower(const char *part, size_t length)
{
    static const char *const fronts[] = { "mtp", "vision", "visual", "image", "audio", "talker" };
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        const size_t front = strlen(fronts[i]);
        if (length >= front && memcmp(part, fronts[i], front) == 0)
            return 1;
    }
    return 0;
}

typedef enum where { ELSEWHERE, IN_LAYER, IN_ANY_LAYER } where;

/* Split "model.layers.17.mlp.experts.3" into 17 and "mlp.experts.3". */
static where split(const char *path, int64_t *layer, const char **rest)
{
    size_t length;
    *rest = path;
    for (const char *p = path; component(p, &length) != NULL; p = behind(p, length)) {
        if (is_other_tower(p, length))
            return ELSEWHERE;
        const int list =
            same(p, length, "layers") || same(p, length, "h") || same(p, length, "blocks");
        const char *const number = behind(p, length);
        if (!list || !is_digit(*number))
            continue;
        const size_t digits = strspn(number, "0123456789");
        if (digits > 6 || (number[digits] != '.' && number[digits] != '\0'))
            return ELSEWHERE;
        *layer = 0;
        for (size_t i = 0; i < digits; i++)
            *layer = *layer * 10 + (number[i] - '0');
        *rest = behind(number, digits);
        return IN_LAYER;
    }
    return IN_ANY_LAYER;
}

static unsigned projection(const char *part, size_t length)
{
    for (size_t i = 1; i < sizeof endings / sizeof endings[0]; i++) {
        const char *const dot = strrchr(endings[i].text, '.');
        if (same(part, length, dot + 1))
            return endings[i].takes;
    }
    return 0; /* a router, a scale, or what else may lie beside the experts */
}

/* What a name takes of a layer's experts. */
typedef struct part {
    unsigned takes;  /* TOOK_* */
    unsigned others; /* with TOOK_OTHER: the projections */
    uint32_t expert; /* and whose */
} part;

/* What a path inside the module that holds the experts takes: "", "3", "3.w1", "gate_up_proj". */
static part inside(const char *path)
{
    size_t length;
    part taken = { TOOK_ALL, 0, 0 };
    if (component(path, &length) == NULL)
        return taken;
    if (!is_digit(*path)) {
        taken.takes = projection(path, length);
        return taken;
    }
    for (size_t i = 0; i < length && is_digit(path[i]); i++)
        taken.expert = taken.expert * 10 + (uint32_t)(path[i] - '0');
    const int first = same(path, length, "0");
    path = behind(path, length);
    const unsigned projections = component(path, &length) == NULL ? TOOK_GATE | TOOK_UP | TOOK_DOWN
                                                                  : projection(path, length);
    taken.takes = first ? projections : TOOK_OTHER;
    taken.others = first ? 0 : projections;
    return taken;
}

static int speaks_of_experts(const char *text)
{
    return strstr(text, "expert") != NULL;
}

/* What a path inside a layer takes of its experts. */
static part in_layer(const char *const *containers, const char *path)
{
    const part all = { TOOK_ALL, 0, 0 }, nothing = { 0, 0, 0 };
    const size_t length = strlen(path);
    if (length == 0)
        return all;
    for (; *containers != NULL; containers++) {
        const size_t own = strlen(*containers);
        if (length < own) {
            /* "mlp" holds "mlp.experts" */
            if (memcmp(*containers, path, length) == 0 && (*containers)[length] == '.')
                return all;
        } else if (memcmp(*containers, path, own) == 0 && (path[own] == '.' || path[own] == '\0')) {
            return inside(behind(path, own));
        }
    }
    /* Whatever holds a module called "experts". */
    size_t size;
    for (const char *p = path; component(p, &size) != NULL; p = behind(p, size)) {
        if (same(p, size, "experts"))
            return inside(behind(p, size));
    }
    return nothing;
}

/* What a path that names no layer takes of the experts of each: "mlp", "experts.0.w1". */
static part anywhere(const char *const *containers, const char *path)
{
    const part all = { TOOK_ALL, 0, 0 }, nothing = { 0, 0, 0 };
    if (*path == '\0')
        return nothing;
    if (strcmp(path, "model") == 0 || strcmp(path, "model.layers") == 0 ||
        strcmp(path, "layers") == 0)
        return all;
    return in_layer(containers, path);
}

static const char *const *containers_of(const nvfp4_model_reader *reader, int any)
{
    if (reader->family->containers[0] != NULL)
        return reader->family->containers;
    const int known = reader->family->types[0] != NULL;
    return any && !known ? all_containers : default_containers;
}

typedef struct match {
    nvfp4_model_reader *reader;
    const char *const *containers;
    int any;       /* patterns are held against all containers, not only those like the first */
    nvfp4_took *took; /* of each layer */
} match;

static void take(const match *m, uint32_t layer, unsigned takes, int on_purpose)
{
    if (takes != 0 && on_purpose)
        takes |= TOOK_ON_PURPOSE;
    m->took[layer].bits = (uint8_t)(m->took[layer].bits | takes);
}

/* A family with one projection has no gate that could be taken. */
static unsigned whole_expert(const nvfp4_model_reader *reader)
{
    const unsigned gate =
        (reader->family->fixes & NVFP4_FIXES_NO_GATE) != 0 ? 0 : (unsigned)TOOK_GATE;
    return gate | TOOK_UP | TOOK_DOWN;
}

/*
 * An expert that is taken whole stands for all, since files may be cut. To remember each would take
 * much memory; names come either expert by expert, then the latest one is whole at some time, or
 * projection by projection, then the first one is in the end.
 */
static void take_part(const match *m, uint32_t layer, part taken)
{
    nvfp4_took *const took = &m->took[layer];
    const unsigned whole = whole_expert(m->reader);
    take(m, layer, taken.takes, 1);
    if ((taken.takes & TOOK_OTHER) == 0)
        return;
    if (took->first_bits == 0)
        took->first = taken.expert;
    if (took->first == taken.expert)
        took->first_bits = (uint8_t)(took->first_bits | taken.others);
    if (took->latest != taken.expert)
        took->latest_bits = 0;
    took->latest = taken.expert;
    took->latest_bits = (uint8_t)(took->latest_bits | taken.others);
    if ((took->first_bits & whole) == whole || (took->latest_bits & whole) == whole)
        took->bits |= TOOK_EXPERT;
}

static void take_name(const match *m, const char *path)
{
    int64_t layer;
    const char *rest;
    part taken = { 0, 0, 0 };
    switch (split(path, &layer, &rest)) {
    case IN_LAYER:
        if (m->reader->counted && layer < (int64_t)m->reader->layer_count)
            take_part(m, (uint32_t)layer, in_layer(m->containers, rest));
        return;
    case IN_ANY_LAYER:
        taken = anywhere(m->containers, path);
        break;
    default:
        break;
    }
    if (taken.takes == 0)
        return;
    nvfp4_model_spend(m->reader, m->reader->layer_count);
    for (uint32_t i = 0; i < m->reader->layer_count; i++)
        take_part(m, i, taken);
}

/* A pattern that begins with "anything" need not be tried with every prefix. */
static size_t prefix_count(const nvfp4_pattern *pattern)
{
    const int loose = pattern->kind == NVFP4_PATTERN_GLOB ? pattern->text[0] == '*'
                                                          : strncmp(pattern->text, ".*", 2) == 0;
    return loose ? 1 : sizeof prefixes / sizeof prefixes[0];
}

/*
 * In some families the module that holds the experts has one name in the checkpoint and another in
 * transformers, and the other name may be that of something else as well: "*.mlp.*" leaves out the
 * dense layers of a model whose experts are in "block_sparse_moe". Only a pattern that speaks of
 * experts may mean them by their second name.
 */
static int is_tried(const match *m, int on_purpose, const char *container)
{
    const size_t length = strcspn(m->containers[0], ".");
    return m->any || on_purpose ||
           (strncmp(container, m->containers[0], length) == 0 &&
            (container[length] == '.' || container[length] == '\0'));
}

static unsigned take_by_pattern(const match *m, const nvfp4_pattern *pattern, int on_purpose,
                                uint32_t layer)
{
    const size_t count = prefix_count(pattern);
    unsigned took = 0;
    for (const char *const *container = m->containers; *container != NULL; container++) {
        for (size_t p = 0; p < count && is_tried(m, on_purpose, *container); p++) {
            for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
                char name[128];
                if ((took & endings[e].takes) == endings[e].takes)
                    continue;
                nvfp4_model_spend(m->reader, NAME_COST);
                snprintf(name, sizeof name, "%slayers.%lu.%s%s", prefixes[p], (unsigned long)layer,
                         *container, endings[e].text);
                if (nvfp4_pattern_matches(pattern, name, &m->reader->steps))
                    took |= endings[e].takes;
                if ((took & TOOK_ALL) != 0)
                    return took;
            }
        }
    }
    return took;
}

/* The only layer that a shell pattern like "model.layers.17.mlp*" can mean; -1: any. */
static int64_t only_layer(const nvfp4_pattern *pattern)
{
    char front[128];
    const char *rest;
    int64_t layer;
    const size_t length = strcspn(pattern->text, "*?[");
    if (pattern->kind != NVFP4_PATTERN_GLOB || length >= sizeof front)
        return -1;
    memcpy(front, pattern->text, length);
    front[length] = '\0';
    if (split(front, &layer, &rest) != IN_LAYER || rest[-1] != '.')
        return -1;
    return layer;
}

static void take_pattern(const match *m, const nvfp4_pattern *pattern)
{
    const int64_t only = only_layer(pattern);
    const int on_purpose = speaks_of_experts(pattern->text);
    nvfp4_model_spend(m->reader, m->reader->layer_count);
    for (uint32_t i = 0; i < m->reader->layer_count; i++) {
        /* If the number of layers is not known, one stands for all: none that a pattern names. */
        const uint32_t layer = m->reader->counted ? i : NVFP4_MODEL_LAYERS;
        if (!m->reader->layers[i].moe || (only >= 0 && only != (int64_t)layer))
            continue;
        take(m, i, take_by_pattern(m, pattern, on_purpose, layer), on_purpose);
        if (m->reader->steps == 0)
            break;
    }
}

void nvfp4_model_spend(nvfp4_model_reader *reader, uint64_t steps)
{
    reader->steps -= steps < reader->steps ? steps : reader->steps;
}

/* One pattern or name. */
static nvfp4_status take_text(const match *m, const nvfp4_node *node, const char *text,
                              size_t length)
{
    char excerpt[NVFP4_EXCERPT];
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    nvfp4_status status = nvfp4_pattern_make(text, length, &arena, &pattern);
    if (status == NVFP4_ENOMEM) {
        status = nvfp4_model_no_memory(m->reader);
    } else if (status != NVFP4_OK) {
        nvfp4_model_spend(m->reader, REGEX_COST);
        status = nvfp4_model_warn(m->reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                  "line %lu: the pattern \"%s\" is not understood, and not used",
                                  (unsigned long)node->line, nvfp4_excerpt(text, length, excerpt));
    } else if (pattern.kind == NVFP4_PATTERN_NAME) {
        take_name(m, text);
    } else {
        nvfp4_model_spend(m->reader, pattern.kind == NVFP4_PATTERN_REGEX ? REGEX_COST : 1);
        take_pattern(m, &pattern);
    }
    nvfp4_arena_free(&arena);
    return status;
}

/* As nvfp4_model_take(), by the text itself. */
static nvfp4_status take_within_budget(nvfp4_model_reader *reader, const nvfp4_document *document,
                                       const nvfp4_node *node, const char *text, size_t length,
                                       int any, nvfp4_took *took)
{
    const match m = { reader, containers_of(reader, any), any, took };
    const nvfp4_status status = take_text(&m, node, text, length);
    if (status != NVFP4_OK || reader->steps > 0)
        return status;
    char excerpt[NVFP4_EXCERPT];
    return nvfp4_document_fail(document, node, NVFP4_ELIMIT, reader->error,
                               "the patterns take too long to match, the last one being \"%s\"",
                               nvfp4_excerpt(text, length, excerpt));
}

nvfp4_status nvfp4_model_take(nvfp4_model_reader *reader, const nvfp4_document *document,
                              const nvfp4_node *node, nvfp4_took *took)
{
    return take_within_budget(reader, document, node, node->key, node->key_length, 1, took);
}

nvfp4_taken nvfp4_model_taken(const nvfp4_model_reader *reader, const nvfp4_took *took)
{
    const unsigned whole = whole_expert(reader);
    const int on_purpose = (took->bits & TOOK_ON_PURPOSE) != 0;
    if ((took->bits & TOOK_ALL) != 0 || (took->bits & whole) == whole)
        return on_purpose ? NVFP4_TAKEN_ALL : NVFP4_TAKEN_BY_THE_WAY;
    /* "*gate*" means routers, and takes the gate projections only by the way. */
    return on_purpose ? NVFP4_TAKEN_PART : NVFP4_TAKEN_NONE;
}

int nvfp4_model_took_expert(const nvfp4_model_reader *reader, const nvfp4_took *took)
{
    return nvfp4_model_taken(reader, took) >= NVFP4_TAKEN_BY_THE_WAY ||
           (took->bits & TOOK_EXPERT) != 0;
}

/* A list of patterns, or a single one. */
static nvfp4_status take_list(nvfp4_model_reader *reader, const nvfp4_document *document,
                              const nvfp4_node *list, int any, nvfp4_took *took)
{
    nvfp4_status status = NVFP4_OK;
    int told = 0;
    if (list->kind == NVFP4_NODE_STRING)
        return take_within_budget(reader, document, list, list->text, list->length, any, took);
    if (list->kind != NVFP4_NODE_SEQUENCE)
        return nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                "line %lu: %s is %s where a list of patterns was expected, and not "
                                "used",
                                (unsigned long)list->line, list->key, nvfp4_node_kind_name(list));
    for (const nvfp4_node *n = list->first; n != NULL && status == NVFP4_OK; n = n->next) {
        if (n->kind == NVFP4_NODE_STRING) {
            status = take_within_budget(reader, document, n, n->text, n->length, any, took);
        } else if (!told) {
            told = 1;
            status = nvfp4_model_warn(reader, NVFP4_MODEL_WARNING_IGNORED_VALUE,
                                      "line %lu: an entry of %s is %s where a pattern was "
                                      "expected, and not used",
                                      (unsigned long)n->line, list->key, nvfp4_node_kind_name(n));
        }
    }
    return status;
}

nvfp4_status nvfp4_model_match(nvfp4_model_reader *reader, const nvfp4_document *document,
                               const nvfp4_node *list, int any, nvfp4_taken *taken)
{
    nvfp4_took took[NVFP4_MODEL_LAYERS];
    if (list == NULL || list->kind == NVFP4_NODE_NULL)
        return NVFP4_OK;
    memset(took, 0, reader->layer_count * sizeof *took);
    nvfp4_status status = take_list(reader, document, list, any, took);
    for (uint32_t i = 0; i < reader->layer_count; i++) {
        const nvfp4_taken more = nvfp4_model_taken(reader, &took[i]);
        taken[i] = more > taken[i] ? more : taken[i];
    }
    return status;
}
