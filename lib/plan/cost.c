/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What carrying a plan out writes. */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"

#define CHUNK_BYTES (4u << 20)

struct counter {
	const struct e2s_plan *plan;
	struct e2s_plan_cost *cost;
	uint8_t **itable;	/* [group]: a bit for each itable block */
	uint8_t *dir_block;	/* a bit for each directory block */
	uint8_t *desc;		/* a bit for each block of descriptors */
	uint8_t *chunk;		/* a bit for each 4 MiB of the file system */
};

/* Sets bit I; 1 when it was clear. */
static int set_bit(uint8_t *bits, uint64_t i)
{
	uint8_t mask = (uint8_t)(1u << i % 8);

	if (bits[i / 8] & mask)
		return 0;
	bits[i / 8] |= mask;
	return 1;
}

static void add_block(struct counter *c, uint64_t *sum, uint64_t blk)
{
	uint64_t at = blk * c->plan->scan->fs->geo.block_size;

	(*sum)++;
	c->cost->blocks++;
	if (set_bit(c->chunk, at / CHUNK_BYTES))
		c->cost->chunks_4m++;
}

/* The itable block of INO, and what its group's bitmap needs. */
static errcode_t add_ino(struct counter *c, uint32_t ino)
{
	const struct e2s_fs *fs = c->plan->scan->fs;
	uint32_t group = e2s_ino_group(c->plan, ino), desc;
	uint32_t block = e2s_ino_index(c->plan, ino) / fs->geo.inodes_per_block;

	if (!c->itable[group]) {
		c->itable[group] = calloc(1, fs->geo.itable_blocks / 8 + 1);
		if (!c->itable[group])
			return ENOMEM;
		add_block(c, &c->cost->bitmap_blocks,
			  ext2fs_inode_bitmap_loc(fs->ext2, group));
		desc = group / EXT2_DESC_PER_BLOCK(fs->ext2->super);
		if (set_bit(c->desc, desc))
			add_block(c, &c->cost->desc_blocks,
				  e2s_fs_desc_blk(fs, desc));
	}
	if (set_bit(c->itable[group], block))
		add_block(c, &c->cost->itable_blocks,
			  e2s_fs_itable_blk(fs, group) + block);
	return 0;
}

static errcode_t add_place(struct counter *c, e2s_place place)
{
	const struct e2s_scan *scan = c->plan->scan;

	if (place & E2S_PLACE_INLINE)
		return add_ino(c, scan->dirs[place & ~E2S_PLACE_INLINE].ino);
	if (set_bit(c->dir_block, place))
		add_block(c, &c->cost->dir_blocks, scan->dir_blocks[place].blk);
	return 0;
}

/* Names of inodes with several links; both lists are in order of inodes. */
static errcode_t add_links(struct counter *c)
{
	const struct e2s_scan *scan = c->plan->scan;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < scan->links_n && !err; i++)
		if (e2s_plan_new_ino(c->plan, scan->links[i].ino) !=
		    scan->links[i].ino)
			err = add_place(c, scan->links[i].place);
	return err;
}

static void add_deep_files(struct counter *c)
{
	const struct e2s_scan *scan = c->plan->scan;
	size_t i;

	for (i = 0; i < scan->deep_files_n; i++)
		if (scan->fs->geo.metadata_csum &&
		    e2s_plan_new_ino(c->plan, scan->deep_files[i].ino) !=
			    scan->deep_files[i].ino) {
			c->cost->extent_blocks += scan->deep_files[i].nodes;
			c->cost->blocks += scan->deep_files[i].nodes;
		}
}

/*
 * A directory that moves has the checksums of all its blocks rewritten, and
 * ".." in each of its subdirectories.
 */
static errcode_t add_moved_dirs(struct counter *c)
{
	const struct e2s_scan *scan = c->plan->scan;
	errcode_t err = 0;
	size_t i;
	uint32_t parent;

	for (i = 0; i < scan->dir_blocks_n && !err; i++) {
		const struct e2s_dir_block *block = &scan->dir_blocks[i];
		uint32_t ino = scan->dirs[block->dir].ino;

		parent = scan->dirs[scan->dirs[block->dir].parent].ino;
		if (e2s_plan_new_ino(c->plan, ino) != ino ||
		    (!block->lblk &&
		     e2s_plan_new_ino(c->plan, parent) != parent))
			err = add_place(c, (e2s_place)i);
	}
	return err;
}

static errcode_t count(struct counter *c)
{
	const struct e2s_plan *plan = c->plan;
	uint32_t ino = 0;
	e2s_place place;
	errcode_t err = 0;

	while (!err && (ino = e2s_plan_next_move(plan, ino))) {
		err = add_ino(c, ino);
		if (!err)
			err = add_ino(c, e2s_plan_new_ino(plan, ino));
		place = plan->scan->places[e2s_ino_group(plan, ino)]
					  [e2s_ino_index(plan, ino)];
		if (!err && place != E2S_PLACE_MANY && place != E2S_PLACE_NONE)
			err = add_place(c, place);
	}
	if (!err)
		err = add_links(c);
	add_deep_files(c);
	return err || !plan->options.move_dirs ? err : add_moved_dirs(c);
}

static uint64_t used_blocks(const struct e2s_geometry *geo, uint32_t used)
{
	return (used + geo->inodes_per_block - 1) / geo->inodes_per_block;
}

errcode_t e2s_plan_cost(const struct e2s_plan *plan,
			struct e2s_plan_cost *cost)
{
	const struct e2s_scan *scan = plan->scan;
	const struct e2s_fs *fs = scan->fs;
	struct counter c = { .plan = plan, .cost = cost };
	uint32_t group, before, after;
	errcode_t err = ENOMEM;

	*cost = (struct e2s_plan_cost){ .moves = plan->moves };
	for (group = 0; group < fs->geo.groups; group++) {
		before = scan->layout.used[group];
		after = plan->used_after[group];
		cost->fsck_blocks_before += used_blocks(&fs->geo, before);
		cost->fsck_blocks_after += used_blocks(&fs->geo, after);
		if (after && !before && e2s_fs_inode_uninit(fs, group))
			cost->groups_lose_uninit++;
	}
	c.itable = calloc(fs->geo.groups, sizeof(*c.itable));
	c.dir_block = calloc(1, scan->dir_blocks_n / 8 + 1);
	c.desc = calloc(1, fs->ext2->desc_blocks / 8 + 1);
	c.chunk = calloc(1, fs->geo.blocks * fs->geo.block_size / CHUNK_BYTES /
			    8 + 1);
	if (c.itable && c.dir_block && c.desc && c.chunk)
		err = count(&c);
	for (group = 0; c.itable && group < fs->geo.groups; group++)
		free(c.itable[group]);
	free(c.itable);
	free(c.dir_block);
	free(c.desc);
	free(c.chunk);
	return err;
}
