/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort: many numbers in order, in linear time and in place.
 */
#ifndef E2S_UTIL_SORT_H
#define E2S_UTIL_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A number to sort by, and what goes with it. */
struct e2s_keyed {
	uint32_t key, value;
};

/*
 * Sorts the N elements of V, WORDS uint32_t each (at most 3), by the first of
 * them.  Equal ones come in an order that depends on nothing but V.
 */
void e2s_sort_words(void *v, size_t n, unsigned words);

/* The same for elements of 16 bytes, by their first uint64_t. */
void e2s_sort_wide(void *v, size_t n);

static inline void e2s_sort_keyed(struct e2s_keyed *v, size_t n)
{
	e2s_sort_words(v, n, sizeof(*v) / sizeof(uint32_t));
}

#endif
