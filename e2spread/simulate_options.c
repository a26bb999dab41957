/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "e2spread/simulate.h"
#include "measure/measure.h"

#define TASKS_DEFAULT 16
#define FILES_DEFAULT 1000
#define TASKS_MAX 65536
#define READAHEAD_DEFAULT 32	/* k: EXT4_DEF_INODE_READAHEAD_BLKS */

enum {
	OPT_TASKS = 256, OPT_FILES, OPT_POLICY, OPT_PATTERN, OPT_PARENT,
	OPT_SEED, OPT_TRACE, OPT_READAHEAD, OPT_NO_AVOIDANCE, OPT_RHO,
	OPT_JSON, OPT_THREADS,
};

static const struct option long_options[] = {
	{ "tasks", required_argument, NULL, OPT_TASKS },
	{ "files", required_argument, NULL, OPT_FILES },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "pattern", required_argument, NULL, OPT_PATTERN },
	{ "parent", required_argument, NULL, OPT_PARENT },
	{ "order-seed", required_argument, NULL, OPT_SEED },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "readahead-blks", required_argument, NULL, OPT_READAHEAD },
	{ "no-read-avoidance", no_argument, NULL, OPT_NO_AVOIDANCE },
	{ "rho", required_argument, NULL, OPT_RHO },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "force", no_argument, NULL, 'f' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_number(const struct command *command, const char *name,
		       uint64_t least, uint64_t most, uint64_t *n)
{
	if (parse_number(optarg, least, most, n))
		return -1;
	return usage_error(command, "%s wants a number from %llu to %llu, not "
			   "'%s'", name, (unsigned long long)least,
			   (unsigned long long)most, optarg);
}

static int add_policy(const struct command *command, struct simulate_options *o,
		      const char *name)
{
	const struct e2s_ialloc_policy *policy = e2s_ialloc_policy_find(name);
	unsigned i;

	if (!policy)
		return usage_error(command, "no policy '%s'; there are packed, "
				   "spread, balanced, noflex and oldalloc",
				   name);
	for (i = 0; i < o->policies_n; i++)
		if (o->policies[i] == policy)
			return usage_error(command, "policy '%s' is named "
					   "twice", name);
	if (o->policies_n == POLICIES_MAX)
		return usage_error(command, "too many policies");
	o->policies[o->policies_n++] = policy;
	return -1;
}

/* LIST: names between commas. */
static int take_policies(const struct command *command,
			 struct simulate_options *o, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	int status = -1;

	if (!copy)
		return failure(o->device ? o->device : "simulate", ENOMEM,
			       &(struct e2s_where){ 0 });
	o->policies_n = 0;
	while (status < 0 && (name = strsep(&rest, ",")))
		status = add_policy(command, o, name);
	free(copy);
	return status;
}

static int take_pattern(const struct command *command,
			struct simulate_options *o)
{
	enum e2s_sim_pattern p;
	const char *name;

	for (p = 0; (name = e2s_sim_pattern_name(p)); p++)
		if (!strcmp(optarg, name)) {
			o->sim.pattern = p;
			return -1;
		}
	return usage_error(command, "no pattern '%s'; there are create, "
			   "round-robin, refill, tree and mixed", optarg);
}

static int take_rho(const struct command *command, struct simulate_options *o)
{
	char *end;

	o->sim.rho = strtod(optarg, &end);
	if (optarg[0] >= '0' && optarg[0] <= '9' && !*end && o->sim.rho < 1)
		return -1;
	return usage_error(command, "--rho wants a number from 0 to less than "
			   "1, not '%s'", optarg);
}

static int take_readahead(const struct command *command,
			  struct simulate_options *o)
{
	uint64_t n;

	if (!parse_number(optarg, 0, 1u << 30, &n) || n & (n - 1))
		return usage_error(command, "--readahead-blks wants 0 or a "
				   "power of two, not '%s'", optarg);
	o->sim.readahead_blks = (uint32_t)n;
	return -1;
}

static int take_workload(const struct command *command,
			 struct simulate_options *o, int c)
{
	uint64_t n = 0;
	int status;

	o->workload_named = 1;
	switch (c) {
	case OPT_TASKS:
		status = take_number(command, "--tasks", 1, TASKS_MAX, &n);
		o->sim.tasks = (uint32_t)n;
		return status;
	case OPT_FILES:
		status = take_number(command, "--files", 1, UINT32_MAX, &n);
		o->sim.files = (uint32_t)n;
		return status;
	case OPT_PARENT:
		o->parent = optarg;
		return -1;
	}
	return take_pattern(command, o);
}

static int take_option(const struct command *command,
		       struct simulate_options *o, int c)
{
	switch (c) {
	case OPT_TASKS:
	case OPT_FILES:
	case OPT_PARENT:
	case OPT_PATTERN:
		return take_workload(command, o, c);
	case OPT_POLICY:
		return take_policies(command, o, optarg);
	case OPT_SEED:
		return take_number(command, "--order-seed", 0, UINT64_MAX,
				   &o->sim.order_seed);
	case OPT_THREADS:
		return take_number(command, "--threads", 1, 256, &o->threads);
	case OPT_READAHEAD:
		return take_readahead(command, o);
	case OPT_RHO:
		return take_rho(command, o);
	case OPT_TRACE:
		o->trace_file = optarg;
		return -1;
	case OPT_NO_AVOIDANCE:
		o->sim.no_read_avoidance = 1;
		return -1;
	case OPT_JSON:
		o->json = 1;
		return -1;
	case 'f':
		o->open_flags |= E2S_FS_FORCE;
		return -1;
	case 'v':
		o->verbose = 1;
		return -1;
	}
	return EXIT_USAGE;	/* getopt_long has said what is wrong */
}

int parse_simulate_options(const struct command *command, int argc, char **argv,
			   struct simulate_options *o)
{
	int c, status;

	*o = (struct simulate_options){
		.sim = { .tasks = TASKS_DEFAULT, .files = FILES_DEFAULT,
			 .readahead_blks = READAHEAD_DEFAULT,
			 .rho = -1 },
	};
	(void)take_policies(command, o, "packed,spread,balanced,oldalloc");
	while ((c = getopt_long(argc, argv, "fvh", long_options, NULL)) != -1) {
		if (c == 'h')
			return print_help(command);
		status = take_option(command, o, c);
		if (status >= 0)
			return status;
	}
	if (optind != argc - 1)
		return usage_error(command, "wants one DEVICE");
	o->device = argv[optind];
	if (o->trace_file && o->workload_named)
		return usage_error(command, "--trace goes with neither --tasks "
				   "nor --files, --pattern or --parent");
	if (o->sim.rho < 0)
		o->sim.rho = o->trace_file ||
			     o->sim.pattern == E2S_SIM_ROUND_ROBIN
				     ? E2S_RHO : E2S_SIM_RHO;
	if ((uint64_t)o->sim.tasks * o->sim.files > UINT32_MAX)
		return usage_error(command, "more files than a file system has "
				   "inodes: %u tasks with %u each",
				   o->sim.tasks, o->sim.files);
	return -1;
}
