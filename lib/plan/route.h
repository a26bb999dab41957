/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * route: the order in which a plan that needs several batches is carried out.
 *
 * A number can be moved to when what was there has left.  The inodes are looked
 * at in areas, a flex group each; where most files of one move to the next one,
 * as when a directory overflows it, the last comes first.  So the blocks that
 * an area's inodes leave and those that they come to are in the same batch as
 * those of its neighbours, and not many of them are written twice.
 */
#ifndef E2S_PLAN_ROUTE_H
#define E2S_PLAN_ROUTE_H

#include "plan/plan.h"

struct route {
	uint32_t *order;	/* areas, the first to be left first */
	uint8_t *closed;	/* [area]: few inodes leave it for an area that
				 * is still to be left then */
	uint32_t n;		/* areas */
	uint32_t groups;	/* groups of an area, but for the last */
};

/* The route of PLAN in batches of ROOM blocks; e2s_route_free().  ENOMEM. */
errcode_t e2s_route_find(const struct e2s_plan *plan, uint64_t room,
			 struct route *ret);
void e2s_route_free(struct route *route);

#endif
