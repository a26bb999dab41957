/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The n-th files of a directory and its siblings. */
#include <errno.h>
#include <stdlib.h>

#include "measure/measure.h"

#define NOT_ONE UINT32_MAX

/* Numbers the family: DIR first, then its siblings that have files. */
static uint32_t number_family(const struct e2s_scan *scan,
			      const struct e2s_measure *measure, uint32_t dir,
			      uint32_t most, uint32_t *place)
{
	uint32_t parent = scan->dirs[dir].parent, i, n = 0;

	for (i = 0; i < scan->dirs_n; i++)
		place[i] = NOT_ONE;
	place[dir] = n++;
	if (parent == dir || parent == E2S_DIR_NONE)
		return n;
	for (i = 0; i < scan->dirs_n && n < most; i++)
		if (i != dir && i != parent && measure->files[i] &&
		    scan->dirs[i].parent == parent)
			place[i] = n++;
	return n;
}

static void take_files(const struct e2s_scan *scan, const uint32_t *place,
		       uint32_t *taken, struct e2s_nth *ret)
{
	const struct e2s_geometry *geo = &scan->fs->geo;
	uint32_t group, i, who;
	e2s_slot slot;

	for (group = 0; group < geo->groups; group++)
		for (i = 0; i < scan->layout.used[group]; i++) {
			slot = scan->layout.slots[group][i];
			if (!e2s_slot_has_home(slot))
				continue;
			who = place[e2s_slot_home(slot)];
			if (who == NOT_ONE || taken[who] == ret->files)
				continue;
			ret->ino[(size_t)who * ret->files + taken[who]++] =
				group * geo->inodes_per_group + i + 1;
		}
}

errcode_t e2s_measure_nth(const struct e2s_scan *scan,
			  const struct e2s_measure *measure, uint32_t dir,
			  uint32_t most_dirs, uint32_t most_files,
			  struct e2s_nth *ret)
{
	uint32_t *place = malloc(((size_t)scan->dirs_n + 1) * sizeof(*place));
	uint32_t *taken = NULL;
	errcode_t err = ENOMEM;

	*ret = (struct e2s_nth){ 0 };
	if (!place)
		return ENOMEM;
	ret->dirs = number_family(scan, measure, dir, most_dirs, place);
	ret->files = measure->files[dir] < most_files ? measure->files[dir]
						       : most_files;
	ret->ino = calloc((size_t)ret->dirs * ret->files + 1,
			  sizeof(*ret->ino));
	taken = calloc(ret->dirs, sizeof(*taken));
	if (ret->ino && taken) {
		take_files(scan, place, taken, ret);
		err = 0;
	}
	free(place);
	free(taken);
	return err;
}
