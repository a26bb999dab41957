/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One list of each kind out of the yields of all groups, in order of groups, so
 * that directories and EA inodes ascend.  Numbers the directories, and frees the
 * yields.  Phase 3: what is to be read, in physical order.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/internal.h"

/* Moves the elements of FROM behind those of TO. */
#define MOVE(to, from) move((void **)&(to)->v, &(to)->n, &(to)->room,	\
			    (void **)&(from)->v, &(from)->n,		\
			    sizeof(*(to)->v))

static errcode_t move(void **to, size_t *to_n, size_t *room, void **from,
		      size_t *from_n, size_t size)
{
	errcode_t err;

	if (!*from_n)
		return 0;
	err = e2s_vec_grow(to, *to_n, room, *from_n, size);
	if (err)
		return err;
	memcpy((char *)*to + *to_n * size, *from, *from_n * size);
	*to_n += *from_n;
	free(*from);
	*from = NULL;
	*from_n = 0;
	return 0;
}

void e2s_verify_free_yield(struct yield *yield)
{
	free(yield->dirs.v);
	free(yield->blocks.v);
	free(yield->xattrs.v);
	free(yield->refs.v);
	free(yield->eas.v);
	*yield = (struct yield){ 0 };
}

errcode_t e2s_verify_gather(struct run *run, struct group *group)
{
	struct yield *all = &run->all, *yield = group->yield;
	uint32_t base = (uint32_t)all->dirs.n, index = 0;
	errcode_t err;
	size_t i;

	if (!yield)
		return 0;
	for (i = 0; i < yield->dirs.n; i++) {
		group_of(run, yield->dirs.v[i].ino, &index);
		group->links[index] = base + (uint32_t)i;
	}
	for (i = 0; i < yield->blocks.n; i++)
		yield->blocks.v[i].dir += base;
	err = MOVE(&all->dirs, &yield->dirs);
	if (!err)
		err = MOVE(&all->blocks, &yield->blocks);
	if (!err)
		err = MOVE(&all->xattrs, &yield->xattrs);
	if (!err)
		err = MOVE(&all->refs, &yield->refs);
	if (!err)
		err = MOVE(&all->eas, &yield->eas);
	if (err)
		return err;
	free(yield);
	group->yield = NULL;
	return 0;
}

static int by_xattr_block(const void *a, const void *b)
{
	const struct xattr_use *x = a, *y = b;

	if (x->blk != y->blk)
		return x->blk < y->blk ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Blocks of two directories, and directories with too few blocks. */
static void check_blocks(struct run *run)
{
	const struct dir_block *v = run->all.blocks.v;
	struct e2s_verify *sum = &run->workers[0].sum;
	const struct dir *dir;
	size_t i;

	for (i = 1; i < run->all.blocks.n; i++)
		if (v[i].blk == v[i - 1].blk &&
		    (v[i].lblk != LBLK_INLINE || v[i - 1].lblk != LBLK_INLINE))
			e2s_verify_note(run, sum, E2S_FAULT_DIR_MAP, 0,
					run->all.dirs.v[v[i].dir].ino, v[i].blk);
	for (i = 0; i < run->all.dirs.n; i++) {
		dir = &run->all.dirs.v[i];
		if (dir->mapped != dir->blocks)
			e2s_verify_note(run, sum, E2S_FAULT_DIR_MAP, 0,
					dir->ino, 0);
	}
}

errcode_t e2s_verify_sort(struct run *run, struct e2s_where *where)
{
	(void)where;
	_Static_assert(sizeof(*run->all.blocks.v) == 16 &&
		       !offsetof(struct dir_block, blk), "e2s_sort_wide()");
	e2s_sort_wide(run->all.blocks.v, run->all.blocks.n);
	if (run->all.xattrs.n)
		qsort(run->all.xattrs.v, run->all.xattrs.n,
		      sizeof(*run->all.xattrs.v), by_xattr_block);
	check_blocks(run);
	return 0;
}
