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

/* Of the MAX entries from ENTRY on, those whose blocks follow one another. */
static uint32_t count_blk_run(const struct e2s_redo_entry *entry, uint32_t max)
{
	uint32_t n = 1;

	while (n < max && entry[n].blk == entry->blk + n)
		n++;
	return n;
}

/* Those that follow one another in the log. */
static uint32_t count_pos_run(const struct e2s_redo_entry *entry, uint32_t max)
{
	uint32_t n = 1;

	while (n < max && entry[n].pos == entry->pos + n)
		n++;
	return n;
}

/* Some of the list, read from the log and then written in place. */
struct portion {
	const struct e2s_redo_entry *entry;
	uint32_t n;
	unsigned char *buf;
};

struct checkpoint {
	struct e2s_fs *fs;
	const struct e2s_redo_log *log;
	void *self;
	const struct e2s_redo_list *list;
	size_t next;			/* entry that is to be read */
	struct portion portions[2];
};

static errcode_t read_portion(const struct checkpoint *c,
			      const struct portion *p, struct e2s_where *where)
{
	size_t size = c->fs->geo.block_size;
	uint32_t i, n;
	errcode_t err;

	for (i = 0; i < p->n; i += n) {
		n = count_pos_run(p->entry + i, p->n - i);
		err = c->log->get(c->self, p->entry[i].pos, n,
				  p->buf + i * size, where);
		if (err)
			return err;
	}
	for (i = 0; i < p->n; i++)
		if (e2s_redo_crc(c->fs, p->buf + i * size) != p->entry[i].crc)
			return e2s_where_blk(where, E2S_ET_REDO_READBACK,
					     p->entry[i].blk);
	return 0;
}

static errcode_t make_portion(void *ctx, unsigned slot, int *made,
			      struct e2s_where *where)
{
	struct checkpoint *c = ctx;
	struct portion *p = &c->portions[slot];
	uint32_t max = e2s_redo_chunk_blocks(c->fs);
	size_t left = c->list->n - c->next;

	p->entry = c->list->v + c->next;
	p->n = left < max ? (uint32_t)left : max;
	c->next += p->n;
	*made = p->n > 0;
	return read_portion(c, p, where);
}

static errcode_t write_portion(void *ctx, unsigned slot,
			       struct e2s_where *where)
{
	const struct checkpoint *c = ctx;
	const struct portion *p = &c->portions[slot];
	size_t size = c->fs->geo.block_size;
	errcode_t err = 0;
	uint32_t i, n;

	for (i = 0; i < p->n && !err; i += n) {
		n = count_blk_run(p->entry + i, p->n - i);
		err = e2s_fs_touch_mmp(c->fs);
		if (!err)
			err = e2s_fs_write(c->fs, p->entry[i].blk, n,
					   p->buf + i * size, where);
	}
	if (err)
		return err;
	return e2s_fs_start_flush(c->fs, p->entry->blk, p->entry[p->n - 1].blk +
				  1 - p->entry->blk, where);
}

errcode_t e2s_redo_checkpoint(struct e2s_fs *fs,
			      const struct e2s_redo_log *log, void *self,
			      const struct e2s_redo_list *list,
			      unsigned char *buf, struct e2s_where *where)
{
	struct checkpoint c = { .fs = fs, .log = log, .self = self,
				.list = list };
	const struct e2s_portions portions = {
		.make = make_portion, .deliver = write_portion, .ctx = &c,
	};

	c.portions[0].buf = buf;
	c.portions[1].buf = buf + e2s_redo_buf_size(fs) / 2;
	return e2s_portions_run(&portions, E2S_REDO_THREADS, where);
}
