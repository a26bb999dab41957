/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own rule: the patch's, but directories share out the groups evenly. */
#include "ialloc/internal.h"

/*
 * What GROUP carries, in inodes: those in use that are neither directories nor
 * reserved, and a block's worth for each directory at home in it, so that
 * directories without a file yet count and small ones count alike.
 */
static int64_t load_of(const struct e2s_ialloc *ia, uint32_t group)
{
	const struct group *g = &ia->group[group];
	int64_t files = (int64_t)ia->setup.inodes_per_group - g->free_inodes -
			g->used_dirs - g->blocked;

	/* The root directory is reserved and a directory, too. */
	if (!group)
		files -= (int64_t)ia->setup.first_ino - 2;
	if (files < 0)
		files = 0;
	return files + (int64_t)g->homes * ia->setup.inodes_per_block;
}

/* The least loaded group with a free inode; from the spread rule's on. */
static uint32_t least_loaded(const struct search *s, uint32_t first,
			     uint32_t last)
{
	const uint32_t n = last - first, start = s->dir->ino % n;
	uint32_t i, grp, best = last;
	int64_t load, best_load = INT64_MAX;

	for (i = 0; i < n; i++) {
		grp = first + (start + i) % n;
		if (!has_free_inode(s->ia, grp))
			continue;
		load = load_of(s->ia, grp);
		if (load < best_load) {
			best_load = load;
			best = grp;
		}
	}
	return best;
}

/*
 * As the patch, but the home is chosen when the directory's first file is
 * placed in the flex group, and kept.
 */
int e2s_ialloc_find_balanced(struct search *s, uint32_t first, uint32_t last)
{
	uint32_t home = s->dir->home_group;

	if (e2s_ialloc_next_free(s->ia, first, last) >= last)
		return -1;
	if (home < first || home >= last) {
		home = least_loaded(s, first, last);
		s->dir->home_group = home;
		s->ia->group[home].homes++;
	}
	return e2s_ialloc_find_from_home(s, first, last, home);
}
