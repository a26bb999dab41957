/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: the rows of its tables, and the tables themselves. */
#ifndef E2SPREAD_REPORT_H
#define E2SPREAD_REPORT_H

#include "e2spread/table.h"
#include "measure/measure.h"

struct filesystem_row {
	const struct e2s_fs *fs;
	uint64_t inodes_used;		/* allocated, says the superblock */
	char uuid[37];
	char label[EXT2_LABEL_LEN + 1];
};

struct totals_row {
	const struct e2s_measure *measure;
	double rho;			/* for creation_reads */
};

struct flex_row {
	const struct e2s_fs *fs;
	const struct e2s_counters *sums;
	uint32_t flex_group, first_group, groups;
	uint64_t inodes_free, blocks_free;
};

struct dir_row {
	const struct e2s_scan *scan;
	struct e2s_dir_row d;
	char *path;
};

extern const struct table filesystem_table;	/* of struct filesystem_row */
extern const struct table totals_table;		/* of struct totals_row */
extern const struct table flex_table;		/* of struct flex_row */
extern const struct table dir_table;		/* of struct dir_row */

#endif
