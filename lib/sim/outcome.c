/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the workload leaves behind, measured as report measures a scan. */
#include <errno.h>
#include <stdlib.h>

#include "measure/measure.h"
#include "sim/internal.h"

/* Leaves in SLOTS only what lies in blocks with new files, and counts. */
static void see_group(struct world *w, uint32_t group)
{
	const uint32_t ipb = w->geo->inodes_per_block;
	const uint32_t ra = w->options->readahead_blks;
	uint64_t table = e2s_fs_itable_blk(w->scan->fs, group), last = 0;
	struct e2s_sim_result *result = w->result;
	struct sim_group *g = &w->group[group];
	uint32_t b, i, before;
	uint64_t window;
	int touched = 0, files = 0;

	for (b = 0; b < w->geo->itable_blocks; b++) {
		window = (table + b) / (ra ? ra : 1) + 1;
		if ((g->new_files[b] || g->new_dirs[b]) && window != last) {
			result->walk_windows++;
			last = window;
		}
		touched |= g->new_files[b] || g->new_dirs[b];
		files |= g->new_files[b] != 0;
		for (i = 0; !g->new_files[b] && i < ipb; i++)
			g->slots[b * ipb + i] = E2S_SLOT_FREE;
	}
	result->groups += files != 0;
	result->groups_lose_uninit += touched &&
				      e2s_fs_inode_uninit(w->scan->fs, group);
	before = e2s_fs_itable_used(w->scan->fs, group);
	result->fsck_blocks += e2s_least_blocks(w->geo, g->used) -
			       e2s_least_blocks(w->geo, before);
}

/* Directories that have new files, and what a cold look at each reads. */
static errcode_t see_homes(struct world *w, const struct e2s_scan *after,
			   const struct e2s_measure *measure)
{
	struct e2s_sim_result *result = w->result;
	const uint32_t ra = w->options->readahead_blks;
	struct e2s_dir_row *rows = NULL;
	errcode_t err;
	size_t i, n;

	err = e2s_measure_worst(after, measure, ra ? ra : 1, measure->homes,
				&rows, &n);
	for (i = 0; !err && i < n; i++) {
		/* Old directories lie in other blocks, too. */
		if (!w->options->trace && rows[i].dir < w->scan->dirs_n)
			continue;
		result->homes++;
		result->home_blocks += rows[i].blocks;
		result->home_windows += rows[i].windows;
	}
	free(rows);
	return err;
}

static void take_totals(struct world *w, const struct e2s_measure *measure)
{
	struct e2s_sim_result *result = w->result;
	uint32_t i;

	result->itable_blocks = measure->totals.itable_blocks;
	result->directory_blocks = measure->totals.directory_blocks;
	result->shared_blocks = measure->totals.shared_blocks;
	result->sibling_shared_blocks = measure->totals.sibling_shared_blocks;
	result->homes_per_block_max = measure->totals.homes_per_block_max;
	for (i = 0; i < w->geo->flex_groups; i++)
		result->flex_groups += measure->flex[i].itable_blocks > 0;
}

errcode_t e2s_sim_measure_world(struct world *w)
{
	const uint32_t ra = w->options->readahead_blks;
	struct e2s_scan after = *w->scan;
	struct e2s_measure measure = { 0 };
	errcode_t err = ENOMEM;
	uint32_t group;

	after.dirs = w->dirs.v;
	after.dirs_n = (uint32_t)w->dirs.n;
	after.layout.slots = calloc(w->geo->groups,
				    sizeof(*after.layout.slots));
	after.layout.used = calloc(w->geo->groups, sizeof(*after.layout.used));
	if (!after.layout.slots || !after.layout.used)
		goto out;
	for (group = 0; group < w->geo->groups; group++) {
		if (!w->group[group].slots)
			continue;
		see_group(w, group);
		after.layout.slots[group] = w->group[group].slots;
		after.layout.used[group] = w->group[group].used;
	}
	err = e2s_measure_layout(&after, ra ? ra : 1, &measure);
	if (err)
		goto out;
	take_totals(w, &measure);
	err = see_homes(w, &after, &measure);
out:
	e2s_measure_free(&measure);
	free(after.layout.slots);
	free(after.layout.used);
	return err;
}
