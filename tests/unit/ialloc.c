/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ialloc: the table of vectors beside this file, and running out of inodes.
 * The table's own opening says what its lines mean.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ialloc/ialloc.h"

#define DIRS 2048

struct table {
	struct e2s_ialloc_setup setup;
	struct e2s_ialloc *ia;
	struct e2s_ialloc_dir dirs[DIRS];
	size_t dirs_n;
	unsigned line, asked, failed;
};

static void fail(struct table *t, const char *what)
{
	fprintf(stderr, "ialloc.vectors:%u: %s\n", t->line, what);
	t->failed++;
}

/* The number behind "KEY=" in TEXT, or DEFLT. */
static uint32_t key(const char *text, const char *name, uint32_t deflt)
{
	size_t len = strlen(name);
	const char *at;

	for (at = strstr(text, name); at; at = strstr(at + 1, name))
		if (at[-1] == ' ' && at[len] == '=')
			return (uint32_t)strtoul(at + len + 1, NULL, 10);
	return deflt;
}

static struct e2s_ialloc_dir *dir_of(struct table *t, uint32_t ino)
{
	size_t i;

	for (i = 0; i < t->dirs_n; i++)
		if (t->dirs[i].ino == ino)
			return &t->dirs[i];
	if (t->dirs_n == DIRS)
		abort();
	t->dirs[t->dirs_n] = e2s_ialloc_dir_init(ino);
	return &t->dirs[t->dirs_n++];
}

static void restart(struct table *t)
{
	e2s_ialloc_free(t->ia);
	t->ia = NULL;
	t->dirs_n = 0;
	if (e2s_ialloc_new(&t->setup, &t->ia))
		fail(t, "not a file system");
}

static void do_fs(struct table *t, const char *args)
{
	uint32_t flex = key(args, "flex", 1);

	memset(&t->setup, 0, sizeof(t->setup));
	t->setup.groups = key(args, "groups", 0);
	t->setup.inodes_per_group = key(args, "ipg", 0);
	t->setup.inodes_per_block = key(args, "ipb", 0);
	t->setup.first_ino = key(args, "first_ino", 0);
	t->setup.clusters_per_group = key(args, "cpg", 0);
	t->setup.encoding = 1;
	while (flex >> t->setup.flex_shift > 1)
		t->setup.flex_shift++;
	restart(t);
}

static void do_seed(struct table *t, const char *args)
{
	uint32_t *seed = t->setup.hash_seed;

	if (sscanf(args, "%u %u %u %u", &seed[0], &seed[1], &seed[2],
		   &seed[3]) != 4)
		fail(t, "seed");
	restart(t);
}

static void do_group(struct table *t, const char *args)
{
	uint32_t group, last, bit, ipg = t->setup.inodes_per_group;
	struct e2s_ialloc_counts counts;
	unsigned char bitmap[1024];

	if (sscanf(args, "%u-%u", &group, &last) < 2)
		last = group;
	for (; group <= last; group++) {
		e2s_ialloc_get_counts(t->ia, group, &counts);
		counts.free_clusters = key(args, "clusters",
					   counts.free_clusters);
		counts.used_dirs = key(args, "dirs", counts.used_dirs);
		if (strstr(args, " free=")) {
			counts.free_inodes = key(args, "free", 0);
			memset(bitmap, 0, sizeof(bitmap));
			for (bit = 0; bit < ipg - counts.free_inodes; bit++)
				bitmap[bit / 8] |= 1 << bit % 8;
			if (e2s_ialloc_set_bitmap(t->ia, group, bitmap))
				fail(t, "bitmap");
		}
		e2s_ialloc_set_counts(t->ia, group, &counts);
	}
}

static void do_bitmap(struct table *t, const char *args)
{
	unsigned char bitmap[1024] = { 0 };
	unsigned group, byte, i;
	int at;

	if (sscanf(args, "%u %n", &group, &at) < 1)
		fail(t, "bitmap");
	for (i = 0; sscanf(args + at + i * 2, "%2x", &byte) == 1; i++)
		bitmap[i] = (unsigned char)byte;
	if (e2s_ialloc_set_bitmap(t->ia, group, bitmap))
		fail(t, "bitmap");
}

static void do_block(struct table *t, const char *args)
{
	if (e2s_ialloc_block(t->ia, (uint32_t)strtoul(args, NULL, 10)))
		fail(t, "block");
}

static void do_release(struct table *t, const char *args)
{
	uint32_t ino = (uint32_t)strtoul(args, NULL, 10);
	struct e2s_where where = { 0 };
	errcode_t err, want;

	want = strstr(args, "fails") ? E2S_ET_INODE_NOT_IN_USE : 0;
	err = e2s_ialloc_release(t->ia, ino, strstr(args, "dir") != NULL,
				 &where);
	if (err != want || (err && where.ino != ino))
		fail(t, "release");
	if (!err && e2s_ialloc_in_use(t->ia, ino))
		fail(t, "released and still in use");
}

static void do_dir(struct table *t, const char *args)
{
	uint32_t ino = (uint32_t)strtoul(args, NULL, 10);
	struct e2s_ialloc_dir *dir = dir_of(t, ino);

	*dir = e2s_ialloc_dir_init(ino);
	dir->last_alloc_group = key(args, "last", E2S_IALLOC_UNSET);
	dir->top |= strstr(args, " top") != NULL;
	dir->casefold = strstr(args, " casefold") != NULL;
}

static void do_free(struct table *t, const char *args)
{
	if (e2s_ialloc_free_inodes(t->ia) != strtoul(args, NULL, 10))
		fail(t, "free inodes");
}

/* Writes what came out in the words of the table. */
static void describe(struct table *t, errcode_t err,
		     const struct e2s_ialloc_dir *dir,
		     const struct e2s_ialloc_placed *placed, char *got,
		     size_t room)
{
	int n;

	if (err) {
		n = snprintf(got, room, "none last ");
		if (dir->last_alloc_group == E2S_IALLOC_UNSET)
			snprintf(got + n, room - n, "unset");
		else
			snprintf(got + n, room - n, "%u",
				 dir->last_alloc_group);
		return;
	}
	n = snprintf(got, room, "%u %u %s", placed->group, placed->ino,
		     e2s_ialloc_why_name(placed->why));
	if (placed->passed)
		snprintf(got + n, room - n, " passed %u", placed->passed);
	if (!e2s_ialloc_in_use(t->ia, placed->ino))
		fail(t, "placed and not in use");
}

static void do_ask(struct table *t, char *args)
{
	char policy[32], what[128], got[64], *want = strstr(args, " = ");
	struct e2s_ialloc_placed placed = { 0 };
	struct e2s_ialloc_name subdir;
	struct e2s_ialloc_dir *dir;
	uint32_t parent;
	errcode_t err;

	if (!want ||
	    sscanf(args, "%31s %u %127s", policy, &parent, what) != 3 ||
	    !e2s_ialloc_policy_find(policy)) {
		fail(t, "cannot read this");
		return;
	}
	dir = dir_of(t, parent);
	subdir.name = what + strlen("dir:");
	subdir.len = (uint32_t)strlen(what) - 4;
	err = e2s_ialloc_new_inode(t->ia, e2s_ialloc_policy_find(policy), dir,
				   what[0] == 'd' ? &subdir : NULL, &placed);
	describe(t, err, dir, &placed, got, sizeof(got));
	if (strcmp(got, want + 3)) {
		fail(t, args);
		fprintf(stderr, "\tcame out as: %s\n", got);
	}
	t->asked++;
}

static void do_line(struct table *t, char *line)
{
	char *end = line + strcspn(line, "#\n");
	char *args = line + strcspn(line, " \n");

	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	if (!*line)
		return;
	if (!strncmp(line, "ask ", 4))
		do_ask(t, args + 1);
	else if (!strncmp(line, "fs ", 3))
		do_fs(t, args);
	else if (!strncmp(line, "seed ", 5))
		do_seed(t, args);
	else if (!strncmp(line, "group ", 6))
		do_group(t, args);
	else if (!strncmp(line, "bitmap ", 7))
		do_bitmap(t, args);
	else if (!strncmp(line, "block ", 6))
		do_block(t, args);
	else if (!strncmp(line, "release ", 8))
		do_release(t, args);
	else if (!strncmp(line, "dir ", 4))
		do_dir(t, args);
	else if (!strncmp(line, "free ", 5))
		do_free(t, args);
	else
		fail(t, "no such line");
}

static unsigned run_table(void)
{
	const char *srcdir = getenv("srcdir");
	struct table *t = calloc(1, sizeof(*t));
	char path[4096], *line = NULL;
	unsigned failed;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/unit/ialloc.vectors",
		 srcdir ? srcdir : ".");
	file = fopen(path, "r");
	if (!file || !t) {
		perror(path);
		exit(1);
	}
	for (t->line = 1; getline(&line, &room, file) > 0; t->line++)
		do_line(t, line);
	if (!t->asked)
		fail(t, "nothing was asked");
	failed = t->failed;
	free(line);
	fclose(file);
	e2s_ialloc_free(t->ia);
	free(t);
	return failed;
}

/* A directory below PARENT, or below the root, by Orlov. */
static int make_dir(struct e2s_ialloc *ia,
		    const struct e2s_ialloc_policy *policy,
		    struct e2s_ialloc_dir *parent, const char *name,
		    struct e2s_ialloc_dir *dir)
{
	struct e2s_ialloc_name subdir = { name, (uint32_t)strlen(name) };
	struct e2s_ialloc_placed placed;

	if (e2s_ialloc_new_inode(ia, policy, parent, &subdir, &placed))
		return -1;
	*dir = e2s_ialloc_dir_init(placed.ino);
	return 0;
}

/*
 * CREATORS siblings take turns until nobody gets a file.  Returns how many
 * files there are; every inode that was free must have become one, once.
 */
static uint64_t fill(struct e2s_ialloc *ia,
		     const struct e2s_ialloc_policy *policy, unsigned creators)
{
	struct e2s_ialloc_dir root = e2s_ialloc_dir_init(EXT2_ROOT_INO);
	struct e2s_ialloc_dir top, dir[16];
	struct e2s_ialloc_placed placed;
	uint64_t free_inodes, files = 0;
	unsigned i, had = 1;
	char name[16];

	if (make_dir(ia, policy, &root, "p", &top))
		return 0;
	for (i = 0; i < creators; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		if (make_dir(ia, policy, &top, name, &dir[i]))
			return 0;
	}
	free_inodes = e2s_ialloc_free_inodes(ia);
	while (had)
		for (i = had = 0; i < creators; i++)
			if (!e2s_ialloc_new_inode(ia, policy, &dir[i], NULL,
						  &placed))
				files++, had++;
	return files == free_inodes && !e2s_ialloc_free_inodes(ia) ? files : 0;
}

/* On a file system that mke2fs made with ARGS: all policies place the same. */
static unsigned run_out(const char *args, unsigned creators_max)
{
	char image[] = "ialloc-XXXXXX", command[256];
	int fd = mkstemp(image);
	struct e2s_fs *fs = NULL;
	struct e2s_ialloc *ia;
	unsigned creators, i, failed = 0;
	uint64_t files, packed = 0;
	const struct e2s_ialloc_policy *policy;

	snprintf(command, sizeof(command), "mke2fs -q -F -t ext4 %.*s %s %s",
		 (int)(strrchr(args, ' ') - args), args, image,
		 strrchr(args, ' '));
	if (fd < 0 || system(command) || e2s_fs_open(image, 0, &fs, NULL)) {
		fprintf(stderr, "cannot make %s\n", args);
		failed++;
		goto out;
	}
	for (creators = 1; creators <= creators_max; creators++)
		for (i = 0; (policy = e2s_ialloc_policy_at(i)); i++) {
			if (e2s_ialloc_load(fs, &ia, NULL)) {
				failed++;
				continue;
			}
			files = fill(ia, policy, creators);
			e2s_ialloc_free(ia);
			if (!i)
				packed = files;
			if (files && files == packed)
				continue;
			fprintf(stderr, "%s, %u creators, %s: %llu files\n",
				args, creators, policy->name,
				(unsigned long long)files);
			failed++;
		}
out:
	e2s_fs_close(fs);
	if (fd >= 0) {
		close(fd);
		unlink(image);
	}
	return failed;
}

int main(void)
{
	unsigned failed = 0;

	initialize_ext2_error_table();
	initialize_e2s_error_table();
	failed += run_table();
	failed += run_out("-N 32768 4G", 16);
	failed += run_out("-N 16384 2G", 16);
	failed += run_out("-O ^flex_bg -N 16384 2G", 2);
	failed += run_out("-G 64 -N 5120 2560M", 2);
	return failed != 0;
}
