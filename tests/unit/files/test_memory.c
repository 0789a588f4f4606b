/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the readers fails once. Each time the call must say ENOMEM, leave its outputs
 * alone and give back what it had taken; with enough memory it must do what it does elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/model.h>

#include "files/alloc.h"
#include "files/document.h"
#include "files/json_writer.h"

static size_t taken;     /* blocks that were not given back */
static size_t calls;     /* since begin() */
static size_t fail_from; /* the number of the call that fails, and all behind it; 0: none */

static int fails(void)
{
    calls++;
    return fail_from != 0 && calls >= fail_from;
}

static void *take(size_t size)
{
    void *const block = fails() ? NULL : malloc(size);
    if (block != NULL)
        taken++;
    return block;
}

static void *change(void *block, size_t size)
{
    if (block == NULL)
        return take(size);
    return fails() ? NULL : realloc(block, size);
}

static void give_back(void *block)
{
    if (block != NULL)
        taken--;
    free(block);
}

/* The library's seam. */
void *nvfp4_files_malloc(size_t size)
{
    assert_true(size > 0);
    return take(size);
}

void *nvfp4_files_realloc(void *block, size_t size)
{
    return change(block, size);
}

void nvfp4_files_free(void *block)
{
    give_back(block);
}

/*
 * libyaml's own: it calls these through the dynamic linker, which finds ours first. Where it is
 * linked otherwise its allocations do not fail, and nothing is lost but that.
 */
void *yaml_malloc(size_t size);
void *yaml_realloc(void *block, size_t size);
void yaml_free(void *block);

void *yaml_malloc(size_t size)
{
    return take(size > 0 ? size : 1);
}

void *yaml_realloc(void *block, size_t size)
{
    return change(block, size > 0 ? size : 1);
}

void yaml_free(void *block)
{
    give_back(block);
}

static const char json[] =
    "{\"a\": [1, 2.5, \"x\", null], \"b\": {\"c\": true},"
    "\"k0\":0,\"k1\":0,\"k2\":0,\"k3\":0,\"k4\":0,\"k5\":0,\"k6\":0,\"k7\":0,"
    "\"k8\":0,\"k9\":0,\"ka\":0,\"kb\":0,\"kc\":0,\"kd\":0,\"ke\":0,\"kf\":0}";
static const char yaml[] = "a: [1, 2.5, 'x', null]\nb:\n  c: true\n  d: |\n    text\n";

static nvfp4_status parse(const char *text, nvfp4_syntax syntax, nvfp4_error *error)
{
    const nvfp4_document_options options = { .syntax = syntax, .file = "f" };
    nvfp4_document *document = NULL;
    const nvfp4_status status =
        nvfp4_document_parse(text, strlen(text), &options, &document, error);
    assert_int_equal(document == NULL, status != NVFP4_OK);
    nvfp4_document_free(document);
    return status;
}

static nvfp4_status parse_json(nvfp4_error *error)
{
    return parse(json, NVFP4_SYNTAX_JSON, error);
}

static nvfp4_status parse_yaml(nvfp4_error *error)
{
    return parse(yaml, NVFP4_SYNTAX_YAML, error);
}

static nvfp4_status read_file(nvfp4_error *error)
{
    nvfp4_document *document = NULL;
    const nvfp4_status status = nvfp4_document_read(
        NVFP4_TEST_DATA "/models/deepseek-v4-flash-nvfp4/config.json", NULL, &document, error);
    assert_int_equal(document == NULL, status != NVFP4_OK);
    nvfp4_document_free(document);
    return status;
}

static nvfp4_status read_folder(const char *path, nvfp4_error *error)
{
    nvfp4_model *model = NULL;
    const nvfp4_status status = nvfp4_model_read(path, &model, error);
    assert_int_equal(model == NULL, status != NVFP4_OK);
    nvfp4_model_free(model);
    return status;
}

static nvfp4_status read_v4(nvfp4_error *error)
{
    return read_folder(NVFP4_TEST_DATA "/models/deepseek-v4-flash-nvfp4", error);
}

static nvfp4_status read_groups(nvfp4_error *error)
{
    return read_folder(NVFP4_TEST_DATA "/models/glm-5.3-experts-mixed", error);
}

static nvfp4_status read_conflict(nvfp4_error *error)
{
    return read_folder(NVFP4_TEST_DATA "/models/qwen3.6-scheme-conflict", error);
}

static nvfp4_status read_traps(nvfp4_error *error)
{
    return read_folder(NVFP4_TEST_DATA "/models/kimi-k3-mxfp4", error);
}

static nvfp4_status write_json(nvfp4_error *error)
{
    nvfp4_json writer;
    size_t length = 77;
    nvfp4_json_begin_growing(&writer);
    nvfp4_json_open(&writer, '[');
    for (int i = 0; i < 300; i++)
        nvfp4_json_string(&writer, "some text");
    nvfp4_json_close(&writer, ']');
    char *const text = nvfp4_json_take(&writer, &length);
    if (text == NULL) {
        assert_int_equal(length, 77);
        error->status = NVFP4_ENOMEM;
        strcpy(error->message, "out of memory");
        return NVFP4_ENOMEM;
    }
    nvfp4_files_free(text);
    return NVFP4_OK;
}

static const struct row {
    const char *name;
    nvfp4_status (*run)(nvfp4_error *error);
    size_t least; /* allocations that it makes, as a sign that they are seen */
} rows[] = {
    { "JSON", parse_json, 4 },
    { "YAML", parse_yaml, 3 },
    { "a file", read_file, 4 },
    { "a model of two files", read_v4, 12 },
    { "a model with patterns", read_groups, 15 },
    { "a model with warnings", read_conflict, 8 },
    { "a model with traps", read_traps, 8 },
    { "a growing text", write_json, 3 },
};

static void survives(void **state)
{
    const struct row *const row = *state;
    nvfp4_error error;
    taken = calls = fail_from = 0;
    assert_int_equal(row->run(&error), NVFP4_OK);
    assert_int_equal(taken, 0);
    assert_true(calls >= row->least);
    const size_t all = calls;
    for (size_t i = 1; i <= all; i++) {
        memset(&error, 0, sizeof error);
        calls = 0;
        fail_from = i;
        assert_int_equal(row->run(&error), NVFP4_ENOMEM);
        assert_int_equal(error.status, NVFP4_ENOMEM);
        assert_string_equal(error.message, "out of memory");
        assert_int_equal(taken, 0);
    }
    calls = 0;
    fail_from = 0;
    assert_int_equal(row->run(NULL), NVFP4_OK);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = survives,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return _cmocka_run_group_tests("memory", tests, COUNT(rows), NULL, NULL);
}
