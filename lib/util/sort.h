/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort: many numbers in order, in linear time.
 */
#ifndef E2S_UTIL_SORT_H
#define E2S_UTIL_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A number to sort by, and whose it is. */
struct e2s_keyed {
	uint32_t key, value;
};

/*
 * Sorts the N elements of V by key; equal keys keep their order.  SCRATCH has
 * room for N elements, too.
 */
void e2s_sort_keyed(struct e2s_keyed *v, struct e2s_keyed *scratch, size_t n);

#endif
