/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building: takes everything out that may move and puts it back in order of
 * creation, each where the policy puts it (DESIGN: the layout of relayout).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/internal.h"
#include "scan/readdir.h"

/* In new_of: taken out, and not put back yet. */
#define OUT UINT32_MAX

struct builder {
	struct e2s_plan *plan;
	struct e2s_ialloc *ia;
	struct e2s_ialloc_dir *dirs;	/* [directory]; ino 0: not placed yet */
	uint64_t *mask;			/* of the group under way: what is OUT */
	char **names;			/* [directory], where the name decides */
	struct e2s_where *where;
};

static errcode_t take_out_group(struct builder *b, uint32_t group,
				struct stay_cursor *cursor)
{
	const struct e2s_scan *scan = b->plan->scan;
	const e2s_slot *slots = scan->layout.slots[group];
	uint32_t i, dirs = 0;

	memset(b->mask, 0, scan->fs->geo.inodes_per_group / 64 * 8 + 8);
	for (i = 0; i < scan->layout.used[group]; i++) {
		if (e2s_plan_why_stay(cursor, group, i) != STAY_NOT)
			continue;
		b->plan->new_of[group][i] = OUT;
		b->mask[i / 64] |= UINT64_C(1) << i % 64;
		if (e2s_slot_is_dir(slots[i])) {
			b->dirs[e2s_slot_dir(slots[i])].ino = 0;
			dirs++;
		}
	}
	return e2s_ialloc_release_many(b->ia, group, b->mask, dirs, b->where);
}

static errcode_t take_out(struct builder *b)
{
	const struct e2s_scan *scan = b->plan->scan;
	struct stay_cursor cursor = { .plan = b->plan };
	errcode_t err = 0;
	uint32_t group;
	size_t pin;

	for (group = 0; group < scan->fs->geo.groups && !err; group++)
		if (scan->layout.used[group])
			err = take_out_group(b, group, &cursor);
	for (pin = 0; pin < scan->pins_n && !err; pin++)
		if (scan->pins[pin].reason == E2S_PIN_BAD_BLOCK)
			err = e2s_ialloc_block(b->ia, scan->pins[pin].ino);
	return err;
}

static void init_dirs(struct builder *b)
{
	const struct e2s_scan *scan = b->plan->scan;
	uint32_t i;

	for (i = 0; i < scan->dirs_n; i++) {
		b->dirs[i] = e2s_ialloc_dir_init(scan->dirs[i].ino);
		b->dirs[i].top |= !!(scan->dirs[i].flags & EXT2_TOPDIR_FL);
		b->dirs[i].casefold =
			!!(scan->dirs[i].flags & EXT4_CASEFOLD_FL);
	}
}

/* Orlov hashes the names of directories in the root and in TOPDIR ones. */
static errcode_t read_top_names(struct builder *b, uint32_t dir)
{
	const struct e2s_scan *scan = b->plan->scan;
	struct e2s_names names = { 0 };
	uint32_t child;
	errcode_t err;
	size_t i;

	err = e2s_scan_readdir(scan, dir, E2S_READDIR_BYTES, &names, b->where);
	for (i = 0; i < names.n && !err; i++) {
		child = e2s_scan_dir_number(scan, names.v[i].ino);
		if (child == E2S_DIR_NONE || b->names[child])
			continue;
		b->names[child] = strndup(e2s_name_text(&names, i),
					  e2s_name_len(&names, i));
		if (!b->names[child])
			err = ENOMEM;
	}
	e2s_names_free(&names);
	return err;
}

static errcode_t put_back(struct builder *b, uint32_t group, uint32_t index)
{
	const struct e2s_scan *scan = b->plan->scan;
	e2s_slot slot = scan->layout.slots[group][index];
	int is_dir = e2s_slot_is_dir(slot);
	uint32_t self = is_dir ? e2s_slot_dir(slot) : 0;
	uint32_t home = is_dir ? scan->dirs[self].parent : e2s_slot_home(slot);
	struct e2s_ialloc_name name = { "", 0 };
	struct e2s_ialloc_placed placed;
	errcode_t err;

	if (is_dir && b->names && b->names[self])
		name = (struct e2s_ialloc_name){ b->names[self],
				(uint32_t)strlen(b->names[self]) };
	err = e2s_ialloc_new_inode(b->ia, b->plan->options.policy,
				   &b->dirs[home], is_dir ? &name : NULL,
				   &placed);
	if (err)
		return e2s_where_ino(b->where, err,
			group * scan->fs->geo.inodes_per_group + index + 1);
	b->plan->new_of[group][index] = placed.ino;
	if (is_dir)
		b->dirs[self].ino = placed.ino;
	return 0;
}

/*
 * Puts an inode back, and before it the directories on the way to it that are
 * still out: times of creation can lie, and a directory may have been moved into
 * a younger one.
 */
static errcode_t put_back_below(struct builder *b, uint32_t group,
				uint32_t index)
{
	const struct e2s_scan *scan = b->plan->scan;
	e2s_slot slot = scan->layout.slots[group][index];
	uint32_t dir, up, ino;
	errcode_t err;

	for (;;) {
		dir = e2s_slot_is_dir(slot)
			      ? scan->dirs[e2s_slot_dir(slot)].parent
			      : e2s_slot_home(slot);
		if (b->dirs[dir].ino)
			return put_back(b, group, index);
		for (up = dir; !b->dirs[scan->dirs[up].parent].ino;
		     up = scan->dirs[up].parent)
			;
		ino = scan->dirs[up].ino;
		err = put_back(b, e2s_ino_group(b->plan, ino),
			       e2s_ino_index(b->plan, ino));
		if (err)
			return err;
	}
}

static errcode_t replay(struct builder *b)
{
	struct creation *creation = NULL;
	uint32_t group, index;
	errcode_t err;

	err = e2s_creation_start(b->plan->scan, &creation);
	/* One that is not out stays, or was on somebody's way. */
	while (!err && e2s_creation_next(creation, &group, &index))
		if (b->plan->new_of[group][index] == OUT)
			err = put_back_below(b, group, index);
	e2s_creation_free(creation);
	return err;
}

static errcode_t prepare(struct builder *b)
{
	const struct e2s_scan *scan = b->plan->scan;
	errcode_t err = 0;
	uint32_t i;

	b->dirs = calloc((size_t)scan->dirs_n + 1, sizeof(*b->dirs));
	b->mask = malloc(scan->fs->geo.inodes_per_group / 64 * 8 + 8);
	if (!b->dirs || !b->mask)
		return ENOMEM;
	init_dirs(b);
	if (!b->plan->options.move_dirs)
		return 0;
	b->names = calloc((size_t)scan->dirs_n + 1, sizeof(*b->names));
	if (!b->names)
		return ENOMEM;
	for (i = 0; i < scan->dirs_n && !err; i++)
		if (b->dirs[i].top)
			err = read_top_names(b, i);
	return err;
}

errcode_t e2s_plan_build(struct e2s_scan *scan,
			 const struct e2s_plan_options *options,
			 struct e2s_plan **ret, struct e2s_where *where)
{
	struct builder b = { .where = where };
	errcode_t err;
	uint32_t i;

	*ret = NULL;
	err = e2s_plan_new(scan, options, &b.plan, where);
	if (!err)
		err = e2s_ialloc_load(scan->fs, &b.ia, where);
	if (!err)
		err = prepare(&b);
	if (!err)
		err = take_out(&b);
	if (!err)
		err = replay(&b);
	if (!err && options->order != E2S_PLAN_CREATION)
		err = e2s_plan_arrange(b.plan, where);
	if (!err)
		err = e2s_plan_seal(b.plan, where);
	if (!err) {
		*ret = b.plan;
		b.plan = NULL;
	}
	for (i = 0; b.names && i < scan->dirs_n; i++)
		free(b.names[i]);
	free(b.names);
	free(b.dirs);
	free(b.mask);
	e2s_ialloc_free(b.ia);
	e2s_plan_free(b.plan);
	return err;
}
