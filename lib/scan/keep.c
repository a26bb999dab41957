/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scan keeps of files and directories while their itables go by. */
#include <stdatomic.h>

#include "scan/extents.h"
#include "scan/group.h"

static errcode_t add_run(void *ctx, uint32_t lblk, uint64_t blk, uint32_t count)
{
	struct group_scan *g = ctx;
	struct yield *yield = g->yield;
	uint64_t claimed;
	errcode_t err;

	/* Only blocks claimed twice can make these more than there are. */
	claimed = atomic_fetch_add(g->run->claimed_blocks, count) + count;
	if (claimed > g->run->fs->geo.blocks)
		return E2S_ET_DIRS_OVERLAP;
	err = e2s_vec_reserve(&yield->blocks, count);
	if (err)
		return err;
	for (; count; count--, lblk++, blk++)
		yield->blocks.v[yield->blocks.n++] = (struct e2s_dir_block){
			.blk = blk, .lblk = lblk,
			.dir = (uint32_t)yield->dirs.n - 1,
		};
	return 0;
}

static errcode_t scan_inline_dir(struct group_scan *g, uint32_t ino,
				 const uint8_t *raw)
{
	const struct e2s_fs *fs = g->run->fs;
	struct e2s_inline_part parts[2];
	unsigned i, n = e2s_inline_parts(fs, raw, parts);
	struct yield *yield = g->yield;
	struct e2s_dirents walk;
	struct e2s_dirent entry;
	errcode_t err;
	int more = 0;

	if (!n)
		problem(g, E2S_PROBLEM_DIR_MAP, ino, 0);
	for (i = 0; i < n; i++) {
		e2s_dirents_start(&walk, parts[i].at, parts[i].len,
				  fs->geo.block_size);
		while ((more = e2s_dirents_next(&walk, &entry)) > 0) {
			if (!entry.ino)
				continue;
			err = e2s_vec_reserve(&yield->inline_names, 1);
			if (err)
				return err;
			yield->inline_names.v[yield->inline_names.n++] =
				(struct inline_name){
					.dir = (uint32_t)yield->dirs.n - 1,
					.ino = entry.ino,
				};
		}
		if (more < 0)
			problem(g, E2S_PROBLEM_DIR_BLOCK, ino, 0);
	}
	return 0;
}

static errcode_t scan_dir(struct group_scan *g, uint32_t ino,
			  const uint8_t *raw, int trusted)
{
	struct yield *yield = g->yield;
	uint32_t flags = e2s_get_le32(AT(i_flags));
	errcode_t err;
	int bad = 0;

	err = e2s_vec_reserve(&yield->dirs, 1);
	if (err)
		return err;
	yield->dirs.v[yield->dirs.n++] = (struct e2s_scan_dir){
		.ino = ino, .parent = E2S_DIR_NONE, .flags = flags,
		.generation = e2s_get_le32(AT(i_generation)),
	};
	if (!trusted)
		return 0;	/* do not follow what a bad checksum covers */
	if (flags & EXT4_INLINE_DATA_FL)
		return scan_inline_dir(g, ino, raw);
	err = e2s_dir_map(g->run->fs, ino, raw, g->scratch->map, add_run, g,
			  &bad, g->where);
	if (bad)
		problem(g, E2S_PROBLEM_DIR_MAP, ino, 0);
	return err;
}

static errcode_t count_node(void *ctx, uint64_t blk, uint8_t *buf)
{
	uint32_t *nodes = ctx;

	(void)blk;
	(void)buf;
	(*nodes)++;
	return 0;
}

/* The extent tree of a file, for the checksums that a move must rewrite. */
static errcode_t scan_extents(struct group_scan *g, uint32_t ino,
			      const uint8_t *raw)
{
	struct yield *yield = g->yield;
	uint32_t nodes = 0;
	errcode_t err;
	int bad;

	if (!e2s_extents_have_nodes(raw))
		return 0;
	err = e2s_extents_walk(g->run->fs, ino, raw, g->scratch->map,
			       count_node, &nodes, &bad, g->where);
	if (err)
		return err;
	if (bad)
		problem(g, E2S_PROBLEM_EXTENTS, ino, 0);
	err = e2s_vec_reserve(&yield->deep_files, 1);
	if (!err)
		yield->deep_files.v[yield->deep_files.n++] =
			(struct e2s_deep_file){ ino, nodes };
	return err;
}

errcode_t e2s_group_keep_inode(struct group_scan *g, uint32_t index,
			       const uint8_t *raw, int trusted)
{
	uint32_t ino = ino_at(g, index);
	errcode_t err = 0;

	if (g->scratch->crtimes)
		g->scratch->crtimes[g->crtimes_n++] = (struct e2s_crtime){
			e2s_inode_time(g->run->fs, raw), index };
	if (g->places) {
		g->links[index] = e2s_get_le16(AT(i_links_count));
		g->places[index] = g->slots[index] == E2S_SLOT_FILE &&
				   g->links[index] > 1 ? E2S_PLACE_MANY
						       : E2S_PLACE_NONE;
		if (trusted)
			err = scan_extents(g, ino, raw);
	}
	if (!err && g->run->flags & E2S_SCAN_PINS)
		err = e2s_pins_inode(g->run->fs, g->yield, ino, raw);
	if (!err && g->slots[index] == E2S_SLOT_DIR)
		err = scan_dir(g, ino, raw, trusted);
	return err;
}
