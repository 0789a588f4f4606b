/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <nvfp4moe/version.h>

static void print_safely(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, stream);
}

void nvfp4_cli_print(const char *text)
{
    print_safely(text, stdout);
}

void nvfp4_cli_complain(const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fputs("nvfp4-select: ", stderr);
    print_safely(message, stderr);
    fputc('\n', stderr);
}

void nvfp4_cli_complain_error(const nvfp4_error *error)
{
    char place[32] = "";
    if (error->line > 0 && error->column > 0)
        snprintf(place, sizeof place, ":%ld:%ld", (long)error->line, (long)error->column);
    else if (error->line > 0)
        snprintf(place, sizeof place, ":%ld", (long)error->line);
    if (error->file[0] != '\0')
        nvfp4_cli_complain("%s%s: %s", error->file, place, error->message);
    else
        nvfp4_cli_complain("%s", error->message);
}

void nvfp4_cli_version(void)
{
    const unsigned long v = nvfp4_version();
    printf("nvfp4-select %lu.%lu.%lu\n", v >> 16, v >> 8 & 255, v & 255);
}

const char *nvfp4_cli_environment(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

int nvfp4_cli_color(void)
{
    const char *const terminal = nvfp4_cli_environment("TERM");
    return isatty(fileno(stdout)) && nvfp4_cli_environment("NO_COLOR") == NULL &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

int nvfp4_cli_is_file(const char *path)
{
#ifndef _WIN32
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) /* a pipe would be waited for */
        return 0;
#endif
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    fclose(file);
    return 1;
}

int nvfp4_cli_text_reserve(nvfp4_cli_text *text, size_t length)
{
    if (length < text->room)
        return 1;
    size_t room = text->room < 4096 ? 4096 : text->room;
    while (room <= length)
        room *= 2;
    char *const larger = realloc(text->text, room);
    if (larger == NULL) {
        nvfp4_cli_complain("out of memory");
        return 0;
    }
    text->text = larger;
    text->room = room;
    return 1;
}

void nvfp4_cli_text_free(nvfp4_cli_text *text)
{
    free(text->text);
    memset(text, 0, sizeof *text);
}

int nvfp4_cli_read(FILE *stream, nvfp4_cli_text *text, size_t most)
{
    for (;;) {
        if (!nvfp4_cli_text_reserve(text, text->length + 4096))
            return 0;
        const size_t got = fread(text->text + text->length, 1, 4096, stream);
        text->length += got;
        text->text[text->length] = '\0';
        if (ferror(stream))
            return 0;
        if (got == 0 || text->length > most)
            return 1;
    }
}

#ifndef _WIN32
static void closed_pipe(int number)
{
    (void)number;
    _exit(NVFP4_CLI_CLOSED_PIPE);
}
#endif

void nvfp4_cli_begin_process(void)
{
#ifdef _WIN32
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stdin), _O_BINARY);
#else
    signal(SIGPIPE, closed_pipe);
#endif
}

static int output_error; /* the first one that is known */

void nvfp4_cli_output_failed(void)
{
    if (output_error == 0)
        output_error = errno;
}

int nvfp4_cli_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 1;
    nvfp4_cli_output_failed();
    nvfp4_cli_complain("standard output cannot be written: %s",
                       output_error != 0 ? strerror(output_error) : "write error");
    return 0;
}
