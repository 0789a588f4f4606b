/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imitations of libnvidia-ml.so.1 and libcuda.so.1, as many as there are rows in CMakeLists.txt.
 * Each is this file, built with:
 *   FAKE_CUDA        the CUDA driver; else NVML
 *   FAKE_SET         which GPUs there are (see below)
 *   FAKE_INIT        what the init call returns
 *   FAKE_HANDLE      what asking for a device by its number returns
 *   FAKE_FIRST_ONLY  that only for the first device
 *   FAKE_OLD         only the oldest spelling of every symbol, and none of the optional ones
 *   FAKE_INCOMPLETE  a required symbol is missing
 *   FAKE_ONLY_LAST   CUDA shows only the last GPU of the set, as under CUDA_VISIBLE_DEVICES
 */
#include <stdio.h>
#include <string.h>

#ifndef FAKE_INIT
#define FAKE_INIT 0
#endif
#ifndef FAKE_HANDLE
#define FAKE_HANDLE 0
#endif

#ifdef FAKE_FIRST_ONLY
#define FAKE_HANDLE_OF(i) ((i) == 0 ? FAKE_HANDLE : 0)
#else
#define FAKE_HANDLE_OF(i) FAKE_HANDLE
#endif

#define EXPORT __attribute__((visibility("default")))

struct gpu {
    const char *name;
    int major, minor;
    unsigned id, subsystem; /* device << 16 | vendor */
    unsigned domain, bus;
    unsigned long long memory;
    unsigned char uuid[16];
    int slices;     /* -1: not in MIG mode */
    int cuda_place; /* CUDA's number, -1: not shown */
};

#define UUID(a, b)                                                                                 \
    { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, a, b }
#define H200(bus, n)                                                                               \
    { "NVIDIA H200", 9, 0, 0x233510de, 0x18be10de, 0, bus, 150754820096ull, UUID(0x20, n), -1, n }

static const struct gpu gpus[] = {
#if FAKE_SET == 1 /* two of a kind */
    H200(0x1b, 0),
    H200(0x9d, 1),
#elif FAKE_SET == 2 /* two kinds: NVML goes by address, CUDA takes the faster first */
    { "NVIDIA GeForce RTX 3090 Ti", 8, 6, 0x220310de, 0x000010de, 0, 0x01, 25757220864ull,
      UUID(0x30, 0x90), -1, 1 },
    { "NVIDIA GeForce RTX 5090", 12, 0, 0x2b8510de, 0x000010de, 0, 0x21, 34190458880ull,
      UUID(0x50, 0x90), -1, 0 },
#elif FAKE_SET == 3 /* one cut into slices, one whole */
    { "NVIDIA H100 80GB HBM3", 9, 0, 0x233010de, 0x16c110de, 0, 0x1b, 85520809984ull,
      UUID(0x10, 0x00), 2, 0 },
    { "NVIDIA H100 80GB HBM3", 9, 0, 0x233010de, 0x16c110de, 0, 0x43, 85520809984ull,
      UUID(0x10, 0x01), -1, -1 },
#elif FAKE_SET == 4 /* nothing that could be */
    { "Bad\x01\xffName", 77777, -3, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffff,
      ~0ull, UUID(0, 0), -1, 0 },
#elif FAKE_SET == 5 /* Thor under an old driver */
    { "NVIDIA Thor", 10, 1, 0x2b0010de, 0, 0, 0x01, 0, UUID(0x7, 0x0), -1, 0 },
#elif FAKE_SET == 6 /* a virtual GPU with another board's name */
    { "NVIDIA GeForce RTX 3050", 8, 9, 0x26b910de, 0x169910de, 0, 0x02, 8589934592ull,
      UUID(0x89, 0x0), -1, 0 },
#else
    { "none", 0, 0, 0, 0, 0, 0, 0, UUID(0, 0), -1, -1 },
#endif
};

static unsigned gpu_count(void)
{
    return FAKE_SET == 0 ? 0 : sizeof gpus / sizeof gpus[0];
}

/* Inits less shutdowns, for the test to look at. */
EXPORT extern int fake_balance;
int fake_balance = 0;

#ifndef FAKE_CUDA

typedef const struct gpu *handle;

struct pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};

struct memory {
    unsigned long long total, free, used;
};

/* Handles of slices lie behind those of the GPUs: slice s of GPU g. */
static const struct gpu slice_handles[2][8];

static int slice_of(handle h, size_t *gpu)
{
    for (size_t g = 0; g < 2; g++) {
        if (h >= slice_handles[g] && h < slice_handles[g] + 8) {
            *gpu = g;
            return (int)(h - slice_handles[g]);
        }
    }
    return -1;
}

static int start(void)
{
    fake_balance += FAKE_INIT == 0;
    return FAKE_INIT;
}

static int count(unsigned *n)
{
    *n = gpu_count();
    return fake_balance > 0 ? 0 : 1;
}

static int by_index(unsigned i, handle *h)
{
    if (FAKE_HANDLE_OF(i) != 0 || i >= gpu_count())
        return FAKE_HANDLE_OF(i) != 0 ? FAKE_HANDLE_OF(i) : 2;
    *h = &gpus[i];
    return 0;
}

#ifdef FAKE_OLD
EXPORT int nvmlInit(void);
EXPORT int nvmlDeviceGetCount(unsigned *n);
EXPORT int nvmlDeviceGetHandleByIndex(unsigned i, handle *h);
int nvmlInit(void)
{
    return start();
}
int nvmlDeviceGetCount(unsigned *n)
{
    return count(n);
}
int nvmlDeviceGetHandleByIndex(unsigned i, handle *h)
{
    return by_index(i, h);
}
#else
EXPORT int nvmlInit_v2(void);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, handle *h);
int nvmlInit_v2(void)
{
    return start();
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, handle *h)
{
    return by_index(i, h);
}
#ifdef FAKE_INCOMPLETE
#define nvmlDeviceGetCount_v2 nvmlDeviceGetCount_v9
#endif
EXPORT int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetCount_v2(unsigned *n)
{
    return count(n);
}
#endif

EXPORT int nvmlShutdown(void);
int nvmlShutdown(void)
{
    fake_balance--;
    return 0;
}

EXPORT int nvmlDeviceGetName(handle h, char *text, unsigned size);
int nvmlDeviceGetName(handle h, char *text, unsigned size)
{
    size_t g;
    int slice = slice_of(h, &g);

    if (slice < 0)
        snprintf(text, size, "%s", h->name);
    else
        snprintf(text, size, "%s MIG %s", gpus[g].name, slice == 0 ? "3g.40gb" : "1g.10gb");
    return 0;
}

#ifdef FAKE_OLD
/* as version 2: no string behind the numbers, but 16 bytes that are reserved */
EXPORT int nvmlDeviceGetPciInfo_v2(handle h, struct pci *pci);
int nvmlDeviceGetPciInfo_v2(handle h, struct pci *pci)
{
    pci->domain = h->domain;
    pci->bus = h->bus;
    pci->device = 0;
    pci->id = h->id;
    pci->subsystem = h->subsystem;
    memset(pci->bus_id, 0xee, 16);
    return 0;
}
#else
static void print_uuid(char *text, unsigned size, const char *kind, const unsigned char *u, int add)
{
    snprintf(text, size,
             "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", kind, u[0],
             u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
             u[14], (u[15] + add) & 0xff);
}

EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned size);
int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    if (FAKE_SET == 4)
        memset(text, 'x', size);
    else
        snprintf(text, size, "580.159.04");
    return 0;
}

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version);
int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    *version = FAKE_SET == 4 ? -1 : 13000;
    return 0;
}

EXPORT int nvmlDeviceGetUUID(handle h, char *text, unsigned size);
int nvmlDeviceGetUUID(handle h, char *text, unsigned size)
{
    size_t g;
    int slice = slice_of(h, &g);

    if (FAKE_SET == 4)
        memset(text, 'U', size);
    else if (slice < 0)
        print_uuid(text, size, "GPU", h->uuid, 0);
    else
        print_uuid(text, size, "MIG", gpus[g].uuid, 0x80 + slice);
    return 0;
}

EXPORT int nvmlDeviceGetCudaComputeCapability(handle h, int *major, int *minor);
int nvmlDeviceGetCudaComputeCapability(handle h, int *major, int *minor)
{
    *major = h->major;
    *minor = h->minor;
    return 0;
}

EXPORT int nvmlDeviceGetPciInfo_v3(handle h, struct pci *pci);
int nvmlDeviceGetPciInfo_v3(handle h, struct pci *pci)
{
    memset(pci, FAKE_SET == 4 ? 'z' : 0, sizeof *pci);
    pci->domain = h->domain;
    pci->bus = h->bus;
    pci->device = 0;
    pci->id = h->id;
    pci->subsystem = h->subsystem;
    return 0;
}

EXPORT int nvmlDeviceGetMemoryInfo(handle h, struct memory *memory);
int nvmlDeviceGetMemoryInfo(handle h, struct memory *memory)
{
    size_t g;
    int slice = slice_of(h, &g);

    if (FAKE_SET == 5)
        return 3; /* not supported: memory is the system's */
    memory->total = slice < 0 ? h->memory : slice == 0 ? 42144366592ull : 10468982784ull;
    return 0;
}

EXPORT int nvmlDeviceGetMigMode(handle h, unsigned *current, unsigned *pending);
int nvmlDeviceGetMigMode(handle h, unsigned *current, unsigned *pending)
{
    if (FAKE_SET != 3)
        return 3;
    *current = *pending = h->slices >= 0;
    return 0;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(handle h, unsigned *n);
int nvmlDeviceGetMaxMigDeviceCount(handle h, unsigned *n)
{
    *n = h->slices >= 0 ? 7 : 0;
    return 0;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(handle h, unsigned i, handle *slice);
int nvmlDeviceGetMigDeviceHandleByIndex(handle h, unsigned i, handle *slice)
{
    if (h->slices < 0 || i >= (unsigned)h->slices)
        return 6;
    *slice = &slice_handles[h - gpus][i];
    return 0;
}

EXPORT int nvmlDeviceGetGpuInstanceId(handle h, unsigned *id);
int nvmlDeviceGetGpuInstanceId(handle h, unsigned *id)
{
    size_t g;
    int slice = slice_of(h, &g);

    *id = slice == 0 ? 2 : 9;
    return slice < 0 ? 3 : 0;
}

EXPORT int nvmlDeviceGetComputeInstanceId(handle h, unsigned *id);
int nvmlDeviceGetComputeInstanceId(handle h, unsigned *id)
{
    size_t g;

    *id = 0;
    return slice_of(h, &g) < 0 ? 3 : 0;
}
#endif

#else /* FAKE_CUDA */

/* The GPU that CUDA shows under a number. */
static const struct gpu *shown(int device)
{
    for (unsigned i = 0; i < gpu_count(); i++) {
        if (gpus[i].cuda_place == device)
            return &gpus[i];
    }
    return NULL;
}

/* As shown(), for calls that a driver without such a device would refuse. */
static const struct gpu *the(int device)
{
    const struct gpu *gpu = shown(device);

    return gpu != NULL ? gpu : &gpus[0];
}

static int shown_count(void)
{
    int n = 0;

    while (shown(n) != NULL)
        n++;
    return n;
}

EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    return FAKE_INIT;
}

EXPORT int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = FAKE_SET == 4 ? 7 : 13000;
    return 0;
}

EXPORT int cuDeviceGetCount(int *n);
int cuDeviceGetCount(int *n)
{
#ifdef FAKE_ONLY_LAST
    *n = 1;
#else
    *n = shown_count();
#endif
    return 0;
}

EXPORT int cuDeviceGet(int *device, int i);
int cuDeviceGet(int *device, int i)
{
#ifdef FAKE_ONLY_LAST
    i = shown_count() - 1;
#endif
    *device = i;
    return FAKE_HANDLE;
}

#ifndef FAKE_INCOMPLETE
EXPORT int cuDeviceGetAttribute(int *value, int which, int device);
int cuDeviceGetAttribute(int *value, int which, int device)
{
    const struct gpu *gpu = the(device);

    switch (which) {
    case 33:
        *value = (int)gpu->bus;
        return 0;
    case 34:
        *value = 0;
        return 0;
    case 50:
        *value = (int)gpu->domain;
        return 0;
    case 75:
        *value = gpu->major;
        return 0;
    case 76:
        *value = gpu->minor;
        return 0;
    default:
        return 1;
    }
}
#endif

EXPORT int cuDeviceGetName(char *text, int size, int device);
int cuDeviceGetName(char *text, int size, int device)
{
    const struct gpu *gpu = the(device);

    snprintf(text, (size_t)size, "%s%s", gpu->name, gpu->slices > 0 ? " MIG 3g.40gb" : "");
    return 0;
}

#ifdef FAKE_OLD
EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device);
int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    memcpy(uuid, the(device)->uuid, 16);
    return 0;
}
#else
EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    const struct gpu *gpu = the(device);

    memcpy(uuid, gpu->uuid, 16);
    if (gpu->slices > 0)
        uuid[15] = (unsigned char)(uuid[15] + 0x80);
    return 0;
}

EXPORT int cuDeviceGetPCIBusId(char *text, int size, int device);
int cuDeviceGetPCIBusId(char *text, int size, int device)
{
    const struct gpu *gpu = the(device);

    snprintf(text, (size_t)size, "%04X:%02X:00.0", gpu->domain, gpu->bus);
    return 0;
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = (size_t)the(device)->memory;
    return 0;
}
#endif

#endif
