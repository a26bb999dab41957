/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of verify/ share with one another and with nobody else. */
#ifndef E2S_VERIFY_INTERNAL_H
#define E2S_VERIFY_INTERNAL_H

#include <stdatomic.h>

#include "verify/hash.h"

#define READ_BYTES (256u << 10)
#define MAP_LEVELS 3		/* levels of a block map */
#define EXTENT_LEVELS 5		/* k: EXT4_MAX_EXTENT_DEPTH */

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

/* A group descriptor, as it is on the device. */
struct desc {
	uint64_t bitmap_blk, itable_blk;
	uint32_t free_inodes, used_dirs, itable_unused;
	uint32_t bitmap_csum;
	uint16_t flags;
};

/* What an inode is: an EXT2_FT_* and flags; 0 is one that is not in use. */
#define TYPE_FT 0x0f
#define TYPE_SPECIAL 0x40	/* never moves and needs no name */
#define TYPE_EA 0x80		/* the value of an attribute, no name at all */

struct dir {
	uint32_t ino, generation;
	uint32_t blocks;	/* by its size; 0 for an inline one */
	uint32_t mapped;	/* blocks found so far */
	uint32_t dotdot;	/* what its ".." says */
	uint16_t links;		/* i_links_count */
	uint8_t path_state;	/* paths.c */
	_Atomic uint32_t names;	/* that lead to it */
	_Atomic uint32_t parent;	/* least number that names it, or DIR_NONE */
	_Atomic uint32_t subdirs;
	_Atomic uint64_t path;	/* P; before paths.c, H of its name, the sum if
				 * it has several */
};
#define DIR_NONE UINT32_MAX

/* Something to be read for a directory; lblk is LBLK_INLINE for the block of
 * the inode table that an inline directory lies in. */
struct dir_block {
	uint64_t blk;
	uint32_t lblk;
	uint32_t dir;		/* number; in a yield: there */
};
#define LBLK_INLINE UINT32_MAX

/* An inode that has an xattr block; without ea_inode only who it is counts. */
struct xattr_use {
	uint64_t blk;
	uint32_t ino, generation;
};

/* An attribute of OWNER whose value is in the inode EA. */
struct ea_ref {
	uint32_t owner, generation, ea;
};

struct ea_inode {
	uint32_t ino, generation, mtime;
	uint8_t owned;		/* i_mtime names the owner */
};

/* What a group's inode table held; moved into the run in order of groups.
 * Directories count from the first of the group. */
struct yield {
	E2S_VEC(struct dir) dirs;
	E2S_VEC(struct dir_block) blocks;
	E2S_VEC(struct xattr_use) xattrs;
	E2S_VEC(struct ea_ref) refs;
	E2S_VEC(struct ea_inode) eas;
};

/* A group whose inode table is read: its inodes up to the high-water mark, by
 * index.  Those without an inode in use share arrays that nobody changes. */
struct group {
	struct desc desc;
	uint32_t number;
	uint32_t used;
	uint8_t *type;
	_Atomic uint64_t *x;		/* X, as far as it has been summed up */
	_Atomic uint32_t *links;	/* of a file: i_links_count less the names
					 * found; of a directory: its number */
	struct yield *yield;		/* NULL: nothing */
};

/* What one worker needs for itself. */
struct worker {
	struct e2s_verify sum;		/* counts, digests and faults */
	uint8_t *table;			/* READ_BYTES, at least a block */
	uint8_t *block;			/* a block */
	uint8_t *map;			/* MAP_LEVELS blocks */
};

#define NO_GROUP UINT32_MAX

struct run {
	const struct e2s_fs *fs;
	const struct e2s_verify_options *options;
	unsigned threads;
	struct worker *workers;
	uint32_t read_blocks;		/* blocks in worker.table */
	uint32_t *group_at;		/* [group]: into groups, or NO_GROUP */
	E2S_VEC(struct group) groups;	/* that have a table to be read */
	uint64_t free_inodes;		/* by the descriptors */
	void *none;			/* zeroes, of groups without inodes */
	struct e2s_arena arena;		/* what groups point to */
	struct yield all;		/* of all groups, in their order; blocks
					 * and xattrs by block */
	/* Blocks met in trees: more than there are, and the trees are damaged. */
	_Atomic uint64_t nodes_met, dir_blocks_met;
};

/* --- phases, in this order; each returns ENOMEM or a read error --- */

/* frame.c: the superblock and the descriptors; leaves run->groups. */
errcode_t e2s_verify_frame(struct run *run, struct e2s_where *where);
/* group.c: bitmaps, inode tables, extent trees; leaves groups and, in run->all,
 * the yields of all of them; directories numbered. */
errcode_t e2s_verify_groups(struct run *run, struct e2s_where *where);
/* gather.c: run->all in physical order. */
errcode_t e2s_verify_sort(struct run *run, struct e2s_where *where);
/* Moves the yield of GROUP behind run->all. */
errcode_t e2s_verify_gather(struct run *run, struct group *group);
/* Frees what YIELD holds, and leaves it empty. */
void e2s_verify_free_yield(struct yield *yield);
/* xattrs.c: the xattr blocks; adds to run->all.refs. */
errcode_t e2s_verify_xattr_blocks(struct run *run, struct e2s_where *where);
/* names.c: directory blocks and all names; leaves parents and link counts. */
errcode_t e2s_verify_names(struct run *run, struct e2s_where *where);
/* paths.c: P of each directory; "..", names and links of directories. */
errcode_t e2s_verify_paths(struct run *run, struct e2s_where *where);
/* names.c: reads the names again, now that P is known, and adds them to X. */
errcode_t e2s_verify_links(struct run *run, struct e2s_where *where);
/* xattrs.c: i_mtime of EA inodes. */
errcode_t e2s_verify_ea_inodes(struct run *run, struct e2s_where *where);
/* sum.c: X into the digests; links of files; counts. */
errcode_t e2s_verify_sum(struct run *run, struct e2s_where *where);

/* --- faults.c --- */

/* Notes a fault; with INO its group is known, so GROUP counts only without. */
void e2s_verify_note(const struct run *run, struct e2s_verify *sum,
		     enum e2s_fault_kind kind, uint32_t group, uint32_t ino,
		     uint64_t blk);
/* Adds the counts, digests and faults of FROM to TO. */
void e2s_verify_merge(struct e2s_verify *to, const struct e2s_verify *from);

/* --- inode.c: one inode, raw; pure functions --- */

/* EXT2_FT_* of a mode, EXT2_FT_UNKNOWN for none. */
unsigned e2s_verify_file_type(uint16_t mode);
/* Reserved, or one of those that the superblock names; never the root. */
int e2s_verify_is_special(const struct e2s_fs *fs, uint32_t ino);
/* A slot that is not in use and holds nothing that could be taken for more. */
int e2s_verify_is_free_slot(const struct e2s_fs *fs, uint32_t ino,
			    const uint8_t *raw);
int e2s_verify_is_zero(const uint8_t *raw, size_t len);
uint64_t e2s_verify_dir_size(const struct e2s_fs *fs, const uint8_t *raw);

/* Where the attributes in the inode RAW begin, behind the magic, or NULL. */
uint8_t *e2s_verify_inode_xattrs(const struct e2s_fs *fs, uint8_t *raw);

/* The parts of an inline directory that hold entries, and the attribute that
 * the second is the value of (NULL: none).  0 when the inode makes no sense. */
struct inline_dir {
	uint8_t *at[2];
	uint32_t len[2];
	unsigned parts;
	uint8_t *xattr;
};
int e2s_verify_inline_dir(const struct e2s_fs *fs, uint8_t *raw,
			  struct inline_dir *ret);

/* Sets to zero what a relayout may change in RAW. */
void e2s_verify_mask(const struct e2s_fs *fs, uint8_t *raw, unsigned type);

/* --- xattrs.c: a list of attribute entries --- */

/* The next entry at *AT, which goes on to the one after it; NULL at the end.
 * *BAD is set when an entry reaches over END. */
uint8_t *e2s_verify_xattr_next(uint8_t **at, const uint8_t *end, int *bad);
/* True when the stored hash of ENTRY is that of its name and VALUE, or 0. */
int e2s_verify_xattr_hash(uint8_t *entry, uint8_t *value);

/* --- extents.c --- */

/* A group under way. */
struct node {
	uint64_t blk;
	uint32_t index;		/* inode of the group */
	uint32_t generation;
	uint32_t dir;		/* in the yield, or DIR_NONE */
	uint32_t depth;		/* below this node */
};

struct group_read {
	struct run *run;
	struct worker *worker;
	struct group *group;
	struct yield *yield;
	E2S_VEC(struct node) nodes;	/* still to be read */
	struct e2s_where *where;
};

/* Starts on the tree or map of the inode RAW; DIR as in struct node. */
errcode_t e2s_verify_start_map(struct group_read *g, uint32_t index,
			       uint8_t *raw, uint32_t dir);
/* Reads all nodes that were left to be read, and below them. */
errcode_t e2s_verify_extents(struct group_read *g);

/* --- little helpers --- */

static inline uint32_t ino_of(const struct run *run, uint32_t group,
			      uint32_t index)
{
	return group * run->fs->geo.inodes_per_group + index + 1;
}

static inline int blk_inside(const struct e2s_fs *fs, uint64_t blk,
			     uint64_t count)
{
	return blk > fs->geo.first_data_block && blk < fs->geo.blocks &&
	       count <= fs->geo.blocks - blk;
}

/* The group of INO, with its *INDEX, or NULL above the high-water mark. */
static inline struct group *group_of(const struct run *run, uint32_t ino,
				     uint32_t *index)
{
	struct group *group;
	uint32_t at;

	if (!ino || ino > run->fs->geo.inodes)
		return NULL;
	at = run->group_at[(ino - 1) / run->fs->geo.inodes_per_group];
	if (at == NO_GROUP)
		return NULL;
	*index = (ino - 1) % run->fs->geo.inodes_per_group;
	group = &run->groups.v[at];
	return *index < group->used ? group : NULL;
}

static inline void x_add(struct group *group, uint32_t index, uint64_t hash)
{
	atomic_fetch_add_explicit(&group->x[index], hash, memory_order_relaxed);
}

/* The same while nobody else knows of the group: no need to lock the bus. */
static inline void x_add_alone(struct group *group, uint32_t index,
			       uint64_t hash)
{
	uint64_t x = atomic_load_explicit(&group->x[index],
					  memory_order_relaxed);

	atomic_store_explicit(&group->x[index], x + hash, memory_order_relaxed);
}

#endif
