/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_NVFP4MOE_H
#define NVFP4MOE_NVFP4MOE_H

/**
 * @file nvfp4moe.h
 * @brief Everything: which fused-MoE kernel may run this NVFP4 model on this GPU, and why not the others.
 */

#include <nvfp4moe/backend.h>
#include <nvfp4moe/deployment.h>
#include <nvfp4moe/device.h>
#include <nvfp4moe/diff.h>
#include <nvfp4moe/explain.h>
#include <nvfp4moe/group.h>
#include <nvfp4moe/layer.h>
#include <nvfp4moe/matrix.h>
#include <nvfp4moe/model.h>
#include <nvfp4moe/policy.h>
#include <nvfp4moe/request.h>
#include <nvfp4moe/select.h>
#include <nvfp4moe/status.h>
#include <nvfp4moe/verify.h>
#include <nvfp4moe/version.h>

#endif
