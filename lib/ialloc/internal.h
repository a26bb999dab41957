/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of ialloc/ share with one another and with nobody else. */
#ifndef E2S_IALLOC_INTERNAL_H
#define E2S_IALLOC_INTERNAL_H

#include "ialloc/ialloc.h"

struct group {
	uint64_t *bits;			/* inode bitmap; NULL: none in use */
	uint32_t free_inodes;
	uint32_t free_clusters;
	uint32_t used_dirs;
	uint32_t first_word;		/* no clear bit before this word */
	uint32_t blocked;		/* slots that are never handed out */
	uint32_t homes;			/* directories `balanced` put here */
};

struct flex_group {			/* k: struct flex_groups */
	uint64_t free_clusters;
	uint32_t free_inodes;
	uint32_t used_dirs;
};

struct e2s_ialloc {
	struct e2s_ialloc_setup setup;
	unsigned ipg_shift;		/* log2 of inodes_per_group, or 0 */
	uint32_t words;			/* of a bitmap */
	struct group *group;
	struct flex_group *flex;	/* NULL with a flex size of 1 */
	uint64_t *has_free;		/* bit a group: has a free inode */
	uint64_t *all_free;		/* bit a group: no inode in use */
	uint64_t free_inodes;		/* k: s_freeinodes_counter */
	uint64_t free_clusters;		/* k: s_freeclusters_counter */
	uint64_t used_dirs;		/* k: s_dirs_counter */
};

/* One call of e2s_ialloc_new_inode(). */
struct search {
	struct e2s_ialloc *ia;
	struct e2s_ialloc_dir *dir;	/* k: parent */
	const struct e2s_ialloc_name *subdir;
	const struct e2s_ialloc_rule *rule;
	int32_t flex_size;		/* k: int too, with its wraps */
	uint32_t flex_shift;
	uint32_t group;			/* k: *group */
	enum e2s_ialloc_why why;
	errcode_t err;			/* the search could not be done */
};

/*
 * Each fills s->group and s->why and returns 0, or -1 where the kernel does;
 * s->group is then as the kernel leaves *group.
 */
typedef int (*find_group_fn)(struct search *s);

/*
 * Picks a group with a free inode among FIRST <= group < LAST, which lie in one
 * flex group, for a file of the directory.
 */
typedef int (*find_in_flex_fn)(struct search *s, uint32_t first, uint32_t last);

struct e2s_ialloc_rule {
	int no_flex;			/* as if there were no flex groups */
	find_group_fn find_dir;		/* group of a directory */
	find_group_fn find_other;	/* group of anything else */
	find_in_flex_fn find_in_flex;	/* of find_other, unless no_flex */
};

int find_group_orlov(struct search *s);
int find_group_other(struct search *s);
int find_group_other_spread(struct search *s);
int find_group_flex(struct search *s);

int e2s_ialloc_find_first(struct search *s, uint32_t first, uint32_t last);
int find_group_in_flex(struct search *s, uint32_t first, uint32_t last);
int e2s_ialloc_find_balanced(struct search *s, uint32_t first, uint32_t last);

/* HOME, else the group the directory's files went to last, else one near. */
int e2s_ialloc_find_from_home(struct search *s, uint32_t first, uint32_t last,
			      uint32_t home);

/* The first group FROM <= group < TO with a free inode, or TO. */
uint32_t e2s_ialloc_next_free(const struct e2s_ialloc *ia, uint32_t from,
			      uint32_t to);

/* The first group FROM <= group < TO with no inode in use, or TO. */
uint32_t e2s_ialloc_next_empty(const struct e2s_ialloc *ia, uint32_t from,
			       uint32_t to);

/* The lowest free slot of GROUP, or inodes_per_group. */
uint32_t find_inode_bit(struct e2s_ialloc *ia, uint32_t group);

/* Marks slot BIT of GROUP, free until now, as in use. */
errcode_t e2s_ialloc_take(struct e2s_ialloc *ia, uint32_t group, uint32_t bit,
			  int is_dir);

static inline uint32_t group_of(const struct e2s_ialloc *ia, uint32_t ino)
{
	return ia->ipg_shift ? (ino - 1) >> ia->ipg_shift
			     : (ino - 1) / ia->setup.inodes_per_group;
}

static inline int has_free_inode(const struct e2s_ialloc *ia, uint32_t group)
{
	return ia->group[group].free_inodes != 0;
}

#endif
