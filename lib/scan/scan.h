/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan: what is where.  Reads every used inode table once, in large reads up
 * to the high-water mark, then every directory block once, in physical order,
 * on several threads; the result does not depend on how many.
 *
 * It believes nothing: checksums are verified, counts bounded, and whatever is
 * wrong is counted as a problem and passed over.  It writes nothing and judges
 * nothing.
 */
#ifndef E2S_SCAN_SCAN_H
#define E2S_SCAN_SCAN_H

#include "fs/fs.h"
#include "scan/crtimes.h"
#include "scan/dirent.h"
#include "scan/pins.h"
#include "scan/problem.h"
#include "scan/slot.h"

/* A directory; they are numbered 0, 1, ... in ascending order of ino. */
struct e2s_scan_dir {
	uint32_t ino;
	uint32_t parent;	/* number of the directory that names it, or
				 * E2S_DIR_NONE; the root is its own parent */
	uint32_t generation;
	uint32_t flags;		/* i_flags */
};

#define E2S_DIR_NONE UINT32_MAX

enum e2s_scan_flag {
	E2S_SCAN_TIMES = 1,	/* keep the order of creation */
	E2S_SCAN_PINS = 2,	/* find out what must not move */
	E2S_SCAN_PLACES = 4,	/* keep where the names are; compare the link
				 * counts, read the extent trees of files */
};

/* A block of a directory. */
struct e2s_dir_block {
	uint64_t blk;
	uint32_t dir;		/* number of the directory */
	uint32_t lblk;		/* logical block */
};

/*
 * Where a name is: a number into e2s_scan.dir_blocks, or E2S_PLACE_INLINE and
 * the number of an inline directory, or E2S_PLACE_NONE, or E2S_PLACE_MANY for
 * an inode that e2s_scan.links lists.
 */
typedef uint32_t e2s_place;
#define E2S_PLACE_NONE UINT32_MAX
#define E2S_PLACE_MANY (UINT32_MAX - 1)
#define E2S_PLACE_INLINE (1u << 31)

/* A name of an inode with several links. */
struct e2s_link {
	uint32_t ino;
	e2s_place place;
};

/* A file whose extent tree has blocks below the root. */
struct e2s_deep_file {
	uint32_t ino;
	uint32_t nodes;
};

struct e2s_scan_options {
	unsigned threads;	/* 0: as many as there are CPUs */
	unsigned flags;		/* enum e2s_scan_flag, or'ed */
};

struct e2s_scan {
	const struct e2s_fs *fs;
	struct e2s_layout layout;
	e2s_slot *all_free;	/* what groups without an inode in use share */
	e2s_place **places;	/* shape of slots: of files and directories */
	struct e2s_crtimes *crtimes;	/* [group], under E2S_SCAN_TIMES */
	struct e2s_link *links;	/* by ino, then place */
	size_t links_n;
	struct e2s_dir_block *dir_blocks;	/* by blk */
	size_t dir_blocks_n;
	struct e2s_deep_file *deep_files;	/* by ino */
	size_t deep_files_n;
	struct e2s_pin *pins;	/* by ino, one an inode */
	size_t pins_n;
	struct e2s_scan_dir *dirs;
	uint32_t dirs_n;
	uint64_t inodes_used;	/* slots that are not E2S_SLOT_FREE */
	uint64_t problems_n[E2S_PROBLEM_KINDS];
	struct e2s_problem *problems;	/* the first, in order of discovery */
	size_t problems_kept;
	struct e2s_arena slots_arena;	/* what layout.slots points to */
	struct e2s_arena arena;		/* places, all_free */
	struct e2s_arena times_arena;	/* what crtimes points to */
};

/*
 * Scans FS.  *RET is the caller's, for e2s_scan_free(), and points to FS.
 * Returns ENOMEM, a read error with its place, or E2S_ET_TOO_MANY_DIRS.
 * Damage is no error here: it is in the problems.
 */
errcode_t e2s_scan_run(const struct e2s_fs *fs,
		       const struct e2s_scan_options *options,
		       struct e2s_scan **ret, struct e2s_where *where);

void e2s_scan_free(struct e2s_scan *scan);

/* Frees the order of creation. */
void e2s_scan_drop_times(struct e2s_scan *scan);

/* Frees the slots: nobody may ask for one any more. */
void e2s_scan_drop_slots(struct e2s_scan *scan);

/* All problems together. */
uint64_t e2s_scan_problems(const struct e2s_scan *scan);

/* The slot of INO, E2S_SLOT_FREE for one above the high-water mark. */
e2s_slot e2s_scan_slot(const struct e2s_scan *scan, uint32_t ino);

/* Number of the directory INO, or E2S_DIR_NONE. */
uint32_t e2s_scan_dir_number(const struct e2s_scan *scan, uint32_t ino);

#endif
