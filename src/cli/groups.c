/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ONE_EACH = 6, /* so many groups have a line each */
    LINES = 12,   /* most lines */
    COLUMNS = 100
};

static int has_limit(const nvfp4_moe_layer *layer)
{
    return (layer->has & NVFP4_HAS_SWIGLU_LIMIT) != 0;
}

/* Alike but for the layers and the size of the limit. */
static int alike(const nvfp4_cli_group_row *a, const nvfp4_cli_group_row *b)
{
    if (strcmp(a->answer, b->answer) != 0 || (a->list == NULL) != (b->list == NULL) ||
        (a->layer == NULL) != (b->layer == NULL))
        return 0;
    return a->layer == NULL ||
           (a->layer->scheme == b->layer->scheme && a->layer->activation == b->layer->activation &&
            has_limit(a->layer) == has_limit(b->layer));
}

static int join(nvfp4_cli_group_row *row, const nvfp4_cli_group_row *more)
{
    if (row->list != NULL) {
        if (row->layers == NULL) {
            row->layers = calloc(1, sizeof *row->layers);
            if (row->layers == NULL)
                return 0;
            nvfp4_cli_layers_add(row->layers, row->list);
        }
        nvfp4_cli_layers_add(row->layers, more->list);
    }
    row->least = more->least < row->least ? more->least : row->least;
    row->most = more->most > row->most ? more->most : row->most;
    row->groups += more->groups;
    return 1;
}

/* @return the number of rows that are left; 0 when memory is out. */
static size_t merge(nvfp4_cli_group_row *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < kept && !alike(&rows[at], &rows[i]))
            at++;
        if (at == kept)
            rows[kept++] = rows[i];
        else if (!join(&rows[at], &rows[i]))
            return 0;
    }
    return kept;
}

static const char *layers_text(const nvfp4_cli_group_row *row, char text[NVFP4_CLI_LAYERS_TEXT])
{
    if (row->list == NULL)
        return "not known";
    return row->layers != NULL && !row->layers->beyond ? nvfp4_cli_layers_text(row->layers, text)
                                                       : nvfp4_cli_layers_short(row->list, text);
}

/* "w4a4, silu, limits 1 to 43, 43 groups" */
static void layer_text(const nvfp4_cli_group_row *row, char *text, size_t room)
{
    char limit[64] = "no limit", groups[32] = "";
    if (has_limit(row->layer) && row->most > row->least)
        snprintf(limit, sizeof limit, "limits %g to %g", row->least, row->most);
    else if (has_limit(row->layer))
        snprintf(limit, sizeof limit, "limit %g", row->least);
    if (row->groups > 1)
        snprintf(groups, sizeof groups, ", %lu groups", (unsigned long)row->groups);
    snprintf(text, room, "%s, %s, %s%s", nvfp4_scheme_name((nvfp4_scheme)row->layer->scheme),
             nvfp4_activation_name((nvfp4_activation)row->layer->activation), limit, groups);
}

static void print_row(const nvfp4_cli_group_row *row, int width)
{
    char layers[NVFP4_CLI_LAYERS_TEXT], text[160];
    printf("  layers %-*s  ", width, layers_text(row, layers));
    if (row->layer == NULL) {
        puts(row->answer);
        return;
    }
    layer_text(row, text, sizeof text);
    const int before = 9 + width + 2 + 28 + 2;
    if (before + (int)strlen(text) <= COLUMNS)
        printf("%-28s  %s\n", row->answer, text);
    else
        printf("%s\n%*s%s\n", row->answer, 9 + width + 2 + 2, "", text);
}

int nvfp4_cli_groups_print(nvfp4_cli_group_row *rows, size_t count)
{
    char text[NVFP4_CLI_LAYERS_TEXT];
    size_t width = 4, more = 0;
    const size_t all = count;
    if (count > ONE_EACH)
        count = merge(rows, count);
    for (size_t i = 0; i < count && i < LINES; i++) {
        const size_t length = strlen(layers_text(&rows[i], text));
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; i++) {
        if (i < LINES)
            print_row(&rows[i], (int)width);
        else
            more += rows[i].groups;
        free(rows[i].layers);
    }
    if (more > 0)
        printf("  and %lu more groups, see --format json\n", (unsigned long)more);
    return count > 0 || all == 0;
}
