/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "files/pattern.h"

/* A pattern against a name: 1 it matches, 0 it does not, or the status with which it is refused. */
static const struct row {
    const char *pattern;
    const char *name;
    int hit;
    nvfp4_status status;
} rows[] = {
#define HIT(p, n) { p, n, 1, NVFP4_OK }
#define MISS(p, n) { p, n, 0, NVFP4_OK }
#define BAD(p, s) { p, "", 0, NVFP4_##s }
    /* names */
    HIT("lm_head", "lm_head"),
    MISS("lm_head", "lm_head2"),
    /* shell patterns */
    HIT("*", ""),
    HIT("*", "a.b"),
    HIT("model.layers.0*", "model.layers.0.mlp.experts"),
    MISS("model.layers.0*", "model.layers.10.mlp.experts"),
    HIT("*.ffn.shared_experts.*", "layers.0.ffn.shared_experts.w1"),
    MISS("*.ffn.shared_experts.*", "layers.0.ffn.experts.0.w1"),
    HIT("*self_attn*", "model.layers.3.self_attn.q_proj"),
    HIT("a*b*c", "aXbYbZc"),
    MISS("a*b*c", "aXbYbZ"),
    HIT("layers.?.mlp", "layers.7.mlp"),
    MISS("layers.?.mlp", "layers.17.mlp"),
    HIT("layers.[0-3].mlp", "layers.2.mlp"),
    MISS("layers.[0-3].mlp", "layers.4.mlp"),
    HIT("layers.[!0-3].mlp", "layers.4.mlp"),
    HIT("a[]]b", "a]b"),
    HIT("a[b", "a[b"),
    MISS("*.mlp", "model.mlp.experts"),
    /* expressions: at the front, their end may lie anywhere */
    HIT("re:model", "model.layers"),
    MISS("re:layers", "model.layers"),
    HIT("re:.*layers", "model.layers.0"),
    HIT("re:.*mlp\\.experts\\..*_proj$", "model.layers.3.mlp.experts.0.up_proj"),
    MISS("re:.*mlp\\.experts\\..*_proj$", "model.layers.3.mlp.experts.0.up_proj.weight"),
    HIT("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.0.mlp.gate_up_proj"),
    MISS("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "model.layers.3.mlp.experts.0.up_proj"),
    HIT("re:^model\\.layers\\.(0|1|2)\\.", "model.layers.2.mlp"),
    MISS("re:^model\\.layers\\.(0|1|2)\\.", "model.layers.20.mlp"),
    HIT("re:.*layers\\.([0-9]|1[0-4])\\..*", "model.layers.14.mlp"),
    MISS("re:.*layers\\.([0-9]|1[0-4])\\..*", "model.layers.15.mlp"),
    HIT("re:a{2,3}$", "aaa"),
    MISS("re:a{2,3}$", "aaaa"),
    HIT("re:a{2}$", "aa"),
    MISS("re:a{2}$", "a"),
    HIT("re:a{,2}$", "a"),
    HIT("re:a{2,}$", "aaaaa"),
    HIT("re:a{x}$", "a{x}"),
    HIT("re:(?:ab)+$", "abab"),
    HIT("re:(?P<layer>\\d+)$", "123"),
    HIT("re:\\w+\\s\\S\\D$", "ab_1 xy"),
    HIT("re:[^.]+$", "abc"),
    MISS("re:[^.]+$", "a.c"),
    HIT("re:[\\]\\-a]+$", "-]a"),
    HIT("re:[]a]+$", "]a"),
    HIT("re:[a-]+$", "a-"),
    HIT("re:\\x41\\.$", "A."),
    HIT("re:.*\\bmlp\\b", "model.mlp.x"),
    MISS("re:.*\\bmlp\\b", "model.mlps"),
    HIT("re:(?!.*shared).*experts", "layers.0.mlp.experts"),
    MISS("re:(?!.*shared).*experts", "layers.0.mlp.shared_experts"),
    HIT("re:.*mlp(?=\\.experts)", "layers.0.mlp.experts"),
    MISS("re:.*mlp(?=\\.experts)", "layers.0.mlp.gate"),
    HIT("re:(?!(?!a)).b", "ab"),
    MISS("re:(?!(?!a)).b", "cb"),
    HIT("re:a|b|", "zzz"),
    HIT("re:(a|b|)$", ""),
    HIT("re:a*?b??c+?", "aabc"),
    HIT("re:", ""),
    HIT("re:(a*)*$", "aaaa"),
    HIT("re:(|a)+$", "aaaa"),
    MISS("re:.", "\n"),
    /* refused */
    BAD("re:(", ESYNTAX),
    BAD("re:)", ESYNTAX),
    BAD("re:[a", ESYNTAX),
    BAD("re:[b-a]", ESYNTAX),
    BAD("re:*a", ESYNTAX),
    BAD("re:a**", ESYNTAX),
    BAD("re:a\\", ESYNTAX),
    BAD("re:[\\", ESYNTAX),
    BAD("re:a{3,2}", ESYNTAX),
    BAD("re:(?P<x", ESYNTAX),
    BAD("re:(a)\\1", EUNKNOWN),
    BAD("re:(?<=a)b", EUNKNOWN),
    BAD("re:(?i)a", EUNKNOWN),
    BAD("re:a*+", EUNKNOWN),
    BAD("re:\\q", EUNKNOWN),
    BAD("re:a{1001}", ELIMIT),
    BAD("re:((a{100}){100}){100}", ELIMIT),
    BAD("re:((a|b|c){90}){90}", ELIMIT), /* full in the middle of a choice */
    BAD("re:(a(?=b{900})|c){90}", ELIMIT),
    BAD("re:(?=(?=(?=a)))", ELIMIT),
    BAD("re:((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))", ELIMIT),
};

static void matches(void **state)
{
    const struct row *const row = *state;
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    uint64_t steps = 1000000;
    const nvfp4_status status =
        nvfp4_pattern_make(row->pattern, strlen(row->pattern), &arena, &pattern);
    assert_int_equal(status, row->status);
    if (status == NVFP4_OK) {
        assert_int_equal(nvfp4_pattern_matches(&pattern, row->name, &steps), row->hit);
        /* and once more: a pattern keeps nothing of its last run */
        assert_int_equal(nvfp4_pattern_matches(&pattern, row->name, &steps), row->hit);
    }
    nvfp4_arena_free(&arena);
}

/* What makes a backtracking matcher run for ever takes a few steps here. */
static void hostile_patterns_stay_cheap(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "re:(a+)+$", "re:(a|a)*b", "re:(.*)*(.*)*(.*)*x", "re:((a*)*)*c", "*a*a*a*a*a*a*a*a*b",
        "re:(?=(a*)*$)(a*)*c",
    };
    char name[2001];
    memset(name, 'a', sizeof name - 1);
    name[2000] = '\0';
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        nvfp4_arena arena = { NULL, 0 };
        nvfp4_pattern pattern;
        const uint64_t budget = (uint64_t)1 << 32;
        uint64_t steps = budget;
        assert_int_equal(
            nvfp4_pattern_make(patterns[i], strlen(patterns[i]), &arena, &pattern), NVFP4_OK);
        (void)nvfp4_pattern_matches(&pattern, name, &steps);
        assert_true(budget - steps < 100000000);
        nvfp4_arena_free(&arena);
    }
}

static void work_is_bounded(void **state)
{
    (void)state;
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    uint64_t steps = 10;
    assert_int_equal(nvfp4_pattern_make("re:.*a.*a$", 10, &arena, &pattern), NVFP4_OK);
    assert_int_equal(nvfp4_pattern_matches(&pattern, "aaaaaaaaaaaaaaaaaaa", &steps), 0);
    assert_true(steps == 0);
    steps = 5;
    assert_int_equal(nvfp4_pattern_make("*a", 2, &arena, &pattern), NVFP4_OK);
    assert_int_equal(nvfp4_pattern_matches(&pattern, "bbbbbbbbbbbbbba", &steps), 0);
    assert_true(steps == 0);
    nvfp4_arena_free(&arena);
}

static void many_choices_are_flat(void **state)
{
    (void)state;
    char text[4100] = "re:";
    size_t length = 3;
    for (int i = 0; i < 1300; i++) {
        text[length++] = (char)('a' + i % 26);
        text[length++] = '|';
    }
    text[length++] = '0';
    text[length] = '\0';
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    uint64_t steps = 1000000;
    assert_int_equal(nvfp4_pattern_make(text, length, &arena, &pattern), NVFP4_OK);
    assert_int_equal(nvfp4_pattern_matches(&pattern, "0", &steps), 1);
    assert_int_equal(nvfp4_pattern_matches(&pattern, "1", &steps), 0);
    nvfp4_arena_free(&arena);
}

static void long_expressions_are_refused(void **state)
{
    (void)state;
    char text[4200] = "re:";
    nvfp4_arena arena = { NULL, 0 };
    nvfp4_pattern pattern;
    memset(text + 3, 'a', 4097);
    assert_int_equal(nvfp4_pattern_make(text, 4099, &arena, &pattern), NVFP4_OK);
    assert_int_equal(nvfp4_pattern_make(text, 4100, &arena, &pattern), NVFP4_ELIMIT);
    nvfp4_arena_free(&arena);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    static struct CMUnitTest tests[COUNT(rows) + 4];
    static char names[COUNT(rows)][128];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(names[i], sizeof names[i], "%s on %s", rows[i].pattern, rows[i].name);
        tests[n++] = (struct CMUnitTest){ .name = names[i],
                                          .test_func = matches,
                                          .initial_state = (void *)(uintptr_t)&rows[i] };
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(hostile_patterns_stay_cheap);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(work_is_bounded);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(many_choices_are_flat);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(long_expressions_are_refused);
    return _cmocka_run_group_tests("pattern", tests, n, NULL, NULL);
}
