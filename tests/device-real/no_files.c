/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for files/machine.c where there is no libyaml: recorded machines cannot be read then.
 */
#include <nvfp4moe/device.h>

nvfp4_status nvfp4_machine_parse(const char *text, size_t length, const char *file,
                                 nvfp4_machine **machine, nvfp4_error *error)
{
    (void)text, (void)length, (void)file, (void)machine, (void)error;
    return NVFP4_EIO;
}

nvfp4_status nvfp4_machine_load(const char *path, nvfp4_machine **machine, nvfp4_error *error)
{
    (void)path, (void)machine, (void)error;
    return NVFP4_EIO;
}
