/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_TESTS_POLICY_SWEEP_H
#define NVFP4_TESTS_POLICY_SWEEP_H

#include <nvfp4moe/nvfp4moe.h>

/* One request out of the whole input space; the same seed gives the same one everywhere. */
struct sweep_request {
    nvfp4_moe_layer layer;
    nvfp4_deployment deployment;
    nvfp4_device_key peers[3];
    nvfp4_target targets[2];
};
void sweep_make(struct sweep_request *request, uint64_t seed);

/* Do two policies choose the same for a request? */
int sweep_same_choice(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                      const nvfp4_policy *a, const nvfp4_policy *b);

/* Do they say the same of it, reason by reason? Prints the first difference. */
int sweep_same(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
               const nvfp4_policy *a, const nvfp4_policy *b);

#endif
