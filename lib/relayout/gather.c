/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relayout/gather.h"

#include <string.h>

#define PIECE 4096		/* inodes that are one item of work */
#define RUN_GAP 2		/* blocks read though nobody wants them */

struct gather {
	const struct batch *batch;
	const struct e2s_keyed *items;
	size_t n;
	uint8_t *out;
	uint8_t *const *runs;
};

/* Copies one inode out of its block. */
static errcode_t take(const struct gather *g, const struct e2s_keyed *item,
		      const uint8_t *raw, struct e2s_where *where)
{
	const struct e2s_fs *fs = g->batch->mover->fs;
	uint32_t size = fs->geo.inode_size;

	if (!e2s_get_le16(raw + offsetof(struct ext2_inode, i_links_count)) ||
	    (fs->geo.metadata_csum &&
	     !e2s_csum_inode_match(fs, item->key, raw)))
		return e2s_where_ino(where, E2S_ET_NOT_AS_SCANNED, item->key);
	memcpy(g->out + (size_t)item->value * size, raw, size);
	return 0;
}

/* Of the items [I, END) those whose blocks are read together, from START on;
 * *BLOCKS is how many. */
static size_t run_items(const struct gather *g, size_t i, size_t end,
			uint64_t *start, uint32_t *blocks)
{
	const struct mover *m = g->batch->mover;
	uint32_t max = m->fs->geo.block_size < E2S_GATHER_RUN
			       ? E2S_GATHER_RUN / m->fs->geo.block_size : 1;
	struct spot spot = { 0 };
	uint64_t blk;
	size_t n;

	e2s_spot_set(&spot, m, g->items[i].key);
	*start = e2s_spot_blk(&spot, m);
	*blocks = 1;
	for (n = 1; i + n < end; n++) {
		if (g->items[i + n].key < spot.end)
			continue;
		e2s_spot_set(&spot, m, g->items[i + n].key);
		blk = e2s_spot_blk(&spot, m);
		if (blk < *start || blk - *start >= max ||
		    blk - *start > (uint64_t)*blocks + RUN_GAP)
			break;
		*blocks = (uint32_t)(blk - *start) + 1;
	}
	return n;
}

static errcode_t take_run(const struct gather *g, size_t i, size_t n,
			  uint64_t start, const uint8_t *run,
			  struct e2s_where *where)
{
	const struct mover *m = g->batch->mover;
	const struct e2s_geometry *geo = &m->fs->geo;
	const struct e2s_keyed *item = g->items + i, *end = item + n;
	const uint8_t *block = run;
	struct spot spot = { 0 };
	errcode_t err = 0;

	for (; item < end && !err; item++) {
		if (item->key >= spot.end) {
			e2s_spot_set(&spot, m, item->key);
			block = run + (e2s_spot_blk(&spot, m) - start) *
					      geo->block_size;
		}
		err = take(g, item, block + (size_t)(item->key - spot.first) *
						    geo->inode_size, where);
	}
	return err;
}

static errcode_t take_piece(void *ctx, uint64_t piece, unsigned worker,
			    struct e2s_where *where)
{
	const struct gather *g = ctx;
	size_t i = piece * PIECE, n;
	size_t end = g->n - i < PIECE ? g->n : i + PIECE;
	errcode_t err = 0;
	uint32_t blocks;
	uint64_t start;

	for (; i < end && !err; i += n) {
		n = run_items(g, i, end, &start, &blocks);
		err = e2s_fs_read(g->batch->mover->fs, start, blocks,
				  g->runs[worker], where);
		if (!err)
			err = take_run(g, i, n, start, g->runs[worker], where);
	}
	return err;
}

errcode_t e2s_gather(const struct batch *batch, const struct e2s_keyed *items,
		     size_t n, uint8_t *out, uint8_t *const *runs,
		     struct e2s_where *where)
{
	struct gather g = { .batch = batch, .items = items, .n = n,
			    .out = out, .runs = runs };

	return e2s_workers_run(batch->mover->threads, (n + PIECE - 1) / PIECE,
			       take_piece, &g, where);
}
