/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishing what a redo file holds.  Everything is checked before anything is
 * written, and every step may be done twice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "redo/redofile.h"

/* Fields in which a superblock may differ from what it was at the start. */
static const struct field {
	size_t at, size;
} volatile_fields[] = {
#define FIELD(name) { offsetof(struct ext2_super_block, name),		\
		      sizeof(((struct ext2_super_block *)0)->name) }
	FIELD(s_state),			/* our mark; looked at by itself */
	FIELD(s_snapshot_r_blocks_count),	/* with it, see super.c */
	/* 'tune2fs -f -E clear_mmp', which may have to come first: */
	FIELD(s_wtime), FIELD(s_wtime_hi), FIELD(s_kbytes_written),
	FIELD(s_checksum),
#undef FIELD
};

static void mask(unsigned char super[SUPERBLOCK_SIZE])
{
	size_t i, n = sizeof(volatile_fields) / sizeof(*volatile_fields);

	for (i = 0; i < n; i++)
		memset(super + volatile_fields[i].at, 0,
		       volatile_fields[i].size);
}

static int same_field(const unsigned char *a, const unsigned char *b,
		      size_t at, size_t size)
{
	return !memcmp(a + at, b + at, size);
}

/*
 * The superblock must be the one from the start of the interrupted run: with
 * or without that run's mark, otherwise as it was.  A mount that may write
 * changes its times and counters, and so does e2fsck.
 */
static errcode_t check_super(const struct e2s_redofile *redo,
			     const unsigned char *super)
{
	size_t uuid = offsetof(struct ext2_super_block, s_uuid);
	size_t state = offsetof(struct ext2_super_block, s_state);
	unsigned char now[SUPERBLOCK_SIZE], then[SUPERBLOCK_SIZE];
	unsigned char marked[SUPERBLOCK_SIZE];

	if (!same_field(super, redo->super, uuid, 16))
		return E2S_ET_REDO_OTHER_FS;
	memcpy(marked, redo->super, sizeof(marked));
	e2s_redo_file_log.mark(NULL, marked);
	if (!same_field(super, redo->super, state, 2) &&
	    !same_field(super, marked, state, 2))
		return E2S_ET_REDO_CHANGED;
	memcpy(now, super, sizeof(now));
	memcpy(then, redo->super, sizeof(then));
	mask(now);
	mask(then);
	return memcmp(now, then, sizeof(now)) ? E2S_ET_REDO_CHANGED : 0;
}

/* Nothing of the batch may lie outside the file system or on its superblock. */
static errcode_t check_targets(const struct e2s_fs *fs,
			       const struct e2s_redofile *redo,
			       const struct e2s_redo_list *list,
			       const struct e2s_redo_super *super,
			       struct e2s_where *where)
{
	size_t i;

	if (redo->head.block_size != fs->geo.block_size)
		return E2S_ET_REDO_DAMAGED;
	for (i = 0; i < list->n; i++)
		if (list->v[i].blk >= fs->geo.blocks ||
		    list->v[i].blk == super->blk)
			return e2s_where_blk(where, E2S_ET_REDO_DAMAGED,
					     list->v[i].blk);
	return 0;
}

static errcode_t put_in_place(struct e2s_fs *fs, void *self,
			      const struct e2s_redo_list *list,
			      struct e2s_where *where)
{
	unsigned char *buf = e2s_large_malloc(e2s_redo_buf_size(fs));
	errcode_t err;

	if (!buf)
		return ENOMEM;
	err = e2s_redo_checkpoint(fs, &e2s_redo_file_log, self, list, buf,
				  where);
	free(buf);
	if (!err)
		err = e2s_fs_flush(fs);
	return err ? err : e2s_redo_file_log.retire(self, where);
}

/*
 * Gives the superblock the state it had.  Where nothing else was changed the
 * pad is again what it was.
 */
static errcode_t unmark(struct e2s_fs *fs, struct e2s_redo_super *super,
			const struct e2s_redofile *redo,
			struct e2s_where *where)
{
	size_t at = offsetof(struct ext2_super_block, s_state);

	memcpy(e2s_redo_super_new(super) + at, redo->super + at, 2);
	return e2s_redo_super_write(fs, super, where);
}

static errcode_t finish(struct e2s_fs *fs, void *self,
			const struct e2s_redofile *redo,
			const struct e2s_redo_list *list,
			struct e2s_where *where)
{
	struct e2s_redo_super super = { 0 };
	errcode_t err;

	err = e2s_redo_super_read(fs, &super, where);
	if (!err)
		err = check_super(redo, super.old + super.at);
	if (!err)
		err = check_targets(fs, redo, list, &super, where);
	if (!err && list->n)
		err = put_in_place(fs, self, list, where);
	if (!err)
		err = unmark(fs, &super, redo, where);
	e2s_redo_super_free(&super);
	return err;
}

errcode_t e2s_redo_resume(const char *spec, const char *path, uint64_t *blocks,
			  struct e2s_where *where)
{
	const struct e2s_fs_rw_options options = {
		.flags = E2S_FS_RW_REDO_FILE | E2S_FS_RW_RESUME,
	};
	unsigned char super[SUPERBLOCK_SIZE];
	struct e2s_redo_list list = { 0 };
	struct e2s_redofile *redo;
	struct e2s_fs *fs = NULL;
	errcode_t err, err2;
	void *self;

	err = e2s_redo_file_reopen(path, &self, &redo);
	if (err)
		return e2s_where_detail(where, err, "%.150s", path);
	if (redo->head.state == E2S_REDOFILE_COMMITTED)
		err = e2s_redofile_read_list(redo, &list, where);
	if (!err)
		err = e2s_fs_peek_super(spec, super, where);
	if (!err)
		err = check_super(redo, super);
	if (!err)
		err = e2s_fs_open_rw(spec, &options, &fs, where);
	if (!err)
		err = finish(fs, self, redo, &list, where);
	err2 = e2s_fs_close(fs);
	if (!err)
		err = err2;
	if (!err && blocks)
		*blocks = list.n;
	free(list.v);
	err2 = e2s_redo_file_log.close(self, !err);
	return err ? err : err2;
}
