/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch from begin to commit: the order of the steps and what is left when
 * one fails.  What a log is made of is in jbd2.c and file.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "redo/internal.h"

struct e2s_redo {
	struct e2s_fs *fs;
	const struct e2s_redo_log *log;
	void *self;			/* the log's */
	struct e2s_redo_super super;
	struct e2s_redo_list list;	/* the batch in hand */
	enum e2s_redo_state state;
	unsigned char *buf;		/* for the checkpoint */
};

/* Takes over SELF, also when it fails. */
static errcode_t make(struct e2s_fs *fs, const struct e2s_redo_log *log,
		      struct e2s_redo_super *super, void *self,
		      struct e2s_redo **ret)
{
	struct e2s_redo *redo = calloc(1, sizeof(*redo));

	if (redo)
		redo->buf = e2s_large_malloc(e2s_redo_buf_size(fs));
	if (!redo || !redo->buf) {
		log->close(self, 1);
		free(redo);
		return ENOMEM;
	}
	redo->fs = fs;
	redo->log = log;
	redo->self = self;
	redo->super = *super;
	log->mark(self, e2s_redo_super_new(&redo->super));
	*ret = redo;
	return 0;
}

errcode_t e2s_redo_open_journal(struct e2s_fs *fs, struct e2s_redo **ret,
				struct e2s_where *where)
{
	struct e2s_redo_super super = { 0 };
	void *self = NULL;
	errcode_t err;

	*ret = NULL;
	err = e2s_redo_super_read(fs, &super, where);
	if (!err)
		err = e2s_redo_jbd2_open(fs, &self, where);
	if (!err)
		err = make(fs, &e2s_redo_jbd2_log, &super, self, ret);
	if (err)
		e2s_redo_super_free(&super);
	return err;
}

errcode_t e2s_redo_open_file(struct e2s_fs *fs, const char *path,
			     struct e2s_redo **ret, struct e2s_where *where)
{
	struct e2s_redo_super super = { 0 };
	void *self = NULL;
	errcode_t err;

	*ret = NULL;
	err = e2s_redo_super_read(fs, &super, where);
	if (!err)
		err = e2s_redo_file_open(fs, path, super.old + super.at, &self,
					 where);
	if (!err)
		err = make(fs, &e2s_redo_file_log, &super, self, ret);
	if (err)
		e2s_redo_super_free(&super);
	return err;
}

uint64_t e2s_redo_room(const struct e2s_redo *redo)
{
	uint64_t room = redo->log->room(redo->self);

	return room < E2S_REDO_MAX_BLOCKS ? room : E2S_REDO_MAX_BLOCKS;
}

enum e2s_redo_state e2s_redo_state(const struct e2s_redo *redo)
{
	return redo->state;
}

errcode_t e2s_redo_begin(struct e2s_redo *redo, struct e2s_where *where)
{
	redo->list.n = 0;
	return redo->log->begin(redo->self, where);
}

errcode_t e2s_redo_mark(struct e2s_redo *redo, struct e2s_where *where)
{
	if (redo->state != E2S_REDO_CLEAN)
		return 0;
	redo->state = E2S_REDO_MARKED;
	return e2s_redo_super_write(redo->fs, &redo->super, where);
}

static int may_not_be_added(const struct e2s_redo *redo, uint64_t blk)
{
	const struct e2s_fs *fs = redo->fs;
	struct ext2_super_block *super = fs->ext2->super;

	return blk >= fs->geo.blocks || blk == redo->super.blk ||
	       (ext2fs_has_feature_mmp(super) && blk == super->s_mmp_block) ||
	       redo->log->owns(redo->self, blk);
}

errcode_t e2s_redo_add(struct e2s_redo *redo, uint64_t blk, const void *data,
		       struct e2s_where *where)
{
	struct e2s_redo_entry *entry;
	errcode_t err;

	if (may_not_be_added(redo, blk))
		return e2s_where_blk(where, E2S_ET_REDO_BLOCK, blk);
	if (redo->list.n >= e2s_redo_room(redo))
		return e2s_where_blk(where, E2S_ET_REDO_FULL, blk);
	err = e2s_vec_reserve(&redo->list, 1);
	if (!err && !redo->list.n)
		err = e2s_redo_mark(redo, where);
	if (err)
		return err;
	entry = &redo->list.v[redo->list.n];
	entry->blk = blk;
	entry->crc = e2s_redo_crc(redo->fs, data);
	err = redo->log->put(redo->self, data, blk, &entry->pos, where);
	if (!err)
		redo->list.n++;
	return err;
}

/*
 * The steps of a batch.  Up to the commit point an error leaves the old state
 * (the caller aborts); from the commit point on it leaves a batch that
 * whoever opens the file system next will finish.
 */
errcode_t e2s_redo_commit(struct e2s_redo *redo, struct e2s_where *where)
{
	struct e2s_fs *fs = redo->fs;
	errcode_t err;

	if (!redo->list.n)
		return 0;
	err = e2s_redo_sort(&redo->list, where);
	if (!err)
		err = redo->log->seal(redo->self, &redo->list, where);
	if (!err)
		err = e2s_fs_sync_undo(fs);
	if (err)
		return err;
	redo->state = E2S_REDO_COMMITTED;
	err = redo->log->commit(redo->self, where);
	if (!err)
		err = e2s_redo_checkpoint(fs, redo->log, redo->self,
					  &redo->list, redo->buf, where);
	if (!err)
		err = e2s_fs_sync_undo(fs);
	if (!err)
		err = e2s_fs_flush(fs);
	if (!err)
		err = redo->log->retire(redo->self, where);
	if (err)
		return err;
	redo->state = E2S_REDO_MARKED;
	redo->list.n = 0;
	return 0;
}

errcode_t e2s_redo_abort(struct e2s_redo *redo, struct e2s_where *where)
{
	errcode_t err = 0;

	redo->list.n = 0;
	if (redo->state == E2S_REDO_MARKED)
		err = e2s_redo_super_restore(redo->fs, &redo->super, where);
	if (!err && redo->state == E2S_REDO_MARKED)
		redo->state = E2S_REDO_CLEAN;
	return err;
}

errcode_t e2s_redo_close(struct e2s_redo *redo, enum e2s_redo_state *state,
			 struct e2s_where *where)
{
	errcode_t err, err2;

	if (!redo)
		return 0;
	err = e2s_redo_abort(redo, where);
	err2 = redo->log->close(redo->self, redo->state == E2S_REDO_CLEAN);
	if (state)
		*state = redo->state;
	e2s_redo_super_free(&redo->super);
	free(redo->list.v);
	free(redo->buf);
	free(redo);
	return err ? err : err2;
}
