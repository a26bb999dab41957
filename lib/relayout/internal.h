/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of relayout/ share with one another and with nobody else. */
#ifndef E2S_RELAYOUT_INTERNAL_H
#define E2S_RELAYOUT_INTERNAL_H

#include "relayout/relayout.h"

/* The run: what outlives a batch. */
struct mover {
	struct e2s_fs *fs;
	const struct e2s_plan *plan;
	const struct e2s_scan *scan;
	struct e2s_redo *redo;
	unsigned threads;
	uint32_t *used;		/* [group] slots below the high-water mark, */
	uint32_t *used_after;	/* and after the batch under way */
	uint32_t *dir_ino;	/* [directory] its number by now */
	uint8_t *dir_bits;	/* a bit for each directory block: touch.c's,
				 * all clear between batches */
	struct e2s_family family;	/* when directories move */
	uint64_t blocks;	/* given to redo so far */
};

/* One batch.  What it reads from the scan and from here, any thread may. */
struct batch {
	struct mover *mover;
	struct e2s_step *by_from;	/* its steps, sorted */
	struct e2s_keyed *by_to;	/* their ends, sorted, and where each
					 * comes from */
	size_t n;
	uint32_t *buckets;		/* steps.c: into by_from */
	unsigned bucket_shift;
	/* What it touches, ascending. */
	E2S_VEC(uint64_t) itable;	/* blocks: group * itable_blocks + block */
	E2S_VEC(e2s_place) dir_blocks;
	E2S_VEC(uint32_t) groups;	/* with a step from or to */
};

/* --- steps.c --- */

/* Sorts the steps both ways and makes them easy to find; ENOMEM. */
errcode_t e2s_batch_sort_steps(struct batch *batch);
/* The place in by_from of the first step from INO or behind it. */
size_t e2s_batch_find_step(const struct batch *batch, uint32_t ino);
/* Where INO goes in this batch, or INO. */
uint32_t e2s_batch_new_ino(const struct batch *batch, uint32_t ino);
/* Renumbers the entries in LEN bytes at DATA; returns how many, or -1 when an
 * entry does not fit. */
int e2s_batch_patch_entries(const struct batch *batch, uint8_t *data,
			    uint32_t len);

/* --- touch.c --- */

/* Finds which blocks the batch touches; ENOMEM. */
errcode_t e2s_batch_touch(struct batch *batch);

/* --- slots.c --- */

/*
 * RAW, which was in slot INO or, with CAME, has come there, is renumbered: its
 * checksum, and what an inline directory holds.
 */
errcode_t e2s_batch_renumber_slot(const struct batch *batch, uint32_t ino,
				  uint8_t *raw, int came,
				  struct e2s_where *where);

/* --- what a batch writes, one file each ---
 *
 * All read the state before the batch from the device and give redo the state
 * after it, from one thread at a time and always in the same order.
 */

/* Gives redo one block. */
errcode_t e2s_mover_add(struct mover *mover, uint64_t blk, const void *data,
			struct e2s_where *where);

errcode_t e2s_batch_write_itables(struct batch *batch, struct e2s_where *where);
errcode_t e2s_batch_write_dir_blocks(struct batch *batch,
				     struct e2s_where *where);
errcode_t e2s_batch_write_extents(struct batch *batch, struct e2s_where *where);
errcode_t e2s_batch_write_groups(struct batch *batch, struct e2s_where *where);

/*
 * Zeroes whole itable blocks between the old and the new high-water marks,
 * which may hold anything: in place and at once, since nobody looks there
 * before the batch lowers bg_itable_unused.
 */
errcode_t e2s_batch_zero_gaps(struct batch *batch, struct e2s_where *where);

/* --- little helpers --- */

static inline uint32_t e2s_group_of(const struct mover *m, uint32_t ino)
{
	return (ino - 1) / m->fs->geo.inodes_per_group;
}

static inline uint32_t e2s_index_of(const struct mover *m, uint32_t ino)
{
	return (ino - 1) % m->fs->geo.inodes_per_group;
}

/* The itable block that an inode lies in, and the inodes that lie in it. */
struct spot {
	uint32_t first, end;	/* numbers; both 0: none yet */
	uint32_t group, block;	/* block of its inode table */
};

/* Brings SPOT to the block of INO; next to nothing when it is there. */
static inline void e2s_spot_set(struct spot *spot, const struct mover *m,
				uint32_t ino)
{
	const struct e2s_geometry *geo = &m->fs->geo;
	uint32_t ipg = geo->inodes_per_group, ipb = geo->inodes_per_block;
	uint32_t index;

	if (ino >= spot->first && ino < spot->end)
		return;
	spot->group = e2s_group_of(m, ino);
	spot->block = e2s_index_of(m, ino) / ipb;
	index = spot->block * ipb;
	spot->first = spot->group * ipg + index + 1;
	spot->end = spot->first + (ipg - index < ipb ? ipg - index : ipb);
}

static inline uint64_t e2s_spot_blk(const struct spot *spot,
				    const struct mover *m)
{
	return e2s_fs_itable_blk(m->fs, spot->group) + spot->block;
}

#endif
