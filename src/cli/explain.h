/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_EXPLAIN_H
#define NVFP4MOE_CLI_EXPLAIN_H

/**
 * @file explain.h
 * @brief A question put together from a file, the environment and the command line.
 */

#include <nvfp4moe/device.h>
#include <nvfp4moe/explain.h>
#include <nvfp4moe/request.h>

#include "cli/terminal.h"

/** Most options that change the request. */
#define NVFP4_CLI_SETTINGS 64

/** Most remarks on the devices of a machine: source, order, four doubts, confidence. */
#define NVFP4_CLI_REMARKS 8

/** A question, as it was asked for. */
typedef struct nvfp4_cli_question {
    const char *request; /**< path, "-" for standard input, NULL: none */
    nvfp4_cli_text request_text;
    int probe;           /**< 1: the devices are those of a machine */
    const char *machine; /**< file of a recorded one; NULL: this one */
    nvfp4_device *devices; /**< what the probe found */
    size_t device_count;
    nvfp4_remark remarks[NVFP4_CLI_REMARKS]; /**< what is doubtful about them */
    size_t remark_count;
    char remark_texts[NVFP4_CLI_REMARKS][384];
    struct {
        char *assignment; /**< "deployment.tensor_parallel=4" */
        char *origin;     /**< "--tp 4" */
    } settings[NVFP4_CLI_SETTINGS];
    size_t setting_count;
} nvfp4_cli_question;

/** 1 if the path is a folder with a config.json, or a config.json. */
int nvfp4_cli_is_model(const char *path);

/**
 * @brief Note an option that changes the request: it stands for @p before, value, @p after.
 * @param before "deployment.tensor_parallel="
 * @param option "--tp"
 * @param value  NULL: the option has none.
 * @param after  "" where there is nothing behind the value.
 * @return 1; 0 after a complaint.
 */
int nvfp4_cli_question_set(nvfp4_cli_question *question, const char *before, const char *option,
                           const char *value, const char *after);

/** Read the request's file, probe the machine. @return an exit code; with USAGE `error` is set. */
int nvfp4_cli_question_prepare(nvfp4_cli_question *question, nvfp4_error *error);

/**
 * @brief Put the request together: layer, environment, file, devices, options in their order.
 * @param base The layer below all that, or NULL.
 */
nvfp4_status nvfp4_cli_question_build(const nvfp4_cli_question *question,
                                      const nvfp4_moe_layer *base, nvfp4_request *request,
                                      nvfp4_error *error);

/** Remark on what is doubtful about the devices that a probe found. */
void nvfp4_cli_doubt(nvfp4_cli_question *question, const nvfp4_probe_report *report);

/** 1 if the compute capability of every device is known; else 0, after a complaint for each. */
int nvfp4_cli_all_known(const nvfp4_cli_question *question);

void nvfp4_cli_question_free(nvfp4_cli_question *question);

/** Forms of an answer. */
enum { NVFP4_CLI_TEXT, NVFP4_CLI_JSON };

/**
 * @brief Write the answer to a resolved request.
 * @param[out] text   Overwritten.
 * @param[out] status What the answer is: OK, ENOBACKEND, EREFUSED.
 * @return 1; 0 after a complaint.
 */
int nvfp4_cli_answer(const nvfp4_request *request, int form, const nvfp4_explain_options *options,
                     nvfp4_cli_text *text, nvfp4_status *status);

/** The status word of an answer: "ok", "no_backend", "refused", "invalid". */
const char *nvfp4_cli_status_word(nvfp4_status status);

/** Complain about bad input; in JSON the answer "invalid" goes to stdout. @return the exit code. */
int nvfp4_cli_invalid(const nvfp4_error *error, int form);

/** Answer for every group of layers of a checkpoint. @return an exit code. */
int nvfp4_cli_explain_model(nvfp4_cli_question *question, const char *path, int form,
                            const nvfp4_explain_options *options);

#endif
