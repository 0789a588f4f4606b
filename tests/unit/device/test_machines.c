/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fleet: tests/machines/NAME.yaml is a machine, tests/machines/NAME.txt all it answers. A
 * further machine is two files and a line here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answer.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const fleet[] = {
    "dgx-h200",
    "dgx-h200-two-visible",
    "dgx-spark",
    "driver-mismatch",
    "driver-repeats",
    "gb300-rtx-pro-4000",
    "gb300-rtx-pro-4000-pci-order",
    "gh200",
    "h200-hidden",
    "hgx-b200",
    "jetson-orin",
    "jetson-orin-bare",
    "jetson-thor",
    "jetson-thor-cuda-12",
    "mi300x",
    "mig-empty",
    "mig-h100",
    "mig-h100-slice",
    "no-gpu",
    "no-permission",
    "rtx-5090-3090-ti",
    "rtx-5090-3090-ti-no-cuda",
    "rtx-5090-two-makers",
    "rtx-pro-6000-pair",
    "unlisted-id",
    "vgpu-a100-mig-backed",
    "vgpu-wrong-name",
    "vgpu-wrong-name-no-capability",
};

/* The same machine in another environment, through every source that reads it. */
static const struct setting {
    const char *machine;
    const char *visible;
    const char *order;
} settings[] = {
    { "dgx-h200", "1", NULL },
    { "dgx-h200", "7,0,3", NULL },
    { "dgx-h200", "8,0", NULL },
    { "dgx-h200", "0,junk,1", NULL },
    { "dgx-h200", "0,0", NULL },
    { "rtx-5090-3090-ti", "0", NULL },
    { "rtx-5090-3090-ti", "1", NULL },
    { "rtx-5090-3090-ti", "1", "PCI_BUS_ID" },
    { "rtx-5090-3090-ti-no-cuda", "0", "PCI_BUS_ID" },
    { "gb300-rtx-pro-4000", "1", NULL },
    { "gb300-rtx-pro-4000-pci-order", "0", NULL },
    { "mig-h100", "MIG-438d16fc", NULL },
    { "mig-h100", "GPU-780e23c7-61c0-ef78-da1a-e358d656d78a", NULL },
    { "mig-h100", "1", NULL },
    { "jetson-orin-bare", "1", NULL },
    { "mi300x", "", NULL },
};

static void read_file(const char *name, const char *suffix, char *text, size_t capacity)
{
    char path[512];
    FILE *file;
    size_t length = 0;

    snprintf(path, sizeof path, NVFP4_MACHINES "/%s.%s", name, suffix);
    file = fopen(path, "rb");
    if (file != NULL) {
        length = fread(text, 1, capacity - 1, file);
        fclose(file);
    }
    text[length] = '\0';
}

static nvfp4_machine *load(const char *name)
{
    char path[512];
    nvfp4_machine *machine = NULL;
    nvfp4_error error;

    snprintf(path, sizeof path, NVFP4_MACHINES "/%s.yaml", name);
    if (nvfp4_machine_load(path, &machine, &error) != NVFP4_OK)
        fail_msg("%s:%d:%d: %s", error.file, (int)error.line, (int)error.column, error.message);
    return machine;
}

static void add_answer(char *text, size_t capacity, const char *head,
                       const nvfp4_probe_options *options)
{
    static char answer[ANSWER_BYTES];
    size_t length = strlen(text);

    answer_probe(options, answer);
    snprintf(text + length, capacity - length, "== %s\n%s", head, answer);
}

/* All that a machine answers: each source, then the settings that belong to it. */
static void answer_all(const char *name, const nvfp4_machine *machine, char *text, size_t capacity)
{
    text[0] = '\0';
    for (int source = NVFP4_SOURCE_AUTO; source < NVFP4_SOURCE_COUNT; source++) {
        nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;

        options.machine = machine;
        options.source = source;
        add_answer(text, capacity, nvfp4_source_name((nvfp4_source)source), &options);
    }
    for (size_t i = 0; i < COUNT(settings); i++) {
        nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
        char head[160];

        if (strcmp(settings[i].machine, name) != 0)
            continue;
        options.machine = machine;
        options.visible_devices = settings[i].visible;
        options.device_order = settings[i].order;
        snprintf(head, sizeof head, "auto, CUDA_VISIBLE_DEVICES=\"%s\"%s%s", settings[i].visible,
                 settings[i].order != NULL ? ", CUDA_DEVICE_ORDER=" : "",
                 settings[i].order != NULL ? settings[i].order : "");
        add_answer(text, capacity, head, &options);
    }
}

static void answers_as_recorded(void **state)
{
    const char *name = *state;
    static char have[1 << 17];
    static char want[1 << 17];
    nvfp4_machine *machine = load(name);

    answer_all(name, machine, have, sizeof have);
    nvfp4_machine_destroy(machine);
    read_file(name, "txt", want, sizeof want);
    if (strcmp(have, want) != 0) {
        printf("%s.txt does not hold:\n%s\n", name, have);
        fail();
    }
}

/* What is written is what was read. */
static void survives_writing(void **state)
{
    const char *name = *state;
    static char first[1 << 16];
    static char second[1 << 16];
    nvfp4_machine *machine = load(name);
    nvfp4_machine *again = NULL;
    nvfp4_error error;
    size_t length = nvfp4_machine_print(machine, first, sizeof first);

    assert_true(length > 0 && length < sizeof first);
    assert_int_equal(nvfp4_machine_print(machine, NULL, 0), length);
    nvfp4_machine_destroy(machine);
    assert_int_equal(nvfp4_machine_parse(first, length, NULL, &again, &error), NVFP4_OK);
    assert_int_equal(nvfp4_machine_print(again, second, sizeof second), length);
    nvfp4_machine_destroy(again);
    assert_string_equal(first, second);
}

int main(void)
{
    static struct CMUnitTest tests[2 * COUNT(fleet)];

    for (size_t i = 0; i < COUNT(fleet); i++) {
        tests[2 * i] = (struct CMUnitTest){ fleet[i], answers_as_recorded, NULL, NULL,
                                            (void *)(uintptr_t)fleet[i] };
        tests[2 * i + 1] = (struct CMUnitTest){ "written and read again", survives_writing, NULL,
                                                NULL, (void *)(uintptr_t)fleet[i] };
    }
    return _cmocka_run_group_tests("machines", tests, 2 * COUNT(fleet), NULL, NULL);
}
