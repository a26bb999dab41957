/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The group of everything that is not a directory: find_group_other(). */
#include "ialloc/internal.h"

/* The path without flex groups, as it has been since ext2. */
static int find_group_without_flex(struct search *s)
{
	const struct e2s_ialloc *ia = s->ia;
	const uint32_t ngroups = ia->setup.groups;
	const uint32_t parent_group = group_of(ia, s->dir->ino);
	uint32_t i, grp = parent_group;

	s->why = E2S_IALLOC_HOME;
	s->group = grp;
	if (ia->group[grp].free_inodes && ia->group[grp].free_clusters)
		return 0;

	s->why = E2S_IALLOC_QUADRATIC;
	grp = (uint32_t)(((uint64_t)grp + s->dir->ino) % ngroups);
	for (i = 1; i < ngroups; i <<= 1) {
		grp = (grp + i) % ngroups;
		s->group = grp;
		if (ia->group[grp].free_inodes && ia->group[grp].free_clusters)
			return 0;
	}

	s->why = E2S_IALLOC_LINEAR;
	grp = e2s_ialloc_next_free(ia, parent_group + 1, ngroups);
	if (grp == ngroups)
		grp = e2s_ialloc_next_free(ia, 0, parent_group);
	s->group = grp;
	return has_free_inode(ia, grp) ? 0 : -1;
}

/*
 * Groups of the flex group that GROUP is in: FIRST <= group < LAST.  Of one
 * behind the last group there are none.
 */
static void flex_range(const struct search *s, uint32_t group, uint32_t *first,
		       uint32_t *last)
{
	*first = group & ~((uint32_t)s->flex_size - 1);
	*last = *first + (uint32_t)s->flex_size;
	if (*last > s->ia->setup.groups)
		*last = s->ia->setup.groups;
}

/* Looks where there is a free inode at all; no policy finds one elsewhere. */
static int look_in_flex(struct search *s, uint32_t first, uint32_t last)
{
	if (first < last && !s->ia->flex[first >> s->flex_shift].free_inodes)
		return -1;
	return s->rule->find_in_flex(s, first, last);
}

/* In the parent's flex group, then in that of the group last used. */
static int find_near_parent(struct search *s, uint32_t *first)
{
	uint32_t last;

	flex_range(s, group_of(s->ia, s->dir->ino), first, &last);
	if (!look_in_flex(s, *first, last))
		return 0;
	if (s->dir->last_alloc_group == E2S_IALLOC_UNSET)
		return -1;
	flex_range(s, s->dir->last_alloc_group, first, &last);
	if (look_in_flex(s, *first, last))
		return -1;
	s->why = E2S_IALLOC_RETRY;
	return 0;
}

int find_group_other(struct search *s)
{
	uint32_t first;

	if (s->flex_size <= 1)
		return find_group_without_flex(s);
	if (!find_near_parent(s, &first))
		return 0;
	/*
	 * Orlov does not look at it, but where Orlov fails it becomes the
	 * directory's i_last_alloc_group: one behind the last group, even.
	 */
	s->group = first + (uint32_t)s->flex_size;
	if (s->group > s->ia->setup.groups)
		s->group = 0;
	return find_group_orlov(s);
}

int find_group_other_spread(struct search *s)
{
	enum e2s_ialloc_why why;
	uint32_t first, last;

	if (s->flex_size <= 1)
		return find_group_without_flex(s);
	if (!find_near_parent(s, &first))
		return 0;
	s->group = first + (uint32_t)s->flex_size;
	if (s->group >= s->ia->setup.groups)
		s->group = 0;
	if (find_group_orlov(s))
		return -1;
	/* Orlov's group is the first with a free inode: spread there, too. */
	why = s->why;
	flex_range(s, s->group, &first, &last);
	(void)s->rule->find_in_flex(s, first, last);
	s->why = why;
	return 0;
}

/* The stock kernel: files of all directories of a flex group in a row. */
int e2s_ialloc_find_first(struct search *s, uint32_t first, uint32_t last)
{
	uint32_t grp = e2s_ialloc_next_free(s->ia, first, last);

	if (grp >= last)
		return -1;
	s->why = grp == first ? E2S_IALLOC_HOME : E2S_IALLOC_ANY;
	s->group = grp;
	return 0;
}

static int found(struct search *s, uint32_t grp, enum e2s_ialloc_why why)
{
	s->group = grp;
	s->why = why;
	return 0;
}

int e2s_ialloc_find_from_home(struct search *s, uint32_t first, uint32_t last,
			      uint32_t home)
{
	const struct e2s_ialloc *ia = s->ia;
	uint32_t grp = s->dir->last_alloc_group;

	if (has_free_inode(ia, home))
		return found(s, home, E2S_IALLOC_HOME);
	if (grp >= first && grp < last && has_free_inode(ia, grp))
		return found(s, grp, E2S_IALLOC_LAST);

	grp = e2s_ialloc_next_empty(ia, home + 1, last);
	if (grp == last)
		grp = e2s_ialloc_next_empty(ia, first, home);
	if (grp != home)
		return found(s, grp, E2S_IALLOC_EMPTY);

	grp = e2s_ialloc_next_free(ia, home + 1, last);
	if (grp == last)
		grp = e2s_ialloc_next_free(ia, first, home);
	if (grp != home)
		return found(s, grp, E2S_IALLOC_ANY);
	return -1;
}

/* The patch: the parent's number picks the group. */
int find_group_in_flex(struct search *s, uint32_t first, uint32_t last)
{
	uint32_t n = last - first;

	if (first >= last)
		return -1;
	/* A power of two but for the last flex group, and so without dividing. */
	return e2s_ialloc_find_from_home(s, first, last,
		first + (n & (n - 1) ? s->dir->ino % n : s->dir->ino & (n - 1)));
}
