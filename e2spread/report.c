/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread report: how badly directories share inode-table blocks. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <e2p/e2p.h>

#include "e2spread/report.h"
#include "scan/readdir.h"

static void fill_filesystem(struct report *r)
{
	struct ext2_super_block *super = r->fs->ext2->super;
	struct filesystem_row *row = &r->filesystem;

	row->fs = r->fs;
	row->inodes_used = super->s_inodes_count - super->s_free_inodes_count;
	memcpy(row->label, super->s_volume_name, EXT2_LABEL_LEN);
	strncpy(row->uuid, e2p_uuid2str(super->s_uuid), sizeof(row->uuid) - 1);
	r->totals = (struct totals_row){ &r->measure, r->options->rho };
}

static int want_flex(const struct report *r, uint32_t flex_group)
{
	return r->options->flex_group < 0 ||
	       r->options->flex_group == flex_group;
}

static errcode_t fill_flex(struct report *r)
{
	const struct e2s_geometry *geo = &r->fs->geo;
	uint32_t i, group, end;
	struct flex_row *row;

	r->flex = calloc(geo->flex_groups, sizeof(*r->flex));
	if (!r->flex)
		return ENOMEM;
	for (i = 0; i < geo->flex_groups; i++) {
		if (!want_flex(r, i))
			continue;
		row = &r->flex[r->flex_n++];
		row->fs = r->fs;
		row->sums = &r->measure.flex[i];
		row->flex_group = i;
		row->first_group = i << geo->flex_shift;
		row->groups = e2s_geometry_flex_len(geo, row->first_group);
		end = row->first_group + row->groups;
		for (group = row->first_group; group < end; group++) {
			row->inodes_free += ext2fs_bg_free_inodes_count(
				r->fs->ext2, group);
			row->blocks_free += (uint64_t)
				ext2fs_bg_free_blocks_count(r->fs->ext2, group)
				* geo->cluster_blocks;
		}
	}
	return 0;
}

static void fill_home_row(struct home_row *row, const uint32_t *counts,
			  uint32_t groups)
{
	uint32_t i;

	row->counts = counts;
	row->groups = groups;
	for (i = 0; i < groups; i++) {
		row->homes += counts[i];
		row->used += counts[i] > 0;
		if (counts[i] > row->largest)
			row->largest = counts[i];
		if (counts[i] > 1)
			row->colliding += counts[i];
	}
}

/* A row for each flex group that has directories with files. */
static errcode_t fill_homes(struct report *r)
{
	const struct e2s_geometry *geo = &r->fs->geo;
	struct home_row *row;
	uint32_t i, first;

	r->home_counts = malloc(geo->groups * sizeof(*r->home_counts));
	r->homes = calloc(geo->flex_groups, sizeof(*r->homes));
	if (!r->home_counts || !r->homes)
		return ENOMEM;
	e2s_measure_home_groups(r->scan, &r->measure, r->home_counts);
	for (i = 0; i < geo->flex_groups; i++) {
		if (!want_flex(r, i))
			continue;
		first = i << geo->flex_shift;
		row = &r->homes[r->homes_n];
		*row = (struct home_row){ .flex_group = i,
					  .first_group = first };
		fill_home_row(row, r->home_counts + first,
			      e2s_geometry_flex_len(geo, first));
		r->homes_n += row->homes > 0;
	}
	return 0;
}

/*
 * What relayout would make of it.  Damage, or inodes that forbid any move,
 * have been warned of; then there is no prediction.  Without flex groups
 * nothing would change.
 */
static errcode_t fill_after(struct report *r, struct e2s_where *where)
{
	struct e2s_plan_options options = {
		.policy = e2s_ialloc_policy_find("spread"),
	};
	errcode_t err;

	if (r->fs->geo.flex_size == 1) {
		r->after_measure = &r->measure;
		return 0;
	}
	err = predict(r->scan, &options, (uint32_t)r->options->readahead_blks,
		      &r->after, where);
	if (e2s_err_is_refusal(err) || err == E2S_ET_BAD_INODE_BITMAP ||
	    err == E2S_ET_INODE_NOT_IN_USE)
		return 0;
	if (!err)
		r->after_measure = &r->after.measure;
	return err;
}

/* Where spreading gains nothing, what else might. */
static errcode_t fill_balanced(struct report *r, struct e2s_where *where)
{
	struct e2s_plan_options options = {
		.policy = e2s_ialloc_policy_find("balanced"),
	};
	errcode_t err;

	if (r->after_measure != &r->after.measure ||
	    gain_of(&r->measure, r->after_measure, r->options->rho).worth)
		return 0;
	/* There is memory for one plan, and for one outcome without times. */
	e2s_plan_free(r->after.plan);
	r->after.plan = NULL;
	err = e2s_plan_build(r->scan, &options, &r->balanced.plan, where);
	e2s_scan_drop_times(r->scan);
	return err ? err : predict_outcome(&r->balanced, (uint32_t)
					   r->options->readahead_blks);
}

/* The layout as it is, and which directories are worst; one at least. */
static errcode_t fill_now(struct report *r)
{
	const struct report_options *o = r->options;
	errcode_t err;

	err = e2s_measure_layout(r->scan, (uint32_t)o->readahead_blks,
				 &r->measure);
	if (err)
		return err;
	fill_filesystem(r);
	err = fill_flex(r);
	if (!err)
		err = fill_homes(r);
	return err ? err : e2s_measure_worst(r->scan, &r->measure,
					     (uint32_t)o->readahead_blks,
					     o->dirs ? o->dirs : 1, &r->worst,
					     &r->worst_n);
}

/* What takes long, for the workers. */
struct errands {
	struct report *r;
	struct e2s_names *names;	/* by worker */
	pthread_mutex_t lock;		/* guards */
	pthread_cond_t told;
	int now_done;			/* fill_now() has returned, and */
	size_t dirs;			/* so many of r->worst are to be listed */
};

static errcode_t tell_now(struct errands *errands)
{
	struct report *r = errands->r;
	errcode_t err = fill_now(r);
	size_t dirs = r->options->dirs < r->worst_n ? r->options->dirs
						     : r->worst_n;

	pthread_mutex_lock(&errands->lock);
	errands->now_done = 1;
	errands->dirs = err ? 0 : dirs;
	pthread_cond_broadcast(&errands->told);
	pthread_mutex_unlock(&errands->lock);
	return err;
}

/* Waits until it is known which directory is number I. */
static struct e2s_dir_row *wait_for_dir(struct errands *errands, uint64_t i)
{
	pthread_mutex_lock(&errands->lock);
	while (!errands->now_done)
		pthread_cond_wait(&errands->told, &errands->lock);
	pthread_mutex_unlock(&errands->lock);
	return i < errands->dirs ? &errands->r->worst[i] : NULL;
}

/*
 * The first errand is the prediction, the longest; the second measures what
 * there is; the others are a directory each.  They start in this order, so
 * whoever waits for the second waits for somebody else.
 */
static errcode_t do_errand(void *ctx, uint64_t item, unsigned worker,
			   struct e2s_where *where)
{
	struct errands *errands = ctx;
	struct e2s_names *names = &errands->names[worker];
	struct report *r = errands->r;
	struct e2s_dir_row *row;
	errcode_t err;

	if (item < 2)
		return item ? tell_now(errands) : fill_after(r, where);
	row = wait_for_dir(errands, item - 2);
	if (!row)
		return 0;
	err = e2s_scan_readdir(r->scan, row->dir, 0, names, where);
	if (!err)
		row->readdir_switches = e2s_measure_switches(r->scan, row->dir,
							     names);
	return err;
}

static errcode_t run_errands(struct report *r, size_t *dirs,
			     struct e2s_where *where)
{
	unsigned threads = r->options->threads ? (unsigned)r->options->threads
					       : e2s_workers_default(), i;
	struct errands errands = { .r = r, .lock = PTHREAD_MUTEX_INITIALIZER,
				   .told = PTHREAD_COND_INITIALIZER };
	size_t most = r->options->dirs < r->scan->dirs_n ? r->options->dirs
							 : r->scan->dirs_n;
	errcode_t err;

	errands.names = calloc(threads, sizeof(*errands.names));
	if (!errands.names)
		return ENOMEM;
	err = e2s_workers_run(threads, 2 + most, do_errand, &errands, where);
	for (i = 0; i < threads; i++)
		e2s_names_free(&errands.names[i]);
	free(errands.names);
	*dirs = errands.dirs;
	return err;
}

static errcode_t fill_dirs(struct report *r, size_t n, struct e2s_where *where)
{
	uint32_t *numbers = calloc(n + 1, sizeof(*numbers));
	char **paths = calloc(n + 1, sizeof(*paths));
	errcode_t err = ENOMEM;
	size_t i;

	r->dirs = calloc(n + 1, sizeof(*r->dirs));
	if (!numbers || !paths || !r->dirs)
		goto out;
	for (i = 0; i < n; i++)
		numbers[i] = r->worst[i].dir;
	err = e2s_scan_paths(r->scan, numbers, n, paths, where);
	if (err)
		goto out;
	for (; r->dirs_n < n; r->dirs_n++)
		r->dirs[r->dirs_n] = (struct dir_row){
			r->scan, r->worst[r->dirs_n], paths[r->dirs_n] };
out:
	free(numbers);
	free(paths);
	return err;
}

static errcode_t gather(struct report *r, struct e2s_where *where)
{
	const struct report_options *o = r->options;
	struct e2s_scan_options scan_options = {
		.threads = (unsigned)o->threads,
		.flags = E2S_PLAN_SCAN_FLAGS,
	};
	size_t dirs;
	errcode_t err;

	err = e2s_fs_open(o->device, o->open_flags, &r->fs, where);
	if (err)
		return err;
	warn_doubts(r->fs);
	if (o->flex_group >= r->fs->geo.flex_groups)
		return e2s_where_detail(where, E2S_ET_NO_FLEX_GROUP,
					"0 to %u", r->fs->geo.flex_groups - 1);
	err = e2s_scan_run(r->fs, &scan_options, &r->scan, where);
	if (err)
		return err;
	warn_problems(r->scan, o->verbose);
	give_back_memory();
	err = run_errands(r, &dirs, where);
	if (!err)
		err = report_fill_goals(r);
	if (!err)
		err = fill_balanced(r, where);
	e2s_scan_drop_times(r->scan);
	return err ? err : fill_dirs(r, dirs, where);
}

static void free_report(struct report *r)
{
	while (r->dirs_n)
		free(r->dirs[--r->dirs_n].path);
	free(r->dirs);
	free(r->worst);
	free(r->flex);
	free(r->homes);
	free(r->goals.now.histogram);
	free(r->goals.after.histogram);
	free(r->home_counts);
	prediction_free(&r->after);
	prediction_free(&r->balanced);
	e2s_measure_free(&r->measure);
	e2s_scan_free(r->scan);
	e2s_fs_close(r->fs);
}

static int run_checks(const struct report *r)
{
	const struct report_options *o = r->options;
	int status = EXIT_DONE;
	double value;
	size_t i;

	for (i = 0; i < o->checks_n; i++) {
		if (check_holds(&o->checks[i], &r->totals, &value))
			continue;
		warn_line("check does not hold: %s (%s is %.15g)",
			  o->checks[i].text, o->checks[i].column->key, value);
		status = EXIT_CHECK;
	}
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options;
	struct report r = { .options = &options };
	struct e2s_where where = { 0 };
	errcode_t err;
	int status;

	status = parse_report_options(command, argc, argv, &options);
	if (status >= 0)
		return status;
	err = gather(&r, &where);
	if (err) {
		status = failure(options.device, err, &where);
	} else {
		if (options.json)
			print_report_json(&r);
		else
			print_report_text(&r);
		status = run_checks(&r);
		if (fflush(stdout) || ferror(stdout))
			status = failure("standard output", EIO, &where);
	}
	free_report(&r);
	return status;
}

const struct command command_report = {
	.name = "report",
	.summary = "measure how directories share inode-table blocks",
	.usage =
"[options] DEVICE\n"
"\n"
"Says, for each flex group and the worst directories, how their files'\n"
"inodes lie in the inode tables.  Writes nothing.\n"
"\n"
"      --json               print JSON (schema 1)\n"
"      --dirs N             list the N worst directories, or 'all' (10)\n"
"      --flex N             list only flex group N\n"
"      --readahead-blks N   size of a readahead window in blocks (32)\n"
"      --check 'KEY OP N'   exit 1 unless it holds for the totals; repeatable\n"
"      --rho X              how likely tasks collide in a block (0.139)\n"
"      --cpus N             CPUs of the machine that mounts it (16)\n"
"      --threads N          threads to scan with (one a CPU)\n"
"  -f, --force              read although the device is in use\n"
"  -v, --verbose            name each problem that the scan met\n"
"  -h, --help               print this\n",
	.run = run,
};
