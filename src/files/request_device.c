/* SPDX-License-Identifier: Apache-2.0 */
/* From the parts of a device, as they are written, to what a decision needs. */
#include "files/request_parts.h"

#include <nvfp4moe/device.h>

#include <string.h>

#include "files/nearest.h"

static nvfp4_status read_vendor(const struct request_note *note, const char *what,
                                int32_t *vendor, nvfp4_error *error)
{
    const struct request_vocabulary *const known = &nvfp4_request_vocabularies[WORDS_VENDOR];
    for (size_t i = 0; i < known->count; i++) {
        if (nvfp4_node_is(note->node, known->words[i])) {
            *vendor = (int32_t)i;
            return NVFP4_OK;
        }
    }
    char excerpt[NVFP4_EXCERPT];
    nvfp4_excerpt(note->node->text, note->node->length, excerpt);
    const char *const best = nvfp4_nearest_word(excerpt, known->words, known->count);
    if (best != NULL)
        return nvfp4_request_fail(note, error, 0,
                                  "unknown vendor '%s' in %s; did you mean '%s'?", excerpt, what,
                                  best);
    return nvfp4_request_fail(note, error, 0,
                              "unknown vendor '%s' in %s; known are nvidia, amd, intel", excerpt,
                              what);
}

static void look_up(const char *text, struct request_gpu *answer)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    nvfp4_error error;
    const int known = nvfp4_gpu_find(text, &gpu, &error) == NVFP4_OK;
    answer->key = gpu.key;
    /* Boards that share a name are not one of them. */
    answer->name = !known ? NULL : gpu.pci_device_id != 0 ? gpu.name : gpu.label;
    if (!known)
        memcpy(answer->message, error.message, sizeof answer->message);
}

/* The board of that name, looked up once; `spare` is for a name too long to remember. */
static const struct request_gpu *find_gpu(nvfp4_request *request, const char *text,
                                          struct request_gpu *spare)
{
    const size_t length = strlen(text);
    if (length == 0 || length >= sizeof spare->text) {
        look_up(text, spare);
        return spare;
    }
    for (int i = 0; i < REQUEST_GPUS; i++)
        if (strcmp(request->gpus[i].text, text) == 0)
            return &request->gpus[i];
    struct request_gpu *const entry = &request->gpus[request->next_gpu];
    request->next_gpu = (request->next_gpu + 1) % REQUEST_GPUS;
    look_up(text, entry);
    memcpy(entry->text, text, length + 1);
    return entry;
}

static nvfp4_status read_gpu(nvfp4_request *request, const struct request_note *note,
                             nvfp4_device_key *device, const char **name, nvfp4_error *error)
{
    struct request_gpu spare;
    const struct request_gpu *const gpu = find_gpu(request, note->node->text, &spare);
    if (gpu->name == NULL)
        return nvfp4_request_fail(note, error, 0, "%s", gpu->message);
    *device = gpu->key;
    if (name != NULL)
        *name = gpu->name;
    return NVFP4_OK;
}

/* What stands behind a colon are features: "gfx942:sramecc+:xnack-". */
static nvfp4_status read_arch(const struct request_note *note, const char *what,
                              nvfp4_device_key *device, nvfp4_error *error)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    const char *const text = note->node->text;
    const size_t length = strcspn(text, ":");
    char excerpt[NVFP4_EXCERPT];
    if (length == 0 || length >= sizeof device->arch || strspn(text, letters) < length)
        return nvfp4_request_fail(note, error, 0,
                                  "arch in %s must be a name such as gfx942, found '%s'", what,
                                  nvfp4_excerpt(text, note->node->length, excerpt));
    memset(device->arch, 0, sizeof device->arch);
    memcpy(device->arch, text, length);
    return NVFP4_OK;
}

/* The device by the name of its board; a vendor beside it must agree. */
static nvfp4_status by_name(nvfp4_request *request, const struct request_note *parts,
                            const char *what, nvfp4_device_key *device, const char **name,
                            nvfp4_error *error)
{
    nvfp4_status status = NVFP4_OK;
    if (parts[SLOT_SM].node != NULL)
        return nvfp4_request_fail(&parts[SLOT_SM], error, 1,
                                  "%s has both 'gpu' and 'sm'; give one of them", what);
    if (parts[SLOT_ARCH].node != NULL)
        return nvfp4_request_fail(&parts[SLOT_ARCH], error, 1,
                                  "%s has both 'gpu' and 'arch'; give one of them", what);
    nvfp4_device_key key;
    int32_t vendor = NVFP4_VENDOR_NVIDIA;
    if (parts[SLOT_VENDOR].node != NULL)
        status = read_vendor(&parts[SLOT_VENDOR], what, &vendor, error);
    if (status == NVFP4_OK)
        status = read_gpu(request, &parts[SLOT_GPU], &key, name, error);
    if (status != NVFP4_OK)
        return status;
    if (parts[SLOT_VENDOR].node != NULL && vendor != key.vendor)
        return nvfp4_request_fail(&parts[SLOT_VENDOR], error, 0, "the gpu in %s is made by %s",
                                  what, nvfp4_vendor_name((nvfp4_vendor)key.vendor));
    *device = key;
    return NVFP4_OK;
}

nvfp4_status nvfp4_request_read_device(nvfp4_request *request, const struct request_note *parts,
                                       const struct request_note *whole, const char *what,
                                       nvfp4_device_key *device, const char **name,
                                       nvfp4_error *error)
{
    nvfp4_device_key key = { NVFP4_VENDOR_NVIDIA, 0, "" };
    nvfp4_status status = NVFP4_OK;
    if (parts[SLOT_GPU].node != NULL)
        return by_name(request, parts, what, device, name, error);
    if (parts[SLOT_VENDOR].node != NULL)
        status = read_vendor(&parts[SLOT_VENDOR], what, &key.vendor, error);
    if (status != NVFP4_OK)
        return status;
    if (key.vendor != NVFP4_VENDOR_NVIDIA) {
        if (parts[SLOT_SM].node != NULL)
            return nvfp4_request_fail(&parts[SLOT_SM], error, 1,
                                      "sm is NVIDIA's; a device of %s has an arch",
                                      nvfp4_vendor_name((nvfp4_vendor)key.vendor));
        if (parts[SLOT_ARCH].node != NULL)
            status = read_arch(&parts[SLOT_ARCH], what, &key, error);
    } else if (parts[SLOT_ARCH].node != NULL) {
        return nvfp4_request_fail(&parts[SLOT_ARCH], error, 1,
                                  "arch in %s needs a vendor such as amd; NVIDIA's have an sm",
                                  what);
    } else if (parts[SLOT_SM].node != NULL) {
        key.sm = (nvfp4_sm)parts[SLOT_SM].node->integer;
    } else {
        return nvfp4_request_fail(whole, error, 0,
                                  "%s is missing; give {sm: 120} or {gpu: rtx pro 6000}", what);
    }
    if (status == NVFP4_OK) {
        *device = key;
        if (name != NULL)
            *name = "";
    }
    return status;
}
