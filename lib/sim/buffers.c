/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which itable blocks are in memory: what __ext4_get_inode_loc() decides. */
#include <math.h>

#include "sim/internal.h"

double *e2s_sim_buffer_ready(struct world *w, uint32_t ino)
{
	return &w->group[group_of(w, ino)].ready[block_of(w, ino)];
}

double *e2s_sim_buffer_queue(struct world *w, uint32_t ino)
{
	return &w->group[group_of(w, ino)].queue[block_of(w, ino)];
}

uint32_t *e2s_sim_buffer_starter(struct world *w, uint32_t ino)
{
	return &w->group[group_of(w, ino)].starter[block_of(w, ino)];
}

int e2s_sim_buffer_must_be_read(const struct world *w, uint32_t ino)
{
	const uint32_t ipg = w->geo->inodes_per_group;
	uint32_t i = block_of(w, ino) * w->geo->inodes_per_block;
	const uint32_t end = i + w->geo->inodes_per_block;
	const uint32_t first = group_of(w, ino) * ipg + 1;

	if (w->options->no_read_avoidance)
		return 1;
	for (; i < end; i++)
		/* Behind the last inode the bitmap is all ones. */
		if (i >= ipg || (first + i != ino &&
				 e2s_ialloc_in_use(w->ia, first + i)))
			return 1;
	return 0;
}

/*
 * Ahead goes the window of the block, but for what lies outside the group's
 * table or above its high-water mark.  The kernel's loop goes one block past
 * that (while (b <= end)), and so does this.
 */
void e2s_sim_buffer_read(struct world *w, uint32_t ino, double until)
{
	const uint32_t ra_blks = w->options->readahead_blks;
	struct sim_group *g = &w->group[group_of(w, ino)];
	uint64_t table = e2s_fs_itable_blk(w->scan->fs, group_of(w, ino));
	uint64_t b, end;

	g->ready[block_of(w, ino)] = until;
	if (!ra_blks)
		return;
	b = (table + block_of(w, ino)) & ~((uint64_t)ra_blks - 1);
	if (b < table)
		b = table;
	end = b + ra_blks;
	if (end > table + g->used / w->geo->inodes_per_block)
		end = table + g->used / w->geo->inodes_per_block;
	for (; b <= end && b - table < w->geo->itable_blocks; b++)
		if (g->ready[b - table] == (double)INFINITY)
			g->ready[b - table] = until;
}
