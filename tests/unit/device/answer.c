/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void print(char text[ANSWER_BYTES], const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, ANSWER_BYTES - length, format, arguments);
    va_end(arguments);
}

static const char *outcome(int32_t status)
{
    return status == NVFP4_NOT_ASKED ? "-" : nvfp4_status_name((nvfp4_status)status);
}

static const char *visibility(int32_t value)
{
    static const char *const names[] = {
#define X(name, number, text) [number] = #name,
        NVFP4_VISIBILITY_MAP(X)
#undef X
    };

    return names[value];
}

static void print_number(char text[ANSWER_BYTES], const char *what, int32_t value)
{
    if (value >= 0)
        print(text, " %s %d", what, (int)value);
    else
        print(text, " %s -", what);
}

static void print_device(char text[ANSWER_BYTES], const nvfp4_device *d)
{
    static const char *const doubts[] = { "order", "name", "sm", "hidden", "values" };
    static const char *const mig[] = { "", " slice", " mig" };

    print(text, "%s", d->visible ? "*" : "-");
    print_number(text, "cuda", d->cuda_ordinal);
    print_number(text, "nvml", d->nvml_index);
    if (d->key.vendor == NVFP4_VENDOR_NVIDIA)
        print(text, " sm %d", (int)d->key.sm);
    else
        print(text, " %s %s", nvfp4_vendor_name((nvfp4_vendor)d->key.vendor), d->key.arch);
    print(text, " %s \"%s\"", nvfp4_confidence_name((nvfp4_confidence)d->confidence), d->name);
    if (strcmp(d->name, d->board) != 0)
        print(text, " board \"%s\"", d->board);
    print(text, "%s", mig[d->mig]);
    if (d->gpu_instance >= 0)
        print(text, " %d/%d", (int)d->gpu_instance, (int)d->compute_instance);
    print(text, " %llu MiB", (unsigned long long)(d->memory_bytes >> 20));
    print(text, " %s %04x:%04x", d->pci_address[0] ? d->pci_address : "-", d->pci_vendor_id,
          d->pci_device_id);
    if (d->pci_subsystem_id != 0)
        print(text, " (%08x)", d->pci_subsystem_id);
    print(text, " %s", d->uuid[0] ? d->uuid : "-");
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
        if (d->doubts & 1u << i)
            print(text, " ?%s", doubts[i]);
    }
    print(text, "\n");
}

/* What a loader says differs between systems. */
static void print_message(char text[ANSWER_BYTES], const char *message)
{
    const char *end = strstr(message, " cannot be loaded: ");

    if (end != NULL)
        print(text, ": a library cannot be loaded\n");
    else
        print(text, ": %s\n", message);
}

void answer_probe(const nvfp4_probe_options *options, char text[ANSWER_BYTES])
{
    static nvfp4_device devices[64];
    nvfp4_probe_options all = *options;
    nvfp4_probe_report r = NVFP4_PROBE_REPORT_INIT;
    nvfp4_status status;
    size_t count = 0;

    all.flags |= NVFP4_PROBE_HIDDEN;
    status = nvfp4_probe_devices(&all, devices, sizeof devices / sizeof devices[0], &count, &r);
    text[0] = '\0';
    print(text, "%s from %s (nvml %s, cuda %s, pci %s, tree %s), %d visible, %d hidden, %s%s",
          nvfp4_status_name(status), nvfp4_source_name((nvfp4_source)r.source),
          outcome(r.outcomes[NVFP4_SOURCE_NVML]), outcome(r.outcomes[NVFP4_SOURCE_CUDA]),
          outcome(r.outcomes[NVFP4_SOURCE_PCI]), outcome(r.outcomes[NVFP4_SOURCE_TREE]),
          (int)r.visible, (int)r.hidden, visibility(r.visibility),
          r.order_uncertain ? ", order uncertain" : "");
    if (r.driver_version[0] != '\0' || r.cuda_version != 0)
        print(text, ", driver %s, CUDA %d.%d", r.driver_version[0] != '\0' ? r.driver_version : "-",
              r.cuda_version / 1000, r.cuda_version % 1000 / 10);
    print(text, "\n");
    if (r.message[0] != '\0')
        print_message(text, r.message);
    for (size_t i = 0; i < count && i < 64; i++)
        print_device(text, &devices[i]);
}
