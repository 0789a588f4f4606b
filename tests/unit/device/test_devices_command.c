/* SPDX-License-Identifier: Apache-2.0 */
/* nvfp4-select devices, as it is built: the table, the JSON, the exit code and what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../cli/tool.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define MACHINE(name) "--machine", NVFP4_MACHINES "/" name ".yaml"

struct row {
    const char *what;
    const char *args[8];
    int exit_code;
    const char *out; /* all of it */
    const char *err; /* all of it, or how it begins when it ends in "..." */
};

static const struct row rows[] = {
    { "two kinds of GPU",
      { "devices", MACHINE("rtx-5090-3090-ti"), NULL },
      0,
      "2 devices visible; from nvml, driver 575.64.03, CUDA 12.9\n"
      "\n"
      "CUDA  NVML  GPU                         SM   MEMORY    PCI               UUID\n"
      "0     1     NVIDIA GeForce RTX 5090     120  31.8 GiB  00000000:21:00.0  "
      "GPU-c5165083-befc-92b4-1c6c-93d615f2b023\n"
      "1     0     NVIDIA GeForce RTX 3090 Ti  86   24.0 GiB  00000000:01:00.0  "
      "GPU-49889457-958e-7044-f293-0b88b767c507\n",
      "" },
    { "an order that nobody knows",
      { "devices", MACHINE("rtx-5090-3090-ti-no-cuda"), NULL },
      0,
      "2 devices visible; from nvml, driver 575.64.03, CUDA 12.9\n"
      "\n"
      "CUDA  NVML  GPU                         SM   MEMORY    PCI               UUID\n"
      "0?    0     NVIDIA GeForce RTX 3090 Ti  86   24.0 GiB  00000000:01:00.0  "
      "GPU-49889457-958e-7044-f293-0b88b767c507\n"
      "1?    1     NVIDIA GeForce RTX 5090     120  31.8 GiB  00000000:21:00.0  "
      "GPU-c5165083-befc-92b4-1c6c-93d615f2b023\n",
      "nvfp4-select: CUDA may number these GPUs otherwise: only its driver knows, and did not say\n" },
    { "a name that misleads",
      { "devices", MACHINE("vgpu-wrong-name"), NULL },
      0,
      "1 device visible; from nvml, driver 550.163.01, CUDA 12.4\n"
      "\n"
      "CUDA  NVML  GPU                                       SM  MEMORY   PCI               UUID\n"
      "0     0     NVIDIA GeForce RTX 3050 (on NVIDIA L40S)  89  8.0 GiB  00000000:02:00.0  "
      "GPU-51043c69-f110-c9fa-0556-135df51e393e\n",
      "" },
    { "all hidden",
      { "devices", MACHINE("h200-hidden"), NULL },
      3,
      "0 devices visible, 2 hidden; from nvml, driver 580.159.04, CUDA 13.0\n"
      "\n"
      "CUDA    NVML  GPU          SM  MEMORY     PCI               UUID\n"
      "hidden  0     NVIDIA H200  90  140.4 GiB  00000000:1b:00.0  "
      "GPU-72daae3a-e207-7139-49bd-63f401bf6fa9\n"
      "hidden  1     NVIDIA H200  90  140.4 GiB  00000000:43:00.0  "
      "GPU-8a1ea7ef-6ff0-76d6-4d07-e83bde6c368f\n",
      "nvfp4-select: an engine started here would get no device (CUDA_VISIBLE_DEVICES: set but empty: "
      "no device is visible)\n" },
    { "no driver, an SM from the device tree",
      { "devices", MACHINE("jetson-orin-bare"), NULL },
      0,
      "1 device visible; from tree\n"
      "\n"
      "CUDA  NVML  GPU   SM   MEMORY  PCI  UUID\n"
      "0     -     Orin  87?  -       -    -\n",
      "" },
    { "nothing", { "devices", MACHINE("no-gpu"), NULL }, 3, "", "nvfp4-select: no NVIDIA driver, ..." },
    { "no permission",
      { "devices", MACHINE("no-permission"), NULL },
      3,
      "",
      "nvfp4-select: this user may not use the NVIDIA driver; a container must be given its devices "
      "(nvmlInit: no permission (NVML error 4))\n" },
    { "a broken driver, asked on its own",
      { "devices", MACHINE("driver-mismatch"), "--source", "nvml", NULL },
      3,
      "",
      "nvfp4-select: the NVIDIA driver does not work; after an update it may need a reboot (nvmlInit: "
      "driver and library are of different versions (NVML error 18))\n" },
    { "JSON",
      { "devices", MACHINE("gh200"), "--format", "json", NULL },
      0,
      "{\"status\":\"ok\",\"source\":\"nvml\",\"driver\":\"560.35.05\",\"cuda\":\"12.6\","
      "\"visible\":1,\"hidden\":0,\"visibility\":\"not set: every device is visible\","
      "\"order_uncertain\":false,\"message\":null,\"sources\":{\"nvml\":\"ok\",\"cuda\":null,"
      "\"pci\":null,\"tree\":null},\"devices\":[{\"cuda\":0,\"nvml\":0,\"visible\":true,"
      "\"vendor\":\"nvidia\",\"sm\":90,\"arch\":null,\"name\":\"NVIDIA GH200 480GB\","
      "\"board\":\"NVIDIA GH200 480GB\",\"uuid\":\"GPU-b85f7fa4-2673-9439-2a81-3b14c037e11c\","
      "\"pci\":\"00000009:01:00.0\",\"pci_id\":\"10de:2342\",\"pci_subsystem\":\"10de:16eb\","
      "\"memory_bytes\":102625181696,\"mig\":null,\"driver\":\"560.35.05\","
      "\"cuda_version\":\"12.6\",\"source\":\"nvml\",\"confidence\":\"high\",\"doubts\":[]}],"
      "\"warnings\":[]}\n",
      "" },
    { "JSON of nothing",
      { "devices", MACHINE("no-gpu"), "--source", "pci", "--format=json", NULL },
      3,
      "{\"status\":\"no_device\",\"source\":\"auto\",\"driver\":null,\"cuda\":null,\"visible\":0,"
      "\"hidden\":0,\"visibility\":\"cannot be told from this source\",\"order_uncertain\":false,"
      "\"message\":\"the PCI bus shows no GPU\",\"sources\":{\"nvml\":null,\"cuda\":null,"
      "\"pci\":\"no_device\",\"tree\":null},\"devices\":[],\"warnings\":[]}\n",
      "nvfp4-select: an engine started here would get no device (the PCI bus shows no GPU)\n" },
    { "an unknown source",
      { "devices", "--source", "nvmll", NULL },
      2,
      "",
      "nvfp4-select: --source nvmll: expected one of auto, nvml, cuda, pci, tree\n" },
    { "a dump of one source",
      { "devices", "--dump", MACHINE("gh200"), "--source", "pci", NULL },
      2,
      "",
      "nvfp4-select: devices: --dump records every source as a machine file; --source does not go with "
      "it\n" },
    { "a dump as JSON",
      { "devices", "--format", "json", "--dump", NULL },
      2,
      "",
      "nvfp4-select: devices: --dump records every source as a machine file; --format does not go with "
      "it\n" },
    { "a word", { "devices", "all", NULL }, 2, "", "nvfp4-select: devices: 'all' ..." },
    { "a file that is no machine", { "devices", "--machine", NVFP4_MACHINES "/gh200.txt", NULL }, 2, "",
      "nvfp4-select: " NVFP4_MACHINES "/gh200.txt..." },
};

static void check_text(const char *have, const char *want)
{
    size_t length = strlen(want);

    if (length > 3 && strcmp(want + length - 3, "...") == 0)
        assert_memory_equal(have, want, length - 3);
    else
        assert_string_equal(have, want);
}

static void answers(void **state)
{
    const struct row *row = *state;
    struct run run;

    run_tool(&run, row->args, NULL, NULL, 0);
    check_text(run.out, row->out);
    check_text(run.err, row->err);
    assert_int_equal(run.exit_code, row->exit_code);
    free_run(&run);
}

/* A dump of a recorded machine is a machine file that dumps to the same. */
static void dumps(void **state)
{
    static const char *const args[] = { "devices", MACHINE("mig-h100"), "--dump", NULL };
    static const char *const again[] = { "devices", "--machine", NVFP4_SCRATCH, "--dump", NULL };
    struct run first;
    struct run second;
    FILE *file;

    (void)state;
    run_tool(&first, args, NULL, NULL, 0);
    assert_int_equal(first.exit_code, 0);
    file = fopen(NVFP4_SCRATCH, "wb");
    assert_non_null(file);
    fwrite(first.out, 1, first.out_length, file);
    fclose(file);
    run_tool(&second, again, NULL, NULL, 0);
    assert_int_equal(second.exit_code, 0);
    assert_string_equal(first.out, second.out);
    free_run(&first);
    free_run(&second);
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows) + 1];
    size_t count = 0;

    for (; count < COUNT(rows); count++)
        tests[count] = (struct CMUnitTest){ rows[count].what, answers, NULL, NULL,
                                            (void *)(uintptr_t)&rows[count] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(dumps);
    return _cmocka_run_group_tests("devices command", tests, count, NULL, NULL);
}
