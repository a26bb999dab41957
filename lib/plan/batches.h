/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batches: cuts a plan into closed sets of moves.
 *
 * After every batch the file system is whole: a number that is moved to is
 * free by then, or vacated in the same batch, and all names of an inode that
 * moves change with it.  A plan that fits into one batch is not cut at all.
 * Otherwise the inodes leave one area after the other (route.h).  A chain of
 * moves is cut anywhere, from its free end on; where it leads into an area that
 * is still to be left, it ends at a number that nobody wants, if there is one,
 * and its last inode goes on from there later.  A cycle goes into one batch or,
 * where it is larger than any batch, is opened through a free number.  An inode
 * that waits somewhere moves twice.
 *
 * Memory: 12 bytes for each move of a batch; if there are several, three bits
 * an inode, 4 bytes for each move of the longest chain, 40 for each inode that
 * ever waits.
 */
#ifndef E2S_PLAN_BATCHES_H
#define E2S_PLAN_BATCHES_H

#include "plan/plan.h"

/* One move of a batch. */
struct e2s_step {
	uint32_t from, to;	/* numbers before and after the batch */
	uint32_t old;		/* number in the plan's scan */
};

struct e2s_batches;

/* PLAN's scan has been made with E2S_PLAN_COST_FLAGS.  *RET is the caller's,
 * for e2s_batches_free().  Returns ENOMEM. */
errcode_t e2s_batches_new(const struct e2s_plan *plan, struct e2s_batches **ret);
void e2s_batches_free(struct e2s_batches *batches);

/*
 * The next batch, of at most ROOM blocks to write: *STEPS, *N of them in no
 * order, for the caller to sort and the iterator's again at the next call; *N
 * is 0 at the end.  Returns
 * E2S_ET_BATCH_TOO_BIG with the inode when one move alone needs more,
 * E2S_ET_BATCH_NO_FREE when a cycle cannot be opened, or ENOMEM.
 */
errcode_t e2s_batches_next(struct e2s_batches *batches, uint64_t room,
			   struct e2s_step **steps, size_t *n,
			   struct e2s_where *where);

/* True when the batches so far are all there will be; may be late to know. */
int e2s_batches_done(const struct e2s_batches *batches);

/* True when it is plain that e2s_batches_next(), with ROOM blocks or more, will
 * return neither E2S_ET_BATCH_TOO_BIG nor E2S_ET_BATCH_NO_FREE. */
int e2s_batches_sure(const struct e2s_batches *batches, uint64_t room);

/*
 * Which blocks and directories a directory that moves takes along: its own
 * directory blocks, and its subdirectories for their "..".  Made once a plan.
 */
struct e2s_family {
	uint32_t *block_start, *blocks;	/* [directory]: into e2s_scan.dir_blocks */
	uint32_t *child_start, *children;	/* [directory]: directories */
};

errcode_t e2s_family_new(const struct e2s_scan *scan, struct e2s_family *ret);
void e2s_family_free(struct e2s_family *family);

/* The directory block that begins DIR, which has blocks: "." and ".." are in
 * it. */
e2s_place e2s_family_first_block(const struct e2s_scan *scan,
				 const struct e2s_family *family, uint32_t dir);

#endif
