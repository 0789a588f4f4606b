/* SPDX-License-Identifier: Apache-2.0 */
/* Names of GPUs: an answer or a reason, and every proposal is itself understood. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/device.h>

#define REQUIRE(claim)                                                                             \
    do {                                                                                           \
        if (!(claim))                                                                              \
            abort();                                                                               \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_error error;
    const char *names[16];
    size_t count = 0;
    nvfp4_status status;

    REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    status = nvfp4_gpu_find(text, &gpu, &error);
    if (status == NVFP4_OK) {
        REQUIRE(gpu.key.vendor == NVFP4_VENDOR_AMD ? gpu.key.sm == 0 && gpu.key.arch[0] != '\0'
                                                   : gpu.key.sm >= 10 && gpu.key.sm <= 999);
        REQUIRE(gpu.key.sm != 101);
    } else {
        REQUIRE(status == NVFP4_EUNKNOWN || status == NVFP4_EAMBIGUOUS);
        REQUIRE(memchr(error.message, '\0', sizeof error.message) != NULL && error.message[0] != 0);
        REQUIRE(nvfp4_gpu_choices(text, names, 16, &count) == NVFP4_OK && count <= 16);
        for (size_t i = 0; i < count; i++)
            REQUIRE(nvfp4_gpu_find(names[i], &gpu, NULL) == NVFP4_OK);
    }
    free(text);
    return 0;
}
