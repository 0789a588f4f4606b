/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_REQUEST_H
#define NVFP4MOE_REQUEST_H

/**
 * @file request.h
 * @brief A question as a person or a program writes it: YAML or JSON.
 *
 * A request is built up from layers of text, each laid over what is there: nvfp4_request_parse()
 * and nvfp4_request_load() read a document, nvfp4_request_set() changes one key. What depends on
 * other keys (the names that the policy knows, the GPU by its name) is kept as written until
 * nvfp4_request_resolve(), which checks the whole; then the question can be asked:
 *
 * @code
 *     nvfp4_request *request;
 *     nvfp4_error error;
 *     if (nvfp4_request_new(&request) != NVFP4_OK)
 *         return 1;
 *     if (nvfp4_request_load(request, "request.yaml", &error) == NVFP4_OK &&
 *         nvfp4_request_set(request, "deployment.tensor_parallel=2", NULL, &error) == NVFP4_OK &&
 *         nvfp4_request_resolve(request, &error) == NVFP4_OK)
 *         nvfp4_select_backend(nvfp4_request_layer(request), nvfp4_request_deployment(request),
 *                              nvfp4_request_policy(request), &selection);
 *     nvfp4_request_destroy(request);
 * @endcode
 *
 * Only this header and model.h, device.h (machine files) and policy files need libyaml; a library
 * built without it has none of these functions.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/deployment.h>
#include <nvfp4moe/layer.h>
#include <nvfp4moe/policy.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A request; it owns everything it was told. Not to be used by two threads at the same time. */
typedef struct nvfp4_request nvfp4_request;

/**
 * @brief A new request that says nothing: every key is at its default, the device is missing.
 * @param[out] request To be given to nvfp4_request_destroy().
 * @retval NVFP4_EINVAL @p request is NULL.
 * @retval NVFP4_ENOMEM
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_new(nvfp4_request **request);

/**
 * @brief Give a request back.
 * @param request May be NULL.
 * @since 0.1
 */
NVFP4_API void nvfp4_request_destroy(nvfp4_request *request);

/**
 * @brief Forget everything: as if new. Cheaper than destroy and new.
 * @param request May be NULL.
 * @since 0.1
 */
NVFP4_API void nvfp4_request_reset(nvfp4_request *request);

/** A text to read. Set up with #NVFP4_REQUEST_TEXT_INIT. Nothing of it is retained. */
typedef struct nvfp4_request_text {
    size_t struct_size;
    const char *text; /**< may hold anything and need not end in NUL; NULL only with length 0 */
    size_t length;    /**< bytes */
    const char *file; /**< name for errors; NULL: none */
    uint32_t first_line; /**< number of the text's first line, from 1, for a line of a stream */
    int32_t json;        /**< 1: only JSON is read; 0: YAML or JSON, by the file's ending or look */
} nvfp4_request_text;

/** An empty ::nvfp4_request_text. */
#define NVFP4_REQUEST_TEXT_INIT                                                                    \
    {                                                                                              \
        sizeof(nvfp4_request_text), NULL, 0, NULL, 1, 0                                            \
    }

/**
 * @brief Read a document from memory and lay it over the request.
 *
 * Unknown keys, wrong types and unknown words are refused with their place and the nearest known
 * word; so are duplicate keys, and in YAML anchors, aliases and tags. What only the policy can know,
 * its own keys among them, is refused by nvfp4_request_resolve().
 *
 * @param      request After a failure it may hold a part of the text: reset or destroy it.
 * @param[out] error   Filled on failure; may be NULL.
 * @retval NVFP4_ESYNTAX The text is not well-formed.
 * @retval NVFP4_ESCHEMA It says something that no request can say.
 * @retval NVFP4_ELIMIT  It is larger or deeper than is read.
 * @retval NVFP4_ENOMEM
 * @retval NVFP4_EINVAL  @p request or @p text is NULL.
 * @retval NVFP4_EABI    `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_parse(nvfp4_request *request, const nvfp4_request_text *text,
                                           nvfp4_error *error);

/**
 * @brief Read a file and lay it over the request; as nvfp4_request_parse().
 * @param path A file; "-" is not special.
 * @retval NVFP4_EIO There is no such file, or it cannot be read.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_load(nvfp4_request *request, const char *path,
                                          nvfp4_error *error);

/**
 * @brief Change one key: "layer.swiglu_limit=10", "deployment.built=[MARLIN]", "device.sm=120".
 *
 * The value is read as YAML, so lists and mappings can be given and `null` means none; the values
 * of keys that are plain words or names are taken as they stand. `device.gpu`, `device.sm` and
 * `device.arch` replace each other.
 *
 * @param      assignment KEY=VALUE.
 * @param      origin     How to call it in errors ("--tp 4"); NULL: the assignment itself.
 * @param[out] error      As of nvfp4_request_parse(), without line and column; may be NULL.
 * @retval NVFP4_ESYNTAX,NVFP4_ESCHEMA,NVFP4_ELIMIT,NVFP4_ENOMEM,NVFP4_EINVAL As of
 *         nvfp4_request_parse(); ESYNTAX also for an assignment without `=`.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_set(nvfp4_request *request, const char *assignment,
                                         const char *origin, nvfp4_error *error);

/**
 * @brief Put a layer in place of the request's, such as one that a checkpoint says.
 * @param layer Copied. Documents and settings that follow are laid over it.
 * @retval NVFP4_EINVAL A pointer is NULL.
 * @retval NVFP4_EABI   `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_set_layer(nvfp4_request *request,
                                               const nvfp4_moe_layer *layer);

/**
 * @brief Put devices in place of the request's, such as those that a probe found.
 * @param own   The device of this rank. Copied.
 * @param ranks The devices of all ranks. Copied; may be NULL when @p count is 0: this one alone.
 * @param count Number of @p ranks.
 * @param name  What @p own is called, for nvfp4_request_device_name(); NULL: "". Copied, at most 95
 *              bytes of it.
 * @retval NVFP4_EINVAL A pointer is NULL that may not be.
 * @retval NVFP4_ENOMEM
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_set_devices(nvfp4_request *request,
                                                 const nvfp4_device_key *own,
                                                 const nvfp4_device_key *ranks, size_t count,
                                                 const char *name);

/**
 * @brief Check the request as a whole and look up the names in it.
 *
 * May be called again after further changes. When it has succeeded the library takes the request:
 * no function of select.h returns ::NVFP4_EINVAL for it.
 * A policy that is not built in is read from its file, which is looked for beside the request's.
 *
 * @param[out] error Where and why; may be NULL.
 * @retval NVFP4_ESCHEMA A name is unknown or means several things, the device is missing or
 *                       contradicts itself, top_k exceeds num_experts, or there are too many ranks.
 * @retval NVFP4_EIO,NVFP4_ESYNTAX,NVFP4_ELIMIT The policy's file; as nvfp4_policy_load().
 * @retval NVFP4_ENOMEM
 * @retval NVFP4_EINVAL  @p request is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_resolve(nvfp4_request *request, nvfp4_error *error);

/** @name What the request says
 * Never NULL for a request that is not NULL. Deployment and policy are complete after
 * nvfp4_request_resolve(); the pointers stay valid until the request is changed or destroyed.
 * @since 0.1
 * @{ */
NVFP4_API const nvfp4_moe_layer *nvfp4_request_layer(const nvfp4_request *request);
NVFP4_API const nvfp4_deployment *nvfp4_request_deployment(const nvfp4_request *request);
NVFP4_API const nvfp4_policy *nvfp4_request_policy(const nvfp4_request *request);
/** Name of the board that `device.gpu` means ("NVIDIA H200"; "h100" where several boards are called
 *  so), or the name given with the devices of a probe; else "". */
NVFP4_API const char *nvfp4_request_device_name(const nvfp4_request *request);
/** @} */

/**
 * @brief Write a resolved request as JSON on one line: what reads back as the same question.
 *
 * Defaults are left out, but scheme and activation are always told. A built-in policy is told by its
 * own name, never by an alias; another one by the file's name as it was given.
 *
 * @param      request May not be NULL.
 * @param[out] buffer   NUL-terminated, cut where it does not fit; NULL when @p capacity is 0.
 * @param      capacity Bytes in @p buffer.
 * @return Bytes of the whole text without NUL, also when it was cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_request_to_json(const nvfp4_request *request, char *buffer,
                                       size_t capacity);

/** One key of a request, for help texts. Its strings live for ever. */
typedef struct nvfp4_request_key {
    const char *section; /**< "", "device", "layer", "deployment", "deployment.libraries" */
    const char *name;    /**< "swiglu_limit" */
    const char *value;   /**< what may stand there, in words: "true or false" */
    const char *initial; /**< the default, as it would be written; "" where there is none */
    const char *text;    /**< what it says, as a phrase */
    size_t word_count;   /**< number of words that may stand there; 0: no fixed list */
} nvfp4_request_key;

/**
 * @brief The keys that a request may have, section by section.
 * @param      index From 0.
 * @param[out] key   May not be NULL.
 * @retval NVFP4_EUNKNOWN There are no more.
 * @retval NVFP4_EINVAL   @p key is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_request_key_at(size_t index, nvfp4_request_key *key);

/**
 * @brief A word that may stand for the key @p index: key of "layer.scheme", 1 -> "w4a16".
 * @return NULL when there is none.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_request_key_word(size_t index, size_t word);

#ifdef __cplusplus
}
#endif
#endif
