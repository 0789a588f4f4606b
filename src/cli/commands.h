/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_COMMANDS_H
#define NVFP4MOE_CLI_COMMANDS_H

/**
 * @file commands.h
 * @brief The commands of nvfp4-select and how a process of it ends.
 *
 * A command gets its own name as `argv[0]` and returns an exit code. It prints data on stdout and
 * complaints on stderr, knows `--help` itself, and need not flush: main() does, and turns a write
 * error into an exit code.
 */

/** Exit codes. */
enum {
    NVFP4_EXIT_OK = 0,      /**< a backend was selected, or the command did its work */
    NVFP4_EXIT_NO = 1,      /**< a reasoned no */
    NVFP4_EXIT_USAGE = 2,   /**< bad input or usage */
    NVFP4_EXIT_MACHINE = 3  /**< the machine cannot answer: no driver, no known device */
};

int nvfp4_cmd_explain(int argc, char **argv);
int nvfp4_cmd_batch(int argc, char **argv);
int nvfp4_cmd_model(int argc, char **argv);
int nvfp4_cmd_matrix(int argc, char **argv);
int nvfp4_cmd_devices(int argc, char **argv);
int nvfp4_cmd_policy(int argc, char **argv);
int nvfp4_cmd_verify(int argc, char **argv);

#endif
