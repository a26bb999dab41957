/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ialloc: where ext4 would put the next inode.
 *
 * An exact model of __ext4_new_inode()'s search over a state kept as the kernel
 * keeps it; doc/kernel-model.md maps it to the kernel's versions and lists what
 * is left out.  A policy is the rule that picks the group.  Which inodes are
 * taken out, and in which order they come back, is the caller's.  One state is
 * one thread's; different states are independent.
 */
#ifndef E2S_IALLOC_IALLOC_H
#define E2S_IALLOC_IALLOC_H

#include "fs/fs.h"

struct e2s_ialloc;			/* the state */
struct e2s_ialloc_setup {		/* a file system in plain numbers */
	uint32_t groups, inodes_per_group, inodes_per_block;
	uint32_t first_ino;		/* first inode that is not reserved */
	uint32_t flex_shift;		/* log2 of flex size, 0: no flex_bg */
	uint64_t clusters_per_group;
	uint32_t hash_seed[4];		/* s_hash_seed, in host order */
	uint16_t encoding;		/* s_encoding, for casefolded parents */
};

/*
 * An empty file system: the reserved inodes in use, all clusters free, no
 * directory but the root.  *RET is the caller's, for e2s_ialloc_free().
 * Returns EINVAL for numbers no file system has, or ENOMEM.
 */
errcode_t e2s_ialloc_new(const struct e2s_ialloc_setup *setup,
			 struct e2s_ialloc **ret);

/*
 * The state a mount of FS, which may then be closed, would start with: counts
 * from the descriptors, bitmaps, their checksums verified, from the device.  A
 * group that is INODE_UNINIT has none until an inode is placed there.  Returns
 * E2S_ET_BAD_INODE_BITMAP (a checksum, or a reserved inode that is not in use),
 * e2s_fs_read()'s errors or ENOMEM.
 */
errcode_t e2s_ialloc_load(const struct e2s_fs *fs, struct e2s_ialloc **ret,
			  struct e2s_where *where);
void e2s_ialloc_free(struct e2s_ialloc *ia);

struct e2s_ialloc_counts {		/* what a group descriptor counts */
	uint32_t free_inodes, free_clusters, used_dirs;
};

/*
 * Counts are what the search believes, bitmaps what it meets: the kernel does
 * not compare them, nor do these.  BITMAP is inodes_per_group bits in disk
 * format; reserved inodes stay in use.  May return ENOMEM.
 */
void e2s_ialloc_get_counts(const struct e2s_ialloc *ia, uint32_t group,
			   struct e2s_ialloc_counts *counts);
void e2s_ialloc_set_counts(struct e2s_ialloc *ia, uint32_t group,
			   const struct e2s_ialloc_counts *counts);
errcode_t e2s_ialloc_set_bitmap(struct e2s_ialloc *ia, uint32_t group,
				const unsigned char *bitmap);
uint64_t e2s_ialloc_free_inodes(const struct e2s_ialloc *ia);
int e2s_ialloc_in_use(const struct e2s_ialloc *ia, uint32_t ino);

/*
 * Takes inode INO, a directory if IS_DIR, out: its number is free again.
 * Returns E2S_ET_INODE_NOT_IN_USE with INO in WHERE, and changes nothing, when
 * the bitmap does not have it or INO is reserved or out of range.
 */
errcode_t e2s_ialloc_release(struct e2s_ialloc *ia, uint32_t ino, int is_dir,
			     struct e2s_where *where);

/*
 * The same for the inodes of GROUP whose bits are set in MASK (bit I of word W
 * stands for slot 64 * W + I; inodes_per_group bits), DIRS of them directories.
 */
errcode_t e2s_ialloc_release_many(struct e2s_ialloc *ia, uint32_t group,
				  const uint64_t *mask, uint32_t dirs,
				  struct e2s_where *where);

/*
 * Makes INO, free until now, a number that is never handed out (its slot lies
 * in a bad block).  It counts neither as free nor, for `balanced`, as load.
 * No effect on one in use.  Returns EINVAL out of range, or ENOMEM.
 */
errcode_t e2s_ialloc_block(struct e2s_ialloc *ia, uint32_t ino);

#define E2S_IALLOC_UNSET UINT32_MAX	/* no group (k: ~0) */

/* What the kernel has in memory for a directory; the caller keeps it. */
struct e2s_ialloc_dir {
	uint32_t ino;
	uint32_t last_alloc_group;	/* k: i_last_alloc_group */
	uint32_t home_group;		/* of `balanced` alone */
	unsigned top:1;			/* the root, or has the TOPDIR flag */
	unsigned casefold:1;		/* has the CASEFOLD flag */
};

/* Directory INO as it is after a mount or after its creation. */
static inline struct e2s_ialloc_dir e2s_ialloc_dir_init(uint32_t ino)
{
	return (struct e2s_ialloc_dir){ .ino = ino,
		.last_alloc_group = E2S_IALLOC_UNSET,
		.home_group = E2S_IALLOC_UNSET, .top = ino == EXT2_ROOT_INO };
}

struct e2s_ialloc_name {		/* of a directory, as typed */
	const char *name;
	uint32_t len;			/* bytes */
};

enum e2s_ialloc_why {			/* why the search came to a group */
	E2S_IALLOC_HOME,	/* the first the policy looks at */
	E2S_IALLOC_LAST,	/* the group last used for the directory */
	E2S_IALLOC_EMPTY,	/* no inode in use, in the home's flex group */
	E2S_IALLOC_ANY,		/* a free inode, in the home's flex group */
	E2S_IALLOC_RETRY,	/* in the flex group last used */
	E2S_IALLOC_ORLOV,	/* Orlov's choice */
	E2S_IALLOC_TOPDIR,	/* Orlov's choice by the hash of the name */
	E2S_IALLOC_FALLBACK,	/* Orlov's fallback */
	E2S_IALLOC_QUADRATIC,	/* without flex groups: quadratic probe */
	E2S_IALLOC_LINEAR,	/* without flex groups: linear search */
	E2S_IALLOC_BEFORE,	/* oldalloc: flex group before the parent's */
	E2S_IALLOC_ROOMY,	/* oldalloc: first with enough free blocks */
	E2S_IALLOC_BEST,	/* oldalloc: the one with most free blocks */
	E2S_IALLOC_WHYS,
};
const char *e2s_ialloc_why_name(enum e2s_ialloc_why why);	/* "home" */

struct e2s_ialloc_placed {
	uint32_t ino, group;
	enum e2s_ialloc_why why;
	uint32_t passed;		/* groups the search then met full */
};

enum { E2S_IALLOC_SIMULATE_ONLY = 1 };	/* flag: no layout to aim at */

struct e2s_ialloc_policy {
	const char *name, *summary;
	unsigned flags;
	const struct e2s_ialloc_rule *rule;
};

/* Both NULL if there is none; rows are in the order to show them. */
const struct e2s_ialloc_policy *e2s_ialloc_policy_find(const char *name);
const struct e2s_ialloc_policy *e2s_ialloc_policy_at(unsigned i);

/*
 * Creates an inode in DIR: a directory called SUBDIR, or something else where
 * SUBDIR is NULL.  Updates the state and DIR.  Returns E2S_ET_NO_INODES, DIR
 * updated as the kernel does even then, EINVAL where DIR is out of range, or
 * ENOMEM.
 */
errcode_t e2s_ialloc_new_inode(struct e2s_ialloc *ia,
			       const struct e2s_ialloc_policy *policy,
			       struct e2s_ialloc_dir *dir,
			       const struct e2s_ialloc_name *subdir,
			       struct e2s_ialloc_placed *placed);

#endif
