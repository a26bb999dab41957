/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread mballoc: the block allocator's view of a file system. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "e2spread/cmd.h"
#include "e2spread/mballoc.h"

#define CPUS_DEFAULT 16
#define COUNT_DEFAULT 64
#define TASKS_MAX 65536
#define STREAM_BLOCKS 16	/* k: MB_DEFAULT_STREAM_THRESHOLD */

/* --- options --- */

enum {
	OPT_JSON = 256, OPT_PROC, OPT_GROUP, OPT_OPTIMIZE, OPT_REQUEST,
	OPT_GOAL, OPT_LIMIT, OPT_TASKS, OPT_COUNT, OPT_CPUS, OPT_INODES,
	OPT_THREADS,
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "proc", required_argument, NULL, OPT_PROC },
	{ "group", required_argument, NULL, OPT_GROUP },
	{ "optimize-scan", required_argument, NULL, OPT_OPTIMIZE },
	{ "request", required_argument, NULL, OPT_REQUEST },
	{ "goal", required_argument, NULL, OPT_GOAL },
	{ "linear-limit", required_argument, NULL, OPT_LIMIT },
	{ "tasks", required_argument, NULL, OPT_TASKS },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "cpus", required_argument, NULL, OPT_CPUS },
	{ "inodes", required_argument, NULL, OPT_INODES },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "force", no_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Takes the inode numbers of LIST, "N[,N...]"; *BAD: the first that is none. */
static errcode_t take_inodes(struct mballoc_options *o, char *list,
			     const char **bad)
{
	char *item;
	errcode_t err;
	uint64_t n;

	*bad = NULL;
	while ((item = strsep(&list, ","))) {
		if (!parse_number(item, 1, UINT32_MAX, &n)) {
			*bad = item;
			return 0;
		}
		err = e2s_vec_reserve(&o->inodes, 1);
		if (err)
			return err;
		o->inodes.v[o->inodes.n++] = (uint32_t)n;
	}
	return 0;
}

static int take_number(const struct command *command, const char *option,
		       uint64_t least, uint64_t most, uint64_t *n)
{
	if (parse_number(optarg, least, most, n))
		return 0;
	return usage_error(command, "--%s wants %llu to %llu, not '%s'", option,
			   (unsigned long long)least, (unsigned long long)most,
			   optarg);
}

static int take_word(const struct command *command, struct mballoc_options *o,
		     int c)
{
	struct e2s_where where = { 0 };
	const char *bad;
	errcode_t err;

	switch (c) {
	case OPT_JSON:
		o->json = 1;
		return 0;
	case OPT_PROC:
		o->proc = optarg;
		if (!strcmp(optarg, "mb_groups") ||
		    !strcmp(optarg, MBALLOC_SUMMARY))
			return 0;
		return usage_error(command, "--proc wants mb_groups or "
				   MBALLOC_SUMMARY ", not '%s'", optarg);
	case OPT_INODES:
		err = take_inodes(o, optarg, &bad);
		if (err)
			return failure("--inodes", err, &where);
		if (!bad)
			return 0;
		return usage_error(command, "--inodes wants inode numbers "
				   "between commas, not '%s'", bad);
	case 'f':
		o->open_flags |= E2S_FS_FORCE;
		return 0;
	}
	return EXIT_USAGE;	/* getopt_long has said what is wrong */
}

static int take_option(const struct command *command, struct mballoc_options *o,
		       int c)
{
	uint64_t n = 0;
	int status;

	switch (c) {
	case OPT_GROUP:
		status = take_number(command, "group", 0, UINT32_MAX, &n);
		o->group = (int64_t)n;
		return status;
	case OPT_OPTIMIZE:
		status = take_number(command, "optimize-scan", 0, 1, &n);
		o->optimize_scan = (int)n;
		return status;
	case OPT_REQUEST:
		return take_number(command, "request", 1, UINT32_MAX,
				   &o->request);
	case OPT_GOAL:
		return take_number(command, "goal", 0, UINT32_MAX, &o->goal);
	case OPT_LIMIT:
		return take_number(command, "linear-limit", 0, UINT32_MAX,
				   &o->linear_limit);
	case OPT_TASKS:
		return take_number(command, "tasks", 1, TASKS_MAX, &o->tasks);
	case OPT_COUNT:
		return take_number(command, "count", 1, 1u << 24, &o->count);
	case OPT_CPUS:
		return take_number(command, "cpus", 1, UINT32_MAX, &o->cpus);
	case OPT_THREADS:
		return take_number(command, "threads", 1, 256, &o->threads);
	}
	return take_word(command, o, c);
}

static int parse_options(const struct command *command, int argc, char **argv,
			 struct mballoc_options *o)
{
	int c, status;

	*o = (struct mballoc_options){ .group = -1, .optimize_scan = -1,
				       .count = COUNT_DEFAULT,
				       .cpus = CPUS_DEFAULT };
	while ((c = getopt_long(argc, argv, "fh", long_options, NULL)) != -1) {
		if (c == 'h') {
			print_help(command);
			exit(EXIT_DONE);
		}
		status = take_option(command, o, c);
		if (status)
			return status;
	}
	if (optind != argc - 1)
		return usage_error(command, "wants one DEVICE");
	if (o->tasks && !o->request)
		return usage_error(command, "--tasks wants --request");
	o->device = argv[optind];
	return 0;
}

/* --- numbers --- */

static struct e2s_mballoc_search search_of(const struct mballoc_view *v,
					   int optimize_scan)
{
	return (struct e2s_mballoc_search){
		.optimize_scan = optimize_scan,
		.linear_limit = (uint32_t)v->options->linear_limit,
		.slots = v->slots_n,
	};
}

/*
 * One file's blocks as fallocate gets them: call after call, each from where
 * the one before was served, until it has all or nothing is left.
 */
static errcode_t run_search(struct mballoc_view *v, struct search_row *row,
			    struct e2s_where *where)
{
	struct e2s_mballoc_request request = {
		.len = v->request_clusters,
		.goal = (uint32_t)v->options->goal };
	struct e2s_mballoc_state *state = NULL;
	struct e2s_mballoc_extent got;
	errcode_t err;

	err = e2s_mballoc_state_new(v->mb, &row->search, &state);
	while (!err && request.len) {
		err = e2s_mballoc_allocate(state, &request, &got, &row->cost,
					   where);
		if (err || !got.len)
			break;
		err = e2s_vec_reserve(&row->extents, 1);
		if (err)
			break;
		row->extents.v[row->extents.n++] = got;
		request.len -= got.len;
		request.goal = got.group;
	}
	row->missing = request.len;
	e2s_mballoc_state_free(state);
	return err;
}

static errcode_t fill_searches(struct mballoc_view *v, struct e2s_where *where)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		v->searches[i].name = i ? "lists" : "linear";
		v->searches[i].search = search_of(v, i);
		err = run_search(v, &v->searches[i], where);
	}
	return err;
}

static errcode_t fill_tasks(struct mballoc_view *v, struct e2s_where *where)
{
	static const char *const names[] = {
		"linear", "lists", "lists, skipping busy groups" };
	const struct mballoc_options *o = v->options;
	/* What the steps stand for: doc/mballoc.md. */
	struct e2s_mballoc_tasks tasks = {
		.tasks = (uint32_t)o->tasks, .requests = (uint32_t)o->count,
		.len = v->request_clusters, .goal = (uint32_t)o->goal,
		.stream = o->request > STREAM_BLOCKS,
		.look_steps = 1, .hold_steps = 8, .mark_steps = 2,
		.pause_steps = 32,
	};
	errcode_t err = 0;
	int i;

	for (i = 0; i < 3 && !err; i++) {
		tasks.skip_busy = i == 2;
		v->tasks[i].name = names[i];
		v->tasks[i].search = search_of(v, i > 0);
		v->tasks[i].skip_busy = tasks.skip_busy;
		err = e2s_mballoc_meet(v->mb, &v->tasks[i].search, &tasks,
				       &v->tasks[i].meeting, where);
	}
	return err;
}

static errcode_t fill_slots(struct mballoc_view *v)
{
	const struct mballoc_options *o = v->options;
	uint64_t *hist = calloc(v->slots_n, sizeof(*hist));
	uint32_t slot;

	v->slots = calloc(v->slots_n, sizeof(*v->slots));
	if (!hist || !v->slots) {
		free(hist);
		return ENOMEM;
	}
	e2s_mballoc_goal_histogram(o->inodes.v, o->inodes.n, v->slots_n, hist);
	for (slot = 0; slot < v->slots_n; slot++)
		v->slots[slot] = (struct slot_row){ slot, hist[slot] };
	free(hist);
	return 0;
}

static errcode_t read_groups(struct mballoc_view *v, struct e2s_where *where)
{
	const struct mballoc_options *o = v->options;
	uint32_t groups = v->fs->geo.groups;
	errcode_t err;

	if (o->group >= groups || o->goal >= groups)
		return e2s_where_detail(where, E2S_ET_NO_GROUP, "0 to %u",
					groups - 1);
	err = e2s_mballoc_read(v->fs, o->threads ? (unsigned)o->threads
			       : e2s_workers_default(), &v->mb, where);
	if (err)
		return err;
	v->filesystem.fs = v->fs;
	v->filesystem.layout = e2s_mballoc_layout(v->mb);
	v->filesystem.optimize_scan = o->optimize_scan >= 0 ? o->optimize_scan
		: e2s_mballoc_default_optimize_scan(v->mb);
	/* Without mb_optimize_scan the kernel's lists are empty. */
	if (v->filesystem.optimize_scan)
		e2s_mballoc_list_lengths(v->mb, v->largest, v->fragment);
	v->request_clusters = (uint32_t)((o->request +
		v->fs->geo.cluster_blocks - 1) / v->fs->geo.cluster_blocks);
	v->slots_n = e2s_mballoc_goal_slots((uint32_t)o->cpus, groups);
	return 0;
}

static errcode_t gather(struct mballoc_view *v, struct e2s_where *where)
{
	const struct mballoc_options *o = v->options;
	errcode_t err;

	err = e2s_fs_open(o->device, o->open_flags, &v->fs, where);
	if (err)
		return err;
	warn_doubts(v->fs);
	err = read_groups(v, where);
	if (!err && o->request && !o->tasks)
		err = fill_searches(v, where);
	if (!err && o->tasks)
		err = fill_tasks(v, where);
	if (!err && o->inodes.n)
		err = fill_slots(v);
	return err;
}

/* --- the command --- */

static void free_view(struct mballoc_view *v)
{
	free(v->searches[0].extents.v);
	free(v->searches[1].extents.v);
	free(v->slots);
	e2s_mballoc_free(v->mb);
	e2s_fs_close(v->fs);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct mballoc_options options;
	struct mballoc_view v = { .options = &options };
	struct e2s_where where = { 0 };
	errcode_t err;
	int status;

	status = parse_options(command, argc, argv, &options);
	if (status)
		goto out;
	err = gather(&v, &where);
	if (err) {
		status = failure(options.device, err, &where);
		goto out;
	}
	if (options.json)
		mballoc_print_json(&v);
	else
		mballoc_print_text(&v);
	if (fflush(stdout) || ferror(stdout))
		status = failure("standard output", EIO, &where);
out:
	free_view(&v);
	free(options.inodes.v);
	return status;
}

const struct command command_mballoc = {
	.name = "mballoc",
	.summary = "show what the block allocator sees and what it would do",
	.usage =
"[options] DEVICE\n"
"\n"
"Prints what the kernel shows of the mounted file system in mb_groups and\n"
"mb_structs_summary; or what a request for blocks costs, by linear scan and\n"
"by the lists of mb_optimize_scan.  Writes nothing.\n"
"\n"
"      --json               print JSON (schema 1)\n"
"      --proc FILE          only what /proc/fs/ext4/*/FILE holds: mb_groups\n"
"                           or mb_structs_summary\n"
"      --group N            only group N\n"
"      --optimize-scan 0|1  lists of a mount with this mb_optimize_scan (as\n"
"                           the kernel decides)\n"
"      --request BLOCKS     what an fallocate of so many blocks costs\n"
"      --goal N             group that the request starts from (0)\n"
"      --linear-limit N     mb_max_linear_groups: 4 on disks that rotate (0)\n"
"      --tasks N            N tasks make the request at once\n"
"      --count N            each so many times (64)\n"
"      --cpus N             CPUs of the machine that mounts it (16)\n"
"      --inodes N[,N...]    stream goals that files of these inodes share\n"
"      --threads N          threads to read with (one a CPU)\n"
"  -f, --force              read although the device is in use\n"
"  -h, --help               print this\n",
	.run = run,
};
