/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/csum.h"

#include <string.h>

#include <ext2fs/ext3_extents.h>

/* Offsets in an inode on disk. */
#define I_CHECKSUM_LO 0x7c	/* le16 */
#define I_EXTRA_ISIZE 0x80	/* le16 */
#define I_CHECKSUM_HI 0x82	/* le16, where i_extra_isize reaches it */

/* The fake directory entry at the end of a leaf block:
 *
 *     0        4         6          7          8
 *     | inode  | rec_len | name_len | 0xde     | checksum |
 *     | 0      | 12      | 0        |          | le32     |
 */
#define DIR_TAIL_LEN 12
#define DIR_TAIL_TYPE 0xde

/* dx_entry array: limit le16, count le16, then a le32 block; 8 bytes each. */
#define DX_ENTRY_LEN 8
#define DX_TAIL_LEN 8		/* reserved le32, checksum le32 */
#define DX_TAIL_CSUM 4

static const uint8_t zeroes[4];

uint32_t e2s_csum_inode_seed(const struct e2s_fs *fs, uint32_t ino, uint32_t gen)
{
	uint8_t id[8];

	e2s_put_le32(id, ino);
	e2s_put_le32(id + 4, gen);
	return e2s_crc32c(fs->ext2->csum_seed, id, sizeof(id));
}

static int has_csum_hi(const struct e2s_fs *fs, const uint8_t *raw)
{
	return fs->geo.inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	       e2s_get_le16(raw + I_EXTRA_ISIZE) >=
		       I_CHECKSUM_HI + 2 - EXT2_GOOD_OLD_INODE_SIZE;
}

/* A word of the inode with the le16 at byte AT of it set to zero. */
static void clear_le16(uint64_t *word, unsigned at)
{
	*word &= ext2fs_cpu_to_le64(~(UINT64_C(0xffff) << at * 8));
}

/* Over a copy in which the fields of the checksum are zero.  They are cleared
 * a word at a time, since a word is how they are read again. */
uint32_t e2s_csum_inode(const struct e2s_fs *fs, uint32_t ino, const void *inode)
{
	uint32_t size = fs->geo.inode_size, at, crc;
	const uint8_t *raw = inode;
	uint64_t head[256 / 8];
	uint32_t len = size < sizeof(head) ? size : sizeof(head);

	crc = e2s_csum_inode_seed(fs, ino,
		e2s_get_le32(raw + offsetof(struct ext2_inode, i_generation)));
	for (at = 0; at < len; at += 64)
		memcpy((uint8_t *)head + at, raw + at, 64);
	clear_le16(&head[I_CHECKSUM_LO / 8], I_CHECKSUM_LO % 8);
	if (has_csum_hi(fs, raw))
		clear_le16(&head[I_CHECKSUM_HI / 8], I_CHECKSUM_HI % 8);
	crc = e2s_crc32c(crc, head, len);
	return size > len ? e2s_crc32c(crc, raw + len, size - len) : crc;
}

int e2s_csum_inode_match(const struct e2s_fs *fs, uint32_t ino, const void *inode)
{
	const uint8_t *raw = inode;
	uint32_t crc = e2s_csum_inode(fs, ino, inode);

	if ((crc & 0xffff) != e2s_get_le16(raw + I_CHECKSUM_LO))
		return 0;
	return !has_csum_hi(fs, raw) ||
	       crc >> 16 == e2s_get_le16(raw + I_CHECKSUM_HI);
}

void e2s_csum_inode_set(const struct e2s_fs *fs, uint32_t ino, void *inode)
{
	uint8_t *raw = inode;
	uint32_t crc = e2s_csum_inode(fs, ino, inode);

	e2s_put_le16(raw + I_CHECKSUM_LO, (uint16_t)crc);
	if (has_csum_hi(fs, raw))
		e2s_put_le16(raw + I_CHECKSUM_HI, (uint16_t)(crc >> 16));
}

/* Offset of the dx_entry array in BLOCK, 0 when it has none
 * (k: get_dx_countlimit). */
static uint32_t dx_entries(const uint8_t *block, uint32_t block_size)
{
	uint32_t rec_len = e2s_get_le16(block + 4);
	uint32_t whole = block_size < 65536 ? block_size : 0;

	if (!e2s_get_le32(block) && !e2s_get_le16(block + 6) &&
	    (rec_len == whole || (block_size == 65536 && rec_len == 65535)))
		return 8;	/* a node: one unused entry over the block */
	if (rec_len != 12)
		return 0;
	if (e2s_get_le16(block + 12 + 4) != (uint16_t)(block_size - 12))
		return 0;
	if (e2s_get_le32(block + 24) != 0 || block[29] != 8)
		return 0;	/* no dx_root_info of 8 bytes */
	return 12 + 12 + 8;
}

enum e2s_dir_block_kind e2s_csum_dir_block(const struct e2s_fs *fs,
					   uint32_t seed, const void *data,
					   const uint8_t **stored,
					   uint32_t *csum)
{
	const uint8_t *block = data;
	uint32_t bs = fs->geo.block_size, entries, limit, count, tail;
	const uint8_t *fake = block + bs - DIR_TAIL_LEN;

	/* First: an index block may still end in the tail of the leaf that it
	 * once was, but a leaf's entries never reach over its tail. */
	entries = dx_entries(block, bs);
	if (!entries) {
		if (e2s_get_le32(fake) ||
		    e2s_get_le16(fake + 4) != DIR_TAIL_LEN || fake[6] ||
		    fake[7] != DIR_TAIL_TYPE)
			return E2S_DIR_NO_TAIL;
		*stored = fake + 8;
		*csum = e2s_crc32c(seed, block, bs - DIR_TAIL_LEN);
		return E2S_DIR_LEAF;
	}
	limit = e2s_get_le16(block + entries);
	count = e2s_get_le16(block + entries + 2);
	tail = entries + limit * DX_ENTRY_LEN;
	if (count > limit || tail + DX_TAIL_LEN > bs)
		return E2S_DIR_NO_TAIL;
	*stored = block + tail + DX_TAIL_CSUM;
	*csum = e2s_crc32c(seed, block, entries + count * DX_ENTRY_LEN);
	*csum = e2s_crc32c(*csum, block + tail, DX_TAIL_CSUM);
	*csum = e2s_crc32c(*csum, zeroes, 4);
	return E2S_DIR_INDEX;
}

int e2s_csum_extent_block(const struct e2s_fs *fs, uint32_t seed,
			  const void *data, const uint8_t **stored,
			  uint32_t *csum)
{
	const uint8_t *block = data;
	uint32_t tail = (uint32_t)sizeof(struct ext3_extent_header) +
		e2s_get_le16(block + 4) * (uint32_t)sizeof(struct ext3_extent);

	if (tail + 4 > fs->geo.block_size)
		return 0;
	*stored = block + tail;
	*csum = e2s_crc32c(seed, block, tail);
	return 1;
}
