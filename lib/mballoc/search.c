/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a request does with one group: is it worth a look, and what is in it. */
#include "mballoc/internal.h"

#define MB_DEFAULT_MAX_TO_SCAN 200
#define MB_DEFAULT_MIN_TO_SCAN 10
#define EXT4_FLEX_SIZE_DIR_ALLOC_SCHEME 4

static int ext4_mb_cr_expensive(unsigned criteria)
{
	return criteria >= CR_GOAL_LEN_SLOW;
}

static int usable(const struct e2s_mballoc_group *info)
{
	return info->health == E2S_MBALLOC_SOUND;
}

int e2s_mb_good_group(const struct mb_context *ac, uint32_t group)
{
	const struct e2s_mballoc *mb = ac->state->mb;
	const struct e2s_mballoc_group *info =
		e2s_mballoc_state_group(ac->state, group);

	if (!usable(info) || !info->free || !info->fragments)
		return 0;
	switch (ac->criteria) {
	case CR_POWER2_ALIGNED:
		/* The first group of a flex group is for directories. */
		if (mb->layout.flex_size >= EXT4_FLEX_SIZE_DIR_ALLOC_SCHEME &&
		    group % mb->layout.flex_size == 0)
			return 0;
		return info->free >= ac->g_len &&
		       info->largest_free_order >= (int)ac->order2;
	case CR_GOAL_LEN_FAST:
	case CR_BEST_AVAIL_LEN:
		return info->free / info->fragments >= ac->g_len;
	case CR_GOAL_LEN_SLOW:
		return info->free >= ac->g_len;
	default:
		return 1;
	}
}

int e2s_mb_good_group_nolock(struct mb_context *ac, uint32_t group)
{
	const struct e2s_mballoc_group *info =
		e2s_mballoc_state_group(ac->state, group);

	ac->cost->considered[ac->criteria]++;
	ac->cost->examined[ac->criteria]++;
	if (!info->free)
		return 0;
	if (ac->criteria < CR_ANY_FREE && info->free < ac->g_len)
		return 0;
	return e2s_mb_good_group(ac, group);
}

static errcode_t ext4_mb_use_best_found(struct mb_context *ac,
					struct mb_buddy *b)
{
	if (ac->b_ex.len > ac->g_len)
		ac->b_ex.len = ac->g_len;
	ac->status = AC_STATUS_FOUND;
	if (ac->request.stream)
		ac->state->last_group[ac->request.slot] = ac->b_ex.group;
	return e2s_mb_take_extent(ac->state, b, &ac->b_ex);
}

static errcode_t ext4_mb_check_limits(struct mb_context *ac, struct mb_buddy *b,
				      int finish_group)
{
	if (ac->status == AC_STATUS_FOUND)
		return 0;
	if (ac->found > MB_DEFAULT_MAX_TO_SCAN && !ac->first) {
		ac->status = AC_STATUS_BREAK;
		return 0;
	}
	if (ac->b_ex.len < ac->g_len)
		return 0;
	if (finish_group || ac->found > MB_DEFAULT_MIN_TO_SCAN)
		return ext4_mb_use_best_found(ac, b);
	return 0;
}

static void count_extent(struct mb_context *ac)
{
	ac->found++;
	ac->cost->extents[ac->criteria]++;
}

static errcode_t ext4_mb_measure_extent(struct mb_context *ac,
					const struct e2s_mballoc_extent *ex,
					struct mb_buddy *b)
{
	uint32_t best = ac->b_ex.len;

	count_extent(ac);
	if (ac->first || ex->len == ac->g_len) {
		ac->b_ex = *ex;
		return ext4_mb_use_best_found(ac, b);
	}
	if (!best) {
		ac->b_ex = *ex;
		return 0;
	}
	/* Too short: longer is better.  Long enough: shorter is better. */
	if (best < ac->g_len ? ex->len > best
			     : ex->len > ac->g_len && ex->len < best)
		ac->b_ex = *ex;
	return ext4_mb_check_limits(ac, b, 0);
}

/* CR_POWER2_ALIGNED: the first chunk of the lowest order that is enough. */
static errcode_t ext4_mb_simple_scan_group(struct mb_context *ac,
					   struct mb_buddy *b)
{
	const struct e2s_mballoc *mb = ac->state->mb;
	const uint8_t *buddy;
	uint32_t max, k;
	unsigned i;

	for (i = ac->order2; i < mb->orders && !b->counters[i]; i++)
		;
	buddy = e2s_mb_find_buddy(mb, b, i, &max);
	if (!buddy)
		return 0;
	k = e2s_mb_find_next_zero_bit(buddy, max, 0);
	count_extent(ac);
	ac->b_ex = (struct e2s_mballoc_extent){
		.group = b->group, .start = k << i, .len = 1u << i };
	return ext4_mb_use_best_found(ac, b);
}

static errcode_t ext4_mb_complex_scan_group(struct mb_context *ac,
					    struct mb_buddy *b)
{
	uint32_t all = ac->state->mb->layout.clusters_per_group;
	uint32_t free = b->info.free, i = b->info.first_free, end;
	struct e2s_mballoc_extent ex;
	errcode_t err;

	while (free && ac->status == AC_STATUS_CONTINUE) {
		i = e2s_mb_find_next_zero_bit(b->bits, all, i);
		if (i >= all)
			break;
		if (!ext4_mb_cr_expensive(ac->criteria)) {
			/* Some extent here is long enough: go to it. */
			end = e2s_mb_find_next_bit(b->bits, all, i);
			if (end - i < ac->g_len) {
				free -= end - i;
				i = end;
				continue;
			}
		}
		e2s_mb_find_extent(ac->state->mb, b, i, ac->g_len, &ex);
		i += ex.len;
		free -= ex.len;
		err = ext4_mb_measure_extent(ac, &ex, b);
		if (err)
			return err;
	}
	return ext4_mb_check_limits(ac, b, 1);
}

/* Takes a chunk that starts on a stripe and is one stripe long. */
static errcode_t ext4_mb_scan_aligned(struct mb_context *ac, struct mb_buddy *b)
{
	const struct e2s_mballoc_layout *layout = &ac->state->mb->layout;
	uint64_t first = layout->first_data_block +
			 (uint64_t)b->group * layout->blocks_per_group;
	uint64_t start = (first + layout->stripe - 1) / layout->stripe *
			 layout->stripe - first;
	uint32_t stripe = layout->stripe / layout->cluster_blocks;
	uint64_t i = start / layout->cluster_blocks;
	struct e2s_mballoc_extent ex;

	for (; i < layout->clusters_per_group; i += stripe) {
		e2s_mb_find_extent(ac->state->mb, b, (uint32_t)i, stripe, &ex);
		if (ex.len < stripe)
			continue;
		count_extent(ac);
		ac->b_ex = ex;
		return ext4_mb_use_best_found(ac, b);
	}
	return 0;
}

errcode_t e2s_mb_scan_group_locked(struct mb_context *ac, uint32_t group,
				    struct e2s_where *where)
{
	const struct e2s_mballoc_layout *layout = &ac->state->mb->layout;
	struct mb_buddy *b;
	errcode_t err;

	err = e2s_mb_load_buddy(ac->state, group, &b, where);
	if (err)
		return err;
	ac->cost->scanned++;
	if (ac->criteria == CR_POWER2_ALIGNED) {
		err = ext4_mb_simple_scan_group(ac, b);
	} else {
		if (!ext4_mb_cr_expensive(ac->criteria) && layout->stripe &&
		    ac->g_len % (layout->stripe / layout->cluster_blocks) == 0)
			err = ext4_mb_scan_aligned(ac, b);
		if (!err && ac->status == AC_STATUS_CONTINUE)
			err = ext4_mb_complex_scan_group(ac, b);
	}
	if (!err && ac->status == AC_STATUS_FOUND)
		ac->cost->hits[ac->criteria]++;
	return err;
}

errcode_t e2s_mb_try_best_found(struct mb_context *ac, int *again,
				 struct e2s_where *where)
{
	const struct e2s_mballoc *mb = ac->state->mb;
	struct e2s_mballoc_extent ex;
	struct mb_buddy *b;
	errcode_t err;

	*again = 0;
	if (!ac->b_ex.len || ac->status == AC_STATUS_FOUND || ac->first)
		return 0;
	err = e2s_mb_load_buddy(ac->state, ac->b_ex.group, &b, where);
	if (err)
		return err;
	if (e2s_mb_find_extent(mb, b, ac->b_ex.start, ac->b_ex.len, &ex)) {
		ac->b_ex = ex;
		if (ac->criteria < EXT4_MB_NUM_CRS)
			ac->cost->hits[ac->criteria]++;
		else
			ac->cost->late++;
		return ext4_mb_use_best_found(ac, b);
	}
	/* Someone else has taken it meanwhile: whatever is free will do. */
	ac->b_ex = (struct e2s_mballoc_extent){ 0 };
	ac->status = AC_STATUS_CONTINUE;
	ac->first = 1;
	ac->criteria = CR_ANY_FREE;
	ac->cursor.stage = CURSOR_ENTER;
	*again = 1;
	return 0;
}
