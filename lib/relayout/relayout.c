/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run: batch after batch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/internal.h"

typedef errcode_t (*write_fn)(struct batch *batch);

/* Order matters only for the gaps, which go to the device directly. */
static const write_fn writers[] = {
	e2s_batch_zero_gaps,
	e2s_batch_write_itables,
	e2s_batch_write_dir_blocks,
	e2s_batch_write_extents,
	e2s_batch_write_groups,
};

errcode_t e2s_mover_add(struct mover *mover, uint64_t blk, const void *data)
{
	mover->blocks++;
	return e2s_redo_add(mover->redo, blk, data, mover->where);
}

static int by_from(const void *a, const void *b)
{
	const struct e2s_step *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

uint32_t e2s_batch_new_ino(const struct batch *batch, uint32_t ino)
{
	struct e2s_step key = { .from = ino }, *step;

	if (!ino)
		return 0;
	step = bsearch(&key, batch->by_from, batch->n, sizeof(key), by_from);
	return step ? step->to : ino;
}

int e2s_batch_patch_entries(const struct batch *batch, uint8_t *data,
			    uint32_t len)
{
	struct e2s_dirents walk;
	struct e2s_dirent entry;
	int more, changed = 0;
	uint32_t to;

	e2s_dirents_start(&walk, data, len, batch->mover->fs->geo.block_size);
	while ((more = e2s_dirents_next(&walk, &entry)) > 0) {
		to = e2s_batch_new_ino(batch, entry.ino);
		if (to == entry.ino)
			continue;
		e2s_put_le32(data + (entry.at - data), to);
		changed++;
	}
	return more < 0 ? -1 : changed;
}

/* Most plans come as one batch and that in order. */
static int is_sorted(const struct batch *batch)
{
	size_t i;

	for (i = 1; i < batch->n; i++)
		if (batch->by_from[i - 1].from > batch->by_from[i].from)
			return 0;
	return 1;
}

static errcode_t sort_steps(struct batch *batch)
{
	struct e2s_keyed *scratch = malloc(batch->n * sizeof(*scratch));
	size_t i;

	batch->by_to = malloc(batch->n * sizeof(*batch->by_to));
	if (!batch->by_to || !scratch) {
		free(scratch);
		return ENOMEM;
	}
	if (!is_sorted(batch))
		qsort(batch->by_from, batch->n, sizeof(*batch->by_from),
		      by_from);
	for (i = 0; i < batch->n; i++)
		batch->by_to[i] = (struct e2s_keyed){ batch->by_from[i].to,
						      (uint32_t)i };
	e2s_sort_keyed(batch->by_to, scratch, batch->n);
	free(scratch);
	return 0;
}

static void free_batch(struct batch *batch)
{
	uint32_t group;

	for (group = 0; batch->itable && group < batch->mover->fs->geo.groups;
	     group++)
		free(batch->itable[group]);
	free(batch->itable);
	free(batch->dir_blocks);
	free(batch->groups.v);
	free(batch->by_to);
}

/* The batch is on the disk: marks and directories are where it put them. */
static void settle(struct batch *batch)
{
	struct mover *m = batch->mover;
	size_t i;
	e2s_slot slot;

	for (i = 0; i < batch->groups.n; i++)
		m->used[batch->groups.v[i]] =
			m->used_after[batch->groups.v[i]];
	for (i = 0; i < batch->n; i++) {
		slot = e2s_scan_slot(m->scan, batch->by_from[i].old);
		if (e2s_slot_is_dir(slot))
			m->dir_ino[e2s_slot_dir(slot)] = batch->by_from[i].to;
	}
}

static errcode_t run_batch(struct mover *m, struct e2s_step *steps, size_t n)
{
	struct batch batch = { .mover = m, .by_from = steps, .n = n };
	errcode_t err;
	size_t i;

	err = sort_steps(&batch);
	if (!err)
		err = e2s_batch_touch(&batch);
	if (!err)
		err = e2s_fs_touch_mmp(m->fs);
	if (!err)
		e2s_redo_begin(m->redo);
	for (i = 0; i < sizeof(writers) / sizeof(writers[0]) && !err; i++)
		err = writers[i](&batch);
	if (!err)
		err = e2s_redo_commit(m->redo, m->where);
	if (!err)
		settle(&batch);
	free_batch(&batch);
	return err;
}

/* An inode through which a cycle was opened moves twice and arrives once. */
static uint64_t count_arrivals(const struct mover *m,
			       const struct e2s_step *steps, size_t n)
{
	uint64_t arrivals = 0;

	for (; n; n--, steps++)
		arrivals += steps->to == e2s_plan_new_ino(m->plan, steps->old);
	return arrivals;
}

/* Before the first batch: all others are cut once, so that one that cannot be
 * made is found out now. */
static errcode_t try_the_rest(const struct mover *m,
			      const struct e2s_batches *batches, uint64_t room)
{
	uint64_t planned;

	if (e2s_batches_done(batches))
		return 0;
	return e2s_batches_count(m->plan, room, &planned, m->where);
}

static errcode_t run_batches(struct mover *m, struct e2s_batches *batches,
			     const struct e2s_relayout_options *options,
			     struct e2s_relayout_result *ret)
{
	struct e2s_step *steps;
	uint64_t room;
	errcode_t err;
	size_t n;

	for (;;) {
		room = e2s_redo_room(m->redo);
		err = e2s_batches_next(batches, room, &steps, &n, m->where);
		if (!err && !ret->batches)
			err = try_the_rest(m, batches, room);
		if (err || !n)
			return err;
		if (options->stop && options->stop(options->ctx)) {
			ret->stopped = 1;
			return 0;
		}
		err = run_batch(m, steps, n);
		if (err)
			return err;
		ret->moves += count_arrivals(m, steps, n);
		ret->batches++;
		ret->blocks = m->blocks;
		if (options->progress)
			options->progress(options->ctx, ret->moves,
					  e2s_plan_moves(m->plan));
	}
}

static errcode_t prepare(struct mover *m)
{
	size_t size = m->fs->geo.groups * sizeof(*m->used);
	uint32_t i;

	m->used = malloc(size);
	m->used_after = malloc(size);
	m->dir_ino = malloc(((size_t)m->scan->dirs_n + 1) *
			    sizeof(*m->dir_ino));
	if (!m->used || !m->used_after || !m->dir_ino)
		return ENOMEM;
	memcpy(m->used, m->scan->layout.used, size);
	memcpy(m->used_after, m->used, size);
	for (i = 0; i < m->scan->dirs_n; i++)
		m->dir_ino[i] = m->scan->dirs[i].ino;
	return e2s_plan_moves_dirs(m->plan)
		       ? e2s_family_new(m->scan, &m->family) : 0;
}

errcode_t e2s_relayout_run(struct e2s_fs *fs, const struct e2s_plan *plan,
			   const struct e2s_scan *scan, struct e2s_redo *redo,
			   const struct e2s_relayout_options *options,
			   struct e2s_relayout_result *ret,
			   struct e2s_where *where)
{
	struct mover m = { .fs = fs, .plan = plan, .scan = scan, .redo = redo,
			   .where = where };
	struct e2s_batches *batches = NULL;
	errcode_t err;

	*ret = (struct e2s_relayout_result){ 0 };
	err = prepare(&m);
	if (!err)
		err = e2s_batches_new(plan, &batches);
	if (!err)
		err = run_batches(&m, batches, options, ret);
	e2s_batches_free(batches);
	e2s_family_free(&m.family);
	free(m.used);
	free(m.used_after);
	free(m.dir_ino);
	return err;
}
