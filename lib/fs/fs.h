/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs: an ext2, ext3 or ext4 file system that has been opened and whose numbers
 * have been checked once, so that the modules above may index with them.
 *
 * It opens, refuses, tells the geometry and reads blocks.  It knows nothing of
 * inodes or directories.
 */
#ifndef E2S_FS_FS_H
#define E2S_FS_FS_H

#include <stddef.h>
#include <stdint.h>

#include <ext2fs/ext2fs.h>

#include "util/util.h"

/* What an open file system looks like; every number has been bounded. */
struct e2s_geometry {
	uint32_t block_size;		/* bytes */
	uint32_t cluster_blocks;	/* blocks a cluster, 1 without bigalloc */
	uint64_t blocks;		/* blocks of the file system */
	uint32_t first_data_block;	/* block that starts group 0 */
	uint32_t blocks_per_group;
	uint32_t inode_size;		/* bytes of an inode on disk */
	uint32_t inodes;		/* all of them: groups * inodes_per_group */
	uint32_t inodes_per_group;
	unsigned ipg_shift;		/* its log2, 0 where it has none */
	uint32_t inodes_per_block;	/* "ipb" */
	uint32_t itable_blocks;		/* inode-table blocks a group */
	uint32_t first_ino;		/* first inode that is not reserved */
	uint32_t groups;		/* block groups */
	uint32_t flex_size;		/* groups a flex group, 1 without flex_bg */
	uint32_t flex_shift;		/* log2 of flex_size */
	uint32_t flex_groups;		/* the last one may be short */
	int group_csum;			/* descriptors carry checksums */
	int metadata_csum;		/* so does every other metadata block */
};

/* Things that make an answer doubtful but not impossible. */
enum e2s_fs_doubt {
	E2S_FS_DOUBT_MOUNTED = 1,	/* mounted read-write, opened by force */
	E2S_FS_DOUBT_MMP = 2,		/* MMP says in use, opened by force */
	E2S_FS_DOUBT_JOURNAL = 4,	/* the journal holds newer blocks */
	E2S_FS_DOUBT_ERRORS = 8,	/* the kernel has found errors */
	E2S_FS_DOUBT_UNCLEAN = 16,	/* not unmounted cleanly */
};

struct e2s_fs {
	ext2_filsys ext2;		/* libext2fs's handle */
	struct e2s_geometry geo;
	unsigned doubts;		/* enum e2s_fs_doubt, or'ed */
	char *device;			/* file that was opened, without "?offset=" */
	uint64_t offset;		/* byte in it where the file system starts */
	int fd;				/* for bulk reads, any thread */
	struct e2s_fs_rw *rw;		/* see fs/rw.h; NULL: only to be read */
};

enum e2s_fs_flag {
	E2S_FS_FORCE = 1,		/* open although it is in use */
};

/*
 * Opens SPEC read-only and exclusive to nobody: a device, an image file,
 * LABEL=x, UUID=x (looked up by libblkid), any of them with "?offset=BYTES".
 * Nothing is written, no time changes.
 *
 * *RET is the caller's, for e2s_fs_close().  Returns errno values for what the
 * system refused, libext2fs's codes for what it found wrong, and of ours: the
 * refusals E2S_ET_MOUNTED_RW, E2S_ET_MMP_IN_USE (neither under E2S_FS_FORCE),
 * and E2S_ET_IS_DIRECTORY to E2S_ET_BAD_GROUP_DESC.
 *
 * The size on disk is compared with that of the device before any number of
 * the superblock sizes memory, so a lying superblock costs nothing.
 */
errcode_t e2s_fs_open(const char *spec, unsigned flags, struct e2s_fs **ret,
		      struct e2s_where *where);

/*
 * Closes either kind, also NULL.  Always succeeds when FS was only read; else
 * returns what went wrong with the MMP block or the undo file.
 */
errcode_t e2s_fs_close(struct e2s_fs *fs);

/* First block of the inode table of GROUP. */
static inline uint64_t e2s_fs_itable_blk(const struct e2s_fs *fs, uint32_t group)
{
	return ext2fs_inode_table_loc(fs->ext2, group);
}

/*
 * Inodes of GROUP up to the high-water mark: what lies above has never been
 * used and may be anything.  0 for INODE_UNINIT, all without group checksums
 * (k: ext4_itable_unused_count, e2fsck: ext2fs_open_inode_scan).
 */
uint32_t e2s_fs_itable_used(const struct e2s_fs *fs, uint32_t group);

/*
 * Block of the primary group descriptors number DESC.  Not for
 * ext2fs_descriptor_block_loc2() to say: with 1 KiB blocks and bigalloc it is
 * one short for all but the first (1.47.0).
 */
uint64_t e2s_fs_desc_blk(const struct e2s_fs *fs, uint32_t desc);

/* True when GROUP's inode bitmap and table have never been used. */
int e2s_fs_inode_uninit(const struct e2s_fs *fs, uint32_t group);

/* The group that INO lies in, and its slot there. */
static inline uint32_t e2s_geometry_group(const struct e2s_geometry *geo,
					  uint32_t ino)
{
	return geo->ipg_shift ? (ino - 1) >> geo->ipg_shift
			      : (ino - 1) / geo->inodes_per_group;
}

static inline uint32_t e2s_geometry_index(const struct e2s_geometry *geo,
					  uint32_t ino)
{
	return ino - 1 - e2s_geometry_group(geo, ino) * geo->inodes_per_group;
}

/* Groups in the flex group that starts at group FIRST. */
static inline uint32_t e2s_geometry_flex_len(const struct e2s_geometry *geo,
					     uint32_t first)
{
	return geo->groups - first < geo->flex_size ? geo->groups - first
						     : geo->flex_size;
}

/*
 * Reads COUNT blocks from BLK on into BUF, past libext2fs's cache; any thread.
 * Returns E2S_ET_SHORT_READ or an errno value, the place in WHERE.
 */
errcode_t e2s_fs_read(const struct e2s_fs *fs, uint64_t blk, uint64_t count,
		      void *buf, struct e2s_where *where);

/*
 * Reads as e2s_fs_read() does if that needs no waiting, because the system has
 * the blocks.  Returns 1 when it has, else 0: then the caller may want to tell the
 * system of more blocks before it reads these.
 */
int e2s_fs_read_cached(const struct e2s_fs *fs, uint64_t blk, uint64_t count,
		       void *buf);

/*
 * The first of COUNT blocks from BLK on that may hold anything but zeroes, or
 * BLK + COUNT: before it lies a hole of an image file.  On a device that is BLK.
 */
uint64_t e2s_fs_find_data(const struct e2s_fs *fs, uint64_t blk, uint64_t count);

/* Tells the system that COUNT blocks from BLK on will be read soon. */
void e2s_fs_readahead(const struct e2s_fs *fs, uint64_t blk, uint64_t count);

#endif
