/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include <nvfp4moe/policy.h>

#include "cli/args.h"
#include "cli/policies.h"
#include "cli/terminal.h"

/* What stands behind a subcommand's name. */
struct words {
    const char *words[2];
    int count;
    int evidence;
};

static int list(const struct words *given);
static int show(const struct words *given);

static const struct subcommand {
    const char *name;
    int words; /* that it needs */
    int (*run)(const struct words *given);
} subcommands[] = {
    { "list", 0, list },
    { "show", 1, show },
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof subcommands[0] };

static const nvfp4_cli_option options[] = {
    { "--evidence", NULL, "show: each kernel with the source of its rules" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "policy list", "policy show NAME [--evidence]",
                                        "policy diff A B ...", NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "list  the built-in policies and their aliases\n"
    "show  a policy's kernels in their order of preference: devices, clamp, errata\n"
    "diff  what a change of the policy changes: see nvfp4-select policy diff --help",
    options,
    NULL,
};

/* ---- list ---- */

static int list(const struct words *given)
{
    const nvfp4_policy *policy;
    (void)given;
    for (size_t i = 0; (policy = nvfp4_policy_builtin_at(i)) != NULL; i++) {
        const nvfp4_policy *meant;
        const char *alias;
        printf("%-18s %s\n", nvfp4_policy_name(policy), nvfp4_policy_summary(policy));
        for (size_t j = 0; (alias = nvfp4_policy_alias_at(j, &meant)) != NULL; j++)
            if (meant == policy)
                printf("%-18s   also called %s\n", "", alias);
    }
    return NVFP4_EXIT_OK;
}

/* ---- show ---- */

/* SMs that exist; what lies between them decides nothing. */
static const nvfp4_sm sms[] = { 75, 80, 86, 87, 89, 90, 100, 103, 107, 110, 120, 121 };

static void show_devices(const nvfp4_policy *policy, const nvfp4_kernel_info *kernel)
{
    const char *between = "";
    printf("      sm     ");
    for (size_t i = 0; i < sizeof sms / sizeof sms[0]; i++)
        if (nvfp4_capable_backends(policy, sms[i]) & NVFP4_BACKEND_BIT(kernel->backend)) {
            printf("%s%d", between, (int)sms[i]);
            between = " ";
        }
    printf("%s\n", *between != '\0' ? "" : "none");
}

static void show_clamp(const nvfp4_policy *policy, const nvfp4_kernel_info *kernel)
{
    const char *between = "";
    int count = 0;
    for (int a = 0; a < NVFP4_ACTIVATION_COUNT; a++)
        if (nvfp4_clamp_backends(policy, (nvfp4_activation)a) & NVFP4_BACKEND_BIT(kernel->backend))
            count++;
    printf("      clamp  ");
    if (count == 0 || count == NVFP4_ACTIVATION_COUNT) {
        puts(count == 0 ? "none" : "every activation that it computes");
        return;
    }
    for (int a = 0; a < NVFP4_ACTIVATION_COUNT; a++)
        if (nvfp4_clamp_backends(policy, (nvfp4_activation)a) &
            NVFP4_BACKEND_BIT(kernel->backend)) {
            printf("%s%s", between, nvfp4_activation_name((nvfp4_activation)a));
            between = " ";
        }
    putchar('\n');
}

static void show_errata(const nvfp4_policy *policy, size_t kernel, int evidence)
{
    nvfp4_erratum_info e;
    for (size_t i = 0; nvfp4_policy_erratum(policy, i, &e) == NVFP4_OK; i++) {
        if (!(e.kernels >> kernel & 1))
            continue;
        printf("      known  %s: %s\n", e.name, e.text);
        if (evidence)
            printf("             source: %s\n", e.source);
    }
}

static int show(const struct words *given)
{
    const nvfp4_policy *const policy = nvfp4_cli_policy(given->words[0]);
    nvfp4_kernel_info kernel;
    if (policy == NULL)
        return NVFP4_EXIT_USAGE;
    printf("%s: %s\nsource: %s\n\nkernels, in order of preference\n", nvfp4_policy_name(policy),
           nvfp4_policy_summary(policy), nvfp4_policy_source(policy));
    for (size_t i = 0; nvfp4_policy_kernel(policy, i, &kernel) == NVFP4_OK; i++) {
        const char *const word = nvfp4_policy_user_name(policy, (nvfp4_backend)kernel.backend);
        printf("  %2lu  %s%s%s", (unsigned long)i + 1, kernel.backend_name,
               *kernel.kernel_name != '\0' ? "/" : "", kernel.kernel_name);
        if (word != NULL)
            printf("  (--backend %s)", word);
        puts(kernel.opt_in ? "  only when asked for by name" : "");
        show_devices(policy, &kernel);
        show_clamp(policy, &kernel);
        show_errata(policy, i, given->evidence);
        if (given->evidence)
            printf("      source %s\n", kernel.source);
    }
    nvfp4_policy_free(policy);
    return NVFP4_EXIT_OK;
}

/* ---- the command ---- */

static int run(const char *name, const struct words *given)
{
    if (name == NULL) {
        nvfp4_cli_complain("policy: list or show is missing; see nvfp4-select policy --help");
        return NVFP4_EXIT_USAGE;
    }
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(subcommands[i].name, name) != 0)
            continue;
        if (given->count == subcommands[i].words)
            return subcommands[i].run(given);
        nvfp4_cli_complain("policy %s: %d words are given, expected %d", name, given->count,
                           subcommands[i].words);
        return NVFP4_EXIT_USAGE;
    }
    nvfp4_cli_complain("policy: unknown subcommand '%.60s'; see nvfp4-select policy --help", name);
    return NVFP4_EXIT_USAGE;
}

int nvfp4_cmd_policy(int argc, char **argv)
{
    nvfp4_cli_args args = { argc, argv, 1, 0, &usage, NULL };
    struct words given = { { NULL, NULL }, 0, 0 };
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "diff") == 0)
        return nvfp4_cmd_policy_diff(argc - 1, argv + 1);
    for (;;) {
        switch (nvfp4_cli_next(&args)) {
        case NVFP4_ARG_END:
            return run(name, &given);
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        case 0:
            given.evidence = 1;
            break;
        case NVFP4_ARG_WORD:
            if (name == NULL)
                name = args.value;
            else if (given.count < 2)
                given.words[given.count++] = args.value;
            else {
                nvfp4_cli_complain("policy: too many words");
                return NVFP4_EXIT_USAGE;
            }
            break;
        default:
            return NVFP4_EXIT_USAGE;
        }
    }
}
