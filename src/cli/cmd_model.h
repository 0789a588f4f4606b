/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_CMD_MODEL_H
#define NVFP4MOE_CLI_CMD_MODEL_H

/**
 * @file cmd_model.h
 * @brief `nvfp4-select model PATH [--format text|json]`
 */

/**
 * @brief Run the command.
 * @param argc Number of arguments behind the program's name, "model" among them.
 * @param argv argv[0] is "model".
 * @return Exit code: 0 the checkpoint was read, whatever it holds; 2 bad input or usage.
 */
int nvfp4_cmd_model(int argc, char **argv);

#endif
