/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second half of mballoc's contract: requests, tasks that meet, and the
 * goals of streams.  Include mballoc/mballoc.h.
 */
#ifndef E2S_MBALLOC_REQUEST_H
#define E2S_MBALLOC_REQUEST_H

/* enum criteria; CR 0 and CR 1 of older kernels are the first two. */
enum e2s_mballoc_criteria {
	CR_POWER2_ALIGNED,
	CR_GOAL_LEN_FAST,
	CR_BEST_AVAIL_LEN,
	CR_GOAL_LEN_SLOW,
	CR_ANY_FREE,
	EXT4_MB_NUM_CRS
};

/* How a mounted file system searches. */
struct e2s_mballoc_search {
	int optimize_scan;		/* mb_optimize_scan */
	uint32_t linear_limit;		/* mb_max_linear_groups: 4 on a disk
					   that rotates, 0 on others */
	uint32_t slots;			/* e2s_mballoc_goal_slots(); 0 is 1 */
};

/* One call of ext4_mb_new_blocks() for a regular file with extents. */
struct e2s_mballoc_request {
	uint32_t len;			/* clusters, > 0; cut to a group */
	uint32_t goal;			/* group to start from, if no stream */
	int stream;			/* start from SLOT's goal, and set it */
	uint32_t slot;			/* < slots of the search */
};

/* What the request cost, as the kernel counts in mb_stats. */
struct e2s_mballoc_cost {
	uint64_t considered[EXT4_MB_NUM_CRS];	/* groups_considered */
	uint64_t examined[EXT4_MB_NUM_CRS];	/* those groups once each; the
						   kernel counts listed ones
						   twice */
	uint64_t hits[EXT4_MB_NUM_CRS];
	uint64_t extents[EXT4_MB_NUM_CRS];	/* extents_scanned */
	uint64_t failed[EXT4_MB_NUM_CRS];	/* useless_loops */
	uint64_t scanned;			/* groups_scanned */
	uint64_t late;				/* best extent taken when all
						   criteria were through: the
						   kernel counts it one past
						   its hits, where the failed
						   of CR_POWER2_ALIGNED are */
};

struct e2s_mballoc_extent {
	uint32_t group, start, len;		/* len 0: nothing is free */
};

/* Searching over MB, which must outlive it.  *RET is for _state_free(). */
errcode_t e2s_mballoc_state_new(const struct e2s_mballoc *mb,
				const struct e2s_mballoc_search *search,
				struct e2s_mballoc_state **ret);
void e2s_mballoc_state_free(struct e2s_mballoc_state *state);

/*
 * Takes what REQUEST gets; *GOT may be shorter than asked for.  COST is added
 * to.  Returns ENOMEM, what e2s_fs_read() says, or E2S_ET_BITMAP_CHANGED.
 */
errcode_t e2s_mballoc_allocate(struct e2s_mballoc_state *state,
			       const struct e2s_mballoc_request *request,
			       struct e2s_mballoc_extent *got,
			       struct e2s_mballoc_cost *cost,
			       struct e2s_where *where);

/* GROUP as it is after the requests so far. */
const struct e2s_mballoc_group *
e2s_mballoc_state_group(const struct e2s_mballoc_state *state, uint32_t group);
const uint32_t *
e2s_mballoc_state_counters(const struct e2s_mballoc_state *state,
			   uint32_t group);

/* Tasks that allocate at once; doc/mballoc.md says what is assumed. */
struct e2s_mballoc_tasks {
	uint32_t tasks;			/* each on its own CPU */
	uint32_t requests;		/* of each task */
	uint32_t len;			/* clusters of each request */
	uint32_t goal;			/* where not a stream */
	int stream;			/* task t has goal slot t % slots */
	int skip_busy;			/* pass over locked groups, but not at
					   CR_ANY_FREE */
	uint32_t look_steps;		/* to look at a group without lock */
	uint32_t hold_steps;		/* a group lock is held for one scan */
	uint32_t mark_steps;		/* and again to mark the bitmap */
	uint32_t pause_steps;		/* between a task's requests */
};

struct e2s_mballoc_meeting {
	uint64_t requests;		/* that got blocks */
	uint64_t clusters;		/* that they got */
	uint64_t failed;		/* requests that got nothing */
	uint64_t tries;			/* lock attempts, refused ones too */
	uint64_t waits;			/* of them: waited for another task */
	uint64_t wait_steps;		/* for so long, all tasks together */
	uint64_t skips;			/* of them: passed over the group */
	uint64_t in_vain;		/* locked, but no longer good enough */
	uint64_t aliases;		/* waits and skips by a task that wanted
					   another group under the same lock */
	uint32_t groups_met;		/* groups some task wanted but found
					   locked */
	uint32_t groups_used;		/* groups that gave blocks */
	uint64_t steps;			/* until the last task is done */
	struct e2s_mballoc_cost cost;
};

/* Lets TASKS run on a state of its own over MB.  Errors: _allocate()'s. */
errcode_t e2s_mballoc_meet(const struct e2s_mballoc *mb,
			   const struct e2s_mballoc_search *search,
			   const struct e2s_mballoc_tasks *tasks,
			   struct e2s_mballoc_meeting *ret,
			   struct e2s_where *where);

/* s_mb_nr_global_goals: min(CPUs, groups / 4 rounded up); CPUS >= 1. */
uint32_t e2s_mballoc_goal_slots(uint32_t cpus, uint32_t groups);

/* Adds the N inodes at INO to HIST[SLOTS]: the slot is number % SLOTS. */
void e2s_mballoc_goal_histogram(const uint32_t *ino, size_t n, uint32_t slots,
				uint64_t *hist);

#endif
