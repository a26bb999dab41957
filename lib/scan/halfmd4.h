/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * halfmd4: the hash of directories' names (k: __ext4fs_dirhash, DX_HASH_HALF_MD4
 * and its unsigned twin) for several short names at once; each step of it waits
 * for the one before, so one name alone leaves most of a processor idle.
 */
#ifndef E2S_SCAN_HALFMD4_H
#define E2S_SCAN_HALFMD4_H

#include <stdint.h>

#define E2S_HALFMD4_NAMES 8	/* at once */
#define E2S_HALFMD4_LEN 32	/* bytes of a name at most */

struct e2s_halfmd4 {
	const uint8_t *name;
	uint32_t len;
	uint32_t hash, minor;	/* what comes out; hash is even */
};

/*
 * Hashes the N names at V (as many as E2S_HALFMD4_NAMES at most) with s_hash_seed
 * SEED; IS_UNSIGNED tells the twin.
 */
void e2s_halfmd4(struct e2s_halfmd4 *v, unsigned n, const uint32_t seed[4],
		 int is_unsigned);

#endif
