/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "verify/hash.h"

/* 16 bytes more. */
static inline uint64_t take(uint64_t h, const uint8_t *at)
{
	return hash_fold(hash_get_le64(at) ^ HASH_K1,
			 hash_get_le64(at + 8) ^ h);
}

uint64_t e2s_verify_hash(enum hash_role role, uint64_t word, const void *data,
			 size_t len)
{
	uint64_t h = hash_words(role, word, len);
	uint64_t h0 = h, h1 = h ^ HASH_K0, h2 = h ^ HASH_K2, h3 = h ^ HASH_K3;
	const uint8_t *at = data;
	uint8_t rest[16] = { 0 };

	if (len >= 64) {
		for (; len >= 64; len -= 64, at += 64) {
			h0 = take(h0, at);
			h1 = take(h1, at + 16);
			h2 = take(h2, at + 32);
			h3 = take(h3, at + 48);
		}
		h = hash_fold(h0 ^ HASH_K1, h1 ^ HASH_K2) ^
		    hash_fold(h2 ^ HASH_K3, h3 ^ HASH_K0);
	}
	for (; len >= 16; len -= 16, at += 16)
		h = take(h, at);
	if (len) {
		memcpy(rest, at, len);
		h = take(h, rest);
	}
	return hash_fold(h ^ HASH_K2, HASH_K3);
}
