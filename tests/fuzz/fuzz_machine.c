/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine files: a file that is read can be written and read again to the same, and every source of
 * it answers with sound devices or a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/device.h>

#define REQUIRE(claim)                                                                             \
    do {                                                                                           \
        if (!(claim))                                                                              \
            abort();                                                                               \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const nvfp4_machine *machine, size_t *length)
{
    char *text;

    *length = nvfp4_machine_print(machine, NULL, 0);
    text = malloc(*length + 1);
    REQUIRE(text != NULL);
    REQUIRE(nvfp4_machine_print(machine, text, *length + 1) == *length);
    REQUIRE(strlen(text) == *length);
    return text;
}

static void write_and_read(const nvfp4_machine *machine)
{
    nvfp4_machine *again = NULL;
    nvfp4_error error;
    size_t length;
    size_t second_length;
    char *text = print(machine, &length);
    char *second;

    REQUIRE(nvfp4_machine_parse(text, length, NULL, &again, &error) == NVFP4_OK);
    second = print(again, &second_length);
    REQUIRE(length == second_length && memcmp(text, second, length) == 0);
    nvfp4_machine_destroy(again);
    free(second);
    free(text);
}

static int is_printable(const char *text, size_t capacity)
{
    size_t length = 0;

    while (length < capacity && text[length] >= 0x20 && text[length] < 0x7f)
        length++;
    return length < capacity && text[length] == '\0';
}

static void check_device(const nvfp4_device *d)
{
    REQUIRE(d->key.sm >= 0 && d->key.sm <= 999 && d->key.sm != 101);
    REQUIRE(d->confidence >= 0 && d->confidence < NVFP4_CONFIDENCE_COUNT);
    REQUIRE(d->source > NVFP4_SOURCE_AUTO && d->source < NVFP4_SOURCE_COUNT);
    REQUIRE(is_printable(d->name, sizeof d->name) && is_printable(d->uuid, sizeof d->uuid));
    REQUIRE(is_printable(d->pci_address, sizeof d->pci_address));
    REQUIRE(is_printable(d->driver_version, sizeof d->driver_version));
}

static void ask_all(const nvfp4_machine *machine)
{
    static nvfp4_device devices[1024];

    for (int source = NVFP4_SOURCE_AUTO; source < NVFP4_SOURCE_COUNT; source++) {
        nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
        nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
        size_t count = 0;
        nvfp4_status status;

        options.machine = machine;
        options.source = source;
        options.flags = NVFP4_PROBE_HIDDEN;
        status = nvfp4_probe_devices(&options, devices, 1024, &count, &report);
        REQUIRE(memchr(report.message, '\0', sizeof report.message) != NULL);
        REQUIRE(status == NVFP4_OK ? count > 0 && count <= 1024 : count == 0);
        for (size_t i = 0; i < count; i++)
            check_device(&devices[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nvfp4_machine *machine = NULL;
    nvfp4_error error;
    nvfp4_status status =
        nvfp4_machine_parse((const char *)data, size, "fuzz.yaml", &machine, &error);

    if (status != NVFP4_OK) {
        REQUIRE(error.status == status && error.message[0] != '\0' && machine == NULL);
        return 0;
    }
    write_and_read(machine);
    ask_all(machine);
    nvfp4_machine_destroy(machine);
    return 0;
}
