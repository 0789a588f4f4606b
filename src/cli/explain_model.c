/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

#include "cli/assumed.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/groups.h"

/* The answer for one group of layers whose experts are NVFP4. */
struct group {
    const nvfp4_model_group *facts;
    nvfp4_moe_layer layer; /* as it was asked for */
    uint32_t assumed;      /* NVFP4_KNOWS_* bits of what neither the files nor the user say */
    nvfp4_status status;
    nvfp4_selection selection; /* where status is OK */
    size_t ruled_out;          /* kernels */
    nvfp4_cli_text request;    /* as JSON; only in JSON */
    nvfp4_cli_text answer;     /* in the form asked for */
};

struct survey {
    nvfp4_cli_question *question;
    const nvfp4_model *model;
    int form;
    nvfp4_explain_options options;
    struct group *groups;
    size_t count;
    const char *status; /* "ok", the worst group's, "not_moe", "not_nvfp4" */
    size_t told;        /* the group that is told in full */
    const nvfp4_policy *policy;
    char title[128];
};

static void survey_free(struct survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        nvfp4_cli_text_free(&s->groups[i].request);
        nvfp4_cli_text_free(&s->groups[i].answer);
    }
    free(s->groups);
}

static int print_request(const nvfp4_request *request, nvfp4_cli_text *text)
{
    text->length = nvfp4_request_to_json(request, NULL, 0);
    if (!nvfp4_cli_text_reserve(text, text->length))
        return 0;
    nvfp4_request_to_json(request, text->text, text->room);
    return 1;
}

static size_t count_ruled_out(const nvfp4_request *request)
{
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    size_t count = 0;
    if (nvfp4_judge(nvfp4_request_layer(request), nvfp4_request_deployment(request),
                    nvfp4_request_policy(request), &verdicts) == NVFP4_OK)
        for (size_t i = 0; i < NVFP4_KERNELS_MAX; i++)
            count += verdicts.reasons[i] != 0;
    return count;
}

/* Where all is well the group that asks most of a kernel is told: it has a limit, it rules out
 * most. */
static size_t most_demanding(const struct survey *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->count; i++) {
        const struct group *const a = &s->groups[i], *const b = &s->groups[best];
        const int limit = (a->layer.has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
        const int best_limit = (b->layer.has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
        if (limit != best_limit ? limit : a->ruled_out > b->ruled_out)
            best = i;
    }
    return best;
}

/* Ask for one group. @return an exit code; USAGE has been complained about. */
static int ask(struct survey *s, struct group *g, nvfp4_request *request)
{
    nvfp4_error error;
    if (nvfp4_cli_group_build(s->question, g->facts, request, &g->assumed, &error) != NVFP4_OK)
        return nvfp4_cli_invalid(&error, s->form);
    g->layer = *nvfp4_request_layer(request);
    const char *const name = nvfp4_request_device_name(request);
    snprintf(s->title, sizeof s->title, "%s", name);
    s->options.title = *name != '\0' ? s->title : NULL;
    s->policy = nvfp4_request_policy(request);
    nvfp4_select_backend(nvfp4_request_layer(request), nvfp4_request_deployment(request),
                         s->policy, &g->selection);
    g->ruled_out = count_ruled_out(request);
    if (s->form == NVFP4_CLI_JSON && !print_request(request, &g->request))
        return NVFP4_EXIT_USAGE;
    return nvfp4_cli_answer(request, s->form, &s->options, &g->answer, &g->status)
               ? NVFP4_EXIT_OK
               : NVFP4_EXIT_USAGE;
}

static int ask_all(struct survey *s)
{
    const nvfp4_model_group *facts;
    nvfp4_request *request;
    size_t room = 0;
    while (nvfp4_model_group_at(s->model, room) != NULL)
        room++;
    s->groups = calloc(room + 1, sizeof *s->groups);
    if (s->groups == NULL || nvfp4_request_new(&request) != NVFP4_OK) {
        nvfp4_cli_complain("out of memory");
        return NVFP4_EXIT_USAGE;
    }
    int code = NVFP4_EXIT_OK;
    s->status = "ok";
    for (size_t i = 0; (facts = nvfp4_model_group_at(s->model, i)) != NULL; i++) {
        if (facts->weights != NVFP4_WEIGHTS_NVFP4)
            continue;
        struct group *const g = &s->groups[s->count++];
        g->facts = facts;
        code = ask(s, g, request);
        if (code != NVFP4_EXIT_OK)
            break;
        /* One backend is asked for in all of them, or in none: there is but one kind of no. */
        if (g->status != NVFP4_OK && strcmp(s->status, "ok") == 0) {
            s->status = nvfp4_cli_status_word(g->status);
            s->told = s->count - 1;
        }
    }
    if (strcmp(s->status, "ok") == 0)
        s->told = most_demanding(s);
    nvfp4_request_destroy(request);
    return code;
}

/* ---- JSON ---- */

static int print_json(const struct survey *s)
{
    nvfp4_cli_text model = { NULL, 0, 0 };
    const char *key;
    model.length = nvfp4_model_to_json(s->model, NULL, 0);
    if (!nvfp4_cli_text_reserve(&model, model.length))
        return 0;
    nvfp4_model_to_json(s->model, model.text, model.room);
    printf("{\"status\":\"%s\",\"model\":%s,\"answers\":[", s->status, model.text);
    for (size_t i = 0; i < s->count; i++) {
        const struct group *const g = &s->groups[i];
        /* The name of layers is made of digits, commas and dashes. */
        if (g->facts->layers != NULL)
            printf("%s{\"layers\":\"%s\"", i > 0 ? "," : "", g->facts->layers);
        else
            printf("%s{\"layers\":null", i > 0 ? "," : "");
        printf(",\"request\":%s,\"answer\":%s,\"assumed\":[", g->request.text, g->answer.text);
        for (size_t k = 0; (key = nvfp4_cli_assumed_key(g->assumed, k)) != NULL; k++)
            printf("%s\"%s\"", k > 0 ? "," : "", key);
        fputs("]}", stdout);
    }
    puts("]}");
    nvfp4_cli_text_free(&model);
    return 1;
}

/* ---- text ---- */

/* Of a limit that the files do not say, the user may have said it. */
static int limit_was_said(const struct survey *s)
{
    size_t open = 0;
    for (size_t i = 0; i < s->count; i++) {
        open += (s->groups[i].facts->known & NVFP4_KNOWS_LIMIT) == 0;
        if (s->groups[i].assumed & NVFP4_KNOWS_LIMIT)
            return 0;
    }
    return open > 0;
}

static void print_warnings(const struct survey *s)
{
    const int said = limit_was_said(s);
    const nvfp4_model_warning *w;
    for (size_t i = 0; (w = nvfp4_model_warning_at(s->model, i)) != NULL; i++) {
        if (said && w->code == NVFP4_MODEL_WARNING_LIMIT_UNKNOWN)
            continue;
        printf("  warning, %s: ", nvfp4_model_warning_name((nvfp4_model_warning_code)w->code));
        nvfp4_cli_print(w->text);
        putchar('\n');
    }
}

/* What the answers rest on that nobody said: every such thing once. */
static void print_assumed(const struct survey *s)
{
    uint32_t told = 0;
    char text[96];
    for (size_t i = 0; i < s->count; i++) {
        const struct group *const g = &s->groups[i];
        if ((g->assumed & ~told) == 0)
            continue;
        printf("  assumed: %s (the files do not say; --set %s says it)\n",
               nvfp4_cli_assumed_text(g->assumed & ~told, &g->layer, text, sizeof text),
               nvfp4_cli_assumed_remedy(g->assumed & ~told));
        told |= g->assumed;
    }
}

static void answer_text(const struct survey *s, const struct group *g, char *text, size_t room)
{
    nvfp4_kernel_info kernel = { 0, 0, "", "", "" };
    if (g->status != NVFP4_OK) {
        snprintf(text, room, "%s", g->status == NVFP4_EREFUSED ? "refused" : "no backend fits");
        return;
    }
    nvfp4_policy_kernel(s->policy, (size_t)g->selection.kernel, &kernel);
    snprintf(text, room, "%s%s%s", kernel.backend_name, *kernel.kernel_name != '\0' ? "/" : "",
             kernel.kernel_name);
}

static nvfp4_cli_group_row nvfp4_row(const struct survey *s, const struct group *g)
{
    nvfp4_cli_group_row row = { "", &g->layer, g->facts->layers, NULL, 0, 0, 1 };
    answer_text(s, g, row.answer, sizeof row.answer);
    row.least = row.most = g->layer.swiglu_limit;
    return row;
}

static nvfp4_cli_group_row other_row(const nvfp4_model_group *facts)
{
    nvfp4_cli_group_row row = { "not quantised", NULL, facts->layers, NULL, 0, 0, 1 };
    if (facts->weights != NVFP4_WEIGHTS_NONE)
        snprintf(row.answer, sizeof row.answer, "not NVFP4 but %s",
                 nvfp4_weights_name((nvfp4_weights)facts->weights));
    return row;
}

/* The groups, what is worst first, and those that no NVFP4 kernel is for. */
static int print_table(const struct survey *s)
{
    const nvfp4_model_group *facts;
    size_t count = 0, room = 0;
    while (nvfp4_model_group_at(s->model, room) != NULL)
        room++;
    nvfp4_cli_group_row *const rows = calloc(room + 1, sizeof *rows);
    if (rows == NULL)
        return 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->count; i++)
            if ((s->groups[i].status == NVFP4_OK) == (pass == 1))
                rows[count++] = nvfp4_row(s, &s->groups[i]);
    for (size_t i = 0; (facts = nvfp4_model_group_at(s->model, i)) != NULL; i++)
        if (facts->weights != NVFP4_WEIGHTS_NVFP4)
            rows[count++] = other_row(facts);
    const int done = nvfp4_cli_groups_print(rows, count);
    free(rows);
    return done;
}

static void print_heading(const struct survey *s, int alone)
{
    char layers[NVFP4_CLI_LAYERS_TEXT];
    const char *const type = nvfp4_model_type(s->model);
    const char *const architecture = nvfp4_model_architecture(s->model);
    nvfp4_cli_print(type != NULL ? type : "a model without model_type");
    if (architecture != NULL) {
        fputs(" (", stdout);
        nvfp4_cli_print(architecture);
        putchar(')');
    }
    const size_t before = (type != NULL ? strlen(type) : 27) +
                          (architecture != NULL ? strlen(architecture) + 3 : 0);
    const char *const no = strcmp(s->status, "not_moe") == 0 ? "not a mixture of experts"
                           : strcmp(s->status, "not_nvfp4") == 0 ? "its experts are not NVFP4"
                                                                 : NULL;
    if (no != NULL)
        printf(":%s%s, there is no kernel to choose", before > 46 ? "\n  " : " ", no);
    else if (alone && s->groups[0].facts->layers != NULL)
        printf(", MoE layers %s", nvfp4_cli_layers_short(s->groups[0].facts->layers, layers));
    putchar('\n');
}

/* Of many groups only one is told in full: the answer fits a screen. */
static int print_text(const struct survey *s)
{
    char layers[NVFP4_CLI_LAYERS_TEXT];
    const int alone = s->count == 1 && nvfp4_model_group_at(s->model, 1) == NULL;
    print_heading(s, alone);
    if (!alone && !print_table(s)) {
        nvfp4_cli_complain("out of memory");
        return 0;
    }
    print_warnings(s);
    print_assumed(s);
    if (s->count == 0)
        return 1;
    const struct group *const g = &s->groups[s->told];
    putchar('\n');
    if (!alone && g->facts->layers != NULL)
        printf("layers %s\n", nvfp4_cli_layers_short(g->facts->layers, layers));
    fputs(g->answer.text, stdout);
    return 1;
}

static int explain(struct survey *s)
{
    if (!nvfp4_model_is_moe(s->model)) {
        s->status = "not_moe";
    } else if (!nvfp4_model_is_nvfp4(s->model)) {
        s->status = "not_nvfp4";
    } else {
        const int code = ask_all(s);
        if (code != NVFP4_EXIT_OK)
            return code;
    }
    if (!(s->form == NVFP4_CLI_TEXT ? print_text(s) : print_json(s)))
        return NVFP4_EXIT_USAGE;
    return strcmp(s->status, "ok") == 0 ? NVFP4_EXIT_OK : NVFP4_EXIT_NO;
}

int nvfp4_cli_explain_model(nvfp4_cli_question *question, const char *path, int form,
                            const nvfp4_explain_options *options)
{
    nvfp4_error error;
    nvfp4_model *model;
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK)
        return nvfp4_cli_invalid(&error, form);
    struct survey s;
    memset(&s, 0, sizeof s);
    s.question = question;
    s.model = model;
    s.form = form;
    s.options = *options;
    const int code = explain(&s);
    survey_free(&s);
    nvfp4_model_free(model);
    return code;
}
