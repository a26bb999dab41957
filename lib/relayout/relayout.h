/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relayout: carries a plan out.
 *
 * It decides nothing: each batch of the plan is read from the device, written
 * anew under the new numbers, and given to redo as one atomic transaction.  A
 * batch rewrites what INODE numbers touch: slots with their checksums, names
 * in every directory, extent blocks' checksums, bitmaps, counts, high-water
 * marks and descriptors.  Times, contents and everything else stay.
 *
 * What is written, and in what order, does not depend on the number of threads.
 */
#ifndef E2S_RELAYOUT_RELAYOUT_H
#define E2S_RELAYOUT_RELAYOUT_H

#include "plan/batches.h"
#include "redo/redo.h"

struct e2s_relayout_options {
	unsigned threads;	/* 0: as many as there are CPUs */
	/* Told after each batch how many moves are done; may be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	/* Asked before each batch; non-zero stops there.  May be NULL. */
	int (*stop)(void *ctx);
	void *ctx;
};

struct e2s_relayout_result {
	uint64_t moves;		/* done, all of them on the disk */
	uint64_t batches;
	uint64_t blocks;	/* written in place */
	int stopped;		/* by options->stop */
};

/*
 * Carries PLAN out on FS, opened to be changed, through REDO.  FS's descriptors
 * in memory follow.  The plan was made of a scan of the same file system with
 * E2S_PLAN_COST_FLAGS, unchanged since; unless directories move its slots are
 * not needed any more (e2s_scan_drop_slots).
 *
 * E2S_ET_BATCH_TOO_BIG and _NO_FREE come before anything is written: unless it is
 * plain that there will be none, all batches are cut once beforehand.  After any
 * other error e2s_redo_state() tells what is left; batches in RET->moves are
 * done.  Whatever does not look as the scan saw it gives E2S_ET_NOT_AS_SCANNED
 * with its place, and the batch is given up.
 */
errcode_t e2s_relayout_run(struct e2s_fs *fs, const struct e2s_plan *plan,
			   const struct e2s_scan *scan, struct e2s_redo *redo,
			   const struct e2s_relayout_options *options,
			   struct e2s_relayout_result *ret,
			   struct e2s_where *where);

#endif
