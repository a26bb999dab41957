/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening to change: refuse through a handle that cannot write, then open the
 * one that can, then make sure that both saw the same file system.
 */
#define _GNU_SOURCE	/* sync_file_range */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/internal.h"
#include "fs/rw.h"

#define SUPER_OFFSET 1024

/* One request of io_channel_write_blk64() is at most an int of bytes. */
#define MAX_WRITE (16u << 20)

static errcode_t read_super(const struct e2s_fs *fs,
			    unsigned char super[SUPERBLOCK_SIZE])
{
	ssize_t got = pread(fs->fd, super, SUPERBLOCK_SIZE,
			    (off_t)(fs->offset + SUPER_OFFSET));

	if (got < 0)
		return errno;
	return got == SUPERBLOCK_SIZE ? 0 : E2S_ET_SHORT_READ;
}

errcode_t e2s_fs_peek_super(const char *spec,
			    unsigned char super[SUPERBLOCK_SIZE],
			    struct e2s_where *where)
{
	struct e2s_fs *fs;
	errcode_t err;

	err = e2s_fs_find(spec, &fs, where);
	if (err)
		return err;
	err = read_super(fs, super);
	e2s_fs_close(fs);
	return err;
}

static errcode_t refuse(struct e2s_fs *fs, unsigned flags,
			unsigned char super[SUPERBLOCK_SIZE],
			struct e2s_where *where)
{
	errcode_t err;

	err = e2s_fs_refuse_device(fs, where);
	if (!err)
		err = read_super(fs, super);
	if (!err)
		err = e2s_fs_attach(fs, 0, unix_io_manager, where);
	if (!err)
		err = e2s_fs_check_mmp(fs, 0);
	if (!err)
		err = e2s_fs_refuse(fs, flags, where);
	if (fs->ext2)
		ext2fs_free(fs->ext2);
	fs->ext2 = NULL;
	return err;
}

static errcode_t attach_rw(struct e2s_fs *fs, struct e2s_where *where)
{
	int mode = EXT2_FLAG_RW | EXT2_FLAG_EXCLUSIVE;
	io_manager manager = unix_io_manager;
	errcode_t err;

	if (fs->rw->undo) {
		err = set_undo_io_backing_manager(unix_io_manager);
		if (!err)
			err = set_undo_io_backup_file(fs->rw->undo);
		if (err)
			return err;
		manager = undo_io_manager;
	}
	err = e2s_fs_attach(fs, mode, manager, where);
	switch (err) {
	case EXT2_ET_MMP_FAILED:
	case EXT2_ET_MMP_FSCK_ON:
		return E2S_ET_MMP_IN_USE;
	case EXT2_ET_UNDO_FILE_WRONG:
	case EXT2_ET_UNDO_FILE_CORRUPT:
		return e2s_where_detail(where, E2S_ET_UNDO_EXISTS, "%.150s",
					fs->rw->undo);
	case EBUSY:
		return E2S_ET_BUSY;
	}
	return err;
}

errcode_t e2s_fs_open_rw(const char *spec,
			 const struct e2s_fs_rw_options *options,
			 struct e2s_fs **ret, struct e2s_where *where)
{
	unsigned char before[SUPERBLOCK_SIZE], after[SUPERBLOCK_SIZE];
	struct e2s_fs *fs;
	errcode_t err;

	*ret = NULL;
	err = e2s_fs_find(spec, &fs, where);
	if (err)
		return err;
	err = refuse(fs, options->flags, before, where);
	if (err)
		goto out;
	err = e2s_fs_prepare_undo(fs, options->undo, where);
	if (err)
		goto out;
	err = attach_rw(fs, where);
	if (err)
		goto out;
	err = read_super(fs, after);
	if (err)
		goto out;
	if (memcmp(before, after, sizeof(before))) {
		err = E2S_ET_CHANGED;
		goto out;
	}
	*ret = fs;
	fs = NULL;
out:
	e2s_fs_close(fs);
	return err;
}

errcode_t e2s_fs_write(struct e2s_fs *fs, uint64_t blk, uint64_t count,
		       const void *buf, struct e2s_where *where)
{
	uint64_t max = MAX_WRITE / fs->geo.block_size, n;
	const char *from = buf;
	errcode_t err;

	for (; count; count -= n) {
		n = count < max ? count : max;
		fs->rw->written = 1;
		err = io_channel_write_blk64(fs->ext2->io, blk, (int)n, from);
		if (err)
			return e2s_where_blk(where, err, blk);
		blk += n;
		from += n * fs->geo.block_size;
	}
	return 0;
}

errcode_t e2s_fs_start_flush(struct e2s_fs *fs, uint64_t blk, uint64_t count,
			     struct e2s_where *where)
{
	off_t at = (off_t)(fs->offset + blk * fs->geo.block_size);
	off_t len = (off_t)(count * fs->geo.block_size);

	if (!sync_file_range(fs->fd, at, len, SYNC_FILE_RANGE_WRITE))
		return 0;
	switch (errno) {
	case EIO:
	case ENOSPC:
	case EDQUOT:
		return e2s_where_blk(where, errno, blk);
	}
	return 0;	/* it cannot be asked for here */
}

errcode_t e2s_fs_flush(struct e2s_fs *fs)
{
	return fsync(fs->fd) ? errno : 0;
}

errcode_t e2s_fs_sync_undo(struct e2s_fs *fs)
{
	if (fs->rw->undo_fd < 0)
		return 0;
	return fsync(fs->rw->undo_fd) ? errno : 0;
}

errcode_t e2s_fs_touch_mmp(struct e2s_fs *fs)
{
	errcode_t err = ext2fs_mmp_update(fs->ext2);

	return err == EXT2_ET_MMP_CHANGE_ABORT ? E2S_ET_MMP_TAKEN : err;
}

const char *e2s_fs_undo_path(const struct e2s_fs *fs)
{
	return fs->rw ? fs->rw->undo : NULL;
}

errcode_t e2s_fs_close_rw(struct e2s_fs *fs)
{
	struct e2s_fs_rw *rw = fs->rw;
	errcode_t err = 0, err2 = 0;

	if (fs->ext2) {
		err = ext2fs_mmp_stop(fs->ext2);
		if (err == EXT2_ET_MMP_CHANGE_ABORT)
			err = E2S_ET_MMP_TAKEN;
		/* ext2fs_free() would drop what closing the channel says. */
		err2 = io_channel_close(fs->ext2->io);
		fs->ext2->io = NULL;
		fs->ext2->image_io = NULL;
	}
	if (rw->undo_fd >= 0)
		close(rw->undo_fd);
	if (rw->undo_made && !rw->written)
		unlink(rw->undo);
	free(rw->undo);
	free(rw);
	fs->rw = NULL;
	return err ? err : err2;
}
