/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/csum.h"
#include "scan/halfmd4.h"

#define LANES E2S_HALFMD4_NAMES
#define WORDS (E2S_HALFMD4_LEN / 4)

/* A word of each name; the compiler makes of it what the processor has. */
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

/* What follows a name. */
static uint32_t pad_of(const struct e2s_halfmd4 *v)
{
	return v->len * 0x01010101u;
}

/* Word I of the name, its bytes highest first; the last may be padded. */
static uint32_t word_of(const struct e2s_halfmd4 *v, uint32_t i, int is_unsigned)
{
	uint32_t at = i * 4, end = at + 4, word, c;

	if (end <= v->len) {
		word = e2s_get_le32(v->name + at);
		if (is_unsigned || !(word & 0x80808080u))
			return __builtin_bswap32(word);
	}
	if (end > v->len)
		end = v->len;
	for (word = pad_of(v); at < end; at++) {
		c = is_unsigned ? v->name[at]
				: (uint32_t)(int32_t)(int8_t)v->name[at];
		word = (word << 8) + c;
	}
	return word;
}

/* The three rounds of MD4 over half a block; their functions and constants. */
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) (((x) & (y)) + (((x) ^ (y)) & (z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define K1 0u
#define K2 0x5a827999u
#define K3 0x6ed9eba1u

#define STEP(f, a, b, c, d, word, shift)				\
	do {								\
		(a) += f(b, c, d) + (word);				\
		(a) = (a) << (shift) | (a) >> (32 - (shift));		\
	} while (0)

#define FOUR(f, k, w, i0, i1, i2, i3, s0, s1, s2, s3)			\
	do {								\
		STEP(f, a, b, c, d, (w)[i0] + (k), s0);			\
		STEP(f, d, a, b, c, (w)[i1] + (k), s1);			\
		STEP(f, c, d, a, b, (w)[i2] + (k), s2);			\
		STEP(f, b, c, d, a, (w)[i3] + (k), s3);			\
	} while (0)

static void transform(lanes state[4], const lanes w[WORDS])
{
	lanes a = state[0], b = state[1], c = state[2], d = state[3];

	FOUR(F, K1, w, 0, 1, 2, 3, 3, 7, 11, 19);
	FOUR(F, K1, w, 4, 5, 6, 7, 3, 7, 11, 19);
	FOUR(G, K2, w, 1, 3, 5, 7, 3, 5, 9, 13);
	FOUR(G, K2, w, 0, 2, 4, 6, 3, 5, 9, 13);
	FOUR(H, K3, w, 3, 7, 2, 6, 3, 9, 11, 15);
	FOUR(H, K3, w, 1, 5, 0, 4, 3, 9, 11, 15);
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void e2s_halfmd4(struct e2s_halfmd4 *v, unsigned n, const uint32_t seed[4],
		 int is_unsigned)
{
	static const uint32_t usual[4] = { 0x67452301, 0xefcdab89, 0x98badcfe,
					   0x10325476 };
	lanes state[4], w[WORDS], pad = { 0 };
	uint32_t lane, i;

	if (!(seed[0] | seed[1] | seed[2] | seed[3]))
		seed = usual;
	for (i = 0; i < 4; i++)
		state[i] = (lanes){ 0 } + seed[i];
	for (lane = 0; lane < n; lane++)
		pad[lane] = pad_of(&v[lane]);
	for (i = 0; i < WORDS; i++)
		w[i] = pad;
	for (lane = 0; lane < n; lane++)
		for (i = 0; i * 4 < v[lane].len; i++)
			w[i][lane] = word_of(&v[lane], i, is_unsigned);
	transform(state, w);
	for (lane = 0; lane < n; lane++) {
		/* k: a name without a byte is not hashed at all. */
		v[lane].hash = (v[lane].len ? state[1][lane] : seed[1]) & ~1u;
		v[lane].minor = v[lane].len ? state[2][lane] : seed[2];
	}
}
