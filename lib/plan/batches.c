/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "plan/batches.h"
#include "plan/footprint.h"
#include "plan/internal.h"

struct bits {
	uint8_t **group;	/* [group]: a bit a slot, made on demand */
	uint32_t bytes;
};

/*
 * What is in hand: numbers of which each moves to the next.  A chain ends at a
 * free number; a cycle goes round; an opened cycle begins by way of a vacant
 * number.
 */
enum kind { CHAIN, CYCLE, OPENED };

struct e2s_batches {
	const struct e2s_plan *plan;
	struct footprint *footprint;	/* blocks of the batch under way */
	struct bits left;		/* old number: has moved away */
	struct bits filled;		/* number: something has moved there */
	E2S_VEC(uint32_t) chain;
	enum kind kind;
	uint32_t vacant;
	size_t steps, taken;		/* of the chain */
	E2S_VEC(struct e2s_step) batch;
	uint32_t cursor;		/* moves up to here have been in hand */
};

/* --- bits --- */

static int test_bit(const struct e2s_batches *b, const struct bits *bits,
		    uint32_t ino)
{
	const uint8_t *group = bits->group[e2s_ino_group(b->plan, ino)];
	uint32_t i = e2s_ino_index(b->plan, ino);

	return group && group[i / 8] >> i % 8 & 1;
}

static errcode_t change_bit(struct e2s_batches *b, struct bits *bits,
			    uint32_t ino, int on)
{
	uint8_t **group = &bits->group[e2s_ino_group(b->plan, ino)];
	uint32_t i = e2s_ino_index(b->plan, ino);

	if (!*group) {
		*group = calloc(1, bits->bytes);
		if (!*group)
			return ENOMEM;
	}
	if (on)
		(*group)[i / 8] |= (uint8_t)(1u << i % 8);
	else
		(*group)[i / 8] &= (uint8_t)~(1u << i % 8);
	return 0;
}

/* They are not needed for a plan that is one batch. */
static errcode_t make_bits(struct e2s_batches *b)
{
	const struct e2s_geometry *geo = &b->plan->scan->fs->geo;

	if (b->left.group)
		return 0;
	b->left.bytes = b->filled.bytes = (geo->inodes_per_group + 7) / 8;
	b->left.group = calloc(geo->groups, sizeof(*b->left.group));
	b->filled.group = calloc(geo->groups, sizeof(*b->filled.group));
	return b->left.group && b->filled.group ? 0 : ENOMEM;
}

static void free_bits(struct bits *bits, uint32_t groups)
{
	uint32_t group;

	for (group = 0; bits->group && group < groups; group++)
		free(bits->group[group]);
	free(bits->group);
}

/* --- chains --- */

/* Where the inode that is at INO in the scan goes, 0 when nothing moves away
 * from there any more. */
static uint32_t target_of(const struct e2s_batches *b, uint32_t ino)
{
	uint32_t group = e2s_ino_group(b->plan, ino);
	uint32_t i = e2s_ino_index(b->plan, ino), to;
	const uint8_t *left = b->left.group[group];

	if (i >= b->plan->scan->layout.used[group])
		return 0;
	to = b->plan->new_of[group][i];
	return to && left && left[i / 8] >> i % 8 & 1 ? 0 : to;
}

static errcode_t add_to_chain(struct e2s_batches *b, uint32_t ino)
{
	errcode_t err = e2s_vec_reserve(&b->chain, 1);

	if (!err)
		b->chain.v[b->chain.n++] = ino;
	return err;
}

/* Takes the chain or cycle that INO belongs to in hand, from INO on. */
static errcode_t follow(struct e2s_batches *b, uint32_t ino)
{
	uint32_t to = ino;
	errcode_t err;

	b->chain.n = b->taken = 0;
	b->kind = CHAIN;
	do {
		err = add_to_chain(b, to);
		if (err)
			return err;
		to = target_of(b, to);
	} while (to && to != ino);
	if (to)
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
	}
	return (struct e2s_step){ v[j], v[(j + 1) % n], v[j] };
}

static int is_vacant(const struct e2s_batches *b, uint32_t ino)
{
	const struct e2s_scan *scan = b->plan->scan;

	if (test_bit(b, &b->filled, ino) || e2s_plan_is_bad_slot(scan, ino))
		return 0;
	return e2s_scan_slot(scan, ino) == E2S_SLOT_FREE ||
	       test_bit(b, &b->left, ino);
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

static errcode_t take_step(struct e2s_batches *b, const struct e2s_step *step)
{
	errcode_t err = e2s_vec_reserve(&b->batch, 1);

	if (!err)
		err = change_bit(b, &b->left, step->old, 1);
	if (!err && step->from != step->old)
		err = change_bit(b, &b->filled, step->from, 0);
	if (!err)
		err = change_bit(b, &b->filled, step->to, 1);
	if (!err)
		b->batch.v[b->batch.n++] = *step;
	return err;
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
	b->cursor = b->plan->scan->fs->geo.inodes;
	return 0;
}

/* Sees to it that there are steps to be taken, if there are any left. */
static errcode_t refill(struct e2s_batches *b)
{
	errcode_t err;

	while (b->taken == b->steps) {
		b->cursor = e2s_plan_next_move(b->plan, b->cursor);
		if (!b->cursor) {
			b->cursor = b->plan->scan->fs->geo.inodes;
			return 0;
		}
		if (!target_of(b, b->cursor))
			continue;
		err = follow(b, b->cursor);
		if (err)
			return err;
	}
	return 0;
}

/* The next batch, chain by chain. */
static errcode_t fill_batch(struct e2s_batches *b, uint64_t room,
			    struct e2s_where *where)
{
	errcode_t err = make_bits(b);
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
	b->batch.n = 0;
	e2s_footprint_begin(b->footprint);
	if (!b->cursor)
		err = take_all(b, room);
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
	return b->cursor && !e2s_plan_next_move(b->plan, b->cursor) &&
	       b->taken == b->steps;
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
	free_bits(&b->left, b->plan->scan->fs->geo.groups);
	free_bits(&b->filled, b->plan->scan->fs->geo.groups);
	e2s_footprint_free(b->footprint);
	free(b->chain.v);
	free(b->batch.v);
	free(b);
}
