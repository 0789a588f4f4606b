/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

#include "cli/assumed.h"
#include "cli/commands.h"
#include "cli/layers.h"

static nvfp4_status fail(nvfp4_error *error, nvfp4_status status, const char *message)
{
    memset(error, 0, sizeof *error);
    error->status = (int32_t)status;
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

static nvfp4_status add(nvfp4_cli_rules *rules, nvfp4_cli_question *question,
                        const nvfp4_moe_layer *base, const char *name, nvfp4_error *error)
{
    const size_t n = rules->count;
    if (n == NVFP4_CLI_RULES)
        return fail(error, NVFP4_ELIMIT, "--policy: too many policies");
    /* Of several settings of one key the last one counts. */
    if (name != NULL && !nvfp4_cli_question_set(question, "policy=", "--policy", name, ""))
        return fail(error, NVFP4_ELIMIT, "--policy: too many options");
    if (nvfp4_request_new(&rules->requests[n]) != NVFP4_OK)
        return fail(error, NVFP4_ENOMEM, nvfp4_status_text(NVFP4_ENOMEM));
    rules->count++;
    const nvfp4_status status = nvfp4_cli_question_build(question, base, rules->requests[n], error);
    if (status == NVFP4_OK) {
        rules->policies[n].policy = nvfp4_request_policy(rules->requests[n]);
        rules->policies[n].deployment = nvfp4_request_deployment(rules->requests[n]);
    }
    return status;
}

nvfp4_status nvfp4_cli_rules_make(nvfp4_cli_rules *rules, nvfp4_cli_question *question,
                                  const nvfp4_moe_layer *base, const char *list, nvfp4_error *error)
{
    if (list == NULL)
        return add(rules, question, base, NULL, error);
    for (const char *at = list;; at++) {
        char name[1024];
        const size_t length = strcspn(at, ",");
        if (length >= sizeof name)
            return fail(error, NVFP4_ELIMIT, "--policy: a name is too long");
        if (length == 0)
            return fail(error, NVFP4_ESCHEMA, "--policy: an empty name in the list");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const nvfp4_status status = add(rules, question, base, name, error);
        if (status != NVFP4_OK)
            return status;
        at += length;
        if (*at == '\0')
            return NVFP4_OK;
    }
}

void nvfp4_cli_rules_free(nvfp4_cli_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        nvfp4_request_destroy(rules->requests[i]);
    memset(rules, 0, sizeof *rules);
}

/* The whole comparison as text. @return 1; 0 after a complaint. */
static int write(const nvfp4_cli_rules *rules, int form, nvfp4_cli_text *text)
{
    const nvfp4_moe_layer *const layer = nvfp4_request_layer(rules->requests[0]);
    const nvfp4_device_key *const device = &rules->policies[0].deployment->device;
    for (int again = 0; again < 2; again++) {
        const nvfp4_status status =
            form == NVFP4_CLI_JSON
                ? nvfp4_compare_json(layer, device, rules->policies, rules->count, text->text,
                                     text->room, &text->length)
                : nvfp4_compare_text(layer, device, rules->policies, rules->count,
                                     nvfp4_cli_color(), text->text, text->room, &text->length);
        if (status != NVFP4_OK) {
            nvfp4_cli_complain("explain: %s", nvfp4_status_text(status));
            return 0;
        }
        if (text->length < text->room)
            break;
        if (!nvfp4_cli_text_reserve(text, text->length))
            return 0;
    }
    return 1;
}

/* One question, or one group of a model. */
static int compare(nvfp4_cli_question *question, const nvfp4_moe_layer *base, const char *list,
                   int form)
{
    nvfp4_cli_rules rules;
    nvfp4_cli_text text = { NULL, 0, 0 };
    nvfp4_error error;
    nvfp4_selection selection;
    /* The policies become settings of the question, for this time only. */
    const size_t settings = question->setting_count;
    memset(&rules, 0, sizeof rules);
    int code = NVFP4_EXIT_USAGE;
    if (nvfp4_cli_rules_make(&rules, question, base, list, &error) != NVFP4_OK) {
        code = nvfp4_cli_invalid(&error, form);
    } else if (write(&rules, form, &text)) {
        fwrite(text.text, 1, text.length, stdout);
        code = NVFP4_EXIT_OK;
        for (size_t i = 0; i < rules.count; i++)
            if (nvfp4_select_backend(nvfp4_request_layer(rules.requests[0]),
                                     rules.policies[i].deployment, rules.policies[i].policy,
                                     &selection) != NVFP4_OK)
                code = NVFP4_EXIT_NO;
    }
    nvfp4_cli_text_free(&text);
    nvfp4_cli_rules_free(&rules);
    while (question->setting_count > settings) {
        question->setting_count--;
        free(question->settings[question->setting_count].assignment);
        free(question->settings[question->setting_count].origin);
    }
    return code;
}

/* What the comparison of a group rests on that nobody said. */
static void print_assumed(const nvfp4_cli_question *question, const nvfp4_model_group *group,
                          int form)
{
    nvfp4_request *request;
    nvfp4_error error;
    uint32_t assumed = 0;
    char text[96];
    const char *key;
    if (nvfp4_request_new(&request) != NVFP4_OK)
        return;
    nvfp4_cli_group_build(question, group, request, &assumed, &error);
    if (form == NVFP4_CLI_JSON) {
        fputs(",\"assumed\":[", stdout);
        for (size_t i = 0; (key = nvfp4_cli_assumed_key(assumed, i)) != NULL; i++)
            printf("%s\"%s\"", i > 0 ? "," : "", key);
        putchar(']');
    } else if (assumed != 0) {
        printf("\nassumed: %s (the files do not say; --set %s says it)\n",
               nvfp4_cli_assumed_text(assumed, nvfp4_request_layer(request), text, sizeof text),
               nvfp4_cli_assumed_remedy(assumed));
    }
    nvfp4_request_destroy(request);
}

static int compare_groups(nvfp4_cli_question *question, const nvfp4_model *model, const char *list,
                          int form)
{
    const nvfp4_model_group *group;
    char shorter[NVFP4_CLI_LAYERS_TEXT];
    int code = NVFP4_EXIT_OK, told = 0;
    if (form == NVFP4_CLI_JSON)
        fputs("{\"groups\":[", stdout);
    for (size_t i = 0; (group = nvfp4_model_group_at(model, i)) != NULL; i++) {
        const char *const layers = group->layers != NULL ? group->layers : "";
        if (group->weights != NVFP4_WEIGHTS_NVFP4)
            continue;
        if (form == NVFP4_CLI_JSON) /* the name of layers is made of digits, commas and dashes */
            printf("%s{\"layers\":\"%s\",\"comparison\":", told++ > 0 ? "," : "", layers);
        else
            printf("%slayers %s\n\n", told++ > 0 ? "\n" : "",
                   *layers != '\0' ? nvfp4_cli_layers_short(layers, shorter) : "not known");
        const nvfp4_moe_layer base = nvfp4_cli_group_layer(group);
        const int answer = compare(question, &base, list, form);
        if (answer == NVFP4_EXIT_USAGE)
            return answer;
        code = answer > code ? answer : code;
        print_assumed(question, group, form);
        fputs(form == NVFP4_CLI_JSON ? "}" : "", stdout);
    }
    fputs(form == NVFP4_CLI_JSON ? "]}\n" : "", stdout);
    if (told == 0)
        nvfp4_cli_complain("explain: no layer of this model has NVFP4 experts");
    return told == 0 ? NVFP4_EXIT_NO : code;
}

int nvfp4_cli_compare(nvfp4_cli_question *question, const char *model, const char *list, int form)
{
    nvfp4_model *read;
    nvfp4_error error;
    if (model == NULL) {
        const int code = compare(question, NULL, list, form);
        if (form == NVFP4_CLI_JSON && code != NVFP4_EXIT_USAGE)
            putchar('\n');
        return code;
    }
    if (nvfp4_model_read(model, &read, &error) != NVFP4_OK)
        return nvfp4_cli_invalid(&error, form);
    const int code = compare_groups(question, read, list, form);
    nvfp4_model_free(read);
    return code;
}
