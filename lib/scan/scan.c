/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan: a table of phases, and access to the result. */
#include <errno.h>
#include <stdlib.h>

#include "scan/internal.h"

typedef errcode_t (*phase_fn)(struct run *run, struct e2s_where *where);

static const phase_fn phases[] = {
	e2s_scan_itables,
	e2s_scan_number_dirs,
	e2s_scan_names,
	e2s_scan_leftovers,
	e2s_scan_pins,
	e2s_scan_hand_over,
};

static const char *const words[E2S_PROBLEM_KINDS] = {
	[E2S_PROBLEM_DESC_CSUM] = "group descriptor with a wrong checksum",
	[E2S_PROBLEM_BITMAP_CSUM] = "inode bitmap with a wrong checksum",
	[E2S_PROBLEM_BITMAP] = "inode bitmap and inode table disagree",
	[E2S_PROBLEM_INODE_CSUM] = "inode with a wrong checksum",
	[E2S_PROBLEM_INODE_GARBAGE] = "inode of no known file type",
	[E2S_PROBLEM_DIR_MAP] = "directory with a damaged block map",
	[E2S_PROBLEM_DIR_TWICE] = "directory block claimed twice",
	[E2S_PROBLEM_DIR_CSUM] = "directory block with a wrong checksum",
	[E2S_PROBLEM_DIR_BLOCK] = "directory block with damaged entries",
	[E2S_PROBLEM_ENTRY] = "name of an inode that is not in use",
	[E2S_PROBLEM_DIR_NAMES] = "directory without a name or with several",
	[E2S_PROBLEM_DIR_LOST] = "directory that the root does not lead to",
	[E2S_PROBLEM_NO_NAME] = "inode in use that no directory names",
	[E2S_PROBLEM_LINKS] = "inode with a wrong link count",
	[E2S_PROBLEM_XATTR_BLOCK] = "damaged block of attributes",
	[E2S_PROBLEM_EXTENTS] = "file with a damaged extent tree",
	[E2S_PROBLEM_BAD_BLOCKS] = "list of bad blocks cannot be read",
};

const char *e2s_problem_words(enum e2s_problem_kind kind)
{
	return words[kind];
}

uint64_t e2s_scan_problems(const struct e2s_scan *scan)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < E2S_PROBLEM_KINDS; i++)
		n += scan->problems_n[i];
	return n;
}

static void free_run(struct run *run)
{
	uint32_t group, groups = run->fs->geo.groups;

	for (group = 0; run->yields && group < groups; group++)
		e2s_yield_free(run->yields[group]);
	free(run->yields);
	free(run->links);
	e2s_arena_free(&run->arena);
	free(run->blocks.v);
	free(run->inline_names.v);
	free(run->link_names.v);
	free(run->deep_files.v);
	free(run->pins.v);
	free(run->xattr_refs.v);
	free(run->ea_refs.v);
}

static int by_ino(const void *a, const void *b)
{
	const struct e2s_link *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

errcode_t e2s_scan_hand_over(struct run *run, struct e2s_where *where)
{
	struct e2s_scan *scan = run->scan;

	(void)where;
	scan->pins = run->pins.v;
	scan->pins_n = run->pins.n;
	run->pins.v = NULL;
	if (!(run->flags & E2S_SCAN_PLACES))
		return 0;
	if (run->link_names.n)
		qsort(run->link_names.v, run->link_names.n,
		      sizeof(*run->link_names.v), by_ino);
	scan->links = run->link_names.v;
	scan->links_n = run->link_names.n;
	run->link_names.v = NULL;
	scan->dir_blocks = run->blocks.v;
	scan->dir_blocks_n = run->blocks.n;
	run->blocks.v = NULL;
	scan->deep_files = run->deep_files.v;
	scan->deep_files_n = run->deep_files.n;
	run->deep_files.v = NULL;
	return 0;
}

errcode_t e2s_scan_run(const struct e2s_fs *fs,
		       const struct e2s_scan_options *options,
		       struct e2s_scan **ret, struct e2s_where *where)
{
	struct e2s_scan *scan = calloc(1, sizeof(*scan));
	_Atomic uint64_t claimed_blocks = 0;
	struct run run = { .scan = scan, .fs = fs, .flags = options->flags,
			   .claimed_blocks = &claimed_blocks };
	errcode_t err = ENOMEM;
	size_t i;

	*ret = NULL;
	if (!scan)
		return ENOMEM;
	scan->fs = fs;
	run.threads = options->threads ? options->threads
				       : e2s_workers_default();
	scan->layout.slots = calloc(fs->geo.groups,
				    sizeof(*scan->layout.slots));
	scan->layout.used = calloc(fs->geo.groups, sizeof(*scan->layout.used));
	scan->crtimes = calloc(fs->geo.groups, sizeof(*scan->crtimes));
	scan->places = calloc(fs->geo.groups, sizeof(*scan->places));
	scan->problems = calloc(E2S_PROBLEMS_KEPT, sizeof(*scan->problems));
	run.links = calloc(fs->geo.groups, sizeof(*run.links));
	run.yields = calloc(fs->geo.groups, sizeof(*run.yields));
	if (!scan->layout.slots || !scan->layout.used || !scan->crtimes ||
	    !scan->places || !scan->problems || !run.links || !run.yields)
		goto out;
	err = 0;
	for (i = 0; i < sizeof(phases) / sizeof(phases[0]) && !err; i++)
		err = phases[i](&run, where);
	if (err)
		goto out;
	*ret = scan;
	scan = NULL;
out:
	free_run(&run);
	e2s_scan_free(scan);
	return err;
}

void e2s_scan_free(struct e2s_scan *scan)
{
	if (!scan)
		return;
	e2s_scan_drop_times(scan);
	e2s_scan_drop_slots(scan);
	free(scan->layout.used);
	free(scan->places);
	e2s_arena_free(&scan->arena);
	free(scan->links);
	free(scan->dir_blocks);
	free(scan->deep_files);
	free(scan->pins);
	free(scan->dirs);
	free(scan->problems);
	free(scan);
}

void e2s_scan_drop_times(struct e2s_scan *scan)
{
	e2s_arena_free(&scan->times_arena);
	free(scan->crtimes);
	scan->crtimes = NULL;
}

void e2s_scan_drop_slots(struct e2s_scan *scan)
{
	e2s_arena_free(&scan->slots_arena);
	free(scan->layout.slots);
	scan->layout.slots = NULL;
}

e2s_slot e2s_scan_slot(const struct e2s_scan *scan, uint32_t ino)
{
	uint32_t group = e2s_geometry_group(&scan->fs->geo, ino);
	uint32_t index = e2s_geometry_index(&scan->fs->geo, ino);

	if (index >= scan->layout.used[group])
		return E2S_SLOT_FREE;
	return scan->layout.slots[group][index];
}

uint32_t e2s_scan_dir_number(const struct e2s_scan *scan, uint32_t ino)
{
	e2s_slot slot = ino && ino <= scan->fs->geo.inodes
				? e2s_scan_slot(scan, ino) : E2S_SLOT_FREE;

	return e2s_slot_is_dir(slot) ? e2s_slot_dir(slot) : E2S_DIR_NONE;
}
