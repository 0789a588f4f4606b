/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <io.h>
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include "cli/terminal.h"

int nvfp4_cli_lines_begin(nvfp4_cli_lines *lines, FILE *stream)
{
    memset(lines, 0, sizeof *lines);
    lines->stream = stream;
    lines->buffer = malloc(NVFP4_CLI_LINE_BYTES);
    return lines->buffer != NULL;
}

void nvfp4_cli_lines_end(nvfp4_cli_lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

/* More bytes behind those that are there. fread() would wait until its buffer is full, so that who
 * sends one request and awaits the answer would wait for ever. */
static int fill(nvfp4_cli_lines *l)
{
    if (l->begin > 0) {
        memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    size_t room = NVFP4_CLI_LINE_BYTES - l->end;
    if (room > (size_t)64 << 10)
        room = (size_t)64 << 10;
    if (fflush(stdout) != 0)
        nvfp4_cli_output_failed();
    for (;;) {
        errno = 0;
#ifdef _WIN32
        const int got = _read(fileno(l->stream), l->buffer + l->end, (unsigned)room);
#else
        const ssize_t got = read(fileno(l->stream), l->buffer + l->end, room);
#endif
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        l->end += (size_t)got;
        l->at_end = got == 0;
        return 0;
    }
}

static void give(nvfp4_cli_lines *l, nvfp4_cli_line *line, size_t length, int too_long)
{
    line->text = l->buffer + l->begin;
    line->length = length;
    line->number = l->number;
    line->too_long = too_long;
}

int nvfp4_cli_next_line(nvfp4_cli_lines *l, nvfp4_cli_line *line)
{
    size_t seen = 0; /* bytes known to hold no line end */
    int too_long = 0;
    l->number += l->number < INT32_MAX;
    for (;;) {
        char *const from = l->buffer + l->begin + seen;
        char *const end = memchr(from, '\n', l->end - l->begin - seen);
        if (end != NULL) {
            const size_t length = (size_t)(end - (l->buffer + l->begin));
            give(l, line, length, too_long);
            l->begin += length + 1;
            return 1;
        }
        seen = l->end - l->begin;
        if (l->at_end) {
            if (seen == 0 && !too_long)
                return 0;
            give(l, line, seen, too_long);
            l->begin = l->end;
            return 1;
        }
        if (seen == NVFP4_CLI_LINE_BYTES) { /* drop it, and all up to its end */
            too_long = 1;
            seen = 0;
            l->begin = l->end;
        }
        if (fill(l) < 0)
            return -1;
    }
}
