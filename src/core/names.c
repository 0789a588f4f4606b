/* SPDX-License-Identifier: Apache-2.0 */
#include <nvfp4moe/nvfp4moe.h>

#include <string.h>

uint32_t nvfp4_version(void)
{
    return NVFP4_VERSION_HEX;
}

const char *nvfp4_status_name(nvfp4_status status)
{
    switch (status) {
#define X(name, value, text)                                                                       \
    case NVFP4_##name:                                                                             \
        return #name;
        NVFP4_STATUS_MAP(X)
#undef X
    }
    return "unknown";
}

const char *nvfp4_status_text(nvfp4_status status)
{
    switch (status) {
#define X(name, value, text)                                                                       \
    case NVFP4_##name:                                                                             \
        return text;
        NVFP4_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

const char *nvfp4_backend_name(nvfp4_backend backend)
{
    switch ((int)backend) {
    case NVFP4_BACKEND_NONE:
        return "none";
#define X(name, value)                                                                             \
    case value:                                                                                    \
        return #name;
        NVFP4_BACKEND_MAP(X)
#undef X
    default:
        if ((int)backend >= NVFP4_BACKEND_CUSTOM_FIRST && (int)backend <= NVFP4_BACKEND_CUSTOM_LAST)
            return "custom";
        return "unknown";
    }
}

nvfp4_backend nvfp4_backend_from_name(const char *name)
{
    if (name == NULL)
        return NVFP4_BACKEND_NONE;
#define X(id, value)                                                                               \
    if (strcmp(name, #id) == 0)                                                                    \
        return NVFP4_BACKEND_##id;
    NVFP4_BACKEND_MAP(X)
#undef X
    return NVFP4_BACKEND_NONE;
}

/* One function for each enum whose values have words. */
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

WORDS(nvfp4_scheme, NVFP4_SCHEME_MAP)
WORDS(nvfp4_activation, NVFP4_ACTIVATION_MAP)
WORDS(nvfp4_routing, NVFP4_ROUTING_MAP)
WORDS(nvfp4_router_dtype, NVFP4_ROUTER_DTYPE_MAP)
WORDS(nvfp4_dtype, NVFP4_DTYPE_MAP)
WORDS(nvfp4_vendor, NVFP4_VENDOR_MAP)
WORDS(nvfp4_all2all, NVFP4_ALL2ALL_MAP)
WORDS(nvfp4_format, NVFP4_FORMAT_MAP)
WORDS(nvfp4_humming_gemm, NVFP4_HUMMING_GEMM_MAP)
WORDS(nvfp4_library, NVFP4_LIBRARY_MAP)
