/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * footprint: how many distinct blocks a set of moves writes.  An upper bound
 * that relayout must never exceed: itable blocks of both ends, the block in
 * which a group's high-water mark lies, bitmaps, descriptors, the directory
 * blocks of all names, extent blocks, and what a directory takes along.
 */
#ifndef E2S_PLAN_FOOTPRINT_H
#define E2S_PLAN_FOOTPRINT_H

#include "plan/batches.h"

struct footprint;

errcode_t e2s_footprint_new(const struct e2s_plan *plan, struct footprint **ret);
void e2s_footprint_free(struct footprint *footprint);

/* Starts an empty set. */
void e2s_footprint_begin(struct footprint *footprint);

/* Adds a move; ENOMEM. */
errcode_t e2s_footprint_add(struct footprint *footprint,
			    const struct e2s_step *step);

/* Blocks of the set so far. */
uint64_t e2s_footprint_blocks(const struct footprint *footprint);

/* The set is these N moves, and they are done: directories are elsewhere and
 * high-water marks higher from now on. */
void e2s_footprint_end(struct footprint *footprint, const struct e2s_step *steps,
		   size_t n);

#endif
