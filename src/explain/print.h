/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_PRINT_H
#define NVFP4_EXPLAIN_PRINT_H

#include <nvfp4moe/explain.h>

#include "core/out.h"

/* The shortest decimal that reads back as the same number; a "." in it always. */
void nvfp4_out_real(struct out *out, double x);

/* A 64-bit number as 16 hexadecimal digits. */
void nvfp4_out_hex(struct out *out, uint64_t n);

/* Any string as a JSON string, quotes included; bytes that are no UTF-8 become U+FFFD. */
void nvfp4_out_json_string(struct out *out, const char *text);

/* A set of devices in words, a device, a value of a finding. */
void nvfp4_out_devices(struct out *out, uint64_t devices);
void nvfp4_out_need(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding);
void nvfp4_out_have(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding);

/* A finding as a sentence; the short one leaves out what the reason's word says already. */
void nvfp4_out_finding_short(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding);
void nvfp4_out_finding(struct out *out, const nvfp4_policy *policy, const nvfp4_finding *finding);

/* "FLASHINFER_TRTLLM/monolithic" */
void nvfp4_out_kernel(struct out *out, const nvfp4_policy *policy, size_t kernel);

/* A set of backends by name, in the order in which the policy prefers them. */
void nvfp4_out_backends(struct out *out, const nvfp4_policy *policy, nvfp4_kernel_set kernels,
                  const char *between, int quoted);

/* What a remedy says to do, and its old and new value as JSON. */
void nvfp4_out_remedy(struct out *out, const nvfp4_deployment *deployment, const nvfp4_policy *policy,
                      const nvfp4_remedy *remedy);
void nvfp4_out_remedy_key(struct out *out, const nvfp4_remedy *remedy);
void nvfp4_out_remedy_value(struct out *out, const nvfp4_deployment *deployment,
                            const nvfp4_policy *policy, const nvfp4_remedy *remedy, uint64_t value);

/* What a warning of this selection says. */
void nvfp4_out_warning(struct out *out, const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                 const nvfp4_verdicts *verdicts, nvfp4_warning warning);

/* A finding's room: no kernel has more reasons than this at once; more are counted, not shown. */
enum { FINDINGS_MAX = 64 };

#endif
