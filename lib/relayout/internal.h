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
	uint32_t *used;		/* [group] slots below the high-water mark, */
	uint32_t *used_after;	/* and after the batch under way */
	uint32_t *dir_ino;	/* [directory] its number by now */
	struct e2s_family family;	/* when directories move */
	struct e2s_where *where;
	uint64_t blocks;	/* given to redo so far */
};

/* One batch. */
struct batch {
	struct mover *mover;
	struct e2s_step *by_from;	/* its steps, sorted */
	struct e2s_keyed *by_to;	/* ends, sorted, with the place in by_from */
	size_t n;
	uint8_t **itable;	/* [group]: a bit for each itable block that
				 * is written, made on demand */
	uint8_t *dir_blocks;	/* a bit for each directory block, likewise */
	E2S_VEC(uint32_t) groups;	/* ascending, with a step from or to */
};

/* Where INO goes in this batch, or INO. */
uint32_t e2s_batch_new_ino(const struct batch *batch, uint32_t ino);
/* The step that is number I in order of its end. */
static inline const struct e2s_step *e2s_step_by_to(const struct batch *batch,
						    size_t i)
{
	return &batch->by_from[batch->by_to[i].value];
}

/* Finds which blocks the batch touches (touch.c). */
errcode_t e2s_batch_touch(struct batch *batch);

/* True when the batch writes BLOCK of the inode table of GROUP. */
static inline int e2s_batch_has_itable(const struct batch *batch,
				       uint32_t group, uint32_t block)
{
	return batch->itable[group] &&
	       batch->itable[group][block / 8] >> block % 8 & 1;
}

/* Gives redo one block. */
errcode_t e2s_mover_add(struct mover *mover, uint64_t blk, const void *data);

/*
 * What a batch writes, one file each.  All read the state before the batch
 * from the device and give redo the state after it.
 */
errcode_t e2s_batch_write_itables(struct batch *batch);
errcode_t e2s_batch_write_dir_blocks(struct batch *batch);
errcode_t e2s_batch_write_extents(struct batch *batch);
errcode_t e2s_batch_write_groups(struct batch *batch);

/*
 * Zeroes whole itable blocks between the old and the new high-water marks,
 * which may hold anything: in place and at once, since nobody looks there
 * before the batch lowers bg_itable_unused.
 */
errcode_t e2s_batch_zero_gaps(struct batch *batch);

/* Renumbers the entries in LEN bytes at DATA; returns how many, or -1 when an
 * entry does not fit. */
int e2s_batch_patch_entries(const struct batch *batch, uint8_t *data,
			    uint32_t len);

static inline uint32_t e2s_group_of(const struct mover *m, uint32_t ino)
{
	return (ino - 1) / m->fs->geo.inodes_per_group;
}

static inline uint32_t e2s_index_of(const struct mover *m, uint32_t ino)
{
	return (ino - 1) % m->fs->geo.inodes_per_group;
}

#endif
