/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the files hold, reading them takes no more memory than model.h says: each is read by a
 * process of its own, whose largest size is measured. */
#define _DEFAULT_SOURCE /* mkdtemp(), getrusage() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvfp4moe/model.h>

/* A sanitizer has memory of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEASURED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
#define MEASURED 0
#endif
#endif
#ifndef MEASURED
#define MEASURED 1
#endif

#define BOUND_KIB (64L << 10)

/* `head`, `times` times `piece` ("%lu": its number), and `tail`. */
struct text {
    const char *head, *piece;
    size_t times;
    const char *tail;
};

struct row {
    const char *name;
    struct text config, quant; /* head NULL: there is no such file */
    nvfp4_status status;
};

#define HEAD "{\"model_type\":\"x\",\"hidden_size\":1,"
#define LONG "1234567890123456789012345678901234567890"
#define NONE { NULL, NULL, 0, NULL }

static const struct row rows[] = {
    { "values", { HEAD "\"a\":[0", ",0", 399900, "]}" }, NONE, NVFP4_OK },
    { "too many values", { HEAD "\"a\":[0", ",0", 1000000, "]}" }, NONE, NVFP4_ELIMIT },
    { "keys", { HEAD "\"a\":0", ",\"k%lu\":1", 399900, "}" }, NONE, NVFP4_OK },
    { "the same key", { HEAD "\"a\":0", ",\"k\":1", 399900, "}" }, NONE, NVFP4_OK },
    { "lists", { HEAD "\"a\":[0", ",[]", 399900, "]}" }, NONE, NVFP4_OK },
    { "a large text", { HEAD "\"a\":\"", "abcdefgh", 1500000, "\"}" }, NONE, NVFP4_OK },
    { "a text too large", { HEAD "\"a\":\"", "abcdefgh", 1700000, "\"}" }, NONE, NVFP4_ELIMIT },
    { "long numbers", { HEAD "\"a\":[0", "," LONG, 300000, "]}" }, NONE, NVFP4_OK },
    { "keys with long numbers", { HEAD "\"a\":0", ",\"\":" LONG, 280000, "}" }, NONE, NVFP4_OK },
    { "two files",
      { HEAD "\"a\":0", ",\"k%lu\":1", 199900, "}" },
      { "{\"quantization\":{\"a\":0", ",\"k%lu\":1", 199900, "}}" },
      NVFP4_OK },
    { "two files, too many values",
      { HEAD "\"a\":0", ",\"k%lu\":1", 399900, "}" },
      { "{\"quantization\":{\"a\":0", ",\"k%lu\":1", 199900, "}}" },
      NVFP4_ELIMIT },
    { "two files, too large",
      { HEAD "\"a\":\"", "abcdefgh", 1000000, "\"}" },
      { "{\"a\":\"", "abcdefgh", 1000000, "\"}" },
      NVFP4_ELIMIT },
};

static void write_text(const char *folder, const char *name, const struct text *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text->head, file);
    const int numbered = strstr(text->piece, "%lu") != NULL;
    for (size_t i = 0; i < text->times; i++) {
        if (numbered)
            fprintf(file, text->piece, (unsigned long)i);
        else
            fputs(text->piece, file);
    }
    fputs(text->tail, file);
    assert_int_equal(fclose(file), 0);
}

/* In the child: 0 if the folder is read as it should be and in the memory that there is. */
static int read_folder(const char *folder, nvfp4_status status)
{
    nvfp4_model *model = NULL;
    nvfp4_error error;
    struct rusage usage;
    if (nvfp4_model_read(folder, &model, &error) != status)
        return 1;
    nvfp4_model_free(model);
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 2;
    long kib = usage.ru_maxrss;
#ifdef __APPLE__
    kib /= 1024; /* bytes there */
#endif
    if (!MEASURED || kib <= BOUND_KIB)
        return 0;
    fprintf(stderr, "%ld KiB\n", kib);
    return 3;
}

static void takes_little(void **state)
{
    const struct row *const row = *state;
    char folder[] = "/tmp/nvfp4-peak-XXXXXX", path[256];
    int status = -1;
    assert_non_null(mkdtemp(folder));
    write_text(folder, "config.json", &row->config);
    if (row->quant.head != NULL)
        write_text(folder, "hf_quant_config.json", &row->quant);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(read_folder(folder, row->status));
    const int ended = child > 0 && waitpid(child, &status, 0) == child;
    snprintf(path, sizeof path, "%s/config.json", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/hf_quant_config.json", folder);
    remove(path);
    rmdir(folder);
    assert_true(ended && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define COUNT (sizeof rows / sizeof rows[0])

int main(void)
{
    static struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = takes_little,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    return _cmocka_run_group_tests("peak", tests, COUNT, NULL, NULL);
}
