/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phase 2: the groups, each on its own: inode bitmap, inode table up to the
 * high-water mark, the extent trees of its inodes.
 *
 * Relies on the descriptors.  Leaves for each group the type and X of every
 * inode in use (names and directory blocks still missing from X) and a yield:
 * directories, where their blocks are, who has attributes where.
 */
#include <errno.h>
#include <stdlib.h>

#include "verify/internal.h"

#include <ext2fs/ext2_ext_attr.h>

static void fault(struct group_read *g, enum e2s_fault_kind kind, uint32_t ino,
		  uint64_t blk)
{
	e2s_verify_note(g->run, &g->worker->sum, kind, g->group->number, ino, blk);
}

static errcode_t add_dir(struct group_read *g, uint32_t index, uint8_t *raw)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	struct yield *yield = g->yield;
	uint64_t size = e2s_verify_dir_size(g->run->fs, raw);
	uint32_t flags = e2s_get_le32(AT(i_flags));
	struct dir *dir;
	errcode_t err;

	err = e2s_vec_reserve(&yield->dirs, 1);
	if (!err)
		err = e2s_vec_reserve(&yield->blocks, 1);
	if (err)
		return err;
	g->group->links[index] = (uint32_t)yield->dirs.n;
	dir = &yield->dirs.v[yield->dirs.n++];
	*dir = (struct dir){
		.ino = ino_of(g->run, g->group->number, index),
		.generation = e2s_get_le32(AT(i_generation)),
		.links = e2s_get_le16(AT(i_links_count)),
		.parent = DIR_NONE,
	};
	if (flags & EXT4_INLINE_DATA_FL) {
		dir->dotdot = e2s_get_le32(AT(i_block));
		yield->blocks.v[yield->blocks.n++] = (struct dir_block){
			.blk = g->group->desc.itable_blk +
			       index / geo->inodes_per_block,
			.lblk = LBLK_INLINE,
			.dir = (uint32_t)yield->dirs.n - 1,
		};
		return 0;
	}
	if (!size || size % geo->block_size ||
	    size / geo->block_size > geo->blocks ||
	    size / geo->block_size >= LBLK_INLINE) {
		fault(g, E2S_FAULT_DIR_MAP, dir->ino, 0);
		return 0;
	}
	dir->blocks = (uint32_t)(size / geo->block_size);
	return e2s_verify_start_map(g, index, raw, (uint32_t)yield->dirs.n - 1);
}

/* The attributes in the inode: only references to other inodes matter. */
static errcode_t add_refs(struct group_read *g, uint32_t ino, uint8_t *raw)
{
	struct yield *yield = g->yield;
	uint8_t *at = e2s_verify_inode_xattrs(g->run->fs, raw), *entry;
	const uint8_t *end = raw + g->run->fs->geo.inode_size;
	errcode_t err;
	int bad = 0;

	while (at && (entry = e2s_verify_xattr_next(&at, end, &bad))) {
		uint32_t ea = e2s_get_le32(entry +
			offsetof(struct ext2_ext_attr_entry, e_value_inum));

		if (!ea)
			continue;
		err = e2s_vec_reserve(&yield->refs, 1);
		if (err)
			return err;
		yield->refs.v[yield->refs.n++] = (struct ea_ref){
			.owner = ino, .ea = ea,
			.generation = e2s_get_le32(AT(i_generation)),
		};
	}
	if (bad)
		fault(g, E2S_FAULT_XATTR, ino, 0);
	return 0;
}

static errcode_t add_xattr_block(struct group_read *g, uint32_t ino,
				 uint8_t *raw)
{
	struct yield *yield = g->yield;
	uint64_t blk = e2s_get_le32(AT(i_file_acl));
	struct xattr_use *last;
	errcode_t err;

	if (ext2fs_has_feature_64bit(g->run->fs->ext2->super))
		blk |= (uint64_t)e2s_get_le16(AT(osd2.linux2.l_i_file_acl_high))
		       << 32;
	if (!blk)
		return 0;
	if (!blk_inside(g->run->fs, blk, 1)) {
		fault(g, E2S_FAULT_XATTR, ino, blk);
		return 0;
	}
	/* Files made one after the other share their block. */
	last = yield->xattrs.n ? &yield->xattrs.v[yield->xattrs.n - 1] : NULL;
	if (last && last->blk == blk &&
	    !ext2fs_has_feature_ea_inode(g->run->fs->ext2->super))
		return 0;
	err = e2s_vec_reserve(&yield->xattrs, 1);
	if (!err)
		yield->xattrs.v[yield->xattrs.n++] = (struct xattr_use){
			.blk = blk, .ino = ino,
			.generation = e2s_get_le32(AT(i_generation)),
		};
	return err;
}

static errcode_t add_ea_inode(struct group_read *g, uint32_t ino, uint8_t *raw)
{
	struct yield *yield = g->yield;
	errcode_t err;

	err = e2s_vec_reserve(&yield->eas, 1);
	if (!err)
		yield->eas.v[yield->eas.n++] = (struct ea_inode){
			.ino = ino, .mtime = e2s_get_le32(AT(i_mtime)),
			.generation = e2s_get_le32(AT(i_generation)),
		};
	return err;
}

/* An inline directory's attribute has entries under its hash. */
static void check_inline_dir(struct group_read *g, uint32_t ino, uint8_t *raw)
{
	struct inline_dir dir;

	if (!e2s_verify_inline_dir(g->run->fs, raw, &dir))
		fault(g, E2S_FAULT_DIR_MAP, ino, 0);
	else if (!e2s_verify_xattr_hash(dir.xattr, dir.at[1]))
		fault(g, E2S_FAULT_XATTR, ino, 0);
}

static unsigned type_of(struct group_read *g, uint32_t ino, const uint8_t *raw)
{
	unsigned type = e2s_verify_file_type(e2s_get_le16(AT(i_mode)));

	if (e2s_verify_is_special(g->run->fs, ino))
		return type | TYPE_SPECIAL;
	if (!type) {
		fault(g, E2S_FAULT_INODE_MODE, ino, 0);
		type = EXT2_FT_REG_FILE;
	}
	if (e2s_get_le32(AT(i_flags)) & EXT4_EA_INODE_FL)
		return EXT2_FT_REG_FILE | TYPE_SPECIAL | TYPE_EA;
	return type;
}

/* What the inode leads to; then it may be masked. */
static errcode_t follow_inode(struct group_read *g, uint32_t index,
			      uint8_t *raw, unsigned type)
{
	const struct e2s_fs *fs = g->run->fs;
	uint32_t ino = ino_of(g->run, g->group->number, index);
	errcode_t err = 0;

	if (!e2s_get_le16(AT(i_links_count)))
		return 0;	/* a reserved one that is not used */
	if (type == EXT2_FT_DIR) {
		if (e2s_get_le32(AT(i_flags)) & EXT4_INLINE_DATA_FL)
			check_inline_dir(g, ino, raw);
		err = add_dir(g, index, raw);
	} else {
		err = e2s_verify_start_map(g, index, raw, DIR_NONE);
	}
	if (!err && ext2fs_has_feature_ea_inode(fs->ext2->super))
		err = add_refs(g, ino, raw);
	if (!err)
		err = add_xattr_block(g, ino, raw);
	if (!err && type & TYPE_EA)
		err = add_ea_inode(g, ino, raw);
	return err;
}

/* Once there is an inode in use. */
static errcode_t alloc_slots(struct run *run, struct group *group)
{
	size_t n = group->used;

	group->type = e2s_arena_zalloc(&run->arena, n * sizeof(*group->type));
	group->x = e2s_arena_zalloc(&run->arena, n * sizeof(*group->x));
	group->links = e2s_arena_zalloc(&run->arena, n * sizeof(*group->links));
	return group->type && group->x && group->links ? 0 : ENOMEM;
}

static errcode_t read_inode(struct group_read *g, uint32_t index, uint8_t *raw)
{
	const struct e2s_fs *fs = g->run->fs;
	uint32_t ino = ino_of(g->run, g->group->number, index);
	unsigned type;
	errcode_t err = 0;

	if (ino >= fs->geo.first_ino && !e2s_get_le16(AT(i_links_count))) {
		if (!e2s_verify_is_free_slot(fs, ino, raw))
			fault(g, E2S_FAULT_FREE_SLOT, ino, 0);
		return 0;
	}
	if (fs->geo.metadata_csum && !e2s_csum_inode_match(fs, ino, raw) &&
	    !(ino < fs->geo.first_ino &&
	      e2s_verify_is_zero(raw, fs->geo.inode_size)))
		fault(g, E2S_FAULT_INODE_CSUM, ino, 0);
	if (g->group->type == g->run->none)
		err = alloc_slots(g->run, g->group);
	if (err)
		return err;
	type = type_of(g, ino, raw);
	g->group->type[index] = (uint8_t)type;
	g->group->links[index] = e2s_get_le16(AT(i_links_count));
	err = follow_inode(g, index, raw, type);
	e2s_verify_mask(fs, raw, type);
	x_add_alone(g->group, index,
		    e2s_verify_hash(HASH_RAW, type & TYPE_SPECIAL ? ino : 0,
				    raw, fs->geo.inode_size));
	return err;
}

static errcode_t read_table(struct group_read *g)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	uint32_t ipb = geo->inodes_per_block, index = 0, blocks, count, last;
	uint64_t blk = g->group->desc.itable_blk;
	uint8_t *raw;
	errcode_t err;

	blocks = (g->group->used + ipb - 1) / ipb;
	for (; blocks; blocks -= count, blk += count) {
		count = blocks < g->run->read_blocks ? blocks
						     : g->run->read_blocks;
		raw = g->worker->table;
		err = e2s_fs_read(g->run->fs, blk, count, raw, g->where);
		if (err)
			return err;
		last = index + count * ipb;
		if (last > g->group->used)
			last = g->group->used;
		for (; index < last; index++, raw += geo->inode_size) {
			err = read_inode(g, index, raw);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Whether the inode of this index is in use, according to the table. */
static int is_used(const struct group_read *g, uint32_t index)
{
	return (index < g->group->used && g->group->type[index]) ||
	       ino_of(g->run, g->group->number, index) < g->run->fs->geo.first_ino;
}

static void check_bits(struct group_read *g, const uint8_t *bitmap)
{
	const struct e2s_geometry *geo = &g->run->fs->geo;
	uint32_t index, free_inodes = 0, bit;

	for (index = 0; index < geo->inodes_per_group; index++) {
		bit = bitmap[index / 8] >> index % 8 & 1;
		free_inodes += !bit;
		if (bit == (uint32_t)is_used(g, index))
			continue;
		fault(g, bit && index >= g->group->used ? E2S_FAULT_HIGH_WATER
							: E2S_FAULT_BITMAP,
		      ino_of(g->run, g->group->number, index), 0);
	}
	if (free_inodes != g->group->desc.free_inodes)
		fault(g, E2S_FAULT_FREE_COUNT, 0, 0);
	for (index = geo->inodes_per_group / 8; index < geo->block_size; index++)
		if (bitmap[index] != 0xff) {
			fault(g, E2S_FAULT_BITMAP_PADDING, 0, 0);
			break;
		}
}

static errcode_t check_bitmap(struct group_read *g)
{
	const struct e2s_fs *fs = g->run->fs;
	const struct desc *desc = &g->group->desc;
	uint8_t *bitmap = g->worker->block;
	uint32_t csum;
	errcode_t err;

	err = e2s_fs_read(fs, desc->bitmap_blk, 1, bitmap, g->where);
	if (err)
		return err;
	if (fs->geo.metadata_csum) {
		csum = e2s_crc32c(fs->ext2->csum_seed, bitmap,
				  fs->geo.inodes_per_group / 8);
		if (EXT2_DESC_SIZE(fs->ext2->super) < EXT2_MIN_DESC_SIZE_64BIT)
			csum &= 0xffff;
		if (csum != desc->bitmap_csum)
			fault(g, E2S_FAULT_BITMAP_CSUM, 0, desc->bitmap_blk);
	}
	check_bits(g, bitmap);
	return 0;
}

/* After the table: the sum over the inodes before names come to them. */
static void sum_inodes(struct group_read *g)
{
	struct e2s_digest *digest =
		&g->worker->sum.digest[E2S_VERIFY_INODES];
	uint32_t index, dirs = 0;

	for (index = 0; index < g->group->used; index++) {
		if (!g->group->type[index])
			continue;
		digest_add(digest, g->group->x[index]);
		dirs += g->group->type[index] == EXT2_FT_DIR;
	}
	if (dirs != g->group->desc.used_dirs)
		fault(g, E2S_FAULT_DIRS_COUNT, 0, 0);
}

/* Most groups have nothing to say. */
static errcode_t keep_yield(struct group *group, struct yield *yield)
{
	if (!yield->dirs.n && !yield->blocks.n && !yield->xattrs.n &&
	    !yield->refs.n && !yield->eas.n)
		return 0;
	group->yield = malloc(sizeof(*group->yield));
	if (!group->yield)
		return ENOMEM;
	*group->yield = *yield;
	*yield = (struct yield){ 0 };
	return 0;
}

/* Groups that are read before their yields are gathered: all yields at once
 * would take as much memory as what comes of them. */
struct stretch {
	struct run *run;
	size_t first;
};

#define STRETCH_INODES (1u << 20)	/* up to the high-water marks, or a few more */

static errcode_t read_group(void *ctx, uint64_t item, unsigned worker,
			    struct e2s_where *where)
{
	const struct stretch *stretch = ctx;
	struct run *run = stretch->run;
	struct yield yield = { 0 };
	struct group_read g = {
		.run = run, .worker = &run->workers[worker],
		.group = &run->groups.v[stretch->first + item],
		.yield = &yield, .where = where,
	};
	errcode_t err;

	g.group->type = run->none;
	g.group->x = run->none;
	g.group->links = run->none;
	err = read_table(&g);
	if (!err)
		err = e2s_verify_extents(&g);
	if (!err)
		err = check_bitmap(&g);
	if (!err)
		sum_inodes(&g);
	if (!err)
		err = keep_yield(g.group, &yield);
	e2s_verify_free_yield(&yield);
	free(g.nodes.v);
	return err;
}

/* The end of a stretch that begins with group FIRST. */
static size_t end_of_stretch(const struct run *run, size_t first)
{
	uint64_t inodes = 0;

	while (first < run->groups.n && inodes < STRETCH_INODES)
		inodes += run->groups.v[first++].used;
	return first;
}

/* As many directories as the descriptors say.  If they lie, or there is no such
 * memory, the list grows later on. */
static void expect_dirs(struct run *run)
{
	uint64_t dirs = 0;
	size_t i;

	for (i = 0; i < run->groups.n; i++)
		if (run->groups.v[i].desc.used_dirs <= run->groups.v[i].used)
			dirs += run->groups.v[i].desc.used_dirs;
	if (e2s_vec_reserve(&run->all.dirs, dirs))
		return;
	(void)e2s_vec_reserve(&run->all.blocks, dirs);
}

errcode_t e2s_verify_groups(struct run *run, struct e2s_where *where)
{
	struct stretch stretch = { .run = run };
	errcode_t err = 0;
	size_t end;

	run->none = e2s_arena_zalloc(&run->arena,
				     run->fs->geo.inodes_per_group *
				     sizeof(uint64_t));
	if (!run->none)
		return ENOMEM;
	expect_dirs(run);
	for (; stretch.first < run->groups.n && !err; stretch.first = end) {
		end = end_of_stretch(run, stretch.first);
		err = e2s_workers_run(run->threads, end - stretch.first,
				      read_group, &stretch, where);
		while (!err && stretch.first < end)
			err = e2s_verify_gather(run,
					&run->groups.v[stretch.first++]);
	}
	return err;
}
