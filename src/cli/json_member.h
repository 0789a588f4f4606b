/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_CLI_JSON_MEMBER_H
#define NVFP4MOE_CLI_JSON_MEMBER_H

/**
 * @file json_member.h
 * @brief A text that stands in a JSON object, without a tree of the whole.
 */

#include <stddef.h>

/**
 * @brief Find a member of the outermost object whose value is a string.
 * @param      text   Well-formed JSON, a byte order mark before it or not; need not end in NUL.
 * @param      name   Of plain ASCII.
 * @param[out] value  The string with its escapes undone, NUL-terminated; what is too long is cut.
 * @param[out] offset Where its first quote stands, in bytes behind the byte order mark.
 * @return 1 if it is there.
 */
int nvfp4_cli_json_member(const char *text, size_t length, const char *name, char *value,
                          size_t room, size_t *offset);

#endif
