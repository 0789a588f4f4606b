/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_POLICY_PRINT_H
#define NVFP4MOE_FILES_POLICY_PRINT_H

/**
 * @file policy_print.h
 * @brief Writing a policy as a file: the parts that its rows are made of. Internal to the library.
 */

#include "core/out.h"
#include "core/rule.h"

struct policy_printer {
    struct out *out;
    const nvfp4_policy *policy;
    int evidence;      /**< 1: sources too */
    size_t line_start; /**< where the current line begins */
    size_t indent;     /**< of the current mapping, in blanks */
    int item;          /**< 1: the next key is the first of a list's item: "- " stands in front */
};

/** A new line with a key: "    key: ". */
void nvfp4_print_key(struct policy_printer *p, const char *key);
/** key: "text"; nothing for NULL or an empty one. */
void nvfp4_print_text(struct policy_printer *p, const char *key, const char *text);
/** key: word, as it stands. */
void nvfp4_print_word(struct policy_printer *p, const char *key, const char *word);
/** Room for any name or word in quotes. */
enum { POLICY_QUOTED = 72 };
/** A name, in quotes where it could be read as something else. @return @p buffer. */
const char *nvfp4_print_quoted(const char *name, char buffer[POLICY_QUOTED]);
void nvfp4_print_name(struct policy_printer *p, const char *name);
void nvfp4_print_number(struct policy_printer *p, const char *key, uint64_t number);
void nvfp4_print_real_key(struct policy_printer *p, const char *key, double number);
void nvfp4_print_version_key(struct policy_printer *p, const char *key,
                             nvfp4_library_version version);

/** One entry of a flow list or mapping; a new line where it gets long. */
void nvfp4_print_entry(struct policy_printer *p, int *count, const char *entry);

/** key: the set of a column's words; `values` in their place. */
void nvfp4_print_column(struct policy_printer *p, int column, uint64_t values);
/** key: the words of one of the policy's own keys that are not in @p not_custom. */
void nvfp4_print_custom(struct policy_printer *p, const struct nvfp4_custom_key *key,
                        uint64_t not_custom);
/** devices: ... */
void nvfp4_print_devices(struct policy_printer *p, uint64_t devices);
/** key: [flags] */
void nvfp4_print_flags(struct policy_printer *p, const char *key, uint32_t flags);
/** key: [kernels] */
void nvfp4_print_kernels(struct policy_printer *p, const char *key, nvfp4_kernel_set kernels);
/** The name of a kernel, such that reading it means this one only. */
size_t nvfp4_print_kernel_name(const nvfp4_policy *policy, int row, char *buffer, size_t capacity);

/** when: {...}; nothing where it is always. */
void nvfp4_print_when(struct policy_printer *p, const struct nvfp4_when *when);
/** Are the conditions of a row from the first on plain needs? How many that `needs` can say. */
int nvfp4_print_plain_needs(const struct policy_printer *p, const struct nvfp4_row *row);
void nvfp4_print_condition(struct policy_printer *p, const struct nvfp4_condition *condition);
void nvfp4_print_clamp_rule(struct policy_printer *p, const struct nvfp4_clamp_rule *rule);
void nvfp4_print_erratum(struct policy_printer *p, const struct nvfp4_erratum *erratum);

#endif
