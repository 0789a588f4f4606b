/* SPDX-License-Identifier: Apache-2.0 */
#include "device/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fact *nvfp4_facts_add(struct fact_list *list)
{
    struct fact *fact;

    if (list->count == FACTS_MAX)
        return NULL;
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 16 : list->room * 2;
        struct fact *facts = realloc(list->facts, room * sizeof *facts);

        if (facts == NULL)
            return NULL;
        list->facts = facts;
        list->room = room;
    }
    fact = &list->facts[list->count++];
    memset(fact, 0, sizeof *fact);
    fact->parent = -1;
    fact->gpu_instance = -1;
    fact->compute_instance = -1;
    return fact;
}

void nvfp4_facts_clear(struct fact_list *list)
{
    free(list->facts);
    memset(list, 0, sizeof *list);
    list->status = NVFP4_NOT_ASKED;
}

nvfp4_status nvfp4_facts_fail(struct fact_list *list, nvfp4_status status, const char *format, ...)
{
    va_list arguments;

    list->status = status;
    va_start(arguments, format);
    vsnprintf(list->message, sizeof list->message, format, arguments);
    va_end(arguments);
    return status;
}

int nvfp4_address_read(const char *text, uint64_t *address)
{
    unsigned domain = 0;
    unsigned bus;
    unsigned slot;
    unsigned function;
    int end = 0;

    /* scanf would take signs and blanks */
    if (strspn(text, "0123456789abcdefABCDEF:.") != strlen(text))
        return 0;
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &end) != 4) {
        domain = 0;
        if (sscanf(text, "%2x:%2x.%1x%n", &bus, &slot, &function, &end) != 3)
            return 0;
    }
    if (text[end] != '\0' || domain > 0xffffff)
        return 0;
    *address = (uint64_t)domain << 32 | bus << 16 | slot << 8 | function;
    return 1;
}

void nvfp4_address_write(uint64_t address, char text[32])
{
    snprintf(text, 32, "%08x:%02x:%02x.%x", (unsigned)(address >> 32),
             (unsigned)(address >> 16 & 0xff), (unsigned)(address >> 8 & 0xff),
             (unsigned)(address & 0xf));
}
