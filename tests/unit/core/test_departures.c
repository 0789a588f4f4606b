/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every place where the kernels' own truth decides otherwise than vLLM, over the golden requests, traced
 * to the row or erratum that does it. tests/golden/default-vs-vllm.txt keeps the list; run this test with
 * NVFP4_UPDATE_GOLDEN=1 to write it anew after a change of the rows.
 */
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS_MAX = 512, FINDINGS_MAX = 64 };

struct group {
    char text[1024];
    int count;
};

static struct group groups[GROUPS_MAX];
static size_t group_count;
static int unexplained;

static void add(char *text, size_t size, const char *more)
{
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s", more);
}

static void add_kernel(char *text, size_t size, const nvfp4_policy *p, int kernel)
{
    nvfp4_kernel_info info;
    if (kernel < 0 || nvfp4_policy_kernel(p, (size_t)kernel, &info) != NVFP4_OK) {
        add(text, size, "nothing");
        return;
    }
    add(text, size, info.backend_name);
    add(text, size, info.kernel_name[0] != '\0' ? "/" : "");
    add(text, size, info.kernel_name);
}

/* The same kernel under another policy, by its names. */
static int kernel_in(const nvfp4_policy *to, const nvfp4_policy *from, int kernel)
{
    nvfp4_kernel_info a, b;
    if (kernel < 0)
        return -1;
    nvfp4_policy_kernel(from, (size_t)kernel, &a);
    for (size_t i = 0; nvfp4_policy_kernel(to, i, &b) == NVFP4_OK; i++)
        if (a.backend == b.backend && strcmp(a.kernel_name, b.kernel_name) == 0)
            return (int)i;
    return -1;
}

/* Reasons that `in` gives against the kernel and `other` does not, with their evidence. */
static int add_reasons(char *text, size_t size, const struct golden_row *row, const nvfp4_policy *in,
                       const nvfp4_policy *other, int kernel, int their_kernel)
{
    nvfp4_finding findings[FINDINGS_MAX];
    nvfp4_verdicts theirs = NVFP4_VERDICTS_INIT;
    nvfp4_kernel_info info;
    size_t count = 0;
    int told = 0;
    nvfp4_judge(&row->layer, &row->deployment, other, &theirs);
    nvfp4_policy_kernel(in, (size_t)kernel, &info);
    nvfp4_list_findings(&row->layer, &row->deployment, in, kernel, findings, FINDINGS_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        const nvfp4_finding *f = &findings[i];
        if (theirs.reasons[their_kernel] & NVFP4_REASON_BIT(f->reason))
            continue;
        add(text, size, "\n    ");
        add(text, size, nvfp4_policy_name(in));
        add(text, size, " rules it out: ");
        add(text, size, nvfp4_reason_name((nvfp4_reason)f->reason));
        if (f->reason == NVFP4_REASON_ERRATUM) {
            add(text, size, " ");
            add(text, size, f->subject);
        }
        add(text, size, "\n      ");
        add(text, size, f->source != NULL ? f->source : info.source);
        told++;
    }
    return told;
}

static void count_group(const char *text)
{
    for (size_t i = 0; i < group_count; i++)
        if (strcmp(groups[i].text, text) == 0) {
            groups[i].count++;
            return;
        }
    assert_true(group_count < GROUPS_MAX);
    snprintf(groups[group_count].text, sizeof groups[0].text, "%s", text);
    groups[group_count++].count = 1;
}

static void compare_row(const struct golden_row *row, const nvfp4_policy *vllm, const nvfp4_policy *ours)
{
    nvfp4_selection a = { 0, -1, 0, 0 }, b = { 0, -1, 0, 0 };
    char text[1024] = "";
    nvfp4_select_backend(&row->layer, &row->deployment, vllm, &a);
    nvfp4_select_backend(&row->layer, &row->deployment, ours, &b);
    if (kernel_in(ours, vllm, a.kernel) == b.kernel)
        return;
    add_kernel(text, sizeof text, vllm, a.kernel);
    add(text, sizeof text, " -> ");
    add_kernel(text, sizeof text, ours, b.kernel);
    int told = 0;
    if (a.kernel >= 0)
        told += add_reasons(text, sizeof text, row, ours, vllm, kernel_in(ours, vllm, a.kernel), a.kernel);
    if (b.kernel >= 0)
        told += add_reasons(text, sizeof text, row, vllm, ours, kernel_in(vllm, ours, b.kernel), b.kernel);
    if (told == 0) {
        print_error("line %d: %s, unexplained\n", row->line, text);
        unexplained++;
    }
    count_group(text);
}

static int by_count(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->count != y->count ? y->count - x->count : strcmp(x->text, y->text);
}

static void every_departure_has_its_row(void **state)
{
    static char now[262144], kept[262144];
    const nvfp4_policy *vllm = nvfp4_policy_builtin("vllm"), *ours = nvfp4_policy_builtin("default");
    struct golden_table table = golden_read("vllm-52018");
    size_t compared = 0;
    (void)state;
    for (size_t i = 0; i < table.count; i++) {
        const struct golden_row *row = &table.rows[i];
        if (!row->in_contract || !row->word_known)
            continue;
        compare_row(row, vllm, ours);
        compared++;
    }
    golden_free(&table);
    qsort(groups, group_count, sizeof groups[0], by_count);
    size_t n = (size_t)snprintf(now, sizeof now,
                                "%s against %s over %zu golden requests: the winner differs as follows.\n",
                                nvfp4_policy_name(ours), nvfp4_policy_name(vllm), compared);
    for (size_t i = 0; i < group_count; i++)
        n += (size_t)snprintf(now + n, sizeof now - n, "\n%d x %s\n", groups[i].count, groups[i].text);
    assert_true(n < sizeof now);
    assert_int_equal(unexplained, 0);

    const char *path = NVFP4_GOLDEN_DIR "/default-vs-vllm.txt";
    const int update = getenv("NVFP4_UPDATE_GOLDEN") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    assert_non_null(file);
    if (update)
        fputs(now, file);
    else
        kept[fread(kept, 1, sizeof kept - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    if (!update && strcmp(now, kept) != 0)
        print_error("%s is out of date; NVFP4_UPDATE_GOLDEN=1 writes it anew:\n%s", path, now);
    assert_true(update || strcmp(now, kept) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_departure_has_its_row) };
    return cmocka_run_group_tests_name("departures", tests, NULL, NULL);
}
