/* SPDX-License-Identifier: Apache-2.0 */
/* The command `nvfp4-select verify` as a program of its own, for tests and for machines without
 * CMake. */
int nvfp4_cmd_verify(int argc, char **argv);

int main(int argc, char **argv)
{
    return nvfp4_cmd_verify(argc, argv);
}
