/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report for people. */
#include <inttypes.h>
#include <stdio.h>

#include "e2spread/report.h"

#define HISTOGRAM_SHOWN 64	/* groups of a flex group */

static void print_histogram(const struct home_row *row)
{
	uint32_t i;

	if (row->colliding < 2 || row->groups > HISTOGRAM_SHOWN)
		return;
	printf("    flex group %u:", row->flex_group);
	for (i = 0; i < row->groups; i++)
		printf(" %u", row->counts[i]);
	putchar('\n');
}

static void print_homes(const struct report *r)
{
	size_t i;

	if (!r->homes_n || r->fs->geo.flex_size == 1)
		return;
	puts("\nHome groups by the patched kernel's rule (directory number mod "
	     "n):");
	table_print_rows(stdout, &home_table, r->homes, r->homes_n,
			 sizeof(*r->homes));
	for (i = 0; i < r->homes_n; i++)
		print_histogram(&r->homes[i]);
}

static void print_goals(const struct report *r)
{
	const struct report_goals *goals = &r->goals;

	if (!goals->files)
		return;
	printf("\nStream goals with %" PRIu64 " CPUs: %u slots.  The n-th "
	       "files of directory %u and its siblings:\n",
	       r->options->cpus, goals->slots, r->scan->dirs[goals->dir].ino);
	if (goals->after.histogram)
		table_print_pair(stdout, &goals_table, "now", &goals->now,
				 "relaid", &goals->after);
	else
		table_print_row(stdout, &goals_table, &goals->now);
}

static void print_totals(const struct report *r)
{
	struct totals_row after = { r->after_measure, r->options->rho };

	puts("\nTotals:");
	if (r->after_measure)
		table_print_pair(stdout, &totals_table, "now", &r->totals,
				 "relaid", &after);
	else
		table_print_row(stdout, &totals_table, &r->totals);
}

void print_report_text(const struct report *r)
{
	const struct e2s_geometry *geo = &r->fs->geo;

	print_bytes(stdout, r->fs->device);
	if (r->filesystem.label[0]) {
		fputs(" '", stdout);
		print_bytes(stdout, r->filesystem.label);
		fputs("'", stdout);
	}
	printf(": %" PRIu64 " of %u inodes in use, %u groups of %u inodes, "
	       "%u inodes an itable block, ", r->filesystem.inodes_used,
	       geo->inodes, geo->groups, geo->inodes_per_group,
	       geo->inodes_per_block);
	if (geo->flex_size > 1)
		printf("flex groups of %u\n", geo->flex_size);
	else
		puts("no flex groups");
	printf("\n%s:\n", geo->flex_size > 1 ? "Flex groups" : "Groups");
	table_print_rows(stdout, &flex_table, r->flex, r->flex_n,
			 sizeof(*r->flex));
	if (r->dirs_n) {
		printf("\nWorst directories (%zu of %" PRIu64 "):\n",
		       r->dirs_n, r->measure.homes);
		table_print_rows(stdout, &dir_table, r->dirs, r->dirs_n,
				 sizeof(*r->dirs));
	}
	print_homes(r);
	print_goals(r);
	print_totals(r);
	putchar('\n');
	print_advice(stdout, r->fs, &r->measure, r->after_measure,
		     r->balanced.plan ? &r->balanced.measure : NULL,
		     r->options->rho);
}
