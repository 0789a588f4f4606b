/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include <nvfp4moe/device.h>
#include <nvfp4moe/diff.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/policies.h"
#include "cli/terminal.h"

enum { OPTION_FORMAT, OPTION_ALL, OPTION_KERNELS };

static const nvfp4_cli_option options[] = {
    { "--format", "text|json", "json tells every region with all its conditions" },
    { "--all", NULL, "print every region, also of the rarest requests" },
    { "--kernels", NULL, "tell the kernels of one backend apart" },
    { NULL, NULL, NULL },
};

static const char *const synopsis[] = { "policy diff A B [--format text|json] [--all] [--kernels]",
                                        NULL };

static const nvfp4_cli_usage usage = {
    synopsis,
    "Tells for which requests another backend is chosen under B than under A, or another answer "
    "is\n"
    "given. A and B are built-in policies or files. All requests are compared. Regions of ordinary "
    "requests come first; a key that a line\n"
    "does not mention is as in an ordinary request, or does not matter.",
    options,
    "exit codes: 0 no difference, 1 there is one, 2 bad usage",
};

/* Lines of text that a person reads; the rest is counted, --all tells it. */
enum { LINES = 40, DEVICES = 64 };

/* The devices of the catalogue, each once. */
static size_t known_devices(nvfp4_device_key *devices)
{
    nvfp4_gpu gpu = NVFP4_GPU_INIT;
    size_t count = 0;
    for (size_t i = 0; nvfp4_gpu_at(i, &gpu) == NVFP4_OK; i++) {
        size_t at = 0;
        while (at < count && (devices[at].vendor != gpu.key.vendor || devices[at].sm != gpu.key.sm))
            at++;
        if (at == count && count < DEVICES && (gpu.key.sm != 0 || gpu.key.vendor != 0))
            devices[count++] = gpu.key;
    }
    return count;
}

/* Writes the difference in the form that a function makes. */
static int print(const nvfp4_diff *diff, const nvfp4_diff_print *how,
                 size_t (*make)(const nvfp4_diff *, const nvfp4_diff_print *, char *, size_t))
{
    nvfp4_cli_text text = { NULL, 0, 0 };
    text.length = make(diff, how, NULL, 0);
    if (!nvfp4_cli_text_reserve(&text, text.length))
        return 0;
    make(diff, how, text.text, text.room);
    fwrite(text.text, 1, text.length, stdout);
    nvfp4_cli_text_free(&text);
    return 1;
}

static int compare(const nvfp4_policy *from, const nvfp4_policy *to, int json, int all,
                   uint32_t flags)
{
    nvfp4_device_key devices[DEVICES];
    nvfp4_diff_print how = NVFP4_DIFF_PRINT_INIT;
    const nvfp4_diff *diff = NULL;
    nvfp4_status status = NVFP4_ENOMEM;
    void *memory = NULL;
    /* Policies of many rules need more than the built-in ones. */
    for (size_t size = NVFP4_DIFF_MEMORY; status == NVFP4_ENOMEM && size <= NVFP4_DIFF_MEMORY * 16;
         size *= 4) {
        free(memory);
        memory = malloc(size);
        status =
            memory != NULL ? nvfp4_policy_diff(from, to, flags, memory, size, &diff) : NVFP4_ENOMEM;
    }
    int code = NVFP4_EXIT_USAGE;
    if (status != NVFP4_OK) {
        nvfp4_cli_complain("policy diff: %s", nvfp4_status_text(status));
    } else {
        how.devices = devices;
        how.device_count = known_devices(devices);
        how.color = nvfp4_cli_color();
        how.most = all ? 0 : LINES;
        if (print(diff, &how, json ? nvfp4_diff_json : nvfp4_diff_text)) {
            if (json)
                putchar('\n');
            code = nvfp4_diff_count(diff) != 0 ? NVFP4_EXIT_NO : NVFP4_EXIT_OK;
        }
    }
    free(memory);
    return code;
}

int nvfp4_cmd_policy_diff(int argc, char **argv)
{
    static const char *const formats[] = { "text", "json", NULL };
    nvfp4_cli_args args = { .argc = argc, .argv = argv, .at = 1, .usage = &usage };
    const char *names[2] = { NULL, NULL };
    int json = 0, all = 0, count = 0, found;
    uint32_t flags = 0;
    while ((found = nvfp4_cli_next(&args)) != NVFP4_ARG_END) {
        switch (found) {
        case OPTION_FORMAT:
            json = nvfp4_cli_choice("--format", args.value, formats);
            if (json < 0)
                return NVFP4_EXIT_USAGE;
            break;
        case OPTION_ALL:
            all = 1;
            break;
        case OPTION_KERNELS:
            flags |= NVFP4_DIFF_KERNELS;
            break;
        case NVFP4_ARG_WORD:
            if (count < 2)
                names[count] = args.value;
            count++;
            break;
        case NVFP4_ARG_HELP:
            return NVFP4_EXIT_OK;
        default:
            return NVFP4_EXIT_USAGE;
        }
    }
    if (count != 2) {
        nvfp4_cli_complain("policy diff: %d %s given, expected 2", count,
                           count == 1 ? "policy is" : "policies are");
        return NVFP4_EXIT_USAGE;
    }
    const nvfp4_policy *const from = nvfp4_cli_policy(names[0]);
    const nvfp4_policy *const to = from != NULL ? nvfp4_cli_policy(names[1]) : NULL;
    const int code = to != NULL ? compare(from, to, json, all, flags) : NVFP4_EXIT_USAGE;
    nvfp4_policy_free(from);
    nvfp4_policy_free(to);
    return code;
}
