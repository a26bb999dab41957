/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/extents.h"

#include <ext2fs/ext3_extents.h>

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

#define NODE_HEAD 12
#define NODE_ENTRY 12

struct walker {
	const struct e2s_fs *fs;
	uint32_t seed;
	uint64_t left;		/* nodes that the inode's blocks still allow */
	uint8_t *scratch;
	e2s_extent_node_fn fn;
	void *ctx;
	int bad;
	struct e2s_where *where;
};

int e2s_extents_have_nodes(const uint8_t *raw)
{
	return e2s_get_le32(AT(i_flags)) & EXT4_EXTENTS_FL &&
	       !(e2s_get_le32(AT(i_flags)) & EXT4_INLINE_DATA_FL) &&
	       e2s_get_le16(AT(i_block)) == EXT3_EXT_MAGIC &&
	       e2s_get_le16(AT(i_block) + 6) > 0;
}

int e2s_extent_node_is_sane(const uint8_t *data, uint32_t len, unsigned depth)
{
	uint32_t entries = e2s_get_le16(data + 2), max = e2s_get_le16(data + 4);

	return e2s_get_le16(data) == EXT3_EXT_MAGIC && entries <= max &&
	       max <= (len - NODE_HEAD) / NODE_ENTRY &&
	       e2s_get_le16(data + 6) == depth;
}

static int csum_is_good(const struct walker *w, const uint8_t *buf)
{
	const uint8_t *stored;
	uint32_t csum;

	if (!w->fs->geo.metadata_csum)
		return 1;
	return e2s_csum_extent_block(w->fs, w->seed, buf, &stored, &csum) &&
	       e2s_get_le32(stored) == csum;
}

/* The children of NODE, an index node: each a block of DEPTH. */
static errcode_t walk_children(struct walker *w, const uint8_t *node,
			       unsigned depth)
{
	const struct e2s_geometry *geo = &w->fs->geo;
	uint8_t *buf = w->scratch + (size_t)depth * geo->block_size;
	const uint8_t *entry = node + NODE_HEAD;
	uint32_t n = e2s_get_le16(node + 2);
	errcode_t err = 0;
	uint64_t blk;

	for (; n && !w->bad && !err; n--, entry += NODE_ENTRY) {
		blk = e2s_get_le32(entry + 4) |
		      (uint64_t)e2s_get_le16(entry + 8) << 32;
		if (blk <= geo->first_data_block || blk >= geo->blocks ||
		    !w->left) {
			w->bad = 1;
			return 0;
		}
		w->left--;
		err = e2s_fs_read(w->fs, blk, 1, buf, w->where);
		if (err)
			return err;
		if (!e2s_extent_node_is_sane(buf, geo->block_size, depth) ||
		    !csum_is_good(w, buf)) {
			w->bad = 1;
			return 0;
		}
		/* FN may change BUF, so its children come first. */
		if (depth)
			err = walk_children(w, buf, depth - 1);
		if (!err && !w->bad)
			err = w->fn(w->ctx, blk, buf);
	}
	return err;
}

errcode_t e2s_extents_walk(const struct e2s_fs *fs, uint32_t ino,
			   const uint8_t *raw, uint8_t *scratch,
			   e2s_extent_node_fn fn, void *ctx, int *bad,
			   struct e2s_where *where)
{
	struct walker w = { .fs = fs, .scratch = scratch, .fn = fn, .ctx = ctx,
			    .where = where };
	unsigned depth = e2s_get_le16(AT(i_block) + 6);
	errcode_t err = 0;

	w.seed = e2s_csum_inode_seed(fs, ino, e2s_get_le32(AT(i_generation)));
	/* i_blocks counts 512-byte sectors, or blocks of a huge file; every
	 * node of the tree is among them, so this is never too few. */
	w.left = e2s_get_le32(AT(i_blocks)) |
		 (uint64_t)e2s_get_le16(AT(osd2.linux2.l_i_blocks_hi)) << 32;
	if (w.left > fs->geo.blocks)
		w.left = fs->geo.blocks;
	if (depth > E2S_EXTENT_LEVELS ||
	    !e2s_extent_node_is_sane(AT(i_block), EXT2_N_BLOCKS * 4, depth))
		w.bad = 1;
	else
		err = walk_children(&w, AT(i_block), depth - 1);
	*bad = w.bad;
	return err;
}
