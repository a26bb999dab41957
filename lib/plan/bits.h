/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bits: a set of inode numbers, whose memory is made a group at a time. */
#ifndef E2S_PLAN_BITS_H
#define E2S_PLAN_BITS_H

#include "fs/fs.h"

/* All zero is one that is not made. */
struct ino_bits {
	const struct e2s_geometry *geo;
	uint8_t **group;	/* [group]: a bit a number, NULL: none is set */
};

/* An empty set; ENOMEM. */
errcode_t e2s_bits_make(struct ino_bits *bits, const struct e2s_geometry *geo);
void e2s_bits_free(struct ino_bits *bits);

/* Puts the slot INDEX of GROUP into the set, or takes it out; ENOMEM. */
errcode_t e2s_bits_change(struct ino_bits *bits, uint32_t group,
			  uint32_t index, int on);

static inline int e2s_bits_test(const struct ino_bits *bits, uint32_t group,
				uint32_t index)
{
	const uint8_t *bytes = bits->group[group];

	return bytes && bytes[index / 8] >> index % 8 & 1;
}

#endif
