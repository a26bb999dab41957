/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of simulate.  JSON has all columns of simulate_table; text shows
 * stretches of it, each with the policy's name at the end of the line.
 */
#include "e2spread/simulate.h"

#define RESULT(name) INTEGER(s_##name, policy_row, r->result.name)

static uint64_t rounded(uint64_t sum, uint64_t n)
{
	return n ? (sum + n / 2) / n : 0;
}

GETTER(s_policy, policy_row, cell_text(r->policy->name))
RESULT(directories)
RESULT(files)
RESULT(groups)
RESULT(flex_groups)
RESULT(itable_blocks)
RESULT(shared_blocks)
RESULT(sibling_shared_blocks)
RESULT(homes_per_block_max)
GETTER(s_shared_pct, policy_row, cell_percent(r->result.shared_blocks,
				  r->result.itable_blocks))
GETTER(s_sibling_pct, policy_row, cell_percent(r->result.sibling_shared_blocks,
				   r->result.itable_blocks))
GETTER(s_homes_mean, policy_row, cell_ratio(r->result.directory_blocks,
				r->result.itable_blocks))
INTEGER(s_creation_reads, policy_row, (uint64_t)(r->result.creation_reads + 0.5))
INTEGER(s_cold_blocks, policy_row, rounded(r->result.home_blocks, r->result.homes))
INTEGER(s_cold_windows, policy_row, rounded(r->result.home_windows, r->result.homes))
RESULT(walk_windows)
RESULT(groups_lose_uninit)
RESULT(fsck_blocks)
RESULT(out_of_inodes)

#define POLICY_LAST { NULL, "policy", CELL_TEXT, s_policy }

static const struct column columns[] = {
	{ "policy", NULL, CELL_TEXT, s_policy },
	{ "directories", NULL, CELL_INTEGER, s_directories },
	{ "files", "files", CELL_INTEGER, s_files },
	{ "groups", "groups", CELL_INTEGER, s_groups },
	{ "flex_groups", "flex", CELL_INTEGER, s_flex_groups },
	{ "itable_blocks", "blocks", CELL_INTEGER, s_itable_blocks },
	{ "shared_blocks", "shared", CELL_INTEGER, s_shared_blocks },
	{ "shared_pct", NULL, CELL_HUNDREDTHS, s_shared_pct },
	{ "sibling_shared_blocks", "sibling", CELL_INTEGER,
	  s_sibling_shared_blocks },
	{ "sibling_shared_pct", "sibling%", CELL_HUNDREDTHS, s_sibling_pct },
	{ "homes_per_block_mean", "dirs/block", CELL_HUNDREDTHS,
	  s_homes_mean },
	{ "homes_per_block_max", "most", CELL_INTEGER, s_homes_per_block_max },
	POLICY_LAST,
#define PLACES_END 13
	{ "creation_reads", "creation", CELL_INTEGER, s_creation_reads },
	{ "cold_blocks", "cold blocks", CELL_INTEGER, s_cold_blocks },
	{ "cold_windows", "cold windows", CELL_INTEGER, s_cold_windows },
	{ "walk_windows", "walk windows", CELL_INTEGER, s_walk_windows },
	{ "groups_lose_uninit", "lose uninit", CELL_INTEGER,
	  s_groups_lose_uninit },
	{ "itable_blocks_fsck", "fsck blocks", CELL_INTEGER, s_fsck_blocks },
	POLICY_LAST,
#define COSTS_END 20
	{ "out_of_inodes", NULL, CELL_INTEGER, s_out_of_inodes },
};
const struct table simulate_table = {
	columns, sizeof(columns) / sizeof(columns[0])
};
const struct table simulate_places = { columns, PLACES_END };
const struct table simulate_costs = { columns + PLACES_END,
				      COSTS_END - PLACES_END };

/*
 * The allocator model tells more reasons apart: other ways to search the groups
 * are "any", other ways to pick a flex group "orlov".
 */
#define WHY(name) r->result.chosen[E2S_IALLOC_##name]

INTEGER(c_home, policy_row, WHY(HOME))
INTEGER(c_last, policy_row, WHY(LAST))
INTEGER(c_empty, policy_row, WHY(EMPTY))
INTEGER(c_any, policy_row, WHY(ANY) + WHY(QUADRATIC) + WHY(LINEAR))
INTEGER(c_retry, policy_row, WHY(RETRY))
INTEGER(c_orlov, policy_row, WHY(ORLOV) + WHY(TOPDIR) + WHY(FALLBACK) + WHY(BEFORE) +
	WHY(ROOMY) + WHY(BEST))

static const struct column chosen[] = {
	{ "home", "home", CELL_INTEGER, c_home },
	{ "last", "last", CELL_INTEGER, c_last },
	{ "empty", "empty", CELL_INTEGER, c_empty },
	{ "any", "any", CELL_INTEGER, c_any },
	{ "retry", "retry", CELL_INTEGER, c_retry },
	{ "orlov", "orlov", CELL_INTEGER, c_orlov },
#define CHOSEN_END 6
	{ NULL, "out of inodes", CELL_INTEGER, s_out_of_inodes },
	POLICY_LAST,
};
const struct table chosen_table = { chosen, CHOSEN_END };
const struct table simulate_whys = {
	chosen, sizeof(chosen) / sizeof(chosen[0])
};
