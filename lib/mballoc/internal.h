/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of mballoc/ share with one another and with nobody else.
 *
 * e2s_mb_x() is the kernel's mb_x() or ext4_mb_x().
 */
#ifndef E2S_MBALLOC_INTERNAL_H
#define E2S_MBALLOC_INTERNAL_H

#include <string.h>

#include "mballoc/mballoc.h"

struct e2s_mballoc {
	struct e2s_mballoc_layout layout;
	unsigned orders;
	const struct e2s_fs *fs;	/* bitmaps are there, or NULL: */
	struct e2s_mballoc_source source;
	struct e2s_mballoc_group *group;	/* [groups] */
	uint32_t *counters;		/* [groups * orders] */
};

/* bits.c: little-endian bitmaps, as on disk */
static inline int mb_test_bit(uint32_t bit, const uint8_t *bm)
{
	return bm[bit >> 3] >> (bit & 7) & 1;
}

static inline void mb_set_bit(uint32_t bit, uint8_t *bm)
{
	bm[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static inline void mb_clear_bit(uint32_t bit, uint8_t *bm)
{
	bm[bit >> 3] &= (uint8_t)~(1u << (bit & 7));
}

void e2s_mb_set_bits(uint8_t *bm, uint32_t start, uint32_t len);

/* The first zero (set) bit from FROM on and below MAX, else MAX. */
uint32_t e2s_mb_find_next_zero_bit(const uint8_t *bm, uint32_t max,
				   uint32_t from);
uint32_t e2s_mb_find_next_bit(const uint8_t *bm, uint32_t max, uint32_t from);

/* Position of the highest set bit, counted from 1; 0 for 0. */
static inline int fls(uint32_t x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

/* bitmap.c */

/* True when GROUP's block bitmap is not on disk but follows from the layout. */
int e2s_mb_block_uninit(const struct e2s_fs *fs, uint32_t group);

/*
 * BITS holds GROUP's block bitmap as read, or anything when the group is
 * BLOCK_UNINIT: then it is made.  Returns enum e2s_mballoc_health.
 */
unsigned e2s_mb_check_block_bitmap(const struct e2s_fs *fs, uint32_t group,
			       uint8_t *bits);

/* Reads or makes GROUP's bitmap; health is not looked at again. */
errcode_t e2s_mb_load_bitmap(const struct e2s_mballoc *mb, uint32_t group,
			 uint8_t *bits, struct e2s_where *where);

/* buddy.c: a group's buddy, as in struct ext4_buddy */
struct mb_buddy {
	uint32_t group;
	struct e2s_mballoc_group info;
	uint32_t counters[E2S_MBALLOC_ORDERS_MAX];
	uint8_t bits[];			/* bitmap block, buddy block */
};

int e2s_mb_avg_fragment_size_order(unsigned orders, uint32_t len);

/* Sets the two orders of INFO from its numbers and COUNTERS. */
void e2s_mb_set_orders(unsigned orders, struct e2s_mballoc_group *info,
		   const uint32_t *counters);

/*
 * Counts INFO and COUNTERS (orders numbers) from BITMAP.  BUDDY, unless NULL,
 * is a block of ones that gets the bits of orders 1 and up.
 */
void e2s_mb_generate_buddy(const struct e2s_mballoc_layout *layout,
			    unsigned orders, const uint8_t *bitmap,
			    uint8_t *buddy, struct e2s_mballoc_group *info,
			    uint32_t *counters);

/* The bits of ORDER in B and how many there are; NULL past the last order. */
uint8_t *e2s_mb_find_buddy(const struct e2s_mballoc *mb, struct mb_buddy *b,
		       unsigned order, uint32_t *max);

/* Length of the free extent from START on, looked for up to NEEDED. */
uint32_t e2s_mb_find_extent(const struct e2s_mballoc *mb, struct mb_buddy *b,
			uint32_t start, uint32_t needed,
			struct e2s_mballoc_extent *ex);

void e2s_mb_mark_used(const struct e2s_mballoc *mb, struct mb_buddy *b,
		  const struct e2s_mballoc_extent *ex);

/* groupset.c: a set of group numbers; all zero is the empty set */
#define GROUPSET_LEVELS 6
#define GROUPSET_NONE UINT64_MAX

struct groupset {
	unsigned levels;
	uint64_t *level[GROUPSET_LEVELS];	/* 64 bits: one of the next */
	uint64_t bits[GROUPSET_LEVELS];
};

/* Adds GROUP to a set of numbers below GROUPS. */
errcode_t e2s_groupset_add(struct groupset *set, uint32_t groups,
			   uint32_t group);
void e2s_groupset_remove(struct groupset *set, uint32_t group);
/* The lowest member >= FROM, or GROUPSET_NONE. */
uint64_t e2s_groupset_next(const struct groupset *set, uint64_t from);
void e2s_groupset_free(struct groupset *set);

/* state.c */
#define CLEAN_BUDDIES 64		/* loaded, unchanged, may be dropped */

struct e2s_mballoc_state {
	const struct e2s_mballoc *mb;
	struct e2s_mballoc_search search;
	uint32_t *last_group;		/* [slots]: s_mb_last_groups */
	uint32_t *slot;			/* [groups]: place in changed + 1 */
	E2S_VEC(struct mb_buddy *) changed;
	struct mb_buddy *clean[CLEAN_BUDDIES];
	struct groupset largest[E2S_MBALLOC_ORDERS_MAX];
	struct groupset fragment[E2S_MBALLOC_ORDERS_MAX];
};

/* The buddy of GROUP, valid until the next call. */
errcode_t e2s_mb_load_buddy(struct e2s_mballoc_state *state, uint32_t group,
			     struct mb_buddy **ret, struct e2s_where *where);

/* Takes EX, which is free, out of B, and moves the group on the lists. */
errcode_t e2s_mb_take_extent(struct e2s_mballoc_state *state,
			     struct mb_buddy *b,
			     const struct e2s_mballoc_extent *ex);

/* allocate.c: one request, that can be stopped between any two groups */
enum mb_status { AC_STATUS_CONTINUE, AC_STATUS_FOUND, AC_STATUS_BREAK };

struct mb_cursor {
	enum { CURSOR_ENTER, CURSOR_LINEAR, CURSOR_LIST } stage;
	uint32_t group;			/* linear: next group */
	uint32_t left;			/* linear: groups still to yield */
	int whole;			/* linear: all groups, not the limit */
	uint64_t from, start, end;	/* lists: next and range of groups */
	int order, first, last, step;	/* lists: this, all orders */
};

struct mb_context {
	struct e2s_mballoc_state *state;
	struct e2s_mballoc_request request;
	struct e2s_mballoc_cost *cost;
	uint32_t o_len, g_len, orig_goal_len;
	uint32_t g_group;
	struct e2s_mballoc_extent b_ex;		/* best found, then taken */
	unsigned criteria;
	unsigned order2;			/* ac_2order */
	enum mb_status status;
	int first;				/* EXT4_MB_HINT_FIRST */
	uint32_t found;
	struct mb_cursor cursor;
};

void e2s_mb_initialize_context(struct mb_context *ac,
				struct e2s_mballoc_state *state,
				const struct e2s_mballoc_request *request,
				struct e2s_mballoc_cost *cost);

/*
 * The next group to look at, in *GROUP, while the search goes on: 1.  0: it is
 * over; e2s_mb_try_best_found() is next.
 */
int e2s_mb_next_group(struct mb_context *ac, uint32_t *group);

/* search.c */

/* With and without counting it as considered. */
int e2s_mb_good_group_nolock(struct mb_context *ac, uint32_t group);
int e2s_mb_good_group(const struct mb_context *ac, uint32_t group);

/* Searches GROUP, as under its lock; ac->status says how it ended. */
errcode_t e2s_mb_scan_group_locked(struct mb_context *ac, uint32_t group,
				    struct e2s_where *where);

/*
 * After the last group: takes the best extent seen.  When others were faster
 * the search starts anew for anything free: *AGAIN is 1.
 */
errcode_t e2s_mb_try_best_found(struct mb_context *ac, int *again,
				 struct e2s_where *where);

#endif
