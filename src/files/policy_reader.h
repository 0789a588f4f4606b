/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_POLICY_READER_H
#define NVFP4MOE_FILES_POLICY_READER_H

/**
 * @file policy_reader.h
 * @brief What the files of the policy reader share. Internal to the library.
 *
 * A policy is read into a draft: the arrays of a policy at their largest, so that a file which
 * extends another simply goes on with the draft that the other has left. While it grows,
 * `draft->policy` is a policy that can be asked. In the end it is copied into one arena.
 *
 * Whatever a reader dislikes it hands to nvfp4_policy_fail(). Loading ends there with a status; a
 * check notes it and goes on (the call returns ::NVFP4_OK), so every reader leaves its results
 * usable then.
 */

#include <nvfp4moe/policy.h>

#include "core/rule.h"
#include "files/arena.h"
#include "files/document.h"

/* The bounds of a policy, told to users in src/policies/README.md. */
enum {
    POLICY_ERRATA = 64, /* bits of nvfp4_deployment.errata_off */
    POLICY_NAMES = 64,  /* words for backends */
    POLICY_BACKENDS = NVFP4_BACKEND_CUSTOM_LAST - NVFP4_BACKEND_CUSTOM_FIRST + 1,
    POLICY_KEYS = CUSTOM_BITS / 2, /* a key has two words at least */
    POLICY_RULES = 255,            /* conditions, and clamp rules, of one kernel */
    POLICY_NAME_BYTES = 64,        /* of a name or word */
    POLICY_TEXT_BYTES = 1000,      /* of a note, text, source, summary */
    POLICY_FILES = 8,              /* that extend one another */
    POLICY_COMPLAINTS = 200        /* after which a check gives up */
};

/** Where something stands in the file being read; line 0: it is not of this file. */
struct policy_place {
    uint32_t line, column;
};

struct policy_marks {
    struct policy_place row;
    const struct policy_place *conditions, *clamp; /**< as many as the row has, or NULL */
    uint8_t has_source;                            /**< 1: this file gives the row's source */
    uint8_t has_facts; /**< 1: it says more of it than its place and whether it is opt-in */
    uint8_t is_new;    /**< 1: it brings the row */
    uint8_t emptied;   /**< 1: a column was emptied by something else than `[]` */
};

struct policy_draft {
    nvfp4_policy policy; /**< points to the arrays below */
    struct nvfp4_row rows[NVFP4_KERNELS_MAX];
    struct policy_marks marks[NVFP4_KERNELS_MAX];
    struct nvfp4_erratum errata[POLICY_ERRATA];
    struct policy_place erratum_places[POLICY_ERRATA];
    struct nvfp4_user_word words[POLICY_NAMES];
    struct policy_place word_places[POLICY_NAMES];
    struct nvfp4_custom_backend backends[POLICY_BACKENDS];
    struct policy_place backend_places[POLICY_BACKENDS];
    struct nvfp4_custom_key keys[POLICY_KEYS];
    struct policy_place top; /**< of the mapping itself */
};

/** Where a check writes; the caller's array. */
struct policy_remarks {
    nvfp4_policy_remark *array;
    size_t capacity, count;
    size_t errors;
};

struct policy_reader {
    const nvfp4_document *document;
    struct policy_draft *draft;
    nvfp4_arena *arena; /**< of the policy */
    nvfp4_error *error;
    struct policy_remarks *remarks; /**< NULL: the first complaint ends it */
    const char *file;               /**< what paths are relative to; NULL: no files are opened */
    int depth;                      /**< files that this one is extended by */
};

/* ---- complaints: policy_complain.c ---- */

/** Complain about a value. @return What the caller returns: @p status, or OK in a check. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
nvfp4_status
nvfp4_policy_fail(const struct policy_reader *reader, const nvfp4_node *node, nvfp4_status status,
                  const char *format, ...);

/** Complain about the key under which a value stands. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nvfp4_status
nvfp4_policy_fail_key(const struct policy_reader *reader, const nvfp4_node *node,
                      const char *format, ...);

/** Note a finding of a check about a place. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void
nvfp4_policy_remark_at(struct policy_remarks *remarks, nvfp4_severity severity,
                       struct policy_place place, const char *format, ...);

/** Complain that a value is not @p what. */
nvfp4_status nvfp4_policy_must_be(const struct policy_reader *reader, const nvfp4_node *node,
                                  const char *what);

/** Complain about a word that is none of @p known, which end in NULL. */
nvfp4_status nvfp4_policy_unknown_word(const struct policy_reader *reader, const nvfp4_node *node,
                                       const char *where, const char *const *known);

/**
 * @brief Complain about every key of a mapping that is none of @p known, which end in NULL.
 * @param own   1: the policy's own request keys are known too.
 * @param where What the mapping is: "a kernel".
 */
nvfp4_status nvfp4_policy_check_keys(const struct policy_reader *reader, const nvfp4_node *mapping,
                                     const char *where, const char *const *known, int own);

/** Out of memory is no finding: it ends a check too. */
nvfp4_status nvfp4_policy_no_memory(const struct policy_reader *reader);

/* ---- values: policy_values.c ---- */

/** The items of a list; a single value stands for a list of one. NULL: no more. */
const nvfp4_node *nvfp4_policy_first_item(const nvfp4_node *list);
const nvfp4_node *nvfp4_policy_next_item(const nvfp4_node *list, const nvfp4_node *item);

/** 1: a text, or another scalar that can be read as one, without NUL. */
int nvfp4_policy_is_text(const nvfp4_node *node);

/** A sentence: checked and copied; line ends become blanks. */
nvfp4_status nvfp4_policy_read_text(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char **text);

/** A name: letters, digits, and `_`, `-`, `.`, `+`; copied. */
nvfp4_status nvfp4_policy_read_name(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char *what, const char **name);

/** true or false. */
nvfp4_status nvfp4_policy_read_flag(const struct policy_reader *reader, const nvfp4_node *node,
                                    uint8_t *flag);

/** A whole number of a range. */
nvfp4_status nvfp4_policy_read_number(const struct policy_reader *reader, const nvfp4_node *node,
                                      int64_t least, int64_t most, int64_t *number);

/** A finite number. */
nvfp4_status nvfp4_policy_read_real(const struct policy_reader *reader, const nvfp4_node *node,
                                    double *number);

/** One of a list of words that ends in NULL. */
nvfp4_status nvfp4_policy_read_word(const struct policy_reader *reader, const nvfp4_node *node,
                                    const char *where, const char *const *words, int *index);

/** A version. */
nvfp4_status nvfp4_policy_read_version(const struct policy_reader *reader, const nvfp4_node *node,
                                       nvfp4_library_version *version);

/** The name of a library. */
nvfp4_status nvfp4_policy_read_library(const struct policy_reader *reader, const nvfp4_node *node,
                                       const char *word, uint8_t *library);

/** Kernels by name: a list of backends, users' words, BACKEND/kernel. */
nvfp4_status nvfp4_policy_read_kernels(const struct policy_reader *reader, const nvfp4_node *node,
                                       nvfp4_kernel_set *kernels);

/* ---- sets: policy_sets.c ---- */

/** A column of words. `initial`: what a kernel takes that does not say; NULL: it must say. */
struct policy_column {
    const char *key;
    uint8_t column; /**< an ::nvfp4_column */
    uint8_t shift, bits;
    const char *initial;
};
enum { POLICY_COLUMNS = NVFP4_COLUMN_CUSTOM };
extern const struct policy_column nvfp4_policy_columns[POLICY_COLUMNS];

/** Something asked for beside the values. */
struct policy_flag {
    uint32_t flag;
    const char *word;    /**< in `can` and `cannot` */
    const char *when;    /**< the key in a `when` */
    uint8_t when_absent; /**< 1: that key set to true means the flag is clear */
    uint8_t assumed;     /**< 1: a kernel that does not say cannot */
};
enum { POLICY_FLAGS = 9 };
extern const struct policy_flag nvfp4_policy_flags[POLICY_FLAGS];

/** All bits of a column. */
uint64_t nvfp4_policy_column_all(const struct policy_column *column);
/** The column of that key, or NULL. */
const struct policy_column *nvfp4_policy_find_column(const char *key);
/** The policy's own request key of that name, or NULL. */
const struct nvfp4_custom_key *nvfp4_policy_find_key(const nvfp4_policy *policy, const char *name);

/** A set of a column's words, as bits in their place of the values. */
nvfp4_status nvfp4_policy_read_words(const struct policy_reader *reader, const nvfp4_node *node,
                                     const struct policy_column *column, uint64_t *values);

/** A set of the words of one of the policy's own keys, as bits of the custom word. */
nvfp4_status nvfp4_policy_read_custom(const struct policy_reader *reader, const nvfp4_node *node,
                                      const struct nvfp4_custom_key *key, uint64_t *bits);

/** A set of devices. */
nvfp4_status nvfp4_policy_read_devices(const struct policy_reader *reader, const nvfp4_node *node,
                                       uint64_t *devices);

/** A list of flags by their words. */
nvfp4_status nvfp4_policy_read_flags(const struct policy_reader *reader, const nvfp4_node *node,
                                     uint32_t *flags);

/** First and last SM of one bit of a device set. */
void nvfp4_policy_device_range(int bit, int *first, int *last);

/** Devices from the text that a record of a verification has: "NVIDIA H200 (sm 90)". 0: it has
 * none. */
uint64_t nvfp4_policy_devices_in(const char *text);

/* ---- rules: policy_when.c, policy_conditions.c, policy_clamp.c ---- */

/** What all rules have: when, a range of versions, texts. */
struct policy_common {
    struct nvfp4_when when;
    uint8_t has_library, library;
    nvfp4_library_version from, below;
    const char *note, *source;
};

/** A `when`. */
nvfp4_status nvfp4_policy_read_when(const struct policy_reader *reader, const nvfp4_node *node,
                                    struct nvfp4_when *when);
nvfp4_status nvfp4_policy_read_common(const struct policy_reader *reader, const nvfp4_node *mapping,
                                      struct policy_common *common);
nvfp4_status nvfp4_policy_read_condition(const struct policy_reader *reader, const nvfp4_node *node,
                                         struct nvfp4_condition *condition);
nvfp4_status nvfp4_policy_read_clamp_rule(const struct policy_reader *reader,
                                          const nvfp4_node *node, struct nvfp4_clamp_rule *rule);

/** The reason that a kind of condition gives where none is said; -1: it must be said. */
int nvfp4_policy_usual_reason(int kind);

/** What the conditions of a kernel are called: "rules_out", "needs", ..., by kind - 1; NULL at the
 * end. */
extern const char *const nvfp4_policy_condition_words[];
/** "constant" is written as its number. By value - 1; NULL at the end. */
extern const char *const nvfp4_policy_limit_words[];
/** "fine", "refused", "clamps"; NULL at the end. */
extern const char *const nvfp4_policy_absent_words[];
/** What absent SiTU constants mean: "may_be_absent", "must_be_given"; NULL at the end. */
extern const char *const nvfp4_policy_situ_words[];

/** Keys that a `when` knows beside the policy's own ones; NULL at the end. */
extern const char *const nvfp4_policy_when_keys[];

/* ---- kernels: policy_kernels.c, policy_row_rules.c ---- */

/** The list `kernels`. */
nvfp4_status nvfp4_policy_read_kernel_list(const struct policy_reader *reader,
                                           const nvfp4_node *node);

/** `needs`, `conditions` and `clamp` of a kernel. @p added 1: beside what it has. */
nvfp4_status nvfp4_policy_read_row_rules(const struct policy_reader *reader,
                                         const nvfp4_node *mapping, int row, int added);

/** Put conditions in front of a row's own (@p front 1) or behind them. */
nvfp4_status nvfp4_policy_add_conditions(const struct policy_reader *reader, int row,
                                         const struct nvfp4_condition *conditions,
                                         const struct policy_place *places, size_t count, int front,
                                         const nvfp4_node *node);

/** Take out the conditions of a row for which @p is_meant says 1. */
nvfp4_status nvfp4_policy_forget_conditions(const struct policy_reader *reader, int row,
                                            int (*is_meant)(const struct nvfp4_condition *, int),
                                            int argument);

/** Warn of lists of a file that contradict one another; only in a check without errors. */
void nvfp4_policy_find_contradictions(const struct policy_reader *reader, const nvfp4_node *root);

/** The backend of a name, by any of its names; NONE: there is none. */
int nvfp4_policy_backend_of(const nvfp4_policy *policy, const char *text, size_t length);

/** 1: no key of a kernel has this name. */
int nvfp4_policy_is_free_key(const char *name);

/* ---- errata: policy_errata.c ---- */

/** The section `errata`. */
nvfp4_status nvfp4_policy_read_errata(const struct policy_reader *reader, const nvfp4_node *node);
/** The section `errata_off`. */
nvfp4_status nvfp4_policy_read_errata_off(const struct policy_reader *reader,
                                          const nvfp4_node *node);

/* ---- the order of rows: policy_order.c ---- */

/** Bring the rows into the order that lists their present places; what points to them follows. */
void nvfp4_policy_reorder(struct policy_draft *draft, const uint8_t order[NVFP4_KERNELS_MAX]);
/** Move the rows of a set, in their order, in front of (@p after 0) or behind the rows of another.
 */
void nvfp4_policy_move_set(struct policy_draft *draft, nvfp4_kernel_set moved,
                           nvfp4_kernel_set target, int after);
/** Opt-in rows go behind the others; both keep their order. */
void nvfp4_policy_sort_opt_in(struct policy_draft *draft);

/* ---- verification records: policy_evidence.c ---- */

nvfp4_status nvfp4_policy_read_evidence(const struct policy_reader *reader, const nvfp4_node *node);

/* ---- names and keys of a policy's own: policy_names.c ---- */

/** The section `backends`. */
nvfp4_status nvfp4_policy_read_backends(const struct policy_reader *reader, const nvfp4_node *node);
/** The section `keys`. */
nvfp4_status nvfp4_policy_read_keys(const struct policy_reader *reader, const nvfp4_node *node);
/** The section `names`. */
nvfp4_status nvfp4_policy_read_names(const struct policy_reader *reader, const nvfp4_node *node);

/* ---- the whole: policy_draft.c, policy_read.c ---- */

/** Begin an empty draft. */
void nvfp4_policy_begin(struct policy_draft *draft);
/** A built-in policy as a draft. */
void nvfp4_policy_import(struct policy_draft *draft, const nvfp4_policy *policy);
/** Make a policy of a draft, its arrays copied into the arena. @return 0: no memory. */
int nvfp4_policy_freeze(const struct policy_draft *draft, nvfp4_arena *arena, nvfp4_policy *policy);
/** What has been read so far is not of the file that is read next. */
void nvfp4_policy_forget_places(struct policy_draft *draft);
/** Read the document of a reader into its draft. */
nvfp4_status nvfp4_policy_read_document(const struct policy_reader *reader);

/* ---- files: policy_open.c ---- */

/** A path as the file @p beside (NULL: nobody) means it, in the arena; NULL: no memory. */
const char *nvfp4_policy_path_beside(nvfp4_arena *arena, const char *path, const char *beside);

/** 1: the name looks like a file's: it has a separator, or ends as policy files do. */
int nvfp4_policy_is_path(const char *name);

/** Read the document in a file. */
nvfp4_status nvfp4_policy_open(const char *path, nvfp4_document **document, nvfp4_error *error);

/** The nearest name among the built-in policies and their aliases, or NULL. */
const char *nvfp4_policy_nearest_builtin(const char *name);

/** Read what a policy extends into the draft. */
nvfp4_status nvfp4_policy_extend(const struct policy_reader *reader, const nvfp4_node *node);

/** Read a file that another names; @p reader is of the naming one. */
nvfp4_status nvfp4_policy_open_beside(const struct policy_reader *reader, const nvfp4_node *node,
                                      nvfp4_document **document, const char **path);

/* ---- the check: policy_check.c ---- */

/** Note what can be known to be wrong with a draft that has been read without complaint. */
void nvfp4_policy_lint(const struct policy_draft *draft, struct policy_remarks *remarks);

#endif
