/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "e2spread/report.h"

#define DIRS_DEFAULT 10
#define CPUS_DEFAULT 16		/* not this machine's: the same everywhere */

enum {
	OPT_JSON = 256, OPT_DIRS, OPT_FLEX, OPT_READAHEAD, OPT_CHECK,
	OPT_THREADS, OPT_RHO, OPT_CPUS,
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "dirs", required_argument, NULL, OPT_DIRS },
	{ "flex", required_argument, NULL, OPT_FLEX },
	{ "readahead-blks", required_argument, NULL, OPT_READAHEAD },
	{ "check", required_argument, NULL, OPT_CHECK },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "rho", required_argument, NULL, OPT_RHO },
	{ "cpus", required_argument, NULL, OPT_CPUS },
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
		return -1;
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
		return -1;
	case OPT_DIRS:
		if (!strcmp(optarg, "all"))
			o->dirs = UINT64_MAX;
		else if (!parse_number(optarg, 0, UINT32_MAX, &o->dirs))
			return usage_error(command, "--dirs wants a number or "
					   "'all', not '%s'", optarg);
		return -1;
	case OPT_FLEX:
		if (!parse_number(optarg, 0, UINT32_MAX, &n))
			return usage_error(command, "--flex wants a flex "
					   "group's number, not '%s'", optarg);
		o->flex_group = (int64_t)n;
		return -1;
	case OPT_READAHEAD:
		if (!parse_number(optarg, 1, 1u << 30, &o->readahead_blks) ||
		    o->readahead_blks & (o->readahead_blks - 1))
			return usage_error(command, "--readahead-blks wants a "
					   "power of two, not '%s'", optarg);
		return -1;
	case OPT_THREADS:
		if (!parse_number(optarg, 1, 256, &o->threads))
			return usage_error(command, "--threads wants 1 to 256, "
					   "not '%s'", optarg);
		return -1;
	case OPT_RHO:
		if (!parse_decimal(optarg, &o->rho))
			return usage_error(command, "--rho wants a number "
					   "above 0, not '%s'", optarg);
		return -1;
	case OPT_CPUS:
		if (!parse_number(optarg, 1, 1u << 20, &o->cpus))
			return usage_error(command, "--cpus wants a number "
					   "above 0, not '%s'", optarg);
		return -1;
	case OPT_CHECK:
		return add_check(command, o, optarg);
	case 'f':
		o->open_flags |= E2S_FS_FORCE;
		return -1;
	case 'v':
		o->verbose = 1;
		return -1;
	}
	return EXIT_USAGE;	/* getopt_long has said what is wrong */
}

int parse_report_options(const struct command *command, int argc, char **argv,
			 struct report_options *o)
{
	int c, status;

	*o = (struct report_options){ .dirs = DIRS_DEFAULT, .flex_group = -1,
				      .readahead_blks = READAHEAD_DEFAULT,
				      .rho = E2S_RHO, .cpus = CPUS_DEFAULT };
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
	return -1;
}
