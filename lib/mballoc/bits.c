/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searching little-endian bitmaps, a word at a time where there is one. */
#include <endian.h>

#include "mballoc/internal.h"

/* The first bit equal to !INVERT (0: ones are looked for) in [FROM, MAX). */
static uint32_t find_next(const uint8_t *bm, uint32_t max, uint32_t from,
			  uint64_t invert)
{
	uint64_t word;

	while (from < max && (from & 63 || max - from < 64)) {
		if (mb_test_bit(from, bm) != (int)(invert & 1))
			return from;
		from++;
		if (!(from & 63) && max - from >= 64)
			break;
	}
	for (; from < max && max - from >= 64; from += 64) {
		memcpy(&word, bm + from / 8, sizeof(word));
		word = le64toh(word) ^ invert;
		if (word)
			return from + (uint32_t)__builtin_ctzll(word);
	}
	for (; from < max; from++)
		if (mb_test_bit(from, bm) != (int)(invert & 1))
			return from;
	return max;
}

uint32_t e2s_mb_find_next_zero_bit(const uint8_t *bm, uint32_t max,
				   uint32_t from)
{
	return find_next(bm, max, from, ~0ULL);
}

uint32_t e2s_mb_find_next_bit(const uint8_t *bm, uint32_t max, uint32_t from)
{
	return find_next(bm, max, from, 0);
}

void e2s_mb_set_bits(uint8_t *bm, uint32_t start, uint32_t len)
{
	for (; len && start & 7; start++, len--)
		mb_set_bit(start, bm);
	memset(bm + start / 8, 0xff, len / 8);
	for (start += len & ~7u, len &= 7; len; start++, len--)
		mb_set_bit(start, bm);
}
