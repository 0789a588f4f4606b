/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_MODEL_H
#define NVFP4MOE_MODEL_H

/**
 * @file model.h
 * @brief What a checkpoint says of its MoE layers: config.json and hf_quant_config.json, read.
 *
 * Only in nvfp4moe::nvfp4moe, and only when it was built with libyaml.
 *
 * A checkpoint in the form of Hugging Face is a folder with a `config.json` and perhaps, from
 * ModelOpt, a `hf_quant_config.json`. Of these files only what decides which kernels may run is read:
 * the sizes of the experts, their activation with its limits, the routing, which of the layers are
 * MoE layers, and how the weights of their experts are quantised. A fact that neither the files nor
 * the code of the model's family fix is left unknown, never guessed; a file that contradicts itself,
 * or that a reader would easily misunderstand, gives a warning.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/layer.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How weights are quantised: name, value, word. */
#define NVFP4_WEIGHTS_MAP(X)                                                                       \
    X(NONE, 0, "none")   /* not quantised, or the files say nothing of it */                       \
    X(NVFP4, 1, "nvfp4") /* 4-bit floats, blocks of 16, FP8 block scales */                        \
    X(MXFP4, 2, "mxfp4") /* 4-bit floats, blocks of 32, power-of-two scales */                     \
    X(FP8, 3, "fp8")     /* 8-bit floats with any scales, MXFP8 among them */                      \
    X(INT4, 4, "int4")   /* 4-bit integers: GPTQ, AWQ, compressed-tensors */                       \
    X(OTHER, 5, "other") /* something else, or several within one layer */

typedef enum nvfp4_weights {
#define X(name, value, word) NVFP4_WEIGHTS_##name = (value),
    NVFP4_WEIGHTS_MAP(X)
#undef X
        NVFP4_WEIGHTS_COUNT
} nvfp4_weights;

/** What a checkpoint's reader should know: name, value, word. */
#define NVFP4_MODEL_WARNING_MAP(X)                                                                 \
    X(SCHEME_CONFLICT, 1, "scheme_conflict") /* the files contradict themselves */                 \
    X(LIMIT_UNKNOWN, 2, "limit_unknown")     /* a family that clamps, and no limit in the file */  \
    X(ACTIVATION_BY_MODEL_TYPE, 3, "activation_by_model_type") /* file says other than code does */\
    X(NO_QUANT_SECTION, 4, "no_quant_section") /* no quantisation section in any file */           \
    X(IGNORED_VALUE, 5, "ignored_value") /* a value that was not used, and why */                  \
    X(DUPLICATE_KEY, 6, "duplicate_key") /* a key stands twice; the last one was read */

typedef enum nvfp4_model_warning_code {
#define X(name, value, word) NVFP4_MODEL_WARNING_##name = (value),
    NVFP4_MODEL_WARNING_MAP(X)
#undef X
        NVFP4_MODEL_WARNING_COUNT
} nvfp4_model_warning_code;

/** Which fields of a group's layer are known (bits of nvfp4_model_group.known). */
enum {
    NVFP4_KNOWS_SCHEME = 1u << 0,
    NVFP4_KNOWS_ACTIVATION = 1u << 1,
    NVFP4_KNOWS_ROUTING = 1u << 2,
    NVFP4_KNOWS_DTYPE = 1u << 3,
    NVFP4_KNOWS_BIAS = 1u << 4,
    NVFP4_KNOWS_ROUTER_WEIGHT_ON_INPUT = 1u << 5,
    /** That `layer.has` says rightly whether there is a limit; else there may be one of any size. */
    NVFP4_KNOWS_LIMIT = 1u << 6
};

/**
 * MoE layers that compute the same. A size of 0 in `layer` is unknown; of its other fields those are
 * known whose bit is set in `known`, and numbers whose bit is set in `layer.has`. What is unknown is
 * as in #NVFP4_MOE_LAYER_INIT, so that `layer` can be handed to a selection as it stands.
 */
typedef struct nvfp4_model_group {
    const char *layers;    /**< "3-60" or "0,2-5", numbers of decoder layers; NULL: not known */
    int64_t count;         /**< number of layers in `layers`; 0: not known */
    int32_t weights;       /**< the ::nvfp4_weights of the experts */
    uint32_t known;        /**< NVFP4_KNOWS_* bits; SCHEME only where `weights` is NVFP4 */
    nvfp4_moe_layer layer; /**< what such a layer computes */
} nvfp4_model_group;

/** One warning. */
typedef struct nvfp4_model_warning {
    int32_t code;     /**< an ::nvfp4_model_warning_code */
    const char *text; /**< one sentence without a full stop */
} nvfp4_model_warning;

/** A checkpoint, read. Immutable; the strings and structs asked from it live as long as it does. */
typedef struct nvfp4_model nvfp4_model;

/**
 * @brief Read a checkpoint's files.
 *
 * Reads at most 12 MiB and 400,000 values of both files together, in at most about 64 MiB of
 * memory, and nothing else of the folder.
 *
 * @param      path   The folder, or the config.json in it. hf_quant_config.json beside it is read if
 *                    it is there; where config.json has a quantisation section too, that one counts
 *                    and a difference is warned about.
 * @param[out] model  To be freed with nvfp4_model_free().
 * @param[out] error  Filled on failure; may be NULL.
 *
 * @retval NVFP4_EINVAL  @p path or @p model is NULL.
 * @retval NVFP4_EIO     A file is missing or cannot be read.
 * @retval NVFP4_ESYNTAX A file is no JSON.
 * @retval NVFP4_ESCHEMA A value that decides is of the wrong type or out of its range.
 * @retval NVFP4_ELIMIT  A file is too large, too deep, has too many layers, or patterns that take
 *                       too long to match.
 * @retval NVFP4_ENOMEM
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_model_read(const char *path, nvfp4_model **model, nvfp4_error *error);

/**
 * @brief Read a checkpoint from memory.
 *
 * @param      config        Text of config.json; need not end in NUL. Not retained.
 * @param      config_length Bytes in @p config.
 * @param      quant         Text of hf_quant_config.json; NULL: there is none. Not retained.
 * @param      quant_length  Bytes in @p quant.
 * @param[out] model         To be freed with nvfp4_model_free().
 * @param[out] error         Filled on failure, `file` is "config.json" or "hf_quant_config.json"; may
 *                           be NULL.
 *
 * @return As nvfp4_model_read(), without ::NVFP4_EIO.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_model_parse(const char *config, size_t config_length,
                                         const char *quant, size_t quant_length,
                                         nvfp4_model **model, nvfp4_error *error);

/**
 * @brief Free a model and all that was asked from it.
 * @param model NULL is nothing to do.
 * @since 0.1
 */
NVFP4_API void nvfp4_model_free(nvfp4_model *model);

/**
 * @brief The outermost `model_type`: "deepseek_v4".
 * @return NULL when the file has none.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_model_type(const nvfp4_model *model);

/**
 * @brief The first of `architectures`: "DeepseekV4ForCausalLM".
 * @return NULL when the file has none.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_model_architecture(const nvfp4_model *model);

/**
 * @brief Has the model MoE layers?
 * @return 1 or 0; with 0 there are no groups.
 * @since 0.1
 */
NVFP4_API int nvfp4_model_is_moe(const nvfp4_model *model);

/**
 * @brief Are the experts of at least one group NVFP4?
 * @return 1 or 0.
 * @since 0.1
 */
NVFP4_API int nvfp4_model_is_nvfp4(const nvfp4_model *model);

/**
 * @brief How the experts' weights are quantised; of a dense model its linear weights.
 * @return NVFP4 if any group is; else that of most MoE layers.
 * @since 0.1
 */
NVFP4_API nvfp4_weights nvfp4_model_weights(const nvfp4_model *model);

/**
 * @brief The names of the files that were read, without folder.
 * @param index From 0.
 * @return NULL when there are no more.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_model_source(const nvfp4_model *model, size_t index);

/**
 * @brief The groups, in the order of their first layers.
 * @param index From 0.
 * @return NULL when there are no more.
 * @since 0.1
 */
NVFP4_API const nvfp4_model_group *nvfp4_model_group_at(const nvfp4_model *model, size_t index);

/**
 * @brief The warnings, in the order in which they came up.
 * @param index From 0.
 * @return NULL when there are no more.
 * @since 0.1
 */
NVFP4_API const nvfp4_model_warning *nvfp4_model_warning_at(const nvfp4_model *model, size_t index);

/**
 * @brief Write a model as JSON, on one line.
 *
 * `{"model_type", "architecture", "moe", "nvfp4", "found", "sources": [...], "groups": [{"layers",
 * "count", "layer": {...}}], "warnings": [{"code", "text"}]}`; `layer` has the keys of a request and
 * only those that are known. A group whose weights differ from the model's has a `found` of its own.
 *
 * @param buffer   Receives the text, NUL-terminated, cut if it does not fit; NULL with @p capacity 0.
 * @param capacity Bytes in @p buffer.
 * @return Length of the whole text without NUL, also when cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_model_to_json(const nvfp4_model *model, char *buffer, size_t capacity);

/**
 * @brief Write a model as a few lines for people.
 * @param buffer   As for nvfp4_model_to_json().
 * @param capacity Bytes in @p buffer.
 * @return Length of the whole text without NUL, also when cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_model_to_text(const nvfp4_model *model, char *buffer, size_t capacity);

/** @name Words of the enums
 * @{ */
/**
 * @brief The word that answers use for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_weights_name(nvfp4_weights weights);
NVFP4_API const char *nvfp4_model_warning_name(nvfp4_model_warning_code code);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
