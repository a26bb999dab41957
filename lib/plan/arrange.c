/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The orders "dir" and "hash": rearranges the files inside each group that the
 * policy has picked for them.
 *
 * A group is filled from its first slot on, one home after the other.  A home
 * starts at a fresh itable block, and passes over blocks that hold files of
 * another one, as long as the free inodes so given up are to spare.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"
#include "scan/readdir.h"

#define NOBODY UINT32_MAX		/* no home has files in the block */
#define SEVERAL (UINT32_MAX - 1)

/* A file to be arranged. */
struct item {
	uint32_t home;
	uint32_t key;		/* order among the files of a home */
	uint32_t old;		/* its number now */
};

struct arranger {
	struct e2s_plan *plan;
	uint32_t **old_of;	/* [group][slot] number now of what goes there */
	uint32_t *old_n;	/* [group] slots in old_of */
	uint32_t **rank;	/* shape of new_of: place in readdir order */
	uint8_t *usable;	/* of the group under way: [slot] */
	uint32_t *owner;	/* [itable block] */
	struct item *items;
	size_t items_n;
	uint32_t group, slot;	/* next slot to look at */
	uint64_t spare;		/* usable slots that need not be used */
};

/* --- what goes where before the rearrangement --- */

static errcode_t invert(struct arranger *a)
{
	const struct e2s_plan *plan = a->plan;
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	uint32_t group, i, to, index;

	for (group = 0; group < geo->groups; group++)
		for (i = 0; i < plan->scan->layout.used[group]; i++) {
			if (!plan->new_of[group][i])
				continue;
			to = e2s_ino_group(plan, plan->new_of[group][i]);
			index = e2s_ino_index(plan, plan->new_of[group][i]);
			if (index + 1 > a->old_n[to])
				a->old_n[to] = index + 1;
		}
	for (group = 0; group < geo->groups; group++) {
		if (!a->old_n[group])
			continue;
		a->old_of[group] = calloc(a->old_n[group],
					  sizeof(**a->old_of));
		if (!a->old_of[group])
			return ENOMEM;
	}
	for (group = 0; group < geo->groups; group++)
		for (i = 0; i < plan->scan->layout.used[group]; i++)
			if (plan->new_of[group][i])
				a->old_of[e2s_ino_group(plan,
						plan->new_of[group][i])]
					 [e2s_ino_index(plan,
						plan->new_of[group][i])] =
					group * geo->inodes_per_group + i + 1;
	return 0;
}

/* --- readdir order --- */

static errcode_t rank_dir(struct arranger *a, uint32_t dir,
			  struct e2s_names *names, struct e2s_where *where)
{
	const struct e2s_scan *scan = a->plan->scan;
	uint32_t next = 1, *rank;
	errcode_t err;
	e2s_slot slot;
	size_t i;

	err = e2s_scan_readdir(scan, dir, 0, names, where);
	for (i = 0; i < names->n && !err; i++) {
		slot = e2s_scan_slot(scan, names->v[i].ino);
		if (!e2s_slot_has_home(slot) || e2s_slot_home(slot) != dir)
			continue;
		rank = &a->rank[e2s_ino_group(a->plan, names->v[i].ino)]
			       [e2s_ino_index(a->plan, names->v[i].ino)];
		if (!*rank)
			*rank = next++;
	}
	return err;
}

static errcode_t rank_all(struct arranger *a, struct e2s_where *where)
{
	const struct e2s_scan *scan = a->plan->scan;
	struct e2s_names names = { 0 };
	uint32_t group, i;
	errcode_t err = 0;

	for (group = 0; group < scan->fs->geo.groups; group++) {
		if (!scan->layout.used[group])
			continue;
		a->rank[group] = calloc(scan->layout.used[group],
					sizeof(**a->rank));
		if (!a->rank[group])
			return ENOMEM;
	}
	for (i = 0; i < scan->dirs_n && !err; i++)
		err = rank_dir(a, i, &names, where);
	e2s_names_free(&names);
	return err;
}

/* --- one group --- */

static int by_home(const void *x, const void *y)
{
	const struct item *a = x, *b = y;

	if (a->home != b->home)
		return a->home < b->home ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Whose block it is once a file of HOME lies in it. */
static uint32_t joint_owner(uint32_t owner, uint32_t home)
{
	return owner == NOBODY || owner == home ? home : SEVERAL;
}

/* Finds the files to arrange, the slots they may use, and whose blocks the
 * files that stay have made. */
static void survey_group(struct arranger *a)
{
	const struct e2s_plan *plan = a->plan;
	const struct e2s_scan *scan = plan->scan;
	const struct e2s_geometry *geo = &scan->fs->geo;
	uint32_t first = a->group * geo->inodes_per_group + 1, i, old;
	struct item *item;
	e2s_slot slot;

	a->items_n = 0;
	a->spare = 0;
	for (i = 0; i < geo->itable_blocks; i++)
		a->owner[i] = NOBODY;
	for (i = 0; i < geo->inodes_per_group; i++) {
		a->usable[i] = first + i >= geo->first_ino;
		slot = i < scan->layout.used[a->group]
			       ? scan->layout.slots[a->group][i] : E2S_SLOT_FREE;
		if (slot != E2S_SLOT_FREE && !plan->new_of[a->group][i]) {
			a->usable[i] = 0;
			if (e2s_slot_has_home(slot))
				a->owner[i / geo->inodes_per_block] = joint_owner(
					a->owner[i / geo->inodes_per_block],
					e2s_slot_home(slot));
		}
		old = i < a->old_n[a->group] ? a->old_of[a->group][i] : 0;
		slot = old ? e2s_scan_slot(scan, old) : E2S_SLOT_FREE;
		if (e2s_slot_is_dir(slot))
			a->usable[i] = 0;
		if (a->usable[i] && e2s_plan_is_bad_slot(scan, first + i))
			a->usable[i] = 0;
		a->spare += a->usable[i];
		if (!e2s_slot_is_file(slot))
			continue;
		item = &a->items[a->items_n++];
		item->home = e2s_slot_home(slot);
		item->old = old;
		item->key = a->rank ? a->rank[e2s_ino_group(plan, old)]
					     [e2s_ino_index(plan, old)] : i;
	}
	a->spare -= a->items_n;
}

/* Usable slots from the next one to the end of its block. */
static uint32_t rest_of_block(const struct arranger *a, uint32_t *end)
{
	const struct e2s_geometry *geo = &a->plan->scan->fs->geo;
	uint32_t i, n = 0;

	*end = (a->slot / geo->inodes_per_block + 1) * geo->inodes_per_block;
	if (*end > geo->inodes_per_group)
		*end = geo->inodes_per_group;
	for (i = a->slot; i < *end; i++)
		n += a->usable[i];
	return n;
}

/* The slot for a file of HOME.  There is one: the policy has found as many. */
static uint32_t next_slot(struct arranger *a, uint32_t home)
{
	uint32_t ipb = a->plan->scan->fs->geo.inodes_per_block, rest, end;
	uint32_t *owner;

	for (;; a->slot = end) {
		while (!a->usable[a->slot])
			a->slot++;
		owner = &a->owner[a->slot / ipb];
		if (*owner == NOBODY || *owner == home)
			break;
		rest = rest_of_block(a, &end);
		if (rest > a->spare)
			break;
		a->spare -= rest;
	}
	*owner = joint_owner(*owner, home);
	return a->slot++;
}

static void arrange_group(struct arranger *a)
{
	uint32_t first = a->group *
			 a->plan->scan->fs->geo.inodes_per_group + 1;
	size_t i;

	survey_group(a);
	qsort(a->items, a->items_n, sizeof(*a->items), by_home);
	a->slot = 0;
	for (i = 0; i < a->items_n; i++)
		*e2s_new_of(a->plan, a->items[i].old) =
			first + next_slot(a, a->items[i].home);
}

static void free_arrays(uint32_t **arrays, uint32_t groups)
{
	uint32_t group;

	for (group = 0; arrays && group < groups; group++)
		free(arrays[group]);
	free(arrays);
}

errcode_t e2s_plan_arrange(struct e2s_plan *plan, struct e2s_where *where)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	struct arranger a = { .plan = plan };
	errcode_t err = ENOMEM;

	a.old_of = calloc(geo->groups, sizeof(*a.old_of));
	a.old_n = calloc(geo->groups, sizeof(*a.old_n));
	a.usable = malloc(geo->inodes_per_group);
	a.owner = malloc(geo->itable_blocks * sizeof(*a.owner));
	a.items = malloc(geo->inodes_per_group * sizeof(*a.items));
	if (!a.old_of || !a.old_n || !a.usable || !a.owner || !a.items)
		goto out;
	if (plan->options.order == E2S_PLAN_HASH) {
		a.rank = calloc(geo->groups, sizeof(*a.rank));
		if (!a.rank)
			goto out;
		err = rank_all(&a, where);
		if (err)
			goto out;
	}
	err = invert(&a);
	for (; !err && a.group < geo->groups; a.group++)
		if (a.old_n[a.group])
			arrange_group(&a);
out:
	free_arrays(a.old_of, geo->groups);
	free_arrays(a.rank, geo->groups);
	free(a.old_n);
	free(a.usable);
	free(a.owner);
	free(a.items);
	return err;
}
