/* SPDX-License-Identifier: Apache-2.0 */
/* Requests when memory runs out: at every single allocation, one run each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/nvfp4moe.h>

#include "files/alloc.h"

static long live;   /* blocks that are not given back */
static long fatal;  /* the allocation that fails, from 1; 0: none */
static long number; /* of allocations so far */

static int fails(void)
{
    return ++number == fatal;
}

void *nvfp4_files_malloc(size_t size)
{
    void *const block = fails() ? NULL : malloc(size);
    live += block != NULL;
    return block;
}

void *nvfp4_files_realloc(void *block, size_t size)
{
    void *const larger = fails() ? NULL : realloc(block, size);
    live += larger != NULL && block == NULL;
    return larger;
}

void nvfp4_files_free(void *block)
{
    live -= block != NULL;
    free(block);
}

static const char request_text[] =
    "{\"policy\":\"vllm\",\"backend\":\"marlin\",\"device\":{\"gpu\":\"rtx pro 6000\"},\"deployment\":{"
    "\"devices\":[{\"sm\":120},{\"gpu\":\"h100\"}],\"built_archs\":[\"90a\",\"120f\"],"
    "\"built\":[\"MARLIN\"],\"disable\":[\"EMULATION\"]}}";

/* Everything that a request can be told. */
static nvfp4_status run(nvfp4_error *error)
{
    static const char *const settings[] = { "layer.swiglu_limit=10", "policy=" NVFP4_TEST_DATA "/policies/engine.yaml",
                                            "deployment.moe_runner=loop",
                                            "deployment.devices=[{sm: 90}]" };
    const nvfp4_device_key keys[2] = { { NVFP4_VENDOR_NVIDIA, 90, "" }, { NVFP4_VENDOR_NVIDIA, 100,
        "" } };
    nvfp4_request_text text = NVFP4_REQUEST_TEXT_INIT;
    nvfp4_request *request;
    nvfp4_status status = nvfp4_request_new(&request);
    if (status != NVFP4_OK) {
        error->status = status;
        return status;
    }
    text.text = request_text;
    text.length = sizeof request_text - 1;
    text.json = 1;
    for (int round = 0; round < 2 && status == NVFP4_OK; round++) {
        nvfp4_request_reset(request);
        status = nvfp4_request_parse(request, &text, error);
        if (status == NVFP4_OK)
            status = nvfp4_request_resolve(request, error);
        for (int i = 0; i < 4 && status == NVFP4_OK; i++)
            status = nvfp4_request_set(request, settings[i], NULL, error);
        if (status == NVFP4_OK)
            status = nvfp4_request_resolve(request, error);
        if (status == NVFP4_OK) {
            status = nvfp4_request_set_devices(request, &keys[0], keys, 2, "two");
            error->status = status;
        }
        if (status == NVFP4_OK)
            status = nvfp4_request_resolve(request, error);
    }
    nvfp4_request_destroy(request);
    return status;
}

static void fails_cleanly_at_every_allocation(void **state)
{
    (void)state;
    nvfp4_error error;
    fatal = number = live = 0;
    assert_int_equal(run(&error), NVFP4_OK);
    assert_int_equal(live, 0);
    const long count = number;
    assert_true(count > 20);
    for (long n = 1; n <= count; n++) {
        memset(&error, 0x55, sizeof error);
        number = 0;
        fatal = n;
        assert_int_equal(run(&error), NVFP4_ENOMEM);
        assert_int_equal(error.status, NVFP4_ENOMEM);
        assert_int_equal(live, 0);
    }
}

/* Suggestions are made in memory, too; without it the refusal stays the same. */
static void refuses_without_a_suggestion(void **state)
{
    (void)state;
    nvfp4_error error;
    fatal = number = live = 0;
    for (long n = 0; n < 40; n++) {
        nvfp4_request *request;
        number = 0;
        fatal = n;
        if (nvfp4_request_new(&request) != NVFP4_OK)
            continue;
        if (nvfp4_request_set(request, "device.sm=120", NULL, &error) == NVFP4_OK &&
            nvfp4_request_set(request, "deployment.disable=[FLASHINFER_TRTLLM/mono]", NULL, &error)
                == NVFP4_OK)
            assert_int_not_equal(nvfp4_request_resolve(request, &error), NVFP4_OK);
        nvfp4_request_destroy(request);
        assert_int_equal(live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_cleanly_at_every_allocation),
        cmocka_unit_test(refuses_without_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
