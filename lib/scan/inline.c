/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/inline.h"

#include <ext2fs/ext2_ext_attr.h>

#include "scan/xattr.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

static int find_system_data(const struct e2s_fs *fs, const uint8_t *raw,
			    struct e2s_xattr *xattr)
{
	struct e2s_xattrs walk;

	if (!e2s_xattrs_start_inode(fs, raw, &walk))
		return 0;
	while (e2s_xattrs_next(&walk, xattr) > 0)
		if (e2s_xattr_is(xattr, E2S_XATTR_SYSTEM, "data"))
			return xattr->value != NULL;
	return 0;
}

#define INLINE_DOTDOT_LEN 4	/* le32 number of the parent */

unsigned e2s_inline_parts(const struct e2s_fs *fs, const uint8_t *raw,
			  struct e2s_inline_part parts[2])
{
	struct e2s_xattr xattr;

	parts[0].at = AT(i_block) + INLINE_DOTDOT_LEN;
	parts[0].len = EXT2_N_BLOCKS * 4 - INLINE_DOTDOT_LEN;
	if (!find_system_data(fs, raw, &xattr))
		return 0;
	parts[1].at = xattr.value;
	parts[1].len = xattr.value_len;
	return parts[1].len ? 2 : 1;
}

#define ENTRY_HASH 12		/* le32, in an attribute's entry */

void e2s_inline_rehash(const struct e2s_fs *fs, uint8_t *raw)
{
	struct ext2_ext_attr_entry *entry;
	struct e2s_xattr xattr;

	if (!find_system_data(fs, raw, &xattr) ||
	    !e2s_get_le32(xattr.at + ENTRY_HASH))
		return;
	entry = (struct ext2_ext_attr_entry *)(raw + (xattr.at - raw));
	e2s_put_le32(raw + (xattr.at - raw) + ENTRY_HASH,
		     ext2fs_ext_attr_hash_entry(entry, (void *)(raw +
						(xattr.value - raw))));
}
