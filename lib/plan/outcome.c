/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a scan would find after the plan.  The slots are those of the scan, put
 * in place by going over the plan once for each stretch of groups: there are so
 * few stretches that this costs less than the memory for all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/internal.h"

#define STRETCH_SLOTS ((uint64_t)4 << 20)	/* at least, */
#define STRETCHES 4				/* and at most so many */

struct e2s_outcome {
	const struct e2s_plan *plan;
	struct e2s_scan scan;		/* as it would be */
	uint64_t room;			/* slots of a stretch */
	e2s_slot *slots;
	e2s_slot *none;			/* of a group without inodes */
	uint32_t first, end;		/* groups of the stretch */
	struct e2s_arena arena;
};

/* Those of the scan, unless their numbers change. */
static errcode_t number_dirs(const struct e2s_plan *plan, struct e2s_scan *after)
{
	const struct e2s_scan *scan = plan->scan;
	uint32_t i;

	after->dirs = scan->dirs;
	after->dirs_n = scan->dirs_n;
	if (!plan->options.move_dirs)
		return 0;
	after->dirs = malloc(((size_t)scan->dirs_n + 1) * sizeof(*after->dirs));
	if (!after->dirs)
		return ENOMEM;
	memcpy(after->dirs, scan->dirs, scan->dirs_n * sizeof(*after->dirs));
	for (i = 0; i < after->dirs_n; i++)
		after->dirs[i].ino = e2s_plan_new_ino(plan, scan->dirs[i].ino);
	return 0;
}

/* Groups that end up without inodes share theirs. */
static uint32_t slots_of(const struct e2s_outcome *o, uint32_t group)
{
	return o->plan->inhabited[group] ? o->scan.layout.used[group] : 0;
}

static errcode_t alloc_layout(struct e2s_outcome *o)
{
	uint32_t groups = o->plan->scan->fs->geo.groups, group, largest = 0;
	struct e2s_layout *layout = &o->scan.layout;
	uint64_t slots = 0;

	layout->slots = calloc(groups, sizeof(*layout->slots));
	layout->used = calloc(groups, sizeof(*layout->used));
	if (!layout->slots || !layout->used)
		return ENOMEM;
	for (group = 0; group < groups; group++) {
		layout->used[group] = o->plan->used_after[group];
		slots += slots_of(o, group);
		if (layout->used[group] > largest)
			largest = layout->used[group];
	}
	o->room = slots / STRETCHES + largest;
	if (o->room < STRETCH_SLOTS)
		o->room = slots < STRETCH_SLOTS ? slots : STRETCH_SLOTS;
	o->slots = e2s_arena_zalloc(&o->arena, o->room * sizeof(*o->slots));
	o->none = e2s_arena_zalloc(&o->arena, largest * sizeof(*o->none));
	return o->slots && o->none ? 0 : ENOMEM;
}

errcode_t e2s_outcome_start(const struct e2s_plan *plan,
			    struct e2s_outcome **ret)
{
	struct e2s_outcome *o = calloc(1, sizeof(*o));
	errcode_t err;

	if (!o)
		return ENOMEM;
	o->plan = plan;
	o->scan.fs = plan->scan->fs;
	err = number_dirs(plan, &o->scan);
	if (!err)
		err = alloc_layout(o);
	if (err) {
		e2s_outcome_free(o);
		return err;
	}
	*ret = o;
	return 0;
}

const struct e2s_scan *e2s_outcome_scan(const struct e2s_outcome *o)
{
	return &o->scan;
}

/* Gives the next groups, as many as there is room for, their slots. */
static void move_on(struct e2s_outcome *o)
{
	uint32_t groups = o->scan.fs->geo.groups, group;
	struct e2s_layout *layout = &o->scan.layout;
	uint64_t at = 0;

	for (group = o->first; group < o->end; group++)
		layout->slots[group] = NULL;
	for (o->first = o->end; o->end < groups; o->end++) {
		if (slots_of(o, o->end) > o->room - at)
			break;
		layout->slots[o->end] = slots_of(o, o->end) ? o->slots + at
							    : o->none;
		at += slots_of(o, o->end);
	}
	if (o->first)
		memset(o->slots, 0, at * sizeof(*o->slots));
}

static void fill_group(struct e2s_outcome *o, uint32_t group)
{
	const struct e2s_layout *now = &o->plan->scan->layout;
	const e2s_slot *slots = now->slots[group];
	const uint32_t *new_of = o->plan->new_of[group];
	int here = group >= o->first && group < o->end;
	e2s_slot **after = o->scan.layout.slots;
	uint32_t i, to;

	for (i = 0; i < now->used[group]; i++) {
		if (new_of[i]) {
			to = e2s_ino_group(o->plan, new_of[i]);
			if (to >= o->first && to < o->end)
				after[to][e2s_ino_index(o->plan, new_of[i])] =
					slots[i];
		} else if (here && slots[i] != E2S_SLOT_FREE) {
			after[group][i] = slots[i];
		}
	}
}

int e2s_outcome_next(struct e2s_outcome *o, uint32_t *first, uint32_t *end)
{
	uint32_t groups = o->scan.fs->geo.groups, group;

	if (o->end == groups)
		return 0;
	move_on(o);
	for (group = 0; group < groups; group++)
		fill_group(o, group);
	*first = o->first;
	*end = o->end;
	return 1;
}

void e2s_outcome_free(struct e2s_outcome *o)
{
	if (!o)
		return;
	if (o->scan.dirs != o->plan->scan->dirs)
		free(o->scan.dirs);
	free(o->scan.layout.slots);
	free(o->scan.layout.used);
	e2s_arena_free(&o->arena);
	free(o);
}
