/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- what is asked ---- */

static nvfp4_deployment usual = NVFP4_DEPLOYMENT_INIT, explicit_cutlass = NVFP4_DEPLOYMENT_INIT;
static nvfp4_matrix_policy rules[3], insists[1];
static nvfp4_matrix_row rows[3], many_rows[40], hostile_rows[1];
static const char *const boards[] = { "NVIDIA H100", "a \"b\",\n<c> & 'd' | \xff\\" };
static nvfp4_matrix_column columns[4], many_columns[20];
static char long_names[40][160];

static nvfp4_moe_layer layer_of(int activation, double limit)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    layer.activation = activation;
    layer.swiglu_limit = limit;
    layer.has = limit > 0 ? NVFP4_HAS_SWIGLU_LIMIT : 0;
    return layer;
}

static nvfp4_device_key sm(nvfp4_sm n)
{
    return (nvfp4_device_key){ NVFP4_VENDOR_NVIDIA, n, "" };
}

static nvfp4_matrix make(size_t row_count, size_t policy_count)
{
    nvfp4_matrix m = NVFP4_MATRIX_INIT;
    m.rows = rows;
    m.row_count = row_count;
    m.columns = columns;
    m.column_count = COUNT(columns);
    m.policies = rules;
    m.policy_count = policy_count;
    return m;
}

static int set_up(void **state)
{
    (void)state;
    rules[0] = (nvfp4_matrix_policy){ nvfp4_policy_builtin("vllm-45836"), &usual };
    rules[1] = (nvfp4_matrix_policy){ nvfp4_policy_builtin("vllm-46492"), &usual };
    rules[2] = (nvfp4_matrix_policy){ NULL, &usual };
    explicit_cutlass.requested = NVFP4_BACKEND_FLASHINFER_CUTLASS;
    insists[0] = (nvfp4_matrix_policy){ nvfp4_policy_builtin("vllm-45836"), &explicit_cutlass };
    rows[0] = (nvfp4_matrix_row){ "plain", "", NULL, layer_of(NVFP4_ACTIVATION_SILU, 0) };
    rows[1] =
        (nvfp4_matrix_row){ "clamped", "limit 10", NULL, layer_of(NVFP4_ACTIVATION_SILU, 10) };
    rows[2] = (nvfp4_matrix_row){ "dense", "", "no MoE layers: fp8", layer_of(0, 0) };
    hostile_rows[0] = (nvfp4_matrix_row){ boards[1], boards[1], NULL, layer_of(0, 0) };
    columns[0] = (nvfp4_matrix_column){ sm(80), NULL, 0 };
    columns[1] = (nvfp4_matrix_column){ sm(90), boards, 1 };
    columns[2] = (nvfp4_matrix_column){ sm(120), NULL, 0 };
    columns[3] = (nvfp4_matrix_column){ { NVFP4_VENDOR_AMD, 0, "" }, NULL, 0 };
    for (size_t i = 0; i < COUNT(many_columns); i++)
        many_columns[i] = (nvfp4_matrix_column){ sm((nvfp4_sm)(i % 2 ? 90 : 100)), NULL, 0 };
    for (size_t i = 0; i < COUNT(many_rows); i++) {
        snprintf(long_names[i], sizeof long_names[i], "a-model-with-a-very-long-name-%zu-%s", i,
                 "and-then-some-more-of-it-so-that-it-cannot-fit-anywhere");
        many_rows[i] = (nvfp4_matrix_row){ long_names[i], "silu, limit 10.0", NULL,
                                           layer_of(NVFP4_ACTIVATION_SILU, 10) };
    }
    return 0;
}

/* A format as text of its own, with every buffer size checked on the way. */
static char *write_form(const nvfp4_matrix *m, nvfp4_matrix_output form)
{
    size_t length = 0, again = 0;
    void *memory = form == NVFP4_MATRIX_HTML ? malloc(NVFP4_MATRIX_MEMORY) : NULL;
    assert_int_equal(nvfp4_matrix_write(m, form, memory, NVFP4_MATRIX_MEMORY, NULL, 0, &length),
                     NVFP4_OK);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(
        nvfp4_matrix_write(m, form, memory, NVFP4_MATRIX_MEMORY, text, length + 1, &again),
        NVFP4_OK);
    assert_int_equal(again, length);
    assert_int_equal(strlen(text), length);
    if (length > 10) {
        char part[10];
        assert_int_equal(
            nvfp4_matrix_write(m, form, memory, NVFP4_MATRIX_MEMORY, part, sizeof part, &again),
            NVFP4_OK);
        assert_int_equal(again, length);
        assert_memory_equal(part, text, 9);
        assert_int_equal(part[9], 0);
    }
    free(memory);
    return text;
}

/* ---- whole texts ---- */

struct whole {
    const char *name;
    nvfp4_matrix_output form;
    size_t rows, policies;
    const char *text;
};

static const struct whole wholes[] = {
    { "text", NVFP4_MATRIX_TEXT, 3, 1,
      "                  SM 80-90            SM 120              amd\n"
      "plain             MARLIN*             FLASHINFER_CUTLASS  EMULATION\n"
      "clamped, limit 10 MARLIN*             MARLIN*             no backend\n"
      "dense             no MoE layers: fp8\n"
      "\n"
      "* runs with 16-bit activations\n" },
    { "text of two policies", NVFP4_MATRIX_TEXT, 2, 2,
      "                             SM 80-90            SM 120              amd\n"
      "plain             vllm-45836 MARLIN*             FLASHINFER_CUTLASS  EMULATION\n"
      "                  vllm-46492 MARLIN*             FLASHINFER_CUTLASS  EMULATION\n"
      "clamped, limit 10 vllm-45836 MARLIN*             MARLIN*             no backend\n"
      "                  vllm-46492 MARLIN*             FLASHINFER_CUTLASS! no backend\n"
      "\n"
      "* runs with 16-bit activations\n"
      "! not what vllm-45836 chooses\n" },
    { "Markdown", NVFP4_MATRIX_MARKDOWN, 3, 2,
      "| layer | SM 80-90 | SM 120 | amd |\n"
      "|---|---|---|---|\n"
      "| plain | MARLIN\\* | FLASHINFER\\_CUTLASS | EMULATION |\n"
      "| clamped, limit 10 | MARLIN\\* | MARLIN\\* / FLASHINFER\\_CUTLASS | no backend |\n"
      "| dense (no MoE layers: fp8) | - | - | - |\n"
      "\nPolicies: vllm-45836 / vllm-46492. \\* runs with 16-bit activations.\n" },
    { "CSV", NVFP4_MATRIX_CSV, 3, 1,
      "name,detail,vendor,sm,gpu,policy,status,backend,kernel,scheme\r\n"
      "plain,,nvidia,80,,vllm-45836,ok,MARLIN,,w4a16\r\n"
      "plain,,nvidia,90,NVIDIA H100,vllm-45836,ok,MARLIN,,w4a16\r\n"
      "plain,,nvidia,120,,vllm-45836,ok,FLASHINFER_CUTLASS,,w4a4\r\n"
      "plain,,amd,,,vllm-45836,ok,EMULATION,,w4a4\r\n"
      "clamped,limit 10,nvidia,80,,vllm-45836,ok,MARLIN,,w4a16\r\n"
      "clamped,limit 10,nvidia,90,NVIDIA H100,vllm-45836,ok,MARLIN,,w4a16\r\n"
      "clamped,limit 10,nvidia,120,,vllm-45836,ok,MARLIN,,w4a16\r\n"
      "clamped,limit 10,amd,,,vllm-45836,no_backend,,,\r\n"
      "dense,,nvidia,80,,vllm-45836,not_asked,,,\r\n"
      "dense,,nvidia,90,NVIDIA H100,vllm-45836,not_asked,,,\r\n"
      "dense,,nvidia,120,,vllm-45836,not_asked,,,\r\n"
      "dense,,amd,,,vllm-45836,not_asked,,,\r\n" },
    { "JSON", NVFP4_MATRIX_JSON, 1, 1,
      "{\"policies\":[\"vllm-45836\"],\"columns\":[{\"vendor\":\"nvidia\",\"sm\":80,\"gpus\":[]},"
      "{\"vendor\":\"nvidia\",\"sm\":90,\"gpus\":[\"NVIDIA H100\"]},"
      "{\"vendor\":\"nvidia\",\"sm\":120,\"gpus\":[]},{\"vendor\":\"amd\",\"sm\":null,\"gpus\":[]}]"
      ","
      "\"rows\":[{\"name\":\"plain\",\"detail\":\"\",\"reason\":null,\"answers\":{\"vllm-45836\":["
      "{\"status\":\"ok\",\"backend\":\"MARLIN\",\"kernel\":\"\",\"scheme\":\"w4a16\"},"
      "{\"status\":\"ok\",\"backend\":\"MARLIN\",\"kernel\":\"\",\"scheme\":\"w4a16\"},"
      "{\"status\":\"ok\",\"backend\":\"FLASHINFER_CUTLASS\",\"kernel\":\"\",\"scheme\":\"w4a4\"},"
      "{\"status\":\"ok\",\"backend\":\"EMULATION\",\"kernel\":\"\",\"scheme\":\"w4a4\"}]}}]}" },
};

static void is_written(void **state)
{
    const struct whole *w = *state;
    const nvfp4_matrix m = make(w->rows, w->policies);
    char *text = write_form(&m, w->form);
    assert_string_equal(text, w->text);
    free(text);
}

/* ---- parts ---- */

static size_t longest_line(const char *text)
{
    size_t most = 0;
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");
        if (n > 0)
            assert_int_not_equal(text[n - 1], ' ');
        most = n > most ? n : most;
        text += n + (text[n] == '\n');
    }
    return most;
}

static void text_fits_a_terminal(void **state)
{
    nvfp4_matrix m = make(COUNT(rows), 2);
    (void)state;
    m.rows = many_rows;
    m.row_count = COUNT(many_rows);
    m.columns = many_columns;
    m.column_count = COUNT(many_columns);
    char *text = write_form(&m, NVFP4_MATRIX_TEXT);
    assert_true(longest_line(text) <= 100);
    assert_non_null(strstr(text, "FTRT FLASHINFER_TRTLLM   MARL MARLIN\n"));
    assert_non_null(strstr(text, ".."));
    free(text);
}

static void text_is_painted(void **state)
{
    nvfp4_matrix m = make(COUNT(rows), 1);
    (void)state;
    m.color = 1;
    char *text = write_form(&m, NVFP4_MATRIX_TEXT);
    assert_non_null(strstr(text, "\033[33mMARLIN*\033[0m"));
    assert_non_null(strstr(text, "\033[31mno backend\033[0m"));
    free(text);
}

static void text_tells_boards_and_title(void **state)
{
    nvfp4_matrix m = make(1, 1);
    (void)state;
    m.boards = 1;
    m.title = "A title";
    char *text = write_form(&m, NVFP4_MATRIX_TEXT);
    assert_memory_equal(text, "A title\n\n", 9);
    assert_non_null(strstr(text, "\nSM 90: NVIDIA H100\n"));
    free(text);
}

static void refusals_are_told(void **state)
{
    nvfp4_matrix m = make(2, 1);
    (void)state;
    m.policies = insists;
    char *text = write_form(&m, NVFP4_MATRIX_CSV);
    assert_non_null(strstr(text, "clamped,limit 10,nvidia,120,,vllm-45836,refused,,,\r\n"));
    free(text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

static void page_shares_answers(void **state)
{
    nvfp4_matrix m = make(COUNT(rows), 1);
    (void)state;
    m.rows = many_rows;
    m.row_count = COUNT(many_rows);
    m.columns = many_columns;
    m.column_count = COUNT(many_columns);
    char *text = write_form(&m, NVFP4_MATRIX_HTML);
    assert_int_equal(count_of(text, "<button class=\"b"), m.row_count * m.column_count);
    assert_int_equal(count_of(text, "applies no limit, the model has 10.0"), 1);
    assert_true(strlen(text) < 200000);
    free(text);
}

static void hostile_names_are_quoted(void **state)
{
    nvfp4_matrix m = make(1, 1);
    (void)state;
    m.rows = hostile_rows;
    columns[1].boards = boards + 1;
    m.title = "</title><script>";
    char *text = write_form(&m, NVFP4_MATRIX_HTML);
    assert_null(strstr(text, "<c>"));
    assert_null(strstr(text, "</title><script>"));
    assert_int_equal(count_of(text, "</script>"), 2);
    assert_int_equal(count_of(text, "<script"), 2);
    free(text);
    text = write_form(&m, NVFP4_MATRIX_CSV);
    assert_non_null(strstr(text, "\"a \"\"b\"\",\n<c> & 'd' | \xff\\\","));
    free(text);
    text = write_form(&m, NVFP4_MATRIX_MARKDOWN);
    assert_non_null(strstr(text, "| a \"b\", \\<c\\> \\& 'd' \\| "));
    free(text);
    text = write_form(&m, NVFP4_MATRIX_JSON);
    assert_non_null(strstr(text, "\"a \\\"b\\\",\\u000a<c> & 'd' | \\ufffd\\\\\""));
    free(text);
    text = write_form(&m, NVFP4_MATRIX_TEXT);
    assert_non_null(strstr(text, "a \"b\",?<c>"));
    free(text);
    columns[1].boards = boards;
}

static void bad_input_is_refused(void **state)
{
    const nvfp4_matrix good = make(1, 1);
    nvfp4_matrix m = good;
    char memory[64], buffer[64];
    size_t length = 77;
    (void)state;
    assert_int_equal(nvfp4_matrix_write(NULL, NVFP4_MATRIX_TEXT, NULL, 0, NULL, 0, &length),
                     NVFP4_EINVAL);
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_TEXT, NULL, 0, NULL, 1, &length),
                     NVFP4_EINVAL);
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_TEXT, NULL, 0, buffer, 64, NULL),
                     NVFP4_EINVAL);
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_OUTPUT_COUNT, NULL, 0, NULL, 0, &length),
                     NVFP4_EINVAL);
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_HTML, NULL, 0, NULL, 0, &length),
                     NVFP4_ENOMEM);
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_HTML, memory, 64, NULL, 0, &length),
                     NVFP4_ENOMEM);
    m.policy_count = 0;
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_TEXT, NULL, 0, NULL, 0, &length),
                     NVFP4_EINVAL);
    m = good;
    m.struct_size = 8;
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_TEXT, NULL, 0, NULL, 0, &length),
                     NVFP4_EABI);
    m = good;
    columns[0].device.sm = 3;
    assert_int_equal(nvfp4_matrix_write(&m, NVFP4_MATRIX_TEXT, NULL, 0, NULL, 0, &length),
                     NVFP4_EINVAL);
    columns[0].device.sm = 80;
    assert_int_equal(length, 77);
}

/* The page runs out of memory at any size without harm. */
static void page_needs_memory(void **state)
{
    const nvfp4_matrix m = make(3, 2);
    size_t length = 0;
    char *memory = malloc(NVFP4_MATRIX_MEMORY);
    (void)state;
    assert_non_null(memory);
    nvfp4_status status = NVFP4_ENOMEM;
    size_t size = 0;
    for (; status == NVFP4_ENOMEM && size < NVFP4_MATRIX_MEMORY; size += 977)
        status = nvfp4_matrix_write(&m, NVFP4_MATRIX_HTML, memory, size, NULL, 0, &length);
    assert_int_equal(status, NVFP4_OK);
    assert_true(length > 0);
    free(memory);
}

/* ---- side by side ---- */

static char *compare(size_t count, int json)
{
    const nvfp4_moe_layer layer = layer_of(NVFP4_ACTIVATION_SILU, 10);
    const nvfp4_device_key device = sm(120);
    size_t length = 0, again = 0;
    assert_int_equal(json ? nvfp4_compare_json(&layer, &device, rules, count, NULL, 0, &length)
                          : nvfp4_compare_text(&layer, &device, rules, count, 0, NULL, 0, &length),
                     NVFP4_OK);
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t capacity = length + 1; capacity > 0; capacity = capacity * 3 / 4) {
        char *part = malloc(capacity);
        assert_non_null(part);
        if (json)
            nvfp4_compare_json(&layer, &device, rules, count, part, capacity, &again);
        else
            nvfp4_compare_text(&layer, &device, rules, count, 0, part, capacity, &again);
        assert_int_equal(again, length);
        assert_int_equal(strlen(part), capacity - 1);
        if (capacity == length + 1)
            memcpy(text, part, capacity);
        else
            assert_memory_equal(part, text, capacity - 1);
        free(part);
    }
    return text;
}

static void policies_are_compared(void **state)
{
    (void)state;
    char *text = compare(2, 0);
    assert_string_equal(text,
                        "vllm-45836  MARLIN, runs w4a16\n"
                        "vllm-46492  FLASHINFER_CUTLASS\n"
                        "\n"
                        "Judged differently\n"
                        "\n"
                        "FLASHINFER_CUTLASS\n"
                        "  vllm-45836  clamp              applies no limit, the model has 10.0\n"
                        "  vllm-46492  fits\n");
    free(text);
    text = compare(3, 0);
    assert_non_null(strstr(text, "kernels-2026-11  FLASHINFER_CUTLASS\n"));
    assert_non_null(strstr(text, "\nB12X\n  vllm-45836       does not know it\n"));
    assert_true(longest_line(text) <= 100);
    free(text);
    text = compare(1, 0);
    assert_string_equal(text, "vllm-45836  MARLIN, runs w4a16\n");
    free(text);
    rules[1] = rules[0];
    text = compare(2, 0);
    assert_non_null(strstr(text, "\nEvery kernel is judged alike.\n"));
    free(text);
    set_up(NULL);
}

static void policies_are_compared_as_json(void **state)
{
    (void)state;
    char *text = compare(2, 1);
    assert_memory_equal(text, "{\"answers\":[{\"status\":\"ok\",\"backend\":\"MARLIN\"", 45);
    assert_non_null(strstr(text, "},{\"status\":\"ok\",\"backend\":\"FLASHINFER_CUTLASS\""));
    assert_string_equal(text + strlen(text) - 16, "],\"differ\":true}");
    free(text);
    text = compare(1, 1);
    assert_string_equal(text + strlen(text) - 17, "],\"differ\":false}");
    free(text);
}

int main(void)
{
    struct CMUnitTest tests[32];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(wholes); i++)
        tests[n++] = (struct CMUnitTest){ .name = wholes[i].name,
                                          .test_func = is_written,
                                          .initial_state = (void *)(uintptr_t)&wholes[i] };
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(text_fits_a_terminal);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(text_is_painted);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(text_tells_boards_and_title);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(refusals_are_told);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(page_shares_answers);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(hostile_names_are_quoted);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(bad_input_is_refused);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(page_needs_memory);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(policies_are_compared);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(policies_are_compared_as_json);
    return _cmocka_run_group_tests("matrix", tests, n, set_up, NULL);
}
