/* SPDX-License-Identifier: Apache-2.0 */
/* A request as JSON, key by key from the same table by which it is read. */
#include "files/request_parts.h"

#include <stdio.h>
#include <string.h>

#include "files/json_writer.h"

static const nvfp4_moe_layer no_layer = NVFP4_MOE_LAYER_INIT;
static const nvfp4_deployment no_deployment = NVFP4_DEPLOYMENT_INIT;

static void write_word(nvfp4_json *json, const struct request_key *key, int32_t value)
{
    const struct request_vocabulary *const known = &nvfp4_request_vocabularies[key->arg];
    nvfp4_json_string(json, (size_t)value < known->count ? known->words[value] : NULL);
}

/* One field, where it differs from the default or is always told. */
static void write_field(nvfp4_json *json, const struct request_key *key, const void *field,
                        const void *initial, uint32_t has)
{
    switch (key->kind) {
    case KIND_WORD: {
        const int told = key->arg == WORDS_SCHEME || key->arg == WORDS_ACTIVATION;
        const int32_t value = *(const int32_t *)field;
        if (!told && value == *(const int32_t *)initial)
            return;
        nvfp4_json_key(json, key->name);
        write_word(json, key, value);
        break;
    }
    case KIND_SIZE:
        if (*(const int64_t *)field == 0)
            return;
        nvfp4_json_key(json, key->name);
        nvfp4_json_integer(json, *(const int64_t *)field);
        break;
    case KIND_RANKS:
        if (*(const int32_t *)field == *(const int32_t *)initial)
            return;
        nvfp4_json_key(json, key->name);
        nvfp4_json_integer(json, *(const int32_t *)field);
        break;
    case KIND_FLAG:
        if (*(const uint8_t *)field == *(const uint8_t *)initial)
            return;
        nvfp4_json_key(json, key->name);
        nvfp4_json_bool(json, *(const uint8_t *)field);
        break;
    case KIND_REAL:
    case KIND_LIMIT:
        if (!(has >> key->arg & 1))
            return;
        nvfp4_json_key(json, key->name);
        nvfp4_json_real(json, *(const double *)field);
        break;
    default: /* not a field of a struct */
        break;
    }
}

static void write_fields(nvfp4_json *json, enum request_section section, const void *base,
                         const void *initial, uint32_t has)
{
    const struct request_keys *const keys = &nvfp4_request_sections[section];
    for (size_t i = 0; i < keys->count; i++) {
        const size_t offset = keys->keys[i].offset;
        write_field(json, &keys->keys[i], (const char *)base + offset,
                    (const char *)initial + offset, has);
    }
}

static void write_device(nvfp4_json *json, const nvfp4_device_key *device)
{
    nvfp4_json_open(json, '{');
    if (device->vendor == NVFP4_VENDOR_NVIDIA) {
        nvfp4_json_key(json, "sm");
        nvfp4_json_integer(json, device->sm);
    } else {
        nvfp4_json_key(json, "vendor");
        nvfp4_json_string(json, nvfp4_vendor_name((nvfp4_vendor)device->vendor));
        if (device->arch[0] != '\0') {
            nvfp4_json_key(json, "arch");
            nvfp4_json_string(json, device->arch);
        }
    }
    nvfp4_json_close(json, '}');
}

static void write_libraries(nvfp4_json *json, const nvfp4_deployment *d)
{
    int told = 0;
    for (int i = 0; i < NVFP4_LIBRARY_COUNT; i++) {
        char version[64];
        if (d->libraries[i] == NVFP4_LIBRARY_UNKNOWN)
            continue;
        if (!told++) {
            nvfp4_json_key(json, "libraries");
            nvfp4_json_open(json, '{');
        }
        nvfp4_json_key(json, nvfp4_library_name((nvfp4_library)i));
        nvfp4_version_print(d->libraries[i], version, sizeof version);
        nvfp4_json_string(json, d->libraries[i] == NVFP4_LIBRARY_ABSENT ? NULL : version);
    }
    if (told)
        nvfp4_json_close(json, '}');
}

/* Backends of the policy that are built, each once. */
static void write_built(nvfp4_json *json, const nvfp4_request *r)
{
    nvfp4_backend_set told = r->deployment.not_built;
    nvfp4_kernel_info info;
    if (r->notes[SLOT_BUILT].node == NULL)
        return;
    nvfp4_json_key(json, "built");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; nvfp4_policy_kernel(r->policy, i, &info) == NVFP4_OK; i++) {
        if (told & NVFP4_BACKEND_BIT(info.backend))
            continue;
        told |= NVFP4_BACKEND_BIT(info.backend);
        nvfp4_json_string(json, info.backend_name);
    }
    nvfp4_json_close(json, ']');
}

static void write_targets(nvfp4_json *json, const nvfp4_deployment *d)
{
    static const char *const endings[] = {
        [NVFP4_TARGET_PLAIN] = "",
        [NVFP4_TARGET_ARCH] = "a",
        [NVFP4_TARGET_FAMILY] = "f",
        [NVFP4_TARGET_PTX] = "+PTX",
    };
    if (d->target_count == 0)
        return;
    nvfp4_json_key(json, "built_archs");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; i < d->target_count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d%s", (int)d->targets[i].sm, endings[d->targets[i].kind]);
        nvfp4_json_string(json, text);
    }
    nvfp4_json_close(json, ']');
}

static void write_peers(nvfp4_json *json, const nvfp4_deployment *d)
{
    if (d->peer_count == 0)
        return;
    nvfp4_json_key(json, "devices");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; i < d->peer_count; i++)
        write_device(json, &d->peers[i]);
    nvfp4_json_close(json, ']');
}

static void write_disabled(nvfp4_json *json, const nvfp4_request *r)
{
    nvfp4_kernel_info info;
    if (r->deployment.disabled == 0)
        return;
    nvfp4_json_key(json, "disable");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; nvfp4_policy_kernel(r->policy, i, &info) == NVFP4_OK; i++) {
        char text[128];
        if (!(r->deployment.disabled >> i & 1))
            continue;
        snprintf(text, sizeof text, "%s%s%s", info.backend_name,
                 *info.kernel_name != '\0' ? "/" : "", info.kernel_name);
        nvfp4_json_string(json, text);
    }
    nvfp4_json_close(json, ']');
}

static void write_errata_off(nvfp4_json *json, const nvfp4_request *r)
{
    nvfp4_erratum_info info;
    if (r->deployment.errata_off == 0)
        return;
    nvfp4_json_key(json, "errata_off");
    nvfp4_json_open(json, '[');
    for (size_t i = 0; nvfp4_policy_erratum(r->policy, i, &info) == NVFP4_OK; i++)
        if (r->deployment.errata_off >> i & 1)
            nvfp4_json_string(json, info.name);
    nvfp4_json_close(json, ']');
}

/* What the policy's own keys say. */
static void write_own(nvfp4_json *json, const nvfp4_request *r, enum request_section section)
{
    nvfp4_policy_key_info key;
    for (size_t i = 0; nvfp4_policy_key(r->policy, i, &key) == NVFP4_OK; i++) {
        if (strcmp(key.section, nvfp4_request_sections[section].name) != 0)
            continue;
        for (size_t bit = 0; bit < 64; bit++) {
            if (!(r->deployment.custom & key.bits & (uint64_t)1 << bit))
                continue;
            nvfp4_json_key(json, key.name);
            nvfp4_json_string(json, nvfp4_policy_custom_word(r->policy, bit));
        }
    }
}

/* A policy out of a file is told as it was: by the file. */
static const char *policy_name(const nvfp4_request *r)
{
    return r->policy == r->loaded && r->loaded != NULL ? r->loaded_name
                                                       : nvfp4_policy_name(r->policy);
}

size_t nvfp4_request_to_json(const nvfp4_request *request, char *buffer, size_t capacity)
{
    const nvfp4_deployment *const d = &request->deployment;
    nvfp4_json json;
    nvfp4_json_begin(&json, buffer, capacity);
    nvfp4_json_open(&json, '{');
    nvfp4_json_key(&json, "policy");
    nvfp4_json_string(&json, policy_name(request));
    if (d->requested != NVFP4_BACKEND_NONE) {
        nvfp4_json_key(&json, "backend");
        nvfp4_json_string(&json, nvfp4_policy_user_name(request->policy,
                                                        (nvfp4_backend)d->requested));
    }
    nvfp4_json_key(&json, "device");
    write_device(&json, &d->device);
    nvfp4_json_key(&json, "layer");
    nvfp4_json_open(&json, '{');
    write_fields(&json, SECTION_LAYER, &request->layer, &no_layer, request->layer.has);
    write_own(&json, request, SECTION_LAYER);
    nvfp4_json_close(&json, '}');
    nvfp4_json_key(&json, "deployment");
    nvfp4_json_open(&json, '{');
    write_fields(&json, SECTION_DEPLOYMENT, d, &no_deployment, 0);
    write_own(&json, request, SECTION_DEPLOYMENT);
    write_libraries(&json, d);
    write_built(&json, request);
    write_targets(&json, d);
    write_peers(&json, d);
    write_disabled(&json, request);
    write_errata_off(&json, request);
    nvfp4_json_close(&json, '}');
    nvfp4_json_close(&json, '}');
    return nvfp4_json_end(&json);
}
