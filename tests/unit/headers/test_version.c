/* SPDX-License-Identifier: Apache-2.0 */
/* One version: the project's, the headers' and the library's. */
#include <nvfp4moe/version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void version_is_the_projects(void **state)
{
    (void)state;
    assert_string_equal(NVFP4_VERSION_STRING, PROJECT_VERSION);
    assert_int_equal(NVFP4_VERSION_HEX, PROJECT_VERSION_HEX);
    assert_int_equal(nvfp4_version(), PROJECT_VERSION_HEX);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(version_is_the_projects) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
