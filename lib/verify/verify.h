/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify: reads a whole file system's metadata from the device and says two
 * things about it: whether it hangs together (faults), and what it is,
 * whichever inode numbers its files have (digests).  Read before and after a
 * relayout, the faults must be none and the digests equal.
 *
 * It believes nobody.  The superblock, the group descriptors and the bitmaps
 * are read anew, past what libext2fs keeps; the passes are its own, not those
 * of scan.  From the open file system it takes the geometry, the checksum seed
 * and the places of the descriptor blocks.  It writes nothing.
 *
 * What is taken to be one and the same before and after:
 *
 *     path P      P(root) is a constant, P(dir) = H(P(parent), name)
 *     inode X     H(its raw bytes, checksum left out)
 *                 + sum over the blocks of its extent tree, without checksums
 *                 + sum over its directory blocks, without checksums and with
 *                   the numbers of the entries in use left out
 *                 + sum over its names of H(P(directory), name)
 *
 * Left out of the raw bytes, since a relayout changes them lawfully: of an
 * inline directory the numbers of its entries and of its parent, and e_hash of
 * the attribute they are in; of an EA inode i_mtime where that is the number
 * of its owner (the owner's X is taken instead).  Reserved and special inodes
 * and EA inodes never move: their number is a part of them.
 *
 * The digests are sums modulo 2^128 of H over inodes, names, blocks, so they
 * depend neither on numbers nor on order nor on the number of threads.  H is
 * not cryptographic: it is there for mistakes, not for enemies.
 */
#ifndef E2S_VERIFY_VERIFY_H
#define E2S_VERIFY_VERIFY_H

#include "fs/fs.h"

/* What has a digest of its own, in the order in which compare looks. */
enum e2s_verify_part {
	E2S_VERIFY_GROUPS,	/* descriptors, but for what counts inodes */
	E2S_VERIFY_INODES,	/* raw inodes and their extent blocks */
	E2S_VERIFY_XATTRS,	/* blocks of extended attributes */
	E2S_VERIFY_DIRS,	/* directory blocks, but for the numbers */
	E2S_VERIFY_NAMES,	/* which paths there are */
	E2S_VERIFY_TREE,	/* which path leads to which inode */
	E2S_VERIFY_PLACES,	/* which inode has which number */
	E2S_VERIFY_PARTS
};

enum e2s_fault_kind {
	E2S_FAULT_SUPER,	/* superblock checksum, or not the one opened */
	E2S_FAULT_DESC_CSUM,	/* group descriptor checksum */
	E2S_FAULT_DESC,		/* descriptor points outside, flags disagree */
	E2S_FAULT_HIGH_WATER,	/* in use above the mark; mark above the count */
	E2S_FAULT_BITMAP_CSUM,	/* inode bitmap checksum */
	E2S_FAULT_BITMAP,	/* bit and inode disagree */
	E2S_FAULT_BITMAP_PADDING,	/* bits behind the last inode not set */
	E2S_FAULT_FREE_COUNT,	/* bg_free_inodes_count */
	E2S_FAULT_DIRS_COUNT,	/* bg_used_dirs_count */
	E2S_FAULT_FREE_SUM,	/* s_free_inodes_count */
	E2S_FAULT_INODE_CSUM,	/* inode checksum */
	E2S_FAULT_INODE_MODE,	/* no file type has this mode */
	E2S_FAULT_FREE_SLOT,	/* neither zero nor a deleted inode */
	E2S_FAULT_EXTENT_CSUM,	/* extent block checksum */
	E2S_FAULT_EXTENT,	/* extent tree damaged */
	E2S_FAULT_XATTR_CSUM,	/* xattr block checksum */
	E2S_FAULT_XATTR,	/* xattrs damaged, or their hash wrong */
	E2S_FAULT_XATTR_REF,	/* value in an inode that is no EA inode */
	E2S_FAULT_DIR_MAP,	/* directory's blocks not found or found twice */
	E2S_FAULT_DIR_CSUM,	/* directory block checksum */
	E2S_FAULT_DIR_BLOCK,	/* entries do not fill their block */
	E2S_FAULT_DOTS,		/* "." or ".." missing or wrong */
	E2S_FAULT_NAME,		/* name leads to no inode in use */
	E2S_FAULT_NAME_TYPE,	/* file type in the entry is not the inode's */
	E2S_FAULT_LINKS,	/* i_links_count is not the number of names */
	E2S_FAULT_DIR_LINKS,	/* the same of a directory */
	E2S_FAULT_DIR_NAMES,	/* directory without a name, or with two */
	E2S_FAULT_DIR_LOOP,	/* directory not reached from the root */
	E2S_FAULT_KINDS
};

/* All faults of one kind: how many, and the one with the lowest place. */
struct e2s_fault {
	uint64_t n;
	uint32_t group;
	uint32_t ino;		/* 0: none; of a name, its directory */
	uint64_t blk;		/* 0: none */
};

struct e2s_verify_options {
	unsigned threads;	/* 0: as many as there are CPUs */
	/*
	 * The number that the inode OLD is to have after the relayout, for
	 * E2S_VERIFY_PLACES; called from any thread.  NULL: its own.  Give it
	 * before the relayout and not after, and PLACES are equal if and only
	 * if each inode has gone to the number meant for it.
	 */
	uint32_t (*new_of)(void *ctx, uint32_t old);
	void *ctx;
};

struct e2s_digest {
	uint64_t lo, hi;
};

struct e2s_verify {
	struct e2s_digest digest[E2S_VERIFY_PARTS];
	uint64_t inodes;	/* in use, reserved ones included */
	uint64_t directories;
	uint64_t names;		/* but for "." and ".." */
	uint64_t extent_blocks;	/* beyond the roots in the inodes */
	uint64_t xattr_blocks;
	struct e2s_fault fault[E2S_FAULT_KINDS];
};

/*
 * Reads FS from its device and fills *RET, a plain struct that owns nothing.
 * Returns ENOMEM or a read error with its place; what is wrong with the file
 * system is no error here but in RET->fault.
 */
errcode_t e2s_verify_read(const struct e2s_fs *fs,
			  const struct e2s_verify_options *options,
			  struct e2s_verify *ret, struct e2s_where *where);

/* All faults together; and one sentence for a kind of fault, or for a part. */
uint64_t e2s_verify_faults(const struct e2s_verify *verify);
const char *e2s_fault_words(enum e2s_fault_kind kind);
const char *e2s_verify_part_words(enum e2s_verify_part part);

/* One number for all that a relayout must not change: all but PLACES. */
struct e2s_digest e2s_verify_digest(const struct e2s_verify *verify);

/*
 * 0 when VERIFY has no fault, else E2S_ET_VERIFY_FAULT with the place of the
 * first and its words in WHERE.
 */
errcode_t e2s_verify_check(const struct e2s_verify *verify,
			   struct e2s_where *where);

/*
 * Holds AFTER against BEFORE: 0, E2S_ET_VERIFY_FAULT when AFTER has a fault,
 * E2S_ET_VERIFY_DIFFERS with the first part that differs in WHERE's words, or
 * E2S_ET_VERIFY_PLACES when only the numbers are not those planned.
 */
errcode_t e2s_verify_compare(const struct e2s_verify *before,
			     const struct e2s_verify *after,
			     struct e2s_where *where);

#endif
