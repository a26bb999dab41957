/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: what a layout is like.  Pure functions of a scan: they read no
 * device, change nothing and may be called from any thread.
 *
 * A block here is an itable block that holds a file with a home.  A block is
 * shared when it holds files of two homes or more, and sibling-shared when two
 * of those homes have the same parent (the root directory is nobody's
 * sibling).  A window is what the kernel reads ahead with a block: an aligned
 * run of readahead_blks itable blocks of one group (k: __ext4_get_inode_loc).
 */
#ifndef E2S_MEASURE_MEASURE_H
#define E2S_MEASURE_MEASURE_H

#include "scan/readdir.h"
#include "scan/scan.h"

/* Sums over a flex group or over the whole file system. */
struct e2s_counters {
	uint64_t directories;		/* directory inodes lying there */
	uint64_t files;			/* files with a home lying there */
	uint64_t itable_blocks;		/* blocks, as defined above */
	uint64_t directory_blocks;	/* sum over blocks of their homes */
	uint64_t shared_blocks;
	uint64_t sibling_shared_blocks;
	uint64_t windows;		/* sum over windows of their homes */
	uint64_t groups_inode_uninit;	/* groups with INODE_UNINIT */
	uint64_t itable_blocks_fsck;	/* itable blocks that e2fsck scans */
	uint32_t homes_per_block_max;
};

/* Inodes that the largest block (64 KiB) can hold, at the least size. */
#define E2S_IPB_MAX 512

struct e2s_measure {
	struct e2s_counters totals;
	struct e2s_counters *flex;	/* [flex group] */
	uint64_t homes;			/* directories with a file */
	uint64_t least_blocks;		/* sum over homes of ceil(n / ipb) */
	uint64_t siblings[E2S_IPB_MAX + 1];	/* [k] times that a block holds
					 * files of k children of a directory */
	uint32_t *files;		/* [directory] its files */
	uint32_t *blocks;		/* [directory] blocks that hold them */
};

/*
 * Measures the layout of SCAN, which may be one that a plan leads to.
 * READAHEAD_BLKS is a power of two.  RET is filled for e2s_measure_free().
 * Returns ENOMEM.
 */
errcode_t e2s_measure_layout(const struct e2s_scan *scan,
			     uint32_t readahead_blks, struct e2s_measure *ret);

/*
 * The same in steps, for a SCAN that has the slots of some groups at a time:
 * start; groups FIRST <= group < END until all have been given, in ascending
 * order; finish, which frees *PASS.
 */
struct e2s_measure_pass;
errcode_t e2s_measure_start(const struct e2s_scan *scan,
			    uint32_t readahead_blks, struct e2s_measure *ret,
			    struct e2s_measure_pass **pass);
void e2s_measure_groups(struct e2s_measure_pass *pass, uint32_t first,
			uint32_t end);
void e2s_measure_finish(struct e2s_measure_pass *pass);
void e2s_measure_free(struct e2s_measure *measure);

/*
 * Predicted reads of itable blocks while tasks create the files anew, one task
 * a directory, siblings in lock-step: a block that k of them fill is read with
 * probability 1 - exp(-(k - 1) * RHO).  E2S_RHO fits the patch's figures.
 */
double e2s_measure_creation_reads(const struct e2s_measure *measure, double rho);
#define E2S_RHO 0.139

/*
 * HOMES[group], for each group: directories with files whose home group that is
 * by the rule of policy spread, the directory's number modulo the groups of its
 * flex group.  Two in one group collide: their new files share itable blocks.
 */
void e2s_measure_home_groups(const struct e2s_scan *scan,
			     const struct e2s_measure *measure,
			     uint32_t *homes);

/* The first files, by inode number, of a directory and of its siblings. */
struct e2s_nth {
	uint32_t dirs;		/* the directory itself, then its siblings */
	uint32_t files;		/* of each, as many as the first one has */
	uint32_t *ino;		/* [dirs][files], 0 where one has fewer; for
				 * free() */
};

/* Of DIR and its siblings with files, at most so many of each.  ENOMEM. */
errcode_t e2s_measure_nth(const struct e2s_scan *scan,
			  const struct e2s_measure *measure, uint32_t dir,
			  uint32_t most_dirs, uint32_t most_files,
			  struct e2s_nth *ret);

/* ceil(FILES / ipb): the fewest blocks that can hold so many files. */
static inline uint64_t e2s_least_blocks(const struct e2s_geometry *geo,
					uint64_t files)
{
	return (files + geo->inodes_per_block - 1) / geo->inodes_per_block;
}

/* One directory in detail. */
struct e2s_dir_row {
	uint32_t dir;			/* its number in the scan */
	uint32_t files, blocks, least_blocks;
	uint32_t exclusive_blocks;	/* blocks that hold no other home's files */
	uint32_t groups, flex_groups;	/* spanned by its files */
	uint32_t windows;
	uint32_t home_flex_files;	/* files in the directory's flex group */
	uint64_t readdir_switches;	/* block changes in readdir order */
	uint64_t inode_order_switches;	/* block changes in inode order */
};

/*
 * The WANT worst homes, worst first: by blocks more than the least, then by
 * files, then by lowest inode number.  *ROWS is for free(), *N at most WANT;
 * all fields but readdir_switches are filled.  Returns ENOMEM.
 */
errcode_t e2s_measure_worst(const struct e2s_scan *scan,
			    const struct e2s_measure *measure,
			    uint32_t readahead_blks, size_t want,
			    struct e2s_dir_row **rows, size_t *n);

/*
 * How often the itable block changes when the files whose home is DIR are
 * visited in the order of NAMES; a file with two names there is visited twice.
 */
uint64_t e2s_measure_switches(const struct e2s_scan *scan, uint32_t dir,
			      const struct e2s_names *names);

#endif
