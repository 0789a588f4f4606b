/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/print.h"

#include "core/rule.h"

void nvfp4_out_remedy_key(struct out *out, const nvfp4_remedy *remedy)
{
    out_text(out, nvfp4_change_key((nvfp4_change)remedy->change));
    if (remedy->change == NVFP4_CHANGE_LIBRARY) {
        out_char(out, '.');
        out_text(out, nvfp4_library_name((nvfp4_library)remedy->library));
    }
}

/* The backends that are built, as a JSON list. */
static void out_built(struct out *out, const nvfp4_policy *policy, nvfp4_backend_set not_built)
{
    nvfp4_kernel_set built = 0;
    for (size_t i = 0; i < nvfp4_policy_kernel_count(policy); i++) {
        nvfp4_kernel_info info;
        if (nvfp4_policy_kernel(policy, i, &info) == NVFP4_OK &&
            !(not_built & NVFP4_BACKEND_BIT(info.backend)))
            built |= (nvfp4_kernel_set)1 << i;
    }
    out_char(out, '[');
    nvfp4_out_backends(out, policy, built, ",", 1);
    out_char(out, ']');
}

static void out_disabled(struct out *out, const nvfp4_policy *policy, nvfp4_kernel_set disabled)
{
    const char *between = "";
    out_char(out, '[');
    for (size_t i = 0; i < nvfp4_policy_kernel_count(policy); i++)
        if (disabled >> i & 1) {
            out_text(out, between);
            out_char(out, '"');
            nvfp4_out_kernel(out, policy, i);
            out_char(out, '"');
            between = ",";
        }
    out_char(out, ']');
}

static void out_errata(struct out *out, const nvfp4_policy *policy, uint64_t errata)
{
    const char *between = "";
    nvfp4_erratum_info info;
    out_char(out, '[');
    for (size_t i = 0; nvfp4_policy_erratum(policy, i, &info) == NVFP4_OK; i++)
        if (errata >> i & 1) {
            out_text(out, between);
            nvfp4_out_json_string(out, info.name);
            between = ",";
        }
    out_char(out, ']');
}

/* As a request writes them: "90a", "100f", "120", "80+PTX". */
static void out_targets(struct out *out, const nvfp4_deployment *deployment)
{
    static const char *const endings[] = {
        [NVFP4_TARGET_PLAIN] = "",
        [NVFP4_TARGET_ARCH] = "a",
        [NVFP4_TARGET_FAMILY] = "f",
        [NVFP4_TARGET_PTX] = "+PTX",
    };
    out_char(out, '[');
    for (size_t i = 0; i < deployment->target_count; i++) {
        out_text(out, i == 0 ? "\"" : ",\"");
        out_number(out, (uint64_t)deployment->targets[i].sm);
        out_text(out, endings[deployment->targets[i].kind]);
        out_char(out, '"');
    }
    out_char(out, ']');
}

void nvfp4_out_remedy_value(struct out *out, const nvfp4_deployment *deployment,
                            const nvfp4_policy *policy, const nvfp4_remedy *remedy, uint64_t value)
{
    char version[64];
    switch (remedy->change) {
    case NVFP4_CHANGE_BACKEND: {
        const char *word = nvfp4_policy_user_name(policy, (nvfp4_backend)value);
        nvfp4_out_json_string(out, value == NVFP4_BACKEND_NONE || word == NULL ? "auto" : word);
        break;
    }
    case NVFP4_CHANGE_TENSOR_PARALLEL:
        out_number(out, value);
        break;
    case NVFP4_CHANGE_EXPERT_PARALLEL:
        out_text(out, value != 0 ? "true" : "false");
        break;
    case NVFP4_CHANGE_ALL2ALL:
        if (value == NVFP4_ALL2ALL_NONE)
            out_text(out, "null");
        else
            nvfp4_out_json_string(out, nvfp4_all2all_name((nvfp4_all2all)value));
        break;
    case NVFP4_CHANGE_FORMAT:
        nvfp4_out_json_string(out, nvfp4_format_name((nvfp4_format)value));
        break;
    case NVFP4_CHANGE_HUMMING_GEMM:
        nvfp4_out_json_string(out, nvfp4_humming_gemm_name((nvfp4_humming_gemm)value));
        break;
    case NVFP4_CHANGE_LIBRARY:
        if (value == NVFP4_LIBRARY_ABSENT) {
            out_text(out, "null");
        } else {
            nvfp4_version_print(value, version, sizeof version);
            nvfp4_out_json_string(out, version);
        }
        break;
    case NVFP4_CHANGE_BUILT:
        out_built(out, policy, value);
        break;
    case NVFP4_CHANGE_DISABLE:
        out_disabled(out, policy, value);
        break;
    case NVFP4_CHANGE_ERRATA_OFF:
        out_errata(out, policy, value);
        break;
    case NVFP4_CHANGE_TARGETS:
        if (value == 0)
            out_text(out, "null");
        else
            out_targets(out, deployment);
        break;
    default:
        out_text(out, "null");
        break;
    }
}

/* What to do, in words; the values as they would be written in a request. */
void nvfp4_out_remedy(struct out *out, const nvfp4_deployment *deployment, const nvfp4_policy *policy,
                      const nvfp4_remedy *remedy)
{
    switch (remedy->change) {
    case NVFP4_CHANGE_BACKEND:
        out_text(out, "ask for backend ");
        nvfp4_out_remedy_value(out, deployment, policy, remedy, remedy->to);
        return;
    case NVFP4_CHANGE_LIBRARY:
        out_text(out, remedy->from == NVFP4_LIBRARY_ABSENT ? "install " : "upgrade ");
        out_text(out, nvfp4_library_name((nvfp4_library)remedy->library));
        out_text(out, remedy->from == NVFP4_LIBRARY_ABSENT ? ", for example " : " to at least ");
        nvfp4_out_remedy_value(out, deployment, policy, remedy, remedy->to);
        break;
    case NVFP4_CHANGE_TARGETS:
        out_text(out, "build the engine's own kernels for this GPU too (deployment.built_archs is ");
        out_targets(out, deployment);
        out_char(out, ')');
        break;
    default:
        out_text(out, "set ");
        nvfp4_out_remedy_key(out, remedy);
        out_text(out, " to ");
        nvfp4_out_remedy_value(out, deployment, policy, remedy, remedy->to);
        out_text(out, " (is ");
        nvfp4_out_remedy_value(out, deployment, policy, remedy, remedy->from);
        out_char(out, ')');
        break;
    }
    out_text(out, ": ");
    nvfp4_out_kernel(out, policy, (size_t)remedy->kernel);
    out_text(out, " is chosen then");
    if (remedy->change == NVFP4_CHANGE_ERRATA_OFF)
        out_text(out, ", with that defect");
}
