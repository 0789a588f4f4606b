/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe, through the real loader, on imitations of the driver libraries and on folders that
 * stand for "/". What each one answers stands, whole, under the row's name in
 * tests/fakes/answers.txt.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "answer.h"
#include "roots.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- roots ---- */

#define PCI(address, alias) { "sys/bus/pci/devices/" address "/modalias", alias "\n", 0 }
#define H200_ALIAS   "pci:v000010DEd00002335sv000010DEsd000018BEbc03sc02i00"
#define SWITCH_ALIAS "pci:v000010DEd000022A3sv000010DEsd00001796bc06sc80i00"
#define AUDIO_ALIAS  "pci:v000010DEd000022BAsv00001458sd000040BFbc04sc03i00"
#define NIC_ALIAS    "pci:v000015B3d00001021sv000015B3sd00000040bc02sc07i00"
#define MI300_ALIAS  "pci:v00001002d000074A1sv00001002sd000074A1bc12sc00i00"
#define VEGA_ALIAS   "pci:v00001002d000015E7sv00001462sd00007C37bc03sc00i00"
#define PAGE(address, uuid, minor)                                                                 \
    { "proc/driver/nvidia/gpus/" address "/information",                                           \
      "Model: \t\t NVIDIA H200\nGPU UUID: \t " uuid "\nVideo BIOS: \t 96.00\n"                       \
      "Bus Type: \t PCIe\nDevice Minor: \t " minor "\nGPU Excluded:\t No\n", 0 }
#define UUID_A "GPU-11223344-5566-7788-99aa-bbccddee2000"
#define UUID_B "GPU-11223344-5566-7788-99aa-bbccddee2001"

static const struct root_file bus_two[] = {
    PCI("0000:9d:00.0", H200_ALIAS),   PCI("0000:00:00.0", NIC_ALIAS),
    PCI("0000:1b:00.0", H200_ALIAS),   PCI("0000:05:00.0", SWITCH_ALIAS),
    PCI("0000:1b:00.1", AUDIO_ALIAS),
};

/* Neither as they are made nor the other way round do these stand in the order of their addresses. */
static const struct root_file bus_shuffled[] = {
    PCI("0000:43:00.0", H200_ALIAS), PCI("0000:9d:00.0", H200_ALIAS),
    PCI("0001:05:00.0", H200_ALIAS), PCI("0000:1b:00.0", H200_ALIAS),
    PCI("0000:df:00.0", H200_ALIAS), PCI("0000:52:00.0", H200_ALIAS),
};

static const struct root_file bus_three_files[] = {
    { "sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n", 0 },
    { "sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n", 0 },
    { "sys/bus/pci/devices/0000:01:00.0/device", "0x2b85\n", 0 },
    { "sys/bus/pci/devices/0000:02:00.0/vendor", "0x8086\n", 0 },
};

static const struct root_file bus_container[] = {
    PCI("0000:1b:00.0", H200_ALIAS),
    PCI("0000:43:00.0", H200_ALIAS),
    PCI("0000:9d:00.0", H200_ALIAS),
    PAGE("0000:43:00.0", UUID_A, "1"), PAGE("0000:9d:00.0", UUID_B, "2"),
    { "sys/module/nvidia/version", "580.159.04\n", 0 },
};

static const struct root_file bus_nodes[] = {
    PCI("0000:1b:00.0", H200_ALIAS), PCI("0000:9d:00.0", H200_ALIAS),
    PAGE("0000:1b:00.0", UUID_A, "0"), PAGE("0000:9d:00.0", UUID_B, "1"),
    { "dev/nvidia1", "", 0 },
};

static const struct root_file bus_amd[] = {
    PCI("0000:05:00.0", MI300_ALIAS),
    PCI("0000:26:00.0", MI300_ALIAS),
    PCI("0000:30:00.0", VEGA_ALIAS),
};

static const struct root_file bus_both[] = {
    PCI("0000:05:00.0", MI300_ALIAS), PCI("0000:26:00.0", H200_ALIAS),
};

static const struct root_file bus_unknown[] = {
    PCI("0000:01:00.0", "pci:v000010DEd00002A01sv000010DEsd00000000bc03sc02i00"),
    PCI("0000:02:00.0", "pci:v000010DEd00002BFFsv000010DEsd00000000bc03sc00i00"),
};

static const struct root_file bus_broken[] = {
    PCI("0000:01:00.0", "nonsense"),
    PCI("not-an-address", H200_ALIAS),
    { "sys/bus/pci/devices/0000:02:00.0/modalias", "", 0 },
    { "sys/bus/pci/devices/0000:03:00.0/uevent", "", 0 },
};

static const struct root_file bus_mixed[] = {
    PCI("0000:01:00.0", "pci:v000010DEd00002203sv000010DEsd00000000bc03sc00i00"),
    PCI("0000:21:00.0", "pci:v000010DEd00002B85sv000010DEsd00000000bc03sc00i00"),
};

static const char orin[] = "nvidia,p3737-0000+p3701-0000\0nvidia,tegra234";
static const char thor[] = "nvidia,p3971-0080+p3834-0008\0nvidia,tegra264";
static const char raspberry[] = "raspberrypi,5-model-b\0brcm,bcm2712";

static const struct root_file tree_orin[] = {
    { "proc/device-tree/compatible", orin, sizeof orin }
};
static const struct root_file tree_thor[] = {
    { "proc/device-tree/compatible", thor, sizeof thor }
};
static const struct root_file tree_other[] = {
    { "proc/device-tree/compatible", raspberry, sizeof raspberry }
};
static const struct root_file nothing[] = { { "etc/hostname", "bare\n", 0 } };

/* ---- rows ---- */

struct row {
    const char *name;
    const char *nvml; /* a fake's name; NULL: not installed */
    const char *cuda;
    const struct root_file *files;
    size_t file_count;
    nvfp4_source source;
    uint32_t flags;
    const char *visible;
    const char *order;
    const char *process; /* CUDA_VISIBLE_DEVICES of the process, as the CUDA driver saw it */
};

#define ROOT(files) files, COUNT(files)
#define NO_ROOT     NULL, 0
#define NVML(name)  { name, name, NULL, NO_ROOT, NVFP4_SOURCE_AUTO, 0, NULL, NULL, NULL }
#define CUDA(name)  { name, NULL, name, NO_ROOT, NVFP4_SOURCE_AUTO, 0, NULL, NULL, NULL }
#define SEES(name, visible)                                                                        \
    { name, "nvml_two", NULL, NO_ROOT, NVFP4_SOURCE_AUTO, 0, visible, NULL, NULL }
#define MIXED(name, cuda, flags, visible, order, process)                                          \
    { name, "nvml_mixed", cuda, NO_ROOT, NVFP4_SOURCE_AUTO, flags, visible, order, process }
#define MIG(name, cuda, visible)                                                                   \
    { name, "nvml_mig", cuda, NO_ROOT, NVFP4_SOURCE_AUTO, 0, visible, NULL, visible }
#define PCI_ROW(name, files, visible)                                                              \
    { name, NULL, NULL, ROOT(files), NVFP4_SOURCE_AUTO, 0, visible, NULL, NULL }
#define ONLY(name, source, nvml, cuda, files)                                                      \
    { name, nvml, cuda, ROOT(files), NVFP4_SOURCE_##source, 0, NULL, NULL, NULL }

static const struct row rows[] = {
    /* every fake on its own */
    NVML("nvml_two"),
    NVML("nvml_old"),
    NVML("nvml_incomplete"),
    NVML("nvml_fails"),
    NVML("nvml_unlisted"),
    NVML("nvml_denied"),
    NVML("nvml_mismatch"),
    NVML("nvml_unloaded"),
    NVML("nvml_mixed"),
    NVML("nvml_mig"),
    NVML("nvml_nonsense"),
    NVML("nvml_thor"),
    NVML("nvml_vgpu"),
    NVML("nvml_none"),
    NVML("nvml_lost"),
    NVML("nvml_one_lost"),
    NVML("nvml_mixed_lost"),
    NVML("nvml_cgroups"),
    CUDA("cuda_two"),
    CUDA("cuda_last"),
    CUDA("cuda_old"),
    CUDA("cuda_incomplete"),
    CUDA("cuda_mixed"),
    CUDA("cuda_mig"),
    CUDA("cuda_nonsense"),
    CUDA("cuda_none"),
    CUDA("cuda_hidden"),
    CUDA("cuda_twice"),
    CUDA("cuda_mismatch"),
    CUDA("cuda_denied"),
    CUDA("cuda_stub"),
    CUDA("cuda_broken"),
    /* what an engine sees */
    SEES("second", "1"),
    SEES("swapped", "1,0"),
    SEES("by uuid", "GPU-11223344-5566-7788-99aa-bbccddee2001"),
    SEES("by ambiguous uuid", "GPU-1122"),
    SEES("empty", ""),
    SEES("no such number", "5"),
    SEES("cut at junk", "0,junk,1"),
    SEES("named twice", "0,0"),
    /* two kinds of GPU: CUDA's order is not NVML's */
    MIXED("mixed: driver asked", "cuda_mixed", 0, NULL, NULL, NULL),
    MIXED("mixed: driver asked, then 1", "cuda_mixed", 0, "1", NULL, NULL),
    MIXED("mixed: driver started under 1", "cuda_last", 0, "1", NULL, "1"),
    MIXED("mixed: driver started under something else", "cuda_last", 0, "0", NULL, "1"),
    MIXED("mixed: driver not to be asked", "cuda_mixed", NVFP4_PROBE_NO_CUDA, NULL, NULL, NULL),
    MIXED("mixed: driver hides all", "cuda_hidden", 0, "0", NULL, "0"),
    MIXED("mixed: driver broken", "cuda_mismatch", 0, NULL, NULL, NULL),
    MIXED("mixed: driver shows other GPUs", "cuda_two", 0, NULL, NULL, NULL),
    MIXED("mixed: PCI order", "cuda_mixed", 0, NULL, "PCI_BUS_ID", NULL),
    MIXED("mixed: PCI", "cuda_mismatch", 0, NULL, "PCI", NULL),
    MIXED("mixed: PCI order and more", "cuda_mismatch", 0, NULL, "PCI_BUS_ID2", NULL),
    MIXED("mixed: PCI order, second", "cuda_mixed", 0, "1", "PCI_BUS_ID", NULL),
    MIXED("mixed: fastest first", "cuda_mixed", 0, NULL, "FASTEST_FIRST", NULL),
    MIXED("mixed: by uuid", "cuda_mixed", 0, "GPU-11223344-5566-7788-99aa-bbccddee5090", NULL,
          NULL),
    MIXED("mixed: nothing visible", "cuda_mixed", 0, "7", NULL, NULL),
    /* slices */
    MIG("mig: driver asked", "cuda_mig", NULL),
    MIG("mig: one slice", "cuda_none", "MIG-11223344-5566-7788-99aa-bbccddee1081"),
    MIG("mig: two slices", "cuda_none",
        "MIG-11223344-5566-7788-99aa-bbccddee1081,MIG-11223344-5566-7788-99aa-bbccddee1080"),
    MIG("mig: older name of a slice", "cuda_none",
        "MIG-GPU-11223344-5566-7788-99aa-bbccddee1000/9/0"),
    MIG("mig: the whole GPU", "cuda_none", "GPU-11223344-5566-7788-99aa-bbccddee1001"),
    MIG("mig: a GPU that is sliced", NULL, "GPU-11223344-5566-7788-99aa-bbccddee1000"),
    /* the bus and the tree */
    PCI_ROW("bus: two", bus_two, NULL),
    PCI_ROW("bus: two, swapped", bus_two, "1,0"),
    PCI_ROW("bus: two, by uuid that nobody knows", bus_two, UUID_A),
    PCI_ROW("bus: listed in another order", bus_shuffled, "5,0,1"),
    PCI_ROW("bus: three files", bus_three_files, NULL),
    PCI_ROW("bus: container", bus_container, NULL),
    PCI_ROW("bus: container, by uuid", bus_container, "GPU-11223344-5566-7788-99aa-bbccddee2001"),
    PCI_ROW("bus: one device node", bus_nodes, NULL),
    PCI_ROW("bus: AMD", bus_amd, NULL),
    PCI_ROW("bus: AMD, CUDA hidden", bus_amd, ""),
    PCI_ROW("bus: AMD and NVIDIA", bus_both, NULL),
    PCI_ROW("bus: AMD and hidden NVIDIA", bus_both, ""),
    PCI_ROW("bus: unlisted ids", bus_unknown, NULL),
    PCI_ROW("bus: broken files", bus_broken, NULL),
    PCI_ROW("bus: mixed", bus_mixed, NULL),
    PCI_ROW("bus: mixed, nothing visible", bus_mixed, "-1"),
    PCI_ROW("tree: Orin", tree_orin, NULL),
    PCI_ROW("tree: Orin, hidden", tree_orin, ""),
    PCI_ROW("tree: Thor", tree_thor, NULL),
    PCI_ROW("tree: other board", tree_other, NULL),
    PCI_ROW("nothing at all", nothing, NULL),
    /* sources on their own, and their order */
    ONLY("only nvml", NVML, "nvml_two", "cuda_two", bus_two),
    ONLY("only cuda", CUDA, "nvml_two", "cuda_two", bus_two),
    ONLY("only pci", PCI, "nvml_two", "cuda_two", bus_two),
    ONLY("only tree", TREE, "nvml_two", "cuda_two", tree_orin),
    ONLY("only nvml, which is not there", NVML, NULL, "cuda_two", bus_two),
    ONLY("only pci, where nothing is", PCI, "nvml_two", "cuda_two", nothing),
    ONLY("broken NVML, working CUDA", AUTO, "nvml_mismatch", "cuda_two", bus_two),
    ONLY("broken drivers, a GPU on the bus", AUTO, "nvml_mismatch", "cuda_mismatch", bus_two),
    ONLY("broken drivers, two kinds on the bus", AUTO, "nvml_mismatch", "cuda_mismatch", bus_mixed),
    ONLY("a GPU lost, CUDA broken", AUTO, "nvml_one_lost", "cuda_mismatch", bus_two),
    ONLY("no permission, a GPU on the bus", AUTO, "nvml_denied", "cuda_denied", bus_two),
    ONLY("no device, a GPU on the bus", AUTO, "nvml_none", "cuda_none", bus_two),
    ONLY("kernel driver not loaded, AMD on the bus", AUTO, "nvml_unloaded", "cuda_stub", bus_amd),
};

static char *answers; /* the text of answers.txt */

/* What stands in a file under "== name". */
static int expected(const char *name, char text[ANSWER_BYTES])
{
    char head[128];
    const char *from;
    const char *to;

    snprintf(head, sizeof head, "== %s\n", name);
    from = strstr(answers, head);
    if (from == NULL)
        return 0;
    from += strlen(head);
    to = strstr(from, "\n== ");
    snprintf(text, ANSWER_BYTES, "%.*s", to != NULL ? (int)(to + 1 - from) : (int)strlen(from),
             from);
    return 1;
}

static void library_path(const char *fake, char path[512])
{
    snprintf(path, 512, NVFP4_FAKES "/%s.so", fake != NULL ? fake : "not-installed");
}

#ifdef NVFP4_WITH_YAML
/* What is recorded, written and read again answers as the machine itself did. */
static void check_replay(const nvfp4_probe_options *live, const char *want)
{
    static char have[ANSWER_BYTES];
    static char text[1 << 16];
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    nvfp4_machine *machine = NULL;
    nvfp4_error error;
    size_t length;

    assert_int_equal(nvfp4_machine_record(live, &machine), NVFP4_OK);
    length = nvfp4_machine_print(machine, text, sizeof text);
    assert_true(length < sizeof text);
    nvfp4_machine_destroy(machine);
    if (nvfp4_machine_parse(text, length, NULL, &machine, &error) != NVFP4_OK)
        fail_msg("%d:%d: %s in\n%s", (int)error.line, (int)error.column, error.message, text);
    options.source = live->source;
    options.flags = live->flags;
    options.machine = machine;
    answer_probe(&options, have);
    nvfp4_machine_destroy(machine);
    assert_string_equal(have, want);
}
#endif

static void answers_whole(void **state)
{
    const struct row *row = *state;
    nvfp4_probe_options options = NVFP4_PROBE_OPTIONS_INIT;
    static char want[ANSWER_BYTES];
    static char have[ANSWER_BYTES];
    char nvml[512];
    char cuda[512];
    char *root = root_create(row->files, row->file_count);

    library_path(row->nvml, nvml);
    library_path(row->cuda, cuda);
    options.source = (int32_t)row->source;
    options.flags = row->flags;
    options.visible_devices = row->visible;
    options.device_order = row->order;
    options.nvml_library = nvml;
    options.cuda_library = cuda;
    options.root = root;
    unsetenv("CUDA_DEVICE_ORDER");
    if (row->order != NULL)
        setenv("CUDA_DEVICE_ORDER", row->order, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    if (row->process != NULL)
        setenv("CUDA_VISIBLE_DEVICES", row->process, 1);
    answer_probe(&options, have);
#ifdef NVFP4_WITH_YAML
    /* the record holds one environment: the one that is asked about is that of the process */
    if (row->visible == NULL ? row->process == NULL
                             : row->process != NULL && strcmp(row->visible, row->process) == 0)
        check_replay(&options, have);
#endif
    root_destroy(root);
    if (!expected(row->name, want) || strcmp(want, have) != 0) {
        printf("answers.txt does not hold:\n== %s\n%s\n", row->name, have);
        fail();
    }
}

static int read_answers(void **state)
{
    FILE *file = fopen(NVFP4_ANSWERS, "rb");
    size_t length;

    (void)state;
    answers = calloc(1, 1 << 18);
    if (file == NULL || answers == NULL)
        return -1;
    length = fread(answers, 1, (1 << 18) - 1, file);
    fclose(file);
    return length > 0 ? 0 : -1;
}

static int drop_answers(void **state)
{
    (void)state;
    free(answers);
    return 0;
}

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows)];

    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, answers_whole, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    return _cmocka_run_group_tests("probe", tests, COUNT(rows), read_answers, drop_answers);
}
