/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/policy.h>

#include "cli/args.h"
#include "cli/policies.h"
#include "cli/terminal.h"

/* What stands behind a subcommand's name. */
struct words {
    const char *words[2];
    int count;
    int evidence, summary;
};

static int list(const struct words *given);
static int show(const struct words *given);
static int check(const struct words *given);

static const struct subcommand {
    const char *name;
    int words; /* that it needs */
    int (*run)(const struct words *given);
} subcommands[] = {
    { "list", 0, list },
    { "show", 1, show },
    { "check", 1, check },
};

enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof subcommands[0] };

enum { OPTION_EVIDENCE, OPTION_SUMMARY };

static const nvfp4_cli_option options[] = {
    [OPTION_EVIDENCE] = { "--evidence", NULL, "show: with the source of every rule" },
    [OPTION_SUMMARY] = { "--summary", NULL, "show: kernels, devices, clamp and errata as a list" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "policy list",
                                        "policy show NAME|FILE [--evidence] [--summary]",
                                        "policy check FILE", "policy diff A B ...", NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "list   the built-in policies and their aliases\n"
    "show   a policy as a policy file, which can be changed and given to --policy\n"
    "check  look a policy file over: unknown words, contradictions, kernels that are never chosen\n"
    "diff   what a change of the policy changes: see nvfp4-select policy diff --help",
    options,
    "exit code of check: 0 nothing but notes, 1 warnings or errors, 2 the file cannot be read",
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

static void summarise(const nvfp4_policy *policy, int evidence)
{
    nvfp4_kernel_info kernel;
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
        show_errata(policy, i, evidence);
        if (evidence)
            printf("      source %s\n", kernel.source);
    }
}

static int print_file(const nvfp4_policy *policy, int evidence)
{
    const uint32_t flags = evidence ? NVFP4_PRINT_EVIDENCE : 0;
    nvfp4_cli_text text = { NULL, 0, 0 };
    nvfp4_status status = nvfp4_policy_print(policy, flags, NULL, 0, &text.length);
    if (status == NVFP4_OK && nvfp4_cli_text_reserve(&text, text.length))
        status = nvfp4_policy_print(policy, flags, text.text, text.room, &text.length);
    if (status == NVFP4_OK && text.text != NULL)
        fwrite(text.text, 1, text.length, stdout);
    nvfp4_cli_text_free(&text);
    return status == NVFP4_OK ? NVFP4_EXIT_OK : NVFP4_EXIT_USAGE;
}

static int show(const struct words *given)
{
    const nvfp4_policy *const policy = nvfp4_cli_policy(given->words[0]);
    int code = NVFP4_EXIT_OK;
    if (policy == NULL)
        return NVFP4_EXIT_USAGE;
    if (given->summary)
        summarise(policy, given->evidence);
    else
        code = print_file(policy, given->evidence);
    nvfp4_policy_free(policy);
    return code;
}

/* ---- check ---- */

/* What was found is the data of this command. */
static int tell(const char *path, const nvfp4_policy_remark *remarks, size_t count)
{
    int code = NVFP4_EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        const nvfp4_policy_remark *const r = &remarks[i];
        nvfp4_cli_print(path);
        if (r->line > 0)
            printf(":%ld:%ld", (long)r->line, (long)r->column);
        printf(": %s: ", nvfp4_severity_name((nvfp4_severity)r->severity));
        nvfp4_cli_print(r->message);
        putchar('\n');
        if (r->severity != NVFP4_SEVERITY_NOTE)
            code = NVFP4_EXIT_NO;
    }
    return code;
}

static int check(const struct words *given)
{
    enum { MOST = 1000 };
    nvfp4_policy_remark *const remarks = calloc(MOST, sizeof *remarks);
    nvfp4_error error;
    size_t count = 0;
    int code = NVFP4_EXIT_USAGE;
    if (remarks == NULL) {
        nvfp4_cli_complain("out of memory");
        return code;
    }
    if (nvfp4_policy_check(given->words[0], remarks, MOST, &count, &error) != NVFP4_OK)
        nvfp4_cli_complain_error(&error);
    else
        code = tell(given->words[0], remarks, count < MOST ? count : MOST);
    free(remarks);
    return code;
}

/* ---- the command ---- */

static int run(const char *name, const struct words *given)
{
    if (name == NULL) {
        nvfp4_cli_complain("policy: list, show, check or diff is missing; see nvfp4-select policy "
                           "--help");
        return NVFP4_EXIT_USAGE;
    }
    for (int i = 0; i < SUBCOMMAND_COUNT; i++) {
        if (strcmp(subcommands[i].name, name) != 0)
            continue;
        if (given->count == subcommands[i].words)
            return subcommands[i].run(given);
        nvfp4_cli_complain("policy %s: %d word%s given, expected %d", name, given->count,
                           given->count == 1 ? " is" : "s are",
                           subcommands[i].words);
        return NVFP4_EXIT_USAGE;
    }
    nvfp4_cli_complain("policy: unknown subcommand '%.60s'; see nvfp4-select policy --help", name);
    return NVFP4_EXIT_USAGE;
}

int nvfp4_cmd_policy(int argc, char **argv)
{
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    struct words given = { { NULL, NULL }, 0, 0, 0 };
    const char *name = NULL;
    if (argc > 1 && strcmp(argv[1], "diff") == 0)
        return nvfp4_cmd_policy_diff(argc - 1, argv + 1);
    for (;;) {
        switch (nvfp4_cli_next(&args)) {
        case NVFP4_ARG_END:
            return run(name, &given);
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        case OPTION_EVIDENCE:
            given.evidence = 1;
            break;
        case OPTION_SUMMARY:
            given.summary = 1;
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
