/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hash: the H of verify.h.  The mixing step multiplies two 64-bit words to 128
 * bits and folds the halves together, so that every bit of either word reaches
 * every bit of the outcome; a chain of it over 16 bytes at a time is the hash
 * of a string, four chains side by side that of a long one.  Two different
 * inputs meet with a chance of about 2^-64.  Bytes are taken as little-endian
 * words, so the outcome is the same on any host.
 */
#ifndef E2S_VERIFY_HASH_H
#define E2S_VERIFY_HASH_H

#include "fs/csum.h"
#include "verify/verify.h"

/* Odd, half of the bits set: the golden ratio and square roots of primes. */
#define HASH_K0 0x9e3779b97f4a7c15ull
#define HASH_K1 0x6a09e667f3bcc909ull
#define HASH_K2 0xbb67ae8584caa73bull
#define HASH_K3 0x3c6ef372fe94f82bull

/* What a hash is of, so that equal bytes in different roles differ. */
enum hash_role {
	HASH_ROOT = 1,		/* P(root) */
	HASH_PATH,		/* P(parent), name -> P(directory) */
	HASH_NAME,		/* the bytes of a name */
	HASH_LINK,		/* P(directory), name -> share of an inode's X */
	HASH_RAW,		/* the bytes of an inode */
	HASH_EXTENT,		/* an extent block */
	HASH_DIR,		/* a directory block */
	HASH_XATTR,		/* an xattr block */
	HASH_DESC,		/* a group descriptor */
	HASH_NUMBER,		/* number of an inode that never moves */
	HASH_MTIME,		/* i_mtime of an EA inode */
	HASH_OWNER,		/* X of the owner that i_mtime names */
	HASH_PLACED,		/* X and number */
	HASH_ITEM,		/* an item of a digest */
};

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 u128;
	u128 product = (u128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
	uint64_t middle = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;

	return ((middle << 32) | (uint32_t)ll) ^
	       (hh + (lh >> 32) + (hl >> 32) + (middle >> 32));
#endif
}

/* Two words in a role. */
static inline uint64_t hash_words(enum hash_role role, uint64_t a, uint64_t b)
{
	uint64_t h = hash_fold(a ^ HASH_K0, (uint64_t)role * HASH_K1 + HASH_K2);

	h = hash_fold(h ^ b, HASH_K3 ^ a);
	return hash_fold(h ^ HASH_K1, b ^ HASH_K2);
}

static inline uint64_t hash_get_le64(const uint8_t *p)
{
	return e2s_get_le32(p) | (uint64_t)e2s_get_le32(p + 4) << 32;
}

/* LEN bytes in a role, and a word that goes with them. */
uint64_t e2s_verify_hash(enum hash_role role, uint64_t word, const void *data,
			 size_t len);

static inline void digest_sum(struct e2s_digest *to,
			      const struct e2s_digest *add)
{
	to->lo += add->lo;
	to->hi += add->hi + (to->lo < add->lo);
}

/* Adds the item HASH, spread to 128 bits, to a digest. */
static inline void digest_add(struct e2s_digest *to, uint64_t hash)
{
	struct e2s_digest item = {
		.lo = hash_words(HASH_ITEM, hash, HASH_K0),
		.hi = hash_words(HASH_ITEM, hash, HASH_K1),
	};

	digest_sum(to, &item);
}

#endif
