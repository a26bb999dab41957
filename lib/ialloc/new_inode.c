/* SPDX-License-Identifier: GPL-2.0-or-later */
/* __ext4_new_inode(): the group by policy, then the inode in it. */
#include <errno.h>

#include "ialloc/internal.h"

/*
 * The inode in s->group or, where that turns out full, in the next group that
 * has one: the descriptor may count inodes the bitmap does not have.
 */
static errcode_t take_first_inode(struct search *s,
				  struct e2s_ialloc_placed *placed)
{
	struct e2s_ialloc *ia = s->ia;
	uint32_t i, bit, group = s->group;
	errcode_t err;

	for (i = 0; i < ia->setup.groups; i++) {
		bit = ia->setup.inodes_per_group;
		if (has_free_inode(ia, group))
			bit = find_inode_bit(ia, group);
		if (bit < ia->setup.inodes_per_group)
			break;
		if (++group == ia->setup.groups)
			group = 0;
	}
	if (i == ia->setup.groups)
		return E2S_ET_NO_INODES;
	err = e2s_ialloc_take(ia, group, bit, s->subdir != NULL);
	if (err)
		return err;
	placed->ino = group * ia->setup.inodes_per_group + bit + 1;
	placed->group = group;
	placed->why = s->why;
	placed->passed = i;
	return 0;
}

errcode_t e2s_ialloc_new_inode(struct e2s_ialloc *ia,
			       const struct e2s_ialloc_policy *policy,
			       struct e2s_ialloc_dir *dir,
			       const struct e2s_ialloc_name *subdir,
			       struct e2s_ialloc_placed *placed)
{
	struct search s = { .ia = ia, .dir = dir, .subdir = subdir,
			    .rule = policy->rule, .flex_size = 1 };
	int ret;

	if (!dir->ino || group_of(ia, dir->ino) >= ia->setup.groups)
		return EINVAL;
	if (!s.rule->no_flex) {
		s.flex_shift = ia->setup.flex_shift;
		s.flex_size = (int32_t)(UINT32_C(1) << s.flex_shift);
	}
	ret = subdir ? s.rule->find_dir(&s) : s.rule->find_other(&s);
	if (s.err)
		return s.err;
	/* Before the result is looked at, as the kernel does. */
	dir->last_alloc_group = s.group;
	if (ret)
		return E2S_ET_NO_INODES;
	return take_first_inode(&s, placed);
}
