/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream goals: where the block allocator begins to search for a file's blocks
 * depends on its inode number modulo the slots (k: ext4_mb_regular_allocator),
 * so files whose numbers are equal modulo the slots meet there.
 */
#include <errno.h>
#include <stdlib.h>

#include "e2spread/report.h"
#include "mballoc/mballoc.h"

/* More siblings and files than these say nothing new. */
#define DIRS_MOST 1024
#define FILES_MOST 1000

/* The number that INO has in this layout. */
static uint32_t number_in(const struct e2s_plan *plan, uint32_t ino)
{
	return plan ? e2s_plan_new_ino(plan, ino) : ino;
}

/* Slots that the files number N of all directories fall into, and how many of
 * them into the fullest one. */
static void count_nth(const struct e2s_nth *nth, uint32_t n,
		      const struct e2s_plan *plan, uint32_t slots,
		      uint32_t *hits, struct goals_row *row)
{
	uint32_t dir, ino, slot, largest = 0;

	for (slot = 0; slot < slots; slot++)
		hits[slot] = 0;
	for (dir = 0; dir < nth->dirs; dir++) {
		ino = nth->ino[(size_t)dir * nth->files + n];
		if (!ino)
			continue;
		slot = number_in(plan, ino) % slots;
		row->slots_used += !hits[slot]++;
		if (hits[slot] > largest)
			largest = hits[slot];
	}
	row->largest += largest;
}

static errcode_t count(const struct e2s_nth *nth, const struct e2s_plan *plan,
		       uint32_t slots, struct goals_row *row)
{
	uint32_t *hits = calloc(slots, sizeof(*hits)), n;

	row->files = nth->files;
	row->histogram = calloc(slots, sizeof(*row->histogram));
	if (!hits || !row->histogram) {
		free(hits);
		return ENOMEM;
	}
	for (n = 0; n < nth->files; n++) {
		row->histogram[number_in(plan, nth->ino[n]) % slots]++;
		count_nth(nth, n, plan, slots, hits, row);
	}
	free(hits);
	return 0;
}

errcode_t report_fill_goals(struct report *r)
{
	struct report_goals *goals = &r->goals;
	struct e2s_nth nth = { 0 };
	errcode_t err = 0;

	goals->slots = e2s_mballoc_goal_slots((uint32_t)r->options->cpus,
					      r->fs->geo.groups);
	if (r->worst_n) {
		goals->dir = r->worst[0].dir;
		err = e2s_measure_nth(r->scan, &r->measure, goals->dir,
				      DIRS_MOST, FILES_MOST, &nth);
		goals->dirs = nth.dirs;
		goals->files = nth.files;
	}
	if (!err && nth.files)
		err = count(&nth, NULL, goals->slots, &goals->now);
	if (!err && nth.files && r->after_measure)
		err = count(&nth, r->after.plan, goals->slots, &goals->after);
	free(nth.ino);
	return err;
}
