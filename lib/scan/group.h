/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phase 1 of a scan: a group under way, for itables.c and keep.c alone. */
#ifndef E2S_SCAN_GROUP_H
#define E2S_SCAN_GROUP_H

#include "scan/internal.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

/* One worker's buffers. */
struct scratch {
	uint8_t *table;		/* READ_BYTES, at least a block */
	uint8_t *bitmap;	/* a block */
	uint8_t *map;		/* DIR_MAP_LEVELS blocks */
	e2s_slot *slots;	/* of a group; */
	uint16_t *links;	/* these two NULL where nobody wants places */
	e2s_place *places;
	struct e2s_crtime *crtimes;	/* of a group, and packed; NULL: nobody */
	uint8_t *packed;		/* wants to know */
};

/* One group under way. */
struct group_scan {
	struct run *run;
	struct scratch *scratch;
	struct yield *yield;
	e2s_slot *slots;	/* these three in scratch */
	uint32_t crtimes_n;	/* in scratch->crtimes so far */
	uint16_t *links;
	e2s_place *places;
	uint32_t group;
	uint32_t used;		/* slots up to the high-water mark */
	struct e2s_where *where;
};

static inline uint32_t ino_at(const struct group_scan *g, uint32_t index)
{
	return g->group * g->run->fs->geo.inodes_per_group + index + 1;
}

static inline void problem(struct group_scan *g, enum e2s_problem_kind kind,
			   uint32_t ino, uint64_t blk)
{
	e2s_yield_problem(g->yield, kind, g->group, ino, blk);
}

/*
 * Keeps of the inode RAW at slot INDEX, which is a file or a directory, what is
 * wanted besides its slot; what its checksum covers is followed only if TRUSTED.
 */
errcode_t e2s_group_keep_inode(struct group_scan *g, uint32_t index,
			       const uint8_t *raw, int trusted);

#endif
