/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which blocks a batch touches; plan's footprint counts the same ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/internal.h"

static errcode_t touch_group(struct batch *batch, uint32_t group)
{
	size_t n = batch->groups.n;
	errcode_t err;

	if (n && batch->groups.v[n - 1] == group)
		return 0;
	err = e2s_vec_reserve(&batch->groups, 1);
	if (!err)
		batch->groups.v[batch->groups.n++] = group;
	return err;
}

static errcode_t touch_spot(struct batch *batch, const struct spot *spot)
{
	errcode_t err = e2s_vec_reserve(&batch->itable, 1);

	if (!err)
		batch->itable.v[batch->itable.n++] = spot->block +
			(uint64_t)spot->group *
			batch->mover->fs->geo.itable_blocks;
	return err;
}

/* A directory's slot both before and after the batch, when it is inline. */
static errcode_t touch_dir_slot(struct batch *batch, uint32_t dir)
{
	const struct mover *m = batch->mover;
	struct spot spot = { 0 };

	e2s_spot_set(&spot, m, e2s_batch_new_ino(batch, m->dir_ino[dir]));
	return touch_spot(batch, &spot);
}

static void touch_dir_block(struct batch *batch, e2s_place place)
{
	batch->mover->dir_bits[place / 8] |= (uint8_t)(1u << place % 8);
}

static errcode_t touch_place(struct batch *batch, e2s_place place)
{
	if (place == E2S_PLACE_NONE)
		return 0;
	if (place & E2S_PLACE_INLINE)
		return touch_dir_slot(batch, place & ~E2S_PLACE_INLINE);
	touch_dir_block(batch, place);
	return 0;
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

	for (i = family->block_start[dir]; i < family->block_start[dir + 1]; i++)
		touch_dir_block(batch, family->blocks[i]);
	for (i = family->child_start[dir];
	     i < family->child_start[dir + 1] && !err; i++) {
		child = family->children[i];
		if (family->block_start[child] < family->block_start[child + 1])
			touch_dir_block(batch, e2s_family_first_block(
				batch->mover->scan, family, child));
		else
			err = touch_dir_slot(batch, child);
	}
	return err;
}

/* What names the inode that is number OLD in the scan. */
static errcode_t touch_names(struct batch *batch, uint32_t old)
{
	const struct mover *m = batch->mover;
	e2s_place place = m->scan->places[e2s_group_of(m, old)]
					 [e2s_index_of(m, old)];
	errcode_t err;
	e2s_slot slot;

	err = place == E2S_PLACE_MANY ? touch_links(batch, old)
				      : touch_place(batch, place);
	if (err || !e2s_plan_moves_dirs(m->plan))
		return err;
	slot = e2s_scan_slot(m->scan, old);
	return e2s_slot_is_dir(slot) ? touch_family(batch, e2s_slot_dir(slot))
				     : 0;
}

static errcode_t touch_from(struct batch *batch)
{
	struct spot spot = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < batch->n && !err; i++) {
		if (batch->by_from[i].from < spot.end)
			continue;
		e2s_spot_set(&spot, batch->mover, batch->by_from[i].from);
		err = touch_spot(batch, &spot);
		if (!err)
			err = touch_group(batch, spot.group);
	}
	return err;
}

/* The same for the ends; they may raise their group's mark. */
static errcode_t touch_to(struct batch *batch)
{
	struct mover *m = batch->mover;
	struct spot spot = { 0 };
	uint32_t ino, used;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < batch->n && !err; i++) {
		ino = batch->by_to[i].key;
		if (ino >= spot.end) {
			e2s_spot_set(&spot, m, ino);
			err = touch_spot(batch, &spot);
			if (!err)
				err = touch_group(batch, spot.group);
		}
		used = spot.block * m->fs->geo.inodes_per_block +
		       (ino - spot.first) + 1;
		if (used > m->used_after[spot.group])
			m->used_after[spot.group] = used;
	}
	return err;
}

/* What lies behind the old mark in its block becomes visible with the rest. */
static errcode_t touch_marks(struct batch *batch)
{
	const struct mover *m = batch->mover;
	uint32_t ipb = m->fs->geo.inodes_per_block, group;
	struct spot spot = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < batch->groups.n && !err; i++) {
		group = batch->groups.v[i];
		spot.group = group;
		spot.block = m->used[group] / ipb;
		if (m->used_after[group] > m->used[group] &&
		    m->used[group] % ipb)
			err = touch_spot(batch, &spot);
	}
	return err;
}

static int ascending64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t unique32(uint32_t *v, size_t n)
{
	size_t i, kept = 0;

	e2s_sort_words(v, n, 1);
	for (i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

static size_t unique64(uint64_t *v, size_t n)
{
	size_t i, kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), ascending64);
	for (i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

/* Makes a list of the bits, and clears them. */
static errcode_t list_dir_blocks(struct batch *batch)
{
	size_t bytes = batch->mover->scan->dir_blocks_n / 8 + 1, i;
	uint8_t *bits = batch->mover->dir_bits;
	errcode_t err;
	unsigned bit;

	for (i = 0; i < bytes; i++) {
		if (!bits[i])
			continue;
		err = e2s_vec_reserve(&batch->dir_blocks, 8);
		if (err)
			return err;
		for (bit = 0; bit < 8; bit++)
			if (bits[i] >> bit & 1)
				batch->dir_blocks.v[batch->dir_blocks.n++] =
					(e2s_place)(i * 8 + bit);
		bits[i] = 0;
	}
	return 0;
}

errcode_t e2s_batch_touch(struct batch *batch)
{
	errcode_t err;
	size_t i;

	err = touch_from(batch);
	if (!err)
		err = touch_to(batch);
	for (i = 0; i < batch->n && !err; i++)
		err = touch_names(batch, batch->by_from[i].old);
	batch->groups.n = unique32(batch->groups.v, batch->groups.n);
	if (!err)
		err = touch_marks(batch);
	batch->itable.n = unique64(batch->itable.v, batch->itable.n);
	return err ? err : list_dir_blocks(batch);
}
