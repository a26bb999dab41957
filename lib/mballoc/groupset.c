/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of group numbers in which the next member is found in a few steps
 * however many groups there are, as in the kernel's xarrays.  Each bit of a
 * level says whether the word of 64 bits below it has any.
 */
#include <errno.h>
#include <stdlib.h>

#include "mballoc/internal.h"

static errcode_t make_levels(struct groupset *set, uint32_t groups)
{
	uint64_t bits = groups;
	unsigned i;

	for (i = 0; i < GROUPSET_LEVELS; i++) {
		set->bits[i] = bits;
		bits = (bits + 63) / 64;
		set->level[i] = calloc(bits, sizeof(uint64_t));
		if (!set->level[i]) {
			e2s_groupset_free(set);
			return ENOMEM;
		}
		set->levels = i + 1;
		if (bits == 1)
			break;
	}
	return 0;
}

errcode_t e2s_groupset_add(struct groupset *set, uint32_t groups,
			   uint32_t group)
{
	uint64_t at = group;
	errcode_t err;
	unsigned i;

	if (!set->levels) {
		err = make_levels(set, groups);
		if (err)
			return err;
	}
	for (i = 0; i < set->levels; i++, at /= 64)
		set->level[i][at / 64] |= 1ULL << (at & 63);
	return 0;
}

void e2s_groupset_remove(struct groupset *set, uint32_t group)
{
	uint64_t at = group;
	unsigned i;

	for (i = 0; i < set->levels; i++, at /= 64) {
		set->level[i][at / 64] &= ~(1ULL << (at & 63));
		if (set->level[i][at / 64])
			return;
	}
}

uint64_t e2s_groupset_next(const struct groupset *set, uint64_t from)
{
	uint64_t word, at = from;
	unsigned i;

	for (i = 0; i < set->levels; i++) {
		if (at >= set->bits[i])
			return GROUPSET_NONE;
		word = set->level[i][at / 64] & ~0ULL << (at & 63);
		if (word) {
			at = at / 64 * 64 + (unsigned)__builtin_ctzll(word);
			break;
		}
		at = at / 64 + 1;
	}
	if (i == set->levels)
		return GROUPSET_NONE;
	while (i--)
		at = at * 64 + (unsigned)__builtin_ctzll(set->level[i][at]);
	return at;
}

void e2s_groupset_free(struct groupset *set)
{
	unsigned i;

	for (i = 0; i < GROUPSET_LEVELS; i++)
		free(set->level[i]);
	memset(set, 0, sizeof(*set));
}
