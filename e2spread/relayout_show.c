/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What relayout says of its plan before it does anything. */
#include <inttypes.h>

#include "e2spread/relayout.h"
#include "e2spread/report.h"
#include "fs/journal.h"
#include "redo/redo.h"

static const char *const orders[] = {
	[E2S_PLAN_CREATION] = "order of creation",
	[E2S_PLAN_DIR] = "directory by directory",
	[E2S_PLAN_HASH] = "directory by directory in readdir order",
};

static void show_stays(const struct relayout *r)
{
	const char *separator = "  stay: ";
	uint64_t n;
	unsigned stay;

	for (stay = 0; stay < E2S_STAYS; stay++) {
		n = e2s_plan_stays(r->after.plan, stay);
		if (!n)
			continue;
		printf("%s%" PRIu64 " (%s)", separator, n,
		       e2s_plan_stay_words(stay));
		separator = ", ";
	}
	putchar('\n');
}

static void show_cost(const struct relayout *r)
{
	const struct e2s_plan_cost *c = &r->cost;

	printf("  to write: %" PRIu64 " blocks in place (%" PRIu64 " itable, %"
	       PRIu64 " directory, %" PRIu64 " extent, %" PRIu64 " bitmap, %"
	       PRIu64 " descriptor), the same again to the %s\n"
	       "  dirtied: %" PRIu64 " chunks of 4 MiB\n"
	       "  groups that lose INODE_UNINIT: %" PRIu64 "; itable blocks "
	       "that e2fsck reads: %" PRIu64 " before, %" PRIu64 " after\n",
	       c->blocks, c->itable_blocks, c->dir_blocks, c->extent_blocks,
	       c->bitmap_blocks, c->desc_blocks,
	       r->options->redo_file ? "redo file" : "journal", c->chunks_4m,
	       c->groups_lose_uninit, c->fsck_blocks_before,
	       c->fsck_blocks_after);
}

/* Each batch has its own copy of a block that several change. */
static void show_batches(const struct relayout *r)
{
	uint32_t most = E2S_REDO_MAX_BLOCKS;
	struct e2s_journal journal;

	if (!r->options->redo_file &&
	    !e2s_fs_journal_read(r->fs, &journal, NULL) &&
	    journal.last - journal.first < most)
		most = journal.last - journal.first;
	if (r->cost.blocks > most)
		printf("  more than a batch holds (%" PRIu32 " blocks): "
		       "several batches, some blocks in more than one\n", most);
}

void show_plan(const struct relayout *r)
{
	const struct relayout_options *o = r->options;
	struct totals_row now = { &r->now, E2S_RHO };
	struct totals_row after = { &r->after.measure, E2S_RHO };

	if (o->plan_file)
		printf("Plan: from %s\n", o->plan_file);
	else
		printf("Plan: policy %s, %s%s\n", o->plan.policy->name,
		       orders[o->plan.order],
		       o->plan.move_dirs ? ", directories too" : "");
	printf("  %" PRIu64 " of %" PRIu64 " inodes move\n",
	       e2s_plan_moves(r->after.plan), r->scan->inodes_used);
	show_stays(r);
	show_cost(r);
	show_batches(r);
	putchar('\n');
	table_print_pair(stdout, &totals_table, "now", &now, "after", &after);
	puts("\nWhat remembers inode numbers outside the file system must start "
	     "anew: NFS\nclients (above all of files with generation 0, as "
	     "mke2fs -d makes them), log\nshippers, incremental dumps.  --map "
	     "FILE writes the old and new numbers.");
}
