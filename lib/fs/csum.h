/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checksums of metadata_csum that contain an inode number, over raw
 * little-endian bytes.  Pure functions, any thread.  All of them are crc32c
 * seeded with the file system's seed, then the le32 inode number and the le32
 * generation of the inode that owns the block (k: ext4_inode_csum,
 * ext4_dirblock_csum, ext4_dx_csum, ext4_extent_block_csum).
 */
#ifndef E2S_FS_CSUM_H
#define E2S_FS_CSUM_H

#include "fs/fs.h"

/* How a block of a directory keeps its checksum. */
enum e2s_dir_block_kind {
	E2S_DIR_LEAF,		/* entries, and a fake entry with the checksum */
	E2S_DIR_INDEX,		/* htree root or node, a tail behind its limit */
	E2S_DIR_NO_TAIL,	/* neither: no room was kept for a checksum */
};

uint32_t e2s_crc32c(uint32_t seed, const void *data, size_t len);

/* The seed that inode INO with generation GEN gives to its blocks. */
uint32_t e2s_csum_inode_seed(const struct e2s_fs *fs, uint32_t ino, uint32_t gen);

/* Checksum of the inode_size bytes at RAW as inode INO; 16 bits of it count
 * where the inode has no room for the high half (e2s_csum_inode_match). */
uint32_t e2s_csum_inode(const struct e2s_fs *fs, uint32_t ino, const void *raw);
int e2s_csum_inode_match(const struct e2s_fs *fs, uint32_t ino, const void *raw);
void e2s_csum_inode_set(const struct e2s_fs *fs, uint32_t ino, void *raw);

/* Which of the N inodes from INO on, one behind the other at RAW, do not match:
 * a bit each, the lowest for the first.  N is at most 64. */
uint64_t e2s_csum_inodes_wrong(const struct e2s_fs *fs, uint32_t ino,
			       const void *raw, unsigned n);

/*
 * Finds where the block_size bytes at BLOCK, a block of a directory, keep
 * their checksum, and computes it.  *STORED points into BLOCK (le32).
 */
enum e2s_dir_block_kind e2s_csum_dir_block(const struct e2s_fs *fs,
					   uint32_t seed, const void *block,
					   const uint8_t **stored,
					   uint32_t *csum);

/*
 * The same for a non-root block of an extent tree.  Returns 0 where eh_max
 * leaves no room for the tail, so that there is nothing to compare.
 */
int e2s_csum_extent_block(const struct e2s_fs *fs, uint32_t seed,
			  const void *block, const uint8_t **stored,
			  uint32_t *csum);

static inline uint32_t e2s_get_le32(const void *p)
{
	const uint8_t *b = p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

static inline uint16_t e2s_get_le16(const void *p)
{
	const uint8_t *b = p;

	return (uint16_t)(b[0] | b[1] << 8);
}

static inline void e2s_put_le16(void *p, uint16_t v)
{
	uint8_t *b = p;

	b[0] = (uint8_t)v;
	b[1] = (uint8_t)(v >> 8);
}

static inline void e2s_put_le32(void *p, uint32_t v)
{
	e2s_put_le16(p, (uint16_t)v);
	e2s_put_le16((uint8_t *)p + 2, (uint16_t)(v >> 16));
}

#endif
