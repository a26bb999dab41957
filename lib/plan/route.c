/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas and the moves between them are a graph.  An area from which nothing
 * moves to one that is still to be left is next; if there is none, the one with
 * the fewest such moves.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"
#include "plan/route.h"

#define MOST_AREAS 4096
#define MOST_FLOWS (1u << 20)	/* with more, no order is better than another */
#define AREAS_A_BATCH 4		/* at least */
#define FEW 8			/* moves of an area, of which one is few */

/* So many moves from one area to another. */
struct flow {
	uint32_t to, from, moves;
};

struct finder {
	const struct e2s_plan *plan;
	struct route *route;
	E2S_VEC(struct flow) flows;
	uint32_t *to;		/* [area] moves to there, of one area */
	uint64_t *moves;	/* [area] */
	uint64_t *blocked;	/* [area] moves to areas that are not left yet */
	uint32_t *touched;	/* [area] when that last became less */
	uint8_t *left;		/* [area] */
};

static uint32_t area_groups(const struct e2s_geometry *geo, uint64_t room)
{
	uint64_t most = room / AREAS_A_BATCH, groups = geo->flex_size;

	while (groups > 1 && groups * geo->itable_blocks > most)
		groups /= 2;
	while ((geo->groups + groups - 1) / groups > MOST_AREAS)
		groups *= 2;
	return (uint32_t)groups;
}

/* Adds what flows out of AREA, whose moves have been counted. */
static errcode_t add_flows(struct finder *f, uint32_t area)
{
	errcode_t err;
	uint32_t i;

	for (i = 0; i < f->route->n; i++) {
		f->moves[area] += f->to[i];
		if (i != area && f->to[i]) {
			err = e2s_vec_reserve(&f->flows, 1);
			if (err)
				return err;
			f->flows.v[f->flows.n++] = (struct flow){
				.to = i, .from = area, .moves = f->to[i],
			};
			f->blocked[area] += f->to[i];
		}
		f->to[i] = 0;
	}
	return 0;
}

/* Sorted by where they lead to. */
static errcode_t find_flows(struct finder *f)
{
	const struct e2s_plan *plan = f->plan;
	uint32_t groups = f->route->groups, group, i, new_ino;
	errcode_t err = 0;

	for (group = 0; group < plan->scan->fs->geo.groups && !err; group++) {
		for (i = 0; i < plan->scan->layout.used[group]; i++) {
			new_ino = plan->new_of[group][i];
			if (new_ino)
				f->to[e2s_ino_group(plan, new_ino) / groups]++;
		}
		if ((group + 1) % groups == 0 ||
		    group + 1 == plan->scan->fs->geo.groups)
			err = add_flows(f, group / groups);
		if (f->flows.n > MOST_FLOWS)
			return err;
	}
	e2s_sort_words(f->flows.v, f->flows.n, 3);
	return err;
}

/* Among equals the one that the last steps were about: its blocks are in the
 * batch. */
static uint32_t choose(const struct finder *f)
{
	uint32_t best = UINT32_MAX, i;

	for (i = 0; i < f->route->n; i++) {
		if (f->left[i])
			continue;
		if (best == UINT32_MAX || f->blocked[i] < f->blocked[best] ||
		    (f->blocked[i] == f->blocked[best] &&
		     f->touched[i] > f->touched[best]))
			best = i;
	}
	return best;
}

static void leave(struct finder *f, uint32_t area, uint32_t step)
{
	size_t low = 0, high = f->flows.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (f->flows.v[mid].to < area)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < f->flows.n && f->flows.v[low].to == area; low++) {
		f->blocked[f->flows.v[low].from] -= f->flows.v[low].moves;
		f->touched[f->flows.v[low].from] = step + 1;
	}
	f->left[area] = 1;
	f->route->closed[area] = f->blocked[area] * FEW <= f->moves[area];
	f->route->order[step] = area;
}

errcode_t e2s_route_find(const struct e2s_plan *plan, uint64_t room,
			 struct route *ret)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	struct finder f = { .plan = plan, .route = ret };
	errcode_t err = ENOMEM;
	uint32_t i;

	ret->groups = area_groups(geo, room);
	ret->n = (geo->groups + ret->groups - 1) / ret->groups;
	ret->order = calloc(ret->n, sizeof(*ret->order));
	ret->closed = calloc(ret->n, 1);
	f.to = calloc(ret->n, sizeof(*f.to));
	f.moves = calloc(ret->n, sizeof(*f.moves));
	f.blocked = calloc(ret->n, sizeof(*f.blocked));
	f.touched = calloc(ret->n, sizeof(*f.touched));
	f.left = calloc(ret->n, 1);
	if (ret->order && ret->closed && f.to && f.moves && f.blocked &&
	    f.touched && f.left)
		err = find_flows(&f);
	for (i = 0; !err && i < ret->n; i++) {
		if (f.flows.n > MOST_FLOWS)
			ret->order[i] = i;
		else
			leave(&f, choose(&f), i);
	}
	free(f.flows.v);
	free(f.to);
	free(f.moves);
	free(f.blocked);
	free(f.touched);
	free(f.left);
	return err;
}

void e2s_route_free(struct route *route)
{
	free(route->order);
	free(route->closed);
	*route = (struct route){ 0 };
}
