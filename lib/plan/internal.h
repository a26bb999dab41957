/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of plan/ share with one another and with nobody else. */
#ifndef E2S_PLAN_INTERNAL_H
#define E2S_PLAN_INTERNAL_H

#include "plan/bits.h"
#include "plan/plan.h"

struct e2s_plan {
	struct e2s_scan *scan;
	struct e2s_plan_options options;
	uint32_t **new_of;	/* shape of the scan's slots: new number, 0 for
				 * one that stays or is free */
	uint32_t *used_after;	/* [group] slots up to the high-water mark */
	uint64_t moves;
	uint32_t *none;		/* the new_of of groups without inodes */
	struct ino_bits stays;	/* in use, and not moved */
	uint8_t *inhabited;	/* [group]: there are inodes in the end */
	struct e2s_arena arena;	/* new_of */
};

/* A plan of SCAN in which nothing moves, its arrays made.  Returns the refusals
 * of e2s_plan_build(). */
errcode_t e2s_plan_new(struct e2s_scan *scan,
		       const struct e2s_plan_options *options,
		       struct e2s_plan **ret, struct e2s_where *where);

/*
 * Walks the inodes of a group with the reason why each stays.  Pins are sorted
 * like inodes, so one cursor over them serves a whole pass.
 */
struct stay_cursor {
	const struct e2s_plan *plan;
	size_t pin;
	uint32_t next_pin;	/* below it no inode is pinned; 0: not known */
};

#define STAY_FREE (E2S_STAYS + 0u)	/* nothing is there */
#define STAY_NOT (E2S_STAYS + 1u)	/* may move */

/* Why slot INDEX of GROUP stays, STAY_FREE or STAY_NOT.  Ascending calls. */
unsigned e2s_plan_look_why_stay(struct stay_cursor *cursor, uint32_t group,
				uint32_t index);

static inline unsigned e2s_plan_why_stay(struct stay_cursor *cursor,
					 uint32_t group, uint32_t index)
{
	const struct e2s_scan *scan = cursor->plan->scan;
	uint32_t ino = group * scan->fs->geo.inodes_per_group + index + 1;

	if (ino < cursor->next_pin &&
	    e2s_slot_has_home(scan->layout.slots[group][index]))
		return STAY_NOT;
	return e2s_plan_look_why_stay(cursor, group, index);
}

/* True when something in a bad block keeps INO, even a free one. */
int e2s_plan_is_bad_slot(const struct e2s_scan *scan, uint32_t ino);

/*
 * Fills plan->used_after, stays, inhabited and moves from new_of (dropping
 * moves onto themselves), after proving that the map is one to one onto usable
 * numbers.  Returns E2S_ET_PLAN_* with the inode in WHERE.
 */
errcode_t e2s_plan_seal(struct e2s_plan *plan, struct e2s_where *where);

/* The next inode above AFTER that moves, of the groups below END, or 0. */
uint32_t e2s_plan_next_move_below(const struct e2s_plan *plan, uint32_t after,
				  uint32_t end);

/* --- the order of creation (order.c) --- */

struct creation;

/* All files and directories of SCAN, which has its crtimes. */
errcode_t e2s_creation_start(const struct e2s_scan *scan, struct creation **ret);
/* 1 and where the next is, oldest first; 0 at the end. */
int e2s_creation_next(struct creation *creation, uint32_t *group,
		      uint32_t *index);
void e2s_creation_free(struct creation *creation);

/* --- the arrangement inside groups (arrange.c) --- */

/* Rearranges new_of by plan->options.order, keeping every inode's group. */
errcode_t e2s_plan_arrange(struct e2s_plan *plan, struct e2s_where *where);

static inline uint32_t e2s_ino_group(const struct e2s_plan *plan, uint32_t ino)
{
	return e2s_geometry_group(&plan->scan->fs->geo, ino);
}

static inline uint32_t e2s_ino_index(const struct e2s_plan *plan, uint32_t ino)
{
	return e2s_geometry_index(&plan->scan->fs->geo, ino);
}

static inline uint32_t *e2s_new_of(const struct e2s_plan *plan, uint32_t ino)
{
	return &plan->new_of[e2s_ino_group(plan, ino)][e2s_ino_index(plan, ino)];
}

#endif
