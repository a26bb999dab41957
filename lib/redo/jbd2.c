/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch in the journal.  Every batch starts at the log's first block and
 * never wraps:
 *
 *   first                                              last
 *     | desc | data ... | desc | data ... | commit | 0 |
 *
 * The zero block behind the commit block ends the recovery's scan: without it
 * an old transaction that happens to lie there would be replayed after ours.
 * Its order with the flushes between is in doc/redo-file.md and redo.c; here
 * a function that says so returns only when its blocks are on the disk.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "redo/journal.h"

struct jbd2 {
	struct e2s_fs *fs;
	struct e2s_journal journal;
	struct e2s_journal_map map;
	struct e2s_journal_format format;
	unsigned char *super;		/* the journal's block 0 */
	unsigned char *chunk;		/* a descriptor and its blocks */
	uint32_t in_chunk;		/* blocks of them so far */
	uint32_t next;			/* where the chunk goes in the log */
	uint32_t tid;			/* of the batch in hand */
	struct e2s_aside search;	/* for the first one's */
	uint32_t crc_v1;		/* over the batch's log blocks so far */
	/* Log positions of blocks whose magic was taken out, ascending. */
	struct { uint32_t *v; size_t n, room; } escaped;
};

/* With START, has the disk begin with it. */
static errcode_t write_log(struct jbd2 *jbd2, uint32_t pos, uint32_t count,
			   const unsigned char *buf, int start,
			   struct e2s_where *where)
{
	uint32_t n, left;
	errcode_t err;
	uint64_t blk;

	for (; count; count -= n, pos += n) {
		blk = e2s_journal_map_find(&jbd2->map, pos, &left);
		n = left < count ? left : count;
		err = e2s_fs_write(jbd2->fs, blk, n, buf, where);
		if (!err && start)
			err = e2s_fs_start_flush(jbd2->fs, blk, n, where);
		if (err)
			return err;
		buf += (size_t)n * jbd2->fs->geo.block_size;
	}
	return 0;
}

static errcode_t read_log(const struct jbd2 *jbd2, uint32_t pos,
			  uint32_t count, unsigned char *buf,
			  struct e2s_where *where)
{
	uint32_t n, left;
	errcode_t err;
	uint64_t blk;

	for (; count; count -= n, pos += n) {
		blk = e2s_journal_map_find(&jbd2->map, pos, &left);
		n = left < count ? left : count;
		err = e2s_fs_read(jbd2->fs, blk, n, buf, where);
		if (err)
			return err;
		buf += (size_t)n * jbd2->fs->geo.block_size;
	}
	return 0;
}

/* Raises *NEWEST, counted from BASE, to what the headers of N blocks say. */
static void note_newest(const struct jbd2 *jbd2, uint32_t n, uint32_t base,
			uint32_t *newest)
{
	const unsigned char *block = jbd2->chunk;
	uint32_t ahead;

	for (; n; n--, block += jbd2->fs->geo.block_size) {
		if (e2s_get_be32(block) != E2S_JBD2_MAGIC)
			continue;
		/* As the kernel compares them: modulo 2^32. */
		ahead = e2s_get_be32(block + 8) - base + 1;
		if (ahead <= INT32_MAX && ahead > *newest)
			*newest = ahead;
	}
}

/*
 * The first number that no block of the log has yet: an e2fsck that failed
 * leaves newer transactions behind than the superblock knows of.  The holes of
 * an image file hold none.
 */
static errcode_t choose_tid(void *ctx, struct e2s_where *where)
{
	struct jbd2 *jbd2 = ctx;
	uint32_t max = jbd2->format.tags + 1, end = jbd2->journal.maxlen;
	uint32_t base = jbd2->journal.sequence, newest = 0, pos, n, left;
	errcode_t err;
	uint64_t blk;

	for (pos = jbd2->journal.first; pos < end; pos += n) {
		blk = e2s_journal_map_find(&jbd2->map, pos, &left);
		n = left < end - pos ? left : end - pos;
		left = (uint32_t)(e2s_fs_find_data(jbd2->fs, blk, n) - blk);
		if (left) {
			n = left;
			continue;
		}
		n = n < max ? n : max;
		err = e2s_fs_read(jbd2->fs, blk, n, jbd2->chunk, where);
		if (err)
			return err;
		note_newest(jbd2, n, base, &newest);
	}
	jbd2->tid = base + newest;
	if (!jbd2->tid)
		jbd2->tid = 1;
	return 0;
}

static uint32_t chunk_tags(const struct e2s_fs *fs)
{
	return e2s_redo_chunk_blocks(fs);
}

static uint64_t jbd2_room(const void *self)
{
	const struct jbd2 *jbd2 = self;
	/* The commit block and the zero block go off. */
	uint64_t blocks = jbd2->journal.last - jbd2->journal.first - 2;
	uint64_t group = (uint64_t)jbd2->format.tags + 1;

	return blocks - (blocks + group - 1) / group;
}

static errcode_t jbd2_close(void *self, int done)
{
	struct jbd2 *jbd2 = self;

	(void)done;
	if (!jbd2)
		return 0;
	e2s_aside_wait(&jbd2->search, NULL);
	e2s_journal_map_free(&jbd2->map);
	free(jbd2->escaped.v);
	free(jbd2->super);
	free(jbd2->chunk);
	free(jbd2);
	return 0;
}

/* What the jsb must say so that all block numbers fit. */
static errcode_t widen(struct jbd2 *jbd2)
{
	if (jbd2->fs->geo.blocks >> 32 == 0)
		return 0;
	if (jbd2->journal.type == E2S_JBD2_SUPER_V1)
		return E2S_ET_TOO_FAR;
	jbd2->journal.incompat |= E2S_JBD2_64BIT;
	return 0;
}

errcode_t e2s_redo_jbd2_open(struct e2s_fs *fs, void **self,
			     struct e2s_where *where)
{
	struct jbd2 *jbd2 = calloc(1, sizeof(*jbd2));
	uint32_t size = fs->geo.block_size;
	errcode_t err;

	if (!jbd2)
		return ENOMEM;
	jbd2->fs = fs;
	err = e2s_fs_journal_read(fs, &jbd2->journal, where);
	if (!err)
		err = widen(jbd2);
	if (!err)
		err = e2s_journal_map_read(fs, jbd2->journal.maxlen,
					   &jbd2->map, where);
	if (err)
		goto out;
	e2s_journal_format_init(&jbd2->format, &jbd2->journal, size,
				chunk_tags(fs));
	if (jbd2->journal.last - jbd2->journal.first < 4) {
		err = E2S_ET_JOURNAL_SMALL;
		goto out;
	}
	jbd2->super = malloc(size);
	jbd2->chunk = malloc(((size_t)jbd2->format.tags + 1) * size);
	if (!jbd2->super || !jbd2->chunk) {
		err = ENOMEM;
		goto out;
	}
	err = e2s_fs_read(fs, jbd2->journal.super_blk, 1, jbd2->super, where);
	if (err)
		goto out;
	e2s_aside_start(&jbd2->search, E2S_REDO_THREADS, choose_tid, jbd2);
	*self = jbd2;
	jbd2 = NULL;
out:
	jbd2_close(jbd2, 0);
	return err;
}

static void jbd2_mark(void *self, unsigned char *bytes)
{
	size_t at = offsetof(struct ext2_super_block, s_feature_incompat);
	uint32_t incompat;

	(void)self;
	memcpy(&incompat, bytes + at, sizeof(incompat));
	incompat |= ext2fs_cpu_to_le32(EXT3_FEATURE_INCOMPAT_RECOVER);
	memcpy(bytes + at, &incompat, sizeof(incompat));
}

static errcode_t jbd2_begin(void *self, struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;
	errcode_t err = e2s_aside_wait(&jbd2->search, where);

	jbd2->next = jbd2->journal.first;
	jbd2->in_chunk = 0;
	jbd2->crc_v1 = ~0u;
	jbd2->escaped.n = 0;
	return err;
}

static errcode_t write_chunk(struct jbd2 *jbd2, struct e2s_where *where)
{
	uint32_t count = jbd2->in_chunk + 1;
	errcode_t err;

	e2s_journal_descriptor_end(&jbd2->format, jbd2->chunk,
				   jbd2->in_chunk);
	if (jbd2->format.csum_v1)
		jbd2->crc_v1 = ext2fs_crc32_be(jbd2->crc_v1, jbd2->chunk,
				(size_t)count * jbd2->fs->geo.block_size);
	err = e2s_fs_touch_mmp(jbd2->fs);
	if (!err)
		err = write_log(jbd2, jbd2->next, count, jbd2->chunk, 1, where);
	jbd2->next += count;
	jbd2->in_chunk = 0;
	return err;
}

static errcode_t jbd2_put(void *self, const void *data, uint64_t blk,
			  uint32_t *pos, struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;
	uint32_t size = jbd2->fs->geo.block_size;
	unsigned char *slot;
	errcode_t err;

	if (jbd2->in_chunk == jbd2->format.tags) {
		err = write_chunk(jbd2, where);
		if (err)
			return err;
	}
	err = e2s_vec_reserve(&jbd2->escaped, 1);
	if (err)
		return err;
	if (!jbd2->in_chunk)
		e2s_journal_descriptor_init(&jbd2->format, jbd2->chunk,
					    jbd2->tid);
	slot = jbd2->chunk + ((size_t)jbd2->in_chunk + 1) * size;
	memcpy(slot, data, size);
	*pos = jbd2->next + 1 + jbd2->in_chunk;
	if (e2s_journal_tag_set(&jbd2->format, jbd2->chunk, jbd2->in_chunk,
				jbd2->tid, blk, slot))
		jbd2->escaped.v[jbd2->escaped.n++] = *pos;
	jbd2->in_chunk++;
	return 0;
}

/* The log, its end, then the commit block: each on the disk before the next. */
static errcode_t jbd2_seal(void *self, const struct e2s_redo_list *list,
			   struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;
	uint32_t commit;
	errcode_t err = 0;

	(void)list;
	if (jbd2->in_chunk)
		err = write_chunk(jbd2, where);
	if (err)
		return err;
	commit = jbd2->next;
	memset(jbd2->chunk, 0, jbd2->fs->geo.block_size);
	err = write_log(jbd2, commit + 1, 1, jbd2->chunk, 0, where);
	/* An old fast commit must not follow our transaction either. */
	if (!err && jbd2->journal.fc_first)
		err = write_log(jbd2, jbd2->journal.fc_first, 1, jbd2->chunk, 0,
				where);
	if (!err)
		err = e2s_fs_flush(jbd2->fs);
	if (err)
		return err;
	e2s_journal_commit_make(&jbd2->format, jbd2->chunk, jbd2->tid,
				jbd2->crc_v1, (uint64_t)time(NULL));
	err = write_log(jbd2, commit, 1, jbd2->chunk, 0, where);
	return err ? err : e2s_fs_flush(jbd2->fs);
}

/* One sector changes, so the write is whole or not at all. */
static errcode_t write_super(struct jbd2 *jbd2, uint32_t sequence,
			     uint32_t start, struct e2s_where *where)
{
	unsigned char *super = jbd2->super;
	uint32_t incompat = jbd2->journal.incompat & ~E2S_JBD2_FAST_COMMIT;
	errcode_t err;

	e2s_put_be32(super + E2S_JSB_SEQUENCE, sequence);
	e2s_put_be32(super + E2S_JSB_START, start);
	if (jbd2->journal.type == E2S_JBD2_SUPER_V2)
		e2s_put_be32(super + E2S_JSB_INCOMPAT, incompat);
	if (incompat & E2S_JBD2_CSUM_V2V3)
		e2s_put_be32(super + E2S_JSB_CSUM, e2s_jsb_csum(super));
	err = e2s_fs_write(jbd2->fs, jbd2->journal.super_blk, 1, super, where);
	return err ? err : e2s_fs_flush(jbd2->fs);
}

static errcode_t jbd2_commit(void *self, struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;

	return write_super(jbd2, jbd2->tid, jbd2->journal.first, where);
}

static errcode_t jbd2_retire(void *self, struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;

	jbd2->tid++;
	if (!jbd2->tid)
		jbd2->tid = 1;
	return write_super(jbd2, jbd2->tid, 0, where);
}

static int compare_pos(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static errcode_t jbd2_get(void *self, uint32_t pos, uint32_t count,
			  unsigned char *buf, struct e2s_where *where)
{
	struct jbd2 *jbd2 = self;
	uint32_t i, at;
	errcode_t err;

	err = read_log(jbd2, pos, count, buf, where);
	if (err)
		return err;
	for (i = 0; jbd2->escaped.n && i < count; i++) {
		at = pos + i;
		if (bsearch(&at, jbd2->escaped.v, jbd2->escaped.n,
			    sizeof(at), compare_pos))
			e2s_put_be32(buf + (size_t)i * jbd2->fs->geo.block_size,
				     E2S_JBD2_MAGIC);
	}
	return 0;
}

static int jbd2_owns(const void *self, uint64_t blk)
{
	const struct jbd2 *jbd2 = self;

	return e2s_journal_map_owns(&jbd2->map, blk);
}

const struct e2s_redo_log e2s_redo_jbd2_log = {
	.mark = jbd2_mark,
	.room = jbd2_room,
	.begin = jbd2_begin,
	.put = jbd2_put,
	.seal = jbd2_seal,
	.commit = jbd2_commit,
	.get = jbd2_get,
	.retire = jbd2_retire,
	.close = jbd2_close,
	.owns = jbd2_owns,
};
