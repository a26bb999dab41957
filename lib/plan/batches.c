/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/batches.h"
#include "plan/footprint.h"
#include "plan/internal.h"
#include "plan/route.h"

/*
 * What is in hand: numbers of which each moves to the next.  A chain ends at a
 * free number; a cycle goes round; an opened cycle begins by way of a vacant
 * number.  Or the one step of an inode that was parked.
 */
enum kind { CHAIN, CYCLE, OPENED, PARKED };

/*
 * An inode that makes way, but whose own number is taken in an area that is
 * still to be left, waits at a number that nobody else wants: else the chain
 * would have to be followed through all areas that it leads to.
 */
struct parked {
	struct e2s_step step;		/* from there to its place */
	uint64_t batch;			/* in which it came there, */
	size_t index;			/* and by which step */
	uint32_t next;			/* in its list, NONE at the end */
};

#define NONE UINT32_MAX
#define MOST_VACATED (1u << 16)	/* numbers to park at, that are kept */

struct e2s_batches {
	const struct e2s_plan *plan;
	struct footprint *footprint;	/* blocks of the batch under way */
	struct ino_bits left;		/* old number: has moved away */
	struct ino_bits filled;		/* number: something has moved there */
	E2S_VEC(uint32_t) chain;
	enum kind kind;
	uint32_t vacant;
	size_t steps, taken;		/* of the chain */
	E2S_VEC(struct e2s_step) batch;
	/* When there are several: */
	struct route route;
	uint32_t area;			/* under way: into route.order */
	uint32_t cursor;		/* its moves up to here were in hand */
	int begun, over;		/* no more moves to take in hand */
	uint64_t number;		/* of the batch */
	struct ino_bits wanted;		/* numbers that are moved to some time */
	E2S_VEC(struct parked) parked;
	uint32_t *waiting;		/* [area]: parked who go there, a list */
	uint32_t parking;		/* to which the chain in hand leads */
	uint32_t arriving;		/* when that is in hand */
	uint32_t tried;			/* for parking: numbers up to here, */
	E2S_VEC(uint32_t) vacated;	/* and those since */
};

/* --- bits --- */

static int test_bit(const struct e2s_batches *b, const struct ino_bits *bits,
		    uint32_t ino)
{
	return e2s_bits_test(bits, e2s_ino_group(b->plan, ino),
			     e2s_ino_index(b->plan, ino));
}

static errcode_t change_bit(struct e2s_batches *b, struct ino_bits *bits,
			    uint32_t ino, int on)
{
	return e2s_bits_change(bits, e2s_ino_group(b->plan, ino),
			       e2s_ino_index(b->plan, ino), on);
}

/* --- chains --- */

/* Where the inode that is at INO in the scan goes, 0 when nothing moves away
 * from there any more. */
static uint32_t target_of(const struct e2s_batches *b, uint32_t ino)
{
	uint32_t group = e2s_ino_group(b->plan, ino);
	uint32_t i = e2s_ino_index(b->plan, ino), to;

	if (i >= b->plan->scan->layout.used[group])
		return 0;
	to = b->plan->new_of[group][i];
	return to && e2s_bits_test(&b->left, group, i) ? 0 : to;
}

static errcode_t add_to_chain(struct e2s_batches *b, uint32_t ino)
{
	errcode_t err = e2s_vec_reserve(&b->chain, 1);

	if (!err)
		b->chain.v[b->chain.n++] = ino;
	return err;
}

/* --- parking --- */

static uint32_t area_of(const struct e2s_batches *b, uint32_t ino)
{
	return e2s_ino_group(b->plan, ino) / b->route.groups;
}

/* A number that is free from now on, below the high-water mark that the plan
 * leaves, so that no table grows for it; 0 when there is none any more. */
static uint32_t find_parking(struct e2s_batches *b)
{
	const struct e2s_geometry *geo = &b->plan->scan->fs->geo;
	uint32_t ino, group;

	if (b->vacated.n)
		return b->vacated.v[--b->vacated.n];
	while (b->tried < geo->inodes) {
		ino = ++b->tried;
		group = e2s_ino_group(b->plan, ino);
		if (e2s_ino_index(b->plan, ino) >=
		    b->plan->used_after[group]) {
			b->tried = (group + 1) * geo->inodes_per_group;
			continue;
		}
		if (ino >= geo->first_ino && !test_bit(b, &b->wanted, ino) &&
		    !test_bit(b, &b->plan->stays, ino) &&
		    e2s_plan_new_ino(b->plan, ino) == ino &&
		    !e2s_plan_is_bad_slot(b->plan->scan, ino))
			return ino;
	}
	return 0;
}

/*
 * Ends the chain, whose last number is INO and goes to TO, if TO is taken in
 * another area and there is a number to park at.  Where many would have to
 * wait, to move twice costs more than it saves.
 */
static errcode_t park(struct e2s_batches *b, uint32_t ino, uint32_t to,
		      int *parked)
{
	uint32_t area = area_of(b, to), at;
	uint32_t under_way = b->route.order[b->area];
	errcode_t err;

	*parked = 0;
	if (area == under_way || !b->route.closed[under_way] ||
	    !target_of(b, to))
		return 0;
	at = find_parking(b);
	if (!at)
		return 0;
	err = e2s_vec_reserve(&b->parked, 1);
	if (err)
		return err;
	b->parking = (uint32_t)b->parked.n++;
	b->parked.v[b->parking] = (struct parked){
		.step = { at, to, ino }, .next = b->waiting[area],
	};
	b->waiting[area] = b->parking;
	*parked = 1;
	return add_to_chain(b, at);
}

/* Takes one in hand that waits for the area under way; false when none does. */
static int take_waiting(struct e2s_batches *b)
{
	uint32_t *first = &b->waiting[b->route.order[b->area]];

	if (*first == NONE)
		return 0;
	b->arriving = *first;
	*first = b->parked.v[b->arriving].next;
	b->kind = PARKED;
	b->steps = 1;
	b->taken = 0;
	return 1;
}

/* --- what is in hand --- */

/* Takes the chain or cycle that INO belongs to in hand, from INO on. */
static errcode_t follow(struct e2s_batches *b, uint32_t ino)
{
	uint32_t at = ino, to;
	int parked = 0;
	errcode_t err;

	b->chain.n = b->taken = 0;
	b->kind = CHAIN;
	b->parking = NONE;
	err = add_to_chain(b, ino);
	for (to = target_of(b, ino); !err && to && to != ino;
	     to = target_of(b, at)) {
		err = park(b, at, to, &parked);
		if (parked)
			break;
		if (!err)
			err = add_to_chain(b, to);
		at = to;
	}
	if (err)
		return err;
	if (to == ino)
		b->kind = CYCLE;
	b->steps = b->chain.n - (b->kind == CHAIN);
	return 0;
}

/* Step number J.  The one to a free number comes first, so that it may be cut
 * anywhere behind. */
static struct e2s_step step_at(const struct e2s_batches *b, size_t j)
{
	const uint32_t *v = b->chain.v;
	size_t n = b->chain.n;

	switch (b->kind) {
	case CHAIN:
		j = b->steps - 1 - j;
		break;
	case CYCLE:
		break;
	case OPENED:
		/* v[0] makes way; the others backwards; then it arrives. */
		if (!j)
			return (struct e2s_step){ v[0], b->vacant, v[0] };
		if (j == n)
			return (struct e2s_step){ b->vacant, v[1 % n], v[0] };
		j = n - j;
		break;
	case PARKED:
		return b->parked.v[b->arriving].step;
	}
	return (struct e2s_step){ v[j], v[(j + 1) % n], v[j] };
}

static int is_vacant(const struct e2s_batches *b, uint32_t ino)
{
	if (test_bit(b, &b->filled, ino) ||
	    e2s_plan_is_bad_slot(b->plan->scan, ino))
		return 0;
	return e2s_plan_new_ino(b->plan, ino) == ino
		       ? !test_bit(b, &b->plan->stays, ino)
		       : test_bit(b, &b->left, ino);
}

/* A free number for a while.  The first one below a high-water mark that
 * serves is taken, so that no table grows for it. */
static uint32_t find_vacant(struct e2s_batches *b)
{
	const struct e2s_geometry *geo = &b->plan->scan->fs->geo;
	uint32_t group, i, ino;

	for (group = 0; group < geo->groups; group++)
		for (i = 0; i < b->plan->used_after[group]; i++) {
			ino = group * geo->inodes_per_group + i + 1;
			if (ino >= geo->first_ino && is_vacant(b, ino))
				return ino;
		}
	for (ino = geo->inodes; ino >= geo->first_ino; ino--)
		if (is_vacant(b, ino))
			return ino;
	return 0;
}

static errcode_t open_cycle(struct e2s_batches *b, struct e2s_where *where)
{
	b->vacant = find_vacant(b);
	if (!b->vacant)
		return e2s_where_ino(where, E2S_ET_BATCH_NO_FREE,
				     b->chain.v[0]);
	b->kind = OPENED;
	b->steps = b->chain.n + 1;
	return 0;
}

/* --- batches --- */

/* Adds STEP; one that came to its parking in this batch does not go there. */
static errcode_t add_step(struct e2s_batches *b, const struct e2s_step *step)
{
	struct parked *parked = b->parked.v;
	errcode_t err;

	if (b->kind == PARKED && parked[b->arriving].batch == b->number) {
		b->batch.v[parked[b->arriving].index].to = step->to;
		return 0;
	}
	err = e2s_vec_reserve(&b->batch, 1);
	if (err)
		return err;
	if (b->kind == CHAIN && b->parking != NONE && !b->taken) {
		parked[b->parking].batch = b->number;
		parked[b->parking].index = b->batch.n;
	}
	b->batch.v[b->batch.n++] = *step;
	return 0;
}

static errcode_t take_step(struct e2s_batches *b, const struct e2s_step *step)
{
	errcode_t err = change_bit(b, &b->left, step->old, 1);

	if (!err && b->kind != OPENED && b->vacated.n < MOST_VACATED &&
	    !test_bit(b, &b->wanted, step->from)) {
		err = e2s_vec_reserve(&b->vacated, 1);
		if (!err)
			b->vacated.v[b->vacated.n++] = step->from;
	}
	if (!err && step->from != step->old)
		err = change_bit(b, &b->filled, step->from, 0);
	if (!err)
		err = change_bit(b, &b->filled, step->to, 1);
	return err ? err : add_step(b, step);
}

/*
 * Takes N steps of the chain if they fit; *FITS says so.  A footprint that was
 * overdrawn ends the batch, so nothing need be taken back from it.
 */
static errcode_t take_together(struct e2s_batches *b, size_t n, uint64_t room,
			       int *fits)
{
	struct e2s_step step;
	errcode_t err = 0;
	size_t i;

	*fits = 1;
	for (i = 0; i < n && *fits && !err; i++) {
		step = step_at(b, b->taken + i);
		err = e2s_footprint_add(b->footprint, &step);
		*fits = e2s_footprint_blocks(b->footprint) <= room;
	}
	for (i = 0; i < n && *fits && !err; i++) {
		step = step_at(b, b->taken + i);
		err = take_step(b, &step);
	}
	if (*fits)
		b->taken += n;
	return err;
}

/*
 * The whole plan as one batch, if it fits.  Then no chain need be followed:
 * whatever a move needs is in the batch, so it is made in order of numbers.
 */
static errcode_t take_all(struct e2s_batches *b, uint64_t room)
{
	uint32_t ino = 0;
	errcode_t err;

	err = e2s_vec_reserve(&b->batch, e2s_plan_moves(b->plan));
	if (err)
		return err;
	while ((ino = e2s_plan_next_move(b->plan, ino))) {
		struct e2s_step step = {
			ino, e2s_plan_new_ino(b->plan, ino), ino
		};

		err = e2s_footprint_add(b->footprint, &step);
		if (err)
			return err;
		if (e2s_footprint_blocks(b->footprint) > room) {
			b->batch.n = 0;
			e2s_footprint_begin(b->footprint);
			return 0;
		}
		b->batch.v[b->batch.n++] = step;
	}
	b->over = 1;
	return 0;
}

/* What a plan that is one batch does not need. */
static errcode_t prepare(struct e2s_batches *b, uint64_t room)
{
	const struct e2s_geometry *geo = &b->plan->scan->fs->geo;
	uint32_t ino = 0, to;
	errcode_t err;

	err = e2s_bits_make(&b->left, geo);
	if (!err)
		err = e2s_bits_make(&b->filled, geo);
	if (!err)
		err = e2s_bits_make(&b->wanted, geo);
	while (!err && (ino = e2s_plan_next_move(b->plan, ino))) {
		to = e2s_plan_new_ino(b->plan, ino);
		err = change_bit(b, &b->wanted, to, 1);
	}
	if (!err)
		err = e2s_route_find(b->plan, room, &b->route);
	if (err)
		return err;
	b->waiting = malloc(b->route.n * sizeof(*b->waiting));
	if (!b->waiting)
		return ENOMEM;
	memset(b->waiting, 0xff, b->route.n * sizeof(*b->waiting));
	return 0;
}

/* The next inode that moves from the area under way; 0 when that is over. */
static uint32_t next_in_area(struct e2s_batches *b)
{
	const struct e2s_geometry *geo = &b->plan->scan->fs->geo;
	uint32_t groups = b->route.groups, first, ino;

	first = b->route.order[b->area] * groups;
	if (!b->cursor)
		b->cursor = first * geo->inodes_per_group;
	ino = e2s_plan_next_move_below(b->plan, b->cursor,
				       geo->groups - first < groups
				       ? geo->groups : first + groups);
	if (ino)
		b->cursor = ino;
	return ino;
}

/* Sees to it that there are steps to be taken, if there are any left. */
static errcode_t refill(struct e2s_batches *b)
{
	errcode_t err;
	uint32_t ino;

	while (b->taken == b->steps && !b->over) {
		ino = next_in_area(b);
		if (!ino) {
			if (take_waiting(b))
				continue;
			b->cursor = 0;
			b->over = ++b->area == b->route.n;
			continue;
		}
		if (!target_of(b, ino))
			continue;
		err = follow(b, ino);
		if (err)
			return err;
	}
	return 0;
}

/* The next batch, chain by chain. */
static errcode_t fill_batch(struct e2s_batches *b, uint64_t room,
			    struct e2s_where *where)
{
	errcode_t err = 0;
	int fits = 1;

	while (!err) {
		err = refill(b);
		if (err || b->taken == b->steps)
			return err;
		err = take_together(b, b->kind == CYCLE ? b->steps : 1, room,
				    &fits);
		if (err || fits)
			continue;
		if (b->batch.n)
			return 0;
		if (b->kind != CYCLE)
			return e2s_where_ino(where, E2S_ET_BATCH_TOO_BIG,
					     step_at(b, b->taken).old);
		err = open_cycle(b, where);
		e2s_footprint_begin(b->footprint);
	}
	return err;
}

errcode_t e2s_batches_next(struct e2s_batches *b, uint64_t room,
			   struct e2s_step **steps, size_t *n,
			   struct e2s_where *where)
{
	errcode_t err = 0;

	*n = 0;
	b->number++;
	b->batch.n = 0;
	e2s_footprint_begin(b->footprint);
	if (!b->begun) {
		b->begun = 1;
		err = take_all(b, room);
		if (!err && !b->over)
			err = prepare(b, room);
	}
	if (!err && !b->batch.n && !e2s_batches_done(b))
		err = fill_batch(b, room, where);
	if (err)
		return err;
	e2s_footprint_end(b->footprint, b->batch.v, b->batch.n);
	*steps = b->batch.v;
	*n = b->batch.n;
	return 0;
}

int e2s_batches_done(const struct e2s_batches *b)
{
	return b->over && b->taken == b->steps;
}

int e2s_batches_sure(const struct e2s_batches *b, uint64_t room)
{
	const struct e2s_scan *scan = b->plan->scan;
	const struct e2s_geometry *geo = &scan->fs->geo;
	/* An inode's itable block, its bitmap, its descriptor, and the block
	 * at the mark, for both ends and an inline directory; or all links. */
	uint64_t blocks = 4 * (3 + (uint64_t)scan->links_n), nodes = 0;
	size_t i;

	for (i = 0; i < scan->deep_files_n; i++)
		if (scan->deep_files[i].nodes > nodes)
			nodes = scan->deep_files[i].nodes;
	return !e2s_plan_moves_dirs(b->plan) && blocks + nodes <= room &&
	       geo->inodes > scan->inodes_used + scan->pins_n + geo->first_ino;
}

errcode_t e2s_batches_new(const struct e2s_plan *plan, struct e2s_batches **ret)
{
	struct e2s_batches *b = calloc(1, sizeof(*b));
	errcode_t err;

	*ret = NULL;
	if (!b)
		return ENOMEM;
	b->plan = plan;
	err = e2s_footprint_new(plan, &b->footprint);
	if (err) {
		e2s_batches_free(b);
		return err;
	}
	*ret = b;
	return 0;
}

void e2s_batches_free(struct e2s_batches *b)
{
	if (!b)
		return;
	e2s_bits_free(&b->left);
	e2s_bits_free(&b->filled);
	e2s_route_free(&b->route);
	e2s_bits_free(&b->wanted);
	free(b->parked.v);
	free(b->vacated.v);
	free(b->waiting);
	e2s_footprint_free(b->footprint);
	free(b->chain.v);
	free(b->batch.v);
	free(b);
}
