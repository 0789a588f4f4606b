/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* mkdir */

#include "verify/tool/planfile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#endif

#include "verify/claim.h"
#include "verify/tool/fields.h"
#include "verify/tool/npy.h"

/* One array of a plan. */
struct item {
    const char *name;
    nvfp4_npy_type type;
    size_t dimensions, shape[3];
    const void *data;
};

enum { ITEMS_MAX = 8, PATH_MAX_BYTES = 1024 };

static struct item make_item(const char *name, nvfp4_npy_type type, const void *data, size_t a,
                             size_t b, size_t c)
{
    struct item item = {name, type, 1u + (b != 0) + (c != 0), {a, b, c}, data};
    return item;
}

/* Scales of `count` matrices: in linear order with their shape, else one row of bytes for each. */
static struct item scales_item(const char *name, const nvfp4_moe_problem *p, const uint8_t *data,
                               size_t count, size_t rows, size_t cols)
{
    nvfp4_matrix_format format = {sizeof format, rows, cols, p->scale_order, p->global_kind, 1};
    size_t bytes = 0;
    (void)nvfp4_matrix_bytes(&format, NULL, &bytes);
    if (p->scale_order == NVFP4_SCALE_ORDER_LINEAR)
        return make_item(name, NVFP4_NPY_UINT8, data, count, rows, cols / NVFP4_BLOCK);
    return make_item(name, NVFP4_NPY_UINT8, data, count, bytes, 0);
}

static size_t weight_items(const nvfp4_verify_run *run, struct item items[ITEMS_MAX])
{
    const nvfp4_moe_problem *p = run->problem;
    if (p == NULL)
        return 0;
    size_t k = (size_t)run->layer->hidden_size, n = (size_t)run->layer->intermediate_size;
    size_t e = (size_t)run->layer->num_experts;
    size_t rows = run->layer->activation < NVFP4_ACTIVATION_SILU_NO_MUL ? 2 * n : n;
    items[0] = make_item("w13", NVFP4_NPY_UINT8, p->w13, e, rows, k / 2);
    items[1] = scales_item("w13_scales", p, p->w13_scales, e, rows, k);
    items[2] = make_item("w13_global", NVFP4_NPY_FLOAT32, p->w13_global, e, 0, 0);
    items[3] = make_item("w2", NVFP4_NPY_UINT8, p->w2, e, k, n / 2);
    items[4] = scales_item("w2_scales", p, p->w2_scales, e, k, n);
    items[5] = make_item("w2_global", NVFP4_NPY_FLOAT32, p->w2_global, e, 0, 0);
    return 6;
}

static size_t run_items(const nvfp4_verify_run *run, struct item items[ITEMS_MAX])
{
    const nvfp4_moe_problem *p = run->problem;
    size_t t = (size_t)run->tokens, k = (size_t)run->layer->hidden_size;
    size_t n = (size_t)run->layer->intermediate_size, count = 3;
    size_t width = run->layer->activation < NVFP4_ACTIVATION_SILU_NO_MUL ? 2 * n : n;
    if (run->gate_up != NULL) {
        items[0] = make_item("gate_up", NVFP4_NPY_FLOAT32, run->gate_up, t, width, 0);
        items[1] = make_item("accumulator", NVFP4_NPY_FLOAT32, run->accumulator, t, width, 0);
        items[2] = make_item("dequant", NVFP4_NPY_FLOAT32, run->dequant, t, 0, 0);
        return count;
    }
    size_t routes = (size_t)run->layer->top_k;
    items[0] = make_item("x", NVFP4_NPY_FLOAT32, p->x, t, k, 0);
    items[1] = make_item("expert_ids", NVFP4_NPY_INT32, p->expert_ids, t, routes, 0);
    items[2] = make_item("expert_weights", NVFP4_NPY_FLOAT32, p->expert_weights, t, routes, 0);
    if (run->x_codes != NULL) {
        items[count++] = make_item("x_codes", NVFP4_NPY_UINT8, run->x_codes, t, k / 2, 0);
        items[count] = scales_item("x_scales", p, run->x_scales, 1, t, k);
        if (items[count].dimensions == 3) /* [1, rows, blocks] */
            items[count] =
                make_item("x_scales", NVFP4_NPY_UINT8, run->x_scales, t, k / NVFP4_BLOCK, 0);
        else
            items[count] =
                make_item("x_scales", NVFP4_NPY_UINT8, run->x_scales, items[count].shape[1], 0, 0);
        count++;
    }
    return count;
}

static uint64_t hash(uint64_t h, const struct item *item)
{
    const uint8_t *bytes = item->data;
    size_t size = item->type == NVFP4_NPY_UINT8 ? 1 : 4, count = 1;
    for (size_t i = 0; i < item->dimensions; i++)
        count *= item->shape[i];
    for (size_t i = 0; i < count; i++) {
        uint32_t word = 0;
        if (size == 1)
            word = bytes[i];
        else
            memcpy(&word, bytes + 4 * i, 4);
        h = (h ^ word) * 0x100000001B3u; /* FNV-1a, by element rather than by byte */
    }
    return h;
}

uint64_t nvfp4_plan_fingerprint(const nvfp4_verification *plan)
{
    uint64_t h = 0xCBF29CE484222325u;
    struct item items[ITEMS_MAX];
    nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
    for (size_t r = 0; nvfp4_verify_get_run(plan, r, &run) == NVFP4_OK; r++) {
        size_t count = r == 0 ? weight_items(&run, items) : 0;
        for (size_t i = 0; i < count; i++)
            h = hash(h, &items[i]);
        count = run_items(&run, items);
        for (size_t i = 0; i < count; i++)
            h = hash(h, &items[i]);
    }
    return h;
}

static nvfp4_status complain(struct nvfp4_complaint *complaint, nvfp4_status status,
                             const char *folder, const char *file, const char *what)
{
    (void)snprintf(complaint->text, sizeof complaint->text, "%.240s/%.60s: %.200s", folder, file,
                   what);
    return status;
}

static int join(char path[PATH_MAX_BYTES], const char *folder, const char *file)
{
    int n = snprintf(path, PATH_MAX_BYTES, "%s/%s", folder, file);
    return n > 0 && n < PATH_MAX_BYTES;
}

/* Writes one array and names it in the JSON text. */
static nvfp4_status save_item(struct nvfp4_verify_text *text, const char *folder,
                              const char *prefix, const struct item *item,
                              struct nvfp4_complaint *complaint)
{
    char file[64], path[PATH_MAX_BYTES];
    (void)snprintf(file, sizeof file, "%s%s.npy", prefix, item->name);
    if (!join(path, folder, file) ||
        nvfp4_npy_write(path, item->type, item->dimensions, item->shape, item->data) != NVFP4_OK)
        return complain(complaint, NVFP4_EIO, folder, file, "cannot be written");
    nvfp4_verify_text_quoted(text, item->name);
    nvfp4_verify_text_put(text, ": ");
    nvfp4_verify_text_quoted(text, file);
    return NVFP4_OK;
}

static nvfp4_status save_items(struct nvfp4_verify_text *text, const char *folder,
                               const char *prefix, const struct item *items, size_t count,
                               struct nvfp4_complaint *complaint)
{
    for (size_t i = 0; i < count; i++) {
        nvfp4_status status = save_item(text, folder, prefix, &items[i], complaint);
        if (status != NVFP4_OK)
            return status;
        if (i + 1 < count)
            nvfp4_verify_text_put(text, ", ");
    }
    return NVFP4_OK;
}

static void number_of(struct nvfp4_verify_text *text, const char *key, double value)
{
    nvfp4_verify_text_quoted(text, key);
    nvfp4_verify_text_put(text, ": ");
    nvfp4_verify_text_number(text, value, 17);
    nvfp4_verify_text_put(text, ", ");
}

static void describe_run(struct nvfp4_verify_text *text, const nvfp4_verify_run *run, size_t index)
{
    const nvfp4_moe_layer *layer = run->layer;
    int oai = layer->activation == NVFP4_ACTIVATION_SWIGLUOAI ||
              layer->activation == NVFP4_ACTIVATION_SWIGLUOAI_UNINTERLEAVE;
    nvfp4_verify_text_put(text, "\"tokens\": ");
    nvfp4_verify_text_integer(text, run->tokens);
    nvfp4_verify_text_put(text, ", \"columns\": ");
    nvfp4_verify_text_integer(text, run->columns);
    nvfp4_verify_text_put(text, ", ");
    if (layer->has & NVFP4_HAS_SWIGLU_LIMIT)
        number_of(text, "swiglu_limit", layer->swiglu_limit);
    else
        nvfp4_verify_text_put(text, "\"swiglu_limit\": null, ");
    number_of(text, "swiglu_alpha",
              layer->has & NVFP4_HAS_SWIGLU_ALPHA ? layer->swiglu_alpha
              : oai                               ? 1.702
                                                  : 1);
    number_of(text, "swiglu_beta", layer->has & NVFP4_HAS_SWIGLU_BETA ? layer->swiglu_beta : oai);
    if (run->x_codes != NULL)
        number_of(text, "x_global", (double)run->problem->x_global);
    if (layer->scheme == NVFP4_SCHEME_W4A4)
        number_of(text, "h_global", (double)run->h_global);
    nvfp4_verify_text_put(text, "\"out\": \"run");
    nvfp4_verify_text_unsigned(text, index);
    nvfp4_verify_text_put(text, "_out.npy\", ");
}

/* The claim with nothing left to defaults. */
static nvfp4_verify_claim resolved(const nvfp4_verify_claim *claim, const nvfp4_verification *plan)
{
    nvfp4_verify_claim whole = *claim;
    nvfp4_verify_run large = NVFP4_VERIFY_RUN_INIT, small = large;
    (void)nvfp4_verify_get_run(plan, 0, &large); /* a plan begins with these two */
    (void)nvfp4_verify_get_run(plan, 1, &small);
    whole.layer = large.layer;
    whole.halves = large.halves;
    whole.tokens = (int32_t)large.tokens;
    whole.small_tokens = (int32_t)small.tokens;
    return whole;
}

static void describe_head(struct nvfp4_verify_text *text, const nvfp4_verify_claim *claim,
                          const nvfp4_verification *plan)
{
    char fingerprint[32];
    (void)snprintf(fingerprint, sizeof fingerprint, "%016llx",
                   (unsigned long long)nvfp4_plan_fingerprint(plan));
    nvfp4_verify_text_put(text, "{\n  \"format\": \"nvfp4moe-verify-plan/1\",\n  \"version\": ");
    nvfp4_verify_text_quoted(text, NVFP4_VERSION_STRING);
    nvfp4_verify_text_put(text, ",\n  \"fingerprint\": ");
    nvfp4_verify_text_quoted(text, fingerprint);
    nvfp4_verify_text_put(text, ",\n  \"claim\": {");
    const char *separator = "";
    nvfp4_verify_claim whole = resolved(claim, plan);
    claim = &whole;
    for (size_t i = 0; i < nvfp4_field_count; i++) {
        if (nvfp4_fields[i].has != 0 && !(claim->layer->has & nvfp4_fields[i].has))
            continue;
        nvfp4_verify_text_put(text, separator);
        nvfp4_verify_text_quoted(text, nvfp4_fields[i].name);
        nvfp4_verify_text_put(text, ": ");
        nvfp4_field_print(text, &nvfp4_fields[i], claim, claim->layer);
        separator = ", ";
    }
    nvfp4_verify_text_put(text, "}");
}

/* Arrays are written and plan.json is put together on the way. */
static nvfp4_status save_all(struct nvfp4_verify_text *text, const nvfp4_verify_claim *claim,
                             const nvfp4_verification *plan, const char *folder,
                             struct nvfp4_complaint *complaint)
{
    struct item items[ITEMS_MAX];
    nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
    nvfp4_status status = NVFP4_OK;
    describe_head(text, claim, plan);
    for (size_t r = 0; nvfp4_verify_get_run(plan, r, &run) == NVFP4_OK; r++) {
        char prefix[32];
        (void)snprintf(prefix, sizeof prefix, "run%zu_", r);
        size_t count = weight_items(&run, items);
        if (r == 0 && count != 0) {
            nvfp4_verify_text_put(text, ",\n  \"weights\": {");
            status = save_items(text, folder, "", items, count, complaint);
            nvfp4_verify_text_put(text, "}");
        }
        nvfp4_verify_text_put(text, r == 0 ? ",\n  \"runs\": [\n    {" : "},\n    {");
        describe_run(text, &run, r);
        count = run_items(&run, items);
        if (status == NVFP4_OK)
            status = save_items(text, folder, prefix, items, count, complaint);
        if (status != NVFP4_OK)
            return status;
    }
    nvfp4_verify_text_put(text, "}\n  ]\n}\n");
    return NVFP4_OK;
}

nvfp4_status nvfp4_plan_save(const nvfp4_verify_claim *claim, const nvfp4_verification *plan,
                             const char *folder, struct nvfp4_complaint *complaint)
{
    enum { TEXT_MAX = 16384 };
    char path[PATH_MAX_BYTES], *buffer = malloc(TEXT_MAX);
    if (buffer == NULL)
        return complain(complaint, NVFP4_ENOMEM, folder, "plan.json", "out of memory");
    struct nvfp4_verify_text text = {buffer, TEXT_MAX, 0};
    nvfp4_status status = NVFP4_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = complain(complaint, NVFP4_EIO, folder, "", "the folder cannot be made");
    if (status == NVFP4_OK)
        status = save_all(&text, claim, plan, folder, complaint);
    FILE *file = NULL;
    if (status == NVFP4_OK && text.length < TEXT_MAX && join(path, folder, "plan.json"))
        file = fopen(path, "wb");
    if (file != NULL) {
        int ok = fwrite(buffer, 1, text.length, file) == text.length;
        if (fclose(file) != 0 || !ok)
            file = NULL;
    }
    if (status == NVFP4_OK && file == NULL)
        status = complain(complaint, NVFP4_EIO, folder, "plan.json", "cannot be written");
    free(buffer);
    return status;
}

void nvfp4_claim_refusal(const nvfp4_verify_claim *claim, nvfp4_status status,
                         struct nvfp4_complaint *complaint)
{
    nvfp4_verify_claim whole = *claim;
    nvfp4_moe_layer layer = *claim->layer;
    struct nvfp4_verify_text text = {complaint->text, sizeof complaint->text, 0};
    nvfp4_claim_fill_in(&whole, &layer);
    const struct nvfp4_claim_fault *fault = nvfp4_claim_find_fault(&whole, &layer);
    if (status == NVFP4_ELIMIT) {
        nvfp4_verify_text_put(&text, "its sizes ask for more than 1 GiB");
    } else if (status != NVFP4_EINVAL) {
        nvfp4_verify_text_put(&text, nvfp4_status_text(status));
    } else if (fault == NULL) { /* the one thing that is left */
        nvfp4_verify_text_put(&text, "its numbers go beyond what dtype fp16 holds");
    } else {
        nvfp4_verify_text_put(&text, fault->field);
        nvfp4_verify_text_put(&text, " must be ");
        nvfp4_verify_text_put(&text, fault->expected);
        nvfp4_verify_text_put(&text, ", found ");
        nvfp4_field_print(&text, nvfp4_field_find(fault->field), &whole, &layer);
    }
}

nvfp4_status nvfp4_plan_load(const char *folder, nvfp4_verification **plan,
                             struct nvfp4_complaint *complaint)
{
    char path[PATH_MAX_BYTES];
    uint8_t *text = NULL;
    size_t size = 0;
    nvfp4_verify_claim claim;
    nvfp4_moe_layer layer;
    uint64_t fingerprint = 0;
    nvfp4_verification *made = NULL;
    if (!join(path, folder, "plan.json") || nvfp4_npy_file_read(path, &text, &size) != NVFP4_OK)
        return complain(complaint, NVFP4_EIO, folder, "plan.json", "cannot be read");
    nvfp4_status status =
        nvfp4_plan_parse((const char *)text, size, &claim, &layer, &fingerprint, complaint);
    free(text);
    if (status != NVFP4_OK) { /* begins with the file's name */
        struct nvfp4_complaint inner = *complaint;
        (void)snprintf(complaint->text, sizeof complaint->text, "%.240s/%.260s", folder,
                       inner.text);
        return status;
    }
    status = nvfp4_verify_plan(&claim, &made);
    if (status != NVFP4_OK) {
        struct nvfp4_complaint refusal;
        nvfp4_claim_refusal(&claim, status, &refusal);
        return complain(complaint, status, folder, "plan.json", refusal.text);
    }
    if (nvfp4_plan_fingerprint(made) != fingerprint) {
        nvfp4_verification_destroy(made);
        return complain(complaint, NVFP4_ESCHEMA, folder, "plan.json",
                        "made by another version, or changed since");
    }
    *plan = made;
    return NVFP4_OK;
}

void nvfp4_outputs_free(float **outputs, size_t count)
{
    for (size_t r = 0; outputs != NULL && r < count; r++)
        free(outputs[r]);
    free(outputs);
}

/* Says what an output should have been, and what it is. */
static nvfp4_status wrong_output(struct nvfp4_complaint *complaint, const char *folder,
                                 const char *file, const nvfp4_verify_run *run,
                                 const nvfp4_npy *array)
{
    char buffer[256] = "";
    struct nvfp4_verify_text text = {buffer, sizeof buffer, 0};
    nvfp4_verify_text_put(&text, "must be float32 or float64 of [");
    nvfp4_verify_text_integer(&text, run->tokens);
    nvfp4_verify_text_put(&text, ", ");
    nvfp4_verify_text_integer(&text, run->columns);
    nvfp4_verify_text_put(&text, "], found ");
    nvfp4_verify_text_put(&text, nvfp4_npy_type_name(array->type));
    nvfp4_verify_text_put(&text, " of [");
    for (size_t i = 0; i < array->dimensions; i++) {
        nvfp4_verify_text_put(&text, i > 0 ? ", " : "");
        nvfp4_verify_text_unsigned(&text, array->shape[i]);
    }
    nvfp4_verify_text_char(&text, ']');
    return complain(complaint, NVFP4_ESCHEMA, folder, file, buffer);
}

/* One output as float32, whatever floating-point type it was written in. */
static nvfp4_status load_output(const char *folder, const nvfp4_verify_run *run, size_t index,
                                float **output, struct nvfp4_complaint *complaint)
{
    char file[32], path[PATH_MAX_BYTES];
    const char *what = "";
    nvfp4_npy array;
    (void)snprintf(file, sizeof file, "run%zu_out.npy", index);
    if (!join(path, folder, file))
        return complain(complaint, NVFP4_EIO, folder, file, "the path is too long");
    nvfp4_status status = nvfp4_npy_read(path, &array, &what);
    if (status != NVFP4_OK)
        return complain(complaint, status, folder, file, what);
    int real = array.type == NVFP4_NPY_FLOAT32 || array.type == NVFP4_NPY_FLOAT64;
    if (!real || array.dimensions != 2 || array.shape[0] != (size_t)run->tokens ||
        array.shape[1] != (size_t)run->columns) {
        free(array.data);
        return wrong_output(complaint, folder, file, run, &array);
    }
    if (array.type == NVFP4_NPY_FLOAT64)
        for (size_t i = 0; i < array.count;
             i++) { /* in place: a float is written below its double */
            double wide;
            memcpy(&wide, (char *)array.data + i * sizeof wide, sizeof wide);
            float narrow = (float)wide;
            memcpy((char *)array.data + i * sizeof narrow, &narrow, sizeof narrow);
        }
    *output = array.data;
    return NVFP4_OK;
}

nvfp4_status nvfp4_outputs_load(const char *folder, const nvfp4_verification *plan,
                                float ***outputs, struct nvfp4_complaint *complaint)
{
    size_t count = nvfp4_verify_run_count(plan);
    float **made = calloc(count, sizeof *made);
    if (made == NULL)
        return complain(complaint, NVFP4_ENOMEM, folder, "", "out of memory");
    for (size_t r = 0; r < count; r++) {
        nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
        (void)nvfp4_verify_get_run(plan, r, &run);
        nvfp4_status status = load_output(folder, &run, r, &made[r], complaint);
        if (status != NVFP4_OK) {
            nvfp4_outputs_free(made, count);
            return status;
        }
    }
    *outputs = made;
    return NVFP4_OK;
}
