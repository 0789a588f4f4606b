/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: what is refused is refused with a sentence; what is taken can be decided, and is written
 * as JSON that reads back as the same question with the same answer. Behind a line "%%" in the input
 * stand settings, one a line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/nvfp4moe.h>

#define REQUIRE(claim)                                                                             \
    do {                                                                                           \
        if (!(claim))                                                                              \
            abort();                                                                               \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(nvfp4_status status, const nvfp4_error *error)
{
    char text[2048];
    REQUIRE(error->status == (int32_t)status);
    REQUIRE(error->message[0] != '\0' && memchr(error->message, '\0', sizeof error->message));
    REQUIRE(error->line >= 0 && error->column >= 0);
    const size_t length = nvfp4_explain_invalid_json(error, text, sizeof text);
    REQUIRE(length < sizeof text && text[length - 1] == '}');
}

static nvfp4_status read_text(nvfp4_request *request, const char *text, size_t length, int json,
                              nvfp4_error *error)
{
    nvfp4_request_text t = NVFP4_REQUEST_TEXT_INIT;
    t.text = text;
    t.length = length;
    t.json = json;
    return nvfp4_request_parse(request, &t, error);
}

static char *print(const nvfp4_request *request, size_t *length)
{
    *length = nvfp4_request_to_json(request, NULL, 0);
    char *const text = malloc(*length + 1);
    REQUIRE(text != NULL);
    REQUIRE(nvfp4_request_to_json(request, text, *length + 1) == *length);
    REQUIRE(strlen(text) == *length);
    return text;
}

static uint64_t decide(const nvfp4_request *request)
{
    char answer[1024];
    size_t length = 0;
    uint64_t fingerprint = 0;
    const nvfp4_moe_layer *const layer = nvfp4_request_layer(request);
    const nvfp4_deployment *const deployment = nvfp4_request_deployment(request);
    const nvfp4_policy *const policy = nvfp4_request_policy(request);
    REQUIRE(nvfp4_explain_json(layer, deployment, policy, NULL, answer, sizeof answer, &length) ==
            NVFP4_OK);
    REQUIRE(length > 0 && memcmp(answer, "{\"status\":\"", 11) == 0);
    REQUIRE(nvfp4_fingerprint(layer, deployment, policy, &fingerprint) == NVFP4_OK);
    return fingerprint;
}

static void check_taken(const nvfp4_request *request)
{
    const uint64_t fingerprint = decide(request);
    nvfp4_request *again;
    nvfp4_error error;
    size_t length, second_length;
    char *const text = print(request, &length);
    REQUIRE(nvfp4_request_new(&again) == NVFP4_OK);
    REQUIRE(read_text(again, text, length, 1, &error) == NVFP4_OK);
    REQUIRE(nvfp4_request_resolve(again, &error) == NVFP4_OK);
    char *const second = print(again, &second_length);
    REQUIRE(length == second_length && memcmp(text, second, length) == 0);
    REQUIRE(decide(again) == fingerprint);
    free(second);
    free(text);
    nvfp4_request_destroy(again);
}

/* Settings, a line each; the first that is refused ends them. */
static nvfp4_status set_all(nvfp4_request *request, const char *text, size_t length,
                            nvfp4_error *error)
{
    nvfp4_status status = NVFP4_OK;
    while (length > 0 && status == NVFP4_OK) {
        const char *const end = memchr(text, '\n', length);
        const size_t size = end != NULL ? (size_t)(end - text) : length;
        char *const line = malloc(size + 1);
        REQUIRE(line != NULL);
        memcpy(line, text, size);
        line[size] = '\0';
        status = nvfp4_request_set(request, line, NULL, error);
        free(line);
        text += end != NULL ? size + 1 : size;
        length -= end != NULL ? size + 1 : size;
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "\n%%\n";
    const char *const text = (const char *)data;
    nvfp4_request *request;
    nvfp4_error error;
    size_t length = 0;
    while (length + 4 <= size && memcmp(text + length, mark, 4) != 0)
        length++;
    const int has_settings = length + 4 <= size;
    if (!has_settings)
        length = size;
    REQUIRE(nvfp4_request_new(&request) == NVFP4_OK);
    nvfp4_status status = read_text(request, text, length, 0, &error);
    if (status == NVFP4_OK && has_settings)
        status = set_all(request, text + length + 4, size - length - 4, &error);
    if (status == NVFP4_OK)
        status = nvfp4_request_resolve(request, &error);
    if (status == NVFP4_OK)
        check_taken(request);
    else
        check_error(status, &error);
    nvfp4_request_destroy(request);
    return 0;
}
