/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/xattr.h"

#include <string.h>

#include <ext2fs/ext2_ext_attr.h>

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

#define ENTRY_LEN sizeof(struct ext2_ext_attr_entry)

int e2s_xattrs_start_inode(const struct e2s_fs *fs, const uint8_t *raw,
			   struct e2s_xattrs *walk)
{
	uint32_t size = fs->geo.inode_size, at;

	if (size <= EXT2_GOOD_OLD_INODE_SIZE)
		return 0;
	at = EXT2_GOOD_OLD_INODE_SIZE + e2s_get_le16(AT(i_extra_isize));
	if (at % 4 || at + 8 > size ||
	    e2s_get_le32(raw + at) != EXT2_EXT_ATTR_MAGIC)
		return 0;
	walk->at = walk->base = raw + at + 4;
	walk->end = raw + size;
	return 1;
}

int e2s_xattrs_start_block(const struct e2s_fs *fs, const uint8_t *block,
			   struct e2s_xattrs *walk)
{
	if (e2s_get_le32(block) != EXT2_EXT_ATTR_MAGIC)
		return 0;
	walk->base = block;
	walk->at = block + sizeof(struct ext2_ext_attr_header);
	walk->end = block + fs->geo.block_size;
	return 1;
}

int e2s_xattrs_next(struct e2s_xattrs *walk, struct e2s_xattr *xattr)
{
	const uint8_t *at = walk->at;
	size_t left = (size_t)(walk->end - at), room, offset;

	if (left < 4 || !e2s_get_le32(at))
		return 0;
	if (left < ENTRY_LEN || left < (size_t)EXT2_EXT_ATTR_LEN(at[0]))
		return -1;
	xattr->at = at;
	xattr->name_len = at[0];
	xattr->index = at[1];
	xattr->name = (const char *)at + ENTRY_LEN;
	xattr->value_ino = e2s_get_le32(at + 4);
	xattr->value_len = e2s_get_le32(at + 8);
	xattr->value = NULL;
	offset = e2s_get_le16(at + 2);
	room = (size_t)(walk->end - walk->base);
	if (!xattr->value_ino && offset <= room &&
	    xattr->value_len <= room - offset)
		xattr->value = walk->base + offset;
	walk->at = at + EXT2_EXT_ATTR_LEN(at[0]);
	return 1;
}

int e2s_xattr_is(const struct e2s_xattr *xattr, uint8_t index, const char *name)
{
	return xattr->index == index && xattr->name_len == strlen(name) &&
	       !memcmp(xattr->name, name, xattr->name_len);
}

uint64_t e2s_inode_xattr_blk(const struct e2s_fs *fs, const uint8_t *raw)
{
	uint64_t blk = e2s_get_le32(AT(i_file_acl));

	if (ext2fs_has_feature_64bit(fs->ext2->super))
		blk |= (uint64_t)e2s_get_le16(AT(osd2.linux2.l_i_file_acl_high))
		       << 32;
	return blk;
}
