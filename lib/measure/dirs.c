/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single directories: which are worst, and what they are like. */
#include <errno.h>
#include <stdlib.h>

#include "measure/measure.h"

#define NO_ROW UINT32_MAX

/* A row while its files go by in order of inode number. */
struct row_state {
	uint64_t window;
	uint32_t group, flex;	/* last seen, plus one */
};

static uint32_t waste(const struct e2s_dir_row *row)
{
	return row->blocks - row->least_blocks;
}

static int worst_first(const void *a, const void *b)
{
	const struct e2s_dir_row *x = a, *y = b;

	if (waste(x) != waste(y))
		return waste(x) > waste(y) ? -1 : 1;
	if (x->files != y->files)
		return x->files > y->files ? -1 : 1;
	return x->dir < y->dir ? -1 : x->dir > y->dir;
}

/* Restores the heap below I; its root is the best of the worst. */
static void sift_down(struct e2s_dir_row *heap, size_t n, size_t i)
{
	struct e2s_dir_row row = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n &&
		    worst_first(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (worst_first(&heap[child], &row) <= 0)
			break;
		heap[i] = heap[child];
	}
	heap[i] = row;
}

static size_t select_worst(const struct e2s_scan *scan,
			   const struct e2s_measure *measure, size_t want,
			   struct e2s_dir_row *heap)
{
	size_t n = 0, i;
	uint32_t dir;

	for (dir = 0; dir < scan->dirs_n; dir++) {
		struct e2s_dir_row row = {
			.dir = dir, .files = measure->files[dir],
			.blocks = measure->blocks[dir],
		};

		if (!row.files)
			continue;
		row.least_blocks = (uint32_t)e2s_least_blocks(&scan->fs->geo,
							      row.files);
		row.inode_order_switches = row.blocks - 1;
		if (n < want) {
			heap[n++] = row;
			for (i = n == want ? n / 2 : 0; i-- > 0;)
				sift_down(heap, n, i);
		} else if (worst_first(&row, &heap[0]) < 0) {
			heap[0] = row;
			sift_down(heap, n, 0);
		}
	}
	qsort(heap, n, sizeof(*heap), worst_first);
	return n;
}

struct detail {
	const struct e2s_scan *scan;
	const struct e2s_geometry *geo;
	struct e2s_dir_row *rows;
	struct row_state *states;
	uint32_t *row_of;		/* [directory] */
};

static void see_block(struct detail *d, const e2s_slot *slots, uint32_t n,
		      uint32_t group, uint64_t window)
{
	uint32_t i, row, flex = group >> d->geo->flex_shift, only = 0, homes = 0;
	struct row_state *state;
	struct e2s_dir_row *r;

	for (i = 0; i < n; i++) {
		if (!e2s_slot_has_home(slots[i]))
			continue;
		if (!homes || slots[i] != only)
			homes++;
		only = slots[i];
		row = d->row_of[e2s_slot_home(slots[i])];
		if (row == NO_ROW)
			continue;
		r = &d->rows[row];
		state = &d->states[row];
		r->groups += state->group != group + 1;
		r->flex_groups += state->flex != flex + 1;
		r->windows += state->group != group + 1 ||
			      state->window != window;
		r->home_flex_files += flex ==
			((d->scan->dirs[r->dir].ino - 1) /
			 d->geo->inodes_per_group) >> d->geo->flex_shift;
		*state = (struct row_state){ window, group + 1, flex + 1 };
	}
	if (homes == 1 && d->row_of[e2s_slot_home(only)] != NO_ROW)
		d->rows[d->row_of[e2s_slot_home(only)]].exclusive_blocks++;
}

static void see_layout(struct detail *d, uint32_t readahead_blks)
{
	const struct e2s_layout *layout = &d->scan->layout;
	uint32_t group, i, n, used, ipb = d->geo->inodes_per_block;
	uint64_t blk;

	for (group = 0; group < d->geo->groups; group++) {
		used = layout->used[group];
		blk = e2s_fs_itable_blk(d->scan->fs, group);
		for (i = 0; i < used; i += n, blk++) {
			n = used - i < ipb ? used - i : ipb;
			see_block(d, layout->slots[group] + i, n, group,
				  blk / readahead_blks);
		}
	}
}

errcode_t e2s_measure_worst(const struct e2s_scan *scan,
			    const struct e2s_measure *measure,
			    uint32_t readahead_blks, size_t want,
			    struct e2s_dir_row **rows, size_t *n)
{
	struct detail d = { .scan = scan, .geo = &scan->fs->geo };
	errcode_t err = ENOMEM;
	size_t i;

	if (want > measure->homes)
		want = measure->homes;
	*n = 0;
	d.rows = calloc(want + 1, sizeof(*d.rows));
	d.states = calloc(want + 1, sizeof(*d.states));
	d.row_of = malloc(((size_t)scan->dirs_n + 1) * sizeof(*d.row_of));
	if (!d.rows || !d.states || !d.row_of)
		goto out;
	err = 0;
	if (want)
		*n = select_worst(scan, measure, want, d.rows);
	for (i = 0; i < scan->dirs_n; i++)
		d.row_of[i] = NO_ROW;
	for (i = 0; i < *n; i++)
		d.row_of[d.rows[i].dir] = (uint32_t)i;
	if (*n)
		see_layout(&d, readahead_blks);
	*rows = d.rows;
	d.rows = NULL;
out:
	free(d.rows);
	free(d.states);
	free(d.row_of);
	return err;
}

#define AHEAD 12	/* names; so long slots take from memory */

static void fetch_slot(const struct e2s_scan *scan, uint32_t ino)
{
	uint32_t group = e2s_geometry_group(&scan->fs->geo, ino);
	uint32_t index = e2s_geometry_index(&scan->fs->geo, ino);

	if (index < scan->layout.used[group])
		__builtin_prefetch(&scan->layout.slots[group][index]);
}

uint64_t e2s_measure_switches(const struct e2s_scan *scan, uint32_t dir,
			      const struct e2s_names *names)
{
	const struct e2s_geometry *geo = &scan->fs->geo;
	const unsigned shift = (unsigned)__builtin_ctz(geo->inodes_per_block);
	const e2s_slot ours = E2S_SLOT_FILE | (dir + 1);
	uint64_t blk, last = UINT64_MAX, switches = 0;
	uint32_t group, index;
	size_t i;

	for (i = 0; i < names->n; i++) {
		if (i + AHEAD < names->n)
			fetch_slot(scan, names->v[i + AHEAD].ino);
		group = e2s_geometry_group(geo, names->v[i].ino);
		index = names->v[i].ino - 1 - group * geo->inodes_per_group;
		if (index >= scan->layout.used[group] ||
		    scan->layout.slots[group][index] != ours)
			continue;
		blk = (uint64_t)group * geo->itable_blocks + (index >> shift);
		switches += last != UINT64_MAX && blk != last;
		last = blk;
	}
	return switches;
}
