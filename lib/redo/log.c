/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the log to the blocks' places, whatever kind of log. */
#include <stdlib.h>

#include "redo/internal.h"

static int compare_entries(const void *a, const void *b)
{
	const struct e2s_redo_entry *x = a, *y = b;

	return x->blk < y->blk ? -1 : x->blk > y->blk;
}

errcode_t e2s_redo_sort(struct e2s_redo_list *list, struct e2s_where *where)
{
	size_t i;

	qsort(list->v, list->n, sizeof(*list->v), compare_entries);
	for (i = 1; i < list->n; i++)
		if (list->v[i - 1].blk == list->v[i].blk)
			return e2s_where_blk(where, E2S_ET_REDO_TWICE,
					     list->v[i].blk);
	return 0;
}

/* Entries from FROM on whose blocks follow one another, at most MAX. */
static uint32_t count_blk_run(const struct e2s_redo_list *list, size_t from,
			      uint32_t max)
{
	const struct e2s_redo_entry *first = list->v + from;
	uint32_t n = 1;

	while (n < max && from + n < list->n &&
	       first[n].blk == first->blk + n)
		n++;
	return n;
}

/* Of the N entries from ENTRY on, those that follow one another in the log. */
static uint32_t count_pos_run(const struct e2s_redo_entry *entry, uint32_t max)
{
	uint32_t n = 1;

	while (n < max && entry[n].pos == entry->pos + n)
		n++;
	return n;
}

static errcode_t get_run(const struct e2s_fs *fs,
			 const struct e2s_redo_log *log, void *self,
			 const struct e2s_redo_entry *entry, uint32_t count,
			 unsigned char *buf, struct e2s_where *where)
{
	uint32_t i, n, size = fs->geo.block_size;
	errcode_t err;

	for (i = 0; i < count; i += n) {
		n = count_pos_run(entry + i, count - i);
		err = log->get(self, entry[i].pos, n, buf + (size_t)i * size,
			       where);
		if (err)
			return err;
	}
	for (i = 0; i < count; i++)
		if (e2s_redo_crc(fs, buf + (size_t)i * size) != entry[i].crc)
			return e2s_where_blk(where, E2S_ET_REDO_READBACK,
					     entry[i].blk);
	return 0;
}

errcode_t e2s_redo_checkpoint(struct e2s_fs *fs,
			      const struct e2s_redo_log *log, void *self,
			      const struct e2s_redo_list *list,
			      unsigned char *buf, struct e2s_where *where)
{
	uint32_t n, max = e2s_redo_chunk_blocks(fs);
	size_t i, begun = 0;
	errcode_t err = 0;

	for (i = 0; !err && i < list->n; i += n) {
		n = count_blk_run(list, i, max);
		err = get_run(fs, log, self, list->v + i, n, buf, where);
		if (!err)
			err = e2s_fs_touch_mmp(fs);
		if (!err)
			err = e2s_fs_write(fs, list->v[i].blk, n, buf, where);
		if (err || i + n - begun < max)
			continue;
		/* The disk begins with these while the next are read. */
		err = e2s_fs_start_flush(fs, list->v[begun].blk,
					 list->v[i + n - 1].blk + 1 -
						 list->v[begun].blk, where);
		begun = i + n;
	}
	return err;
}
