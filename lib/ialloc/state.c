/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts, sums and bitmaps, and what keeps them in step. */
#include <errno.h>
#include <stdlib.h>

#include "ialloc/internal.h"

static int bit_test(const uint64_t *bits, uint32_t bit)
{
	return bits[bit / 64] >> bit % 64 & 1;
}

static void bit_put(uint64_t *bits, uint32_t bit, int value)
{
	if (value)
		bits[bit / 64] |= UINT64_C(1) << bit % 64;
	else
		bits[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static uint32_t next_set(const uint64_t *bits, uint32_t from, uint32_t to)
{
	uint64_t word, at = from;

	if (from >= to)
		return to;
	word = bits[at / 64] & ~UINT64_C(0) << at % 64;
	while (!word) {
		at = (at / 64 + 1) * 64;
		if (at >= to)
			return to;
		word = bits[at / 64];
	}
	at = at / 64 * 64 + (unsigned)__builtin_ctzll(word);
	return at < to ? (uint32_t)at : to;
}

uint32_t e2s_ialloc_next_free(const struct e2s_ialloc *ia, uint32_t from,
			      uint32_t to)
{
	return next_set(ia->has_free, from, to);
}

uint32_t e2s_ialloc_next_empty(const struct e2s_ialloc *ia, uint32_t from,
			       uint32_t to)
{
	return next_set(ia->all_free, from, to);
}

/* Reserved inodes at the start of GROUP: mke2fs makes groups of eight inodes,
 * so they may be in more than the first. */
static uint32_t reserved_in(const struct e2s_ialloc *ia, uint32_t group)
{
	const struct e2s_ialloc_setup *setup = &ia->setup;
	uint64_t before = (uint64_t)group * setup->inodes_per_group;

	if (before >= setup->first_ino - 1)
		return 0;
	return setup->first_ino - 1 - before < setup->inodes_per_group
		       ? setup->first_ino - 1 - (uint32_t)before
		       : setup->inodes_per_group;
}

/* Gives GROUP a bitmap of its own; what is reserved or padding is in use. */
static errcode_t need_bits(struct e2s_ialloc *ia, uint32_t group)
{
	struct group *g = &ia->group[group];
	uint32_t bit;

	if (g->bits)
		return 0;
	g->bits = calloc(ia->words, sizeof(*g->bits));
	if (!g->bits)
		return ENOMEM;
	for (bit = 0; bit < reserved_in(ia, group); bit++)
		bit_put(g->bits, bit, 1);
	for (bit = ia->setup.inodes_per_group; bit < ia->words * 64; bit++)
		bit_put(g->bits, bit, 1);
	g->first_word = 0;
	return 0;
}

void e2s_ialloc_set_counts(struct e2s_ialloc *ia, uint32_t group,
			   const struct e2s_ialloc_counts *counts)
{
	struct group *g = &ia->group[group];
	/* Differences modulo 2^64: a count may fall. */
	uint64_t inodes = (uint64_t)counts->free_inodes - g->free_inodes;
	uint64_t clusters = (uint64_t)counts->free_clusters - g->free_clusters;
	uint64_t dirs = (uint64_t)counts->used_dirs - g->used_dirs;
	struct flex_group *flex;

	g->free_inodes = counts->free_inodes;
	g->free_clusters = counts->free_clusters;
	g->used_dirs = counts->used_dirs;
	bit_put(ia->has_free, group, g->free_inodes != 0);
	bit_put(ia->all_free, group,
		g->free_inodes == ia->setup.inodes_per_group);
	ia->free_inodes += inodes;
	ia->free_clusters += clusters;
	ia->used_dirs += dirs;
	if (!ia->flex)
		return;
	flex = &ia->flex[group >> ia->setup.flex_shift];
	flex->free_inodes += (uint32_t)inodes;
	flex->free_clusters += clusters;
	flex->used_dirs += (uint32_t)dirs;
}

void e2s_ialloc_get_counts(const struct e2s_ialloc *ia, uint32_t group,
			   struct e2s_ialloc_counts *counts)
{
	const struct group *g = &ia->group[group];

	counts->free_inodes = g->free_inodes;
	counts->free_clusters = g->free_clusters;
	counts->used_dirs = g->used_dirs;
}

errcode_t e2s_ialloc_set_bitmap(struct e2s_ialloc *ia, uint32_t group,
				const unsigned char *bitmap)
{
	uint32_t bit;
	errcode_t err;

	err = need_bits(ia, group);
	if (err)
		return err;
	for (bit = reserved_in(ia, group); bit < ia->setup.inodes_per_group;
	     bit++)
		bit_put(ia->group[group].bits, bit,
			bitmap[bit / 8] >> bit % 8 & 1);
	ia->group[group].first_word = 0;
	return 0;
}

uint32_t find_inode_bit(struct e2s_ialloc *ia, uint32_t group)
{
	struct group *g = &ia->group[group];

	if (!g->bits)
		return reserved_in(ia, group);
	for (; g->first_word < ia->words; g->first_word++)
		if (~g->bits[g->first_word])
			return g->first_word * 64 + (uint32_t)
			       __builtin_ctzll(~g->bits[g->first_word]);
	return ia->setup.inodes_per_group;
}

/* As e2s_ialloc_set_counts() would, a hundred million times. */
static void count_taken(struct e2s_ialloc *ia, uint32_t group, uint32_t inodes,
			uint32_t dirs)
{
	struct group *g = &ia->group[group];
	struct flex_group *flex;

	g->free_inodes -= inodes;
	g->used_dirs += dirs;
	if (!g->free_inodes)
		bit_put(ia->has_free, group, 0);
	if (inodes)
		bit_put(ia->all_free, group, 0);
	ia->free_inodes -= inodes;
	ia->used_dirs += dirs;
	if (!ia->flex)
		return;
	flex = &ia->flex[group >> ia->setup.flex_shift];
	flex->free_inodes -= inodes;
	flex->used_dirs += dirs;
}

errcode_t e2s_ialloc_take(struct e2s_ialloc *ia, uint32_t group, uint32_t bit,
			  int is_dir)
{
	struct group *g = &ia->group[group];
	errcode_t err;

	err = need_bits(ia, group);
	if (err)
		return err;
	bit_put(g->bits, bit, 1);
	/* The bitmap may have had more free inodes than the descriptor. */
	count_taken(ia, group, g->free_inodes != 0, is_dir != 0);
	return 0;
}

static int in_range(const struct e2s_ialloc *ia, uint32_t ino)
{
	return ino >= 1 && group_of(ia, ino) < ia->setup.groups;
}

int e2s_ialloc_in_use(const struct e2s_ialloc *ia, uint32_t ino)
{
	const struct group *g;

	if (!in_range(ia, ino))
		return 0;
	g = &ia->group[group_of(ia, ino)];
	return ino < ia->setup.first_ino ||
	       (g->bits && bit_test(g->bits,
				    (ino - 1) % ia->setup.inodes_per_group));
}

/* Counts that the disk had wrong stay within their bounds. */
static void count_released(struct e2s_ialloc *ia, uint32_t group,
			   uint32_t inodes, uint32_t dirs)
{
	uint32_t most = ia->setup.inodes_per_group;
	struct e2s_ialloc_counts counts;

	e2s_ialloc_get_counts(ia, group, &counts);
	if (counts.free_inodes < most)
		counts.free_inodes = counts.free_inodes > most - inodes
					     ? most : counts.free_inodes + inodes;
	counts.used_dirs -= dirs < counts.used_dirs ? dirs : counts.used_dirs;
	e2s_ialloc_set_counts(ia, group, &counts);
}

errcode_t e2s_ialloc_release(struct e2s_ialloc *ia, uint32_t ino, int is_dir,
			     struct e2s_where *where)
{
	struct group *g;
	uint32_t bit;

	if (ino < ia->setup.first_ino || !e2s_ialloc_in_use(ia, ino))
		return e2s_where_ino(where, E2S_ET_INODE_NOT_IN_USE, ino);
	g = &ia->group[group_of(ia, ino)];
	bit = (ino - 1) % ia->setup.inodes_per_group;
	bit_put(g->bits, bit, 0);
	if (bit / 64 < g->first_word)
		g->first_word = bit / 64;
	count_released(ia, group_of(ia, ino), 1, is_dir != 0);
	return 0;
}

errcode_t e2s_ialloc_release_many(struct e2s_ialloc *ia, uint32_t group,
				  const uint64_t *mask, uint32_t dirs,
				  struct e2s_where *where)
{
	uint32_t first = group * ia->setup.inodes_per_group + 1, w, inodes = 0;
	struct group *g = &ia->group[group];
	uint32_t reserved = reserved_in(ia, group);
	uint64_t wrong;

	for (w = 0; w < ia->words; w++) {
		wrong = mask[w] & ~(g->bits ? g->bits[w] : 0);
		if (!wrong && w <= reserved / 64)
			wrong = mask[w] & (w < reserved / 64 ? ~UINT64_C(0) :
					(UINT64_C(1) << reserved % 64) - 1);
		if (wrong)
			return e2s_where_ino(where, E2S_ET_INODE_NOT_IN_USE,
				first + w * 64 +
					(uint32_t)__builtin_ctzll(wrong));
		inodes += (uint32_t)__builtin_popcountll(mask[w]);
	}
	for (w = 0; inodes && w < ia->words; w++)
		g->bits[w] &= ~mask[w];
	g->first_word = 0;
	count_released(ia, group, inodes, dirs);
	return 0;
}

errcode_t e2s_ialloc_block(struct e2s_ialloc *ia, uint32_t ino)
{
	errcode_t err;

	if (!in_range(ia, ino))
		return EINVAL;
	if (e2s_ialloc_in_use(ia, ino))
		return 0;
	err = e2s_ialloc_take(ia, group_of(ia, ino),
			      (ino - 1) % ia->setup.inodes_per_group, 0);
	if (!err)
		ia->group[group_of(ia, ino)].blocked++;
	return err;
}

uint64_t e2s_ialloc_free_inodes(const struct e2s_ialloc *ia)
{
	return ia->free_inodes;
}

/* Group numbers stay below 2^31, so that no sum of two wraps. */
static int sane(const struct e2s_ialloc_setup *setup)
{
	return setup->groups && setup->groups <= INT32_MAX &&
	       setup->inodes_per_group &&
	       setup->groups <= UINT32_MAX / setup->inodes_per_group &&
	       setup->inodes_per_block && setup->first_ino &&
	       setup->first_ino - 1 <= (uint64_t)setup->groups *
				       setup->inodes_per_group &&
	       setup->clusters_per_group <= INT32_MAX && setup->flex_shift < 32;
}

errcode_t e2s_ialloc_new(const struct e2s_ialloc_setup *setup,
			 struct e2s_ialloc **ret)
{
	struct e2s_ialloc_counts counts = { 0 };
	struct e2s_ialloc *ia = NULL;
	size_t map_words, flexes;
	errcode_t err = ENOMEM;
	uint32_t group;

	if (!sane(setup))
		return EINVAL;
	ia = calloc(1, sizeof(*ia));
	if (!ia)
		goto out;
	ia->setup = *setup;
	if (!(setup->inodes_per_group & (setup->inodes_per_group - 1)))
		ia->ipg_shift = (unsigned)__builtin_ctz(setup->inodes_per_group);
	ia->words = setup->inodes_per_group / 64 + 1;
	map_words = setup->groups / 64 + 1;
	flexes = (((uint64_t)setup->groups - 1) >> setup->flex_shift) + 1;
	ia->group = calloc(setup->groups, sizeof(*ia->group));
	ia->has_free = calloc(map_words, sizeof(*ia->has_free));
	ia->all_free = calloc(map_words, sizeof(*ia->all_free));
	if (setup->flex_shift)
		ia->flex = calloc(flexes, sizeof(*ia->flex));
	if (!ia->group || !ia->has_free || !ia->all_free ||
	    (setup->flex_shift && !ia->flex))
		goto out;
	counts.free_clusters = (uint32_t)setup->clusters_per_group;
	for (group = 0; group < setup->groups; group++) {
		counts.free_inodes = setup->inodes_per_group -
				     reserved_in(ia, group);
		counts.used_dirs = !group;	/* the root */
		e2s_ialloc_set_counts(ia, group, &counts);
	}
	*ret = ia;
	ia = NULL;
	err = 0;
out:
	e2s_ialloc_free(ia);
	return err;
}

void e2s_ialloc_free(struct e2s_ialloc *ia)
{
	uint32_t group;

	if (!ia)
		return;
	for (group = 0; ia->group && group < ia->setup.groups; group++)
		free(ia->group[group].bits);
	free(ia->group);
	free(ia->flex);
	free(ia->has_free);
	free(ia->all_free);
	free(ia);
}
