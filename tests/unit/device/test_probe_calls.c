/* SPDX-License-Identifier: Apache-2.0 */
/* How the probe behaves towards its caller and towards the libraries it loads. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>

#include <nvfp4moe/device.h>

#define FAKE(name) NVFP4_FAKES "/" name ".so"

static nvfp4_probe_options options_for(const char *nvml, const char *cuda)
{
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;

    options.nvml_library = nvml;
    options.cuda_library = cuda;
    options.root = "/nonexistent";
    return options;
}

static void refuses_bad_arguments(void **state)
{
    nvfp4_probe_options options = options_for(FAKE("nvml_two"), FAKE("cuda_two"));
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    nvfp4_device device;
    size_t count = 77;

    (void)state;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_probe_devices(&options, NULL, 1, &count, NULL), NVFP4_EINVAL);
    options.source = NVFP4_SOURCE_COUNT;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, NULL), NVFP4_EINVAL);
    options.source = -1;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, NULL), NVFP4_EINVAL);
    options.source = NVFP4_SOURCE_AUTO;
    options.struct_size = 16;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, NULL), NVFP4_EABI);
    options.struct_size = sizeof options;
    report.struct_size = 8;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, &report), NVFP4_EABI);
    assert_int_equal(count, 77);
    assert_int_equal(nvfp4_machine_record(&options, NULL), NVFP4_EINVAL);
    nvfp4_machine_destroy(NULL);
    nvfp4_probe_environment(NULL);
}

/* The count is the full one, and nothing is written behind the caller's room. */
static void counts_beyond_capacity(void **state)
{
    nvfp4_probe_options options = options_for(FAKE("nvml_two"), FAKE("cuda_two"));
    nvfp4_device devices[2];
    size_t count = 0;

    (void)state;
    memset(devices, 0x5a, sizeof devices);
    assert_int_equal(nvfp4_probe_devices(&options, devices, 1, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 2);
    assert_int_equal(devices[0].key.sm, 90);
    assert_int_equal(devices[1].key.sm, 0x5a5a5a5a);
    assert_int_equal(nvfp4_probe_devices(&options, NULL, 0, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 2);
}

static void leaves_outputs_on_failure(void **state)
{
    nvfp4_probe_options options = options_for(FAKE("nvml_fails"), FAKE("cuda_hidden"));
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    nvfp4_device device;
    nvfp4_device before;
    size_t count = 77;

    (void)state;
    memset(&device, 0x5a, sizeof device);
    before = device;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, &report), NVFP4_EDRIVER);
    assert_int_equal(count, 77);
    assert_memory_equal(&device, &before, sizeof device);
    assert_int_equal(report.outcomes[NVFP4_SOURCE_NVML], NVFP4_EDRIVER);
    assert_int_equal(report.outcomes[NVFP4_SOURCE_CUDA], NVFP4_ENODEVICE);
    assert_int_equal(report.struct_size, sizeof report);
}

/* Hidden devices are not listed unless asked for; all hidden is "no device". */
static void lists_hidden_on_request(void **state)
{
    nvfp4_probe_options options = options_for(FAKE("nvml_two"), FAKE("cuda_two"));
    nvfp4_device devices[2];
    size_t count = 77;

    (void)state;
    options.visible_devices = "1";
    assert_int_equal(nvfp4_probe_devices(&options, devices, 2, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(devices[0].nvml_index, 1);
    options.visible_devices = "";
    count = 77;
    assert_int_equal(nvfp4_probe_devices(&options, devices, 2, &count, NULL), NVFP4_ENODEVICE);
    assert_int_equal(count, 77);
    options.flags = NVFP4_PROBE_HIDDEN;
    assert_int_equal(nvfp4_probe_devices(&options, devices, 2, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 2);
    assert_int_equal(devices[0].visible, 0);
}

static void reads_environment_only_on_request(void **state)
{
    nvfp4_probe_options options = options_for(FAKE("nvml_two"), FAKE("cuda_two"));
    nvfp4_device devices[2];
    size_t count = 0;

    (void)state;
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    assert_int_equal(nvfp4_probe_devices(&options, devices, 2, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 2);
    nvfp4_probe_environment(&options);
    assert_string_equal(options.visible_devices, "1");
    assert_string_equal(options.device_order, "PCI_BUS_ID");
    assert_int_equal(nvfp4_probe_devices(&options, devices, 2, &count, NULL), NVFP4_OK);
    assert_int_equal(count, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
    nvfp4_probe_environment(&options);
    assert_null(options.visible_devices);
}

/* Every init is paired with a shutdown, on every way out. */
static void pairs_init_and_shutdown(void **state)
{
    static const char *const fakes[] = { FAKE("nvml_two"), FAKE("nvml_old"), FAKE("nvml_mig"),
                                         FAKE("nvml_none"), FAKE("nvml_lost"), FAKE("nvml_fails"),
                                         FAKE("nvml_incomplete") };

    (void)state;
    for (size_t i = 0; i < sizeof fakes / sizeof fakes[0]; i++) {
        nvfp4_probe_options options = options_for(fakes[i], FAKE("cuda_none"));
        void *held = dlopen(fakes[i], RTLD_NOW | RTLD_LOCAL);
        int *balance;
        size_t count = 0;

        assert_non_null(held);
        balance = dlsym(held, "fake_balance");
        assert_non_null(balance);
        nvfp4_probe_devices(&options, NULL, 0, &count, NULL);
        assert_int_equal(*balance, 0);
        dlclose(held);
    }
}

/* ---- threads ---- */

struct job {
    const char *nvml;
    const char *cuda;
    int32_t sm;
    size_t count;
    int bad;
};

static void *probe_often(void *data)
{
    struct job *job = data;

    for (int i = 0; i < 50; i++) {
        nvfp4_probe_options options = options_for(job->nvml, job->cuda);
        nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
        nvfp4_device devices[4];
        size_t count = 0;

        if (nvfp4_probe_devices(&options, devices, 4, &count, &report) != NVFP4_OK
            || count != job->count || devices[0].key.sm != job->sm)
            job->bad++;
    }
    return NULL;
}

static void threads_wait_for_each_other(void **state)
{
    struct job jobs[] = {
        { FAKE("nvml_two"), FAKE("cuda_two"), 90, 2, 0 },
        { FAKE("nvml_mixed"), FAKE("cuda_mixed"), 120, 2, 0 },
        { FAKE("nvml_mig"), FAKE("cuda_mig"), 90, 1, 0 },
        { FAKE("nvml_fails"), FAKE("cuda_two"), 90, 2, 0 },
    };
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, probe_often, &jobs[i]), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].bad, 0);
    }
}

/* A part of the variable would be another list of devices. */
static void records_the_environment_whole(void **state)
{
    static char longest[4097];
    nvfp4_probe_options options = options_for(FAKE("nvml_two"), "no-such-library.so");
    nvfp4_machine *machine = NULL;

    (void)state;
    memset(longest, '0', sizeof longest - 1);
    options.visible_devices = longest;
    assert_int_equal(nvfp4_machine_record(&options, &machine), NVFP4_ELIMIT);
    assert_null(machine);
    longest[4095] = '\0';
    assert_int_equal(nvfp4_machine_record(&options, &machine), NVFP4_OK);
    assert_true(nvfp4_machine_print(machine, NULL, 0) > 4095);
    nvfp4_machine_destroy(machine);
    machine = NULL;
    options.device_order = longest;
    assert_int_equal(nvfp4_machine_record(&options, &machine), NVFP4_ELIMIT);
    assert_null(machine);
}

static void names_are_total(void **state)
{
    (void)state;
    for (int i = -1; i <= 10; i++) {
        assert_non_null(nvfp4_source_name((nvfp4_source)i));
        assert_non_null(nvfp4_visibility_text((nvfp4_visibility)i));
    }
    assert_string_equal(nvfp4_source_name(NVFP4_SOURCE_NVML), "nvml");
    assert_string_equal(nvfp4_source_name((nvfp4_source)99), "unknown");
    assert_string_equal(nvfp4_visibility_text((nvfp4_visibility)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_arguments),
        cmocka_unit_test(counts_beyond_capacity),
        cmocka_unit_test(leaves_outputs_on_failure),
        cmocka_unit_test(lists_hidden_on_request),
        cmocka_unit_test(reads_environment_only_on_request),
        cmocka_unit_test(pairs_init_and_shutdown),
        cmocka_unit_test(threads_wait_for_each_other),
        cmocka_unit_test(records_the_environment_whole),
        cmocka_unit_test(names_are_total),
    };

    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_DEVICE_ORDER");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
