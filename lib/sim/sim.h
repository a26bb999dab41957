/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim: what a workload would do to a file system under a policy.  It starts
 * from a scan, lets tasks make files, and says where their inodes went and how
 * often an itable block had to be read for it.  Where an inode goes is lib/
 * ialloc's answer, exactly; what is read is a model, which doc/simulate.md
 * describes and holds against measurements.
 *
 * Nothing is written and the scan is not changed.  Same scan, same options,
 * same result.  One run is one thread's; runs over one scan may go in parallel
 * but for those with a trace, which look names up through libext2fs.
 */
#ifndef E2S_SIM_SIM_H
#define E2S_SIM_SIM_H

#include "ialloc/ialloc.h"
#include "scan/scan.h"
#include "sim/trace.h"

/* N tasks, each in a directory of its own; the directories are siblings. */
enum e2s_sim_pattern {
	E2S_SIM_CREATE,		/* all at once, each at its own pace */
	E2S_SIM_ROUND_ROBIN,	/* in strict turns: a file in each directory */
	E2S_SIM_REFILL,		/* half of each directory's files are deleted,
				 * after a remount the tasks make them anew */
	E2S_SIM_TREE,		/* as create, but a tree in each directory */
	E2S_SIM_MIXED,		/* as create, with deletions, and some files in
				 * the next task's directory */
	E2S_SIM_PATTERNS
};

/* "round-robin", or NULL behind the last. */
const char *e2s_sim_pattern_name(enum e2s_sim_pattern pattern);

/* Told of each inode in order of creation; TASK made it in directory DIR. */
typedef void (*e2s_sim_placed_fn)(void *ctx, uint32_t task, uint32_t dir,
				  const struct e2s_ialloc_placed *placed,
				  int is_dir);

struct e2s_sim_options {
	const struct e2s_ialloc_policy *policy;
	enum e2s_sim_pattern pattern;
	uint32_t tasks, files;		/* at least 1; files for each task */
	uint32_t parent;		/* inode of the directory to work in;
					 * 0: a new one of the root */
	uint64_t order_seed;		/* other seed, other order of tasks */
	uint32_t readahead_blks;	/* power of two; 0: no readahead */
	int no_read_avoidance;		/* read blocks that hold nothing, too */
	double rho;			/* from an inode's bit to its itable
					 * block, in creates: at once
					 * E2S_SIM_RHO, in turns E2S_RHO */
	const struct e2s_sim_trace *trace;	/* in place of pattern, tasks,
						 * files and parent, or NULL */
	e2s_sim_placed_fn placed;	/* or NULL */
	void *ctx;
};
#define E2S_SIM_RHO 0.131

/*
 * All but the first four and the reads is of the end: what the workload made
 * and then deleted does not count.  Terms as in measure/measure.h; a block here
 * is one that holds a file of the workload, but old files in it do count as
 * homes.
 */
struct e2s_sim_result {
	uint64_t directories, files;	/* made */
	uint64_t out_of_inodes;		/* files and directories that could
					 * not be made for want of an inode */
	uint64_t chosen[E2S_IALLOC_WHYS];	/* files, not directories */
	double creation_reads;		/* itable blocks read, not ahead */
	uint64_t groups, flex_groups;	/* that hold a file of the workload */
	uint64_t itable_blocks, directory_blocks;
	uint64_t shared_blocks, sibling_shared_blocks;
	uint64_t homes_per_block_max;
	uint64_t homes;			/* directories that have files of it */
	uint64_t home_blocks;		/* sum over these of their blocks, */
	uint64_t home_windows;		/* and of their windows */
	uint64_t walk_windows;		/* windows with any inode of it: what
					 * one cold walk over it all reads */
	uint64_t groups_lose_uninit;
	uint64_t fsck_blocks;		/* itable blocks e2fsck reads more */
};

/*
 * Runs the workload over SCAN, whose device must still be open.  Returns
 * ENOMEM; e2s_ialloc_load()'s errors; E2S_ET_NO_PARENT where options->parent is
 * no directory; of a trace, with its line: E2S_ET_TRACE_MISSING,
 * E2S_ET_TRACE_EXISTS, E2S_ET_TRACE_NOT_DIR, E2S_ET_TRACE_IS_DIR,
 * E2S_ET_TRACE_NOT_EMPTY, E2S_ET_TRACE_INSIDE.  Want of inodes is no error.
 */
errcode_t e2s_sim_run(const struct e2s_scan *scan,
		      const struct e2s_sim_options *options,
		      struct e2s_sim_result *ret, struct e2s_where *where);

/*
 * The inode of the directory PATH of FS, from its root, not following links.
 * Returns E2S_ET_NO_PARENT, or what libext2fs found wrong.
 */
errcode_t e2s_sim_find_dir(const struct e2s_scan *scan, const char *path,
			   uint32_t *ino, struct e2s_where *where);

#endif
