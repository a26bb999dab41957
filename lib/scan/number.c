/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 2: numbers the directories in ascending order of inode number, writes
 * the numbers into the slots, and sorts all directory blocks by their place.
 */
#include <errno.h>
#include <stdlib.h>

#include "scan/internal.h"

static errcode_t alloc_dirs(struct run *run)
{
	uint64_t dirs = 0;
	uint32_t group;

	for (group = 0; group < run->fs->geo.groups; group++)
		if (run->yields[group])
			dirs += run->yields[group]->dirs.n;
	if (dirs > E2S_DIRS_MAX)
		return E2S_ET_TOO_MANY_DIRS;
	run->scan->dirs = calloc(dirs + 1, sizeof(*run->scan->dirs));
	return run->scan->dirs ? 0 : ENOMEM;
}

static errcode_t take_yield(struct run *run, uint32_t group)
{
	struct yield *yield = run->yields[group];
	struct e2s_scan *scan = run->scan;
	uint32_t base = scan->dirs_n, index;
	errcode_t err;
	size_t i;

	for (i = 0; i < yield->dirs.n; i++) {
		index = (yield->dirs.v[i].ino - 1) %
			run->fs->geo.inodes_per_group;
		scan->layout.slots[group][index] = E2S_SLOT_DIR | scan->dirs_n;
		scan->dirs[scan->dirs_n++] = yield->dirs.v[i];
	}
	err = e2s_run_take_lists(run, yield, base);
	e2s_yield_merge(scan, yield);
	run->yields[group] = NULL;
	return err;
}

static int by_place(const void *a, const void *b)
{
	const struct e2s_dir_block *x = a, *y = b;

	if (x->blk != y->blk)
		return x->blk < y->blk ? -1 : 1;
	return x->dir < y->dir ? -1 : x->dir > y->dir;
}

static void drop_doubles(struct run *run, struct yield *found)
{
	struct e2s_dir_block *blocks = run->blocks.v;
	size_t i, kept = 0;

	if (run->blocks.n)
		qsort(blocks, run->blocks.n, sizeof(*blocks), by_place);
	for (i = 0; i < run->blocks.n; i++) {
		if (kept && blocks[kept - 1].blk == blocks[i].blk)
			e2s_yield_problem(found, E2S_PROBLEM_DIR_TWICE,
				ext2fs_group_of_blk2(run->fs->ext2,
						     blocks[i].blk),
				run->scan->dirs[blocks[i].dir].ino,
				blocks[i].blk);
		else
			blocks[kept++] = blocks[i];
	}
	run->blocks.n = kept;
}

errcode_t e2s_scan_number_dirs(struct run *run, struct e2s_where *where)
{
	struct yield *found;
	errcode_t err;
	uint32_t group;

	(void)where;
	err = alloc_dirs(run);
	for (group = 0; group < run->fs->geo.groups && !err; group++)
		if (run->yields[group])
			err = take_yield(run, group);
	if (err)
		return err;
	if (run->flags & E2S_SCAN_PLACES && run->blocks.n >= E2S_PLACE_INLINE)
		return E2S_ET_TOO_MANY_DIRS;
	found = calloc(1, sizeof(*found));
	if (!found)
		return ENOMEM;
	drop_doubles(run, found);
	e2s_yield_merge(run->scan, found);
	return 0;
}
