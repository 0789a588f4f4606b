/* SPDX-License-Identifier: Apache-2.0 */
/* nvfp4-select devices: which GPUs these are, and under which number CUDA shows them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/device.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/devices.h"
#include "cli/terminal.h"

enum { OPTION_SOURCE, OPTION_FORMAT, OPTION_MACHINE, OPTION_DUMP };

static const nvfp4_cli_option options[] = {
    [OPTION_SOURCE] = { "--source", "SOURCE", "auto, nvml, cuda, pci or tree; default auto" },
    [OPTION_FORMAT] = { "--format", "FORMAT", "text or json; default text" },
    [OPTION_MACHINE] = { "--machine", "FILE", "ask a recorded machine instead of this one" },
    [OPTION_DUMP] = { "--dump", NULL, "record the machine: print it as a machine file" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = {
    "devices [--source SOURCE] [--machine FILE] [--format FORMAT]",
    "devices --dump [--machine FILE]",
    NULL,
};

static const nvfp4_cli_usage usage = {
    synopsis,
    "Lists the GPUs of this machine, those first that an engine started here gets, in CUDA's "
    "order.\n"
    "CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER are read as the CUDA driver reads them.",
    options,
    "sources\n"
    "  auto   the first of these that answers\n"
    "  nvml   NVIDIA's management library: milliseconds\n"
    "  cuda   the CUDA driver: slower, and its order is the truth\n"
    "  pci    the PCI bus: no driver needed\n"
    "  tree   the device tree of a Jetson\n\n"
    "Exit code 3: an engine started here would get no device.",
};

struct command {
    int source;
    int json;
    int dump;
    const char *shape; /* the last option that changes what is listed, not what is recorded */
    const char *file;
    nvfp4_machine *machine;
};

static int take_option(struct command *c, int option, const char *value)
{
    static const char *const sources[] = { "auto", "nvml", "cuda", "pci", "tree", NULL };
    static const char *const formats[] = { "text", "json", NULL };

    switch (option) {
    case OPTION_SOURCE:
        c->shape = "--source";
        c->source = nvfp4_cli_choice("--source", value, sources);
        return c->source >= 0;
    case OPTION_FORMAT:
        c->shape = "--format";
        c->json = nvfp4_cli_choice("--format", value, formats);
        return c->json >= 0;
    case OPTION_MACHINE:
        c->file = value;
        return 1;
    default:
        c->dump = 1;
        return 1;
    }
}

/* Reads the command line; an exit code, or -1 to go on. */
static int read_arguments(struct command *c, int argc, char **argv)
{
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    nvfp4_error error;

    for (;;) {
        int option = nvfp4_cli_next(&args);

        if (option == NVFP4_ARG_END)
            break;
        if (option == NVFP4_ARG_HELP)
            return NVFP4_EXIT_OK;
        if (option == NVFP4_ARG_WORD)
            nvfp4_cli_complain("devices: '%.60s' is not expected here", args.value);
        if (option < 0 || !take_option(c, option, args.value))
            return NVFP4_EXIT_USAGE;
    }
    if (c->dump && c->shape != NULL) {
        nvfp4_cli_complain("devices: --dump records every source as a machine file; %s does not go "
                           "with it", c->shape);
        return NVFP4_EXIT_USAGE;
    }
    if (c->file != NULL && nvfp4_machine_load(c->file, &c->machine, &error) != NVFP4_OK) {
        nvfp4_cli_complain_error(&error);
        return NVFP4_EXIT_USAGE;
    }
    return -1;
}

static int dump(const struct command *c)
{
    nvfp4_machine *recorded = NULL;
    const nvfp4_machine *machine = c->machine;
    size_t length;
    char *text;

    if (machine == NULL) {
        nvfp4_status status = nvfp4_machine_record(NULL, &recorded);

        if (status != NVFP4_OK) {
            nvfp4_cli_complain("devices: %s", nvfp4_status_text(status));
            return NVFP4_EXIT_MACHINE;
        }
        machine = recorded;
    }
    length = nvfp4_machine_print(machine, NULL, 0);
    text = malloc(length + 1);
    if (text != NULL) {
        nvfp4_machine_print(machine, text, length + 1);
        fwrite(text, 1, length, stdout);
        free(text);
    } else {
        nvfp4_cli_complain("out of memory");
    }
    nvfp4_machine_destroy(recorded);
    return text != NULL ? NVFP4_EXIT_OK : NVFP4_EXIT_MACHINE;
}

/* What to do about it, by what the probe came to. */
static const char *advice(nvfp4_status status)
{
    switch (status) {
    case NVFP4_ENODRIVER:
        return "no NVIDIA driver, and no GPU that is known without one; "
               "explain --gpu NAME answers for a GPU that is not here";
    case NVFP4_EDRIVER:
        return "the NVIDIA driver does not work; after an update it may need a reboot";
    case NVFP4_EPERM:
        return "this user may not use the NVIDIA driver; a container must be given its devices";
    case NVFP4_ENODEVICE:
        return "an engine started here would get no device";
    default:
        return nvfp4_status_text(status);
    }
}

static void complain(nvfp4_status status, const nvfp4_probe_report *report)
{
    if (report->message[0] != '\0')
        nvfp4_cli_complain("%s (%s)", advice(status), report->message);
    else
        nvfp4_cli_complain("%s", advice(status));
}

/* Probes into an array of the right size; the status of the probe. */
static nvfp4_status probe(const struct command *c, struct nvfp4_cli_devices *d)
{
    nvfp4_probe_options ask = NVFP4_PROBE_OPTIONS_INIT;
    size_t room = 32;
    nvfp4_status status;

    ask.source = c->source;
    ask.flags = NVFP4_PROBE_HIDDEN;
    ask.machine = c->machine;
    if (c->machine == NULL)
        nvfp4_probe_environment(&ask);
    do {
        free(d->devices);
        d->devices = calloc(room, sizeof *d->devices);
        if (d->devices == NULL)
            return NVFP4_ENOMEM;
        d->count = 0;
        status = nvfp4_probe_devices(&ask, d->devices, room, &d->count, &d->report);
    } while (status == NVFP4_OK && d->count > room && (room = d->count) > 0);
    return status;
}

int nvfp4_cmd_devices(int argc, char **argv)
{
    struct command c = { NVFP4_SOURCE_AUTO, 0, 0, NULL, NULL, NULL };
    struct nvfp4_cli_devices d = { NVFP4_OK, NULL, 0, NVFP4_PROBE_REPORT_INIT };
    int code = read_arguments(&c, argc, argv);

    if (code < 0 && c.dump) {
        code = dump(&c);
    } else if (code < 0) {
        d.status = probe(&c, &d);
        /* devices that are all hidden are shown, and none of them is any use */
        if (d.status == NVFP4_OK && d.report.visible == 0)
            d.status = NVFP4_ENODEVICE;
        if (c.json)
            nvfp4_cli_devices_json(&d);
        else
            nvfp4_cli_devices_text(&d);
        if (d.status != NVFP4_OK)
            complain(d.status, &d.report);
        else if (d.report.message[0] != '\0')
            nvfp4_cli_complain("%s", d.report.message);
        code = d.status == NVFP4_OK ? NVFP4_EXIT_OK : NVFP4_EXIT_MACHINE;
    }
    free(d.devices);
    nvfp4_machine_destroy(c.machine);
    return code;
}
