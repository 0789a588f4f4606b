/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_CORE_PEERS_H
#define NVFP4_CORE_PEERS_H

#include "core/question.h"

/*
 * The devices of the ranks beside one's own. They are kept as a set, so that a device is looked at
 * once however many ranks have it.
 */

/* The number of a valid device in a set. */
int nvfp4_device_number(const nvfp4_device_key *device);

/* Adds a device; was it new? */
static inline int device_set_add(struct device_set *set, int number)
{
    const uint64_t bit = (uint64_t)1 << number % 64;
    uint64_t *word = &set->words[number / 64];
    const int is_new = (*word & bit) == 0;
    *word |= bit;
    return is_new;
}

/* The smallest member from `from` on, -1: none. */
int nvfp4_device_set_next(const struct device_set *set, int from);

/* The same question of a rank with the device of this number, who looks at no one else; not `fits`. */
void nvfp4_question_ask_there(struct question *there, const struct question *q, int number);

/* Would the kernel be ruled out on a rank with the device of this number? */
int nvfp4_device_rules_out(const struct question *q, int index, int number);

/* Would it be on any of the ranks? */
int nvfp4_peers_rule_out(const struct question *q, int index);

#endif
