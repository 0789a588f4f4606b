/* SPDX-License-Identifier: Apache-2.0 */
/* From a file or a piece of memory to a tree. */
#include "files/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "files/alloc.h"
#include "files/document_build.h"
#include "files/utf8.h"

static int has_ending(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static nvfp4_syntax detect(const nvfp4_document *document)
{
    static const struct {
        const char *ending;
        nvfp4_syntax syntax;
    } endings[] = {
        { ".json", NVFP4_SYNTAX_JSON },
        { ".jsonl", NVFP4_SYNTAX_JSON },
        { ".yaml", NVFP4_SYNTAX_YAML },
        { ".yml", NVFP4_SYNTAX_YAML },
    };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (has_ending(document->file, endings[i].ending))
            return endings[i].syntax;
    }
    const char *const first = skip_blanks(document->text);
    if (*first != '{' && *first != '[')
        return NVFP4_SYNTAX_YAML;
    const char next = *skip_blanks(first + 1);
    return next != '\0' && strchr("\"{[}]", next) != NULL ? NVFP4_SYNTAX_JSON : NVFP4_SYNTAX_YAML;
}

/* What holds for both syntaxes: UTF-8, no NUL, not empty. */
static nvfp4_status check_text(nvfp4_builder *b)
{
    const char *const text = b->document->text;
    const size_t length = b->document->length;
    const size_t valid = nvfp4_utf8_valid(text, length);
    const char *const nul = memchr(text, '\0', length);
    if (nul != NULL && (size_t)(nul - text) < valid)
        return nvfp4_build_fail(b, nvfp4_build_place(b, (size_t)(nul - text)), NVFP4_ESYNTAX,
                                "a NUL byte; expected UTF-8 text");
    if (valid < length)
        return nvfp4_build_fail(b, nvfp4_build_place(b, valid), NVFP4_ESYNTAX,
                                "byte 0x%02x is not UTF-8 here; expected UTF-8 text",
                                (unsigned)(unsigned char)text[valid]);
    if (*skip_blanks(text) == '\0')
        return nvfp4_build_fail(b, nvfp4_build_place(b, length), NVFP4_ESYNTAX,
                                "the text is empty; expected a document");
    return NVFP4_OK;
}

static nvfp4_status build(nvfp4_builder *b, nvfp4_syntax syntax)
{
    nvfp4_status status = check_text(b);
    if (status != NVFP4_OK)
        return status;
    if (syntax == NVFP4_SYNTAX_AUTO)
        syntax = detect(b->document);
    status =
        syntax == NVFP4_SYNTAX_JSON ? nvfp4_document_build_json(b) : nvfp4_document_build_yaml(b);
    if (status == NVFP4_OK && b->document->root == NULL)
        status = nvfp4_build_fail(b, nvfp4_build_place(b, 0), NVFP4_ESYNTAX,
                                  "the text is empty; expected a document");
    return status;
}

static nvfp4_document *new_document(const char *file, const nvfp4_document *beside)
{
    nvfp4_document *const document = nvfp4_files_malloc(sizeof *document);
    if (document == NULL)
        return NULL;
    memset(document, 0, sizeof *document);
    document->most_bytes = NVFP4_DOCUMENT_BYTES;
    if (beside != NULL) {
        document->nodes = beside->nodes;
        document->most_bytes = beside->most_bytes - beside->length;
    }
    document->file = nvfp4_arena_copy(&document->arena, file, strlen(file));
    if (document->file == NULL) {
        nvfp4_files_free(document);
        return NULL;
    }
    return document;
}

static nvfp4_status out_of_memory(nvfp4_error *error)
{
    return nvfp4_document_fail(NULL, NULL, NVFP4_ENOMEM, error, "out of memory");
}

/* Takes the document over, whose text has been set. */
static nvfp4_status finish(nvfp4_document *document, const nvfp4_document_options *options,
                           nvfp4_document **out, nvfp4_error *error)
{
    nvfp4_builder b;
    memset(&b, 0, sizeof b);
    b.document = document;
    b.error = error;
    b.first_line = options->first_line > 0 ? options->first_line : 1;
    b.unique_keys = options->unique_keys;
    /* A byte order mark is no part of the text. */
    if (document->length >= 3 && memcmp(document->text, "\xEF\xBB\xBF", 3) == 0) {
        document->length -= 3;
        memmove(document->text, document->text + 3, document->length + 1);
    }
    const nvfp4_status status = build(&b, options->syntax);
    if (status != NVFP4_OK)
        nvfp4_document_free(document);
    else
        *out = document;
    return status;
}

static nvfp4_status too_large(const nvfp4_document *document, nvfp4_error *error)
{
    return nvfp4_document_fail(document, NULL, NVFP4_ELIMIT, error, "larger than %lu MiB%s",
                               (unsigned long)(NVFP4_DOCUMENT_BYTES >> 20),
                               document->most_bytes < NVFP4_DOCUMENT_BYTES
                                   ? " together with the file beside it"
                                   : "");
}

nvfp4_status nvfp4_document_parse(const char *text, size_t length,
                                  const nvfp4_document_options *options, nvfp4_document **document,
                                  nvfp4_error *error)
{
    static const nvfp4_document_options defaults;
    if (options == NULL)
        options = &defaults;
    const char *const file = options->file != NULL ? options->file : "";
    nvfp4_document *const d = new_document(file, options->beside);
    if (d == NULL)
        return out_of_memory(error);
    if (length > d->most_bytes) {
        too_large(d, error);
        nvfp4_document_free(d);
        return NVFP4_ELIMIT;
    }
    d->text = nvfp4_files_malloc(length + 1);
    if (d->text == NULL) {
        nvfp4_document_free(d);
        return out_of_memory(error);
    }
    if (length > 0)
        memcpy(d->text, text, length);
    d->text[length] = '\0';
    d->length = length;
    return finish(d, options, document, error);
}

static const char *reason(int code)
{
    switch (code) {
    case ENOENT:
        return "there is no such file";
    case EACCES:
        return "permission denied";
    case EISDIR:
        return "it is a folder";
    case ENOTDIR:
        return "a part of the path is no folder";
    default:
        return "it cannot be read";
    }
}

int nvfp4_path_exists(const char *path)
{
    FILE *const stream = fopen(path, "rb");
    if (stream == NULL)
        return errno != ENOENT && errno != ENOTDIR;
    fclose(stream);
    return 1;
}

int nvfp4_path_is_folder(const char *path)
{
    FILE *const stream = fopen(path, "rb");
    if (stream == NULL)
        return errno == EISDIR;
    errno = 0;
    const int folder = fgetc(stream) == EOF && ferror(stream) && errno == EISDIR;
    fclose(stream);
    return folder;
}

/* The whole stream into `document->text`. */
static nvfp4_status read_stream(nvfp4_document *document, FILE *stream, nvfp4_error *error)
{
    size_t room = (size_t)16 << 10;
    for (;;) {
        char *const larger = nvfp4_files_realloc(document->text, room + 1);
        if (larger == NULL)
            return nvfp4_document_fail(document, NULL, NVFP4_ENOMEM, error, "out of memory");
        document->text = larger;
        errno = 0;
        document->length += fread(larger + document->length, 1, room - document->length, stream);
        larger[document->length] = '\0';
        if (ferror(stream))
            return nvfp4_document_fail(document, NULL, NVFP4_EIO, error, "%s", reason(errno));
        if (document->length < room)
            return NVFP4_OK;
        if (room > document->most_bytes)
            return too_large(document, error);
        room = room * 2 > document->most_bytes ? document->most_bytes + 1 : room * 2;
    }
}

nvfp4_status nvfp4_document_read(const char *path, const nvfp4_document_options *options,
                                 nvfp4_document **document, nvfp4_error *error)
{
    static const nvfp4_document_options defaults;
    if (options == NULL)
        options = &defaults;
    const char *const file = options->file != NULL ? options->file : path;
    nvfp4_document *const d = new_document(file, options->beside);
    if (d == NULL)
        return out_of_memory(error);
    FILE *const stream = fopen(path, "rb");
    if (stream == NULL) {
        const int code = errno;
        nvfp4_document_fail(d, NULL, NVFP4_EIO, error, "%s", reason(code));
        nvfp4_document_free(d);
        return NVFP4_EIO;
    }
    const nvfp4_status status = read_stream(d, stream, error);
    fclose(stream);
    if (status != NVFP4_OK) {
        nvfp4_document_free(d);
        return status;
    }
    return finish(d, options, document, error);
}
