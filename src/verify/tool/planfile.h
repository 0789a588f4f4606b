/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_PLANFILE_H
#define NVFP4MOE_VERIFY_PLANFILE_H

#include <nvfp4moe/verify.h>

/*
 * A plan in a folder, for engines that do not link C. plan.json describes it:
 *
 *   format       "nvfp4moe-verify-plan/1"
 *   version      of the library
 *   fingerprint  of all inputs: a plan judged by a library that would make other ones is refused
 *   claim        what nvfp4_verify_claim and its layer say, by the words of the command
 *   weights      file names: w13, w13_scales, w13_global, w2, w2_scales, w2_global (level moe)
 *   runs         one object for each: tokens, swiglu_limit, swiglu_alpha, swiglu_beta, h_global,
 * the names of its input files, and under "out" the name of the file that the engine writes:
 *                float32 or float64 of [tokens, columns]
 */

/* Room for a message about a folder. */
struct nvfp4_complaint {
    char text[512];
};

/* Writes plan.json and the arrays; the folder is made where it is not there. */
nvfp4_status nvfp4_plan_save(const nvfp4_verify_claim *claim, const nvfp4_verification *plan,
                             const char *folder, struct nvfp4_complaint *complaint);

/* Reads plan.json and makes the plan again; free it with nvfp4_verification_destroy(). */
nvfp4_status nvfp4_plan_load(const char *folder, nvfp4_verification **plan,
                             struct nvfp4_complaint *complaint);

/* The claim of plan.json's text; its layer is written to *layer. Line and column of a mistake go
 * into the complaint. */
nvfp4_status nvfp4_plan_parse(const char *text, size_t size, nvfp4_verify_claim *claim,
                              nvfp4_moe_layer *layer, uint64_t *fingerprint,
                              struct nvfp4_complaint *complaint);

/* Why nvfp4_verify_plan() refused a claim with a status. */
void nvfp4_claim_refusal(const nvfp4_verify_claim *claim, nvfp4_status status,
                         struct nvfp4_complaint *complaint);

/* The outputs of an engine, one for each run; free them with nvfp4_outputs_free(). */
nvfp4_status nvfp4_outputs_load(const char *folder, const nvfp4_verification *plan,
                                float ***outputs, struct nvfp4_complaint *complaint);
void nvfp4_outputs_free(float **outputs, size_t count);

/* 64 bits over all inputs of a plan. */
uint64_t nvfp4_plan_fingerprint(const nvfp4_verification *plan);

/* Sets one field of a claim by its word, say "scheme" and "w4a4". EUNKNOWN: no such field; EINVAL:
 * no such value. The plan file and the command's options share these names. */
nvfp4_status nvfp4_claim_set(nvfp4_verify_claim *claim, nvfp4_moe_layer *layer, const char *field,
                             const char *value);

/* The names of the fields, one after the other; NULL past the last. */
const char *nvfp4_claim_field(size_t index);

#endif
