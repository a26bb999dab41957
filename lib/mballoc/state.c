/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mounted file system: buddies that requests have changed lie over the
 * numbers of struct e2s_mballoc; the lists are kept as they change.
 */
#include <errno.h>
#include <stdlib.h>

#include "mballoc/internal.h"

static errcode_t list_add(struct e2s_mballoc_state *state, uint32_t group,
			  const struct e2s_mballoc_group *info)
{
	int largest = info->largest_free_order;
	int fragment = info->avg_fragment_order;
	uint32_t groups = state->mb->layout.groups;
	errcode_t err = 0;

	if (largest >= 0)
		err = e2s_groupset_add(&state->largest[largest], groups, group);
	if (!err && fragment >= 0)
		err = e2s_groupset_add(&state->fragment[fragment], groups,
				       group);
	return err;
}

static void list_remove(struct e2s_mballoc_state *state, uint32_t group,
			const struct e2s_mballoc_group *info)
{
	int largest = info->largest_free_order;
	int fragment = info->avg_fragment_order;

	if (largest >= 0)
		e2s_groupset_remove(&state->largest[largest], group);
	if (fragment >= 0)
		e2s_groupset_remove(&state->fragment[fragment], group);
}

errcode_t e2s_mballoc_state_new(const struct e2s_mballoc *mb,
				const struct e2s_mballoc_search *search,
				struct e2s_mballoc_state **ret)
{
	struct e2s_mballoc_state *state;
	uint32_t group;
	errcode_t err = ENOMEM;

	state = calloc(1, sizeof(*state));
	if (!state)
		return err;
	state->mb = mb;
	state->search = *search;
	if (!state->search.slots)
		state->search.slots = 1;
	state->slot = calloc(mb->layout.groups, sizeof(*state->slot));
	state->last_group = calloc(state->search.slots,
				   sizeof(*state->last_group));
	if (!state->slot || !state->last_group)
		goto out;
	err = 0;
	for (group = 0; search->optimize_scan && !err &&
			group < mb->layout.groups; group++)
		err = list_add(state, group, &mb->group[group]);
	if (err)
		goto out;
	*ret = state;
	state = NULL;
out:
	e2s_mballoc_state_free(state);
	return err;
}

void e2s_mballoc_state_free(struct e2s_mballoc_state *state)
{
	size_t i;

	if (!state)
		return;
	for (i = 0; i < state->changed.n; i++)
		free(state->changed.v[i]);
	free(state->changed.v);
	for (i = 0; i < CLEAN_BUDDIES; i++)
		free(state->clean[i]);
	for (i = 0; i < E2S_MBALLOC_ORDERS_MAX; i++) {
		e2s_groupset_free(&state->largest[i]);
		e2s_groupset_free(&state->fragment[i]);
	}
	free(state->slot);
	free(state->last_group);
	free(state);
}

const struct e2s_mballoc_group *
e2s_mballoc_state_group(const struct e2s_mballoc_state *state, uint32_t group)
{
	uint32_t slot = state->slot[group];

	return slot ? &state->changed.v[slot - 1]->info
		    : &state->mb->group[group];
}

const uint32_t *
e2s_mballoc_state_counters(const struct e2s_mballoc_state *state,
			   uint32_t group)
{
	uint32_t slot = state->slot[group];

	return slot ? state->changed.v[slot - 1]->counters
		    : e2s_mballoc_counters(state->mb, group);
}

/* Reads B's bitmap; the numbers must be what they were when counted. */
static errcode_t fill_buddy(const struct e2s_mballoc *mb, struct mb_buddy *b,
			    uint32_t group, struct e2s_where *where)
{
	size_t size = mb->layout.block_size;
	errcode_t err;

	b->group = group;
	b->info = mb->group[group];
	err = e2s_mb_load_bitmap(mb, group, b->bits, where);
	if (err)
		return err;
	memset(b->bits + size, 0xff, size);
	e2s_mb_generate_buddy(&mb->layout, mb->orders, b->bits,
			       b->bits + size, &b->info, b->counters);
	if (b->info.first_free != mb->group[group].first_free ||
	    memcmp(b->counters, e2s_mballoc_counters(mb, group),
		   mb->orders * sizeof(*b->counters)))
		return e2s_where_group(where, E2S_ET_BITMAP_CHANGED, group);
	return 0;
}

errcode_t e2s_mb_load_buddy(struct e2s_mballoc_state *state, uint32_t group,
			     struct mb_buddy **ret, struct e2s_where *where)
{
	size_t size = state->mb->layout.block_size;
	struct mb_buddy **place = &state->clean[group % CLEAN_BUDDIES];
	errcode_t err;

	if (state->slot[group]) {
		*ret = state->changed.v[state->slot[group] - 1];
		return 0;
	}
	if (!*place || (*place)->group != group) {
		if (!*place)
			*place = malloc(sizeof(**place) + 2 * size);
		if (!*place)
			return ENOMEM;
		err = fill_buddy(state->mb, *place, group, where);
		if (err) {
			free(*place);
			*place = NULL;
			return err;
		}
	}
	*ret = *place;
	return 0;
}

errcode_t e2s_mb_take_extent(struct e2s_mballoc_state *state,
			     struct mb_buddy *b,
			     const struct e2s_mballoc_extent *ex)
{
	struct e2s_mballoc_group before = b->info;
	errcode_t err;

	if (!state->slot[b->group]) {
		err = e2s_vec_reserve(&state->changed, 1);
		if (err)
			return err;
		state->changed.v[state->changed.n++] = b;
		state->slot[b->group] = (uint32_t)state->changed.n;
		state->clean[b->group % CLEAN_BUDDIES] = NULL;
	}
	e2s_mb_mark_used(state->mb, b, ex);
	if (!state->search.optimize_scan)
		return 0;
	list_remove(state, b->group, &before);
	return list_add(state, b->group, &b->info);
}
