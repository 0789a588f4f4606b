/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver: started, asked, and left; no context is made. It reads CUDA_VISIBLE_DEVICES and
 * CUDA_DEVICE_ORDER of the process when it starts, so what it shows is what an engine here would
 * get. Once started it stays loaded: it has threads and exit handlers of its own.
 */
#include "device/facts.h"

#include <stdio.h>
#include <string.h>

#include "device/shared.h"

#ifdef _WIN32
#define CUDA_SONAME "nvcuda.dll"
#define CUDA_CALL __stdcall
#else
#define CUDA_SONAME "libcuda.so.1"
#define CUDA_CALL
#endif

/* device attributes */
enum {
    CUDA_PCI_BUS = 33,
    CUDA_PCI_SLOT = 34,
    CUDA_PCI_DOMAIN = 50,
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76
};

/* field, symbol, older symbol, required, arguments */
#define CUDA_SYMBOLS(X)                                                                            \
    X(init, "cuInit", "", 1, (unsigned))                                                           \
    X(count, "cuDeviceGetCount", "", 1, (int *))                                                   \
    X(by_index, "cuDeviceGet", "", 1, (int *, int))                                                \
    X(attribute, "cuDeviceGetAttribute", "", 1, (int *, int, int))                                 \
    X(version, "cuDriverGetVersion", "", 0, (int *))                                               \
    X(name, "cuDeviceGetName", "", 0, (char *, int, int))                                          \
    X(uuid, "cuDeviceGetUuid_v2", "cuDeviceGetUuid", 0, (unsigned char *, int))                    \
    X(address, "cuDeviceGetPCIBusId", "", 0, (char *, int, int))                                   \
    X(memory, "cuDeviceTotalMem_v2", "", 0, (size_t *, int))

struct cuda {
#define X(field, symbol, older, required, arguments) int(CUDA_CALL *field) arguments;
    CUDA_SYMBOLS(X)
#undef X
};

/* What its return codes mean here; a code that is not listed is a broken driver. */
static const struct cuda_code {
    int code;
    nvfp4_status status;
    const char *text;
} codes[] = {
    { 34, NVFP4_ENODRIVER, "this is the toolkit's stub, not a driver" },
    { 100, NVFP4_ENODEVICE, "no device" },
    { 101, NVFP4_ENODEVICE, "invalid device: CUDA_VISIBLE_DEVICES names one twice" },
    { 304, NVFP4_EPERM, "the operating system refused a call" },
    { 800, NVFP4_EPERM, "not permitted" },
    { 802, NVFP4_EDRIVER, "the fabric of this system is not ready" },
    { 803, NVFP4_EDRIVER, "driver and library are of different versions" },
    { 804, NVFP4_EDRIVER, "the compatibility library does not support this GPU" },
    { 999, NVFP4_EDRIVER, "an unknown error of the driver" },
};

static nvfp4_status fail(struct fact_list *list, const char *call, int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].code == code)
            return nvfp4_facts_fail(list, codes[i].status, "%s: %s (CUDA error %d)", call,
                                    codes[i].text, code);
    }
    return nvfp4_facts_fail(list, NVFP4_EDRIVER, "%s: CUDA error %d", call, code);
}

static int load(void *library, struct cuda *cuda, struct fact_list *list)
{
#define X(field, symbol, older, required, arguments)                                               \
    if (!nvfp4_shared_symbol(library, symbol, older, &cuda->field, sizeof cuda->field)             \
        && (required)) {                                                                           \
        nvfp4_facts_fail(list, NVFP4_EDRIVER, "the CUDA driver has no %s", symbol);                \
        return 0;                                                                                  \
    }
    CUDA_SYMBOLS(X)
#undef X
    return 1;
}

static int attribute(const struct cuda *cuda, int device, int which)
{
    int value = -1;

    return cuda->attribute(&value, which, device) == 0 ? value : -1;
}

static void ask_uuid(const struct cuda *cuda, int device, struct fact *fact)
{
    static const char *const format = "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
                                      "%02x%02x%02x%02x%02x%02x";
    unsigned char u[16] = { 0 };
    /* the driver does not say which kind it is, but a slice is named so */
    const char *kind = strstr(fact->name, " MIG ") != NULL ? "MIG" : "GPU";

    if (cuda->uuid == NULL || cuda->uuid(u, device) != 0)
        return;
    snprintf(fact->uuid, sizeof fact->uuid, format, kind, u[0], u[1], u[2], u[3], u[4], u[5], u[6],
             u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

static void ask_address(const struct cuda *cuda, int device, struct fact *fact)
{
    int domain;
    int bus;
    int slot;

    if (cuda->address != NULL
        && cuda->address(fact->address, (int)sizeof fact->address, device) == 0) {
        fact->address[sizeof fact->address - 1] = '\0';
        return;
    }
    domain = attribute(cuda, device, CUDA_PCI_DOMAIN);
    bus = attribute(cuda, device, CUDA_PCI_BUS);
    slot = attribute(cuda, device, CUDA_PCI_SLOT);
    fact->address[0] = '\0';
    if (domain >= 0 && bus >= 0 && slot >= 0)
        snprintf(fact->address, sizeof fact->address, "%08x:%02x:%02x.0", (unsigned)domain,
                 (unsigned)bus & 0xff, (unsigned)slot & 0xff);
}

static void ask_device(const struct cuda *cuda, int device, struct fact *fact)
{
    int major = attribute(cuda, device, CUDA_MAJOR);
    int minor = attribute(cuda, device, CUDA_MINOR);
    size_t memory = 0;

    fact->sm = major >= 0 && major < 1000 && minor >= 0 && minor < 10 ? major * 10 + minor : -1;
    if (cuda->name == NULL || cuda->name(fact->name, (int)sizeof fact->name, device) != 0)
        fact->name[0] = '\0';
    fact->name[sizeof fact->name - 1] = '\0';
    if (cuda->memory != NULL && cuda->memory(&memory, device) == 0)
        fact->memory = memory;
    ask_uuid(cuda, device, fact);
    ask_address(cuda, device, fact);
}

static void ask_devices(const struct cuda *cuda, struct fact_list *list)
{
    int count = 0;
    int code = cuda->count(&count);

    if (code != 0) {
        fail(list, "cuDeviceGetCount", code);
        return;
    }
    for (int i = 0; i < count && i < FACTS_MAX; i++) {
        int device = -1;
        struct fact *fact;

        code = cuda->by_index(&device, i);
        if (code != 0) {
            fail(list, "cuDeviceGet", code);
            return;
        }
        fact = nvfp4_facts_add(list);
        if (fact == NULL) {
            nvfp4_facts_fail(list, NVFP4_ENOMEM, "out of memory");
            return;
        }
        fact->index = i;
        ask_device(cuda, device, fact);
    }
    if (list->count > 0)
        list->status = NVFP4_OK;
    else
        nvfp4_facts_fail(list, NVFP4_ENODEVICE, "the CUDA driver shows no device");
}

void nvfp4_cuda_gather(const char *name, struct fact_list *list)
{
    struct cuda cuda;
    char why[sizeof list->message];
    void *library = nvfp4_shared_open(name != NULL ? name : CUDA_SONAME, why, sizeof why);
    int code;

    if (library == NULL) {
        nvfp4_facts_fail(list, NVFP4_ENODRIVER, "%s", why);
        return;
    }
    if (!load(library, &cuda, list)) {
        nvfp4_shared_close(library);
        return;
    }
    if (cuda.version != NULL && cuda.version(&list->cuda_version) != 0)
        list->cuda_version = 0;
    code = cuda.init(0);
    if (code == 0)
        ask_devices(&cuda, list);
    else
        fail(list, "cuInit", code);
}
