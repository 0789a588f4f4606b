/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = sizeof(((nvfp4_cli_layers *)0)->has),
    SHORT = 22 /* bytes of a list that is told as it is */
};

void nvfp4_cli_layers_add(nvfp4_cli_layers *layers, const char *list)
{
    while (*list != '\0') {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        unsigned long last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long i = first; i <= last && i < MOST; i++)
            layers->has[i] = 1;
        layers->beyond |= last >= MOST;
        if (*end != ',')
            return;
        list = end + 1;
    }
}

/* The ranges, "0,2-5". @return 0 when they are longer than is told. */
static int ranges(const nvfp4_cli_layers *layers, char *text)
{
    size_t length = 0;
    for (int i = 0; i < MOST; i++) {
        const int first = i;
        if (!layers->has[i])
            continue;
        while (i + 1 < MOST && layers->has[i + 1])
            i++;
        length += (size_t)snprintf(text + length, NVFP4_CLI_LAYERS_TEXT - length,
                                   i > first ? "%s%d-%d" : "%s%d", length > 0 ? "," : "", first, i);
        if (length > SHORT)
            return 0;
    }
    return 1;
}

const char *nvfp4_cli_layers_text(const nvfp4_cli_layers *layers, char text[NVFP4_CLI_LAYERS_TEXT])
{
    int count = 0, first = 0, last = 0;
    text[0] = '\0';
    if (ranges(layers, text))
        return text;
    for (int i = MOST; i-- > 0;)
        if (layers->has[i]) {
            last = count++ == 0 ? i : last;
            first = i;
        }
    int other = 0; /* those between first and last of the same parity, and all others */
    for (int i = first; i <= last; i++)
        other += layers->has[i] != ((i - first) % 2 == 0);
    if (other == 0)
        snprintf(text, NVFP4_CLI_LAYERS_TEXT, "%d-%d %s, %d layers", first, last,
                 first % 2 == 0 ? "even" : "odd", count);
    else
        snprintf(text, NVFP4_CLI_LAYERS_TEXT, "%d of %d-%d", count, first, last);
    return text;
}

const char *nvfp4_cli_layers_short(const char *list, char text[NVFP4_CLI_LAYERS_TEXT])
{
    nvfp4_cli_layers layers;
    memset(&layers, 0, sizeof layers);
    nvfp4_cli_layers_add(&layers, list);
    if (layers.beyond) /* cut, rather than wrong */
        snprintf(text, NVFP4_CLI_LAYERS_TEXT, "%.*s%s", SHORT, list,
                 strlen(list) > SHORT ? "..." : "");
    else
        nvfp4_cli_layers_text(&layers, text);
    return text;
}
