/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory blocks: names, "." and "..", and the checksum.  While one window of
 * them is given to redo, the next is read and renumbered.
 */
#include <errno.h>
#include <stdlib.h>

#include "relayout/internal.h"

#define WINDOW_BYTES (4u << 20)
#define PIECE 64		/* blocks that are one item of work */

struct window {
	const e2s_place *places;	/* ascending, and so are their blocks */
	uint32_t n;
	uint8_t *blocks;		/* as they become */
	uint8_t *changed;		/* [block] */
};

struct renamer {
	struct batch *batch;
	uint32_t room;			/* blocks of a window */
	size_t next;			/* block that is to be read */
	struct window windows[2];
	struct window *window;		/* the one that is being made */
};

/* The checksum of BLOCK, whose directory is or becomes INO; and where it is. */
static errcode_t get_csum(const struct mover *m,
			  const struct e2s_dir_block *block, uint32_t ino,
			  const uint8_t *data, const uint8_t **stored,
			  uint32_t *csum, struct e2s_where *where)
{
	uint32_t gen = m->scan->dirs[block->dir].generation;

	if (e2s_csum_dir_block(m->fs, e2s_csum_inode_seed(m->fs, ino, gen),
			       data, stored, csum) == E2S_DIR_NO_TAIL)
		return e2s_where_blk(where, E2S_ET_NOT_AS_SCANNED, block->blk);
	return 0;
}

/* DATA is the block; *CHANGED whether it is to be written. */
static errcode_t renumber_block(const struct batch *batch, e2s_place place,
				uint8_t *data, uint8_t *changed,
				struct e2s_where *where)
{
	const struct mover *m = batch->mover;
	const struct e2s_dir_block *block = &m->scan->dir_blocks[place];
	uint32_t ino = m->dir_ino[block->dir], csum = 0;
	uint32_t new_ino = e2s_batch_new_ino(batch, ino);
	const uint8_t *stored = NULL;
	errcode_t err = 0;
	int entries;

	if (m->fs->geo.metadata_csum)
		err = get_csum(m, block, ino, data, &stored, &csum, where);
	if (err)
		return err;
	if (stored && e2s_get_le32(stored) != csum)
		return e2s_where_blk(where, E2S_ET_NOT_AS_SCANNED, block->blk);
	entries = e2s_batch_patch_entries(batch, data, m->fs->geo.block_size);
	if (entries < 0)
		return e2s_where_blk(where, E2S_ET_NOT_AS_SCANNED, block->blk);
	*changed = entries || ino != new_ino;
	if (!*changed || !stored)
		return 0;
	err = get_csum(m, block, new_ino, data, &stored, &csum, where);
	if (!err)
		e2s_put_le32(data + (stored - data), csum);
	return err;
}

/* Blocks of the window from I on, before END, that follow one another. */
static uint32_t count_run(const struct mover *m, const struct window *w,
			  uint32_t i, uint32_t end)
{
	const struct e2s_dir_block *blocks = m->scan->dir_blocks;
	uint64_t blk = blocks[w->places[i]].blk;
	uint32_t n = 1;

	while (i + n < end && blocks[w->places[i + n]].blk == blk + n)
		n++;
	return n;
}

static errcode_t do_piece(void *ctx, uint64_t number, unsigned worker,
			  struct e2s_where *where)
{
	const struct renamer *r = ctx;
	const struct window *w = r->window;
	const struct batch *batch = r->batch;
	const struct mover *m = batch->mover;
	uint32_t i = (uint32_t)number * PIECE, n, k;
	uint32_t end = w->n - i < PIECE ? w->n : i + PIECE;
	size_t bs = m->fs->geo.block_size;
	errcode_t err = 0;

	(void)worker;
	for (; i < end && !err; i += n) {
		n = count_run(m, w, i, end);
		err = e2s_fs_read(m->fs, m->scan->dir_blocks[w->places[i]].blk,
				  n, w->blocks + i * bs, where);
		for (k = i; k < i + n && !err; k++)
			err = renumber_block(batch, w->places[k],
					     w->blocks + k * bs,
					     &w->changed[k], where);
	}
	return err;
}

/* Tells the system about all of the window before any of it is read. */
static void read_ahead(const struct mover *m, const struct window *w)
{
	uint32_t i, n;

	for (i = 0; i < w->n; i += n) {
		n = count_run(m, w, i, w->n);
		e2s_fs_readahead(m->fs, m->scan->dir_blocks[w->places[i]].blk,
				 n);
	}
}

static errcode_t make_window(void *ctx, unsigned slot, int *made,
			     struct e2s_where *where)
{
	struct renamer *r = ctx;
	const struct batch *batch = r->batch;
	size_t left = batch->dir_blocks.n - r->next;
	struct window *w = r->windows + slot;

	*made = left > 0;
	w->places = batch->dir_blocks.v + r->next;
	w->n = left < r->room ? (uint32_t)left : r->room;
	r->next += w->n;
	r->window = w;
	read_ahead(batch->mover, w);
	return e2s_workers_run(batch->mover->threads,
			       (w->n + PIECE - 1) / PIECE, do_piece, r, where);
}

static errcode_t deliver_window(void *ctx, unsigned slot,
				struct e2s_where *where)
{
	const struct renamer *r = ctx;
	const struct window *w = r->windows + slot;
	struct mover *m = r->batch->mover;
	size_t bs = m->fs->geo.block_size;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < w->n && !err; i++)
		if (w->changed[i])
			err = e2s_mover_add(m, m->scan->dir_blocks
						[w->places[i]].blk,
					    w->blocks + i * bs, where);
	return err;
}

errcode_t e2s_batch_write_dir_blocks(struct batch *batch,
				     struct e2s_where *where)
{
	uint32_t bs = batch->mover->fs->geo.block_size;
	struct renamer r = { .batch = batch, .room = WINDOW_BYTES / bs };
	const struct e2s_portions portions = {
		.make = make_window, .deliver = deliver_window, .ctx = &r,
	};
	errcode_t err = 0;
	unsigned i;

	if (r.room > batch->dir_blocks.n)
		r.room = (uint32_t)batch->dir_blocks.n;
	for (i = 0; i < 2 && r.room; i++) {
		r.windows[i].blocks = e2s_large_malloc((size_t)r.room * bs);
		r.windows[i].changed = malloc(r.room);
		if (!r.windows[i].blocks || !r.windows[i].changed)
			err = ENOMEM;
	}
	if (!err)
		err = e2s_portions_run(&portions, batch->mover->threads, where);
	for (i = 0; i < 2; i++) {
		free(r.windows[i].blocks);
		free(r.windows[i].changed);
	}
	return err;
}
