/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of somebody else: asks one question with structs and, where the library reads files, the
 * same one as YAML. Exits with 0 when both answers are the one expected.
 */
#include <nvfp4moe/nvfp4moe.h>

#include <stdio.h>

#ifdef CONSUMER_WITH_YAML
#include <string.h>

static int ask_in_yaml(nvfp4_selection *selection)
{
    static const char text[] = "policy: vllm-52018\ndevice: {gpu: rtx pro 6000}\n"
                               "layer: {swiglu_limit: 10.0}\n";
    nvfp4_request_text yaml = NVFP4_REQUEST_TEXT_INIT;
    nvfp4_request *request;
    nvfp4_error error;
    nvfp4_status status = nvfp4_request_new(&request);
    if (status != NVFP4_OK)
        return 0;
    yaml.text = text;
    yaml.length = strlen(text);
    status = nvfp4_request_parse(request, &yaml, &error);
    if (status == NVFP4_OK)
        status = nvfp4_request_resolve(request, &error);
    if (status == NVFP4_OK)
        status = nvfp4_select_backend(nvfp4_request_layer(request),
                                      nvfp4_request_deployment(request),
                                      nvfp4_request_policy(request), selection);
    else
        fprintf(stderr, "%s\n", error.message);
    nvfp4_request_destroy(request);
    return status == NVFP4_OK;
}
#endif

int main(void)
{
    nvfp4_moe_layer layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_deployment deployment = NVFP4_DEPLOYMENT_INIT;
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_selection selection;

    if (nvfp4_version() != NVFP4_VERSION_HEX || nvfp4_gpu_find("rtx pro 6000", &gpu, NULL) != NVFP4_OK)
        return 1;
    layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    layer.swiglu_limit = 10.0;
    deployment.device = gpu.key;
    if (nvfp4_select_backend(&layer, &deployment, nvfp4_policy_builtin("vllm-52018"), &selection) !=
        NVFP4_OK)
        return 2;
    puts(nvfp4_backend_name((nvfp4_backend)selection.backend));
    if (selection.backend != NVFP4_BACKEND_FLASHINFER_CUTLASS)
        return 3;
#ifdef CONSUMER_WITH_YAML
    if (!ask_in_yaml(&selection) || selection.backend != NVFP4_BACKEND_FLASHINFER_CUTLASS)
        return 4;
#endif
    return 0;
}
