/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on the files that are named, without a fuzzer. */
#include "fuzz.h"

static int run(const char *path)
{
    FILE *const file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, room = 4096;
    if (file == NULL) {
        perror(path);
        return 1;
    }
    do {
        room *= 2;
        uint8_t *const larger = realloc(data, room);
        if (larger == NULL)
            abort();
        data = larger;
        size += fread(data + size, 1, room - size, file);
    } while (size == room);
    fclose(file);
    /* In memory of just that size, so that a byte too far is one too far for the sanitizer. */
    uint8_t *const exact = realloc(data, size > 0 ? size : 1);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    for (int i = 1; i < argc; i++)
        failed |= run(argv[i]);
    return failed;
}
