/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a batch: in order of where they come from, in order of where
 * they end, and found by number.
 *
 * To find one, the numbers from the first step's to the last one's are cut
 * into equal ranges, about half as many as there are steps; for each range it
 * is known where its steps begin, and there are few to be searched.
 */
#include <errno.h>
#include <stdlib.h>

#include "relayout/internal.h"

/* Most plans come as one batch and that in order. */
static int is_sorted(const struct batch *batch)
{
	size_t i;

	for (i = 1; i < batch->n; i++)
		if (batch->by_from[i - 1].from > batch->by_from[i].from)
			return 0;
	return 1;
}

static errcode_t sort_ends(struct batch *batch)
{
	size_t i;

	batch->by_to = e2s_large_malloc(batch->n * sizeof(*batch->by_to));
	if (!batch->by_to)
		return ENOMEM;
	for (i = 0; i < batch->n; i++)
		batch->by_to[i] = (struct e2s_keyed){ batch->by_from[i].to,
						      batch->by_from[i].from };
	e2s_sort_keyed(batch->by_to, batch->n);
	return 0;
}

static uint32_t bucket_of(const struct batch *batch, uint32_t ino)
{
	return (ino - batch->by_from[0].from) >> batch->bucket_shift;
}

static errcode_t fill_buckets(struct batch *batch)
{
	uint32_t last = batch->by_from[batch->n - 1].from, buckets, b = 0;
	size_t i;

	while (bucket_of(batch, last) > batch->n / 2)
		batch->bucket_shift++;
	buckets = bucket_of(batch, last) + 1;
	batch->buckets = e2s_large_malloc(((size_t)buckets + 1) *
					  sizeof(*batch->buckets));
	if (!batch->buckets)
		return ENOMEM;
	for (i = 0; i < batch->n; i++)
		while (b <= bucket_of(batch, batch->by_from[i].from))
			batch->buckets[b++] = (uint32_t)i;
	batch->buckets[buckets] = (uint32_t)batch->n;
	return 0;
}

errcode_t e2s_batch_sort_steps(struct batch *batch)
{
	errcode_t err;

	if (!is_sorted(batch))
		e2s_sort_words(batch->by_from, batch->n,
			       sizeof(*batch->by_from) / sizeof(uint32_t));
	err = sort_ends(batch);
	return err ? err : fill_buckets(batch);
}

size_t e2s_batch_find_step(const struct batch *batch, uint32_t ino)
{
	size_t low, high, mid;

	if (ino <= batch->by_from[0].from)
		return 0;
	if (ino > batch->by_from[batch->n - 1].from)
		return batch->n;
	low = batch->buckets[bucket_of(batch, ino)];
	high = batch->buckets[bucket_of(batch, ino) + 1];
	while (low < high) {
		mid = low + (high - low) / 2;
		if (batch->by_from[mid].from < ino)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t e2s_batch_new_ino(const struct batch *batch, uint32_t ino)
{
	size_t i = e2s_batch_find_step(batch, ino);

	return i < batch->n && batch->by_from[i].from == ino
		       ? batch->by_from[i].to : ino;
}

int e2s_batch_patch_entries(const struct batch *batch, uint8_t *data,
			    uint32_t len)
{
	struct e2s_dirents walk;
	struct e2s_dirent entry;
	int more, changed = 0;
	uint32_t to;

	e2s_dirents_start(&walk, data, len, batch->mover->fs->geo.block_size);
	while ((more = e2s_dirents_next(&walk, &entry)) > 0) {
		to = e2s_batch_new_ino(batch, entry.ino);
		if (to == entry.ino)
			continue;
		e2s_put_le32(data + (entry.at - data), to);
		changed++;
	}
	return more < 0 ? -1 : changed;
}
