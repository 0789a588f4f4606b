/* SPDX-License-Identifier: Apache-2.0 */
#include "core/question_ask.h"

int nvfp4_question_device_index(const nvfp4_device_key *device)
{
    return device_index(device);
}

uint64_t nvfp4_question_device_bit(const nvfp4_device_key *device)
{
    const int index = device_index(device);
    return index < 0 ? 0 : device_bit(index);
}

nvfp4_status nvfp4_question_ask(struct question *q, const nvfp4_moe_layer *layer,
                          const nvfp4_deployment *deployment, const nvfp4_policy *policy)
{
    const nvfp4_status status = question_begin(q, layer, deployment, policy);
    if (status == NVFP4_OK)
        question_finish(q);
    return status;
}

void nvfp4_question_complete(struct question *q)
{
    question_finish(q);
}
