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

int nvfp4_question_other_device(const nvfp4_device_key *device)
{
    if (memchr(device->arch, '\0', sizeof device->arch) == NULL)
        return -1;
    return device->vendor == NVFP4_VENDOR_AMD     ? INDEX_AMD
           : device->vendor == NVFP4_VENDOR_INTEL ? INDEX_INTEL
                                                  : -1;
}

int nvfp4_question_arrays_valid(const nvfp4_deployment *d)
{
    if ((d->targets == NULL && d->target_count != 0) || (d->peers == NULL && d->peer_count != 0))
        return 0;
    for (size_t i = 0; i < d->peer_count; i++)
        if (device_index(&d->peers[i]) < 0)
            return 0;
    for (size_t i = 0; i < d->target_count; i++)
        if (d->targets[i].sm < 10 || d->targets[i].sm > 999 ||
            !in_range(d->targets[i].kind, NVFP4_TARGET_PTX + 1))
            return 0;
    return 1;
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
