/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_GOLDEN_H
#define NVFP4_TESTS_GOLDEN_H

#include <nvfp4moe/nvfp4moe.h>

/*
 * The golden decision tables: tab-separated rows made by running vLLM's own selector in four states of
 * its history (tests/golden/README.md is the legend). One row, as a request of ours and as what vLLM
 * answered.
 */
struct golden_row {
    const nvfp4_policy *policy;
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    char word[32];      /* the backend's name as the user wrote it */
    char result[32];    /* backend chosen, "-" where vLLM raised */
    char kernel[48];    /* class chosen */
    char reason[16];    /* why it raised */
    char trace[256];    /* automatic: what each backend said until the chosen one */
    int batched;
    int in_contract;    /* 0: not NVFP4, or a limit that no request can hold */
    int word_known;     /* the policy knows `word` */
    int line;
};

struct golden_table {
    struct golden_row *rows;
    size_t count;
};

/* Reads a table; ends the program where it cannot. */
struct golden_table golden_read(const char *policy_name);
void golden_free(struct golden_table *table);

/* The library's kernel name for a class of vLLM's, "" where the backend has one. */
const char *golden_kernel_name(const char *class_name);

#endif
