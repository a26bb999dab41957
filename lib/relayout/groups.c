/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inode bitmaps and group descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/internal.h"

struct group_writer {
	struct batch *batch;
	uint8_t *bitmap;
	size_t from, to;	/* steps of by_from and by_to that are done */
	struct e2s_where *where;
};

/* The bitmap block of a group that never had one: nothing in use, and the
 * bits behind the last inode set (k: ext4_mark_bitmap_end). */
static void blank_bitmap(const struct mover *m, uint8_t *bitmap)
{
	uint32_t i, ipg = m->fs->geo.inodes_per_group;
	uint32_t bits = m->fs->geo.block_size * 8;

	memset(bitmap, 0, m->fs->geo.block_size);
	for (i = ipg; i < bits && i % 8; i++)
		bitmap[i / 8] |= (uint8_t)(1u << i % 8);
	memset(bitmap + i / 8, 0xff, m->fs->geo.block_size - i / 8);
}

/* 1 when what comes from FROM is a directory. */
static int is_dir(const struct batch *batch, uint32_t from)
{
	const struct mover *m = batch->mover;
	const struct e2s_step *step;

	if (!e2s_plan_moves_dirs(m->plan))
		return 0;
	step = &batch->by_from[e2s_batch_find_step(batch, from)];
	return e2s_slot_is_dir(e2s_scan_slot(m->scan, step->old));
}

/* Changes the bit of INO, slot INDEX, to ON, where it is not yet. */
static errcode_t flip_bit(const struct group_writer *w, uint32_t ino,
			  uint32_t index, int on)
{
	uint8_t mask = (uint8_t)(1u << index % 8);

	if (!(w->bitmap[index / 8] & mask) == !on)
		return e2s_where_ino(w->where, E2S_ET_NOT_AS_SCANNED, ino);
	w->bitmap[index / 8] ^= mask;
	return 0;
}

/* All numbers that are left in GROUP first, then all that are moved to, so
 * that one that is both ends up in use. */
static errcode_t change_bits(struct group_writer *w, uint32_t group,
			     int64_t *used, int64_t *dirs)
{
	const struct batch *batch = w->batch;
	uint32_t ipg = batch->mover->fs->geo.inodes_per_group;
	uint32_t first = group * ipg + 1, ino;
	errcode_t err = 0;

	for (; w->from < batch->n && !err; w->from++) {
		ino = batch->by_from[w->from].from;
		if (ino - first >= ipg)
			break;
		err = flip_bit(w, ino, ino - first, 0);
		(*used)--;
		*dirs -= is_dir(batch, ino);
	}
	for (; w->to < batch->n && !err; w->to++) {
		ino = batch->by_to[w->to].key;
		if (ino - first >= ipg)
			break;
		err = flip_bit(w, ino, ino - first, 1);
		(*used)++;
		*dirs += is_dir(batch, batch->by_to[w->to].value);
	}
	return err;
}

static void set_counts(struct mover *m, uint32_t group, int64_t used,
		       int64_t dirs)
{
	ext2_filsys ext2 = m->fs->ext2;
	uint32_t unused;

	ext2fs_bg_free_inodes_count_set(ext2, group, (uint32_t)(
		ext2fs_bg_free_inodes_count(ext2, group) - used));
	ext2fs_bg_used_dirs_count_set(ext2, group, (uint32_t)(
		ext2fs_bg_used_dirs_count(ext2, group) + dirs));
	if (!m->fs->geo.group_csum)
		return;
	/* The mark only ever rises; an unused table has it at the bottom. */
	unused = m->fs->geo.inodes_per_group - m->used_after[group];
	if (m->used_after[group] > m->used[group])
		ext2fs_bg_itable_unused_set(ext2, group, unused);
	ext2fs_bg_flags_clear(ext2, group, EXT2_BG_INODE_UNINIT);
}

static errcode_t write_group(struct group_writer *w, uint32_t group)
{
	struct mover *m = w->batch->mover;
	ext2_filsys ext2 = m->fs->ext2;
	uint64_t blk = ext2fs_inode_bitmap_loc(ext2, group);
	int size = (int)(m->fs->geo.inodes_per_group / 8);
	int64_t used = 0, dirs = 0;
	errcode_t err = 0;

	if (e2s_fs_inode_uninit(m->fs, group))
		blank_bitmap(m, w->bitmap);
	else
		err = e2s_fs_read(m->fs, blk, 1, w->bitmap, w->where);
	if (!err && !e2s_fs_inode_uninit(m->fs, group) &&
	    !ext2fs_inode_bitmap_csum_verify(ext2, group, (char *)w->bitmap,
					     size))
		err = e2s_where_group(w->where, E2S_ET_NOT_AS_SCANNED, group);
	if (!err)
		err = change_bits(w, group, &used, &dirs);
	if (err)
		return err;
	set_counts(m, group, used, dirs);
	ext2fs_inode_bitmap_csum_set(ext2, group, (char *)w->bitmap, size);
	ext2fs_group_desc_csum_set(ext2, group);
	return e2s_mover_add(m, blk, w->bitmap, w->where);
}

/* The block of descriptors number DESC: libext2fs keeps them in disk order. */
static errcode_t write_desc(struct mover *m, uint32_t desc,
			    struct e2s_where *where)
{
	const char *data = (const char *)m->fs->ext2->group_desc +
			   (size_t)desc * m->fs->geo.block_size;

	return e2s_mover_add(m, e2s_fs_desc_blk(m->fs, desc), data, where);
}

errcode_t e2s_batch_write_groups(struct batch *batch, struct e2s_where *where)
{
	struct mover *m = batch->mover;
	uint32_t per_block = EXT2_DESC_PER_BLOCK(m->fs->ext2->super), desc;
	struct group_writer w = { .batch = batch, .where = where };
	errcode_t err;
	size_t i;

	w.bitmap = malloc(m->fs->geo.block_size);
	err = w.bitmap ? 0 : ENOMEM;
	for (i = 0; i < batch->groups.n && !err; i++)
		err = write_group(&w, batch->groups.v[i]);
	for (i = 0; i < batch->groups.n && !err; i++) {
		desc = batch->groups.v[i] / per_block;
		if (!i || batch->groups.v[i - 1] / per_block != desc)
			err = write_desc(m, desc, where);
	}
	free(w.bitmap);
	return err;
}
