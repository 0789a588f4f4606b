/* SPDX-License-Identifier: Apache-2.0 */
/* The first line as a pattern, the rest as a name: an answer, always the same, within its steps. */
#include "fuzz.h"

#include <string.h>

#include "files/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    HOLDS(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    char *const newline = strchr(text, '\n');
    const char *const name = newline != NULL ? newline + 1 : "";
    if (newline != NULL)
        *newline = '\0';
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    if (nvfp4_pattern_make(text, strlen(text), &arena, &pattern) == NVFP4_OK) {
        uint64_t steps = 1000000, again = 1000000, few = 10;
        const int hit = nvfp4_pattern_matches(&pattern, name, &steps);
        HOLDS(hit == 0 || hit == 1);
        HOLDS(nvfp4_pattern_matches(&pattern, name, &again) == hit && again == steps);
        HOLDS(nvfp4_pattern_matches(&pattern, name, &few) == hit || few == 0);
    }
    nvfp4_arena_free(&arena);
    free(text);
    return 0;
}
