/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run: batch after batch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/internal.h"

typedef errcode_t (*write_fn)(struct batch *batch, struct e2s_where *where);

/* Order matters only for the gaps, which go to the device directly. */
static const write_fn writers[] = {
	e2s_batch_zero_gaps,
	e2s_batch_write_itables,
	e2s_batch_write_dir_blocks,
	e2s_batch_write_extents,
	e2s_batch_write_groups,
};

errcode_t e2s_mover_add(struct mover *mover, uint64_t blk, const void *data,
			struct e2s_where *where)
{
	mover->blocks++;
	return e2s_redo_add(mover->redo, blk, data, where);
}

static void free_batch(struct batch *batch)
{
	free(batch->itable.v);
	free(batch->dir_blocks.v);
	free(batch->groups.v);
	free(batch->by_to);
	free(batch->buckets);
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
	if (!e2s_plan_moves_dirs(m->plan))
		return;
	for (i = 0; i < batch->n; i++) {
		slot = e2s_scan_slot(m->scan, batch->by_from[i].old);
		if (e2s_slot_is_dir(slot))
			m->dir_ino[e2s_slot_dir(slot)] = batch->by_from[i].to;
	}
}

static errcode_t run_batch(struct mover *m, struct e2s_step *steps, size_t n,
			   struct e2s_where *where)
{
	struct batch batch = { .mover = m, .by_from = steps, .n = n };
	errcode_t err;
	size_t i;

	err = e2s_batch_sort_steps(&batch);
	if (!err)
		err = e2s_batch_touch(&batch);
	if (!err)
		err = e2s_fs_touch_mmp(m->fs);
	if (!err)
		err = e2s_redo_begin(m->redo, where);
	for (i = 0; i < sizeof(writers) / sizeof(writers[0]) && !err; i++)
		err = writers[i](&batch, where);
	if (!err)
		err = e2s_redo_commit(m->redo, where);
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

/*
 * Cuts the first batch.  If there are more and it is not plain that all can be
 * made, they are cut before that, so that it is known before anything is
 * written.
 */
static errcode_t cut_first(const struct mover *m, struct e2s_batches **batches,
			   struct e2s_step **steps, size_t *n,
			   struct e2s_where *where)
{
	uint64_t room = e2s_redo_room(m->redo);
	errcode_t err;

	err = e2s_batches_new(m->plan, batches);
	if (!err)
		err = e2s_batches_next(*batches, room, steps, n, where);
	if (err || e2s_batches_done(*batches) ||
	    e2s_batches_sure(*batches, room))
		return err;
	while (!err && *n)
		err = e2s_batches_next(*batches, room, steps, n, where);
	if (err)
		return err;
	e2s_batches_free(*batches);
	err = e2s_batches_new(m->plan, batches);
	return err ? err : e2s_batches_next(*batches, room, steps, n, where);
}

static errcode_t run_batches(struct mover *m, struct e2s_batches **batches,
			     const struct e2s_relayout_options *options,
			     struct e2s_relayout_result *ret,
			     struct e2s_where *where)
{
	struct e2s_step *steps = NULL;
	errcode_t err;
	size_t n = 0;

	err = cut_first(m, batches, &steps, &n, where);
	while (!err && n) {
		if (options->stop && options->stop(options->ctx)) {
			ret->stopped = 1;
			return 0;
		}
		err = run_batch(m, steps, n, where);
		if (err)
			return err;
		ret->moves += count_arrivals(m, steps, n);
		ret->batches++;
		ret->blocks = m->blocks;
		if (options->progress)
			options->progress(options->ctx, ret->moves,
					  e2s_plan_moves(m->plan));
		err = e2s_batches_next(*batches, e2s_redo_room(m->redo), &steps,
				       &n, where);
	}
	return err;
}

static errcode_t prepare(struct mover *m)
{
	size_t size = m->fs->geo.groups * sizeof(*m->used);
	uint32_t i;

	m->used = malloc(size);
	m->used_after = malloc(size);
	m->dir_ino = malloc(((size_t)m->scan->dirs_n + 1) *
			    sizeof(*m->dir_ino));
	m->dir_bits = calloc(1, m->scan->dir_blocks_n / 8 + 1);
	if (!m->used || !m->used_after || !m->dir_ino || !m->dir_bits)
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
			   .threads = options->threads };
	struct e2s_batches *batches = NULL;
	errcode_t err;

	*ret = (struct e2s_relayout_result){ 0 };
	if (!m.threads)
		m.threads = e2s_workers_default();
	err = prepare(&m);
	if (!err)
		err = run_batches(&m, &batches, options, ret, where);
	e2s_batches_free(batches);
	e2s_family_free(&m.family);
	free(m.used);
	free(m.used_after);
	free(m.dir_ino);
	free(m.dir_bits);
	return err;
}
