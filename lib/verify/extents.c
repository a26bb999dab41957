/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extent trees, and the block maps of directories.
 *
 * The nodes of a group's trees are collected level by level and read in
 * physical order, so that a cold device is not sent back and forth.  A node's
 * depth is one less than its parent's, so a damaged tree ends; and no more
 * nodes are followed than the file system has blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/internal.h"

#include <ext2fs/ext3_extents.h>

#define INODE_NODE_LEN (EXT2_N_BLOCKS * 4)
#define ENTRY_LEN 12

/*
 * A node: a header of 12 bytes, then entries of 12, and in a block of its own,
 * behind the last possible entry, the checksum.
 *
 *     header  | magic 16 | entries 16 | max 16 | depth 16 | generation 32 |
 *     extent  | lblk 32 | len 16 | start_hi 16 | start_lo 32 |
 *     index   | lblk 32 | leaf_lo 32 | leaf_hi 16 | unused 16 |
 */
static int node_is_sane(const uint8_t *node, uint32_t len)
{
	uint32_t entries = e2s_get_le16(node + 2), max = e2s_get_le16(node + 4);

	return e2s_get_le16(node) == EXT3_EXT_MAGIC && entries <= max &&
	       max <= (len - ENTRY_LEN) / ENTRY_LEN &&
	       e2s_get_le16(node + 6) <= EXTENT_LEVELS;
}

static void fault(struct group_read *g, enum e2s_fault_kind kind,
		  uint32_t index, uint64_t blk)
{
	e2s_verify_note(g->run, &g->worker->sum, kind, g->group->number,
			ino_of(g->run, g->group->number, index), blk);
}

/* COUNT blocks of the directory DIR from logical block LBLK on. */
static errcode_t add_dir_blocks(struct group_read *g, uint32_t number,
				uint64_t lblk, uint64_t blk, uint32_t count)
{
	struct yield *yield = g->yield;
	struct dir *dir = &yield->dirs.v[number];
	errcode_t err;

	/* What lies beyond the size is preallocated and not read. */
	if (lblk >= dir->blocks)
		return 0;
	if (count > dir->blocks - lblk)
		count = dir->blocks - (uint32_t)lblk;
	/* A map with a hole, or that names a block twice, does not come out
	 * even; only blocks claimed twice can make more than there are. */
	if (!blk_inside(g->run->fs, blk, count) ||
	    count > dir->blocks - dir->mapped ||
	    atomic_fetch_add(&g->run->dir_blocks_met, count) + count >
		    g->run->fs->geo.blocks) {
		e2s_verify_note(g->run, &g->worker->sum, E2S_FAULT_DIR_MAP,
				g->group->number, dir->ino, blk);
		return 0;
	}
	err = e2s_vec_reserve(&yield->blocks, count);
	if (err)
		return err;
	dir->mapped += count;
	for (; count; count--, lblk++, blk++)
		yield->blocks.v[yield->blocks.n++] = (struct dir_block){
			.blk = blk, .lblk = (uint32_t)lblk, .dir = number,
		};
	return 0;
}

static errcode_t add_node(struct group_read *g, const struct node *parent,
			  uint64_t blk, uint32_t depth)
{
	struct node node = *parent;
	errcode_t err;

	node.blk = blk;
	node.depth = depth;
	if (!blk_inside(g->run->fs, blk, 1) ||
	    atomic_fetch_add(&g->run->nodes_met, 1) >= g->run->fs->geo.blocks) {
		fault(g, E2S_FAULT_EXTENT, node.index, blk);
		return 0;
	}
	err = e2s_vec_reserve(&g->nodes, 1);
	if (!err)
		g->nodes.v[g->nodes.n++] = node;
	return err;
}

/* The entries of a node of LEN bytes at RAW; NODE says whose it is. */
static errcode_t read_entries(struct group_read *g, const struct node *node,
			      const uint8_t *raw, uint32_t len)
{
	const uint8_t *entry = raw + ENTRY_LEN;
	uint32_t i, entries, count;
	errcode_t err = 0;

	if (!node_is_sane(raw, len) || e2s_get_le16(raw + 6) != node->depth) {
		fault(g, E2S_FAULT_EXTENT, node->index, node->blk);
		return 0;
	}
	entries = e2s_get_le16(raw + 2);
	for (i = 0; i < entries && !err; i++, entry += ENTRY_LEN) {
		if (node->depth) {
			err = add_node(g, node, e2s_get_le32(entry + 4) |
				(uint64_t)e2s_get_le16(entry + 8) << 32,
				node->depth - 1);
			continue;
		}
		if (node->dir == DIR_NONE)
			break;	/* a file's data are not ours to read */
		count = e2s_get_le16(entry + 4);
		if (!count || count > EXT_INIT_MAX_LEN)
			fault(g, E2S_FAULT_DIR_MAP, node->index, node->blk);
		else
			err = add_dir_blocks(g, node->dir, e2s_get_le32(entry),
				e2s_get_le32(entry + 8) |
				(uint64_t)e2s_get_le16(entry + 6) << 32, count);
	}
	return err;
}

/* A pointer of a directory's block map, LEVEL levels above the data. */
static errcode_t read_pointer(struct group_read *g, uint32_t number,
			      uint32_t blk, unsigned level)
{
	struct dir *dir = &g->yield->dirs.v[number];
	uint32_t bs = g->run->fs->geo.block_size, i;
	uint8_t *map = g->worker->map + (size_t)(level - 1) * bs;
	errcode_t err;

	if (dir->mapped >= dir->blocks)
		return 0;
	if (!blk_inside(g->run->fs, blk, 1))
		return 0;	/* a hole: the blocks will not come out even */
	if (!level)
		return add_dir_blocks(g, number, dir->mapped, blk, 1);
	err = e2s_fs_read(g->run->fs, blk, 1, map, g->where);
	for (i = 0; i < bs / 4 && !err; i++)
		err = read_pointer(g, number, e2s_get_le32(map + i * 4),
				   level - 1);
	return err;
}

errcode_t e2s_verify_start_map(struct group_read *g, uint32_t index,
			       uint8_t *raw, uint32_t dir)
{
	uint32_t flags = e2s_get_le32(AT(i_flags)), i;
	unsigned type = g->group->type[index] & TYPE_FT;
	const uint8_t *root = AT(i_block);
	struct node node = {
		.index = index, .dir = dir, .depth = e2s_get_le16(root + 6),
		.generation = e2s_get_le32(AT(i_generation)),
	};
	errcode_t err = 0;

	if (flags & EXT4_INLINE_DATA_FL)
		return 0;
	if (flags & EXT4_EXTENTS_FL) {
		/* Devices and short symlinks have something else there; so
		 * may a file of no blocks that never had any. */
		if (type != EXT2_FT_DIR &&
		    (type != EXT2_FT_REG_FILE ||
		     e2s_verify_is_zero(root, INODE_NODE_LEN)) &&
		    e2s_get_le16(root) != EXT3_EXT_MAGIC)
			return 0;
		return read_entries(g, &node, root, INODE_NODE_LEN);
	}
	for (i = 0; dir != DIR_NONE && i < EXT2_N_BLOCKS && !err; i++)
		err = read_pointer(g, dir, e2s_get_le32(root + i * 4),
				   i < EXT2_NDIR_BLOCKS
					   ? 0 : i - EXT2_NDIR_BLOCKS + 1);
	return err;
}

static errcode_t read_node(struct group_read *g, const struct node *node)
{
	const struct e2s_fs *fs = g->run->fs;
	uint8_t *block = g->worker->block;
	uint32_t ino = ino_of(g->run, g->group->number, node->index), csum;
	const uint8_t *stored;
	errcode_t err;

	err = e2s_fs_read(fs, node->blk, 1, block, g->where);
	if (err)
		return err;
	g->worker->sum.extent_blocks++;
	if (fs->geo.metadata_csum) {
		if (!node_is_sane(block, fs->geo.block_size) ||
		    !e2s_csum_extent_block(fs, e2s_csum_inode_seed(fs, ino,
						node->generation),
					   block, &stored, &csum)) {
			fault(g, E2S_FAULT_EXTENT, node->index, node->blk);
			return 0;
		}
		if (e2s_get_le32(stored) != csum)
			fault(g, E2S_FAULT_EXTENT_CSUM, node->index, node->blk);
		e2s_put_le32(block + (stored - block), 0);
	}
	x_add_alone(g->group, node->index,
	      e2s_verify_hash(HASH_EXTENT, node->blk, block,
			      fs->geo.block_size));
	return read_entries(g, node, block, fs->geo.block_size);
}

static int by_block(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->blk != y->blk)
		return x->blk < y->blk ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

errcode_t e2s_verify_extents(struct group_read *g)
{
	struct node *level;
	size_t n, i;
	errcode_t err = 0;

	while (g->nodes.n && !err) {
		level = g->nodes.v;
		n = g->nodes.n;
		g->nodes.v = NULL;
		g->nodes.n = g->nodes.room = 0;
		qsort(level, n, sizeof(*level), by_block);
		for (i = 0; i < n && !err; i++)
			err = read_node(g, &level[i]);
		free(level);
	}
	return err;
}
