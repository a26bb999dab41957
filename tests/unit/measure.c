/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: a layout small enough to be counted by hand.
 *
 *     group 0, table at block 10        group 1, table at block 13
 *     | a a b . | c c c a |             | b b b b | . . . . |
 *
 * /a and /b are siblings, c is /a/c.  Four inodes a block, eight a group, one
 * flex group; windows of two blocks: 10 and 11 are one, 13 and 14 are two.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/measure.h"

enum { ROOT, A, B, C, DIRS };

#define FILE_OF(dir) (E2S_SLOT_FILE | ((dir) + 1))

static int failed;

static void expect(const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	printf("%s: got %llu, want %llu\n", what, (unsigned long long)got,
	       (unsigned long long)want);
	failed = 1;
}

static void check_totals(const struct e2s_measure *m)
{
	const struct e2s_counters *t = &m->totals;

	expect("files", t->files, 11);
	expect("directories", t->directories, 0);
	expect("homes", m->homes, 3);
	expect("itable_blocks", t->itable_blocks, 3);
	expect("directory_blocks", t->directory_blocks, 5);
	expect("least_blocks", m->least_blocks, 1 + 2 + 1);
	expect("shared_blocks", t->shared_blocks, 2);
	expect("sibling_shared_blocks", t->sibling_shared_blocks, 1);
	expect("homes_per_block_max", t->homes_per_block_max, 2);
	expect("windows", t->windows, 3 + 1);
	expect("itable_blocks_fsck", t->itable_blocks_fsck, 4);
	expect("a block of two siblings", m->siblings[2], 1);
	expect("creation reads, 10^6 of them",
	       (uint64_t)(1e6 * e2s_measure_creation_reads(m, 0.139) + 0.5),
	       (uint64_t)(1e6 * (1 - exp(-0.139)) + 0.5));
}

static void check_rows(const struct e2s_dir_row *rows, size_t n)
{
	expect("rows", n, 3);
	if (n != 3)
		return;
	/* a wastes a block; b and c waste none, and b has more files. */
	expect("first", rows[0].dir, A);
	expect("second", rows[1].dir, B);
	expect("third", rows[2].dir, C);
	expect("a: blocks", rows[0].blocks, 2);
	expect("a: exclusive", rows[0].exclusive_blocks, 0);
	expect("a: windows", rows[0].windows, 1);
	expect("b: exclusive", rows[1].exclusive_blocks, 1);
	expect("b: groups", rows[1].groups, 2);
	expect("b: flex groups", rows[1].flex_groups, 1);
	expect("b: windows", rows[1].windows, 2);
	expect("b: in its flex group", rows[1].home_flex_files, 5);
	expect("b: inode order", rows[1].inode_order_switches, 1);
}

/* Names in the order c1 a1(twice) c2: only files whose home it is count. */
static void check_switches(const struct e2s_scan *scan)
{
	struct e2s_name v[] = {
		{ .ino = 1 }, { .ino = 8 }, { .ino = 8 }, { .ino = 3 },
		{ .ino = 2 }, { .ino = 16 },
	};
	struct e2s_names names = { .v = v, .n = 6 };

	expect("switches of a", e2s_measure_switches(scan, A, &names), 2);
	expect("switches of c", e2s_measure_switches(scan, C, &names), 0);
}

/* Numbers 1, 2 and 3 in one flex group of two groups: 1 and 3 collide. */
static void check_homes(const struct e2s_scan *scan,
			const struct e2s_measure *measure)
{
	uint32_t homes[2];

	e2s_measure_home_groups(scan, measure, homes);
	expect("home group 0", homes[0], 1);
	expect("home group 1", homes[1], 2);
}

int main(void)
{
	struct ext2_super_block super = { .s_desc_size = 32 };
	struct ext2_group_desc desc[2] = { { .bg_inode_table = 10 },
					   { .bg_inode_table = 13 } };
	struct struct_ext2_filsys ext2 = {
		.super = &super, .group_desc_count = 2, .blocksize = 1024,
		.group_desc = (struct opaque_ext2_group_desc *)desc,
	};
	struct e2s_fs fs = { .ext2 = &ext2, .geo = {
		.inodes = 16, .inodes_per_group = 8, .inodes_per_block = 4,
		.itable_blocks = 2, .groups = 2, .flex_size = 2,
		.flex_shift = 1, .flex_groups = 1 } };
	e2s_slot group0[8] = { FILE_OF(A), FILE_OF(A), FILE_OF(B),
			       E2S_SLOT_FREE, FILE_OF(C), FILE_OF(C),
			       FILE_OF(C), FILE_OF(A) };
	e2s_slot group1[8] = { FILE_OF(B), FILE_OF(B), FILE_OF(B), FILE_OF(B) };
	e2s_slot *slots[2] = { group0, group1 };
	uint32_t used[2] = { 8, 8 };
	struct e2s_scan_dir dirs[DIRS] = {
		[ROOT] = { .ino = 2, .parent = ROOT },
		[A] = { .ino = 1, .parent = ROOT },
		[B] = { .ino = 2, .parent = ROOT },
		[C] = { .ino = 3, .parent = A },
	};
	struct e2s_scan scan = { .fs = &fs, .layout = { slots, used },
				 .dirs = dirs, .dirs_n = DIRS };
	struct e2s_measure measure;
	struct e2s_dir_row *rows = NULL;
	size_t n;

	if (e2s_measure_layout(&scan, 2, &measure) ||
	    e2s_measure_worst(&scan, &measure, 2, 10, &rows, &n))
		return 1;
	check_totals(&measure);
	check_rows(rows, n);
	check_switches(&scan);
	check_homes(&scan, &measure);
	free(rows);
	/* A short list is the head of the long one. */
	if (e2s_measure_worst(&scan, &measure, 2, 1, &rows, &n))
		return 1;
	expect("rows when one is wanted", n, 1);
	expect("the worst", rows[0].dir, A);
	free(rows);
	e2s_measure_free(&measure);
	return failed;
}
