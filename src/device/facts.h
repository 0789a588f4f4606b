/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_FACTS_H
#define NVFP4_DEVICE_FACTS_H

/*
 * What the sources say, word for word. A probe gathers facts and then reads them; a machine file
 * holds the same facts, so that a replay takes the same way from there on. Nothing here is trusted:
 * values are checked where they are read (resolve.c).
 */

#include <nvfp4moe/device.h>

enum { FACTS_MAX = 1024 };

/* One GPU or MIG slice. */
struct fact {
    int32_t index;            /* the source's own number */
    int32_t parent;           /* place of the GPU that a slice is cut from; -1: no slice */
    int32_t mig_mode;         /* 1: CUDA shows only the slices of this GPU */
    int32_t gpu_instance;     /* -1: not said */
    int32_t compute_instance; /* -1: not said */
    int32_t sm;               /* major * 10 + minor; 0: not said */
    uint32_t vendor;          /* PCI ids; 0: not said */
    uint32_t device;
    uint32_t subsystem; /* vendor << 16 | device */
    uint64_t memory;    /* bytes; 0: not said */
    char name[96];
    char uuid[96];
    char address[32]; /* PCI address, in any of the usual spellings */
};

/* The facts of one source. */
struct fact_list {
    int32_t status; /* an nvfp4_status, or NVFP4_NOT_ASKED */
    int32_t cuda_version;
    size_t count;
    size_t room;
    struct fact *facts;
    char driver_version[32];
    char message[160]; /* why it failed, "" if it did not */
};

struct nvfp4_machine {
    int has_visible; /* CUDA_VISIBLE_DEVICES was set */
    int has_order;   /* CUDA_DEVICE_ORDER was set */
    char visible[4096];
    char order[64];
    struct fact_list lists[NVFP4_SOURCE_COUNT]; /* by source; AUTO is not used */
};

/* A new, empty fact at the end; NULL when out of memory or beyond FACTS_MAX. */
struct fact *nvfp4_facts_add(struct fact_list *list);

/* Gives back what the list holds and makes it an empty one that nobody has asked. */
void nvfp4_facts_clear(struct fact_list *list);

/* Sets status and message; returns the status. */
nvfp4_status nvfp4_facts_fail(struct fact_list *list, nvfp4_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/*
 * Reads "0000:1B:00.0", "00000000:1b:00.0" or "1b:00.0" into one comparable number; 0: unreadable.
 */
int nvfp4_address_read(const char *text, uint64_t *address);
void nvfp4_address_write(uint64_t address, char text[32]);

/*
 * The sources. Each fills an empty list; the status is in it. `library` and `root` as in the
 * options.
 */
void nvfp4_nvml_gather(const char *library, struct fact_list *list);
void nvfp4_cuda_gather(const char *library, struct fact_list *list);
void nvfp4_pci_gather(const char *root, struct fact_list *list);
void nvfp4_tree_gather(const char *root, struct fact_list *list);

#endif
