/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo file: libext2fs writes it, but crashes when it cannot be opened and
 * would overwrite whatever its name stands for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/internal.h"
#include "fs/rw.h"

#define DEFAULT_DIR "/var/lib/e2fsprogs"

static const char undo_magic[8] = { 'E', '2', 'U', 'N', 'D', 'O', '0', '2' };

/* As tune2fs and resize2fs do; *NAME is NULL when there is to be none. */
static errcode_t default_name(const struct e2s_fs *fs, char **name)
{
	const char *dir = getenv("E2FSPROGS_UNDO_DIR");
	const char *base = strrchr(fs->device, '/');
	size_t size;

	*name = NULL;
	if (!dir)
		dir = DEFAULT_DIR;
	if (!dir[0] || !strcmp(dir, "none"))
		return 0;
	base = base ? base + 1 : fs->device;
	size = strlen(dir) + strlen(base) + sizeof("/e2spread-.e2undo");
	*name = malloc(size);
	if (!*name)
		return ENOMEM;
	snprintf(*name, size, "%s/e2spread-%s.e2undo", dir, base);
	return 0;
}

errcode_t e2s_fs_check_beside(const struct e2s_fs *fs, int fd,
			      errcode_t not_regular, errcode_t on_target)
{
	struct stat st, target;

	if (fstat(fd, &st) || fstat(fs->fd, &target))
		return errno;
	if (!S_ISREG(st.st_mode))
		return not_regular;
	if (S_ISREG(target.st_mode) && st.st_dev == target.st_dev &&
	    st.st_ino == target.st_ino)
		return on_target;
	if (S_ISBLK(target.st_mode) && st.st_dev == target.st_rdev)
		return on_target;
	return 0;
}

/* An old undo file may be continued; libext2fs checks that it fits. */
static errcode_t check_old(int fd)
{
	char head[sizeof(undo_magic)];
	struct stat st;

	if (fstat(fd, &st))
		return errno;
	if (!st.st_size)
		return 0;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, undo_magic, sizeof(head)))
		return E2S_ET_UNDO_EXISTS;
	return 0;
}

errcode_t e2s_fs_prepare_undo(struct e2s_fs *fs, const char *undo,
			      struct e2s_where *where)
{
	struct e2s_fs_rw *rw = calloc(1, sizeof(*rw));
	errcode_t err = 0;

	fs->rw = rw;
	if (!rw)
		return ENOMEM;
	rw->undo_fd = -1;
	if (!undo)
		return 0;
	if (!undo[0])
		err = default_name(fs, &rw->undo);
	else if (!(rw->undo = strdup(undo)))
		err = ENOMEM;
	if (err || !rw->undo)
		return err;
	/* A device or a FIFO of that name must not be waited for or truncated. */
	rw->undo_fd = open(rw->undo, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			   0600);
	rw->undo_made = rw->undo_fd >= 0;
	if (rw->undo_fd < 0 && errno == EEXIST)
		rw->undo_fd = open(rw->undo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (rw->undo_fd < 0)
		err = errno;
	if (!err)
		err = e2s_fs_check_beside(fs, rw->undo_fd,
					  E2S_ET_UNDO_NOT_REGULAR,
					  E2S_ET_UNDO_ON_TARGET);
	if (!err)
		err = check_old(rw->undo_fd);
	if (err)
		e2s_where_detail(where, err, "%.150s", rw->undo);
	return err;
}
