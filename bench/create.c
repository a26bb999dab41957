/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * create WHAT TOP DIRS FILES [COPIES]: fills a file system that is mounted, or
 * a folder, in the way WHAT says, always the same.
 *
 *	round-robin	TOP/d0 ... and in turns a file in each: FILES empty ones
 *			a directory, as tasks make them side by side; then the
 *			same in TOP1, TOP2, ..., COPIES in all
 *	tree		nested directories, DIRS in all, with few or many files
 *			of a block or two each: the tree of a large source,
 *			unpacked.  FILES is what a directory has at most
 *	links		TOP/s0 with DIRS directories of FILES files, and
 *			COPIES - 1 more like it whose files are links to the
 *			first's
 *	thin		removes every second file that round-robin has made
 *	fill		a task for each directory makes FILES more, all at once
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct work {
	const char *top;
	unsigned dirs, files, copies;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_dir(int at, const char *name, int make)
{
	int fd;

	if (make && mkdirat(at, name, 0755) && errno != EEXIST)
		die(name);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		die(name);
	return fd;
}

static const char *numbered(char *name, char letter, unsigned n)
{
	sprintf(name, "%c%u", letter, n);
	return name;
}

static void make_file(int dir, const char *name)
{
	if (mknodat(dir, name, S_IFREG | 0644, 0))
		die(name);
}

/* Descriptors of TOP/d0 ... */
static int *open_dirs(const struct work *w, int top, int make)
{
	struct rlimit files = { w->dirs + 64, w->dirs + 64 };
	int *dir = calloc(w->dirs, sizeof(*dir));
	char name[16];
	unsigned d;

	if (!dir)
		die("calloc");
	if (w->dirs > 900 && setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	for (d = 0; d < w->dirs; d++)
		dir[d] = open_dir(top, numbered(name, 'd', d), make);
	return dir;
}

static void close_dirs(const struct work *w, int *dir)
{
	unsigned d;

	for (d = 0; d < w->dirs; d++)
		close(dir[d]);
	free(dir);
}

static void make_in_turns(const struct work *w, int top)
{
	int *dir = open_dirs(w, top, 1);
	char name[16];
	unsigned d, f;

	for (f = 0; f < w->files; f++) {
		numbered(name, 'f', f);
		for (d = 0; d < w->dirs; d++)
			make_file(dir[d], name);
	}
	close_dirs(w, dir);
}

static void round_robin(const struct work *w, int top)
{
	char path[PATH_MAX];
	unsigned i;
	int next;

	make_in_turns(w, top);
	for (i = 1; i < w->copies; i++) {
		if (snprintf(path, sizeof(path), "%s%u", w->top, i) >=
		    (int)sizeof(path))
			die(w->top);
		next = open_dir(AT_FDCWD, path, 1);
		make_in_turns(w, next);
		close(next);
	}
}

static void thin(const struct work *w, int top)
{
	int *dir = open_dirs(w, top, 0);
	char name[16];
	unsigned d, f;

	for (d = 0; d < w->dirs; d++)
		for (f = 1; f < w->files; f += 2)
			if (unlinkat(dir[d], numbered(name, 'f', f), 0))
				die(name);
	close_dirs(w, dir);
}

/* What one task does once GO has come to its end. */
static void fill_one(const struct work *w, int dir, int go)
{
	char name[16];
	unsigned f;

	if (read(go, name, 1) != 0)
		_exit(1);
	for (f = 0; f < w->files; f++)
		if (mknodat(dir, numbered(name, 'g', f), S_IFREG | 0644, 0)) {
			perror(name);
			_exit(1);
		}
	_exit(0);
}

static void fill(const struct work *w, int top)
{
	int *dir = open_dirs(w, top, 0), go[2], status, bad = 0;
	unsigned d;
	pid_t pid;

	if (pipe(go))
		die("pipe");
	for (d = 0; d < w->dirs; d++) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid) {
			close(go[1]);
			fill_one(w, dir[d], go[0]);
		}
	}
	close(go[1]);
	for (d = 0; d < w->dirs; d++)
		bad |= wait(&status) < 0 || status;
	free(dir);
	if (bad)
		exit(1);
}

static unsigned pick(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(*seed >> 33) % below;
}

static void tree_files(const struct work *w, int dir, uint64_t *seed)
{
	/* In percent of the most; their mean is 31. */
	static const unsigned sizes[] = { 2, 4, 6, 10, 16, 30, 80, 100 };
	unsigned n = w->files * sizes[pick(seed, 8)] / 100, f;
	char name[32];
	int fd;

	for (f = 0; f <= n; f++) {
		sprintf(name, "%x_%u.c", pick(seed, 1 << 24), f);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
		if (fd < 0 || fallocate(fd, 0, 0, 4096 * (1 + pick(seed, 2))) ||
		    close(fd))
			die(name);
	}
}

/* Files first, then directories that share the LEFT ones among them. */
static void tree(const struct work *w, int dir, unsigned left, uint64_t *seed)
{
	unsigned n, share = left / 4 + 1, sub;
	char name[16];
	int fd;

	tree_files(w, dir, seed);
	for (sub = 0; left; sub++, left -= n) {
		n = 1 + pick(seed, share < left ? share : left);
		fd = open_dir(dir, numbered(name, 'd', sub), 1);
		tree(w, fd, n - 1, seed);
		close(fd);
	}
}

/* Fills directory number D of copy number COPY. */
static void links_one(const struct work *w, unsigned copy, unsigned d,
		      int first, int dir)
{
	char name[32];
	unsigned f;

	for (f = 0; f < w->files; f++) {
		sprintf(name, "f%u.%u", d, f);
		if (!copy)
			make_file(dir, name);
		else if (linkat(first, name, dir, name, 0))
			die(name);
	}
}

static void links(const struct work *w, int top)
{
	unsigned copy, d;
	int at, dir, first;
	char name[32];

	for (copy = 0; copy < w->copies; copy++) {
		at = open_dir(top, numbered(name, 's', copy), 1);
		for (d = 0; d < w->dirs; d++) {
			dir = open_dir(at, numbered(name, 'd', d), 1);
			snprintf(name, sizeof(name), "s0/d%u", d);
			first = open_dir(top, name, 0);
			links_one(w, copy, d, first, dir);
			close(first);
			close(dir);
		}
		close(at);
	}
}

static int number(const char *text, unsigned *n)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*n = (unsigned)value;
	return value && value <= INT_MAX && !*end;
}

int main(int argc, char **argv)
{
	struct work w = { NULL, 0, 0, 1 };
	uint64_t seed = 1;
	int top;

	if (argc < 5 || argc > 6 || !number(argv[3], &w.dirs) ||
	    !number(argv[4], &w.files) ||
	    (argc == 6 && !number(argv[5], &w.copies))) {
		fprintf(stderr, "usage: create WHAT TOP DIRS FILES [COPIES]\n"
			"WHAT: round-robin, tree, links, thin, fill\n");
		return 2;
	}
	w.top = argv[2];
	umask(022);
	top = open_dir(AT_FDCWD, w.top, 1);
	if (!strcmp(argv[1], "round-robin"))
		round_robin(&w, top);
	else if (!strcmp(argv[1], "tree"))
		tree(&w, top, w.dirs - 1, &seed);
	else if (!strcmp(argv[1], "links"))
		links(&w, top);
	else if (!strcmp(argv[1], "thin"))
		thin(&w, top);
	else if (!strcmp(argv[1], "fill"))
		fill(&w, top);
	else
		return 2;
	return 0;
}
