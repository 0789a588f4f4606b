/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_REQUEST_PARTS_H
#define NVFP4MOE_FILES_REQUEST_PARTS_H

/**
 * @file request_parts.h
 * @brief What the files of the request reader share. Internal to the library.
 */

#include <nvfp4moe/request.h>
#include <nvfp4moe/select.h>

#include "files/arena.h"
#include "files/document.h"
#include "files/request_keys.h"

/** A value as it was written, kept until the request is resolved; `node` NULL: not given. */
struct request_note {
    const nvfp4_node *node;
    const nvfp4_document *document;
    int placed; /**< 1: its line and column mean something to the reader of a message */
};

/** A board that was looked up: a stream of requests tends to be about few of them. */
struct request_gpu {
    char text[48]; /**< as it was written; "" while the entry is free */
    nvfp4_device_key key;
    const char *name;  /**< NULL: there is no such board, or several */
    char message[256]; /**< then why; looking for what may be meant takes longest */
};

/** Boards that are remembered. */
#define REQUEST_GPUS 32

/** A key that only some policy knows, kept until that is known. */
struct request_own_key {
    struct request_own_key *next; /**< in the order in which they were said */
    enum request_section section; /**< SECTION_LAYER or SECTION_DEPLOYMENT */
    const char *name;
    size_t length; /**< bytes in `name` */
    struct request_note note;
};

struct nvfp4_request {
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    const nvfp4_policy *policy;
    struct request_note notes[SLOT_COUNT];
    struct request_note root;    /**< of the last document, for what is missing from it */
    struct request_own_key *own_keys;
    nvfp4_document **documents;  /**< all that notes point into */
    size_t document_count, document_room;
    int device_set;              /**< 1: the devices are those of nvfp4_request_set_devices() */
    nvfp4_device_key set_device;
    nvfp4_device_key *set_ranks; /**< NULL: none */
    size_t set_rank_count;
    const char *device_name;     /**< lives for ever, or is `set_name`; never NULL */
    char set_name[96];
    struct request_gpu gpus[REQUEST_GPUS]; /**< outlives a reset */
    unsigned next_gpu;           /**< the entry that is used up next */
    const nvfp4_policy *loaded;  /**< the policy last read from a file, or NULL; outlives a reset */
    char *loaded_name;           /**< by which name it was asked for, */
    char *loaded_beside;         /**< and from which file */
    nvfp4_arena kept;            /**< what lives as long as the documents */
    nvfp4_arena arena;           /**< arrays of `deployment`; emptied by every resolution */
};

/** One document on its way into a request. */
struct request_reader {
    nvfp4_request *request;
    const nvfp4_document *document;
    int placed;
    struct request_note *device; /**< where the parts of a device go */
    nvfp4_error *error;
};

/** Fill the error about a value of the document, or about its key. @return @p status. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
nvfp4_status
nvfp4_request_fail(const struct request_note *note, nvfp4_error *error, int about_key,
                   const char *format, ...);

/** Take back whatever named the device of this rank. */
void nvfp4_request_forget_device(nvfp4_request *request);

/** Read a mapping whose keys are those of a section. */
nvfp4_status nvfp4_request_read_section(const struct request_reader *reader,
                                        enum request_section section, const nvfp4_node *mapping);

/** Read the value of one key. */
nvfp4_status nvfp4_request_read_value(const struct request_reader *reader,
                                      enum request_section section, const struct request_key *key,
                                      const nvfp4_node *node);

/** The key of that name in a section, or NULL. */
const struct request_key *nvfp4_request_find_key(enum request_section section, const char *name,
                                                 size_t length);

/**
 * @brief Tell about an unknown key, with the nearest known one.
 * @param policy Whose own keys are known, too; NULL: none.
 * @return NVFP4_ESCHEMA.
 */
nvfp4_status nvfp4_request_unknown_key(const struct request_note *note, nvfp4_error *error,
                                       enum request_section section, const char *name,
                                       size_t length, const nvfp4_policy *policy);

/** May this key be one that only a policy knows? Its value must be a word. */
int nvfp4_request_may_be_own(enum request_section section, const nvfp4_node *node);

/** Keep such a key until the request is resolved. */
nvfp4_status nvfp4_request_keep_own(nvfp4_request *request, enum request_section section,
                                    const char *name, size_t length,
                                    const struct request_note *note);

/** The policy that the request names, read from its file where it has one. */
nvfp4_status nvfp4_request_resolve_policy(nvfp4_request *request, nvfp4_error *error);

/** The keys that only the policy knows, into `deployment.custom`. */
nvfp4_status nvfp4_request_resolve_own(nvfp4_request *request, nvfp4_error *error);

/** Fill the error as when memory is out. @return NVFP4_ENOMEM. */
nvfp4_status nvfp4_request_no_memory(nvfp4_error *error);

/** "unknown policy 'x' in y; did you mean 'z'?" @return NVFP4_ESCHEMA. */
nvfp4_status nvfp4_request_unknown_name(const struct request_note *note, const char *kind,
                                        const char *where, const char *best, const char *list,
                                        nvfp4_error *error);

/** Add a name to a list of names: "a, b"; one too many is left out. */
void nvfp4_request_list(char list[160], const char *name);

/**
 * @brief The device that four parts describe.
 * @param      parts SLOT_SM, SLOT_GPU, SLOT_VENDOR, SLOT_ARCH.
 * @param      whole Where the device stands, for what is missing.
 * @param      what  How to call it in messages: "device", "deployment.devices".
 * @param[out] name  Set to the board's name where one was given; may be NULL.
 */
nvfp4_status nvfp4_request_read_device(nvfp4_request *request, const struct request_note *parts,
                                       const struct request_note *whole, const char *what,
                                       nvfp4_device_key *device, const char **name,
                                       nvfp4_error *error);

#endif
