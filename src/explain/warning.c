/* SPDX-License-Identifier: Apache-2.0 */
#include "core/rule.h"
#include "explain/print.h"

static void out_mixed_devices(struct out *out, const nvfp4_deployment *deployment)
{
    out_text(out, "the ranks have different devices: ");
    const char *between = "";
    for (size_t i = 0; i < deployment->peer_count && i < 8; i++) {
        const nvfp4_device_key *d = &deployment->peers[i];
        out_text(out, between);
        if (d->vendor == NVFP4_VENDOR_NVIDIA) {
            out_text(out, "sm ");
            out_number(out, (uint64_t)own_sm(d->sm));
        } else {
            out_text(out, nvfp4_vendor_name((nvfp4_vendor)d->vendor));
        }
        between = ", ";
    }
    out_text(out, deployment->peer_count > 8 ? ", ..." : "");
    out_text(out, "; only what runs on all of them is chosen");
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
