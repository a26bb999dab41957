/* SPDX-License-Identifier: GPL-2.0-or-later */
/* find_group_flex(), which placed files and directories alike. */
#include "ialloc/internal.h"

#define FREE_BLOCK_RATIO 10		/* percent; k: free_block_ratio */

static int is_roomy(const struct search *s, uint32_t flex)
{
	const struct flex_group *f = &s->ia->flex[flex];
	uint64_t whole = s->ia->setup.clusters_per_group << s->flex_shift;

	/* Of a whole flex group, even where this one is the short last. */
	return f->free_inodes && whole &&
	       f->free_clusters * 100 / whole > FREE_BLOCK_RATIO;
}

/* A flex group other than the two that were tried, or the best so far. */
static uint32_t find_far_flex(struct search *s, uint32_t parent, uint32_t best)
{
	const struct flex_group *flex = s->ia->flex;
	uint32_t i, flexes = ((s->ia->setup.groups - 1) >> s->flex_shift) + 1;

	for (i = 0; i < flexes; i++) {
		if (i == parent || i == parent - 1)
			continue;
		if (is_roomy(s, i)) {
			s->why = E2S_IALLOC_ROOMY;
			return i;
		}
		if (!flex[best].free_inodes ||
		    (flex[i].free_clusters > flex[best].free_clusters &&
		     flex[i].free_inodes))
			best = i;
	}
	s->why = E2S_IALLOC_BEST;
	return best;
}

static int find_flex(struct search *s)
{
	const uint32_t groups = s->ia->setup.groups;
	uint32_t parent = group_of(s->ia, s->dir->ino) >> s->flex_shift;
	uint32_t best = parent;
	uint64_t last;

	s->why = E2S_IALLOC_HOME;
	if (!is_roomy(s, best) && best) {
		s->why = E2S_IALLOC_BEFORE;
		best--;
	}
	if (!is_roomy(s, best)) {
		best = find_far_flex(s, parent, best);
		if (!s->ia->flex[best].free_inodes ||
		    !s->ia->flex[best].free_clusters)
			return -1;
	}
	last = ((uint64_t)best + 1) << s->flex_shift;
	if (last > groups)
		last = groups;
	s->group = e2s_ialloc_next_free(s->ia, best << s->flex_shift,
					(uint32_t)last);
	return s->group < last ? 0 : -1;
}

int find_group_flex(struct search *s)
{
	if (s->flex_size <= 1)
		return s->subdir ? find_group_orlov(s) : find_group_other(s);
	if (!find_flex(s))
		return 0;
	s->group = 0;
	return find_group_other(s);
}
