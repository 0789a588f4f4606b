/* SPDX-License-Identifier: Apache-2.0 */
/* One probe in a fresh process: bench_probe auto|nvml|cuda|pci|tree prints its microseconds. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <nvfp4moe/device.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    static nvfp4_device devices[64];
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    size_t count = 0;
    nvfp4_status status;
    double start;

    for (int i = 0; i < NVFP4_SOURCE_COUNT && argc > 1; i++) {
        if (strcmp(argv[1], nvfp4_source_name((nvfp4_source)i)) == 0)
            options.source = i;
    }
    nvfp4_probe_environment(&options);
    start = now();
    status = nvfp4_probe_devices(&options, devices, 64, &count, &report);
    printf("%.0f %zu %s\n", now() - start, count, nvfp4_status_name(status));
    return status == NVFP4_OK ? 0 : 3;
}
