/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * By the highest byte first: the elements are counted by it, which says where
 * those with each value go, and each is exchanged with what is in its place;
 * then those with the same value are sorted by the next byte.
 */
#include <string.h>

#include "util/util.h"

#define DIGITS 256
#define FEW 24			/* elements, for which this is not worth it */

/* One element at most. */
struct element {
	uint32_t word[4];
};

/* What an element is sorted by: its first word, or the first two as one. */
static inline uint64_t key_of(const uint32_t *element, int wide)
{
	uint64_t key;

	if (!wide)
		return *element;
	memcpy(&key, element, sizeof(key));
	return key;
}

static inline void copy(uint32_t *to, const uint32_t *from, unsigned words)
{
	memcpy(to, from, words * sizeof(*to));
}

static inline void sort_few(uint32_t *v, size_t n, unsigned words, int wide)
{
	struct element e;
	uint64_t key;
	size_t i, k;

	for (i = 1; i < n; i++) {
		copy(e.word, v + i * words, words);
		key = key_of(e.word, wide);
		for (k = i; k && key_of(v + (k - 1) * words, wide) > key; k--)
			copy(v + k * words, v + (k - 1) * words, words);
		copy(v + k * words, e.word, words);
	}
}

/* Brings every element to where those with its digit belong: NEXT is where
 * the next of each goes, END where they end. */
static inline void deal(uint32_t *v, unsigned words, int wide, unsigned shift,
			size_t *next, const size_t *end)
{
	struct element e, other;
	unsigned digit, d;

	for (digit = 0; digit < DIGITS; digit++)
		while (next[digit] < end[digit]) {
			copy(e.word, v + next[digit] * words, words);
			while ((d = key_of(e.word, wide) >> shift & 0xff) !=
			       digit) {
				copy(other.word, v + next[d] * words, words);
				copy(v + next[d]++ * words, e.word, words);
				e = other;
			}
			copy(v + next[digit]++ * words, e.word, words);
		}
}

/* Counts the elements by digit; false when all have the same. */
static inline int count(const uint32_t *v, size_t n, unsigned words, int wide,
			unsigned shift, size_t *next, size_t *end)
{
	size_t i, sum = 0;
	unsigned digit;

	memset(end, 0, DIGITS * sizeof(*end));
	for (i = 0; i < n; i++)
		end[key_of(v + i * words, wide) >> shift & 0xff]++;
	if (end[key_of(v, wide) >> shift & 0xff] == n)
		return 0;
	for (digit = 0; digit < DIGITS; digit++) {
		next[digit] = sum;
		sum += end[digit];
		end[digit] = sum;
	}
	return 1;
}

#define DEFINE_SORT(name, words, wide)					\
static void name(uint32_t *v, size_t n, unsigned shift)			\
{									\
	size_t next[DIGITS], end[DIGITS], from = 0;			\
	unsigned digit;							\
									\
	if (n <= FEW) {							\
		sort_few(v, n, words, wide);				\
		return;							\
	}								\
	if (!count(v, n, words, wide, shift, next, end)) {		\
		if (shift)						\
			name(v, n, shift - 8);				\
		return;							\
	}								\
	deal(v, words, wide, shift, next, end);				\
	for (digit = 0; shift && digit < DIGITS; digit++) {		\
		name(v + from * words, end[digit] - from, shift - 8);	\
		from = end[digit];					\
	}								\
}

DEFINE_SORT(sort_1, 1, 0)
DEFINE_SORT(sort_2, 2, 0)
DEFINE_SORT(sort_3, 3, 0)
DEFINE_SORT(sort_4_wide, 4, 1)

void e2s_sort_words(void *v, size_t n, unsigned words)
{
	switch (words) {
	case 1:
		sort_1(v, n, 24);
		break;
	case 2:
		sort_2(v, n, 24);
		break;
	case 3:
		sort_3(v, n, 24);
		break;
	}
}

void e2s_sort_wide(void *v, size_t n)
{
	sort_4_wide(v, n, 56);
}
