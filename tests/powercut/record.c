/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library to preload: records, and if asked spoils, what a program writes to
 * some files, so that tests/powercut/replay can rebuild what a power cut would
 * have left of them.
 *
 *   E2S_RECORD_FILES  the files, separated by ':'; they need not exist yet
 *   E2S_RECORD_LOG    where the record goes
 *   E2S_FAULT         KIND:N[:COUNT]: the Nth write or flush (from 1) and the
 *                     COUNT - 1 after it (default 1; 0: all) go wrong:
 *                       eio, enospc   nothing is written
 *                       short         half is written
 *                       kill          SIGKILL, nothing is written
 *                       term, int     the signal, then all goes on
 *
 * The record is a row of events, numbers little endian:
 *
 *   u32 kind ('W' write, 'F' flush, 'T' truncate, 'U' unlink)
 *   u32 file (its place in E2S_RECORD_FILES)
 *   u64 offset ('T': the new size)
 *   u64 size, then as many bytes ('W' only)
 *
 * Only what succeeded is recorded; with a fault, too, so that the record is
 * always what is in the files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *paths[MAX_FILES];
static unsigned file_count;
static int log_fd = -1;
static char fault_kind[8];
static unsigned long fault_first, fault_count, events;

static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fallocate)(int, int, off64_t, off64_t);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void setup(void)
{
	const char *files = getenv("E2S_RECORD_FILES");
	const char *log = getenv("E2S_RECORD_LOG");
	const char *fault = getenv("E2S_FAULT");
	char *copy, *part, *save = NULL;

	real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
	real_write = dlsym(RTLD_NEXT, "write");
	real_fsync = dlsym(RTLD_NEXT, "fsync");
	real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
	real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
	real_fallocate = dlsym(RTLD_NEXT, "fallocate64");
	real_unlink = dlsym(RTLD_NEXT, "unlink");
	fault_count = 1;
	if (fault && sscanf(fault, "%7[a-z]:%lu:%lu", fault_kind, &fault_first,
			    &fault_count) < 2)
		fault_kind[0] = '\0';
	copy = files ? strdup(files) : NULL;
	part = copy ? strtok_r(copy, ":", &save) : NULL;
	for (; part && file_count < MAX_FILES; part = strtok_r(NULL, ":", &save))
		paths[file_count++] = part;
	if (log)
		log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			      0600);
}

/* Which of the files FD is, or -1: by what the names stand for now. */
static int find_file(int fd)
{
	struct stat st, named;
	unsigned i;

	if (!file_count || fstat(fd, &st) ||
	    (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return -1;
	for (i = 0; i < file_count; i++)
		if (!stat(paths[i], &named) && named.st_ino == st.st_ino &&
		    named.st_dev == st.st_dev)
			return (int)i;
	return -1;
}

static void put(const void *buf, size_t size)
{
	/* A record with a gap is worth nothing. */
	if (real_write(log_fd, buf, size) != (ssize_t)size)
		abort();
}

static void record(char kind, int file, uint64_t offset, uint64_t size,
		   const void *data)
{
	struct { uint32_t kind, file; uint64_t offset, size; } head = {
		(uint32_t)kind, (uint32_t)file, offset, size
	};

	if (log_fd < 0)
		return;
	put(&head, sizeof(head));
	if (data)
		put(data, size);
}

/* Counts an event; true when it is to go wrong.  Does not return if killed. */
static int is_faulty(void)
{
	events++;
	if (!fault_kind[0] || events < fault_first ||
	    (fault_count && events >= fault_first + fault_count))
		return 0;
	if (!strcmp(fault_kind, "kill"))
		raise(SIGKILL);
	if (!strcmp(fault_kind, "term") || !strcmp(fault_kind, "int")) {
		kill(getpid(), *fault_kind == 't' ? SIGTERM : SIGINT);
		return 0;
	}
	return 1;
}

static int fail(void)
{
	errno = strcmp(fault_kind, "enospc") ? EIO : ENOSPC;
	return -1;
}

static ssize_t do_write(int file, int fd, const void *buf, size_t size,
			off64_t offset)
{
	ssize_t put_bytes;

	pthread_mutex_lock(&lock);
	if (is_faulty()) {
		if (strcmp(fault_kind, "short") || size < 2) {
			pthread_mutex_unlock(&lock);
			return fail();
		}
		size /= 2;
	}
	put_bytes = real_pwrite(fd, buf, size, offset);
	if (put_bytes > 0)
		record('W', file, (uint64_t)offset, (uint64_t)put_bytes, buf);
	pthread_mutex_unlock(&lock);
	return put_bytes;
}

ssize_t pwrite64(int fd, const void *buf, size_t size, off64_t offset)
{
	int file = find_file(fd);

	return file < 0 ? real_pwrite(fd, buf, size, offset)
			: do_write(file, fd, buf, size, offset);
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t offset)
{
	return pwrite64(fd, buf, size, offset);
}

ssize_t write(int fd, const void *buf, size_t size)
{
	int file = find_file(fd);
	ssize_t put_bytes;
	off64_t offset;

	if (file < 0)
		return real_write(fd, buf, size);
	offset = lseek64(fd, 0, SEEK_CUR);
	put_bytes = do_write(file, fd, buf, size, offset);
	if (put_bytes > 0)
		lseek64(fd, offset + put_bytes, SEEK_SET);
	return put_bytes;
}

static int do_sync(int (*sync_fn)(int), int fd)
{
	int file = find_file(fd), ret;

	if (file < 0)
		return sync_fn(fd);
	pthread_mutex_lock(&lock);
	ret = is_faulty() ? fail() : sync_fn(fd);
	if (!ret)
		record('F', file, 0, 0, NULL);
	pthread_mutex_unlock(&lock);
	return ret;
}

int fsync(int fd)
{
	return do_sync(real_fsync, fd);
}

int fdatasync(int fd)
{
	return do_sync(real_fdatasync, fd);
}

int ftruncate64(int fd, off64_t size)
{
	int file = find_file(fd), ret = real_ftruncate(fd, size);

	if (file >= 0 && !ret)
		record('T', file, (uint64_t)size, 0, NULL);
	return ret;
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

/* Nobody who is recorded may punch or zero: the record has no word for it. */
int fallocate64(int fd, int mode, off64_t offset, off64_t size)
{
	if (mode && find_file(fd) >= 0) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return real_fallocate(fd, mode, offset, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	return fallocate64(fd, mode, offset, size);
}

int unlink(const char *path)
{
	unsigned i;
	int ret, file = -1;

	for (i = 0; i < file_count; i++)
		if (!strcmp(paths[i], path))
			file = (int)i;
	ret = real_unlink(path);
	if (file >= 0 && !ret)
		record('U', file, 0, 0, NULL);
	return ret;
}
