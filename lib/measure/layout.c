/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of a layout, in one pass over its slots. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "measure/measure.h"

/* Per directory: the number of the last block or window it was seen in.  Both
 * are counted from 1 over the whole pass. */
struct seen {
	uint32_t block;
	uint32_t window;
	uint32_t child_block;	/* block in which a child of it was seen, */
	uint32_t family;	/* and which of the block's families that is */
};

struct e2s_measure_pass {
	const struct e2s_scan *scan;
	struct e2s_measure *measure;
	struct seen *seen;		/* [directory] */
	struct e2s_counters *sums;	/* of the flex group under way */
	uint32_t readahead_blks;
	uint32_t block, window;		/* counted so far */
	uint32_t families;		/* parents seen in the block, */
	uint32_t family[E2S_IPB_MAX];	/* and how many of their children */
};

/* Counts a home of the block as a child of its parent; the root is nobody's. */
static void see_home(struct e2s_measure_pass *pass, uint32_t home)
{
	uint32_t parent = pass->scan->dirs[home].parent;
	struct seen *seen;

	if (parent == home || parent == E2S_DIR_NONE)
		return;
	seen = &pass->seen[parent];
	if (seen->child_block != pass->block) {
		seen->child_block = pass->block;
		seen->family = pass->families++;
		pass->family[seen->family] = 0;
	}
	pass->family[seen->family]++;
}

/* Books the families of the block; 1 when one has several members. */
static int count_families(struct e2s_measure_pass *pass)
{
	uint32_t i;
	int siblings = 0;

	for (i = 0; i < pass->families; i++) {
		pass->measure->siblings[pass->family[i]]++;
		siblings |= pass->family[i] > 1;
	}
	pass->families = 0;
	return siblings;
}

static void measure_block(struct e2s_measure_pass *pass, const e2s_slot *slots, uint32_t n)
{
	struct e2s_counters *sums = pass->sums;
	uint32_t i, home, homes = 0;

	pass->block++;
	for (i = 0; i < n; i++) {
		if (e2s_slot_is_dir(slots[i]))
			sums->directories++;
		if (!e2s_slot_has_home(slots[i]))
			continue;
		home = e2s_slot_home(slots[i]);
		sums->files++;
		pass->measure->files[home]++;
		if (pass->seen[home].block == pass->block)
			continue;
		pass->seen[home].block = pass->block;
		pass->measure->blocks[home]++;
		homes++;
		see_home(pass, home);
		if (pass->seen[home].window != pass->window) {
			pass->seen[home].window = pass->window;
			sums->windows++;
		}
	}
	sums->itable_blocks += homes > 0;
	sums->directory_blocks += homes;
	sums->shared_blocks += homes > 1;
	sums->sibling_shared_blocks += count_families(pass);
	if (homes > sums->homes_per_block_max)
		sums->homes_per_block_max = homes;
}

static void measure_group(struct e2s_measure_pass *pass, uint32_t group)
{
	const struct e2s_fs *fs = pass->scan->fs;
	const e2s_slot *slots = pass->scan->layout.slots[group];
	uint32_t used = pass->scan->layout.used[group], ipb, i, n;
	uint64_t blk = e2s_fs_itable_blk(fs, group), window = UINT64_MAX;

	ipb = fs->geo.inodes_per_block;
	if (!used && e2s_fs_inode_uninit(fs, group)) {
		pass->sums->groups_inode_uninit++;
		return;
	}
	pass->sums->itable_blocks_fsck += e2s_least_blocks(&fs->geo, used);
	for (i = 0; i < used; i += n, blk++) {
		n = used - i < ipb ? used - i : ipb;
		if (blk / pass->readahead_blks != window) {
			window = blk / pass->readahead_blks;
			pass->window++;
		}
		measure_block(pass, slots + i, n);
	}
}

static void add_up(struct e2s_counters *to, const struct e2s_counters *from)
{
	to->directories += from->directories;
	to->files += from->files;
	to->itable_blocks += from->itable_blocks;
	to->directory_blocks += from->directory_blocks;
	to->shared_blocks += from->shared_blocks;
	to->sibling_shared_blocks += from->sibling_shared_blocks;
	to->windows += from->windows;
	to->groups_inode_uninit += from->groups_inode_uninit;
	to->itable_blocks_fsck += from->itable_blocks_fsck;
	if (from->homes_per_block_max > to->homes_per_block_max)
		to->homes_per_block_max = from->homes_per_block_max;
}

errcode_t e2s_measure_start(const struct e2s_scan *scan,
			    uint32_t readahead_blks, struct e2s_measure *ret,
			    struct e2s_measure_pass **pass)
{
	struct e2s_measure_pass *p = calloc(1, sizeof(*p));
	size_t dirs = (size_t)scan->dirs_n + 1;

	*ret = (struct e2s_measure){ 0 };
	if (!p)
		return ENOMEM;
	p->scan = scan;
	p->measure = ret;
	p->readahead_blks = readahead_blks;
	ret->flex = calloc(scan->fs->geo.flex_groups, sizeof(*ret->flex));
	ret->files = calloc(dirs, sizeof(*ret->files));
	ret->blocks = calloc(dirs, sizeof(*ret->blocks));
	p->seen = calloc(dirs, sizeof(*p->seen));
	if (!ret->flex || !ret->files || !ret->blocks || !p->seen) {
		free(p->seen);
		free(p);
		e2s_measure_free(ret);
		return ENOMEM;
	}
	*pass = p;
	return 0;
}

void e2s_measure_groups(struct e2s_measure_pass *pass, uint32_t first,
			uint32_t end)
{
	uint32_t group;

	for (group = first; group < end; group++) {
		pass->sums = &pass->measure->flex[group >>
					pass->scan->fs->geo.flex_shift];
		measure_group(pass, group);
	}
}

void e2s_measure_finish(struct e2s_measure_pass *pass)
{
	const struct e2s_geometry *geo = &pass->scan->fs->geo;
	struct e2s_measure *measure = pass->measure;
	uint32_t i;

	for (i = 0; i < geo->flex_groups; i++)
		add_up(&measure->totals, &measure->flex[i]);
	for (i = 0; i < pass->scan->dirs_n; i++) {
		measure->homes += measure->files[i] > 0;
		measure->least_blocks += e2s_least_blocks(geo,
							  measure->files[i]);
	}
	free(pass->seen);
	free(pass);
}

errcode_t e2s_measure_layout(const struct e2s_scan *scan,
			     uint32_t readahead_blks, struct e2s_measure *ret)
{
	struct e2s_measure_pass *pass;
	errcode_t err;

	err = e2s_measure_start(scan, readahead_blks, ret, &pass);
	if (err)
		return err;
	e2s_measure_groups(pass, 0, scan->fs->geo.groups);
	e2s_measure_finish(pass);
	return 0;
}

double e2s_measure_creation_reads(const struct e2s_measure *measure, double rho)
{
	double reads = 0;
	uint32_t k;

	for (k = 2; k <= E2S_IPB_MAX; k++)
		reads += (double)measure->siblings[k] *
			 (1 - exp(-(double)(k - 1) * rho));
	return reads;
}

void e2s_measure_free(struct e2s_measure *measure)
{
	free(measure->flex);
	free(measure->files);
	free(measure->blocks);
	*measure = (struct e2s_measure){ 0 };
}
