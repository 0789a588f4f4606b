/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_REQUEST_KEYS_H
#define NVFP4MOE_FILES_REQUEST_KEYS_H

/**
 * @file request_keys.h
 * @brief The keys of a request as a table. Internal to the library.
 *
 * Reading, `--set`, suggestions, the list of keys in a help text and the writer all come from it:
 * a new key is a new row.
 */

#include <stddef.h>
#include <stdint.h>

enum request_section {
    SECTION_REQUEST,
    SECTION_DEVICE,
    SECTION_LAYER,
    SECTION_DEPLOYMENT,
    SECTION_LIBRARIES,
    SECTION_COUNT
};

/** What stands for a key. Offsets are into the struct of its section. */
enum request_kind {
    KIND_SECTION, /**< a mapping; `arg`: its section */
    KIND_WORD,    /**< int32_t at `offset`; `arg`: an enum request_words */
    KIND_SIZE,    /**< int64_t at `offset`, from 1; null: unknown */
    KIND_RANKS,   /**< int32_t at `offset`, from 1 */
    KIND_FLAG,    /**< uint8_t at `offset` */
    KIND_REAL,    /**< double at `offset`, any finite; `arg`: number of its bit in `has`; null */
    KIND_LIMIT,   /**< as REAL, above 0 */
    KIND_VERSION, /**< nvfp4_library_version; `arg`: the library; null: absent */
    /* kept as written; `arg`: an enum request_slot */
    KIND_NAME,    /**< a text */
    KIND_SM,      /**< a whole number */
    KIND_NAMES,   /**< a list of texts */
    KIND_DEVICES  /**< a list of devices */
};

/** What is kept as written until the request is resolved. */
enum request_slot {
    SLOT_SM, /* the parts of a device first */
    SLOT_GPU,
    SLOT_VENDOR,
    SLOT_ARCH,
    SLOT_DEVICE_PARTS,
    SLOT_POLICY = SLOT_DEVICE_PARTS,
    SLOT_BACKEND,
    SLOT_BUILT,
    SLOT_BUILT_ARCHS,
    SLOT_DEVICES,
    SLOT_DISABLE,
    SLOT_ERRATA_OFF,
    SLOT_TOP_K, /* for its place */
    SLOT_COUNT
};

enum request_words {
    WORDS_NONE,
    WORDS_SCHEME,
    WORDS_ACTIVATION,
    WORDS_ROUTING,
    WORDS_ROUTER_DTYPE,
    WORDS_DTYPE,
    WORDS_VENDOR,
    WORDS_ALL2ALL,
    WORDS_FORMAT,
    WORDS_HUMMING_GEMM,
    WORDS_COUNT
};

/** The words of an enum by value, and further spellings. */
struct request_vocabulary {
    const char *const *words;
    size_t count;
    const char *synonym; /**< another spelling of `synonym_of`, or NULL */
    int32_t synonym_of;
    uint8_t null_is_first; /**< 1: null means the first word */
};

struct request_key {
    const char *name;
    uint8_t kind; /**< an enum request_kind */
    uint8_t arg;
    uint16_t offset;
    const char *value;   /**< NULL: told by the kind */
    const char *initial; /**< NULL: none */
    const char *text;
};

struct request_keys {
    const char *name; /**< of the section in messages and paths: "layer", "deployment.libraries" */
    const struct request_key *keys;
    size_t count;
};

extern const struct request_keys nvfp4_request_sections[SECTION_COUNT];
extern const struct request_vocabulary nvfp4_request_vocabularies[WORDS_COUNT];

#endif
