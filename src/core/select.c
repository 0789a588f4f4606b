/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/select.h>

#include "core/accept.h"
#include "core/checks.h"
#include "core/clamp.h"
#include "core/fingerprint.h"

/* The first doubt that a row has about this question; NULL: none. */
static const char *first_doubt(const struct question *q, const struct nvfp4_row *row)
{
    for (int i = 0; i < row->condition_count; i++)
        if (row->conditions[i].kind == CONDITION_DOUBT && nvfp4_condition_applies(q, &row->conditions[i]))
            return row->conditions[i].note;
    return NULL;
}

static void tell_warnings(const struct question *q, int kernel, nvfp4_verdicts *verdicts)
{
    verdicts->doubt = NULL;
    verdicts->warnings = q->mixed_peers ? 1u << NVFP4_WARNING_HETEROGENEOUS_DEVICES : 0;
    if (kernel < 0)
        return;
    const struct nvfp4_row *row = &q->policy->rows[kernel];
    if (row->runs_w4a16 && q->layer->scheme != NVFP4_SCHEME_W4A16)
        verdicts->warnings |= 1u << NVFP4_WARNING_DOWNGRADED;
    if ((q->flags & FLAG_LIMIT) && nvfp4_clamp_fails(q, nvfp4_clamp_rule(q, row)))
        verdicts->warnings |= 1u << NVFP4_WARNING_LIMIT_DROPPED;
    verdicts->doubt = first_doubt(q, row);
    if (verdicts->doubt != NULL)
        verdicts->warnings |= 1u << NVFP4_WARNING_LOW_CONFIDENCE;
}

nvfp4_status nvfp4_judge(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                         const nvfp4_policy *policy, nvfp4_verdicts *verdicts)
{
    struct question q;
    if (verdicts == NULL)
        return NVFP4_EINVAL;
    if (verdicts->struct_size < V1_SIZE(nvfp4_verdicts, reasons))
        return NVFP4_EABI;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;

    struct sink sink = { 0, 0, NULL, 0, 0 };
    verdicts->eligible = 0;
    verdicts->kernel_count = q.policy->row_count;
    for (int i = 0; i < q.policy->row_count; i++) {
        nvfp4_judge_row(&q, i, &sink);
        verdicts->reasons[i] = sink.reasons;
        if (sink.reasons == 0)
            verdicts->eligible |= (nvfp4_kernel_set)1 << i;
    }
    const nvfp4_kernel_set left = verdicts->eligible & question_asks_for(&q);
    const int kernel = left != 0 ? first_bit(left) : -1;
    verdicts->status = kernel >= 0 ? NVFP4_OK : question_no(&q);
    verdicts->selection = (nvfp4_selection){ .kernel = -1 };
    if (kernel >= 0)
        question_decide(&q, kernel, &verdicts->selection);
    verdicts->unchecked = sink.unchecked;
    verdicts->requested = q.requested;
    verdicts->reserved = 0;
    tell_warnings(&q, kernel, verdicts);
    return NVFP4_OK;
}

nvfp4_status nvfp4_list_findings(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                 const nvfp4_policy *policy, int32_t kernel,
                                 nvfp4_finding *findings, size_t capacity, size_t *count)
{
    struct question q;
    if (count == NULL || (findings == NULL && capacity != 0))
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    if (kernel < -1 || kernel >= q.policy->row_count)
        return NVFP4_EINVAL;
    struct sink sink = { 0, 0, findings, capacity, 0 };
    for (int i = kernel < 0 ? 0 : kernel; i < (kernel < 0 ? q.policy->row_count : kernel + 1); i++)
        nvfp4_judge_row(&q, i, &sink);
    *count = sink.count;
    return NVFP4_OK;
}

nvfp4_status nvfp4_forward_to(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                              const nvfp4_policy *policy, int32_t kernel, nvfp4_forward *forward)
{
    struct question q;
    if (forward == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    if (kernel < 0 || kernel >= q.policy->row_count)
        return NVFP4_EINVAL;
    nvfp4_clamp_forward(&q, &q.policy->rows[kernel], forward);
    return NVFP4_OK;
}

nvfp4_status nvfp4_fingerprint(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                               const nvfp4_policy *policy, uint64_t *fingerprint)
{
    struct question q;
    if (fingerprint == NULL)
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_question_ask(&q, layer, deployment, policy);
    if (status != NVFP4_OK)
        return status;
    *fingerprint = nvfp4_fingerprint_of(&q, nvfp4_first_accepting(&q));
    return NVFP4_OK;
}
