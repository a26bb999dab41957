/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of creation: (time of creation, inode number).  Each group's
 * inodes are sorted on their own, most often they are already, and the groups
 * merged through a heap, so nothing larger than a group is ever sorted.
 */
#define _GNU_SOURCE	/* qsort_r */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"

struct group_order {
	uint32_t *index;	/* slots that may move, oldest first */
	uint32_t n, next;
};

struct creation {
	const struct e2s_plan *plan;
	struct group_order *orders;	/* [group] */
	uint32_t *heap;			/* groups, the oldest inode on top */
	uint32_t heap_n;
};

static int older_first(const void *a, const void *b, void *times)
{
	const uint32_t *x = a, *y = b;
	const uint64_t *t = times;

	if (t[*x] != t[*y])
		return t[*x] < t[*y] ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static errcode_t sort_group(struct creation *c, uint32_t group,
			    struct stay_cursor *cursor)
{
	const struct e2s_scan *scan = c->plan->scan;
	struct group_order *order = &c->orders[group];
	uint32_t used = scan->layout.used[group], i;
	uint64_t *times = scan->times[group];
	int sorted = 1;

	if (!used)
		return 0;
	order->index = malloc(used * sizeof(*order->index));
	if (!order->index)
		return ENOMEM;
	for (i = 0; i < used; i++) {
		if (e2s_plan_why_stay(cursor, group, i) != STAY_NOT)
			continue;
		if (order->n && times[i] < times[order->index[order->n - 1]])
			sorted = 0;
		order->index[order->n++] = i;
	}
	if (!sorted)
		qsort_r(order->index, order->n, sizeof(*order->index),
			older_first, times);
	return 0;
}

static uint64_t time_of(const struct creation *c, uint32_t group)
{
	const struct group_order *order = &c->orders[group];

	return c->plan->scan->times[group][order->index[order->next]];
}

/* In inodes of different groups the group decides between equal times. */
static int before(const struct creation *c, uint32_t a, uint32_t b)
{
	uint64_t x = time_of(c, a), y = time_of(c, b);

	return x != y ? x < y : a < b;
}

static void sift_down(struct creation *c, uint32_t i)
{
	uint32_t group = c->heap[i], child;

	for (; (child = 2 * i + 1) < c->heap_n; i = child) {
		if (child + 1 < c->heap_n &&
		    before(c, c->heap[child + 1], c->heap[child]))
			child++;
		if (!before(c, c->heap[child], group))
			break;
		c->heap[i] = c->heap[child];
	}
	c->heap[i] = group;
}

errcode_t e2s_creation_start(const struct e2s_plan *plan, struct creation **ret)
{
	uint32_t groups = plan->scan->fs->geo.groups, group;
	struct stay_cursor cursor = { .plan = plan };
	struct creation *c = calloc(1, sizeof(*c));
	errcode_t err = ENOMEM;

	if (!c)
		return ENOMEM;
	c->plan = plan;
	c->orders = calloc(groups, sizeof(*c->orders));
	c->heap = malloc(groups * sizeof(*c->heap));
	if (!c->orders || !c->heap)
		goto out;
	for (group = 0; group < groups; group++) {
		err = sort_group(c, group, &cursor);
		if (err)
			goto out;
		if (c->orders[group].n)
			c->heap[c->heap_n++] = group;
	}
	for (group = c->heap_n / 2; group-- > 0;)
		sift_down(c, group);
	err = 0;
	*ret = c;
	c = NULL;
out:
	e2s_creation_free(c);
	return err;
}

uint32_t e2s_creation_next(struct creation *c)
{
	struct group_order *order;
	uint32_t group, ino;

	if (!c->heap_n)
		return 0;
	group = c->heap[0];
	order = &c->orders[group];
	ino = group * c->plan->scan->fs->geo.inodes_per_group +
	      order->index[order->next++] + 1;
	if (order->next == order->n) {
		free(order->index);
		order->index = NULL;
		c->heap[0] = c->heap[--c->heap_n];
	}
	if (c->heap_n)
		sift_down(c, 0);
	return ino;
}

void e2s_creation_free(struct creation *c)
{
	uint32_t group;

	if (!c)
		return;
	for (group = 0; c->orders && group < c->plan->scan->fs->geo.groups;
	     group++)
		free(c->orders[group].index);
	free(c->orders);
	free(c->heap);
	free(c);
}
