/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim: without arguments, tests that need no more than mke2fs; with some, the
 * hands of the cases simulate-*.t:
 *
 *     sim map IMAGE POLICY PATTERN TASKS FILES [SEED]
 *     sim trace IMAGE POLICY TRACE
 *
 * print a line "TASK DIR INO d|f" for each inode in the order of creation, DIR
 * as its inode number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "tests/unit/check.h"

#define IMAGE "sim.img"

static void die(const char *what, errcode_t err, const struct e2s_where *where)
{
	printf("%s: %s", what, error_message(err));
	e2s_where_print(where, stdout);
	putchar('\n');
	exit(8);
}

static struct e2s_scan *scan_image(const char *image, struct e2s_fs **fs)
{
	struct e2s_scan_options options = { .threads = 1 };
	struct e2s_where where = { 0 };
	struct e2s_scan *scan = NULL;
	errcode_t err;

	err = e2s_fs_open(image, 0, fs, &where);
	if (!err)
		err = e2s_scan_run(*fs, &options, &scan, &where);
	if (err)
		die(image, err, &where);
	return scan;
}

/* --- the hands --- */

/* DIR is a number; what inode it has, the placements so far tell. */
struct map {
	const struct e2s_scan *scan;
	uint32_t *made;			/* inodes of the directories made */
	size_t made_n;
};

static void print_placed(void *ctx, uint32_t task, uint32_t dir,
			 const struct e2s_ialloc_placed *placed, int is_dir)
{
	struct map *map = ctx;
	uint32_t dir_ino = dir < map->scan->dirs_n ? map->scan->dirs[dir].ino
					: map->made[dir - map->scan->dirs_n];

	printf("%u %u %u %c\n", task, dir_ino, placed->ino,
	       is_dir ? 'd' : 'f');
	if (!is_dir)
		return;
	map->made = realloc(map->made, (map->made_n + 1) * sizeof(*map->made));
	if (!map->made)
		abort();
	map->made[map->made_n++] = placed->ino;
}

static int print_map(const char *image, struct e2s_sim_options *o)
{
	struct e2s_where where = { 0 };
	struct e2s_sim_result result;
	struct map map = { 0 };
	struct e2s_fs *fs;
	errcode_t err;

	map.scan = scan_image(image, &fs);
	o->placed = print_placed;
	o->ctx = &map;
	o->readahead_blks = 32;
	o->rho = E2S_SIM_RHO;
	err = o->policy ? e2s_sim_run(map.scan, o, &result, &where) : EINVAL;
	if (err)
		die(image, err, &where);
	free(map.made);
	e2s_scan_free((struct e2s_scan *)map.scan);
	e2s_fs_close(fs);
	return 0;
}

static int do_map(char **argv, int argc)
{
	struct e2s_sim_options o = {
		.policy = e2s_ialloc_policy_find(argv[1]),
		.tasks = (uint32_t)strtoul(argv[3], NULL, 10),
		.files = (uint32_t)strtoul(argv[4], NULL, 10),
		.order_seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 0,
	};
	const char *name;

	while ((name = e2s_sim_pattern_name(o.pattern)) &&
	       strcmp(name, argv[2]))
		o.pattern++;
	return name ? print_map(argv[0], &o) : 16;
}

static int do_trace(char **argv)
{
	struct e2s_sim_options o = {
		.policy = e2s_ialloc_policy_find(argv[1]),
	};
	struct e2s_where where = { 0 };
	struct e2s_sim_trace *trace = NULL;
	FILE *stream = fopen(argv[2], "r");
	errcode_t err;

	err = stream ? e2s_sim_trace_read(stream, &trace, &where) : ENOENT;
	if (err)
		die(argv[2], err, &where);
	fclose(stream);
	o.trace = trace;
	print_map(argv[0], &o);
	e2s_sim_trace_free(trace);
	return 0;
}

/* --- the form of traces --- */

static errcode_t parse(const char *text, size_t len,
		       struct e2s_sim_trace **trace, struct e2s_where *where)
{
	FILE *stream = fmemopen((char *)text, len, "r");
	errcode_t err;

	*where = (struct e2s_where){ 0 };
	err = e2s_sim_trace_read(stream, trace, where);
	fclose(stream);
	return err;
}

static void test_good_trace(void)
{
	static const char text[] =
		"# a comment\n"
		"\n"
		"mkdir /a\n"
		"  @7\tcreate \t/a/b\\040c\\134\\377\n"
		"rename /a/x /a/y \n"
		"link /a//y /z";
	struct e2s_where where;
	struct e2s_sim_trace *t;

	CHECK(!parse(text, sizeof(text) - 1, &t, &where));
	CHECK(t->ops_n == 4 && t->tasks == 8);
	CHECK(t->ops[0].verb == E2S_SIM_MKDIR && t->ops[0].line == 3);
	CHECK(!strcmp(t->ops[0].path, "/a") && !t->ops[0].other);
	CHECK(t->ops[1].verb == E2S_SIM_MAKE && t->ops[1].task == 7);
	CHECK(!strcmp(t->ops[1].path, "/a/b c\\\xff"));
	CHECK(t->ops[2].verb == E2S_SIM_RENAME && t->ops[2].line == 5);
	CHECK(!strcmp(t->ops[2].other, "/a/y"));
	CHECK(t->ops[3].verb == E2S_SIM_LINK);
	CHECK(!strcmp(t->ops[3].other, "/z"));
	e2s_sim_trace_free(t);
}

static void test_bad_traces(void)
{
	static const struct {
		const char *text;
		errcode_t err;
		uint64_t line;
	} rows[] = {
		{ "mkdir /a\nchmod /a\n", E2S_ET_TRACE_VERB, 2 },
		{ "mkdir\n", E2S_ET_TRACE_PATHS, 1 },
		{ "mkdir /a /b\n", E2S_ET_TRACE_PATHS, 1 },
		{ "\n\nlink /a\n", E2S_ET_TRACE_PATHS, 3 },
		{ "rename /a /b /c\n", E2S_ET_TRACE_PATHS, 1 },
		{ "create a\n", E2S_ET_TRACE_PATH, 1 },
		{ "rename /a b\n", E2S_ET_TRACE_PATH, 1 },
		{ "create /a\\04\n", E2S_ET_TRACE_PATH, 1 },
		{ "create /a\\", E2S_ET_TRACE_PATH, 1 },
		{ "create /a\\477\n", E2S_ET_TRACE_PATH, 1 },
		{ "create /a\\000\n", E2S_ET_TRACE_PATH, 1 },
		{ "create /a\\057b\n", E2S_ET_TRACE_PATH, 1 },
		{ "@ mkdir /a\n", E2S_ET_TRACE_TASK, 1 },
		{ "@-1 mkdir /a\n", E2S_ET_TRACE_TASK, 1 },
		{ "@1x mkdir /a\n", E2S_ET_TRACE_TASK, 1 },
		{ "@1048576 mkdir /a\n", E2S_ET_TRACE_TASK, 1 },
		{ "@99999999999999999999 mkdir /a\n", E2S_ET_TRACE_TASK, 1 },
		{ "@1\n", E2S_ET_TRACE_VERB, 1 },
	};
	struct e2s_sim_trace *t = NULL;
	struct e2s_where where;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (parse(rows[i].text, strlen(rows[i].text), &t, &where) ==
			    rows[i].err && where.line == rows[i].line)
			continue;
		printf("bad trace %zu: line %" PRIu64 "\n", i, where.line);
		failures++;
	}
	CHECK(parse("mkdir /a\0b\n", 11, &t, &where) == E2S_ET_TRACE_PATH);
	CHECK(!t);
}

/* --- runs --- */

static struct e2s_sim_result simulate(const struct e2s_scan *scan,
				      const char *policy,
				      struct e2s_sim_options o)
{
	struct e2s_where where = { 0 };
	struct e2s_sim_result result;
	errcode_t err;

	o.policy = e2s_ialloc_policy_find(policy);
	err = e2s_sim_run(scan, &o, &result, &where);
	if (err)
		die(policy, err, &where);
	return result;
}

/* Sixteen inodes a block, and nothing there before. */
static void test_what_is_read(const struct e2s_scan *scan)
{
	struct e2s_sim_options o = { .tasks = 4, .files = 400, .rho = 0.5 };
	struct e2s_sim_result r;

	/* Nobody in the window: nothing is read. */
	o.rho = 0;
	r = simulate(scan, "packed", o);
	CHECK(r.files == 1600 && r.directories == 5);
	CHECK(r.creation_reads == 0);
	/* Alone: nobody in the window. */
	o.tasks = 1;
	o.rho = 0.5;
	CHECK(simulate(scan, "packed", o).creation_reads == 0);
	/* A kernel that always reads: each block once, but for that of the
	 * directories, which has been read. */
	o.tasks = 4;
	o.no_read_avoidance = 1;
	r = simulate(scan, "spread", o);
	CHECK(r.creation_reads == (double)r.itable_blocks);
	o.pattern = E2S_SIM_ROUND_ROBIN;
	r = simulate(scan, "spread", o);
	CHECK(r.creation_reads == (double)r.itable_blocks);
	CHECK(r.itable_blocks == 100 && r.shared_blocks == 0);
}

static void test_no_parent(const struct e2s_scan *scan)
{
	struct e2s_sim_options o = { .tasks = 1, .files = 1, .parent = 12 };
	struct e2s_where where = { 0 };
	struct e2s_sim_result r;
	uint32_t ino;

	o.policy = e2s_ialloc_policy_find("packed");
	CHECK(e2s_sim_run(scan, &o, &r, &where) == E2S_ET_NO_PARENT);
	CHECK(where.ino == 12);
	CHECK(e2s_sim_find_dir(scan, "/none", &ino, &where) ==
	      E2S_ET_NO_PARENT);
	CHECK(!e2s_sim_find_dir(scan, "/lost+found", &ino, &where));
	CHECK(ino == 11);
	CHECK(!e2s_sim_find_dir(scan, "/", &ino, &where));
	CHECK(ino == EXT2_ROOT_INO);
}

int main(int argc, char **argv)
{
	struct e2s_scan *scan;
	struct e2s_fs *fs;

	initialize_ext2_error_table();
	initialize_e2s_error_table();
	if (argc >= 7 && !strcmp(argv[1], "map"))
		return do_map(argv + 2, argc - 2);
	if (argc == 5 && !strcmp(argv[1], "trace"))
		return do_trace(argv + 2);
	test_good_trace();
	test_bad_traces();
	if (system("mke2fs -q -F -t ext4 -b 4096 -I 256 -G 16 " IMAGE
		   " 2G >/dev/null 2>&1"))
		return 8;
	scan = scan_image(IMAGE, &fs);
	test_what_is_read(scan);
	test_no_parent(scan);
	e2s_scan_free(scan);
	e2s_fs_close(fs);
	remove(IMAGE);
	return failures != 0;
}
