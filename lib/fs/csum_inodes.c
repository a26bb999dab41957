/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checksums of many inodes at once. */
#include <string.h>

#include "fs/csum.h"

#define BIT(i) (UINT64_C(1) << (i))

#ifdef __x86_64__
#define LANES 4

/* Unrolled, or the sums would live in memory. */
#define EACH_LANE(lane)							\
	_Pragma("GCC unroll 4") for ((lane) = 0; (lane) < LANES; (lane)++)

/*
 * Words of eight bytes in which the two halves of the checksum lie, and the
 * bits of them; as in e2s_csum_inode(), they count as zero.
 */
#define LO_WORD 15
#define LO_BITS (UINT64_C(0xffff) << 32)
#define HI_WORD 16
#define HI_BITS (UINT64_C(0xffff) << 16)

static uint64_t word_at(const uint8_t *raw, size_t word)
{
	uint64_t value;

	memcpy(&value, raw + word * sizeof(value), sizeof(value));
	return value;
}

/* Where i_extra_isize says that there is a high half. */
static uint64_t hi_bits(const uint8_t *raw, uint32_t size)
{
	return size > EXT2_GOOD_OLD_INODE_SIZE &&
	       (word_at(raw, HI_WORD) & 0xffff) >= 4 ? HI_BITS : 0;
}

/*
 * LANES inodes, one behind the other.  An instruction must wait for that before
 * it in its own lane, but those of different lanes run at the same time.
 */
__attribute__((target("sse4.2")))
static unsigned wrong_lanes(const struct e2s_fs *fs, uint32_t ino,
			    const uint8_t *raw)
{
	const uint32_t size = fs->geo.inode_size;
	uint64_t crc[LANES], hi[LANES], word, lo;
	unsigned lane, wrong = 0;
	size_t w;

	EACH_LANE(lane) {
		word = word_at(raw + lane * size, 12) >> 32 << 32;
		crc[lane] = __builtin_ia32_crc32di(fs->ext2->csum_seed,
						   word | (ino + lane));
		hi[lane] = hi_bits(raw + lane * size, size);
	}
	for (w = 0; w < LO_WORD; w++)
		EACH_LANE(lane)
			crc[lane] = __builtin_ia32_crc32di(crc[lane],
				word_at(raw + lane * size, w));
	EACH_LANE(lane) {
		lo = word_at(raw + lane * size, LO_WORD);
		crc[lane] = __builtin_ia32_crc32di(crc[lane], lo & ~LO_BITS);
	}
	for (w = HI_WORD; w < size / 8; w++)
		EACH_LANE(lane) {
			word = word_at(raw + lane * size, w);
			crc[lane] = __builtin_ia32_crc32di(crc[lane],
				w == HI_WORD ? word & ~hi[lane] : word);
		}
	EACH_LANE(lane) {
		lo = word_at(raw + lane * size, LO_WORD) >> 32 & 0xffff;
		if ((crc[lane] & 0xffff) != lo)
			wrong |= 1u << lane;
		if (hi[lane] && (crc[lane] >> 16) !=
		    (word_at(raw + lane * size, HI_WORD) >> 16 & 0xffff))
			wrong |= 1u << lane;
	}
	return wrong;
}
#endif

uint64_t e2s_csum_inodes_wrong(const struct e2s_fs *fs, uint32_t ino,
			       const void *inodes, unsigned n)
{
	const uint32_t size = fs->geo.inode_size;
	const uint8_t *raw = inodes;
	uint64_t wrong = 0;
	unsigned i = 0;

#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		for (; i + LANES <= n; i += LANES)
			wrong |= (uint64_t)wrong_lanes(fs, ino + i,
						       raw + (size_t)i * size) << i;
#endif
	for (; i < n; i++)
		if (!e2s_csum_inode_match(fs, ino + i, raw + (size_t)i * size))
			wrong |= BIT(i);
	return wrong;
}
