/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One inode in its slot: its checksum, and what an inline directory holds. */
#include "relayout/internal.h"
#include "scan/inline.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

/*
 * Renumbers what an inline directory holds: its entries, and the number of its
 * parent.  Returns 1 when something changed, -1 for damage.
 */
static int patch_inline_dir(const struct batch *batch, uint8_t *raw)
{
	const struct e2s_fs *fs = batch->mover->fs;
	struct e2s_inline_part parts[2];
	unsigned i, n = e2s_inline_parts(fs, raw, parts);
	uint32_t parent = e2s_get_le32(AT(i_block));
	int changed = 0, one;

	if (!n)
		return -1;
	for (i = 0; i < n; i++) {
		one = e2s_batch_patch_entries(batch,
				raw + (parts[i].at - raw), parts[i].len);
		if (one < 0)
			return -1;
		if (one && i)
			e2s_inline_rehash(fs, raw);
		changed |= one > 0;
	}
	if (e2s_batch_new_ino(batch, parent) != parent) {
		e2s_put_le32(AT(i_block), e2s_batch_new_ino(batch, parent));
		changed = 1;
	}
	return changed;
}

static int is_inline_dir(const uint8_t *raw)
{
	return LINUX_S_ISDIR(e2s_get_le16(AT(i_mode))) &&
	       e2s_get_le16(AT(i_links_count)) &&
	       e2s_get_le32(AT(i_flags)) & EXT4_INLINE_DATA_FL;
}

errcode_t e2s_batch_renumber_slot(const struct batch *batch, uint32_t ino,
				  uint8_t *raw, int came,
				  struct e2s_where *where)
{
	const struct e2s_fs *fs = batch->mover->fs;
	int changed = 0;

	if (is_inline_dir(raw)) {
		/* One that came has been looked at where it came from. */
		if (!came && fs->geo.metadata_csum &&
		    !e2s_csum_inode_match(fs, ino, raw))
			return e2s_where_ino(where, E2S_ET_NOT_AS_SCANNED, ino);
		changed = patch_inline_dir(batch, raw);
		if (changed < 0)
			return e2s_where_ino(where, E2S_ET_NOT_AS_SCANNED, ino);
	}
	if ((came || changed) && fs->geo.metadata_csum)
		e2s_csum_inode_set(fs, ino, raw);
	return 0;
}
