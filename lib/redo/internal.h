/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of redo/ share with one another and with nobody else. */
#ifndef E2S_REDO_INTERNAL_H
#define E2S_REDO_INTERNAL_H

#include "fs/csum.h"
#include "redo/redo.h"

/* Bytes that are read, written or gathered at once. */
#define E2S_REDO_CHUNK (1u << 20)

/* The caller's, and one beside it. */
#define E2S_REDO_THREADS 2

/* One block of the batch. */
struct e2s_redo_entry {
	uint64_t blk;		/* where it goes */
	uint32_t pos;		/* where it is in the log */
	uint32_t crc;		/* crc32c of its content */
};

struct e2s_redo_list {
	struct e2s_redo_entry *v;
	size_t n, room;
};

/* The primary superblock's block: written whole, never through libext2fs. */
struct e2s_redo_super {
	unsigned char *old;	/* the block as it was found */
	unsigned char *new;	/* the same, changed */
	uint64_t blk;
	uint32_t at;		/* byte of the superblock in the block */
};

/*
 * A kind of log.  SELF is its own state.  begin() starts a batch.  put() takes
 * a block into the log and says where; seal() brings all of it to the disk;
 * commit() is the commit point and returns when it is on the disk; get() reads
 * COUNT blocks back from POS on; retire() makes the log empty again.  mark()
 * changes the superblock in memory.  close() frees, and with DONE removes what
 * nobody needs any more.
 */
struct e2s_redo_log {
	void (*mark)(void *self, unsigned char *super);
	uint64_t (*room)(const void *self);
	errcode_t (*begin)(void *self, struct e2s_where *where);
	errcode_t (*put)(void *self, const void *data, uint64_t blk,
			 uint32_t *pos, struct e2s_where *where);
	errcode_t (*seal)(void *self, const struct e2s_redo_list *list,
			  struct e2s_where *where);
	errcode_t (*commit)(void *self, struct e2s_where *where);
	errcode_t (*get)(void *self, uint32_t pos, uint32_t count,
			 unsigned char *buf, struct e2s_where *where);
	errcode_t (*retire)(void *self, struct e2s_where *where);
	errcode_t (*close)(void *self, int done);
	/* True when BLK belongs to the log. */
	int (*owns)(const void *self, uint64_t blk);
};

/* log.c */

/* Sorts by target; returns E2S_ET_REDO_TWICE when one is there twice. */
errcode_t e2s_redo_sort(struct e2s_redo_list *list, struct e2s_where *where);

/*
 * Writes the blocks of LIST, sorted, in place, read from LOG; every block is
 * compared with its checksum first.  BUF has e2s_redo_buf_size() bytes.  Does
 * not flush.
 */
errcode_t e2s_redo_checkpoint(struct e2s_fs *fs,
			      const struct e2s_redo_log *log, void *self,
			      const struct e2s_redo_list *list,
			      unsigned char *buf, struct e2s_where *where);

/* Blocks in a chunk: at least one. */
static inline uint32_t e2s_redo_chunk_blocks(const struct e2s_fs *fs)
{
	return fs->geo.block_size < E2S_REDO_CHUNK ?
		       E2S_REDO_CHUNK / fs->geo.block_size : 1;
}

/* Two chunks: one is written while the next is read. */
static inline size_t e2s_redo_buf_size(const struct e2s_fs *fs)
{
	return (size_t)2 * e2s_redo_chunk_blocks(fs) * fs->geo.block_size;
}

static inline uint32_t e2s_redo_crc(const struct e2s_fs *fs, const void *data)
{
	return e2s_crc32c(~0u, data, fs->geo.block_size);
}

/* super.c */

/*
 * The low half of s_snapshot_r_blocks_count, of a snapshot feature that never
 * was in Linux; file systems that use its fields are refused.
 */
#define E2S_REDO_SUPER_PAD						\
	offsetof(struct ext2_super_block, s_snapshot_r_blocks_count)

errcode_t e2s_redo_super_read(struct e2s_fs *fs, struct e2s_redo_super *super,
			      struct e2s_where *where);
void e2s_redo_super_free(struct e2s_redo_super *super);

/* The superblock inside super->new, to be changed before _write(). */
static inline unsigned char *e2s_redo_super_new(struct e2s_redo_super *super)
{
	return super->new + super->at;
}

/*
 * Makes super->new, changed before E2S_REDO_SUPER_PAD only, fit the checksum
 * it has, if it has one, writes it and flushes.
 */
errcode_t e2s_redo_super_write(struct e2s_fs *fs, struct e2s_redo_super *super,
			       struct e2s_where *where);

/* Writes super->old back and flushes. */
errcode_t e2s_redo_super_restore(struct e2s_fs *fs,
				 const struct e2s_redo_super *super,
				 struct e2s_where *where);

/* jbd2.c and file.c: the two kinds of log, for redo.c. */

errcode_t e2s_redo_jbd2_open(struct e2s_fs *fs, void **self,
			     struct e2s_where *where);
errcode_t e2s_redo_file_open(struct e2s_fs *fs, const char *path,
			     const unsigned char *super, void **self,
			     struct e2s_where *where);
extern const struct e2s_redo_log e2s_redo_jbd2_log;
extern const struct e2s_redo_log e2s_redo_file_log;

#endif
