/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which group the patched kernel makes a directory's home group. */
#include "measure/measure.h"

void e2s_measure_home_groups(const struct e2s_scan *scan,
			     const struct e2s_measure *measure, uint32_t *homes)
{
	const struct e2s_geometry *geo = &scan->fs->geo;
	uint32_t i, ino, first;

	for (i = 0; i < geo->groups; i++)
		homes[i] = 0;
	for (i = 0; i < scan->dirs_n; i++) {
		if (!measure->files[i])
			continue;
		ino = scan->dirs[i].ino;
		first = e2s_geometry_group(geo, ino) >> geo->flex_shift
							      << geo->flex_shift;
		homes[first + ino % e2s_geometry_flex_len(geo, first)]++;
	}
}
