/* SPDX-License-Identifier: Apache-2.0 */
/* Tables are tested as tables: a forgotten row, name, text or source fails here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <nvfp4moe/nvfp4moe.h>

#include "core/compile.h"
#include "core/fingerprint.h"

/* Walks an enum's words and one past them. */
#define WORDS_ARE_TOTAL(name_of, type, count)                                                      \
    do {                                                                                           \
        for (int i = 0; i < (count); i++) {                                                        \
            assert_string_not_equal(name_of((type)i), "unknown");                                  \
            for (int k = 0; k < i; k++)                                                            \
                assert_string_not_equal(name_of((type)i), name_of((type)k));                       \
        }                                                                                          \
        assert_string_equal(name_of((type)(count)), "unknown");                                    \
        assert_string_equal(name_of((type)-1), "unknown");                                         \
    } while (0)

static void every_value_has_a_word(void **state)
{
    (void)state;
    WORDS_ARE_TOTAL(nvfp4_scheme_name, nvfp4_scheme, NVFP4_SCHEME_COUNT);
    WORDS_ARE_TOTAL(nvfp4_activation_name, nvfp4_activation, NVFP4_ACTIVATION_COUNT);
    WORDS_ARE_TOTAL(nvfp4_routing_name, nvfp4_routing, NVFP4_ROUTING_COUNT);
    WORDS_ARE_TOTAL(nvfp4_router_dtype_name, nvfp4_router_dtype, NVFP4_ROUTER_DTYPE_COUNT);
    WORDS_ARE_TOTAL(nvfp4_dtype_name, nvfp4_dtype, NVFP4_DTYPE_COUNT);
    WORDS_ARE_TOTAL(nvfp4_vendor_name, nvfp4_vendor, NVFP4_VENDOR_COUNT);
    WORDS_ARE_TOTAL(nvfp4_all2all_name, nvfp4_all2all, NVFP4_ALL2ALL_COUNT);
    WORDS_ARE_TOTAL(nvfp4_format_name, nvfp4_format, NVFP4_FORMAT_COUNT);
    WORDS_ARE_TOTAL(nvfp4_humming_gemm_name, nvfp4_humming_gemm, NVFP4_HUMMING_GEMM_COUNT);
    WORDS_ARE_TOTAL(nvfp4_library_name, nvfp4_library, NVFP4_LIBRARY_COUNT);
    WORDS_ARE_TOTAL(nvfp4_reason_name, nvfp4_reason, NVFP4_REASON_COUNT);
    WORDS_ARE_TOTAL(nvfp4_warning_name, nvfp4_warning, NVFP4_WARNING_COUNT);
    WORDS_ARE_TOTAL(nvfp4_limit_space_name, nvfp4_limit_space, NVFP4_LIMIT_SPACE_COUNT);
    WORDS_ARE_TOTAL(nvfp4_halves_name, nvfp4_halves, NVFP4_HALVES_COUNT);
    WORDS_ARE_TOTAL(nvfp4_column_name, nvfp4_column, NVFP4_COLUMN_COUNT);
    WORDS_ARE_TOTAL(nvfp4_change_key, nvfp4_change, NVFP4_CHANGE_COUNT);
}

static void statuses_and_backends_have_names(void **state)
{
    (void)state;
#define X(name, value, text)                                                                       \
    assert_string_equal(nvfp4_status_name(NVFP4_##name), #name);                                   \
    assert_true(strlen(nvfp4_status_text(NVFP4_##name)) > 3);
    NVFP4_STATUS_MAP(X)
#undef X
    assert_string_equal(nvfp4_status_name((nvfp4_status)1), "unknown");
    assert_string_equal(nvfp4_status_text((nvfp4_status)-99), "unknown status");
    for (int b = 1; b < NVFP4_BACKEND_COUNT; b++)
        assert_int_equal(nvfp4_backend_from_name(nvfp4_backend_name((nvfp4_backend)b)), b);
    assert_string_equal(nvfp4_backend_name(NVFP4_BACKEND_NONE), "none");
    assert_string_equal(nvfp4_backend_name(NVFP4_BACKEND_CUSTOM_LAST), "custom");
    assert_string_equal(nvfp4_backend_name(NVFP4_BACKEND_COUNT), "unknown");
    assert_string_equal(nvfp4_backend_name((nvfp4_backend)64), "unknown");
    assert_int_equal(nvfp4_backend_from_name("marlin"), NVFP4_BACKEND_NONE);
    assert_int_equal(nvfp4_backend_from_name(NULL), NVFP4_BACKEND_NONE);
}

static void every_reason_is_explained(void **state)
{
    (void)state;
    for (int r = 0; r < NVFP4_REASON_COUNT; r++) {
        const nvfp4_reason_help *help = nvfp4_reason_help_of((nvfp4_reason)r);
        assert_true(strlen(nvfp4_reason_text((nvfp4_reason)r)) > 10);
        assert_non_null(help);
        assert_non_null(help->meaning);
        assert_non_null(help->cause);
        assert_non_null(help->action);
        assert_true(strlen(help->meaning) > 20 && strlen(help->cause) > 10 && strlen(help->action) > 10);
    }
    assert_null(nvfp4_reason_help_of(NVFP4_REASON_COUNT));
    assert_null(nvfp4_reason_help_of((nvfp4_reason)-1));
}

static int is_source(const char *text)
{
    return text != NULL && strlen(text) >= 8;
}

/* A `when` that no question can match is a forgotten column. */
static void check_when(const struct nvfp4_when *when)
{
    static const uint64_t columns[] = {
#define X(name, shift, bits) ALL(name),
        VALUE_COLUMN_MAP(X)
#undef X
    };
    assert_true(when->device != 0);
    for (size_t i = 0; i < COUNT_OF(columns); i++)
        assert_true((when->values & columns[i]) != 0);
    assert_int_equal(when->with & when->without, 0);
}

static void check_row(const struct nvfp4_row *row)
{
    assert_true(row->backend != NVFP4_BACKEND_NONE && row->backend <= NVFP4_BACKEND_CUSTOM_LAST);
    assert_non_null(row->kernel);
    assert_true(is_source(row->source));
    assert_true(row->device != 0);
    assert_true((row->values & ALL(SCHEME)) && (row->values & ALL(ACTIVATION)) &&
                (row->values & ALL(FORMAT)) && (row->values & ALL(ROUTING)) &&
                (row->values & ALL(ROUTER_DTYPE)) && (row->values & ALL(DTYPE)) &&
                (row->values & ALL(ALL2ALL)));
    assert_true(row->clamp_count > 0);
    const int paddings[] = { row->padding.gated, row->padding.non_gated, row->padding.hidden };
    for (size_t i = 0; i < COUNT_OF(paddings); i++)
        assert_true(paddings[i] >= 0 && (paddings[i] & (paddings[i] - 1)) == 0);
    for (int i = 0; i < row->condition_count; i++) {
        const struct nvfp4_condition *c = &row->conditions[i];
        check_when(&c->when);
        assert_true(c->kind >= CONDITION_RULES_OUT && c->kind <= CONDITION_DOUBT);
        assert_true(c->reason < NVFP4_REASON_COUNT && c->library < NVFP4_LIBRARY_COUNT);
        /* "the library must be there" needs no evidence of its own */
        assert_true(is_source(c->source) || (c->kind == CONDITION_LIBRARY && c->number == 0));
    }
    for (int i = 0; i < row->clamp_count; i++) {
        const struct nvfp4_clamp_rule *r = &row->clamp[i];
        check_when(&r->when);
        assert_true(is_source(r->source));
        assert_true(r->limit >= LIMIT_TAKEN && r->limit <= LIMIT_CONSTANT);
        assert_true((r->limit == LIMIT_CONSTANT) == (r->space == NVFP4_LIMIT_SPACE_FIXED));
        assert_true(r->limit != LIMIT_CONSTANT || r->limit_constant > 0);
        assert_true(r->takes_alpha_beta || r->alpha_constant != 0); /* alpha 0 would be forgotten */
    }
}

static void rows_are_whole(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    assert_true(is_source(p->source) && is_source(p->summary));
    assert_true(p->row_count > 0 && p->row_count <= NVFP4_KERNELS_MAX);
    for (int i = 0; i < p->row_count; i++) {
        check_row(&p->rows[i]);
        assert_int_equal(p->rows[i].opt_in, i >= p->auto_count);
        for (int k = 0; k < i; k++)
            assert_true(p->rows[k].backend != p->rows[i].backend ||
                        strcmp(p->rows[k].kernel, p->rows[i].kernel) != 0);
    }
    for (int i = 0; i < p->erratum_count; i++) {
        const struct nvfp4_erratum *e = &p->errata[i];
        check_when(&e->when);
        assert_true(strlen(e->name) > 3 && strlen(e->text) > 10 && is_source(e->source));
        assert_true(e->kernels != 0 && e->kernels >> p->row_count == 0);
        assert_true(e->below == 0 || e->from < e->below);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(e->name, p->errata[k].name);
    }
}

/* Each row can be chosen by someone: every backend has a name that a user can write, and vice versa. */
static void words_name_rows(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    for (int i = 0; i < p->row_count; i++) {
        const char *word = nvfp4_policy_user_name(p, (nvfp4_backend)p->rows[i].backend);
        nvfp4_kernel_set set = 0;
        nvfp4_backend backend = NVFP4_BACKEND_NONE;
        assert_non_null(word);
        assert_int_equal(nvfp4_policy_find_backend(p, word, &backend), NVFP4_OK);
        assert_int_equal(nvfp4_policy_find_kernels(p, word, &set), NVFP4_OK);
        assert_true(set >> i & 1);
    }
    for (size_t i = 0; nvfp4_policy_user_name_at(p, i) != NULL; i++) {
        nvfp4_kernel_set set;
        assert_int_equal(nvfp4_policy_find_kernels(p, nvfp4_policy_user_name_at(p, i), &set), NVFP4_OK);
    }
}

/* What is derived from the rows fits them; what is frozen stays. */
static void derived_tables_fit(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct nvfp4_compiled compiled;
    nvfp4_policy_compile(p, &compiled);
    assert_memory_equal(compiled.device, p->compiled->device, sizeof compiled.device);
    assert_memory_equal(compiled.value, p->compiled->value, sizeof compiled.value);
    assert_memory_equal(compiled.flags_low, p->compiled->flags_low, sizeof compiled.flags_low);
    assert_memory_equal(compiled.flags_high, p->compiled->flags_high, sizeof compiled.flags_high);
    assert_memory_equal(compiled.backend, p->compiled->backend, sizeof compiled.backend);
    assert_memory_equal(compiled.drops, p->compiled->drops, sizeof compiled.drops);
    assert_memory_equal(compiled.takes, p->compiled->takes, sizeof compiled.takes);
    for (int i = 0; i < p->row_count; i++) {
        assert_true(compiled.trigger[i].device == p->compiled->trigger[i].device);
        assert_true(compiled.trigger[i].values == p->compiled->trigger[i].values);
        assert_true(compiled.trigger[i].clamp == p->compiled->trigger[i].clamp);
        assert_true(compiled.trigger[i].flags == p->compiled->trigger[i].flags);
    }
    assert_true(nvfp4_policy_hash_compute(p) == p->hash);
    assert_true(nvfp4_policy_hash(p) == p->hash);
}

static void policies_are_found(void **state)
{
    const nvfp4_policy *p, *alias;
    size_t n = 0;
    (void)state;
    for (; (p = nvfp4_policy_builtin_at(n)) != NULL; n++) {
        assert_ptr_equal(nvfp4_policy_builtin(nvfp4_policy_name(p)), p);
        for (size_t k = 0; k < n; k++)
            assert_true(nvfp4_policy_hash(nvfp4_policy_builtin_at(k)) != nvfp4_policy_hash(p));
    }
    assert_int_equal(n, 5);
    assert_string_equal(nvfp4_policy_name(NULL), "kernels-2026-11");
    assert_ptr_equal(nvfp4_policy_builtin("default"), nvfp4_policy_builtin(NULL));
    assert_string_equal(nvfp4_policy_name(nvfp4_policy_builtin("vllm")), "vllm-52018");
    for (size_t i = 0; nvfp4_policy_alias_at(i, &alias) != NULL; i++)
        assert_ptr_equal(nvfp4_policy_builtin(nvfp4_policy_alias_at(i, NULL)), alias);
    assert_null(nvfp4_policy_builtin("VLLM"));
    assert_null(nvfp4_policy_builtin(""));
}

/* The seed of it all: who may serve a clamped SiLU model, by the state of the rules. */
static void clamp_sets_tell_the_history(void **state)
{
#define B(name) NVFP4_BACKEND_BIT(NVFP4_BACKEND_##name)
    (void)state;
    assert_true(nvfp4_clamp_backends(nvfp4_policy_builtin("vllm-44992"), NVFP4_ACTIVATION_SILU) ==
                B(FLASHINFER_TRTLLM));
    assert_true(nvfp4_clamp_backends(nvfp4_policy_builtin("vllm-45836"), NVFP4_ACTIVATION_SILU) ==
                (B(FLASHINFER_TRTLLM) | B(MARLIN)));
    assert_true(nvfp4_clamp_backends(nvfp4_policy_builtin("vllm-46492"), NVFP4_ACTIVATION_SILU) ==
                (B(FLASHINFER_TRTLLM) | B(MARLIN) | B(FLASHINFER_CUTLASS)));
    const nvfp4_backend_set newest = B(B12X) | B(FLASHINFER_TRTLLM) | B(FLASHINFER_CUTLASS) |
                                     B(FLASHINFER_CUTEDSL) | B(VLLM_CUTLASS) | B(MARLIN) | B(HUMMING) |
                                     B(EMULATION);
    assert_true(nvfp4_clamp_backends(nvfp4_policy_builtin("vllm"), NVFP4_ACTIVATION_SILU) == newest);
    assert_true(nvfp4_clamp_backends(nvfp4_policy_builtin("vllm"), NVFP4_ACTIVATION_GELU) == newest);
    assert_true(nvfp4_clamp_backends(NULL, NVFP4_ACTIVATION_SILU) == newest);
    assert_true(nvfp4_clamp_backends(NULL, NVFP4_ACTIVATION_GELU) == 0); /* no kernel clamps it */
    assert_true(nvfp4_clamp_backends(NULL, NVFP4_ACTIVATION_COUNT) == 0);
    assert_true(nvfp4_clamp_backends(NULL, (nvfp4_activation)-1) == 0);
    assert_true(nvfp4_capable_backends(NULL, 120) ==
                (B(FLASHINFER_CUTLASS) | B(VLLM_CUTLASS) | B(MARLIN) | B(HUMMING) | B(EMULATION) |
                 B(B12X) | B(FLASHINFER_B12X)));
    assert_true(nvfp4_capable_backends(NULL, 101) == nvfp4_capable_backends(NULL, 110));
    assert_true(nvfp4_capable_backends(NULL, 60) == B(EMULATION));
    assert_true(nvfp4_capable_backends(NULL, 0) == 0);
    assert_true(nvfp4_capable_backends(NULL, -1) == 0);
#undef B
}

/* Sizes and offsets that callers were compiled with. */
static void layouts_are_stable(void **state)
{
    (void)state;
    assert_int_equal(offsetof(nvfp4_moe_layer, scheme), sizeof(size_t));
    assert_int_equal(offsetof(nvfp4_deployment, device), sizeof(size_t));
    assert_int_equal(sizeof(nvfp4_device_key), 24);
    assert_int_equal(sizeof(nvfp4_selection), 16);
    assert_int_equal(sizeof(nvfp4_target), 8);
#if UINTPTR_MAX == UINT64_MAX
    assert_int_equal(sizeof(nvfp4_moe_layer), 112);
    assert_int_equal(offsetof(nvfp4_moe_layer, swiglu_limit), 32);
    assert_int_equal(offsetof(nvfp4_moe_layer, bias), 104);
    assert_int_equal(sizeof(nvfp4_deployment), 200);
    assert_int_equal(offsetof(nvfp4_deployment, libraries), 72);
    assert_int_equal(offsetof(nvfp4_deployment, custom), 192);
    assert_int_equal(sizeof(nvfp4_forward), 64);
    assert_int_equal(sizeof(nvfp4_remedy), 32);
#endif
    assert_int_equal(NVFP4_BACKEND_EMULATION, 10);
    assert_int_equal(NVFP4_ACTIVATION_RELU2_NO_MUL, 11);
    assert_int_equal(NVFP4_REASON_PEER, 23);
    assert_int_equal(NVFP4_EDISAGREE, -16);
}

int main(void)
{
    static char names[][20] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018", "kernels-2026-11" };
    struct CMUnitTest tests[32];
    size_t n = 0;
#define ADD(function, what)                                                                        \
    tests[n++] = (struct CMUnitTest){ .name = #function, .test_func = function, .initial_state = (what) }
    ADD(every_value_has_a_word, NULL);
    ADD(statuses_and_backends_have_names, NULL);
    ADD(every_reason_is_explained, NULL);
    ADD(policies_are_found, NULL);
    ADD(clamp_sets_tell_the_history, NULL);
    ADD(layouts_are_stable, NULL);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        ADD(rows_are_whole, names[i]);
        ADD(words_name_rows, names[i]);
        ADD(derived_tables_fit, names[i]);
    }
    return _cmocka_run_group_tests("tables", tests, n, NULL, NULL);
}
