/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The geometry, and the checks after which it may be believed. */
#include "fs/internal.h"

static int inside(const struct e2s_geometry *geo, uint64_t blk, uint64_t count)
{
	return blk >= geo->first_data_block && blk < geo->blocks &&
	       count <= geo->blocks - blk;
}

static errcode_t check_descriptors(const struct e2s_fs *fs,
				   struct e2s_where *where)
{
	const struct e2s_geometry *geo = &fs->geo;
	ext2_filsys ext2 = fs->ext2;
	uint32_t group;

	for (group = 0; group < geo->groups; group++)
		if (!inside(geo, ext2fs_inode_table_loc(ext2, group),
			    geo->itable_blocks) ||
		    !inside(geo, ext2fs_inode_bitmap_loc(ext2, group), 1) ||
		    !inside(geo, ext2fs_block_bitmap_loc(ext2, group), 1) ||
		    ext2fs_bg_itable_unused(ext2, group) > geo->inodes_per_group ||
		    ext2fs_bg_free_inodes_count(ext2, group) >
			    geo->inodes_per_group)
			return e2s_where_group(where, E2S_ET_BAD_GROUP_DESC,
					       group);
	return 0;
}

errcode_t e2s_fs_survey(struct e2s_fs *fs, struct e2s_where *where)
{
	const struct ext2_super_block *super = fs->ext2->super;
	struct e2s_geometry *geo = &fs->geo;

	geo->block_size = fs->ext2->blocksize;
	geo->cluster_blocks = 1u << fs->ext2->cluster_ratio_bits;
	geo->blocks = ext2fs_blocks_count(fs->ext2->super);
	geo->first_data_block = super->s_first_data_block;
	geo->blocks_per_group = super->s_blocks_per_group;
	geo->inode_size = EXT2_INODE_SIZE(super);
	geo->inodes = super->s_inodes_count;
	geo->inodes_per_group = super->s_inodes_per_group;
	geo->inodes_per_block = geo->block_size / geo->inode_size;
	geo->itable_blocks = fs->ext2->inode_blocks_per_group;
	geo->first_ino = EXT2_FIRST_INO(super);
	geo->groups = fs->ext2->group_desc_count;
	geo->group_csum = ext2fs_has_group_desc_csum(fs->ext2) != 0;
	geo->metadata_csum =
		ext2fs_has_feature_metadata_csum(fs->ext2->super) != 0;
	/* k: ext4_fill_flex_info() takes 0 for "no flex groups". */
	if (ext2fs_has_feature_flex_bg(fs->ext2->super))
		geo->flex_shift = super->s_log_groups_per_flex;
	geo->flex_size = 1u << geo->flex_shift;
	geo->flex_groups = (uint32_t)(((uint64_t)geo->groups + geo->flex_size - 1)
				      >> geo->flex_shift);
	if (geo->first_ino < EXT2_GOOD_OLD_FIRST_INO ||
	    geo->first_ino > geo->inodes ||
	    geo->inodes_per_group < geo->inodes_per_block ||
	    geo->inodes_per_group > geo->block_size * 8)
		return E2S_ET_BAD_SUPER;
	if (!(geo->inodes_per_group & (geo->inodes_per_group - 1)))
		geo->ipg_shift = (unsigned)__builtin_ctz(geo->inodes_per_group);
	return check_descriptors(fs, where);
}

uint32_t e2s_fs_itable_used(const struct e2s_fs *fs, uint32_t group)
{
	if (!fs->geo.group_csum)
		return fs->geo.inodes_per_group;
	if (e2s_fs_inode_uninit(fs, group))
		return 0;
	return fs->geo.inodes_per_group -
	       ext2fs_bg_itable_unused(fs->ext2, group);
}

uint64_t e2s_fs_desc_blk(const struct e2s_fs *fs, uint32_t desc)
{
	uint32_t super_blk = EXT2_MIN_BLOCK_SIZE / fs->geo.block_size;

	if (ext2fs_has_feature_meta_bg(fs->ext2->super) &&
	    desc >= fs->ext2->super->s_first_meta_bg)
		return ext2fs_descriptor_block_loc2(fs->ext2,
					fs->geo.first_data_block, desc);
	return super_blk + 1 + (uint64_t)desc;
}

int e2s_fs_inode_uninit(const struct e2s_fs *fs, uint32_t group)
{
	return fs->geo.group_csum &&
	       ext2fs_bg_flags_test(fs->ext2, group, EXT2_BG_INODE_UNINIT);
}
