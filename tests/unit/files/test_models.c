/* SPDX-License-Identifier: Apache-2.0 */
/* Whole checkpoints against their golden files; `--write` writes the golden files anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

static const char *const names[] = {
#include "models.inc"
};

#define COUNT (sizeof names / sizeof names[0])

static void path_of(const char *name, const char *file, char path[512])
{
    snprintf(path, 512, "%s/models/%s%s%s", NVFP4_TEST_DATA, name, file[0] != '\0' ? "/" : "",
             file);
}

/* What the reader says of a folder, with a line end; to be freed. */
static char *read_json(const char *name)
{
    char path[512];
    nvfp4_model *model = NULL;
    nvfp4_error error;
    path_of(name, "", path);
    if (nvfp4_model_read(path, &model, &error) != NVFP4_OK) {
        print_error("%s:%d:%d: %s\n", error.file, error.line, error.column, error.message);
        return NULL;
    }
    const size_t length = nvfp4_model_to_json(model, NULL, 0);
    char *const json = malloc(length + 2);
    assert_int_equal(nvfp4_model_to_json(model, json, length + 1), length);
    nvfp4_model_free(model);
    memcpy(json + length, "\n", 2);
    return json;
}

static void is_read_as_before(void **state)
{
    const char *const name = *state;
    static char golden[1 << 16];
    char path[512];
    path_of(name, "golden.json", path);
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is missing; write it with --write", path);
    golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
    fclose(file);
    char *const json = read_json(name);
    assert_non_null(json);
    assert_string_equal(json, golden);
    free(json);
}

/* Whatever the checkpoint: a text for people that fits a screen, and a cut that is a front of it.
 */
static void fits_a_screen(void **state)
{
    char path[512];
    nvfp4_model *model = NULL;
    path_of(*state, "", path);
    assert_int_equal(nvfp4_model_read(path, &model, NULL), NVFP4_OK);
    char text[4096], front[100];
    const size_t length = nvfp4_model_to_text(model, text, sizeof text);
    assert_true(length < sizeof text);
    assert_int_equal(text[length - 1], '\n');
    size_t lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    assert_in_range(lines, 2, 12);
    assert_int_equal(nvfp4_model_to_text(model, front, sizeof front), length);
    assert_memory_equal(front, text, sizeof front - 1);
    assert_int_equal(front[sizeof front - 1], '\0');
    nvfp4_model_free(model);
}

static int write_golden(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        char path[512];
        char *const json = read_json(names[i]);
        path_of(names[i], "golden.json", path);
        FILE *const file = json != NULL ? fopen(path, "wb") : NULL;
        if (file == NULL)
            return 1;
        fputs(json, file);
        fclose(file);
        free(json);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[2 * COUNT];
    if (argc > 1 && strcmp(argv[1], "--write") == 0)
        return write_golden();
    for (size_t i = 0; i < COUNT; i++) {
        tests[2 * i] = (struct CMUnitTest){ .name = names[i],
                                            .test_func = is_read_as_before,
                                            .initial_state = (void *)(uintptr_t)names[i] };
        tests[2 * i + 1] = (struct CMUnitTest){ .name = names[i],
                                                .test_func = fits_a_screen,
                                                .initial_state = (void *)(uintptr_t)names[i] };
    }
    return _cmocka_run_group_tests("models", tests, 2 * COUNT, NULL, NULL);
}
