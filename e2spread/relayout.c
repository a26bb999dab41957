/* SPDX-License-Identifier: GPL-2.0-or-later */
/* e2spread relayout: give the existing files another layout. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "e2spread/cmd.h"
#include "e2spread/report.h"
#include "plan/plan.h"
#include "measure/measure.h"

struct relayout_options {
	const char *device;
	const char *policy, *plan_file, *save_plan, *map_file;
	enum e2s_plan_order order;
	int dry_run, yes, force, verbose, quiet, move_dirs;
	uint64_t threads;
};

struct relayout {
	const struct relayout_options *options;
	struct e2s_fs *fs;
	struct e2s_scan *scan;
	struct e2s_plan *plan;
	struct e2s_plan_cost cost;
	struct e2s_measure now, after;
};
enum { OPT_POLICY = 256, OPT_ORDER, OPT_MOVE_DIRS, OPT_PLAN, OPT_SAVE_PLAN, OPT_MAP, OPT_THREADS };
static const struct option long_options[] = {
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "move-dirs", no_argument, NULL, OPT_MOVE_DIRS },
	{ "plan", required_argument, NULL, OPT_PLAN },
	{ "save-plan", required_argument, NULL, OPT_SAVE_PLAN },
	{ "map", required_argument, NULL, OPT_MAP },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};
static errcode_t write_file(void *ctx, const char *text, size_t len)
{
	return fwrite(text, 1, len, ctx) == len ? 0 : errno;
}
static int run(const struct command *command, int argc, char **argv)
{
	struct relayout_options o = { .policy = "spread" };
	struct e2s_where where = { 0 };
	struct e2s_scan *after = NULL;
	struct relayout r = { .options = &o };
	errcode_t err;
	int c;
	while ((c = getopt_long(argc, argv, "nypfvqh", long_options, NULL)) != -1)
		switch (c) {
		case OPT_POLICY: o.policy = optarg; break;
		case OPT_ORDER: o.order = !strcmp(optarg, "dir") ? E2S_PLAN_DIR : !strcmp(optarg, "hash") ? E2S_PLAN_HASH : E2S_PLAN_CREATION; break;
		case OPT_MOVE_DIRS: o.move_dirs = 1; break;
		case OPT_PLAN: o.plan_file = optarg; break;
		case OPT_SAVE_PLAN: o.save_plan = optarg; break;
		case OPT_MAP: o.map_file = optarg; break;
		}
	o.device = argv[optind];
	(void)command;
	err = e2s_fs_open(o.device, 0, &r.fs, &where);
	if (!err)
		err = e2s_scan_run(r.fs, &(struct e2s_scan_options){ .flags = E2S_PLAN_COST_FLAGS }, &r.scan, &where);
	if (!err)
		warn_problems(r.scan, 1);
	if (!err && o.plan_file)
		err = e2s_plan_read(r.scan, fopen(o.plan_file, "r"), o.move_dirs, &r.plan, &where);
	else if (!err)
		err = e2s_plan_build(r.scan, &(struct e2s_plan_options){ e2s_ialloc_policy_find(o.policy), o.order, o.move_dirs }, &r.plan, &where);
	if (!err)
		err = e2s_plan_cost(r.plan, &r.cost);
	if (!err)
		err = e2s_measure_layout(r.scan, 32, &r.now);
	if (!err)
		err = e2s_plan_outcome(r.plan, &after);
	if (!err)
		err = e2s_measure_layout(after, 32, &r.after);
	if (err)
		return failure(o.device, err, &where);
	printf("%" PRIu64 " moves, %" PRIu64 " blocks\n", e2s_plan_moves(r.plan), r.cost.blocks);
	table_print_pair(stdout, &totals_table, "now", &(struct totals_row){ &r.now, E2S_RHO }, "after", &(struct totals_row){ &r.after, E2S_RHO });
	if (o.map_file) {
		FILE *f = fopen(o.map_file, "w");
		err = e2s_plan_map_text(r.plan, write_file, f);
		fclose(f);
	}
	if (o.save_plan) {
		FILE *f = fopen(o.save_plan, "w");
		err = e2s_plan_text(r.plan, write_file, f);
		fclose(f);
	}
	return 0;
}
const struct command command_relayout = { .name = "relayout", .summary = "x", .usage = "x", .run = run };
