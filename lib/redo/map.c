/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the blocks of the journal file lie. */
#include <stdlib.h>

#include "redo/journal.h"

struct walk {
	struct e2s_journal_map *map;
	const struct e2s_fs *fs;
	errcode_t err;
};

static errcode_t add_owned(struct e2s_journal_map *map, uint64_t blk)
{
	struct e2s_owned *last;
	errcode_t err;

	if (map->owned.n) {
		last = &map->owned.v[map->owned.n - 1];
		if (blk == last->blk + last->n) {
			last->n++;
			return 0;
		}
	}
	err = e2s_vec_reserve(&map->owned, 1);
	if (err)
		return err;
	last = &map->owned.v[map->owned.n++];
	last->blk = blk;
	last->n = 1;
	return 0;
}

static errcode_t add_run(struct e2s_journal_map *map, uint32_t pos,
			 uint64_t blk)
{
	struct e2s_journal_run *last;
	errcode_t err;

	if (map->runs.n) {
		last = &map->runs.v[map->runs.n - 1];
		if (pos == last->pos + last->n && blk == last->blk + last->n) {
			last->n++;
			return 0;
		}
	}
	err = e2s_vec_reserve(&map->runs, 1);
	if (err)
		return err;
	last = &map->runs.v[map->runs.n++];
	last->pos = pos;
	last->n = 1;
	last->blk = blk;
	return 0;
}

/* Blocks come in the order of the file; COUNT is negative for its metadata. */
static int take_block(ext2_filsys ext2, blk64_t *blk, e2_blkcnt_t count,
		      blk64_t ref_blk, int ref_offset, void *priv)
{
	struct walk *walk = priv;

	(void)ext2;
	(void)ref_blk;
	(void)ref_offset;
	if (*blk >= walk->fs->geo.blocks || *blk == 0)
		walk->err = E2S_ET_JOURNAL_BAD;
	if (!walk->err)
		walk->err = add_owned(walk->map, *blk);
	if (!walk->err && count >= 0 && count < UINT32_MAX)
		walk->err = add_run(walk->map, (uint32_t)count, *blk);
	return walk->err ? BLOCK_ABORT : 0;
}

static int compare_owned(const void *a, const void *b)
{
	const struct e2s_owned *x = a, *y = b;

	return x->blk < y->blk ? -1 : x->blk > y->blk;
}

errcode_t e2s_journal_map_read(const struct e2s_fs *fs, uint32_t blocks,
			       struct e2s_journal_map *map,
			       struct e2s_where *where)
{
	struct walk walk = { .map = map, .fs = fs };
	uint64_t mapped = 0;
	errcode_t err;
	size_t i;

	err = ext2fs_block_iterate3(fs->ext2, fs->ext2->super->s_journal_inum,
				    BLOCK_FLAG_READ_ONLY, NULL, take_block,
				    &walk);
	if (!err)
		err = walk.err;
	if (err == ENOMEM)
		return err;
	if (err)
		return e2s_where_detail(where, E2S_ET_JOURNAL_BAD, "%s",
					error_message(err));
	for (i = 0; i < map->runs.n && map->runs.v[i].pos == mapped; i++)
		mapped += map->runs.v[i].n;
	if (mapped < blocks)
		return e2s_where_detail(where, E2S_ET_JOURNAL_BAD,
					"its file has a hole");
	qsort(map->owned.v, map->owned.n, sizeof(*map->owned.v),
	      compare_owned);
	return 0;
}

void e2s_journal_map_free(struct e2s_journal_map *map)
{
	free(map->runs.v);
	free(map->owned.v);
}

uint64_t e2s_journal_map_find(const struct e2s_journal_map *map, uint32_t pos,
			      uint32_t *left)
{
	size_t low = 0, high = map->runs.n, mid;
	const struct e2s_journal_run *run;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (map->runs.v[mid].pos <= pos)
			low = mid;
		else
			high = mid;
	}
	run = &map->runs.v[low];
	*left = run->n - (pos - run->pos);
	return run->blk + (pos - run->pos);
}

int e2s_journal_map_owns(const struct e2s_journal_map *map, uint64_t blk)
{
	size_t low = 0, high = map->owned.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (blk < map->owned.v[mid].blk)
			high = mid;
		else if (blk - map->owned.v[mid].blk < map->owned.v[mid].n)
			return 1;
		else
			low = mid + 1;
	}
	return 0;
}
