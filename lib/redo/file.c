/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch in a redo file.  While one is open the superblock says "not clean"
 * and "with errors", so that a half-changed file system that somebody mounts
 * in spite of it is at least warned of.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "redo/redofile.h"

struct file {
	struct e2s_fs *fs;
	struct e2s_redofile redo;
};

/* Leaves a tenth of the space that is there to others. */
static void measure_room(struct e2s_redofile *redo)
{
	uint64_t bytes = 0;
	struct statvfs vfs;
	struct stat st;

	if (!fstatvfs(redo->fd, &vfs))
		bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	bytes -= bytes / 10;
	if (!fstat(redo->fd, &st))
		bytes += (uint64_t)st.st_blocks * 512;
	bytes -= bytes < E2S_REDOFILE_DATA ? bytes : E2S_REDOFILE_DATA;
	redo->room = bytes / (redo->head.block_size + E2S_REDOFILE_ENTRY_SIZE);
}

/* Why PATH, which exists, cannot be the redo file. */
static errcode_t explain_exists(const struct e2s_fs *fs, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	errcode_t err = 0;

	if (fd >= 0) {
		err = e2s_fs_check_beside(fs, fd, E2S_ET_REDO_NOT_REGULAR,
					  E2S_ET_REDO_ON_TARGET);
		close(fd);
	}
	return err ? err : E2S_ET_REDO_EXISTS;
}

static errcode_t create(struct file *file, const char *path,
			const unsigned char *super)
{
	struct e2s_redofile *redo = &file->redo;
	errcode_t err;

	redo->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (redo->fd < 0)
		return errno == EEXIST ? explain_exists(file->fs, path) : errno;
	redo->path = strdup(path);
	if (!redo->path) {
		unlink(path);
		return ENOMEM;
	}
	err = e2s_fs_check_beside(file->fs, redo->fd, E2S_ET_REDO_NOT_REGULAR,
				  E2S_ET_REDO_ON_TARGET);
	if (err)
		goto out;
	redo->head.block_size = file->fs->geo.block_size;
	memcpy(redo->head.uuid, file->fs->ext2->super->s_uuid,
	       sizeof(redo->head.uuid));
	memcpy(redo->super, super, sizeof(redo->super));
	redo->head.super_crc = e2s_crc32c(~0u, super, sizeof(redo->super));
	err = e2s_redofile_write(redo, E2S_REDOFILE_SUPER, redo->super,
				 sizeof(redo->super));
	/* A head that is there says that what it speaks of is there, too. */
	if (!err && fsync(redo->fd))
		err = errno;
	if (!err)
		err = e2s_redofile_write_head(redo);
	if (!err)
		err = e2s_redofile_sync_dir(redo);
	measure_room(redo);
out:
	if (err)
		unlink(path);
	return err;
}

errcode_t e2s_redo_file_open(struct e2s_fs *fs, const char *path,
			     const unsigned char *super, void **self,
			     struct e2s_where *where)
{
	struct file *file = calloc(1, sizeof(*file));
	errcode_t err;

	if (!file)
		return ENOMEM;
	file->fs = fs;
	err = create(file, path, super);
	if (err) {
		e2s_redofile_release(&file->redo);
		free(file);
		return e2s_where_detail(where, err, "%.150s", path);
	}
	*self = file;
	return 0;
}

static void file_mark(void *self, unsigned char *super)
{
	size_t at = offsetof(struct ext2_super_block, s_state);
	uint16_t state;

	(void)self;
	memcpy(&state, super + at, sizeof(state));
	state = ext2fs_le16_to_cpu(state);
	state = (uint16_t)((state & ~EXT2_VALID_FS) | EXT2_ERROR_FS);
	state = ext2fs_cpu_to_le16(state);
	memcpy(super + at, &state, sizeof(state));
}

static uint64_t file_room(const void *self)
{
	const struct file *file = self;

	return file->redo.room;
}

static errcode_t file_begin(void *self, struct e2s_where *where)
{
	struct file *file = self;

	(void)where;
	file->redo.next = 0;
	return 0;
}

static errcode_t file_put(void *self, const void *data, uint64_t blk,
			  uint32_t *pos, struct e2s_where *where)
{
	struct file *file = self;
	struct e2s_redofile *redo = &file->redo;
	errcode_t err;

	(void)blk;
	*pos = redo->next++;
	err = e2s_fs_touch_mmp(file->fs);
	if (err)
		return err;
	err = e2s_redofile_write(redo, e2s_redofile_data_at(redo, *pos), data,
				 redo->head.block_size);
	return err ? e2s_where_detail(where, err, "%.150s", redo->path) : 0;
}

static errcode_t file_seal(void *self, const struct e2s_redo_list *list,
			   struct e2s_where *where)
{
	struct e2s_redofile *redo = &((struct file *)self)->redo;
	errcode_t err;

	redo->head.batch++;
	err = e2s_redofile_write_list(redo, list);
	if (!err && fsync(redo->fd))
		err = errno;
	return err ? e2s_where_detail(where, err, "%.150s", redo->path) : 0;
}

static errcode_t write_state(struct file *file, uint32_t state,
			     struct e2s_where *where)
{
	struct e2s_redofile *redo = &file->redo;
	errcode_t err;

	redo->head.state = state;
	err = e2s_redofile_write_head(redo);
	return err ? e2s_where_detail(where, err, "%.150s", redo->path) : 0;
}

static errcode_t file_commit(void *self, struct e2s_where *where)
{
	return write_state(self, E2S_REDOFILE_COMMITTED, where);
}

static errcode_t file_get(void *self, uint32_t pos, uint32_t count,
			  unsigned char *buf, struct e2s_where *where)
{
	struct e2s_redofile *redo = &((struct file *)self)->redo;
	errcode_t err;

	err = e2s_redofile_read(redo, e2s_redofile_data_at(redo, pos), buf,
				(size_t)count * redo->head.block_size);
	return err ? e2s_where_detail(where, err, "%.150s", redo->path) : 0;
}

static errcode_t file_retire(void *self, struct e2s_where *where)
{
	struct file *file = self;

	file->redo.head.blocks = 0;
	file->redo.head.list_crc = 0;
	measure_room(&file->redo);
	return write_state(file, E2S_REDOFILE_EMPTY, where);
}

static errcode_t file_close(void *self, int done)
{
	struct file *file = self;
	errcode_t err = 0;

	if (done)
		err = e2s_redofile_unlink(&file->redo);
	e2s_redofile_release(&file->redo);
	free(file);
	return err;
}

static int file_owns(const void *self, uint64_t blk)
{
	(void)self;
	(void)blk;
	return 0;
}

const struct e2s_redo_log e2s_redo_file_log = {
	.mark = file_mark,
	.room = file_room,
	.begin = file_begin,
	.put = file_put,
	.seal = file_seal,
	.commit = file_commit,
	.get = file_get,
	.retire = file_retire,
	.close = file_close,
	.owns = file_owns,
};

errcode_t e2s_redo_file_reopen(const char *path, void **self,
			       struct e2s_redofile **redo)
{
	struct file *file = calloc(1, sizeof(*file));
	struct stat st;
	errcode_t err = 0;

	if (!file)
		return ENOMEM;
	initialize_e2s_error_table();
	*self = file;
	*redo = &file->redo;
	file->redo.path = strdup(path);
	file->redo.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (!file->redo.path)
		err = ENOMEM;
	else if (file->redo.fd < 0 || fstat(file->redo.fd, &st))
		err = errno;
	else if (!S_ISREG(st.st_mode))
		err = E2S_ET_NOT_REDO;
	else
		err = e2s_redofile_read_head(&file->redo);
	if (err)
		file_close(file, 0);
	return err;
}
