/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA_VISIBLE_DEVICES, held against what the CUDA driver was seen to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/visible.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Two GPUs of one host; their UUIDs share nothing behind the kind. */
#define UUID0 "GPU-ac8f6d2e-3b4a-5c6d-7e8f-90a1b2c3d4e5"
#define UUID1 "GPU-f00d5eed-0123-4567-89ab-cdef01234567"

static const struct visible_name two[] = { { UUID0, "" }, { UUID1, "" } };

/* The first is cut into two slices; then comes a whole GPU whose UUID begins as the first one's. */
#define MIG0 "MIG-aaaa1111-3b4a-5c6d-7e8f-90a1b2c3d4e5"
#define MIG1 "MIG-aaaa2222-3b4a-5c6d-7e8f-90a1b2c3d4e5"
#define UUID2 "GPU-ac8f0000-3b4a-5c6d-7e8f-90a1b2c3d4e5"

static const struct visible_name sliced[] = {
    { UUID0, "" },
    { UUID2, "" },
    { MIG0, "MIG-" UUID0 "/2/0" },
    { MIG1, "MIG-" UUID0 "/9/0" },
};

struct row {
    const char *value; /* NULL: not set */
    const char *devices;
    nvfp4_visibility verdict;
    size_t entry;
};

#define ALL(value, devices)          { value, devices, NVFP4_VISIBILITY_ALL, 0 }
#define LIST(value, devices)         { value, devices, NVFP4_VISIBILITY_LIST, 0 }
#define CUT(value, devices, entry)   { value, devices, NVFP4_VISIBILITY_CUT, entry }
#define NONE(value)                  { value, "", NVFP4_VISIBILITY_NONE, 1 }
#define EMPTY(value)                 { value, "", NVFP4_VISIBILITY_EMPTY, 0 }
#define TWICE(value, entry)          { value, "", NVFP4_VISIBILITY_TWICE, entry }

/* Measured with the CUDA driver itself on two H200s, driver 580.159.04, CUDA 13.0, 2026-11-30. */
static const struct row measured[] = {
    ALL(NULL, "0 1"),
    EMPTY(""),
    LIST("0", "0"),
    LIST("1", "1"),
    LIST("0,1", "0 1"),
    LIST("1,0", "1 0"),
    NONE("2"),
    CUT("0,2", "0", 2),
    NONE("2,0"),
    CUT("1,2,0", "1", 2),
    NONE("-1"),
    NONE("-1,0"),
    TWICE("0,0", 2),
    TWICE("1,1", 2),
    TWICE("0,1,0", 3),
    LIST(" 0", "0"),
    LIST("0 ", "0"),
    LIST("0, 1", "0 1"),
    LIST(" 1 , 0 ", "1 0"),
    NONE(",0"),
    CUT("0,", "0", 2),
    NONE("junk"),
    CUT("0,junk,1", "0", 2),
    NONE("junk,0"),
    LIST("1junk", "1"),
    LIST("0junk,1", "0 1"),
    LIST("00", "0"),
    NONE("NoDevFiles"),
    NONE("none"),
    NONE("all"),
    NONE("void"),
    LIST(UUID0, "0"),
    LIST(UUID1, "1"),
    LIST(UUID1 "," UUID0, "1 0"),
    LIST("GPU-ac8f6d2e", "0"),
    LIST("GPU-f00d", "1"),
    NONE("GPU-ffffffff"),
    CUT(UUID0 ",junk", "0", 2),
    CUT(UUID0 ",1", "0", 2),
    LIST("GPU-AC8F6D2E-3B4A-5C6D-7E8F-90A1B2C3D4E5", "0"),
    NONE("gpu-ac8f6d2e-3b4a-5c6d-7e8f-90a1b2c3d4e5"),
    NONE("ac8f6d2e-3b4a-5c6d-7e8f-90a1b2c3d4e5"),
    TWICE(UUID0 "," UUID0, 2),
    NONE("MIG-" UUID0 "/0/0"),
    LIST("0:0", "0"),
    NONE("9999999999999"),
    LIST("1 0", "1"),
    LIST("0\n1", "0"),
    LIST("\t1", "1"),
};

/* What the rule that was read from these says of others. */
static const struct row derived[] = {
    CUT("0,1,2", "0 1", 3),
    CUT("0,junk,0", "0", 2),
    CUT("1,-1,0", "1", 2),
    CUT("0,,1", "0", 2),
    NONE(","),
    NONE(" "),
    NONE("   ,0"),
    LIST("+1", "1"),
    LIST("-0", "0"),
    NONE("- 1"),
    NONE("+"),
    LIST("0001", "1"),
    LIST("0x1", "0"),
    LIST("1c8f6d2e-3b4a-5c6d-7e8f-90a1b2c3d4e5", "1"),
    LIST("1.9", "1"),
    LIST("1e3", "1"),
    LIST("0;1", "0"),
    NONE("18446744073709551617,0"),
    CUT("1," UUID0, "1", 2),
    CUT("0,GPU-ac8f", "0", 2),
    LIST(UUID0 "x", "0"), /* measured on one H200: nothing behind a whole UUID is looked at */
    LIST(UUID0 " ", "0"),
    LIST("4294967296", "0"), /* measured likewise: the low 32 bits count */
    LIST("-4294967296", "0"),
    LIST("4294967297", "1"),
    NONE("2147483648"),
    NONE("18446744073709551616"), /* more than 64 bits hold */
    NONE("-18446744073709551616"), /* the sign goes with what does not fit */
    LIST("9223372036854775808", "0"),
    LIST("-18446744073709551615", "1"),
    LIST("GPU-ac-8f", "0"),
    NONE("GPU--"), /* both begin so */
    NONE("GPU-ac8x"),
    NONE(" " UUID0),
    CUT(UUID0 ", " UUID1, "0", 2),
    CUT(UUID0 ",", "0", 2),
    NONE("GPU"),
    NONE("GPU-"),
    TWICE("GPU-ac8f,GPU-ac8f6d", 2),
    CUT("GPU-ac8f,GPU-", "0", 2),
    CUT(UUID0 ",MIG-f00d", "0", 2),
};

/*
 * What cuInit() and cuDeviceGetCount() said on hosts with one H200, driver 580.159.04, CUDA 13.0,
 * 2026-11-30: a device, CUDA_ERROR_NO_DEVICE (100) or CUDA_ERROR_INVALID_DEVICE (101).
 */
enum answers { SHOWN, NO_DEVICE, NO_START };

struct answer {
    const char *value;
    enum answers says;
};

#define FIRST  "GPU-75df1199-667e-3af5-a21f-55b518808f75"
#define SECOND "GPU-1d3c29a0-f492-a5cb-34fa-3d7480c1e75b"

#define TEN(text) text text text text text text text text text text

static const struct answer first_h200[] = {
    { " " FIRST, NO_DEVICE },
    { FIRST " ", SHOWN },
    { "+0", SHOWN },
    { "-0", SHOWN },
    { "-4294967296", SHOWN },
    { "4294967297", NO_DEVICE },
    { "9223372036854775807", NO_DEVICE },
    { "9223372036854775808", SHOWN },
    { "18446744073709551616", NO_DEVICE },
    { "-9223372036854775808", SHOWN },
    { "-18446744073709551616", NO_DEVICE },
    { "8589934592", SHOWN },
    { "-8589934592", SHOWN },
    { "4611686018427387904", SHOWN },
    { "0x0", SHOWN },
    { "0.5", SHOWN },
    { "\v0", SHOWN },
    { "\f0", SHOWN },
    { "\r0", SHOWN },
    { ",", NO_DEVICE },
    { ",,", NO_DEVICE },
    { "0,0,junk", NO_START },
    { "0,1,0", SHOWN },
    { "0,junk,0", SHOWN },
    { "0," FIRST, SHOWN },
    { FIRST ",0", SHOWN },
    { FIRST "," FIRST "x", NO_START },
    { FIRST ",GPU-", SHOWN },
    { FIRST ",junk," FIRST, SHOWN },
    { "GPU-75df1199667e3af5a21f55b518808f75", SHOWN },
    { FIRST "/0/0", SHOWN },
    { "MIG-" FIRST, NO_DEVICE },
    { "GPU-7", SHOWN },
    { "GPU-75d", SHOWN },
    { "GPU- 75df", NO_DEVICE },
    { "GPU-75df1199x", NO_DEVICE },
    { "GPU-75df1199 ", NO_DEVICE },
    { "GPU-75df ", NO_DEVICE },
    { "0;1", SHOWN },
    { "'0'", NO_DEVICE },
    { "\"0\"", NO_DEVICE },
    { "NoDevFiles,0", NO_DEVICE },
    { "MIG-", NO_DEVICE },
    { "MIG", NO_DEVICE },
    { "GPU", NO_DEVICE },
    { "+ 0", NO_DEVICE },
    { "--0", NO_DEVICE },
    { "+-0", NO_DEVICE },
    { "0\t", SHOWN },
    { "\302\2400", NO_DEVICE },
    { "0_", SHOWN },
    { "0b", SHOWN },
    { "-", NO_DEVICE },
    { "+", NO_DEVICE },
    { " ", NO_DEVICE },
    { "  ", NO_DEVICE },
    { "\n", NO_DEVICE },
    { TEN("0000"), SHOWN },
    { TEN(TEN("000")), SHOWN },
    { "0" TEN(TEN(TEN("xx"))), SHOWN },
    { "0" TEN(TEN(TEN(",,,"))), SHOWN },
    { TEN(TEN("0,0,")), NO_START },
    { "GPU-75df1199-667e-3azzzz", NO_DEVICE },
    { "GPU-75df1199-667e-3af5-a21f-55b518808f7z", NO_DEVICE },
    { "GPU-75df1199-667e-3af5-a21f-55b518808f7", SHOWN },
    { FIRST FIRST, SHOWN },
    { "GPU-75DF1199-667E-3AF5-A21F-55B518808F75", SHOWN },
    { "Gpu-75df1199-667e-3af5-a21f-55b518808f75", NO_DEVICE },
    { "0,-1", SHOWN },
    { "0,0 ", NO_START },
    { "0,00", NO_START },
    { "0,+0", NO_START },
    { "0,4294967296", NO_START },
    { "GPU-75df," FIRST, NO_START },
    { "-1," FIRST, NO_DEVICE },
    { "1e0", NO_DEVICE },
    { "0,", SHOWN },
    { "\331\240", NO_DEVICE },
    { FIRST "\n", SHOWN },
    { "GPU_75df1199_667e_3af5_a21f_55b518808f75", NO_DEVICE },
    { "GPU-75df1199-", SHOWN },
    { "GPU--", SHOWN },
};

static const struct answer second_h200[] = {
    { SECOND, SHOWN },
    { "GPU--1", SHOWN },
    { "GPU---", SHOWN },
    { "GPU-1-d", SHOWN },
    { "GPU-1d-3c29a0", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75bx", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75b-", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75b0000", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75bzzzz", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75b00000", SHOWN },
    { "GPU-1d3c29a0--f492", SHOWN },
    { "GPU-1d3c29a0-f4-92", SHOWN },
    { "GPU---------------------------------", SHOWN },
    { "GPU-----------------------------------------", SHOWN },
    { "GPU----------------------------------", SHOWN },
    { "GPU----x", NO_DEVICE },
    { "GPU--x", NO_DEVICE },
    { "GPU--,GPU--", NO_START },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75", SHOWN },
    { "GPU-1d3c29a0f492-a5cb34fa3d7480c1e75b", SHOWN },
    { "GPU-1d3c29a0f492a5cb34fa3d7480c1e75z", NO_DEVICE },
    { "GPU-1d3-", SHOWN },
    { "GPU-1d3--", SHOWN },
    { "GPU-1d3c29a0--", SHOWN },
    { "GPU-------------------------------------x", SHOWN },
    { "GPU------------------------------------x", NO_DEVICE },
    { "GPU------1d3c29a0f492a5cb34fa3d7480c1e75b", SHOWN },
    { "GPU------1d3c29a0f492a5cb34fa3d7480c1e75z", SHOWN },
    { "18446744069414584320", SHOWN },
    { "-18446744069414584320", SHOWN },
    { "18446744073709551615", NO_DEVICE },
    { "-18446744073709551615", NO_DEVICE },
    { "GPU-," SECOND, NO_DEVICE },
    { "GPU--,0", SHOWN },
    { SECOND "zzz,GPU-f", SHOWN },
    { "GPU--d", NO_DEVICE },
    { "GPU- ", NO_DEVICE },
    { "GPU-\t", NO_DEVICE },
    { "GPU-0x1d", NO_DEVICE },
};

static const struct row mig[] = {
    ALL(NULL, "0 1"),
    LIST("1,0", "1 0"),
    LIST(MIG0, "2"),
    LIST("MIG-aaaa2", "3"),
    NONE("MIG-aaaa"),
    LIST("MIG-" UUID0 "/9/0", "3"),
    NONE("MIG-" UUID0 "/9"),
    NONE("MIG-" UUID0 "/9/1"),
    LIST(MIG1 "," MIG0, "3 2"),
    CUT(MIG1 "," UUID2, "3", 2),
    CUT(UUID2 "," MIG1, "1", 2),
    NONE("GPU-ac8f"),
    LIST("GPU-ac8f6", "0"),
    TWICE(MIG0 ",MIG-" UUID0 "/2/0", 2),
};

static void check(const struct row *row, const struct visible_name *names, size_t numbered,
                  size_t named)
{
    size_t picked[8];
    struct visible visible;
    char text[64] = "";

    nvfp4_visible_read(row->value, names, numbered, named, picked, &visible);
    assert_true(visible.count <= named);
    for (size_t i = 0; i < visible.count; i++)
        sprintf(text + strlen(text), "%s%zu", i > 0 ? " " : "", picked[i]);
    assert_string_equal(text, row->devices);
    assert_int_equal(visible.verdict, row->verdict);
    assert_int_equal(visible.entry, row->entry);
}

static void reads_as_driver(void **state)
{
    check(*state, two, 2, 2);
}

static void reads_slices(void **state)
{
    check(*state, sliced, 2, 4);
}

static void check_answers(const struct answer *answers, size_t count, const char *uuid)
{
    const struct visible_name name = { uuid, "" };

    for (size_t i = 0; i < count; i++) {
        size_t picked[1];
        struct visible visible;
        enum answers says = SHOWN;

        nvfp4_visible_read(answers[i].value, &name, 1, 1, picked, &visible);
        if (visible.verdict == NVFP4_VISIBILITY_TWICE)
            says = NO_START;
        else if (visible.count == 0)
            says = NO_DEVICE;
        if (says != answers[i].says)
            print_error("value %zu, \"%.60s\"\n", i, answers[i].value);
        assert_int_equal(says, answers[i].says);
    }
}

static void reads_as_h200s_did(void **state)
{
    (void)state;
    check_answers(first_h200, COUNT(first_h200), FIRST);
    check_answers(second_h200, COUNT(second_h200), SECOND);
    assert_int_equal(COUNT(first_h200) + COUNT(second_h200), 121);
}

/* A source that knows no UUIDs matches none, and a host without devices has none to show. */
static void reads_without_names(void **state)
{
    static const struct visible_name blank[] = { { "", "" } };
    static const struct row uuid = NONE(UUID0);
    static const struct row kind = NONE("GPU-");
    static const struct visible_name one[] = { { UUID0, "" } };
    static const struct row only = LIST("GPU-a", "0");
    static const struct row all = ALL(NULL, "");
    static const struct row first = NONE("0");

    (void)state;
    check(&uuid, blank, 1, 1);
    check(&kind, blank, 1, 1);
    /* a kind alone names none, also where there is but one device to be meant */
    check(&kind, one, 1, 1);
    check(&only, one, 1, 1);
    check(&all, blank, 0, 0);
    check(&first, blank, 0, 0);
}

#define ADD(rows, function)                                                                        \
    for (size_t i = 0; i < COUNT(rows); i++)                                                       \
        tests[count++] = (struct CMUnitTest){ rows[i].value != NULL ? rows[i].value : "not set",   \
                                              function, NULL, NULL, (void *)(uintptr_t)&rows[i] };

int main(void)
{
    static struct CMUnitTest tests[COUNT(measured) + COUNT(derived) + COUNT(mig) + 2];
    size_t count = 0;

    ADD(measured, reads_as_driver)
    ADD(derived, reads_as_driver)
    ADD(mig, reads_slices)
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(reads_as_h200s_did);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(reads_without_names);
    return _cmocka_run_group_tests("visible devices", tests, count, NULL, NULL);
}
