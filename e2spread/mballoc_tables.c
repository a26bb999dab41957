/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of mballoc: the order of columns is that of text and JSON.
 */
#include "e2spread/mballoc.h"

/* --- filesystem --- */

GETTER(fs_device, mballoc_fs_row, cell_text(r->fs->device))
INTEGER(fs_block_size, mballoc_fs_row, r->layout->block_size)
INTEGER(fs_blocks, mballoc_fs_row, r->fs->geo.blocks)
INTEGER(fs_cluster_blocks, mballoc_fs_row, r->layout->cluster_blocks)
INTEGER(fs_per_group, mballoc_fs_row, r->layout->clusters_per_group)
INTEGER(fs_groups, mballoc_fs_row, r->layout->groups)
INTEGER(fs_flex_size, mballoc_fs_row, r->layout->flex_size)
INTEGER(fs_stripe, mballoc_fs_row, r->layout->stripe)
INTEGER(fs_optimize_scan, mballoc_fs_row, (uint64_t)r->optimize_scan)

static const struct column fs_columns[] = {
	{ "device", NULL, CELL_TEXT, fs_device },
	{ "block_size", NULL, CELL_INTEGER, fs_block_size },
	{ "blocks", NULL, CELL_INTEGER, fs_blocks },
	{ "cluster_blocks", NULL, CELL_INTEGER, fs_cluster_blocks },
	{ "clusters_per_group", NULL, CELL_INTEGER, fs_per_group },
	{ "groups", NULL, CELL_INTEGER, fs_groups },
	{ "flex_bg_size", NULL, CELL_INTEGER, fs_flex_size },
	{ "stripe_blocks", NULL, CELL_INTEGER, fs_stripe },
	{ "optimize_scan", NULL, CELL_INTEGER, fs_optimize_scan },
};
TABLE(mballoc_fs_table, fs_columns);

/* --- groups: the kernel's own words are their text --- */

static const char *const health_words[] = {
	[E2S_MBALLOC_SOUND] = "ok",
	[E2S_MBALLOC_BAD_COUNT] = "bad_free_count",
	[E2S_MBALLOC_BAD_BITMAP] = "bad_bitmap",
	[E2S_MBALLOC_BAD_CSUM] = "bad_checksum",
};

INTEGER(g_group, group_row, r->group)
INTEGER(g_free, group_row, r->info->free)
INTEGER(g_frags, group_row, r->info->fragments)
INTEGER(g_first, group_row, r->info->first_free)
GETTER(g_state, group_row, cell_text(health_words[r->info->health]))

static const struct column group_columns[] = {
	{ "group", NULL, CELL_INTEGER, g_group },
	{ "free", NULL, CELL_INTEGER, g_free },
	{ "frags", NULL, CELL_INTEGER, g_frags },
	{ "first", NULL, CELL_INTEGER, g_first },
	{ "state", NULL, CELL_TEXT, g_state },
};
TABLE(group_table, group_columns);

/* --- one request --- */

INTEGER(s_optimize, search_row, (uint64_t)r->search.optimize_scan)
INTEGER(s_scanned, search_row, r->cost.scanned)
INTEGER(s_late, search_row, r->cost.late)
INTEGER(s_missing, search_row, r->missing)

static const struct column search_columns[] = {
	{ "optimize_scan", "mb_optimize_scan", CELL_INTEGER, s_optimize },
	{ "groups_scanned", "groups searched", CELL_INTEGER, s_scanned },
	{ "late_hits", "best extent taken at the end", CELL_INTEGER, s_late },
	{ "missing_clusters", "clusters not found", CELL_INTEGER, s_missing },
};
TABLE(search_table, search_columns);

static const char *const criterion_words[EXT4_MB_NUM_CRS] = {
	[CR_POWER2_ALIGNED] = "p2_aligned",
	[CR_GOAL_LEN_FAST] = "goal_fast",
	[CR_BEST_AVAIL_LEN] = "best_avail",
	[CR_GOAL_LEN_SLOW] = "goal_slow",
	[CR_ANY_FREE] = "any_free",
};

GETTER(c_name, criterion_row, cell_text(criterion_words[r->criterion]))
INTEGER(c_examined, criterion_row, r->cost->examined[r->criterion])
INTEGER(c_considered, criterion_row, r->cost->considered[r->criterion])
INTEGER(c_extents, criterion_row, r->cost->extents[r->criterion])
INTEGER(c_hits, criterion_row, r->cost->hits[r->criterion])
INTEGER(c_failed, criterion_row, r->cost->failed[r->criterion])

static const struct column criterion_columns[] = {
	{ "groups_examined", "groups", CELL_INTEGER, c_examined },
	{ "groups_considered", "considered", CELL_INTEGER, c_considered },
	{ "extents_scanned", "extents", CELL_INTEGER, c_extents },
	{ "hits", "hits", CELL_INTEGER, c_hits },
	{ "useless_loops", "useless", CELL_INTEGER, c_failed },
	{ "criterion", "criterion", CELL_TEXT, c_name },
};
TABLE(criterion_table, criterion_columns);

INTEGER(e_group, e2s_mballoc_extent, r->group)
INTEGER(e_start, e2s_mballoc_extent, r->start)
INTEGER(e_length, e2s_mballoc_extent, r->len)

static const struct column extent_columns[] = {
	{ "group", "group", CELL_INTEGER, e_group },
	{ "start", "first", CELL_INTEGER, e_start },
	{ "length", "length", CELL_INTEGER, e_length },
};
TABLE(extent_table, extent_columns);

/* --- tasks that meet --- */

static uint64_t examined(const struct e2s_mballoc_cost *cost)
{
	uint64_t sum = 0;
	unsigned criterion;

	for (criterion = 0; criterion < EXT4_MB_NUM_CRS; criterion++)
		sum += cost->examined[criterion];
	return sum;
}

GETTER(t_name, tasks_row, cell_text(r->name))
INTEGER(t_optimize, tasks_row, (uint64_t)r->search.optimize_scan)
INTEGER(t_skip, tasks_row, (uint64_t)r->skip_busy)
INTEGER(t_examined, tasks_row, examined(&r->meeting.cost))

#define MEETING(field) INTEGER(t_##field, tasks_row, r->meeting.field)

MEETING(requests)
MEETING(failed)
MEETING(clusters)
MEETING(groups_used)
MEETING(groups_met)
MEETING(tries)
MEETING(waits)
MEETING(wait_steps)
MEETING(skips)
MEETING(aliases)
MEETING(in_vain)
MEETING(steps)

static const struct column tasks_columns[] = {
	{ "optimize_scan", NULL, CELL_INTEGER, t_optimize },
	{ "skip_busy", NULL, CELL_INTEGER, t_skip },
	{ "requests", "served", CELL_INTEGER, t_requests },
	{ "failed", "failed", CELL_INTEGER, t_failed },
	{ "clusters", NULL, CELL_INTEGER, t_clusters },
	{ "groups_used", "used", CELL_INTEGER, t_groups_used },
	{ "groups_met", "met", CELL_INTEGER, t_groups_met },
	{ "groups_examined", "groups", CELL_INTEGER, t_examined },
	{ "tries", "tries", CELL_INTEGER, t_tries },
	{ "waits", "waits", CELL_INTEGER, t_waits },
	{ "wait_steps", "waited", CELL_INTEGER, t_wait_steps },
	{ "skips", "skips", CELL_INTEGER, t_skips },
	{ "aliases", "aliases", CELL_INTEGER, t_aliases },
	{ "in_vain", "in vain", CELL_INTEGER, t_in_vain },
	{ "steps", "steps", CELL_INTEGER, t_steps },
	{ "search", "search", CELL_TEXT, t_name },
};
TABLE(tasks_table, tasks_columns);

/* --- goals of streams --- */

INTEGER(slot_number, slot_row, r->slot)
INTEGER(slot_inodes, slot_row, r->inodes)

static const struct column slot_columns[] = {
	{ "slot", "slot", CELL_INTEGER, slot_number },
	{ "inodes", "inodes", CELL_INTEGER, slot_inodes },
};
TABLE(slot_table, slot_columns);
