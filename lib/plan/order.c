/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of creation: (time of creation, inode number).  The scan has it for
 * each group; here the groups are merged, through a heap.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"

/* A group with inodes left, and when the oldest of them was created. */
struct head {
	uint64_t time;
	uint32_t group;
	uint32_t walk;		/* number of its walk */
};

struct creation {
	const struct e2s_scan *scan;
	struct e2s_crtime_walk *walks;
	struct head *heap;		/* the oldest on top */
	uint32_t heap_n;
};

/* In inodes of different groups the group decides between equal times. */
static int before(const struct head *a, const struct head *b)
{
	return a->time != b->time ? a->time < b->time : a->group < b->group;
}

/* Puts HEAD into the heap, whose place I is empty, there or below. */
static void sift_down(struct creation *c, uint32_t i, struct head head)
{
	struct head *heap = c->heap;
	uint32_t child;

	for (; (child = 2 * i + 1) < c->heap_n; i = child) {
		if (child + 1 < c->heap_n &&
		    before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &head))
			break;
		heap[i] = heap[child];
	}
	heap[i] = head;
}

/* Opens a walk for each group that has inodes; their first are the heads. */
static void open_walks(struct creation *c)
{
	struct e2s_crtime_walk *walk;
	uint32_t group, i;

	for (group = 0; group < c->scan->fs->geo.groups; group++) {
		walk = &c->walks[c->heap_n];
		if (!c->scan->crtimes[group].n)
			continue;
		e2s_crtimes_start(&c->scan->crtimes[group], walk);
		(void)e2s_crtimes_next(walk);
		c->heap[c->heap_n] = (struct head){ walk->time, group,
						    c->heap_n };
		c->heap_n++;
	}
	for (i = c->heap_n / 2; i-- > 0;)
		sift_down(c, i, c->heap[i]);
}

errcode_t e2s_creation_start(const struct e2s_scan *scan, struct creation **ret)
{
	struct creation *c = calloc(1, sizeof(*c));
	uint32_t group, n = 0;

	if (!c)
		return ENOMEM;
	c->scan = scan;
	for (group = 0; group < scan->fs->geo.groups; group++)
		n += scan->crtimes[group].n != 0;
	c->walks = malloc((n + 1) * sizeof(*c->walks));
	c->heap = malloc((n + 1) * sizeof(*c->heap));
	if (!c->walks || !c->heap) {
		e2s_creation_free(c);
		return ENOMEM;
	}
	open_walks(c);
	*ret = c;
	return 0;
}

int e2s_creation_next(struct creation *c, uint32_t *group, uint32_t *index)
{
	struct e2s_crtime_walk *walk;
	struct head head;

	if (!c->heap_n)
		return 0;
	head = c->heap[0];
	walk = &c->walks[head.walk];
	*group = head.group;
	*index = walk->index;
	if (e2s_crtimes_next(walk))
		head.time = walk->time;
	else
		head = c->heap[--c->heap_n];
	if (c->heap_n)
		sift_down(c, 0, head);
	return 1;
}

void e2s_creation_free(struct creation *c)
{
	if (!c)
		return;
	free(c->walks);
	free(c->heap);
	free(c);
}
