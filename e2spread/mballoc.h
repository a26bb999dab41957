/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mballoc: what the command has computed, and the tables it shows it in. */
#ifndef E2SPREAD_MBALLOC_H
#define E2SPREAD_MBALLOC_H

#include "e2spread/table.h"
#include "mballoc/mballoc.h"

#define MBALLOC_SUMMARY "mb_structs_summary"

struct mballoc_fs_row {
	const struct e2s_fs *fs;
	const struct e2s_mballoc_layout *layout;
	int optimize_scan;		/* what the lists below are of */
};

struct group_row {
	uint32_t group;
	const struct e2s_mballoc_group *info;
};

/* A request under one way to search. */
struct search_row {
	const char *name;
	struct e2s_mballoc_search search;
	struct e2s_mballoc_cost cost;
	E2S_VEC(struct e2s_mballoc_extent) extents;
	uint32_t missing;		/* clusters that were not found */
};

struct criterion_row {
	const struct e2s_mballoc_cost *cost;
	unsigned criterion;
};

struct tasks_row {
	const char *name;
	struct e2s_mballoc_search search;
	int skip_busy;
	struct e2s_mballoc_meeting meeting;
};

struct slot_row {
	uint32_t slot;
	uint64_t inodes;
};

struct mballoc_options {
	const char *device;
	int json;
	unsigned open_flags;
	uint64_t threads;
	const char *proc;		/* only this file of /proc, or NULL */
	int64_t group;			/* only this one, -1: all */
	int optimize_scan;		/* -1: as the kernel decides */
	uint64_t request;		/* blocks, 0: none asked about */
	uint64_t goal, linear_limit;
	uint64_t tasks, count, cpus;
	E2S_VEC(uint32_t) inodes;
};

/* Everything that the output is made from. */
struct mballoc_view {
	const struct mballoc_options *options;
	struct e2s_fs *fs;
	struct e2s_mballoc *mb;
	struct mballoc_fs_row filesystem;
	uint32_t largest[E2S_MBALLOC_ORDERS_MAX];
	uint32_t fragment[E2S_MBALLOC_ORDERS_MAX];
	uint32_t request_clusters;
	struct search_row searches[2];
	struct tasks_row tasks[3];
	struct slot_row *slots;
	uint32_t slots_n;
};

extern const struct table mballoc_fs_table;	/* of struct mballoc_fs_row */
extern const struct table group_table;		/* of struct group_row */
extern const struct table search_table;		/* of struct search_row */
extern const struct table criterion_table;	/* of struct criterion_row */
extern const struct table extent_table;	/* of struct e2s_mballoc_extent */
extern const struct table tasks_table;		/* of struct tasks_row */
extern const struct table slot_table;		/* of struct slot_row */

/* Print V on standard output. */
void mballoc_print_text(const struct mballoc_view *v);
void mballoc_print_json(const struct mballoc_view *v);

#endif
