/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"

/* Requests are no larger than the library reads. */
#define REQUEST_BYTES ((size_t)64 << 20)

int nvfp4_cli_is_model(const char *path)
{
    static const char name[] = "config.json";
    const size_t length = strlen(path);
    const size_t size = sizeof name - 1;
    if (length >= size && strcmp(path + length - size, name) == 0 &&
        (length == size || path[length - size - 1] == '/' || path[length - size - 1] == '\\'))
        return nvfp4_cli_is_file(path);
    char *const inside = malloc(length + sizeof "/config.json");
    if (inside == NULL)
        return 0;
    memcpy(inside, path, length);
    memcpy(inside + length, "/config.json", sizeof "/config.json");
    const int is_model = length > 0 && nvfp4_cli_is_file(inside);
    free(inside);
    return is_model;
}

static char *join(const char *a, const char *between, const char *b)
{
    const size_t room = strlen(a) + strlen(between) + strlen(b) + 1;
    char *const text = malloc(room);
    if (text != NULL)
        snprintf(text, room, "%s%s%s", a, between, b);
    return text;
}

int nvfp4_cli_question_set(nvfp4_cli_question *q, const char *before, const char *option,
                           const char *value, const char *after)
{
    if (q->setting_count == NVFP4_CLI_SETTINGS) {
        nvfp4_cli_complain("%s: more than %d options change the request", option,
                           NVFP4_CLI_SETTINGS);
        return 0;
    }
    char *const assignment = join(before, value != NULL ? value : "", after);
    char *const origin = join(option, value != NULL ? " " : "", value != NULL ? value : "");
    if (assignment == NULL || origin == NULL) {
        free(assignment);
        free(origin);
        nvfp4_cli_complain("out of memory");
        return 0;
    }
    q->settings[q->setting_count].assignment = assignment;
    q->settings[q->setting_count].origin = origin;
    q->setting_count++;
    return 1;
}

static const char *request_name(const nvfp4_cli_question *q)
{
    return strcmp(q->request, "-") == 0 ? "<stdin>" : q->request;
}

static int file_error(const char *file, const char *what, nvfp4_error *error)
{
    memset(error, 0, sizeof *error);
    error->status = NVFP4_EIO;
    snprintf(error->file, sizeof error->file, "%s", file);
    snprintf(error->message, sizeof error->message, "%s", what);
    return NVFP4_EXIT_USAGE;
}

/* The file is read once, whatever it is: it may be a pipe, and is asked for every group. */
static int read_request(nvfp4_cli_question *q, nvfp4_error *error)
{
    FILE *const file = strcmp(q->request, "-") == 0 ? stdin : fopen(q->request, "rb");
    if (file == NULL)
        return file_error(q->request, strerror(errno), error);
    errno = 0;
    const int done = nvfp4_cli_read(file, &q->request_text, REQUEST_BYTES);
    const int code = errno;
    if (file != stdin)
        fclose(file);
    if (!done)
        return file_error(request_name(q), code != 0 ? strerror(code) : "it cannot be read", error);
    return NVFP4_EXIT_OK;
}

static int no_devices(const nvfp4_cli_question *q, nvfp4_status status,
                      const nvfp4_probe_report *report)
{
    nvfp4_cli_complain("%s: %s", q->machine != NULL ? q->machine : "--probe",
                       report->message[0] != '\0' ? report->message : nvfp4_status_text(status));
    return NVFP4_EXIT_MACHINE;
}

static int no_memory(nvfp4_error *error)
{
    file_error("", nvfp4_status_text(NVFP4_ENOMEM), error);
    return NVFP4_EXIT_USAGE;
}

static int ask_machine(nvfp4_cli_question *q, const nvfp4_probe_options *options,
                       nvfp4_error *error)
{
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    for (size_t room = 16;; room = q->device_count) {
        nvfp4_device *const larger = realloc(q->devices, room * sizeof *larger);
        if (larger == NULL)
            return no_memory(error);
        q->devices = larger;
        const nvfp4_status status =
            nvfp4_probe_devices(options, q->devices, room, &q->device_count, &report);
        if (status != NVFP4_OK)
            return no_devices(q, status, &report);
        if (q->device_count == 0)
            return no_devices(q, NVFP4_ENODEVICE, &report);
        if (q->device_count <= room)
            break;
    }
    if (!nvfp4_cli_all_known(q))
        return NVFP4_EXIT_MACHINE;
    nvfp4_cli_doubt(q, &report);
    return NVFP4_EXIT_OK;
}

static int probe(nvfp4_cli_question *q, nvfp4_error *error)
{
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    nvfp4_machine *machine = NULL;
    if (q->machine == NULL)
        return ask_machine(q, NULL, error);
    if (nvfp4_machine_load(q->machine, &machine, error) != NVFP4_OK)
        return NVFP4_EXIT_USAGE;
    options.machine = machine;
    const int code = ask_machine(q, &options, error);
    nvfp4_machine_destroy(machine);
    return code;
}

int nvfp4_cli_question_prepare(nvfp4_cli_question *q, nvfp4_error *error)
{
    int code = NVFP4_EXIT_OK;
    if (q->request != NULL)
        code = read_request(q, error);
    if (code == NVFP4_EXIT_OK && q->probe)
        code = probe(q, error);
    return code;
}

/* The devices of all ranks are those that an engine started here gets. */
static nvfp4_status use_devices(const nvfp4_cli_question *q, nvfp4_request *request)
{
    nvfp4_device_key *const keys = malloc(q->device_count * sizeof *keys);
    if (keys == NULL)
        return NVFP4_ENOMEM;
    for (size_t i = 0; i < q->device_count; i++)
        keys[i] = q->devices[i].key;
    const nvfp4_status status =
        nvfp4_request_set_devices(request, &keys[0], keys, q->device_count, q->devices[0].name);
    free(keys);
    return status;
}

/* What the environment says holds where neither the file nor an option says otherwise. */
static nvfp4_status use_environment(nvfp4_request *request, nvfp4_error *error)
{
    static const struct {
        const char *variable, *key;
    } defaults[] = { { "NVFP4_POLICY", "policy" }, { "NVFP4_BACKEND", "backend" } };
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0] && status == NVFP4_OK; i++) {
        const char *const value = nvfp4_cli_environment(defaults[i].variable);
        if (value == NULL)
            continue;
        char *const assignment = join(defaults[i].key, "=", value);
        char *const origin = join(defaults[i].variable, "=", value);
        status = assignment == NULL || origin == NULL
                     ? NVFP4_ENOMEM
                     : nvfp4_request_set(request, assignment, origin, error);
        free(assignment);
        free(origin);
    }
    return status;
}

/* Who wrote no request is told of the options, not of a request's keys. */
static void tell_options(const nvfp4_cli_question *q, nvfp4_error *error)
{
    static const char missing[] = "device is missing";
    if (q->request == NULL && strncmp(error->message, missing, sizeof missing - 1) == 0)
        snprintf(error->message, sizeof error->message,
                 "%s; give --gpu NAME, --sm N, --probe or --machine FILE", missing);
}

nvfp4_status nvfp4_cli_question_build(const nvfp4_cli_question *q, const nvfp4_moe_layer *base,
                                      nvfp4_request *request, nvfp4_error *error)
{
    nvfp4_status status = NVFP4_OK;
    memset(error, 0, sizeof *error);
    snprintf(error->message, sizeof error->message, "out of memory");
    nvfp4_request_reset(request);
    if (base != NULL)
        status = nvfp4_request_set_layer(request, base);
    if (status == NVFP4_OK)
        status = use_environment(request, error);
    if (status == NVFP4_OK && q->request != NULL) {
        nvfp4_request_text text = NVFP4_REQUEST_TEXT_INIT;
        text.text = q->request_text.text;
        text.length = q->request_text.length;
        text.file = request_name(q);
        status = nvfp4_request_parse(request, &text, error);
    }
    if (status == NVFP4_OK && q->probe)
        status = use_devices(q, request);
    for (size_t i = 0; i < q->setting_count && status == NVFP4_OK; i++)
        status = nvfp4_request_set(request, q->settings[i].assignment, q->settings[i].origin,
                                   error);
    if (status == NVFP4_OK)
        status = nvfp4_request_resolve(request, error);
    if (status != NVFP4_OK)
        tell_options(q, error);
    return status;
}

void nvfp4_cli_question_free(nvfp4_cli_question *q)
{
    for (size_t i = 0; i < q->setting_count; i++) {
        free(q->settings[i].assignment);
        free(q->settings[i].origin);
    }
    nvfp4_cli_text_free(&q->request_text);
    free(q->devices);
}
