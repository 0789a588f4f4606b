/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded machines: record, write, give back. Reading is in files/. */
#include <nvfp4moe/device.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/lock.h"
#include "device/probe.h"

void nvfp4_machine_destroy(nvfp4_machine *machine)
{
    if (machine == NULL)
        return;
    for (size_t i = 0; i < NVFP4_SOURCE_COUNT; i++)
        nvfp4_facts_clear(&machine->lists[i]);
    free(machine);
}

/* 0 when there is no room for all of it: a part would be another list of devices. */
static int keep(const char *value, int *has, char *to, size_t capacity)
{
    *has = value != NULL;
    if (value == NULL)
        return 1;
    if (strlen(value) >= capacity)
        return 0;
    strcpy(to, value);
    return 1;
}

nvfp4_status nvfp4_machine_record(const nvfp4_probe_options *options, nvfp4_machine **machine)
{
    nvfp4_probe_options full;
    nvfp4_machine *made;
    nvfp4_status status;

    if (machine == NULL)
        return NVFP4_EINVAL;
    status = nvfp4_probe_defaults(options, &full);
    if (status != NVFP4_OK)
        return status;
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return NVFP4_ENOMEM;
    if (!keep(full.visible_devices, &made->has_visible, made->visible, sizeof made->visible)
        || !keep(full.device_order, &made->has_order, made->order, sizeof made->order)) {
        nvfp4_machine_destroy(made);
        return NVFP4_ELIMIT;
    }
    nvfp4_lock();
    for (int i = NVFP4_SOURCE_NVML; i < NVFP4_SOURCE_COUNT; i++) {
        nvfp4_probe_gather(&full, (nvfp4_source)i, &made->lists[i]);
        if (made->lists[i].status == NVFP4_ENOMEM)
            status = NVFP4_ENOMEM;
    }
    nvfp4_unlock();
    if (status != NVFP4_OK) {
        nvfp4_machine_destroy(made);
        return status;
    }
    *machine = made;
    return NVFP4_OK;
}

/* A text that grows in the caller's buffer and is counted beyond it. */
struct text {
    char *buffer;
    size_t capacity;
    size_t length;
};

static void put(struct text *text, const char *piece, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text->length + 1 < text->capacity)
            text->buffer[text->length] = piece[i];
        text->length++;
    }
}

static void print(struct text *text, const char *format, ...)
{
    char piece[256];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (length > 0)
        put(text, piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1);
}

/*
 * A YAML double-quoted string, which is a JSON string too. A byte that is not ASCII becomes DEL:
 * one byte that is as unprintable, so that a replay doubts it likewise.
 */
static void print_string(struct text *text, const char *string)
{
    put(text, "\"", 1);
    for (; *string != '\0'; string++) {
        unsigned char c = (unsigned char)*string;

        if (c == '"' || c == '\\')
            print(text, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            print(text, "\\u%04x", c < 0x20 ? c : 0x7f);
        else
            print(text, "%c", c);
    }
    put(text, "\"", 1);
}

static void print_text(struct text *text, const char *key, const char *value)
{
    if (value[0] == '\0')
        return;
    print(text, "%s: ", key);
    print_string(text, value);
}

static void print_fact(struct text *text, const struct fact *fact)
{
    print(text, "    - {index: %d", (int)fact->index);
    if (fact->parent >= 0)
        print(text, ", parent: %d", (int)fact->parent);
    if (fact->name[0] != '\0')
        print_text(text, ", name", fact->name);
    if (fact->sm != 0)
        print(text, ", sm: %d", (int)fact->sm);
    print_text(text, ", uuid", fact->uuid);
    print_text(text, ", address", fact->address);
    if (fact->vendor != 0 || fact->device != 0)
        print(text, ", id: \"%04x:%04x\"", (unsigned)fact->vendor, (unsigned)fact->device);
    if (fact->subsystem != 0)
        print(text, ", subsystem: \"%04x:%04x\"", (unsigned)fact->subsystem >> 16,
              (unsigned)fact->subsystem & 0xffff);
    if (fact->memory != 0)
        print(text, ", memory: %llu", (unsigned long long)fact->memory);
    if (fact->mig_mode)
        print(text, ", mig: true");
    if (fact->gpu_instance >= 0)
        print(text, ", gpu_instance: %d", (int)fact->gpu_instance);
    if (fact->compute_instance >= 0)
        print(text, ", compute_instance: %d", (int)fact->compute_instance);
    print(text, "}\n");
}

static void print_list(struct text *text, nvfp4_source source, const struct fact_list *list)
{
    if (list->status == NVFP4_NOT_ASKED)
        return;
    print(text, "%s:\n  status: %s\n", nvfp4_source_name(source),
          nvfp4_status_name((nvfp4_status)list->status));
    if (list->message[0] != '\0') {
        print_text(text, "  message", list->message);
        print(text, "\n");
    }
    if (list->driver_version[0] != '\0') {
        print_text(text, "  driver", list->driver_version);
        print(text, "\n");
    }
    if (list->cuda_version != 0)
        print(text, "  cuda_version: %d\n", (int)list->cuda_version);
    if (list->status != NVFP4_OK)
        return; /* what it said before it failed is none of its answer */
    if (list->count > 0)
        print(text, "  devices:\n");
    for (size_t i = 0; i < list->count; i++)
        print_fact(text, &list->facts[i]);
}

static void print_variable(struct text *text, const char *name, int is_set, const char *value)
{
    print(text, "  %s: ", name);
    if (is_set)
        print_string(text, value);
    else
        print(text, "null");
    print(text, "\n");
}

size_t nvfp4_machine_print(const nvfp4_machine *machine, char *buffer, size_t capacity)
{
    struct text text = { buffer, capacity, 0 };

    print(&text, "machine: 1\nenvironment:\n");
    print_variable(&text, "CUDA_VISIBLE_DEVICES", machine->has_visible, machine->visible);
    print_variable(&text, "CUDA_DEVICE_ORDER", machine->has_order, machine->order);
    for (int i = NVFP4_SOURCE_NVML; i < NVFP4_SOURCE_COUNT; i++)
        print_list(&text, (nvfp4_source)i, &machine->lists[i]);
    if (capacity > 0)
        buffer[text.length < capacity ? text.length : capacity - 1] = '\0';
    return text.length;
}
