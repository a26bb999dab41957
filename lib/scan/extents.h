/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extents: the blocks of an extent tree below its root, which is in the inode.
 * Their checksums contain the inode's number.
 */
#ifndef E2S_SCAN_EXTENTS_H
#define E2S_SCAN_EXTENTS_H

#include "fs/csum.h"

/* True when the inode RAW has an extent tree with blocks below the root. */
int e2s_extents_have_nodes(const uint8_t *raw);

/* Gets one block below the root, its content in BUF.  Non-zero stops. */
typedef errcode_t (*e2s_extent_node_fn)(void *ctx, uint64_t blk, uint8_t *buf);

/*
 * Reads every block below the root of the tree of RAW, inode INO, and hands
 * each to FN, children first.  SCRATCH is E2S_EXTENT_LEVELS blocks.  *BAD is set
 * when a node makes no sense, its checksum is wrong, or the tree has more nodes
 * than the inode has blocks.  Returns read errors and FN's.
 */
errcode_t e2s_extents_walk(const struct e2s_fs *fs, uint32_t ino,
			   const uint8_t *raw, uint8_t *scratch,
			   e2s_extent_node_fn fn, void *ctx, int *bad,
			   struct e2s_where *where);
#define E2S_EXTENT_LEVELS 5

/*
 * True when the node at DATA of LEN bytes is one of DEPTH: magic, depth, no
 * more entries than fit.
 */
int e2s_extent_node_is_sane(const uint8_t *data, uint32_t len, unsigned depth);

#endif
