/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather: brings inodes from where they lie to where they are wanted.
 *
 * What arrives side by side may come from far apart, one inode a block; so
 * many are asked for at once, and read in the order in which they lie.
 */
#ifndef E2S_RELAYOUT_GATHER_H
#define E2S_RELAYOUT_GATHER_H

#include "relayout/internal.h"

/* What one thread reads at once, in bytes; a block may be more. */
#define E2S_GATHER_RUN (256u << 10)

/*
 * ITEMS, N of them, sorted: the inode that is number .key before the batch is
 * copied, as it is, to place .value of OUT, counted in inodes.  RUNS is one
 * buffer a thread.  Returns E2S_ET_NOT_AS_SCANNED for one that is not in use
 * or has a wrong checksum, and read errors.
 */
errcode_t e2s_gather(const struct batch *batch, const struct e2s_keyed *items,
		     size_t n, uint8_t *out, uint8_t *const *runs,
		     struct e2s_where *where);

#endif
