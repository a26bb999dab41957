/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the blocks of a directory are.  Both maps are walked in logical order
 * and every step must go forward, so a damaged map ends within as many steps as
 * the directory's size has blocks.
 */
#include "scan/internal.h"
#include "scan/extents.h"

#include <ext2fs/ext3_extents.h>

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

struct mapper {
	const struct e2s_fs *fs;
	uint32_t seed;		/* for the checksums of extent blocks */
	uint8_t *scratch;	/* DIR_MAP_LEVELS blocks */
	dir_run_fn fn;
	void *ctx;
	uint32_t next_lblk;	/* all below have been handed out */
	uint32_t blocks;	/* size of the directory */
	int bad;
	struct e2s_where *where;
};

static int inside(const struct e2s_fs *fs, uint64_t blk, uint32_t count)
{
	return blk > fs->geo.first_data_block && blk < fs->geo.blocks &&
	       count <= fs->geo.blocks - blk;
}

static errcode_t hand_out(struct mapper *map, uint32_t lblk, uint64_t blk,
			  uint32_t count)
{
	/* What lies beyond the size is preallocated and not read. */
	if (lblk >= map->blocks)
		return 0;
	if (count > map->blocks - lblk)
		count = map->blocks - lblk;
	if (lblk != map->next_lblk || !inside(map->fs, blk, count))
		map->bad = 1;
	if (!inside(map->fs, blk, count))
		return 0;
	map->next_lblk = lblk + count;
	return map->fn(map->ctx, lblk, blk, count);
}

/*
 * A node of the extent tree: a header of 12 bytes, then entries of 12.
 *
 *     header  | magic 16 | entries 16 | max 16 | depth 16 | generation 32 |
 *     extent  | lblk 32 | len 16 | start_hi 16 | start_lo 32 |
 *     index   | lblk 32 | leaf_lo 32 | leaf_hi 16 | unused 16 |
 */
static errcode_t walk_node(struct mapper *map, const uint8_t *node,
			   uint32_t len, unsigned depth);

static errcode_t walk_child(struct mapper *map, uint64_t blk, unsigned depth)
{
	const struct e2s_fs *fs = map->fs;
	uint8_t *buf = map->scratch + (size_t)depth * fs->geo.block_size;
	const uint8_t *stored;
	uint32_t csum;
	errcode_t err;

	if (!inside(fs, blk, 1)) {
		map->bad = 1;
		return 0;
	}
	err = e2s_fs_read(fs, blk, 1, buf, map->where);
	if (err)
		return err;
	if (fs->geo.metadata_csum &&
	    (!e2s_csum_extent_block(fs, map->seed, buf, &stored, &csum) ||
	     e2s_get_le32(stored) != csum)) {
		map->bad = 1;
		return 0;
	}
	return walk_node(map, buf, fs->geo.block_size, depth);
}

static errcode_t walk_leaf(struct mapper *map, const uint8_t *node)
{
	uint32_t i, entries = e2s_get_le16(node + 2), lblk, len;
	const uint8_t *entry = node + 12;
	errcode_t err;

	for (i = 0; i < entries; i++, entry += 12) {
		lblk = e2s_get_le32(entry);
		len = e2s_get_le16(entry + 4);
		if (lblk < map->next_lblk || !len || len > EXT_INIT_MAX_LEN) {
			map->bad = 1;	/* backwards, or not initialised */
			return 0;
		}
		err = hand_out(map, lblk,
			       e2s_get_le32(entry + 8) |
				       (uint64_t)e2s_get_le16(entry + 6) << 32,
			       len);
		if (err)
			return err;
	}
	return 0;
}

static errcode_t walk_node(struct mapper *map, const uint8_t *node,
			   uint32_t len, unsigned depth)
{
	const uint8_t *entry = node + 12;
	uint32_t i, entries, before;
	errcode_t err;

	if (!e2s_extent_node_is_sane(node, len, depth)) {
		map->bad = 1;
		return 0;
	}
	if (!depth)
		return walk_leaf(map, node);
	entries = e2s_get_le16(node + 2);
	for (i = 0; i < entries && !map->bad; i++, entry += 12) {
		before = map->next_lblk;
		err = walk_child(map, e2s_get_le32(entry + 4) |
			(uint64_t)e2s_get_le16(entry + 8) << 32, depth - 1);
		if (err)
			return err;
		if (map->next_lblk == before && before < map->blocks)
			map->bad = 1;	/* an empty child: no way forward */
	}
	return 0;
}

/* The block map: LEVEL 0 is a data block, 1 to 3 a block of pointers. */
static errcode_t walk_pointer(struct mapper *map, uint32_t blk, unsigned level)
{
	const struct e2s_fs *fs = map->fs;
	uint8_t *buf = map->scratch + (size_t)level * fs->geo.block_size;
	uint32_t i, pointers = fs->geo.block_size / 4;
	errcode_t err;

	if (map->next_lblk >= map->blocks || map->bad)
		return 0;
	if (!blk || !inside(fs, blk, 1)) {
		map->bad = 1;
		return 0;
	}
	if (!level)
		return hand_out(map, map->next_lblk, blk, 1);
	err = e2s_fs_read(fs, blk, 1, buf, map->where);
	for (i = 0; i < pointers && !err; i++)
		err = walk_pointer(map, e2s_get_le32(buf + i * 4), level - 1);
	return err;
}

errcode_t e2s_dir_map(const struct e2s_fs *fs, uint32_t ino, const uint8_t *raw,
		      uint8_t *scratch, dir_run_fn fn, void *ctx, int *bad,
		      struct e2s_where *where)
{
	struct mapper map = { .fs = fs, .scratch = scratch, .fn = fn,
			      .ctx = ctx, .where = where };
	uint64_t size = e2s_inode_size(raw);
	unsigned i, depth;
	errcode_t err = 0;

	map.seed = e2s_csum_inode_seed(fs, ino, e2s_get_le32(AT(i_generation)));
	if (size % fs->geo.block_size || !size ||
	    size / fs->geo.block_size > fs->geo.blocks ||
	    size / fs->geo.block_size >= UINT32_MAX) {
		*bad = 1;
		return 0;
	}
	map.blocks = (uint32_t)(size / fs->geo.block_size);
	if (e2s_get_le32(AT(i_flags)) & EXT4_EXTENTS_FL) {
		depth = e2s_get_le16(AT(i_block) + 6);
		if (depth > DIR_MAP_LEVELS)
			map.bad = 1;
		else
			err = walk_node(&map, AT(i_block), EXT2_N_BLOCKS * 4,
					depth);
	} else {
		for (i = 0; i < EXT2_N_BLOCKS && !err; i++)
			err = walk_pointer(&map,
				e2s_get_le32(AT(i_block) + i * 4),
				i < EXT2_NDIR_BLOCKS ? 0 : i - EXT2_NDIR_BLOCKS + 1);
	}
	*bad = map.bad || (!err && map.next_lblk < map.blocks);
	return err;
}
