/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relayout/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES (16u << 20)	/* of inodes held at once */
#define RUN_BYTES (1u << 20)		/* read at once */
#define RUN_GAP 8			/* blocks read though nobody wants them */

/* An arrival of the window. */
struct item {
	uint32_t from;
	uint32_t at;		/* its place in the window */
};

struct gather {
	const struct batch *batch;
	uint8_t *inodes;	/* the window, in order of arrival */
	struct item *items;
	size_t room;		/* inodes that a window holds */
	size_t first, n;	/* steps of by_to in the window */
	size_t next;		/* step to be handed out */
	uint8_t *run;
	uint32_t run_blocks;
};

static int by_from(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static uint64_t blk_of(const struct gather *g, uint32_t ino)
{
	const struct mover *m = g->batch->mover;

	return e2s_fs_itable_blk(m->fs, e2s_group_of(m, ino)) +
	       e2s_index_of(m, ino) / m->fs->geo.inodes_per_block;
}

/* Copies one inode out of the run that begins at block START. */
static errcode_t take(struct gather *g, const struct item *item, uint64_t start)
{
	const struct mover *m = g->batch->mover;
	const struct e2s_geometry *geo = &m->fs->geo;
	const uint8_t *raw = g->run +
		(blk_of(g, item->from) - start) * geo->block_size +
		e2s_index_of(m, item->from) % geo->inodes_per_block *
			geo->inode_size;

	if (!e2s_get_le16(raw + offsetof(struct ext2_inode, i_links_count)) ||
	    (geo->metadata_csum && !e2s_csum_inode_match(m->fs, item->from,
							 raw)))
		return e2s_where_ino(m->where, E2S_ET_NOT_AS_SCANNED,
				     item->from);
	memcpy(g->inodes + (size_t)item->at * geo->inode_size, raw,
	       geo->inode_size);
	return 0;
}

/* Items from I on whose blocks are read together; *BLOCKS is how many. */
static size_t run_items(const struct gather *g, size_t i, uint32_t *blocks)
{
	uint64_t start = blk_of(g, g->items[i].from), blk;
	size_t n = 1;

	*blocks = 1;
	for (; i + n < g->n; n++) {
		blk = blk_of(g, g->items[i + n].from);
		if (blk < start || blk - start >= g->run_blocks ||
		    blk - start > (uint64_t)*blocks + RUN_GAP)
			break;
		*blocks = (uint32_t)(blk - start) + 1;
	}
	return n;
}

static errcode_t fill(struct gather *g)
{
	const struct batch *batch = g->batch;
	errcode_t err = 0;
	uint32_t blocks;
	size_t i, n;

	g->first = g->next;
	g->n = batch->n - g->first < g->room ? batch->n - g->first : g->room;
	for (i = 0; i < g->n; i++)
		g->items[i] = (struct item){
			e2s_step_by_to(batch, g->first + i)->from, (uint32_t)i };
	qsort(g->items, g->n, sizeof(*g->items), by_from);
	for (i = 0; i < g->n && !err; i += n) {
		n = run_items(g, i, &blocks);
		err = e2s_fs_read(batch->mover->fs, blk_of(g, g->items[i].from),
				  blocks, g->run, batch->mover->where);
		for (size_t k = i; k < i + n && !err; k++)
			err = take(g, &g->items[k],
				   blk_of(g, g->items[i].from));
	}
	return err;
}

errcode_t e2s_gather_next(struct gather *g, uint32_t ino, const uint8_t **raw)
{
	errcode_t err;

	*raw = NULL;
	if (g->next == g->batch->n ||
	    e2s_step_by_to(g->batch, g->next)->to != ino)
		return 0;
	if (g->next == g->first + g->n) {
		err = fill(g);
		if (err)
			return err;
	}
	*raw = g->inodes + (g->next++ - g->first) *
				   g->batch->mover->fs->geo.inode_size;
	return 0;
}

errcode_t e2s_gather_new(const struct batch *batch, struct gather **ret)
{
	const struct e2s_geometry *geo = &batch->mover->fs->geo;
	struct gather *g = calloc(1, sizeof(*g));

	*ret = NULL;
	if (!g)
		return ENOMEM;
	g->batch = batch;
	g->room = WINDOW_BYTES / geo->inode_size;
	if (g->room > batch->n)
		g->room = batch->n;
	g->run_blocks = geo->block_size < RUN_BYTES
				? RUN_BYTES / geo->block_size : 1;
	g->inodes = malloc(g->room * geo->inode_size + 1);
	g->items = malloc(g->room * sizeof(*g->items) + 1);
	g->run = malloc((size_t)g->run_blocks * geo->block_size);
	if (!g->inodes || !g->items || !g->run) {
		e2s_gather_free(g);
		return ENOMEM;
	}
	*ret = g;
	return 0;
}

void e2s_gather_free(struct gather *g)
{
	if (!g)
		return;
	free(g->inodes);
	free(g->items);
	free(g->run);
	free(g);
}
