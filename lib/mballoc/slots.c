/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where streams start: since Linux 6.17 the group that a file above 16 blocks
 * starts from is the one last used by any file of the same slot.
 */
#include "mballoc/mballoc.h"

uint32_t e2s_mballoc_goal_slots(uint32_t cpus, uint32_t groups)
{
	uint32_t quarter = groups / 4 + (groups % 4 != 0);

	return cpus < quarter ? cpus : quarter;
}

void e2s_mballoc_goal_histogram(const uint32_t *ino, size_t n, uint32_t slots,
				uint64_t *hist)
{
	size_t i;

	for (i = 0; i < n; i++)
		hist[ino[i] % slots]++;
}
