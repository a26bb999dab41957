/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extent blocks: their checksums contain the number of the inode. */
#include <errno.h>
#include <stdlib.h>

#include "relayout/internal.h"
#include "scan/extents.h"

struct renumber {
	struct mover *mover;
	struct e2s_where *where;
	uint32_t seed;		/* of the new number */
};

static errcode_t write_node(void *ctx, uint64_t blk, uint8_t *buf)
{
	struct renumber *r = ctx;
	const uint8_t *stored;
	uint32_t csum;

	if (!e2s_csum_extent_block(r->mover->fs, r->seed, buf, &stored, &csum))
		return e2s_where_blk(r->where, E2S_ET_NOT_AS_SCANNED, blk);
	e2s_put_le32(buf + (stored - buf), csum);
	return e2s_mover_add(r->mover, blk, buf, r->where);
}

static int by_ino(const void *a, const void *b)
{
	const struct e2s_deep_file *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static errcode_t write_tree(struct mover *m, const struct e2s_step *step,
			    uint8_t *block, uint8_t *scratch,
			    struct e2s_where *where)
{
	const struct e2s_geometry *geo = &m->fs->geo;
	uint32_t index = e2s_index_of(m, step->from);
	struct renumber r = { .mover = m, .where = where };
	errcode_t err;
	uint8_t *raw;
	int bad = 0;

	err = e2s_fs_read(m->fs, e2s_fs_itable_blk(m->fs,
				e2s_group_of(m, step->from)) +
			  index / geo->inodes_per_block, 1, block, where);
	if (err)
		return err;
	raw = block + index % geo->inodes_per_block * geo->inode_size;
	r.seed = e2s_csum_inode_seed(m->fs, step->to, e2s_get_le32(raw +
				offsetof(struct ext2_inode, i_generation)));
	if (!e2s_extents_have_nodes(raw))
		bad = 1;
	else
		err = e2s_extents_walk(m->fs, step->from, raw, scratch,
				       write_node, &r, &bad, where);
	if (!err && bad)
		err = e2s_where_ino(where, E2S_ET_NOT_AS_SCANNED, step->from);
	return err;
}

errcode_t e2s_batch_write_extents(struct batch *batch, struct e2s_where *where)
{
	struct mover *m = batch->mover;
	const struct e2s_scan *scan = m->scan;
	size_t bs = m->fs->geo.block_size, i;
	struct e2s_deep_file key;
	uint8_t *buf;
	errcode_t err = 0;

	if (!m->fs->geo.metadata_csum || !scan->deep_files_n)
		return 0;
	buf = malloc(bs * (1 + E2S_EXTENT_LEVELS));
	if (!buf)
		return ENOMEM;
	for (i = 0; i < batch->n && !err; i++) {
		key.ino = batch->by_from[i].old;
		if (bsearch(&key, scan->deep_files, scan->deep_files_n,
			    sizeof(key), by_ino))
			err = write_tree(m, &batch->by_from[i], buf, buf + bs,
					 where);
	}
	free(buf);
	return err;
}
