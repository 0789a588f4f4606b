/* SPDX-License-Identifier: Apache-2.0 */
/* What should be known about devices that a probe found, as remarks beside the answer. */
#include "cli/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void remark(nvfp4_cli_question *q, nvfp4_warning warning, const char *format, ...)
{
    if (q->remark_count == NVFP4_CLI_REMARKS)
        return;
    char *const text = q->remark_texts[q->remark_count];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof q->remark_texts[0], format, arguments);
    va_end(arguments);
    q->remarks[q->remark_count].warning = (int32_t)warning;
    q->remarks[q->remark_count].text = text;
    q->remark_count++;
}

static const char *name_of(const nvfp4_device *device)
{
    return device->name[0] != '\0' ? device->name : "without a name";
}

/* "GPU 0 (NVIDIA H200)", "GPU 0 (NVIDIA H200) and 7 more" */
struct group {
    const nvfp4_device *first;
    size_t rank, more;
    char text[160];
};

static void group_add(struct group *group, const nvfp4_device *device, size_t rank)
{
    if (group->first == NULL) {
        group->first = device;
        group->rank = rank;
        snprintf(group->text, sizeof group->text, "GPU %zu (%s)", rank, name_of(device));
        return;
    }
    group->more++;
    snprintf(group->text, sizeof group->text, "GPU %zu (%s) and %zu more", group->rank,
             name_of(group->first), group->more);
}

/* From the bus or the device tree, whose word for an SM is the catalogue's. */
static int is_second_hand(const nvfp4_device *device)
{
    return device->source == NVFP4_SOURCE_PCI || device->source == NVFP4_SOURCE_TREE;
}

static void doubt_device(nvfp4_cli_question *q, uint32_t doubt, const struct group *group)
{
    switch (doubt) {
    case NVFP4_DOUBT_NAME:
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE,
               "%s has the name of another board: a virtual GPU? Its chip is taken from the driver%s%s",
               group->text, group->first->board[0] != '\0' ? " and is that of " : "",
               group->first->board);
        break;
    case NVFP4_DOUBT_SM:
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE,
               "%s: the compute capability is the catalogue's, the driver does not say it",
               group->text);
        break;
    case NVFP4_DOUBT_VALUES:
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE,
               "%s: the driver gave values that cannot be, which were dropped", group->text);
        break;
    default:
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE,
               "%s: whether CUDA shows it cannot be known from here", group->text);
        break;
    }
}

static void doubt_devices(nvfp4_cli_question *q)
{
    static const uint32_t doubts[] = { NVFP4_DOUBT_NAME, NVFP4_DOUBT_SM, NVFP4_DOUBT_VALUES,
                                       NVFP4_DOUBT_HIDDEN };
    for (size_t k = 0; k < sizeof doubts / sizeof doubts[0]; k++) {
        struct group group = { NULL, 0, 0, "" };
        for (size_t i = 0; i < q->device_count; i++) {
            const nvfp4_device *const d = &q->devices[i];
            /* that of all of them is said already */
            const int known = doubts[k] == NVFP4_DOUBT_SM && is_second_hand(d);
            if ((d->doubts & doubts[k]) != 0 && !known)
                group_add(&group, d, i);
        }
        if (group.first != NULL)
            doubt_device(q, doubts[k], &group);
    }
}

static void doubt_confidence(nvfp4_cli_question *q)
{
    struct group group = { NULL, 0, 0, "" };
    for (size_t i = 0; i < q->device_count; i++)
        if (q->devices[i].confidence < NVFP4_CONFIDENCE_HIGH)
            group_add(&group, &q->devices[i], i);
    if (group.first != NULL)
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE, "%s: which chip it is, is known with %s confidence",
               group.text,
               nvfp4_confidence_name((nvfp4_confidence)group.first->confidence));
}

/* What the probe itself says; 1 when its message is told. */
static int doubt_source(nvfp4_cli_question *q, const nvfp4_probe_report *report)
{
    const char *const message = report->message;
    if (report->source == NVFP4_SOURCE_PCI) {
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE, "%s", message);
        return 1;
    }
    if (report->source == NVFP4_SOURCE_TREE) {
        remark(q, NVFP4_WARNING_LOW_CONFIDENCE, "%s; this is what the device tree shows",
               message[0] != '\0' ? message : "no NVIDIA driver answers");
        return 1;
    }
    if (report->visibility != NVFP4_VISIBILITY_CUT)
        return 0;
    remark(q, NVFP4_WARNING_LOW_CONFIDENCE, "%s", message);
    return 1;
}

void nvfp4_cli_doubt(nvfp4_cli_question *q, const nvfp4_probe_report *report)
{
    const int is_told = doubt_source(q, report);
    if (report->order_uncertain)
        remark(q, NVFP4_WARNING_DEVICE_ORDER, "%s",
               !is_told && report->message[0] != '\0'
                   ? report->message
                   : "CUDA may number the devices of this host otherwise");
    doubt_devices(q);
    doubt_confidence(q);
}

int nvfp4_cli_all_known(const nvfp4_cli_question *q)
{
    int known = 1;
    for (size_t i = 0; i < q->device_count; i++) {
        const nvfp4_device *const d = &q->devices[i];
        char id[32] = "";
        if (d->key.vendor != NVFP4_VENDOR_NVIDIA || d->key.sm != 0)
            continue;
        if (d->pci_vendor_id != 0)
            snprintf(id, sizeof id, ", %04x:%04x", (unsigned)d->pci_vendor_id,
                     (unsigned)d->pci_device_id);
        nvfp4_cli_complain("GPU %zu (%s%s) is not known; say --gpu or --sm", i, name_of(d), id);
        known = 0;
    }
    return known;
}
