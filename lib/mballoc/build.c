/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buddy numbers of all groups, counted from the bitmaps in large reads by
 * several threads.  Relies on nothing but an open file system; leaves flat
 * arrays and no bitmap.
 */
#include <errno.h>
#include <stdlib.h>

#include "mballoc/internal.h"

#define CHUNK_GROUPS 64			/* groups of one piece of work */

struct reader {
	struct e2s_mballoc *mb;
	uint8_t *buf;			/* CHUNK_GROUPS bitmaps a thread */
};

/*
 * Where the kernel has no stripe on the command line (ext4_get_stripe_size):
 * blocks, 0 when there is none or none that fits the clusters.
 */
static uint32_t stripe_of(const struct e2s_fs *fs)
{
	struct ext2_super_block *super = fs->ext2->super;
	uint32_t stripe = super->s_raid_stripe_width;

	if (!stripe || stripe > fs->geo.blocks_per_group)
		stripe = super->s_raid_stride;
	if (stripe > fs->geo.blocks_per_group || stripe == 1 ||
	    stripe % fs->geo.cluster_blocks)
		return 0;
	return stripe;
}

static struct e2s_mballoc_layout layout_of(const struct e2s_fs *fs)
{
	return (struct e2s_mballoc_layout){
		.groups = fs->geo.groups,
		.block_size = fs->geo.block_size,
		.clusters_per_group =
			EXT2_CLUSTERS_PER_GROUP(fs->ext2->super),
		.cluster_blocks = fs->geo.cluster_blocks,
		.flex_size = fs->geo.flex_size,
		.stripe = stripe_of(fs),
		.blocks_per_group = fs->geo.blocks_per_group,
		.first_data_block = fs->geo.first_data_block,
	};
}

static errcode_t make(const struct e2s_mballoc_layout *layout,
		      struct e2s_mballoc **ret)
{
	struct e2s_mballoc *mb = calloc(1, sizeof(*mb));

	if (!mb)
		return ENOMEM;
	mb->layout = *layout;
	mb->orders = (unsigned)fls(layout->block_size) + 1;
	mb->group = calloc(layout->groups, sizeof(*mb->group));
	mb->counters = calloc((size_t)layout->groups * mb->orders,
			      sizeof(*mb->counters));
	if (!mb->group || !mb->counters) {
		e2s_mballoc_free(mb);
		return ENOMEM;
	}
	*ret = mb;
	return 0;
}

static uint32_t *counters_of(const struct e2s_mballoc *mb, uint32_t group)
{
	return mb->counters + (size_t)group * mb->orders;
}

/* The kernel knows of a group whose bitmap it does not use this much. */
static void set_unusable(struct e2s_mballoc *mb, uint32_t group)
{
	struct e2s_mballoc_group *info = &mb->group[group];

	info->free = ext2fs_bg_free_blocks_count(mb->fs->ext2, group);
	info->largest_free_order = -1;
	info->avg_fragment_order = -1;
}

static void count_group(struct e2s_mballoc *mb, uint32_t group, uint8_t *bits)
{
	struct e2s_mballoc_group *info = &mb->group[group];

	info->health = (uint8_t)e2s_mb_check_block_bitmap(mb->fs, group, bits);
	if (info->health != E2S_MBALLOC_SOUND) {
		set_unusable(mb, group);
		return;
	}
	e2s_mb_generate_buddy(&mb->layout, mb->orders, bits, NULL, info,
			       counters_of(mb, group));
	/* What an uninitialised group's descriptor says is not looked at. */
	if (!e2s_mb_block_uninit(mb->fs, group) &&
	    info->free != ext2fs_bg_free_blocks_count(mb->fs->ext2, group))
		info->health = E2S_MBALLOC_BAD_COUNT;
}

/* Groups from GROUP on and below END whose bitmaps are in a row on disk. */
static uint32_t run_length(const struct e2s_fs *fs, uint32_t group,
			   uint32_t end)
{
	uint64_t blk = ext2fs_block_bitmap_loc(fs->ext2, group);
	uint32_t n = 1;

	while (group + n < end && !e2s_mb_block_uninit(fs, group + n) &&
	       ext2fs_block_bitmap_loc(fs->ext2, group + n) == blk + n)
		n++;
	return n;
}

static errcode_t read_chunk(void *ctx, uint64_t item, unsigned worker,
			    struct e2s_where *where)
{
	struct reader *reader = ctx;
	struct e2s_mballoc *mb = reader->mb;
	size_t size = mb->layout.block_size;
	uint8_t *buf = reader->buf + worker * size * CHUNK_GROUPS;
	uint32_t group = (uint32_t)item * CHUNK_GROUPS, n, i;
	uint32_t end = mb->layout.groups - group < CHUNK_GROUPS ?
			mb->layout.groups : group + CHUNK_GROUPS;
	errcode_t err;

	for (; group < end; group += n) {
		n = 1;
		if (!e2s_mb_block_uninit(mb->fs, group)) {
			n = run_length(mb->fs, group, end);
			err = e2s_fs_read(mb->fs,
				ext2fs_block_bitmap_loc(mb->fs->ext2, group),
				n, buf, where);
			if (err)
				return e2s_where_group(where, err, group);
		}
		for (i = 0; i < n; i++)
			count_group(mb, group + i, buf + i * size);
	}
	return 0;
}

errcode_t e2s_mballoc_read(const struct e2s_fs *fs, unsigned threads,
			   struct e2s_mballoc **ret, struct e2s_where *where)
{
	struct e2s_mballoc_layout layout = layout_of(fs);
	struct reader reader = { 0 };
	uint64_t chunks = ((uint64_t)layout.groups + CHUNK_GROUPS - 1) /
			  CHUNK_GROUPS;
	errcode_t err;

	/* A bitmap is one block, and covers the blocks of a group. */
	if (layout.clusters_per_group > layout.block_size * 8 ||
	    (uint64_t)layout.clusters_per_group * layout.cluster_blocks !=
	    layout.blocks_per_group)
		return E2S_ET_BAD_SUPER;
	if (threads > chunks)
		threads = (unsigned)chunks;
	if (!threads)
		threads = 1;
	err = make(&layout, &reader.mb);
	if (err)
		goto out;
	reader.mb->fs = fs;
	reader.buf = malloc((size_t)threads * CHUNK_GROUPS * layout.block_size);
	if (!reader.buf) {
		err = ENOMEM;
		goto out;
	}
	err = e2s_workers_run(threads, chunks, read_chunk, &reader, where);
	if (err)
		goto out;
	*ret = reader.mb;
	reader.mb = NULL;
out:
	free(reader.buf);
	e2s_mballoc_free(reader.mb);
	return err;
}

errcode_t e2s_mballoc_generate(const struct e2s_mballoc_layout *layout,
			       const struct e2s_mballoc_source *source,
			       struct e2s_mballoc **ret)
{
	struct e2s_mballoc *mb;
	uint32_t group;
	errcode_t err;

	err = make(layout, &mb);
	if (err)
		return err;
	mb->source = *source;
	for (group = 0; group < layout->groups; group++) {
		source->numbers(source->ctx, group, &mb->group[group],
				counters_of(mb, group));
		e2s_mb_set_orders(mb->orders, &mb->group[group],
			      counters_of(mb, group));
	}
	*ret = mb;
	return 0;
}

void e2s_mballoc_free(struct e2s_mballoc *mb)
{
	if (!mb)
		return;
	free(mb->group);
	free(mb->counters);
	free(mb);
}

const struct e2s_mballoc_layout *
e2s_mballoc_layout(const struct e2s_mballoc *mb)
{
	return &mb->layout;
}

unsigned e2s_mballoc_orders(const struct e2s_mballoc *mb)
{
	return mb->orders;
}

const struct e2s_mballoc_group *e2s_mballoc_group(const struct e2s_mballoc *mb,
						  uint32_t group)
{
	return &mb->group[group];
}

const uint32_t *e2s_mballoc_counters(const struct e2s_mballoc *mb,
				     uint32_t group)
{
	return counters_of(mb, group);
}

void e2s_mballoc_list_lengths(const struct e2s_mballoc *mb,
			      uint32_t largest[E2S_MBALLOC_ORDERS_MAX],
			      uint32_t fragment[E2S_MBALLOC_ORDERS_MAX])
{
	const struct e2s_mballoc_group *info;
	uint32_t group;

	memset(largest, 0, E2S_MBALLOC_ORDERS_MAX * sizeof(*largest));
	memset(fragment, 0, E2S_MBALLOC_ORDERS_MAX * sizeof(*fragment));
	for (group = 0; group < mb->layout.groups; group++) {
		info = &mb->group[group];
		if (info->largest_free_order >= 0)
			largest[info->largest_free_order]++;
		if (info->avg_fragment_order >= 0)
			fragment[info->avg_fragment_order]++;
	}
}

int e2s_mballoc_default_optimize_scan(const struct e2s_mballoc *mb)
{
	return mb->layout.groups >= 16;
}
