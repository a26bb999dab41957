/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mark in the superblock that says that a change is under way.
 *
 * The superblock is read and written with the block around it, as undo_io
 * wants one block size for all that is written, and in one write.
 *
 * What is changed lies in its first 512-byte sector, but its checksum at the
 * end of its second.  A cut between the two would leave a superblock that is
 * refused by everybody, and a file system of one group has no other.  So the
 * checksum is not changed: a field that nobody uses, also in the first sector,
 * takes a value that makes up for the change, and the update is one sector's.
 *
 *    0         change                PAD                          3fc
 *    +-----------*---------------+----*----+------------------------+------+
 *    |        first sector                 |    second sector       | csum |
 *    +-------------------------------------+------------------------+------+
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

/*
 * Chooses PAD in NEW so that NEW has OLD's checksum, OLD and NEW being equal
 * behind it.  Four bytes enter a CRC by being added to its register, so what
 * the registers before PAD differ by is what PAD must differ by.
 */
static void compensate(const unsigned char *old, unsigned char *new)
{
	uint32_t before, after, pad;

	before = e2s_crc32c(~0u, old, E2S_REDO_SUPER_PAD);
	after = e2s_crc32c(~0u, new, E2S_REDO_SUPER_PAD);
	memcpy(&pad, old + E2S_REDO_SUPER_PAD, sizeof(pad));
	pad ^= ext2fs_cpu_to_le32(before ^ after);
	memcpy(new + E2S_REDO_SUPER_PAD, &pad, sizeof(pad));
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
	if (fs->geo.metadata_csum)
		compensate(super->old + super->at, e2s_redo_super_new(super));
	return write_block(fs, super->blk, super->new, where);
}

errcode_t e2s_redo_super_restore(struct e2s_fs *fs,
				 const struct e2s_redo_super *super,
				 struct e2s_where *where)
{
	return write_block(fs, super->blk, super->old, where);
}
