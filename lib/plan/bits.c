/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "plan/bits.h"

errcode_t e2s_bits_make(struct ino_bits *bits, const struct e2s_geometry *geo)
{
	bits->geo = geo;
	bits->group = calloc(geo->groups, sizeof(*bits->group));
	return bits->group ? 0 : ENOMEM;
}

void e2s_bits_free(struct ino_bits *bits)
{
	uint32_t group;

	for (group = 0; bits->group && group < bits->geo->groups; group++)
		free(bits->group[group]);
	free(bits->group);
	bits->group = NULL;
}

errcode_t e2s_bits_change(struct ino_bits *bits, uint32_t group,
			  uint32_t index, int on)
{
	uint8_t **bytes = &bits->group[group];

	if (!*bytes) {
		*bytes = calloc(1, (bits->geo->inodes_per_group + 7) / 8);
		if (!*bytes)
			return ENOMEM;
	}
	if (on)
		(*bytes)[index / 8] |= (uint8_t)(1u << index % 8);
	else
		(*bytes)[index / 8] &= (uint8_t)~(1u << index % 8);
	return 0;
}
