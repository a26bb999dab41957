/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directory blocks: names, "." and "..", and the checksum. */
#include <errno.h>
#include <stdlib.h>

#include "relayout/internal.h"

/* The checksum of BLOCK, whose directory is or becomes INO. */
static errcode_t set_csum(struct mover *m, const struct e2s_dir_block *block,
			  uint32_t ino, uint8_t *data)
{
	uint32_t gen = m->scan->dirs[block->dir].generation, csum;
	const uint8_t *stored;

	if (e2s_csum_dir_block(m->fs, e2s_csum_inode_seed(m->fs, ino, gen),
			       data, &stored, &csum) == E2S_DIR_NO_TAIL)
		return e2s_where_blk(m->where, E2S_ET_NOT_AS_SCANNED, block->blk);
	e2s_put_le32(data + (stored - data), csum);
	return 0;
}

static errcode_t check_csum(struct mover *m, const struct e2s_dir_block *block,
			    const uint8_t *data)
{
	uint32_t gen = m->scan->dirs[block->dir].generation, csum;
	uint32_t ino = m->dir_ino[block->dir];
	const uint8_t *stored;

	if (e2s_csum_dir_block(m->fs, e2s_csum_inode_seed(m->fs, ino, gen),
			       data, &stored, &csum) == E2S_DIR_NO_TAIL ||
	    e2s_get_le32(stored) != csum)
		return e2s_where_blk(m->where, E2S_ET_NOT_AS_SCANNED, block->blk);
	return 0;
}

static errcode_t write_block(struct batch *batch, e2s_place place, uint8_t *data)
{
	struct mover *m = batch->mover;
	const struct e2s_dir_block *block = &m->scan->dir_blocks[place];
	uint32_t ino = m->dir_ino[block->dir];
	uint32_t new_ino = e2s_batch_new_ino(batch, ino);
	errcode_t err;
	int changed;

	err = e2s_fs_read(m->fs, block->blk, 1, data, m->where);
	if (!err && m->fs->geo.metadata_csum)
		err = check_csum(m, block, data);
	if (err)
		return err;
	changed = e2s_batch_patch_entries(batch, data, m->fs->geo.block_size);
	if (changed < 0)
		return e2s_where_blk(m->where, E2S_ET_NOT_AS_SCANNED, block->blk);
	if (!changed && ino == new_ino)
		return 0;
	if (m->fs->geo.metadata_csum)
		err = set_csum(m, block, new_ino, data);
	return err ? err : e2s_mover_add(m, block->blk, data);
}

static int has_block(const struct batch *batch, size_t place)
{
	return batch->dir_blocks[place / 8] >> place % 8 & 1;
}

errcode_t e2s_batch_write_dir_blocks(struct batch *batch)
{
	struct mover *m = batch->mover;
	uint8_t *data = malloc(m->fs->geo.block_size);
	errcode_t err = data ? 0 : ENOMEM;
	size_t i;

	for (i = 0; i < m->scan->dir_blocks_n && !err; i++)
		if (has_block(batch, i))
			e2s_fs_readahead(m->fs, m->scan->dir_blocks[i].blk, 1);
	for (i = 0; i < m->scan->dir_blocks_n && !err; i++)
		if (has_block(batch, i))
			err = write_block(batch, (e2s_place)i, data);
	free(data);
	return err;
}
