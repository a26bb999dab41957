/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather: the inodes that come to new slots, read in the order in which they
 * lie and handed out in the order in which they arrive.
 *
 * What arrives side by side often comes from far apart, one inode a block; so
 * a window of arrivals is sorted by where they come from, and their blocks are
 * read in large runs.
 */
#ifndef E2S_RELAYOUT_GATHER_H
#define E2S_RELAYOUT_GATHER_H

#include "relayout/internal.h"

struct gather;

/* Of all steps of BATCH; ENOMEM. */
errcode_t e2s_gather_new(const struct batch *batch, struct gather **ret);
void e2s_gather_free(struct gather *gather);

/*
 * The inode that arrives at INO, as it is before the batch: *RAW is inode_size
 * bytes, good until the next call, or NULL when none arrives.  Ascending INO.
 * Returns E2S_ET_NOT_AS_SCANNED for one that is not in use or has a wrong
 * checksum, and read errors.
 */
errcode_t e2s_gather_next(struct gather *gather, uint32_t ino,
			  const uint8_t **raw);

#endif
