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

struct builder {
	struct e2s_plan *plan;
	struct e2s_ialloc *ia;
	struct e2s_ialloc_dir *dirs;	/* [directory]; ino 0: not placed yet */
	char **names;			/* [directory], where the name decides */
	struct e2s_where *where;
};

static errcode_t take_out(struct builder *b)
{
	const struct e2s_scan *scan = b->plan->scan;
	struct stay_cursor cursor = { .plan = b->plan };
	uint32_t group, i, ino;
	errcode_t err = 0;
	e2s_slot slot;
	size_t pin;

	for (group = 0; group < scan->fs->geo.groups; group++)
		for (i = 0; i < scan->layout.used[group] && !err; i++) {
			if (e2s_plan_why_stay(&cursor, group, i) != STAY_NOT)
				continue;
			ino = group * scan->fs->geo.inodes_per_group + i + 1;
			slot = scan->layout.slots[group][i];
			if (e2s_slot_is_dir(slot))
				b->dirs[e2s_slot_dir(slot)].ino = 0;
			err = e2s_ialloc_release(b->ia, ino,
						 e2s_slot_is_dir(slot),
						 b->where);
		}
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
	struct e2s_names names;
	uint32_t child;
	errcode_t err;
	size_t i;

	err = e2s_scan_readdir(scan, dir, &names, b->where);
	if (err)
		return err;
	for (i = 0; i < names.n && !err; i++) {
		child = e2s_scan_dir_number(scan, names.v[i].ino);
		if (child == E2S_DIR_NONE || b->names[child])
			continue;
		b->names[child] = strndup(names.bytes + names.v[i].name_at,
					  names.v[i].name_len);
		if (!b->names[child])
			err = ENOMEM;
	}
	e2s_names_free(&names);
	return err;
}

static errcode_t put_back(struct builder *b, uint32_t ino)
{
	const struct e2s_scan *scan = b->plan->scan;
	e2s_slot slot = e2s_scan_slot(scan, ino);
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
		return e2s_where_ino(b->where, err, ino);
	*e2s_new_of(b->plan, ino) = placed.ino;
	if (is_dir)
		b->dirs[self].ino = placed.ino;
	return 0;
}

/*
 * Puts INO back, and before it the directories on the way to it that are still
 * out: times of creation can lie, and a directory may have been moved into a
 * younger one.
 */
static errcode_t put_back_below(struct builder *b, uint32_t ino)
{
	const struct e2s_scan *scan = b->plan->scan;
	e2s_slot slot = e2s_scan_slot(scan, ino);
	uint32_t dir, up;
	errcode_t err;

	if (e2s_slot_is_dir(slot) && b->dirs[e2s_slot_dir(slot)].ino)
		return 0;	/* it was on somebody's way */
	for (;;) {
		dir = e2s_slot_is_dir(slot)
			      ? scan->dirs[e2s_slot_dir(slot)].parent
			      : e2s_slot_home(slot);
		if (b->dirs[dir].ino)
			return put_back(b, ino);
		for (up = dir; !b->dirs[scan->dirs[up].parent].ino;
		     up = scan->dirs[up].parent)
			;
		err = put_back(b, scan->dirs[up].ino);
		if (err)
			return err;
	}
}

static errcode_t replay(struct builder *b)
{
	struct creation *creation = NULL;
	errcode_t err;
	uint32_t ino;

	err = e2s_creation_start(b->plan, &creation);
	while (!err && (ino = e2s_creation_next(creation)))
		err = put_back_below(b, ino);
	e2s_creation_free(creation);
	return err;
}

static errcode_t prepare(struct builder *b)
{
	const struct e2s_scan *scan = b->plan->scan;
	errcode_t err = 0;
	uint32_t i;

	b->dirs = calloc((size_t)scan->dirs_n + 1, sizeof(*b->dirs));
	if (!b->dirs)
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
	e2s_ialloc_free(b.ia);
	e2s_plan_free(b.plan);
	return err;
}
