/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/devices.h"

#include <stdio.h>

#include "files/alloc.h"
#include "files/json_writer.h"

/* A string, or null where there is none. */
static void text(nvfp4_json *json, const char *key, const char *value)
{
    nvfp4_json_key(json, key);
    nvfp4_json_string(json, value[0] != '\0' ? value : NULL);
}

/* A number, or null where it is negative: not known. */
static void number(nvfp4_json *json, const char *key, int64_t value)
{
    nvfp4_json_key(json, key);
    if (value >= 0)
        nvfp4_json_integer(json, value);
    else
        nvfp4_json_null(json);
}

static void truth(nvfp4_json *json, const char *key, int value)
{
    nvfp4_json_key(json, key);
    nvfp4_json_bool(json, value);
}

static void version(nvfp4_json *json, const char *key, int32_t cuda)
{
    char buffer[32] = "";

    if (cuda > 0)
        snprintf(buffer, sizeof buffer, "%d.%d", (int)cuda / 1000, (int)cuda % 1000 / 10);
    text(json, key, buffer);
}

static void ids(nvfp4_json *json, const char *key, uint32_t first, uint32_t second)
{
    char buffer[32] = "";

    if (first != 0)
        snprintf(buffer, sizeof buffer, "%04x:%04x", (unsigned)first & 0xffff,
                 (unsigned)second & 0xffff);
    text(json, key, buffer);
}

static void doubts(nvfp4_json *json, uint32_t bits)
{
    static const char *const names[] = { "order", "name", "sm", "hidden", "values" };

    nvfp4_json_key(json, "doubts");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((bits & 1u << i) != 0)
            nvfp4_json_string(json, names[i]);
    }
    nvfp4_json_close(json, ']');
}

static void mig(nvfp4_json *json, const nvfp4_device *d)
{
    nvfp4_json_key(json, "mig");
    if (d->mig == 0) {
        nvfp4_json_null(json);
        return;
    }
    nvfp4_json_open(json, '{');
    truth(json, "slice", d->mig == 1);
    number(json, "gpu_instance", d->gpu_instance);
    number(json, "compute_instance", d->compute_instance);
    nvfp4_json_close(json, '}');
}

static void device(nvfp4_json *json, const nvfp4_device *d)
{
    nvfp4_json_open(json, '{');
    number(json, "cuda", d->cuda_ordinal);
    number(json, "nvml", d->nvml_index);
    truth(json, "visible", d->visible);
    text(json, "vendor", nvfp4_vendor_name((nvfp4_vendor)d->key.vendor));
    number(json, "sm", d->key.sm > 0 ? d->key.sm : -1);
    text(json, "arch", d->key.arch);
    text(json, "name", d->name);
    text(json, "board", d->board);
    text(json, "uuid", d->uuid);
    text(json, "pci", d->pci_address);
    ids(json, "pci_id", d->pci_vendor_id, d->pci_device_id);
    ids(json, "pci_subsystem", d->pci_subsystem_id >> 16, d->pci_subsystem_id);
    number(json, "memory_bytes", d->memory_bytes > 0 ? (int64_t)d->memory_bytes : -1);
    mig(json, d);
    text(json, "driver", d->driver_version);
    version(json, "cuda_version", d->cuda_version);
    text(json, "source", nvfp4_source_name((nvfp4_source)d->source));
    text(json, "confidence", nvfp4_confidence_name((nvfp4_confidence)d->confidence));
    doubts(json, d->doubts);
    nvfp4_json_close(json, '}');
}

static void warning(nvfp4_json *json, const char *code, const char *sentence)
{
    nvfp4_json_open(json, '{');
    text(json, "code", code);
    text(json, "text", sentence);
    nvfp4_json_close(json, '}');
}

static void warnings(nvfp4_json *json, const struct nvfp4_cli_devices *d)
{
    int unsure = 0;

    for (size_t i = 0; i < d->count; i++) {
        unsure |= d->devices[i].visible
                  && (d->devices[i].confidence < NVFP4_CONFIDENCE_MEDIUM
                      || (d->devices[i].doubts & (NVFP4_DOUBT_NAME | NVFP4_DOUBT_VALUES)) != 0);
    }
    nvfp4_json_key(json, "warnings");
    nvfp4_json_open(json, '[');
    if (d->report.order_uncertain)
        warning(json, "device_order", "CUDA may number these GPUs otherwise");
    if (unsure)
        warning(json, "low_confidence", "what the driver says of a device is doubtful: see doubts");
    nvfp4_json_close(json, ']');
}

static const char *status_word(nvfp4_status status)
{
    switch (status) {
    case NVFP4_OK:
        return "ok";
    case NVFP4_ENODRIVER:
        return "no_driver";
    case NVFP4_ENODEVICE:
        return "no_device";
    case NVFP4_EPERM:
        return "no_permission";
    case NVFP4_EDRIVER:
        return "broken_driver";
    default:
        return "failed";
    }
}

/* What each source came to; null: it was not asked. */
static void sources(nvfp4_json *json, const nvfp4_probe_report *report)
{
    nvfp4_json_key(json, "sources");
    nvfp4_json_open(json, '{');
    for (int i = NVFP4_SOURCE_NVML; i < NVFP4_SOURCE_COUNT; i++) {
        int32_t outcome = report->outcomes[i];

        text(json, nvfp4_source_name((nvfp4_source)i),
             outcome == NVFP4_NOT_ASKED ? "" : status_word((nvfp4_status)outcome));
    }
    nvfp4_json_close(json, '}');
}

void nvfp4_cli_devices_json(const struct nvfp4_cli_devices *d)
{
    const nvfp4_probe_report *r = &d->report;
    nvfp4_json json;
    size_t length;
    char *line;

    nvfp4_json_begin_growing(&json);
    nvfp4_json_open(&json, '{');
    text(&json, "status", status_word(d->status));
    text(&json, "source", nvfp4_source_name((nvfp4_source)r->source));
    text(&json, "driver", r->driver_version);
    version(&json, "cuda", r->cuda_version);
    number(&json, "visible", r->visible);
    number(&json, "hidden", r->hidden);
    text(&json, "visibility", nvfp4_visibility_text((nvfp4_visibility)r->visibility));
    truth(&json, "order_uncertain", r->order_uncertain);
    text(&json, "message", r->message);
    sources(&json, r);
    nvfp4_json_key(&json, "devices");
    nvfp4_json_open(&json, '[');
    for (size_t i = 0; i < d->count; i++)
        device(&json, &d->devices[i]);
    nvfp4_json_close(&json, ']');
    warnings(&json, d);
    nvfp4_json_close(&json, '}');
    line = nvfp4_json_take(&json, &length);
    if (line != NULL) {
        fwrite(line, 1, length, stdout);
        putchar('\n');
    }
    nvfp4_files_free(line);
}
