/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue: what people type, what drivers print, what the PCI bus says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/device.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- names ---- */

struct name_row {
    const char *text;
    nvfp4_status status;
    int32_t sm;
    const char *arch;
    int32_t match;
};

#define OK(text, sm, match)     { text, NVFP4_OK, sm, "", NVFP4_GPU_MATCH_##match }
#define AMD(text, arch, match)  { text, NVFP4_OK, 0, arch, NVFP4_GPU_MATCH_##match }
#define UNKNOWN(text)           { text, NVFP4_EUNKNOWN, 0, "", 0 }
#define AMBIGUOUS(text)         { text, NVFP4_EAMBIGUOUS, 0, "", 0 }

static const struct name_row names[] = {
    /* as the driver prints them */
    OK("NVIDIA H200", 90, NAME),
    OK("NVIDIA H100 80GB HBM3", 90, NAME),
    OK("NVIDIA GH200 480GB", 90, NAME),
    OK("NVIDIA GB10", 121, NAME),
    OK("NVIDIA GB200", 100, NAME),
    OK("NVIDIA B300 SXM6 AC", 103, NAME),
    OK("NVIDIA Thor", 110, NAME),
    OK("NVIDIA RTX 6000D", 120, NAME),
    OK("NVIDIA RTX PRO 6000 Blackwell Server Edition", 120, NAME),
    OK("NVIDIA GeForce RTX 3050 A Laptop GPU", 89, NAME),
    OK("NVIDIA RTX 6000 Ada Generation", 89, NAME),
    OK("Quadro RTX 6000", 75, NAME),
    OK("Orin (nvgpu)", 87, NAME),
    OK("Tesla T4", 75, NAME),
    OK("NVIDIA RTX Spark N1X (6144-core Blackwell RTX GPU)", 121, NAME),
    /* as people type them */
    OK("h100", 90, ALIAS),
    OK("H200", 90, ALIAS),
    OK("a10", 86, ALIAS),
    OK("a100", 80, ALIAS),
    OK("a2", 86, ALIAS),
    OK("l4", 89, ALIAS),
    OK("l40", 89, ALIAS),
    OK("l40s", 89, ALIAS),
    OK("t4", 75, ALIAS),
    OK("b100", 100, ALIAS),
    OK("b200", 100, ALIAS),
    OK("gb200", 100, ALIAS),
    OK("b300", 103, ALIAS),
    OK("gb300", 103, ALIAS),
    OK("gb300-nvl72", 103, ALIAS),
    OK("gh200", 90, ALIAS),
    OK("grace hopper", 90, ALIAS),
    OK("gb10", 121, ALIAS),
    OK("dgx spark", 121, ALIAS),
    OK("DGX-Spark", 121, ALIAS),
    OK("thor", 110, ALIAS),
    OK("jetson thor", 110, ALIAS),
    OK("jetson agx thor", 110, ALIAS),
    OK("agx_thor", 110, ALIAS),
    OK("t5000", 110, ALIAS),
    OK("jetson orin", 87, ALIAS),
    OK("jetson agx orin", 87, ALIAS),
    OK("orin nano", 87, ALIAS),
    OK("5090", 120, ALIAS),
    OK("rtx 5090", 120, ALIAS),
    OK("RTX5090", 120, ALIAS),
    OK("rtx_5090", 120, ALIAS),
    OK("  rtx   5090 ", 120, ALIAS),
    OK("geforce rtx 5090", 120, ALIAS),
    OK("GeForce 5090", 120, BOARD),
    OK("rtx 5090 laptop", 120, ALIAS),
    OK("5090 laptop gpu", 120, BOARD),
    OK("rtx 3090 ti", 86, ALIAS),
    OK("rtx 4090", 89, ALIAS),
    OK("rtx 3050", 86, ALIAS),
    OK("rtx pro 6000", 120, ALIAS),
    OK("rtx pro 6000 blackwell", 120, ALIAS),
    OK("rtx pro 6000 max-q", 120, ALIAS),
    OK("rtx pro 6000 blackwell max-q", 120, BOARD),
    OK("rtx pro 6000 server edition", 120, BOARD),
    OK("rtx pro 6000 workstation edition", 120, BOARD),
    OK("rtx 6000 pro", 120, ALIAS),
    OK("rtx 6000 ada", 89, ALIAS),
    OK("rtx 6000 ada 48gb", 89, BOARD),
    OK("rtx a6000", 86, ALIAS),
    OK("a6000", 86, ALIAS),
    OK("rubin", 107, ALIAS),
    OK("NVIDIA H100 Tensor Core GPU", 90, BOARD),
    OK("h100 sxm5 80gb", 90, BOARD),
    OK("H100-SXM5-80GB", 90, BOARD),
    OK("dgx h100", 90, BOARD),
    OK("NVIDIA GH200 Grace Hopper Superchip", 90, BOARD),
    OK("NVIDIA GB10 Grace Blackwell Superchip", 121, BOARD),
    OK("gb200 grace blackwell superchip", 100, BOARD),
    OK("hgx h200", 90, BOARD),
    OK("tesla a100", 80, BOARD),
    OK("rtx 5060 ti 16gb", 120, BOARD),
    AMD("mi300x", "gfx942", ALIAS),
    AMD("AMD Instinct MI300X", "gfx942", NAME),
    AMD("mi355x", "gfx950", ALIAS),
    AMD("gfx942", "gfx942", SM),
    /* slices and virtual GPUs */
    OK("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 90, BOARD),
    OK("NVIDIA A100-SXM4-40GB MIG 1c.3g.20gb", 80, BOARD),
    OK("NVIDIA H200 MIG 1g.18gb+me", 90, BOARD),
    OK("GRID A100D-3-40C", 80, BOARD),
    OK("GRID T4-16Q", 75, BOARD),
    OK("a100sxm4", 80, BOARD),
    OK("nvidia h100hbm3", 90, BOARD),
    OK("NVIDIA A40-48Q", 86, BOARD),
    OK("NVIDIA H100XM-80C", 90, BOARD),
    OK("NVIDIA RTX Pro 6000 Blackwell DC-4-96Q", 120, BOARD),
    /* capabilities and architectures */
    OK("sm_120", 120, SM),
    OK("sm120", 120, SM),
    OK("SM 120", 120, SM),
    OK("12.0", 120, SM),
    OK("9.0", 90, SM),
    OK("sm_90a", 90, SM),
    OK("sm_101", 110, SM),
    OK("10.1", 110, SM),
    OK("12.0a", 120, SM),
    OK("12.0f", 120, SM),
    OK("cc12.0", 120, SM),
    OK("CC 9.0", 90, SM),
    OK("hopper", 90, SM),
    OK("Ada Lovelace", 89, SM),
    /* PCI ids */
    OK("0x2bb1", 120, PCI_ID),
    OK("0x2BB1", 120, PCI_ID),
    OK("10de:2335", 90, PCI_ID),
    OK("0x10de:0x2bb1", 120, PCI_ID),
    OK("10de:0x2bb1", 120, PCI_ID),
    OK("2bb1", 120, PCI_ID),
    OK("0x2b01", 110, PCI_RANGE),
    AMD("1002:74a1", "gfx942", PCI_ID),
    /* several SMs */
    AMBIGUOUS("rtx 6000"),
    AMBIGUOUS("NVIDIA RTX 6000"),
    AMBIGUOUS("rtx6000"),
    AMBIGUOUS("rtx 5000"),
    AMBIGUOUS("rtx 4000"),
    AMBIGUOUS("rtx 3000"),
    AMBIGUOUS("6000"),
    AMBIGUOUS("rtx"),
    AMBIGUOUS("jetson"),
    AMBIGUOUS("blackwell"),
    AMBIGUOUS("ampere"),
    /* no names */
    UNKNOWN(""),
    UNKNOWN("   "),
    UNKNOWN("h1"),
    UNKNOWN("h"),
    UNKNOWN("gb1"),
    UNKNOWN("v100"),
    UNKNOWN("rtx pro"),
    UNKNOWN("h1000"),
    UNKNOWN("120"),
    UNKNOWN("dead"),
    UNKNOWN("2335"),
    UNKNOWN("cc"),
    UNKNOWN("12.0b"),
    UNKNOWN("0x10de:"),
    UNKNOWN("titan v"),
    UNKNOWN("gtx 1080 ti"),
    UNKNOWN("sm_"),
    UNKNOWN("sm_9999"),
    UNKNOWN("sm_5"),
    UNKNOWN("12.00"),
    UNKNOWN("0x"),
    UNKNOWN("0x12bb1"),
    UNKNOWN("0xffff"),
    UNKNOWN("0x3340"),
    UNKNOWN("NVIDIA GB120 (unnamed)"),
    UNKNOWN("geforce a100"),
    UNKNOWN("rtx 3090 blackwell"),
    UNKNOWN("NVIDIA Graphics Device"),
    AMBIGUOUS("80gb"),
    AMBIGUOUS("nvidia"),
    UNKNOWN("\xff\xfe"),
};

static void understands_name(void **state)
{
    const struct name_row *row = *state;
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_gpu untouched = NVFP4_GPU_INIT;
    nvfp4_error error;

    memset(&error, 0, sizeof error);
    gpu.key.sm = untouched.key.sm = -1;
    assert_int_equal(nvfp4_gpu_find(row->text, &gpu, &error), row->status);
    if (row->status != NVFP4_OK) {
        assert_memory_equal(&gpu, &untouched, sizeof gpu);
        assert_int_equal(error.status, row->status);
        assert_true(error.message[0] != '\0');
        return;
    }
    assert_int_equal(gpu.key.sm, row->sm);
    assert_string_equal(gpu.key.arch, row->arch);
    assert_int_equal(gpu.key.vendor, row->arch[0] ? NVFP4_VENDOR_AMD : NVFP4_VENDOR_NVIDIA);
    assert_int_equal(gpu.match, row->match);
    assert_true(gpu.confidence >= NVFP4_CONFIDENCE_LOW && gpu.confidence < NVFP4_CONFIDENCE_COUNT);
    assert_true(gpu.source[0] != '\0');
}

/* ---- the whole answer of some look-ups ---- */

struct answer_row {
    const char *text;
    int32_t pci_device_id;
    int32_t memory_gib;
    int32_t confidence;
    const char *name;
    const char *label;
    const char *chip;
};

static const struct answer_row answers[] = {
    { "NVIDIA H200", 0x2335, 141, NVFP4_CONFIDENCE_HIGH, "NVIDIA H200", "h200", "GH100" },
    { "h200", 0, 141, NVFP4_CONFIDENCE_HIGH, "NVIDIA H200", "h200", "GH100" },
    { "h100", 0, 0, NVFP4_CONFIDENCE_HIGH, "NVIDIA H100 NVL", "h100", "GH100" },
    { "gb300", 0x31c2, 277, NVFP4_CONFIDENCE_HIGH, "NVIDIA GB300", "gb300", "GB110" },
    { "b100", 0x29bc, 0, NVFP4_CONFIDENCE_LOW, "NVIDIA B100", "B100", "GB102" },
    { "0x2335", 0x2335, 141, NVFP4_CONFIDENCE_HIGH, "NVIDIA H200", "h200", "GH100" },
    { "0x233e", 0x233e, 0, NVFP4_CONFIDENCE_MEDIUM, "", "", "GH100" },
    { "0x2982", 0x2982, 0, NVFP4_CONFIDENCE_LOW, "", "", "GB102" },
    { "sm_120", 0, 0, NVFP4_CONFIDENCE_HIGH, "", "", "" },
    { "sm_123", 0, 0, NVFP4_CONFIDENCE_LOW, "", "", "" },
    { "gfx1100", 0, 0, NVFP4_CONFIDENCE_LOW, "", "", "" },
    { "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 0, 80, NVFP4_CONFIDENCE_MEDIUM, "NVIDIA H100 80GB HBM3",
      "h100", "GH100" },
};

static void answers_whole(void **state)
{
    const struct answer_row *row = *state;
    nvfp4_gpu gpu = NVFP4_GPU_INIT;

    assert_int_equal(nvfp4_gpu_find(row->text, &gpu, NULL), NVFP4_OK);
    assert_int_equal(gpu.pci_device_id, row->pci_device_id);
    assert_int_equal(gpu.memory_gib, row->memory_gib);
    assert_int_equal(gpu.confidence, row->confidence);
    assert_string_equal(gpu.name, row->name);
    assert_string_equal(gpu.label, row->label);
    assert_string_equal(gpu.chip, row->chip);
}

/* ---- what a refused name may mean ---- */

struct choice_row {
    const char *text;
    const char *message;
};

static const struct choice_row choices[] = {
    { "rtx 6000", "\"rtx 6000\" fits GPUs of several compute capabilities: "
                  "Quadro RTX 6000 (SM 75), rtx a6000 (SM 86), rtx 6000 ada (SM 89), "
                  "rtx pro 6000 (SM 120)" },
    { "h1", "no GPU of the catalogue is called \"h1\"; near is h100 (SM 90)" },
    { "120", "no GPU of the catalogue is called \"120\"; near are sm_120 (SM 120), h20 (SM 90), "
             "l20 (SM 89)" },
    { "ampere", "\"ampere\" fits GPUs of several compute capabilities: sm_80 (SM 80), "
                "sm_86 (SM 86), sm_87 (SM 87)" },
    { "0x3340", "the PCI id \"0x3340\" is not listed and in no range whose chip is known" },
    { "NVIDIA GB120 (unnamed)", "NVIDIA GB120 (unnamed) is in the catalogue, but nobody states its "
                                "compute capability" },
#define OLDER(text)                                                                                \
    { text, "\"" text "\" is older than the catalogue, which begins with Turing (SM 75); say its "   \
            "compute capability" }
    OLDER("v100"),
    OLDER("Tesla V100-SXM2-16GB"),
    OLDER("v100sxm2"),
    OLDER("titan v"),
    OLDER("gtx 1080 ti"),
    OLDER("NVIDIA GeForce GTX 1080 Ti"),
    OLDER("1080ti"),
    OLDER("gtx 980"),
    OLDER("Quadro P4000"),
    OLDER("jetson xavier"),
    { "abacus", "no GPU of the catalogue is called \"abacus\"" },
};

static void explains_refusal(void **state)
{
    const struct choice_row *row = *state;
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_error error;

    assert_int_not_equal(nvfp4_gpu_find(row->text, &gpu, &error), NVFP4_OK);
    assert_string_equal(error.message, row->message);
}

/* Every choice is itself a name that is understood. */
static void choices_are_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *list[16];
        size_t count;

        if (names[i].status == NVFP4_OK)
            continue;
        assert_int_equal(nvfp4_gpu_choices(names[i].text, list, COUNT(list), &count), NVFP4_OK);
        assert_true(count <= COUNT(list));
        for (size_t k = 0; k < count; k++) {
            nvfp4_gpu gpu = NVFP4_GPU_INIT;

            assert_int_equal(nvfp4_gpu_find(list[k], &gpu, NULL), NVFP4_OK);
        }
    }
}

/* ---- PCI ids ---- */

struct pci_row {
    const char *what;
    uint32_t vendor, device, subsystem;
    nvfp4_status status;
    int32_t sm, memory_gib, match;
    const char *name;
};

static const struct pci_row pci[] = {
    { "exact", 0x10de, 0x2335, 0, NVFP4_OK, 90, 141, NVFP4_GPU_MATCH_PCI_ID, "NVIDIA H200" },
    { "one id, two boards: the subsystem decides", 0x10de, 0x2bb3, 0x10de227a, NVFP4_OK, 120, 72,
      NVFP4_GPU_MATCH_PCI_ID, "NVIDIA RTX PRO 5000 72GB Blackwell" },
    { "the other subsystem", 0x10de, 0x2bb3, 0x10de204d, NVFP4_OK, 120, 48, NVFP4_GPU_MATCH_PCI_ID,
      "NVIDIA RTX PRO 5000 Blackwell" },
    { "subsystem not known: no size", 0x10de, 0x2bb3, 0, NVFP4_OK, 120, 0, NVFP4_GPU_MATCH_PCI_ID,
      "NVIDIA RTX PRO 5000 72GB Blackwell" },
    { "the board that lists no subsystem", 0x10de, 0x1e90, 0xdeadbeef, NVFP4_OK, 75, 8,
      NVFP4_GPU_MATCH_PCI_ID, "NVIDIA GeForce RTX 2080" },
    { "range", 0x10de, 0x2d7f, 0, NVFP4_OK, 120, 0, NVFP4_GPU_MATCH_PCI_RANGE, "" },
    { "first of a range", 0x10de, 0x2f00, 0, NVFP4_OK, 120, 0, NVFP4_GPU_MATCH_PCI_RANGE, "" },
    { "behind a range: GB205's audio", 0x10de, 0x2f80, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "between ranges: NVSwitch", 0x10de, 0x22a3, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "a block nobody has seen", 0x10de, 0x2a00, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "an SM nobody states", 0x10de, 0x3340, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "beyond 16 bits", 0x10de, 0x12335, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "no id", 0x10de, 0, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "another maker's id", 0x8086, 0x2335, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
    { "AMD", 0x1002, 0x74a1, 0, NVFP4_OK, 0, 192, NVFP4_GPU_MATCH_PCI_ID, "AMD Instinct MI300X" },
    { "AMD has no ranges", 0x1002, 0x2330, 0, NVFP4_EUNKNOWN, 0, 0, 0, "" },
};

static void knows_pci_id(void **state)
{
    const struct pci_row *row = *state;
    nvfp4_gpu gpu = NVFP4_GPU_INIT;

    assert_int_equal(nvfp4_gpu_from_pci(row->vendor, row->device, row->subsystem, &gpu),
                     row->status);
    if (row->status != NVFP4_OK)
        return;
    assert_int_equal(gpu.key.sm, row->sm);
    assert_int_equal(gpu.memory_gib, row->memory_gib);
    assert_int_equal(gpu.match, row->match);
    assert_string_equal(gpu.name, row->name);
}

/* ---- the tables themselves ---- */

static void check_name(const char *name, size_t length, const nvfp4_gpu *row)
{
    char text[200];
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_error error;

    assert_true(length > 0 && length < sizeof text);
    memcpy(text, name, length);
    text[length] = '\0';
    if (nvfp4_gpu_find(text, &gpu, &error) != NVFP4_OK)
        fail_msg("%s: %s", text, error.message);
    if (gpu.key.sm != row->key.sm || strcmp(gpu.key.arch, row->key.arch) != 0)
        fail_msg("%s: SM %d, but its row says %d", text, (int)gpu.key.sm, (int)row->key.sm);
}

/* No name means two SMs, and every row can be found by every name it has. */
static void names_mean_one_sm(void **state)
{
    (void)state;
    for (size_t i = 0; i < nvfp4_gpu_count(); i++) {
        nvfp4_gpu row = NVFP4_GPU_INIT;

        assert_int_equal(nvfp4_gpu_at(i, &row), NVFP4_OK);
        if (row.key.sm == 0 && row.key.vendor == NVFP4_VENDOR_NVIDIA)
            continue;
        check_name(row.name, strlen(row.name), &row);
        check_name(row.label, strlen(row.label), &row);
        for (const char *at = row.aliases; *at != '\0';) {
            size_t length = strcspn(at, ",");

            check_name(at, length, &row);
            at += length + (at[length] == ',');
        }
    }
}

static void rows_are_sane(void **state)
{
    (void)state;
    assert_true(nvfp4_gpu_count() > 487);
    for (size_t i = 0; i < nvfp4_gpu_count(); i++) {
        nvfp4_gpu row = NVFP4_GPU_INIT;
        nvfp4_gpu same = NVFP4_GPU_INIT;

        assert_int_equal(nvfp4_gpu_at(i, &row), NVFP4_OK);
        assert_true(row.source[0] != '\0' && row.name[0] != '\0' && row.label[0] != '\0');
        assert_true(row.confidence >= NVFP4_CONFIDENCE_LOW);
        assert_true(row.confidence <= NVFP4_CONFIDENCE_HIGH);
        assert_true(row.memory_gib >= 0 && row.memory_gib < 1024);
        assert_int_equal(row.match, NVFP4_GPU_MATCH_ROW);
        if (row.key.vendor == NVFP4_VENDOR_AMD) {
            assert_int_equal(row.key.sm, 0);
            assert_true(strncmp(row.key.arch, "gfx", 3) == 0);
            continue;
        }
        assert_true(row.key.sm == 0 || (row.key.sm >= 70 && row.key.sm <= 130));
        assert_true(row.key.sm != 101);
        if (row.key.sm == 0 || row.pci_device_id == 0)
            continue;
        /* the row and the range it lies in never contradict each other */
        assert_int_equal(nvfp4_gpu_from_pci(0x10de, (uint32_t)row.pci_device_id, 0, &same),
                         NVFP4_OK);
        assert_int_equal(same.key.sm, row.key.sm);
    }
}

/* ---- arguments ---- */

static void refuses_bad_arguments(void **state)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_error error;
    const char *list[1];
    size_t count = 77;

    (void)state;
    assert_int_equal(nvfp4_gpu_find(NULL, &gpu, &error), NVFP4_EINVAL);
    assert_int_equal(error.status, NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_find("h100", NULL, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_at(nvfp4_gpu_count(), &gpu), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_at(0, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_from_pci(0x10de, 0x2335, 0, NULL), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_choices(NULL, list, 1, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_choices("h1", NULL, 1, &count), NVFP4_EINVAL);
    assert_int_equal(nvfp4_gpu_choices("h1", list, 1, NULL), NVFP4_EINVAL);
    assert_int_equal(count, 77);
    assert_int_equal(nvfp4_gpu_choices("rtx 6000", list, 1, &count), NVFP4_OK);
    assert_int_equal(count, 4);
    assert_string_equal(list[0], "Quadro RTX 6000");
    gpu.struct_size = 8;
    assert_int_equal(nvfp4_gpu_find("h100", &gpu, &error), NVFP4_EABI);
    assert_int_equal(error.status, NVFP4_EABI);
    assert_int_equal(gpu.key.sm, 0);
    assert_int_equal(nvfp4_gpu_at(0, &gpu), NVFP4_EABI);
}

/* A caller that was compiled against a longer struct gets what there is, and no more. */
static void serves_longer_struct(void **state)
{
    struct {
        nvfp4_gpu gpu;
        char later[16];
    } long_one;

    (void)state;
    memset(&long_one, 0x5a, sizeof long_one);
    long_one.gpu.struct_size = sizeof long_one;
    assert_int_equal(nvfp4_gpu_find("h200", &long_one.gpu, NULL), NVFP4_OK);
    assert_int_equal(long_one.gpu.struct_size, sizeof long_one);
    assert_int_equal(long_one.gpu.key.sm, 90);
    assert_int_equal(long_one.later[0], 0x5a);
}

/* Names of any length and content end in an answer. */
static void survives_long_names(void **state)
{
    char text[2000];
    nvfp4_error error;

    (void)state;
    for (size_t length = 0; length < sizeof text; length += 7) {
        nvfp4_gpu gpu = NVFP4_GPU_INIT;

        memset(text, length % 2 ? 'a' : '9', length);
        text[length] = '\0';
        for (size_t i = 0; i < length; i += 3 + length % 5)
            text[i] = "-_ g."[i % 5];
        assert_int_not_equal(nvfp4_gpu_find(text, &gpu, &error), NVFP4_OK);
        assert_true(strlen(error.message) > 10);
    }
}

static void names_are_total(void **state)
{
    (void)state;
    for (int i = -1; i <= 9; i++) {
        assert_non_null(nvfp4_confidence_name((nvfp4_confidence)i));
        assert_non_null(nvfp4_gpu_match_name((nvfp4_gpu_match)i));
    }
    assert_string_equal(nvfp4_confidence_name(NVFP4_CONFIDENCE_HIGH), "high");
    assert_string_equal(nvfp4_confidence_name((nvfp4_confidence)99), "unknown");
    assert_string_equal(nvfp4_gpu_match_name(NVFP4_GPU_MATCH_PCI_RANGE), "pci range");
    assert_string_equal(nvfp4_gpu_match_name((nvfp4_gpu_match)99), "unknown");
}

#define ADD(rows, label, function)                                                                 \
    for (size_t i = 0; i < COUNT(rows); i++)                                                       \
        tests[count++] = (struct CMUnitTest){ rows[i].label, function, NULL, NULL,                 \
                                              (void *)(uintptr_t)&rows[i] };

int main(void)
{
    static struct CMUnitTest tests[COUNT(names) + COUNT(answers) + COUNT(choices) + COUNT(pci) + 8];
    size_t count = 0;

    ADD(names, text, understands_name)
    ADD(answers, text, answers_whole)
    ADD(choices, text, explains_refusal)
    ADD(pci, what, knows_pci_id)
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(choices_are_names);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(names_mean_one_sm);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(rows_are_sane);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(refuses_bad_arguments);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(serves_longer_struct);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(survives_long_names);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(names_are_total);
    return _cmocka_run_group_tests("catalogue", tests, count, NULL, NULL);
}
