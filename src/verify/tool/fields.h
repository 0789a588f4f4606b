/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_VERIFY_FIELDS_H
#define NVFP4MOE_VERIFY_FIELDS_H

#include "verify/text.h"
#include "verify/tool/planfile.h"

/* One field of a claim or its layer, as the plan file and the command's options name it. */
enum nvfp4_field_kind {
    NVFP4_FIELD_WORD, /* an enum by its word */
    NVFP4_FIELD_REAL,
    NVFP4_FIELD_INT32,
    NVFP4_FIELD_INT64,
    NVFP4_FIELD_UINT64,
    NVFP4_FIELD_FREE /* words of what a caller can set */
};

struct nvfp4_field {
    const char *name;
    int kind;
    int in_layer; /* of the layer, not of the claim */
    size_t offset;
    const char *(*word)(int32_t value);
    int32_t count; /* of words */
    uint32_t has;  /* bit of the layer's `has` that goes with it */
};

extern const struct nvfp4_field nvfp4_fields[];
extern const size_t nvfp4_field_count;

/* The field of a name, or NULL. */
const struct nvfp4_field *nvfp4_field_find(const char *name);

/* What a field may be: "w4a4, w4a16", "a whole number". */
void nvfp4_field_expected(const struct nvfp4_field *field, char *buffer, size_t capacity);

/* A field's value as JSON. */
void nvfp4_field_print(struct nvfp4_verify_text *text, const struct nvfp4_field *field,
                       const nvfp4_verify_claim *claim, const nvfp4_moe_layer *layer);

#endif
