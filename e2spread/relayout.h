/* SPDX-License-Identifier: GPL-2.0-or-later */
/* relayout: what the files of this command share. */
#ifndef E2SPREAD_RELAYOUT_H
#define E2SPREAD_RELAYOUT_H

#include "e2spread/cmd.h"
#include "e2spread/prediction.h"

struct relayout_options {
	const char *device;
	const char *plan_file, *save_plan, *map_file;
	const char *redo_file, *resume_file, *undo_file;
	struct e2s_plan_options plan;
	int policy_named;
	int dry_run, yes, force, verbose, quiet;
	int progress_fd;		/* -1: none; 0: a bar on the terminal */
	unsigned threads;
};

struct relayout {
	const struct relayout_options *options;
	struct e2s_fs *fs;
	struct e2s_scan *scan;
	struct e2s_plan_cost cost;
	struct e2s_measure now;
	struct prediction after;	/* the plan, and what it leads to */
	struct prediction balanced;	/* asked for when spread gains nothing */
};

/* Returns -1 to go on, else the exit status (relayout_options.c). */
int parse_relayout_options(const struct command *command, int argc, char **argv,
			   struct relayout_options *o);

/* Prints what the plan moves, what stays, cost, before and after
 * (relayout_show.c). */
void show_plan(const struct relayout *r);

/* Moves and verifies; closes r->fs; returns the exit status
 * (relayout_run.c). */
int carry_out(struct relayout *r);

/* Finishes an interrupted run that left a redo file (relayout_run.c). */
int resume(const struct relayout_options *o);

/* Frees the plan and all that it was made from. */
void drop_plan(struct relayout *r);

/* Drops the plan, then closes the device, which the plan refers to.  Returns
 * what closing says. */
errcode_t close_device(struct relayout *r);

#endif
