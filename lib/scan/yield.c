/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a piece of parallel work hands back. */
#include <stdlib.h>
#include <string.h>

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

/* Appends FROM to TO and empties it; both are any vec of the same type. */
#define TAKE(to, from)							\
	take((void **)&(to)->v, &(to)->n, &(to)->room, (from)->v, &(from)->n,	\
	     sizeof(*(to)->v))

static errcode_t take(void **v, size_t *n, size_t *room, const void *from,
		      size_t *from_n, size_t size)
{
	errcode_t err = e2s_vec_grow(v, *n, room, *from_n, size);

	if (err)
		return err;
	if (*from_n)
		memcpy((char *)*v + *n * size, from, *from_n * size);
	*n += *from_n;
	*from_n = 0;
	return 0;
}

errcode_t e2s_run_take_lists(struct run *run, struct yield *yield,
			     uint32_t dir_base)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < yield->blocks.n; i++)
		yield->blocks.v[i].dir += dir_base;
	for (i = 0; i < yield->inline_names.n; i++)
		yield->inline_names.v[i].dir += dir_base;
	err = TAKE(&run->blocks, &yield->blocks);
	if (!err)
		err = TAKE(&run->inline_names, &yield->inline_names);
	if (!err)
		err = TAKE(&run->link_names, &yield->links);
	if (!err)
		err = TAKE(&run->deep_files, &yield->deep_files);
	if (!err)
		err = TAKE(&run->pins, &yield->pins);
	if (!err)
		err = TAKE(&run->xattr_refs, &yield->xattr_refs);
	if (!err)
		err = TAKE(&run->ea_refs, &yield->ea_refs);
	return err;
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
	free(yield->links.v);
	free(yield->deep_files.v);
	free(yield->pins.v);
	free(yield->xattr_refs.v);
	free(yield->ea_refs.v);
	free(yield->problems.v);
	free(yield);
}
