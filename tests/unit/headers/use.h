/* SPDX-License-Identifier: Apache-2.0 */
/* Uses what the public headers define as macros, as C and as C++. */
#include <nvfp4moe/nvfp4moe.h>

#define USE(type, init)                                                                            \
    int use_##type(void);                                                                          \
    int use_##type(void)                                                                           \
    {                                                                                              \
        const type value = init;                                                                   \
        return value.struct_size == sizeof value;                                                  \
    }

USE(nvfp4_deployment, NVFP4_DEPLOYMENT_INIT)
USE(nvfp4_explain_options, NVFP4_EXPLAIN_OPTIONS_INIT)
USE(nvfp4_gpu, NVFP4_GPU_INIT)
USE(nvfp4_moe_layer, NVFP4_MOE_LAYER_INIT)
USE(nvfp4_probe_options, NVFP4_PROBE_OPTIONS_INIT)
USE(nvfp4_probe_report, NVFP4_PROBE_REPORT_INIT)
USE(nvfp4_request_text, NVFP4_REQUEST_TEXT_INIT)
USE(nvfp4_verdicts, NVFP4_VERDICTS_INIT)

#define BIT(name, value, word, text) NVFP4_REASON_BIT(NVFP4_REASON_##name) |
enum { reasons = (NVFP4_REASON_MAP(BIT) 0) & 1 };
