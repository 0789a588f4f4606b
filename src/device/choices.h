/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_DEVICE_CHOICES_H
#define NVFP4_DEVICE_CHOICES_H

/* What a name that was not understood may mean. */

#include "device/catalogue.h"

/* Names of architectures; one row for each SM of it. */
struct architecture {
    const char *word;
    nvfp4_sm sm;
    const char *sm_name;
};

extern const struct architecture nvfp4_architectures[];
extern const size_t nvfp4_architecture_count;

/* EAMBIGUOUS when the words of the text occur in names of several SMs, else EUNKNOWN. */
nvfp4_status nvfp4_choices_status(const char *text);

/* Fills in the sentence for a failed nvfp4_gpu_find(). */
void nvfp4_choices_explain(const char *text, nvfp4_status status, const nvfp4_gpu *answer,
                           nvfp4_error *error);

#endif
