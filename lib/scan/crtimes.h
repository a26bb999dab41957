/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crtimes: the files and directories of a group in order of creation, oldest
 * first, of equal ones the lower number first.
 *
 * Most are created in order of their numbers and within moments of the one
 * before, so only differences are kept, in as few bytes as they need.  An inode
 * begins with
 *
 *      7      6                  1 0
 *     | more | time, low six bits | jump |
 *
 * where time counts from the one before; the rest of it follows where there is
 * more; and where its index is not that of the one before plus one (jump) the
 * difference of the two, 2 * n, or -2 * n - 1 below zero.  Both have seven bits a
 * byte, the lowest first, the eighth set in all but the last.
 */
#ifndef E2S_SCAN_CRTIMES_H
#define E2S_SCAN_CRTIMES_H

#include <stddef.h>
#include <stdint.h>

struct e2s_crtimes {
	const uint8_t *bytes;
	uint32_t n;		/* inodes */
};

/* An inode to be put into order. */
struct e2s_crtime {
	uint64_t time;
	uint32_t index;		/* in its group, from 0 */
};

/* Bytes that an inode takes at most. */
#define E2S_CRTIME_BYTES 15

/*
 * Sorts V and writes it to BYTES, which has room for N * E2S_CRTIME_BYTES.
 * Returns how many bytes it took.
 */
size_t e2s_crtimes_pack(struct e2s_crtime *v, uint32_t n, uint8_t *bytes);

/* A walk over the inodes of a group; TIME and INDEX are those of the last. */
struct e2s_crtime_walk {
	const uint8_t *at;
	uint32_t left;
	uint32_t index;
	uint64_t time;
};

static inline void e2s_crtimes_start(const struct e2s_crtimes *times,
				     struct e2s_crtime_walk *walk)
{
	*walk = (struct e2s_crtime_walk){ .at = times->bytes, .left = times->n,
					  .index = UINT32_MAX };
}

static inline uint64_t e2s_crtime_number(struct e2s_crtime_walk *walk)
{
	uint64_t number = *walk->at & 0x7f;
	unsigned shift = 7;

	for (; *walk->at++ & 0x80; shift += 7)
		number |= (uint64_t)(*walk->at & 0x7f) << shift;
	return number;
}

/* Goes to the next inode; 0 when there is none. */
static inline int e2s_crtimes_next(struct e2s_crtime_walk *walk)
{
	uint32_t jump;
	uint8_t first;

	if (!walk->left)
		return 0;
	walk->left--;
	first = *walk->at++;
	walk->time += first >> 1 & 0x3f;
	if (first & 0x80)
		walk->time += e2s_crtime_number(walk) << 6;
	if (!(first & 1)) {
		walk->index++;
		return 1;
	}
	jump = (uint32_t)e2s_crtime_number(walk);
	walk->index += jump >> 1 ^ -(jump & 1);
	return 1;
}

#endif
