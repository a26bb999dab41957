/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * find_group_orlov(), cut at its labels.  The arithmetic keeps the kernel's C
 * types, wraps and sign conversions included: with flex groups far larger than
 * the file system they decide.
 */
#include "ialloc/internal.h"

/* Totals and averages over NGROUPS groups or flex groups. */
struct averages {
	uint32_t ngroups;
	uint32_t freei, avefreei;
	uint64_t avefreec;
	uint32_t ndirs;
};

static void get_orlov_stats(const struct search *s, uint32_t grp,
			    struct flex_group *stats)
{
	const struct group *g = &s->ia->group[grp];

	if (s->flex_size > 1) {
		*stats = s->ia->flex[grp];
		return;
	}
	stats->free_inodes = g->free_inodes;
	stats->free_clusters = g->free_clusters;
	stats->used_dirs = g->used_dirs;
}

static void get_averages(const struct search *s, struct averages *ave)
{
	const struct e2s_ialloc *ia = s->ia;

	ave->ngroups = ia->setup.groups;
	if (s->flex_size > 1)
		ave->ngroups = ((ia->setup.groups - 1) >> s->flex_shift) + 1;
	ave->freei = (uint32_t)ia->free_inodes;
	ave->avefreei = ave->freei / ave->ngroups;
	ave->avefreec = ia->free_clusters / ave->ngroups;
	ave->ndirs = (uint32_t)ia->used_dirs;
}

/* The first group of flex group GRP with a free inode. */
static int found_flex_bg(struct search *s, uint32_t grp)
{
	const uint32_t groups = s->ia->setup.groups;
	uint64_t last;

	if (s->flex_size == 1) {
		s->group = grp;
		return 0;
	}
	grp *= (uint32_t)s->flex_size;
	last = (uint64_t)grp + (uint32_t)s->flex_size;
	if (last > groups)
		last = groups;
	grp = e2s_ialloc_next_free(s->ia, grp, (uint32_t)last);
	if (grp >= last)
		return -1;
	s->group = grp;
	return 0;
}

/* k: ext4fs_dirhash() with DX_HASH_HALF_MD4, the signed one, always. */
static errcode_t hash_name(const struct search *s, uint32_t *hash)
{
	const struct e2s_ialloc_setup *setup = &s->ia->setup;
	const struct ext2fs_nls_table *charset = NULL;

	if (s->dir->casefold)
		charset = ext2fs_load_nls_table(setup->encoding);
	return ext2fs_dirhash2(EXT2_HASH_HALF_MD4, s->subdir->name,
			       (int)s->subdir->len, charset,
			       charset ? EXT4_CASEFOLD_FL : 0,
			       setup->hash_seed, hash, NULL);
}

/* A directory of a top-level directory: spread, whatever the parent's group. */
static int find_top_group(struct search *s, const struct averages *ave)
{
	uint32_t hash, start, i, g, grp = 0;
	uint32_t best_ndir = s->ia->setup.inodes_per_group;
	struct flex_group stats;
	int ret = -1;

	s->err = hash_name(s, &hash);
	if (s->err)
		return -1;
	start = hash % ave->ngroups;
	for (i = 0; i < ave->ngroups; i++) {
		g = (start + i) % ave->ngroups;
		get_orlov_stats(s, g, &stats);
		if (!stats.free_inodes || stats.used_dirs >= best_ndir ||
		    stats.free_inodes < ave->avefreei ||
		    stats.free_clusters < ave->avefreec)
			continue;
		grp = g;
		ret = 0;
		best_ndir = stats.used_dirs;
	}
	return ret ? ret : found_flex_bg(s, grp);
}

/* Any other: near the parent while there is room and not too many of them. */
static int find_near_group(struct search *s, const struct averages *ave)
{
	const struct e2s_ialloc_setup *setup = &s->ia->setup;
	int32_t flex_inodes = (int32_t)(setup->inodes_per_group *
					(uint32_t)s->flex_size);
	int32_t max_dirs, min_inodes, min_clusters;
	struct flex_group stats;
	uint32_t start, i, grp;

	max_dirs = (int32_t)(ave->ndirs / ave->ngroups +
			     (uint32_t)(flex_inodes / 16));
	min_inodes = (int32_t)(ave->avefreei - (uint32_t)(flex_inodes / 4));
	if (min_inodes < 1)
		min_inodes = 1;
	min_clusters = (int32_t)(ave->avefreec - setup->clusters_per_group *
				 (uint64_t)(int64_t)s->flex_size / 4);
	if (min_clusters < 0)
		min_clusters = 0;
	start = s->dir->last_alloc_group;
	if (start == E2S_IALLOC_UNSET)
		start = group_of(s->ia, s->dir->ino);
	if (s->flex_size > 1)
		start >>= s->flex_shift;
	for (i = 0; i < ave->ngroups; i++) {
		grp = (start + i) % ave->ngroups;
		get_orlov_stats(s, grp, &stats);
		if (stats.used_dirs >= (uint32_t)max_dirs ||
		    stats.free_inodes < (uint32_t)min_inodes ||
		    stats.free_clusters < (uint64_t)min_clusters)
			continue;
		return found_flex_bg(s, grp);
	}
	return -1;
}

/* The next group from the parent's on with as many free inodes as average. */
static int find_fallback_group(struct search *s, const struct averages *ave)
{
	const uint32_t ngroups = s->ia->setup.groups;
	uint32_t parent_group = group_of(s->ia, s->dir->ino);
	uint32_t avefreei = ave->freei / ngroups;
	uint32_t i, grp, grp_free;

	for (;;) {
		for (i = 0; i < ngroups; i++) {
			grp = (parent_group + i) % ngroups;
			grp_free = s->ia->group[grp].free_inodes;
			if (grp_free && grp_free >= avefreei) {
				s->group = grp;
				return 0;
			}
		}
		if (!avefreei)
			return -1;
		avefreei = 0;
	}
}

int find_group_orlov(struct search *s)
{
	struct averages ave;
	int ret;

	get_averages(s, &ave);
	if (s->subdir && s->dir->top) {
		s->why = E2S_IALLOC_TOPDIR;
		ret = find_top_group(s, &ave);
	} else {
		s->why = E2S_IALLOC_ORLOV;
		ret = find_near_group(s, &ave);
	}
	if (!ret || s->err)
		return ret;
	s->why = E2S_IALLOC_FALLBACK;
	return find_fallback_group(s, &ave);
}
