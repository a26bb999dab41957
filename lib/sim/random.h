/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small generator of random numbers (xorshift64*), the same everywhere. */
#ifndef E2S_SIM_RANDOM_H
#define E2S_SIM_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;			/* never 0 */
};

static inline uint64_t random_next(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * UINT64_C(2685821657736338717);
}

/* Seeds that differ in a bit give streams that differ from the start. */
static inline struct random random_seeded(uint64_t seed)
{
	struct random r = { (seed ^ UINT64_C(0x9e3779b97f4a7c15)) *
			    UINT64_C(0xbf58476d1ce4e5b9) };
	int i;

	if (!r.state)
		r.state = 1;
	for (i = 0; i < 8; i++)
		(void)random_next(&r);
	return r;
}

/* 0 <= number < N. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

/* 0 < number <= 1. */
static inline double random_unit(struct random *r)
{
	return (double)((random_next(r) >> 11) + 1) * 0x1p-53;
}

#endif
