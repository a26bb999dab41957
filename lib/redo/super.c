/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mark in the superblock that says that a change is under way.
 *
 * The superblock is read and written with the block around it, as undo_io
 * wants one block size for all that is written, and in one write.  Its feature
 * words and state lie in its first 512-byte sector, its checksum in the
 * second: a cut between the two leaves a superblock whose checksum is wrong,
 * as it may on every mount by the kernel, and e2fsck then takes a backup.
 * Neither step is the commit point, so no change is lost by that.
 */
#include <string.h>

#include "redo/internal.h"

#define SUPER_OFFSET 1024

errcode_t e2s_redo_super_read(struct e2s_fs *fs, struct e2s_redo_super *super,
			      struct e2s_where *where)
{
	uint32_t size = fs->geo.block_size;
	errcode_t err;

	super->blk = SUPER_OFFSET / size;
	super->at = SUPER_OFFSET % size;
	err = ext2fs_get_mem(size, &super->old);
	if (!err)
		err = ext2fs_get_mem(size, &super->new);
	if (!err)
		err = e2s_fs_read(fs, super->blk, 1, super->old, where);
	if (!err)
		memcpy(super->new, super->old, size);
	return err;
}

void e2s_redo_super_free(struct e2s_redo_super *super)
{
	ext2fs_free_mem(&super->old);
	ext2fs_free_mem(&super->new);
}

/* Works on the bytes of the disk, whatever this machine's byte order. */
static void set_csum(const struct e2s_fs *fs, unsigned char *super)
{
	size_t at = offsetof(struct ext2_super_block, s_checksum);
	uint32_t crc;

	if (!fs->geo.metadata_csum)
		return;
	crc = ext2fs_cpu_to_le32(ext2fs_crc32c_le(~0u, super, at));
	memcpy(super + at, &crc, sizeof(crc));
}

static errcode_t write_block(struct e2s_fs *fs, uint64_t blk,
			     const unsigned char *data,
			     struct e2s_where *where)
{
	errcode_t err = e2s_fs_sync_undo(fs);

	if (!err)
		err = e2s_fs_write(fs, blk, 1, data, where);
	return err ? err : e2s_fs_flush(fs);
}

errcode_t e2s_redo_super_write(struct e2s_fs *fs, struct e2s_redo_super *super,
			       struct e2s_where *where)
{
	set_csum(fs, e2s_redo_super_new(super));
	return write_block(fs, super->blk, super->new, where);
}

errcode_t e2s_redo_super_restore(struct e2s_fs *fs,
				 const struct e2s_redo_super *super,
				 struct e2s_where *where)
{
	return write_block(fs, super->blk, super->old, where);
}
