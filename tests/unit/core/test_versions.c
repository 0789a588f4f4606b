/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#include "core/rule.h"

static nvfp4_library_version parse(const char *text)
{
    nvfp4_library_version v = 0;
    if (nvfp4_version_parse(text, &v) != NVFP4_OK) {
        print_error("no version: \"%s\"\n", text);
        fail();
    }
    assert_true(v != NVFP4_LIBRARY_UNKNOWN && v != NVFP4_LIBRARY_ABSENT);
    return v;
}

/* Strictly ascending, as PEP 440 orders them. */
static void order_is_pep_440(void **state)
{
    static const char *const ascending[] = {
        "0.0.dev0", "0.0", "0.2.13", "0.6.8", "0.6.8.post1", "0.6.9.dev20251101", "0.6.9a1",
        "0.6.9b2.dev1", "0.6.9b2", "0.6.9rc1", "0.6.9rc2.dev4", "0.6.9rc2", "0.6.9", "0.6.9.post1.dev1",
        "0.6.9.post1", "0.6.9.1", "0.6.10", "0.6.16rc5", "0.6.16", "0.6.16.post3", "0.6.16.post4",
        "0.6.18rc7", "0.6.18", "0.6.18.post1", "0.7.0", "0.7.2.post1", "1.2.6", "12.8", "12.9", "13.0",
        "13.1", "13.10", "2026.11", "1!0.1",
    };
    (void)state;
    for (size_t i = 1; i < COUNT_OF(ascending); i++)
        if (parse(ascending[i - 1]) >= parse(ascending[i])) {
            print_error("%s is not older than %s\n", ascending[i - 1], ascending[i]);
            fail();
        }
}

static void spellings_are_one_version(void **state)
{
    static const char *const same[][2] = {
        { "0.6.18", "v0.6.18" },       { "0.6.18", " 0.6.18 " },      { "0.6.18", "0.6.18.0" },
        { "0.6.18", "0.6.18+cu130" },  { "0.6.16rc5", "0.6.16-RC5" }, { "0.6.16rc5", "0.6.16.rc.5" },
        { "0.6.16rc5", "0.6.16c5" },   { "0.6.16rc5", "0.6.16pre5" }, { "1.0a0", "1.0alpha" },
        { "1.0b3", "1.0_beta_3" },     { "1.0.post2", "1.0-2" },      { "1.0.post2", "1.0r2" },
        { "1.0.dev3", "1.0dev3" },     { "1.0", "1" },                { "0.6.18", "0.06.018" },
        { "0.6.18.post1", "0.6.18post1+local.7" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(same); i++)
        if (parse(same[i][0]) != parse(same[i][1])) {
            print_error("%s is not %s\n", same[i][1], same[i][0]);
            fail();
        }
}

static void no_versions_are_refused(void **state)
{
    static const char *const bad[] = { "", " ", "v", "x", "1.", "1..2", ".1", "1.0rc1rc2", "1.0 beta 1",
                                       "1.0.post1.post2", "1.0+", "1.0+ ", "1!", "-1", "1.0#", "1,0",
                                       "latest", "1.0.dev1.post2" };
    nvfp4_library_version v = 42;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (nvfp4_version_parse(bad[i], &v) != NVFP4_EINVAL) {
            print_error("taken for a version: \"%s\"\n", bad[i]);
            fail();
        }
    assert_int_equal(v, 42);
    assert_int_equal(nvfp4_version_parse(NULL, &v), NVFP4_EINVAL);
    assert_int_equal(nvfp4_version_parse("1.0", NULL), NVFP4_EINVAL);
    assert_true(parse("99999999999999999999999.1") >= parse("2047.0")); /* the largest that can be told */
}

/* Tables write versions with macros: they must pack as the reader does. */
static void macros_pack_as_the_reader(void **state)
{
    (void)state;
    assert_true(VERSION(0, 6, 18) == parse("0.6.18"));
    assert_true(VERSION(12, 9, 0) == parse("12.9"));
    assert_true(VERSION(13, 10, 0) == parse("13.10"));
    assert_true(VERSION_RC(0, 6, 16, 5) == parse("0.6.16rc5"));
    assert_true(VERSION_POST(0, 6, 8, 2) == parse("0.6.8.post2"));
}

static void printing_reads_back(void **state)
{
    static const char *const texts[] = { "0.6.18", "12.9", "0.6.16rc5", "0.6.8.post1", "1.0a0", "1.0.dev3",
                                         "1.0b2.dev", "0.6.9.1", "2!1.0.post4" };
    char text[64], small[4];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const size_t n = nvfp4_version_print(parse(texts[i]), text, sizeof text);
        assert_int_equal(n, strlen(text));
        assert_true(parse(text) == parse(texts[i]));
    }
    nvfp4_version_print(parse("0.6.18"), text, sizeof text);
    assert_string_equal(text, "0.6.18");
    assert_int_equal(nvfp4_version_print(parse("0.6.18"), small, sizeof small), 6);
    assert_string_equal(small, "0.6");
    assert_int_equal(nvfp4_version_print(parse("0.6.18"), NULL, 0), 6);
    nvfp4_version_print(NVFP4_LIBRARY_ABSENT, text, sizeof text);
    assert_string_equal(text, "absent");
    nvfp4_version_print(NVFP4_LIBRARY_UNKNOWN, text, sizeof text);
    assert_string_equal(text, "unknown");
}

static void targets_run_where_they_run(void **state)
{
    static const struct {
        const char *text;
        nvfp4_sm on[4], not_on[5];
    } rows[] = {
        { "90a", { 90 }, { 80, 89, 100, 120 } },
        { "90", { 90 }, { 89, 100, 80 } },
        { "80", { 80, 86, 89 }, { 75, 90 } },
        { "8.0", { 80, 86, 89 }, { 75, 90 } },
        { "100f", { 100, 103, 107 }, { 90, 110, 120 } },
        { "103f", { 103, 107 }, { 100, 110 } },
        { "100a", { 100 }, { 103, 107 } },
        { "sm_120a", { 120 }, { 121, 100 } },
        { "120f", { 120, 121 }, { 110, 100 } },
        { "12.0f", { 120, 121 }, { 110, 100 } },
        { "101a", { 110, 101 }, { 100, 120 } },
        { "8.0+PTX", { 80, 90, 120 }, { 75 } },
    };
    nvfp4_target t;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(nvfp4_target_parse(rows[i].text, &t), NVFP4_OK);
        for (size_t k = 0; k < 4 && rows[i].on[k] != 0; k++)
            assert_int_equal(nvfp4_target_runs_on(&t, rows[i].on[k]), 1);
        for (size_t k = 0; k < 5 && rows[i].not_on[k] != 0; k++)
            assert_int_equal(nvfp4_target_runs_on(&t, rows[i].not_on[k]), 0);
    }
    static const char *const bad[] = { "", "a", "9", "90b", "90aa", "sm_", "12.", "12.00", "1000", "-90",
                                       "90 ", "90+ptx1" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(nvfp4_target_parse(bad[i], &t), NVFP4_EINVAL);
    assert_int_equal(nvfp4_target_parse(NULL, &t), NVFP4_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_pep_440),          cmocka_unit_test(spellings_are_one_version),
        cmocka_unit_test(no_versions_are_refused),   cmocka_unit_test(macros_pack_as_the_reader),
        cmocka_unit_test(printing_reads_back),       cmocka_unit_test(targets_run_where_they_run),
    };
    return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
