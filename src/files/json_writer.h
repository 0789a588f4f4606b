/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_FILES_JSON_WRITER_H
#define NVFP4MOE_FILES_JSON_WRITER_H

/**
 * @file json_writer.h
 * @brief JSON, written as it comes, on one line. Internal to the library.
 *
 * Whatever is written comes out as valid JSON, as long as opens and closes match and every value in
 * an object has its key: invalid UTF-8 becomes `\ufffd`, a double that is not finite becomes null.
 * Commas and colons are put by the writer.
 *
 * @code
 *     nvfp4_json json;
 *     nvfp4_json_begin(&json, buffer, capacity);
 *     nvfp4_json_open(&json, '{');
 *     nvfp4_json_key(&json, "limit");
 *     nvfp4_json_real(&json, 10.0);
 *     nvfp4_json_close(&json, '}');
 *     return nvfp4_json_end(&json);
 * @endcode
 */

#include <stddef.h>
#include <stdint.h>

#include "files/sink.h"

/** A writer; its fields are its own. */
typedef struct nvfp4_json {
    nvfp4_sink text;
    uint8_t comma; /* the next value needs a comma in front */
} nvfp4_json;

/** Begin a text in the caller's buffer; NULL with capacity 0 only measures. */
void nvfp4_json_begin(nvfp4_json *json, char *buffer, size_t capacity);

/** Begin a text in memory that grows. */
void nvfp4_json_begin_growing(nvfp4_json *json);

/** End a text in the caller's buffer, as nvfp4_sink_end(). */
size_t nvfp4_json_end(nvfp4_json *json);

/** End a growing text, as nvfp4_sink_take(). */
char *nvfp4_json_take(nvfp4_json *json, size_t *length);

/** Begin an object with `{`, an array with `[`. */
void nvfp4_json_open(nvfp4_json *json, char bracket);
/** End it with `}` or `]`. */
void nvfp4_json_close(nvfp4_json *json, char bracket);
/** The key of the next value. */
void nvfp4_json_key(nvfp4_json *json, const char *key);
/** A key that may hold NULs. */
void nvfp4_json_key_text(nvfp4_json *json, const char *key, size_t length);

/** A string; NULL is written as null. */
void nvfp4_json_string(nvfp4_json *json, const char *text);
/** A string that may hold NULs. */
void nvfp4_json_text(nvfp4_json *json, const char *text, size_t length);
void nvfp4_json_integer(nvfp4_json *json, int64_t value);
/** The fewest digits that read back to @p value; null if it is not finite. */
void nvfp4_json_real(nvfp4_json *json, double value);
void nvfp4_json_bool(nvfp4_json *json, int value);
void nvfp4_json_null(nvfp4_json *json);
/** A value that already is JSON, as it stands. */
void nvfp4_json_raw(nvfp4_json *json, const char *text, size_t length);
/** A line end between two values of a stream; the next value has no comma in front. */
void nvfp4_json_newline(nvfp4_json *json);

#endif
