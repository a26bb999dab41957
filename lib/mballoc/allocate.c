/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request, from goal to extent.
 *
 * ext4_mb_regular_allocator() and the ext4_mb_scan_groups_*() of the kernel
 * loop over groups; here the place in those loops is a struct mb_cursor, so
 * that requests of several tasks can take turns between any two groups.
 */
#include "mballoc/internal.h"

#define MB_DEFAULT_ORDER2_REQS 2
#define MB_DEFAULT_BEST_AVAIL_TRIM_ORDER 3

static int is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}

void e2s_mb_initialize_context(struct mb_context *ac,
				struct e2s_mballoc_state *state,
				const struct e2s_mballoc_request *request,
				struct e2s_mballoc_cost *cost)
{
	const struct e2s_mballoc_layout *layout = &state->mb->layout;
	int i;

	memset(ac, 0, sizeof(*ac));
	ac->state = state;
	ac->request = *request;
	ac->cost = cost;
	ac->o_len = request->len;
	if (ac->o_len > layout->clusters_per_group)
		ac->o_len = layout->clusters_per_group;
	ac->g_len = ac->orig_goal_len = ac->o_len;
	ac->g_group = request->stream ? state->last_group[request->slot]
				      : request->goal;
	i = fls(ac->g_len);
	if (i >= MB_DEFAULT_ORDER2_REQS && i <= (int)state->mb->orders &&
	    is_power_of_2(ac->g_len))
		ac->order2 = (unsigned)i - 1;
	ac->criteria = ac->order2 ? CR_POWER2_ALIGNED : CR_GOAL_LEN_FAST;
}

static int should_optimize_scan(const struct mb_context *ac)
{
	return ac->state->search.optimize_scan &&
	       ac->criteria < CR_GOAL_LEN_SLOW;
}

/* The orders whose lists ext4_mb_scan_groups_best_avail() tries, downwards. */
static void enter_best_avail(const struct mb_context *ac,
			     struct mb_cursor *cursor)
{
	const struct e2s_mballoc_layout *layout = &ac->state->mb->layout;
	uint32_t stripe = layout->stripe / layout->cluster_blocks;
	int order = fls(ac->g_len) - 1;
	int min_order = order - MB_DEFAULT_BEST_AVAIL_TRIM_ORDER;

	if (min_order < 0)
		min_order = 0;
	if (stripe && 1u << min_order < stripe)
		min_order = fls(stripe) - 1;
	if (1u << min_order < ac->o_len)
		min_order = fls(ac->o_len);
	cursor->first = order;
	cursor->last = min_order;
	cursor->step = -1;
}

/* Starts on the lists of the criterion, from group START on and around. */
static void enter_lists(struct mb_context *ac, uint32_t start)
{
	const struct e2s_mballoc *mb = ac->state->mb;
	struct mb_cursor *cursor = &ac->cursor;

	cursor->stage = CURSOR_LIST;
	cursor->from = cursor->start = start;
	cursor->end = mb->layout.groups;
	cursor->last = (int)mb->orders - 1;
	cursor->step = 1;
	if (ac->criteria == CR_POWER2_ALIGNED)
		cursor->first = (int)ac->order2;
	else if (ac->criteria == CR_GOAL_LEN_FAST)
		cursor->first = e2s_mb_avg_fragment_size_order(mb->orders,
							   ac->g_len);
	else
		enter_best_avail(ac, cursor);
	cursor->order = cursor->first;
}

/* Starts on the criterion as ext4_mb_scan_groups() does. */
static void enter_criteria(struct mb_context *ac)
{
	uint32_t groups = ac->state->mb->layout.groups;
	uint32_t limit = ac->state->search.linear_limit;
	uint32_t start = ac->g_group < groups ? ac->g_group : 0;
	struct mb_cursor *cursor = &ac->cursor;

	if (should_optimize_scan(ac) && !limit) {
		enter_lists(ac, start);
		return;
	}
	cursor->stage = CURSOR_LINEAR;
	cursor->group = start;
	cursor->left = should_optimize_scan(ac) ? limit : groups;
	cursor->whole = !should_optimize_scan(ac);
}

static int next_linear_group(struct mb_context *ac, uint32_t *group)
{
	struct mb_cursor *cursor = &ac->cursor;
	uint32_t groups = ac->state->mb->layout.groups;

	if (cursor->left) {
		*group = cursor->group;
		cursor->group = *group + 1 >= groups ? 0 : *group + 1;
		cursor->left--;
		return 1;
	}
	/* A limit of as many groups as there are ends the criterion too. */
	if (cursor->whole || ac->state->search.linear_limit == groups)
		ac->cost->failed[ac->criteria++]++;
	if (!cursor->whole && should_optimize_scan(ac))
		enter_lists(ac, cursor->group);
	else
		cursor->stage = CURSOR_ENTER;
	return 0;
}

/* The list the cursor is on; at CR_BEST_AVAIL_LEN the goal shrinks to it. */
static const struct groupset *list_at(struct mb_context *ac)
{
	const struct e2s_mballoc *mb = ac->state->mb;
	uint32_t stripe = mb->layout.stripe / mb->layout.cluster_blocks;
	int order = ac->cursor.order;

	if (ac->criteria == CR_POWER2_ALIGNED)
		return &ac->state->largest[order];
	if (ac->criteria == CR_BEST_AVAIL_LEN) {
		ac->g_len = 1u << order;
		if (stripe)
			ac->g_len = (ac->g_len + stripe - 1) / stripe * stripe;
		order = e2s_mb_avg_fragment_size_order(mb->orders, ac->g_len);
	}
	return &ac->state->fragment[order];
}

/* Every list of the criterion is through. */
static void leave_lists(struct mb_context *ac)
{
	static const unsigned next[] = {
		[CR_POWER2_ALIGNED] = CR_GOAL_LEN_FAST,
		[CR_GOAL_LEN_FAST] = CR_BEST_AVAIL_LEN,
		[CR_BEST_AVAIL_LEN] = CR_GOAL_LEN_SLOW,
	};

	if (ac->criteria == CR_BEST_AVAIL_LEN)
		ac->g_len = ac->orig_goal_len;
	ac->cost->failed[ac->criteria]++;
	ac->criteria = next[ac->criteria];
	ac->cursor.stage = CURSOR_ENTER;
}

static int next_listed_group(struct mb_context *ac, uint32_t *group)
{
	struct mb_cursor *cursor = &ac->cursor;
	uint64_t found;

	if ((cursor->last - cursor->order) * cursor->step >= 0) {
		found = e2s_groupset_next(list_at(ac), cursor->from);
		if (found < cursor->end) {
			*group = (uint32_t)found;
			cursor->from = found + 1;
			/* The kernel counts here, and again when it looks. */
			ac->cost->considered[ac->criteria]++;
			return 1;
		}
		cursor->order += cursor->step;
		cursor->from = cursor->start;
	} else if (cursor->start) {
		cursor->end = cursor->start;
		cursor->from = cursor->start = 0;
		cursor->order = cursor->first;
	} else {
		leave_lists(ac);
	}
	return 0;
}

int e2s_mb_next_group(struct mb_context *ac, uint32_t *group)
{
	int got = 0;

	while (!got && ac->status == AC_STATUS_CONTINUE) {
		switch (ac->cursor.stage) {
		case CURSOR_ENTER:
			if (ac->criteria >= EXT4_MB_NUM_CRS)
				return 0;
			enter_criteria(ac);
			break;
		case CURSOR_LINEAR:
			got = next_linear_group(ac, group);
			break;
		case CURSOR_LIST:
			got = next_listed_group(ac, group);
			break;
		}
	}
	return got;
}

errcode_t e2s_mballoc_allocate(struct e2s_mballoc_state *state,
			       const struct e2s_mballoc_request *request,
			       struct e2s_mballoc_extent *got,
			       struct e2s_mballoc_cost *cost,
			       struct e2s_where *where)
{
	struct mb_context ac;
	uint32_t group;
	int again = 0;
	errcode_t err = 0;

	e2s_mb_initialize_context(&ac, state, request, cost);
	do {
		while (!err && e2s_mb_next_group(&ac, &group))
			if (e2s_mb_good_group_nolock(&ac, group))
				err = e2s_mb_scan_group_locked(&ac, group,
								where);
		if (!err)
			err = e2s_mb_try_best_found(&ac, &again, where);
	} while (!err && again);
	*got = (struct e2s_mballoc_extent){ 0 };
	if (!err && ac.status == AC_STATUS_FOUND)
		*got = ac.b_ex;
	return err;
}
