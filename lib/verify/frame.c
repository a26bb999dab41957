/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 1: the superblock and the group descriptors.
 *
 * Relies on the geometry of the open file system.  Takes the descriptors as
 * they are on the device, so that a stale handle deceives nobody, and leaves
 * those of the groups that have an inode table to be read.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/internal.h"

#define SUPER_OFFSET 1024
#define SUPER_CSUM 1020		/* le32, behind all else */

/*
 * A group descriptor: 32 bytes, or 64 and more with the feature 64bit.
 *
 *     00 block bitmap lo 32   | 04 inode bitmap lo 32 | 08 inode table lo 32
 *     0c free blocks lo 16    | 0e free inodes lo 16  | 10 directories lo 16
 *     12 flags 16             | 14 exclude bitmap 32
 *     18 block bitmap csum 16 | 1a inode bitmap csum 16
 *     1c never used inodes 16 | 1e checksum 16
 *     20 ..., the high halves in the same order:
 *     24 inode bitmap 32      | 28 inode table 32     | 2e free inodes 16
 *     30 directories 16       | 32 never used 16      | 3a inode bitmap csum 16
 */
enum desc_at {
	DESC_BITMAP = 0x04, DESC_ITABLE = 0x08, DESC_FREE_INODES = 0x0e,
	DESC_DIRS = 0x10, DESC_FLAGS = 0x12, DESC_BITMAP_CSUM = 0x1a,
	DESC_UNUSED = 0x1c, DESC_CSUM = 0x1e, DESC_BITMAP_HI = 0x24,
	DESC_ITABLE_HI = 0x28, DESC_FREE_INODES_HI = 0x2e, DESC_DIRS_HI = 0x30,
	DESC_UNUSED_HI = 0x32, DESC_BITMAP_CSUM_HI = 0x3a, DESC_WIDE = 0x40,
};

/* The CRC-16 of IBM's, reflected; k: crc16(). */
static uint16_t crc16(uint16_t crc, const void *data, size_t len)
{
	const uint8_t *at = data;
	unsigned bit;

	for (; len; len--)
		for (crc ^= *at++, bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
	return crc;
}

/* k: ext4_group_desc_csum */
static uint16_t desc_csum(const struct e2s_fs *fs, uint32_t group,
			  const uint8_t *raw, uint32_t size)
{
	uint8_t number[4], zero[2] = { 0 };
	uint32_t crc;
	uint16_t crc16_sum;

	e2s_put_le32(number, group);
	if (fs->geo.metadata_csum) {
		crc = e2s_crc32c(fs->ext2->csum_seed, number, sizeof(number));
		crc = e2s_crc32c(crc, raw, DESC_CSUM);
		crc = e2s_crc32c(crc, zero, sizeof(zero));
		crc = e2s_crc32c(crc, raw + DESC_CSUM + 2, size - DESC_CSUM - 2);
		return (uint16_t)crc;
	}
	crc16_sum = crc16(0xffff, fs->ext2->super->s_uuid,
			  sizeof(fs->ext2->super->s_uuid));
	crc16_sum = crc16(crc16_sum, number, sizeof(number));
	crc16_sum = crc16(crc16_sum, raw, DESC_CSUM);
	return crc16(crc16_sum, raw + DESC_CSUM + 2, size - DESC_CSUM - 2);
}

static void decode(const uint8_t *raw, uint32_t size, struct desc *desc)
{
	desc->bitmap_blk = e2s_get_le32(raw + DESC_BITMAP);
	desc->itable_blk = e2s_get_le32(raw + DESC_ITABLE);
	desc->free_inodes = e2s_get_le16(raw + DESC_FREE_INODES);
	desc->used_dirs = e2s_get_le16(raw + DESC_DIRS);
	desc->itable_unused = e2s_get_le16(raw + DESC_UNUSED);
	desc->bitmap_csum = e2s_get_le16(raw + DESC_BITMAP_CSUM);
	desc->flags = e2s_get_le16(raw + DESC_FLAGS);
	if (size < DESC_WIDE)
		return;
	desc->bitmap_blk |= (uint64_t)e2s_get_le32(raw + DESC_BITMAP_HI) << 32;
	desc->itable_blk |= (uint64_t)e2s_get_le32(raw + DESC_ITABLE_HI) << 32;
	desc->free_inodes |= (uint32_t)e2s_get_le16(raw + DESC_FREE_INODES_HI) << 16;
	desc->used_dirs |= (uint32_t)e2s_get_le16(raw + DESC_DIRS_HI) << 16;
	desc->itable_unused |= (uint32_t)e2s_get_le16(raw + DESC_UNUSED_HI) << 16;
	desc->bitmap_csum |= (uint32_t)e2s_get_le16(raw + DESC_BITMAP_CSUM_HI) << 16;
}

/* All of a descriptor but what counts inodes. */
static uint64_t hash_desc(uint32_t group, const uint8_t *from, uint32_t size)
{
	static const uint8_t counting[] = {
		DESC_FREE_INODES, DESC_DIRS, DESC_BITMAP_CSUM, DESC_UNUSED,
		DESC_CSUM, DESC_FREE_INODES_HI, DESC_DIRS_HI, DESC_UNUSED_HI,
		DESC_BITMAP_CSUM_HI,
	};
	uint8_t raw[DESC_WIDE] = { 0 };
	unsigned i;

	memcpy(raw, from, size < sizeof(raw) ? size : sizeof(raw));
	for (i = 0; i < sizeof(counting); i++)
		e2s_put_le16(raw + counting[i], 0);
	e2s_put_le16(raw + DESC_FLAGS, (uint16_t)(e2s_get_le16(raw + DESC_FLAGS) &
					~EXT2_BG_INODE_UNINIT));
	return e2s_verify_hash(HASH_DESC, group, raw, sizeof(raw));
}

/* What DESC, decoded from RAW, says by itself. */
static void check_desc(struct run *run, uint32_t group, const uint8_t *raw,
		       uint32_t size, struct desc *desc)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	struct e2s_verify *sum = &run->workers[0].sum;

	if (!geo->group_csum) {
		/* e2fsck: PR_0_GDT_UNINIT */
		if (desc->itable_unused ||
		    desc->flags & (EXT2_BG_INODE_UNINIT | EXT2_BG_BLOCK_UNINIT))
			e2s_verify_note(run, sum, E2S_FAULT_DESC, group, 0, 0);
		desc->itable_unused = 0;
		desc->flags = 0;
		return;
	}
	if (e2s_get_le16(raw + DESC_CSUM) != desc_csum(run->fs, group, raw, size))
		e2s_verify_note(run, sum, E2S_FAULT_DESC_CSUM, group, 0, 0);
	if (desc->itable_unused > desc->free_inodes ||
	    desc->itable_unused > geo->inodes_per_group) {
		e2s_verify_note(run, sum, E2S_FAULT_HIGH_WATER, group, 0, 0);
		desc->itable_unused = 0;
	}
}

/* Adds the group to those whose table is read, if there is one to be read. */
static errcode_t add_group(struct run *run, uint32_t number,
			   const struct desc *desc)
{
	const struct e2s_geometry *geo = &run->fs->geo;
	struct e2s_verify *sum = &run->workers[0].sum;
	errcode_t err;

	run->group_at[number] = NO_GROUP;
	if (!blk_inside(run->fs, desc->bitmap_blk, 1) ||
	    !blk_inside(run->fs, desc->itable_blk, geo->itable_blocks)) {
		e2s_verify_note(run, sum, E2S_FAULT_DESC, number, 0, 0);
		return 0;
	}
	if (desc->flags & EXT2_BG_INODE_UNINIT) {
		if (desc->free_inodes != geo->inodes_per_group ||
		    desc->used_dirs)
			e2s_verify_note(run, sum, E2S_FAULT_DESC, number, 0, 0);
		return 0;
	}
	err = e2s_vec_reserve(&run->groups, 1);
	if (err)
		return err;
	run->group_at[number] = (uint32_t)run->groups.n;
	run->groups.v[run->groups.n++] = (struct group){
		.desc = *desc, .number = number,
		.used = geo->inodes_per_group - desc->itable_unused,
	};
	return 0;
}

static errcode_t read_desc(struct run *run, uint32_t group, const uint8_t *raw,
			   uint32_t size)
{
	struct e2s_verify *sum = &run->workers[0].sum;
	struct desc desc = { 0 };

	decode(raw, size, &desc);
	digest_add(&sum->digest[E2S_VERIFY_GROUPS], hash_desc(group, raw, size));
	run->free_inodes += desc.free_inodes;
	check_desc(run, group, raw, size, &desc);
	return add_group(run, group, &desc);
}

static void check_super(struct run *run, const uint8_t *raw)
{
	const struct ext2_super_block *super = (const void *)raw;
	const struct e2s_geometry *geo = &run->fs->geo;
	struct e2s_verify *sum = &run->workers[0].sum;

	if (ext2fs_le16_to_cpu(super->s_magic) != EXT2_SUPER_MAGIC ||
	    ext2fs_le32_to_cpu(super->s_inodes_count) != geo->inodes ||
	    ext2fs_le32_to_cpu(super->s_inodes_per_group) !=
		    geo->inodes_per_group ||
	    memcmp(super->s_uuid, run->fs->ext2->super->s_uuid,
		   sizeof(super->s_uuid)) ||
	    (geo->metadata_csum && e2s_get_le32(raw + SUPER_CSUM) !=
				   e2s_crc32c(~0u, raw, SUPER_CSUM)))
		e2s_verify_note(run, sum, E2S_FAULT_SUPER, 0, 0, 0);
	if (run->free_inodes != ext2fs_le32_to_cpu(super->s_free_inodes_count))
		e2s_verify_note(run, sum, E2S_FAULT_FREE_SUM, 0, 0, 0);
}

/*
 * Block NUMBER of the primary descriptors: they follow the superblock, but with
 * meta_bg, where each lies in the groups that it describes.  Not asked of
 * libext2fs without meta_bg: its ext2fs_descriptor_block_loc2() is one short
 * for all but the first with 1 KiB blocks and bigalloc.
 */
static uint64_t desc_blk(const struct e2s_fs *fs, uint32_t number)
{
	if (ext2fs_has_feature_meta_bg(fs->ext2->super) &&
	    number >= fs->ext2->super->s_first_meta_bg)
		return ext2fs_descriptor_block_loc2(fs->ext2,
						    fs->geo.first_data_block,
						    number);
	return SUPER_OFFSET / fs->geo.block_size + 1 + number;
}

static errcode_t read_descs(struct run *run, struct e2s_where *where)
{
	uint32_t size = EXT2_DESC_SIZE(run->fs->ext2->super);
	uint32_t in_block = run->fs->geo.block_size / size, group, i;
	uint8_t *block = run->workers[0].block;
	errcode_t err = 0;

	for (group = 0; group < run->fs->geo.groups && !err; group++) {
		i = group % in_block;
		if (!i)
			err = e2s_fs_read(run->fs,
					  desc_blk(run->fs, group / in_block),
					  1, block, where);
		if (!err)
			err = read_desc(run, group, block + (size_t)i * size,
					size);
	}
	return err;
}

errcode_t e2s_verify_frame(struct run *run, struct e2s_where *where)
{
	uint32_t bs = run->fs->geo.block_size;
	uint8_t *block = run->workers[0].block;
	errcode_t err;

	err = read_descs(run, where);
	if (!err)
		err = e2s_fs_read(run->fs, SUPER_OFFSET / bs, 1, block, where);
	if (!err)
		check_super(run, block + SUPER_OFFSET % bs);
	return err;
}
