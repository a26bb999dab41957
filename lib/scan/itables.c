/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 1: the inode tables.
 *
 * Relies on nothing but the open file system.  Leaves, for each group whose
 * table has been used, its slots (a file's home still unknown, a directory's
 * number too) and a yield: its directories with the places of their blocks and
 * the names inside inline ones.  Compares the inode bitmaps on the way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan/group.h"

#define READ_BYTES (256u << 10)	/* stays in a cache until it is looked at */

struct itables {
	struct run *run;
	struct scratch *scratch;	/* by worker */
	uint32_t read_blocks;		/* blocks in scratch.table */
};

/* Never used, or cleared: what mke2fs and e2fsck leave (k: ext4_iget's test). */
static int is_blank(const uint8_t *raw)
{
	return !e2s_get_le16(AT(i_mode)) && !e2s_get_le16(AT(i_links_count)) &&
	       !e2s_get_le32(AT(i_dtime)) && !e2s_get_le32(AT(i_flags));
}

static errcode_t scan_inode(struct group_scan *g, uint32_t index,
			    const uint8_t *raw, int trusted)
{
	const struct e2s_fs *fs = g->run->fs;
	uint32_t ino = ino_at(g, index);

	if (is_blank(raw))
		return 0;
	if (!trusted)
		problem(g, E2S_PROBLEM_INODE_CSUM, ino, 0);
	switch (e2s_inode_kind(fs, ino, raw)) {
	case INODE_FREE:
		return 0;
	case INODE_GARBAGE:
		if (trusted)
			problem(g, E2S_PROBLEM_INODE_GARBAGE, ino, 0);
		return 0;
	case INODE_SPECIAL:
		g->slots[index] = E2S_SLOT_SPECIAL;
		break;
	case INODE_FILE:
		g->slots[index] = E2S_SLOT_FILE;
		break;
	case INODE_DIR:
		g->slots[index] = E2S_SLOT_DIR;
		break;
	}
	g->yield->inodes_used++;
	if (g->slots[index] == E2S_SLOT_SPECIAL)
		return 0;
	return e2s_group_keep_inode(g, index, raw, trusted);
}

/* N inodes from slot INDEX on. */
static errcode_t scan_inodes(struct group_scan *g, uint32_t index, uint32_t n,
			     const uint8_t *raw)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	uint64_t wrong = 0;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < n && !err; i++, raw += geo->inode_size, wrong >>= 1) {
		if (geo->metadata_csum && i % 64 == 0)
			wrong = e2s_csum_inodes_wrong(g->run->fs,
				ino_at(g, index + i), raw,
				n - i < 64 ? n - i : 64);
		err = scan_inode(g, index + i, raw, !(wrong & 1));
	}
	return err;
}

/* Reads COUNT blocks of the REST from BLK on. */
static errcode_t read_table(struct group_scan *g, uint64_t blk, uint32_t count,
			    uint32_t rest)
{
	const struct e2s_fs *fs = g->run->fs;

	if (e2s_fs_read_cached(fs, blk, count, g->scratch->table))
		return 0;
	e2s_fs_readahead(fs, blk, rest);
	return e2s_fs_read(fs, blk, count, g->scratch->table, g->where);
}

static errcode_t scan_table(struct group_scan *g, uint32_t read_blocks)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	uint32_t ipb = geo->inodes_per_block, index = 0, blocks, count, n;
	uint64_t blk = e2s_fs_itable_blk(g->run->fs, g->group);
	errcode_t err;

	blocks = (g->used + ipb - 1) / ipb;
	for (; blocks; blocks -= count, blk += count) {
		count = blocks < read_blocks ? blocks : read_blocks;
		err = read_table(g, blk, count, blocks);
		if (err)
			return err;
		n = count * ipb < g->used - index ? count * ipb
						  : g->used - index;
		err = scan_inodes(g, index, n, g->scratch->table);
		if (err)
			return err;
		index += n;
	}
	return 0;
}

static void check_desc(struct group_scan *g)
{
	ext2_filsys ext2 = g->run->fs->ext2;

	if (!ext2fs_group_desc_csum_verify(ext2, g->group))
		problem(g, E2S_PROBLEM_DESC_CSUM, 0, 0);
}

/* Bit and slot must agree, but for the reserved inodes, always allocated. */
static void compare_bitmap(struct group_scan *g, const uint8_t *bitmap)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	uint32_t i, ino, free_inodes = 0;
	int bit, used;

	for (i = 0; i < geo->inodes_per_group; i++) {
		bit = bitmap[i / 8] >> (i % 8) & 1;
		free_inodes += !bit;
		used = i < g->used && g->slots[i] != E2S_SLOT_FREE;
		ino = ino_at(g, i);
		if (bit != used && !(bit && ino < geo->first_ino))
			problem(g, E2S_PROBLEM_BITMAP, ino, 0);
	}
	if (free_inodes != ext2fs_bg_free_inodes_count(g->run->fs->ext2,
						       g->group))
		problem(g, E2S_PROBLEM_BITMAP, 0, 0);
}

static errcode_t check_bitmap(struct group_scan *g)
{
	const struct e2s_fs *fs = g->run->fs;
	uint64_t blk = ext2fs_inode_bitmap_loc(fs->ext2, g->group);
	char *bitmap = (char *)g->scratch->bitmap;
	errcode_t err;

	if (e2s_fs_inode_uninit(fs, g->group))
		return 0;
	err = e2s_fs_read(fs, blk, 1, bitmap, g->where);
	if (err)
		return err;
	if (!ext2fs_inode_bitmap_csum_verify(fs->ext2, g->group, bitmap,
					     (int)(fs->geo.inodes_per_group / 8)))
		problem(g, E2S_PROBLEM_BITMAP_CSUM, 0, blk);
	compare_bitmap(g, g->scratch->bitmap);
	return 0;
}

static errcode_t start_group(struct group_scan *g)
{
	struct scratch *s = g->scratch;

	g->run->yields[g->group] = g->yield = calloc(1, sizeof(*g->yield));
	if (!g->yield)
		return ENOMEM;
	g->slots = s->slots;
	memset(s->slots, 0, g->used * sizeof(*s->slots));
	g->links = s->links;
	g->places = s->places;
	if (!s->places)
		return 0;
	memset(s->links, 0, g->used * sizeof(*s->links));
	memset(s->places, 0, g->used * sizeof(*s->places));
	return 0;
}

static void *copy_of(struct e2s_arena *arena, const void *data, size_t len)
{
	void *copy = e2s_arena_zalloc(arena, len);

	return copy ? memcpy(copy, data, len) : NULL;
}

/* Where no inode is in use, however many there are, it takes no memory. */
static errcode_t keep_slots(struct group_scan *g)
{
	struct run *run = g->run;
	struct e2s_scan *scan = run->scan;
	void *zeroes = scan->all_free;
	int none = !g->yield->inodes_used;

	if (!g->used)
		return 0;
	scan->layout.slots[g->group] = none ? zeroes
		: copy_of(&scan->slots_arena, g->slots,
			  g->used * sizeof(*g->slots));
	if (!scan->layout.slots[g->group])
		return ENOMEM;
	if (!g->places)
		return 0;
	run->links[g->group] = none ? zeroes
		: copy_of(&run->arena, g->links, g->used * sizeof(*g->links));
	scan->places[g->group] = none ? zeroes
		: copy_of(&scan->arena, g->places,
			  g->used * sizeof(*g->places));
	return run->links[g->group] && scan->places[g->group] ? 0 : ENOMEM;
}

static errcode_t keep_crtimes(struct group_scan *g)
{
	struct e2s_scan *scan = g->run->scan;
	size_t len = e2s_crtimes_pack(g->scratch->crtimes, g->crtimes_n,
				      g->scratch->packed);
	uint8_t *bytes = copy_of(&scan->times_arena, g->scratch->packed, len);

	if (!bytes)
		return ENOMEM;
	scan->crtimes[g->group] = (struct e2s_crtimes){ bytes, g->crtimes_n };
	return 0;
}

static errcode_t scan_group(void *ctx, uint64_t item, unsigned worker,
			    struct e2s_where *where)
{
	struct itables *itables = ctx;
	struct group_scan g = {
		.run = itables->run, .scratch = &itables->scratch[worker],
		.group = (uint32_t)item, .where = where,
	};
	errcode_t err;

	g.used = e2s_fs_itable_used(g.run->fs, g.group);
	if (e2s_fs_inode_uninit(g.run->fs, g.group) &&
	    ext2fs_group_desc_csum_verify(g.run->fs->ext2, g.group))
		return 0;
	g.run->scan->layout.used[g.group] = g.used;
	err = start_group(&g);
	if (err)
		return err;
	check_desc(&g);
	err = scan_table(&g, itables->read_blocks);
	if (!err && g.crtimes_n)
		err = keep_crtimes(&g);
	if (!err)
		err = check_bitmap(&g);
	return err ? err : keep_slots(&g);
}

static int alloc_scratch(const struct itables *itables, struct e2s_arena *arena,
			 struct scratch *s)
{
	const struct e2s_geometry *geo = &itables->run->fs->geo;
	size_t bs = geo->block_size, slots = geo->inodes_per_group;
	unsigned flags = itables->run->flags;

	s->table = e2s_arena_zalloc(arena, itables->read_blocks * bs);
	s->bitmap = e2s_arena_zalloc(arena, bs);
	s->map = e2s_arena_zalloc(arena, DIR_MAP_LEVELS * bs);
	s->slots = e2s_arena_zalloc(arena, slots * sizeof(*s->slots));
	if (!s->table || !s->bitmap || !s->map || !s->slots)
		return 0;
	if (flags & E2S_SCAN_PLACES) {
		s->links = e2s_arena_zalloc(arena, slots * sizeof(*s->links));
		s->places = e2s_arena_zalloc(arena, slots * sizeof(*s->places));
		if (!s->links || !s->places)
			return 0;
	}
	if (!(flags & E2S_SCAN_TIMES))
		return 1;
	s->crtimes = e2s_arena_zalloc(arena, slots * sizeof(*s->crtimes));
	s->packed = e2s_arena_zalloc(arena, slots * E2S_CRTIME_BYTES);
	return s->crtimes && s->packed;
}

errcode_t e2s_scan_itables(struct run *run, struct e2s_where *where)
{
	uint32_t bs = run->fs->geo.block_size;
	struct itables itables = { .run = run };
	struct e2s_arena arena = { 0 };
	errcode_t err = ENOMEM;
	unsigned i;

	itables.read_blocks = bs < READ_BYTES ? READ_BYTES / bs : 1;
	run->scan->all_free = e2s_arena_zalloc(&run->scan->arena,
					       run->fs->geo.inodes_per_group *
					       sizeof(e2s_slot));
	itables.scratch = e2s_arena_zalloc(&arena, run->threads *
					   sizeof(*itables.scratch));
	if (!run->scan->all_free)
		goto out;
	for (i = 0; itables.scratch && i < run->threads; i++)
		if (!alloc_scratch(&itables, &arena, &itables.scratch[i]))
			goto out;
	if (itables.scratch)
		err = e2s_workers_run(run->threads, run->fs->geo.groups,
				      scan_group, &itables, where);
out:
	e2s_arena_free(&arena);
	return err;
}
