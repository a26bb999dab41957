/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan: the walks over what a disk may hold, sound and hostile.  Each walk must
 * end, and must never leave the bytes it was given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/extents.h"
#include "scan/halfmd4.h"
#include "scan/scan.h"
#include "scan/xattr.h"

static int failed;

static void expect(const char *what, long long got, long long want)
{
	if (got == want)
		return;
	printf("%s: got %lld, want %lld\n", what, got, want);
	failed = 1;
}

/* --- directory entries --- */

struct entry {
	uint32_t ino;
	uint16_t rec_len;
	uint8_t name_len;
};

static void put_entries(uint8_t *block, const struct entry *v, size_t n)
{
	for (; n; n--, v++) {
		e2s_put_le32(block, v->ino);
		e2s_put_le16(block + 4, v->rec_len);
		block[6] = v->name_len;
		block += v->rec_len;
	}
}

/* Steps, or -1 - steps when the walk ended at damage. */
static int walk(const uint8_t *block, uint32_t len, uint32_t block_size)
{
	struct e2s_dirents dirents;
	struct e2s_dirent entry;
	int more, steps = 0;

	e2s_dirents_start(&dirents, block, len, block_size);
	while ((more = e2s_dirents_next(&dirents, &entry)) > 0) {
		if (entry.at < block || entry.name + entry.name_len >
						(const char *)block + len)
			expect("an entry outside its block", 1, 0);
		steps++;
	}
	return more < 0 ? -1 - steps : steps;
}

static void check_dirents(void)
{
	static const struct {
		const char *what;
		struct entry v[3];
		size_t n;
		uint32_t len;
		int steps;
	} rows[] = {
		{ "fills its block", { { 5, 12, 1 }, { 6, 52, 3 } }, 2, 64, 2 },
		{ "unused entries count", { { 0, 64, 0 } }, 1, 64, 1 },
		{ "rec_len 0", { { 5, 12, 1 }, { 6, 0, 1 } }, 2, 64, -2 },
		{ "rec_len 8", { { 5, 8, 0 } }, 1, 64, -1 },
		{ "rec_len not of four", { { 5, 14, 1 } }, 1, 64, -1 },
		{ "rec_len over the end", { { 5, 12, 1 }, { 6, 56, 1 } }, 2, 64,
		  -2 },
		{ "name over its entry", { { 5, 12, 5 } }, 1, 64, -1 },
		{ "name fills its entry", { { 5, 12, 4 }, { 6, 52, 44 } }, 2,
		  64, 2 },
		{ "a few bytes left", { { 5, 56, 1 } }, 1, 64, -2 },
		{ "nothing", { { 0, 0, 0 } }, 0, 0, 0 },
	};
	uint8_t block[256];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(block, 0, sizeof(block));
		put_entries(block, rows[i].v, rows[i].n);
		expect(rows[i].what, walk(block, rows[i].len, 1024),
		       rows[i].steps);
	}
}

/* In blocks of 64 KiB a record length of 65535 or 0 means all of it. */
static void check_large_block(void)
{
	uint8_t *block = calloc(1, 65536);

	if (!block)
		exit(1);
	e2s_put_le16(block + 4, 65535);
	expect("65535 in 64 KiB", walk(block, 65536, 65536), 1);
	e2s_put_le16(block + 4, 0);
	expect("0 in 64 KiB", walk(block, 65536, 65536), 1);
	expect("0 in 32 KiB", walk(block, 32768, 32768), -1);
	free(block);
}

/* Random bytes: the checks are in walk() and in what valgrind would say. */
static void check_noise(void)
{
	uint8_t block[1024];
	uint32_t state = 1;
	size_t round, i;
	int most = 0, steps;

	for (round = 0; round < 20000; round++) {
		for (i = 0; i < sizeof(block); i++) {
			state = state * 1664525 + 1013904223;
			block[i] = (uint8_t)(state >> 24) & (round % 3 ? 63 : 255);
		}
		steps = walk(block, sizeof(block), 1024);
		if (abs(steps) > most)
			most = abs(steps);
	}
	/* Twelve bytes a step at least: no walk can be longer. */
	expect("steps of the longest walk are bounded", most <= 1024 / 12 + 1, 1);
}

/* --- attributes --- */

static void put_xattr(uint8_t *at, uint8_t index, const char *name,
		      uint16_t offset, uint32_t ino, uint32_t size)
{
	at[0] = (uint8_t)strlen(name);
	at[1] = index;
	e2s_put_le16(at + 2, offset);
	e2s_put_le32(at + 4, ino);
	e2s_put_le32(at + 8, size);
	memcpy(at + 16, name, strlen(name));
}

static void check_xattrs(void)
{
	struct e2s_fs fs = { .geo = { .block_size = 1024, .inode_size = 256 } };
	uint8_t raw[256] = { 0 };
	struct e2s_xattrs walk_state;
	struct e2s_xattr xattr;

	expect("no magic", e2s_xattrs_start_inode(&fs, raw, &walk_state), 0);
	e2s_put_le16(raw + 128, 32);
	e2s_put_le32(raw + 160, 0xea020000);
	put_xattr(raw + 164, E2S_XATTR_SYSTEM, "data", 60, 0, 8);
	put_xattr(raw + 184, E2S_XATTR_USER, "far", 90, 0, 8);
	put_xattr(raw + 204, E2S_XATTR_USER, "else", 0, 77, 5000);
	expect("magic", e2s_xattrs_start_inode(&fs, raw, &walk_state), 1);
	expect("first", e2s_xattrs_next(&walk_state, &xattr), 1);
	expect("its name", e2s_xattr_is(&xattr, E2S_XATTR_SYSTEM, "data"), 1);
	expect("another index", e2s_xattr_is(&xattr, E2S_XATTR_USER, "data"), 0);
	expect("its value", xattr.value - raw, 164 + 60);
	expect("second", e2s_xattrs_next(&walk_state, &xattr), 1);
	expect("a value out of bounds", xattr.value == NULL, 1);
	expect("third", e2s_xattrs_next(&walk_state, &xattr), 1);
	expect("a value elsewhere", xattr.value_ino, 77);
	expect("has none here", xattr.value == NULL, 1);
	expect("the end", e2s_xattrs_next(&walk_state, &xattr), 0);
	raw[204] = 250;
	e2s_xattrs_start_inode(&fs, raw, &walk_state);
	e2s_xattrs_next(&walk_state, &xattr);
	e2s_xattrs_next(&walk_state, &xattr);
	expect("a name over the end", e2s_xattrs_next(&walk_state, &xattr), -1);
	e2s_put_le16(raw + 128, 200);
	expect("i_extra_isize over the end",
	       e2s_xattrs_start_inode(&fs, raw, &walk_state), 0);
}

/* --- extent nodes, slots --- */

static void check_extent_nodes(void)
{
	uint8_t node[60] = { 0x0a, 0xf3, 4, 0, 4, 0, 1, 0 };

	expect("a node", e2s_extent_node_is_sane(node, 60, 1), 1);
	expect("another depth", e2s_extent_node_is_sane(node, 60, 0), 0);
	node[2] = 5;
	expect("more than its most", e2s_extent_node_is_sane(node, 60, 1), 0);
	node[4] = 5;
	expect("more than fit", e2s_extent_node_is_sane(node, 60, 1), 0);
	node[0] = 0;
	expect("no magic", e2s_extent_node_is_sane(node, 60, 1), 0);
}

static void check_slots(void)
{
	const uint32_t last = E2S_DIRS_MAX - 1;

	expect("free is no file", e2s_slot_is_file(E2S_SLOT_FREE), 0);
	expect("special is no file", e2s_slot_is_file(E2S_SLOT_SPECIAL), 0);
	expect("a file without a home", e2s_slot_has_home(E2S_SLOT_FILE), 0);
	expect("a file with one", e2s_slot_has_home(E2S_SLOT_FILE | 1), 1);
	expect("the first home", e2s_slot_home(E2S_SLOT_FILE | 1), 0);
	expect("the last home",
	       e2s_slot_home(E2S_SLOT_FILE | (last + 1)), last);
	expect("has one", e2s_slot_has_home(E2S_SLOT_FILE | (last + 1)), 1);
	expect("a directory is no file", e2s_slot_has_home(E2S_SLOT_DIR | 7), 0);
	expect("its number", e2s_slot_dir(E2S_SLOT_DIR | 7), 7);
}

/* --- the order of creation --- */

#define CRTIMES 3000

static int in_order(const void *a, const void *b)
{
	const struct e2s_crtime *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Times that lie SPREAD bits apart, in random order when SHUFFLED. */
static void make_crtimes(struct e2s_crtime *v, unsigned spread, int shuffled)
{
	static uint64_t state = 88172645463325252u;
	uint64_t time = 0;
	uint32_t i;

	for (i = 0; i < CRTIMES; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* Every fourth at the same time as the one before. */
		if (i % 4)
			time = (shuffled ? 0 : time) + (state >> (64 - spread));
		v[i] = (struct e2s_crtime){ time, i + i / 7 };
	}
}

/* What was packed comes back sorted, and nothing takes more than its bytes. */
static void check_crtimes(void)
{
	static struct e2s_crtime v[CRTIMES], sorted[CRTIMES];
	uint8_t *bytes = malloc(CRTIMES * E2S_CRTIME_BYTES);
	struct e2s_crtimes crtimes = { bytes, CRTIMES };
	struct e2s_crtime_walk walk;
	unsigned spread, i, wrong = 0;
	size_t len;

	for (spread = 1; spread <= 64; spread++) {
		make_crtimes(v, spread, spread > 50 || spread % 2);
		memcpy(sorted, v, sizeof(v));
		qsort(sorted, CRTIMES, sizeof(*sorted), in_order);
		len = e2s_crtimes_pack(v, CRTIMES, bytes);
		expect("packed into its room",
		       len <= CRTIMES * E2S_CRTIME_BYTES, 1);
		e2s_crtimes_start(&crtimes, &walk);
		for (i = 0; e2s_crtimes_next(&walk); i++)
			wrong += i >= CRTIMES || walk.time != sorted[i].time ||
				 walk.index != sorted[i].index;
		expect("inodes of the walk", i, CRTIMES);
		expect("bytes of the walk", walk.at - bytes, (long long)len);
	}
	expect("inodes out of order", wrong, 0);
	/* In a row and within moments, a byte each. */
	for (i = 0; i < CRTIMES; i++)
		v[i] = (struct e2s_crtime){ i / 2, i };
	expect("bytes of a row", (long long)e2s_crtimes_pack(v, CRTIMES, bytes),
	       CRTIMES);
	free(bytes);
}

/* --- hashes of names --- */

/* Against libext2fs: all lengths, all bytes, both twins, with and without seed. */
static void check_halfmd4(void)
{
	static const uint32_t seeds[2][4] = { { 0 }, { 0xc0ffee, 1, 0x80000000,
						       0xffffffff } };
	struct e2s_halfmd4 v[E2S_HALFMD4_NAMES];
	uint8_t bytes[E2S_HALFMD4_NAMES * E2S_HALFMD4_LEN];
	uint32_t seed, state = 7, hash, minor, wrong = 0, seen = 0, i, n;
	unsigned round;

	for (round = 0; round < 4000; round++) {
		seed = round & 1;
		n = 1 + round / 4 % E2S_HALFMD4_NAMES;
		for (i = 0; i < sizeof(bytes); i++) {
			state = state * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(state >> 24) &
				   (round % 3 ? 0x7f : 0xff);
		}
		for (i = 0; i < n; i++)
			v[i] = (struct e2s_halfmd4){
				.name = bytes + i * E2S_HALFMD4_LEN,
				.len = (round + i * 5) % (E2S_HALFMD4_LEN + 1),
			};
		e2s_halfmd4(v, n, seeds[seed], round >> 1 & 1);
		for (i = 0; i < n; i++, seen++) {
			ext2fs_dirhash2(round >> 1 & 1
					? EXT2_HASH_HALF_MD4_UNSIGNED
					: EXT2_HASH_HALF_MD4,
					(const char *)v[i].name, (int)v[i].len,
					NULL, 0, seeds[seed], &hash, &minor);
			wrong += v[i].hash != hash || v[i].minor != minor;
		}
	}
	expect("names hashed", seen > 10000, 1);
	expect("names hashed wrongly", wrong, 0);
}

int main(void)
{
	check_halfmd4();
	check_crtimes();
	check_dirents();
	check_large_block();
	check_noise();
	check_xattrs();
	check_extent_nodes();
	check_slots();
	return failed;
}
