/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of the verification kit in a policy: `verified`. What was found to compute something else
 * than asked is ruled out for that kernel on that device, from the version on that was tried until
 * one that was found good; what was found good changes nothing else.
 */
#include "files/policy_reader.h"

#include <stdio.h>
#include <string.h>

#include <nvfp4moe/verify.h>

enum { RECORDS = 128 };

/* What a verdict means for a decision. */
enum outcome { UNCLEAR, GOOD, BAD, BAD_WITH_LIMIT };

static const uint8_t outcomes[NVFP4_VERDICT_COUNT] = {
    [NVFP4_VERDICT_HONOURS] = GOOD,
    [NVFP4_VERDICT_IGNORES_LIMIT] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_GATE_ONLY] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_UP_ONLY] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_GATE_TWO_SIDED] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_AFTER_ACTIVATION] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_BEFORE_ACTIVATION] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_WRONG_LIMIT] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_LIMIT_NOT_SCALED] = BAD_WITH_LIMIT,
    [NVFP4_VERDICT_ALPHA_IGNORED] = BAD,
    [NVFP4_VERDICT_BETA_IGNORED] = BAD,
    [NVFP4_VERDICT_HALVES_SWAPPED] = BAD,
    [NVFP4_VERDICT_INTERLEAVING_WRONG] = BAD,
    [NVFP4_VERDICT_SCALE_RECIPROCAL] = BAD,
    [NVFP4_VERDICT_VARIES_WITH_BATCH] = BAD,
    [NVFP4_VERDICT_OTHER] = BAD,
    /* it clamps right, or nobody knows */
    [NVFP4_VERDICT_NAN_HIDDEN] = UNCLEAR,
    [NVFP4_VERDICT_UNDECIDED] = UNCLEAR,
};

struct record {
    nvfp4_kernel_set kernels;
    struct nvfp4_when when;
    enum outcome outcome;
    uint8_t has_library, library;
    nvfp4_library_version from, below;
    const char *note, *source;
    const nvfp4_node *node; /* in the policy file */
};

/* ---- one record ---- */

static nvfp4_status missing(const struct policy_reader *reader, const nvfp4_node *node,
                            const char *key)
{
    return nvfp4_policy_fail(reader, node, NVFP4_ESCHEMA,
                             "a verification record needs '%s', a text", key);
}

static nvfp4_status read_verdict(const struct policy_reader *reader, const nvfp4_node *node,
                                 struct record *record)
{
    static const char *const words[] = {
#define X(name, value, word) [(value) - NVFP4_VERDICT_HONOURS] = word,
        NVFP4_VERDICT_MAP(X)
#undef X
            [NVFP4_VERDICT_COUNT - NVFP4_VERDICT_HONOURS] = NULL
    };
    int index = -1;
    const nvfp4_status status = nvfp4_policy_read_word(reader, node, "verdict", words, &index);
    record->outcome =
        index < 0 ? UNCLEAR : (enum outcome)outcomes[index + NVFP4_VERDICT_HONOURS];
    return status;
}

/* "flashinfer 0.6.18"; "" where the kernel comes from no library. */
static nvfp4_status read_subject_version(const struct policy_reader *reader, const nvfp4_node *node,
                                         struct record *record)
{
    char library[POLICY_NAME_BYTES] = "";
    const char *const blank = strchr(node->text, ' ');
    if (node->length == 0)
        return NVFP4_OK;
    if (blank == NULL || (size_t)(blank - node->text) >= sizeof library ||
        nvfp4_version_parse(blank, &record->from) != NVFP4_OK)
        return nvfp4_policy_must_be(reader, node,
                                    "a library and its version, such as flashinfer 0.6.18");
    memcpy(library, node->text, (size_t)(blank - node->text));
    record->has_library = 1;
    return nvfp4_policy_read_library(reader, node, library, &record->library);
}

/* The question that was tried: scheme and activation. */
static nvfp4_status read_claim(const struct policy_reader *reader, const nvfp4_node *claim,
                               struct record *record)
{
    static const char *const keys[] = { "scheme", "activation" };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < COUNT_OF(keys) && status == NVFP4_OK; i++) {
        const struct policy_column *const column = nvfp4_policy_find_column(keys[i]);
        const nvfp4_node *const n = nvfp4_node_get(claim, keys[i]);
        const uint64_t all = nvfp4_policy_column_all(column);
        uint64_t values = all;
        if (n == NULL)
            continue;
        status = nvfp4_policy_read_words(reader, n, column, &values);
        record->when.values = (record->when.values & ~all) | values;
    }
    return status;
}

static nvfp4_status describe(const struct policy_reader *reader, const nvfp4_node *device,
                             const nvfp4_node *version, const nvfp4_node *verdict,
                             struct record *record)
{
    char text[256], device_text[NVFP4_EXCERPT], version_text[NVFP4_EXCERPT];
    nvfp4_excerpt(device->text, device->length, device_text);
    nvfp4_excerpt(version != NULL ? version->text : "", version != NULL ? version->length : 0,
                  version_text);
    const int length = snprintf(text, sizeof text, "verified: %.40s on %s%s%s", verdict->text,
                                device_text, *version_text != '\0' ? " with " : "", version_text);
    record->note = nvfp4_arena_copy(reader->arena, text, (size_t)length);
    return record->note == NULL ? nvfp4_policy_no_memory(reader) : NVFP4_OK;
}

static nvfp4_status read_record(const struct policy_reader *reader, const nvfp4_node *node,
                                struct record *record)
{
    const nvfp4_node *const device = nvfp4_node_get(node, "device");
    const nvfp4_node *const kernel = nvfp4_node_get(node, "kernel");
    const nvfp4_node *const version = nvfp4_node_get(node, "version");
    const nvfp4_node *const below = nvfp4_node_get(node, "below");
    const nvfp4_node *const verdict = nvfp4_node_get(node, "verdict");
    const nvfp4_node *const source = nvfp4_node_get(node, "source");
    if (node->kind != NVFP4_NODE_MAPPING)
        return nvfp4_policy_must_be(reader, node, "a verification record or the name of its file");
    if (device == NULL || !nvfp4_policy_is_text(device))
        return missing(reader, node, "device");
    if (kernel == NULL || !nvfp4_policy_is_text(kernel))
        return missing(reader, node, "kernel");
    if (verdict == NULL || !nvfp4_policy_is_text(verdict))
        return missing(reader, node, "verdict");
    if (version != NULL && !nvfp4_policy_is_text(version))
        return missing(reader, node, "version");
    nvfp4_status status = read_verdict(reader, verdict, record);
    if (status == NVFP4_OK)
        status = nvfp4_policy_read_kernels(reader, kernel, &record->kernels);
    record->when.device = nvfp4_policy_devices_in(device->text);
    if (status == NVFP4_OK && record->when.device == 0)
        status = nvfp4_policy_must_be(reader, device,
                                      "a device with its SM, as in 'NVIDIA H200 (sm 90)'");
    if (status == NVFP4_OK && version != NULL)
        status = read_subject_version(reader, version, record);
    if (status == NVFP4_OK && below != NULL)
        status = nvfp4_policy_read_version(reader, below, &record->below);
    if (status == NVFP4_OK && below != NULL && !record->has_library)
        status = nvfp4_policy_fail_key(reader, below, "'below' needs the 'version' that was tried");
    if (status == NVFP4_OK)
        status = read_claim(reader, nvfp4_node_get(node, "claim"), record);
    if (status == NVFP4_OK && source != NULL)
        status = nvfp4_policy_read_text(reader, source, &record->source);
    if (status == NVFP4_OK && record->outcome == BAD_WITH_LIMIT)
        record->when.with = FLAG_LIMIT;
    return status == NVFP4_OK ? describe(reader, device, version, verdict, record) : status;
}

/* A record in a file of its own; what is wrong with it is told at its name. */
static nvfp4_status read_record_file(const struct policy_reader *reader, const nvfp4_node *node,
                                     struct record *record)
{
    nvfp4_document *document = NULL;
    const char *path = NULL;
    nvfp4_status status = nvfp4_policy_open_beside(reader, node, &document, &path);
    if (status != NVFP4_OK || document == NULL)
        return status;
    nvfp4_error error = { .status = NVFP4_OK };
    struct policy_reader there = *reader;
    there.document = document;
    there.error = &error;
    there.remarks = NULL;
    status = read_record(&there, nvfp4_document_root(document), record);
    if (record->source == NULL)
        record->source = path;
    nvfp4_document_free(document);
    if (status == NVFP4_OK || status == NVFP4_ENOMEM)
        return status == NVFP4_OK ? status : nvfp4_policy_no_memory(reader);
    return nvfp4_policy_fail(reader, node, status, "%.60s, line %ld: %.150s", path,
                             (long)error.line, error.message);
}

/* ---- all of them ---- */

static int same_subject(const struct record *a, const struct record *b)
{
    return (a->kernels & b->kernels) != 0 && (a->when.device & b->when.device) != 0 &&
           a->has_library == b->has_library && a->library == b->library &&
           a->when.values == b->when.values;
}

/* A later version that was found good ends what an earlier one was found guilty of. */
static void close_range(struct record *bad, const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *const good = &records[i];
        if (good->outcome == GOOD && bad->has_library && same_subject(bad, good) &&
            good->from > bad->from && (bad->below == 0 || good->from < bad->below))
            bad->below = good->from;
    }
}

static void tell_contradictions(const struct policy_reader *reader, const struct record *records,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct record *const a = &records[i], *const b = &records[k];
            const int differ = (a->outcome == GOOD) != (b->outcome == GOOD) &&
                               a->outcome != UNCLEAR && b->outcome != UNCLEAR;
            if (differ && same_subject(a, b) && a->from == b->from)
                nvfp4_policy_remark_at(
                    reader->remarks, NVFP4_SEVERITY_WARNING,
                    (struct policy_place){ a->node->line, a->node->column },
                    "contradicts the record on line %lu: same kernel, device and version",
                    (unsigned long)b->node->line);
        }
}

static nvfp4_status rule_out(const struct policy_reader *reader, const struct record *record)
{
    const struct policy_place place = { record->node->line, record->node->column };
    const struct nvfp4_condition condition = {
        .when = record->when,
        .kind = CONDITION_RULES_OUT,
        .reason = NVFP4_REASON_CLAMP,
        .library = record->library,
        .since = record->has_library ? record->from : 0,
        .until = record->below,
        .note = record->note,
        .source = record->source != NULL ? record->source : "verification record",
    };
    nvfp4_status status = NVFP4_OK;
    for (int i = 0; i < reader->draft->policy.row_count && status == NVFP4_OK; i++)
        if (record->kernels >> i & 1)
            status = nvfp4_policy_add_conditions(reader, i, &condition, &place, 1, 0, record->node);
    return status;
}

nvfp4_status nvfp4_policy_read_evidence(const struct policy_reader *reader, const nvfp4_node *node)
{
    struct record records[RECORDS];
    size_t count = 0;
    nvfp4_status status = NVFP4_OK;
    for (const nvfp4_node *n = nvfp4_policy_first_item(node); n != NULL;
         n = nvfp4_policy_next_item(node, n)) {
        if (count == RECORDS)
            return nvfp4_policy_fail(reader, n, NVFP4_ELIMIT,
                                     "a policy takes at most %d verification records", RECORDS);
        struct record *const record = &records[count++];
        *record = (struct record){ .when = { .device = DEVICE_ANY, .values = ANY_VALUE },
                                   .outcome = UNCLEAR,
                                   .node = n };
        status = n->kind == NVFP4_NODE_STRING ? read_record_file(reader, n, record)
                                              : read_record(reader, n, record);
        if (status != NVFP4_OK)
            return status;
    }
    if (reader->remarks != NULL)
        tell_contradictions(reader, records, count);
    for (size_t i = 0; i < count && status == NVFP4_OK; i++)
        if (records[i].outcome == BAD || records[i].outcome == BAD_WITH_LIMIT) {
            close_range(&records[i], records, count);
            status = rule_out(reader, &records[i]);
        }
    return status;
}
