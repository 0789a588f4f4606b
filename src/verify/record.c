/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/plan.h"
#include "verify/text.h"

static void key(struct nvfp4_verify_text *text, const char *name)
{
    nvfp4_verify_text_put(text, name);
    nvfp4_verify_text_put(text, ": ");
}

static void word(struct nvfp4_verify_text *text, const char *name, const char *value)
{
    key(text, name);
    nvfp4_verify_text_put(text, value);
    nvfp4_verify_text_char(text, '\n');
}

static void string(struct nvfp4_verify_text *text, const char *name, const char *value)
{
    key(text, name);
    nvfp4_verify_text_quoted(text, value != NULL ? value : "");
    nvfp4_verify_text_char(text, '\n');
}

static void number(struct nvfp4_verify_text *text, const char *name, double value, int digits)
{
    key(text, name);
    nvfp4_verify_text_number(text, value, digits);
    nvfp4_verify_text_char(text, '\n');
}

static void words_of(struct nvfp4_verify_text *text, const char *name, nvfp4_verdict_set set)
{
    const char *separator = "";
    key(text, name);
    nvfp4_verify_text_char(text, '[');
    for (int v = 1; v < NVFP4_VERDICT_COUNT; v++)
        if (set & NVFP4_VERDICT_BIT(v)) {
            nvfp4_verify_text_put(text, separator);
            nvfp4_verify_text_put(text, nvfp4_verdict_name((nvfp4_verdict)v));
            separator = ", ";
        }
    nvfp4_verify_text_put(text, "]\n");
}

static void claim(struct nvfp4_verify_text *text, const nvfp4_verification *plan)
{
    const nvfp4_moe_layer *layer = &plan->layer;
    struct nvfp4_act act = nvfp4_act_of(layer);
    nvfp4_verify_text_put(text, "claim:\n");
    word(text, "  level", nvfp4_verify_level_name((nvfp4_verify_level)plan->claim.level));
    word(text, "  scheme", nvfp4_scheme_name((nvfp4_scheme)layer->scheme));
    word(text, "  activation", nvfp4_activation_name((nvfp4_activation)layer->activation));
    if (layer->has & NVFP4_HAS_SWIGLU_LIMIT)
        number(text, "  swiglu_limit", layer->swiglu_limit, 17);
    else
        word(text, "  swiglu_limit", "null");
    number(text, "  swiglu_alpha", act.alpha, 17);
    number(text, "  swiglu_beta", act.beta, 17);
    word(text, "  dtype", nvfp4_dtype_name((nvfp4_dtype)layer->dtype));
    word(text, "  halves", nvfp4_halves_name((nvfp4_halves)plan->halves));
    key(text, "  seed");
    nvfp4_verify_text_unsigned(text, plan->claim.seed);
    nvfp4_verify_text_char(text, '\n');
}

/* What a policy may make of it. A verdict that leaves the clamp open rules nothing in or out. */
static void consequence(struct nvfp4_verify_text *text, int32_t verdict)
{
    if (verdict == NVFP4_VERDICT_HONOURS)
        word(text, "verified", "honours");
    else if (verdict != NVFP4_VERDICT_NAN_HIDDEN && verdict != NVFP4_VERDICT_UNDECIDED)
        word(text, "rule_out", "clamp");
}

static void worst(struct nvfp4_verify_text *text, const nvfp4_verify_result *result)
{
    if (result->worst_run < 0)
        return;
    nvfp4_verify_text_put(text, "worst: {run: ");
    nvfp4_verify_text_integer(text, result->worst_run);
    nvfp4_verify_text_put(text, ", row: ");
    nvfp4_verify_text_integer(text, result->worst_row);
    nvfp4_verify_text_put(text, ", column: ");
    nvfp4_verify_text_integer(text, result->worst_column);
    nvfp4_verify_text_put(text, ", expected: ");
    nvfp4_verify_text_number(text, result->worst_expected, 6);
    nvfp4_verify_text_put(text, ", got: ");
    nvfp4_verify_text_number(text, result->worst_got, 6);
    nvfp4_verify_text_put(text, "}\n");
}

nvfp4_status nvfp4_verify_record_print(const nvfp4_verification *plan,
                                       const nvfp4_verify_result *result,
                                       const nvfp4_verify_subject *subject, char *buffer,
                                       size_t capacity, size_t *length)
{
    static const nvfp4_verify_subject nobody = NVFP4_VERIFY_SUBJECT_INIT;
    if (plan == NULL || result == NULL || (buffer == NULL && capacity != 0))
        return NVFP4_EINVAL;
    if (subject == NULL)
        subject = &nobody;
    if (subject->struct_size < offsetof(nvfp4_verify_subject, version) + sizeof subject->version ||
        result->struct_size < offsetof(nvfp4_verify_result, distance) + sizeof result->distance)
        return NVFP4_EABI;
    struct nvfp4_verify_text text = {buffer, capacity, 0};
    if (capacity > 0)
        buffer[0] = '\0';
    string(&text, "format", "nvfp4moe-verification/1");
    string(&text, "device", subject->device);
    string(&text, "kernel", subject->kernel);
    string(&text, "version", subject->version);
    claim(&text, plan);
    word(&text, "verdict", nvfp4_verdict_name((nvfp4_verdict)result->verdict));
    consequence(&text, result->verdict);
    words_of(&text, "faults", result->faults);
    words_of(&text, "remaining", result->remaining);
    if (result->faults & NVFP4_VERDICT_BIT(NVFP4_VERDICT_WRONG_LIMIT) && result->limit > 0)
        number(&text, "limit", result->limit, 4);
    if (result->verdict == NVFP4_VERDICT_VARIES_WITH_BATCH) {
        word(&text, "small_batch", nvfp4_verdict_name((nvfp4_verdict)result->small_verdict));
        word(&text, "large_batch", nvfp4_verdict_name((nvfp4_verdict)result->large_verdict));
    }
    number(&text, "confidence", result->confidence, 4);
    worst(&text, result);
    if (length != NULL)
        *length = text.length;
    return text.length < capacity ? NVFP4_OK : NVFP4_ELIMIT;
}
