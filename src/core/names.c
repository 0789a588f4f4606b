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
WORDS(nvfp4_warning, NVFP4_WARNING_MAP)
WORDS(nvfp4_limit_space, NVFP4_LIMIT_SPACE_MAP)
WORDS(nvfp4_halves, NVFP4_HALVES_MAP)
WORDS(nvfp4_column, NVFP4_COLUMN_MAP)

const char *nvfp4_change_key(nvfp4_change change)
{
    switch ((int)change) {
        NVFP4_CHANGE_MAP(WORD)
    default:
        return "unknown";
    }
}

const char *nvfp4_reason_name(nvfp4_reason reason)
{
    switch ((int)reason) {
#define X(name, value, word, text)                                                                 \
    case value:                                                                                    \
        return word;
        NVFP4_REASON_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *nvfp4_reason_text(nvfp4_reason reason)
{
    switch ((int)reason) {
#define X(name, value, word, text)                                                                 \
    case value:                                                                                    \
        return text;
        NVFP4_REASON_MAP(X)
#undef X
    default:
        return "unknown reason";
    }
}

const char *nvfp4_column_word(nvfp4_column column, size_t index)
{
    const int i = index < 64 ? (int)index : 64;
    const char *word = "unknown";
    switch ((int)column) {
    case NVFP4_COLUMN_SCHEME:
        word = nvfp4_scheme_name((nvfp4_scheme)i);
        break;
    case NVFP4_COLUMN_ACTIVATION:
        word = nvfp4_activation_name((nvfp4_activation)i);
        break;
    case NVFP4_COLUMN_FORMAT:
        word = nvfp4_format_name((nvfp4_format)(i + NVFP4_FORMAT_STANDARD));
        break;
    case NVFP4_COLUMN_ROUTING:
        word = nvfp4_routing_name((nvfp4_routing)i);
        break;
    case NVFP4_COLUMN_ROUTER_DTYPE:
        word = nvfp4_router_dtype_name((nvfp4_router_dtype)i);
        break;
    case NVFP4_COLUMN_DTYPE:
        word = nvfp4_dtype_name((nvfp4_dtype)i);
        break;
    case NVFP4_COLUMN_ALL2ALL:
        word = nvfp4_all2all_name((nvfp4_all2all)i);
        break;
    case NVFP4_COLUMN_HUMMING_GEMM:
        word = nvfp4_humming_gemm_name((nvfp4_humming_gemm)i);
        break;
    default:
        break;
    }
    return strcmp(word, "unknown") == 0 ? NULL : word;
}
