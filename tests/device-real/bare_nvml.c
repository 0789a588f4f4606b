/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The yardstick: the NVML calls that a probe makes, in plain C, nothing else. Prints the
 * microseconds from loading the library to unloading it.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef void *device;
struct pci {
    char bus_id_legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};
struct memory {
    unsigned long long total, free, used;
};

static void *library;

static void get(const char *name, void *pointer)
{
    void *symbol = dlsym(library, name);

    memcpy(pointer, &symbol, sizeof symbol);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(void)
{
    int (*init)(void);
    int (*shut)(void);
    int (*count)(unsigned *);
    int (*by_index)(unsigned, device *);
    int (*driver)(char *, unsigned);
    int (*cuda)(int *);
    int (*name)(device, char *, unsigned);
    int (*uuid)(device, char *, unsigned);
    int (*capability)(device, int *, int *);
    int (*pci)(device, struct pci *);
    int (*memory)(device, struct memory *);
    int (*mig)(device, unsigned *, unsigned *);
    double start = now();
    unsigned devices = 0;
    char text[96];
    int version;

    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return 3;
    get("nvmlInit_v2", &init);
    get("nvmlShutdown", &shut);
    get("nvmlDeviceGetCount_v2", &count);
    get("nvmlDeviceGetHandleByIndex_v2", &by_index);
    get("nvmlSystemGetDriverVersion", &driver);
    get("nvmlSystemGetCudaDriverVersion_v2", &cuda);
    get("nvmlDeviceGetName", &name);
    get("nvmlDeviceGetUUID", &uuid);
    get("nvmlDeviceGetCudaComputeCapability", &capability);
    get("nvmlDeviceGetPciInfo_v3", &pci);
    get("nvmlDeviceGetMemoryInfo", &memory);
    get("nvmlDeviceGetMigMode", &mig);
    if (init() != 0)
        return 3;
    driver(text, sizeof text);
    cuda(&version);
    count(&devices);
    for (unsigned i = 0; i < devices; i++) {
        device d;
        struct pci p;
        struct memory m;
        int major, minor;
        unsigned current, pending;

        if (by_index(i, &d) != 0)
            continue;
        name(d, text, sizeof text);
        uuid(d, text, sizeof text);
        memory(d, &m);
        capability(d, &major, &minor);
        pci(d, &p);
        mig(d, &current, &pending);
    }
    shut();
    dlclose(library);
    printf("%.0f %u\n", now() - start, devices);
    return 0;
}
