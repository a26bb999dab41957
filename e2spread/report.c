/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread report: how badly directories share inode-table blocks. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <e2p/e2p.h>

#include "config.h"
#include "e2spread/check.h"
#include "e2spread/cmd.h"
#include "e2spread/report.h"

#define SCHEMA 1
#define DIRS_DEFAULT 10
#define READAHEAD_DEFAULT 32	/* k: EXT4_DEF_INODE_READAHEAD_BLKS */
#define CHECKS_MAX 64

struct report_options {
	const char *device;
	int json, verbose;
	unsigned open_flags;
	uint64_t threads, dirs, readahead_blks;
	int64_t flex_group;		/* -1: all */
	struct check checks[CHECKS_MAX];
	size_t checks_n;
};

/* Everything that the output is made from. */
struct report {
	const struct report_options *options;
	struct e2s_fs *fs;
	struct e2s_scan *scan;
	struct e2s_measure measure;
	struct filesystem_row filesystem;
	struct totals_row totals;
	struct flex_row *flex;
	size_t flex_n;
	struct dir_row *dirs;
	size_t dirs_n;
};

/* --- options --- */

enum {
	OPT_JSON = 256, OPT_DIRS, OPT_FLEX, OPT_READAHEAD, OPT_CHECK,
	OPT_THREADS,
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "dirs", required_argument, NULL, OPT_DIRS },
	{ "flex", required_argument, NULL, OPT_FLEX },
	{ "readahead-blks", required_argument, NULL, OPT_READAHEAD },
	{ "check", required_argument, NULL, OPT_CHECK },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "force", no_argument, NULL, 'f' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int add_check(const struct command *command, struct report_options *o,
		     const char *text)
{
	const char *wrong;
	size_t i;

	if (o->checks_n == CHECKS_MAX)
		return usage_error(command, "at most %d checks", CHECKS_MAX);
	wrong = check_parse(text, &totals_table, &o->checks[o->checks_n]);
	if (!wrong) {
		o->checks_n++;
		return 0;
	}
	fprintf(stderr, "e2spread report: --check '%s': %s; the keys are:",
		text, wrong);
	for (i = 0; i < totals_table.n; i++)
		fprintf(stderr, " %s", totals_table.columns[i].key);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int take_option(const struct command *command, struct report_options *o,
		       int c)
{
	uint64_t n;

	switch (c) {
	case OPT_JSON:
		o->json = 1;
		return 0;
	case OPT_DIRS:
		if (!strcmp(optarg, "all"))
			o->dirs = UINT64_MAX;
		else if (!parse_number(optarg, 0, UINT32_MAX, &o->dirs))
			return usage_error(command, "--dirs wants a number or "
					   "'all', not '%s'", optarg);
		return 0;
	case OPT_FLEX:
		if (!parse_number(optarg, 0, UINT32_MAX, &n))
			return usage_error(command, "--flex wants a flex "
					   "group's number, not '%s'", optarg);
		o->flex_group = (int64_t)n;
		return 0;
	case OPT_READAHEAD:
		if (!parse_number(optarg, 1, 1u << 30, &o->readahead_blks) ||
		    o->readahead_blks & (o->readahead_blks - 1))
			return usage_error(command, "--readahead-blks wants a "
					   "power of two, not '%s'", optarg);
		return 0;
	case OPT_THREADS:
		if (!parse_number(optarg, 1, 256, &o->threads))
			return usage_error(command, "--threads wants 1 to 256, "
					   "not '%s'", optarg);
		return 0;
	case OPT_CHECK:
		return add_check(command, o, optarg);
	case 'f':
		o->open_flags |= E2S_FS_FORCE;
		return 0;
	case 'v':
		o->verbose = 1;
		return 0;
	}
	return EXIT_USAGE;	/* getopt_long has said what is wrong */
}

static int parse_options(const struct command *command, int argc, char **argv,
			 struct report_options *o)
{
	int c, status;

	*o = (struct report_options){ .dirs = DIRS_DEFAULT, .flex_group = -1,
				      .readahead_blks = READAHEAD_DEFAULT };
	while ((c = getopt_long(argc, argv, "fvh", long_options, NULL)) != -1) {
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
	o->device = argv[optind];
	return 0;
}

/* --- rows --- */

static void fill_filesystem(struct report *r)
{
	struct ext2_super_block *super = r->fs->ext2->super;
	struct filesystem_row *row = &r->filesystem;

	row->fs = r->fs;
	row->inodes_used = super->s_inodes_count - super->s_free_inodes_count;
	memcpy(row->label, super->s_volume_name, EXT2_LABEL_LEN);
	strncpy(row->uuid, e2p_uuid2str(super->s_uuid), sizeof(row->uuid) - 1);
	r->totals = (struct totals_row){ &r->measure, E2S_RHO };
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
		if (r->options->flex_group >= 0 && r->options->flex_group != i)
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

static errcode_t count_switches(struct report *r, struct e2s_dir_row *row,
				struct e2s_where *where)
{
	struct e2s_names names;
	errcode_t err;

	err = e2s_scan_readdir(r->scan, row->dir, &names, where);
	if (err)
		return err;
	row->readdir_switches = e2s_measure_switches(r->scan, row->dir, &names);
	e2s_names_free(&names);
	return 0;
}

static errcode_t fill_dirs(struct report *r, struct e2s_where *where)
{
	struct e2s_dir_row *worst = NULL;
	uint32_t *numbers = NULL;
	char **paths = NULL;
	errcode_t err;
	size_t i, n;

	err = e2s_measure_worst(r->scan, &r->measure,
				(uint32_t)r->options->readahead_blks,
				r->options->dirs, &worst, &n);
	if (err)
		return err;
	numbers = calloc(n + 1, sizeof(*numbers));
	paths = calloc(n + 1, sizeof(*paths));
	r->dirs = calloc(n + 1, sizeof(*r->dirs));
	err = numbers && paths && r->dirs ? 0 : ENOMEM;
	for (i = 0; i < n && !err; i++) {
		numbers[i] = worst[i].dir;
		err = count_switches(r, &worst[i], where);
	}
	if (!err)
		err = e2s_scan_paths(r->scan, numbers, n, paths, where);
	if (!err)
		for (; r->dirs_n < n; r->dirs_n++)
			r->dirs[r->dirs_n] = (struct dir_row){
				r->scan, worst[r->dirs_n], paths[r->dirs_n] };
	free(worst);
	free(numbers);
	free(paths);
	return err;
}

/* --- output --- */

static struct json_object *json_features(const struct e2s_fs *fs)
{
	const struct ext2_super_block *super = fs->ext2->super;
	struct json_object *array = json_object_new_array();
	const uint32_t words[3] = { super->s_feature_compat,
				    super->s_feature_incompat,
				    super->s_feature_ro_compat };
	static const int types[3] = { E2P_FEATURE_COMPAT, E2P_FEATURE_INCOMPAT,
				      E2P_FEATURE_RO_INCOMPAT };
	unsigned bit;
	int i;

	for (i = 0; i < 3; i++)
		for (bit = 0; bit < 32; bit++)
			if (words[i] & 1u << bit)
				json_object_array_add(array,
					json_object_new_string(
						e2p_feature2string(types[i],
								   1u << bit)));
	return array;
}

static struct json_object *json_problems(const struct e2s_scan *scan)
{
	struct json_object *array = json_object_new_array(), *row;
	int kind;

	for (kind = 0; kind < E2S_PROBLEM_KINDS; kind++) {
		if (!scan->problems_n[kind])
			continue;
		row = json_object_new_object();
		json_object_object_add(row, "problem", json_object_new_string(
			e2s_problem_words((enum e2s_problem_kind)kind)));
		json_object_object_add(row, "count", json_object_new_uint64(
			scan->problems_n[kind]));
		json_object_array_add(array, row);
	}
	return array;
}

static void print_json(const struct report *r)
{
	struct json_object *top = json_object_new_object();
	struct json_object *head = json_object_new_object();
	struct json_object *fs;

	json_object_object_add(head, "version",
			       json_object_new_string(PACKAGE_VERSION));
	json_object_object_add(head, "schema", json_object_new_int(SCHEMA));
	json_object_object_add(head, "command",
			       json_object_new_string("report"));
	json_object_object_add(top, "e2spread", head);
	fs = table_json_row(&filesystem_table, &r->filesystem);
	json_object_object_add(fs, "features", json_features(r->fs));
	json_object_object_add(top, "filesystem", fs);
	json_object_object_add(top, "problems", json_problems(r->scan));
	json_object_object_add(top, "flex_groups",
		table_json_rows(&flex_table, r->flex, r->flex_n,
				sizeof(*r->flex)));
	json_object_object_add(top, "directories",
		table_json_rows(&dir_table, r->dirs, r->dirs_n,
				sizeof(*r->dirs)));
	json_object_object_add(top, "totals",
			       table_json_row(&totals_table, &r->totals));
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						 JSON_C_TO_STRING_SPACED |
						 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

/* One sentence: is it bad, and what would help. */
static void print_advice(const struct report *r)
{
	const struct e2s_counters *t = &r->measure.totals;
	uint64_t pct = cell_percent(t->sibling_shared_blocks,
				    t->itable_blocks).n / 100;

	if (!t->files)
		puts("There are no files here: nothing to gain.");
	else if (!t->sibling_shared_blocks)
		puts("No itable block is shared by sibling directories: "
		     "nothing to gain.");
	else if (r->fs->geo.flex_size == 1)
		printf("%" PRIu64 " %% of the itable blocks are shared by "
		       "sibling directories, but without flex groups the "
		       "kernel does not spread files.\n", pct);
	else
		printf("%" PRIu64 " %% of the itable blocks are shared by "
		       "sibling directories: tasks that create files side by "
		       "side wait for each other there, and listing one "
		       "directory reads %u.%02u times the blocks it needs.\n",
		       pct, (unsigned)(cell_ratio(t->directory_blocks,
						  r->measure.least_blocks).n / 100),
		       (unsigned)(cell_ratio(t->directory_blocks,
					     r->measure.least_blocks).n % 100));
}

static void print_text(const struct report *r)
{
	const struct e2s_geometry *geo = &r->fs->geo;

	print_bytes(stdout, r->fs->device);
	if (r->filesystem.label[0]) {
		fputs(" '", stdout);
		print_bytes(stdout, r->filesystem.label);
		fputs("'", stdout);
	}
	printf(": %" PRIu64 " of %u inodes in use, %u groups of %u inodes, "
	       "%u inodes an itable block, ", r->filesystem.inodes_used,
	       geo->inodes, geo->groups, geo->inodes_per_group,
	       geo->inodes_per_block);
	if (geo->flex_size > 1)
		printf("flex groups of %u\n", geo->flex_size);
	else
		puts("no flex groups");
	printf("\n%s:\n", geo->flex_size > 1 ? "Flex groups" : "Groups");
	table_print_rows(stdout, &flex_table, r->flex, r->flex_n,
			 sizeof(*r->flex));
	if (r->dirs_n) {
		printf("\nWorst directories (%zu of %" PRIu64 "):\n",
		       r->dirs_n, r->measure.homes);
		table_print_rows(stdout, &dir_table, r->dirs, r->dirs_n,
				 sizeof(*r->dirs));
	}
	puts("\nTotals:");
	table_print_row(stdout, &totals_table, &r->totals);
	putchar('\n');
	print_advice(r);
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

/* --- the command --- */

static errcode_t gather(struct report *r, struct e2s_where *where)
{
	const struct report_options *o = r->options;
	struct e2s_scan_options scan_options = {
		.threads = (unsigned)o->threads,
	};
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
	err = e2s_measure_layout(r->scan, (uint32_t)o->readahead_blks,
				 &r->measure);
	if (err)
		return err;
	fill_filesystem(r);
	err = fill_flex(r);
	return err ? err : fill_dirs(r, where);
}

static void free_report(struct report *r)
{
	while (r->dirs_n)
		free(r->dirs[--r->dirs_n].path);
	free(r->dirs);
	free(r->flex);
	e2s_measure_free(&r->measure);
	e2s_scan_free(r->scan);
	e2s_fs_close(r->fs);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options;
	struct report r = { .options = &options };
	struct e2s_where where = { 0 };
	errcode_t err;
	int status;

	status = parse_options(command, argc, argv, &options);
	if (status)
		return status;
	err = gather(&r, &where);
	if (err) {
		status = failure(options.device, err, &where);
	} else {
		if (options.json)
			print_json(&r);
		else
			print_text(&r);
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
"      --threads N          threads to scan with (one a CPU)\n"
"  -f, --force              read although the device is in use\n"
"  -v, --verbose            name each problem that the scan met\n"
"  -h, --help               print this\n",
	.run = run,
};
