/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2spread/relayout.h"

enum {
	OPT_POLICY = 256, OPT_ORDER, OPT_MOVE_DIRS, OPT_SAVE_PLAN, OPT_PLAN,
	OPT_MAP, OPT_REDO, OPT_RESUME, OPT_THREADS,
};

static const struct option long_options[] = {
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "move-dirs", no_argument, NULL, OPT_MOVE_DIRS },
	{ "save-plan", required_argument, NULL, OPT_SAVE_PLAN },
	{ "plan", required_argument, NULL, OPT_PLAN },
	{ "map", required_argument, NULL, OPT_MAP },
	{ "redo", required_argument, NULL, OPT_REDO },
	{ "resume", required_argument, NULL, OPT_RESUME },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char *const orders[] = {
	[E2S_PLAN_CREATION] = "creation",
	[E2S_PLAN_DIR] = "dir",
	[E2S_PLAN_HASH] = "hash",
};

static int take_policy(const struct command *command,
		       struct relayout_options *o)
{
	o->plan.policy = e2s_ialloc_policy_find(optarg);
	o->policy_named = 1;
	if (!o->plan.policy)
		return usage_error(command, "no policy '%s'; there are spread, "
				   "packed, balanced and noflex", optarg);
	if (o->plan.policy->flags & E2S_IALLOC_SIMULATE_ONLY)
		return usage_error(command, "policy '%s' can only be simulated",
				   optarg);
	return -1;
}

static int take_order(const struct command *command, struct relayout_options *o)
{
	size_t i;

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (!strcmp(optarg, orders[i])) {
			o->plan.order = (enum e2s_plan_order)i;
			return -1;
		}
	return usage_error(command, "no order '%s'; there are creation, dir "
			   "and hash", optarg);
}

static int take_number(const struct command *command, const char *name,
		       uint64_t least, uint64_t most, uint64_t *n)
{
	if (parse_number(optarg, least, most, n))
		return -1;
	return usage_error(command, "%s wants a number from %llu to %llu, not "
			   "'%s'", name, (unsigned long long)least,
			   (unsigned long long)most, optarg);
}

static int take_flag(struct relayout_options *o, int c)
{
	switch (c) {
	case 'n':
		o->dry_run = 1;
		return -1;
	case 'y':
	case 'p':
		o->yes = 1;
		return -1;
	case 'f':
		o->force = 1;
		return -1;
	case 'q':
		o->quiet = 1;
		return -1;
	case 'v':
		o->verbose = 1;
		return -1;
	case OPT_MOVE_DIRS:
		o->plan.move_dirs = 1;
		return -1;
	}
	return EXIT_USAGE;	/* getopt_long has said what is wrong */
}

static int take_option(const struct command *command,
		       struct relayout_options *o, int c)
{
	const char **file = c == OPT_SAVE_PLAN ? &o->save_plan :
			    c == OPT_PLAN ? &o->plan_file :
			    c == OPT_MAP ? &o->map_file :
			    c == OPT_REDO ? &o->redo_file :
			    c == OPT_RESUME ? &o->resume_file :
			    c == 'z' ? &o->undo_file : NULL;
	uint64_t n = 0;
	int status;

	if (file) {
		*file = optarg;
		return -1;
	}
	switch (c) {
	case OPT_POLICY:
		return take_policy(command, o);
	case OPT_ORDER:
		return take_order(command, o);
	case OPT_THREADS:
		status = take_number(command, "--threads", 1, 256, &n);
		o->threads = (unsigned)n;
		return status;
	case 'C':
		status = take_number(command, "-C", 0, 1023, &n);
		o->progress_fd = (int)n;
		return status;
	}
	return take_flag(o, c);
}

static int check_options(const struct command *command,
			 const struct relayout_options *o)
{
	if (o->plan_file && (o->policy_named ||
			     o->plan.order != E2S_PLAN_CREATION))
		return usage_error(command, "--plan goes with neither --policy "
				   "nor --order");
	if (o->resume_file && (o->dry_run || o->plan_file || o->redo_file ||
			       o->undo_file))
		return usage_error(command, "--resume goes with no other plan "
				   "or file");
	if (!o->dry_run && !o->yes && !o->resume_file && !isatty(STDIN_FILENO))
		return usage_error(command, "nobody to ask: not on a terminal "
				   "it wants -n, -y or -p");
	return -1;
}

int parse_relayout_options(const struct command *command, int argc, char **argv,
			   struct relayout_options *o)
{
	int c, status;

	*o = (struct relayout_options){
		.plan.policy = e2s_ialloc_policy_find("spread"),
		.progress_fd = -1,
	};
	while ((c = getopt_long(argc, argv, "nypfvqhz:C:", long_options,
				NULL)) != -1) {
		if (c == 'h')
			return print_help(command);
		status = take_option(command, o, c);
		if (status >= 0)
			return status;
	}
	if (optind != argc - 1)
		return usage_error(command, "wants one DEVICE");
	o->device = argv[optind];
	if (o->progress_fd < 0 && !o->quiet && isatty(STDOUT_FILENO))
		o->progress_fd = 0;
	return check_options(command, o);
}
