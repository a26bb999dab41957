/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bulk reads, past libext2fs's cache and from any thread. */
#define _GNU_SOURCE	/* preadv2, SEEK_DATA */
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fs/fs.h"

static uint64_t byte_of(const struct e2s_fs *fs, uint64_t blk)
{
	return fs->offset + blk * fs->geo.block_size;
}

errcode_t e2s_fs_read(const struct e2s_fs *fs, uint64_t blk, uint64_t count,
		      void *buf, struct e2s_where *where)
{
	uint64_t at = byte_of(fs, blk), left = count * fs->geo.block_size;
	char *to = buf;
	ssize_t got;

	while (left) {
		got = pread(fs->fd, to, left > SSIZE_MAX ? SSIZE_MAX : left,
			    (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return e2s_where_blk(where,
				got ? errno : (errcode_t)E2S_ET_SHORT_READ,
				(at - fs->offset) / fs->geo.block_size);
		to += got;
		at += (uint64_t)got;
		left -= (uint64_t)got;
	}
	return 0;
}

int e2s_fs_read_cached(const struct e2s_fs *fs, uint64_t blk, uint64_t count,
		       void *buf)
{
#ifdef RWF_NOWAIT
	struct iovec iov = { buf, count * fs->geo.block_size };

	return iov.iov_len <= SSIZE_MAX &&
	       preadv2(fs->fd, &iov, 1, (off_t)byte_of(fs, blk), RWF_NOWAIT) ==
		       (ssize_t)iov.iov_len;
#else
	return 0;
#endif
}

void e2s_fs_readahead(const struct e2s_fs *fs, uint64_t blk, uint64_t count)
{
	posix_fadvise(fs->fd, (off_t)byte_of(fs, blk),
		      (off_t)(count * fs->geo.block_size), POSIX_FADV_WILLNEED);
}

uint64_t e2s_fs_find_data(const struct e2s_fs *fs, uint64_t blk, uint64_t count)
{
	off_t start = (off_t)byte_of(fs, blk);
	off_t data = lseek(fs->fd, start, SEEK_DATA);
	uint64_t skip;

	if (data < 0)
		return errno == ENXIO ? blk + count : blk;
	skip = (uint64_t)(data - start) / fs->geo.block_size;
	return blk + (skip < count ? skip : count);
}
