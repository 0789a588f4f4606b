/* SPDX-License-Identifier: Apache-2.0 */
/* All of the core's entry points that an engine needs, and not one of the library's others. */
#include <nvfp4moe/select.h>

#include <stdio.h>

int main(void)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_selection selection;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    nvfp4_forward forward;

    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10.0;
    deployment.device.sm = 120;
    if (nvfp4_version() != NVFP4_VERSION_HEX ||
        nvfp4_select_backend(&layer, &deployment, NULL, &selection) != NVFP4_OK ||
        nvfp4_judge(&layer, &deployment, NULL, &verdicts) != NVFP4_OK ||
        nvfp4_forward_to(&layer, &deployment, NULL, selection.kernel, &forward) != NVFP4_OK)
        return 1;
    puts(nvfp4_backend_name((nvfp4_backend)selection.backend));
    return forward.has_limit == 1 && forward.limit == 10.0 ? 0 : 2;
}
