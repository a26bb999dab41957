/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify: without arguments, tests that need no more than mke2fs and debugfs;
 * with some, the hands of the cases verify-*.t:
 *
 *     verify read IMAGE                    what verify finds, a line a thing
 *     verify compare BEFORE AFTER [MAP]    the verdict; MAP has a line "OLD NEW"
 *                                          for each inode that moves
 *     verify time IMAGE                    seconds with one thread and with two
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "verify/verify.h"

#define IMAGE "verify.img"

static int failures;

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("line %d: %s\n", __LINE__, #cond);	\
			failures++;					\
		}							\
	} while (0)

static void die(const char *what, errcode_t err, const struct e2s_where *where)
{
	printf("%s: %s", what, error_message(err));
	e2s_where_print(where, stdout);
	putchar('\n');
	exit(8);
}

/* --- the plan of a test: pairs of numbers --- */

struct map {
	uint32_t (*v)[2];
	size_t n;
};

static uint32_t new_of(void *ctx, uint32_t old)
{
	const struct map *map = ctx;
	size_t i;

	for (i = 0; i < map->n; i++)
		if (map->v[i][0] == old)
			return map->v[i][1];
	return old;
}

static void read_map(const char *path, struct map *map)
{
	FILE *file = fopen(path, "r");
	uint32_t old, new;

	if (!file) {
		perror(path);
		exit(8);
	}
	while (fscanf(file, "%" SCNu32 " %" SCNu32, &old, &new) == 2) {
		map->v = realloc(map->v, (map->n + 1) * sizeof(*map->v));
		if (!map->v)
			exit(8);
		map->v[map->n][0] = old;
		map->v[map->n++][1] = new;
	}
	fclose(file);
}

/* --- reading --- */

static errcode_t try_read(const char *image, unsigned threads, struct map *map,
			  struct e2s_verify *ret, struct e2s_where *where)
{
	struct e2s_verify_options options = {
		.threads = threads, .new_of = map ? new_of : NULL, .ctx = map,
	};
	struct e2s_fs *fs;
	errcode_t err;

	err = e2s_fs_open(image, 0, &fs, where);
	if (err)
		return err;
	err = e2s_verify_read(fs, &options, ret, where);
	e2s_fs_close(fs);
	return err;
}

static void read_image(const char *image, unsigned threads, struct map *map,
		       struct e2s_verify *ret)
{
	struct e2s_where where = { 0 };
	errcode_t err = try_read(image, threads, map, ret, &where);

	if (err)
		die(image, err, &where);
}

static int do_read(const char *image)
{
	struct e2s_verify verify, again;
	const struct e2s_fault *fault;
	unsigned i;

	read_image(image, 1, NULL, &verify);
	read_image(image, 3, NULL, &again);
	printf("inodes %" PRIu64 "\ndirectories %" PRIu64 "\nnames %" PRIu64
	       "\nextent blocks %" PRIu64 "\nxattr blocks %" PRIu64 "\n",
	       verify.inodes, verify.directories, verify.names,
	       verify.extent_blocks, verify.xattr_blocks);
	for (i = 0; i < E2S_FAULT_KINDS; i++) {
		fault = &verify.fault[i];
		if (fault->n)
			printf("fault: %" PRIu64 " x %s (group %" PRIu32
			       ", inode %" PRIu32 ", block %" PRIu64 ")\n",
			       fault->n, e2s_fault_words(i), fault->group,
			       fault->ino, fault->blk);
	}
	if (memcmp(&verify, &again, sizeof(verify))) {
		puts("differs with three threads");
		return 1;
	}
	return e2s_verify_faults(&verify) != 0;
}

static int do_compare(const char *one, const char *other, const char *map_path)
{
	struct map map = { 0 };
	struct e2s_verify before, after;
	struct e2s_where where = { 0 };
	errcode_t err;

	if (map_path)
		read_map(map_path, &map);
	read_image(one, 0, &map, &before);
	err = e2s_verify_check(&before, &where);
	if (err)
		die(one, err, &where);
	/* What cannot even be opened has been caught too. */
	err = try_read(other, 0, NULL, &after, &where);
	if (!err)
		err = e2s_verify_compare(&before, &after, &where);
	free(map.v);
	if (!err) {
		puts("equal");
		return 0;
	}
	fputs(err == E2S_ET_VERIFY_FAULT ? "fault" :
	      err == E2S_ET_VERIFY_DIFFERS ? "differs" :
	      err == E2S_ET_VERIFY_PLACES ? "places" :
	      error_message(err), stdout);
	e2s_where_print(&where, stdout);
	putchar('\n');
	return 1;
}

static int do_time(const char *image)
{
	struct e2s_verify verify;
	struct timespec a, b;
	unsigned threads;

	for (threads = 1; threads <= 2; threads++) {
		clock_gettime(CLOCK_MONOTONIC, &a);
		read_image(image, threads, NULL, &verify);
		clock_gettime(CLOCK_MONOTONIC, &b);
		printf("%u threads: %.3f s, %" PRIu64 " inodes\n", threads,
		       (double)(b.tv_sec - a.tv_sec) +
		       (double)(b.tv_nsec - a.tv_nsec) / 1e9, verify.inodes);
	}
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return do_read(argv[2]);
	if (argc >= 4 && !strcmp(argv[1], "compare"))
		return do_compare(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "time"))
		return do_time(argv[2]);
	CHECK(argc == 1);
	return failures != 0;
}
