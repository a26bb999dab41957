/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 2: numbers the directories in ascending order of inode number, writes
 * the numbers into the slots, and sorts all directory blocks by their place.
 */
#include <errno.h>
#include <stdlib.h>

#include "scan/internal.h"

static errcode_t count_yields(struct run *run)
{
	uint64_t dirs = 0;
	uint32_t group;

	for (group = 0; group < run->fs->geo.groups; group++) {
		const struct yield *yield = run->yields[group];

		if (!yield)
			continue;
		dirs += yield->dirs.n;
		run->blocks_n += yield->blocks.n;
		run->inline_names_n += yield->inline_names.n;
	}
	if (dirs > E2S_DIRS_MAX)
		return E2S_ET_TOO_MANY_DIRS;
	run->scan->dirs = calloc(dirs + 1, sizeof(*run->scan->dirs));
	run->blocks = malloc((run->blocks_n + 1) * sizeof(*run->blocks));
	run->inline_names = malloc((run->inline_names_n + 1) *
				   sizeof(*run->inline_names));
	if (!run->scan->dirs || !run->blocks || !run->inline_names)
		return ENOMEM;
	run->blocks_n = run->inline_names_n = 0;
	return 0;
}

static void take_yield(struct run *run, uint32_t group)
{
	struct yield *yield = run->yields[group];
	struct e2s_scan *scan = run->scan;
	uint32_t base = scan->dirs_n, index;
	size_t i;

	for (i = 0; i < yield->dirs.n; i++) {
		index = (yield->dirs.v[i].ino - 1) %
			run->fs->geo.inodes_per_group;
		scan->layout.slots[group][index] = E2S_SLOT_DIR | scan->dirs_n;
		scan->dirs[scan->dirs_n++] = yield->dirs.v[i];
	}
	for (i = 0; i < yield->blocks.n; i++) {
		run->blocks[run->blocks_n] = yield->blocks.v[i];
		run->blocks[run->blocks_n++].dir += base;
	}
	for (i = 0; i < yield->inline_names.n; i++) {
		run->inline_names[run->inline_names_n] =
			yield->inline_names.v[i];
		run->inline_names[run->inline_names_n++].dir += base;
	}
	e2s_yield_merge(scan, yield);
	run->yields[group] = NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct dir_block *x = a, *y = b;

	if (x->blk != y->blk)
		return x->blk < y->blk ? -1 : 1;
	return x->dir < y->dir ? -1 : x->dir > y->dir;
}

static void drop_doubles(struct run *run, struct yield *found)
{
	size_t i, kept = 0;

	for (i = 0; i < run->blocks_n; i++) {
		const struct dir_block *block = &run->blocks[i];

		if (kept && run->blocks[kept - 1].blk == block->blk)
			e2s_yield_problem(found, E2S_PROBLEM_DIR_TWICE,
				ext2fs_group_of_blk2(run->fs->ext2, block->blk),
				run->scan->dirs[block->dir].ino, block->blk);
		else
			run->blocks[kept++] = *block;
	}
	run->blocks_n = kept;
}

errcode_t e2s_scan_number_dirs(struct run *run, struct e2s_where *where)
{
	struct yield *found;
	errcode_t err;
	uint32_t group;

	(void)where;
	err = count_yields(run);
	if (err)
		return err;
	for (group = 0; group < run->fs->geo.groups; group++)
		if (run->yields[group])
			take_yield(run, group);
	qsort(run->blocks, run->blocks_n, sizeof(*run->blocks), by_place);
	found = calloc(1, sizeof(*found));
	if (!found)
		return ENOMEM;
	drop_doubles(run, found);
	e2s_yield_merge(run->scan, found);
	return 0;
}
