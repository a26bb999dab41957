/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One inode, as raw little-endian bytes. */
#include "scan/internal.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

static int is_special_number(const struct e2s_fs *fs, uint32_t ino)
{
	const struct ext2_super_block *super = fs->ext2->super;

	return (ino < fs->geo.first_ino && ino != EXT2_ROOT_INO) ||
	       ino == super->s_journal_inum || ino == super->s_usr_quota_inum ||
	       ino == super->s_grp_quota_inum ||
	       ino == super->s_prj_quota_inum ||
	       (ext2fs_has_feature_orphan_file(fs->ext2->super) &&
		ino == super->s_orphan_file_inum);
}

enum inode_kind e2s_inode_kind(const struct e2s_fs *fs, uint32_t ino,
			       const uint8_t *raw)
{
	uint16_t mode = e2s_get_le16(AT(i_mode));

	if (!e2s_get_le16(AT(i_links_count)))
		return INODE_FREE;
	if (is_special_number(fs, ino) ||
	    e2s_get_le32(AT(i_flags)) & EXT4_EA_INODE_FL)
		return INODE_SPECIAL;
	if (LINUX_S_ISDIR(mode))
		return INODE_DIR;
	if (LINUX_S_ISREG(mode) || LINUX_S_ISLNK(mode) || LINUX_S_ISCHR(mode) ||
	    LINUX_S_ISBLK(mode) || LINUX_S_ISFIFO(mode) || LINUX_S_ISSOCK(mode))
		return INODE_FILE;
	return INODE_GARBAGE;
}

/* True when i_extra_isize reaches to the end of a field at OFFSET of 4 bytes. */
static int has_field(const struct e2s_fs *fs, const uint8_t *raw, size_t offset)
{
	return fs->geo.inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	       offset + 4 <= (size_t)EXT2_GOOD_OLD_INODE_SIZE +
				     e2s_get_le16(AT(i_extra_isize));
}

/* k: ext4_decode_extra_time: two more bits of seconds, 30 of nanoseconds. */
uint64_t e2s_inode_time(const struct e2s_fs *fs, const uint8_t *raw)
{
	uint32_t extra = 0;
	int64_t seconds;

	if (!has_field(fs, raw, offsetof(struct ext2_inode_large, i_crtime)))
		return E2S_TIME_ZERO;
	if (has_field(fs, raw, offsetof(struct ext2_inode_large, i_crtime_extra)))
		extra = e2s_get_le32(AT(i_crtime_extra));
	seconds = (int32_t)e2s_get_le32(AT(i_crtime));
	seconds += (int64_t)(extra & 3) << 32;
	return ((uint64_t)(seconds + ((int64_t)1 << 31)) << 30) | extra >> 2;
}

uint64_t e2s_inode_size(const uint8_t *raw)
{
	return e2s_get_le32(AT(i_size)) |
	       (uint64_t)e2s_get_le32(AT(i_size_high)) << 32;
}
