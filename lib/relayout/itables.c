/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inode tables: each touched block as it is after the batch.
 *
 * They are made a window at a time.  What comes to neighbouring blocks may
 * come from all over the place, and then every window would read everything;
 * but there is mostly some order in which it does not.  So blocks are taken by
 * the lowest number that comes to them, those to which nothing comes by their
 * own.  Spreading the files of one directory after the other over groups as
 * well as the way back then read every block once.  In a window blocks are in
 * the order in which they lie, so that the log can be read back in long runs.
 *
 * While one window is given to redo, the next is made.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/gather.h"

#define WINDOW_BYTES (4u << 20)
#define PIECE 64		/* blocks that are one item of work */

/* A touched block, and the ends in by_to that lie in it. */
struct target {
	uint32_t group, block;
	uint32_t first, n;
};

struct window {
	uint32_t *targets;	/* numbers of its blocks, ascending */
	uint32_t n;
	uint8_t *blocks;	/* as they become */
};

struct composer {
	struct batch *batch;
	struct target *targets;
	size_t n;
	struct e2s_keyed *order;	/* of the targets, as they are taken */
	size_t next;			/* of order */
	uint32_t room;			/* blocks of a window */
	struct window windows[2];
	struct window *window;		/* the one that is being made */
	struct e2s_keyed *items;	/* what comes to it */
	uint8_t **runs;			/* [thread]: for e2s_gather() */
};

enum slot_kind { STAYS, COMES, EMPTY };

/* --- what becomes of a block --- */

static uint64_t target_blk(const struct composer *c, const struct target *t)
{
	return e2s_fs_itable_blk(c->batch->mover->fs, t->group) + t->block;
}

/*
 * What each of the N slots of T becomes.  What is above the mark has never been
 * anything; a slot that is left must not look like an inode any more.  Returns
 * how many stay as they are.
 */
static uint32_t sort_slots(const struct composer *c, const struct target *t,
			   uint8_t *kinds, uint32_t n)
{
	const struct batch *batch = c->batch;
	const struct mover *m = batch->mover;
	uint32_t index = t->block * m->fs->geo.inodes_per_block, stay = 0, i;
	uint32_t ino = t->group * m->fs->geo.inodes_per_group + index + 1;
	size_t step = e2s_batch_find_step(batch, ino);
	const struct e2s_keyed *end = batch->by_to + t->first;
	const struct e2s_keyed *last = end + t->n;
	int leaves;

	for (i = 0; i < n; i++, ino++) {
		leaves = step < batch->n && batch->by_from[step].from == ino;
		step += (size_t)leaves;
		if (end < last && end->key == ino) {
			kinds[i] = COMES;
			end++;
		} else if (leaves || index + i >= m->used[t->group]) {
			kinds[i] = EMPTY;
		} else {
			kinds[i] = STAYS;
			stay++;
		}
	}
	return stay;
}

/* NEW has what comes to it in its place; OLD is a block to read into. */
static errcode_t compose_block(const struct composer *c, const struct target *t,
			       uint8_t *new, uint8_t *old,
			       struct e2s_where *where)
{
	const struct e2s_geometry *geo = &c->batch->mover->fs->geo;
	uint32_t index = t->block * geo->inodes_per_block, i, at = 0;
	uint32_t n = geo->inodes_per_group - index, ino;
	uint8_t kinds[EXT2_MAX_BLOCK_SIZE / EXT2_GOOD_OLD_INODE_SIZE];
	errcode_t err = 0;

	if (n > geo->inodes_per_block)
		n = geo->inodes_per_block;
	ino = t->group * geo->inodes_per_group + index + 1;
	/* A short last block keeps what is behind its inodes. */
	if (sort_slots(c, t, kinds, n) || n < geo->inodes_per_block)
		err = e2s_fs_read(c->batch->mover->fs, target_blk(c, t), 1, old,
				  where);
	for (i = 0; i < n && !err; i++, at += geo->inode_size) {
		if (kinds[i] == EMPTY) {
			memset(new + at, 0, geo->inode_size);
			continue;
		}
		if (kinds[i] == STAYS)
			memcpy(new + at, old + at, geo->inode_size);
		err = e2s_batch_renumber_slot(c->batch, ino + i, new + at,
					      kinds[i] == COMES, where);
	}
	if (!err && at < geo->block_size)
		memcpy(new + at, old + at, geo->block_size - at);
	return err;
}

/* --- a window --- */

static errcode_t compose_piece(void *ctx, uint64_t piece, unsigned worker,
			       struct e2s_where *where)
{
	const struct composer *c = ctx;
	const struct window *w = c->window;
	uint32_t i = (uint32_t)piece * PIECE;
	uint32_t end = w->n - i < PIECE ? w->n : i + PIECE;
	size_t bs = c->batch->mover->fs->geo.block_size;
	errcode_t err = 0;

	for (; i < end && !err; i++)
		err = compose_block(c, &c->targets[w->targets[i]],
				    w->blocks + i * bs, c->runs[worker], where);
	return err;
}

/* Where the inodes of the window come from, sorted; returns how many. */
static size_t list_items(const struct composer *c, const struct window *w)
{
	const struct e2s_geometry *geo = &c->batch->mover->fs->geo;
	uint32_t ipb = geo->inodes_per_block, i, k;
	const struct e2s_keyed *end;
	const struct target *t;
	size_t n = 0;

	for (i = 0; i < w->n; i++) {
		t = &c->targets[w->targets[i]];
		end = c->batch->by_to + t->first;
		for (k = 0; k < t->n; k++, end++)
			c->items[n++] = (struct e2s_keyed){
				.key = end->value,
				.value = i * ipb + (end->key - 1) %
					 geo->inodes_per_group % ipb,
			};
	}
	e2s_sort_keyed(c->items, n);
	return n;
}

static errcode_t make_window(void *ctx, unsigned slot, int *made,
			     struct e2s_where *where)
{
	struct composer *c = ctx;
	struct window *w = c->windows + slot;
	errcode_t err;
	size_t n;

	*made = c->next < c->n;
	if (!*made)
		return 0;
	c->window = w;
	for (w->n = 0; w->n < c->room && c->next < c->n; c->next++)
		w->targets[w->n++] = c->order[c->next].value;
	e2s_sort_words(w->targets, w->n, 1);
	n = list_items(c, w);
	err = e2s_gather(c->batch, c->items, n, w->blocks, c->runs, where);
	if (err)
		return err;
	return e2s_workers_run(c->batch->mover->threads,
			       (w->n + PIECE - 1) / PIECE, compose_piece, c,
			       where);
}

static errcode_t deliver_window(void *ctx, unsigned slot,
				struct e2s_where *where)
{
	const struct composer *c = ctx;
	const struct window *w = c->windows + slot;
	size_t bs = c->batch->mover->fs->geo.block_size;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < w->n && !err; i++)
		err = e2s_mover_add(c->batch->mover, target_blk(c,
					&c->targets[w->targets[i]]),
				    w->blocks + i * bs, where);
	return err;
}

/* --- the batch --- */

/* Finds what comes to each target, and the order in which to take them. */
static void find_arrivals(struct composer *c)
{
	const struct batch *batch = c->batch;
	const struct mover *m = batch->mover;
	uint32_t blocks = m->fs->geo.itable_blocks, key;
	struct spot spot = { 0 };
	struct target *t;
	size_t i, k = 0;

	for (i = 0; i < c->n; i++) {
		t = &c->targets[i];
		t->group = (uint32_t)(batch->itable.v[i] / blocks);
		t->block = (uint32_t)(batch->itable.v[i] % blocks);
		t->first = (uint32_t)k;
		e2s_spot_set(&spot, m, t->group * m->fs->geo.inodes_per_group +
				       t->block * m->fs->geo.inodes_per_block +
				       1);
		key = k < batch->n && batch->by_to[k].key < spot.end
			      ? UINT32_MAX : spot.first;
		for (; k < batch->n && batch->by_to[k].key < spot.end; k++)
			if (batch->by_to[k].value < key)
				key = batch->by_to[k].value;
		t->n = (uint32_t)k - t->first;
		c->order[i] = (struct e2s_keyed){ key, (uint32_t)i };
	}
}

static errcode_t alloc_runs(struct composer *c)
{
	uint32_t bs = c->batch->mover->fs->geo.block_size;
	unsigned i;

	c->runs = calloc(c->batch->mover->threads, sizeof(*c->runs));
	for (i = 0; c->runs && i < c->batch->mover->threads; i++) {
		c->runs[i] = malloc(bs < E2S_GATHER_RUN ? E2S_GATHER_RUN : bs);
		if (!c->runs[i])
			return ENOMEM;
	}
	return c->runs ? 0 : ENOMEM;
}

static errcode_t alloc_windows(struct composer *c)
{
	const struct e2s_geometry *geo = &c->batch->mover->fs->geo;
	size_t items;
	unsigned i;

	c->room = WINDOW_BYTES / geo->block_size;
	if (c->room > c->n)
		c->room = (uint32_t)c->n;
	items = (size_t)c->room * geo->inodes_per_block;
	c->items = malloc(items * sizeof(*c->items));
	if (!c->items)
		return ENOMEM;
	/* All in one window: there is never a second one under way. */
	for (i = 0; i < (c->room < c->n ? 2u : 1u); i++) {
		c->windows[i].targets = malloc(c->room * sizeof(uint32_t));
		c->windows[i].blocks = e2s_large_malloc((size_t)c->room *
							geo->block_size);
		if (!c->windows[i].targets || !c->windows[i].blocks)
			return ENOMEM;
	}
	return 0;
}

static errcode_t prepare(struct composer *c)
{
	errcode_t err;

	c->targets = malloc(c->n * sizeof(*c->targets));
	c->order = malloc(c->n * sizeof(*c->order));
	if (!c->targets || !c->order)
		return ENOMEM;
	find_arrivals(c);
	e2s_sort_keyed(c->order, c->n);
	err = alloc_windows(c);
	return err ? err : alloc_runs(c);
}

errcode_t e2s_batch_write_itables(struct batch *batch, struct e2s_where *where)
{
	struct composer c = { .batch = batch, .n = batch->itable.n };
	const struct e2s_portions portions = {
		.make = make_window, .deliver = deliver_window, .ctx = &c,
	};
	errcode_t err;
	unsigned i;

	err = prepare(&c);
	if (!err)
		err = e2s_portions_run(&portions, batch->mover->threads, where);
	for (i = 0; c.runs && i < batch->mover->threads; i++)
		free(c.runs[i]);
	free(c.runs);
	for (i = 0; i < 2; i++) {
		free(c.windows[i].targets);
		free(c.windows[i].blocks);
	}
	free(c.items);
	free(c.order);
	free(c.targets);
	return err;
}
