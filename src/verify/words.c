/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/verify.h>

#define WORD(name, value, word)                                                                    \
    case value:                                                                                    \
        return word;
#define WORDS(type, MAP)                                                                           \
    const char *type##_name(type value)                                                            \
    {                                                                                              \
        switch ((int)value) {                                                                      \
            MAP(WORD)                                                                              \
        default:                                                                                   \
            return "unknown";                                                                      \
        }                                                                                          \
    }

WORDS(nvfp4_scale_order, NVFP4_SCALE_ORDER_MAP)
WORDS(nvfp4_global_kind, NVFP4_GLOBAL_KIND_MAP)
WORDS(nvfp4_verify_level, NVFP4_VERIFY_LEVEL_MAP)

const char *nvfp4_verdict_name(nvfp4_verdict verdict)
{
    switch ((int)verdict) {
    case NVFP4_VERDICT_NONE:
        return "none";
        NVFP4_VERDICT_MAP(WORD)
    default:
        return "unknown";
    }
}
