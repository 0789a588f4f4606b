/* SPDX-License-Identifier: Apache-2.0 */
#include "core/rule.h"
#include "explain/print.h"

static int same_device(const nvfp4_device_key *a, const nvfp4_device_key *b)
{
    return a->vendor == b->vendor
           && (a->vendor != NVFP4_VENDOR_NVIDIA || own_sm(a->sm) == own_sm(b->sm));
}

static void out_device(struct out *out, const nvfp4_device_key *device)
{
    if (device->vendor == NVFP4_VENDOR_NVIDIA) {
        out_text(out, "sm ");
        out_number(out, (uint64_t)own_sm(device->sm));
    } else {
        out_text(out, nvfp4_vendor_name((nvfp4_vendor)device->vendor));
    }
}

static size_t count_device(const nvfp4_deployment *deployment, size_t from,
                           const nvfp4_device_key *device)
{
    size_t count = 0;
    for (size_t i = from; i < deployment->peer_count; i++)
        count += (size_t)same_device(&deployment->peers[i], device);
    return count;
}

/*
 * "63 ranks sm 90", "rank 63: sm 120". Few ranks are listed, where `numbered`: peers that leave
 * one's own rank out do not stand at the place of their number.
 */
static void out_ranks(struct out *out, const nvfp4_deployment *deployment, size_t first,
                      int numbered)
{
    enum { LISTED = 4 };
    const nvfp4_device_key *const device = &deployment->peers[first];
    const size_t count = count_device(deployment, first, device);
    const char *between = count == 1 ? "rank " : "ranks ";
    if (!numbered || count > LISTED) {
        out_number(out, count);
        out_text(out, count == 1 ? " rank " : " ranks ");
    } else {
        for (size_t i = first; i < deployment->peer_count; i++) {
            if (!same_device(&deployment->peers[i], device))
                continue;
            out_text(out, between);
            out_number(out, i);
            between = ", ";
        }
        out_text(out, ": ");
    }
    out_device(out, device);
}

/* Each device once, in the order of the ranks, which may be very many. */
static void out_mixed_devices(struct out *out, const nvfp4_deployment *deployment)
{
    enum { KINDS = 32 };
    const nvfp4_device_key *const peers = deployment->peers;
    const nvfp4_device_key *kinds[KINDS];
    size_t count = 0;
    const int numbered = count_device(deployment, 0, &deployment->device) > 0;
    out_text(out, "the ranks have different devices: ");
    if (!numbered) {
        out_device(out, &deployment->device);
        out_text(out, " here");
    }
    for (size_t i = 0; i < deployment->peer_count; i++) {
        size_t kind = 0;
        while (kind < count && !same_device(kinds[kind], &peers[i]))
            kind++;
        if (kind < count)
            continue;
        out_text(out, count > 0 || !numbered ? "; " : "");
        if (count == KINDS) {
            out_text(out, "and others");
            break;
        }
        kinds[count++] = &peers[i];
        out_ranks(out, deployment, i, numbered);
    }
    out_text(out, "; only what runs on all of them is chosen");
    if (numbered && same_device(&peers[0], &deployment->device)) {
        out_text(out, "; a reason other than peer is about rank 0, ");
        out_device(out, &deployment->device);
    }
}

void nvfp4_out_warning(struct out *out, const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                 const nvfp4_verdicts *verdicts, nvfp4_warning warning)
{
    switch (warning) {
    case NVFP4_WARNING_DOWNGRADED:
        out_text(out, "asked ");
        out_text(out, nvfp4_scheme_name((nvfp4_scheme)layer->scheme));
        out_text(out, ", runs ");
        out_text(out, nvfp4_scheme_name((nvfp4_scheme)verdicts->selection.scheme));
        out_text(out, ": activations stay 16-bit, the checkpoint's activation scales are not used");
        break;
    case NVFP4_WARNING_HETEROGENEOUS_DEVICES:
        out_mixed_devices(out, deployment);
        break;
    case NVFP4_WARNING_LIMIT_DROPPED:
        out_text(out, "the policy chooses this kernel, but it does not apply swiglu_limit ");
        nvfp4_out_real(out, layer->swiglu_limit);
        out_text(out, " with ");
        out_text(out, nvfp4_activation_name((nvfp4_activation)layer->activation));
        out_text(out, ": the output will be wrong without an error");
        break;
    case NVFP4_WARNING_LOW_CONFIDENCE:
        out_text(out, verdicts->doubt != NULL ? verdicts->doubt : "no proof is on record");
        break;
    default:
        out_text(out, nvfp4_warning_name(warning));
        break;
    }
}
