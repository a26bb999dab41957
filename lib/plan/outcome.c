/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scan would find after the plan. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/internal.h"

static errcode_t copy_dirs(const struct e2s_plan *plan, struct e2s_scan *after)
{
	const struct e2s_scan *scan = plan->scan;
	uint32_t i;

	after->dirs = malloc(((size_t)scan->dirs_n + 1) * sizeof(*after->dirs));
	if (!after->dirs)
		return ENOMEM;
	memcpy(after->dirs, scan->dirs, scan->dirs_n * sizeof(*after->dirs));
	after->dirs_n = scan->dirs_n;
	for (i = 0; i < after->dirs_n; i++)
		after->dirs[i].ino = e2s_plan_new_ino(plan, after->dirs[i].ino);
	return 0;
}

static errcode_t alloc_layout(const struct e2s_plan *plan,
			      struct e2s_scan *after)
{
	uint32_t groups = plan->scan->fs->geo.groups, group, used;

	after->layout.slots = calloc(groups, sizeof(*after->layout.slots));
	after->layout.used = calloc(groups, sizeof(*after->layout.used));
	if (!after->layout.slots || !after->layout.used)
		return ENOMEM;
	for (group = 0; group < groups; group++) {
		used = plan->used_after[group];
		after->layout.used[group] = used;
		if (!used)
			continue;
		after->layout.slots[group] =
			calloc(used, sizeof(**after->layout.slots));
		if (!after->layout.slots[group])
			return ENOMEM;
	}
	return 0;
}

errcode_t e2s_plan_outcome(const struct e2s_plan *plan, struct e2s_scan **ret)
{
	const struct e2s_scan *scan = plan->scan;
	struct e2s_scan *after = calloc(1, sizeof(*after));
	uint32_t group, i, new_ino;
	errcode_t err;

	if (!after)
		return ENOMEM;
	after->fs = scan->fs;
	err = copy_dirs(plan, after);
	if (!err)
		err = alloc_layout(plan, after);
	if (err) {
		e2s_scan_free(after);
		return err;
	}
	for (group = 0; group < scan->fs->geo.groups; group++)
		for (i = 0; i < scan->layout.used[group]; i++) {
			new_ino = plan->new_of[group][i];
			if (!new_ino)
				new_ino = group * scan->fs->geo.inodes_per_group
					  + i + 1;
			if (scan->layout.slots[group][i] != E2S_SLOT_FREE)
				after->layout.slots
					[e2s_ino_group(plan, new_ino)]
					[e2s_ino_index(plan, new_ino)] =
					scan->layout.slots[group][i];
		}
	*ret = after;
	return 0;
}
