/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"
#include "cli/explain.h"

int nvfp4_cli_explain_model(nvfp4_cli_question *question, const char *path, int form,
                            const nvfp4_explain_options *options)
{
    (void)question;
    (void)form;
    (void)options;
    nvfp4_cli_complain("%s: models are not read by this version", path);
    return NVFP4_EXIT_USAGE;
}
