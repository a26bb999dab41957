/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan itself: what may move, and the proof that a map is sound. */
#include <errno.h>
#include <stdlib.h>

#include "plan/internal.h"

static const char *const stay_words[E2S_STAYS] = {
	[E2S_STAY_RESERVED] = "reserved",
	[E2S_STAY_JOURNAL] = "the journal",
	[E2S_STAY_QUOTA] = "quota files",
	[E2S_STAY_ORPHAN_FILE] = "the orphan file",
	[E2S_STAY_EA_INODE] = "values of attributes (EA inodes)",
	[E2S_STAY_DIRECTORY] = "directories",
};

const char *e2s_plan_stay_words(unsigned stay)
{
	return stay < E2S_PIN_REASONS
		       ? e2s_pin_words((enum e2s_pin_reason)stay)
		       : stay_words[stay];
}

static unsigned why_special(const struct e2s_fs *fs, uint32_t ino)
{
	const struct ext2_super_block *super = fs->ext2->super;

	if (ino == super->s_journal_inum)
		return E2S_STAY_JOURNAL;
	if (ino == super->s_usr_quota_inum || ino == super->s_grp_quota_inum ||
	    ino == super->s_prj_quota_inum)
		return E2S_STAY_QUOTA;
	if (ino < fs->geo.first_ino)
		return E2S_STAY_RESERVED;
	return ino == super->s_orphan_file_inum ? E2S_STAY_ORPHAN_FILE
						: E2S_STAY_EA_INODE;
}

unsigned e2s_plan_look_why_stay(struct stay_cursor *cursor, uint32_t group,
				uint32_t index)
{
	const struct e2s_scan *scan = cursor->plan->scan;
	uint32_t ino = group * scan->fs->geo.inodes_per_group + index + 1;
	e2s_slot slot = scan->layout.slots[group][index];
	enum e2s_pin_reason reason;

	while (cursor->pin < scan->pins_n && scan->pins[cursor->pin].ino < ino)
		cursor->pin++;
	cursor->next_pin = cursor->pin < scan->pins_n
				   ? scan->pins[cursor->pin].ino : UINT32_MAX;
	if (slot == E2S_SLOT_FREE)
		return STAY_FREE;
	if (slot == E2S_SLOT_SPECIAL)
		return why_special(scan->fs, ino);
	if (cursor->pin < scan->pins_n && scan->pins[cursor->pin].ino == ino) {
		reason = scan->pins[cursor->pin].reason;
		/* These two are said of directories that could move. */
		if (cursor->plan->options.move_dirs || e2s_slot_is_file(slot))
			return reason;
	}
	if (e2s_slot_is_dir(slot))
		return cursor->plan->options.move_dirs ? STAY_NOT
						       : E2S_STAY_DIRECTORY;
	return e2s_slot_has_home(slot) ? STAY_NOT : E2S_PIN_NO_NAME;
}

int e2s_plan_is_bad_slot(const struct e2s_scan *scan, uint32_t ino)
{
	size_t low = 0, high = scan->pins_n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (scan->pins[mid].ino < ino)
			low = mid + 1;
		else
			high = mid;
	}
	return low < scan->pins_n && scan->pins[low].ino == ino &&
	       scan->pins[low].reason == E2S_PIN_BAD_BLOCK;
}

/* A scan that met damage, or an inode nobody may move, carries no plan. */
static errcode_t check_scan(const struct e2s_scan *scan, struct e2s_where *where)
{
	const struct e2s_problem *first = scan->problems;
	errcode_t err;
	size_t i;

	if (e2s_scan_problems(scan)) {
		if (!scan->problems_kept)
			return E2S_ET_DAMAGED;
		if (first->blk)
			e2s_where_blk(where, 0, first->blk);
		if (first->ino)
			e2s_where_ino(where, 0, first->ino);
		e2s_where_group(where, 0, first->group);
		return e2s_where_detail(where, E2S_ET_DAMAGED, "%s",
					e2s_problem_words(first->kind));
	}
	for (i = 0; i < scan->pins_n; i++) {
		err = e2s_pin_refuses(scan->pins[i].reason);
		if (err)
			return e2s_where_ino(where, err, scan->pins[i].ino);
	}
	return 0;
}

/* Groups without an inode in use share one array: nothing moves from there. */
static uint32_t *new_of_group(struct e2s_plan *plan, uint32_t group)
{
	const struct e2s_scan *scan = plan->scan;
	size_t size = sizeof(uint32_t);

	if (scan->layout.slots[group] != scan->all_free)
		return e2s_arena_zalloc(&plan->arena,
					scan->layout.used[group] * size);
	if (!plan->none)
		plan->none = e2s_arena_zalloc(&plan->arena, size *
					scan->fs->geo.inodes_per_group);
	return plan->none;
}

errcode_t e2s_plan_new(struct e2s_scan *scan,
		       const struct e2s_plan_options *options,
		       struct e2s_plan **ret, struct e2s_where *where)
{
	struct e2s_plan *plan = calloc(1, sizeof(*plan));
	uint32_t groups = scan->fs->geo.groups, group, used;
	errcode_t err;

	if (!plan)
		return ENOMEM;
	plan->scan = scan;
	err = check_scan(scan, where);
	if (err)
		goto out;
	err = ENOMEM;
	plan->options = *options;
	plan->new_of = calloc(groups, sizeof(*plan->new_of));
	plan->used_after = calloc(groups, sizeof(*plan->used_after));
	plan->inhabited = calloc(groups, 1);
	if (!plan->new_of || !plan->used_after || !plan->inhabited)
		goto out;
	for (group = 0; group < groups; group++) {
		used = scan->layout.used[group];
		plan->used_after[group] = used;
		if (!used)
			continue;
		plan->new_of[group] = new_of_group(plan, group);
		if (!plan->new_of[group])
			goto out;
	}
	err = 0;
	*ret = plan;
	plan = NULL;
out:
	e2s_plan_free(plan);
	return err;
}

void e2s_plan_free(struct e2s_plan *plan)
{
	if (!plan)
		return;
	e2s_arena_free(&plan->arena);
	free(plan->new_of);
	free(plan->used_after);
	e2s_bits_free(&plan->stays);
	free(plan->inhabited);
	free(plan);
}

/* TAKEN are the targets so far. */
static errcode_t take_target(struct e2s_plan *plan, struct ino_bits *taken,
			     uint32_t old, uint32_t new_ino,
			     struct e2s_where *where)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	uint32_t group = e2s_ino_group(plan, new_ino);
	uint32_t index = e2s_ino_index(plan, new_ino);
	errcode_t err;

	if (new_ino < geo->first_ino || new_ino > geo->inodes)
		return e2s_where_ino(where, E2S_ET_PLAN_RANGE, old);
	if (e2s_plan_is_bad_slot(plan->scan, new_ino))
		return e2s_where_ino(where, E2S_ET_PLAN_BAD_BLOCK, old);
	if (e2s_bits_test(&plan->stays, group, index) ||
	    e2s_bits_test(taken, group, index))
		return e2s_where_ino(where, E2S_ET_PLAN_TAKEN, old);
	err = e2s_bits_change(taken, group, index, 1);
	if (err)
		return err;
	if (index + 1 > plan->used_after[group])
		plan->used_after[group] = index + 1;
	plan->moves++;
	return 0;
}

static errcode_t find_stays(struct e2s_plan *plan)
{
	const struct e2s_layout *layout = &plan->scan->layout;
	uint32_t group, i;
	errcode_t err;

	e2s_bits_free(&plan->stays);
	err = e2s_bits_make(&plan->stays, &plan->scan->fs->geo);
	for (group = 0; !err && group < plan->scan->fs->geo.groups; group++)
		for (i = 0; i < layout->used[group] && !err; i++)
			if (layout->slots[group][i] != E2S_SLOT_FREE &&
			    !plan->new_of[group][i])
				err = e2s_bits_change(&plan->stays, group, i,
						      1);
	return err;
}

static errcode_t take_moves(struct e2s_plan *plan, struct ino_bits *taken,
			    struct e2s_where *where)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	struct stay_cursor cursor = { .plan = plan };
	uint32_t group, i, ino, *new_of;
	errcode_t err = 0;

	for (group = 0; group < geo->groups && !err; group++) {
		new_of = plan->new_of[group];
		for (i = 0; i < plan->scan->layout.used[group] && !err; i++) {
			ino = group * geo->inodes_per_group + i + 1;
			if (!new_of[i])
				continue;
			if (e2s_plan_why_stay(&cursor, group, i) != STAY_NOT)
				return e2s_where_ino(where, E2S_ET_PLAN_PINNED,
						     ino);
			err = take_target(plan, taken, ino, new_of[i], where);
		}
	}
	return err;
}

errcode_t e2s_plan_seal(struct e2s_plan *plan, struct e2s_where *where)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	struct ino_bits taken = { 0 };
	uint32_t group, i, *new_of;
	errcode_t err;

	plan->moves = 0;
	for (group = 0; group < geo->groups; group++) {
		new_of = plan->new_of[group];
		for (i = 0; i < plan->scan->layout.used[group]; i++)
			if (new_of[i] == group * geo->inodes_per_group + i + 1)
				new_of[i] = 0;
	}
	err = find_stays(plan);
	if (!err)
		err = e2s_bits_make(&taken, geo);
	if (!err)
		err = take_moves(plan, &taken, where);
	for (group = 0; !err && group < geo->groups; group++)
		plan->inhabited[group] = plan->stays.group[group] ||
					 taken.group[group];
	e2s_bits_free(&taken);
	return err;
}

uint64_t e2s_plan_moves(const struct e2s_plan *plan)
{
	return plan->moves;
}

int e2s_plan_moves_dirs(const struct e2s_plan *plan)
{
	return plan->options.move_dirs;
}

uint32_t e2s_plan_used_after(const struct e2s_plan *plan, uint32_t group)
{
	return plan->used_after[group];
}

uint32_t e2s_plan_new_ino(const struct e2s_plan *plan, uint32_t old)
{
	uint32_t group = e2s_ino_group(plan, old);
	uint32_t index = e2s_ino_index(plan, old);

	if (index >= plan->scan->layout.used[group] ||
	    !plan->new_of[group][index])
		return old;
	return plan->new_of[group][index];
}

uint32_t e2s_plan_next_move(const struct e2s_plan *plan, uint32_t after)
{
	return e2s_plan_next_move_below(plan, after,
					plan->scan->fs->geo.groups);
}

uint32_t e2s_plan_next_move_below(const struct e2s_plan *plan, uint32_t after,
				  uint32_t end)
{
	const struct e2s_geometry *geo = &plan->scan->fs->geo;
	uint32_t group = after / geo->inodes_per_group;
	uint32_t i = after % geo->inodes_per_group;

	for (; group < end; group++, i = 0)
		for (; i < plan->scan->layout.used[group]; i++)
			if (plan->new_of[group][i])
				return group * geo->inodes_per_group + i + 1;
	return 0;
}

uint64_t e2s_plan_stays(const struct e2s_plan *plan, unsigned stay)
{
	struct stay_cursor cursor = { .plan = plan };
	uint32_t group, i;
	uint64_t n = 0;

	for (group = 0; group < plan->scan->fs->geo.groups; group++)
		for (i = 0; i < plan->scan->layout.used[group]; i++)
			n += e2s_plan_why_stay(&cursor, group, i) == stay;
	return n;
}
