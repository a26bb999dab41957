/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "util/util.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
#define PASSES 3		/* digits of 32 bits */

static uint32_t digit_of(uint32_t key, unsigned pass)
{
	return key >> pass * DIGIT_BITS & (DIGITS - 1);
}

/* Moves FROM to TO in order of one digit; START is where each value's begin. */
static void deal(struct e2s_keyed *to, const struct e2s_keyed *from, size_t n,
		 unsigned pass, size_t *start)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[start[digit_of(from[i].key, pass)]++] = from[i];
}

/* Turns counts into the starts; false when all have the same digit. */
static int sum_up(size_t *count, size_t n)
{
	size_t sum = 0, here;
	unsigned i;

	for (i = 0; i < DIGITS; i++) {
		here = count[i];
		if (here == n)
			return 0;
		count[i] = sum;
		sum += here;
	}
	return 1;
}

void e2s_sort_keyed(struct e2s_keyed *v, struct e2s_keyed *scratch, size_t n)
{
	size_t count[PASSES][DIGITS], i;
	struct e2s_keyed *from = v, *to = scratch, *swap;
	unsigned pass;

	memset(count, 0, sizeof(count));
	for (i = 0; i < n; i++)
		for (pass = 0; pass < PASSES; pass++)
			count[pass][digit_of(v[i].key, pass)]++;
	for (pass = 0; pass < PASSES; pass++) {
		if (!n || !sum_up(count[pass], n))
			continue;
		deal(to, from, n, pass, count[pass]);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}
