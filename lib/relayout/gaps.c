/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Itable blocks between old and new high-water marks, filled with zeroes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/internal.h"

#define CHUNK_BYTES (1u << 20)

struct filler {
	struct batch *batch;
	uint8_t *read, *zeroes;	/* a chunk each */
	uint32_t blocks;	/* in a chunk */
	int wrote;
};

static int is_zero(const uint8_t *data, size_t len)
{
	return !data[0] && !memcmp(data, data + 1, len - 1);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* True when the batch writes BLOCK of the inode table of GROUP. */
static int is_written(const struct batch *batch, uint32_t group, uint32_t block)
{
	uint64_t key = (uint64_t)group *
		       batch->mover->fs->geo.itable_blocks + block;

	return bsearch(&key, batch->itable.v, batch->itable.n, sizeof(key),
		       compare) != NULL;
}

/* COUNT blocks of GROUP's table from FIRST on, which have been read. */
static errcode_t fill_chunk(struct filler *f, uint32_t group, uint32_t first,
			    uint32_t count, struct e2s_where *where)
{
	struct mover *m = f->batch->mover;
	uint32_t bs = m->fs->geo.block_size, i, n;
	errcode_t err = 0;

	for (i = 0; i < count && !err; i += n + 1) {
		for (n = 0; i + n < count &&
			    !is_zero(f->read + (size_t)(i + n) * bs, bs) &&
			    !is_written(f->batch, group, first + i + n); n++)
			;
		if (!n)
			continue;
		err = e2s_redo_mark(m->redo, where);
		if (!err)
			err = e2s_fs_write(m->fs,
					   e2s_fs_itable_blk(m->fs, group) +
						   first + i,
					   n, f->zeroes, where);
		f->wrote = 1;
	}
	return err;
}

/* Blocks [FIRST, END) of GROUP's table that the batch does not write.  What
 * is zero already, as the holes of an image file are, is left alone. */
static errcode_t fill_gap(struct filler *f, uint32_t group, uint32_t first,
			  uint32_t end, struct e2s_where *where)
{
	const struct e2s_fs *fs = f->batch->mover->fs;
	uint64_t blk = e2s_fs_itable_blk(fs, group);
	errcode_t err = 0;
	uint32_t n;

	for (; first < end && !err; first += n) {
		n = (uint32_t)(e2s_fs_find_data(fs, blk + first, end - first) -
			       blk - first);
		if (n)
			continue;
		n = end - first < f->blocks ? end - first : f->blocks;
		err = e2s_fs_read(fs, blk + first, n, f->read, where);
		if (!err)
			err = fill_chunk(f, group, first, n, where);
	}
	return err;
}

errcode_t e2s_batch_zero_gaps(struct batch *batch, struct e2s_where *where)
{
	struct mover *m = batch->mover;
	uint32_t bs = m->fs->geo.block_size, group;
	uint32_t ipb = m->fs->geo.inodes_per_block;
	struct filler f = { .batch = batch };
	errcode_t err = 0;
	size_t i;

	f.blocks = bs < CHUNK_BYTES ? CHUNK_BYTES / bs : 1;
	f.read = malloc((size_t)f.blocks * bs);
	f.zeroes = calloc(f.blocks, bs);
	if (!f.read || !f.zeroes)
		err = ENOMEM;
	for (i = 0; i < batch->groups.n && !err; i++) {
		group = batch->groups.v[i];
		err = fill_gap(&f, group, (m->used[group] + ipb - 1) / ipb,
			       (m->used_after[group] + ipb - 1) / ipb, where);
	}
	free(f.read);
	free(f.zeroes);
	if (!err && f.wrote)
		err = e2s_fs_sync_undo(m->fs);
	return !err && f.wrote ? e2s_fs_flush(m->fs) : err;
}
