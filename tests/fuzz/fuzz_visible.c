/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA_VISIBLE_DEVICES, on machines of the fleet: whatever it holds, devices are numbered without
 * gaps, none comes twice, none is lost, and what stands behind the end of the list changes nothing.
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

enum { MACHINES = 3, DEVICES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct answer {
    nvfp4_device devices[DEVICES];
    size_t count;
    nvfp4_probe_report report;
};

static void ask(const nvfp4_machine *machine, nvfp4_source source, const char *value,
                struct answer *answer)
{
    const nvfp4_probe_report none = NVFP4_PROBE_REPORT_INIT;
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;

    options.machine = machine;
    options.source = (int32_t)source;
    options.flags = NVFP4_PROBE_HIDDEN;
    options.visible_devices = value;
    answer->report = none;
    answer->count = 0;
    REQUIRE(nvfp4_probe_devices(&options, answer->devices, DEVICES, &answer->count, &answer->report)
            == NVFP4_OK);
    REQUIRE(answer->count <= DEVICES);
}

static void check(const struct answer *a, size_t all)
{
    size_t visible = (size_t)a->report.visible;
    int numbered = a->report.visibility != NVFP4_VISIBILITY_UNKNOWN;

    REQUIRE(a->count == all && visible <= all);
    for (size_t i = 0; i < a->count; i++) {
        REQUIRE(a->devices[i].visible == (i < visible));
        REQUIRE(a->devices[i].cuda_ordinal == (i < visible && numbered ? (int32_t)i : -1));
        for (size_t j = 0; j < i; j++)
            REQUIRE(strcmp(a->devices[i].uuid, a->devices[j].uuid) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[MACHINES] = { NVFP4_MACHINES "/dgx-h200.yaml",
                                                 NVFP4_MACHINES "/rtx-5090-3090-ti.yaml",
                                                 NVFP4_MACHINES "/mig-h100.yaml" };
    static const size_t all[MACHINES] = { 8, 2, 5 };
    static nvfp4_machine *machines[MACHINES];
    static struct answer first;
    static struct answer second;
    char *value = malloc(size + 8);

    REQUIRE(value != NULL);
    memcpy(value, data, size);
    value[size] = '\0';
    for (int i = 0; i < MACHINES; i++) {
        if (machines[i] == NULL)
            REQUIRE(nvfp4_machine_load(paths[i], &machines[i], NULL) == NVFP4_OK);
        ask(machines[i], NVFP4_SOURCE_NVML, value, &first);
        check(&first, all[i]);
        if (first.report.visibility != NVFP4_VISIBILITY_CUT)
            continue;
        strcpy(value + strlen(value), ",0,x");
        ask(machines[i], NVFP4_SOURCE_NVML, value, &second);
        REQUIRE(first.report.visible == second.report.visible);
        for (int32_t k = 0; k < first.report.visible; k++)
            REQUIRE(strcmp(first.devices[k].uuid, second.devices[k].uuid) == 0);
        value[strlen(value) - 4] = '\0';
    }
    free(value);
    return 0;
}
