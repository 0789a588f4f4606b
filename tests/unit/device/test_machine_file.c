/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files that are wrong, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/device.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct row {
    const char *what;
    const char *text;
    nvfp4_status status;
    int32_t line;
    int32_t column;
    const char *message; /* NULL: the document reader's own */
};

#define NVML(device) "machine: 1\nnvml:\n  devices:\n    - {" device "}\n"

static const struct row rows[] = {
    { "least", "machine: 1\n", NVFP4_OK, 0, 0, NULL },
    { "JSON", "{\"machine\":1,\"nvml\":{\"devices\":[{\"sm\":90}]}}", NVFP4_OK, 0, 0, NULL },
    { "a device without facts", NVML(""), NVFP4_OK, 0, 0, NULL },
    { "not well-formed", "machine: [1\n", NVFP4_ESYNTAX, 0, 0, NULL },
    { "empty", "", NVFP4_ESYNTAX, 0, 0, NULL },
    { "no mapping", "- 1\n", NVFP4_ESCHEMA, 1, 1, "a machine file begins with \"machine: 1\"" },
    { "no version", "nvml: {status: ENODRIVER}\n", NVFP4_ESCHEMA, 1, 1,
      "a machine file begins with \"machine: 1\"" },
    { "another version", "machine: 2\n", NVFP4_ESCHEMA, 1, 10,
      "machine files of version 1 are read here, no others" },
    { "unknown key", "machine: 1\nnvmll: {}\n", NVFP4_ESCHEMA, 2, 1,
      "unknown key \"nvmll\", did you mean \"nvml\"?" },
    { "unknown key, nothing near", "machine: 1\nweather: {}\n", NVFP4_ESCHEMA, 2, 1,
      "unknown key \"weather\"" },
    { "unknown variable", "machine: 1\nenvironment: {CUDA_VISIBLE: 1}\n", NVFP4_ESCHEMA, 2, 15,
      "unknown key \"CUDA_VISIBLE\"" },
    { "environment is a list", "machine: 1\nenvironment: []\n", NVFP4_ESCHEMA, 2, 14,
      "expected a mapping of environment variables, found a list" },
    { "variable is a list", "machine: 1\nenvironment: {CUDA_DEVICE_ORDER: []}\n", NVFP4_ESCHEMA, 2,
      34, "expected a text, found a list" },
    { "source is a text", "machine: 1\nnvml: none\n", NVFP4_ESCHEMA, 2, 7,
      "expected a mapping that tells what a source says, found a text" },
    { "unknown status", "machine: 1\nnvml: {status: ENODRIVR}\n", NVFP4_ESCHEMA, 2, 16,
      "unknown status \"ENODRIVR\", did you mean ENODRIVER" },
    { "status is a number", "machine: 1\nnvml: {status: 1}\n", NVFP4_ESCHEMA, 2, 16,
      "expected a status such as OK or ENODRIVER, found a whole number" },
    { "no devices", "machine: 1\nnvml: {status: OK}\n", NVFP4_ESCHEMA, 2, 7,
      "a source without devices needs a status that is not OK" },
    { "key of a source", "machine: 1\nnvml: {device: []}\n", NVFP4_ESCHEMA, 2, 8,
      "unknown key \"device\", did you mean \"devices\"?" },
    { "devices is a mapping", "machine: 1\nnvml: {devices: {}}\n", NVFP4_ESCHEMA, 2, 17,
      "expected a list of devices, found a mapping" },
    { "device is a number", "machine: 1\nnvml: {devices: [1]}\n", NVFP4_ESCHEMA, 2, 18,
      "expected a mapping that describes a device, found a whole number" },
    { "key of a device", NVML("ssm: 90"), NVFP4_ESCHEMA, 4, 8,
      "unknown key \"ssm\", did you mean \"sm\"?" },
    { "key twice", NVML("sm: 90, sm: 80"), NVFP4_ESCHEMA, 0, 0, NULL },
    { "sm is a text", NVML("sm: ninety"), NVFP4_ESCHEMA, 4, 12,
      "expected a whole number, found a text" },
    { "sm is huge", NVML("sm: 3000000000"), NVFP4_ESCHEMA, 4, 12, "out of range" },
    { "memory is negative", NVML("memory: -1"), NVFP4_ESCHEMA, 4, 16, "out of range" },
    { "all the memory that 64 bits can say", NVML("memory: 18446744073709551615"), NVFP4_OK, 0, 0,
      NULL },
    { "memory beyond 64 bits", NVML("memory: 18446744073709551616"), NVFP4_ESCHEMA, 4, 16,
      "out of range" },
    { "memory far below zero", NVML("memory: -18446744073709551615"), NVFP4_ESCHEMA, 4, 16,
      "out of range" },
    { "memory is a fraction", NVML("memory: 1.5"), NVFP4_ESCHEMA, 4, 16,
      "expected a whole number, found a number with a fraction" },
    { "sm is beyond 64 bits", NVML("sm: 99999999999999999999"), NVFP4_ESCHEMA, 4, 12,
      "out of range" },
    { "any version of CUDA", "machine: 1\nnvml: {status: EDRIVER, cuda_version: -2147483648}\n",
      NVFP4_OK, 0, 0, NULL },
    { "a version of CUDA beyond", "machine: 1\nnvml: {status: EDRIVER, cuda_version: -2147483649}\n",
      NVFP4_ESCHEMA, 2, 39, "out of range" },
    { "failed, with devices", "machine: 1\nnvml: {status: ENODEVICE, devices: [{sm: 90}]}\n",
      NVFP4_ESCHEMA, 2, 7, "a source that failed has no devices" },
    { "mig is a number", NVML("mig: 1"), NVFP4_ESCHEMA, 4, 13,
      "expected true or false, found a whole number" },
    { "id is a number", NVML("id: 8757"), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\", found a whole number" },
    { "id is half", NVML("id: \"10de\""), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\"" },
    { "id is too long", NVML("id: \"10de:23355\""), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\"" },
    { "id with signs", NVML("id: \"+0de:-335\""), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\"" },
    { "id with blanks", NVML("id: \" 10de: 233\""), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\"" },
    { "id with a prefix", NVML("id: \"0x10:0x23\""), NVFP4_ESCHEMA, 4, 12,
      "expected two ids such as \"10de:2335\"" },
    { "id in capitals", NVML("id: \"10DE:2BB1\""), NVFP4_OK, 0, 0, NULL },
    { "parent is itself", NVML("parent: 0"), NVFP4_ESCHEMA, 4, 7,
      "the parent of a slice is a GPU that stands before it" },
    { "parent is a slice",
      "machine: 1\nnvml:\n  devices:\n    - {mig: true}\n    - {parent: 0}\n    - {parent: 1}\n",
      NVFP4_ESCHEMA, 6, 7, "the parent of a slice is a GPU that stands before it" },
    { "a NUL", NVML("name: \"a\\0b\""), NVFP4_ESCHEMA, 4, 14, "a NUL inside a text" },
    { "a long address", NVML("address: 0123456789012345678901234567890123456789"), NVFP4_ELIMIT, 4,
      17, "longer than 31 bytes" },
};

static void says_what_is_wrong(void **state)
{
    const struct row *row = *state;
    nvfp4_machine *machine = NULL;
    nvfp4_error error;
    nvfp4_status status;

    memset(&error, 0, sizeof error);
    status = nvfp4_machine_parse(row->text, strlen(row->text), "box.yaml", &machine, &error);
    if (status != row->status || (row->message != NULL && strcmp(error.message, row->message) != 0)
        || (row->line != 0 && (error.line != row->line || error.column != row->column)))
        fail_msg("%s %d:%d %s", nvfp4_status_name(status), (int)error.line, (int)error.column,
                 error.message);
    if (status == NVFP4_OK) {
        nvfp4_machine_destroy(machine);
        return;
    }
    assert_null(machine);
    assert_int_equal(error.status, status);
    assert_string_equal(error.file, "box.yaml");
    assert_true(error.message[0] != '\0');
    assert_int_equal(nvfp4_machine_parse(row->text, strlen(row->text), NULL, &machine, NULL),
                     status);
}

static void refuses_too_many_devices(void **state)
{
    static char text[1 << 16] = "machine: 1\nnvml:\n  devices:\n";
    nvfp4_machine *machine = NULL;
    nvfp4_error error;

    (void)state;
    for (int i = 0; i < 1025; i++)
        strcat(text, "    - {sm: 90}\n");
    assert_int_equal(nvfp4_machine_parse(text, strlen(text), NULL, &machine, &error), NVFP4_ELIMIT);
    assert_string_equal(error.message, "more than 1024 devices");
}

static void refuses_bad_arguments(void **state)
{
    nvfp4_machine *machine = NULL;
    nvfp4_error error;

    (void)state;
    assert_int_equal(nvfp4_machine_parse(NULL, 0, NULL, &machine, &error), NVFP4_EINVAL);
    assert_int_equal(error.status, NVFP4_EINVAL);
    assert_int_equal(nvfp4_machine_parse("machine: 1", 10, NULL, NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_machine_load(NULL, &machine, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_machine_load("x", NULL, &error), NVFP4_EINVAL);
    assert_int_equal(nvfp4_machine_load("/nonexistent/x.yaml", &machine, &error), NVFP4_EIO);
    assert_null(machine);
}

/* What a machine does not mention it does not have. */
static void answers_for_the_unmentioned(void **state)
{
    static const char text[] = "machine: 1\npci: {devices: [{id: \"10de:2335\"}]}\n";
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    nvfp4_probe_report report = NVFP4_PROBE_REPORT_INIT;
    nvfp4_machine *machine = NULL;
    nvfp4_device device;
    size_t count = 0;

    (void)state;
    assert_int_equal(nvfp4_machine_parse(text, strlen(text), NULL, &machine, NULL), NVFP4_OK);
    options.machine = machine;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, &report), NVFP4_OK);
    assert_int_equal(count, 1);
    assert_int_equal(device.key.sm, 90);
    assert_int_equal(device.source, NVFP4_SOURCE_PCI);
    options.source = NVFP4_SOURCE_NVML;
    assert_int_equal(nvfp4_probe_devices(&options, &device, 1, &count, &report), NVFP4_ENODRIVER);
    assert_string_equal(report.message, "the machine does not have this source");
    nvfp4_machine_destroy(machine);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows) + 3];
    size_t count = 0;

    for (; count < COUNT(rows); count++)
        tests[count] = (struct CMUnitTest){ rows[count].what, says_what_is_wrong, NULL, NULL,
                                            (void *)(uintptr_t)&rows[count] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(refuses_too_many_devices);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(refuses_bad_arguments);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(answers_for_the_unmentioned);
    return _cmocka_run_group_tests("machine files", tests, count, NULL, NULL);
}
