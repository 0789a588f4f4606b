/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_GROUP_H
#define NVFP4MOE_GROUP_H

/**
 * @file group.h
 * @brief Many ranks, one answer: sets of kernels that any collective can AND together.
 */

#include <nvfp4moe/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief The kernels that fit this rank's request, those asked for by name only if one was.
 *
 * Every rank computes its set, all sets are combined by bitwise AND (`MPI_Allreduce` with
 * `MPI_BAND`; elsewhere gather them, then AND), and nvfp4_select_from_set() takes the first of what
 * is left: every rank gets the same kernel or every rank gets the same refusal. The numbering is the
 * policy's, so its hash must be equal on all ranks.
 *
 * @param[out] kernels The set; empty when nothing fits, which is no error here.
 * @retval NVFP4_EINVAL,NVFP4_EABI As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_eligible_kernels(const nvfp4_moe_layer *layer,
                                              const nvfp4_deployment *deployment,
                                              const nvfp4_policy *policy, nvfp4_kernel_set *kernels);

/**
 * @brief Choose from a set by the policy's order of preference.
 * @param      kernels   What all ranks have in common.
 * @param[out] selection Written only on ::NVFP4_OK.
 * @retval NVFP4_ENOBACKEND,NVFP4_EREFUSED The set is empty.
 * @retval NVFP4_EINVAL Also: the set's first kernel is none of the policy's.
 * @retval NVFP4_EABI   As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_select_from_set(const nvfp4_moe_layer *layer,
                                             const nvfp4_deployment *deployment,
                                             const nvfp4_policy *policy, nvfp4_kernel_set kernels,
                                             nvfp4_selection *selection);

#ifdef __cplusplus
}
#endif
#endif
