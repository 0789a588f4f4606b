/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of a probe fails once: the answer is then "out of memory", nothing is lost and the
 * outputs are as they were. The linker puts these functions in the place of the real ones
 * (--wrap), for the library's own calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/device.h>

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static int left = -1; /* allocations until one fails; -1: none does */

static int fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

#define FAKE(name) NVFP4_FAKES "/" name ".so"

struct row {
    const char *nvml;
    const char *cuda;
    int least; /* allocations that there are at least */
};

static const struct row rows[] = {
    { FAKE("nvml_two"), FAKE("cuda_two"), 6 },
    { FAKE("nvml_mixed"), FAKE("cuda_mixed"), 11 },
    { FAKE("nvml_mig"), FAKE("cuda_mig"), 11 },
    { FAKE("nvml_fails"), FAKE("cuda_two"), 6 },
};

static void probe_survives(void **state)
{
    const struct row *row = *state;
    nvfp4_status status = NVFP4_ENOMEM;
    int allocation = 0;

    for (; status == NVFP4_ENOMEM; allocation++) {
        nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
        nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
        nvfp4_device device;
        nvfp4_device before;
        size_t count = 77;

        memset(&device, 0x5a, sizeof device);
        before = device;
        options.nvml_library = row->nvml;
        options.cuda_library = row->cuda;
        options.root = "/nonexistent";
        left = allocation;
        status = nvfp4_probe_devices(&options, &device, 1, &count, &report);
        if (left < 0 && status == NVFP4_OK)
            status = NVFP4_ENOMEM; /* did without: the CUDA driver was not needed after all */
        else if (status == NVFP4_ENOMEM)
            assert_memory_equal(&device, &before, sizeof device);
        if (status == NVFP4_ENOMEM && count != 77)
            assert_int_equal(device.source, NVFP4_SOURCE_NVML);
        left = -1;
        assert_true(allocation < 100);
    }
    assert_int_equal(status, NVFP4_OK);
    assert_true(allocation > row->least);
}

static void record_survives(void **state)
{
    nvfp4_status status = NVFP4_ENOMEM;

    (void)state;
    for (int allocation = 0; status == NVFP4_ENOMEM; allocation++) {
        nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
        nvfp4_machine *machine = NULL;

        options.nvml_library = FAKE("nvml_mig");
        options.cuda_library = FAKE("cuda_mig");
        options.root = "/nonexistent";
        left = allocation;
        status = nvfp4_machine_record(&options, &machine);
        left = -1;
        assert_int_equal(machine == NULL, status == NVFP4_ENOMEM);
        nvfp4_machine_destroy(machine);
        assert_true(allocation < 100);
    }
    assert_int_equal(status, NVFP4_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "NVML", probe_survives, NULL, NULL, (void *)(uintptr_t)&rows[0] },
        { "NVML, then the driver", probe_survives, NULL, NULL, (void *)(uintptr_t)&rows[1] },
        { "slices", probe_survives, NULL, NULL, (void *)(uintptr_t)&rows[2] },
        { "the driver alone", probe_survives, NULL, NULL, (void *)(uintptr_t)&rows[3] },
        cmocka_unit_test(record_survives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
