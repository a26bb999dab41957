/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Block bitmaps: made for groups that have none yet, and held to what the
 * kernel demands of them (fs/ext4/balloc.c) before it believes them.
 */
#include "mballoc/internal.h"

static uint64_t first_block(const struct e2s_fs *fs, uint32_t group)
{
	return fs->geo.first_data_block +
	       (uint64_t)group * fs->geo.blocks_per_group;
}

static uint32_t blocks_in_group(const struct e2s_fs *fs, uint32_t group)
{
	uint64_t left = fs->geo.blocks - first_block(fs, group);

	return left < fs->geo.blocks_per_group ? (uint32_t)left
					       : fs->geo.blocks_per_group;
}

static uint32_t num_clusters_in_group(const struct e2s_fs *fs, uint32_t group)
{
	return (blocks_in_group(fs, group) + fs->geo.cluster_blocks - 1) /
	       fs->geo.cluster_blocks;
}

int e2s_mb_block_uninit(const struct e2s_fs *fs, uint32_t group)
{
	return fs->geo.group_csum &&
	       ext2fs_bg_flags_test(fs->ext2, group, EXT2_BG_BLOCK_UNINIT);
}

/* Superblock copy, group descriptors and what is reserved for more of them. */
static uint32_t ext4_num_base_meta_blocks(const struct e2s_fs *fs,
					  uint32_t group)
{
	struct ext2_super_block *super = fs->ext2->super;
	uint32_t per_block = EXT2_DESC_PER_BLOCK(super);
	uint32_t has_super = ext2fs_bg_has_super(fs->ext2, group) ? 1 : 0;
	uint32_t descs = (uint32_t)fs->ext2->desc_blocks, place;

	if (ext2fs_has_feature_meta_bg(super)) {
		descs = super->s_first_meta_bg;
		place = group % per_block;
		if (group / per_block >= descs)
			return has_super + (place == 0 || place == 1 ||
					    place == per_block - 1);
	}
	return has_super ? 1 + descs + super->s_reserved_gdt_blocks : 0;
}

/* Marks what of the COUNT blocks from BLK on lies in GROUP. */
static void mark_blocks(const struct e2s_fs *fs, uint32_t group, uint64_t blk,
			uint64_t count, uint8_t *bits)
{
	uint64_t start = first_block(fs, group), end = blk + count;

	if (blk < start)
		blk = start;
	if (end > start + blocks_in_group(fs, group))
		end = start + blocks_in_group(fs, group);
	for (; blk < end; blk++)
		mb_set_bit((uint32_t)((blk - start) / fs->geo.cluster_blocks),
			   bits);
}

static unsigned ext4_init_block_bitmap(const struct e2s_fs *fs, uint32_t group,
				       uint8_t *bits)
{
	uint32_t base = ext4_num_base_meta_blocks(fs, group);
	uint32_t clusters = num_clusters_in_group(fs, group);
	uint32_t all = fs->geo.block_size * 8;

	memset(bits, 0, fs->geo.block_size);
	base = (base + fs->geo.cluster_blocks - 1) / fs->geo.cluster_blocks;
	if (base >= all)
		return E2S_MBALLOC_BAD_BITMAP;
	e2s_mb_set_bits(bits, 0, base);
	mark_blocks(fs, group, ext2fs_block_bitmap_loc(fs->ext2, group), 1,
		    bits);
	mark_blocks(fs, group, ext2fs_inode_bitmap_loc(fs->ext2, group), 1,
		    bits);
	mark_blocks(fs, group, e2s_fs_itable_blk(fs, group),
		    fs->geo.itable_blocks, bits);
	e2s_mb_set_bits(bits, clusters, all - clusters);
	return E2S_MBALLOC_SOUND;
}

/* Are all clusters of the COUNT blocks from BLK on in GROUP, and taken? */
static int taken(const struct e2s_fs *fs, uint32_t group, uint64_t blk,
		 uint64_t count, const uint8_t *bits)
{
	uint64_t start = first_block(fs, group), last = blk + count - 1;
	uint64_t per_group = fs->geo.blocks_per_group;
	uint32_t end;

	if (blk < start || last - start >= per_group)
		return 0;
	end = (uint32_t)((last - start) / fs->geo.cluster_blocks) + 1;
	return e2s_mb_find_next_zero_bit(bits, end,
		(uint32_t)((blk - start) / fs->geo.cluster_blocks)) == end;
}

/* Without flex_bg a group's own metadata is in it, and marked. */
static int ext4_valid_block_bitmap(const struct e2s_fs *fs, uint32_t group,
				   const uint8_t *bits)
{
	if (ext2fs_has_feature_flex_bg(fs->ext2->super))
		return 1;
	return taken(fs, group, ext2fs_block_bitmap_loc(fs->ext2, group), 1,
		     bits) &&
	       taken(fs, group, ext2fs_inode_bitmap_loc(fs->ext2, group), 1,
		     bits) &&
	       taken(fs, group, e2s_fs_itable_blk(fs, group),
		     fs->geo.itable_blocks, bits);
}

/* What lies past the end of the group is marked. */
static int ext4_valid_block_bitmap_padding(const struct e2s_fs *fs,
					   uint32_t group, const uint8_t *bits)
{
	uint32_t all = fs->geo.block_size * 8;

	return e2s_mb_find_next_zero_bit(bits, all,
				     num_clusters_in_group(fs, group)) == all;
}

unsigned e2s_mb_check_block_bitmap(const struct e2s_fs *fs, uint32_t group,
			       uint8_t *bits)
{
	int size = (int)(EXT2_CLUSTERS_PER_GROUP(fs->ext2->super) / 8);

	if (e2s_mb_block_uninit(fs, group)) {
		/* Group 0 is never uninitialised, says the kernel. */
		if (!group)
			return E2S_MBALLOC_BAD_BITMAP;
		return ext4_init_block_bitmap(fs, group, bits);
	}
	if (!ext2fs_block_bitmap_csum_verify(fs->ext2, group, (char *)bits,
					     size))
		return E2S_MBALLOC_BAD_CSUM;
	if (!ext4_valid_block_bitmap(fs, group, bits) ||
	    !ext4_valid_block_bitmap_padding(fs, group, bits))
		return E2S_MBALLOC_BAD_BITMAP;
	return E2S_MBALLOC_SOUND;
}

errcode_t e2s_mb_load_bitmap(const struct e2s_mballoc *mb, uint32_t group,
			 uint8_t *bits, struct e2s_where *where)
{
	errcode_t err;

	if (!mb->fs) {
		mb->source.bitmap(mb->source.ctx, group, bits);
		return 0;
	}
	if (e2s_mb_block_uninit(mb->fs, group)) {
		ext4_init_block_bitmap(mb->fs, group, bits);
		return 0;
	}
	err = e2s_fs_read(mb->fs, ext2fs_block_bitmap_loc(mb->fs->ext2, group),
			  1, bits, where);
	return err ? e2s_where_group(where, err, group) : 0;
}
