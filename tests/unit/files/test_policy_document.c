/* SPDX-License-Identifier: Apache-2.0 */
/* The examples in the description of policy files are policy files, and clean ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

static char document[1 << 16];

static void read_document(void)
{
    FILE *const file = fopen(NVFP4_POLICY_README, "rb");
    assert_non_null(file);
    assert_true(fread(document, 1, sizeof document - 1, file) > 0);
    fclose(file);
}

static void examples_load(void **state)
{
    static const char fence[] = "```yaml\n";
    int count = 0;
    (void)state;
    read_document();
    for (char *at = strstr(document, fence); at != NULL; at = strstr(at, fence)) {
        const nvfp4_policy *policy = NULL;
        nvfp4_policy_remark remarks[4];
        nvfp4_error error = { .status = NVFP4_OK };
        size_t found = 0;
        at += strlen(fence);
        const size_t length = (size_t)(strstr(at, "```") - at);
        if (nvfp4_policy_parse(at, length, NULL, &policy, &error) != NVFP4_OK)
            fail_msg("example %d, line %d: %s", count, error.line, error.message);
        assert_int_equal(nvfp4_policy_check_text(at, length, NULL, remarks, 4, &found, &error),
                         NVFP4_OK);
        for (size_t i = 0; i < found && i < 4; i++)
            print_error("example %d, line %d: %s\n", count, remarks[i].line, remarks[i].message);
        assert_int_equal(found, 0);
        nvfp4_policy_free(policy);
        count++;
        at += length + 3;
    }
    assert_int_equal(count, 7);
}

/* The one-line change of vLLM PR 46492 is one line here too: it gives that state's decisions. */
static void one_line_is_one_line(void **state)
{
    static const char text[] = "name: again\nextends: vllm-45836\n"
                               "clamp_set: [FLASHINFER_TRTLLM, MARLIN, FLASHINFER_CUTLASS]\n";
    const nvfp4_policy *policy = NULL;
    (void)state;
    assert_int_equal(nvfp4_policy_parse(text, strlen(text), NULL, &policy, NULL), NVFP4_OK);
    assert_true(nvfp4_policy_hash(policy) == nvfp4_policy_hash(nvfp4_policy_builtin("vllm-46492")));
    nvfp4_policy_free(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_load),
        cmocka_unit_test(one_line_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
