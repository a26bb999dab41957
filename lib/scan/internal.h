/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of scan/ share with one another and with nobody else. */
#ifndef E2S_SCAN_INTERNAL_H
#define E2S_SCAN_INTERNAL_H

#include "scan/inline.h"
#include "scan/scan.h"

/* Inode INO refers to block or inode AT. */
struct ino_ref {
	uint64_t at;
	uint32_t ino;
	int no_context;		/* INO is encrypted, its context not seen yet */
};

/* A name that an inline directory holds. */
struct inline_name {
	uint32_t dir;		/* number of the directory; in a yield: there */
	uint32_t ino;
};

typedef E2S_VEC(struct e2s_problem) problem_vec;

/* What one piece of parallel work found; merged in the order of the pieces. */
struct yield {
	E2S_VEC(struct e2s_scan_dir) dirs;	/* numbers in what follows */
	E2S_VEC(struct e2s_dir_block) blocks;	/* count in this yield alone */
	E2S_VEC(struct inline_name) inline_names;
	E2S_VEC(struct e2s_link) links;
	E2S_VEC(struct e2s_deep_file) deep_files;
	E2S_VEC(struct e2s_pin) pins;
	E2S_VEC(struct ino_ref) xattr_refs;	/* at: attribute block */
	E2S_VEC(struct ino_ref) ea_refs;	/* at: EA inode */
	problem_vec problems;
	uint64_t problems_n[E2S_PROBLEM_KINDS];
	uint64_t inodes_used;
};

/* The scan under way: what every phase needs. */
struct run {
	struct e2s_scan *scan;
	const struct e2s_fs *fs;
	unsigned threads;
	unsigned flags;			/* enum e2s_scan_flag */
	struct e2s_arena arena;		/* links */
	uint16_t **links;		/* shape of slots: i_links_count less the
					 * names found, under E2S_SCAN_PLACES */
	struct yield **yields;		/* by group, NULL where nothing came */
	E2S_VEC(struct e2s_dir_block) blocks;	/* all of them */
	E2S_VEC(struct inline_name) inline_names;
	E2S_VEC(struct e2s_link) link_names;	/* of inodes with several */
	E2S_VEC(struct e2s_deep_file) deep_files;
	E2S_VEC(struct e2s_pin) pins;
	E2S_VEC(struct ino_ref) xattr_refs;
	E2S_VEC(struct ino_ref) ea_refs;
	_Atomic uint64_t *claimed_blocks;	/* by directories so far */
};

/*
 * Phase 1, itables.c.  Relies on an empty scan; leaves slots, times, links and
 * a yield per group.
 */
errcode_t e2s_scan_itables(struct run *run, struct e2s_where *where);

/*
 * Phase 2, number.c.  Numbers the directories, turns the yields into
 * scan->dirs, run->blocks (by physical block) and run->inline_names, and frees
 * them.
 */
errcode_t e2s_scan_number_dirs(struct run *run, struct e2s_where *where);

/* Phase 3, names.c.  Reads the directory blocks; leaves homes and parents. */
errcode_t e2s_scan_names(struct run *run, struct e2s_where *where);

/* Phase 4, names.c.  Looks for what no name, or too many names, led to. */
errcode_t e2s_scan_leftovers(struct run *run, struct e2s_where *where);

/*
 * Phase 5, pins.c, under E2S_SCAN_PINS.  Relies on the directories and on what
 * e2s_pins_inode() has put into the yields of phase 1; leaves run->pins.
 */
errcode_t e2s_scan_pins(struct run *run, struct e2s_where *where);
errcode_t e2s_pins_inode(const struct e2s_fs *fs, struct yield *yield,
			 uint32_t ino, const uint8_t *raw);

/* Phase 6, scan.c.  Hands the lists of the run over to the scan. */
errcode_t e2s_scan_hand_over(struct run *run, struct e2s_where *where);

/* Appends the lists of YIELD (not its directories) to those of RUN, directory
 * numbers raised by DIR_BASE, and empties them. */
errcode_t e2s_run_take_lists(struct run *run, struct yield *yield,
			     uint32_t dir_base);

/* Counts a problem; keeps it while there is room.  ENOMEM is not a problem's
 * problem: then it is only counted. */
void e2s_yield_problem(struct yield *yield, enum e2s_problem_kind kind,
		       uint32_t group, uint32_t ino, uint64_t blk);

/* Adds the problems of YIELD to those of SCAN and frees all of YIELD. */
void e2s_yield_merge(struct e2s_scan *scan, struct yield *yield);
void e2s_yield_free(struct yield *yield);

/* --- one inode, raw (inode.c) --- */

enum inode_kind { INODE_FREE, INODE_SPECIAL, INODE_FILE, INODE_DIR,
		  INODE_GARBAGE };

enum inode_kind e2s_inode_kind(const struct e2s_fs *fs, uint32_t ino,
			       const uint8_t *raw);
/* When it was created, as a number that sorts like the time: i_crtime with its
 * nanoseconds, E2S_TIME_ZERO where the inode stores none. */
uint64_t e2s_inode_time(const struct e2s_fs *fs, const uint8_t *raw);
#define E2S_TIME_ZERO ((uint64_t)1 << 61)
uint64_t e2s_inode_size(const uint8_t *raw);

/* --- where the blocks of a directory are (dirmap.c) --- */

/* Called for each run of blocks, in ascending LBLK.  Non-zero stops. */
typedef errcode_t (*dir_run_fn)(void *ctx, uint32_t lblk, uint64_t blk,
				uint32_t count);

/*
 * Calls FN for the blocks of the directory RAW (extents or block map; not
 * inline).  SCRATCH is block_size bytes a level, five levels.  Sets *BAD when
 * the map is damaged, has a hole or reaches outside the file system; what came
 * before has been handed out.  Returns read errors and FN's.
 */
errcode_t e2s_dir_map(const struct e2s_fs *fs, uint32_t ino, const uint8_t *raw,
		      uint8_t *scratch, dir_run_fn fn, void *ctx, int *bad,
		      struct e2s_where *where);
#define DIR_MAP_LEVELS 5

#endif
