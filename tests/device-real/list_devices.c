/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a source says here, for compare.py: a line for each device, fields parted by tabs. With
 * --dump the machine file of this host.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/device.h>

static int dump(void)
{
    nvfp4_machine *machine;
    size_t length;
    char *text;

    if (nvfp4_machine_record(NULL, &machine) != NVFP4_OK)
        return 3;
    length = nvfp4_machine_print(machine, NULL, 0);
    text = malloc(length + 1);
    if (text != NULL) {
        nvfp4_machine_print(machine, text, length + 1);
        fputs(text, stdout);
    }
    free(text);
    nvfp4_machine_destroy(machine);
    return 0;
}

int main(int argc, char **argv)
{
    static nvfp4_device devices[64];
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    size_t count = 0;
    nvfp4_status status;

    if (argc > 1 && strcmp(argv[1], "--dump") == 0)
        return dump();
    for (int i = 0; i < NVFP4_SOURCE_COUNT && argc > 1; i++) {
        if (strcmp(argv[1], nvfp4_source_name((nvfp4_source)i)) == 0)
            options.source = i;
    }
    options.flags = NVFP4_PROBE_HIDDEN;
    nvfp4_probe_environment(&options);
    status = nvfp4_probe_devices(&options, devices, 64, &count, &report);
    printf("#\t%s\t%s\t%d\t%s\n", nvfp4_status_name(status),
           nvfp4_source_name((nvfp4_source)report.source), (int)report.visible, report.message);
    for (size_t i = 0; i < count && i < 64; i++)
        printf("%d\t%d\t%d\t%s\t%s\t%s\n", (int)devices[i].cuda_ordinal, (int)devices[i].nvml_index,
               (int)devices[i].key.sm, devices[i].uuid, devices[i].pci_address, devices[i].name);
    return 0;
}
