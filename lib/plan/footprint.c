/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "plan/footprint.h"
#include "plan/internal.h"

struct footprint {
	const struct e2s_plan *plan;
	uint32_t stamp;		/* of the set under way; older ones are clear */
	uint64_t blocks;
	uint32_t **group;	/* [group], made on demand: [itable block], its
				 * bitmap, and the slots below its mark by now */
	uint32_t *desc;		/* [block of descriptors] */
	uint32_t *dir_block;	/* [directory block] */
	uint32_t *dir_ino;	/* [directory]: its number by now */
	struct e2s_family family;	/* when directories move */
};

/* Counts one block unless the set has it. */
static void stamp(struct footprint *f, uint32_t *at)
{
	f->blocks += *at != f->stamp;
	*at = f->stamp;
}

static errcode_t make_group(struct footprint *f, uint32_t group)
{
	uint32_t blocks = f->plan->scan->fs->geo.itable_blocks;

	f->group[group] = calloc((size_t)blocks + 2, sizeof(**f->group));
	if (!f->group[group])
		return ENOMEM;
	f->group[group][blocks + 1] = f->plan->scan->layout.used[group];
	return 0;
}

static errcode_t add_ino(struct footprint *f, uint32_t ino)
{
	const struct e2s_fs *fs = f->plan->scan->fs;
	uint32_t number = e2s_ino_group(f->plan, ino), mark, *group, *block;
	uint32_t ipb = fs->geo.inodes_per_block;
	errcode_t err;

	if (!f->group[number]) {
		err = make_group(f, number);
		if (err)
			return err;
	}
	group = f->group[number];
	block = &group[e2s_ino_index(f->plan, ino) / ipb];
	if (*block == f->stamp)
		return 0;	/* and so is all that goes with it */
	stamp(f, block);
	stamp(f, &group[fs->geo.itable_blocks]);
	stamp(f, &f->desc[number / EXT2_DESC_PER_BLOCK(fs->ext2->super)]);
	mark = group[fs->geo.itable_blocks + 1];
	if (mark % ipb)
		stamp(f, &group[mark / ipb]);
	return 0;
}

static errcode_t add_place(struct footprint *f, e2s_place place)
{
	if (place == E2S_PLACE_NONE)
		return 0;
	if (place & E2S_PLACE_INLINE)
		return add_ino(f, f->dir_ino[place & ~E2S_PLACE_INLINE]);
	stamp(f, &f->dir_block[place]);
	return 0;
}

static errcode_t add_links(struct footprint *f, uint32_t ino)
{
	const struct e2s_scan *scan = f->plan->scan;
	size_t low = 0, high = scan->links_n, mid;
	errcode_t err = 0;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (scan->links[mid].ino < ino)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < scan->links_n && scan->links[low].ino == ino && !err; low++)
		err = add_place(f, scan->links[low].place);
	return err;
}

static void add_extents(struct footprint *f, uint32_t ino)
{
	const struct e2s_scan *scan = f->plan->scan;
	size_t low = 0, high = scan->deep_files_n, mid;

	if (!scan->fs->geo.metadata_csum)
		return;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (scan->deep_files[mid].ino < ino)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < scan->deep_files_n && scan->deep_files[low].ino == ino)
		f->blocks += scan->deep_files[low].nodes;
}

/* The blocks of directory DIR, which moves, and ".." in those below it. */
static errcode_t add_family(struct footprint *f, uint32_t dir)
{
	const struct e2s_family *family = &f->family;
	uint32_t i, child;
	errcode_t err = 0;

	for (i = family->block_start[dir]; i < family->block_start[dir + 1]; i++)
		stamp(f, &f->dir_block[family->blocks[i]]);
	for (i = family->child_start[dir];
	     i < family->child_start[dir + 1] && !err; i++) {
		child = family->children[i];
		if (family->block_start[child] < family->block_start[child + 1])
			err = add_place(f, e2s_family_first_block(
						   f->plan->scan, family, child));
		else
			err = add_ino(f, f->dir_ino[child]);
	}
	return err;
}

errcode_t e2s_footprint_add(struct footprint *f, const struct e2s_step *step)
{
	const struct e2s_scan *scan = f->plan->scan;
	e2s_place place = scan->places[e2s_ino_group(f->plan, step->old)]
				      [e2s_ino_index(f->plan, step->old)];
	errcode_t err;
	e2s_slot slot;

	err = add_ino(f, step->from);
	if (!err)
		err = add_ino(f, step->to);
	if (!err && place == E2S_PLACE_MANY)
		err = add_links(f, step->old);
	else if (!err)
		err = add_place(f, place);
	add_extents(f, step->old);
	if (err || !f->plan->options.move_dirs)
		return err;
	slot = e2s_scan_slot(scan, step->old);
	return e2s_slot_is_dir(slot) ? add_family(f, e2s_slot_dir(slot)) : 0;
}

void e2s_footprint_begin(struct footprint *f)
{
	f->stamp++;
	f->blocks = 0;
}

uint64_t e2s_footprint_blocks(const struct footprint *f)
{
	return f->blocks;
}

void e2s_footprint_end(struct footprint *f, const struct e2s_step *steps, size_t n)
{
	uint32_t index, *used;
	e2s_slot slot;

	for (; n; n--, steps++) {
		used = f->group[e2s_ino_group(f->plan, steps->to)] +
		       f->plan->scan->fs->geo.itable_blocks + 1;
		index = e2s_ino_index(f->plan, steps->to);
		if (index + 1 > *used)
			*used = index + 1;
		if (!f->plan->options.move_dirs)
			continue;
		slot = e2s_scan_slot(f->plan->scan, steps->old);
		if (e2s_slot_is_dir(slot))
			f->dir_ino[e2s_slot_dir(slot)] = steps->to;
	}
}

errcode_t e2s_footprint_new(const struct e2s_plan *plan, struct footprint **ret)
{
	const struct e2s_scan *scan = plan->scan;
	const struct e2s_fs *fs = scan->fs;
	struct footprint *f = calloc(1, sizeof(*f));
	errcode_t err = ENOMEM;
	uint32_t i;

	*ret = NULL;
	if (!f)
		return ENOMEM;
	f->plan = plan;
	f->group = calloc(fs->geo.groups, sizeof(*f->group));
	f->desc = calloc((size_t)fs->ext2->desc_blocks + 1, sizeof(*f->desc));
	f->dir_block = calloc(scan->dir_blocks_n + 1, sizeof(*f->dir_block));
	f->dir_ino = calloc((size_t)scan->dirs_n + 1, sizeof(*f->dir_ino));
	if (!f->group || !f->desc || !f->dir_block || !f->dir_ino)
		goto out;
	for (i = 0; i < scan->dirs_n; i++)
		f->dir_ino[i] = scan->dirs[i].ino;
	err = e2s_plan_moves_dirs(plan) ? e2s_family_new(scan, &f->family) : 0;
	if (!err) {
		*ret = f;
		f = NULL;
	}
out:
	e2s_footprint_free(f);
	return err;
}

void e2s_footprint_free(struct footprint *f)
{
	uint32_t group;

	if (!f)
		return;
	for (group = 0; f->group && group < f->plan->scan->fs->geo.groups;
	     group++)
		free(f->group[group]);
	free(f->group);
	free(f->desc);
	free(f->dir_block);
	free(f->dir_ino);
	e2s_family_free(&f->family);
	free(f);
}
