/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "verify/hash.h"

uint64_t e2s_verify_hash(enum hash_role role, uint64_t word, const void *data,
			 size_t len)
{
	uint64_t h = hash_words(role, word, len);
	const uint8_t *at = data;
	uint8_t rest[16] = { 0 };

	for (; len >= sizeof(rest); len -= sizeof(rest), at += sizeof(rest))
		h = hash_fold(hash_get_le64(at) ^ HASH_K1,
			      hash_get_le64(at + 8) ^ h);
	if (len) {
		memcpy(rest, at, len);
		h = hash_fold(hash_get_le64(rest) ^ HASH_K1,
			      hash_get_le64(rest + 8) ^ h);
	}
	return hash_fold(h ^ HASH_K2, HASH_K3);
}
