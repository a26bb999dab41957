/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattr: walks the extended attributes of an inode, those inside it or those
 * of its attribute block, as raw little-endian bytes.
 *
 *     inode  | magic le32 | entries ... | le32 0 | ... | values |
 *     block  | header, 32 bytes         | entries ... | le32 0 | ... | values |
 *
 *     entry  | name_len | index | value_offs 16 | value_inum 32 |
 *            | value_size 32 | hash 32 | name, padded to 4 |
 *
 * Offsets of values count from the first entry in an inode and from the start
 * of the block in a block.
 */
#ifndef E2S_SCAN_XATTR_H
#define E2S_SCAN_XATTR_H

#include "fs/csum.h"

struct e2s_xattr {
	const uint8_t *at;	/* the entry */
	const char *name;	/* without the prefix that INDEX stands for */
	const uint8_t *value;	/* NULL: in an EA inode, or out of bounds */
	uint32_t value_len;
	uint32_t value_ino;	/* EA inode that holds the value, or 0 */
	uint8_t index, name_len;
};

struct e2s_xattrs {
	const uint8_t *at, *base, *end;
};

/* Both return 0 when there are no attributes. */
int e2s_xattrs_start_inode(const struct e2s_fs *fs, const uint8_t *raw,
			   struct e2s_xattrs *walk);
int e2s_xattrs_start_block(const struct e2s_fs *fs, const uint8_t *block,
			   struct e2s_xattrs *walk);

/* The next attribute: 1, or 0 at the end, or -1 when an entry does not fit. */
int e2s_xattrs_next(struct e2s_xattrs *walk, struct e2s_xattr *xattr);

/* True for the attribute of INDEX and NAME. */
int e2s_xattr_is(const struct e2s_xattr *xattr, uint8_t index, const char *name);

/* Block number in i_file_acl, 0: none. */
uint64_t e2s_inode_xattr_blk(const struct e2s_fs *fs, const uint8_t *raw);

/* Name indices (k: fs/ext4/xattr.h). */
enum {
	E2S_XATTR_USER = 1,
	E2S_XATTR_TRUSTED = 4,
	E2S_XATTR_SECURITY = 6,
	E2S_XATTR_SYSTEM = 7,
	E2S_XATTR_ENCRYPTION = 9,
};

#endif
