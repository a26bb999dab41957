/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: the rows of its tables, the tables, and what its files share. */
#ifndef E2SPREAD_REPORT_H
#define E2SPREAD_REPORT_H

#include "e2spread/check.h"
#include "e2spread/cmd.h"
#include "e2spread/prediction.h"
#include "e2spread/table.h"
#include "measure/measure.h"

struct filesystem_row {
	const struct e2s_fs *fs;
	uint64_t inodes_used;		/* allocated, says the superblock */
	char uuid[37];
	char label[EXT2_LABEL_LEN + 1];
};

struct totals_row {
	const struct e2s_measure *measure;
	double rho;			/* for creation_reads */
};

struct flex_row {
	const struct e2s_fs *fs;
	const struct e2s_counters *sums;
	uint32_t flex_group, first_group, groups;
	uint64_t inodes_free, blocks_free;
};

/* Home groups by the rule of policy spread, in one flex group. */
struct home_row {
	uint32_t flex_group, first_group, groups;
	const uint32_t *counts;		/* [group of the flex group] */
	uint32_t homes, used, largest, colliding;
};

struct dir_row {
	const struct e2s_scan *scan;
	struct e2s_dir_row d;
	char *path;
};

extern const struct table filesystem_table;	/* of struct filesystem_row */
extern const struct table totals_table;		/* of struct totals_row */
extern const struct table flex_table;		/* of struct flex_row */
extern const struct table home_table;		/* of struct home_row */
extern const struct table goals_table;		/* of struct goals_row */
extern const struct table dir_table;		/* of struct dir_row */

#define CHECKS_MAX 64

struct report_options {
	const char *device;
	int json, verbose;
	unsigned open_flags;
	uint64_t threads, dirs, readahead_blks;
	uint64_t cpus;			/* of the machine that mounts it */
	double rho;
	int64_t flex_group;		/* -1: all */
	struct check checks[CHECKS_MAX];
	size_t checks_n;
};

/* Slots that files fall into, in one layout. */
struct goals_row {
	uint64_t slots_used;	/* sums over n: slots that the n-th files hit, */
	uint64_t largest;	/* and how many of them hit the same one */
	uint32_t files;		/* how many n */
	uint64_t *histogram;	/* [slot] files of the directory itself */
};

struct report_goals {
	uint32_t slots;
	uint32_t dir, dirs, files;	/* the worst directory, it and its
					 * siblings, files of each */
	struct goals_row now, after;
};

/* Everything that the output is made from. */
struct report {
	const struct report_options *options;
	struct e2s_fs *fs;
	struct e2s_scan *scan;
	struct e2s_measure measure;
	struct filesystem_row filesystem;
	struct totals_row totals;
	struct prediction after;	/* under policy spread */
	struct prediction balanced;	/* where that gains nothing */
	const struct e2s_measure *after_measure;	/* NULL: not known */
	struct flex_row *flex;
	size_t flex_n;
	uint32_t *home_counts;		/* [group] */
	struct home_row *homes;
	size_t homes_n;
	struct report_goals goals;
	struct e2s_dir_row *worst;	/* one at least, where there is one */
	size_t worst_n;
	struct dir_row *dirs;		/* of those to be listed */
	size_t dirs_n;
};

/* Returns -1 to go on, else the exit status (report_options.c). */
int parse_report_options(const struct command *command, int argc, char **argv,
			 struct report_options *o);

errcode_t report_fill_goals(struct report *r);	/* report_goals.c */
void print_report_json(const struct report *r);	/* report_json.c */
void print_report_text(const struct report *r);	/* report_text.c */

#endif
