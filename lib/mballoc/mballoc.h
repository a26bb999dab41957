/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mballoc: what the kernel's multi-block allocator sees, and what it does with
 * a request.
 *
 * Rules: fs/ext4/mballoc.c of Linux 6.18; functions that model it keep its
 * names.  Lengths and positions are clusters (blocks without bigalloc).
 *
 * A struct e2s_mballoc is the buddy state that a mount would build from the
 * block bitmaps, and does not change: any thread may read it.  A struct
 * e2s_mballoc_state is one mounted file system over it, in which requests take
 * blocks; it belongs to one thread.  Nothing is ever written to a device.
 */
#ifndef E2S_MBALLOC_MBALLOC_H
#define E2S_MBALLOC_MBALLOC_H

#include <stdint.h>

#include "fs/fs.h"
#include "util/util.h"

#define E2S_MBALLOC_ORDERS_MAX 18	/* MB_NUM_ORDERS with 64 KiB blocks */

enum e2s_mballoc_health {
	E2S_MBALLOC_SOUND,
	E2S_MBALLOC_BAD_COUNT,		/* bitmap and descriptor disagree */
	E2S_MBALLOC_BAD_BITMAP,		/* bitmap is impossible: not used */
	E2S_MBALLOC_BAD_CSUM,		/* bitmap fails its csum: not used */
};

struct e2s_mballoc_group {
	uint32_t free;			/* bb_free */
	uint32_t fragments;		/* bb_fragments: free extents */
	uint32_t first_free;		/* bb_first_free */
	int8_t largest_free_order;	/* -1: nothing free */
	int8_t avg_fragment_order;	/* -1: nothing free */
	uint8_t health;			/* enum e2s_mballoc_health */
};

/* The numbers an allocator needs of a file system. */
struct e2s_mballoc_layout {
	uint32_t groups;
	uint32_t block_size;		/* bytes; a bitmap is one block */
	uint32_t clusters_per_group;	/* at most block_size * 8 */
	uint32_t cluster_blocks;
	uint32_t flex_size;		/* groups a flex group */
	uint32_t stripe;		/* blocks, 0 for none */
	uint32_t blocks_per_group;
	uint32_t first_data_block;
};

struct e2s_mballoc;
struct e2s_mballoc_state;

/*
 * Reads all block bitmaps of FS on THREADS threads; the outcome does not depend
 * on how many.  FS must outlive *RET, which is for e2s_mballoc_free().  Returns
 * ENOMEM, E2S_ET_BAD_SUPER or what e2s_fs_read() says; a damaged bitmap is no
 * error but health.
 */
errcode_t e2s_mballoc_read(const struct e2s_fs *fs, unsigned threads,
			   struct e2s_mballoc **ret, struct e2s_where *where);

/* Numbers in place of a device, for file systems that nobody has. */
struct e2s_mballoc_source {
	/*
	 * Fills free, fragments, first_free and the buddy COUNTERS of GROUP;
	 * both come zeroed, and the orders are computed.
	 */
	void (*numbers)(void *ctx, uint32_t group,
			struct e2s_mballoc_group *info, uint32_t *counters);
	/* Fills the block bitmap that gives these numbers, each time alike. */
	void (*bitmap)(void *ctx, uint32_t group, uint8_t *bits);
	void *ctx;			/* must outlive what is made of it */
};

/* As e2s_mballoc_read(), from SOURCE. */
errcode_t e2s_mballoc_generate(const struct e2s_mballoc_layout *layout,
			       const struct e2s_mballoc_source *source,
			       struct e2s_mballoc **ret);

void e2s_mballoc_free(struct e2s_mballoc *mb);

const struct e2s_mballoc_layout *
e2s_mballoc_layout(const struct e2s_mballoc *mb);
/* Buddy orders, MB_NUM_ORDERS: log2 of the block size, + 2. */
unsigned e2s_mballoc_orders(const struct e2s_mballoc *mb);
const struct e2s_mballoc_group *e2s_mballoc_group(const struct e2s_mballoc *mb,
						  uint32_t group);
/* bb_counters of GROUP: e2s_mballoc_orders() numbers. */
const uint32_t *e2s_mballoc_counters(const struct e2s_mballoc *mb,
				     uint32_t group);
/* Groups on each largest-free-order and average-fragment-size list. */
void e2s_mballoc_list_lengths(const struct e2s_mballoc *mb,
			      uint32_t largest[E2S_MBALLOC_ORDERS_MAX],
			      uint32_t fragment[E2S_MBALLOC_ORDERS_MAX]);
/* What the kernel does without mb_optimize_scan=: lists from 16 groups on. */
int e2s_mballoc_default_optimize_scan(const struct e2s_mballoc *mb);

#include "mballoc/request.h"

#endif
