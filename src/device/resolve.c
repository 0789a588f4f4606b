/* SPDX-License-Identifier: Apache-2.0 */
#include "device/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/catalogue.h"
#include "device/describe.h"
#include "device/visible.h"

/*
 * The devices that CUDA can number and name. The first `numbered` are the GPUs in CUDA's order
 * without CUDA_VISIBLE_DEVICES, each standing for itself or, in MIG mode, for its first slice;
 * behind them come all slices, which only their UUIDs name.
 */
struct table {
    size_t numbered;
    size_t named;
    size_t *target;              /* the fact that an entry stands for */
    struct visible_name *names;  /* parallel to target */
    char (*legacy)[128];         /* older names of slices, parallel to target */
    size_t *picked;              /* facts that are visible, in CUDA's order */
    size_t count;                /* of picked */
    int slices;                  /* 1: some GPU is in MIG mode */
};

static int is_cuda(const struct fact *fact)
{
    return fact->vendor != PCI_AMD;
}

static void table_free(struct table *table)
{
    free(table->target);
    free(table->names);
    free(table->legacy);
    free(table->picked);
}

static int table_new(struct table *table, size_t facts)
{
    size_t room = 2 * facts + 1;

    memset(table, 0, sizeof *table);
    table->target = calloc(room, sizeof *table->target);
    table->names = calloc(room, sizeof *table->names);
    table->legacy = calloc(room, sizeof *table->legacy);
    table->picked = calloc(room, sizeof *table->picked);
    if (table->target != NULL && table->names != NULL && table->legacy != NULL
        && table->picked != NULL)
        return 1;
    table_free(table);
    return 0;
}

/* The first slice of a GPU; the number of facts when it has none. */
static size_t first_slice(const struct fact_list *list, size_t gpu)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->facts[i].parent == (int32_t)gpu)
            return i;
    }
    return list->count;
}

static void table_add(struct table *table, const struct fact_list *list, size_t name, size_t target)
{
    const struct fact *fact = &list->facts[name];
    char *legacy = table->legacy[table->named];

    if (fact->parent >= 0 && (size_t)fact->parent < list->count && fact->gpu_instance >= 0
        && fact->compute_instance >= 0)
        snprintf(legacy, sizeof table->legacy[0], "MIG-%.90s/%d/%d",
                 list->facts[fact->parent].uuid, (int)fact->gpu_instance,
                 (int)fact->compute_instance);
    table->target[table->named] = target;
    table->names[table->named].uuid = fact->uuid;
    table->names[table->named].legacy = legacy;
    table->named++;
}

static void table_add_gpu(struct table *table, const struct fact_list *list, size_t gpu)
{
    size_t target = gpu;

    if (list->facts[gpu].mig_mode) {
        table->slices = 1;
        target = first_slice(list, gpu);
    }
    if (target < list->count)
        table_add(table, list, gpu, target);
}

/* Where in the order by PCI address a GPU stands; facts without an address keep their place. */
static int comes_before(const struct fact *a, const struct fact *b)
{
    uint64_t of_a;
    uint64_t of_b;

    return nvfp4_address_read(a->address, &of_a) && nvfp4_address_read(b->address, &of_b)
           && of_a < of_b;
}

/* The GPUs by PCI address, unless `order` gives another order of facts; then the slices. */
static void table_fill(struct table *table, const struct fact_list *list, const size_t *order,
                       size_t ordered)
{
    size_t gpus[FACTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < list->count && order == NULL; i++) {
        size_t at = count;

        if (list->facts[i].parent >= 0 || !is_cuda(&list->facts[i]))
            continue;
        for (; at > 0 && comes_before(&list->facts[i], &list->facts[gpus[at - 1]]); at--)
            gpus[at] = gpus[at - 1];
        gpus[at] = i;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        table_add_gpu(table, list, gpus[i]);
    for (size_t i = 0; i < ordered; i++)
        table_add_gpu(table, list, order[i]);
    table->numbered = table->named;
    for (size_t i = 0; i < list->count; i++) {
        if (list->facts[i].parent >= 0)
            table_add(table, list, i, i);
    }
}

/*
 * MIG: CUDA shows one slice only, and then no whole GPU: NVIDIA's MIG user guide, "CUDA Device
 * Enumeration", with R450 to R525; later drivers may differ, which is why they are asked where it
 * matters.
 */
static void keep_one_slice(struct table *table, const struct fact_list *list)
{
    for (size_t i = 0; i < table->count; i++) {
        if (list->facts[table->picked[i]].parent >= 0) {
            table->picked[0] = table->picked[i];
            table->count = 1;
            return;
        }
    }
}

static void table_read(struct table *table, const struct fact_list *list, const char *value,
                       struct visible *visible)
{
    /* without a CUDA device the variable says nothing about this machine */
    nvfp4_visible_read(table->named > 0 ? value : NULL, table->names, table->numbered,
                       table->named, table->picked, visible);
    table->count = visible->count;
    for (size_t i = 0; i < table->count; i++)
        table->picked[i] = table->target[table->picked[i]];
    keep_one_slice(table, list);
}

/* Are all GPUs of one make, so that "fastest first" cannot part them? */
static int are_alike(const struct fact_list *list)
{
    const struct fact *first = NULL;

    for (size_t i = 0; i < list->count; i++) {
        const struct fact *fact = &list->facts[i];

        if (fact->parent >= 0 || !is_cuda(fact))
            continue;
        if (first == NULL)
            first = fact;
        if (fact->device != first->device || fact->subsystem != first->subsystem
            || fact->sm != first->sm || strcmp(fact->name, first->name) != 0)
            return 0;
    }
    return 1;
}

static int is_order_open(const struct fact_list *list, const struct table *table,
                         const struct visible *visible, const struct surroundings *now)
{
    int by_address = now->order != NULL && strcmp(now->order, "PCI_BUS_ID") == 0;

    if (visible->count == 0)
        return 0;
    if (list->message[0] != '\0')
        return 1; /* a GPU could not be opened: its number is anyone's guess */
    if (table->numbered < 2)
        return 0;
    if (visible->by_uuid) {
        for (size_t i = 0; table->slices && i < table->numbered; i++) {
            /* a GPU in MIG mode named by its own UUID */
            if (now->visible[0] == 'G' && table->picked[0] == table->target[i]
                && list->facts[table->target[i]].parent >= 0)
                return 1;
        }
        return 0;
    }
    return table->slices || !(by_address || are_alike(list));
}

int nvfp4_resolve_needs_driver(const struct fact_list *list, const struct surroundings *now)
{
    struct table table;
    struct visible visible;
    int needs;

    if (!table_new(&table, list->count))
        return 0;
    table_fill(&table, list, NULL, 0);
    table_read(&table, list, now->visible, &visible);
    needs = is_order_open(list, &table, &visible, now);
    table_free(&table);
    return needs;
}

static int is_in(const size_t *places, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++) {
        if (places[i] == place)
            return 1;
    }
    return 0;
}

static int same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The fact of the device that the driver shows; the number of facts when it is not among them. */
static size_t fact_of(const struct fact_list *list, const struct fact *shown)
{
    uint64_t address;
    uint64_t other;

    for (size_t i = 0; i < list->count; i++) {
        /* the kind is a guess of cuda.c, so only what follows it is compared */
        if (strlen(shown->uuid) > 4 && strlen(list->facts[i].uuid) > 4
            && strcmp(shown->uuid + 4, list->facts[i].uuid + 4) == 0)
            return i;
    }
    if (!nvfp4_address_read(shown->address, &address))
        return list->count;
    for (size_t i = 0; i < list->count; i++) {
        if (list->facts[i].parent < 0 && nvfp4_address_read(list->facts[i].address, &other)
            && other == address)
            return list->facts[i].mig_mode && first_slice(list, i) < list->count
                       ? first_slice(list, i)
                       : i;
    }
    return list->count;
}

/* Takes the order from the driver; 0 when it does not help. */
static int take_driver(struct table *table, const struct fact_list *list,
                       const struct fact_list *driver, const struct surroundings *saw,
                       const struct surroundings *now, struct visible *visible)
{
    size_t shown[FACTS_MAX];

    if (!same_text(saw->order, now->order)
        || (!same_text(saw->visible, now->visible) && saw->visible != NULL)
        || (driver->status != NVFP4_OK && driver->status != NVFP4_ENODEVICE))
        return 0;
    for (size_t i = 0; i < driver->count; i++) {
        shown[i] = fact_of(list, &driver->facts[i]);
        if (shown[i] == list->count || is_in(shown, i, shown[i]))
            return 0;
    }
    if (same_text(saw->visible, now->visible)) {
        memcpy(table->picked, shown, driver->count * sizeof shown[0]);
        table->count = driver->count;
        memset(visible, 0, sizeof *visible);
        visible->verdict = NVFP4_VISIBILITY_DRIVER;
        return 1;
    }
    /* it was started without CUDA_VISIBLE_DEVICES: its order is the one that numbers refer to */
    for (size_t i = 0; i < driver->count; i++) {
        if (list->facts[shown[i]].parent >= 0)
            return 0;
    }
    table->named = 0;
    table_fill(table, list, shown, driver->count);
    table_read(table, list, now->visible, visible);
    return 1;
}

/* UUIDs are asked for, but this source knows none. */
static int lacks_uuids(const struct fact_list *list, const struct visible *visible)
{
    if (!visible->by_uuid)
        return 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_cuda(&list->facts[i]) && list->facts[i].uuid[0] == '\0')
            return 1;
    }
    return 0;
}

static nvfp4_status write_devices(nvfp4_source source, const struct fact_list *list,
                                  const struct table *table, struct found_devices *found)
{
    int unknown = found->visibility == NVFP4_VISIBILITY_UNKNOWN;
    nvfp4_device *device = calloc(list->count + 1, sizeof *device);

    if (device == NULL)
        return NVFP4_ENOMEM;
    found->devices = device;
    for (size_t i = 0; i < table->count; i++, device++) {
        nvfp4_describe(source, list, &list->facts[table->picked[i]], device);
        device->visible = 1;
        device->cuda_ordinal = unknown ? -1 : (int32_t)i;
        if (found->order_uncertain)
            device->doubts |= NVFP4_DOUBT_ORDER;
        if (unknown)
            device->doubts |= NVFP4_DOUBT_HIDDEN;
    }
    /* an engine is built for one maker: beside a GPU for CUDA the others are none of its devices */
    for (size_t i = 0; i < list->count && table->count == 0; i++) {
        if (is_cuda(&list->facts[i]))
            continue;
        nvfp4_describe(source, list, &list->facts[i], device);
        device->visible = 1;
        device++;
    }
    found->visible = (size_t)(device - found->devices);
    for (size_t i = 0; i < list->count; i++) {
        if (is_cuda(&list->facts[i]) ? is_in(table->picked, table->count, i) : table->count == 0)
            continue;
        nvfp4_describe(source, list, &list->facts[i], device);
        device++;
    }
    found->count = (size_t)(device - found->devices);
    return NVFP4_OK;
}

static void write_message(const struct visible *visible, struct found_devices *found)
{
    int length = 0;

    found->message[0] = '\0';
    if (found->visible == 0 && visible->verdict == NVFP4_VISIBILITY_ALL) {
        strcpy(found->message, "the GPUs are in MIG mode, and no slice is made");
        return;
    }
    if (visible->verdict == NVFP4_VISIBILITY_DRIVER && found->visible > 0)
        return;
    if (visible->verdict != NVFP4_VISIBILITY_ALL && visible->verdict != NVFP4_VISIBILITY_LIST)
        length = snprintf(found->message, sizeof found->message, "CUDA_VISIBLE_DEVICES: %s",
                          visible->verdict == NVFP4_VISIBILITY_DRIVER
                              ? "the CUDA driver shows no device"
                              : nvfp4_visibility_text(visible->verdict));
    if (visible->verdict == NVFP4_VISIBILITY_CUT)
        length += snprintf(found->message + length, sizeof found->message - (size_t)length,
                           " (entry %zu)", visible->entry);
    if (found->order_uncertain)
        snprintf(found->message + length, sizeof found->message - (size_t)length,
                 "%sCUDA may number these GPUs otherwise: only its driver knows, and did not say",
                 length > 0 ? "; " : "");
}

/* The CUDA driver itself: its list is the answer. */
static void take_all(struct table *table, const struct fact_list *list, struct visible *visible)
{
    memset(visible, 0, sizeof *visible);
    visible->verdict = NVFP4_VISIBILITY_DRIVER;
    table->count = list->count;
    for (size_t i = 0; i < list->count; i++)
        table->picked[i] = i;
}

nvfp4_status nvfp4_resolve(nvfp4_source source, const struct fact_list *list,
                           const struct fact_list *driver, const struct surroundings *driver_saw,
                           const struct surroundings *now, struct found_devices *found)
{
    struct table table;
    struct visible visible;
    nvfp4_status status;

    memset(found, 0, sizeof *found);
    if (!table_new(&table, list->count))
        return NVFP4_ENOMEM;
    if (source == NVFP4_SOURCE_CUDA) {
        take_all(&table, list, &visible);
    } else if (driver == NULL || !take_driver(&table, list, driver, driver_saw, now, &visible)) {
        table.named = 0;
        table_fill(&table, list, NULL, 0);
        table_read(&table, list, now->visible, &visible);
        found->order_uncertain = is_order_open(list, &table, &visible, now);
        if (lacks_uuids(list, &visible)) {
            table_read(&table, list, NULL, &visible);
            visible.verdict = NVFP4_VISIBILITY_UNKNOWN;
        }
    }
    found->visibility = visible.verdict;
    status = write_devices(source, list, &table, found);
    write_message(&visible, found);
    table_free(&table);
    return status;
}
