/* SPDX-License-Identifier: Apache-2.0 */
#include "core/peers.h"

#include "core/accept.h"
#include "core/question_ask.h"

int nvfp4_device_number(const nvfp4_device_key *device)
{
    return device->vendor == NVFP4_VENDOR_NVIDIA ? own_sm(device->sm) : device->vendor;
}

int nvfp4_device_set_next(const struct device_set *set, int from)
{
    for (int n = from; n < DEVICE_NUMBERS; n++) {
        const uint64_t rest = set->words[n / 64] >> n % 64;
        if (rest & 1)
            return n;
        if (rest == 0)
            n |= 63; /* nothing more in this word */
    }
    return -1;
}

void nvfp4_question_see_peers(struct question *q)
{
    const nvfp4_deployment *d = q->deployment;
    const int own = nvfp4_device_number(&d->device);
    q->peers = (struct device_set){ { 0 } };
    for (size_t i = 0; i < d->peer_count; i++) {
        const int number = nvfp4_device_number(&d->peers[i]);
        device_set_add(&q->peers, number);
        q->mixed_peers |= number != own;
    }
}

void nvfp4_question_ask_there(struct question *there, const struct question *q, int number)
{
    const int nvidia = number >= NVFP4_VENDOR_COUNT;
    const nvfp4_device_key device = { nvidia ? NVFP4_VENDOR_NVIDIA : number, nvidia ? number : 0,
                                      "" };
    *there = *q;
    there->device_index = device_index(&device);
    there->device = device_bit(there->device_index);
    there->sm = device.sm;
    there->mixed_peers = 0;
    there->rules_out_all = 0;
    divide_experts(there);
}

int nvfp4_device_rules_out(const struct question *q, int index, int number)
{
    struct question there;
    nvfp4_question_ask_there(&there, q, number);
    return !nvfp4_row_accepts(&there, index);
}

int nvfp4_peers_rule_out(const struct question *q, int index)
{
    for (int n = nvfp4_device_set_next(&q->peers, 0); n >= 0; n = nvfp4_device_set_next(&q->peers, n + 1))
        if (nvfp4_device_rules_out(q, index, n))
            return 1;
    return 0;
}
