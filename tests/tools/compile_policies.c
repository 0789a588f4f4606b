/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes src/policies/compiled/NAME.inc for every built-in policy and tells the hash that its table
 * must carry. Run it (cmake --build build --target compile-policies) after a change of the rows; the
 * test `tables` fails until then.
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/compile.h"
#include "core/fingerprint.h"

static void write_sets(FILE *file, const char *name, const nvfp4_kernel_set *sets, int n)
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any |= sets[i] != 0;
    if (!any)
        return;
    fprintf(file, "    .%s = {", name);
    for (int i = 0, written = 0; i < n; i++)
        if (sets[i] != 0)
            fprintf(file, "%s[%d] = 0x%" PRIx64 ",", written++ % 6 == 0 ? "\n        " : " ", i, sets[i]);
    fprintf(file, "\n    },\n");
}

int main(int argc, char **argv)
{
    const nvfp4_policy *policy;
    for (size_t i = 0; argc == 2 && (policy = nvfp4_policy_builtin_at(i)) != NULL; i++) {
        struct nvfp4_compiled compiled;
        char path[512];
        snprintf(path, sizeof path, "%s/%s.inc", argv[1], nvfp4_policy_name(policy));
        FILE *file = fopen(path, "w");
        if (file == NULL) {
            perror(path);
            return 1;
        }
        nvfp4_policy_compile(policy, &compiled);
        fprintf(file, "/* SPDX-License-Identifier: Apache-2.0 */\n"
                      "/* Made from the rows by the target compile-policies. */\n"
                      "static const struct nvfp4_compiled compiled = {\n");
        write_sets(file, "device", compiled.device, 64);
        write_sets(file, "value", compiled.value, 64);
        write_sets(file, "flags_low", compiled.flags_low, 16);
        write_sets(file, "flags_high", compiled.flags_high, 32);
        write_sets(file, "backend", compiled.backend, 64);
        write_sets(file, "drops", compiled.drops, 16);
        write_sets(file, "takes", compiled.takes, 16);
        fprintf(file, "    .trigger = {\n");
        for (int k = 0; k < policy->row_count; k++)
            fprintf(file,
                    "        [%d] = { 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx32 " },\n", k,
                    compiled.trigger[k].device, compiled.trigger[k].values, compiled.trigger[k].clamp,
                    compiled.trigger[k].flags);
        fprintf(file, "    },\n};\n");
        if (fclose(file) != 0) {
            perror(path);
            return 1;
        }
        printf("%-20s hash 0x%016" PRIx64 "%s\n", nvfp4_policy_name(policy),
               nvfp4_policy_hash_compute(policy),
               nvfp4_policy_hash_compute(policy) == nvfp4_policy_hash(policy) ? "" : "  (its table has another)");
    }
    return argc == 2 ? 0 : 2;
}
