/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_ARGS_H
#define NVFP4MOE_CLI_ARGS_H

/**
 * @file args.h
 * @brief Options of a command, as a table, and help texts made from it.
 */

#include <stddef.h>
#include <stdint.h>

/** An option; a table ends with a row of NULLs. Every command also has --help. */
typedef struct nvfp4_cli_option {
    const char *name;  /**< "--policy" */
    const char *value; /**< what its value is called in the help, "NAME"; NULL: it has none */
    const char *text;  /**< what it does, as a phrase */
} nvfp4_cli_option;

/** A command as its help shows it. */
typedef struct nvfp4_cli_usage {
    const char *const *synopsis; /**< lines behind "nvfp4-select ", ended by NULL */
    const char *text;            /**< what it does; may have several lines */
    const nvfp4_cli_option *options;
    const char *more;            /**< further text, or NULL */
} nvfp4_cli_usage;

/** Where the reading of a command line stands. */
typedef struct nvfp4_cli_args {
    int argc;
    char **argv;
    int at;            /**< the next argument; begin with 1 */
    int only_words;    /**< 1: `--` has been seen */
    const nvfp4_cli_usage *usage;
    const char *value; /**< of the option or word just read */
    uint64_t seen;       /**< bit i: row i of the options has been read, of the first 64 */
    const char *repeats; /**< an option with a value, beside --set, that may be given again; or NULL */
} nvfp4_cli_args;

/** What nvfp4_cli_next() found, beside the number of an option. */
enum {
    NVFP4_ARG_END = -1,
    NVFP4_ARG_WORD = -2,  /**< no option: `value` is the word; "-" is one */
    NVFP4_ARG_ERROR = -3, /**< the complaint has been printed */
    NVFP4_ARG_HELP = -4   /**< --help; it has been printed */
};

/** The next argument: the number of its row in the table of options, or one of the above. */
int nvfp4_cli_next(nvfp4_cli_args *args);

/** Print a command's help on stdout. */
void nvfp4_cli_help(const nvfp4_cli_usage *usage);

/**
 * @brief Read a value that is one of some words: "text", "json".
 * @param words Ended by NULL.
 * @return Its number, or -1 after a complaint.
 */
int nvfp4_cli_choice(const char *option, const char *value, const char *const *words);

#endif
