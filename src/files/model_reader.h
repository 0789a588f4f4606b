/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_MODEL_READER_H
#define NVFP4MOE_FILES_MODEL_READER_H

/**
 * @file model_reader.h
 * @brief How a checkpoint is read, shared by the model_*.c files. Internal to the library.
 *
 * The steps, each in its file, each filling in more of every layer's facts:
 * model_keys.c (sizes and numbers by their aliases), model_families.c (what a family's code fixes),
 * model_layers.c (which layers are MoE), model_compute.c (activation, limits, routing),
 * model_quant*.c with model_modules.c and model_words.c (how the experts are quantised),
 * model_groups.c.
 */

#include <nvfp4moe/model.h>

#include "files/arena.h"
#include "files/document.h"

/** Most decoder layers that are read. The largest model on record has 126. */
#define NVFP4_MODEL_LAYERS 4096

/** Most warnings that a model keeps. */
#define NVFP4_MODEL_WARNINGS 64

struct nvfp4_model {
    nvfp4_arena arena;
    const char *type, *architecture;
    int moe;
    int nvfp4;
    nvfp4_weights weights;
    const char *sources[2];
    size_t source_count;
    nvfp4_model_group *groups;
    size_t group_count;
    nvfp4_model_warning warnings[NVFP4_MODEL_WARNINGS];
    size_t warning_count;
};

/** How router logits become scores. */
typedef enum nvfp4_scoring {
    NVFP4_SCORING_UNKNOWN = 0,
    NVFP4_SCORING_SOFTMAX,
    NVFP4_SCORING_SIGMOID,
    NVFP4_SCORING_SQRTSOFTPLUS
} nvfp4_scoring;

/** What the code of a family fixes (bits of nvfp4_family.fixes). */
enum {
    NVFP4_FIXES_ACTIVATION = 1u << 0,      /**< `activation`, whatever the file says */
    NVFP4_FIXES_ROUTING = 1u << 1,         /**< `routing`, whatever the file says */
    NVFP4_FIXES_OAI = 1u << 2,             /**< alpha 1.702 and beta 1 */
    NVFP4_FIXES_BIAS = 1u << 3,            /**< the experts have biases */
    NVFP4_FIXES_INPUT_WEIGHT = 1u << 4,    /**< the routing weight scales the input */
    NVFP4_FIXES_NO_GATE = 1u << 5,         /**< one projection instead of gate and up */
    NVFP4_CLAMPS = 1u << 6,                /**< every model of the family has a limit */
    NVFP4_CLAMPS_LIKE_STEP = 1u << 7,      /**< a limited layer is SWIGLUSTEP, another one SILU */
    NVFP4_ALL_LAYERS = 1u << 8,            /**< all layers are MoE unless the file says otherwise */
    NVFP4_WIDTH_IS_INTERMEDIATE = 1u << 9, /**< `intermediate_size` is that of one expert */
    NVFP4_HAS_SCORE_BIAS = 1u << 10, /**< a bias on the scores chooses the experts (noaux_tc) */
    NVFP4_GROUPS_EXPERTS = 1u << 11, /**< experts are chosen by groups, be it one group */
    NVFP4_RENORMALIZES = 1u << 12,   /**< the chosen weights sum to 1 unless the file says not */
    NVFP4_MLP_BIAS_IS_EXPERTS = 1u << 13 /**< `mlp_bias` is that of the experts */
};

/** A family of models: a row of model_families.c. */
typedef struct nvfp4_family {
    const char *types[8];      /**< `model_type`s, of the outer or the text config */
    const char *architecture;  /**< how the names of `architectures` begin; NULL: by type only */
    /** Modules of a layer that hold its experts, then NULL; none: "mlp.experts". */
    const char *containers[4];
    uint32_t fixes;            /**< the bits above */
    int32_t activation;        /**< with NVFP4_FIXES_ACTIVATION */
    int32_t routing;           /**< with NVFP4_FIXES_ROUTING */
    nvfp4_scoring scoring;     /**< where the file names none */
    const char *source;
} nvfp4_family;

/** What is known of one decoder layer. */
typedef struct nvfp4_layer_facts {
    uint8_t moe;     /**< 1: a MoE layer */
    int32_t weights; /**< an ::nvfp4_weights */
    uint32_t known;  /**< NVFP4_KNOWS_* */
    nvfp4_moe_layer layer;
} nvfp4_layer_facts;

/** All that the steps share. */
typedef struct nvfp4_model_reader {
    nvfp4_model *model;
    nvfp4_error *error;
    const nvfp4_document *config;
    const nvfp4_document *quant; /**< hf_quant_config.json; NULL: there is none */
    const nvfp4_node *root;      /**< of config.json */
    const nvfp4_node *text;      /**< the part that describes the decoder: `root` or one inside */
    const nvfp4_family *family;  /**< never NULL */
    nvfp4_layer_facts *layers;
    uint32_t layer_count; /**< of `layers`; if it is not known how many there are: 1, for any one */
    int counted;          /**< 1: the number of layers is known */
    int placed;           /**< 1: it is known which layers are MoE */
    uint64_t steps;       /**< work that may still go into patterns */
} nvfp4_model_reader;

/** Something that a file may say, under several names: the rows of model_keys.c. */
typedef enum nvfp4_fact {
    NVFP4_FACT_EXPERTS,
    NVFP4_FACT_TOP_K,
    NVFP4_FACT_WIDTH,
    NVFP4_FACT_DENSE_WIDTH, /**< `intermediate_size`, an expert's only in some families */
    NVFP4_FACT_HIDDEN,
    NVFP4_FACT_LATENT,
    NVFP4_FACT_LAYERS,
    NVFP4_FACT_ACTIVATION,
    NVFP4_FACT_LIMIT,
    NVFP4_FACT_ALPHA,
    NVFP4_FACT_BETA,
    NVFP4_FACT_SITU_BETA,
    NVFP4_FACT_SITU_LINEAR_BETA,
    NVFP4_FACT_SCORING,
    NVFP4_FACT_SCORE_BIAS,
    NVFP4_FACT_TOPK_METHOD,
    NVFP4_FACT_EXPERT_GROUPS,
    NVFP4_FACT_RENORMALIZE,
    NVFP4_FACT_INPUT_WEIGHT,
    NVFP4_FACT_MLP_BIAS,
    NVFP4_FACT_DTYPE,
    NVFP4_FACT_COUNT
} nvfp4_fact;

/** The node of a fact in the text config: of its first name that is there and not null. */
const nvfp4_node *nvfp4_model_fact(const nvfp4_model_reader *reader, nvfp4_fact fact);

/** All names of a fact, ended by NULL. */
const char *const *nvfp4_model_fact_names(nvfp4_fact fact);

/** Follow a path of keys such as "ffn_config.moe_top_k"; NULL when a key is missing. */
const nvfp4_node *nvfp4_model_path(const nvfp4_node *node, const char *path);

/** The nested config that describes the decoder, or @p root itself. */
const nvfp4_node *nvfp4_model_text_config(const nvfp4_node *root);

/** A size: a whole number from @p least to NVFP4_SIZE_MAX. Refuses anything else. */
nvfp4_status nvfp4_model_size(const nvfp4_model_reader *reader, const nvfp4_node *node,
                              int64_t least, int64_t *value);

/** A finite number. Refuses anything else. */
nvfp4_status nvfp4_model_number(const nvfp4_model_reader *reader, const nvfp4_node *node,
                                double *value);

/** true or false; null leaves @p value alone. Refuses anything else. */
nvfp4_status nvfp4_model_flag(const nvfp4_model_reader *reader, const nvfp4_node *node, int *value);

/** A text without NULs, kept by the model. Refuses anything else. */
nvfp4_status nvfp4_model_text(const nvfp4_model_reader *reader, const nvfp4_node *node,
                              const char **value);

/** The number of experts; 0: the model is dense. May be a list, one for each layer: the largest. */
nvfp4_status nvfp4_model_experts(const nvfp4_model_reader *reader, int64_t *experts);

/** Fill in sizes and numbers of all layers. */
nvfp4_status nvfp4_model_read_sizes(nvfp4_model_reader *reader);

/** The row that fits; never NULL. */
const nvfp4_family *nvfp4_model_family(const nvfp4_node *root, const nvfp4_node *text);

/** Set `layers`, `layer_count`, `counted`. */
nvfp4_status nvfp4_model_count_layers(nvfp4_model_reader *reader);

/** Mark the MoE layers, set `placed`. */
nvfp4_status nvfp4_model_place_layers(nvfp4_model_reader *reader);

/** Fill in activation, limits, routing and what goes with them. */
nvfp4_status nvfp4_model_read_compute(nvfp4_model_reader *reader);

/** Fill in how the experts are quantised, or set the model's `weights` if it is dense. */
nvfp4_status nvfp4_model_read_quant(nvfp4_model_reader *reader, int64_t experts);

/** What a list of module patterns takes of a layer's experts; the larger the more. */
typedef enum nvfp4_taken {
    NVFP4_TAKEN_NONE,
    NVFP4_TAKEN_PART,
    NVFP4_TAKEN_BY_THE_WAY, /**< all, by patterns that do not speak of experts */
    NVFP4_TAKEN_ALL
} nvfp4_taken;

/** What patterns have taken of a layer's experts; all zero: nothing. */
typedef struct nvfp4_took {
    uint8_t bits; /**< internal to model_modules.c, as all here */
    /** Projections of two experts other than expert 0: the first one named, and the latest. */
    uint8_t first_bits, latest_bits;
    uint32_t first, latest; /**< numbers of these experts */
} nvfp4_took;

/**
 * @brief Hold one pattern against the names of the experts of all layers.
 * @param node A value under a key: that key is the pattern. Where the family is not known, the
 *             names of all families are tried.
 * @param took One for each layer; gets what is taken. nvfp4_model_taken() reads it.
 * @retval NVFP4_ELIMIT  The reader's steps are used up.
 * @retval NVFP4_ENOMEM
 */
nvfp4_status nvfp4_model_take(nvfp4_model_reader *reader, const nvfp4_document *document,
                              const nvfp4_node *node, nvfp4_took *took);

/** Count work against the reader's steps. */
void nvfp4_model_spend(nvfp4_model_reader *reader, uint64_t steps);

/** What it comes to in one layer. */
nvfp4_taken nvfp4_model_taken(const nvfp4_model_reader *reader, const nvfp4_took *took);

/** 1 if expert 0, or another one that can stand for all, is taken with all its projections. */
int nvfp4_model_took_expert(const nvfp4_model_reader *reader, const nvfp4_took *took);

/**
 * @brief Hold all patterns of a list.
 * @param list  NULL takes nothing; a text is a list of one; anything else is warned about.
 * @param any   1: where the family is not known, try the names of all families.
 * @param taken One for each layer; raised where something is taken.
 */
nvfp4_status nvfp4_model_match(nvfp4_model_reader *reader, const nvfp4_document *document,
                               const nvfp4_node *list, int any, nvfp4_taken *taken);

/** Merge layers into groups, and sum up. */
nvfp4_status nvfp4_model_group_layers(nvfp4_model_reader *reader);

/** Add a warning. @return NVFP4_OK or NVFP4_ENOMEM. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
nvfp4_status
nvfp4_model_warn(const nvfp4_model_reader *reader, nvfp4_model_warning_code code,
                 const char *format, ...);

/** Warn of a node under a key that stood earlier in its mapping, unless that has been told. */
nvfp4_status nvfp4_model_warn_if_repeated(const nvfp4_model_reader *reader,
                                          const nvfp4_document *document, const char *file,
                                          const nvfp4_node *node);

/** Fill the error with "out of memory". @return NVFP4_ENOMEM. */
nvfp4_status nvfp4_model_no_memory(const nvfp4_model_reader *reader);

#endif
