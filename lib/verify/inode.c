/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One inode, as raw little-endian bytes. */
#include <string.h>

#include "scan/dirent.h"
#include "verify/internal.h"

#include <ext2fs/ext2_ext_attr.h>

#define INLINE_PARENT_LEN 4	/* le32 number of the parent */
#define XATTR_INDEX_SYSTEM 7

unsigned e2s_verify_file_type(uint16_t mode)
{
	switch (mode & LINUX_S_IFMT) {
	case LINUX_S_IFREG:
		return EXT2_FT_REG_FILE;
	case LINUX_S_IFDIR:
		return EXT2_FT_DIR;
	case LINUX_S_IFCHR:
		return EXT2_FT_CHRDEV;
	case LINUX_S_IFBLK:
		return EXT2_FT_BLKDEV;
	case LINUX_S_IFIFO:
		return EXT2_FT_FIFO;
	case LINUX_S_IFSOCK:
		return EXT2_FT_SOCK;
	case LINUX_S_IFLNK:
		return EXT2_FT_SYMLINK;
	}
	return EXT2_FT_UNKNOWN;
}

int e2s_verify_is_special(const struct e2s_fs *fs, uint32_t ino)
{
	const struct ext2_super_block *super = fs->ext2->super;

	if (ino < fs->geo.first_ino)
		return ino != EXT2_ROOT_INO;
	return ino == super->s_journal_inum || ino == super->s_usr_quota_inum ||
	       ino == super->s_grp_quota_inum ||
	       ino == super->s_prj_quota_inum ||
	       (ext2fs_has_feature_orphan_file(fs->ext2->super) &&
		ino == super->s_orphan_file_inum);
}

int e2s_verify_is_zero(const uint8_t *raw, size_t len)
{
	return !raw[0] && !memcmp(raw, raw + 1, len - 1);
}

/* Sets the fields of the checksum to zero. */
static void clear_csum(const struct e2s_fs *fs, uint8_t *raw)
{
	size_t end = offsetof(struct ext2_inode_large, i_checksum_hi) + 2;

	e2s_put_le16(AT(osd2.linux2.l_i_checksum_lo), 0);
	if (fs->geo.inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	    EXT2_GOOD_OLD_INODE_SIZE + (size_t)e2s_get_le16(AT(i_extra_isize)) >=
		    end)
		e2s_put_le16(AT(i_checksum_hi), 0);
}

/*
 * What mke2fs, the kernel, e2fsck and debugfs leave: zeroes; zeroes with their
 * checksum; or an inode with the time of its deletion, and then, where inodes
 * have checksums, a valid one.
 */
int e2s_verify_is_free_slot(const struct e2s_fs *fs, uint32_t ino,
			    const uint8_t *raw)
{
	size_t csum = offsetof(struct ext2_inode, osd2.linux2.l_i_checksum_lo);

	if (e2s_verify_is_zero(raw, fs->geo.inode_size))
		return 1;
	if (fs->geo.metadata_csum && !e2s_csum_inode_match(fs, ino, raw))
		return 0;
	if (e2s_get_le32(AT(i_dtime)))
		return 1;
	/* No i_extra_isize, so there is no high half. */
	return fs->geo.metadata_csum && e2s_verify_is_zero(raw, csum) &&
	       e2s_verify_is_zero(raw + csum + 2,
				  fs->geo.inode_size - csum - 2);
}

/* k: ext4_isize, for directories */
uint64_t e2s_verify_dir_size(const struct e2s_fs *fs, const uint8_t *raw)
{
	uint64_t size = e2s_get_le32(AT(i_size));

	if (ext2fs_has_feature_largedir(fs->ext2->super))
		size |= (uint64_t)e2s_get_le32(AT(i_size_high)) << 32;
	return size;
}

uint8_t *e2s_verify_inode_xattrs(const struct e2s_fs *fs, uint8_t *raw)
{
	uint32_t room = fs->geo.inode_size - EXT2_GOOD_OLD_INODE_SIZE, extra;
	uint8_t *area;

	if (fs->geo.inode_size <= EXT2_GOOD_OLD_INODE_SIZE)
		return NULL;
	extra = e2s_get_le16(AT(i_extra_isize));
	if (extra % 4 || extra > room || room - extra < 8)
		return NULL;
	area = raw + EXT2_GOOD_OLD_INODE_SIZE + extra;
	return e2s_get_le32(area) == EXT2_EXT_ATTR_MAGIC ? area + 4 : NULL;
}

int e2s_verify_inline_dir(const struct e2s_fs *fs, uint8_t *raw,
			  struct inline_dir *ret)
{
	uint8_t *first = e2s_verify_inode_xattrs(fs, raw), *at = first, *entry;
	const uint8_t *end = raw + fs->geo.inode_size;
	uint32_t offset, size;
	int bad = 0;

	*ret = (struct inline_dir){
		.at[0] = AT(i_block) + INLINE_PARENT_LEN,
		.len[0] = EXT2_N_BLOCKS * 4 - INLINE_PARENT_LEN, .parts = 1,
	};
	while (first && (entry = e2s_verify_xattr_next(&at, end, &bad))) {
		if (entry[1] != XATTR_INDEX_SYSTEM || entry[0] != 4 ||
		    memcmp(entry + sizeof(struct ext2_ext_attr_entry), "data", 4))
			continue;
		offset = e2s_get_le16(entry + 2);
		size = e2s_get_le32(entry + 8);
		if (e2s_get_le32(entry + 4) || offset % 4 ||
		    offset > end - first ||
		    size > end - first - offset)
			return 0;
		ret->xattr = entry;
		ret->at[1] = first + offset;
		ret->len[1] = size;
		ret->parts = size ? 2 : 1;
		return 1;
	}
	return 0;	/* k: inline data always come with the attribute */
}

static void mask_entries(const struct e2s_fs *fs, uint8_t *at, uint32_t len)
{
	struct e2s_dirents walk;
	struct e2s_dirent entry;

	e2s_dirents_start(&walk, at, len, fs->geo.block_size);
	while (e2s_dirents_next(&walk, &entry) > 0)
		if (entry.ino)
			e2s_put_le32(at + (entry.at - at), 1);
}

static void mask_inline_dir(const struct e2s_fs *fs, uint8_t *raw)
{
	struct inline_dir dir;
	unsigned i;

	if (!e2s_verify_inline_dir(fs, raw, &dir))
		return;
	e2s_put_le32(AT(i_block), 0);
	for (i = 0; i < dir.parts; i++)
		mask_entries(fs, dir.at[i], dir.len[i]);
	e2s_put_le32(dir.xattr + offsetof(struct ext2_ext_attr_entry, e_hash), 0);
}

void e2s_verify_mask(const struct e2s_fs *fs, uint8_t *raw, unsigned type)
{
	if ((type & TYPE_FT) == EXT2_FT_DIR &&
	    e2s_get_le32(AT(i_flags)) & EXT4_INLINE_DATA_FL)
		mask_inline_dir(fs, raw);
	if (type & TYPE_EA)
		e2s_put_le32(AT(i_mtime), 0);
	if (fs->geo.metadata_csum)
		clear_csum(fs, raw);
}
