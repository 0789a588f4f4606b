/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVIDIA's management library. The prototypes are our own, from its public reference; only what is
 * asked here. It is loaded for the time of a probe: init and shutdown count in pairs, so an
 * embedder that uses the library itself is not disturbed.
 */
#include "device/facts.h"

#include <stdio.h>
#include <string.h>

#include "device/shared.h"

#ifdef _WIN32
#define NVML_SONAME "nvml.dll"
#else
#define NVML_SONAME "libnvidia-ml.so.1"
#endif

typedef struct nvml_device_tag *nvml_device;

/*
 * As version 3. Version 2 writes 16 reserved bytes where `bus_id` begins, so that one is not read.
 */
struct nvml_pci {
    char bus_id_legacy[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned pci_device_id; /* device << 16 | vendor */
    unsigned pci_subsystem_id;
    char bus_id[32];
};

struct nvml_memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

/* field, symbol, older symbol, required, arguments */
#define NVML_SYMBOLS(X)                                                                            \
    X(init, "nvmlInit_v2", "nvmlInit", 1, (void))                                                  \
    X(shutdown, "nvmlShutdown", "", 1, (void))                                                     \
    X(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", 1, (unsigned *))                       \
    X(by_index, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", 1,                  \
      (unsigned, nvml_device *))                                                                   \
    X(driver_version, "nvmlSystemGetDriverVersion", "", 0, (char *, unsigned))                     \
    X(cuda_version, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion", 0,      \
      (int *))                                                                                     \
    X(name, "nvmlDeviceGetName", "", 0, (nvml_device, char *, unsigned))                           \
    X(uuid, "nvmlDeviceGetUUID", "", 0, (nvml_device, char *, unsigned))                           \
    X(capability, "nvmlDeviceGetCudaComputeCapability", "", 0, (nvml_device, int *, int *))        \
    X(pci, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", 0,                                \
      (nvml_device, struct nvml_pci *))                                                            \
    X(memory, "nvmlDeviceGetMemoryInfo", "", 0, (nvml_device, struct nvml_memory *))               \
    X(mig_mode, "nvmlDeviceGetMigMode", "", 0, (nvml_device, unsigned *, unsigned *))              \
    X(mig_count, "nvmlDeviceGetMaxMigDeviceCount", "", 0, (nvml_device, unsigned *))               \
    X(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex", "", 0,                                  \
      (nvml_device, unsigned, nvml_device *))                                                      \
    X(gpu_instance, "nvmlDeviceGetGpuInstanceId", "", 0, (nvml_device, unsigned *))                \
    X(compute_instance, "nvmlDeviceGetComputeInstanceId", "", 0, (nvml_device, unsigned *))

struct nvml {
#define X(field, symbol, older, required, arguments) int(*field) arguments;
    NVML_SYMBOLS(X)
#undef X
};

/* What its return codes mean here; a code that is not listed is a broken driver. */
static const struct nvml_code {
    int code;
    nvfp4_status status;
    const char *text;
} codes[] = {
    { 1, NVFP4_EDRIVER, "not initialised" },
    { 4, NVFP4_EPERM, "no permission" },
    { 6, NVFP4_ENODEVICE, "no device found" },
    { 9, NVFP4_ENODRIVER, "the kernel driver is not loaded" },
    { 12, NVFP4_EDRIVER, "a library that it needs is missing" },
    { 15, NVFP4_EDRIVER, "a GPU has fallen off the bus" },
    { 16, NVFP4_EDRIVER, "a GPU must be reset" },
    { 17, NVFP4_EPERM, "blocked by the operating system (cgroups)" },
    { 18, NVFP4_EDRIVER, "driver and library are of different versions" },
    { 999, NVFP4_EDRIVER, "an internal error of the driver" },
};

static const struct nvml_code *find_code(int code)
{
    static const struct nvml_code unlisted = { 0, NVFP4_EDRIVER, "a failure without a name" };

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].code == code)
            return &codes[i];
    }
    return &unlisted;
}

static nvfp4_status fail(struct fact_list *list, const char *call, int code)
{
    const struct nvml_code *known = find_code(code);

    if (known->code == 0)
        return nvfp4_facts_fail(list, known->status, "%s: NVML error %d", call, code);
    return nvfp4_facts_fail(list, known->status, "%s: %s (NVML error %d)", call, known->text, code);
}

/* Some GPUs, or all, cannot be opened; `code` is what the first of them gave. */
static void fail_lost(struct fact_list *list, unsigned lost, unsigned count, int code)
{
    const struct nvml_code *known = find_code(code);

    nvfp4_facts_fail(list, known->status, "%u of %u GPUs cannot be opened: %s (NVML error %d)", lost,
                     count, known->text, code);
}

static int load(void *library, struct nvml *nvml, struct fact_list *list)
{
#define X(field, symbol, older, required, arguments)                                               \
    if (!nvfp4_shared_symbol(library, symbol, older, &nvml->field, sizeof nvml->field)             \
        && (required)) {                                                                           \
        nvfp4_facts_fail(list, NVFP4_EDRIVER, "NVML has no %s", symbol);                           \
        return 0;                                                                                  \
    }
    NVML_SYMBOLS(X)
#undef X
    return 1;
}

/* Optional calls: what is missing, fails or is not supported leaves the fact unsaid. */
static void ask_strings(const struct nvml *nvml, nvml_device device, struct fact *fact)
{
    if (nvml->name == NULL || nvml->name(device, fact->name, sizeof fact->name) != 0)
        fact->name[0] = '\0';
    if (nvml->uuid == NULL || nvml->uuid(device, fact->uuid, sizeof fact->uuid) != 0)
        fact->uuid[0] = '\0';
    fact->name[sizeof fact->name - 1] = '\0';
    fact->uuid[sizeof fact->uuid - 1] = '\0';
}

static void ask_memory(const struct nvml *nvml, nvml_device device, struct fact *fact)
{
    struct nvml_memory memory = { 0, 0, 0 };

    if (nvml->memory != NULL && nvml->memory(device, &memory) == 0)
        fact->memory = memory.total;
}

static void ask_numbers(const struct nvml *nvml, nvml_device device, struct fact *fact)
{
    struct nvml_pci pci;
    unsigned current = 0;
    unsigned pending = 0;
    int major = 0;
    int minor = 0;

    memset(&pci, 0, sizeof pci);
    if (nvml->capability != NULL && nvml->capability(device, &major, &minor) == 0)
        fact->sm = major >= 0 && major < 1000 && minor >= 0 && minor < 10 ? major * 10 + minor : -1;
    if (nvml->pci != NULL && nvml->pci(device, &pci) == 0) {
        fact->vendor = pci.pci_device_id & 0xffff;
        fact->device = pci.pci_device_id >> 16;
        fact->subsystem = pci.pci_subsystem_id << 16 | pci.pci_subsystem_id >> 16;
        snprintf(fact->address, sizeof fact->address, "%08x:%02x:%02x.0", pci.domain,
                 pci.bus & 0xff, pci.device & 0xff);
    }
    if (nvml->mig_mode != NULL && nvml->mig_mode(device, &current, &pending) == 0)
        fact->mig_mode = current == 1;
}

/* The slices of the GPU whose fact is at `parent`; 0 when out of memory. */
static int ask_slices(const struct nvml *nvml, nvml_device device, size_t parent,
                      struct fact_list *list)
{
    unsigned count = 0;

    if (nvml->mig_count == NULL || nvml->mig_by_index == NULL
        || nvml->mig_count(device, &count) != 0)
        return 1;
    for (unsigned i = 0; i < count && i < 64; i++) {
        nvml_device slice = NULL;
        unsigned id;
        struct fact *fact;

        if (nvml->mig_by_index(device, i, &slice) != 0)
            continue;
        fact = nvfp4_facts_add(list);
        if (fact == NULL)
            return 0;
        *fact = list->facts[parent];
        fact->parent = (int32_t)parent;
        fact->mig_mode = 0;
        fact->memory = 0;
        ask_strings(nvml, slice, fact);
        ask_memory(nvml, slice, fact);
        if (nvml->gpu_instance != NULL && nvml->gpu_instance(slice, &id) == 0)
            fact->gpu_instance = (int32_t)(id & 0xffff);
        if (nvml->compute_instance != NULL && nvml->compute_instance(slice, &id) == 0)
            fact->compute_instance = (int32_t)(id & 0xffff);
    }
    return 1;
}

static void ask_devices(const struct nvml *nvml, struct fact_list *list)
{
    unsigned count = 0;
    unsigned lost = 0;
    int lost_code = 0;
    int code = nvml->count(&count);

    if (code != 0) {
        fail(list, "nvmlDeviceGetCount", code);
        return;
    }
    for (unsigned i = 0; i < count && i < FACTS_MAX; i++) {
        nvml_device device = NULL;
        size_t place = list->count;
        struct fact *fact;

        code = nvml->by_index(i, &device);
        if (code != 0) {
            /* one GPU that cannot be opened: the others still count */
            if (lost++ == 0)
                lost_code = code;
            continue;
        }
        fact = nvfp4_facts_add(list);
        if (fact != NULL) {
            fact->index = (int32_t)i;
            ask_strings(nvml, device, fact);
            ask_memory(nvml, device, fact);
            ask_numbers(nvml, device, fact);
        }
        if (fact == NULL || (fact->mig_mode && !ask_slices(nvml, device, place, list))) {
            nvfp4_facts_fail(list, NVFP4_ENOMEM, "out of memory");
            return;
        }
    }
    if (lost > 0)
        fail_lost(list, lost, count, lost_code);
    if (list->count > 0)
        list->status = NVFP4_OK;
    else if (list->message[0] == '\0')
        nvfp4_facts_fail(list, NVFP4_ENODEVICE, "NVML shows no device");
}

static void ask_versions(const struct nvml *nvml, struct fact_list *list)
{
    int version = 0;

    if (nvml->driver_version == NULL
        || nvml->driver_version(list->driver_version, sizeof list->driver_version) != 0)
        list->driver_version[0] = '\0';
    list->driver_version[sizeof list->driver_version - 1] = '\0';
    if (nvml->cuda_version != NULL && nvml->cuda_version(&version) == 0)
        list->cuda_version = version;
}

void nvfp4_nvml_gather(const char *name, struct fact_list *list)
{
    struct nvml nvml;
    char why[sizeof list->message];
    void *library = nvfp4_shared_open(name != NULL ? name : NVML_SONAME, why, sizeof why);
    int code;

    if (library == NULL) {
        nvfp4_facts_fail(list, NVFP4_ENODRIVER, "%s", why);
        return;
    }
    if (load(library, &nvml, list)) {
        code = nvml.init();
        if (code == 0) {
            ask_versions(&nvml, list);
            ask_devices(&nvml, list);
            nvml.shutdown();
        } else {
            fail(list, "nvmlInit", code);
        }
    }
    nvfp4_shared_close(library);
}
