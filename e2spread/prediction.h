/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prediction: what a plan would lead to, and whether that is worth it. */
#ifndef E2SPREAD_PREDICTION_H
#define E2SPREAD_PREDICTION_H

#include <stdio.h>

#include "measure/measure.h"
#include "plan/plan.h"

#define READAHEAD_DEFAULT 32	/* k: EXT4_DEF_INODE_READAHEAD_BLKS */

struct prediction {
	struct e2s_plan *plan;
	struct e2s_measure measure;	/* afterwards */
};

/* Builds the plan of OPTIONS and measures its outcome; as e2s_plan_build(). */
errcode_t predict(struct e2s_scan *scan, const struct e2s_plan_options *options,
		  uint32_t readahead_blks, struct prediction *ret,
		  struct e2s_where *where);

/* Measures the outcome of ret->plan.  Returns ENOMEM. */
errcode_t predict_outcome(struct prediction *ret, uint32_t readahead_blks);

void prediction_free(struct prediction *prediction);

/*
 * What a layout saves and costs, in reads of itable blocks: it saves blocks
 * that listing every directory once and creating the files anew would read,
 * and it costs blocks that every e2fsck must read besides.
 */
struct gain {
	double saves, costs;
	int worth;		/* saves more than it costs, and 5 % at least */
};

struct gain gain_of(const struct e2s_measure *now,
		    const struct e2s_measure *after, double rho);

/*
 * One sentence: what the layout of NOW means, whether relayout under policy
 * spread (SPREAD, NULL: not predicted) helps, and if not whether BALANCED does
 * (NULL likewise).
 */
void print_advice(FILE *stream, const struct e2s_fs *fs,
		  const struct e2s_measure *now, const struct e2s_measure *spread,
		  const struct e2s_measure *balanced, double rho);

#endif
