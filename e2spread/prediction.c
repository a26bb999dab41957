/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "e2spread/prediction.h"

errcode_t predict_outcome(struct prediction *ret, uint32_t readahead_blks)
{
	struct e2s_outcome *outcome;
	struct e2s_measure_pass *pass;
	uint32_t first, end;
	errcode_t err = e2s_outcome_start(ret->plan, &outcome);

	if (err)
		return err;
	err = e2s_measure_start(e2s_outcome_scan(outcome), readahead_blks,
				&ret->measure, &pass);
	if (!err) {
		while (e2s_outcome_next(outcome, &first, &end))
			e2s_measure_groups(pass, first, end);
		e2s_measure_finish(pass);
	}
	e2s_outcome_free(outcome);
	return err;
}

errcode_t predict(struct e2s_scan *scan, const struct e2s_plan_options *options,
		  uint32_t readahead_blks, struct prediction *ret,
		  struct e2s_where *where)
{
	errcode_t err;

	*ret = (struct prediction){ 0 };
	err = e2s_plan_build(scan, options, &ret->plan, where);
	if (!err)
		err = predict_outcome(ret, readahead_blks);
	if (err)
		prediction_free(ret);
	return err;
}

void prediction_free(struct prediction *prediction)
{
	e2s_plan_free(prediction->plan);
	e2s_measure_free(&prediction->measure);
	*prediction = (struct prediction){ 0 };
}

struct gain gain_of(const struct e2s_measure *now,
		    const struct e2s_measure *after, double rho)
{
	double reads = (double)now->totals.directory_blocks +
		       e2s_measure_creation_reads(now, rho);
	struct gain gain;

	gain.saves = reads - (double)after->totals.directory_blocks -
		     e2s_measure_creation_reads(after, rho);
	gain.costs = (double)after->totals.itable_blocks_fsck -
		     (double)now->totals.itable_blocks_fsck;
	/*
	 * A twentieth, because a relayout of a relayout that overflowed its
	 * groups moves files to and fro by some percent: which file is older
	 * is not known within a clock tick.
	 */
	gain.worth = gain.saves > gain.costs && gain.saves * 20 >= reads;
	return gain;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_no_gain(FILE *stream, const struct e2s_measure *now,
			  const struct e2s_measure *spread,
			  const struct e2s_measure *balanced, double rho)
{
	struct gain gain = gain_of(now, spread, rho);

	fprintf(stream, "No gain: spreading the files by the kernel's rule "
		"would save about %.0f reads of itable blocks and make e2fsck "
		"read %.0f more", gain.saves > 0 ? gain.saves : 0,
		gain.costs > 0 ? gain.costs : 0);
	if (balanced && balanced->totals.sibling_shared_blocks * 10 <=
				now->totals.sibling_shared_blocks * 9 &&
	    balanced->totals.sibling_shared_blocks <
		    spread->totals.sibling_shared_blocks)
		fprintf(stream, "; the directories' numbers fall into the same "
			"groups, and what helps is relayout --policy balanced, "
			"which leaves %.0f %% of the blocks shared by siblings "
			"instead of %.0f %%",
			percent(balanced->totals.sibling_shared_blocks,
				balanced->totals.itable_blocks),
			percent(now->totals.sibling_shared_blocks,
				now->totals.itable_blocks));
	fputs(".\n", stream);
}

void print_advice(FILE *stream, const struct e2s_fs *fs,
		  const struct e2s_measure *now, const struct e2s_measure *spread,
		  const struct e2s_measure *balanced, double rho)
{
	const struct e2s_counters *t = &now->totals;
	double excess = now->least_blocks ? (double)t->directory_blocks /
						    (double)now->least_blocks : 0;

	if (!t->files) {
		fputs("No gain: there are no files here.\n", stream);
	} else if (t->directory_blocks == t->itable_blocks) {
		fputs("No gain: no itable block is shared by directories.\n",
		      stream);
	} else if (fs->geo.flex_size == 1) {
		fprintf(stream, "No gain: %.0f %% of the itable blocks are "
			"shared by sibling directories, but without flex "
			"groups the kernel does not spread files.\n",
			percent(t->sibling_shared_blocks, t->itable_blocks));
	} else if (spread && !gain_of(now, spread, rho).worth) {
		print_no_gain(stream, now, spread, balanced, rho);
	} else {
		fprintf(stream, "%.0f %% of the itable blocks are shared by "
			"sibling directories: tasks that create files side by "
			"side wait for each other there, and listing one "
			"directory reads %.2f times the blocks it needs",
			percent(t->sibling_shared_blocks, t->itable_blocks),
			excess);
		if (spread)
			fprintf(stream, "; 'e2spread relayout' would bring that "
				"to %.0f %% and %.2f times",
				percent(spread->totals.sibling_shared_blocks,
					spread->totals.itable_blocks),
				(double)spread->totals.directory_blocks /
					(double)spread->least_blocks);
		fputs(".\n", stream);
	}
}
