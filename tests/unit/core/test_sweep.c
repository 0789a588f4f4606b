/* SPDX-License-Identifier: Apache-2.0 */
/* Laws that hold for every policy over the whole input space. */
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/accept.h"
#include "core/clamp.h"
#include "core/fingerprint.h"

/* Tells which request breaks a law, then fails. */
#define LAW(holds)                                                                                 \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            print_error("%s: part %d number %llu breaks: %s\n", nvfp4_policy_name(p), s.part,      \
                        (unsigned long long)s.number, #holds);                                     \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static int same_selection(const nvfp4_selection *a, const nvfp4_selection *b)
{
    return a->backend == b->backend && a->kernel == b->kernel && a->scheme == b->scheme &&
           a->asked == b->asked;
}

/* The two paths agree, and what is chosen has no reason against it. */
static void paths_agree(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    unsigned long chosen = 0, refused = 0;
    sweep_begin(&s);
    do {
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        nvfp4_selection hot, again;
        memset(&hot, 0xaa, sizeof hot); /* nothing may come from what was there */
        memset(&again, 0x55, sizeof again);
        const nvfp4_status status = nvfp4_select_backend(&s.layer, &s.deployment, p, &hot);
        LAW(nvfp4_select_backend(&s.layer, &s.deployment, p, &again) == status);
        const nvfp4_status judged = nvfp4_judge(&s.layer, &s.deployment, p, &v);
        if (status == NVFP4_EINVAL) { /* a backend that this policy does not have */
            LAW(judged == NVFP4_EINVAL && s.deployment.requested != NVFP4_BACKEND_NONE);
            continue;
        }
        LAW(judged == NVFP4_OK && v.status == (int32_t)status);
        LAW((v.status == NVFP4_OK) == (v.selection.kernel >= 0));
        for (int i = 0; i < v.kernel_count; i++)
            LAW((v.reasons[i] == 0) == (int)(v.eligible >> i & 1));
        chosen += status == NVFP4_OK;
        refused += status != NVFP4_OK;
        if (status != NVFP4_OK)
            continue;
        LAW(same_selection(&hot, &again) && same_selection(&hot, &v.selection));
        LAW(v.reasons[hot.kernel] == 0);
    } while (sweep_next(&s));
    assert_true(chosen > 1000 && refused > 1000);
}

/* With a limit, nothing outside the clamp-compatibility set is ever chosen. */
static void clamp_set_is_kept(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    unsigned long seen = 0;
    sweep_begin(&s);
    do {
        nvfp4_selection chosen;
        if (!(s.layer.has & NVFP4_HAS_SWIGLU_LIMIT) ||
            nvfp4_select_backend(&s.layer, &s.deployment, p, &chosen) != NVFP4_OK)
            continue;
        LAW(nvfp4_clamp_backends(p, (nvfp4_activation)s.layer.activation) &
            NVFP4_BACKEND_BIT(chosen.backend));
        LAW(s.deployment.device.vendor != NVFP4_VENDOR_NVIDIA ||
            (nvfp4_capable_backends(p, s.deployment.device.sm) & NVFP4_BACKEND_BIT(chosen.backend)));
        seen++;
    } while (sweep_next(&s));
    assert_true(seen > 100);
}

/* Asked for alone, a backend is chosen exactly when one of its kernels is eligible. */
static void one_candidate_is_chosen_when_eligible(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    sweep_begin(&s);
    do {
        nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
        nvfp4_selection chosen;
        if (nvfp4_judge(&s.layer, &s.deployment, p, &v) != NVFP4_OK ||
            v.requested == NVFP4_BACKEND_NONE)
            continue;
        nvfp4_kernel_set own = 0;
        for (int i = 0; i < v.kernel_count; i++)
            if (p->rows[i].backend == v.requested)
                own |= (nvfp4_kernel_set)1 << i;
        const nvfp4_status status = nvfp4_select_backend(&s.layer, &s.deployment, p, &chosen);
        LAW((status == NVFP4_OK) == ((v.eligible & own) != 0));
        LAW(status != NVFP4_OK || chosen.backend == v.requested);
        LAW(status == NVFP4_OK || status == NVFP4_EREFUSED);
    } while (sweep_next(&s));
}

/* Every remedy, applied, gives what it promises, and gives up nothing that was asked for. */
static void remedies_are_proven(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    unsigned long proven = 0;
    sweep_begin(&s);
    do {
        nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
        size_t count = 0;
        if (s.number % 7 != 0 ||
            nvfp4_find_remedies(&s.layer, &s.deployment, p, remedies, &count) != NVFP4_OK)
            continue;
        LAW(count <= NVFP4_REMEDIES_MAX);
        for (size_t i = 0; i < count; i++) {
            nvfp4_deployment d = s.deployment;
            nvfp4_selection chosen;
            const nvfp4_remedy *r = &remedies[i];
            switch (r->change) {
            case NVFP4_CHANGE_BACKEND: d.requested = (int32_t)r->to; break;
            case NVFP4_CHANGE_TENSOR_PARALLEL: d.tensor_parallel = (int32_t)r->to; break;
            case NVFP4_CHANGE_EXPERT_PARALLEL: d.expert_parallel = (uint8_t)r->to; break;
            case NVFP4_CHANGE_ALL2ALL: d.all2all = (int32_t)r->to; break;
            case NVFP4_CHANGE_FORMAT: d.format = (int32_t)r->to; break;
            case NVFP4_CHANGE_HUMMING_GEMM: d.humming_gemm = (int32_t)r->to; break;
            case NVFP4_CHANGE_LIBRARY: d.libraries[r->library] = r->to; break;
            case NVFP4_CHANGE_BUILT: d.not_built = r->to; break;
            case NVFP4_CHANGE_DISABLE: d.disabled = r->to; break;
            case NVFP4_CHANGE_ERRATA_OFF: d.errata_off = r->to; break;
            case NVFP4_CHANGE_TARGETS: d.target_count = (size_t)r->to; break;
            default: fail();
            }
            LAW(r->from != r->to);
            LAW(nvfp4_select_backend(&s.layer, &d, p, &chosen) == NVFP4_OK);
            LAW(chosen.backend == r->backend && chosen.kernel == r->kernel);
            proven++;
        }
    } while (sweep_next(&s));
    assert_true(proven > 100);
}

/* Switching errata off only adds kernels. */
static void errata_only_take_away(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    unsigned long gained = 0;
    sweep_begin(&s);
    do {
        nvfp4_verdicts with = NVFP4_VERDICTS_INIT, without = NVFP4_VERDICTS_INIT;
        nvfp4_deployment d = s.deployment;
        d.errata_off = ~(uint64_t)0;
        if (nvfp4_judge(&s.layer, &s.deployment, p, &with) != NVFP4_OK)
            continue;
        LAW(nvfp4_judge(&s.layer, &d, p, &without) == NVFP4_OK);
        LAW((with.eligible & ~without.eligible) == 0);
        gained += with.eligible != without.eligible;
    } while (sweep_next(&s));
    assert_true(p->erratum_count == 0 || gained > 0);
}

/* Under the kernels' own truth: what is chosen with a limit honours limit, alpha and beta by the table. */
static void chosen_kernels_honour_the_clamp(void **state)
{
    const nvfp4_policy *p = nvfp4_policy_builtin(*state);
    struct sweep s;
    unsigned long seen = 0;
    sweep_begin(&s);
    do {
        nvfp4_selection chosen;
        struct question q;
        if (nvfp4_select_backend(&s.layer, &s.deployment, p, &chosen) != NVFP4_OK)
            continue;
        assert_int_equal(nvfp4_question_ask(&q, &s.layer, &s.deployment, p), NVFP4_OK);
        const struct nvfp4_clamp_rule *rule = nvfp4_clamp_rule(&q, &p->rows[chosen.kernel]);
        if (s.layer.has & NVFP4_HAS_SWIGLU_LIMIT) {
            LAW(rule->limit == LIMIT_TAKEN ||
                (rule->limit == LIMIT_CONSTANT && rule->limit_constant == s.layer.swiglu_limit));
            seen++;
        } else {
            LAW(rule->absent == ABSENT_FINE);
        }
        LAW(rule->takes_alpha_beta ||
            (rule->alpha_constant == q.alpha && rule->beta_constant == q.beta));
    } while (sweep_next(&s));
    assert_true(seen > 100);
}

/* Deciding is frozen: a hash over every decision of the sweep. It may only change with a new policy. */
static const struct frozen {
    const char *name;
    uint64_t decisions;
} frozen[] = {
#include "frozen.inc"
};

static void decisions_are_frozen(void **state)
{
    const struct frozen *want = *state;
    if (sweep_stride() != 1)
        skip();
    const nvfp4_policy *p = nvfp4_policy_builtin(want->name);
    struct hash h = HASH_INIT;
    struct sweep s;
    sweep_begin(&s);
    do {
        nvfp4_selection chosen = { 0, -1, 0, 0 };
        nvfp4_hash_number(&h, (uint64_t)(int64_t)nvfp4_select_backend(&s.layer, &s.deployment, p, &chosen));
        nvfp4_hash_number(&h, (uint64_t)(int64_t)chosen.kernel);
    } while (sweep_next(&s));
    if (nvfp4_hash_end(&h) != want->decisions)
        print_error("{ \"%s\", UINT64_C(0x%016llx) },\n", want->name, (unsigned long long)nvfp4_hash_end(&h));
    assert_true(nvfp4_hash_end(&h) == want->decisions);
}

int main(void)
{
    static char names[][20] = { "vllm-44992", "vllm-45836", "vllm-46492", "vllm-52018", "kernels-2026-11" };
    struct CMUnitTest tests[64];
    size_t n = 0;
#define ADD(function, what)                                                                        \
    tests[n++] = (struct CMUnitTest){ .name = #function, .test_func = function, .initial_state = (what) }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        ADD(paths_agree, names[i]);
        ADD(clamp_set_is_kept, names[i]);
        ADD(one_candidate_is_chosen_when_eligible, names[i]);
        ADD(remedies_are_proven, names[i]);
        ADD(errata_only_take_away, names[i]);
    }
    ADD(chosen_kernels_honour_the_clamp, names[4]);
    for (size_t i = 0; i < COUNT_OF(frozen); i++)
        ADD(decisions_are_frozen, (void *)(uintptr_t)&frozen[i]);
    return _cmocka_run_group_tests("sweep", tests, n, NULL, NULL);
}
