/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2s_sort_keyed() against qsort(), which is told to keep the order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define MOST 70000

static int failures;

static int by_key_then_place(const void *a, const void *b)
{
	const struct e2s_keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* Keys below LIMIT, shifted, so that one digit or another is always 0. */
static void compare(size_t n, uint32_t limit, unsigned shift)
{
	static struct e2s_keyed v[MOST], want[MOST], scratch[MOST];
	uint32_t state = (uint32_t)n * 2654435761u + limit;
	size_t i;

	for (i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		v[i].key = (uint32_t)((uint64_t)state * limit >> 32) << shift;
		v[i].value = (uint32_t)i;
	}
	memcpy(want, v, sizeof(v));
	qsort(want, n, sizeof(*want), by_key_then_place);
	e2s_sort_keyed(v, scratch, n);
	if (memcmp(want, v, n * sizeof(*v))) {
		printf("%zu keys below %u << %u\n", n, limit, shift);
		failures++;
	}
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 100, 2048, MOST };
	static const uint32_t limits[] = { 1, 2, 2000, 5000000, UINT32_MAX };
	unsigned i, k, shift;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			for (shift = 0; shift < 32; shift += 5)
				compare(sizes[i], limits[k], shift);
	return failures != 0;
}
