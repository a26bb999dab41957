/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: the permutation old inode number -> new, and what it costs.
 *
 * It decides everything and writes nothing: relayout carries a plan out, and
 * the permutation is all they share.  A plan that exists is sound: it maps
 * movable inodes of its scan one to one onto numbers that are free or that
 * other moves vacate.  One plan is one thread's.
 */
#ifndef E2S_PLAN_PLAN_H
#define E2S_PLAN_PLAN_H

#include <stdio.h>

#include "ialloc/ialloc.h"
#include "scan/scan.h"

struct e2s_plan;

/* How inodes are arranged inside the group that the policy picks. */
enum e2s_plan_order {
	E2S_PLAN_CREATION,	/* as created: exactly the kernel's numbers */
	E2S_PLAN_DIR,		/* a directory at a time, each from a fresh
				 * itable block while free inodes allow */
	E2S_PLAN_HASH,		/* so, and inside it in readdir order */
};

struct e2s_plan_options {
	const struct e2s_ialloc_policy *policy;
	enum e2s_plan_order order;
	int move_dirs;		/* directories are placed anew, too */
};

/* What a scan must have been told to keep for a plan, and for its cost. */
#define E2S_PLAN_SCAN_FLAGS (E2S_SCAN_TIMES | E2S_SCAN_PINS)
#define E2S_PLAN_COST_FLAGS (E2S_PLAN_SCAN_FLAGS | E2S_SCAN_PLACES)

/*
 * The plan that takes every movable inode of SCAN out and puts it back in order
 * of creation, where the policy puts it.  SCAN must outlive the plan; its times
 * are no longer needed then (e2s_scan_drop_times).  *RET is the caller's, for
 * e2s_plan_free().  Returns ENOMEM, read errors, E2S_ET_NO_INODES, or
 * e2s_ialloc_load()'s; refuses with E2S_ET_DAMAGED a scan that met problems,
 * and with e2s_pin_refuses()'s.
 */
errcode_t e2s_plan_build(struct e2s_scan *scan,
			 const struct e2s_plan_options *options,
			 struct e2s_plan **ret, struct e2s_where *where);

/*
 * The plan in the text file STREAM (format: doc/plan-file.md), believing
 * nothing in it: returns E2S_ET_PLAN_* with the line in WHERE.
 */
errcode_t e2s_plan_read(struct e2s_scan *scan, FILE *stream, int move_dirs,
			struct e2s_plan **ret, struct e2s_where *where);

/* The text of PLAN, handed to WRITE piece by piece; stops on its error. */
typedef errcode_t (*e2s_plan_write_fn)(void *ctx, const char *text, size_t len);
errcode_t e2s_plan_text(const struct e2s_plan *plan, e2s_plan_write_fn write,
			void *ctx);

/* Only the moves, a line "OLD TAB NEW" each, in ascending order of OLD. */
errcode_t e2s_plan_map_text(const struct e2s_plan *plan,
			    e2s_plan_write_fn write, void *ctx);

void e2s_plan_free(struct e2s_plan *plan);

/* How many inodes get another number. */
uint64_t e2s_plan_moves(const struct e2s_plan *plan);

/* Where OLD goes: its new number, OLD itself when it stays. */
uint32_t e2s_plan_new_ino(const struct e2s_plan *plan, uint32_t old);

/* The next inode above AFTER that moves, 0 when there is none. */
uint32_t e2s_plan_next_move(const struct e2s_plan *plan, uint32_t after);

/* True when directories may move under PLAN. */
int e2s_plan_moves_dirs(const struct e2s_plan *plan);

/* Slots of GROUP below its high-water mark afterwards. */
uint32_t e2s_plan_used_after(const struct e2s_plan *plan, uint32_t group);

/*
 * What a scan would find after PLAN, a stretch of groups at a time, so that it
 * takes little memory.  e2s_outcome_next() goes to the next stretch, FIRST <=
 * group < END, and returns 0 when there is none.  The scan has the directories'
 * new numbers and all high-water marks from the start, the slots of the groups of
 * the stretch, and nothing else.  *RET is the caller's, for e2s_outcome_free().
 * Returns ENOMEM.
 */
struct e2s_outcome;
errcode_t e2s_outcome_start(const struct e2s_plan *plan,
			    struct e2s_outcome **ret);
const struct e2s_scan *e2s_outcome_scan(const struct e2s_outcome *outcome);
int e2s_outcome_next(struct e2s_outcome *outcome, uint32_t *first,
		     uint32_t *end);
void e2s_outcome_free(struct e2s_outcome *outcome);

/* Inodes that stay, by reason: those of pins.h, then these. */
enum e2s_plan_stay {
	E2S_STAY_RESERVED = E2S_PIN_REASONS,	/* below s_first_ino */
	E2S_STAY_JOURNAL,
	E2S_STAY_QUOTA,
	E2S_STAY_ORPHAN_FILE,
	E2S_STAY_EA_INODE,
	E2S_STAY_DIRECTORY,	/* without --move-dirs */
	E2S_STAYS
};

const char *e2s_plan_stay_words(unsigned stay);
uint64_t e2s_plan_stays(const struct e2s_plan *plan, unsigned stay);

/* What carrying the plan out writes, in place. */
struct e2s_plan_cost {
	uint64_t moves;
	uint64_t itable_blocks;
	uint64_t dir_blocks;
	uint64_t extent_blocks;
	uint64_t bitmap_blocks;
	uint64_t desc_blocks;		/* of group descriptors */
	uint64_t blocks;		/* their sum */
	uint64_t chunks_4m;		/* 4 MiB chunks that these lie in */
	uint64_t groups_lose_uninit;	/* groups that lose INODE_UNINIT */
	uint64_t fsck_blocks_before;	/* itable blocks that e2fsck scans */
	uint64_t fsck_blocks_after;
};

/* Needs a scan with E2S_PLAN_COST_FLAGS.  Returns ENOMEM. */
errcode_t e2s_plan_cost(const struct e2s_plan *plan,
			struct e2s_plan_cost *cost);

#endif
