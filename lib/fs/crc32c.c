/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C by the processor's own instruction where it has one, by libext2fs's
 * tables elsewhere.
 *
 * The instruction takes 8 bytes and three cycles, but a new one can be begun
 * every cycle.  So long data are cut into three lanes of equal length, whose
 * checksums are computed side by side and put together afterwards:
 *
 *     | lane 0 | lane 1 | lane 2 |
 *
 * Lane 0's is that of lane 0 followed by two lanes of zeroes, and so on; the
 * sum (xor) of the three is that of all.  Zeroes behind a checksum multiply it
 * by a power of x modulo the polynomial, which is a carry-less multiplication
 * by a constant and, for the remainder, the instruction once more.
 */
#include "fs/csum.h"

#include <string.h>

#ifdef __x86_64__
#include <nmmintrin.h>
#include <wmmintrin.h>

/*
 * x^(8 n - 33) modulo the polynomial, bits reflected, for the n bytes of one
 * lane and of two.  33, because the product of two reflected numbers of 32
 * bits is one bit short of 64, and the instruction multiplies by x^32.
 */
struct lanes {
	size_t len;
	uint32_t one, two;
};

static const struct lanes lanes_4096 = { 1360, 0x3f70cc6f, 0x5aa1f3cf };
static const struct lanes lanes_1024 = { 336, 0xa60ce07b, 0xcec3662e };
static const struct lanes lanes_256 = { 80, 0x39d3b296, 0x878a92a7 };

#define TARGET __attribute__((target("sse4.2,pclmul")))

TARGET static inline uint64_t get_word(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

TARGET static inline uint64_t multiply(uint64_t crc, uint32_t factor)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)crc),
					       _mm_cvtsi64_si128(factor), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Three lanes from DATA on. */
TARGET static inline uint64_t take_lanes(uint64_t crc, const uint8_t *data,
					 const struct lanes *lanes)
{
	const uint8_t *end = data + lanes->len;
	size_t len = lanes->len;
	uint64_t crc1 = 0, crc2 = 0;

	for (; data < end; data += 8) {
		crc = _mm_crc32_u64(crc, get_word(data));
		crc1 = _mm_crc32_u64(crc1, get_word(data + len));
		crc2 = _mm_crc32_u64(crc2, get_word(data + 2 * len));
	}
	return crc2 ^ _mm_crc32_u64(0, multiply(crc, lanes->two) ^
				       multiply(crc1, lanes->one));
}

TARGET static uint32_t crc32c_sse42(uint32_t seed, const uint8_t *data,
				    size_t len)
{
	static const struct lanes *const sizes[] = {
		&lanes_4096, &lanes_1024, &lanes_256,
	};
	uint64_t crc = seed;
	unsigned i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (; len >= 3 * sizes[i]->len; len -= 3 * sizes[i]->len) {
			crc = take_lanes(crc, data, sizes[i]);
			data += 3 * sizes[i]->len;
		}
	for (; len >= 8; len -= 8, data += 8)
		crc = _mm_crc32_u64(crc, get_word(data));
	for (; len; len--, data++)
		crc = _mm_crc32_u8((uint32_t)crc, *data);
	return (uint32_t)crc;
}

static int has_instructions(void)
{
	return __builtin_cpu_supports("sse4.2") &&
	       __builtin_cpu_supports("pclmul");
}
#endif

uint32_t e2s_crc32c(uint32_t seed, const void *data, size_t len)
{
#ifdef __x86_64__
	if (has_instructions())
		return crc32c_sse42(seed, data, len);
#endif
	return ext2fs_crc32c_le(seed, data, len);
}
