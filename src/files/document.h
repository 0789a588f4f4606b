/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_DOCUMENT_H
#define NVFP4MOE_FILES_DOCUMENT_H

/**
 * @file document.h
 * @brief A YAML or JSON document as a tree that is only read. Internal to the library.
 *
 * Requests, policies and checkpoints are all read through this. A reader parses, walks the tree,
 * and tells what it dislikes with nvfp4_document_fail(), which adds file, line and column:
 *
 * @code
 *     nvfp4_document_options options = { .file = "request.yaml", .unique_keys = 1 };
 *     nvfp4_document *doc;
 *     nvfp4_status status = nvfp4_document_parse(text, length, &options, &doc, error);
 *     if (status != NVFP4_OK)
 *         return status;
 *     const nvfp4_node *root = nvfp4_document_root(doc);
 *     if (root->kind != NVFP4_NODE_MAPPING)
 *         status = nvfp4_document_fail(doc, root, NVFP4_ESCHEMA, error,
 *                                      "expected a mapping, found %s", nvfp4_node_kind_name(root));
 *     for (const nvfp4_node *n = root->first; n != NULL && status == NVFP4_OK; n = n->next)
 *         ... n->key, n->kind, n->text, n->integer, n->real ...
 *     nvfp4_document_free(doc);
 * @endcode
 *
 * Bounds, beyond which ::NVFP4_ELIMIT is returned: #NVFP4_DOCUMENT_BYTES of input,
 * #NVFP4_DOCUMENT_DEPTH levels of sequences and mappings, #NVFP4_DOCUMENT_NODES values. A value
 * costs 64 bytes and its text, and 16 more while a large mapping is sorted: with the text and its
 * copy, no input takes more than 56 MiB. Time grows with n log n of the input at most, whatever it
 * holds.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/status.h>

/** Largest input, bytes. */
#define NVFP4_DOCUMENT_BYTES ((size_t)12 << 20)
/** Most open sequences and mappings. */
#define NVFP4_DOCUMENT_DEPTH 256
/** Most values, sequences and mappings counted among them. */
#define NVFP4_DOCUMENT_NODES ((uint32_t)400000)

typedef enum nvfp4_node_kind {
    NVFP4_NODE_NULL,
    NVFP4_NODE_BOOL,     /**< `integer` is 0 or 1 */
    NVFP4_NODE_INT,      /**< `integer` */
    NVFP4_NODE_BIG,      /**< an integer beyond int64_t; `real` is the nearest double */
    NVFP4_NODE_REAL,     /**< `real`: any double, infinities and NaN included */
    NVFP4_NODE_STRING,   /**< `text`, `length` */
    NVFP4_NODE_SEQUENCE, /**< `first`, `count` */
    NVFP4_NODE_MAPPING   /**< `first`, `count`; the children have keys */
} nvfp4_node_kind;

/** One value. Read-only, lives as long as its document. */
typedef struct nvfp4_node nvfp4_node;
struct nvfp4_node {
    const nvfp4_node *next; /**< the next child of the same parent, in the order of the text */
    /** Key under which the value stands in its mapping, UTF-8, NUL-terminated; else NULL. */
    const char *key;
    union {
        /** Scalars: the text as written, so that `13.10` can be told from 13.1; a string's own text
         *  without quotes and escapes. NUL-terminated; may hold NULs if the file said `\u0000`. */
        const char *text;
        const nvfp4_node *first; /**< sequences and mappings: the first child, or NULL */
    };
    union {
        int64_t integer;
        double real;
        const nvfp4_node *const *sorted; /**< mappings: the children by key; internal */
    };
    union {
        uint32_t length; /**< scalars: bytes in `text` */
        uint32_t count;  /**< sequences and mappings: number of children */
    };
    uint32_t line, column;         /**< where the value begins; from 1, columns in bytes */
    uint32_t key_line, key_column; /**< where its key begins; 0 without a key */
    uint32_t key_length;           /**< bytes in `key` */
    uint8_t kind;                  /**< an ::nvfp4_node_kind */
    uint8_t quoted;                /**< 1: a string in quotes (or a YAML block), not a bare word */
    uint8_t repeated;              /**< 1: the same key stands earlier in the mapping */
    uint8_t shadowed; /**< 1: the same key stands later in the mapping, and that one counts */
};

typedef struct nvfp4_document nvfp4_document;

typedef enum nvfp4_syntax {
    /** By the name of the file (`.json`, `.jsonl`, `.yaml`, `.yml`), else JSON exactly when the
     * first byte that is not blank is `{` or `[` and the next one `"`, `{`, `[`, `}` or `]`. */
    NVFP4_SYNTAX_AUTO = 0,
    /** RFC 8259, and the `NaN`, `Infinity`, `-Infinity` that Python writes. */
    NVFP4_SYNTAX_JSON,
    /** YAML 1.2, core schema; anchors, aliases, tags and further documents are refused. */
    NVFP4_SYNTAX_YAML
} nvfp4_syntax;

/** How to read. All zero is a fair default. */
typedef struct nvfp4_document_options {
    nvfp4_syntax syntax;
    const char *file;    /**< name for errors, and for AUTO; NULL: none. Copied. */
    uint32_t first_line; /**< number of the text's first line; 0 means 1. For a line of a stream. */
    /** JSON: 1 refuses a key that stands twice in a mapping. 0 reads on: nvfp4_node_get() gives the
     *  last one, as Python does, and nvfp4_document_duplicate() tells. YAML always refuses. */
    uint8_t unique_keys;
    /** Another document that is kept meanwhile: the bounds hold for both together. NULL: none. */
    const nvfp4_document *beside;
} nvfp4_document_options;

/**
 * @brief Read a text from memory.
 * @param      text     May hold anything; need not end in NUL. Not retained. NULL: with length 0.
 * @param      length   Bytes in @p text.
 * @param      options  NULL: defaults.
 * @param[out] document To be freed with nvfp4_document_free().
 * @param[out] error    Filled on failure; may be NULL.
 * @retval NVFP4_ESYNTAX Not well-formed: bad grammar, invalid UTF-8, a raw NUL, an empty text.
 * @retval NVFP4_ESCHEMA Well-formed but refused: duplicate keys, YAML aliases, tags, documents.
 * @retval NVFP4_ELIMIT  Larger or deeper than the bounds above.
 * @retval NVFP4_ENOMEM
 */
nvfp4_status nvfp4_document_parse(const char *text, size_t length,
                                  const nvfp4_document_options *options, nvfp4_document **document,
                                  nvfp4_error *error);

/**
 * @brief Read a file. As nvfp4_document_parse(); `options->file` NULL means @p path.
 * @retval NVFP4_EIO There is no such file, or it cannot be read.
 */
nvfp4_status nvfp4_document_read(const char *path, const nvfp4_document_options *options,
                                 nvfp4_document **document, nvfp4_error *error);

/** 1 if there is something at @p path, be it a folder or a file that may not be read. */
int nvfp4_path_exists(const char *path);

/** 1 if @p path is a folder. */
int nvfp4_path_is_folder(const char *path);

/** Free a document and all its nodes; NULL is nothing to do. */
void nvfp4_document_free(nvfp4_document *document);

/** The outermost value; never NULL. */
const nvfp4_node *nvfp4_document_root(const nvfp4_document *document);

/**
 * @brief The @p index-th value, in the order of the text, whose key stood earlier in its mapping.
 * @return NULL when there are no more. Only a few are kept; count from 0.
 */
const nvfp4_node *nvfp4_document_duplicate(const nvfp4_document *document, size_t index);

/** How many values there are whose key stood earlier in its mapping, also those not kept. */
size_t nvfp4_document_duplicate_count(const nvfp4_document *document);

/**
 * @brief Look a key up. In a mapping of any size this takes logarithmic time.
 * @param mapping Any node; NULL or another kind has no keys.
 * @return NULL when the key is not there. Of duplicates the last.
 */
const nvfp4_node *nvfp4_node_get(const nvfp4_node *mapping, const char *key);

/** 1 if the node is a string (quoted or bare) that reads exactly @p word; NULL is not. */
int nvfp4_node_is(const nvfp4_node *node, const char *word);

/** 1 if the node is INT, BIG or REAL; then @p value, if not NULL, gets the number. */
int nvfp4_node_number(const nvfp4_node *node, double *value);

/** What a node is, for messages: "null", "a number", "a mapping", ... Never NULL. */
const char *nvfp4_node_kind_name(const nvfp4_node *node);

/**
 * @brief Fill @p error with a message about a value of the document.
 * @param document NULL: not about any file.
 * @param node   Where; NULL: the document as a whole.
 * @param error  May be NULL.
 * @param format As for printf(); one sentence without full stop. Texts taken from the document may
 *               be of any length and content: print them with "%s" of nvfp4_excerpt(), or "%.40s".
 * @return @p status, for `return`.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
nvfp4_status
nvfp4_document_fail(const nvfp4_document *document, const nvfp4_node *node, nvfp4_status status,
                    nvfp4_error *error, const char *format, ...);

/** As nvfp4_document_fail(), but about the key under which @p node stands. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
nvfp4_status
nvfp4_document_fail_key(const nvfp4_document *document, const nvfp4_node *node, nvfp4_status status,
                        nvfp4_error *error, const char *format, ...);

/** Room for nvfp4_excerpt(). */
#define NVFP4_EXCERPT 48

/**
 * @brief Bring a text of unknown length and content into a form fit for a one-line message: control
 *        characters become `?`, a long text is cut between characters and ends in "...".
 * @param length Bytes in @p text.
 * @param buffer Receives it, NUL-terminated.
 * @return @p buffer.
 */
const char *nvfp4_excerpt(const char *text, size_t length, char buffer[NVFP4_EXCERPT]);

#endif
