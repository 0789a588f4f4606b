/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/lock.h"
#include "device/probe.h"
#include "device/resolve.h"

void nvfp4_probe_environment(nvfp4_probe_options *options)
{
    if (options == NULL)
        return;
    options->visible_devices = getenv("CUDA_VISIBLE_DEVICES");
    options->device_order = getenv("CUDA_DEVICE_ORDER");
}

nvfp4_status nvfp4_probe_defaults(const nvfp4_probe_options *options, nvfp4_probe_options *full)
{
    static const nvfp4_probe_options none = NVFP4_PROBE_OPTIONS_INIT;

    *full = none;
    if (options == NULL) {
        nvfp4_probe_environment(full);
        return NVFP4_OK;
    }
    if (options->struct_size < offsetof(nvfp4_probe_options, machine) + sizeof options->machine)
        return NVFP4_EABI;
    memcpy(full, options,
           options->struct_size < sizeof *full ? options->struct_size : sizeof *full);
    return NVFP4_OK;
}

void nvfp4_probe_gather(const nvfp4_probe_options *options, nvfp4_source source,
                        struct fact_list *list)
{
    switch (source) {
    case NVFP4_SOURCE_NVML:
        nvfp4_nvml_gather(options->nvml_library, list);
        break;
    case NVFP4_SOURCE_CUDA:
        nvfp4_cuda_gather(options->cuda_library, list);
        break;
    case NVFP4_SOURCE_PCI:
        nvfp4_pci_gather(options->root, list);
        break;
    case NVFP4_SOURCE_TREE:
        nvfp4_tree_gather(options->root, list);
        break;
    case NVFP4_SOURCE_AUTO:
    case NVFP4_SOURCE_COUNT:
        break;
    }
}

/* One probe: the facts gathered so far, of this machine or borrowed from a recorded one. */
struct probe {
    nvfp4_probe_options options;
    struct fact_list own[NVFP4_SOURCE_COUNT];
    const struct fact_list *lists[NVFP4_SOURCE_COUNT]; /* NULL: not asked yet */
    struct surroundings now;
    struct surroundings driver_saw;
};

static void probe_begin(struct probe *probe)
{
    const nvfp4_machine *machine = probe->options.machine;

    for (size_t i = 0; i < NVFP4_SOURCE_COUNT; i++) {
        nvfp4_probe_options process = NVFP4_PROBE_OPTIONS_INIT;

        memset(&probe->own[i], 0, sizeof probe->own[i]);
        probe->lists[i] = NULL;
        if (machine == NULL) {
            nvfp4_probe_environment(&process);
            probe->driver_saw.visible = process.visible_devices;
            probe->driver_saw.order = process.device_order;
        } else {
            probe->driver_saw.visible = machine->has_visible ? machine->visible : NULL;
            probe->driver_saw.order = machine->has_order ? machine->order : NULL;
        }
    }
    probe->now.visible = probe->options.visible_devices;
    probe->now.order = probe->options.device_order;
    if (machine != NULL && probe->now.visible == NULL)
        probe->now.visible = probe->driver_saw.visible;
    if (machine != NULL && probe->now.order == NULL)
        probe->now.order = probe->driver_saw.order;
}

static void probe_end(struct probe *probe)
{
    for (size_t i = 0; i < NVFP4_SOURCE_COUNT; i++)
        nvfp4_facts_clear(&probe->own[i]);
}

static const struct fact_list *ask(struct probe *probe, nvfp4_source source)
{
    if (probe->lists[source] == NULL) {
        if (probe->options.machine != NULL) {
            probe->lists[source] = &probe->options.machine->lists[source];
        } else {
            nvfp4_probe_gather(&probe->options, source, &probe->own[source]);
            probe->lists[source] = &probe->own[source];
        }
    }
    return probe->lists[source];
}

/* A source that a recorded machine does not mention is one that it does not have. */
static nvfp4_status outcome(const struct fact_list *list)
{
    return list->status == NVFP4_NOT_ASKED ? NVFP4_ENODRIVER : (nvfp4_status)list->status;
}

/*
 * The first source that answers. A driver that works but has no device, or may not be used, is the
 * answer, whatever hangs on the PCI bus: an engine would get nothing. Without a driver, or with a
 * broken one, the bus can still tell which GPU this is.
 */
static nvfp4_status ask_in_order(struct probe *probe, nvfp4_source *source)
{
    nvfp4_status final = NVFP4_ENODRIVER;

    for (int i = NVFP4_SOURCE_NVML; i <= NVFP4_SOURCE_TREE; i++) {
        nvfp4_status status = outcome(ask(probe, (nvfp4_source)i));

        *source = (nvfp4_source)i;
        if (status == NVFP4_OK || status == NVFP4_ENOMEM)
            return status;
        /* what the bus and the tree do not show says less than what a driver said */
        if (final == NVFP4_ENODRIVER && i <= NVFP4_SOURCE_CUDA)
            final = status;
        if (i == NVFP4_SOURCE_CUDA && (final == NVFP4_ENODEVICE || final == NVFP4_EPERM))
            break;
    }
    *source = NVFP4_SOURCE_AUTO;
    return final;
}

/* Adds a sentence to the report's message, as much of it as there is room for. */
static void say(nvfp4_probe_report *report, const char *sentence)
{
    const char *const pieces[] = { report->message[0] != '\0' ? "; " : "", sentence };
    size_t at = strlen(report->message);

    for (size_t i = 0; sentence[0] != '\0' && i < 2; i++) {
        for (const char *c = pieces[i]; *c != '\0' && at + 1 < sizeof report->message; c++)
            report->message[at++] = *c;
    }
    report->message[at] = '\0';
}

/*
 * The message of a driver beside the source that answered, which is there but broken. That CUDA
 * shows none of NVML's devices is said with CUDA_VISIBLE_DEVICES.
 */
static const char *broken_driver(const struct probe *probe, nvfp4_source source)
{
    for (int i = NVFP4_SOURCE_NVML; i <= NVFP4_SOURCE_CUDA; i++) {
        const struct fact_list *list = probe->lists[i];

        if (list != NULL && i != (int)source && outcome(list) != NVFP4_OK
            && outcome(list) != NVFP4_ENODRIVER && list->message[0] != '\0'
            && !(source == NVFP4_SOURCE_NVML && outcome(list) == NVFP4_ENODEVICE))
            return list->message;
    }
    return "";
}

/*
 * Why there is no answer, or what should be known beside it: what failed comes first, what follows
 * from that behind it.
 */
static void explain(const struct probe *probe, nvfp4_source asked, nvfp4_source source,
                    const struct found_devices *found, nvfp4_probe_report *report)
{
    say(report, broken_driver(probe, source));
    if (source == NVFP4_SOURCE_AUTO) {
        int first = asked != NVFP4_SOURCE_AUTO ? (int)asked : NVFP4_SOURCE_NVML;
        const char *message = probe->lists[first] != NULL ? probe->lists[first]->message : "";

        if (report->message[0] == '\0')
            say(report, message[0] != '\0' ? message : "the machine does not have this source");
    } else {
        if (source == NVFP4_SOURCE_PCI && asked == NVFP4_SOURCE_AUTO)
            say(report, report->message[0] != '\0'
                            ? "this is what the PCI bus shows"
                            : "no NVIDIA driver answers: this is what the PCI bus shows");
        say(report, probe->lists[source]->message);
    }
    if (found != NULL)
        say(report, found->message);
}

static void write_report(const struct probe *probe, nvfp4_source source,
                         const struct found_devices *found, nvfp4_probe_report *report)
{
    nvfp4_probe_report full = NVFP4_PROBE_REPORT_INIT;
    size_t size = report->struct_size;

    full.source = (int32_t)source;
    for (size_t i = 0; i < sizeof full.outcomes / sizeof full.outcomes[0]; i++) {
        full.outcomes[i] = i < NVFP4_SOURCE_COUNT && probe->lists[i] != NULL
                               ? (int32_t)outcome(probe->lists[i])
                               : NVFP4_NOT_ASKED;
    }
    full.visibility = NVFP4_VISIBILITY_UNKNOWN;
    if (found != NULL) {
        full.visibility = (int32_t)found->visibility;
        full.visible = (int32_t)found->visible;
        for (size_t i = found->visible; i < found->count; i++)
            full.hidden += found->devices[i].mig != 2;
        full.order_uncertain = found->order_uncertain;
        if (found->count > 0) {
            full.cuda_version = found->devices[0].cuda_version;
            strcpy(full.driver_version, found->devices[0].driver_version);
        }
    }
    explain(probe, (nvfp4_source)probe->options.source, source, found, &full);
    memcpy(report, &full, size < sizeof full ? size : sizeof full);
    report->struct_size = size;
}

static nvfp4_status probe_run(struct probe *probe, nvfp4_source source, nvfp4_device *devices,
                              size_t capacity, size_t *count, nvfp4_probe_report *report)
{
    const struct fact_list *driver = NULL;
    struct found_devices found = { NULL, 0, 0, NVFP4_VISIBILITY_UNKNOWN, 0, "" };
    nvfp4_status status;

    if (source == NVFP4_SOURCE_AUTO)
        status = ask_in_order(probe, &source);
    else
        status = outcome(ask(probe, source));
    if (status != NVFP4_OK) {
        if (report != NULL)
            write_report(probe, NVFP4_SOURCE_AUTO, NULL, report);
        return status;
    }
    if (source == NVFP4_SOURCE_NVML && (probe->options.flags & NVFP4_PROBE_NO_CUDA) == 0
        && nvfp4_resolve_needs_driver(probe->lists[source], &probe->now))
        driver = ask(probe, NVFP4_SOURCE_CUDA);
    status = nvfp4_resolve(source, probe->lists[source], driver, &probe->driver_saw, &probe->now,
                           &found);
    if (status == NVFP4_OK) {
        size_t all = (probe->options.flags & NVFP4_PROBE_HIDDEN) != 0 ? found.count : found.visible;

        if (report != NULL)
            write_report(probe, source, &found, report);
        if (all == 0)
            status = NVFP4_ENODEVICE;
        for (size_t i = 0; i < all && i < capacity; i++)
            devices[i] = found.devices[i];
        if (status == NVFP4_OK)
            *count = all;
    }
    free(found.devices);
    return status;
}

nvfp4_status nvfp4_probe_devices(const nvfp4_probe_options *options, nvfp4_device *devices,
                                 size_t capacity, size_t *count, nvfp4_probe_report *report)
{
    struct probe probe;
    nvfp4_source source;
    nvfp4_status status;

    if (count == NULL || (devices == NULL && capacity > 0))
        return NVFP4_EINVAL;
    if (report != NULL
        && report->struct_size < offsetof(nvfp4_probe_report, message) + sizeof report->message)
        return NVFP4_EABI;
    status = nvfp4_probe_defaults(options, &probe.options);
    if (status != NVFP4_OK)
        return status;
    source = (nvfp4_source)probe.options.source;
    if (probe.options.source < 0 || probe.options.source >= NVFP4_SOURCE_COUNT)
        return NVFP4_EINVAL;
    nvfp4_lock();
    probe_begin(&probe);
    status = probe_run(&probe, source, devices, capacity, count, report);
    probe_end(&probe);
    nvfp4_unlock();
    return status;
}

#define WORD(name, value, word)                                                                    \
    case value:                                                                                    \
        return word;

const char *nvfp4_source_name(nvfp4_source source)
{
    switch ((int)source) {
        NVFP4_SOURCE_MAP(WORD)
    default:
        return "unknown";
    }
}

const char *nvfp4_visibility_text(nvfp4_visibility visibility)
{
    switch ((int)visibility) {
        NVFP4_VISIBILITY_MAP(WORD)
    default:
        return "unknown";
    }
}
