/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buddy of one group.
 *
 * Order 0 is the block bitmap itself.  A clear bit of a higher order is a free
 * chunk of 2^order clusters that no higher order holds:
 *
 *	order 2	|   1   |   0   |	clusters 4-7 are one free chunk,
 *	order 1	| 1 | 0 | 1 | 1 |	2 and 3 another,
 *	order 0	|0|1|0|0|0|0|0|0|	0 is free by itself
 */
#include "mballoc/internal.h"

/* Byte of the buddy block where the bits of ORDER start (s_mb_offsets). */
static uint32_t order_offset(uint32_t block_size, unsigned order)
{
	return block_size - (block_size >> (order - 1));
}

uint8_t *e2s_mb_find_buddy(const struct e2s_mballoc *mb, struct mb_buddy *b,
		       unsigned order, uint32_t *max)
{
	uint32_t size = mb->layout.block_size;

	if (order >= mb->orders)
		return NULL;
	*max = size * 8 >> order;
	if (!order)
		return b->bits;
	return b->bits + size + order_offset(size, order);
}

/* Splits the free extent at FIRST into aligned chunks, largest first. */
static void ext4_mb_mark_free_simple(uint32_t block_size, uint8_t *buddy,
				     uint32_t first, uint32_t len,
				     uint32_t *counters)
{
	uint32_t border = 2 * block_size;	/* chunk of the highest order */
	int min, max;

	while (len > 0) {
		max = __builtin_ctz(first | border);
		min = fls(len) - 1;
		if (max < min)
			min = max;
		counters[min]++;
		if (min > 0 && buddy)
			mb_clear_bit(first >> min, buddy +
				     order_offset(block_size, (unsigned)min));
		len -= 1u << min;
		first += 1u << min;
	}
}

int e2s_mb_avg_fragment_size_order(unsigned orders, uint32_t len)
{
	int order = fls(len) - 2;

	if (order < 0)
		return 0;
	return order >= (int)orders ? (int)orders - 1 : order;
}

void e2s_mb_set_orders(unsigned orders, struct e2s_mballoc_group *info,
		   const uint32_t *counters)
{
	int order = (int)orders - 1;

	while (order >= 0 && !counters[order])
		order--;
	info->largest_free_order = (int8_t)order;
	order = -1;
	if (info->fragments)
		order = e2s_mb_avg_fragment_size_order(orders,
					info->free / info->fragments);
	info->avg_fragment_order = (int8_t)order;
}

void e2s_mb_generate_buddy(const struct e2s_mballoc_layout *layout,
			    unsigned orders, const uint8_t *bitmap,
			    uint8_t *buddy, struct e2s_mballoc_group *info,
			    uint32_t *counters)
{
	uint32_t max = layout->clusters_per_group, first, i;

	memset(counters, 0, orders * sizeof(*counters));
	info->free = 0;
	info->fragments = 0;
	i = e2s_mb_find_next_zero_bit(bitmap, max, 0);
	info->first_free = i;
	while (i < max) {
		info->fragments++;
		first = i;
		i = e2s_mb_find_next_bit(bitmap, max, i);
		info->free += i - first;
		ext4_mb_mark_free_simple(layout->block_size, buddy, first,
					 i - first, counters);
		i = e2s_mb_find_next_zero_bit(bitmap, max, i);
	}
	e2s_mb_set_orders(orders, info, counters);
}

static unsigned mb_find_order_for_block(const struct e2s_mballoc *mb,
					struct mb_buddy *b, uint32_t cluster)
{
	uint32_t max;
	unsigned order;

	for (order = 1; order < mb->orders; order++)
		if (!mb_test_bit(cluster >> order,
				 e2s_mb_find_buddy(mb, b, order, &max)))
			return order;
	return 0;
}

uint32_t e2s_mb_find_extent(const struct e2s_mballoc *mb, struct mb_buddy *b,
			uint32_t start, uint32_t needed,
			struct e2s_mballoc_extent *ex)
{
	uint32_t next, limit = mb->layout.block_size * 8;
	unsigned order;

	*ex = (struct e2s_mballoc_extent){ .group = b->group, .start = start };
	if (mb_test_bit(start, b->bits))
		return 0;
	order = mb_find_order_for_block(mb, b, start);
	ex->len = (1u << order) - (start & ((1u << order) - 1));
	while (needed > ex->len) {
		next = start + ex->len;
		if (next >= limit || mb_test_bit(next, b->bits))
			break;
		ex->len += 1u << mb_find_order_for_block(mb, b, next);
	}
	return ex->len;
}

/* Frees what of START's chunk of ORDER is not among the LEN from START on. */
static void split_chunk(const struct e2s_mballoc *mb, struct mb_buddy *b,
			unsigned order, uint32_t start, uint32_t len)
{
	uint32_t size = mb->layout.block_size;
	uint32_t from = start >> order << order, to = from + (1u << order);

	ext4_mb_mark_free_simple(size, b->bits + size, from, start - from,
				 b->counters);
	if (len < to - start)
		ext4_mb_mark_free_simple(size, b->bits + size, start + len,
					 to - (start + len), b->counters);
}

void e2s_mb_mark_used(const struct e2s_mballoc *mb, struct mb_buddy *b,
		  const struct e2s_mballoc_extent *ex)
{
	uint32_t start = ex->start, len = ex->len, end = start + len, max, part;
	int left, right;
	unsigned order;

	left = start && !mb_test_bit(start - 1, b->bits);
	right = end < mb->layout.block_size * 8 && !mb_test_bit(end, b->bits);
	b->info.free -= len;
	if (b->info.first_free == start)
		b->info.first_free += len;
	if (left && right)
		b->info.fragments++;
	else if (!left && !right)
		b->info.fragments--;
	while (len) {
		order = mb_find_order_for_block(mb, b, start);
		if (order)
			mb_set_bit(start >> order,
				   e2s_mb_find_buddy(mb, b, order, &max));
		b->counters[order]--;
		part = (1u << order) - (start & ((1u << order) - 1));
		split_chunk(mb, b, order, start, len);
		if (part > len)
			part = len;
		start += part;
		len -= part;
	}
	e2s_mb_set_bits(b->bits, ex->start, ex->len);
	e2s_mb_set_orders(mb->orders, &b->info, b->counters);
}
