/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else uses the device: the rows of the refusals that need no superblock,
 * tried before one is believed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/fs.h>
#include <linux/loop.h>

#include "fs/internal.h"

static int mount_flags(const struct e2s_fs *fs, char *mount_point, int size)
{
	int flags = 0;

	mount_point[0] = '\0';
	/* What cannot be asked counts as busy. */
	if (ext2fs_check_mount_point(fs->device, &flags, mount_point, size))
		return EXT2_MF_BUSY;
	return flags;
}

static int is_mounted(const struct e2s_fs *fs, struct e2s_where *where)
{
	char mount_point[128];

	if (!(mount_flags(fs, mount_point, sizeof(mount_point)) &
	      EXT2_MF_MOUNTED))
		return 0;
	if (mount_point[0])
		e2s_where_detail(where, 0, "on %s", mount_point);
	return 1;
}

static int is_swap(const struct e2s_fs *fs, struct e2s_where *where)
{
	char mount_point[128];

	(void)where;
	return (mount_flags(fs, mount_point, sizeof(mount_point)) &
		EXT2_MF_SWAP) != 0;
}

static int is_busy(const struct e2s_fs *fs, struct e2s_where *where)
{
	char mount_point[128];

	(void)where;
	return (mount_flags(fs, mount_point, sizeof(mount_point)) &
		EXT2_MF_BUSY) != 0;
}

/* Asks the loop device itself, else what sysfs says the path was. */
static int is_backing(const char *name, const struct stat *st)
{
	char path[300], backing[4096];
	struct loop_info64 info = { 0 };
	struct stat other;
	int fd, found = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (!ioctl(fd, LOOP_GET_STATUS64, &info))
			found = info.lo_inode == st->st_ino &&
				info.lo_device == st->st_dev;
		close(fd);
	}
	if (found >= 0)
		return found;
	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, backing, sizeof(backing) - 1);
	close(fd);
	if (n <= 1)
		return 0;
	backing[n - (backing[n - 1] == '\n')] = '\0';
	return !stat(backing, &other) && other.st_ino == st->st_ino &&
	       other.st_dev == st->st_dev;
}

/* A mount in another name space is known by its loop device only. */
static int is_loop_file(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct dirent *entry;
	struct stat st;
	int found = 0;
	DIR *dir;

	if (fstat(fs->fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	dir = opendir("/sys/block");
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "loop", 4) ||
		    !is_backing(entry->d_name, &st))
			continue;
		e2s_where_detail(where, 0, "/dev/%.32s", entry->d_name);
		found = 1;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int is_read_only(const struct e2s_fs *fs, struct e2s_where *where)
{
	struct stat st;
	int read_only = 0;

	(void)where;
	if (!fstat(fs->fd, &st) && S_ISBLK(st.st_mode))
		return !ioctl(fs->fd, BLKROGET, &read_only) && read_only;
	return faccessat(AT_FDCWD, fs->device, W_OK, AT_EACCESS) != 0;
}

struct use {
	errcode_t code;
	int (*applies)(const struct e2s_fs *fs, struct e2s_where *where);
};

static const struct use uses[] = {
	{ E2S_ET_MOUNTED, is_mounted },
	{ E2S_ET_SWAP, is_swap },
	{ E2S_ET_LOOP_FILE, is_loop_file },
	{ E2S_ET_BUSY, is_busy },
	{ E2S_ET_READ_ONLY, is_read_only },
};

errcode_t e2s_fs_refuse_device(const struct e2s_fs *fs, struct e2s_where *where)
{
	size_t i;

	for (i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (uses[i].applies(fs, where))
			return uses[i].code;
	return 0;
}
