/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that a mount would start with. */
#include <errno.h>
#include <stdlib.h>

#include "ialloc/internal.h"

static void setup_from(const struct e2s_fs *fs, struct e2s_ialloc_setup *setup)
{
	const struct e2s_geometry *geo = &fs->geo;
	unsigned i;

	setup->groups = geo->groups;
	setup->inodes_per_group = geo->inodes_per_group;
	setup->inodes_per_block = geo->inodes_per_block;
	setup->first_ino = geo->first_ino;
	setup->flex_shift = geo->flex_shift;
	setup->clusters_per_group = geo->blocks_per_group / geo->cluster_blocks;
	setup->encoding = fs->ext2->super->s_encoding;
	for (i = 0; i < 4; i++)
		setup->hash_seed[i] = fs->ext2->super->s_hash_seed[i];
}

static int reserved_in_use(const struct e2s_geometry *geo,
			   const unsigned char *bitmap)
{
	uint32_t bit;

	for (bit = 0; bit + 1 < geo->first_ino &&
		      bit < geo->inodes_per_group; bit++)
		if (!(bitmap[bit / 8] >> bit % 8 & 1))
			return 0;
	return 1;
}

/*
 * The kernel shuts a group out whose bitmap fails its checksum, and group 0
 * when a reserved inode is free in it; a layout planned on such a bitmap would
 * not survive the next e2fsck.
 */
static errcode_t load_group(struct e2s_ialloc *ia, const struct e2s_fs *fs,
			    uint32_t group, unsigned char *bitmap,
			    struct e2s_where *where)
{
	struct e2s_ialloc_counts counts = {
		.free_inodes = ext2fs_bg_free_inodes_count(fs->ext2, group),
		.free_clusters = ext2fs_bg_free_blocks_count(fs->ext2, group),
		.used_dirs = ext2fs_bg_used_dirs_count(fs->ext2, group),
	};
	errcode_t err;

	e2s_ialloc_set_counts(ia, group, &counts);
	if (e2s_fs_inode_uninit(fs, group))
		return group ? 0 : e2s_where_group(where,
						   E2S_ET_BAD_INODE_BITMAP, 0);
	err = e2s_fs_read(fs, ext2fs_inode_bitmap_loc(fs->ext2, group), 1,
			  bitmap, where);
	if (err)
		return err;
	if (!ext2fs_inode_bitmap_csum_verify(fs->ext2, group, (char *)bitmap,
				(int)(fs->geo.inodes_per_group / 8)) ||
	    (!group && !reserved_in_use(&fs->geo, bitmap)))
		return e2s_where_group(where, E2S_ET_BAD_INODE_BITMAP, group);
	return e2s_ialloc_set_bitmap(ia, group, bitmap);
}

errcode_t e2s_ialloc_load(const struct e2s_fs *fs, struct e2s_ialloc **ret,
			  struct e2s_where *where)
{
	struct e2s_ialloc_setup setup = { 0 };
	struct e2s_ialloc *ia = NULL;
	unsigned char *bitmap;
	errcode_t err = 0;
	uint32_t group;

	bitmap = malloc(fs->geo.block_size);
	if (!bitmap) {
		err = ENOMEM;
		goto out;
	}
	setup_from(fs, &setup);
	err = e2s_ialloc_new(&setup, &ia);
	for (group = 0; !err && group < fs->geo.groups; group++)
		err = load_group(ia, fs, group, bitmap, where);
	if (err)
		goto out;
	*ret = ia;
	ia = NULL;
out:
	e2s_ialloc_free(ia);
	free(bitmap);
	return err;
}
