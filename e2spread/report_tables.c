/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of report: the order of columns is that of text and JSON.
 */
#include "e2spread/report.h"

/* --- filesystem --- */

GETTER(fs_device, filesystem_row, cell_text(r->fs->device))
GETTER(fs_uuid, filesystem_row, cell_text(r->uuid))
GETTER(fs_label, filesystem_row, cell_text(r->label))
INTEGER(fs_block_size, filesystem_row, r->fs->geo.block_size)
INTEGER(fs_inode_size, filesystem_row, r->fs->geo.inode_size)
INTEGER(fs_inodes, filesystem_row, r->fs->geo.inodes)
INTEGER(fs_inodes_used, filesystem_row, r->inodes_used)
INTEGER(fs_per_group, filesystem_row, r->fs->geo.inodes_per_group)
INTEGER(fs_per_block, filesystem_row, r->fs->geo.inodes_per_block)
INTEGER(fs_groups, filesystem_row, r->fs->geo.groups)
INTEGER(fs_flex_size, filesystem_row, r->fs->geo.flex_size)
INTEGER(fs_flex_groups, filesystem_row, r->fs->geo.flex_groups)

static const struct column filesystem_columns[] = {
	{ "device", NULL, CELL_TEXT, fs_device },
	{ "uuid", NULL, CELL_TEXT, fs_uuid },
	{ "label", NULL, CELL_TEXT, fs_label },
	{ "block_size", "block size", CELL_INTEGER, fs_block_size },
	{ "inode_size", "inode size", CELL_INTEGER, fs_inode_size },
	{ "inodes", "inodes", CELL_INTEGER, fs_inodes },
	{ "inodes_used", "inodes in use", CELL_INTEGER, fs_inodes_used },
	{ "inodes_per_group", "inodes a group", CELL_INTEGER, fs_per_group },
	{ "inodes_per_block", "inodes an itable block", CELL_INTEGER,
	  fs_per_block },
	{ "groups", "groups", CELL_INTEGER, fs_groups },
	{ "flex_bg_size", "groups a flex group", CELL_INTEGER, fs_flex_size },
	{ "flex_groups", "flex groups", CELL_INTEGER, fs_flex_groups },
};
TABLE(filesystem_table, filesystem_columns);

/* --- totals --- */

#define TOTAL(name, field) \
	INTEGER(t_##name, totals_row, r->measure->field)

TOTAL(directories, totals.directories)
TOTAL(homes, homes)
TOTAL(files, totals.files)
TOTAL(itable_blocks, totals.itable_blocks)
TOTAL(directory_blocks, totals.directory_blocks)
TOTAL(least_blocks, least_blocks)
TOTAL(shared_blocks, totals.shared_blocks)
TOTAL(sibling_shared_blocks, totals.sibling_shared_blocks)
TOTAL(homes_per_block_max, totals.homes_per_block_max)
TOTAL(windows, totals.windows)
TOTAL(groups_inode_uninit, totals.groups_inode_uninit)
TOTAL(itable_blocks_fsck, totals.itable_blocks_fsck)
GETTER(t_excess, totals_row, cell_ratio(r->measure->totals.directory_blocks,
					r->measure->least_blocks))
GETTER(t_shared_pct, totals_row,
       cell_percent(r->measure->totals.shared_blocks,
		    r->measure->totals.itable_blocks))
GETTER(t_sibling_pct, totals_row,
       cell_percent(r->measure->totals.sibling_shared_blocks,
		    r->measure->totals.itable_blocks))
GETTER(t_homes_mean, totals_row,
       cell_ratio(r->measure->totals.directory_blocks,
		  r->measure->totals.itable_blocks))

INTEGER(t_creation_reads, totals_row, (uint64_t)(0.5 +
	e2s_measure_creation_reads(r->measure, r->rho)))

static const struct column totals_columns[] = {
	{ "directories", "directories", CELL_INTEGER, t_directories },
	{ "homes", "directories with files", CELL_INTEGER, t_homes },
	{ "files", "files", CELL_INTEGER, t_files },
	{ "itable_blocks", "itable blocks with files", CELL_INTEGER,
	  t_itable_blocks },
	{ "directory_blocks", "itable blocks, sum over directories",
	  CELL_INTEGER, t_directory_blocks },
	{ "least_blocks", "the least this sum could be", CELL_INTEGER,
	  t_least_blocks },
	{ "excess", "excess over the least", CELL_HUNDREDTHS, t_excess },
	{ "shared_blocks", "blocks shared by directories", CELL_INTEGER,
	  t_shared_blocks },
	{ "shared_pct", "  in percent", CELL_HUNDREDTHS, t_shared_pct },
	{ "sibling_shared_blocks", "blocks shared by sibling directories",
	  CELL_INTEGER, t_sibling_shared_blocks },
	{ "sibling_shared_pct", "  in percent", CELL_HUNDREDTHS,
	  t_sibling_pct },
	{ "homes_per_block_mean", "directories a block, mean",
	  CELL_HUNDREDTHS, t_homes_mean },
	{ "homes_per_block_max", "directories a block, most", CELL_INTEGER,
	  t_homes_per_block_max },
	{ "creation_reads", "reads while tasks create them anew", CELL_INTEGER,
	  t_creation_reads },
	{ "windows", "readahead windows, sum over directories", CELL_INTEGER,
	  t_windows },
	{ "groups_inode_uninit", "groups whose inodes were never used",
	  CELL_INTEGER, t_groups_inode_uninit },
	{ "itable_blocks_fsck", "itable blocks that e2fsck reads",
	  CELL_INTEGER, t_itable_blocks_fsck },
};
TABLE(totals_table, totals_columns);

/* --- flex groups --- */

INTEGER(f_flex_group, flex_row, r->flex_group)
INTEGER(f_first_group, flex_row, r->first_group)
INTEGER(f_groups, flex_row, r->groups)
INTEGER(f_inodes, flex_row,
	(uint64_t)r->groups * r->fs->geo.inodes_per_group)
INTEGER(f_inodes_used, flex_row,
	(uint64_t)r->groups * r->fs->geo.inodes_per_group - r->inodes_free)
INTEGER(f_inodes_free, flex_row, r->inodes_free)
INTEGER(f_blocks_free, flex_row, r->blocks_free)
INTEGER(f_directories, flex_row, r->sums->directories)
INTEGER(f_files, flex_row, r->sums->files)
INTEGER(f_itable_blocks, flex_row, r->sums->itable_blocks)
INTEGER(f_directory_blocks, flex_row, r->sums->directory_blocks)
INTEGER(f_shared, flex_row, r->sums->shared_blocks)
INTEGER(f_sibling, flex_row, r->sums->sibling_shared_blocks)
INTEGER(f_homes_max, flex_row, r->sums->homes_per_block_max)
INTEGER(f_windows, flex_row, r->sums->windows)
INTEGER(f_uninit, flex_row, r->sums->groups_inode_uninit)
INTEGER(f_fsck, flex_row, r->sums->itable_blocks_fsck)
GETTER(f_shared_pct, flex_row, cell_percent(r->sums->shared_blocks,
					    r->sums->itable_blocks))
GETTER(f_sibling_pct, flex_row, cell_percent(r->sums->sibling_shared_blocks,
					     r->sums->itable_blocks))
GETTER(f_homes_mean, flex_row, cell_ratio(r->sums->directory_blocks,
					  r->sums->itable_blocks))

static const struct column flex_columns[] = {
	{ "flex_group", "flex", CELL_INTEGER, f_flex_group },
	{ "first_group", "group", CELL_INTEGER, f_first_group },
	{ "groups", "groups", CELL_INTEGER, f_groups },
	{ "inodes", NULL, CELL_INTEGER, f_inodes },
	{ "inodes_used", "used", CELL_INTEGER, f_inodes_used },
	{ "inodes_free", "free", CELL_INTEGER, f_inodes_free },
	{ "blocks_free", NULL, CELL_INTEGER, f_blocks_free },
	{ "directories", "dirs", CELL_INTEGER, f_directories },
	{ "files", "files", CELL_INTEGER, f_files },
	{ "itable_blocks", "blocks", CELL_INTEGER, f_itable_blocks },
	{ "directory_blocks", NULL, CELL_INTEGER, f_directory_blocks },
	{ "shared_blocks", NULL, CELL_INTEGER, f_shared },
	{ "shared_pct", "shared%", CELL_HUNDREDTHS, f_shared_pct },
	{ "sibling_shared_blocks", NULL, CELL_INTEGER, f_sibling },
	{ "sibling_shared_pct", "sibling%", CELL_HUNDREDTHS, f_sibling_pct },
	{ "homes_per_block_mean", "dirs/block", CELL_HUNDREDTHS, f_homes_mean },
	{ "homes_per_block_max", "most", CELL_INTEGER, f_homes_max },
	{ "windows", "windows", CELL_INTEGER, f_windows },
	{ "groups_inode_uninit", "uninit", CELL_INTEGER, f_uninit },
	{ "itable_blocks_fsck", NULL, CELL_INTEGER, f_fsck },
};
TABLE(flex_table, flex_columns);

/* --- home groups --- */

INTEGER(h_flex_group, home_row, r->flex_group)
INTEGER(h_first_group, home_row, r->first_group)
INTEGER(h_groups, home_row, r->groups)
INTEGER(h_homes, home_row, r->homes)
INTEGER(h_used, home_row, r->used)
INTEGER(h_largest, home_row, r->largest)
INTEGER(h_colliding, home_row, r->colliding)

static const struct column home_columns[] = {
	{ "flex_group", "flex", CELL_INTEGER, h_flex_group },
	{ "first_group", "group", CELL_INTEGER, h_first_group },
	{ "groups", "n", CELL_INTEGER, h_groups },
	{ "homes", "directories", CELL_INTEGER, h_homes },
	{ "home_groups", "home groups", CELL_INTEGER, h_used },
	{ "largest", "most in one", CELL_INTEGER, h_largest },
	{ "colliding", "colliding", CELL_INTEGER, h_colliding },
};
TABLE(home_table, home_columns);

/* --- stream goals --- */

GETTER(g_used, goals_row, cell_ratio(r->slots_used, r->files))
GETTER(g_largest, goals_row, cell_ratio(r->largest, r->files))

static const struct column goals_columns[] = {
	{ "slots_used_mean", "slots that they fall into", CELL_HUNDREDTHS,
	  g_used },
	{ "largest_mean", "most of them in one slot", CELL_HUNDREDTHS,
	  g_largest },
};
TABLE(goals_table, goals_columns);

/* --- directories --- */

INTEGER(d_ino, dir_row, r->scan->dirs[r->d.dir].ino)
GETTER(d_path, dir_row, cell_text(r->path))
INTEGER(d_files, dir_row, r->d.files)
INTEGER(d_blocks, dir_row, r->d.blocks)
INTEGER(d_least, dir_row, r->d.least_blocks)
INTEGER(d_exclusive, dir_row, r->d.exclusive_blocks)
INTEGER(d_groups, dir_row, r->d.groups)
INTEGER(d_flex_groups, dir_row, r->d.flex_groups)
INTEGER(d_windows, dir_row, r->d.windows)
INTEGER(d_readdir, dir_row, r->d.readdir_switches)
INTEGER(d_inode_order, dir_row, r->d.inode_order_switches)
GETTER(d_excess, dir_row, cell_ratio(r->d.blocks, r->d.least_blocks))
GETTER(d_home_flex, dir_row, cell_percent(r->d.home_flex_files, r->d.files))

static struct cell d_parent(const void *row)
{
	const struct dir_row *r = row;
	uint32_t parent = r->scan->dirs[r->d.dir].parent;

	return cell_integer(parent == E2S_DIR_NONE ? 0
						   : r->scan->dirs[parent].ino);
}

static const struct column dir_columns[] = {
	{ "ino", "inode", CELL_INTEGER, d_ino },
	{ "parent_ino", NULL, CELL_INTEGER, d_parent },
	{ "files", "files", CELL_INTEGER, d_files },
	{ "blocks", "blocks", CELL_INTEGER, d_blocks },
	{ "least_blocks", "least", CELL_INTEGER, d_least },
	{ "excess", "excess", CELL_HUNDREDTHS, d_excess },
	{ "exclusive_blocks", "own", CELL_INTEGER, d_exclusive },
	{ "groups", "groups", CELL_INTEGER, d_groups },
	{ "flex_groups", NULL, CELL_INTEGER, d_flex_groups },
	{ "windows", "windows", CELL_INTEGER, d_windows },
	{ "home_flex_pct", "home%", CELL_HUNDREDTHS, d_home_flex },
	{ "readdir_switches", "readdir", CELL_INTEGER, d_readdir },
	{ "inode_order_switches", NULL, CELL_INTEGER, d_inode_order },
	{ "path", "path", CELL_TEXT, d_path },
};
TABLE(dir_table, dir_columns);
