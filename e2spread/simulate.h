/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate: what the files of this command share. */
#ifndef E2SPREAD_SIMULATE_H
#define E2SPREAD_SIMULATE_H

#include "e2spread/cmd.h"
#include "e2spread/table.h"
#include "sim/sim.h"

#define POLICIES_MAX 16

struct simulate_options {
	const char *device, *parent, *trace_file;
	const struct e2s_ialloc_policy *policies[POLICIES_MAX];
	unsigned policies_n;
	struct e2s_sim_options sim;	/* all but policy, parent and trace */
	int workload_named;		/* something that a trace says itself */
	int json, verbose;
	unsigned open_flags;
	uint64_t threads;
};

struct policy_row {
	const struct e2s_ialloc_policy *policy;
	struct e2s_sim_result result;
};

extern const struct table simulate_table;	/* of struct policy_row */
extern const struct table chosen_table;		/* its object "chosen" */
extern const struct table simulate_places, simulate_costs, simulate_whys;
						/* in text, side by side */

/* Returns -1 to go on, else the exit status (simulate_options.c). */
int parse_simulate_options(const struct command *command, int argc, char **argv,
			   struct simulate_options *o);

#endif
