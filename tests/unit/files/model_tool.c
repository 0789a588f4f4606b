/* SPDX-License-Identifier: Apache-2.0 */
/* `nvfp4-select model` as a program of its own, so that the reader can be tried without the rest. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd_model.h"

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "model") != 0) {
        fprintf(stderr, "%s: only the command model is here\n", argv[0]);
        return 2;
    }
    return nvfp4_cmd_model(argc - 1, argv + 1);
}
