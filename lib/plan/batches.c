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

struct e2s_batches {
	const struct e2s_plan *plan;
	struct footprint *footprint;	/* blocks of the batch under way */
	struct bits left;		/* old number: has moved away */
	struct bits filled;		/* number: something has moved there */
	E2S_VEC(struct e2s_step) queue;	/* to be done in this order */
	size_t queue_at;
	size_t closed;			/* steps of the queue that must not be
					 * parted: a cycle, or 0 */
	E2S_VEC(struct e2s_step) batch;
	uint32_t cursor;		/* moves up to here have been queued */
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

static void free_bits(struct bits *bits, uint32_t groups)
{
	uint32_t group;

	for (group = 0; bits->group && group < groups; group++)
		free(bits->group[group]);
	free(bits->group);
}

/* --- the queue --- */

/* Where the inode that is at INO in the scan goes, 0 when nothing moves away
 * from there any more. */
static uint32_t target_of(const struct e2s_batches *b, uint32_t ino)
{
	uint32_t to = e2s_plan_new_ino(b->plan, ino);

	if (to == ino || e2s_scan_slot(b->plan->scan, ino) == E2S_SLOT_FREE ||
	    test_bit(b, &b->left, ino))
		return 0;
	return to;
}

static errcode_t queue_step(struct e2s_batches *b, uint32_t from, uint32_t to,
			    uint32_t old)
{
	errcode_t err = e2s_vec_reserve(&b->queue, 1);

	if (!err)
		b->queue.v[b->queue.n++] = (struct e2s_step){ from, to, old };
	return err;
}

static void reverse_queue(struct e2s_batches *b)
{
	struct e2s_step *low = b->queue.v, *high = low + b->queue.n, swap;

	for (; low < high && low < --high; low++) {
		swap = *low;
		*low = *high;
		*high = swap;
	}
}

/*
 * Queues the chain or cycle that INO belongs to, from INO on.  The step to a
 * free number comes first, so that every prefix is closed.
 */
static errcode_t queue_from(struct e2s_batches *b, uint32_t ino)
{
	uint32_t from = ino, to;
	errcode_t err;

	b->queue.n = b->queue_at = b->closed = 0;
	while ((to = target_of(b, from))) {
		err = queue_step(b, from, to, from);
		if (err)
			return err;
		if (to == ino) {
			b->closed = b->queue.n;
			return 0;
		}
		from = to;
	}
	reverse_queue(b);
	return 0;
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

/* Makes of the cycle in the queue a chain that begins at a free number. */
static errcode_t open_cycle(struct e2s_batches *b, struct e2s_where *where)
{
	struct e2s_step first = b->queue.v[0];
	uint32_t vacant = find_vacant(b);
	errcode_t err;

	if (!vacant)
		return e2s_where_ino(where, E2S_ET_BATCH_NO_FREE, first.from);
	/* first -> vacant, then the others backwards, then vacant -> its goal */
	err = e2s_vec_reserve(&b->queue, 1);
	if (err)
		return err;
	b->queue.v[0] = (struct e2s_step){ vacant, first.to, first.old };
	b->queue.v[b->queue.n++] =
		(struct e2s_step){ first.from, vacant, first.old };
	reverse_queue(b);
	b->closed = 0;
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
 * Takes N steps of the queue if they fit; *FITS says so.  A footprint that was
 * overdrawn ends the batch, so nothing need be taken back from it.
 */
static errcode_t take_together(struct e2s_batches *b, size_t n, uint64_t room,
			       int *fits)
{
	const struct e2s_step *step = b->queue.v + b->queue_at;
	errcode_t err = 0;
	size_t i;

	*fits = 1;
	for (i = 0; i < n && *fits && !err; i++) {
		err = e2s_footprint_add(b->footprint, &step[i]);
		*fits = e2s_footprint_blocks(b->footprint) <= room;
	}
	for (i = 0; i < n && *fits && !err; i++)
		err = take_step(b, &step[i]);
	if (*fits)
		b->queue_at += n;
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
		struct e2s_step step = { ino, e2s_plan_new_ino(b->plan, ino), ino };

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

static errcode_t refill_queue(struct e2s_batches *b)
{
	while (b->queue_at == b->queue.n) {
		b->cursor = e2s_plan_next_move(b->plan, b->cursor);
		if (!b->cursor)
			return 0;
		if (target_of(b, b->cursor)) {
			errcode_t err = queue_from(b, b->cursor);

			if (err)
				return err;
		}
	}
	return 0;
}

/* The next batch by way of the queue. */
static errcode_t fill_batch(struct e2s_batches *b, uint64_t room,
			    struct e2s_where *where)
{
	errcode_t err;
	int fits = 1;

	for (;;) {
		err = refill_queue(b);
		if (err)
			return err;
		if (b->queue_at == b->queue.n)
			return 0;
		err = take_together(b, b->closed ? b->closed : 1, room, &fits);
		if (err)
			return err;
		if (fits)
			continue;
		if (b->batch.n)
			return 0;
		if (!b->closed)
			return e2s_where_ino(where, E2S_ET_BATCH_TOO_BIG,
					     b->queue.v[b->queue_at].old);
		err = open_cycle(b, where);
		if (err)
			return err;
		e2s_footprint_begin(b->footprint);
	}
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
	if (!err && !b->batch.n)
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
	       b->queue_at == b->queue.n;
}

errcode_t e2s_batches_new(const struct e2s_plan *plan, struct e2s_batches **ret)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	struct e2s_batches *b = calloc(1, sizeof(*b));
	errcode_t err = ENOMEM;

	*ret = NULL;
	if (!b)
		return ENOMEM;
	b->plan = plan;
	b->left.bytes = b->filled.bytes = (geo->inodes_per_group + 7) / 8;
	b->left.group = calloc(geo->groups, sizeof(*b->left.group));
	b->filled.group = calloc(geo->groups, sizeof(*b->filled.group));
	if (b->left.group && b->filled.group)
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
	free(b->queue.v);
	free(b->batch.v);
	free(b);
}

errcode_t e2s_batches_count(const struct e2s_plan *plan, uint64_t room,
			    uint64_t *batches, struct e2s_where *where)
{
	struct e2s_step *steps;
	struct e2s_batches *b;
	errcode_t err;
	size_t n = 1;

	*batches = 0;
	err = e2s_batches_new(plan, &b);
	while (!err && n) {
		err = e2s_batches_next(b, room, &steps, &n, where);
		*batches += n > 0;
	}
	e2s_batches_free(b);
	return err;
}
