/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

#include "cli/assumed.h"
#include "cli/layers.h"

static int out_of_memory(void)
{
    nvfp4_cli_complain("out of memory");
    return 0;
}

/* Keeps a text as long as the rows. @return NULL after a complaint. */
static const char *keep(nvfp4_cli_rows *rows, const char *text)
{
    if (rows->text_count == rows->text_room) {
        const size_t room = rows->text_room * 2 + 64;
        char **const larger = realloc(rows->texts, room * sizeof *larger);
        if (larger == NULL) {
            out_of_memory();
            return NULL;
        }
        rows->texts = larger;
        rows->text_room = room;
    }
    char *const copy = malloc(strlen(text) + 1);
    if (copy == NULL) {
        out_of_memory();
        return NULL;
    }
    strcpy(copy, text);
    rows->texts[rows->text_count++] = copy;
    return copy;
}

static int add(nvfp4_cli_rows *rows, const char *name, const char *detail, const char *reason,
               const nvfp4_moe_layer *layer)
{
    if (rows->count == rows->room) {
        const size_t room = rows->room * 2 + 32;
        nvfp4_matrix_row *const larger = realloc(rows->rows, room * sizeof *larger);
        if (larger == NULL)
            return out_of_memory();
        rows->rows = larger;
        rows->room = room;
    }
    nvfp4_matrix_row *const row = &rows->rows[rows->count];
    row->name = keep(rows, name);
    row->detail = row->name != NULL ? keep(rows, detail) : NULL;
    row->reason = row->detail != NULL && reason != NULL ? keep(rows, reason) : NULL;
    if (row->name == NULL || row->detail == NULL || (reason != NULL && row->reason == NULL))
        return 0;
    row->layer = *layer;
    rows->count++;
    return 1;
}

/* "/models/DeepSeek-V4/config.json" -> "DeepSeek-V4" */
static void model_name(const char *path, char *name, size_t room)
{
    static const char *const endings[] = { "config.json", "_config.json", ".json" };
    size_t end = strlen(path);
    for (int pass = 0; pass < 2; pass++) {
        while (end > 1 && (path[end - 1] == '/' || path[end - 1] == '\\'))
            end--;
        size_t begin = end;
        while (begin > 0 && path[begin - 1] != '/' && path[begin - 1] != '\\')
            begin--;
        if (pass == 0 && end - begin == strlen(endings[0]) && begin > 0 &&
            strncmp(path + begin, endings[0], end - begin) == 0) {
            end = begin; /* the folder it is in */
            continue;
        }
        for (size_t i = 1; i < sizeof endings / sizeof endings[0]; i++) {
            const size_t length = strlen(endings[i]);
            if (end - begin > length && strncmp(path + end - length, endings[i], length) == 0)
                end -= length;
        }
        /* "models--nvidia--DeepSeek-V4": a hub's way of writing nvidia/DeepSeek-V4 */
        for (size_t i = begin; i + 2 < end; i++)
            if (path[i] == '-' && path[i + 1] == '-')
                begin = i + 2;
        snprintf(name, room, "%.*s", (int)(end - begin), path + begin);
        return;
    }
}

static void limit_text(char *text, size_t room, double limit)
{
    snprintf(text, room, limit == (double)(long)limit ? "limit %.1f" : "limit %.6g", limit);
}

/* "layers 3-60: w4a16, silu, limit 10.0" */
static void layer_detail(const nvfp4_moe_layer *layer, const char *layers, char *text, size_t room)
{
    char limit[48] = "no limit", shorter[NVFP4_CLI_LAYERS_TEXT] = "";
    if (layer->has & NVFP4_HAS_SWIGLU_LIMIT)
        limit_text(limit, sizeof limit, layer->swiglu_limit);
    if (layers != NULL)
        nvfp4_cli_layers_short(layers, shorter);
    snprintf(text, room, "%s%s%s%s%s%s, %s", layers != NULL ? "layers " : "", shorter,
             layers != NULL ? ": " : "",
             layer->scheme != NVFP4_SCHEME_W4A4 ? nvfp4_scheme_name((nvfp4_scheme)layer->scheme)
                                                : "",
             layer->scheme != NVFP4_SCHEME_W4A4 ? ", " : "",
             nvfp4_activation_name((nvfp4_activation)layer->activation), limit);
}

/* The layer that the question makes of a group's, or of none. */
static int build(const nvfp4_cli_question *question, const nvfp4_model_group *group,
                 nvfp4_moe_layer *layer, uint32_t *assumed)
{
    nvfp4_request *request;
    nvfp4_error error;
    if (nvfp4_request_new(&request) != NVFP4_OK)
        return out_of_memory();
    *assumed = 0;
    const nvfp4_status status =
        group != NULL ? nvfp4_cli_group_build(question, group, request, assumed, &error)
                      : nvfp4_cli_question_build(question, NULL, request, &error);
    const int done = status == NVFP4_OK;
    if (done)
        *layer = *nvfp4_request_layer(request);
    else
        nvfp4_cli_complain_error(&error);
    nvfp4_request_destroy(request);
    return done;
}

/* " (assumed: no limit)" */
static void add_assumed(char *detail, size_t room, uint32_t assumed, const nvfp4_moe_layer *layer)
{
    const size_t length = strlen(detail);
    char text[96];
    snprintf(detail + length, room - length, " (assumed: %s)",
             nvfp4_cli_assumed_text(assumed, layer, text, sizeof text));
}

static int add_groups(nvfp4_cli_rows *rows, const nvfp4_cli_question *question,
                      const nvfp4_model *model, const char *name)
{
    const nvfp4_model_group *group;
    size_t several = 0;
    for (size_t i = 0; (group = nvfp4_model_group_at(model, i)) != NULL; i++)
        several += group->weights == NVFP4_WEIGHTS_NVFP4;
    for (size_t i = 0; (group = nvfp4_model_group_at(model, i)) != NULL; i++) {
        nvfp4_moe_layer layer;
        uint32_t assumed;
        char detail[256];
        if (group->weights != NVFP4_WEIGHTS_NVFP4)
            continue;
        if (!build(question, group, &layer, &assumed))
            return 0;
        layer_detail(&layer, several > 1 ? group->layers : NULL, detail, sizeof detail);
        if (assumed != 0)
            add_assumed(detail, sizeof detail, assumed, &layer);
        if (!add(rows, name, detail, NULL, &layer))
            return 0;
    }
    return 1;
}

int nvfp4_cli_rows_add_model(nvfp4_cli_rows *rows, const nvfp4_cli_question *question,
                             const char *path)
{
    nvfp4_model *model;
    nvfp4_error error;
    char name[256], reason[64];
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK) {
        nvfp4_cli_complain_error(&error);
        return 0;
    }
    model_name(path, name, sizeof name);
    int done;
    if (nvfp4_model_is_nvfp4(model)) {
        done = add_groups(rows, question, model, name);
    } else {
        const nvfp4_moe_layer none = NVFP4_MOE_LAYER_INIT;
        const nvfp4_weights weights = nvfp4_model_weights(model);
        snprintf(reason, sizeof reason, "%s: %s",
                 nvfp4_model_is_moe(model) ? "not NVFP4" : "no MoE layers",
                 weights != NVFP4_WEIGHTS_NONE ? nvfp4_weights_name(weights) : "not quantised");
        done = add(rows, name, "", reason, &none);
    }
    nvfp4_model_free(model);
    return done;
}

/* Do all columns and policies choose alike for two layers? */
static int chosen_alike(const nvfp4_matrix *m, const nvfp4_moe_layer *a, const nvfp4_moe_layer *b)
{
    for (size_t p = 0; p < m->policy_count; p++)
        for (size_t c = 0; c < m->column_count; c++) {
            nvfp4_deployment there = *m->policies[p].deployment;
            nvfp4_selection x = { .kernel = -1 }, y = { .kernel = -1 };
            there.device = m->columns[c].device;
            const nvfp4_status status = nvfp4_select_backend(a, &there, m->policies[p].policy, &x);
            if (nvfp4_select_backend(b, &there, m->policies[p].policy, &y) != status ||
                x.kernel != y.kernel)
                return 0;
        }
    return 1;
}

static int add_limited(nvfp4_cli_rows *rows, const nvfp4_moe_layer *base, double limit,
                       const char *detail)
{
    nvfp4_moe_layer layer = *base;
    char text[48];
    limit_text(text, sizeof text, limit);
    layer.has |= NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = limit;
    return add(rows, nvfp4_activation_name((nvfp4_activation)layer.activation),
               detail != NULL ? detail : text, NULL, &layer);
}

int nvfp4_cli_rows_add_activations(nvfp4_cli_rows *rows, const nvfp4_cli_question *question,
                                   const nvfp4_matrix *matrix)
{
    nvfp4_moe_layer base;
    uint32_t assumed;
    if (!build(question, NULL, &base, &assumed))
        return 0;
    const int given = (base.has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
    for (int a = 0; a < NVFP4_ACTIVATION_COUNT; a++) {
        nvfp4_moe_layer plain = base, usual, other;
        plain.activation = a;
        plain.has &= ~(uint32_t)NVFP4_HAS_SWIGLU_LIMIT;
        /* 7 is what some kernels have built in; any other number stands for all others. */
        usual = other = plain;
        usual.has |= NVFP4_HAS_SWIGLU_LIMIT;
        other.has |= NVFP4_HAS_SWIGLU_LIMIT;
        usual.swiglu_limit = 7;
        other.swiglu_limit = 10;
        if (!add(rows, nvfp4_activation_name((nvfp4_activation)a), "no limit", NULL, &plain))
            return 0;
        if (given ? !add_limited(rows, &plain, base.swiglu_limit, NULL)
            : chosen_alike(matrix, &usual, &other)
                ? !add_limited(rows, &plain, 10, "limit set")
                : !add_limited(rows, &plain, 7, "limit 7.0") ||
                      !add_limited(rows, &plain, 10, "other limit"))
            return 0;
    }
    return 1;
}

void nvfp4_cli_rows_free(nvfp4_cli_rows *rows)
{
    for (size_t i = 0; i < rows->text_count; i++)
        free(rows->texts[i]);
    free(rows->texts);
    free(rows->rows);
    memset(rows, 0, sizeof *rows);
}
