/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2s_sort_words() and e2s_sort_wide() against qsort(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define MOST 70000

static int failures;

static int by_all_words(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	unsigned i;

	for (i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Elements of WORDS words, widened to three by zeroes. */
static void widen(uint32_t (*wide)[3], const uint32_t *v, size_t n,
		  unsigned words)
{
	size_t i;

	memset(wide, 0, n * sizeof(*wide));
	for (i = 0; i < n; i++)
		memcpy(wide[i], v + i * words, words * sizeof(*v));
}

/* Keys below LIMIT, shifted, so that one byte or another is always 0. */
static void compare(size_t n, uint32_t limit, unsigned shift, unsigned words)
{
	static uint32_t v[MOST * 3], want[MOST][3], got[MOST][3];
	uint32_t state = (uint32_t)n * 2654435761u + limit;
	int sorted = 1;
	size_t i;

	for (i = 0; i < n * words; i++) {
		state = state * 1664525u + 1013904223u;
		v[i] = i % words ? (uint32_t)i :
			(uint32_t)((uint64_t)state * limit >> 32) << shift;
	}
	widen(want, v, n, words);
	qsort(want, n, sizeof(*want), by_all_words);
	e2s_sort_words(v, n, words);
	for (i = 1; i < n; i++)
		sorted &= v[(i - 1) * words] <= v[i * words];
	/* Equal keys come in any order; nothing is lost. */
	widen(got, v, n, words);
	qsort(got, n, sizeof(*got), by_all_words);
	if (!sorted || memcmp(want, got, n * sizeof(*want))) {
		printf("%zu times %u words, keys below %u << %u\n", n, words,
		       limit, shift);
		failures++;
	}
}

static int by_key(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return x[0] != y[0] ? x[0] < y[0] ? -1 : 1
			    : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Keys below LIMIT, shifted, with what goes with them. */
static void compare_wide(size_t n, uint32_t limit, unsigned shift)
{
	static uint64_t got[MOST][2], want[MOST][2];
	uint32_t state = (uint32_t)n * 2654435761u + limit;
	int sorted = 1;
	size_t i;

	for (i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		got[i][0] = ((uint64_t)state * limit >> 32) << shift;
		got[i][1] = i;
	}
	memcpy(want, got, n * sizeof(*want));
	qsort(want, n, sizeof(*want), by_key);
	e2s_sort_wide(got, n);
	for (i = 1; i < n; i++)
		sorted &= got[i - 1][0] <= got[i][0];
	qsort(got, n, sizeof(*got), by_key);
	if (!sorted || memcmp(want, got, n * sizeof(*want))) {
		printf("%zu wide, keys below %u << %u\n", n, limit, shift);
		failures++;
	}
}

int main(void)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 24, 25, 2048, MOST };
	static const uint32_t limits[] = { 1, 2, 2000, 5000000, UINT32_MAX };
	unsigned i, k, shift, words;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			for (shift = 0; shift < 32; shift += 5)
				for (words = 1; words <= 3; words++)
					compare(sizes[i], limits[k], shift,
						words);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (k = 0; k < sizeof(limits) / sizeof(*limits); k++)
			for (shift = 0; shift <= 32; shift += 4)
				compare_wide(sizes[i], limits[k], shift);
	return failures != 0;
}
