/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which blocks a batch touches; plan's footprint counts the same ones. */
#include <errno.h>
#include <stdlib.h>

#include "relayout/internal.h"

static errcode_t touch_slot(struct batch *batch, uint32_t group, uint32_t index)
{
	const struct e2s_geometry *geo = &batch->mover->fs->geo;
	uint32_t block = index / geo->inodes_per_block;

	if (!batch->itable[group]) {
		batch->itable[group] = calloc(1, geo->itable_blocks / 8 + 1);
		if (!batch->itable[group])
			return ENOMEM;
	}
	batch->itable[group][block / 8] |= (uint8_t)(1u << block % 8);
	return 0;
}

static errcode_t touch_ino(struct batch *batch, uint32_t ino)
{
	return touch_slot(batch, e2s_group_of(batch->mover, ino),
			  e2s_index_of(batch->mover, ino));
}

/* A directory's slot both before and after the batch, when it is inline. */
static errcode_t touch_dir_slot(struct batch *batch, uint32_t dir)
{
	return touch_ino(batch, e2s_batch_new_ino(batch,
					batch->mover->dir_ino[dir]));
}

static errcode_t touch_dir_block(struct batch *batch, e2s_place place)
{
	batch->dir_blocks[place / 8] |= (uint8_t)(1u << place % 8);
	return 0;
}

static errcode_t touch_place(struct batch *batch, e2s_place place)
{
	if (place == E2S_PLACE_NONE)
		return 0;
	if (place & E2S_PLACE_INLINE)
		return touch_dir_slot(batch, place & ~E2S_PLACE_INLINE);
	return touch_dir_block(batch, place);
}

static int by_ino(const void *a, const void *b)
{
	const struct e2s_link *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static errcode_t touch_links(struct batch *batch, uint32_t old)
{
	const struct e2s_scan *scan = batch->mover->scan;
	const struct e2s_link *end = scan->links + scan->links_n, *link;
	struct e2s_link key = { .ino = old };
	errcode_t err = 0;

	link = scan->links_n ? bsearch(&key, scan->links, scan->links_n,
				       sizeof(key), by_ino) : NULL;
	if (!link)
		return 0;
	while (link > scan->links && link[-1].ino == old)
		link--;
	for (; link < end && link->ino == old && !err; link++)
		err = touch_place(batch, link->place);
	return err;
}

/* A directory that moves: "." and the checksums of all its blocks, and ".." in
 * the first block, or the inode, of each directory in it. */
static errcode_t touch_family(struct batch *batch, uint32_t dir)
{
	const struct e2s_family *family = &batch->mover->family;
	uint32_t i, child;
	errcode_t err = 0;

	for (i = family->block_start[dir];
	     i < family->block_start[dir + 1] && !err; i++)
		err = touch_dir_block(batch, family->blocks[i]);
	for (i = family->child_start[dir];
	     i < family->child_start[dir + 1] && !err; i++) {
		child = family->children[i];
		if (family->block_start[child] < family->block_start[child + 1])
			err = touch_dir_block(batch, e2s_family_first_block(
				batch->mover->scan, family, child));
		else
			err = touch_dir_slot(batch, child);
	}
	return err;
}

/* Most steps leave the group that the step before them has left. */
static errcode_t touch_group(struct batch *batch, uint32_t group)
{
	size_t n = batch->groups.n;
	errcode_t err;

	if ((n && batch->groups.v[n - 1] == group) ||
	    (n > 1 && batch->groups.v[n - 2] == group))
		return 0;
	err = e2s_vec_reserve(&batch->groups, 1);
	if (!err)
		batch->groups.v[batch->groups.n++] = group;
	return err;
}

static errcode_t touch_step(struct batch *batch, const struct e2s_step *step)
{
	const struct e2s_scan *scan = batch->mover->scan;
	struct mover *m = batch->mover;
	e2s_slot slot = e2s_scan_slot(scan, step->old);
	e2s_place place = scan->places[e2s_group_of(m, step->old)]
				      [e2s_index_of(m, step->old)];
	uint32_t group = e2s_group_of(m, step->to);
	errcode_t err;

	if (e2s_index_of(m, step->to) + 1 > m->used_after[group])
		m->used_after[group] = e2s_index_of(m, step->to) + 1;
	err = touch_ino(batch, step->from);
	if (!err)
		err = touch_ino(batch, step->to);
	if (!err)
		err = touch_group(batch, e2s_group_of(m, step->from));
	if (!err)
		err = touch_group(batch, group);
	if (err)
		return err;
	err = place == E2S_PLACE_MANY ? touch_links(batch, step->old)
				      : touch_place(batch, place);
	if (!err && e2s_slot_is_dir(slot))
		err = touch_family(batch, e2s_slot_dir(slot));
	return err;
}

/* What lies behind the old mark in its block becomes visible with the rest. */
static errcode_t touch_marks(struct batch *batch)
{
	const struct mover *m = batch->mover;
	uint32_t ipb = m->fs->geo.inodes_per_block, group;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < batch->groups.n && !err; i++) {
		group = batch->groups.v[i];
		if (m->used_after[group] > m->used[group] &&
		    m->used[group] % ipb)
			err = touch_slot(batch, group, m->used[group]);
	}
	return err;
}

static int ascending32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t unique32(uint32_t *v, size_t n)
{
	size_t i, kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), ascending32);
	for (i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

errcode_t e2s_batch_touch(struct batch *batch)
{
	const struct mover *m = batch->mover;
	errcode_t err = 0;
	size_t i;

	batch->itable = calloc(m->fs->geo.groups, sizeof(*batch->itable));
	batch->dir_blocks = calloc(1, m->scan->dir_blocks_n / 8 + 1);
	if (!batch->itable || !batch->dir_blocks)
		return ENOMEM;
	for (i = 0; i < batch->n && !err; i++)
		err = touch_step(batch, &batch->by_from[i]);
	batch->groups.n = unique32(batch->groups.v, batch->groups.n);
	return err ? err : touch_marks(batch);
}
