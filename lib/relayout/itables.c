/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inode tables: each touched block as it is after the batch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/gather.h"
#include "scan/inline.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

struct composer {
	struct batch *batch;
	struct gather *gather;
	size_t leaving;		/* steps of by_from that lie behind */
	uint8_t *old, *new;	/* a block: before and after */
};

/*
 * Renumbers what an inline directory holds: its entries, and the number of its
 * parent.  Returns 1 when something changed, -1 for damage.
 */
static int patch_inline_dir(const struct batch *batch, uint8_t *raw)
{
	const struct e2s_fs *fs = batch->mover->fs;
	struct e2s_inline_part parts[2];
	unsigned i, n = e2s_inline_parts(fs, raw, parts);
	uint32_t parent = e2s_get_le32(AT(i_block));
	int changed = 0, one;

	if (!n)
		return -1;
	for (i = 0; i < n; i++) {
		one = e2s_batch_patch_entries(batch,
				raw + (parts[i].at - raw), parts[i].len);
		if (one < 0)
			return -1;
		if (one && i)
			e2s_inline_rehash(fs, raw);
		changed |= one > 0;
	}
	if (e2s_batch_new_ino(batch, parent) != parent) {
		e2s_put_le32(AT(i_block), e2s_batch_new_ino(batch, parent));
		changed = 1;
	}
	return changed;
}

/* RAW, which was in slot INO or has come there, as it is to be written. */
static errcode_t finish(struct composer *c, uint32_t ino, uint8_t *raw,
			int came)
{
	struct mover *m = c->batch->mover;
	int changed = came;

	if (LINUX_S_ISDIR(e2s_get_le16(AT(i_mode))) &&
	    e2s_get_le16(AT(i_links_count)) &&
	    e2s_get_le32(AT(i_flags)) & EXT4_INLINE_DATA_FL) {
		int inline_changed = patch_inline_dir(c->batch, raw);

		if (inline_changed < 0)
			return e2s_where_ino(m->where, E2S_ET_NOT_AS_SCANNED, ino);
		changed |= inline_changed;
	}
	if (changed && m->fs->geo.metadata_csum)
		e2s_csum_inode_set(m->fs, ino, raw);
	return 0;
}

/* True when the inode at INO goes elsewhere.  Ascending INO. */
static int leaves(struct composer *c, uint32_t ino)
{
	const struct batch *batch = c->batch;

	while (c->leaving < batch->n && batch->by_from[c->leaving].from < ino)
		c->leaving++;
	return c->leaving < batch->n && batch->by_from[c->leaving].from == ino;
}

static errcode_t compose_slot(struct composer *c, uint32_t group, uint32_t index)
{
	struct mover *m = c->batch->mover;
	const struct e2s_geometry *geo = &m->fs->geo;
	uint32_t ino = group * geo->inodes_per_group + index + 1;
	uint32_t at = index % geo->inodes_per_block * geo->inode_size;
	uint8_t *raw = c->new + at;
	const uint8_t *incoming;
	errcode_t err;

	err = e2s_gather_next(c->gather, ino, &incoming);
	if (err)
		return err;
	if (incoming) {
		memcpy(raw, incoming, geo->inode_size);
		return finish(c, ino, raw, 1);
	}
	/* What is above the mark has never been anything; a slot that is left
	 * must not look like an inode any more. */
	if (index >= m->used[group] || leaves(c, ino)) {
		memset(raw, 0, geo->inode_size);
		return 0;
	}
	memcpy(raw, c->old + at, geo->inode_size);
	return finish(c, ino, raw, 0);
}

static errcode_t compose_block(struct composer *c, uint32_t group, uint32_t block)
{
	struct mover *m = c->batch->mover;
	const struct e2s_geometry *geo = &m->fs->geo;
	uint64_t blk = e2s_fs_itable_blk(m->fs, group) + block;
	uint32_t index = block * geo->inodes_per_block;
	uint32_t end = index + geo->inodes_per_block;
	errcode_t err;

	err = e2s_fs_read(m->fs, blk, 1, c->old, m->where);
	/* A short last block keeps what is behind its inodes. */
	memcpy(c->new, c->old, geo->block_size);
	if (end > geo->inodes_per_group)
		end = geo->inodes_per_group;
	for (; index < end && !err; index++)
		err = compose_slot(c, group, index);
	return err ? err : e2s_mover_add(m, blk, c->new);
}

static errcode_t compose_group(struct composer *c, uint32_t group)
{
	uint32_t block, n = c->batch->mover->fs->geo.itable_blocks;
	errcode_t err = 0;

	for (block = 0; block < n && !err; block++)
		if (e2s_batch_has_itable(c->batch, group, block))
			err = compose_block(c, group, block);
	return err;
}

errcode_t e2s_batch_write_itables(struct batch *batch)
{
	const struct e2s_geometry *geo = &batch->mover->fs->geo;
	struct composer c = { .batch = batch };
	errcode_t err;
	uint32_t group;

	err = e2s_gather_new(batch, &c.gather);
	c.old = malloc(geo->block_size);
	c.new = malloc(geo->block_size);
	if (!err && (!c.old || !c.new))
		err = ENOMEM;
	for (group = 0; group < geo->groups && !err; group++)
		if (batch->itable[group])
			err = compose_group(&c, group);
	e2s_gather_free(c.gather);
	free(c.old);
	free(c.new);
	return err;
}

static int is_zero(const uint8_t *data, size_t len)
{
	return !data[0] && !memcmp(data, data + 1, len - 1);
}

/* Blocks [FIRST, END) of GROUP's table that the batch does not write. */
static errcode_t zero_blocks(struct batch *batch, uint32_t group, uint32_t first,
			     uint32_t end, uint8_t *buf, int *wrote)
{
	struct mover *m = batch->mover;
	uint64_t blk = e2s_fs_itable_blk(m->fs, group);
	errcode_t err = 0;

	for (; first < end && !err; first++) {
		if (e2s_batch_has_itable(batch, group, first))
			continue;
		err = e2s_fs_read(m->fs, blk + first, 1, buf, m->where);
		if (err || is_zero(buf, m->fs->geo.block_size))
			continue;
		memset(buf, 0, m->fs->geo.block_size);
		err = e2s_fs_write(m->fs, blk + first, 1, buf, m->where);
		*wrote = 1;
	}
	return err;
}

errcode_t e2s_batch_zero_gaps(struct batch *batch)
{
	struct mover *m = batch->mover;
	uint32_t ipb = m->fs->geo.inodes_per_block, group;
	uint8_t *buf = malloc(m->fs->geo.block_size);
	errcode_t err = buf ? 0 : ENOMEM;
	int wrote = 0;
	size_t i;

	for (i = 0; i < batch->groups.n && !err; i++) {
		group = batch->groups.v[i];
		err = zero_blocks(batch, group,
				  (m->used[group] + ipb - 1) / ipb,
				  (m->used_after[group] + ipb - 1) / ipb, buf,
				  &wrote);
	}
	free(buf);
	if (!err && wrote)
		err = e2s_fs_sync_undo(m->fs);
	return !err && wrote ? e2s_fs_flush(m->fs) : err;
}
