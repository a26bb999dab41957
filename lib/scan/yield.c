/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a piece of parallel work hands back. */
#include <stdlib.h>

#include "scan/internal.h"

void e2s_yield_problem(struct yield *yield, enum e2s_problem_kind kind,
		       uint32_t group, uint32_t ino, uint64_t blk)
{
	problem_vec *problems = &yield->problems;

	yield->problems_n[kind]++;
	if (problems->n >= E2S_PROBLEMS_KEPT || e2s_vec_reserve(problems, 1))
		return;
	problems->v[problems->n++] = (struct e2s_problem){
		.kind = kind, .group = group, .ino = ino, .blk = blk,
	};
}

void e2s_yield_merge(struct e2s_scan *scan, struct yield *yield)
{
	size_t i;

	for (i = 0; i < E2S_PROBLEM_KINDS; i++)
		scan->problems_n[i] += yield->problems_n[i];
	for (i = 0; i < yield->problems.n; i++)
		if (scan->problems_kept < E2S_PROBLEMS_KEPT)
			scan->problems[scan->problems_kept++] =
				yield->problems.v[i];
	scan->inodes_used += yield->inodes_used;
	e2s_yield_free(yield);
}

void e2s_yield_free(struct yield *yield)
{
	if (!yield)
		return;
	free(yield->dirs.v);
	free(yield->blocks.v);
	free(yield->inline_names.v);
	free(yield->problems.v);
	free(yield);
}
